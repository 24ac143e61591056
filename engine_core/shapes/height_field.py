"""The cells of a height field, read from its samples: corners, active edges, and the tree of lowest and highest samples.

A field is a mesh without stored triangles. Blocks of 2 x 2 cells are the leaves. Block b has the triangles 8 b to 8 b + 7, two a
cell, divided from (x + 1, z) to (x, z + 1). Above them each level of the tree halves the one below; node 0 is the root. A NaN
sample makes a hole of all triangles that touch it. Only samples and ranges are stored, so that a region can be changed in place.
"""

import math

import numpy as np

from ..geometry.vector import cross, dot, normalize, subtract
from ..runtime.kernel import kernel
from ..runtime.memory import view, view2
from .schema import MESH_WIDTH, NO_CHILD

BLOCK_CELLS = 2
"""Cells along each side of a block."""
BLOCK_TRIANGLES = 8
INSIDE_OUT = 1e30
TOUCHING_CELLS = 1e-6
"""Blocks this close to a box are visited too: touching counts."""


@kernel
def field_corner(field, x, z):
    """Sample (x, z) as a point in the frame of the shape; NaN in a hole."""
    height = view(field.heights, field.width * field.depth, np.float32)[z * field.width + x]
    scale = field.scale
    return (
        (x - 0.5 * (field.width - 1)) * scale[0],
        np.float64(height) * scale[1],
        (z - 0.5 * (field.depth - 1)) * scale[2],
    )


@kernel
def field_cell(field, triangle):
    """Return (x, z) of the cell of a triangle, and which of its two triangles it is."""
    block, inside = triangle // BLOCK_TRIANGLES, triangle % BLOCK_TRIANGLES
    x = block % field.block_width * BLOCK_CELLS + (inside >> 1 & 1)
    z = block // field.block_width * BLOCK_CELLS + (inside >> 2)
    return x, z, inside & 1


@kernel
def cell_corners(field, x, z, second):
    """Corners of one of the two triangles of a cell, counter-clockwise seen from above."""
    if second:
        return field_corner(field, x + 1, z), field_corner(field, x, z + 1), field_corner(field, x + 1, z + 1)
    return field_corner(field, x, z), field_corner(field, x, z + 1), field_corner(field, x + 1, z)


@kernel
def cell_has(field, x, z, second):
    """Whether a cell lies in the field and the given one of its triangles is not a hole."""
    if x < 0 or z < 0 or x > field.width - 2 or z > field.depth - 2:
        return False
    a, b, c = cell_corners(field, x, z, second)
    return a[1] + b[1] + c[1] == a[1] + b[1] + c[1]  # False for NaN


@kernel
def field_has(field, triangle):
    x, z, second = field_cell(field, triangle)
    return cell_has(field, x, z, second)


@kernel
def field_corners(field, triangle):
    x, z, second = field_cell(field, triangle)
    return cell_corners(field, x, z, second)


@kernel
def field_face(field, triangle):
    """The user's number of a triangle: 2 cell, or 2 cell + 1."""
    x, z, second = field_cell(field, triangle)
    return 2 * (z * (field.width - 1) + x) + second


@kernel
def cell_of_face(face):
    """The cell, row by row along X, in which the triangle with the user's number `face` lies."""
    return face >> 1


@kernel
def is_convex(normal, at, field, x, z, second, cosine):
    """Whether the surface bends down towards a neighbour by more than an angle; always true at a border."""
    if not cell_has(field, x, z, second):
        return True
    a, b, c = cell_corners(field, x, z, second)
    alignment = dot(normal, normalize(cross(subtract(b, a), subtract(c, a))))
    if alignment >= cosine:
        return False
    # All three corners lie below if the one that is not shared does.
    sum_of_corners = (a[0] + b[0] + c[0] - 3.0 * at[0], a[1] + b[1] + c[1] - 3.0 * at[1], a[2] + b[2] + c[2] - 3.0 * at[2])
    return dot(normal, sum_of_corners) < 0.0


@kernel
def field_active_edges(field, triangle, cosine):
    """Bits of the active edges of a triangle (see mesh_building.py), found from its neighbours."""
    x, z, second = field_cell(field, triangle)
    a, b, c = cell_corners(field, x, z, second)
    normal = normalize(cross(subtract(b, a), subtract(c, a)))
    if second:
        return (
            is_convex(normal, a, field, x, z, 0, cosine)
            | is_convex(normal, b, field, x, z + 1, 0, cosine) << 1
            | is_convex(normal, c, field, x + 1, z, 0, cosine) << 2
        )
    return (
        is_convex(normal, a, field, x - 1, z, 1, cosine)
        | is_convex(normal, b, field, x, z, 1, cosine) << 1
        | is_convex(normal, c, field, x, z - 1, 1, cosine) << 2
    )


@kernel
def store_range(node, axis, child, low, high, scale):
    """Write the bounds of a child along one axis; rounding to single precision never shrinks them."""
    slack = 1e-6 * (abs(low) + abs(high) + 1e-3)
    node.bounds[axis, child] = np.float32((low - slack) * scale)
    node.bounds[3 + axis, child] = np.float32((high + slack) * scale)


@kernel
def fill_field_node(field, entry, node):
    """Write node `entry` of the tree as a MESH_CHILDREN: its up to four children and their bounds. Free slots are left as they
    are."""
    levels = view2(field.levels, field.level_count, 3, np.int64)  # first node, width, depth
    ranges = view2(field.ranges, field.node_count, 2, np.float32)
    scale = field.scale
    level = 0
    while entry >= levels[level + 1, 0]:
        level += 1
    inside = entry - levels[level, 0]
    x, z = inside % levels[level, 1], inside // levels[level, 1]
    first, width, depth = levels[level + 1, 0], levels[level + 1, 1], levels[level + 1, 2]
    is_last = level + 2 == field.level_count
    cells = BLOCK_CELLS << (field.level_count - 2 - level)  # along a side of a child
    for slot in range(MESH_WIDTH):
        node.entries[slot] = NO_CHILD
    for child in range(4):
        cx, cz = 2 * x + (child & 1), 2 * z + (child >> 1)
        place = first + cz * width + cx
        if cx < width and cz < depth and ranges[place, 0] <= ranges[place, 1]:
            right, back = min((cx + 1) * cells, field.width - 1), min((cz + 1) * cells, field.depth - 1)
            store_range(node, 0, child, cx * cells - 0.5 * (field.width - 1), right - 0.5 * (field.width - 1), scale[0])
            store_range(node, 1, child, np.float64(ranges[place, 0]), np.float64(ranges[place, 1]), scale[1])
            store_range(node, 2, child, cz * cells - 0.5 * (field.depth - 1), back - 0.5 * (field.depth - 1), scale[2])
            first_triangle = (cz * width + cx) * BLOCK_TRIANGLES
            node.entries[child] = ~(first_triangle << 4 | BLOCK_TRIANGLES) if is_last else place


@kernel
def block_of(x, scale, samples, count, slack):
    """The block that contains a coordinate plus `slack` cells; the first or last one if that is outside."""
    cell = x / scale + 0.5 * (samples - 1) + slack
    return min(max(math.floor(min(max(cell, 0.0), 1e9)) // BLOCK_CELLS, 0), count - 1)


@kernel
def next_block(field, start, bounds):
    """The first block from `start` on, in rows along X, that may overlap `bounds`, or -1. Bounds may shrink between calls."""
    ranges = view2(field.ranges, field.node_count, 2, np.float32)
    width, scale = field.block_width, field.scale
    first_leaf = field.node_count - width * field.block_depth
    half_x, half_z = 0.5 * (field.width - 1) * scale[0], 0.5 * (field.depth - 1) * scale[2]
    if bounds[0] > half_x or bounds[3] < -half_x or bounds[2] > half_z or bounds[5] < -half_z:
        return np.int64(-1)
    x0 = block_of(bounds[0], scale[0], field.width, width, -TOUCHING_CELLS)
    x1 = block_of(bounds[3], scale[0], field.width, width, TOUCHING_CELLS)
    z0 = block_of(bounds[2], scale[2], field.depth, field.block_depth, -TOUCHING_CELLS)
    z1 = block_of(bounds[5], scale[2], field.depth, field.block_depth, TOUCHING_CELLS)
    x, z = start % width, start // width
    if z < z0:
        x, z = x0, z0
    while z <= z1:
        x = max(x, x0)
        while x <= x1:
            place = first_leaf + z * width + x
            if ranges[place, 0] * scale[1] <= bounds[4] and ranges[place, 1] * scale[1] >= bounds[1]:
                return np.int64(z * width + x)
            x += 1
        x, z = 0, z + 1
    return np.int64(-1)
