"""Separating axes of two polytopes: all face normals, and the pairs of edges that make a face of the Minkowski
difference.

The arcs of edges on the Gauss map show which pairs do: D. Gregorius, "The Separating Axis Test between Convex Polyhedra", GDC
2013. With the edge directions in place of the cross products of normals it also holds for flat triangles.
"""

import math

import numpy as np

from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view
from .polytopes import MAX_EDGES, MAX_VERTICES, plane_distance, plane_normal, vertex
from .vector import cross, dot, scale, subtract, vector3

MIN_SINE_SQUARED = 1e-8
"""Edges more parallel than this make no axis; their faces do."""


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
    center = vector3(b.center)
    inner = b.inner_radius if b.inner_radius < math.inf else 0.0
    for face in range(a.face_count):
        # b reaches at least this far down: the ball that it holds does.
        if dot(plane_normal(a, face), center) - plane_distance(a, face) - inner <= best:
            continue
        separation = separation_of_face(a, face, b)
        if separation > best:
            best, best_index = separation, face
            if best > limit:
                break
    return best, best_index


@kernel
def edge_ends(polytope, edge):
    """An edge of a polytope: (its first vertex, from there to its second, the normals of its left and of its right face)."""
    edges = view(polytope.edges, polytope.edge_count * 4, np.int32)
    p = vertex(polytope, edges[4 * edge])
    along = subtract(vertex(polytope, edges[4 * edge + 1]), p)
    return p, along, plane_normal(polytope, edges[4 * edge + 2]), plane_normal(polytope, edges[4 * edge + 3])


@kernel
def axis_of_edges(of_a, of_b):
    """Axis of two edges, given by `edge_ends`, if they make a face of the Minkowski difference: (separation, unit axis from a to
    b), else -inf. Most pairs of edges fail the first test."""
    pa, da, normal_left_a, normal_right_a = of_a
    pb, db, normal_left_b, normal_right_b = of_b
    left_b = dot(normal_left_b, da)
    if left_b * dot(normal_right_b, da) < 0.0:
        left_a = dot(normal_left_a, db)
        if left_a * left_b > 0.0 and left_a * dot(normal_right_a, db) < 0.0:
            axis = cross(da, db)
            size = dot(axis, axis)
            if size > MIN_SINE_SQUARED * dot(da, da) * dot(db, db):
                s = 1.0 / math.sqrt(size)
                axis = scale(axis, s if left_a > 0.0 else -s)
                return dot(axis, subtract(pb, pa)), axis
    return -math.inf, (0.0, 0.0, 0.0)


@kernel
def face_below(p, q, b, reach, last):
    """A face of b that both of two points are farther above than `reach` [m], or -1; `last` is tried first."""
    for k in range(-1, b.face_count):
        face = last if k < 0 else k
        n, height = plane_normal(b, face), plane_distance(b, face) + reach
        if dot(n, p) > height and dot(n, q) > height:
            return face
    return -1


@kernel
def near_edges(a, b, reach, found):
    """Write the edges of a that may come within `reach` [m] of b to `found`; return their number. An edge with both ends farther
    than that above one face of b does not."""
    keep_as_call()
    edges = view(a.edges, a.edge_count * 4, np.int32)
    below = stack_array(MAX_VERTICES, np.int32)
    count = last = 0  # neighbours are often far above the same face
    for i in range(a.vertex_count):
        p = vertex(a, i)
        below[i] = face_below(p, p, b, reach, last)
        last = last if below[i] < 0 else below[i]
    for i in range(a.edge_count):
        first, second = edges[4 * i], edges[4 * i + 1]
        is_near = below[first] < 0 or below[second] < 0
        if not is_near and below[first] != below[second]:
            is_near = face_below(vertex(a, first), vertex(a, second), b, reach, below[first]) < 0
        if is_near:
            found[count] = i
            count += 1
    return count


@kernel
def best_edges(a, b, limit, reach):
    """The pair of edges with the largest separation: (separation, edge of a, edge of b, unit axis from a to b).

    Exact where the edges decide and are at most `reach` [m] apart or deep: they then touch when the polytopes are moved
    by so much, so edges farther from the other polytope need not be looked at.
    """
    keep_as_call()
    best, best_a, best_b, best_axis = -math.inf, 0, 0, (0.0, 0.0, 0.0)
    near_a, near_b = stack_array(MAX_EDGES, np.int32), stack_array(MAX_EDGES, np.int32)
    count_a = near_edges(a, b, reach, near_a)
    count_b = near_edges(b, a, reach, near_b)
    for j in range(count_b):
        of_b = edge_ends(b, np.int64(near_b[j]))
        for i in range(count_a):
            separation, axis = axis_of_edges(edge_ends(a, np.int64(near_a[i])), of_b)
            if separation > best:
                best, best_a, best_b, best_axis = separation, np.int64(near_a[i]), np.int64(near_b[j]), axis
                if best > limit:
                    return best, best_a, best_b, best_axis
    return best, best_a, best_b, best_axis
