"""Hulls against scipy's Qhull, and against what every closed convex polyhedron fulfils."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from scree.geometry import hull_building
from scree.geometry.hull_building import TOLERANCE, convex_hull
from scree.geometry.mass import polyhedron_mass

CUBE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)


def random_rotation(rng):
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return q if np.linalg.det(q) > 0 else -q


def polygons(hull):
    return [hull.face_vertices[a:b] for a, b in zip(hull.face_starts[:-1], hull.face_starts[1:], strict=True)]


def assert_is_hull(hull, points, slack=1.0):
    """Closed, convex, around all points, with consistent edges; `slack` widens the tolerance."""
    points = np.asarray(points, dtype=np.float64)
    side = max(np.ptp(points, axis=0).max(), 1e-3)
    tolerance = slack * 3.0 * TOLERANCE * side + 1e-6 * np.abs(points).max()
    faces = polygons(hull)
    assert len(hull.vertices) - len(hull.edges) + len(faces) == 2
    normals, distances = hull.planes[:, :3].astype(np.float64), hull.planes[:, 3].astype(np.float64)
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-6)
    assert (points @ normals.T - distances).max() <= tolerance
    directed = {}
    for number, face in enumerate(faces):
        assert len(set(face.tolist())) == len(face) >= 3
        corners = hull.vertices[face].astype(np.float64)
        heights = corners @ normals[number] - distances[number]
        assert np.abs(heights).max() <= tolerance
        sides = np.roll(corners, -1, axis=0) - corners
        turns = np.cross(sides, np.roll(sides, -1, axis=0)) @ normals[number]
        lengths = np.linalg.norm(sides, axis=1)
        assert (turns > -1e-6 * side * np.maximum(lengths, np.roll(lengths, -1))).all(), "a face is not convex"
        for a, b in zip(face.tolist(), np.roll(face, -1).tolist(), strict=True):
            assert (a, b) not in directed
            directed[a, b] = number
    assert len(directed) == 2 * len(hull.edges)
    for a, b, left, right in hull.edges.tolist():
        assert directed[a, b] == left and directed[b, a] == right
    volume, center, _ = polyhedron_mass(hull.vertices, hull.face_starts, hull.face_vertices)
    assert volume > 0.0
    assert (center @ normals.T < distances).all()


def test_cube_has_six_squares():
    hull = convex_hull(CUBE)
    assert len(hull.vertices) == 8 and len(hull.edges) == 12
    assert np.diff(hull.face_starts).tolist() == [4] * 6
    assert_is_hull(hull, CUBE)


@pytest.mark.parametrize("seed", range(20))
def test_turned_box_with_points_all_over_its_faces(seed):
    rng = np.random.default_rng(seed)
    inside = rng.uniform(-1, 1, (200, 3))
    inside[np.arange(200), rng.integers(0, 3, 200)] = rng.choice([-1.0, 1.0], 200)
    points = np.concatenate((CUBE, inside)) * rng.uniform(0.01, 10, 3) @ random_rotation(rng).T + rng.normal(size=3)
    hull = convex_hull(points)
    assert len(hull.vertices) == 8 and np.diff(hull.face_starts).tolist() == [4] * 6
    assert_is_hull(hull, points)


def clouds(rng):
    """Kinds of nasty input, each with a name."""
    sphere = rng.normal(size=(120, 3))
    sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
    angle = rng.uniform(0, 2 * np.pi, 60)
    ring = np.column_stack((np.cos(angle), rng.choice([-1.0, 1.0], 60), np.sin(angle)))
    yield "gaussian", rng.normal(size=(100, 3))
    yield "sphere", sphere
    yield "cylinder", ring
    yield "cone", np.concatenate((ring * [1, 0, 1], [[0, 2, 0]]))
    yield "integers", rng.integers(-3, 4, (80, 3)).astype(float)
    yield "needle", rng.normal(size=(50, 3)) * [1.0, 1e-3, 1e-3]
    yield "plate", rng.normal(size=(50, 3)) * [1.0, 1.0, 1e-3]
    yield "duplicates", np.repeat(rng.normal(size=(7, 3)), 9, axis=0)
    yield "clusters", np.repeat(rng.normal(size=(9, 3)), 9, axis=0) + rng.normal(size=(81, 3)) * 1e-6
    yield "noisy cube", np.repeat(CUBE, 8, axis=0) + rng.uniform(-1e-5, 1e-5, (64, 3))
    yield "far away", rng.normal(size=(40, 3)) + 1000.0
    lattice = np.stack(np.meshgrid(*[np.arange(6.0)] * 3), axis=-1).reshape(-1, 3)
    yield "lattice", lattice
    yield "noisy lattice", lattice + rng.normal(size=lattice.shape) * 2e-4


@pytest.mark.parametrize("seed", range(12))
def test_volume_is_that_of_qhull(seed):
    rng = np.random.default_rng(seed)
    for name, cloud in clouds(rng):
        for size in (0.01, 1.0, 100.0):
            points = (cloud @ random_rotation(rng).T * size).astype(np.float32)
            hull = convex_hull(points)
            assert_is_hull(hull, points)
            exact = ConvexHull(points.astype(np.float64), qhull_options="QJ" if name == "far away" else "Qt")
            volume = polyhedron_mass(hull.vertices, hull.face_starts, hull.face_vertices)[0]
            side = np.ptp(points, axis=0).max()
            assert abs(volume - exact.volume) <= 3.0 * TOLERANCE * side * exact.area + 1e-12, name


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(*[st.integers(-4, 4)] * 3), min_size=1, max_size=40),
    st.tuples(*[st.sampled_from([0.0, 1e-7, 1e-5, 1e-4, 1e-3, 0.3, 1.0])] * 3),
    st.sampled_from([0.01, 1.0, 100.0]),
    st.integers(0, 1000),
)
def test_any_points_make_a_solid_hull(points, squash, size, seed):
    rng = np.random.default_rng(seed)
    points = (np.array(points, dtype=np.float64) * squash @ random_rotation(rng).T * size).astype(np.float32)
    hull = convex_hull(points)
    assert_is_hull(hull, points, slack=2.0)


def test_flat_input_is_grown():
    point = convex_hull([[1.0, 2.0, 3.0]])
    assert_is_hull(point, [[1.0, 2.0, 3.0]])
    line = convex_hull([[0.0, 0, 0], [1, 2, 3], [2, 4, 6]])
    assert_is_hull(line, [[0.0, 0, 0], [2, 4, 6]])
    square = convex_hull([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    assert len(square.vertices) == 8
    assert 1e-4 <= np.ptp(square.vertices, axis=0)[2] <= 1e-2


def test_too_many_vertices_are_reduced_to_those_that_stand_out():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(5000, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    hull = convex_hull(points)
    assert len(hull.vertices) <= 256
    assert (points @ hull.planes[:, :3].T - hull.planes[:, 3]).max() < 0.03
    assert_is_hull(hull, hull.vertices)
    small = convex_hull(points, max_vertices=12)
    assert 4 <= len(small.vertices) <= 12
    assert_is_hull(small, small.vertices)


def test_bad_input_is_named():
    for points in ([], [[1.0, 2.0]], [[0.0, np.nan, 0.0]], [[np.inf, 0.0, 0.0]]):
        with pytest.raises(ValueError, match="convex_hull: points"):
            convex_hull(points)
    with pytest.raises(ValueError, match="max_vertices"):
        convex_hull(CUBE, max_vertices=3)
    with pytest.raises(ValueError, match="tolerance"):
        convex_hull(CUBE, tolerance=-1.0)


@pytest.mark.parametrize("count, is_cut", [(200, False), (5000, True)])
def test_what_a_limit_on_vertices_leaves_out_is_told(count, is_cut):
    """The farthest point on a unit sphere lies so far above the nearest face of the hull."""
    points = np.random.default_rng(4).normal(size=(count, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    hull = convex_hull(points)
    above = (points @ hull.planes[:, :3].T - hull.planes[:, 3]).max()
    assert (hull.left_out > 0.0) == is_cut
    assert above == pytest.approx(hull.left_out, abs=2.0 * TOLERANCE * 2.0)


def test_32_points_take_less_than_a_millisecond():
    points = np.random.default_rng(0).normal(size=(32, 3))
    convex_hull(points)
    times = []
    for _ in range(20):
        start = time.thread_time()
        convex_hull(points)
        times.append(time.thread_time() - start)
    assert min(times) < 1e-3


def test_the_orientation_test_cannot_overflow():
    limit = float(hull_building.GRID)
    assert 6.0 * limit**3 < 2.0**63


@pytest.mark.parametrize("seed", range(40))
def test_needles_and_plates_lose_nothing(seed):
    rng = np.random.default_rng(seed)
    shape = 10.0 ** rng.uniform(-5, 0, 3)
    points = rng.normal(size=(rng.integers(5, 200), 3)) * shape @ random_rotation(rng).T
    points = (points * 10.0 ** rng.uniform(-1, 2)).astype(np.float32)
    assert_is_hull(convex_hull(points), points)
