"""Rays against solids and triangles, in the frame of the shape, in double.

A ray is an origin and a vector; a hit is `(fraction, normal)` with the point at `origin + fraction * vector` and the
unit normal of the surface there. `fraction` is NO_HIT, or INSIDE for a ray that starts within the solid (strictly);
then the normal is zero. Hits beyond fraction 1 are given too: the caller compares with its longest fraction.
"""

import math

import numpy as np

from ..runtime.kernel import kernel
from .vector import add_scaled, cross, dot, length_squared, normalize, scale, subtract

NO_HIT = 2.0e30
INSIDE = -1.0
_ZERO = (0.0, 0.0, 0.0)


@kernel
def ray_sphere(origin, vector, radius):
    """Sphere about the origin of the frame."""
    outside = length_squared(origin) - radius * radius
    if outside < 0.0:
        return INSIDE, _ZERO
    a, b = length_squared(vector), dot(origin, vector)
    if b >= 0.0 or a == 0.0:
        return NO_HIT, _ZERO
    # The point nearest to the centre first: the usual discriminant loses all digits far from the sphere.
    nearest = add_scaled(origin, vector, -b / a)
    half_chord = radius * radius - length_squared(nearest)
    if half_chord < 0.0:
        return NO_HIT, _ZERO
    fraction = max(-b / a - math.sqrt(half_chord / a), 0.0)
    return fraction, normalize(add_scaled(origin, vector, fraction))


@kernel
def _ray_tube(origin, vector, radius):
    """Enter and exit fraction of the infinite cylinder along Y; (NO_HIT, -NO_HIT) if missed."""
    a = vector[0] * vector[0] + vector[2] * vector[2]
    outside = origin[0] * origin[0] + origin[2] * origin[2] - radius * radius
    if a <= 1e-24 * length_squared(vector):
        return (-NO_HIT, NO_HIT) if outside <= 0.0 else (NO_HIT, -NO_HIT)
    middle = -(origin[0] * vector[0] + origin[2] * vector[2]) / a
    x, z = origin[0] + middle * vector[0], origin[2] + middle * vector[2]
    half_chord = radius * radius - x * x - z * z
    if half_chord < 0.0:
        return NO_HIT, -NO_HIT
    half = math.sqrt(half_chord / a)
    return middle - half, middle + half


@kernel
def ray_capsule(origin, vector, radius, half_height):
    """Capsule along Y; `half_height` without the caps."""
    y = min(max(origin[1], -half_height), half_height)
    if length_squared((origin[0], origin[1] - y, origin[2])) < radius * radius:
        return INSIDE, _ZERO
    enter, _ = _ray_tube(origin, vector, radius)
    if enter >= NO_HIT:
        return NO_HIT, _ZERO
    if enter >= 0.0:
        point = add_scaled(origin, vector, enter)
        if abs(point[1]) <= half_height:
            return enter, normalize((point[0], 0.0, point[2]))
    top, top_normal = ray_sphere((origin[0], origin[1] - half_height, origin[2]), vector, radius)
    bottom, bottom_normal = ray_sphere((origin[0], origin[1] + half_height, origin[2]), vector, radius)
    if top <= bottom:
        return top, top_normal
    return bottom, bottom_normal


@kernel
def ray_slab(origin, vector, half):
    """Enter and exit fraction of |x| <= half along one axis; (NO_HIT, -NO_HIT) if missed."""
    if vector == 0.0:
        return (-NO_HIT, NO_HIT) if abs(origin) <= half else (NO_HIT, -NO_HIT)
    middle, width = -origin / vector, half / abs(vector)
    return middle - width, middle + width


@kernel
def ray_cylinder(origin, vector, radius, half_height):
    """Cylinder along Y."""
    if abs(origin[1]) < half_height and origin[0] * origin[0] + origin[2] * origin[2] < radius * radius:
        return INSIDE, _ZERO
    enter, leave = ray_slab(origin[1], vector[1], half_height)
    tube_enter, tube_leave = _ray_tube(origin, vector, radius)
    first, last = max(enter, tube_enter), min(leave, tube_leave)
    if first > last or first < 0.0 or first >= NO_HIT:
        return NO_HIT, _ZERO
    if enter > tube_enter:
        return first, (0.0, math.copysign(1.0, -vector[1]), 0.0)
    point = add_scaled(origin, vector, first)
    return first, normalize((point[0], 0.0, point[2]))


@kernel
def ray_box(origin, vector, half_extents):
    """Box about the origin of the frame."""
    if abs(origin[0]) < half_extents[0] and abs(origin[1]) < half_extents[1] and abs(origin[2]) < half_extents[2]:
        return INSIDE, _ZERO
    first, last, axis = -NO_HIT, NO_HIT, 0
    for k in range(3):
        enter, leave = ray_slab(origin[k], vector[k], half_extents[k])
        if enter > first:
            first, axis = enter, k
        last = min(last, leave)
    if first > last or first < 0.0 or first >= NO_HIT:
        return NO_HIT, _ZERO
    sign = math.copysign(1.0, -vector[axis])
    return first, (sign if axis == 0 else 0.0, sign if axis == 1 else 0.0, sign if axis == 2 else 0.0)


@kernel
def ray_planes(origin, vector, planes, count):
    """The solid behind all of `planes`, array `(count, 4)` of unit outward normals and distances."""
    first, last, face, is_inside = -NO_HIT, NO_HIT, -1, True
    for i in range(count):
        normal = (np.float64(planes[i, 0]), np.float64(planes[i, 1]), np.float64(planes[i, 2]))
        above, slope = dot(normal, origin) - planes[i, 3], dot(normal, vector)
        is_inside &= above < 0.0
        if slope < 0.0:
            if -above / slope > first:
                first, face = -above / slope, i
        elif slope > 0.0:
            last = min(last, -above / slope)
        elif above > 0.0:
            return NO_HIT, _ZERO
    if is_inside:
        return INSIDE, _ZERO
    if first > last or first < 0.0:
        return NO_HIT, _ZERO
    return first, (np.float64(planes[face, 0]), np.float64(planes[face, 1]), np.float64(planes[face, 2]))


@kernel
def ray_plane(origin, vector, normal, distance):
    """The half space behind a plane."""
    above, slope = dot(normal, origin) - distance, dot(normal, vector)
    if above < 0.0:
        return INSIDE, _ZERO
    if slope >= 0.0:
        return NO_HIT, _ZERO
    return -above / slope, normal


@kernel
def ray_triangle(origin, vector, a, b, c):
    """A triangle, from either side: `(fraction, is_front)`. The front is where a, b, c run counter-clockwise. No ray
    slips through the edge of two triangles: both compute the same products for it, with the sign turned."""
    p, q, r = subtract(a, origin), subtract(b, origin), subtract(c, origin)
    u, v, w = dot(vector, cross(q, p)), dot(vector, cross(r, q)), dot(vector, cross(p, r))
    if (u < 0.0 or v < 0.0 or w < 0.0) and (u > 0.0 or v > 0.0 or w > 0.0):
        return NO_HIT, False
    total = u + v + w  # - vector . normal of twice the area
    if total == 0.0:
        return NO_HIT, False
    normal = cross(subtract(b, a), subtract(c, a))
    fraction = -dot(p, normal) / total
    if fraction < 0.0:
        return NO_HIT, False
    return fraction, total > 0.0


@kernel
def triangle_normal(a, b, c):
    """Unit normal of the front of a triangle; zero if it has no area."""
    return normalize(cross(subtract(b, a), subtract(c, a)))


@kernel
def reversed_if(is_reversed, normal):
    return scale(normal, -1.0) if is_reversed else normal
