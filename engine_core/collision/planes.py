"""Convex shapes against an infinite plane, in the plane's frame: exact, without a search."""

import math

import numpy as np

from ..geometry.clipping import add_corner
from ..geometry.polytopes import vertex
from ..geometry.vector import add_scaled, cross, dot, negate, perpendicular, scale, store3, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array
from ..shapes.traits import is_round
from .convex import write_contact
from .hulls import drop_corners, load_face, most_opposed_face
from .leaning import load_in_plane
from .reduce import open_sides, reduce_points
from .round_shapes import half_height_of
from .schema import MAX_POINTS


@kernel
def write_points_on_plane(polygon, n, distance, u, v, radius, result):
    """Fill `result` (A above the plane B) from corners whose features are known; `radius` [m] is A's about its core."""
    keep_as_call()
    keep = stack_array(MAX_POINTS, np.int64)
    slide, load = vector3(result.slide), load_in_plane(result, scale(n, distance), u, v, n)
    count = reduce_points(polygon, keep, dot(u, slide), dot(v, slide), load)
    result.open_sides = open_sides(polygon, keep, count)
    store3(result.normal, negate(n))
    result.point_count = count
    result.face = -1
    for k in range(count):
        i = keep[k]
        separation = polygon.z[i] - radius
        point = add_scaled(add_scaled(scale(n, distance + 0.5 * separation), u, polygon.x[i]), v, polygon.y[i])
        write_contact(result, k, point, separation, polygon.edge[i])
    return count


@kernel
def collide_plane(a, b, position, rows, polytope, limit, polygon, result):
    """Collide convex A at (`position`, `rows`) with plane B. `polytope`: A in this frame if it is a box or hull.

    Return the number of points.
    """
    keep_as_call()
    n, distance = vector3(b.plane), np.float64(b.plane[3])
    u = perpendicular(n)
    v = cross(n, u)
    origin = scale(n, distance)
    if is_round(a):
        radius = np.float64(a.radius)
        height = half_height_of(a)
        axis = (rows[0][1], rows[1][1], rows[2][1])
        polygon.count = 0
        for k in range(2 if height > 0.0 else 1):
            p = add_scaled(position, axis, height if k == 0 else -height)
            z = dot(n, p) - distance
            if z - radius <= limit:
                add_corner(polygon, dot(u, p), dot(v, p), z, np.int64(1 + k))
        return write_points_on_plane(polygon, n, distance, u, v, radius, result)
    # The face that faces the plane most, and the lowest corner, which may not belong to it.
    radius = polytope.radius
    lowest, lowest_i = math.inf, 0
    for i in range(polytope.vertex_count):
        z = dot(n, vertex(polytope, i)) - distance
        if z < lowest:
            lowest, lowest_i = z, i
    if lowest - radius > limit:
        return 0
    face = most_opposed_face(polytope, n)
    load_face(polytope, face, origin, u, v, n, polygon)
    if drop_corners(polygon, face, limit + radius) > lowest + 1e-6:
        p = vertex(polytope, lowest_i)
        add_corner(polygon, dot(u, p), dot(v, p), lowest, np.int64(0x40000000 | lowest_i))
    return write_points_on_plane(polygon, n, distance, u, v, radius, result)
