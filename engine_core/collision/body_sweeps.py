"""The time of first contact of two bodies that move and turn: the sweeps of their shapes against each other."""

import numpy as np

from ..bodies.bounds import bounds_in_frame
from ..bodies.parts import PARTS, begin_parts, next_part_in_box, part_row
from ..bodies.schema import INSTANCE
from ..geometry.vector import (
    add, conjugate, length, multiply, quaternion, rotate_inverse, scale, store3, store4, subtract, vector3,
)  # fmt: skip
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view
from ..shapes.schema import SHAPE
from .stand_ins import NO_SIDE, side_stood_in
from .sweeps import reach_of, sweep_shapes

FLOAT32, FLOAT64 = np.float32, np.float64


@kernel
def reach_in_frame(bounds, by, position, rotation):
    """Convert bounds (min x, y, z, max x, y, z), grown by `by`, to a box, low and high, in another frame: the one at `position`
    turned by `rotation`."""
    low, high = vector3(bounds[0:3]), vector3(bounds[3:6])
    half = scale(subtract(high, low), 0.5)
    return bounds_in_frame(scale(add(low, high), 0.5), (half[0] + by, half[1] + by, half[2] + by), position, rotation)


@kernel
def set_instance(sweep, instance, shape):
    """Set which shape of the body the sweep is for."""
    store3(sweep.local_position, vector3(instance.position))
    store4(sweep.local_rotation, quaternion(instance.rotation))
    sweep.reach = reach_of(shape, vector3(instance.position))


@kernel
def swept_box(body, sweep, box):
    """Bounds of everything a body touches during its motion, from the sweep's origin."""
    for k in range(3):
        start, motion = sweep.position[k], sweep.motion[k]
        box[k] = FLOAT32(start + min(motion, 0.0) - body.extent - 1e-3)
        box[3 + k] = FLOAT32(start + max(motion, 0.0) + body.extent + 1e-3)


@kernel
def way_of(sweep, body):
    """Upper bound of the distance that a point of a body moves [m]."""
    return length(vector3(sweep.motion)) + sweep.angle * FLOAT64(body.extent)


@kernel
def sweep_bodies_apart(world, body, other, sweeps, box, longest):
    """How far a body may go before it hits another one, at most `longest`. `sweeps`: rows of SWEEP of both, as bodies; `box`: the
    `swept_box` of the first."""
    keep_as_call()
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    walk, own_walk = stack_array(1, PARTS)[0], stack_array(1, PARTS)[0]
    place, rotation, turn = vector3(sweeps[1].position), quaternion(sweeps[1].rotation), quaternion(sweeps[0].rotation)
    offset = rotate_inverse(rotation, subtract(vector3(sweeps[0].position), place))
    moved = way_of(sweeps[1], other)
    low, high = vector3(box[0:3]), vector3(box[3:6])
    half = scale(subtract(high, low), 0.5)
    low, high = bounds_in_frame(scale(add(low, high), 0.5), (half[0] + moved, half[1] + moved, half[2] + moved), place, rotation)
    moved += way_of(sweeps[0], body)
    stood_in = side_stood_in(world, body, other) if world.brick_function != 0 else np.int64(NO_SIDE)
    begin_parts(walk, other.first_instance, other.instance_count)
    walk.stands_in = stood_in == 1
    while next_part_in_box(walk, world, instances, shapes, low, high) >= 0:
        instance = part_row(walk, instances)
        if instance.is_disabled or instance.shape < 0:
            continue
        set_instance(sweeps[1], instance, shapes[instance.shape])
        own_low, own_high = reach_in_frame(instance.bounds, moved, offset, multiply(conjugate(rotation), turn))
        begin_parts(own_walk, body.first_instance, body.instance_count)
        own_walk.stands_in = stood_in == 0
        while next_part_in_box(own_walk, world, instances, shapes, own_low, own_high) >= 0:
            own = part_row(own_walk, instances)
            if not own.is_disabled and own.shape >= 0:
                set_instance(sweeps[0], own, shapes[own.shape])
                longest = min(longest, sweep_shapes(sweeps, shapes[own.shape], shapes[instance.shape], longest))
    return longest
