"""Walk over the triangles of a mesh in a box, for collision and queries.

query = stack_array(MESH_QUERY_SIZE, np.int64)
mesh_query_start(query)
triangle = mesh_query_next(mesh, query, bounds)
while triangle >= 0:
    a, b, c = mesh_corners(mesh, triangle)
    ...
    triangle = mesh_query_next(mesh, query, bounds)
"""

import numpy as np

from ..runtime.kernel import kernel
from ..runtime.memory import view, view2
from ..runtime.vector4 import count_trailing_zeros
from ..runtime.vector8 import mask_less_equal8, splat8
from .height_field import BLOCK_TRIANGLES, cell_of_face, field_active_edges, field_corners, field_face, field_has, next_block
from .mesh_node import NODE_SIZE, child_bounds, child_entry, leaf_of
from .schema import COS_ACTIVE, MESH, MESH_BLOCK, MESH_STACK_SIZE

MESH_QUERY_SIZE = MESH_STACK_SIZE + 4
"""Length of the int64 array that holds the state of a query."""
_MARGIN = 2e-7
"""Margin that exceeds the rounding of a bound to single precision, relative to the bound."""


@kernel
def mesh_of(shape):
    """Compiled: the MESH_BLOCK of a row of SHAPE of kind MESH, for a mesh or a height field."""
    return view(shape.block, 1, MESH_BLOCK)[0]


@kernel
def mesh_corners(mesh, triangle):
    """Compiled: the corners of a triangle, vectors of doubles, counter-clockwise seen from the front."""
    if mesh.heights != 0:
        return field_corners(mesh, triangle)
    triangles = view2(mesh.triangles, mesh.triangle_count, 3, np.int32)
    vertices = view2(mesh.vertices, mesh.vertex_count, 3, np.float32)
    a, b, c = triangles[triangle, 0], triangles[triangle, 1], triangles[triangle, 2]
    return (
        (np.float64(vertices[a, 0]), np.float64(vertices[a, 1]), np.float64(vertices[a, 2])),
        (np.float64(vertices[b, 0]), np.float64(vertices[b, 1]), np.float64(vertices[b, 2])),
        (np.float64(vertices[c, 0]), np.float64(vertices[c, 1]), np.float64(vertices[c, 2])),
    )


@kernel
def mesh_active_edges(mesh, triangle, is_behind):
    """Compiled: bit k is set if the edge from corner k to the next is active, seen from the front or from behind."""
    if mesh.heights != 0:
        return np.int64(field_active_edges(mesh, triangle, COS_ACTIVE))
    edges = np.int64(view(mesh.active_edges, mesh.triangle_count, np.uint8)[triangle])
    return edges >> 3 if is_behind else edges & 7


@kernel
def mesh_face(mesh, triangle):
    """Compiled: the user's index of a triangle."""
    if mesh.heights != 0:
        return np.int64(field_face(mesh, triangle))
    return np.int64(view(mesh.faces, mesh.triangle_count, np.int32)[triangle])


@kernel
def material_of(shape, face):
    """Compiled: the row of the material table for a triangle, by the user's index, or -1 for the body's friction and
    restitution."""
    if shape.kind != MESH or face < 0:
        return np.int64(-1)
    mesh = mesh_of(shape)
    place = face if mesh.heights == 0 else cell_of_face(face)
    if place >= mesh.face_count:
        return np.int64(-1)
    return np.int64(view(mesh.materials, mesh.face_count, np.uint8)[place])


@kernel
def surface_of(shape, material):
    """Compiled: (friction, restitution) of a row from `material_of`."""
    mesh = mesh_of(shape)
    table = view2(mesh.material_table, mesh.material_count, 2, np.float32)
    return np.float64(table[material, 0]), np.float64(table[material, 1])


@kernel
def mesh_has(mesh, triangle):
    """Compiled: whether a triangle exists. Leaves of a height field include holes."""
    return mesh.heights == 0 or field_has(mesh, triangle)


@kernel
def mesh_query_start(query):
    """Compiled: start a query. State: depth of the stack, next triangle of the leaf, triangles left in it, the stack."""
    query[0], query[1], query[2], query[3] = 1, 0, 0, 0


@kernel
def _overlaps(mesh, triangle, bounds):
    a, b, c = mesh_corners(mesh, triangle)
    return (
        min(a[0], min(b[0], c[0])) <= bounds[3] and max(a[0], max(b[0], c[0])) >= bounds[0]
        and min(a[1], min(b[1], c[1])) <= bounds[4] and max(a[1], max(b[1], c[1])) >= bounds[1]
        and min(a[2], min(b[2], c[2])) <= bounds[5] and max(a[2], max(b[2], c[2])) >= bounds[2]
    )  # fmt: skip


@kernel
def _children_in(node, bounds):
    """The children of the node at an address that overlap a box, with a small margin, as bits."""
    mask = np.int64(0xFF)
    for axis in range(3):
        low, high = np.float64(bounds[axis]), np.float64(bounds[3 + axis])
        low, high = np.float32(low - _MARGIN * abs(low)), np.float32(high + _MARGIN * abs(high))
        mask &= mask_less_equal8(child_bounds(node, False, 0, axis), splat8(high))
        mask &= mask_less_equal8(splat8(low), child_bounds(node, False, 1, axis))
    return mask


@kernel
def field_query_next(field, query, bounds):
    """The next triangle of a height field, like `mesh_query_next`, block by block along X. State: `query[3]` is the next
    block."""
    while True:
        while query[2] > 0:
            triangle = query[1]
            query[1] += 1
            query[2] -= 1
            if field_has(field, triangle) and _overlaps(field, triangle, bounds):
                return triangle
        block = next_block(field, query[3], bounds)
        if block < 0:
            return np.int64(-1)
        query[1], query[2], query[3] = BLOCK_TRIANGLES * block, BLOCK_TRIANGLES, block + 1


@kernel
def mesh_query_next(mesh, query, bounds):
    """Compiled: the next triangle whose bounds overlap `bounds` (min x, y, z, max x, y, z), or -1. Each is returned once."""
    if mesh.heights != 0:
        return field_query_next(mesh, query, bounds)
    while True:
        while query[2] > 0:
            triangle = query[1]
            query[1] += 1
            query[2] -= 1
            if _overlaps(mesh, triangle, bounds):
                return triangle
        if query[0] == 0:
            return np.int64(-1)
        query[0] -= 1
        entry = query[3 + query[0]]
        if entry < 0:
            query[1], query[2] = leaf_of(entry)
            continue
        node = mesh.nodes + entry * NODE_SIZE
        mask = _children_in(node, bounds)
        while mask != 0:
            query[3 + query[0]] = child_entry(node, False, count_trailing_zeros(mask))
            query[0] += 1
            mask &= mask - 1
