"""The nodes of a mesh's tree, read eight children at a time. Nodes of a height field are made on demand."""

import numpy as np

from ..runtime.call import load_float32, load_int32, load_int64
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_row
from ..runtime.vector8 import fused_multiply_add, load8, load_bytes8, splat8, store8
from .height_field import fill_field_node
from .schema import MESH_CHILDREN, MESH_NODE, MESH_WIDTH

NODE_SIZE = MESH_NODE.itemsize
_STEPS, _ENTRIES, _BYTES = (MESH_NODE.fields[name][1] for name in ("step", "entries", "bounds"))
_FIELD_ENTRIES = MESH_CHILDREN.fields["entries"][1]


@kernel
def node_address(mesh, entry, scratch):
    """Compiled: the address of a node. A node of a height field is written to `scratch`, an array of one MESH_CHILDREN."""
    if mesh.heights != 0:
        fill_field_node(mesh, entry, scratch[0])
        return address_of_row(scratch, 0)
    return mesh.nodes + entry * NODE_SIZE


@kernel
def child_bounds(node, is_field, side, axis):
    """Compiled: the lower (`side` 0) or upper (1) bound of each child of the node at an address, along an axis."""
    if is_field:
        return load8(node + 32 * (3 * side + axis))
    base, step = load_float32(node + 4 * axis), load_float32(node + _STEPS + 4 * axis)
    return fused_multiply_add(load_bytes8(node + _BYTES + 8 * (3 * side + axis)), splat8(step), splat8(base))


@kernel
def child_entry(node, is_field, child):
    """Compiled: the entry of a child of the node at an address (schema.py)."""
    if is_field:
        return load_int64(node + _FIELD_ENTRIES + 8 * child)
    return np.int64(load_int32(node + _ENTRIES + 4 * child))


@kernel
def mesh_node(mesh, entry, scratch):
    """Compiled: write a node to `scratch`, an array of one MESH_CHILDREN."""
    node = node_address(mesh, entry, scratch)
    if mesh.heights == 0:
        target = address_of_row(scratch, 0)
        for side in range(2):
            for axis in range(3):
                store8(target + 32 * (3 * side + axis), child_bounds(node, False, side, axis))
        for child in range(MESH_WIDTH):
            scratch[0].entries[child] = child_entry(node, False, child)
    return scratch[0]


@kernel
def leaf_of(entry):
    """Compiled: the first triangle of a leaf, and its number of triangles."""
    return ~entry >> 4, ~entry & 15


@kernel
def push_nearest(entries, distances, begin, depth, entry, distance):
    """Compiled: push an entry on a stack of `depth` entries, so that the nearest of those from `begin` on is popped first."""
    place = depth
    while place > begin and distances[place - 1] < distance:
        distances[place], entries[place] = distances[place - 1], entries[place - 1]
        place -= 1
    distances[place], entries[place] = distance, entry
