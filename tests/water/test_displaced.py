"""Volume and centroid of what is below a plane, beside the convex hull of the points that are left below it."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull, Delaunay

from scree.shapes import schema
from scree.shapes.pool import ShapePool
from scree.water.displaced import displaced

POOL = ShapePool(lambda index, sequence: sequence << 32 | index + 1, capacity=64)
BOX, HULL, SPHERE, CAPSULE, CYLINDER = (
    POOL.create(kind) for kind in (schema.BOX, schema.HULL, schema.SPHERE, schema.CAPSULE, schema.CYLINDER)
)
CLOUD = np.random.default_rng(3).normal(size=(24, 3)).astype(np.float32) * (1.0, 0.5, 0.7) + (0.3, -0.2, 0.1)
POOL.set_box(BOX, (0.5, 0.2, 0.8))
POOL.set_hull(HULL, CLOUD.astype(np.float32))
POOL.set_sphere(SPHERE, 0.7)
POOL.set_capsule(CAPSULE, 0.3, 1.6)
POOL.set_cylinder(CYLINDER, 0.5, 1.2)
NORMALS = st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda v: np.linalg.norm(v) > 0.1)


@numba.njit
def below(rows, index, normal, distance):
    return displaced(rows[index], normal, distance)


def corners(half) -> np.ndarray:
    return np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half


def globe(count: int) -> np.ndarray:
    """Directions all over a sphere (Fibonacci's lattice)."""
    k = np.arange(count) + 0.5
    height, turn = 1.0 - 2.0 * k / count, np.pi * (1.0 + 5.0**0.5) * k
    across = np.sqrt(1.0 - height * height)
    return np.stack((across * np.cos(turn), height, across * np.sin(turn)), axis=1)


def rim(radius: float, height: float, count: int = 80) -> np.ndarray:
    turn = 2.0 * np.pi * np.arange(count) / count
    return np.stack((radius * np.cos(turn), np.full(count, height), radius * np.sin(turn)), axis=1)


SURFACES = {
    BOX: corners((0.5, 0.2, 0.8)),
    HULL: CLOUD[ConvexHull(CLOUD).vertices],
    SPHERE: 0.7 * globe(500),
    CAPSULE: np.concatenate([0.3 * globe(300) + (0.0, side * 0.5, 0.0) for side in (-1.0, 1.0)]),
    CYLINDER: np.concatenate([rim(0.5, 0.6), rim(0.5, -0.6)]),
}
"""Points whose convex hull is the shape, or nearly so."""
TOLERANCE = {BOX: 1e-5, HULL: 1e-5, SPHERE: 0.012, CAPSULE: 0.015, CYLINDER: 0.01}
"""Allowed errors, as parts of the volume, and of the size for centroids."""


def twin(points: np.ndarray, normal: np.ndarray, distance: float) -> tuple[float, np.ndarray]:
    """The part below the plane is the hull of the points below it and of all lines from points below to points above."""
    heights = points @ normal - distance
    low, high = points[heights < 0.0], points[heights >= 0.0]
    if len(low) == 0:
        return 0.0, np.zeros(3)
    if len(low) > 60:  # only lines along edges matter, and there are many points
        hull = ConvexHull(points)
        edges = np.unique(np.sort(np.concatenate([hull.simplices[:, pair] for pair in ((0, 1), (1, 2), (2, 0))]), axis=1), axis=0)
        edges = edges[(heights[edges[:, 0]] < 0.0) != (heights[edges[:, 1]] < 0.0)]
        a, b, ha, hb = points[edges[:, 0]], points[edges[:, 1]], heights[edges[:, 0]], heights[edges[:, 1]]
        cuts = a + (b - a) * (ha / (ha - hb))[:, None]
    else:
        low_heights, high_heights = heights[heights < 0.0], heights[heights >= 0.0]
        part = low_heights[:, None] / (low_heights[:, None] - high_heights[None, :])
        cuts = (low[:, None] + (high[None] - low[:, None]) * part[..., None]).reshape(-1, 3)
    tetrahedra = Delaunay(np.concatenate((low, cuts)), qhull_options="QJ").simplices
    t = np.concatenate((low, cuts))[tetrahedra]
    volumes = np.abs(np.linalg.det(t[:, 1:] - t[:, :1])) / 6.0
    return float(volumes.sum()), (volumes[:, None] * t.mean(axis=1)).sum(axis=0)


@pytest.mark.parametrize("shape", [BOX, HULL, SPHERE, CAPSULE, CYLINDER], ids=["box", "hull", "sphere", "capsule", "cylinder"])
@given(direction=NORMALS, part=st.floats(-1.0, 1.0))
@settings(max_examples=25, deadline=None)
def test_what_is_below_a_plane(shape, direction, part):
    normal, points = np.asarray(direction) / np.linalg.norm(direction), SURFACES[shape]
    heights = points @ normal
    middle, reach = 0.5 * (heights.max() + heights.min()), 0.5 * (heights.max() - heights.min())
    distance = middle + 0.95 * part * reach
    volume, moment = below(POOL.rows[:64], shape, tuple(normal), distance)
    whole = float(POOL.rows[shape]["volume"])
    share = whole / ConvexHull(points).volume  # the points of a round shape are on its surface: their hull is smaller
    expected, expected_moment = (share * value for value in twin(points, normal, distance))
    assert volume == pytest.approx(expected, abs=TOLERANCE[shape] * whole)
    assert np.abs(np.asarray(moment) - expected_moment).max() < TOLERANCE[shape] * whole


@given(direction=NORMALS, distance=st.floats(-3.0, 3.0))
@settings(max_examples=60, deadline=None)
def test_what_is_below_and_what_is_above_are_the_whole(direction, distance):
    normal = np.asarray(direction) / np.linalg.norm(direction)
    for shape in SURFACES:
        row = POOL.rows[shape]
        volume, moment = below(POOL.rows[:64], shape, tuple(normal), distance)
        rest, other = below(POOL.rows[:64], shape, tuple(-normal), -distance)
        assert 0.0 <= volume <= row["volume"] * 1.000001
        assert volume + rest == pytest.approx(float(row["volume"]), rel=1e-5)
        assert np.add(moment, other) == pytest.approx(row["volume"] * row["center_of_mass"], abs=2e-3 * float(row["volume"]))


def test_a_shape_without_volume_displaces_nothing():
    plane = POOL.create(schema.PLANE)
    POOL.set_plane(plane, (0, 1, 0), 0.5)
    assert below(POOL.rows[:64], plane, (0.0, 1.0, 0.0), 1.0)[0] == 0.0
