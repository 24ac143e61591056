"""Validation of the block of a hull, mesh or height field in a tile: its counts, offsets, indices and numbers.

Every array must lie in the block, every index in its array, and the nodes of a mesh must form a tree, so that no access leaves
the file's memory and every walk ends. `cook_hull`, `cook_mesh` and `cook_height_field` write blocks that pass.
"""

import numpy as np

from ..geometry.polytopes import MAX_EDGES, MAX_FACES, MAX_VERTICES
from ..runtime.kernel import kernel
from ..runtime.memory import view, view2
from ..shapes.height_field import BLOCK_CELLS, BLOCK_TRIANGLES, INSIDE_OUT
from ..shapes.schema import (
    HULL_BLOCK, MAX_LEAF_TRIANGLES, MAX_MESH_TRIANGLES, MESH_BLOCK, MESH_NODE, MESH_STACK_SIZE, MESH_WIDTH, NO_CHILD,
)  # fmt: skip
from .tile_limits import LARGEST, LARGEST_PLACE, SMALLEST, are_numbers, is_unit, lies_in

# Faults of a block; 0: none. tile_check.py has the words.
(
    BLOCK_PLACE, HULL_COUNTS, HULL_NUMBERS, HULL_FACES, HULL_EDGES, MESH_COUNTS, MESH_VERTICES, MESH_TRIANGLES, MESH_NODES,
    MATERIALS, FIELD,
) = range(101, 112)  # fmt: skip
DEEPEST = (MESH_STACK_SIZE - MESH_WIDTH) // (MESH_WIDTH - 1)
"""Greatest depth of a mesh's nodes below the root: a walk pushes eight for each that it pops."""
MOST_MATERIALS = 256
MOST_LEVELS = 32
"""Limit on the levels of a height field's tree."""
HULL_HEAD, MESH_HEAD, NODE_SIZE = HULL_BLOCK.itemsize, MESH_BLOCK.itemsize, MESH_NODE.itemsize


@kernel
def _are_vertices(address, count, bounds):
    """Whether vertices lie in the bounds of their shape. The bounds are finite, so the vertices are too."""
    vertices = view(address, 3 * count, np.float32)
    low_x, low_y, low_z, high_x, high_y, high_z = bounds[0], bounds[1], bounds[2], bounds[3], bounds[4], bounds[5]
    is_good = True
    for k in range(count):
        x, y, z = vertices[3 * k], vertices[3 * k + 1], vertices[3 * k + 2]
        is_good &= (low_x <= x) & (x <= high_x) & (low_y <= y) & (y <= high_y) & (low_z <= z) & (z <= high_z)
    return is_good


@kernel
def _are_faces(block, address):
    """Whether the faces are polygons of the hull's own vertices, on planes with normals of length 1."""
    starts = view(address + block.face_starts, block.face_count + 1, np.int32)
    corners = view(address + block.face_vertices, np.int64(starts[block.face_count]), np.int32)
    planes = view(address + block.planes, 4 * block.face_count, np.float32)
    is_good = True
    for face in range(block.face_count):
        is_good &= is_unit(planes, 4 * face, 3) and abs(planes[4 * face + 3]) <= 2.0 * LARGEST
        is_good &= starts[face] + 3 <= starts[face + 1]
    for k in range(starts[block.face_count]):
        is_good &= 0 <= corners[k] < block.vertex_count
    return is_good


@kernel
def _are_edges(block, address):
    """Whether the edges refer to vertices and faces of the hull."""
    edges = view2(address + block.edges, block.edge_count, 4, np.int32)
    is_good = True
    for i in range(block.edge_count):
        is_good &= 0 <= edges[i, 0] < block.vertex_count and 0 <= edges[i, 1] < block.vertex_count
        is_good &= 0 <= edges[i, 2] < block.face_count and 0 <= edges[i, 3] < block.face_count
    return is_good


@kernel
def hull_fault(shape, address, room):
    """Return (fault of the block of a hull at an address, end of its arrays [byte]). `room`: the bytes from there to the end of
    all blocks."""
    if room < HULL_HEAD:
        return BLOCK_PLACE, 0
    block = view(address, 1, HULL_BLOCK)[0]
    vertex_count, face_count, edge_count = block.vertex_count, block.face_count, block.edge_count
    if not (4 <= vertex_count <= MAX_VERTICES and 4 <= face_count <= MAX_FACES and 6 <= edge_count <= MAX_EDGES):
        return HULL_COUNTS, 0
    is_inside = lies_in(block.vertices, vertex_count, 12, HULL_HEAD, room)
    is_inside = is_inside and lies_in(block.planes, face_count, 16, HULL_HEAD, room)
    is_inside = is_inside and lies_in(block.face_starts, face_count + 1, 4, HULL_HEAD, room)
    if not (is_inside and lies_in(block.edges, edge_count, 16, HULL_HEAD, room)):
        return BLOCK_PLACE, 0
    starts = view(address + block.face_starts, face_count + 1, np.int32)
    corner_count = np.int64(starts[face_count])
    if starts[0] != 0 or corner_count != 2 * edge_count:
        return HULL_FACES, 0
    if not lies_in(block.face_vertices, corner_count, 4, HULL_HEAD, room):
        return BLOCK_PLACE, 0
    if not (_are_vertices(address + block.vertices, vertex_count, shape.bounds) and are_numbers(block.center, 3, LARGEST)):
        return HULL_NUMBERS, 0
    if not _are_faces(block, address):
        return HULL_FACES, 0
    if not _are_edges(block, address):
        return HULL_EDGES, 0
    end = max(block.vertices + 12 * vertex_count, block.planes + 16 * face_count)
    end = max(end, max(block.face_starts + 4 * (face_count + 1), block.face_vertices + 4 * corner_count))
    return 0, max(end, block.edges + 16 * edge_count)


@kernel
def _are_nodes(block, address):
    """Whether the nodes form a tree: each but the root is the child of one earlier node, none is too deep, and every leaf has its
    triangles. Then every walk ends and its stack is large enough."""
    nodes = view(address + block.nodes, block.node_count, MESH_NODE)
    depths = np.zeros(block.node_count, np.int32)
    is_good = True
    for i in range(block.node_count):
        node, depth = nodes[i], depths[i]
        if (i > 0 and depth == 0) or depth > DEEPEST:
            return False
        for axis in range(3):
            is_good &= abs(node.base[axis]) <= 2.0 * LARGEST and 0.0 <= node.step[axis] <= LARGEST
        for child in range(MESH_WIDTH):
            entry = np.int64(node.entries[child])
            if entry == NO_CHILD:
                continue
            if entry < 0:
                first, count = ~entry >> 4, ~entry & 15
                is_good &= 0 < count <= MAX_LEAF_TRIANGLES and first + count <= block.triangle_count
            else:
                if entry <= i or entry >= block.node_count or depths[entry] != 0:
                    return False
                depths[entry] = depth + 1
    return is_good


@kernel
def _are_triangles(block, address):
    """Whether triangles refer to existing corners, faces and edges."""
    corners = view(address + block.triangles, 3 * block.triangle_count, np.int32)
    faces = view(address + block.faces, block.triangle_count, np.int32)
    edges = view(address + block.active_edges, block.triangle_count, np.uint8)
    is_good, vertex_count = True, np.uint32(min(block.vertex_count, np.int64(1) << 31))
    for k in range(3 * block.triangle_count):
        is_good &= np.uint32(corners[k]) < vertex_count  # a negative index is above any count
    for k in range(block.triangle_count):
        is_good &= (faces[k] >= 0) & (edges[k] < 64)
    return is_good


@kernel
def _triangles_fault(shape, block, address, room):
    """Return (fault of a mesh of triangles, end of its arrays)."""
    vertex_count, triangle_count, node_count = block.vertex_count, block.triangle_count, block.node_count
    if not (3 <= vertex_count and 1 <= triangle_count <= MAX_MESH_TRIANGLES and 1 <= node_count):
        return MESH_COUNTS, 0
    if block.ranges != 0 or block.levels != 0:
        return MESH_COUNTS, 0
    is_inside = lies_in(block.vertices, vertex_count, 12, MESH_HEAD, room)
    is_inside = is_inside and lies_in(block.triangles, triangle_count, 12, MESH_HEAD, room)
    is_inside = is_inside and lies_in(block.faces, triangle_count, 4, MESH_HEAD, room)
    is_inside = is_inside and lies_in(block.active_edges, triangle_count, 1, MESH_HEAD, room)
    if not (is_inside and lies_in(block.nodes, node_count, NODE_SIZE, MESH_HEAD, room)):
        return BLOCK_PLACE, 0
    reach = 0.0
    for k in range(6):
        reach = max(reach, abs(np.float64(shape.bounds[k])))
    if block.reach != reach or not _are_vertices(address + block.vertices, vertex_count, shape.bounds):
        return MESH_VERTICES, 0
    if not _are_triangles(block, address):
        return MESH_TRIANGLES, 0
    if not _are_nodes(block, address):
        return MESH_NODES, 0
    end = max(block.vertices + 12 * vertex_count, block.triangles + 12 * triangle_count)
    end = max(end, max(block.faces + 4 * triangle_count, block.active_edges + triangle_count))
    return 0, max(end, block.nodes + NODE_SIZE * node_count)


@kernel
def _are_levels(block, address):
    """Whether each level of a field's tree halves the one below, down to the blocks, and nodes are numbered consecutively."""
    levels = view2(address + block.levels, block.level_count, 3, np.int64)
    width, depth = block.block_width, block.block_depth
    for level in range(block.level_count - 1, -1, -1):
        if levels[level, 1] != width or levels[level, 2] != depth:
            return False
        width, depth = (width + 1) // 2, (depth + 1) // 2
    first = np.int64(0)
    for level in range(block.level_count):
        if levels[level, 0] != first:
            return False
        first += levels[level, 1] * levels[level, 2]
    return levels[0, 1] == 1 and levels[0, 2] == 1 and first == block.node_count


@kernel
def _are_samples(block, address):
    """Whether samples are finite or holes, ranges finite or empty (low above high), and both at most LARGEST when scaled."""
    heights = view(address + block.heights, block.width * block.depth, np.float32)
    ranges = view2(address + block.ranges, block.node_count, 2, np.float32)
    is_good, most = True, np.float32(0.0)
    for k in range(block.width * block.depth):
        size = abs(heights[k])
        if size == size:  # NaN, a hole, is not equal to itself
            most = max(most, size)
    for k in range(block.node_count):
        low, high = ranges[k, 0], ranges[k, 1]
        is_hole = low == np.float32(INSIDE_OUT) and high == np.float32(-INSIDE_OUT)
        is_good &= is_hole or (-most <= low and low <= high and high <= most)
    return is_good and most <= LARGEST and most * block.scale[1] <= LARGEST


@kernel
def _field_fault(block, address, room):
    """Return (fault of a height field, end of its arrays)."""
    width, depth, scale = block.width, block.depth, block.scale
    if not (2 <= width <= room and 2 <= depth <= room // width and 2 <= block.level_count <= MOST_LEVELS):
        return FIELD, 0
    # Blocks of two cells a side; the last one may be incomplete.
    is_good = block.block_width == width // BLOCK_CELLS and block.block_depth == depth // BLOCK_CELLS
    is_good = is_good and block.triangle_count == block.block_width * block.block_depth * BLOCK_TRIANGLES
    is_good = is_good and block.vertices == 0 and block.triangles == 0 and block.faces == 0 and block.active_edges == 0
    is_good = is_good and block.nodes == 0 and block.reach == 0.0
    is_good = is_good and (block.face_count == 0 or block.face_count == (width - 1) * (depth - 1))
    is_good = is_good and SMALLEST <= scale[0] and SMALLEST <= scale[1] <= LARGEST and SMALLEST <= scale[2]
    if not (is_good and width * scale[0] <= LARGEST and depth * scale[2] <= LARGEST):
        return FIELD, 0
    is_inside = lies_in(block.heights, width * depth, 4, MESH_HEAD, room)
    is_inside = is_inside and lies_in(block.ranges, block.node_count, 8, MESH_HEAD, room)
    if not (is_inside and lies_in(block.levels, block.level_count, 24, MESH_HEAD, room)):
        return BLOCK_PLACE, 0
    if not (_are_levels(block, address) and _are_samples(block, address)):
        return FIELD, 0
    end = max(block.heights + 4 * width * depth, block.ranges + 8 * block.node_count)
    return 0, max(end, block.levels + 24 * block.level_count)


@kernel
def _are_materials(block, address, room):
    """Whether each material of a triangle or cell has a row in the table."""
    count = block.material_count
    if block.face_count == 0:
        return block.materials == 0 and block.material_table == 0 and count == 0
    if not (0 < count <= MOST_MATERIALS and lies_in(block.materials, block.face_count, 1, MESH_HEAD, room)):
        return False
    if not lies_in(block.material_table, count, 8, MESH_HEAD, room):
        return False
    rows = view(address + block.materials, block.face_count, np.uint8)
    is_good = are_numbers(view(address + block.material_table, 2 * count, np.float32), 2 * count, LARGEST_PLACE)
    for k in range(block.face_count):
        is_good &= rows[k] < count
    return is_good


@kernel
def mesh_fault(shape, address, room):
    """Return (fault of the block of a mesh or height field at an address, end of its arrays [byte])."""
    if room < MESH_HEAD:
        return BLOCK_PLACE, 0
    block = view(address, 1, MESH_BLOCK)[0]
    if block.heights != 0:
        fault, end = _field_fault(block, address, room)
    else:
        fault, end = _triangles_fault(shape, block, address, room)
    if fault == 0 and not _are_materials(block, address, room):
        fault = MATERIALS
    return fault, max(end, max(block.materials + block.face_count, block.material_table + 8 * block.material_count))
