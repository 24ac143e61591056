"""Collectors, bounds queries and snapshots against brute force."""

import numpy as np
import pytest
from many_boxes import BoxesWorld, rays_in

from scree.core.queries import Queries
from tests.bodies.mass_twin import rotation_matrix


@pytest.fixture(scope="module")
def stage():
    small = BoxesWorld(400, side=60.0)
    two = small.add(small.box(1, 1, 1), (0, 30, 0), mode=0)
    small.world.body.add_shape(two, small.sphere(1.0), (1, 0, 0, 0, 1, 0, 0, 0, 1, 0, -4, 0))
    return small, Queries(small.world), two


def test_collectors_of_rays(stage):
    small, queries, two = stage
    origins, ends = rays_in(np.random.default_rng(4), 200, 60.0, 80.0)
    closest = queries.cast_rays(small.system, origins, ends)
    any_hit = queries.cast_rays(small.system, origins, ends, collector="any")
    np.testing.assert_array_equal(closest["body"] >= 0, any_hit["body"] >= 0)
    several = 0
    for k, (origin, end) in enumerate(zip(origins, ends, strict=True)):
        found = queries.cast_ray_all(small.system, origin, end, max_results=500)
        ways = {int(row["id"]) for row in small.world.bodies.rows[: small.world.bodies.count] if row["system"] >= 0}
        assert set(found["body_id"].tolist()) <= ways and len(found) == len(set(found["body_id"].tolist()))
        assert (np.diff(found["fraction"]) >= 0).all()
        if closest["body"][k] >= 0:
            assert found[0]["fraction"] == pytest.approx(closest["fraction"][k], abs=1e-9)
            assert any_hit["body_id"][k] in found["body_id"]
            nearest = queries.cast_ray_all(small.system, origin, end, max_results=2)
            np.testing.assert_array_equal(nearest, found[:2])
        else:
            assert len(found) == 0
        several += len(found) > 1
    assert several > 30
    down = (0, 40, 0.1), (0, 20, 0.1)
    assert queries.cast_ray_all(small.system, *down)["instance"].tolist() == [0, 1]
    assert queries.cast_ray_all(small.system, *down, collector="closest per body")["instance"].tolist() == [0]
    assert queries.cast_ray_all(small.system, *down, exclude=[two]).tolist() == []


def test_collectors_of_casts(stage):
    small, queries, two = stage
    ball = small.sphere(0.3)
    found = queries.cast_shape(small.system, ball, (0, 40, 0), (0, -20, 0), "all")
    assert found["instance"].tolist() == [0, 1] and set(found["body_id"]) == {two}
    np.testing.assert_allclose(found["fraction"], [(40 - 31.3) / 20, (40 - 27.3) / 20], atol=1e-4)
    np.testing.assert_allclose(found["normal"], [(0, 1, 0)] * 2, atol=1e-4)
    for collector in ("closest", "any", "closest per body"):
        one = queries.cast_shape(small.system, ball, (0, 40, 0), (0, -20, 0), collector)
        assert one["body_id"].tolist() == [two]
    assert len(queries.cast_shape(small.system, ball, (0, 40, 0), (0, 20, 0))) == 0
    with pytest.raises(ValueError, match="collector must be one of closest, any, all, closest per body, got 'best'"):
        queries.cast_shape(small.system, ball, (0, 40, 0), (0, 20, 0), "best")


SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])


def meeting(boxes, center, half, axes) -> np.ndarray:
    """Which upright boxes (n, 6) no axis parts from an oriented one: all fifteen are tried, by projecting corners."""
    a = 0.5 * (boxes[:, None, :3] + boxes[:, None, 3:]) + SIGNS * (0.5 * (boxes[:, 3:] - boxes[:, :3]))[:, None]
    b = center + (SIGNS * half) @ axes.T
    parted = np.zeros(len(boxes), bool)
    for axis in (*np.eye(3), *axes.T, *(np.cross(u, v) for u in np.eye(3) for v in axes.T)):
        if np.linalg.norm(axis) > 1e-9:
            p, q = a @ axis, b @ axis
            parted |= (p.max(axis=1) < q.min() - 1e-4) | (q.max() < p.min(axis=1) - 1e-4)
    return ~parted


def test_bounds_queries_against_brute_force(stage):
    small, queries, _ = stage
    rows = small.world.bodies.rows[: small.world.bodies.count]
    rows = rows[rows["system"] >= 0]
    boxes, ids = rows["bounds"].astype(np.float64), rows["id"]
    generator = np.random.default_rng(6)
    for _ in range(60):
        center = generator.uniform([-30, 0, -30], [30, 10, 30])
        half, radius = generator.uniform(0.1, 8.0, 3), generator.uniform(0.1, 8.0)
        quaternion = generator.normal(size=4)
        quaternion /= np.linalg.norm(quaternion)
        upright = (boxes[:, :3] <= center + half).all(1) & (boxes[:, 3:] >= center - half).all(1)
        assert set(queries.bodies_in_box(small.system, center, half)) == set(ids[upright])
        turned = meeting(boxes, center, half, rotation_matrix(quaternion))
        assert set(queries.bodies_in_box(small.system, center, half, quaternion)) == set(ids[turned])
        gap = np.maximum(np.maximum(boxes[:, :3] - center, center - boxes[:, 3:]), 0)
        assert set(queries.bodies_in_sphere(small.system, center, radius)) == set(ids[np.linalg.norm(gap, axis=1) <= radius])
        at_point = (boxes[:, :3] <= center).all(1) & (boxes[:, 3:] >= center).all(1)
        assert set(queries.bodies_in_box(small.system, center, (0, 0, 0))) == set(ids[at_point])
    everything = queries.bodies_in_box(small.system, (0, 0, 0), (999, 999, 999))
    assert sorted(everything) == sorted(ids)
    assert len(queries.bodies_in_box(small.system, (0, 0, 0), (999, 999, 999), max_results=5)) == 5
    hit = queries.cast_ray(small.system, (0, 40, 0), (0, 0, 0))
    assert hit["body_id"] in queries.bodies_on_ray(small.system, (0, 40, 0), (0, 0, 0))
    with pytest.raises(ValueError, match="radius must be at least 0"):
        queries.bodies_in_sphere(small.system, (0, 0, 0), -1.0)


def test_a_snapshot_stays_as_it_was(stage):
    small, queries, _ = stage
    origins, ends = rays_in(np.random.default_rng(7), 300, 60.0, 80.0)
    live = queries.cast_rays(small.system, origins, ends)
    snapshot = queries.collect_shapes(small.system, (0, 0, 0), (500, 500, 500))
    assert len(snapshot) == 402
    hull = small.add(small.box(1, 1, 1), (0, 60, 0), mode=0)
    few = queries.collect_shapes(small.system, (0, 60, 0), (2, 2, 2))
    assert few.rows["body_id"].tolist() == [hull]
    small.world.body.destroy(hull)
    for body in [int(row) for row in small.world.bodies.rows["id"][small.boxes[:200]]]:
        small.world.body.destroy(body)
    then = snapshot.cast_rays(origins, ends)
    np.testing.assert_array_equal(live["body_id"], then["body_id"])
    np.testing.assert_allclose(live["fraction"], then["fraction"], atol=1e-9)
    assert few.cast_rays([[0, 70, 0]], [[0, 50, 0]])["fraction"].tolist() == [0.45]
    assert (queries.cast_rays(small.system, origins, ends)["body_id"] != live["body_id"]).any()
