"""Separating axes of two polytopes: all face normals, and the pairs of edges that make a face of the Minkowski
difference.

Which edges do is told by their arcs on the Gauss map: D. Gregorius, "The Separating Axis Test between Convex
Polyhedra", GDC 2013. With the edge directions in place of the cross products of normals it holds for flat triangles
too.
"""

import math

import numpy as np

from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view
from .polytopes import MAX_FACES, plane_distance, plane_normal, vertex
from .vector import cross, dot, scale, subtract

MIN_SINE_SQUARED = 1e-8
"""Edges more parallel than this make no axis: their faces do."""


@kernel
def separation_of_face(a, face, b):
    """Signed distance of polytope b from the plane of a face of a."""
    n = plane_normal(a, face)
    vertices = view(b.vertices, b.vertex_count * 3, np.float64)
    lowest = math.inf
    for i in range(b.vertex_count):
        lowest = min(lowest, n[0] * vertices[3 * i] + n[1] * vertices[3 * i + 1] + n[2] * vertices[3 * i + 2])
    return lowest - plane_distance(a, face)


@kernel
def best_face(a, b, limit):
    """The face of a that b is farthest from: (separation, face). Stops at the first one farther than `limit`."""
    keep_as_call()
    best, best_index = -math.inf, 0
    for face in range(a.face_count):
        separation = separation_of_face(a, face, b)
        if separation > best:
            best, best_index = separation, face
            if best > limit:
                break
    return best, best_index


@kernel
def axis_of_edges(a, edge_a, b, edge_b):
    """Axis of two edges if they make a face of the Minkowski difference: (separation, unit axis from a to b),
    else -inf."""
    edges_a = view(a.edges, a.edge_count * 4, np.int32)
    edges_b = view(b.edges, b.edge_count * 4, np.int32)
    pa, pb = vertex(a, edges_a[4 * edge_a]), vertex(b, edges_b[4 * edge_b])
    da = subtract(vertex(a, edges_a[4 * edge_a + 1]), pa)
    db = subtract(vertex(b, edges_b[4 * edge_b + 1]), pb)
    left_a = dot(plane_normal(a, edges_a[4 * edge_a + 2]), db)
    right_a = dot(plane_normal(a, edges_a[4 * edge_a + 3]), db)
    left_b = dot(plane_normal(b, edges_b[4 * edge_b + 2]), da)
    right_b = dot(plane_normal(b, edges_b[4 * edge_b + 3]), da)
    axis = cross(da, db)
    size = dot(axis, axis)
    if (
        left_a * right_a < 0.0
        and left_b * right_b < 0.0
        and left_a * left_b > 0.0
        and size > MIN_SINE_SQUARED * dot(da, da) * dot(db, db)
    ):
        s = 1.0 / math.sqrt(size)
        axis = scale(axis, s if left_a > 0.0 else -s)
        return dot(axis, subtract(pb, pa)), axis
    return -math.inf, (0.0, 0.0, 0.0)


@kernel
def best_edges(a, b, limit):
    """The pair of edges with the largest separation: (separation, edge of a, edge of b, unit axis from a to b)."""
    keep_as_call()
    best, best_a, best_b, best_axis = -math.inf, 0, 0, (0.0, 0.0, 0.0)
    edges_a = view(a.edges, a.edge_count * 4, np.int32)
    edges_b = view(b.edges, b.edge_count * 4, np.int32)
    slopes = stack_array(MAX_FACES, np.float64)  # of the faces of a along the edge of b
    for j in range(b.edge_count):
        db = subtract(vertex(b, edges_b[4 * j + 1]), vertex(b, edges_b[4 * j]))
        nl, nr = plane_normal(b, edges_b[4 * j + 2]), plane_normal(b, edges_b[4 * j + 3])
        for face in range(a.face_count):
            slopes[face] = dot(plane_normal(a, face), db)
        for i in range(a.edge_count):
            left = slopes[edges_a[4 * i + 2]]
            if left * slopes[edges_a[4 * i + 3]] >= 0.0:
                continue
            da = subtract(vertex(a, edges_a[4 * i + 1]), vertex(a, edges_a[4 * i]))
            along_left = dot(nl, da)
            if along_left * dot(nr, da) >= 0.0 or left * along_left <= 0.0:
                continue
            separation, axis = axis_of_edges(a, i, b, j)
            if separation > best:
                best, best_a, best_b, best_axis = separation, i, j, axis
                if best > limit:
                    return best, best_a, best_b, best_axis
    return best, best_a, best_b, best_axis
