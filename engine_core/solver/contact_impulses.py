"""The passes of the solver over eight contact manifolds: consistent impulses of points and friction, and their effect on the
bodies.

The points of a manifold and its friction are settled with each other before a body is pushed. Friction at the foot of a box turns
the box, and the points' normals absorb that turn in the same pass, out of the impulse of the impact. Solved one after the other
they would leave a torque that only the next pass could absorb, by throwing the body up.
"""

import numpy as np

from ..constraints.blocks import field, field3, field6
from ..constraints.schema import (
    ANCHOR_A, ANCHOR_B, FIELD_SIZE, FRICTION_IMPULSE, INERTIA_A, INERTIA_B, MASS_A, MASS_B, NORMAL, POINT_ANCHOR_A,
    POINT_ANCHOR_B, POINT_COUNT, POINT_IMPULSE, POINTS, TABLE_SPIN, TANGENT, TANGENT_VELOCITY, TWIST_IMPULSE, TWIST_VELOCITY,
)  # fmt: skip
from ..constraints.wide_preparation import center_seen, directions_of, weigh_friction, weigh_points
from ..geometry.wide_vector import add8, add_scaled8, cross8, dot8, subtract8, symmetric_times8
from ..runtime.call import load_int32
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_row, stack_array
from ..runtime.vector8 import absolute8, splat8, where_greater8
from .contact_friction import measure_friction, settle_sliding
from .point_impulses import (
    POINT_SIZE, WANTED_SIZE, from_start, into_start, measure_points, settle_points, take_changes, terms_of_points, turned_back8,
)  # fmt: skip

FLOAT32 = np.float32
NEVER = -1.0e30
"""A speed below all others [m/s]."""


@kernel
def weigh_turned(block, turns):
    """Renew the effective masses and couplings of a block for the present rotation of its bodies, if they turn."""
    is_turning, motion_a, motion_b = turns
    if not is_turning:
        return
    normal, tangent, bitangent = directions_of(block)
    seen_a = turned_back8(motion_a, normal), turned_back8(motion_a, tangent), turned_back8(motion_a, bitangent)
    seen_b = turned_back8(motion_b, normal), turned_back8(motion_b, tangent), turned_back8(motion_b, bitangent)
    weigh_friction(block, seen_a, seen_b)
    weigh_points(block, load_int32(block + POINT_COUNT * FIELD_SIZE), seen_a, seen_b)


@kernel
def push_both(block, turns, v_a, w_a, v_b, w_b, impulse, turn_a, turn_b):
    """Velocities after an impulse on B, its reverse on A, and its moments about A and about B, in the axes of `into_start`."""
    is_turning, motion_a, motion_b = turns
    mass_a, mass_b = field3(block, MASS_A), field3(block, MASS_B)
    v_a = subtract8(v_a, (impulse[0] * mass_a[0], impulse[1] * mass_a[1], impulse[2] * mass_a[2]))
    v_b = add8(v_b, (impulse[0] * mass_b[0], impulse[1] * mass_b[1], impulse[2] * mass_b[2]))
    w_a = subtract8(w_a, from_start(is_turning, motion_a, symmetric_times8(field6(block, INERTIA_A), turn_a)))
    w_b = add8(w_b, from_start(is_turning, motion_b, symmetric_times8(field6(block, INERTIA_B), turn_b)))
    return v_a, w_a, v_b, w_b


@kernel
def moment_of(block, turns, side, arm, slid):
    """Moment about one body of the points' impulses, with the sum `arm` of their arms times them, and of friction `slid` at
    its centre, in the axes of `into_start`. `side`: 0 for A, 1 for B."""
    motion = turns[1] if side == 0 else turns[2]
    normal, slid = into_start(turns[0], motion, field3(block, NORMAL)), into_start(turns[0], motion, slid)
    anchor = center_seen(block, side, normal) if turns[0] else field3(block, ANCHOR_A if side == 0 else ANCHOR_B)
    return add8(cross8(arm, normal), cross8(anchor, slid))


@kernel
def center_now(block, turns, side):
    """Centre of friction from one body, world axes. `side`: 0 for A, 1 for B. That on a turntable stays where it was, since the
    target velocity follows the arc (see turntables.py)."""
    is_turning, motion = turns[0], turns[1] if side == 0 else turns[2]
    start = field3(block, ANCHOR_A if side == 0 else ANCHOR_B)
    if not is_turning:
        return start
    now = from_start(is_turning, motion, center_seen(block, side, into_start(is_turning, motion, field3(block, NORMAL))))
    mass = field3(block, MASS_A if side == 0 else MASS_B)
    spin = where_greater8(mass[0] + mass[1] + mass[2], splat8(FLOAT32(0.0)), splat8(FLOAT32(0.0)), field(block, TABLE_SPIN))
    spin, none = absolute8(spin), splat8(FLOAT32(1.0e-20))
    return (
        where_greater8(spin, none, start[0], now[0]), where_greater8(spin, none, start[1], now[1]),
        where_greater8(spin, none, start[2], now[2]),
    )  # fmt: skip


@kernel
def push_contact(block, turns, v_a, w_a, v_b, w_b, pressed, arm_a, arm_b, first, second):
    """Velocities after impulses of the points, with sum `pressed` along the normal and the sums of their arms times them, and of
    friction along the two tangents."""
    normal, tangent = field3(block, NORMAL), field3(block, TANGENT)
    slid = add_scaled8((tangent[0] * first, tangent[1] * first, tangent[2] * first), cross8(normal, tangent), second)
    turn_a = moment_of(block, turns, 0, arm_a, slid)
    turn_b = moment_of(block, turns, 1, arm_b, slid)
    return push_both(block, turns, v_a, w_a, v_b, w_b, add_scaled8(slid, normal, pressed), turn_a, turn_b)


@kernel
def twist_of(block, turns, side, inertia):
    """Spin that a unit of twist about the normal gives one body [1/(kg m^2)], world axes. `side`: 0 for A, 1 for B."""
    motion = turns[1] if side == 0 else turns[2]
    normal = into_start(turns[0], motion, field3(block, NORMAL))
    return from_start(turns[0], motion, symmetric_times8(field6(block, inertia), normal))


@kernel
def twists_of(block, turns):
    """`twist_of` both bodies."""
    return twist_of(block, turns, 0, INERTIA_A), twist_of(block, turns, 1, INERTIA_B)


@kernel
def spin_both(twists, w_a, w_b, impulse):
    """Spins after a twist about the normal on B, its reverse on A. `twists`: see `twists_of`."""
    return add_scaled8(w_a, twists[0], -impulse), add_scaled8(w_b, twists[1], impulse)


@kernel
def apply_again(block, turns, v_a, w_a, v_b, w_b):
    """Velocities after the previous impulses of a block. `turns`: see `turns_of`."""
    zero = splat8(FLOAT32(0.0))
    pressed, arm_a, arm_b = zero, (zero, zero, zero), (zero, zero, zero)
    point = block + POINTS * FIELD_SIZE
    for _ in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
        impulse = field(point, POINT_IMPULSE)
        pressed += impulse
        arm_a = add_scaled8(arm_a, field3(point, POINT_ANCHOR_A), impulse)
        arm_b = add_scaled8(arm_b, field3(point, POINT_ANCHOR_B), impulse)
        point += POINT_SIZE
    first, second = field(block, FRICTION_IMPULSE), field(block, FRICTION_IMPULSE + 1)
    v_a, w_a, v_b, w_b = push_contact(block, turns, v_a, w_a, v_b, w_b, pressed, arm_a, arm_b, first, second)
    w_a, w_b = spin_both(twists_of(block, turns), w_a, w_b, field(block, TWIST_IMPULSE))
    return v_a, w_a, v_b, w_b


@kernel
def solve_normals(block, turns, v_a, w_a, v_b, w_b, inverse_h, bias_rate, softness, push_out):
    """Solve the points of eight manifolds along their normals, those of one manifold together. `turns`: see `turns_of`. Return
    velocities, the deepest separation [m] and the separation speed of the bodies [m/s]."""
    weigh_turned(block, turns)
    wanted = address_of_row(stack_array(WANTED_SIZE, FLOAT32), 0)
    terms, now = terms_of_points(block, turns, v_a, w_a, v_b, w_b)
    never = splat8(FLOAT32(NEVER))
    lowest = measure_points(block, wanted, terms, now, inverse_h, bias_rate, softness, push_out, never)
    settle_points(block, wanted)
    change, arm_a, arm_b = take_changes(block, wanted)
    normal = field3(block, NORMAL)
    impulse = (normal[0] * change, normal[1] * change, normal[2] * change)
    turn_a = cross8(arm_a, into_start(turns[0], turns[1], normal))
    turn_b = cross8(arm_b, into_start(turns[0], turns[2], normal))
    v_a, w_a, v_b, w_b = push_both(block, turns, v_a, w_a, v_b, w_b, impulse, turn_a, turn_b)
    return (v_a, w_a, v_b, w_b), lowest, dot8(normal, subtract8(v_b, v_a))


@kernel
def surface_speeds(block, anchors, v_a, w_a, v_b, w_b):
    """Relative speeds of the surfaces beyond the wanted ones: along the two tangents at the centre of friction [m/s], and the
    spin about the normal [rad/s]."""
    normal, tangent = field3(block, NORMAL), field3(block, TANGENT)
    relative = subtract8(add8(v_b, cross8(w_b, anchors[1])), add8(v_a, cross8(w_a, anchors[0])))
    along_1 = dot8(tangent, relative) + field(block, TANGENT_VELOCITY)
    along_2 = dot8(cross8(normal, tangent), relative) + field(block, TANGENT_VELOCITY + 1)
    return along_1, along_2, dot8(normal, subtract8(w_b, w_a)) + field(block, TWIST_VELOCITY)


@kernel
def solve_all(block, turns, v_a, w_a, v_b, w_b, inverse_h, bounces_from):
    """Solve points and friction of eight manifolds together, without bias. Return velocities. `turns`: see `turns_of`;
    `bounces_from`: see `measure_points`."""
    zero, one = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0))
    weigh_turned(block, turns)
    wanted = address_of_row(stack_array(WANTED_SIZE, FLOAT32), 0)
    terms, now = terms_of_points(block, turns, v_a, w_a, v_b, w_b)
    measure_points(block, wanted, terms, now, inverse_h, zero, one, zero, bounces_from)
    twists = twists_of(block, turns)
    anchors = center_now(block, turns, 0), center_now(block, turns, 1)
    normal, speeds = field3(block, NORMAL), surface_speeds(block, anchors, v_a, w_a, v_b, w_b)
    arm_a = into_start(turns[0], turns[1], cross8(normal, twists[0]))
    arm_b = into_start(turns[0], turns[2], cross8(normal, twists[1]))
    tangent = into_start(turns[0], turns[1], field3(block, TANGENT))
    directions = tangent, cross8(into_start(turns[0], turns[1], normal), tangent)
    friction = measure_friction(block, wanted, anchors, twists, (arm_a, arm_b), directions)
    first, second, third = settle_sliding(block, wanted, speeds, friction)
    change, arm_a, arm_b = take_changes(block, wanted)
    v_a, w_a, v_b, w_b = push_contact(block, turns, v_a, w_a, v_b, w_b, change, arm_a, arm_b, first, second)
    w_a, w_b = spin_both(twists, w_a, w_b, third)
    return v_a, w_a, v_b, w_b
