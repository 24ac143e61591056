"""The points of eight contact manifolds along their normals: the target of each point and consistent impulses of those of a
manifold.

Bodies that have rotated since the step began: see `turns_of`.
"""

import numpy as np

from ..constraints.blocks import field, field3, field6, put
from ..constraints.schema import (
    ALLOWED_OVERLAP, COUPLING, FIELD_SIZE, IS_ELASTIC, NORMAL, POINT_ANCHOR_A, POINT_ANCHOR_B, POINT_COUNT, POINT_FIELDS,
    POINT_IMPULSE, POINT_MASS, POINT_SEPARATION, POINTS, RESTITUTION,
)  # fmt: skip
from ..geometry.wide_vector import add_scaled8, cross8, dot8, is_any_above8, rotate8, subtract8
from ..runtime.call import load_int32
from ..runtime.kernel import kernel
from ..runtime.vector8 import absolute8, fused_multiply_add, max8, min8, splat8, where_greater8, where_less8

FLOAT32 = np.float32
POINT_SIZE = POINT_FIELDS * FIELD_SIZE
SWEEPS = 4
"""Number of sweeps over the points of a manifold in a pass without friction."""
ALONE, GAIN, CHANGE, TWIST_GAIN = 0, 1, 2, 3
"""Fields of a point's target (eight floats each): its impulse if no other changed, how much less by the speed that the others
give it, the resulting change of the impulse; and see contact_friction.py."""
WANTED_SIZE = 4 * FIELD_SIZE
LEAST_TURN = 2.5e-5
"""Square of half the angle [rad^2], that is 0.01 rad, beyond which arms and inertia of an uneven body are rotated with it. A thin
rod turns hundreds of times as easily about its length as across it, so small errors of the axes matter."""


@kernel
def turned_back8(motion, v):
    """Rotate v back by the turn of a body since the step began."""
    return rotate8((-motion[3], -motion[4], -motion[5], motion[6]), v)


@kernel
def turns_of(rest_a, rest_b, motion_a, motion_b):
    """(Whether an uneven body of a block, or one that CARRIES, has rotated noticeably since the step began, the motions of A and
    of B). Then arms and inertias, which are of the step's start, are rotated with the bodies; otherwise impulses would act about
    outdated axes: an impact of a rod that spins would give it energy, and a drum would lose what it carries. `rest_*`: the
    columns of the rows that are not velocities."""
    turn_a = motion_a[3] * motion_a[3] + motion_a[4] * motion_a[4] + motion_a[5] * motion_a[5]
    turn_b = motion_b[3] * motion_b[3] + motion_b[4] * motion_b[4] + motion_b[5] * motion_b[5]
    is_turning = is_any_above8(max8(absolute8(rest_a[0]) * turn_a, absolute8(rest_b[0]) * turn_b), splat8(FLOAT32(LEAST_TURN)))
    return is_turning, motion_a, motion_b


@kernel
def are_even(rest_a, rest_b):
    """Whether no body of a block is uneven or CARRIES: then nothing turns, as `turns_of` has it."""
    return not is_any_above8(max8(absolute8(rest_a[0]), absolute8(rest_b[0])), splat8(FLOAT32(0.5)))


@kernel
def into_start(is_turning, motion, v):
    """Convert a vector from world axes to those of a body at the step's start, if bodies turn."""
    return turned_back8(motion, v) if is_turning else v


@kernel
def from_start(is_turning, motion, v):
    """Convert a vector back from the axes of `into_start`."""
    return rotate8((motion[3], motion[4], motion[5], motion[6]), v) if is_turning else v


@kernel
def gap_terms(block, motion_a, motion_b, v_a, w_a, v_b, w_b):
    """Compute the terms that the gaps and speeds of all points of a manifold share: normals rotated back into the bodies, rotated
    about their spins, the gap from the centres and the speed of separation.
    n . (q r) = (q^-1 n) . r and n . (w x r) = (n x w) . r: the bodies' motion is projected to the normal once, not for each
    point."""
    normal = field3(block, NORMAL)
    moved = dot8(normal, (motion_b[0] - motion_a[0], motion_b[1] - motion_a[1], motion_b[2] - motion_a[2]))
    moved += field(block, ALLOWED_OVERLAP)  # they touch at the allowed overlap
    closing = dot8(normal, subtract8(v_b, v_a))
    turned = turned_back8(motion_a, normal), turned_back8(motion_b, normal)
    return turned, (cross8(normal, w_a), cross8(normal, w_b)), moved, closing


@kernel
def is_elastic(block):
    """Whether some lane of a block may bounce."""
    return load_int32(block + IS_ELASTIC * FIELD_SIZE) != 0


@kernel
def turned_terms(block, motion_a, motion_b, v_a, w_a, v_b, w_b):
    """Compute `gap_terms` with the speeds of the points at their current places: n . (w x q r) = (q^-1 (n x w)) . r. Usually the
    arms of the step's start are good enough, but a bounce with outdated arms would gain or lose energy."""
    turned, spins, moved, closing = gap_terms(block, motion_a, motion_b, v_a, w_a, v_b, w_b)
    return turned, (turned_back8(motion_a, spins[0]), turned_back8(motion_b, spins[1])), moved, closing


@kernel
def terms_of_points(block, turns, v_a, w_a, v_b, w_b):
    """(Terms of gaps and speeds of the points, those of bouncing points at their current places). `turns`: see `turns_of`."""
    is_turning, motion_a, motion_b = turns
    terms = gap_terms(block, motion_a, motion_b, v_a, w_a, v_b, w_b)
    if not is_turning and not is_elastic(block):
        return terms, terms
    now = turned_terms(block, motion_a, motion_b, v_a, w_a, v_b, w_b)
    return (now, now) if is_turning else (terms, now)


@kernel
def gap_of_point(point, terms):
    """(separation [m], separation speed of the surfaces [m/s]) at a point. `terms`: see `gap_terms`."""
    turned, spins, moved, closing = terms
    anchor_a, anchor_b = field3(point, POINT_ANCHOR_A), field3(point, POINT_ANCHOR_B)
    separation = field(point, POINT_SEPARATION) + (moved + (dot8(turned[1], anchor_b) - dot8(turned[0], anchor_a)))
    return separation, closing + (dot8(spins[1], anchor_b) - dot8(spins[0], anchor_a))


@kernel
def measure_points(block, wanted, terms, now, inverse_h, bias_rate, softness, push_out, bounces_from):
    """Write to `wanted` the impulse of each point if it were alone, and how much of it a change of its speed removes. Return the
    separation of the deepest point [m].

    A soft contact releases a part of its impulse in each sub-step, which its overlap must make up for. Where the push-out speed
    is at its limit it releases less, the deeper the less: otherwise a heavy body would sink into a light one forever.

    A point that has just bounced separates from its current place (`now`: see `turned_terms`), and is not braked for its old one.

    Separate points may come as close as the surface, and are not braked before that if they come faster than `bounces_from`
    [m/s]."""
    zero, one = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0))
    some_bounce, bounce = is_elastic(block), field(block, RESTITUTION)
    lets_go, tiny = one - softness, splat8(FLOAT32(1.0e-20))
    count = load_int32(block + POINT_COUNT * FIELD_SIZE)
    point = block + POINTS * FIELD_SIZE
    lowest = zero
    for _ in range(count):
        separation, speed = gap_of_point(point, terms)
        if some_bounce:
            speed = where_greater8(bounce, zero, max8(speed, gap_of_point(point, now)[1]), speed)
        lowest = min8(lowest, separation)
        wanted_bias = separation * bias_rate
        bias = where_greater8(separation, zero, separation * inverse_h, max8(wanted_bias, -push_out))
        part = push_out / max8(-wanted_bias, max8(push_out, tiny))
        soft = where_greater8(separation, zero, one, one - lets_go * part)
        impulse, mass = field(point, POINT_IMPULSE), field(point, POINT_MASS)
        is_left = where_less8(speed, bounces_from, where_greater8(separation, zero, one, zero), zero)
        alone, gain = soft * (impulse - mass * (speed + bias)), soft * mass
        put(wanted, ALONE, where_greater8(is_left, zero, impulse, alone))
        put(wanted, GAIN, where_greater8(is_left, zero, zero, gain))
        point += POINT_SIZE
        wanted += WANTED_SIZE
    for _ in range(count, 4):
        put(wanted, ALONE, zero)
        put(wanted, GAIN, zero)
        wanted += WANTED_SIZE
    return lowest


@kernel
def four_fields(first, number, size):
    """One field of four points, each `size` bytes after the one before."""
    return (
        field(first, number), field(first + size, number), field(first + 2 * size, number), field(first + 3 * size, number),
    )  # fmt: skip


@kernel
def put_changes(wanted, d0, d1, d2, d3):
    put(wanted, CHANGE, d0)
    put(wanted + WANTED_SIZE, CHANGE, d1)
    put(wanted + 2 * WANTED_SIZE, CHANGE, d2)
    put(wanted + 3 * WANTED_SIZE, CHANGE, d3)


@kernel
def settle_points(block, wanted):
    """Compute consistent impulses of the four points: some sweeps over them, each point after the others' change. Only the six
    couplings are needed, no body. Writes the changes of the four impulses."""
    zero = splat8(FLOAT32(0.0))
    k01, k02, k03, k12, k13, k23 = field6(block, COUPLING)
    old_0, old_1, old_2, old_3 = four_fields(block + POINTS * FIELD_SIZE, POINT_IMPULSE, POINT_SIZE)
    alone_0, alone_1, alone_2, alone_3 = four_fields(wanted, ALONE, WANTED_SIZE)
    gain_0, gain_1, gain_2, gain_3 = four_fields(wanted, GAIN, WANTED_SIZE)
    d0, d1, d2, d3 = zero, zero, zero, zero
    for _ in range(SWEEPS):
        others = fused_multiply_add(k01, d1, fused_multiply_add(k02, d2, k03 * d3))
        d0 = max8(alone_0 - gain_0 * others, zero) - old_0
        others = fused_multiply_add(k01, d0, fused_multiply_add(k12, d2, k13 * d3))
        d1 = max8(alone_1 - gain_1 * others, zero) - old_1
        others = fused_multiply_add(k02, d0, fused_multiply_add(k12, d1, k23 * d3))
        d2 = max8(alone_2 - gain_2 * others, zero) - old_2
        others = fused_multiply_add(k03, d0, fused_multiply_add(k13, d1, k23 * d2))
        d3 = max8(alone_3 - gain_3 * others, zero) - old_3
    put_changes(wanted, d0, d1, d2, d3)


@kernel
def take_changes(block, wanted):
    """Add the changes to the impulses of all points. Return their sum and the sums of their arms from A and from B."""
    zero = splat8(FLOAT32(0.0))
    change, arm_a, arm_b = zero, (zero, zero, zero), (zero, zero, zero)
    point = block + POINTS * FIELD_SIZE
    for _ in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
        d = field(wanted, CHANGE)
        put(point, POINT_IMPULSE, field(point, POINT_IMPULSE) + d)
        change += d
        arm_a = add_scaled8(arm_a, field3(point, POINT_ANCHOR_A), d)
        arm_b = add_scaled8(arm_b, field3(point, POINT_ANCHOR_B), d)
        point += POINT_SIZE
        wanted += WANTED_SIZE
    return change, arm_a, arm_b
