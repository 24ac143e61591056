"""Convex polytopes in a common frame: the form in which boxes, hulls and triangles meet each other.

Faces are counter-clockwise seen from outside. An edge runs so that its left face lies to the left seen from outside:
its direction is that of (left normal) x (right normal). A triangle is a polytope with two faces, back to back.
"""

import numpy as np

from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .vector import add_scaled, cross, dot, length, scale, store3, subtract

MAX_VERTICES = 256
MAX_FACES = 512
MAX_EDGES = 768

POLYTOPE = np.dtype(
    [
        ("vertex_count", "i8"),
        ("face_count", "i8"),
        ("edge_count", "i8"),
        ("vertices", "i8"),  # address of float64 (vertex_count, 3)
        ("planes", "i8"),  # address of float64 (face_count, 4): unit outward normal, distance
        ("face_starts", "i8"),  # address of int32 (face_count + 1)
        ("face_vertices", "i8"),  # address of int32
        ("edges", "i8"),  # address of int32 (edge_count, 4): vertex, vertex, left face, right face
        ("center", "f8", 3),
        ("radius", "f8"),  # convex radius about it [m]
        ("inner_radius", "f8"),  # distance from the centre to the nearest face [m]; infinite for a triangle
    ],
    align=True,
)

# Where a polytope is kept while two shapes collide. The topology is used for boxes and triangles; hulls have their own.
POLYTOPE_MEMORY = np.dtype(
    [
        ("vertices", "f8", (MAX_VERTICES, 3)),
        ("planes", "f8", (MAX_FACES, 4)),
        ("face_starts", "i4", 8),
        ("face_vertices", "i4", 24),
        ("edges", "i4", (12, 4)),
    ],
    align=True,
)


@kernel
def vertex(polytope, i):
    """Vertex i of a polytope."""
    vertices = view(polytope.vertices, polytope.vertex_count * 3, np.float64)
    return (vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2])


@kernel
def plane_normal(polytope, face):
    planes = view(polytope.planes, polytope.face_count * 4, np.float64)
    return (planes[4 * face], planes[4 * face + 1], planes[4 * face + 2])


@kernel
def plane_distance(polytope, face):
    return view(polytope.planes, polytope.face_count * 4, np.float64)[4 * face + 3]


@kernel
def transform(rows, position, v):
    """rows v + position, `rows` being the rows of a rotation matrix."""
    return (dot(rows[0], v) + position[0], dot(rows[1], v) + position[1], dot(rows[2], v) + position[2])


@kernel
def column(rows, i):
    return (rows[0][i], rows[1][i], rows[2][i])


@kernel
def transform_inverse(rows, position, v):
    """The v of `transform` from its answer."""
    d = subtract(v, position)
    return (
        rows[0][0] * d[0] + rows[1][0] * d[1] + rows[2][0] * d[2],
        rows[0][1] * d[0] + rows[1][1] * d[1] + rows[2][1] * d[2],
        rows[0][2] * d[0] + rows[1][2] * d[1] + rows[2][2] * d[2],
    )


@kernel
def write_box_topology(memory):
    """Write `face_starts`, `face_vertices` and `edges` of a record. Vertex i of a box lies on the positive side of axis k if bit
    k of i is set; face 2 k + 1 is the positive one of k."""
    starts, corners, edges = memory.face_starts, memory.face_vertices, memory.edges
    n = 0
    for k in range(3):
        bit, bit_u, bit_v = 1 << k, 1 << ((k + 1) % 3), 1 << ((k + 2) % 3)
        at = 8 * k
        starts[2 * k], starts[2 * k + 1] = at, at + 4
        corners[at], corners[at + 1], corners[at + 2], corners[at + 3] = 0, bit_v, bit_u | bit_v, bit_u
        corners[at + 4], corners[at + 5] = bit, bit | bit_u
        corners[at + 6], corners[at + 7] = bit | bit_u | bit_v, bit | bit_v
        for side_u in range(2):
            for side_v in range(2):
                first = (bit_u if side_u == 1 else 0) | (bit_v if side_v == 1 else 0)
                face_u, face_v = 2 * ((k + 1) % 3) + side_u, 2 * ((k + 2) % 3) + side_v
                same = side_u == side_v
                edges[n, 0], edges[n, 1] = first, first | bit
                edges[n, 2], edges[n, 3] = face_u if same else face_v, face_v if same else face_u
                n += 1
    starts[6] = 24


@kernel
def box_polytope(half_extents, position, rows, memory, polytope):
    """Make a polytope of a box at `position`, with the rotation matrix `rows`, in `memory` (a row of
    POLYTOPE_MEMORY)."""
    keep_as_call()
    for i in range(8):
        corner = (
            half_extents[0] if i & 1 else -half_extents[0],
            half_extents[1] if i & 2 else -half_extents[1],
            half_extents[2] if i & 4 else -half_extents[2],
        )
        store3(memory.vertices[i], transform(rows, position, corner))
    for j in range(3):
        for k in range(3):
            memory.planes[2 * k + 1, j] = rows[j][k]
            memory.planes[2 * k, j] = -rows[j][k]
    for k in range(3):
        n = (memory.planes[2 * k + 1, 0], memory.planes[2 * k + 1, 1], memory.planes[2 * k + 1, 2])
        memory.planes[2 * k + 1, 3] = half_extents[k] + dot(n, position)
        memory.planes[2 * k, 3] = half_extents[k] - dot(n, position)
    write_box_topology(memory)
    polytope.vertex_count, polytope.face_count, polytope.edge_count = 8, 6, 12
    _point_at_memory(memory, polytope)
    store3(polytope.center, position)
    polytope.radius = 0.0
    polytope.inner_radius = min(half_extents[0], half_extents[1], half_extents[2])


@kernel
def _point_at_memory(memory, polytope):
    polytope.vertices = memory.vertices.ctypes.data
    polytope.planes = memory.planes.ctypes.data
    polytope.face_starts = memory.face_starts.ctypes.data
    polytope.face_vertices = memory.face_vertices.ctypes.data
    polytope.edges = memory.edges.ctypes.data


@kernel
def hull_polytope(vertices, planes, center, position, rows, memory, polytope):
    """Move a hull's float32 vertices and planes (flat arrays) to the common frame, into `memory` (a row of
    POLYTOPE_MEMORY).

    The caller sets the counts and the addresses of the topology of `polytope` beforehand.
    """
    keep_as_call()
    for i in range(polytope.vertex_count):
        v = (np.float64(vertices[3 * i]), np.float64(vertices[3 * i + 1]), np.float64(vertices[3 * i + 2]))
        store3(memory.vertices[i], transform(rows, position, v))
    polytope.inner_radius = np.inf
    for i in range(polytope.face_count):
        n = (np.float64(planes[4 * i]), np.float64(planes[4 * i + 1]), np.float64(planes[4 * i + 2]))
        # Singles are unit to 1e-7 only.
        unit = 1.0 / length(n)
        n, distance = scale(n, unit), planes[4 * i + 3] * unit
        inner = distance - dot(n, center)
        n = transform(rows, (0.0, 0.0, 0.0), n)
        store3(memory.planes[i], n)
        memory.planes[i, 3] = distance + dot(n, position)
        polytope.inner_radius = min(polytope.inner_radius, inner)
    polytope.vertices = memory.vertices.ctypes.data
    polytope.planes = memory.planes.ctypes.data
    store3(polytope.center, transform(rows, position, center))


@kernel
def triangle_polytope(a, b, c, memory, polytope):
    """Make a polytope of the triangle abc in `memory` (a row of POLYTOPE_MEMORY): face 0 is its front. False: it
    has no area."""
    keep_as_call()
    ab, ac = subtract(b, a), subtract(c, a)
    n = cross(ab, ac)
    size = length(n)
    if size <= 1e-12 * (dot(ab, ab) + dot(ac, ac)):
        return False
    n = scale(n, 1.0 / size)
    store3(memory.vertices[0], a)
    store3(memory.vertices[1], b)
    store3(memory.vertices[2], c)
    store3(memory.planes[0], n)
    store3(memory.planes[1], scale(n, -1.0))
    memory.planes[0, 3] = dot(n, a)
    memory.planes[1, 3] = -memory.planes[0, 3]
    for i in range(3):
        memory.face_starts[i] = 3 * i
        memory.face_vertices[i] = i
        memory.face_vertices[3 + i] = 2 - i
        memory.edges[i, 0], memory.edges[i, 1] = i, (i + 1) % 3
        memory.edges[i, 2], memory.edges[i, 3] = 0, 1
    polytope.vertex_count, polytope.face_count, polytope.edge_count = 3, 2, 3
    _point_at_memory(memory, polytope)
    store3(polytope.center, scale(add_scaled(add_scaled(a, b, 1.0), c, 1.0), 1.0 / 3.0))
    polytope.radius = 0.0
    polytope.inner_radius = np.inf
    return True
