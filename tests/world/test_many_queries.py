"""Many queries in one call answer what the same queries answer one by one; spheres and boxes, what formulas say."""

import numpy as np
import pytest
from many_boxes import BoxesWorld

from scree.core.many_queries import ManyQueries
from scree.core.queries import Queries
from tests.bodies.mass_twin import rotation_matrix

COUNT = 60


@pytest.fixture(scope="module")
def stage():
    small = BoxesWorld(400, side=40.0)
    queries = Queries(small.world)
    yield small, queries, ManyQueries(queries)
    queries.close()


def places(rng) -> np.ndarray:
    """Transforms (n, 12) in the crowd: turned, and every third one stretched along an axis of its shape."""
    rows = np.zeros((COUNT, 12))
    for k, row in enumerate(rows):
        turn = rng.normal(size=4)
        basis = rotation_matrix(turn / np.linalg.norm(turn))
        row[:9] = (basis * ((1.0, 2.0, 1.0) if k % 3 == 0 else (1.0, 1.0, 1.0))).ravel()
        row[9:] = rng.uniform(-20.0, 20.0, 3)
    return rows


def assert_same(found, wanted) -> None:
    """Equal ids and numbers; places and lengths within the rounding of a transform that is split one by one or with others."""
    assert len(found) == len(wanted)
    for name in set(found.dtype.names) - {"excluded"}:  # an address of the call
        np.testing.assert_allclose(found[name], wanted[name], rtol=0.0, atol=1e-9 if found[name].dtype.kind == "f" else 0.0)


@pytest.mark.parametrize("threads", [1, 3])
def test_many_casts_are_casts_one_by_one(stage, threads):
    small, queries, many = stage
    rng = np.random.default_rng(3)
    box, at, ways = small.box(0.5, 0.3, 0.2), places(rng), rng.normal(size=(COUNT, 3)) * 10.0
    found = many.cast_shapes(small.system, box, at, ways, margin=0.01, threads=threads)
    hits = 0
    for row, place, way in zip(found, at, ways, strict=True):
        fractions = queries.cast_motion(small.system, box, place, way, 0.01)
        assert (row["safe_fraction"], row["unsafe_fraction"]) == pytest.approx(fractions, abs=1e-9)
        one = queries.cast_shape(small.system, box, place, way, margin=0.01)
        assert bool(row["is_hit"]) == bool(len(one))
        if len(one):
            assert row["hit_body"] == one[0]["body"] and row["hit"] == pytest.approx(one[0]["position"], abs=1e-6)
        hits += len(one)
    assert 5 < hits < COUNT
    small.world.shape.destroy(box)


def test_many_overlaps_and_contacts_are_those_of_one_by_one(stage):
    small, queries, many = stage
    at = places(np.random.default_rng(5))
    box = small.box(2.0, 1.0, 1.5)
    overlaps = many.overlap_shapes(small.system, box, at, 0.1, threads=2)
    contacts = many.collide_shapes(small.system, box, at, 0.1, most=5)
    for k, place in enumerate(at):
        one = queries.intersect_shape(small.system, box, place, 0.1)
        assert_same(overlaps.rows[overlaps.firsts[k] : overlaps.firsts[k + 1]], one)
        one = queries.collide_shape(small.system, box, place, 0.1, max_results=5)
        assert_same(contacts.rows[contacts.firsts[k] : contacts.firsts[k + 1]], one)
    assert len(overlaps.rows) > COUNT // 4 and overlaps.firsts[-1] == len(overlaps.rows)
    assert max(np.diff(contacts.firsts)) == 5
    small.world.shape.destroy(box)


def test_spheres_and_boxes_overlap_where_formulas_say():
    small = BoxesWorld(0)
    spot = small.add(small.sphere(1.0), (0.0, 0.0, 0.0), mode=0)
    cube = small.add(small.box(1.0, 1.0, 1.0), (10.0, 0.0, 0.0), mode=0)
    many = ManyQueries(Queries(small.world))
    before = small.world.shapes.row_count
    rng = np.random.default_rng(7)
    centers, radii = rng.uniform((-3, -3, -3), (13, 3, 3), (300, 3)), rng.uniform(0.2, 2.0, 300)
    found = many.overlap_spheres(small.system, centers, radii)
    near = np.linalg.norm(np.maximum(np.abs(centers - (10.0, 0.0, 0.0)) - 1.0, 0.0), axis=1)
    wanted = {spot: np.linalg.norm(centers, axis=1) - 1.0 - radii, cube: near - radii}
    for k in range(300):
        ids = found.rows["body_id"][found.firsts[k] : found.firsts[k + 1]]
        for body, gaps in wanted.items():
            assert abs(gaps[k]) < 1e-4 or (body in ids) == (gaps[k] < 0.0)
    halves = rng.uniform(0.2, 1.0, (3, 3))[rng.integers(0, 3, 300)]
    found = many.overlap_boxes(small.system, centers, halves)
    gap = (np.abs(centers - (10.0, 0.0, 0.0)) - 1.0 - halves).max(axis=1)
    for k in range(300):
        ids = found.rows["body_id"][found.firsts[k] : found.firsts[k + 1]]
        assert abs(gap[k]) < 1e-4 or (cube in ids) == (gap[k] < 0.0)
    assert 10 < len(found.rows)
    assert small.world.shapes.row_count <= before + 1  # the shapes of a query are freed
    assert len(many.overlap_spheres(small.system, np.zeros((0, 3)), 1.0).rows) == 0
    assert many.overlap_boxes(small.system, np.zeros((0, 3)), (1, 1, 1)).firsts.tolist() == [0]


def test_wrong_values_name_the_call(stage):
    small, _, many = stage
    ball, at = small.sphere(1.0), np.zeros((2, 3))
    for call, words in (
        (lambda: many.cast_shapes(small.system, ball, at, np.zeros((1, 3))), r"cast_shapes: motions must be numbers of shape"),
        (lambda: many.cast_shapes(small.system, ball, at, at, threads=0), "cast_shapes: threads must be at least 1, got 0"),
        (lambda: many.overlap_shapes(small.system, ball, np.zeros((2, 4))), "overlap_shapes: places must be numbers of shape"),
        (lambda: many.overlap_shapes(small.system, ball, np.zeros((1, 12))), "overlap_shapes: the basis of instance 0 spans no"),
        (lambda: many.overlap_shapes(small.system, ball, at, most=0), "overlap_shapes: the most answers must be 1 to"),
        (lambda: many.overlap_shapes(small.system, ball, at, -1.0), "overlap_shapes: margin must be at least 0, got -1.0"),
        (
            lambda: many.overlap_spheres(small.system, at, [1.0, 0.0]),
            "overlap_spheres: radii must be above 0 and finite, got 0.0",
        ),
        (lambda: many.overlap_boxes(small.system, at, np.ones((3, 3))), "overlap_boxes: half_extents must be one or 2, got an"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(KeyError, match="overlap_shapes: there is no shape"):
        many.overlap_shapes(small.system, 77, at)


@pytest.mark.parametrize("threads", [65, 10**9])
def test_more_threads_than_any_machine_has_are_taken_as_many(stage, threads):
    """A list of a billion parts was made before the first ran, and the game stood still."""
    small, queries, many = stage
    box, at = small.box(0.5, 0.5, 0.5), places(np.random.default_rng(7))
    rays = queries.cast_rays(small.system, at[:, 9:], at[:, 9:] + (0.0, -9.0, 0.0), threads=threads)
    np.testing.assert_array_equal(rays, queries.cast_rays(small.system, at[:, 9:], at[:, 9:] + (0.0, -9.0, 0.0)))
    assert_same(many.cast_shapes(small.system, box, at, at[:, 9:], threads=threads),
                many.cast_shapes(small.system, box, at, at[:, 9:]))  # fmt: skip
    small.world.shape.destroy(box)
