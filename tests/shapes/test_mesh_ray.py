"""Rays against meshes find, bit for bit, what a look at every triangle in double finds: whatever single precision rounds off."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.shapes import schema
from scree.shapes.pool import ShapePool
from scree.shapes.ray import ray_shape


def patch(rng, count: int, size: float, offset: float):
    """A rough patch of joined triangles and some loose ones, far from the origin."""
    n = max(int((count / 2) ** 0.5), 1)
    x, z = np.meshgrid(np.linspace(-1, 1, n + 1), np.linspace(-1, 1, n + 1))
    vertices = np.stack((x, 0.2 * rng.normal(size=x.shape), z), axis=-1).reshape(-1, 3)
    corner = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    triangles = np.concatenate((
        np.stack((corner, corner + n + 1, corner + 1), axis=1), np.stack((corner + 1, corner + n + 1, corner + n + 2), axis=1),
    ))  # fmt: skip
    loose = rng.normal(size=(3 * (count % 7), 3))
    triangles = np.concatenate((triangles, len(vertices) + np.arange(len(loose)).reshape(-1, 3)))
    vertices = np.concatenate((vertices, loose)) * size + offset * rng.normal(size=3)
    return vertices.astype(np.float32), triangles


def naive(corners, origin, vector, both_sides: bool):
    """Twin: fractions (inf where missed) of one ray with all triangles, as geometry/ray.py computes them."""

    def dot(a, b):
        return a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]

    def cross(a, b):
        return np.stack((
            a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1], a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
            a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0],
        ), axis=-1)  # fmt: skip

    p, q, r = (corners[:, k] - origin for k in range(3))
    u, v, w = dot(vector, cross(q, p)), dot(vector, cross(r, q)), dot(vector, cross(p, r))
    sides = np.stack((u, v, w))
    total = u + v + w
    with np.errstate(all="ignore"):
        fraction = -dot(p, cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])) / total
        hit = ((sides >= 0).all(axis=0) | (sides <= 0).all(axis=0)) & (total != 0) & (fraction >= 0) & (fraction <= 1)
    return np.where(hit & ((total > 0) | both_sides), fraction, np.inf)


@numba.njit
def cast(rows, index, origin, vector, back):
    return ray_shape(rows, index, origin, vector, 1.0, False, back)


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 100_000), st.sampled_from([1, 5, 8, 9, 60, 300]), st.sampled_from([0.01, 1.0, 100.0]),
    st.sampled_from([0.0, 1.0, 1000.0]), st.booleans(),
)  # fmt: skip
def test_rays_find_what_a_look_at_every_triangle_finds(seed, count, size, offset, both_sides):
    rng = np.random.default_rng(seed)
    vertices, triangles = patch(rng, count, size, offset)
    pool = ShapePool(lambda index, sequence: index + 1, capacity=2)
    mesh = pool.create(schema.MESH)
    pool.set_mesh(mesh, vertices, triangles, both_sides)
    corners = vertices[triangles].astype(np.float64)
    hits = 0
    for number in range(60):
        a, b, c = corners[rng.integers(len(corners))]
        # At a corner, at an edge, or anywhere inside; from near or from far, along an axis or not.
        s, t = ((0.0, 0.0), (rng.random(), 0.0), np.sort(rng.random(2)) * (1.0, 0.5))[number % 3]
        target = a + s * (b - a) + t * (c - a)
        way = rng.normal(size=3) if number % 4 else np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])
        way *= size * rng.choice([0.01, 1.0, 300.0]) / np.linalg.norm(way)
        origin = target - way * rng.random()
        fraction, _, face, _ = cast(pool.rows[:2], mesh, tuple(origin.tolist()), tuple(way.tolist()), both_sides)
        fractions = naive(corners, origin, way, both_sides)
        if fractions.min() == np.inf:
            assert fraction == 2.0 and face == -1
            continue
        hits += 1
        assert fraction == pytest.approx(fractions.min(), rel=1e-13)
        assert fractions[face] == pytest.approx(fraction, rel=2e-9)
    assert hits > 5 or both_sides is False
