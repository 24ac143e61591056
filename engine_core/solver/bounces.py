"""Bounces of eight contact manifolds at once.

A point that reaches the other surface within a sub-step faster than the threshold bounces at once: the surfaces separate at
`restitution` times their approach speed. A bounce is a collision of its own, and its impulse can only remove energy.

Bounces come in generations. All points that approach each other before any of them is pushed bounce together: their impulses are
found by sweeps over them until they agree, each never below zero. So a ball that hits two leaves both alike, whichever is solved
first. Points that these bounces make approach each other are the next generation: a row of balls passes on the speed of the first
one. (Smith et al., "Reflections on simultaneous impact", 2012.)

The bounce acts at its own moment inside the sub-step: the bodies are moved by as much as the change of velocity came too early or
too late. So a ball turns around at the surface and comes back as high as its restitution gives, however long a sub-step is.

What a block's points are to do is in its bounces, a row beside it: see constraints/schema.py.
"""

import numpy as np

from ..constraints.blocks import field, field3, field6, gather, put
from ..constraints.schema import (
    BOUNCE_ASKED, BOUNCE_AWAY, BOUNCE_IMPULSE, BOUNCE_MOMENT, BOUNCE_POINT_SIZE, BOUNCED, FIELD_SIZE, FORCE_SIZE, INERTIA_A,
    INERTIA_B, IS_ELASTIC, JOINED, MASS_A, MASS_B, NORMAL, POINT_ANCHOR_A, POINT_ANCHOR_B, POINT_COUNT, POINT_FIELDS, POINT_LEVER,
    POINT_MASS, POINT_TOTAL_IMPULSE, POINTS, RESTITUTION, ROW_A, ROW_B, VELOCITY_CHANGE,
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
NOTABLE, NOTABLE_LOSS = 1.0e-5, 3.0e-4
"""A bounce has been disturbed by others if its speed is off by more than the first part of its change; by the second, if the body
has joints, which need more sweeps."""
TINY = FLOAT32(1.0e-20)
SLOWEST = 1.0e-6
"""Bodies that close in more slowly do not bounce [m/s], whatever the threshold: the moment of a bounce is a gap over a speed."""

POINT_BOUNCES_FLOATS = BOUNCE_POINT_SIZE  # four points of four bytes a float
"""Floats of the bounces of four points."""
# Memory of `settle_bounces`, in fields of eight floats: by point, the speed that it lacks, its effective mass, the change of its
# impulse; then how an impulse of one point changes the speeds of others, as COUPLING.
LACK, ANSWER, CHANGE, COUPLED = 0, 4, 8, 12
SETTLING_FLOATS = (COUPLED + 6) * FIELD_SIZE // 4
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
    slowest = max(system.settings.restitution_threshold, SLOWEST)
    return where_greater8(bounce, zero, splat8(FLOAT32(-slowest)) * part, splat8(FLOAT32(NEVER)))


@kernel
def is_joined(block):
    """Whether a body of the block that may bounce has joints."""
    return load_int32(block + IS_ELASTIC * FIELD_SIZE) == JOINED


@kernel
def want_nothing(bounce, count):
    """Clear the bounces of the points from `count` on, which do not exist. `bounce`: after the existing ones."""
    zero = splat8(FLOAT32(0.0))
    for _ in range(count, 4):
        for k in range(4):
            put(bounce, k, zero)
        bounce += BOUNCE_POINT_SIZE


@kernel
def measure_bounces(system, block, bounces, terms, h, ahead):
    """Write the bounce of each point; return whether there is any. `bounces`: address of those of the four points; `ahead`:
    whether the sub-step's motion is still to come; else it is done, and bouncing points have already met.

    Velocities are those of the middle of a sub-step (a symplectic Euler step is a leap-frog): at the moment of the bounce, before
    and after it, they differ from that by what gravity gives in between."""
    zero, one, half = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0)), splat8(FLOAT32(0.5))
    reach, longest = splat8(FLOAT32(h if ahead else 0.0)), splat8(FLOAT32(-system.step.last_delta_time))
    middle = half if ahead else -half
    inverse_h = splat8(FLOAT32(1.0 / h))
    restitution = field(block, RESTITUTION)
    threshold = bounces_from(system, block)
    gained_b = gained8(system.solver.forces, block + ROW_B * FIELD_SIZE)
    gained_a = gained8(system.solver.forces, block + ROW_A * FIELD_SIZE)
    gained = dot8(field3(block, NORMAL), subtract8(gained_b, gained_a))
    brought = gained if ahead else zero  # a body at rest on the other and pressed to it does not meet it
    most, point = zero, block + POINTS * FIELD_SIZE
    for _ in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
        separation, speed = gap_of_point(point, terms)
        closing = min8(speed, threshold)
        moment = max8(-(separation / closing), longest)
        meets = where_less8(speed - brought, threshold, field(point, POINT_MASS), zero)
        meets = where_greater8(fused_multiply_add(speed, reach, separation), zero, zero, meets)
        away = max8((one + restitution) * gained * (middle - moment * inverse_h) - restitution * speed, zero)
        asked = where_greater8(meets, zero, max8(away - speed, zero), zero)
        put(bounces, BOUNCE_AWAY, away)
        put(bounces, BOUNCE_ASKED, asked)
        put(bounces, BOUNCE_MOMENT, moment)
        put(bounces, BOUNCE_IMPULSE, zero)
        most = max8(most, asked)
        point += POINT_SIZE
        bounces += BOUNCE_POINT_SIZE
    want_nothing(bounces, load_int32(block + POINT_COUNT * FIELD_SIZE))
    return is_any_above8(most, zero)


@kernel
def measure_lacks(block, bounces, memory, terms):
    """Write the speed that each bouncing point lacks. Return whether some lacks a notable part of it, or has more than its
    impulse should have given."""
    zero, most = splat8(FLOAT32(0.0)), splat8(FLOAT32(0.0))
    worth = splat8(FLOAT32(NOTABLE_LOSS if is_joined(block) else NOTABLE))
    point = block + POINTS * FIELD_SIZE
    for p in range(4):
        lack = zero
        if p < load_int32(block + POINT_COUNT * FIELD_SIZE):
            _, speed = gap_of_point(point, terms)
            asked, impulse = field(bounces, BOUNCE_ASKED), field(bounces, BOUNCE_IMPULSE)
            lack = where_greater8(asked, zero, field(bounces, BOUNCE_AWAY) - speed, zero)
            off = max8(lack, where_greater8(impulse, zero, -lack, zero))
            most = max8(most, off - worth * asked)
            point += POINT_SIZE
            bounces += BOUNCE_POINT_SIZE
        put(memory, LACK + p, lack)
    return is_any_above8(most, zero)


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
def couple_turned(block, bounces, memory, turned):
    """Write the effective mass of each bouncing point, and the coupling of the points, with the bodies' current rotation."""
    zero, one, tiny = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0)), splat8(TINY)
    turns = address_of_row(stack_array(TURN_FLOATS, FLOAT32), 0)
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
        put_turns(turns, p, 0, turn_a, symmetric_times8(inertia_a, turn_a))
        put_turns(turns, p, 1, turn_b, symmetric_times8(inertia_b, turn_b))
    for p in range(4):
        own = max8(coupling_of(turns, linear, p, p), tiny)
        put(memory, ANSWER + p, where_greater8(field(bounces + p * BOUNCE_POINT_SIZE, BOUNCE_ASKED), zero, one / own, zero))
    number = 0
    for p in range(3):
        for q in range(p + 1, 4):
            put(memory, COUPLED + number, coupling_of(turns, linear, p, q))
            number += 1


@kernel
def impulses_of(bounces):
    """The impulses of the four points."""
    return (
        field(bounces, BOUNCE_IMPULSE), field(bounces + BOUNCE_POINT_SIZE, BOUNCE_IMPULSE),
        field(bounces + 2 * BOUNCE_POINT_SIZE, BOUNCE_IMPULSE), field(bounces + 3 * BOUNCE_POINT_SIZE, BOUNCE_IMPULSE),
    )  # fmt: skip


@kernel
def settle_points(bounces, memory):
    """Write the changes of the impulses of bouncing points that make them consistent. They start with equal changes, so that a
    body that lands flat gets no spin from the order of its points."""
    zero, one, tiny = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0)), splat8(TINY)
    k01, k02, k03, k12, k13, k23 = field6(memory, COUPLED)
    old_0, old_1, old_2, old_3 = impulses_of(bounces)
    answer_0, answer_1 = field(memory, ANSWER), field(memory, ANSWER + 1)
    answer_2, answer_3 = field(memory, ANSWER + 2), field(memory, ANSWER + 3)
    is_0, is_1 = where_greater8(answer_0, zero, one, zero), where_greater8(answer_1, zero, one, zero)
    is_2, is_3 = where_greater8(answer_2, zero, one, zero), where_greater8(answer_3, zero, one, zero)
    own_0, own_1 = is_0 / max8(answer_0, tiny), is_1 / max8(answer_1, tiny)
    own_2, own_3 = is_2 / max8(answer_2, tiny), is_3 / max8(answer_3, tiny)
    # The changes of speed that all impulses of the manifold shall give.
    all_0 = field(memory, LACK) + own_0 * old_0 + is_0 * (k01 * old_1 + k02 * old_2 + k03 * old_3)
    all_1 = field(memory, LACK + 1) + own_1 * old_1 + is_1 * (k01 * old_0 + k12 * old_2 + k13 * old_3)
    all_2 = field(memory, LACK + 2) + own_2 * old_2 + is_2 * (k02 * old_0 + k12 * old_1 + k23 * old_3)
    all_3 = field(memory, LACK + 3) + own_3 * old_3 + is_3 * (k03 * old_0 + k13 * old_1 + k23 * old_2)
    own = own_0 + own_1 + own_2 + own_3
    mixed = is_0 * (is_1 * k01 + is_2 * k02 + is_3 * k03) + is_1 * (is_2 * k12 + is_3 * k13) + is_2 * is_3 * k23
    lacks = field(memory, LACK) + field(memory, LACK + 1) + field(memory, LACK + 2) + field(memory, LACK + 3)
    equal = lacks / max8(own + mixed + mixed, tiny)
    b0, b1 = max8(old_0 + is_0 * equal, zero), max8(old_1 + is_1 * equal, zero)
    b2, b3 = max8(old_2 + is_2 * equal, zero), max8(old_3 + is_3 * equal, zero)
    for _ in range(SWEEPS):
        others = fused_multiply_add(k01, b1, fused_multiply_add(k02, b2, k03 * b3))
        b0 = max8(answer_0 * (all_0 - others), zero)
        others = fused_multiply_add(k01, b0, fused_multiply_add(k12, b2, k13 * b3))
        b1 = max8(answer_1 * (all_1 - others), zero)
        others = fused_multiply_add(k02, b0, fused_multiply_add(k12, b1, k23 * b3))
        b2 = max8(answer_2 * (all_2 - others), zero)
        others = fused_multiply_add(k03, b0, fused_multiply_add(k13, b1, k23 * b2))
        b3 = max8(answer_3 * (all_3 - others), zero)
    put(memory, CHANGE, b0 - old_0)
    put(memory, CHANGE + 1, b1 - old_1)
    put(memory, CHANGE + 2, b2 - old_2)
    put(memory, CHANGE + 3, b3 - old_3)


@kernel
def take_bounces(block, bounces, memory):
    """Add the changes to the impulses of the points. Return the sum of them, the sums of their arms and of their moments [N s^2]
    times them."""
    zero = splat8(FLOAT32(0.0))
    total, moments, lever_total, arm_a, arm_b = zero, zero, zero, (zero, zero, zero), (zero, zero, zero)
    point = block + POINTS * FIELD_SIZE
    for p in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
        change = field(memory, CHANGE + p)
        put(bounces, BOUNCE_IMPULSE, field(bounces, BOUNCE_IMPULSE) + change)
        put(point, POINT_TOTAL_IMPULSE, field(point, POINT_TOTAL_IMPULSE) + change)
        total += change
        moments = fused_multiply_add(change, field(bounces, BOUNCE_MOMENT), moments)
        lever_total = fused_multiply_add(change, field(point, POINT_LEVER), lever_total)
        arm_a = add_scaled8(arm_a, field3(point, POINT_ANCHOR_A), change)
        arm_b = add_scaled8(arm_b, field3(point, POINT_ANCHOR_B), change)
        point += POINT_SIZE
        bounces += BOUNCE_POINT_SIZE
    put(block, BOUNCED, field(block, BOUNCED) + total)
    put(block, BOUNCED + 1, field(block, BOUNCED + 1) + lever_total)
    return total, arm_a, arm_b, moments


@kernel
def push_turned(system, block, bounces, memory, turned, motions, v_a, w_a, v_b, w_b):
    """Velocities after the changes of the impulses. Moves rows by as much as these came too early or too late. `motions`: of A
    and of B since the step began."""
    normal = field3(block, NORMAL)
    total, arm_a, arm_b, moments = take_bounces(block, bounces, memory)
    late = (normal[0] * moments, normal[1] * moments, normal[2] * moments)
    mass_a, mass_b = field3(block, MASS_A), field3(block, MASS_B)
    shift_rows(system.solver.rows, block, ROW_A, (mass_a[0] * late[0], mass_a[1] * late[1], mass_a[2] * late[2]))
    shift_rows(system.solver.rows, block, ROW_B, (-(mass_b[0] * late[0]), -(mass_b[1] * late[1]), -(mass_b[2] * late[2])))
    impulse = (normal[0] * total, normal[1] * total, normal[2] * total)
    turns = True, motions[0], motions[1]
    return push_both(block, turns, v_a, w_a, v_b, w_b, impulse, cross8(arm_a, turned[0]), cross8(arm_b, turned[1]))


@kernel
def note_bounce(system, block):
    """Note that other bounces may have been disturbed, and that joints have to respond."""
    if system.solver.some_bounce_changed == 0:
        system.solver.some_bounce_changed = 1
    if is_joined(block) and system.solver.some_joined_bounced == 0:
        system.solver.some_joined_bounced = 1


@kernel
def settle_bounces(system, block, bounces, motions, v_a, w_a, v_b, w_b):
    """(Velocities after the bouncing points of a block have been given consistent impulses, whether these had to change
    notably)."""
    memory = address_of_row(stack_array(SETTLING_FLOATS, FLOAT32), 0)
    terms = turned_terms(block, motions[0], motions[1], v_a, w_a, v_b, w_b)
    if not measure_lacks(block, bounces, memory, terms):
        return (v_a, w_a, v_b, w_b), False
    couple_turned(block, bounces, memory, terms[0])
    settle_points(bounces, memory)
    return push_turned(system, block, bounces, memory, terms[0], motions, v_a, w_a, v_b, w_b), True


@kernel
def undo_bounces(system, block, bounces, motions, v_a, w_a, v_b, w_b):
    """Velocities without the bounces of a block in this generation."""
    memory = address_of_row(stack_array(SETTLING_FLOATS, FLOAT32), 0)
    for p in range(4):
        put(memory, CHANGE + p, -field(bounces + p * BOUNCE_POINT_SIZE, BOUNCE_IMPULSE))
    terms = turned_terms(block, motions[0], motions[1], v_a, w_a, v_b, w_b)
    return push_turned(system, block, bounces, memory, terms[0], motions, v_a, w_a, v_b, w_b)
