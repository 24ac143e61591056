"""The parts of a static compound: one row of SHAPE that holds shapes of all kinds, each with its own transform."""

import numpy as np

from ..geometry.vector import add, multiply, quaternion, rotate, store3, store4, vector3
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import view, view2
from .bricks import surface_of_brick
from .instance_tree import TREE_FROM, build_instance_tree
from .placed_shapes import renew_instance_bounds, shape_mass
from .schema import COMPOUND, COMPOUND_BLOCK, FIRST_BRICK, INSTANCE, INSTANCE_NODE, SHAPE, STRUCTURE

INT32, INT64 = np.int32, np.int64


@kernel
def compound_of(shape):
    """The COMPOUND_BLOCK of a row of SHAPE of kind COMPOUND."""
    return view(shape.block, 1, COMPOUND_BLOCK)[0]


@kernel
def parts_of(compound):
    """Rows of INSTANCE, in the frame of the compound."""
    return view(compound.parts, compound.part_count, INSTANCE)


@kernel
def nodes_of_parts(compound):
    """The tree over the parts."""
    return view(compound.nodes, compound.part_count, INSTANCE_NODE)


@kernel
def is_compound(shapes, instance):
    """Whether an enabled shape on a body is a compound."""
    return instance.shape >= 0 and not instance.is_disabled and shapes[instance.shape].kind == COMPOUND


@kernel
def has_parts(shapes, instance):
    """Whether an enabled shape on a body is a compound or a structure."""
    if instance.shape < 0 or instance.is_disabled:
        return False
    kind = shapes[instance.shape].kind
    return kind == COMPOUND or kind == STRUCTURE


@kernel
def place_part(shapes, compound, instance, number, out):
    """Write a part of a compound, which an INSTANCE row puts on a body, to `out`, as if the part were a shape of that body."""
    part = parts_of(compound)[number]
    rotation = quaternion(instance.rotation)
    out.shape, out.user_shape, out.body = part.shape, instance.user_shape, instance.body
    out.is_disabled = out.has_user_transform = 0
    store3(out.position, add(vector3(instance.position), rotate(rotation, vector3(part.position))))
    store4(out.rotation, multiply(rotation, quaternion(part.rotation)))
    out.query_layers, out.simulation_layers = instance.query_layers, instance.simulation_layers
    renew_instance_bounds(out, shapes[part.shape])


@kernel
def surface_of_part(shape, number):
    """(friction, restitution) of a part of a compound, of a brick (FIRST_BRICK plus its number), or of any other shape; negative:
    those of the body."""
    if number >= FIRST_BRICK and shape.kind == STRUCTURE:
        return surface_of_brick(shape, number - FIRST_BRICK)
    if shape.kind != COMPOUND:
        return -1.0, -1.0
    compound = compound_of(shape)
    surfaces = view2(compound.surfaces, compound.part_count, 2, np.float32)
    return np.float64(surfaces[number, 0]), np.float64(surfaces[number, 1])


@entry_point("void(int64, int64, int64, int64)")
def cook_parts(block, rows, row_count, out):
    """Compute the bounds of the parts of the COMPOUND_BLOCK at an address, and build their tree. `rows`: address of the rows of
    SHAPE that `shape` of the parts refers to. Writes volume, centre of mass and inertia of the whole to ten doubles at `out`."""
    compound, shapes, numbers = view(block, 1, COMPOUND_BLOCK)[0], view(rows, row_count, SHAPE), view(out, 10, np.float64)
    parts, nodes, count = parts_of(compound), nodes_of_parts(compound), INT64(compound.part_count)
    for k in range(count):
        renew_instance_bounds(parts[k], shapes[parts[k].shape])
        nodes[k].order, nodes[k].leaf = INT32(k), INT32(-1)
    if count >= TREE_FROM:
        nodes[0].covered = INT32(count)
        build_instance_tree(nodes, parts, INT64(0), count)
    volume, center, inertia = shape_mass(parts, shapes, INT64(0), count)
    numbers[0] = volume
    for k in range(3):
        numbers[1 + k] = center[k]
    for k in range(6):
        numbers[4 + k] = inertia[k]
