"""The time of first contact of two bodies that move and turn: the sweeps of their shapes against each other."""

import math

import numpy as np

from ..bodies.bounds import bounds_in_frame
from ..bodies.parts import ALL_BRICKS, PARTS, begin_parts, next_part_in_box, part_row
from ..bodies.schema import INSTANCE
from ..geometry.vector import (
    add, add_scaled, conjugate, interpolate_rotation, length, multiply, quaternion, rotate_inverse, scale, store3, store4,
    subtract, vector3,
)  # fmt: skip
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view
from ..shapes.schema import SHAPE
from .stand_ins import ways_to_meet
from .sweeps import reach_of, sweep_shapes

FLOAT64 = np.float64


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
def place_of_body(sweep, fraction):
    """Position and rotation of a body after a fraction of its motion."""
    fraction = min(fraction, 1.0 - sweep.missing)
    position = add_scaled(vector3(sweep.position), vector3(sweep.motion), fraction)
    return position, interpolate_rotation(quaternion(sweep.rotation), quaternion(sweep.end_rotation), fraction)


@kernel
def path_beside(sweep, other):
    """Bounds of the path of a body's centre of mass in the frame of another body, which moves and turns itself: low and high. A
    body that rides along hardly moves there, however fast both are."""
    low, high = (math.inf, math.inf, math.inf), (-math.inf, -math.inf, -math.inf)
    for k in range(3):  # if one of them stops before the end, the path has a corner there
        fraction = 0.0 if k == 0 else 1.0 if k == 1 else 1.0 - max(sweep.missing, other.missing)
        position, rotation = place_of_body(other, fraction)
        at = rotate_inverse(rotation, subtract(place_of_body(sweep, fraction)[0], position))
        low = (min(low[0], at[0]), min(low[1], at[1]), min(low[2], at[2]))
        high = (max(high[0], at[0]), max(high[1], at[1]), max(high[2], at[2]))
    # A path p(t) whose second derivative is at most a deviates from its chord by a / 8: in a frame that turns at w, a is at most
    # 2 w |p'| + w^2 |p|. The interpolation of rotations is not quite uniform: four times that has room for it.
    way = length(subtract(vector3(sweep.motion), vector3(other.motion)))
    far = length(subtract(vector3(sweep.position), vector3(other.position))) + way
    bend = min(other.angle * way + 0.5 * other.angle * other.angle * far, 2.0 * far) + 1e-3
    return (low[0] - bend, low[1] - bend, low[2] - bend), (high[0] + bend, high[1] + bend, high[2] + bend)


@kernel
def sweep_bodies_apart(world, body, other, sweeps, longest):
    """How far a body may go before it hits another one, at most `longest`. `sweeps`: rows of SWEEP of both, as bodies."""
    keep_as_call()
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    walk, own_walk = stack_array(1, PARTS)[0], stack_array(1, PARTS)[0]
    place, rotation, turn = vector3(sweeps[1].position), quaternion(sweeps[1].rotation), quaternion(sweeps[0].rotation)
    offset = rotate_inverse(rotation, subtract(vector3(sweeps[0].position), place))
    reach = FLOAT64(body.extent)
    low, high = path_beside(sweeps[0], sweeps[1])
    low, high = (low[0] - reach, low[1] - reach, low[2] - reach), (high[0] + reach, high[1] + reach, high[2] + reach)
    near, far = path_beside(sweeps[1], sweeps[0])
    moved = length(subtract(far, near)) + (sweeps[0].angle + sweeps[1].angle) * FLOAT64(other.extent)
    own_way, way = (
        ways_to_meet(world, body, other, True) if world.brick_function != 0 else (np.int64(ALL_BRICKS), np.int64(ALL_BRICKS))
    )
    begin_parts(walk, other.first_instance, other.instance_count)
    walk.stands_in = way
    while next_part_in_box(walk, world, instances, shapes, low, high) >= 0:
        instance = part_row(walk, instances)
        if instance.is_disabled or instance.shape < 0:
            continue
        set_instance(sweeps[1], instance, shapes[instance.shape])
        own_low, own_high = reach_in_frame(instance.bounds, moved, offset, multiply(conjugate(rotation), turn))
        begin_parts(own_walk, body.first_instance, body.instance_count)
        own_walk.stands_in = own_way
        while next_part_in_box(own_walk, world, instances, shapes, own_low, own_high) >= 0:
            own = part_row(own_walk, instances)
            if not own.is_disabled and own.shape >= 0:
                set_instance(sweeps[0], own, shapes[own.shape])
                longest = min(longest, sweep_shapes(sweeps, shapes[own.shape], shapes[instance.shape], longest))
    return longest
