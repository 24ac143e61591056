"""Depth of two overlapping convex cores: the expanding polytope algorithm (G. van den Bergen, GDC 2001), double
precision.

The polytope grows from GJK's last simplex. Where the Minkowski difference is flat (crossing segments, coplanar
triangles) the depth is zero along its normal; no input makes it fail or loop.
"""

import math

import numpy as np

from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array
from .gjk import row3, store_row3, support, weights_on_triangle
from .vector import add_scaled, cross, dot, length, length_squared, normalize, perpendicular, scale, subtract

MAX_POINTS = 96
MAX_FACES = 256
MAX_HORIZON = 256
TOLERANCE = 1e-7
"""The depth is found to this fraction of the size of the Minkowski difference (exactly for polytopes)."""

POLYTOPE_STATE = np.dtype(
    [
        ("point_count", "i8"),
        ("face_count", "i8"),
        ("w", "f8", (MAX_POINTS, 3)),  # points of the Minkowski difference A - B
        ("a", "f8", (MAX_POINTS, 3)),  # where they came from on A
        ("corners", "i8", (MAX_FACES, 3)),
        ("planes", "f8", (MAX_FACES, 4)),  # unit outward normal and distance; infinite distance: no area
        ("horizon", "i8", (MAX_HORIZON, 2)),
    ],
    align=True,
)


@kernel
def _add_point(a, b, state, direction):
    on_a = support(a, direction)
    w = subtract(on_a, support(b, (-direction[0], -direction[1], -direction[2])))
    store_row3(state.w, state.point_count, w)
    store_row3(state.a, state.point_count, on_a)
    state.point_count += 1
    return w


@kernel
def _grow_to_tetrahedron(a, b, state):
    """Add points until four of them span space. Return (dimension reached, a normal of the flat set if below three)."""
    keep_as_call()
    origin = row3(state.w, 0)
    if state.point_count == 1:
        best, best_direction = -1.0, (1.0, 0.0, 0.0)
        for i in range(6):
            sign = 1.0 if i < 3 else -1.0
            direction = (sign if i % 3 == 0 else 0.0, sign if i % 3 == 1 else 0.0, sign if i % 3 == 2 else 0.0)
            away = length_squared(subtract(_add_point(a, b, state, direction), origin))
            state.point_count -= 1
            if away > best:
                best, best_direction = away, direction
        if best <= 1e-24:
            return 0, (0.0, 1.0, 0.0)
        _add_point(a, b, state, best_direction)
    line = subtract(row3(state.w, 1), origin)
    along = normalize(line)
    flat = 1e-9 * length(line)
    if state.point_count == 2:
        across = perpendicular(along)
        other = cross(along, across)
        best, best_direction = -1.0, across
        for i in range(4):
            sign = 1.0 if i < 2 else -1.0
            direction = scale(across if i % 2 == 0 else other, sign)
            away = length_squared(cross(along, subtract(_add_point(a, b, state, direction), origin)))
            state.point_count -= 1
            if away > best:
                best, best_direction = away, direction
        if best <= flat * flat:
            return 1, across
        _add_point(a, b, state, best_direction)
    normal = normalize(cross(line, subtract(row3(state.w, 2), origin)))
    if state.point_count == 3:
        above = dot(normal, subtract(_add_point(a, b, state, normal), origin))
        state.point_count -= 1
        below = -dot(normal, subtract(_add_point(a, b, state, scale(normal, -1.0)), origin))
        if max(above, below) <= flat:
            return 2, normal
        if above > below:
            state.point_count -= 1
            _add_point(a, b, state, normal)
    return 3, normal


@kernel
def _add_face(state, i, j, k):
    """Add a face of the polytope, counter-clockwise from outside."""
    a = row3(state.w, i)
    ab, ac = subtract(row3(state.w, j), a), subtract(row3(state.w, k), a)
    n = cross(ab, ac)
    size = length(n)
    face = state.face_count
    state.face_count = face + 1
    state.corners[face, 0], state.corners[face, 1], state.corners[face, 2] = i, j, k
    distance = math.inf
    if size > 1e-14 * (length_squared(ab) + length_squared(ac)):
        n = scale(n, 1.0 / size)
        distance = dot(n, a)
    state.planes[face, 0], state.planes[face, 1], state.planes[face, 2] = n
    state.planes[face, 3] = distance


@kernel
def _add_horizon_edge(state, count, i, j):
    """Add an edge of a removed face, or remove it if two removed faces share it. Return the new number of edges."""
    for k in range(count):
        if state.horizon[k, 0] == j and state.horizon[k, 1] == i:
            state.horizon[k, 0] = state.horizon[count - 1, 0]
            state.horizon[k, 1] = state.horizon[count - 1, 1]
            return count - 1
    if count < MAX_HORIZON:
        state.horizon[count, 0], state.horizon[count, 1] = i, j
        return count + 1
    return count


@kernel
def _expand(state, new_point, tolerance):
    """Replace all faces that see the new point by a fan. False: no room, or no face sees it."""
    keep_as_call()
    w = row3(state.w, new_point)
    edge_count, kept = 0, 0
    for face in range(state.face_count):
        seen = state.planes[face, 3] < math.inf and dot(row3(state.planes, face), w) - state.planes[face, 3] > tolerance
        if seen:
            for k in range(3):
                i, j = state.corners[face, k], state.corners[face, (k + 1) % 3]
                edge_count = _add_horizon_edge(state, edge_count, i, j)
        else:
            if kept != face:
                for k in range(3):
                    state.corners[kept, k] = state.corners[face, k]
                for k in range(4):
                    state.planes[kept, k] = state.planes[face, k]
            kept += 1
    if kept == state.face_count or kept + edge_count > MAX_FACES:
        return False
    state.face_count = kept
    for k in range(edge_count):
        _add_face(state, state.horizon[k, 0], state.horizon[k, 1], new_point)
    return True


@kernel
def epa_penetration(a, b, simplex, toward):
    """Compute the depth of two overlapping cores (rows of CORE), from GJK's last simplex (a row of SIMPLEX).

    Return (depth [m], unit normal from A to B, point on A): moving A by -depth normal separates them. `toward` chooses between
    equally good sides: the normal then points along it (centre of B - centre of A).
    """
    keep_as_call()
    state = stack_array(1, POLYTOPE_STATE)[0]
    state.point_count = simplex.count
    state.face_count = 0
    point = (0.0, 0.0, 0.0)
    size = 0.0
    for i in range(simplex.count):
        store_row3(state.w, i, row3(simplex.w, i))
        store_row3(state.a, i, row3(simplex.a, i))
        point = add_scaled(point, row3(simplex.a, i), simplex.weights[i])
    dimension, normal = _grow_to_tetrahedron(a, b, state)
    if dimension < 3:
        if dimension == 1:  # any direction at right angles to the line: the one nearest to `toward`
            line = normalize(subtract(row3(state.w, 1), row3(state.w, 0)))
            across = add_scaled(toward, line, -dot(toward, line))
            if length_squared(across) > 1e-20:
                normal = normalize(across)
        elif dimension == 0 and length_squared(toward) > 1e-20:
            normal = normalize(toward)
        if dot(normal, toward) < 0.0:
            normal = scale(normal, -1.0)
        return 0.0, normal, point
    for i in range(4):
        size = max(size, length(row3(state.w, i)))
    for left_out in range(4):
        i, j, k = 1 if left_out == 0 else 0, 2 if left_out <= 1 else 1, 2 if left_out == 3 else 3
        base = row3(state.w, i)
        n = cross(subtract(row3(state.w, j), base), subtract(row3(state.w, k), base))
        is_inward = dot(n, subtract(row3(state.w, left_out), base)) > 0.0
        _add_face(state, i, k if is_inward else j, j if is_inward else k)
    best = 0
    for _ in range(MAX_POINTS):
        best = 0
        for face in range(1, state.face_count):
            if state.planes[face, 3] < state.planes[best, 3]:
                best = face
        normal = row3(state.planes, best)
        if state.point_count == MAX_POINTS:
            break
        w = _add_point(a, b, state, normal)
        size = max(size, length(w))
        if dot(normal, w) - state.planes[best, 3] <= TOLERANCE * size:
            break
        if not _expand(state, state.point_count - 1, 1e-12 * size):
            break
    return _answer(state, best, size)


@kernel
def _answer(state, best, size):
    """(depth, normal, point on A) of the nearest face; of several in one plane the one that holds the nearest point."""
    keep_as_call()
    depth, normal = state.planes[best, 3], row3(state.planes, best)
    foot = scale(normal, depth)
    point, nearest = (0.0, 0.0, 0.0), math.inf
    for face in range(state.face_count):
        if state.planes[face, 3] > depth + 1e-9 * size:
            continue
        i, j, k = state.corners[face, 0], state.corners[face, 1], state.corners[face, 2]
        a, b, c = subtract(row3(state.w, i), foot), subtract(row3(state.w, j), foot), subtract(row3(state.w, k), foot)
        s, t, u = weights_on_triangle(a, b, c)
        off = length_squared(add_scaled(add_scaled(scale(a, s), b, t), c, u))
        if off < nearest:
            nearest = off
            point = scale(row3(state.a, i), s)
            point = add_scaled(add_scaled(point, row3(state.a, j), t), row3(state.a, k), u)
    return max(depth, 0.0), normal, point
