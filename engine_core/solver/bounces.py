"""Bounces of eight contact manifolds at once.

A point that reaches the other surface within a sub-step faster than the threshold bounces at once: the surfaces separate at
`restitution` times their approach speed. A bounce is a collision of its own: it uses the speed of the bodies when their contact
is solved, so that a row of balls passes on the speed of the first one, and its impulse can only remove energy. The impulse acts
at once; the rest of the sub-step's pass continues from the new velocities.

The bounce acts at its own moment inside the sub-step: the bodies are moved by as much as the change of velocity came too early or
too late. So a ball turns around at the surface and comes back as high as its restitution gives, however long a sub-step is.
"""

import numpy as np

from ..constraints.blocks import field, field3, field6, gather, put
from ..constraints.schema import (
    BOUNCED, FIELD_SIZE, FORCE_SIZE, INERTIA_A, INERTIA_B, IS_ELASTIC, JOINED, MASS_A, MASS_B, NORMAL, POINT_ANCHOR_A,
    POINT_ANCHOR_B, POINT_COUNT, POINT_FIELDS, POINT_AWAY, POINT_LEVER, POINT_MASS, POINT_TOTAL_IMPULSE, POINTS,
    RESTITUTION, ROW_A, ROW_B, VELOCITY_CHANGE,
)  # fmt: skip
from ..geometry.wide_vector import add_scaled8, cross8, dot8, is_any_above8, subtract8, symmetric_times8
from ..runtime.call import load_int32
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_row, stack_array
from ..runtime.vector8 import fused_multiply_add, max8, min8, splat8, where_greater8, where_less8
from .contact_impulses import NEVER, push_both
from .point_impulses import gap_of_point, turned_terms
from .push_out import shift_rows

FLOAT32 = np.float32
POINT_SIZE = POINT_FIELDS * FIELD_SIZE
SWEEPS = 16
"""Number of sweeps that settle the points of a bouncing manifold with each other."""
LEAST_PART = 0.01
"""Perfectly elastic points bounce from this part of the threshold on; less elastic points from a part closer to 1."""
NOTABLE_LOSS = 3.0e-4
"""The speed that joints took from a bounce is given back if it is more than this part of the bounce's speed."""
TINY = FLOAT32(1.0e-20)

# Fields of a point's bounce (eight floats each): the change of speed, the effective mass (0 if it does not bounce), the moment
# within the sub-step [s], the impulse.
CHANGE, ANSWER, MOMENT, IMPULSE = 0, 1, 2, 3
WANTED_SIZE = 4 * FIELD_SIZE
COUPLED = 4 * WANTED_SIZE  # after the four points: how an impulse of one changes the speeds of others, as COUPLING
WANTED_FLOATS = (COUPLED + 6 * FIELD_SIZE) // 4
TURNS, TURN_FLOATS = 24, 384
"""Fields of a manifold's points in `couple_turned`: how each turns each body, and the resulting spin."""


@kernel
def gained8(forces, indices):
    """Velocity that forces add to eight bodies in a sub-step [m/s]."""
    columns = gather(forces, indices, FORCE_SIZE, 4 * VELOCITY_CHANGE)
    return columns[0], columns[1], columns[2]


@kernel
def bounces_from(system, block):
    """The speed from which manifolds bounce, negative for approach [m/s]."""
    zero, bounce = splat8(FLOAT32(0.0)), field(block, RESTITUTION)
    part = max8(splat8(FLOAT32(1.0)) - bounce, splat8(FLOAT32(LEAST_PART)))
    return where_greater8(bounce, zero, splat8(FLOAT32(-system.settings.restitution_threshold)) * part, splat8(FLOAT32(NEVER)))


@kernel
def is_joined(block):
    """Whether a body of the block that may bounce has joints."""
    return load_int32(block + IS_ELASTIC * FIELD_SIZE) == JOINED


@kernel
def put_turns(memory, p, side, turn, spin):
    """Write how a unit impulse at a point turns a body, and the resulting spin, in the frame of the step's start."""
    for k in range(3):
        put(memory, 12 * side + 3 * p + k, turn[k])
        put(memory, TURNS + 12 * side + 3 * p + k, spin[k])


@kernel
def coupling_of(memory, linear, p, q):
    """Separation speed of the bodies at point p for a unit impulse at point q."""
    total = linear
    for side in range(2):
        for k in range(3):
            turn, spin = field(memory, 12 * side + 3 * p + k), field(memory, TURNS + 12 * side + 3 * q + k)
            total = fused_multiply_add(turn, spin, total)
    return total


@kernel
def couple_turned(block, wanted, turned):
    """Write the effective mass of each bouncing point, and the coupling of the points, with the bodies' current rotation."""
    zero, one, tiny = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0)), splat8(TINY)
    memory = address_of_row(stack_array(TURN_FLOATS, FLOAT32), 0)
    normal, mass_a, mass_b = field3(block, NORMAL), field3(block, MASS_A), field3(block, MASS_B)
    weight = (mass_a[0] + mass_b[0], mass_a[1] + mass_b[1], mass_a[2] + mass_b[2])
    linear = dot8(normal, (normal[0] * weight[0], normal[1] * weight[1], normal[2] * weight[2]))
    inertia_a, inertia_b = field6(block, INERTIA_A), field6(block, INERTIA_B)
    count = load_int32(block + POINT_COUNT * FIELD_SIZE)
    for p in range(4):
        turn_a, turn_b = (zero, zero, zero), (zero, zero, zero)
        if p < count:
            point = block + POINTS * FIELD_SIZE + p * POINT_SIZE
            turn_a = cross8(field3(point, POINT_ANCHOR_A), turned[0])
            turn_b = cross8(field3(point, POINT_ANCHOR_B), turned[1])
        put_turns(memory, p, 0, turn_a, symmetric_times8(inertia_a, turn_a))
        put_turns(memory, p, 1, turn_b, symmetric_times8(inertia_b, turn_b))
    for p in range(4):
        place = wanted + p * WANTED_SIZE
        own = max8(coupling_of(memory, linear, p, p), tiny)
        put(place, ANSWER, where_greater8(field(place, ANSWER), zero, one / own, zero))
    number = 0
    for p in range(3):
        for q in range(p + 1, 4):
            put(wanted + COUPLED, number, coupling_of(memory, linear, p, q))
            number += 1


@kernel
def push_turned(block, motion_a, motion_b, turned, v_a, w_a, v_b, w_b, total, arm_a, arm_b):
    """Velocities after the bounces: `total` along the normal, with the arms at the step's start."""
    normal = field3(block, NORMAL)
    impulse = (normal[0] * total, normal[1] * total, normal[2] * total)
    turns = True, motion_a, motion_b
    return push_both(block, turns, v_a, w_a, v_b, w_b, impulse, cross8(arm_a, turned[0]), cross8(arm_b, turned[1]))


@kernel
def want_nothing(wanted, count):
    """Clear the fields of the points from `count` on, which do not exist. `wanted`: after the existing ones."""
    zero = splat8(FLOAT32(0.0))
    for _ in range(count, 4):
        for k in range(4):
            put(wanted, k, zero)
        wanted += WANTED_SIZE


@kernel
def measure_losses(block, wanted, terms):
    """Measure, like `measure_bounces`, how much joints have reduced the speeds of those points that have just bounced."""
    zero, half_never, worth = splat8(FLOAT32(0.0)), splat8(FLOAT32(0.5 * NEVER)), splat8(FLOAT32(NOTABLE_LOSS))
    most = zero
    point = block + POINTS * FIELD_SIZE
    for _ in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
        _, speed = gap_of_point(point, terms)
        away = field(point, POINT_AWAY)
        answer = where_greater8(away, half_never, field(point, POINT_MASS), zero)
        change = where_greater8(answer, zero, max8(away - speed, zero), zero)
        put(wanted, CHANGE, change)
        put(wanted, ANSWER, answer)
        put(wanted, MOMENT, zero)
        most = max8(most, change - worth * away)
        point += POINT_SIZE
        wanted += WANTED_SIZE
    want_nothing(wanted, load_int32(block + POINT_COUNT * FIELD_SIZE))
    return is_any_above8(most, zero)


@kernel
def measure_bounces(system, block, wanted, terms, h, ahead):
    """Write the bounce of each point to `wanted`; return whether there is any. `ahead`: whether the sub-step's motion is still to
    come; else it is done, and bouncing points have already met.

    If the motion is still to come, POINT_AWAY keeps the target speed of joined bodies for `bounce_again`.

    Velocities are those of the middle of a sub-step (a symplectic Euler step is a leap-frog): at the moment of the bounce, before
    and after it, they differ from that by what gravity gives in between."""
    zero, one, half = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0)), splat8(FLOAT32(0.5))
    reach, longest = splat8(FLOAT32(h if ahead else 0.0)), splat8(FLOAT32(-system.step.last_delta_time))
    middle = half if ahead else -half
    inverse_h = splat8(FLOAT32(1.0 / h))
    bounce = field(block, RESTITUTION)
    threshold = bounces_from(system, block)
    gained_b = gained8(system.solver.forces, block + ROW_B * FIELD_SIZE)
    gained_a = gained8(system.solver.forces, block + ROW_A * FIELD_SIZE)
    gained = dot8(field3(block, NORMAL), subtract8(gained_b, gained_a))
    brought = gained if ahead else zero  # a body at rest on the other and pressed to it does not meet it
    most, never = zero, splat8(FLOAT32(NEVER))
    keeps = ahead and is_joined(block)
    point = block + POINTS * FIELD_SIZE
    for _ in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
        separation, speed = gap_of_point(point, terms)
        closing = min8(speed, threshold)
        moment = max8(-(separation / closing), longest)
        answer = where_less8(speed - brought, threshold, field(point, POINT_MASS), zero)
        answer = where_greater8(fused_multiply_add(speed, reach, separation), zero, zero, answer)
        away = max8((one + bounce) * gained * (middle - moment * inverse_h) - bounce * speed, zero)
        put(wanted, CHANGE, away - speed)
        put(wanted, ANSWER, answer)
        put(wanted, MOMENT, moment)
        if keeps:
            put(point, POINT_AWAY, where_greater8(answer, zero, away, never))
        most = max8(most, answer)
        point += POINT_SIZE
        wanted += WANTED_SIZE
    want_nothing(wanted, load_int32(block + POINT_COUNT * FIELD_SIZE))
    return is_any_above8(most, zero)


@kernel
def settle_bounces(wanted):
    """Compute consistent impulses of the bouncing points. They start equal, so that a body that lands flat gets no spin from the
    order of its points."""
    zero, tiny = splat8(FLOAT32(0.0)), splat8(TINY)
    k01, k02, k03, k12, k13, k23 = field6(wanted + COUPLED, 0)
    change_0, answer_0 = field(wanted, CHANGE), field(wanted, ANSWER)
    change_1, answer_1 = field(wanted + WANTED_SIZE, CHANGE), field(wanted + WANTED_SIZE, ANSWER)
    change_2, answer_2 = field(wanted + 2 * WANTED_SIZE, CHANGE), field(wanted + 2 * WANTED_SIZE, ANSWER)
    change_3, answer_3 = field(wanted + 3 * WANTED_SIZE, CHANGE), field(wanted + 3 * WANTED_SIZE, ANSWER)
    one = splat8(FLOAT32(1.0))
    is_0, is_1 = where_greater8(answer_0, zero, one, zero), where_greater8(answer_1, zero, one, zero)
    is_2, is_3 = where_greater8(answer_2, zero, one, zero), where_greater8(answer_3, zero, one, zero)
    asked = is_0 * change_0 + is_1 * change_1 + is_2 * change_2 + is_3 * change_3
    own = is_0 / max8(answer_0, tiny) + is_1 / max8(answer_1, tiny) + is_2 / max8(answer_2, tiny) + is_3 / max8(answer_3, tiny)
    mixed = is_0 * (is_1 * k01 + is_2 * k02 + is_3 * k03) + is_1 * (is_2 * k12 + is_3 * k13) + is_2 * is_3 * k23
    equal = max8(asked / max8(own + mixed + mixed, tiny), zero)
    b0, b1, b2, b3 = is_0 * equal, is_1 * equal, is_2 * equal, is_3 * equal
    for _ in range(SWEEPS):
        others = fused_multiply_add(k01, b1, fused_multiply_add(k02, b2, k03 * b3))
        b0 = max8(answer_0 * (change_0 - others), zero)
        others = fused_multiply_add(k01, b0, fused_multiply_add(k12, b2, k13 * b3))
        b1 = max8(answer_1 * (change_1 - others), zero)
        others = fused_multiply_add(k02, b0, fused_multiply_add(k12, b1, k23 * b3))
        b2 = max8(answer_2 * (change_2 - others), zero)
        others = fused_multiply_add(k03, b0, fused_multiply_add(k13, b1, k23 * b2))
        b3 = max8(answer_3 * (change_3 - others), zero)
    put(wanted, IMPULSE, b0)
    put(wanted + WANTED_SIZE, IMPULSE, b1)
    put(wanted + 2 * WANTED_SIZE, IMPULSE, b2)
    put(wanted + 3 * WANTED_SIZE, IMPULSE, b3)


@kernel
def take_bounces(block, wanted):
    """Add the bounces to the impulses of the points. Return the sum of impulses, the sums of their arms and the mean moment
    [s]."""
    zero = splat8(FLOAT32(0.0))
    total, moments, lever_total, arm_a, arm_b = zero, zero, zero, (zero, zero, zero), (zero, zero, zero)
    point = block + POINTS * FIELD_SIZE
    for _ in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
        b = field(wanted, IMPULSE)
        put(point, POINT_TOTAL_IMPULSE, field(point, POINT_TOTAL_IMPULSE) + b)
        total += b
        moments = fused_multiply_add(b, field(wanted, MOMENT), moments)
        lever_total = fused_multiply_add(b, field(point, POINT_LEVER), lever_total)
        arm_a = add_scaled8(arm_a, field3(point, POINT_ANCHOR_A), b)
        arm_b = add_scaled8(arm_b, field3(point, POINT_ANCHOR_B), b)
        point += POINT_SIZE
        wanted += WANTED_SIZE
    put(block, BOUNCED, field(block, BOUNCED) + total)
    put(block, BOUNCED + 1, field(block, BOUNCED + 1) + lever_total)
    return total, arm_a, arm_b, where_greater8(total, zero, moments / max8(total, splat8(TINY)), zero)


@kernel
def note_bounce(system, block):
    """Note that other points may have to bounce after this, and joints to respond."""
    if system.solver.some_block_bounced == 0:
        system.solver.some_block_bounced = 1
    if is_joined(block) and system.solver.some_joined_bounced == 0:
        system.solver.some_joined_bounced = 1


@kernel
def bounce(system, block, motion_a, motion_b, v_a, w_a, v_b, w_b, h, ahead):
    """Let meeting points bounce. Return velocities; moves rows. `ahead`: see `measure_bounces`."""
    wanted = address_of_row(stack_array(WANTED_FLOATS, FLOAT32), 0)
    terms = turned_terms(block, motion_a, motion_b, v_a, w_a, v_b, w_b)
    if not measure_bounces(system, block, wanted, terms, h, ahead):
        return v_a, w_a, v_b, w_b
    note_bounce(system, block)
    couple_turned(block, wanted, terms[0])
    settle_bounces(wanted)
    total, arm_a, arm_b, moment = take_bounces(block, wanted)
    old_a, old_b = v_a, v_b
    v_a, w_a, v_b, w_b = push_turned(block, motion_a, motion_b, terms[0], v_a, w_a, v_b, w_b, total, arm_a, arm_b)
    # The motion by which the change of velocity came too early or too late.
    early_a, early_b = subtract8(old_a, v_a), subtract8(old_b, v_b)
    shift_rows(system.solver.rows, block, ROW_A, (moment * early_a[0], moment * early_a[1], moment * early_a[2]))
    shift_rows(system.solver.rows, block, ROW_B, (moment * early_b[0], moment * early_b[1], moment * early_b[2]))
    return v_a, w_a, v_b, w_b


@kernel
def bounce_again(system, block, motion_a, motion_b, v_a, w_a, v_b, w_b):
    """Give back the speed that joints took from the bounces of this pass. Return velocities."""
    wanted = address_of_row(stack_array(WANTED_FLOATS, FLOAT32), 0)
    terms = turned_terms(block, motion_a, motion_b, v_a, w_a, v_b, w_b)
    if not measure_losses(block, wanted, terms):
        return v_a, w_a, v_b, w_b
    note_bounce(system, block)
    couple_turned(block, wanted, terms[0])
    settle_bounces(wanted)
    total, arm_a, arm_b, _ = take_bounces(block, wanted)
    return push_turned(block, motion_a, motion_b, terms[0], v_a, w_a, v_b, w_b, total, arm_a, arm_b)
