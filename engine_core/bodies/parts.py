"""Walk over the shapes of a body near something, with the parts of a static compound, or the bricks of a structure, in their
place.

    walk = stack_array(1, PARTS)[0]
    begin_parts(walk, first, count)
    number = next_part_in_box(walk, world, instances, shapes, low, high)
    while number >= 0:
        instance = part_row(walk, instances)  # and `walk.part`: its number in the compound; -1: it is no part of one
        ...
        number = next_part_in_box(walk, world, instances, shapes, low, high)

A walk that is left before -1 comes must be ended by `end_parts`. Frames, order and results are those of shapes/instance_tree.py.
A shape's number is returned once for each of its parts. Of a structure, `walk.part` is the number of the brick, and the row of
SHAPE of a brick is good until the next one comes.
"""

import numpy as np

from ..geometry.vector import add, quaternion, rotate_inverse, scale, store3, subtract, vector3
from ..runtime import atomics
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_record, address_of_row, view
from ..shapes.bricks import block_of
from ..shapes.compound import compound_of, has_parts, nodes_of_parts, parts_of, place_part
from ..shapes.instance_tree import WALK, begin_walk, inverse_of, next_in_box, next_near, next_on_ray
from ..shapes.placed_shapes import renew_instance_bounds
from ..shapes.schema import COMPOUND, FIRST_BRICK, INSTANCE, NO_PART, SHAPE, STRUCTURE
from .bounds import bounds_in_frame, nodes_of
from .bricks import BRICK_WALK, IN_BOX, NEAR, ON_RAY, begin_bricks, end_bricks, next_brick

INT64 = np.int64
KIND = SHAPE.fields["kind"][1]
STAND_IN = -2
"""`part` of a walk at a convex hull that stands in for a structure."""
ALL_BRICKS, AS_HULL, JOINED = range(3)
PARTS = np.dtype(
    [
        ("row", INSTANCE),  # the current part, in the frame of the body
        ("number", "i8"),  # of the shape on the body
        ("part", "i8"),
        ("stands_in", "i8"),  # what is returned of a structure: ALL_BRICKS, or if it has it its AS_HULL, or its JOINED bricks
        ("a", "f8", 3),  # the query, in the frame of the current compound: low and high; or origin and inverse of a ray;
        ("b", "f8", 3),  # or a point
        ("whole", "i8"),  # row of SHAPE of the current compound: that on the body may change meanwhile (`_enter`)
        ("outer", WALK),
        ("inner", WALK),
        ("bricks", BRICK_WALK),
    ],
    align=True,
)


@kernel
def begin_parts(walk, first, count):
    """Start a walk over the shapes `first` to `first + count - 1` of a body."""
    begin_walk(walk.outer, first, count)
    walk.number = walk.part = -1
    walk.bricks.shape_row = -1
    walk.stands_in = ALL_BRICKS


@kernel
def end_parts(walk, world):
    """End a walk that has not returned -1."""
    end_bricks(world, walk.bricks)


@kernel
def part_number(walk):
    """The number of the present part as contacts hold it: NO_PART, or FIRST_BRICK plus the number of a brick."""
    if walk.part < 0:
        return INT64(NO_PART)
    return INT64(walk.part) + (FIRST_BRICK if walk.bricks.shape_row >= 0 else 0)


@kernel
def part_row(walk, instances):
    """The row of INSTANCE of the last result."""
    whole = address_of_row(instances, walk.outer.first + walk.number)
    return view(whole if walk.part == -1 else address_of_record(walk), 1, INSTANCE)[0]


@kernel
def _enter(walk, world, shapes, instance, way, a, b):
    """Enter a compound or a structure, unless another thread freed it since: then it is EMPTY, and has no parts. `a`, `b`: the
    query in its frame; for a ray origin and vector."""
    # Read once: the walk goes on with it if the owner of a body that has left its system sets another shape meanwhile.
    whole = INT64(instance.shape)
    kind = atomics.load_acquire_int32(address_of_row(shapes, whole) + KIND)
    if kind != STRUCTURE and kind != COMPOUND:
        return
    if kind == STRUCTURE:
        walk.part = 0
        begin_bricks(world, walk.bricks, instance, whole, way, a, b, address_of_record(walk), walk.stands_in == JOINED)
        return
    if way == ON_RAY:
        b = inverse_of(b)
    begin_walk(walk.inner, INT64(0), compound_of(shapes[whole]).part_count)
    walk.part, walk.whole = 0, whole
    store3(walk.a, a)
    store3(walk.b, b)


@kernel
def _give(walk, shapes, compound, instance, part):
    """Put a part into `row`, or leave the compound if there is none. Return the number of the shape, or -1."""
    walk.part = part
    if part < 0:
        return INT64(-1)
    place_part(shapes, compound, instance, part, walk.row)
    return INT64(walk.number)


@kernel
def _stand_in(walk, shapes, instance):
    """Put the convex hull of a structure into `row`. Return whether it has one."""
    row = block_of(shapes[instance.shape]).stand_in
    if row < 0:
        return False
    out = view(address_of_record(walk), 1, INSTANCE)
    out[0] = instance
    out[0].shape = np.int32(row)
    renew_instance_bounds(out[0], shapes[row])
    walk.part = STAND_IN
    return True


@kernel
def _give_brick(walk, world, longest):
    """Go on to the next brick, or leave the structure. Return the number of the shape, or -1."""
    walk.part = next_brick(world, walk.bricks, longest)
    return INT64(walk.number) if walk.part >= 0 else INT64(-1)


@kernel
def next_part_in_box(walk, world, instances, shapes, low, high):
    """`next_in_box`: the next shape or part whose bounds touch a box."""
    while True:
        if walk.bricks.shape_row >= 0:
            if _give_brick(walk, world, 0.0) >= 0:
                return INT64(walk.number)
        elif walk.part >= 0:
            instance = instances[walk.outer.first + walk.number]
            compound = compound_of(shapes[walk.whole])
            part = next_in_box(walk.inner, nodes_of_parts(compound), parts_of(compound), vector3(walk.a), vector3(walk.b))
            if _give(walk, shapes, compound, instance, part) >= 0:
                return INT64(walk.number)
        walk.part = -1
        walk.number = next_in_box(walk.outer, nodes_of(world), instances, low, high)
        if walk.number < 0:
            return INT64(-1)
        instance = instances[walk.outer.first + walk.number]
        if not has_parts(shapes, instance):
            return INT64(walk.number)
        if walk.stands_in == AS_HULL and shapes[instance.shape].kind == STRUCTURE and _stand_in(walk, shapes, instance):
            return INT64(walk.number)
        half = scale(subtract(high, low), 0.5)
        a, b = bounds_in_frame(scale(add(low, high), 0.5), half, vector3(instance.position), quaternion(instance.rotation))
        _enter(walk, world, shapes, instance, IN_BOX, a, b)


@kernel
def next_part_on_ray(walk, world, instances, shapes, origin, vector, longest):
    """`next_on_ray`: the next shape or part whose bounds a ray hits. Within each compound the near parts come first."""
    inverse = inverse_of(vector)
    while True:
        if walk.bricks.shape_row >= 0:
            if _give_brick(walk, world, longest) >= 0:
                return INT64(walk.number)
        elif walk.part >= 0:
            instance = instances[walk.outer.first + walk.number]
            compound = compound_of(shapes[walk.whole])
            nodes, parts = nodes_of_parts(compound), parts_of(compound)
            part = next_on_ray(walk.inner, nodes, parts, vector3(walk.a), vector3(walk.b), longest)
            if _give(walk, shapes, compound, instance, part) >= 0:
                return INT64(walk.number)
        walk.number = next_on_ray(walk.outer, nodes_of(world), instances, origin, inverse, longest)
        if walk.number < 0:
            return INT64(-1)
        instance = instances[walk.outer.first + walk.number]
        if not has_parts(shapes, instance):
            return INT64(walk.number)
        turn = quaternion(instance.rotation)
        a = rotate_inverse(turn, subtract(origin, vector3(instance.position)))
        _enter(walk, world, shapes, instance, ON_RAY, a, rotate_inverse(turn, vector))


@kernel
def next_part_near(walk, world, instances, shapes, point, reach):
    """`next_near`: the next shape or part whose bounds are nearer to a point than `reach`."""
    while True:
        if walk.bricks.shape_row >= 0:
            if _give_brick(walk, world, reach) >= 0:
                return INT64(walk.number)
        elif walk.part >= 0:
            instance = instances[walk.outer.first + walk.number]
            compound = compound_of(shapes[walk.whole])
            part = next_near(walk.inner, nodes_of_parts(compound), parts_of(compound), vector3(walk.a), reach)
            if _give(walk, shapes, compound, instance, part) >= 0:
                return INT64(walk.number)
        walk.number = next_near(walk.outer, nodes_of(world), instances, point, reach)
        if walk.number < 0:
            return INT64(-1)
        instance = instances[walk.outer.first + walk.number]
        if not has_parts(shapes, instance):
            return INT64(walk.number)
        a = rotate_inverse(quaternion(instance.rotation), subtract(point, vector3(instance.position)))
        _enter(walk, world, shapes, instance, NEAR, a, a)
