"""A shape stretched for one query: compiled code writes it to a spare row of SHAPE as `settings.stretched` and cooking would,
except for what only a body needs (volume and inertia of a hull).

A stretched hull keeps its faces and edges, so it is not built again. A sheared box is a hull with the faces of a box. Planes,
meshes, mirrored shapes that are not their own mirror image, and other rare kinds are left to Python.
"""

import math

import numpy as np

from ..geometry.polytopes import write_box_topology
from ..geometry.principal_axes import principal_axes
from ..geometry.vector import cross, dot, length, scale, store3, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_row, view
from .schema import BOX, CAPSULE, HULL, HULL_BLOCK, SHAPE, SPHERE
from .solids import are_sizes, write_solid
from .stretch import SAME_AXES
from .traits import has_sizes

FLOAT32, INT32, INT64 = np.float32, np.int32, np.int64
SMALLEST_VOLUME = 1e-12
"""A basis with a smaller determinant counts as flat."""
BOX_BLOCK = np.dtype(
    [("block", "u1", HULL_BLOCK.itemsize), ("vertices", "f4", (8, 3)), ("planes", "f4", (6, 4)), ("face_starts", "i4", 8),
     ("face_vertices", "i4", 24), ("edges", "i4", (12, 4))], align=True
)  # fmt: skip
"""The block of a sheared box: HULL_BLOCK, then its arrays."""
HULL_BYTES, BOX_BYTES, SHAPE_BYTES = HULL_BLOCK.itemsize, BOX_BLOCK.itemsize, SHAPE.itemsize


@kernel
def multiply_rows(rows, v):
    """A matrix, given by its rows, times a vector."""
    return (dot(rows[0], v), dot(rows[1], v), dot(rows[2], v))


@kernel
def _symmetric(values, x, y, z):
    """The rows of the symmetric matrix with these values along these principal axes."""
    a, b, c = values
    xy = a * x[0] * x[1] + b * y[0] * y[1] + c * z[0] * z[1]
    xz = a * x[0] * x[2] + b * y[0] * y[2] + c * z[0] * z[2]
    yz = a * x[1] * x[2] + b * y[1] * y[2] + c * z[1] * z[2]
    return (
        (a * x[0] * x[0] + b * y[0] * y[0] + c * z[0] * z[0], xy, xz),
        (xy, a * x[1] * x[1] + b * y[1] * y[1] + c * z[1] * z[1], yz),
        (xz, yz, a * x[2] * x[2] + b * y[2] * y[2] + c * z[2] * z[2]),
    )


@kernel
def split_rows(rows):
    """Split a basis, three rows, into `(is_possible, is_mirrored, rows of the rotation, of the stretch, of its inverse)`, like
    `stretch.split_basis`, except that a mirroring is reported: rotation and stretch then belong to the basis times -1."""
    a, b, c = rows
    volume = dot(cross(a, b), c)
    is_mirrored = volume < 0.0
    if is_mirrored:
        a, b, c = scale(a, -1.0), scale(b, -1.0), scale(c, -1.0)
    x, y, z = (a[0], b[0], c[0]), (a[1], b[1], c[1]), (a[2], b[2], c[2])
    values, p, q, r = principal_axes((dot(x, x), dot(y, y), dot(z, z), dot(x, y), dot(x, z), dot(y, z)))
    is_possible = abs(volume) >= SMALLEST_VOLUME and values[0] > 0.0 and values[1] > 0.0 and values[2] > 0.0
    if not is_possible:
        values = (1.0, 1.0, 1.0)
    sizes = (math.sqrt(values[0]), math.sqrt(values[1]), math.sqrt(values[2]))
    stretch = _symmetric(sizes, p, q, r)
    inverse = _symmetric((1.0 / sizes[0], 1.0 / sizes[1], 1.0 / sizes[2]), p, q, r)
    turned = (multiply_rows(inverse, a), multiply_rows(inverse, b), multiply_rows(inverse, c))
    return is_possible, is_mirrored, turned, stretch, inverse


@kernel
def _is_diagonal(stretch):
    """The compiled form of `stretch.is_diagonal`."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = stretch
    return max(abs(xy), abs(xz), abs(yz)) <= SAME_AXES * max(xx, yy, zz)


@kernel
def _stretched_sizes(shape, stretch):
    """The sizes of a stretched sphere, box, capsule or cylinder, as in settings.py."""
    x, y, z = length(stretch[0]), length(stretch[1]), length(stretch[2])
    radius, half = float(shape.radius), float(shape.half_height)
    if shape.kind == SPHERE:
        return (radius * ((x + y + z) / 3.0), 0.0, 0.0)
    if shape.kind == BOX:
        h = vector3(shape.half_extents)
        return (h[0] * stretch[0][0], h[1] * stretch[1][1], h[2] * stretch[2][2])
    across = 0.5 * (x + z)
    if shape.kind == CAPSULE:
        return (radius * across, max(2.0 * (half + radius) * y, 2.0 * radius * across), 0.0)
    return (radius * across, 2.0 * half * y, 0.0)


@kernel
def block_bytes(shapes, index, stretch):
    """Extra memory that a stretched use of a row needs [byte]."""
    shape = shapes[index]
    if shape.kind == BOX and not _is_diagonal(stretch):
        return INT64(BOX_BYTES)
    if shape.kind != HULL:
        return INT64(0)
    block = view(shape.block, 1, HULL_BLOCK)[0]
    return HULL_BYTES + 4 * (3 * block.vertex_count + 4 * block.face_count)


@kernel
def _write_box(half_extents, stretch, memory):
    """Write the block of a sheared box to `memory`, BOX_BYTES at an address; without planes."""
    box, block = view(memory, 1, BOX_BLOCK)[0], view(memory, 1, HULL_BLOCK)[0]
    write_box_topology(box)
    for i in range(8):
        corner = (
            half_extents[0] if i & 1 else -half_extents[0],
            half_extents[1] if i & 2 else -half_extents[1],
            half_extents[2] if i & 4 else -half_extents[2],
        )
        store3(box.vertices[i], multiply_rows(stretch, corner))
    for face in range(6):
        for k in range(3):
            box.planes[face, k] = FLOAT32(0.0)
        box.planes[face, face >> 1] = FLOAT32(1.0 if face & 1 else -1.0)
    block.vertex_count, block.face_count, block.edge_count = 8, 6, 12
    block.vertices, block.planes = box.vertices.ctypes.data, box.planes.ctypes.data
    block.face_starts, block.face_vertices = box.face_starts.ctypes.data, box.face_vertices.ctypes.data
    block.edges = box.edges.ctypes.data
    store3(block.center, (0.0, 0.0, 0.0))


@kernel
def _write_hull(source, stretch, memory):
    """Write the block of a stretched hull to `memory`: its own vertices and planes, the faces and edges of the source. The planes
    are not stretched yet."""
    block = view(memory, 1, HULL_BLOCK)[0]
    block.vertex_count, block.face_count, block.edge_count = source.vertex_count, source.face_count, source.edge_count
    block.face_starts, block.face_vertices, block.edges = source.face_starts, source.face_vertices, source.edges
    block.vertices = memory + HULL_BYTES
    block.planes = block.vertices + 12 * block.vertex_count
    old, new = view(source.vertices, 3 * block.vertex_count, FLOAT32), view(block.vertices, 3 * block.vertex_count, FLOAT32)
    for i in range(block.vertex_count):
        store3(new[3 * i :], multiply_rows(stretch, vector3(old[3 * i :])))
    old, new = view(source.planes, 4 * block.face_count, FLOAT32), view(block.planes, 4 * block.face_count, FLOAT32)
    for i in range(4 * block.face_count):
        new[i] = old[i]
    store3(block.center, multiply_rows(stretch, vector3(source.center)))


@kernel
def _turn_planes(block, inverse):
    """Transform the normals of stretched faces; all vertices of a face lie behind its plane. Return the distance of the centre
    from the nearest plane."""
    planes, vertices = view(block.planes, 4 * block.face_count, FLOAT32), view(block.vertices, 3 * block.vertex_count, FLOAT32)
    starts = view(block.face_starts, block.face_count + 1, INT32)
    corners = view(block.face_vertices, INT64(starts[block.face_count]), INT32)
    center, nearest = vector3(block.center), math.inf
    for face in range(block.face_count):
        normal = multiply_rows(inverse, vector3(planes[4 * face :]))
        normal = scale(normal, 1.0 / length(normal))
        distance = -math.inf
        for i in range(starts[face], starts[face + 1]):
            distance = max(distance, dot(normal, vector3(vertices[3 * INT64(corners[i]) :])))
        store3(planes[4 * face :], normal)
        planes[4 * face + 3] = FLOAT32(distance)
        nearest = min(nearest, distance - dot(normal, center))
    return max(nearest, 0.0)


@kernel
def _finish_hull(target, memory, inverse):
    """Fill in the row of a hull whose block is at `memory`."""
    block = view(memory, 1, HULL_BLOCK)[0]
    vertices = view(block.vertices, 3 * block.vertex_count, FLOAT32)
    for k in range(3):
        low, high = vertices[k], vertices[k]
        for i in range(1, block.vertex_count):
            low, high = min(low, vertices[3 * i + k]), max(high, vertices[3 * i + k])
        target.bounds[k], target.bounds[3 + k] = low, high
    target.inner_radius = FLOAT32(_turn_planes(block, inverse))
    store3(target.center_of_mass, vector3(block.center))
    target.block = memory
    target.kind = INT32(HULL)


@kernel
def can_stretch(shapes, index, is_mirrored):
    """Whether `write_stretched` supports this shape."""
    shape = shapes[index]
    return has_sizes(shape) or (shape.kind == HULL and not is_mirrored)


@kernel
def write_stretched(shapes, index, target, stretch, inverse, memory):
    """Write a stretched use of row `index` to the spare row `target`; `memory`: address of `block_bytes`, or 0. False: the sizes
    are invalid."""
    source, row = shapes[index], shapes[target]
    words = view(address_of_row(shapes, target), SHAPE_BYTES // 4, INT32)
    for k in range(SHAPE_BYTES // 4):
        words[k] = 0
    row.current, row.radius = INT32(target), source.radius
    if memory == 0:
        sizes = _stretched_sizes(source, stretch)
        if not are_sizes(source.kind, sizes):
            return False
        write_solid(row, source.kind, sizes)
        return True
    if source.kind == BOX:
        _write_box(vector3(source.half_extents), stretch, memory)
    else:
        _write_hull(view(source.block, 1, HULL_BLOCK)[0], stretch, memory)
    _finish_hull(row, memory, inverse)
    return True
