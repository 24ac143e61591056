"""Rays against the triangles of a soft body, from both sides."""

import numpy as np

from ..geometry.ray import ray_slab, ray_triangle, triangle_normal
from ..geometry.vector import dot, negate, store3, vector3
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import view, view2
from .schema import SOFT_BODY

INT32, INT64, FLOAT64 = np.int32, np.int64, np.float64

SOFT_RAY = np.dtype(
    [
        ("origin", "f8", 3),  # world [m]
        ("vector", "f8", 3),  # from begin to end [m]
        ("fraction", "f8"),  # of the nearest hit so far; 2: none
        ("normal", "f8", 3),  # unit, against the ray
        ("face", "i8"),  # number of the triangle; -1: none
    ],
    align=True,
)


@kernel
def misses_bounds(soft, origin, vector, longest):
    """Whether a ray passes the bounds of a soft body."""
    begin, end = 0.0, longest
    for k in range(3):
        middle, half = 0.5 * (soft.bounds[k] + soft.bounds[3 + k]), 0.5 * (soft.bounds[3 + k] - soft.bounds[k])
        enter, leave = ray_slab(origin[k] - middle, vector[k], half + soft.radius)
        begin, end = max(begin, enter), min(end, leave)
    return begin > end


@kernel
def ray_at(soft, origin, vector, longest):
    """Where a ray hits a soft body, up to the fraction `longest`: (fraction, unit normal against the ray, triangle); 2 and -1 for
    no hit."""
    best, hit_normal, face = 2.0, (0.0, 0.0, 0.0), INT64(-1)
    if soft.is_enabled == 0 or misses_bounds(soft, origin, vector, min(longest, 1.0)):
        return best, hit_normal, face
    positions = view2(soft.positions, soft.particle_count, 3, FLOAT64)
    triangles = view2(soft.triangles, soft.triangle_count, 3, INT32)
    for t in range(soft.triangle_count):
        a, b = vector3(positions[INT64(triangles[t, 0])]), vector3(positions[INT64(triangles[t, 1])])
        c = vector3(positions[INT64(triangles[t, 2])])
        fraction = ray_triangle(origin, vector, a, b, c)[0]
        if fraction < best and fraction < longest and fraction <= 1.0:
            normal = triangle_normal(a, b, c)
            best, face = fraction, INT64(t)
            hit_normal = negate(normal) if dot(normal, vector) > 0.0 else normal
    return best, hit_normal, face


@entry_point("int64(int64, int64)")
def ray_soft_body(address, ray_address):
    """Find where a SOFT_RAY hits a soft body, if nearer than what it has. Return 1 for a nearer hit, else 0."""
    soft, ray = view(address, 1, SOFT_BODY)[0], view(ray_address, 1, SOFT_RAY)[0]
    fraction, normal, face = ray_at(soft, vector3(ray.origin), vector3(ray.vector), ray.fraction)
    if face < 0:
        return INT64(0)
    ray.fraction, ray.face = fraction, face
    store3(ray.normal, normal)
    return INT64(1)
