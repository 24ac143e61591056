"""The triangles of a mesh that lie in a box, one after the other; what collision and queries walk a mesh with.

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
from ..runtime.memory import address_of_row, view, view2
from .height_field import (
    BLOCK_TRIANGLES, field_active_edges, field_corners, field_face, field_has, fill_field_node, next_block,
)  # fmt: skip
from .mesh_building import COS_ACTIVE
from .mesh_tree import STACK_SIZE
from .schema import MESH_BLOCK, MESH_NODE

NODE_SIZE = MESH_NODE.itemsize
MESH_QUERY_SIZE = STACK_SIZE + 4
"""Length of the int64 array that holds the state of a query."""


@kernel
def mesh_of(shape):
    """Compiled: the MESH_BLOCK of a row of SHAPE whose kind is MESH: of a mesh or of a height field."""
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
def mesh_active_edges(mesh, triangle):
    """Compiled: bit k is set if the edge from corner k to the next is active."""
    if mesh.heights != 0:
        return np.int64(field_active_edges(mesh, triangle, COS_ACTIVE))
    return np.int64(view(mesh.active_edges, mesh.triangle_count, np.uint8)[triangle])


@kernel
def mesh_face(mesh, triangle):
    """Compiled: the user's index of a triangle."""
    if mesh.heights != 0:
        return np.int64(field_face(mesh, triangle))
    return np.int64(view(mesh.faces, mesh.triangle_count, np.int32)[triangle])


@kernel
def mesh_has(mesh, triangle):
    """Compiled: whether there is such a triangle: leaves of a height field name holes too."""
    return mesh.heights == 0 or field_has(mesh, triangle)


@kernel
def mesh_node(mesh, entry, scratch):
    """Compiled: a node of the tree; that of a height field is written to `scratch`, an array of one MESH_NODE."""
    if mesh.heights != 0:
        fill_field_node(mesh, entry, scratch[0])
        return scratch[0]
    return view(mesh.nodes, mesh.node_count, MESH_NODE)[entry]


@kernel
def mesh_node_address(mesh, entry, scratch):
    """Compiled: the address of a node; see `mesh_node`."""
    if mesh.heights != 0:
        fill_field_node(mesh, entry, scratch[0])
        return address_of_row(scratch, 0)
    return mesh.nodes + entry * NODE_SIZE


@kernel
def mesh_query_start(query):
    """Compiled: begin a query. State: depth of the stack, next triangle of the leaf, triangles left in it, the
    stack."""
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
def field_query_next(field, query, bounds):
    """`mesh_query_next` of a height field, block by block along X. State: `query[3]` is the next block."""
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
    """Compiled: the next triangle whose bounds overlap `bounds` (min x, y, z, max x, y, z), or -1. Each comes once, in
    the order of the tree."""
    if mesh.heights != 0:
        return field_query_next(mesh, query, bounds)
    nodes = view(mesh.nodes, mesh.node_count, MESH_NODE)
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
        if entry < 0:  # a leaf: first triangle and count
            query[1] = ~entry >> 4
            query[2] = ~entry & 15
            continue
        node = nodes[entry]
        box = node.bounds
        for child in range(3, -1, -1):
            if (
                box[0, child] <= bounds[3] and box[3, child] >= bounds[0]
                and box[1, child] <= bounds[4] and box[4, child] >= bounds[1]
                and box[2, child] <= bounds[5] and box[5, child] >= bounds[2]
            ):  # fmt: skip
                to = np.int64(node.children[child])
                if to < 0:
                    to = ~(~to << 4 | node.triangle_counts[child])
                query[3 + query[0]] = to
                query[0] += 1
