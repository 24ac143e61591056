"""The triangles of shapes in their poses, for users of surfaces instead of solids: navigation meshes, pictures.

Round shapes are divided into SEGMENTS around and RINGS / 2 from pole to equator, with corners on the surface; support shapes into
twice as many rings. Triangles are counter-clockwise seen from outside.
"""

import math

import numpy as np

from ..geometry.angles import circle_point
from ..geometry.gjk import CORE
from ..geometry.vector import (
    add, add_scaled, cross, dot, length, matrix_rows, normalize, quaternion, rotate, rotate_inverse, scale, subtract,
    vector3,
)  # fmt: skip
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import stack_array, view
from ..shapes.core import IDENTITY_ROWS, ZERO, describe_core, set_core_pose
from ..shapes.mesh_query import MESH_QUERY_SIZE, mesh_corners, mesh_of, mesh_query_next, mesh_query_start
from ..shapes.schema import BOX, CAPSULE, CYLINDER, HULL, HULL_BLOCK, MESH, PLANE, SPHERE
from ..shapes.traits import is_support_shape
from .query_schema import PLACED_SHAPE
from .support_shapes import rounded_support

SEGMENTS, RINGS = 16, 8
STEP = 2.0 * math.pi / SEGMENTS
CIRCLE = tuple(circle_point(STEP * k) for k in range(SEGMENTS + 1))
"""Corners of the unit circle; a constant of compiled code."""
ARC = tuple(circle_point(math.pi * k / RINGS)[::-1] for k in range(RINGS + 1))
FINE_RINGS = 2 * RINGS
FINE_ARC = tuple(
    (circle_point(math.pi * k / FINE_RINGS)[1] if 0 < k < FINE_RINGS else 0.0, circle_point(math.pi * k / FINE_RINGS)[0])
    for k in range(FINE_RINGS + 1)
)
THIN = 1e-6
"""Corners closer to each other than this part of a shape's size are the same."""

TRIANGLE_REQUEST = np.dtype(
    [
        ("placed", "i8"), ("placed_count", "i8"),  # address of rows of PLACED_SHAPE
        ("zero", "f8", 3),  # origin of the result, world [m]
        ("low", "f8", 3), ("high", "f8", 3),  # the box of the wanted triangles, world [m]
        ("triangles", "i8"),  # address of float32 (capacity, 9), [m]
        ("bodies", "i8"),  # address of int32 (capacity): row of PLACED_SHAPE of each, or 0
        ("capacity", "i8"),
        ("count", "i8"),  # number of triangles; may exceed the capacity
        ("row", "i8"),
    ],
    align=True,
)


@kernel
def emit(request, placed, a, b, c):
    """Write one triangle in the frame of a shape, if its bounds touch the box."""
    keep_as_call()
    turn, place = quaternion(placed.rotation), vector3(placed.position)
    p, q, r = add(rotate(turn, a), place), add(rotate(turn, b), place), add(rotate(turn, c), place)
    for k in range(3):
        if min(p[k], min(q[k], r[k])) > request.high[k] or max(p[k], max(q[k], r[k])) < request.low[k]:
            return
    if request.count < request.capacity:
        out = view(request.triangles + 36 * request.count, 9, np.float32)
        for k in range(3):
            out[k] = np.float32(p[k] - request.zero[k])
            out[3 + k] = np.float32(q[k] - request.zero[k])
            out[6 + k] = np.float32(r[k] - request.zero[k])
        if request.bodies != 0:
            view(request.bodies, request.capacity, np.int32)[request.count] = np.int32(request.row)
    request.count += 1


@kernel
def emit_quad(request, placed, a, b, c, d):
    """Write a quad of four corners in order."""
    emit(request, placed, a, b, c)
    emit(request, placed, a, c, d)


@kernel
def emit_box(request, placed, half):
    """Write the six faces of a box."""
    for k in range(3):
        for side in range(2):
            sign = 1.0 if side == 1 else -1.0
            n = (sign * half[0] if k == 0 else 0.0, sign * half[1] if k == 1 else 0.0, sign * half[2] if k == 2 else 0.0)
            u = (half[0] if k == 2 else 0.0, half[1] if k == 0 else 0.0, half[2] if k == 1 else 0.0)
            v = scale((half[0] if k == 1 else 0.0, half[1] if k == 2 else 0.0, half[2] if k == 0 else 0.0), sign)
            a, b = subtract(subtract(n, u), v), subtract(add(n, u), v)
            emit_quad(request, placed, a, b, add(add(n, u), v), add(subtract(n, u), v))


@kernel
def ring_point(radius, half_height, ring, segment):
    """A corner of a sphere with its halves apart by the height of a capsule; rings RINGS / 2 and the next are both the
    equator."""
    place = ring if ring <= RINGS // 2 else ring - 1
    up = half_height if ring <= RINGS // 2 else -half_height
    r, y = radius * ARC[place][0], radius * ARC[place][1]
    return (r * CIRCLE[segment][0], y + up, r * CIRCLE[segment][1])


@kernel
def emit_round(request, placed, radius, half_height):
    """Write a sphere or a capsule."""
    for ring in range(RINGS + 1):
        if ring == RINGS // 2 and half_height == 0.0:
            continue
        for k in range(SEGMENTS):
            a, b = ring_point(radius, half_height, ring, k), ring_point(radius, half_height, ring, k + 1)
            c, d = ring_point(radius, half_height, ring + 1, k + 1), ring_point(radius, half_height, ring + 1, k)
            if ring == 0:
                emit(request, placed, a, c, d)
            elif ring == RINGS:
                emit(request, placed, a, b, d)
            else:
                emit_quad(request, placed, a, b, c, d)


@kernel
def emit_cylinder(request, placed, radius, half_height):
    """Write the mantle and caps of a cylinder."""
    h = half_height
    for k in range(SEGMENTS):
        x, z, next_x, next_z = CIRCLE[k][0], CIRCLE[k][1], CIRCLE[k + 1][0], CIRCLE[k + 1][1]
        a, b = (radius * x, h, radius * z), (radius * next_x, h, radius * next_z)
        c, d = (b[0], -h, b[2]), (a[0], -h, a[2])
        emit_quad(request, placed, a, b, c, d)
        emit(request, placed, (0.0, h, 0.0), b, a)
        emit(request, placed, (0.0, -h, 0.0), d, c)


@kernel
def core_point(shape, core, radius, ring, segment):
    """A corner of a support shape: its farthest point along a direction. The directions are even for an ellipsoid that fills the
    shape's bounds, so that a long shape has as many triangles along it as around it."""
    b = shape.bounds
    x, y, z = FINE_ARC[ring][0] * CIRCLE[segment][0], FINE_ARC[ring][1], FINE_ARC[ring][0] * CIRCLE[segment][1]
    return rounded_support(core, radius, (x / (b[3] - b[0]), y / (b[4] - b[1]), z / (b[5] - b[2])))


@kernel
def emit_thick(request, placed, a, b, c, least):
    """Write one triangle, unless two corners are closer than `least`: at an edge or a tip many directions share a point."""
    if length(subtract(a, b)) > least and length(subtract(b, c)) > least and length(subtract(c, a)) > least:
        emit(request, placed, a, b, c)


@kernel
def emit_support(request, placed):
    """Write a support shape: tapered capsule or cylinder, ellipsoid, custom shape."""
    keep_as_call()
    shape, core = placed.settings, stack_array(1, CORE)[0]
    set_core_pose(shape, core, ZERO, IDENTITY_ROWS)
    radius = describe_core(shape, core)
    bounds = shape.bounds
    least = THIN * max(np.float64(bounds[3] - bounds[0]), np.float64(bounds[4] - bounds[1]), np.float64(bounds[5] - bounds[2]))
    for ring in range(FINE_RINGS):
        for k in range(SEGMENTS):
            a, b = core_point(shape, core, radius, ring, k), core_point(shape, core, radius, ring, k + 1)
            c, d = core_point(shape, core, radius, ring + 1, k + 1), core_point(shape, core, radius, ring + 1, k)
            emit_thick(request, placed, a, b, c, least)
            emit_thick(request, placed, a, c, d, least)


@kernel
def emit_hull(request, placed, block):
    """Write each face of a hull as a fan."""
    vertices = view(block.vertices, 3 * block.vertex_count, np.float32)
    starts = view(block.face_starts, block.face_count + 1, np.int32)
    corners = view(block.face_vertices, starts[block.face_count], np.int32)
    for face in range(block.face_count):
        first = starts[face]
        a = vector3(vertices[3 * corners[first] :])
        for k in range(first + 1, starts[face + 1] - 1):
            emit(request, placed, a, vector3(vertices[3 * corners[k] :]), vector3(vertices[3 * corners[k + 1] :]))


@kernel
def local_box(request, placed, box):
    """The box of the request in the frame of a shape: six floats, slightly enlarged."""
    rows = matrix_rows(quaternion(placed.rotation))
    low, high = vector3(request.low), vector3(request.high)
    middle = rotate_inverse(quaternion(placed.rotation), subtract(scale(add(low, high), 0.5), vector3(placed.position)))
    h = scale(subtract(high, low), 0.5)
    for k in range(3):
        half = abs(rows[0][k]) * h[0] + abs(rows[1][k]) * h[1] + abs(rows[2][k]) * h[2]
        half += 1e-6 * (abs(middle[k]) + half) + 1e-6
        box[k], box[3 + k] = np.float32(middle[k] - half), np.float32(middle[k] + half)


@kernel
def emit_mesh(request, placed, mesh):
    """Write the triangles of a mesh or height field that lie in the box."""
    box, query = stack_array(6, np.float32), stack_array(MESH_QUERY_SIZE, np.int64)
    local_box(request, placed, box)
    mesh_query_start(query)
    triangle = mesh_query_next(mesh, query, box)
    while triangle >= 0:
        a, b, c = mesh_corners(mesh, triangle)
        emit(request, placed, a, b, c)
        triangle = mesh_query_next(mesh, query, box)


@kernel
def emit_plane(request, placed, plane):
    """Write a square of an infinite plane that covers the box."""
    n = vector3(plane)
    low, high = vector3(request.low), vector3(request.high)
    middle = rotate_inverse(quaternion(placed.rotation), subtract(scale(add(low, high), 0.5), vector3(placed.position)))
    way = subtract(high, low)
    reach = math.sqrt(dot(way, way))
    at = add_scaled(middle, n, np.float64(plane[3]) - dot(n, middle))
    side = (1.0, 0.0, 0.0) if abs(n[0]) < 0.7 else (0.0, 1.0, 0.0)
    u = scale(normalize(cross(side, n)), reach)
    v = cross(n, u)
    emit_quad(
        request, placed, subtract(subtract(at, u), v), subtract(add(at, u), v), add(add(at, u), v), add(subtract(at, u), v)
    )


@entry_point("int64(int64)")
def triangulate(address):
    """Fill the TRIANGLE_REQUEST at an address; return the number of triangles."""
    request = view(address, 1, TRIANGLE_REQUEST)[0]
    rows = view(request.placed, request.placed_count, PLACED_SHAPE)
    request.count = 0
    for number in range(request.placed_count):
        placed = rows[number]
        shape, request.row = placed.settings, number
        radius, half_height = np.float64(shape.radius), np.float64(shape.half_height)
        if shape.kind == BOX:
            emit_box(request, placed, vector3(shape.half_extents))
        elif shape.kind == SPHERE:
            emit_round(request, placed, radius, 0.0)
        elif shape.kind == CAPSULE:
            emit_round(request, placed, radius, half_height)
        elif shape.kind == CYLINDER:
            emit_cylinder(request, placed, radius, half_height)
        elif shape.kind == HULL:
            emit_hull(request, placed, view(shape.block, 1, HULL_BLOCK)[0])
        elif shape.kind == MESH:
            emit_mesh(request, placed, mesh_of(shape))
        elif shape.kind == PLANE:
            emit_plane(request, placed, shape.plane)
        elif is_support_shape(shape):
            emit_support(request, placed)
    return np.int64(request.count)
