"""Rays, points and bounds by the index of a shape: Godot's rules, and meshes against a look at every triangle."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.geometry.ray import NO_HIT, ray_triangle
from scree.shapes import schema
from scree.shapes.bounds import shape_bounds
from scree.shapes.pool import ShapePool
from scree.shapes.ray import NO_FRACTION, reported_face, point_in_shape, ray_shape


def grid_mesh(n, rng):
    x, z = np.meshgrid(np.linspace(-2, 2, n + 1), np.linspace(-2, 2, n + 1))
    vertices = np.stack((x, rng.normal(size=x.shape) * 0.3, z), axis=-1).reshape(-1, 3).astype(np.float32)
    corner = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    first = np.stack((corner, corner + n + 1, corner + 1), axis=1)
    second = np.stack((corner + 1, corner + n + 1, corner + n + 2), axis=1)
    return vertices, np.concatenate((first, second))


POOL = ShapePool(lambda index, sequence: sequence << 32 | index + 1, capacity=64)
KINDS = (
    schema.SPHERE, schema.BOX, schema.CAPSULE, schema.CYLINDER, schema.HULL, schema.PLANE, schema.MESH, schema.MESH,
    schema.HEIGHT_FIELD, schema.SEPARATION_RAY, schema.HULL,
)  # fmt: skip
SPHERE, BOX, CAPSULE, CYLINDER, HULL, PLANE, MESH, TWO_SIDED, FIELD, SEPARATION, NOTHING = (POOL.create(k) for k in KINDS)
POINTS = np.random.default_rng(0).normal(size=(20, 3)).astype(np.float32)
VERTICES, TRIANGLES = grid_mesh(12, np.random.default_rng(1))
POOL.set_sphere(SPHERE, 0.7)
POOL.set_box(BOX, (0.5, 0.6, 0.7))
POOL.set_capsule(CAPSULE, 0.4, 2.0)
POOL.set_cylinder(CYLINDER, 0.5, 1.5)
POOL.set_hull(HULL, POINTS)
POOL.set_plane(PLANE, (0, 1, 0), 0.5)
POOL.set_mesh(MESH, VERTICES, TRIANGLES)
POOL.set_mesh(TWO_SIDED, VERTICES, TRIANGLES, True)
POOL.set_height_field(FIELD, 4, 5, np.zeros(20))
POOL.set_separation_ray(SEPARATION, 1.0)
ROWS = POOL.rows[:64]
CONVEX = (SPHERE, BOX, CAPSULE, CYLINDER, HULL)


@numba.njit
def cast(rows, index, origin, vector, longest, from_inside, back_faces):
    return ray_shape(rows, index, origin, vector, longest, from_inside, back_faces)


@numba.njit
def contains(rows, index, point):
    return point_in_shape(rows, index, point)


@numba.njit
def bounds_of(rows, index, position, rotation):
    return shape_bounds(rows, index, position, rotation)


def ray(index, origin, vector, longest=1.0, from_inside=False, back_faces=False):
    return cast(ROWS, index, tuple(map(float, origin)), tuple(map(float, vector)), longest, from_inside, back_faces)


@pytest.mark.parametrize("index", CONVEX)
def test_convex(index):
    fraction, normal, face, inside = ray(index, (0.01, 5, 0.02), (0, -10, 0))
    assert 0.3 < fraction < 0.5 and normal[1] > 0.0 and face == -1 and not inside
    assert ray(index, (0.01, 5, 0.02), (0, -10, 0), longest=0.3)[0] == NO_FRACTION
    assert ray(index, (0.01, 5, 0.02), (0, 10, 0))[0] == NO_FRACTION
    assert ray(index, (0.01, 5, 0.02), (0, 0, 0))[0] == NO_FRACTION
    assert ray(index, (5, 5, 5), (0, -10, 0))[0] == NO_FRACTION


@pytest.mark.parametrize("index", (*CONVEX, PLANE))
def test_start_inside(index):
    assert ray(index, (0, 0, 0), (0, -10, 0), from_inside=True) == (0.0, (0.0, 0.0, 0.0), -1, True)
    assert ray(index, (0, 0, 0), (0, -10, 0))[0] == NO_FRACTION


@pytest.mark.parametrize("index", (SEPARATION, NOTHING))
def test_what_is_never_hit(index):
    assert ray(index, (0, 0, -1), (0, 0, 5), from_inside=True)[0] == NO_FRACTION
    assert not contains(ROWS, index, (0.0, 0.0, 0.5))


def test_plane():
    fraction, normal, _, _ = ray(PLANE, (100, 2.5, 7), (0, -4, 0))
    assert fraction == pytest.approx(0.5) and normal == (0.0, 1.0, 0.0)
    assert contains(ROWS, PLANE, (1e6, 0.4, 0.0)) and not contains(ROWS, PLANE, (0.0, 0.6, 0.0))


def naive_mesh_ray(origin, vector, from_behind):
    """Twin: every triangle of the user's."""
    best, face = NO_FRACTION, -1
    for number, corners in enumerate(VERTICES[TRIANGLES].astype(np.float64)):
        fraction, is_front = ray_triangle(origin, vector, *(tuple(c) for c in corners))
        if fraction != NO_HIT and fraction <= 1.0 and fraction < best and (is_front or from_behind):
            best, face = fraction, number
    return best, face


coordinate = st.floats(-3, 3).map(lambda x: round(x, 2))


@settings(max_examples=200, deadline=None)
@given(st.tuples(coordinate, coordinate, coordinate), st.tuples(coordinate, coordinate, coordinate), st.booleans())
def test_mesh(origin, target, back_faces):
    vector = tuple(np.subtract(target, origin).tolist())
    if not any(vector):
        return
    for index in (MESH, TWO_SIDED):
        fraction, normal, face, inside = ray(index, origin, vector, back_faces=back_faces)
        expected, expected_face = naive_mesh_ray(origin, vector, back_faces and index == TWO_SIDED)
        assert fraction == pytest.approx(expected, rel=1e-12) and not inside
        if face != expected_face:  # an edge belongs to two
            assert set(TRIANGLES[face]) & set(TRIANGLES[expected_face])
        if face >= 0:
            assert np.dot(normal, vector) <= 0.0 and np.linalg.norm(normal) == pytest.approx(1.0)


def test_a_ray_along_an_axis_through_vertices_and_edges_hits():
    for x, _, z in VERTICES:
        if abs(x) < 2 and abs(z) < 2:
            assert ray(MESH, (x, 5, z), (0, -10, 0))[0] < 1.0


@numba.njit
def told(rows, index, face):
    return reported_face(rows[index], face)


def test_height_field_is_hit_from_behind_and_tells_its_triangle_but_to_no_user():
    # The first triangle of cell (1, 2), of three cells a row.
    assert ray(FIELD, (0.2, 1, 0.2), (0, -2, 0))[::2] == (pytest.approx(0.5), 2 * (2 * 3 + 1))
    assert told(ROWS, FIELD, 14) == -1 and told(ROWS, MESH, 14) == 14
    assert ray(FIELD, (0.2, -1, 0.2), (0, 2, 0))[0] == NO_FRACTION
    fraction, normal, face, _ = ray(FIELD, (0.2, -1, 0.2), (0, 2, 0), back_faces=True)
    assert fraction == pytest.approx(0.5) and normal == (0.0, -1.0, 0.0) and face == 14
    assert ray(FIELD, (1.6, 1, 0), (0, -2, 0))[0] == NO_FRACTION
    assert ray(FIELD, (1.4, 1, 1.9), (0, -2, 0))[0] == pytest.approx(0.5)


def test_a_hole_in_a_height_field_lets_rays_through():
    heights = np.zeros(25)
    heights[12] = np.nan
    index = POOL.create(schema.HEIGHT_FIELD)
    POOL.set_height_field(index, 5, 5, heights)
    assert ray(index, (0.1, 1, 0.1), (0, -2, 0))[0] == NO_FRACTION
    assert ray(index, (1.4, 1, 1.4), (0, -2, 0))[0] == pytest.approx(0.5)


@settings(max_examples=200, deadline=None)
@given(st.tuples(coordinate, coordinate, coordinate))
def test_a_point_is_inside_where_a_ray_starts_inside(point):
    for index in (*CONVEX, PLANE):
        started_inside = ray(index, point, (0.3, 1.0, 0.2))[3]
        if contains(ROWS, index, point) != started_inside:  # only on the surface
            near = [contains(ROWS, index, tuple((np.array(point) + d).tolist())) for d in np.eye(3) * 1e-6]
            near += [contains(ROWS, index, tuple((np.array(point) - d).tolist())) for d in np.eye(3) * 1e-6]
            assert not all(near)
    assert not contains(ROWS, MESH, point)


quaternions = st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1)


def matrix_of(q):
    x, y, z, w = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def surface_points(index):
    """Many points on the surface of a shape, the extreme ones among them."""
    row = POOL.rows[index]
    angle = np.linspace(0, 2 * np.pi, 721)
    if index == HULL:
        return POINTS.astype(np.float64)
    if index == BOX:
        return np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * row["half_extents"]
    ring = np.column_stack((np.cos(angle), 0 * angle, np.sin(angle))) * row["radius"]
    if index == CYLINDER:
        return np.concatenate((ring + [0, row["half_height"], 0], ring - [0, row["half_height"], 0]))
    latitude = np.linspace(-np.pi / 2, np.pi / 2, 181)
    ball = np.array([[np.cos(a) * np.cos(y), np.sin(y), np.sin(a) * np.cos(y)] for a in angle[::8] for y in latitude])
    ball *= row["radius"]
    return np.concatenate((ball + [0, row["half_height"], 0], ball - [0, row["half_height"], 0]))


@settings(max_examples=25, deadline=None)
@given(quaternions, st.tuples(coordinate, coordinate, coordinate))
def test_bounds_are_exact(q, position):
    q = tuple((np.array(q) / np.linalg.norm(q)).tolist())
    for index in CONVEX:
        bounds = bounds_of(ROWS, index, position, q)
        points = surface_points(index) @ matrix_of(q).T + position
        np.testing.assert_allclose(bounds, [*points.min(axis=0), *points.max(axis=0)], atol=1e-3)
    bounds = bounds_of(ROWS, MESH, position, q)
    points = VERTICES @ matrix_of(q).T + position
    assert (np.array(bounds[:3]) <= points.min(axis=0) + 1e-6).all()
    assert (np.array(bounds[3:]) >= points.max(axis=0) - 1e-6).all()
    assert bounds_of(ROWS, PLANE, position, q) == (-1e30,) * 3 + (1e30,) * 3
    assert bounds_of(ROWS, NOTHING, position, q) == position + position
