"""Convex shapes against infinite planes: the twin is the lowest point of the shape."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .bodies import IDENTITY, ORIGIN, Shapes, lengths, normalized, offsets, quaternions


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(st.tuples(lengths, lengths, lengths), quaternions, offsets, quaternions, st.floats(-0.5, 0.5))
def test_lowest_points(sizes, q, position, plane_turn, distance):
    shapes = Shapes()
    normal = np.asarray(normalized((*plane_turn[:3], 0.5)))[:3]
    normal /= max(np.linalg.norm(normal), 1e-9)
    if np.linalg.norm(normal) < 0.5:
        normal = np.array([0.0, 1.0, 0.0])
    plane = shapes.plane(tuple(normal), distance)
    normal = shapes.rows[plane]["plane"][:3].astype(float)
    points = np.random.default_rng(1).uniform(-1, 1, (9, 3)) * sizes
    for shape in (shapes.sphere(sizes[0]), shapes.capsule(*sizes[:2]), shapes.box(sizes), shapes.hull(points)):
        core, radius = shapes.world_core(shape, position, q)
        heights = core @ normal - float(np.float32(distance)) - radius
        manifolds, _ = shapes.collide(shape, position, q, plane, ORIGIN, IDENTITY)
        if heights.min() > 0.02 + 1e-6:
            assert manifolds == []
            continue
        if not manifolds:
            assert heights.min() > 0.02 - 1e-6
            continue
        (manifold,) = manifolds
        np.testing.assert_allclose(manifold.normal, -normal, atol=1e-6)
        assert manifold.deepest == pytest.approx(heights.min(), abs=1.1e-4)
        for point, separation in zip(manifold.points, manifold.separations, strict=True):
            assert point @ normal - float(np.float32(distance)) == pytest.approx(0.5 * separation, abs=1e-5)


def test_a_plane_has_no_edge():
    shapes = Shapes()
    plane, box = shapes.plane((0.0, 1.0, 0.0), 0.0), shapes.box((0.5, 0.5, 0.5))
    for x in (0.0, 1e4, 1e6):
        (manifold,), _ = shapes.collide(box, (x, 0.49, -x), IDENTITY, plane, ORIGIN, IDENTITY)
        assert len(manifold.points) == 4
        assert manifold.deepest == pytest.approx(-0.01, abs=1e-6)
        assert abs(manifold.points[:, 0] - x).max() == pytest.approx(0.5, abs=1e-4)


def test_planes_and_meshes_do_not_collide_with_each_other():
    shapes = Shapes()
    plane = shapes.plane((0.0, 1.0, 0.0), 0.0)
    assert shapes.collide(plane, ORIGIN, IDENTITY, plane, ORIGIN, IDENTITY)[0] == []
