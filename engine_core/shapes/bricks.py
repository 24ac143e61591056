"""The bricks of a structure as boxes: a row of SHAPE for the box, and one of INSTANCE that puts it onto the body."""

import numpy as np

from ..geometry.vector import add, multiply, quaternion, rotate, scale, store3, store4, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import view, view2
from ..structures.mass import is_free
from ..structures.nodes import bricks_of, row_of
from ..structures.publication import enter, leave
from ..structures.schema import PLACEMENT, STRUCTURE as STRUCTURE_RECORD
from .placed_shapes import renew_instance_bounds
from .schema import BOX, STRUCTURE, STRUCTURE_BLOCK

FLOAT32, INT32 = np.float32, np.int32
UPRIGHT = (0.0, 0.0, 0.0, 1.0)


@kernel
def block_of(shape):
    """The STRUCTURE_BLOCK of a row of SHAPE of kind STRUCTURE."""
    return view(shape.block, 1, STRUCTURE_BLOCK)[0]


@kernel
def is_structure(shapes, instance):
    """Whether an enabled shape on a body is a structure."""
    return instance.shape >= 0 and not instance.is_disabled and shapes[instance.shape].kind == STRUCTURE


@kernel
def place_of_row(s, row, unit):
    """(centre [m], half extents [m], rotation) of the brick in a row, in the frame of its structure."""
    brick = bricks_of(s)[row]
    if is_free(brick):
        placement = view(s.placements, s.bricks.capacity, PLACEMENT)[row]
        center, half = vector3(placement.center), vector3(placement.half_extents)
        return scale(center, unit), scale(half, unit), quaternion(placement.rotation)
    low, high = vector3(brick.low), vector3(brick.high)
    half = scale((high[0] - low[0], high[1] - low[1], high[2] - low[2]), 0.5 * unit)
    return scale(add(low, high), 0.5 * unit), half, UPRIGHT


@kernel
def place_of_brick(structure, number, unit):
    """`place_of_row` for the brick with a number in the structure at this address; a box without size if it was removed. Any
    thread: edits may move the brick to another row meanwhile."""
    head = enter(structure, number)
    s = view(structure, 1, STRUCTURE_RECORD)[0]
    place = place_of_row(s, row_of(s, number), unit)
    leave(structure, head, number)
    return place


@kernel
def write_box(shape, half):
    """Write a box to a row of SHAPE that held nothing or another box: what contacts, sweeps and queries read of one."""
    store3(shape.half_extents, half)
    for k in range(3):
        shape.bounds[k], shape.bounds[3 + k] = FLOAT32(-half[k]), FLOAT32(half[k])
    shape.inner_radius = FLOAT32(min(half[0], half[1], half[2]))
    shape.volume = FLOAT32(8.0 * half[0] * half[1] * half[2])
    shape.radius = FLOAT32(0.0)
    shape.block = 0
    shape.has_backface_collision = INT32(0)
    shape.kind = shape.user_kind = INT32(BOX)


@kernel
def write_brick(s, row, unit, instance, shape, out):
    """Write the brick in a row as a box to the row `shape`, and its place on the body to the INSTANCE `out`, as if it were a
    shape of that body. `instance` puts the structure onto it. The caller sets `out.shape`."""
    center, half, turn = place_of_row(s, row, unit)
    write_box(shape, half)
    rotation = quaternion(instance.rotation)
    out.user_shape, out.body = instance.user_shape, instance.body
    out.is_disabled = out.has_user_transform = 0
    store3(out.position, add(vector3(instance.position), rotate(rotation, center)))
    store4(out.rotation, rotation if turn[3] == 1.0 else multiply(rotation, turn))
    out.query_layers, out.simulation_layers = instance.query_layers, instance.simulation_layers
    renew_instance_bounds(out, shape)


@kernel
def surface_of_brick(shape, number):
    """(friction, restitution) of a brick by its material; negative: those of the body."""
    block = block_of(shape)
    if block.material_count == 0:
        return -1.0, -1.0
    head = enter(block.structure, number)
    s = view(block.structure, 1, STRUCTURE_RECORD)[0]
    material = np.int64(bricks_of(s)[row_of(s, number)].material) - 1
    leave(block.structure, head, number)
    if material < 0 or material >= block.material_count:
        return -1.0, -1.0
    table = view2(block.materials, block.material_count, 2, np.float32)
    return np.float64(table[material, 0]), np.float64(table[material, 1])
