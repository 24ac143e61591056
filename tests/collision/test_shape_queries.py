"""Shapes asked of a system: overlaps, casts, contacts and closest points against naive twins, and the rules for
them."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.bodies.schema import IS_AREA, RIGID
from scree.core.queries import Queries
from scree.shapes.schema import BOX, CAPSULE, CYLINDER, HULL, MESH, PLANE, SPHERE

from .query_twins import Solid, create_shape, new_world, place, random_rotation, random_solids, transform_of

FAR_AWAY = (-9_000.0, 3_000.0, 12_000.0)


@pytest.fixture
def empty():
    world, system = new_world()
    return world, system, Queries(world)


def front_distance(solid, points, motion=None) -> np.ndarray:
    """Distance of points from a solid; of a mesh only those triangles count whose front the first point is on, and that
    a motion does not leave."""
    if solid.kind != MESH:
        return solid.distance(points)
    a, b, c = np.moveaxis(solid.vertices[solid.triangles], 1, 0)
    normals = np.cross(b - a, c - a)
    counts = ((solid.local(points)[0] - a) * normals).sum(1) >= 0.0
    if motion is not None:
        counts &= normals @ (motion @ solid.rotation) <= 0.0
    if not counts.any():
        return np.full(len(points), np.inf)
    part = Solid(MESH, 0, solid.position, solid.rotation, solid.vertices, solid.triangles[counts])
    return part.distance(points)


@pytest.mark.parametrize("center", [(0.0, 0.0, 0.0), FAR_AWAY])
def test_a_sphere_overlaps_what_is_nearer_than_its_radius(center):
    world, system = new_world()
    solids = random_solids(11, 90, center, spread=6.0)
    for solid in solids:
        place(world, system, solid)
    radius, margin = 0.75, 0.125
    shape = create_shape(world, Solid(SPHERE, (radius,)))
    queries = Queries(world)
    total = 0
    for point in center + np.random.default_rng(12).uniform(-6, 6, (150, 3)):
        gaps = {solid.body: front_distance(solid, point)[0] - radius for solid in solids}
        for grown, kwargs in ((0.0, {}), (margin, {"margin": margin})):
            found = set(queries.intersect_shape(system, shape, point, max_results=99, **kwargs)["body_id"].tolist())
            assert {body for body, gap in gaps.items() if gap < grown - 1e-4} <= found
            assert found <= {body for body, gap in gaps.items() if gap < grown + 1e-4}
            total += len(found)
    assert total > 300


def corners(half, position, rotation):
    signs = np.array(list(itertools.product((-1, 1), repeat=3)))
    return (signs * half) @ rotation.T + position


def entry_of_polytopes(a, axes_a, b, axes_b, motion) -> tuple[float, float]:
    """(first, last) fraction of the motion between which polytopes, given by vertices and edge and face directions,
    overlap: on every axis their projections do (separating axes, swept)."""
    axes = [*axes_a, *axes_b, *(np.cross(p, q) for p in axes_a for q in axes_b)]
    first, last = -np.inf, np.inf
    for axis in axes:
        size = np.linalg.norm(axis)
        if size < 1e-9:
            continue
        axis = axis / size
        pa, pb, speed = a @ axis, b @ axis, motion @ axis
        low, high = pb.min() - pa.max(), pb.max() - pa.min()  # overlap while low < speed t < high
        if abs(speed) < 1e-12:
            if low >= 0.0 or high <= 0.0:
                return np.inf, -np.inf
            continue
        t = sorted((low / speed, high / speed))
        first, last = max(first, t[0]), min(last, t[1])
    return first, last


@pytest.mark.parametrize("center", [(0.0, 0.0, 0.0), FAR_AWAY])
def test_boxes_meet_boxes_where_separating_axes_say(center):
    world, system = new_world()
    rng = np.random.default_rng(13)
    solids = []
    for _ in range(25):
        size = np.float32(rng.uniform(0.3, 1.5, 3)).astype(float)
        solids.append(Solid(BOX, size, np.asarray(center) + rng.uniform(-6, 6, 3), random_rotation(rng)))
        place(world, system, solids[-1])
    queries = Queries(world)
    hit_count = 0
    for _ in range(60):
        half = np.float32(rng.uniform(0.2, 1.0, 3)).astype(float)
        asking = Solid(BOX, half, np.asarray(center) + rng.uniform(-7, 7, 3), random_rotation(rng))
        shape = create_shape(world, asking)
        motion = rng.uniform(-8, 8, 3)
        length = np.linalg.norm(motion)
        own = corners(half, asking.position - center, asking.rotation)
        best, surely, possibly = 1.0, set(), set()
        is_doubtful = False
        for solid in solids:
            other = corners(solid.size, solid.position - center, solid.rotation)
            first, last = entry_of_polytopes(own, asking.rotation.T, other, solid.rotation.T, motion)
            slack = 1e-3 / length
            if first < -slack and last > slack:
                surely.add(solid.body)
            if first < slack and last > -slack:
                possibly.add(solid.body)
            if first > 0.0 and last - first > 3.0 * slack:
                best = min(best, first)
            is_doubtful |= abs(first) < slack or (first > 0.0 and 0.0 < last - first <= 3.0 * slack)
        found = set(queries.intersect_shape(system, shape, transform_of(asking), max_results=99)["body_id"].tolist())
        assert surely <= found <= possibly
        if is_doubtful:
            continue
        safe, unsafe = queries.cast_motion(system, shape, transform_of(asking), motion)
        if best == 1.0:
            assert (safe, unsafe) == (1.0, 1.0)
        else:
            hit_count += 1
            assert safe <= best <= unsafe + 1e-9
            assert (best - safe) * length < 1e-3 and (unsafe - best) * length < 2e-3
    assert hit_count > 15


@pytest.mark.parametrize("center", [(0.0, 0.0, 0.0), FAR_AWAY])
def test_a_cast_sphere_stops_where_sphere_tracing_says(center):
    world, system = new_world()
    solids = random_solids(14, 60, center, spread=8.0)
    for solid in solids:
        place(world, system, solid)
    radius = 0.3
    shape = create_shape(world, Solid(SPHERE, (radius,)))
    queries = Queries(world)
    rng = np.random.default_rng(15)
    hit_count = doubtful = 0
    for _ in range(80):
        start, motion = center + rng.uniform(-9, 9, 3), rng.uniform(-12, 12, 3)
        length = np.linalg.norm(motion)
        best, is_doubtful = 1.0, False
        for solid in solids:
            if abs(front_distance(solid, start)[0] - radius) < 1e-3:
                is_doubtful = True
            if front_distance(solid, start)[0] <= radius:
                continue
            t, least = 0.0, np.inf
            for _ in range(400):
                # Both points: the first one decides which triangles count.
                gap = front_distance(solid, np.array([start, start + min(t, 2.0) * motion]), motion)[1] - radius
                least = min(least, gap)
                if gap < 1e-6 or not t <= 1.0:
                    break
                t += gap / length
            if gap < 1e-6:
                best = min(best, t)
            elif least < 1e-3 and t <= 1.0:
                is_doubtful = True
        doubtful += is_doubtful
        if is_doubtful:
            continue
        safe, unsafe = queries.cast_motion(system, shape, start, motion)
        hit_count += best < 1.0
        assert abs(safe - best) * length < 1e-3 and safe <= best <= unsafe + 1e-6
        assert (unsafe - best) * length < 2e-3
    assert hit_count > 25 and doubtful < 20


grid = st.integers(-4, 4)


@pytest.fixture(scope="module")
def one_box():
    world, system = new_world()
    place(world, system, Solid(BOX, (1, 1, 1)))
    return system, create_shape(world, Solid(BOX, (1, 1, 1))), Queries(world)


@given(position=st.tuples(grid, grid, grid), motion=st.tuples(grid, grid, grid))
@settings(max_examples=300, deadline=None)
def test_boxes_on_a_grid_touch_slide_and_part(one_box, position, motion):
    """Two cubes of side 2 m on a grid of 1 m: all the cases of exact touching."""
    system, shape, queries = one_box
    safe, unsafe = queries.cast_motion(system, shape, position, motion)
    first, last = -np.inf, np.inf
    for p, m in zip(position, motion, strict=True):
        if m == 0:
            t = (-np.inf, np.inf) if abs(p) < 2 else (np.inf, -np.inf)
        else:
            t = sorted(((-2 - p) / m, (2 - p) / m))
        first, last = max(first, t[0]), min(last, t[1])
    is_overlapping_at_start = all(abs(p) < 2 for p in position)
    if is_overlapping_at_start or first >= last or first < 0.0 or first > 1.0 or last <= 0.0:
        assert (safe, unsafe) == (1.0, 1.0)  # also where the cubes brush along a face, an edge or a corner
        return
    length = np.linalg.norm(motion)
    if first == 1.0:  # arrives just touching
        assert safe > 1.0 - 1e-3 / length
        return
    assert safe <= first <= unsafe and (first - safe) * length < 1e-3 and (unsafe - first) * length < 2e-3


@pytest.mark.parametrize("center", [(0.0, 0.0, 0.0), FAR_AWAY])
def test_closest_points(center):
    world, system = new_world()
    solids = random_solids(16, 36, center, spread=1.0)
    queries = Queries(world)
    rng = np.random.default_rng(17)
    inside = 0
    for solid in solids:
        body = place(world, system, solid)
        for point in solid.position + rng.uniform(-3, 3, (20, 3)):
            nearest = queries.closest_point(body, point)
            distance = solid.distance(point)[0]
            if distance < -1e-5:
                inside += 1
                np.testing.assert_array_equal(nearest, point)
            else:
                assert abs(np.linalg.norm(nearest - point) - distance) < 2e-5
                assert abs(solid.distance(nearest)[0]) < 2e-5
    assert inside > 10


def test_closest_point_of_bodies_without_shape_or_system(empty):
    world, system, queries = empty
    body = world.body.create()
    with pytest.raises(ValueError, match="closest_point: the body is in no system"):
        queries.closest_point(body, (1, 2, 3))
    world.body.set_system(body, system)
    assert queries.closest_point(body, (1, 2, 3)).tolist() == [0, 0, 0]
    plane = place(world, system, Solid(PLANE, (0, 1, 0, 2)))
    assert queries.closest_point(plane, (5, 7, 5)).tolist() == [5, 2, 5]
    assert queries.closest_point(plane, (5, -7, 5)).tolist() == [5, -7, 5]


@pytest.mark.parametrize("kind", [SPHERE, CAPSULE, BOX, HULL, CYLINDER, PLANE])
def test_contacts_of_a_sphere(kind):
    world, system = new_world()
    rng = np.random.default_rng(18)
    size = (0, 1, 0, 0) if kind == PLANE else (0.8, 0.9, 1.1)
    solid = Solid(kind, np.float32(size).astype(float), FAR_AWAY, random_rotation(rng))
    body = place(world, system, solid)
    radius, margin = 0.5, 0.05
    shape = create_shape(world, Solid(SPHERE, (radius,)))
    queries = Queries(world)
    seen = 0
    for point in FAR_AWAY + rng.uniform(-1.8, 1.8, (200, 3)):
        distance = solid.distance(point)[0]
        contacts = queries.collide_shape(system, shape, point, margin)
        if distance > radius + margin + 1e-4:
            assert len(contacts) == 0
        if not 0.05 < distance < radius + margin - 1e-4:
            continue
        seen += 1
        assert len(contacts) == 1
        contact = contacts[0]
        assert contact["body_id"] == body and contact["instance"] == 0
        assert contact["depth"] == pytest.approx(radius + margin - distance, abs=2e-4)
        assert abs(solid.distance(contact["other_position"])[0]) < 2e-4
        np.testing.assert_allclose(contact["other_position"] + contact["normal"] * distance, point, atol=1e-3)
        apart = contact["position"] - contact["other_position"]
        np.testing.assert_allclose(apart, -contact["normal"] * contact["depth"], atol=1e-6)
    assert seen > 15


def test_a_box_on_a_box_has_four_contacts(empty):
    world, system, queries = empty
    place(world, system, Solid(BOX, (5, 1, 5)))
    shape = create_shape(world, Solid(BOX, (0.5, 0.5, 0.5)))
    contacts = queries.collide_shape(system, shape, (0.25, 1.4, 0))
    assert len(contacts) == 4
    np.testing.assert_allclose(contacts["normal"], [[0, 1, 0]] * 4, atol=1e-9)
    np.testing.assert_allclose(contacts["depth"], 0.1, atol=1e-6)
    np.testing.assert_allclose(contacts["other_position"][:, 1], 1.0, atol=1e-6)
    assert sorted(np.round(contacts["other_position"][:, 0], 6).tolist()) == [-0.25, -0.25, 0.75, 0.75]
    tilted = [np.cos(0.1), -np.sin(0.1), 0, np.sin(0.1), np.cos(0.1), 0, 0, 0, 1, 0, 1.4, 0]
    all_of_it = queries.collide_shape(system, shape, tilted)
    assert np.ptp(all_of_it["depth"]) > 0.05
    deepest = queries.collide_shape(system, shape, tilted, max_results=1)
    assert len(deepest) == 1 and deepest[0]["depth"] == all_of_it["depth"].max()
    assert len(queries.collide_shape(system, shape, (0.25, 1.4, 0), max_results=0)) == 0


def test_rest_info_is_the_deepest_contact_with_the_others_velocity(empty):
    world, system, queries = empty
    place(world, system, Solid(SPHERE, (1.0,), (0, 0, 0)))
    mover = place(world, system, Solid(SPHERE, (1.0,), (2.2, 0, 0)), RIGID)
    row = world.bodies.rows[world.body.index("", mover)]
    row["linear_velocity"], row["angular_velocity"] = (1, 2, 3), (0, 0, 4)
    shape = create_shape(world, Solid(SPHERE, (0.3,)))
    info = queries.rest_info(system, shape, (1.15, 0, 0))
    assert info["body_id"] == mover
    np.testing.assert_allclose(info["normal"], (-1, 0, 0), atol=1e-9)
    np.testing.assert_allclose(info["other_position"], (1.2, 0, 0), atol=1e-6)
    np.testing.assert_allclose(info["velocity"], (1, 2 - 4, 3), atol=1e-5)
    assert queries.rest_info(system, shape, (0, 5, 0)) is None
    assert queries.rest_info(system, shape, (0, 1.30005, 0)) is not None  # touching
    assert queries.rest_info(system, shape, (1.15, 0, 0), exclude=[mover])["normal"][0] == pytest.approx(1.0)


def test_planes_and_meshes_may_ask(empty):
    world, system, queries = empty
    body = place(world, system, Solid(SPHERE, (0.5,), (0, 2, 0)))
    plane = create_shape(world, Solid(PLANE, (0, 1, 0, 0)))
    square = np.array([[-9, 0, -9], [-9, 0, 9], [9, 0, 9], [9, 0, -9]], dtype=float), np.array([[0, 1, 2], [0, 2, 3]])
    ground = create_shape(world, Solid(MESH, (0,), vertices=square[0], triangles=square[1]))
    for shape in (plane, ground):
        assert len(queries.intersect_shape(system, shape, (0, 1.4, 0))) == 0
        assert queries.intersect_shape(system, shape, (0, 1.6, 0))["body_id"].tolist() == [body]
        safe, unsafe = queries.cast_motion(system, shape, (0, 0, 0), (0, 3, 0))
        assert safe <= 0.5 <= unsafe and unsafe - safe < 1e-3
        assert queries.cast_motion(system, shape, (0, 0, 0), (0, -3, 0)) == (1.0, 1.0)


def test_casts_against_planes_and_one_sided_meshes(empty):
    world, system, queries = empty
    plane = place(world, system, Solid(PLANE, (0, 1, 0, 0), FAR_AWAY))
    capsule = create_shape(world, Solid(CAPSULE, (0.4, 0.6)))
    at = np.array(FAR_AWAY) + (0, 3, 0)
    safe, unsafe = queries.cast_motion(system, capsule, at, (7, -4, 0))
    assert safe == pytest.approx(0.5, abs=1e-3 / 8) and unsafe == pytest.approx(0.5, abs=1e-3 / 4)
    assert safe < 0.5 < unsafe
    assert queries.cast_motion(system, capsule, at, (7, 0, 0)) == (1.0, 1.0)
    assert queries.cast_motion(system, capsule, at - (0, 2.5, 0), (0, -1, 0)) == (1.0, 1.0)  # overlapping: ignored
    assert queries.cast_motion(system, capsule, at - (0, 2.0, 0), (0, -1, 0))[0] == 0.0  # touching
    assert queries.cast_motion(system, capsule, at, (7, -4, 0), exclude=[plane]) == (1.0, 1.0)
    assert queries.cast_motion(system, capsule, at, (7, -4, 0), mask=2) == (1.0, 1.0)
    square = np.array([[-9, 0, -9], [-9, 0, 9], [9, 0, 9], [9, 0, -9]], dtype=float), np.array([[0, 1, 2], [0, 2, 3]])
    place(world, system, Solid(MESH, (0,), vertices=square[0], triangles=square[1]))
    assert queries.cast_motion(system, capsule, (2, 3, 1), (0, -4, 0))[0] == pytest.approx(0.5, abs=1e-3)
    assert queries.cast_motion(system, capsule, (2, -3, 1), (0, 4, 0)) == (1.0, 1.0)  # from behind
    assert queries.cast_motion(system, capsule, (2, 0.9, 1), (3, -4, 0)) == (1.0, 1.0)  # overlapping: ignored
    assert queries.cast_motion(system, capsule, (2, 3, 1), (0, 0, 0)) == (1.0, 1.0)
    assert queries.cast_motion(system, capsule, (2, 3, 1), (0, -4, 0), margin=0.2)[0] == pytest.approx(0.45, abs=1e-3)


def test_scale_of_the_transform_counts(empty):
    world, system, queries = empty
    body = place(world, system, Solid(SPHERE, (0.5,)))
    shape = create_shape(world, Solid(BOX, (0.5, 0.5, 0.5)))
    rows_before = world.shapes.row_count
    wide = [4, 0, 0, 0, 1, 0, 0, 0, 1, 2.4, 0, 0]
    assert queries.intersect_shape(system, shape, wide)["body_id"].tolist() == [body]
    assert len(queries.intersect_shape(system, shape, (2.4, 0, 0))) == 0
    for _ in range(5):
        queries.intersect_shape(system, shape, wide)
        world.shapes.collect()
    assert world.shapes.row_count <= rows_before + 2


def test_areas_and_disabled_shapes(empty):
    world, system, queries = empty
    area = place(world, 0, Solid(SPHERE, (0.5,)))
    row = world.bodies.rows[world.body.index("", area)]
    row["flags"] = int(row["flags"]) | IS_AREA
    world.body.set_system(area, system)
    shape = create_shape(world, Solid(SPHERE, (0.5,)))
    assert len(queries.intersect_shape(system, shape, (0, 0, 0.3))) == 0
    assert len(queries.intersect_shape(system, shape, (0, 0, 0.3), areas=True)) == 1
    assert len(queries.collide_shape(system, shape, (0, 0, 0.3), areas=True)) == 1
    assert queries.cast_motion(system, shape, (3, 0, 0), (-6, 0, 0)) == (1.0, 1.0)
    assert queries.cast_motion(system, shape, (3, 0, 0), (-6, 0, 0), areas=True)[0] < 0.4
    world.body.set_shape_disabled(area, 0, True)
    assert len(queries.intersect_shape(system, shape, (0, 0, 0.3), areas=True)) == 0
    assert queries.cast_motion(system, shape, (3, 0, 0), (-6, 0, 0), areas=True) == (1.0, 1.0)


def test_bad_input_is_named(empty):
    world, system, queries = empty
    shape = create_shape(world, Solid(SPHERE, (0.5,)))
    with pytest.raises(ValueError, match="intersect_shape: transform must be finite, got nan"):
        queries.intersect_shape(system, shape, (0, np.nan, 0))
    with pytest.raises(ValueError, match="intersect_shape: transform must be numbers of shape"):
        queries.intersect_shape(system, shape, (0, 1))
    with pytest.raises(ValueError, match="collide_shape: the basis must span a volume"):
        queries.collide_shape(system, shape, [0] * 12)
    with pytest.raises(ValueError, match="cast_motion: motion must be finite, got inf"):
        queries.cast_motion(system, shape, (0, 0, 0), (np.inf, 0, 0))
    with pytest.raises(ValueError, match="rest_info|collide_shape: margin"):
        queries.collide_shape(system, shape, (0, 0, 0), -1.0)
    with pytest.raises(KeyError, match="intersect_shape: there is no shape"):
        queries.intersect_shape(system, 99, (0, 0, 0))
    unset = world.shape.create(SPHERE)
    assert len(queries.intersect_shape(system, unset, (0, 0, 0))) == 0
