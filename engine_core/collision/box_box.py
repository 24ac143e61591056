"""Box against box: fifteen separating axes, and clipping in the frame of the reference face, without a search for features.

The frame is that of B. `matrix` is the rotation of A in it, row by row: column j is axis j of A.
"""

import math

import numpy as np

from ..geometry.clipping import add_corner, clip_half_plane
from ..geometry.gjk import BOX_CORE, CORE
from ..geometry.segments import between, nearest_of_segments
from ..geometry.vector import add_scaled, dot, length, negate, scale, store3, subtract, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array
from .convex import FLAT, write_single_contact
from .distance import distance_of_cores
from .leaning import load_in_plane
from .reduce import open_sides, reduce_points
from .schema import MAX_POINTS

# Axes: 1 to 3 the faces of B, 4 to 6 the faces of A, 7 + 3 i + j the edge along axis i of B with the edge along axis
# j of A.
FACE_OF_B, FACE_OF_A, EDGES = 1, 4, 7

AXIS_TOLERANCE = 1e-3
AXIS_TOLERANCE_OF_SIZE = 0.01
MIN_SINE_SQUARED = 1e-6

BOX_PAIR = np.dtype(
    [
        ("a", "f8", 3),  # half extents [m]
        ("b", "f8", 3),
        ("t", "f8", 3),  # centre of A in the frame of B
        ("m", "f8", (3, 3)),  # rotation of A in the frame of B
        ("s", "f8", (3, 3)),  # its absolute values
    ],
    align=True,
)


@kernel
def load_pair(a, b, position, rows, pair):
    store3(pair.a, vector3(a.half_extents))
    store3(pair.b, vector3(b.half_extents))
    store3(pair.t, position)
    for i in range(3):
        for j in range(3):
            pair.m[i, j] = rows[i][j]
            pair.s[i, j] = abs(rows[i][j])


@kernel
def separation_of_edges(pair, i, j):
    """Separation along (axis i of B) x (axis j of A); -inf if they are parallel."""
    u, v = (i + 1) % 3, (i + 2) % 3
    p, q = (j + 1) % 3, (j + 2) % 3
    size = 1.0 - pair.m[i, j] * pair.m[i, j]
    if size < MIN_SINE_SQUARED:
        return -math.inf
    along = abs(pair.t[v] * pair.m[u, j] - pair.t[u] * pair.m[v, j])
    reach = pair.b[u] * pair.s[v, j] + pair.b[v] * pair.s[u, j] + pair.a[p] * pair.s[i, q] + pair.a[q] * pair.s[i, p]
    return (along - reach) / math.sqrt(size)


@kernel
def separation_of_face_b(pair, i):
    reach = pair.a[0] * pair.s[i, 0] + pair.a[1] * pair.s[i, 1] + pair.a[2] * pair.s[i, 2]
    return abs(pair.t[i]) - pair.b[i] - reach


@kernel
def separation_of_face_a(pair, j):
    along = pair.t[0] * pair.m[0, j] + pair.t[1] * pair.m[1, j] + pair.t[2] * pair.m[2, j]
    reach = pair.b[0] * pair.s[0, j] + pair.b[1] * pair.s[1, j] + pair.b[2] * pair.s[2, j]
    return abs(along) - pair.a[j] - reach


@kernel
def separation_of_axis(pair, axis):
    """Separation along one of the fifteen axes."""
    if axis < FACE_OF_A:
        return separation_of_face_b(pair, axis - FACE_OF_B)
    if axis < EDGES:
        return separation_of_face_a(pair, axis - FACE_OF_A)
    return separation_of_edges(pair, (axis - EDGES) // 3, (axis - EDGES) % 3)


@kernel
def find_axes(pair, limit, tolerance, cache):
    """Return the best face, preferring last step's, and the best pair of edges: (separation, axis, separation, axis).

    A separation above `limit` ends the search.
    """
    best, axis = -math.inf, FACE_OF_B
    for k in range(3):
        separation = separation_of_face_b(pair, k)
        if separation > best:
            best, axis = separation, FACE_OF_B + k
    of_a, face = -math.inf, FACE_OF_A
    for k in range(3):
        separation = separation_of_face_a(pair, k)
        if separation > of_a:
            of_a, face = separation, FACE_OF_A + k
    if of_a > best + tolerance:
        best, axis = of_a, face
    highest, edge = -math.inf, EDGES
    if max(best, of_a) > limit:
        return (best, axis, highest, edge) if best > limit else (of_a, face, highest, edge)
    if FACE_OF_B <= cache < EDGES and cache != axis:
        last = separation_of_axis(pair, cache)
        if last > best - tolerance:
            best, axis = last, cache
    for i in range(3):
        for j in range(3):
            separation = separation_of_edges(pair, i, j)
            if separation > highest:
                highest, edge = separation, EDGES + 3 * i + j
    return best, axis, highest, edge


@kernel
def face_contact(pair, axis, limit, polygons, result):
    """Clip the incident face in the frame of the reference face.

    Return (number of points, lowest separation, cosine between the faces).
    """
    keep_as_call()
    is_of_b = axis < FACE_OF_A
    r = axis - FACE_OF_B if is_of_b else axis - FACE_OF_A
    ru, rv = (r + 1) % 3, (r + 2) % 3
    # The incident box in the frame of the reference box: its centre c and its axes, columns of m.
    m = stack_array(9, np.float64)
    c = stack_array(3, np.float64)
    for i in range(3):
        along = pair.m[0, i] * pair.t[0] + pair.m[1, i] * pair.t[1] + pair.m[2, i] * pair.t[2]
        c[i] = pair.t[i] if is_of_b else -along
        for j in range(3):
            m[3 * i + j] = pair.m[i, j] if is_of_b else pair.m[j, i]
    reference, incident = (pair.b, pair.a) if is_of_b else (pair.a, pair.b)
    sign = 1.0 if c[r] >= 0.0 else -1.0
    k, most = 0, -1.0
    for j in range(3):
        size = abs(m[3 * r + j])
        if size > most + 1e-6:
            k, most = j, size
    side = -1.0 if m[3 * r + k] * sign > 0.0 else 1.0
    u, v = (k + 1) % 3, (k + 2) % 3
    polygon = polygons[0]
    polygon.count = 0
    for corner in range(4):
        su = incident[u] if corner == 1 or corner == 2 else -incident[u]
        sv = incident[v] if corner >= 2 else -incident[v]
        sk = side * incident[k]
        x = c[ru] + sk * m[3 * ru + k] + su * m[3 * ru + u] + sv * m[3 * ru + v]
        y = c[rv] + sk * m[3 * rv + k] + su * m[3 * rv + u] + sv * m[3 * rv + v]
        z = c[r] + sk * m[3 * r + k] + su * m[3 * r + u] + sv * m[3 * r + v]
        add_corner(polygon, x, y, sign * z - reference[r], corner)
    now = 0
    # Slightly outside counts as above the face: flush faces do not flicker.
    reach_u, reach_v = reference[ru] * (1.0 + 1e-7), reference[rv] * (1.0 + 1e-7)
    for edge in range(4):
        nx = (1.0 if edge == 0 else -1.0) if edge < 2 else 0.0
        ny = (1.0 if edge == 2 else -1.0) if edge >= 2 else 0.0
        if clip_half_plane(polygons[now], polygons[1 - now], nx, ny, reach_u if edge < 2 else reach_v, 4 + edge):
            now = 1 - now
    polygon = polygons[now]
    count = polygon.count
    if count == 0:
        return 0, math.inf, most
    faces = (axis << 3 | k << 1 | (1 if side > 0.0 else 0)) << 1 | (1 if sign > 0.0 else 0)
    lowest = math.inf
    last, kept = polygon.edge[count - 1], 0
    for i in range(count):
        edge, z = polygon.edge[i], polygon.z[i]
        lowest = min(lowest, z)
        if z <= limit:
            polygon.x[kept], polygon.y[kept], polygon.z[kept] = polygon.x[i], polygon.y[i], z
            polygon.edge[kept] = faces << 8 | last << 4 | edge
            kept += 1
        last = edge
    polygon.count = kept
    keep = stack_array(MAX_POINTS, np.int64)
    load = (False, 0.0, 0.0)
    if result.has_load != 0 and polygon.count > MAX_POINTS:
        load = load_in_reference(pair, is_of_b, ru, rv, r, sign * reference[r], result)
    kept = reduce_points(polygon, keep, 0.0, 0.0, load)
    result.open_sides = open_sides(polygon, keep, kept)
    result.point_count = kept
    result.face = -1
    p = stack_array(3, np.float64)
    # From A to B: away from the incident box if the reference is A's, towards the reference box if it is B's.
    p[ru], p[rv], p[r] = 0.0, 0.0, -sign if is_of_b else sign
    store_in_b(pair, p, is_of_b, False, result.normal)
    for i in range(kept):
        n = keep[i]
        p[ru], p[rv], p[r] = polygon.x[n], polygon.y[n], sign * (reference[r] + 0.5 * polygon.z[n])
        store_in_b(pair, p, is_of_b, True, result.points[i])
        result.separations[i] = polygon.z[n]
        result.features[i] = np.uint32(polygon.edge[n])
    return kept, lowest, most


@kernel
def load_in_reference(pair, is_of_b, ru, rv, r, height, result):
    """The load of a result in the plane of the reference face, at `height` over the centre of its box, about that centre:
    (whether it is known, x, y)."""
    if is_of_b:
        return load_in_plane(result, scale(unit(r), height), unit(ru), unit(rv), unit(r))
    u, v, n = column(pair, ru), column(pair, rv), column(pair, r)
    return load_in_plane(result, add_scaled(vector3(pair.t), n, height), u, v, n)


@kernel
def unit(i):
    """Axis i."""
    return (1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0)


@kernel
def column(pair, i):
    """Axis i of A in the frame of B."""
    return (np.float64(pair.m[0, i]), np.float64(pair.m[1, i]), np.float64(pair.m[2, i]))


@kernel
def store_in_b(pair, p, is_in_b, is_point, target):
    """Store the vector p of the reference box's frame in B's frame."""
    for i in range(3):
        if is_in_b:
            target[i] = p[i]
        else:
            moved = pair.m[i, 0] * p[0] + pair.m[i, 1] * p[1] + pair.m[i, 2] * p[2]
            target[i] = moved + (pair.t[i] if is_point else 0.0)


@kernel
def normal_of_edges(pair, axis):
    """The unit normal of two crossing edges, from A to B."""
    i, j = (axis - EDGES) // 3, (axis - EDGES) % 3
    u, v = (i + 1) % 3, (i + 2) % 3
    n = stack_array(3, np.float64)
    n[i], n[u], n[v] = 0.0, -pair.m[v, j], pair.m[u, j]
    normal = scale((n[0], n[1], n[2]), 1.0 / math.sqrt(n[u] * n[u] + n[v] * n[v]))
    return negate(normal) if dot(normal, vector3(pair.t)) > 0.0 else normal


@kernel
def edge_contact(pair, axis, result):
    """Fill `result` from two crossing edges. Return how far their nearest points are off the axis."""
    keep_as_call()
    i, j = (axis - EDGES) // 3, (axis - EDGES) % 3
    t = vector3(pair.t)
    normal = normal_of_edges(pair, axis)
    middle, half = stack_array(3, np.float64), stack_array(3, np.float64)
    feature = axis
    on_b = on_a = half_a = t
    for k in range(3):
        toward = (normal[0], normal[1], normal[2])[k]
        middle[k] = 0.0 if k == i else (-pair.b[k] if toward > 0.0 else pair.b[k])
        half[k] = pair.b[k] if k == i else 0.0
        feature = feature << 1 | (1 if toward > 0.0 else 0)
        column = (pair.m[0, k], pair.m[1, k], pair.m[2, k])
        if k == j:
            half_a = scale(column, pair.a[k])
        else:
            is_far = dot(column, normal) > 0.0
            on_a = add_scaled(on_a, column, pair.a[k] if is_far else -pair.a[k])
            feature = feature << 1 | (1 if is_far else 0)
    on_b, half_b = vector3(middle), vector3(half)
    pa, qa = subtract(on_a, half_a), add_scaled(on_a, half_a, 1.0)
    pb, qb = subtract(on_b, half_b), add_scaled(on_b, half_b, 1.0)
    s, r = nearest_of_segments(pa, qa, pb, qb)
    on_a, on_b = between(pa, qa, s), between(pb, qb, r)
    d = subtract(on_b, on_a)
    separation = dot(normal, d)
    write_single_contact(result, normal, on_a, on_b, separation, np.int64(0x8000 | feature))
    return length(add_scaled(d, normal, -separation))


@kernel
def nearest_contact(pair, limit, result):
    """Fill `result` with one point: the nearest ones, or the deepest if the boxes overlap. Return 1, or 0 if too far."""
    keep_as_call()
    cores = stack_array(2, CORE)
    for k in range(2):
        cores[k].kind = BOX_CORE
        store3(cores[k].extents, vector3(pair.a) if k == 0 else vector3(pair.b))
        for i in range(3):
            cores[k].position[i] = pair.t[i] if k == 0 else 0.0
            for j in range(3):
                cores[k].rotation[i, j] = pair.m[i, j] if k == 0 else (1.0 if i == j else 0.0)
    distance, on_a, on_b, normal = distance_of_cores(cores[0], cores[1], vector3(pair.t))
    if distance > limit:
        return 0
    write_single_contact(result, normal, on_a, on_b, distance, np.int64(2))
    return 1


@kernel
def collide_boxes(a, b, position, rows, limit, cache, polygons, result):
    """Manifold of boxes A at (`position`, `rows`) and B: (number of points, axis cache).

    `limit` is the speculative distance [m], `polygons` two rows of POLYGON for scratch.
    """
    keep_as_call()
    pair = stack_array(1, BOX_PAIR)[0]
    load_pair(a, b, position, rows, pair)
    if 0 < cache < EDGES + 9 and separation_of_axis(pair, cache) > limit:
        return 0, np.int64(cache)
    smallest = min(min(pair.a[0], pair.a[1], pair.a[2]), min(pair.b[0], pair.b[1], pair.b[2]))
    tolerance = min(AXIS_TOLERANCE, AXIS_TOLERANCE_OF_SIZE * smallest)
    best, axis, highest, edge = find_axes(pair, limit, tolerance, cache)
    if best > limit:
        return 0, axis
    if highest > limit:
        return 0, edge
    slack = 2.0 * tolerance + 1e-6
    is_edge = highest > best + (0.0 if cache >= EDGES else tolerance)
    count, lowest, facing = face_contact(pair, axis, limit, polygons, result)
    if count > 1 and is_edge and abs(lowest - highest) <= slack:
        # If the corners of nearly parallel faces, or of a face in the direction of the edges, give the same depth as the edges,
        # several points are better than one: on a single point, a body resting on an edge rocks forever. A face with one point
        # has no such advantage, and its normal may differ from that of the edges by 25 degrees.
        if facing > FLAT or dot(vector3(result.normal), normal_of_edges(pair, edge)) > FLAT:
            return count, edge
    if is_edge:
        off_axis = edge_contact(pair, edge, result)
        if highest <= 0.0 or off_axis <= slack:
            return 1, edge
    elif count > 0 and (lowest <= best + slack or best < -slack or facing > FLAT):
        return count, axis
    # Corner against corner, or edge against edge.
    return nearest_contact(pair, limit, result), axis
