"""Rays against solids: the compiled functions against marching along the ray with a signed distance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.geometry import ray
from scree.geometry.hull_building import convex_hull

RADIUS, HALF_HEIGHT, HALF = 0.6, 0.9, (0.5, 1.0, 1.5)
PLANES = convex_hull(np.random.default_rng(1).normal(size=(12, 3))).planes


def distance_capsule(p):
    return np.linalg.norm(p - [0, np.clip(p[1], -HALF_HEIGHT, HALF_HEIGHT), 0]) - RADIUS


# For each solid: the compiled call, and a function that is negative inside and grows no faster than the distance.
SOLIDS = {
    "sphere": (lambda o, v: ray.ray_sphere(o, v, RADIUS), lambda p: np.linalg.norm(p) - RADIUS),
    "capsule": (lambda o, v: ray.ray_capsule(o, v, RADIUS, HALF_HEIGHT), distance_capsule),
    "cylinder": (
        lambda o, v: ray.ray_cylinder(o, v, RADIUS, HALF_HEIGHT),
        lambda p: max(np.hypot(p[0], p[2]) - RADIUS, abs(p[1]) - HALF_HEIGHT),
    ),
    "box": (lambda o, v: ray.ray_box(o, v, HALF), lambda p: (np.abs(p) - HALF).max()),
    "planes": (
        lambda o, v: ray.ray_planes(o, v, PLANES, len(PLANES)),
        lambda p: (PLANES[:, :3].astype(float) @ p - PLANES[:, 3]).max(),
    ),
    "plane": (lambda o, v: ray.ray_plane(o, v, (0.0, 1.0, 0.0), 0.25), lambda p: p[1] - 0.25),
}


def march(distance, origin, vector):
    """Naive twin: step by the distance until it is tiny; the fraction, or None."""
    size, fraction = np.linalg.norm(vector), 0.0
    for _ in range(2000):
        d = distance(origin + fraction * vector)
        if d < 1e-7:
            return fraction
        fraction += d / size
        if fraction > 1.0:
            return None
    return fraction


coordinate = st.floats(-3, 3, allow_nan=False).map(lambda x: round(x, 3))
vector3 = st.tuples(coordinate, coordinate, coordinate)


@pytest.mark.parametrize("name", SOLIDS)
@settings(max_examples=150, deadline=None)
@given(origin=vector3, vector=vector3)
def test_solid(name, origin, vector):
    call, distance = SOLIDS[name]
    if np.linalg.norm(vector) < 1e-3:
        return
    o, v = np.array(origin), np.array(vector)
    fraction, normal = call(origin, vector)
    start = distance(o)
    if abs(start) < 1e-6:
        return
    if start < 0:
        assert fraction == ray.INSIDE and normal == (0.0, 0.0, 0.0)
        return
    assert fraction >= 0.0
    expected = march(distance, o, v)
    if fraction > 1.0:
        # What only just touches may be seen either way.
        assert expected is None or min(distance(o + v * t) for t in np.linspace(0, 1, 200)) > -1e-3
        return
    point = o + fraction * v
    assert abs(distance(point)) < 1e-6
    if expected is not None:
        assert fraction == pytest.approx(expected, abs=1e-3) or fraction > expected
    assert np.linalg.norm(normal) == pytest.approx(1.0, abs=1e-6)
    assert np.dot(normal, v) <= 1e-9
    slope = [(distance(point + h) - distance(point - h)) / 2e-5 for h in np.eye(3) * 1e-5]
    if np.linalg.norm(slope) > 0.999:  # not at an edge
        np.testing.assert_allclose(normal, slope, atol=2e-3)


def test_sphere_far_away_keeps_its_digits():
    fraction, _ = ray.ray_sphere((1e6, 0.3, 0.0), (-2e6, 0.0, 0.0), 0.5)
    assert 1e6 - fraction * 2e6 == pytest.approx(0.4, abs=1e-6)


@settings(max_examples=300, deadline=None)
@given(corners=st.tuples(vector3, vector3, vector3), origin=vector3, vector=vector3)
def test_triangle(corners, origin, vector):
    a, b, c = (np.array(x) for x in corners)
    normal = np.cross(b - a, c - a)
    o, v = np.array(origin), np.array(vector)
    if abs(np.dot(normal, v)) < 1e-3:
        return
    fraction, is_front = ray.ray_triangle(origin, vector, *corners)
    # Naive twin: solve for the point in the plane and its barycentric coordinates.
    u, w, t = np.linalg.solve(np.column_stack((b - a, c - a, -v)), o - a)
    if min(u, w, 1 - u - w, t) > 1e-9:
        assert fraction == pytest.approx(t, abs=1e-9)
        assert is_front == (np.dot(normal, v) < 0)
    elif min(u, w, 1 - u - w, t) < -1e-9:
        assert fraction == ray.NO_HIT


def test_no_ray_slips_between_triangles():
    rng = np.random.default_rng(0)
    apex = rng.normal(size=3).astype(np.float32)
    rim = np.array([[np.cos(a), 0, np.sin(a)] for a in np.linspace(0, 2 * np.pi, 13)[:-1]], dtype=np.float32) * 3
    corners = [tuple(map(float, p)) for p in (apex, *rim)]
    for _ in range(500):
        k = rng.integers(0, 12)
        target = apex + (rim[k] - apex) * rng.uniform(0, 0.9)  # on an edge
        origin = np.array([rng.normal(), 10.0, rng.normal()])
        vector = tuple((2 * (target - origin)).tolist())
        hits = [
            ray.ray_triangle(tuple(origin), vector, corners[0], corners[1 + (i + 1) % 12], corners[1 + i])[0] for i in range(12)
        ]
        assert min(hits) < 1.0
