"""Manifolds and distances of convex shapes against the naive twins in `oracle`."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from scree.collision.distance import shape_distance

from .bodies import IDENTITY, ORIGIN, Shapes, lengths, normalized, offsets, quaternions
from .oracle import signed_distance, surface_distance

LIMIT = 0.02
relaxed = settings(deadline=None, suppress_health_check=list(HealthCheck))


def make_library(seed, scale=1.0):
    """Spheres, capsules, boxes and hulls of all proportions, of about the size `scale` [m]."""
    rng = np.random.default_rng(seed)
    shapes, rows = Shapes(), []
    for _ in range(8):
        size = scale * 10 ** rng.uniform(-1, 0)
        rows.append(shapes.sphere(size))
        rows.append(shapes.capsule(size * 10 ** rng.uniform(-1, 0), size))
        rows.append(shapes.box(size * 10 ** rng.uniform(-1, 0, 3)))
        rows.append(shapes.hull(rng.normal(size=(rng.integers(4, 24), 3)) * size * 10 ** rng.uniform(-1, 0, 3)))
    return shapes, rows


@pytest.fixture(scope="module")
def library():
    return make_library(7)


def check_pair(shapes, a, position_a, qa, b, position_b, qb, scale=1.0, limit=LIMIT):
    """All that a collision of two convex shapes must fulfil."""
    core_a, radius_a = shapes.world_core(a, position_a, qa)
    core_b, radius_b = shapes.world_core(b, position_b, qb)
    truth = signed_distance(core_a, core_b) - radius_a - radius_b
    distance, on_a, on_b, normal = shape_distance(shapes.rows, a, position_a, qa, b, position_b, qb)
    assert distance == pytest.approx(truth, abs=2e-6 * scale)
    np.testing.assert_allclose(np.asarray(on_b) - on_a, np.multiply(normal, distance), atol=2e-6 * scale)
    assert abs(surface_distance(core_a, radius_a, on_a)) < 1e-5 * scale
    assert abs(surface_distance(core_b, radius_b, on_b)) < 1e-5 * scale

    manifolds, cache = shapes.collide(a, position_a, qa, b, position_b, qb, limit)
    # Faces come before edges, and four points before one, up to twice the tolerance of axes (1 mm): box_box.AXIS_TOLERANCE.
    tolerance = 2.1e-3 * min(scale, 1.0) + 2e-3 * scale * (truth < -0.5 * scale)
    if truth > limit + 1e-6 * scale:
        assert manifolds == [] or manifolds[0].deepest > limit - 0.03 * limit
        return
    if truth > limit - 0.03 * limit and not manifolds:
        return
    (manifold,) = manifolds
    assert 1 <= len(manifold.points) <= 4
    assert np.linalg.norm(manifold.normal) == pytest.approx(1.0, abs=1e-9)
    assert manifold.deepest == pytest.approx(truth, abs=tolerance)
    assert manifold.face == -1
    assert (manifold.separations <= limit + 1e-9).all()
    for point, separation in zip(manifold.points, manifold.separations, strict=True):
        half = 0.5 * separation * manifold.normal
        assert abs(surface_distance(core_a, radius_a, point - half)) < 1e-3 * scale
        assert abs(surface_distance(core_b, radius_b, point + half)) < 1e-3 * scale

    # The other way round it is as deep; from last step's axis too.
    swapped, _ = shapes.collide(b, position_b, qb, a, position_a, qa, limit)
    assert swapped[0].deepest == pytest.approx(manifold.deepest, abs=2 * tolerance)
    again, _ = shapes.collide(a, position_a, qa, b, position_b, qb, limit, cache)
    assert again[0].deepest == pytest.approx(manifold.deepest, abs=2 * tolerance)


def random_pair(rng, shapes, rows):
    """Two shapes, poses: mostly near touching along a random or a common axis, some with like centres."""
    a, b = (int(row) for row in rng.choice(rows, 2))
    qa, qb = (normalized(rng.integers(-1, 2, 4) if rng.random() < 0.3 else rng.normal(size=4)) for _ in range(2))
    core_a, radius_a = shapes.world_core(a, ORIGIN, qa)
    core_b, radius_b = shapes.world_core(b, ORIGIN, qb)
    direction = rng.normal(size=3) if rng.random() < 0.7 else np.eye(3)[rng.integers(3)]
    direction /= np.linalg.norm(direction)
    reach = (core_a @ direction).max() - (core_b @ direction).min() + radius_a + radius_b
    gap = rng.choice([rng.uniform(-0.02, 0.03), 0.0, rng.uniform(-0.3, 0.0), -reach])
    position_a = tuple(rng.normal(size=3) * 3)
    position_b = tuple(np.asarray(position_a) + direction * (reach + gap) + rng.normal(size=3) * rng.choice([0.0, 0.1]))
    return a, position_a, qa, b, position_b, qb


@pytest.mark.parametrize("seed", range(4))
def test_random_pairs(library, seed):
    shapes, rows = library
    rng = np.random.default_rng(seed)
    for _ in range(250):
        check_pair(shapes, *random_pair(rng, shapes, rows))


@pytest.mark.parametrize("scale", [0.01, 0.1, 10.0, 100.0])
def test_scales(scale):
    shapes, rows = make_library(3, scale)
    rng = np.random.default_rng(5)
    for _ in range(60):
        a, pa, qa, b, pb, qb = random_pair(rng, shapes, rows)
        check_pair(shapes, a, pa, qa, b, pb, qb, scale, limit=LIMIT * scale)


@relaxed
@given(st.tuples(lengths, lengths, lengths), st.tuples(lengths, lengths, lengths), quaternions, quaternions, offsets)
def test_boxes_of_any_shape(extents_a, extents_b, qa, qb, offset):
    shapes = Shapes()
    check_pair(shapes, shapes.box(extents_a), ORIGIN, qa, shapes.box(extents_b), offset, qb)


@relaxed
@given(st.lists(st.tuples(lengths, lengths, lengths), min_size=4, max_size=12), lengths, lengths, quaternions, offsets)
def test_hulls_and_round_shapes(points, radius, half_height, q, offset):
    # Deep in a capsule, a contact of a flat hull lies up to 1.5 cm beside the surface: not good enough, and not tested here.
    assume(np.linalg.matrix_rank(np.subtract(points, points[0]), tol=1e-2) == 3)
    shapes = Shapes()
    hull = shapes.hull(np.asarray(points))
    for other in (shapes.sphere(radius), shapes.capsule(radius, half_height), shapes.box((radius, half_height, 0.3))):
        check_pair(shapes, hull, ORIGIN, IDENTITY, other, offset, q)


def test_a_needle_deep_inside_a_capsule():
    shapes = Shapes()
    needle = shapes.hull(np.array([(1.0, 1.0, 1.0)] * 3 + [(0.5, 0.5, 1.0)]))
    turned = normalized((-1.0, -1.0, -1.0, -1.0))
    check_pair(shapes, needle, ORIGIN, IDENTITY, shapes.capsule(1.0, 1.0), (0.5, 0.5, 0.0), turned)


def test_a_box_rests_on_a_box_in_four_points():
    shapes = Shapes()
    box, floor = shapes.box((0.5, 0.5, 0.5)), shapes.box((5.0, 0.5, 5.0))
    (manifold,), _ = shapes.collide(box, (0.2, 0.999, 0.1), IDENTITY, floor, ORIGIN, IDENTITY)
    assert len(manifold.points) == 4
    np.testing.assert_allclose(manifold.normal, (0.0, -1.0, 0.0), atol=1e-9)
    np.testing.assert_allclose(manifold.separations, -0.001, atol=1e-7)
    np.testing.assert_allclose(sorted(manifold.points[:, 0]), (-0.3, -0.3, 0.7, 0.7), atol=1e-6)
    assert len(set(manifold.features.tolist())) == 4


@pytest.mark.parametrize("other", ["box", "hull"])
def test_features_stay_while_a_box_creeps(other):
    """Contact points of a pair that moves a little keep their features, whatever the rounding errors are."""
    shapes = Shapes()
    box = shapes.box((0.5, 0.5, 0.5))
    corners = np.array([[x, y, z] for x in (-5, 5) for y in (-0.5, 0.5) for z in (-5, 5)])
    floor = shapes.box((5.0, 0.5, 5.0)) if other == "box" else shapes.hull(corners)
    rng = np.random.default_rng(2)
    names, cache, changes = None, 0, 0
    for step in range(50):
        tilt = normalized((*rng.uniform(-1e-4, 1e-4, 3), 1.0))
        position = (0.001 * step, 0.998 + rng.uniform(-1e-3, 1e-3), 0.0)
        (manifold,), cache = shapes.collide(box, position, tilt, floor, ORIGIN, IDENTITY, LIMIT, cache)
        now = set(manifold.features.tolist())
        assert len(now) == 4
        changes += names is not None and now != names
        names = now
    assert changes <= 1  # the reference face may change once, and then last step's axis holds it


def test_capsules_side_by_side_touch_in_two_points():
    shapes = Shapes()
    capsule = shapes.capsule(0.3, 0.8)
    (manifold,), _ = shapes.collide(capsule, ORIGIN, IDENTITY, capsule, (0.59, 0.5, 0.0), IDENTITY)
    np.testing.assert_allclose(sorted(manifold.points[:, 1]), (-0.3, 0.8), atol=1e-6)
    np.testing.assert_allclose(manifold.normal, (1.0, 0.0, 0.0), atol=1e-9)
    np.testing.assert_allclose(manifold.separations, -0.01, atol=1e-6)


@pytest.mark.parametrize("kind", ["box", "hull"])
def test_a_capsule_lies_on_a_face_in_two_points(kind):
    shapes = Shapes()
    capsule = shapes.capsule(0.3, 0.8)
    corners = np.array([[x, y, z] for x in (-2, 2) for y in (-0.5, 0.5) for z in (-2, 2)])
    floor = shapes.box((2.0, 0.5, 2.0)) if kind == "box" else shapes.hull(corners)
    lying = normalized((0.0, 0.0, 1.0, 1.0))
    (manifold,), _ = shapes.collide(capsule, (1.5, 0.795, 0.0), lying, floor, ORIGIN, IDENTITY)
    np.testing.assert_allclose(sorted(manifold.points[:, 0]), (0.7, 2.0), atol=1e-6)
    np.testing.assert_allclose(manifold.separations, -0.005, atol=1e-6)


def test_like_centres_part_along_the_shortest_way():
    shapes = Shapes()
    sphere, capsule, box = shapes.sphere(0.5), shapes.capsule(0.2, 0.5), shapes.box((0.3, 0.2, 0.4))
    hull = shapes.hull(np.array([[x, y, z] for x in (-0.3, 0.3) for y in (-0.2, 0.2) for z in (-0.4, 0.4)]))
    expected = {
        (sphere, sphere): -1.0, (sphere, capsule): -0.7, (capsule, capsule): -0.4, (sphere, box): -0.7,
        (sphere, hull): -0.7, (box, box): -0.4, (hull, hull): -0.4, (box, hull): -0.4, (capsule, box): -0.5,
    }  # fmt: skip
    for (a, b), depth in expected.items():
        (manifold,), _ = shapes.collide(a, ORIGIN, IDENTITY, b, ORIGIN, IDENTITY)
        assert manifold.deepest == pytest.approx(depth, abs=2e-3), (a, b)
        assert np.linalg.norm(manifold.normal) == pytest.approx(1.0)


def test_a_separated_pair_is_told_by_last_steps_axis():
    shapes = Shapes()
    box = shapes.box((0.5, 0.5, 0.5))
    turned = normalized((0.1, 0.2, 0.3, 1.0))
    manifolds, cache = shapes.collide(box, ORIGIN, turned, box, (1.6, 0.1, 0.0), IDENTITY)
    assert manifolds == [] and cache != 0
    again, same = shapes.collide(box, ORIGIN, turned, box, (1.6, 0.1, 0.0), IDENTITY, cache=cache)
    assert again == [] and same == cache


def blunt_stone(rng):
    """Corners of a stone of some 0.5 m, each of whose faces is three that are nearly coplanar."""
    corners = rng.normal(size=(12, 3))
    corners *= rng.uniform(0.3, 0.6, 3) / np.linalg.norm(corners, axis=1, keepdims=True)
    hull = ConvexHull(corners)
    return np.concatenate((corners, corners[hull.simplices].mean(axis=1) + 1e-3 * hull.equations[:, :3]))


@pytest.mark.parametrize("seed", range(6))
def test_the_face_of_an_earlier_step_never_hides_an_overlap(seed):
    """Stones some centimetres deep in each other are told as deep as they are, whichever face parted them last."""
    rng, shapes = np.random.default_rng(seed), Shapes()
    a, b = shapes.hull(blunt_stone(rng)), shapes.hull(blunt_stone(rng))
    for _ in range(40):
        qa, qb = rng.normal(size=(2, 4))
        qa, qb = qa / np.linalg.norm(qa), qb / np.linalg.norm(qb)
        core_a, core_b = shapes.world_core(a, ORIGIN, qa)[0], shapes.world_core(b, ORIGIN, qb)[0]
        direction = rng.normal(size=3)
        direction /= np.linalg.norm(direction)
        touching = (core_a @ direction).max() - (core_b @ direction).min()
        position = (touching - 0.08) * direction
        truth = signed_distance(core_a, core_b + position)
        if truth > -0.005:
            continue
        for kind in (1, 2):
            for face in range(64):
                (manifold,), _ = shapes.collide(a, ORIGIN, qa, b, position, qb, LIMIT, kind << 28 | face << 14)
                assert manifold.deepest == pytest.approx(truth, abs=4e-3)


@pytest.mark.parametrize("kind", ["box", "hull"])
@pytest.mark.parametrize("degrees", [-4.0, -2.5, -1.0, 1.0, 2.5, 4.0])
def test_an_edge_that_lies_across_a_face_touches_it_in_two_points(kind, degrees):
    """A bar across another, on an edge and leaning a little: on one point it would rock for ever."""
    shapes = Shapes()
    signs = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    lower, upper = (
        (shapes.box((0.21, 0.08, 0.08)), shapes.box((0.08, 0.08, 0.21))) if kind == "box"
        else (shapes.hull(signs * (0.21, 0.08, 0.08)), shapes.hull(signs * (0.08, 0.08, 0.21)))
    )  # fmt: skip
    on_edge, lean = (0.0, 0.0, np.sin(np.pi / 8), np.cos(np.pi / 8)), np.radians(degrees) / 2.0
    leaning = (on_edge[3] * np.sin(lean), on_edge[2] * -np.sin(lean), on_edge[2] * np.cos(lean), on_edge[3] * np.cos(lean))
    height = 0.08 + 0.08 * np.sqrt(2.0) * np.cos(2 * lean) - 0.002
    (manifold,), _ = shapes.collide(lower, ORIGIN, IDENTITY, upper, (0.0, height, 0.0), leaning, LIMIT)
    assert len(manifold.points) == 2
    assert np.ptp(manifold.points[:, 2]) > 0.12
