"""Cooking of hulls, meshes and height fields in compiled code alone, into memory of C (cooked_memory.py). The results are bit for
bit those of cooking.py, mesh_building.py and height_field_building.py.

Godot nodes set the same data twice, so data that equals the previous is not cooked again, and the row stays. The result is 0 for
data that cannot be cooked, becomes an empty shape, or needs a warning to the user: Python handles those. The entry points that
Python cooks with are called here by address, so that they are compiled once. One thread at a time may cook with
"""

import numpy as np

from ..geometry.hull_building import HULL_MEMORY, TOLERANCE, build_hull
from ..geometry.mass import polyhedron_mass_job
from ..geometry.quickhull import MAX_VERTICES
from ..geometry.vector import dot, store3, vector3
from ..runtime.c_memory import copy_memory, fill_memory, is_same_memory, memory_functions
from ..runtime.call import call_1, call_1_result, call_2, call_3
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of, address_of_row, stack_array, view
from . import mesh_building
from .cooked_memory import COOKED_MEMORY, aligned, allocate_block
from .height_field import BLOCK_CELLS, BLOCK_TRIANGLES, INSIDE_OUT
from .mesh_tree import ITEM_WORDS
from .schema import HEIGHT_FIELD, HULL, HULL_BLOCK, MAX_MESH_TRIANGLES, MESH, MESH_BLOCK, MESH_CHILDREN, MESH_NODE, SHAPE
from .solids import LARGEST, MOST_VOLUME

FLOAT32, INT32, INT64 = np.float32, np.int32, np.int64
LARGEST_FLOAT = np.finfo(np.float32).max
COOKING = np.dtype(
    [
        ("allocate", "i8"), ("free_memory", "i8"),  # addresses of C's malloc and free
        ("hull", "i8"),  # address of a HULL_MEMORY
        # Addresses of entry points
        ("build_hull", "i8"), ("polyhedron_mass", "i8"),
        ("weld", "i8"), ("build_tree", "i8"), ("pack_nodes", "i8"), ("renumber", "i8"), ("find_edges", "i8"),
    ],
    align=True,
)  # fmt: skip
# The request to an entry point of this module: addresses and counts.
REQUEST = np.dtype(
    [
        ("cooking", "i8"),  # COOKING
        ("given", "i8"),  # float32: points of a hull, corners of triangles, samples of a field
        ("count", "i8"),  # points, corners, samples along X
        ("depth", "i8"),  # samples along Z
        ("is_two_sided", "i8"),  # a mesh
        ("cooked", "i8"),  # a row of SHAPE of zeros, to be written
        ("before", "i8"),  # the previous COOKED_MEMORY, returned if the data is the same; or 0
    ],
    align=True,
)
VERTICES, PLANES, FACE_STARTS, FACE_VERTICES, EDGES = (
    HULL_MEMORY.fields[name][1] for name in ("vertices", "planes", "face_starts", "face_vertices", "edges")
)
HULL_BYTES, MESH_BYTES = HULL_BLOCK.itemsize, MESH_BLOCK.itemsize
LEVEL_WORDS = 3 * 64  # of more levels than any field has
CHILDREN_BYTES, NODE_BYTES = MESH_CHILDREN.itemsize, MESH_NODE.itemsize


class CompiledCooking:
    """The addresses that entry points of this module need. The entry points are loaded on first use."""

    def __init__(self):
        self._record, self._hull = np.zeros(1, COOKING), np.empty(1, HULL_MEMORY)
        self.record, self.address = self._record[0], address_of(self._record)
        self.record["allocate"], self.record["free_memory"] = memory_functions()
        self.record["hull"] = address_of(self._hull)

    def address_for(self, kind: int) -> int:
        """Address of the entry point that cooks this kind of shape; 0: none."""
        record = self.record
        if kind == HULL:
            record["build_hull"], record["polyhedron_mass"] = build_hull.address, polyhedron_mass_job.address
            return cook_hull.address
        if kind == MESH:
            for field, name in (("weld", "weld_mesh"), ("build_tree", "build_mesh_tree"), ("pack_nodes", "pack_mesh_nodes"),
                                ("renumber", "renumber_vertices"), ("find_edges", "find_active_edges")):  # fmt: skip
                record[field] = getattr(mesh_building, name).address
            return cook_mesh.address
        return cook_field.address if kind == HEIGHT_FIELD else 0


@kernel
def _are_within(address, count, largest):
    """Whether float32 numbers are finite and none is larger than `largest` in magnitude."""
    numbers, are_good = view(address, count, FLOAT32), True
    for i in range(count):
        are_good &= abs(numbers[i]) <= largest
    return are_good


@kernel
def _write_bounds(cooked, vertices, count):
    """Write the bounds of vertices, flat; no negative zeros."""
    for k in range(3):
        low, high = vertices[k], vertices[k]
        for i in range(1, count):
            low, high = min(low, vertices[3 * i + k]), max(high, vertices[3 * i + k])
        cooked.bounds[k], cooked.bounds[3 + k] = low + FLOAT32(0.0), high + FLOAT32(0.0)


# --- hulls ---


@kernel
def _weigh_hull(tools, made, cooked, result):
    """Write the mass properties of a hull to a row of SHAPE. `result`: ten doubles of scratch memory."""
    words = stack_array(4, np.int64)
    words[0], words[1] = tools.hull + VERTICES, tools.hull + FACE_STARTS
    words[2], words[3] = tools.hull + FACE_VERTICES, address_of_row(result, 0)
    for k in range(10):
        result[k] = 0.0
    call_3(tools.polyhedron_mass, address_of_row(words, 0), made.vertex_count, made.face_count)
    cooked.volume = FLOAT32(min(result[0], MOST_VOLUME))
    center, nearest = (result[1], result[2], result[3]), np.inf
    store3(cooked.center_of_mass, center)
    for k in range(6):
        cooked.inertia[k] = FLOAT32(result[4 + k])
    for face in range(made.face_count):
        plane = made.planes[face]
        nearest = min(nearest, np.float64(plane[3]) - dot(vector3(plane), center))
    cooked.inner_radius = FLOAT32(max(nearest, 0.0))
    return center


@kernel
def _pack_hull(tools, made, points, count, center):
    """Allocate a block and copy the built hull and its points to it."""
    vertex_bytes, plane_bytes, start_bytes = 12 * made.vertex_count, 16 * made.face_count, 4 * (made.face_count + 1)
    corner_bytes, edge_bytes = INT64(4) * made.face_starts[made.face_count], 16 * made.edge_count
    to_planes = aligned(HULL_BYTES) + aligned(vertex_bytes)
    to_starts = to_planes + aligned(plane_bytes)
    to_corners = to_starts + aligned(start_bytes)
    to_edges = to_corners + aligned(corner_bytes)
    to_points = to_edges + aligned(edge_bytes)
    memory = allocate_block(tools.allocate, to_points + 12 * count)
    if memory == 0:
        return memory
    header = view(memory, 1, COOKED_MEMORY)[0]
    at, block = header.block, view(header.block, 1, HULL_BLOCK)[0]
    block.vertex_count, block.face_count, block.edge_count = made.vertex_count, made.face_count, made.edge_count
    block.vertices, block.planes, block.face_starts = at + aligned(HULL_BYTES), at + to_planes, at + to_starts
    block.face_vertices, block.edges = at + to_corners, at + to_edges
    store3(block.center, center)
    copy_memory(block.vertices, tools.hull + VERTICES, vertex_bytes)
    copy_memory(block.planes, tools.hull + PLANES, plane_bytes)
    copy_memory(block.face_starts, tools.hull + FACE_STARTS, start_bytes)
    copy_memory(block.face_vertices, tools.hull + FACE_VERTICES, corner_bytes)
    copy_memory(block.edges, tools.hull + EDGES, edge_bytes)
    header.points, header.point_count = at + to_points, count
    copy_memory(header.points, points, 12 * count)
    return memory


@kernel
def _is_hull_of(header, points, count):
    return header.point_count == count and is_same_memory(header.points, points, 12 * count)


@entry_point("int64(int64)")
def cook_hull(address):
    """Cook the hull of points into the row of SHAPE and a block, for the REQUEST at an address. Return the address of the
    COOKED_MEMORY, or 0."""
    request = view(address, 1, REQUEST)[0]
    points, count = request.given, request.count
    if request.before != 0 and _is_hull_of(view(request.before, 1, COOKED_MEMORY)[0], points, count):
        return request.before
    if count == 0 or not _are_within(points, 3 * count, FLOAT32(LARGEST)):
        return INT64(0)
    tools, cooked = view(request.cooking, 1, COOKING)[0], view(request.cooked, 1, SHAPE)[0]
    made, result = view(tools.hull, 1, HULL_MEMORY)[0], stack_array(10, np.float64)
    made.points, made.point_count = points, count
    made.most_vertices, made.tolerance = MAX_VERTICES, TOLERANCE
    call_1(tools.build_hull, tools.hull)
    if made.vertex_count == 0 or made.left_out > 0.0:
        return INT64(0)
    center = _weigh_hull(tools, made, cooked, result)
    memory = _pack_hull(tools, made, points, count, center)
    if memory != 0:
        cooked.block = view(memory, 1, COOKED_MEMORY)[0].block
        vertices = view(view(cooked.block, 1, HULL_BLOCK)[0].vertices, 3 * made.vertex_count, FLOAT32)
        _write_bounds(cooked, vertices, made.vertex_count)
        cooked.kind = INT32(HULL)
    return memory


# --- meshes ---

# Scratch arrays for cooking a mesh, of `corner_count` corners or a third as many triangles.
MESH_WORK = np.dtype(
    [
        ("vertex_count", "i8"), ("triangle_count", "i8"), ("table_size", "i8"),  # as `weld_mesh` is given them
        ("node_count", "i8"), ("finished", "i8"),
        # Addresses
        ("vertices", "i8"), ("new_vertices", "i8"), ("numbers", "i8"), ("triangles", "i8"), ("ordered", "i8"), ("faces", "i8"),
        ("table", "i8"), ("items", "i8"), ("nodes", "i8"),
    ],
    align=True,
)  # fmt: skip
WORK_BYTES, FINISHED = MESH_WORK.itemsize, MESH_WORK.fields["finished"][1]


@kernel
def _begin_mesh(tools, corners, corner_count):
    """Make the MESH_WORK of triangles with three corners each, in Godot's winding. Return its address; 0: out of memory."""
    count, table_size = corner_count // 3, INT64(16)
    while table_size < 2 * corner_count:
        table_size *= 2
    node_count = count // 2 + 4
    corner_bytes, triangle_bytes = aligned(12 * corner_count), aligned(12 * count)
    size = (
        aligned(WORK_BYTES) + 2 * corner_bytes + 2 * triangle_bytes + aligned(4 * corner_count) + aligned(4 * count)
        + aligned(4 * table_size) + aligned(4 * ITEM_WORDS * count) + node_count * CHILDREN_BYTES
    )  # fmt: skip
    address = call_1_result(tools.allocate, size)
    if address == 0:
        return address
    work = view(address, 1, MESH_WORK)[0]
    work.vertex_count, work.triangle_count, work.table_size = corner_count, count, table_size
    work.node_count, work.finished = node_count, 0
    work.vertices = address + aligned(WORK_BYTES)
    work.new_vertices = work.vertices + corner_bytes
    work.triangles = work.new_vertices + corner_bytes
    work.ordered = work.triangles + triangle_bytes
    work.numbers = work.ordered + triangle_bytes
    work.faces = work.numbers + aligned(4 * corner_count)
    work.table = work.faces + aligned(4 * count)
    work.items = work.table + aligned(4 * table_size)
    work.nodes = work.items + aligned(4 * ITEM_WORDS * count)
    given, vertices = view(corners, 3 * corner_count, FLOAT32), view(work.vertices, 3 * corner_count, FLOAT32)
    for i in range(3 * corner_count):
        vertices[i] = given[i] + FLOAT32(0.0)  # -0 becomes 0: they weld
    triangles, faces = view(work.triangles, 3 * count, INT32), view(work.faces, count, INT32)
    for i in range(count):
        faces[i] = i
        for k in range(3):  # Godot's front is clockwise, the core's is not
            triangles[3 * i + k] = 3 * i + 2 - k
    fill_memory(work.table, 4 * table_size, INT32(-1))
    return address


@kernel
def _weld_and_order(tools, address):
    """Weld, build the tree, and number the vertices in the order the sorted triangles use them. False: no triangle has an
    area."""
    work, words = view(address, 1, MESH_WORK)[0], stack_array(8, np.int64)
    words[0], words[1], words[2], words[3], words[4] = address, work.vertices, work.triangles, work.faces, work.table
    corner_count = work.vertex_count
    call_1(tools.weld, address_of_row(words, 0))
    count = work.triangle_count
    if count == 0:
        return False
    words[0], words[1], words[2] = work.vertex_count, count, count // 2 + 4
    words[3], words[4], words[5], words[6] = work.vertices, work.triangles, work.items, work.nodes
    words[7] = address + FINISHED
    call_1(tools.build_tree, address_of_row(words, 0))
    work.node_count = words[2]
    items, triangles = view(work.items, ITEM_WORDS * count, INT32), view(work.triangles, 3 * count, INT32)
    ordered = view(work.ordered, 3 * count, INT32)
    for i in range(count):
        for k in range(3):
            ordered[3 * i + k] = triangles[3 * INT64(items[ITEM_WORDS * i + 6]) + k]
    fill_memory(work.numbers, 4 * corner_count, INT32(-1))
    words[0], words[1] = work.vertex_count, count
    words[2], words[3], words[4], words[5] = work.vertices, work.ordered, work.new_vertices, work.numbers
    call_1(tools.renumber, address_of_row(words, 0))
    work.vertex_count = words[0]
    return True


@kernel
def _pack_mesh(tools, address, is_two_sided):
    """Allocate a block and copy the result; its nodes and active edges are made in place."""
    work = view(address, 1, MESH_WORK)[0]
    count, vertex_bytes = work.triangle_count, 12 * work.vertex_count
    to_triangles = aligned(MESH_BYTES) + aligned(vertex_bytes)
    to_faces = to_triangles + aligned(12 * count)
    to_edges = to_faces + aligned(4 * count)
    to_nodes = to_edges + aligned(count)
    block_bytes = to_nodes + NODE_BYTES * work.node_count
    memory = allocate_block(tools.allocate, block_bytes)
    if memory == 0:
        return memory
    at = view(memory, 1, COOKED_MEMORY)[0].block
    fill_memory(at, MESH_BYTES, INT32(0))
    fill_memory(at + to_edges, block_bytes - to_edges, INT32(0))
    block = view(at, 1, MESH_BLOCK)[0]
    block.vertex_count, block.triangle_count, block.node_count = work.vertex_count, count, work.node_count
    block.vertices, block.triangles, block.faces = at + aligned(MESH_BYTES), at + to_triangles, at + to_faces
    block.active_edges, block.nodes = at + to_edges, at + to_nodes
    copy_memory(block.vertices, work.new_vertices, vertex_bytes)
    copy_memory(block.triangles, work.ordered, 12 * count)
    faces, given = view(block.faces, count, INT32), view(work.faces, count, INT32)
    items = view(work.items, ITEM_WORDS * count, INT32)
    for i in range(count):
        faces[i] = given[INT64(items[ITEM_WORDS * i + 6])]
    call_3(tools.pack_nodes, work.nodes, work.node_count, block.nodes)
    words = stack_array(6, np.int64)
    words[0], words[1], words[2], words[3] = block.vertex_count, count, block.vertices, block.triangles
    words[4], words[5] = block.active_edges, address + FINISHED
    call_2(tools.find_edges, address_of_row(words, 0), is_two_sided)
    return memory


@kernel
def _is_mesh_of(header, corners, corner_count, is_two_sided):
    """Whether a block was made of these triangles. If some were dropped, that is unknown."""
    block = view(header.block, 1, MESH_BLOCK)[0]
    count = block.triangle_count
    if header.corner_count != corner_count or header.is_two_sided != is_two_sided or 3 * count != corner_count:
        return False
    vertices, triangles = view(block.vertices, 3 * block.vertex_count, FLOAT32), view(block.triangles, 3 * count, INT32)
    given, faces = view(corners, 3 * corner_count, FLOAT32), view(block.faces, count, INT32)
    for i in range(count):
        for k in range(3):
            at, vertex = 3 * (3 * INT64(faces[i]) + 2 - k), 3 * INT64(triangles[3 * i + k])
            for axis in range(3):
                if given[at + axis] != vertices[vertex + axis]:
                    return False
    return True


@entry_point("int64(int64)")
def cook_mesh(address):
    """Cook triangles, clockwise seen from the front; see `cook_hull`."""
    request = view(address, 1, REQUEST)[0]
    corners, corner_count, is_two_sided = request.given, request.count, request.is_two_sided
    if request.before != 0 and _is_mesh_of(view(request.before, 1, COOKED_MEMORY)[0], corners, corner_count, is_two_sided):
        return request.before
    is_whole = 0 < corner_count <= 3 * MAX_MESH_TRIANGLES and corner_count % 3 == 0
    if not is_whole or not _are_within(corners, 3 * corner_count, LARGEST_FLOAT):
        return INT64(0)
    tools, cooked = view(request.cooking, 1, COOKING)[0], view(request.cooked, 1, SHAPE)[0]
    work = _begin_mesh(tools, corners, corner_count)
    if work == 0:
        return INT64(0)
    memory = _pack_mesh(tools, work, is_two_sided) if _weld_and_order(tools, work) else INT64(0)
    call_1(tools.free_memory, work)
    if memory != 0:
        header = view(memory, 1, COOKED_MEMORY)[0]
        cooked.block, header.corner_count, header.is_two_sided = header.block, corner_count, is_two_sided
        block = view(cooked.block, 1, MESH_BLOCK)[0]
        vertices, reach = view(block.vertices, 3 * block.vertex_count, FLOAT32), FLOAT32(0.0)
        for i in range(len(vertices)):
            reach = max(reach, abs(vertices[i]))
        block.reach = reach
        _write_bounds(cooked, vertices, block.vertex_count)
        cooked.has_backface_collision = INT32(is_two_sided)
        cooked.kind = INT32(MESH)
    return memory


# --- height fields ---


@kernel
def _level_count(width, depth):
    """The number of levels of the tree over so many samples, at least two."""
    width, depth, count = (width - 2 + BLOCK_CELLS) // BLOCK_CELLS, (depth - 2 + BLOCK_CELLS) // BLOCK_CELLS, 1
    while count < 2 or width > 1 or depth > 1:
        width, depth, count = (width + 1) // 2, (depth + 1) // 2, count + 1
    return count


@kernel
def _write_levels(levels, count, width, depth):
    """Write first node, width and depth of each level, the root first; flat. Return the number of nodes."""
    width, depth = (width - 2 + BLOCK_CELLS) // BLOCK_CELLS, (depth - 2 + BLOCK_CELLS) // BLOCK_CELLS
    for level in range(count - 1, -1, -1):
        levels[3 * level + 1], levels[3 * level + 2] = width, depth
        width, depth = (width + 1) // 2, (depth + 1) // 2
    node_count = INT64(0)
    for level in range(count):
        levels[3 * level] = node_count
        node_count += levels[3 * level + 1] * levels[3 * level + 2]
    return node_count


@kernel
def _range_of(values, row, first, last_x, last_z, step):
    """Return the lowest and highest of `values[first]` and its neighbours, up to `last_x` columns and `last_z` rows of `row`
    values away. `step`: values per entry, one, or two (lowest and highest). NaN is skipped; empty (low above high) if there is no
    other."""
    low, high = FLOAT32(INSIDE_OUT), FLOAT32(-INSIDE_OUT)
    for z in range(last_z + 1):
        for x in range(last_x + 1):
            at = step * (first + z * row + x)
            lower, higher = values[at], values[at + step - 1]
            if lower < low:
                low = lower
            if higher > high:
                high = higher
    return low + FLOAT32(0.0), high + FLOAT32(0.0)


@kernel
def _write_ranges(block):
    """Write the ranges of all nodes, from the blocks up."""
    heights = view(block.heights, block.width * block.depth, FLOAT32)
    ranges, levels = view(block.ranges, 2 * block.node_count, FLOAT32), view(block.levels, 3 * block.level_count, np.int64)
    for level in range(block.level_count - 1, -1, -1):
        first, width, depth = levels[3 * level], levels[3 * level + 1], levels[3 * level + 2]
        is_last = level == block.level_count - 1
        for z in range(depth):
            for x in range(width):
                if is_last:
                    right = min(BLOCK_CELLS, block.width - 1 - BLOCK_CELLS * x)
                    below = min(BLOCK_CELLS, block.depth - 1 - BLOCK_CELLS * z)
                    corner = BLOCK_CELLS * (z * block.width + x)
                    low, high = _range_of(heights, block.width, corner, right, below, INT64(1))
                else:
                    row = levels[3 * level + 4]
                    right, below = min(1, row - 1 - 2 * x), min(1, levels[3 * level + 5] - 1 - 2 * z)
                    child = levels[3 * level + 3] + 2 * (z * row + x)
                    low, high = _range_of(ranges, row, child, right, below, INT64(2))
                node = 2 * (first + z * width + x)
                ranges[node], ranges[node + 1] = low, high


@entry_point("int64(int64)")
def cook_field(address):
    """Cook samples, row by row along X, NaN for holes; see `cook_hull`."""
    request = view(address, 1, REQUEST)[0]
    tools, cooked = view(request.cooking, 1, COOKING)[0], view(request.cooked, 1, SHAPE)[0]
    heights, width, depth, count = request.given, request.count, request.depth, request.count * request.depth
    if request.before != 0:
        block = view(view(request.before, 1, COOKED_MEMORY)[0].block, 1, MESH_BLOCK)[0]
        if block.width == width and block.depth == depth and is_same_memory(block.heights, heights, 4 * count):
            return request.before
    samples = view(heights, count, FLOAT32)
    for i in range(count):
        if abs(samples[i]) > LARGEST_FLOAT:
            return INT64(0)
    level_count, words = _level_count(width, depth), stack_array(LEVEL_WORDS, np.int64)
    node_count = _write_levels(words, level_count, width, depth)
    to_ranges = aligned(MESH_BYTES) + aligned(4 * count)
    to_levels = to_ranges + aligned(8 * node_count)
    memory = allocate_block(tools.allocate, to_levels + 24 * level_count)
    if memory == 0:
        return memory
    at = view(memory, 1, COOKED_MEMORY)[0].block
    fill_memory(at, MESH_BYTES, INT32(0))
    block = view(at, 1, MESH_BLOCK)[0]
    block.heights, block.ranges, block.levels = at + aligned(MESH_BYTES), at + to_ranges, at + to_levels
    block.level_count, block.node_count, block.width, block.depth = level_count, node_count, width, depth
    block.block_width, block.block_depth = words[3 * level_count - 2], words[3 * level_count - 1]
    block.triangle_count = block.block_width * block.block_depth * BLOCK_TRIANGLES
    store3(block.scale, (1.0, 1.0, 1.0))
    copy_memory(block.heights, heights, 4 * count)
    copy_memory(block.levels, address_of_row(words, 0), 24 * level_count)
    _write_ranges(block)
    root = view(block.ranges, 2, FLOAT32)
    if root[0] > root[1]:  # all holes
        call_1(tools.free_memory, memory)
        return INT64(0)
    x, z = 0.5 * (width - 1), 0.5 * (depth - 1)
    store3(cooked.bounds, (-x, np.float64(root[0]), -z))
    store3(cooked.bounds[3:], (x, np.float64(root[1]), z))
    cooked.block, cooked.kind = at, INT32(MESH)
    return memory
