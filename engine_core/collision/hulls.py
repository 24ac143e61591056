"""Contact manifolds of two polytopes: hulls, boxes and the triangles of meshes. In the frame of B.

Separating axes find how the two face each other. Then either the incident face is clipped against the reference face, or two
edges cross in one point. If the polytopes are apart and nothing lies above the reference face (corner against corner), the
nearest points are the contact, so that a separation is never underestimated.
"""

import math

import numpy as np

from ..geometry.clipping import add_corner, clip_half_plane
from ..geometry.gjk import CORE
from ..geometry.polytopes import plane_distance, plane_normal, transform, transform_inverse, vertex
from ..geometry.segments import between, nearest_of_segments
from ..geometry.separating_axis import axis_of_edges, best_edges, best_face, edge_ends, separation_of_face
from ..geometry.vector import add_scaled, cross, dot, length, negate, normalize, store3, subtract, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view
from ..shapes.schema import BOX, HULL, HULL_BLOCK
from .convex import FLAT, ZERO, write_contact, write_single_contact
from .distance import distance_of_cores
from .leaning import load_in_plane
from .reduce import open_sides, reduce_points
from .round_shapes import polytope_core
from .schema import MAX_POINTS

FACE_OF_A, FACE_OF_B, EDGES = 1, 2, 3

AXIS_TOLERANCE = 1e-3
"""An axis must be better by this [m] to replace a simpler one or last step's ..."""
AXIS_TOLERANCE_OF_SIZE = 0.01
"""... but at most by this part of the inner radius of the smaller polytope."""


@kernel
def encode_axis(kind, i, j):
    """Pack a separating axis into an int: 0 is none."""
    return kind << 28 | i << 14 | j


@kernel
def axis_tolerance(a, b):
    return min(AXIS_TOLERANCE, AXIS_TOLERANCE_OF_SIZE * min(a.inner_radius, b.inner_radius))


@kernel
def separation_of_cached(a, b, cache):
    """Separation along last step's axis; -inf if there is none or it is no longer a valid axis."""
    keep_as_call()
    kind, i, j = cache >> 28, cache >> 14 & 0x3FFF, cache & 0x3FFF
    if kind == FACE_OF_A and i < a.face_count:
        return separation_of_face(a, i, b)
    if kind == FACE_OF_B and i < b.face_count:
        return separation_of_face(b, i, a)
    if kind == EDGES and i < a.edge_count and j < b.edge_count:
        separation, _ = axis_of_edges(edge_ends(a, i), edge_ends(b, j))
        return separation
    return -math.inf


@kernel
def lowest_along(shape, n):
    """The least n . x over the core of a box or hull, in its own frame."""
    if shape.kind == BOX:
        half = vector3(shape.half_extents)
        return -(abs(n[0]) * half[0] + abs(n[1]) * half[1] + abs(n[2]) * half[2])
    block = view(shape.block, 1, HULL_BLOCK)[0]
    vertices = view(block.vertices, block.vertex_count * 3, np.float32)
    lowest = math.inf
    for i in range(block.vertex_count):
        lowest = min(lowest, n[0] * vertices[3 * i] + n[1] * vertices[3 * i + 1] + n[2] * vertices[3 * i + 2])
    return lowest


@kernel
def convex_radius(shape):
    """Distance from the core of a box or hull to its surface [m]."""
    return np.float64(shape.radius) if shape.kind == HULL else 0.0


@kernel
def is_above_plane(a, b, position, rows, limit):
    """Whether a box or hull A is farther than `limit` above a plane B. Needs no polytope."""
    n = vector3(b.plane)
    lowest = lowest_along(a, transform_inverse(rows, ZERO, n)) + dot(n, position)
    return lowest > b.plane[3] + limit + convex_radius(a)


@kernel
def is_apart_by_cached_face(a, b, position, rows, limit, cache):
    """Whether last step's face of a hull still separates shapes A and B by more than `limit`. Needs no polytopes."""
    kind, face = cache >> 28, cache >> 14 & 0x3FFF
    owner = a if kind == FACE_OF_A else b
    if owner.kind != HULL or (kind != FACE_OF_A and kind != FACE_OF_B):
        return False
    block = view(owner.block, 1, HULL_BLOCK)[0]
    if face >= block.face_count:
        return False
    planes = view(block.planes, block.face_count * 4, np.float32)
    n = vector3(planes[4 * face : 4 * face + 3])
    height = np.float64(planes[4 * face + 3]) + limit + convex_radius(a) + convex_radius(b)
    if kind == FACE_OF_A:
        n = transform(rows, ZERO, n)
        return lowest_along(b, n) > height + dot(n, position)
    return lowest_along(a, transform_inverse(rows, ZERO, n)) + dot(n, position) > height


@kernel
def find_face(a, b, limit, cache):
    """Return the face of least penetration, preferring last step's: (separation, FACE_OF_A or FACE_OF_B, face).

    A separation above `limit` ends the search.
    """
    keep_as_call()
    last_kind, last_face = cache >> 28, cache >> 14 & 0x3FFF
    tolerance = axis_tolerance(a, b)
    best, face = best_face(a, b, limit)
    if best > limit:
        return best, FACE_OF_A, face
    of_b, face_of_b = best_face(b, a, limit)
    if of_b > limit:
        return of_b, FACE_OF_B, face_of_b
    kind = FACE_OF_A
    if of_b > best + (tolerance if last_kind != FACE_OF_B else -tolerance):
        best, kind, face = of_b, FACE_OF_B, face_of_b
    if last_kind == kind:
        cached = separation_of_cached(a, b, cache)
        if cached > best - tolerance:
            best, face = cached, last_face
    return best, kind, face


@kernel
def most_opposed_face(polytope, n):
    """The face whose normal is most opposed to n."""
    best, best_face_index = math.inf, 0
    for face in range(polytope.face_count):
        along = dot(plane_normal(polytope, face), n)
        if along < best:
            best, best_face_index = along, face
    return best_face_index


@kernel
def load_face(polytope, face, origin, u, v, n, polygon):
    """Load the corners of a face in the plane frame (origin, u, v, n)."""
    keep_as_call()
    starts = view(polytope.face_starts, polytope.face_count + 1, np.int32)
    corners = view(polytope.face_vertices, starts[polytope.face_count], np.int32)
    polygon.count = 0
    first = starts[face]
    for i in range(first, starts[face + 1]):
        d = subtract(vertex(polytope, corners[i]), origin)
        add_corner(polygon, dot(d, u), dot(d, v), dot(d, n), np.int64(i - first))


@kernel
def face_frame(polytope, face):
    """The plane frame (origin, u, v) of a face; its normal is u x v."""
    starts = view(polytope.face_starts, polytope.face_count + 1, np.int32)
    corners = view(polytope.face_vertices, starts[polytope.face_count], np.int32)
    first = starts[face]
    origin = vertex(polytope, corners[first])
    u = normalize(subtract(vertex(polytope, corners[first + 1]), origin))
    return origin, u, cross(plane_normal(polytope, face), u)


@kernel
def clip_against_face(polytope, face, origin, u, v, polygons):
    """Clip the first of two polygons, in the plane frame of a face, against its sides. Return which one holds the result."""
    keep_as_call()
    starts = view(polytope.face_starts, polytope.face_count + 1, np.int32)
    corners = view(polytope.face_vertices, starts[polytope.face_count], np.int32)
    first, end = starts[face], starts[face + 1]
    now = 0
    for i in range(first, end):
        p = subtract(vertex(polytope, corners[i]), origin)
        q = subtract(vertex(polytope, corners[i + 1 if i + 1 < end else first]), origin)
        px, py = dot(p, u), dot(p, v)
        dx, dy = dot(q, u) - px, dot(q, v) - py
        size = math.sqrt(dx * dx + dy * dy)
        if size <= 0.0:
            continue
        nx, ny = dy / size, -dx / size
        # Slightly outside counts as above the face: flush faces do not flicker.
        reach, side = nx * px + ny * py + 1e-7 * size, np.int64(128 + i - first)
        if clip_half_plane(polygons[now], polygons[1 - now], nx, ny, reach, side):
            now = 1 - now
    return now


@kernel
def drop_corners(polygon, faces, limit):
    """Drop corners of a clipped polygon higher than `limit`; `edge` of the others becomes their feature. Return the lowest z."""
    lowest = math.inf
    kept = 0
    count = polygon.count
    last = polygon.edge[count - 1]
    for i in range(count):
        edge = polygon.edge[i]
        z = polygon.z[i]
        lowest = min(lowest, z)
        if z <= limit:
            polygon.x[kept], polygon.y[kept], polygon.z[kept] = polygon.x[i], polygon.y[i], z
            polygon.edge[kept] = faces << 16 ^ (last & 0xFF) << 8 ^ (edge & 0xFF)
            kept += 1
        last = edge
    polygon.count = kept
    return lowest


@kernel
def is_above_face(polytope, face, p):
    """Whether a point lies straight above or below a face."""
    starts = view(polytope.face_starts, polytope.face_count + 1, np.int32)
    corners = view(polytope.face_vertices, starts[polytope.face_count], np.int32)
    n = plane_normal(polytope, face)
    first, end = starts[face], starts[face + 1]
    for i in range(first, end):
        e = vertex(polytope, corners[i])
        along = subtract(vertex(polytope, corners[i + 1 if i + 1 < end else first]), e)
        if dot(cross(along, n), subtract(p, e)) > 1e-7 * dot(along, along):
            return False
    return True


@kernel
def deepest_vertex(polytope, reference, face):
    """The vertex that is lowest over a face of another polytope: (its height over the face's plane, vertex)."""
    n = plane_normal(reference, face)
    lowest, lowest_i = math.inf, 0
    for i in range(polytope.vertex_count):
        along = dot(n, vertex(polytope, i))
        if along < lowest:
            lowest, lowest_i = along, i
    return lowest - plane_distance(reference, face), lowest_i


@kernel
def half_way(reference, incident, z):
    """Height over a face of the point midway between the surfaces, each its radius off its core, for a core point at height z."""
    return 0.5 * (z + reference.radius - incident.radius)


@kernel
def face_contact(a, b, is_face_of_b, face, limit, polygons, result):
    """Fill `result` from a reference face: (number of points, lowest core separation, cosine between the faces)."""
    keep_as_call()
    reference, incident = (b, a) if is_face_of_b else (a, b)
    n = plane_normal(reference, face)
    incident_face = most_opposed_face(incident, n)
    facing = -dot(plane_normal(incident, incident_face), n)
    radii = a.radius + b.radius
    origin, u, v = face_frame(reference, face)
    load_face(incident, incident_face, origin, u, v, n, polygons[0])
    polygon = polygons[clip_against_face(reference, face, origin, u, v, polygons)]
    faces = (face & 0x7F) << 8 | (incident_face & 0x7F) << 1 | (1 if is_face_of_b else 0)
    lowest = drop_corners(polygon, faces, limit + radii) if polygon.count > 0 else math.inf
    deepest, deepest_i = deepest_vertex(incident, reference, face)
    if deepest + 1e-6 < lowest and deepest <= limit + radii:
        # The deepest vertex may not belong to the face most opposed to the normal.
        p = vertex(incident, deepest_i)
        if is_above_face(reference, face, p):
            d = subtract(p, origin)
            add_corner(polygon, dot(d, u), dot(d, v), deepest, np.int64(0x10000000 | faces << 8 | deepest_i))
            lowest = deepest
    if polygon.count == 0:
        return 0, math.inf, facing
    keep = stack_array(MAX_POINTS, np.int64)
    slide, load = vector3(result.slide), load_in_plane(result, origin, u, v, n)
    count = reduce_points(polygon, keep, dot(u, slide), dot(v, slide), load)
    result.open_sides = open_sides(polygon, keep, count)
    store3(result.normal, negate(n) if is_face_of_b else n)
    result.point_count = count
    result.face = -1
    for k in range(count):
        i = keep[k]
        z = polygon.z[i]
        height = half_way(reference, incident, z)
        point = add_scaled(add_scaled(add_scaled(origin, u, polygon.x[i]), v, polygon.y[i]), n, height)
        write_contact(result, k, point, z - radii, polygon.edge[i])
    return count, lowest, facing


@kernel
def include_deepest(a, b, is_face_of_b, face, result):
    """Add the deepest vertex if it lies outside the reference face: with nearly coplanar faces, last step's may be chosen while
    the vertex lies in its neighbour."""
    result.open_sides = 0
    reference, incident = (b, a) if is_face_of_b else (a, b)
    z, deepest = deepest_vertex(incident, reference, face)
    slot = np.int64(result.point_count)
    if slot == MAX_POINTS:
        slot = 0
        for k in range(1, MAX_POINTS):
            if result.separations[k] > result.separations[slot]:
                slot = k
    else:
        result.point_count = slot + 1
    point = add_scaled(vertex(incident, deepest), plane_normal(reference, face), half_way(reference, incident, z) - z)
    feature = (face & 0x7F) << 8 | (deepest & 0x7F) << 1 | (1 if is_face_of_b else 0)
    write_contact(result, slot, point, z - reference.radius - incident.radius, np.int64(0x10000000 | feature))


@kernel
def edge_contact(a, b, edge_a, edge_b, axis, result):
    """Fill `result` from two crossing edges. Return the core distance of the nearest points along the axis."""
    keep_as_call()
    edges_a = view(a.edges, a.edge_count * 4, np.int32)
    edges_b = view(b.edges, b.edge_count * 4, np.int32)
    pa, qa = vertex(a, edges_a[4 * edge_a]), vertex(a, edges_a[4 * edge_a + 1])
    pb, qb = vertex(b, edges_b[4 * edge_b]), vertex(b, edges_b[4 * edge_b + 1])
    s, t = nearest_of_segments(pa, qa, pb, qb)
    on_a, on_b = between(pa, qa, s), between(pb, qb, t)
    d = subtract(on_b, on_a)
    core = dot(axis, d)
    off_axis = length(add_scaled(d, axis, -core))
    on_a, on_b = add_scaled(on_a, axis, a.radius), add_scaled(on_b, axis, -b.radius)
    feature = 0x80000000 | (edge_a & 0x7FFF) << 15 | (edge_b & 0x7FFF)
    write_single_contact(result, axis, on_a, on_b, core - a.radius - b.radius, feature)
    return core, off_axis


@kernel
def nearest_contact(a, b, limit, result):
    """Fill `result` with one point: the nearest ones, or the deepest if the polytopes overlap. Return 1, or 0 if too far."""
    keep_as_call()
    cores = stack_array(2, CORE)
    polytope_core(a, cores[0])
    polytope_core(b, cores[1])
    distance, on_a, on_b, normal = distance_of_cores(
        cores[0], cores[1], subtract(vector3(a.center), vector3(b.center))
    )
    separation = distance - a.radius - b.radius
    if separation > limit:
        return 0
    on_a, on_b = add_scaled(on_a, normal, a.radius), add_scaled(on_b, normal, -b.radius)
    write_single_contact(result, normal, on_a, on_b, separation, np.int64(2))
    return 1


@kernel
def collide_polytopes(a, b, limit, cache, polygons, result):
    """Compute the manifold of two polytopes (rows of POLYTOPE). Return (number of points, axis cache).

    `limit` is the speculative distance [m], `polygons` two rows of POLYGON for scratch.
    """
    keep_as_call()
    core_limit = limit + a.radius + b.radius
    if separation_of_cached(a, b, cache) > core_limit:
        return 0, cache
    best, kind, face = find_face(a, b, core_limit, cache)
    face_cache = encode_axis(kind, face, 0)
    if best > core_limit:
        return 0, face_cache
    tolerance = axis_tolerance(a, b)
    slack = 2.0 * tolerance + 1e-6
    highest, edge_a, edge_b, axis = best_edges(a, b, core_limit, max(-best, core_limit) + slack)
    edge_cache = encode_axis(EDGES, edge_a, edge_b)
    if highest > core_limit:
        return 0, edge_cache
    is_edge = highest > best + (0.0 if cache >> 28 == EDGES else tolerance)
    count, lowest, facing = face_contact(a, b, kind == FACE_OF_B, face, limit, polygons, result)
    if count > 0 and is_edge and abs(lowest - highest) <= slack:
        # If the corners of nearly parallel faces, or of a face in the direction of the edges, give the same depth as the edges,
        # several points are better than one: on a single point, a body resting on an edge rocks forever.
        if facing > FLAT or dot(vector3(result.normal), axis) > FLAT:
            return count, edge_cache
    if not is_edge and count > 0 and (lowest <= best + slack or (best > 0.0 and facing > FLAT)):
        return count, face_cache
    # The lowest corner is not above the face, or two edges cross.
    if is_edge or (best <= -slack and highest > best - slack):
        _, off_axis = edge_contact(a, b, edge_a, edge_b, axis, result)
        if highest <= 0.0 or off_axis <= slack:
            return 1, edge_cache
    elif best <= -slack and count > 0:
        include_deepest(a, b, kind == FACE_OF_B, face, result)
        return np.int64(result.point_count), face_cache
    return nearest_contact(a, b, limit, result), face_cache
