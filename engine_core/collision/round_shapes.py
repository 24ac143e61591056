"""Spheres and capsules: with each other, with boxes and with hulls. All exact, in the frame of B.

A sphere is a capsule with a segment of no length, so two kernels suffice: segment against segment, segment against polytope.
"""

import math

import numpy as np

from ..geometry.gjk import BOX_CORE, CORE, POINTS_CORE_DOUBLE, SIMPLEX, gjk_distance
from ..geometry.polytopes import plane_distance, plane_normal, vertex
from ..geometry.segments import between, nearest_of_segments, nearest_on_segment
from ..geometry.vector import (
    add_scaled,
    cross,
    dot,
    length,
    length_squared,
    negate,
    normalize,
    perpendicular,
    scale,
    store3,
    subtract,
)
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view
from ..shapes.schema import CAPSULE
from .convex import write_contact, write_single_contact

PARALLEL_SINE_SQUARED = 0.001
"""Capsules within 1.8 degrees of a face, an edge or each other touch in two points; the error is 0.05 % of the radius."""


@kernel
def half_height_of(shape):
    return np.float64(shape.half_height) if shape.kind == CAPSULE else 0.0


@kernel
def segment_of(shape, position, rows):
    """The ends of the segment of a sphere or capsule at (`position`, `rows`)."""
    half = scale((rows[0][1], rows[1][1], rows[2][1]), half_height_of(shape))
    return subtract(position, half), add_scaled(position, half, 1.0)


@kernel
def write_segment_points(result, normal, radius_a, p, sp, q, sq, limit):
    """Write up to two points of a capsule A: at p and q of its segment, with core separations sp and sq along
    `normal`."""
    store3(result.normal, normal)
    result.face = -1
    count = 0
    for k in range(2):
        point, core = (p, sp) if k == 0 else (q, sq)
        separation = core - radius_a
        if separation <= limit:
            middle = add_scaled(point, normal, radius_a + 0.5 * separation)
            write_contact(result, count, middle, separation, np.int64(1 + k))
            count += 1
    result.point_count = count
    return count


@kernel
def collide_segments(a, b, position, rows, limit, result):
    """Collide sphere or capsule A at (`position`, `rows`) with sphere or capsule B. Return the number of points."""
    keep_as_call()
    height_a, height_b = half_height_of(a), half_height_of(b)
    radius_a, radius_b = np.float64(a.radius), np.float64(b.radius)
    axis_a = (rows[0][1], rows[1][1], rows[2][1])
    pa, qa = segment_of(a, position, rows)
    pb, qb = (0.0, -height_b, 0.0), (0.0, height_b, 0.0)
    s, t = nearest_of_segments(pa, qa, pb, qb)
    on_a, on_b = between(pa, qa, s), between(pb, qb, t)
    d = subtract(on_b, on_a)
    distance = length(d)
    separation = distance - radius_a - radius_b
    if separation > limit:
        return 0
    if distance > 1e-9 * (radius_a + radius_b + height_a + height_b):
        normal = scale(d, 1.0 / distance)
    else:
        # The segments cross: away from both, or from the only one, or up.
        normal = cross(axis_a, (0.0, 1.0, 0.0)) if height_a > 0.0 and height_b > 0.0 else (0.0, 0.0, 0.0)
        if length_squared(normal) > 1e-12:
            normal = normalize(normal)
        elif height_a > 0.0:
            normal = perpendicular(axis_a)
        elif height_b > 0.0:
            normal = (1.0, 0.0, 0.0)
        else:
            normal = (0.0, 1.0, 0.0)
        if dot(normal, position) > 0.0:
            normal = negate(normal)
    if height_a > 0.0 and height_b > 0.0 and axis_a[0] ** 2 + axis_a[2] ** 2 < PARALLEL_SINE_SQUARED:
        # Nearly parallel: the ends of the part of A's segment that lies beside B's.
        slope = 1.0 / (2.0 * height_a * axis_a[1])
        first, last = (-height_b - pa[1]) * slope, (height_b - pa[1]) * slope
        low, high = max(min(first, last), 0.0), min(max(first, last), 1.0)
        if (high - low) * height_a > 0.05 * min(radius_a, height_a):
            p, q = between(pa, qa, low), between(pa, qa, high)
            # B's segment is straight below each: along the normal freed of B's axis.
            flat = normalize((normal[0], 0.0, normal[2]))
            sp = -dot(flat, p) - radius_b
            sq = -dot(flat, q) - radius_b
            if length_squared(flat) > 0.5 and min(sp, sq) - radius_a < separation + 1e-3 * (radius_a + radius_b):
                return write_segment_points(result, flat, radius_a, p, sp, q, sq, limit)
    on_a, on_b = add_scaled(on_a, normal, radius_a), add_scaled(on_b, normal, -radius_b)
    write_single_contact(result, normal, on_a, on_b, separation, np.int64(1))
    return 1


@kernel
def collide_sphere_box(a, b, center, limit, result):
    """Collide sphere A at `center` with box B."""
    keep_as_call()
    radius = np.float64(a.radius)
    h = b.half_extents
    on_b = (
        min(max(center[0], -h[0]), h[0]),
        min(max(center[1], -h[1]), h[1]),
        min(max(center[2], -h[2]), h[2]),
    )
    d = subtract(on_b, center)
    distance = length(d)
    if distance > radius + limit:
        return 0
    if distance > 1e-9 * radius:
        normal = scale(d, 1.0 / distance)
    else:
        # The centre is inside: out through the nearest face.
        best, axis = math.inf, 0
        for k in range(3):
            inside = h[k] - abs((center[0], center[1], center[2])[k])
            if inside < best:
                best, axis = inside, k
        x, y, z = center
        if axis == 0:
            out = (1.0 if x > 0.0 else -1.0, 0.0, 0.0)
        elif axis == 1:
            out = (0.0, -1.0 if y < 0.0 else 1.0, 0.0)
        else:
            out = (0.0, 0.0, 1.0 if z > 0.0 else -1.0)
        distance = -best
        on_b = add_scaled(center, out, best)
        normal = negate(out)
    write_single_contact(result, normal, add_scaled(center, normal, radius), on_b, distance - radius, np.int64(1))
    return 1


@kernel
def segment_core(p, q, core):
    """Write the segment pq (or a point) as a row of CORE."""
    middle, half = between(p, q, 0.5), scale(subtract(q, p), 0.5)
    core.kind = BOX_CORE
    store3(core.extents, (0.0, 1.0, 0.0))
    store3(core.position, middle)
    for k in range(3):
        core.rotation[k, 0] = 0.0
        core.rotation[k, 2] = 0.0
    core.rotation[0, 1], core.rotation[1, 1], core.rotation[2, 1] = half


@kernel
def polytope_core(polytope, core):
    """Write a polytope as a row of CORE."""
    core.kind = POINTS_CORE_DOUBLE
    core.count = polytope.vertex_count
    core.points = polytope.vertices


@kernel
def segment_depth(p, q, polytope):
    """Depth of a segment that intersects a polytope: (separation, unit axis from the polytope to the segment, face or -1 - edge).

    The axes are the face normals, and the normals of the segment and each edge that can face it.
    """
    keep_as_call()
    best, best_face, axis = -math.inf, 0, (0.0, 0.0, 0.0)
    for face in range(polytope.face_count):
        n = plane_normal(polytope, face)
        separation = min(dot(n, p), dot(n, q)) - plane_distance(polytope, face)
        if separation > best:
            best, best_face, axis = separation, face, n
    d = subtract(q, p)
    size = length_squared(d)
    if size > 0.0:
        edges = view(polytope.edges, polytope.edge_count * 4, np.int32)
        for i in range(polytope.edge_count):
            nl, nr = plane_normal(polytope, edges[4 * i + 2]), plane_normal(polytope, edges[4 * i + 3])
            if dot(nl, d) * dot(nr, d) >= 0.0:
                continue
            e = vertex(polytope, edges[4 * i])
            n = cross(d, subtract(vertex(polytope, edges[4 * i + 1]), e))
            if length_squared(n) < 1e-8 * size * length_squared(subtract(vertex(polytope, edges[4 * i + 1]), e)):
                continue
            n = normalize(n)
            # Between the two normals is the one that is positive along both, or along the nearer of them.
            if dot(n, nl) + dot(n, nr) < 0.0:
                n = negate(n)
            separation = dot(n, subtract(p, e))
            if separation > best + 1e-4 * math.sqrt(size):
                best, best_face, axis = separation, -1 - i, n
    return best, axis, best_face


@kernel
def clip_segment_to_face(p, q, polytope, face):
    """Return the parameters (low, high) of the part of pq above a face; low > high if there is none."""
    keep_as_call()
    starts = view(polytope.face_starts, polytope.face_count + 1, np.int32)
    corners = view(polytope.face_vertices, starts[polytope.face_count], np.int32)
    n = plane_normal(polytope, face)
    low, high = 0.0, 1.0
    d = subtract(q, p)
    first, end = starts[face], starts[face + 1]
    for i in range(first, end):
        e = vertex(polytope, corners[i])
        along = subtract(vertex(polytope, corners[i + 1 if i + 1 < end else first]), e)
        outward = cross(along, n)
        start, change = dot(outward, subtract(p, e)), dot(outward, d)
        if abs(change) <= 1e-12 * length_squared(along):
            if start > 1e-9 * length_squared(along):
                return 1.0, 0.0
        elif change > 0.0:
            high = min(high, -start / change)
        else:
            low = max(low, -start / change)
    return low, high


@kernel
def _parallel_edge(p, q, polytope, normal, separation):
    """Return the parameters (low, high) of the part of pq beside a parallel edge that it touches; low > high if there is none."""
    keep_as_call()
    d = subtract(q, p)
    size = length_squared(d)
    edges = view(polytope.edges, polytope.edge_count * 4, np.int32)
    best_low, best_high = 1.0, 0.0
    for i in range(polytope.edge_count):
        e, f = vertex(polytope, edges[4 * i]), vertex(polytope, edges[4 * i + 1])
        along = subtract(f, e)
        edge_size = length_squared(along)
        if length_squared(cross(along, d)) > PARALLEL_SINE_SQUARED * edge_size * size:
            continue
        t = nearest_on_segment(e, f, between(p, q, 0.5))
        above = dot(normal, subtract(between(e, f, t), p))
        if above > separation + 1e-3 * math.sqrt(size) + 1e-9:
            continue
        first, last = dot(subtract(e, p), d) / size, dot(subtract(f, p), d) / size
        low, high = max(min(first, last), 0.0), min(max(first, last), 1.0)
        if high - low > best_high - best_low:
            best_low, best_high = low, high
    return best_low, best_high


@kernel
def collide_segment_polytope(radius, p, q, polytope, limit, result):
    """Collide sphere (p = q) or capsule A, with the segment pq, with polytope B. Return the number of points."""
    keep_as_call()
    cores = stack_array(2, CORE)
    segment_core(p, q, cores[0])
    polytope_core(polytope, cores[1])
    total = radius + polytope.radius
    middle = between(p, q, 0.5)
    simplex = stack_array(1, SIMPLEX)[0]
    _, v, on_a = gjk_distance(cores[0], cores[1], simplex, subtract(middle, polytope.center))
    distance = length(v)
    if distance > total + limit:
        return 0
    face = -1
    if distance < 1e-6 * length(subtract(q, p)) + 1e-7:
        distance, axis, face = segment_depth(p, q, polytope)
        normal = negate(axis)
        if face >= 0:
            # The deepest point. Along a face, the part of the segment beside the polytope is as deep but does not touch it.
            along = dot(axis, subtract(q, p))
            deepest = 0.0 if along > 0.0 else (1.0 if along < 0.0 else 0.5)
            low, high = clip_segment_to_face(p, q, polytope, face)
            on_a = between(p, q, min(max(deepest, low), high) if low <= high else deepest)
        else:
            edges = view(polytope.edges, polytope.edge_count * 4, np.int32)
            e, f = vertex(polytope, edges[4 * (-1 - face)]), vertex(polytope, edges[4 * (-1 - face) + 1])
            s, _ = nearest_of_segments(p, q, e, f)
            on_a = between(p, q, s)
    else:
        normal = scale(v, -1.0 / distance)
    on_b = add_scaled(on_a, normal, distance)
    size = length(subtract(q, p))
    if size > 0.0:
        if face < 0 and distance > 0.0:
            best = 1.0 - PARALLEL_SINE_SQUARED
            for i in range(polytope.face_count):
                facing = -dot(plane_normal(polytope, i), normal)
                if facing > best:
                    face, best = i, facing
        along = dot(normal, subtract(q, p))
        if along * along > PARALLEL_SINE_SQUARED * size * size:
            face, distance_of_edge = -1, -1.0  # one end touches, the other stands off
        else:
            distance_of_edge = distance
        if face >= 0:
            n = plane_normal(polytope, face)
            low, high = clip_segment_to_face(p, q, polytope, face)
            low, high = max(low, 0.0), min(high, 1.0)
            if high > low:
                a, b = between(p, q, low), between(p, q, high)
                above_a = dot(n, a) - plane_distance(polytope, face)
                above_b = dot(n, b) - plane_distance(polytope, face)
                if min(above_a, above_b) < distance + 1e-3 * radius + 1e-9 and (high - low) * size > 0.05 * radius:
                    r = polytope.radius
                    return write_segment_points(result, negate(n), radius, a, above_a - r, b, above_b - r, limit)
        elif distance_of_edge > 0.0:
            low, high = _parallel_edge(p, q, polytope, normal, distance)
            if (high - low) * size > 0.05 * radius:
                a, b = between(p, q, low), between(p, q, high)
                above_a = dot(normal, subtract(on_b, a)) - polytope.radius
                above_b = dot(normal, subtract(on_b, b)) - polytope.radius
                return write_segment_points(result, normal, radius, a, above_a, b, above_b, limit)
    separation = distance - total
    on_b = add_scaled(on_a, normal, distance - polytope.radius)
    write_single_contact(result, normal, add_scaled(on_a, normal, radius), on_b, separation, np.int64(1))
    return 1
