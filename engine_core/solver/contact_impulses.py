"""The impulses of eight contact manifolds at once: the target of each point, consistent impulses of points and friction, and
their effect on the bodies.

The points of a manifold and its friction are settled with each other before a body is pushed. Friction at the foot of a box turns
the box, and the points' normals absorb that turn in the same pass, out of the impulse of the impact. Solved one after the other
they would leave a torque that only the next pass could absorb, by throwing the body up.
"""

import numpy as np

from ..constraints.blocks import field, field3, field6, put
from ..constraints.schema import (
    ALLOWED_OVERLAP, ANCHOR_A, ANCHOR_B, BOUNCED, COUPLING, FIELD_SIZE, FRICTION, FRICTION_IMPULSE, INERTIA_A, INERTIA_B,
    IS_ELASTIC, MASS_A, MASS_B, NORMAL, POINT_ANCHOR_A, POINT_ANCHOR_B, POINT_COUNT, POINT_FIELDS, POINT_IMPULSE, POINT_LEVER,
    POINT_MASS, POINT_SEPARATION, POINTS, RESTITUTION, SLIDE_COUPLING, TANGENT, TANGENT_MASS, TANGENT_VELOCITY, TWIST_IMPULSE,
    TWIST_MASS, TWIST_VELOCITY,
)  # fmt: skip
from ..constraints.wide_preparation import directions_of, weigh_friction, weigh_points
from ..geometry.wide_vector import add8, add_scaled8, cross8, dot8, is_any_above8, rotate8, subtract8, symmetric_times8
from ..runtime.call import load_int32
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_row, stack_array
from ..runtime.vector8 import (
    absolute8, fused_multiply_add, max8, min8, splat8, square_root8, where_greater8, where_less8,
)  # fmt: skip

FLOAT32 = np.float32
POINT_SIZE = POINT_FIELDS * FIELD_SIZE
SWEEPS = 4
"""Number of sweeps over the points of a manifold in a pass without friction."""
MOST_SLIDING_SWEEPS = 24
"""The most sweeps over points and friction until they are consistent: bodies that slide on their leading edge need many."""
AGREEMENT, LEAST_SPEED = 5.0e-4, 1.0e-4
"""They are consistent when a sweep changes no impulse by more than this part of the normal impulse plus the impulse for this
speed [m/s]."""
NEVER = -1.0e30
"""A speed below all others [m/s]."""
ALONE, GAIN, CHANGE = 0, 1, 2
"""Fields of a point's target (eight floats each): its impulse if no other changed, how much less by the speed that the others
give it, and the resulting change of the impulse."""
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
    """(Whether an uneven body of a block has rotated noticeably since the step began, the motions of A and of B). Then arms and
    inertias, which are of the step's start, are rotated with the bodies; otherwise impulses would act about outdated axes, and an
    impact of a rod that spins would give it energy. `rest_*`: the columns of the rows that are not velocities."""
    turn_a = motion_a[3] * motion_a[3] + motion_a[4] * motion_a[4] + motion_a[5] * motion_a[5]
    turn_b = motion_b[3] * motion_b[3] + motion_b[4] * motion_b[4] + motion_b[5] * motion_b[5]
    is_turning = is_any_above8(max8(rest_a[0] * turn_a, rest_b[0] * turn_b), splat8(FLOAT32(LEAST_TURN)))
    return is_turning, motion_a, motion_b


@kernel
def are_even(rest_a, rest_b):
    """Whether no body of a block is uneven: then nothing turns, as `turns_of` has it."""
    return not is_any_above8(max8(rest_a[0], rest_b[0]), splat8(FLOAT32(0.5)))


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
def settle_sliding(block, wanted, slide_1, slide_2):
    """Compute consistent impulses of the four points and of friction: friction as a 2 x 2 block limited by a circle, then each
    point after the changes of the others and of friction. `slide_*`: speed along the two tangents. Writes the changes of the
    points' impulses, returns those of friction."""
    zero, one, tiny = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0)), splat8(FLOAT32(1.0e-20))
    k01, k02, k03, k12, k13, k23 = field6(block, COUPLING)
    s10, s11, s12, s13 = four_fields(block + SLIDE_COUPLING * FIELD_SIZE, 0, FIELD_SIZE)
    s20, s21, s22, s23 = four_fields(block + (SLIDE_COUPLING + 4) * FIELD_SIZE, 0, FIELD_SIZE)
    m11, m22, m12 = field3(block, TANGENT_MASS)
    old_0, old_1, old_2, old_3 = four_fields(block + POINTS * FIELD_SIZE, POINT_IMPULSE, POINT_SIZE)
    alone_0, alone_1, alone_2, alone_3 = four_fields(wanted, ALONE, WANTED_SIZE)
    gain_0, gain_1, gain_2, gain_3 = four_fields(wanted, GAIN, WANTED_SIZE)
    old_first, old_second = field(block, FRICTION_IMPULSE), field(block, FRICTION_IMPULSE + 1)
    friction = field(block, FRICTION)
    pressed = old_0 + old_1 + old_2 + old_3 + field(block, BOUNCED)
    d0, d1, d2, d3 = zero, zero, zero, zero
    first, second = zero, zero
    least = splat8(FLOAT32(LEAST_SPEED)) * max8(max8(gain_0, gain_1), max8(gain_2, gain_3))
    agreement = splat8(FLOAT32(AGREEMENT))
    for _ in range(MOST_SLIDING_SWEEPS):
        before_0, before_1, before_2, before_3 = d0, d1, d2, d3
        along_1 = slide_1 + fused_multiply_add(s10, d0, fused_multiply_add(s11, d1, fused_multiply_add(s12, d2, s13 * d3)))
        along_2 = slide_2 + fused_multiply_add(s20, d0, fused_multiply_add(s21, d1, fused_multiply_add(s22, d2, s23 * d3)))
        new_1 = old_first - fused_multiply_add(m11, along_1, m12 * along_2)
        new_2 = old_second - fused_multiply_add(m12, along_1, m22 * along_2)
        carried = pressed + (d0 + d1 + d2 + d3)
        limit = friction * carried
        size = square_root8(fused_multiply_add(new_1, new_1, new_2 * new_2))
        factor = where_greater8(size, limit, limit / max8(size, tiny), one)
        first, second = new_1 * factor - old_first, new_2 * factor - old_second
        others = fused_multiply_add(k01, d1, fused_multiply_add(k02, d2, k03 * d3))
        others = fused_multiply_add(s10, first, fused_multiply_add(s20, second, others))
        d0 = max8(alone_0 - gain_0 * others, zero) - old_0
        others = fused_multiply_add(k01, d0, fused_multiply_add(k12, d2, k13 * d3))
        others = fused_multiply_add(s11, first, fused_multiply_add(s21, second, others))
        d1 = max8(alone_1 - gain_1 * others, zero) - old_1
        others = fused_multiply_add(k02, d0, fused_multiply_add(k12, d1, k23 * d3))
        others = fused_multiply_add(s12, first, fused_multiply_add(s22, second, others))
        d2 = max8(alone_2 - gain_2 * others, zero) - old_2
        others = fused_multiply_add(k03, d0, fused_multiply_add(k13, d1, k23 * d2))
        others = fused_multiply_add(s13, first, fused_multiply_add(s23, second, others))
        d3 = max8(alone_3 - gain_3 * others, zero) - old_3
        moved = max8(
            max8(absolute8(d0 - before_0), absolute8(d1 - before_1)), max8(absolute8(d2 - before_2), absolute8(d3 - before_3))
        )
        if not is_any_above8(moved, fused_multiply_add(agreement, carried, least)):
            break
    put_changes(wanted, d0, d1, d2, d3)
    put(block, FRICTION_IMPULSE, old_first + first)
    put(block, FRICTION_IMPULSE + 1, old_second + second)
    return first, second


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
def moment_of(block, turns, side, arm, anchor, slid):
    """Moment about one body of the points' impulses, with the sum `arm` of their arms times them, and of friction `slid` at an
    anchor, in the axes of `into_start`. `side`: 0 for A, 1 for B."""
    motion = turns[1] if side == 0 else turns[2]
    normal, slid = into_start(turns[0], motion, field3(block, NORMAL)), into_start(turns[0], motion, slid)
    return add8(cross8(arm, normal), cross8(field3(block, anchor), slid))


@kernel
def push_contact(block, turns, v_a, w_a, v_b, w_b, pressed, arm_a, arm_b, first, second):
    """Velocities after impulses of the points, with sum `pressed` along the normal and the sums of their arms times them, and of
    friction along the two tangents."""
    normal, tangent = field3(block, NORMAL), field3(block, TANGENT)
    slid = add_scaled8((tangent[0] * first, tangent[1] * first, tangent[2] * first), cross8(normal, tangent), second)
    turn_a = moment_of(block, turns, 0, arm_a, ANCHOR_A, slid)
    turn_b = moment_of(block, turns, 1, arm_b, ANCHOR_B, slid)
    return push_both(block, turns, v_a, w_a, v_b, w_b, add_scaled8(slid, normal, pressed), turn_a, turn_b)


@kernel
def spin_of(block, turns, side, inertia, impulse):
    """Spin that a twist about the normal gives one body. `side`: 0 for A, 1 for B."""
    motion = turns[1] if side == 0 else turns[2]
    normal = into_start(turns[0], motion, field3(block, NORMAL))
    turn = (normal[0] * impulse, normal[1] * impulse, normal[2] * impulse)
    return from_start(turns[0], motion, symmetric_times8(field6(block, inertia), turn))


@kernel
def spin_both(block, turns, w_a, w_b, impulse):
    """Spins after a twist about the normal on B, its reverse on A."""
    w_a = subtract8(w_a, spin_of(block, turns, 0, INERTIA_A, impulse))
    return w_a, add8(w_b, spin_of(block, turns, 1, INERTIA_B, impulse))


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
    w_a, w_b = spin_both(block, turns, w_a, w_b, field(block, TWIST_IMPULSE))
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
def solve_twist(block, turns, w_a, w_b):
    """Solve friction about the normal: at most what the points' impulses can hold at their arms. Return the spins."""
    lever_total = field(block, BOUNCED + 1)
    point = block + POINTS * FIELD_SIZE
    for _ in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
        lever_total = fused_multiply_add(field(point, POINT_IMPULSE), field(point, POINT_LEVER), lever_total)
        point += POINT_SIZE
    normal = field3(block, NORMAL)
    impulse = field(block, TWIST_IMPULSE)
    limit = field(block, FRICTION) * lever_total
    spin = dot8(normal, subtract8(w_b, w_a)) + field(block, TWIST_VELOCITY)
    renewed = min8(max8(impulse - field(block, TWIST_MASS) * spin, -limit), limit)
    change = renewed - impulse
    put(block, TWIST_IMPULSE, renewed)
    return spin_both(block, turns, w_a, w_b, change)


@kernel
def solve_all(block, turns, v_a, w_a, v_b, w_b, inverse_h, bounces_from):
    """Solve twist, then points and friction of eight manifolds together, without bias. Return velocities. `turns`: see
    `turns_of`; `bounces_from`: see `measure_points`."""
    zero, one = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0))
    weigh_turned(block, turns)
    w_a, w_b = solve_twist(block, turns, w_a, w_b)
    wanted = address_of_row(stack_array(WANTED_SIZE, FLOAT32), 0)
    terms, now = terms_of_points(block, turns, v_a, w_a, v_b, w_b)
    measure_points(block, wanted, terms, now, inverse_h, zero, one, zero, bounces_from)
    normal, tangent = field3(block, NORMAL), field3(block, TANGENT)
    bitangent = cross8(normal, tangent)
    anchor_a = from_start(turns[0], turns[1], field3(block, ANCHOR_A))
    anchor_b = from_start(turns[0], turns[2], field3(block, ANCHOR_B))
    relative = subtract8(add8(v_b, cross8(w_b, anchor_b)), add8(v_a, cross8(w_a, anchor_a)))
    slide_1 = dot8(tangent, relative) + field(block, TANGENT_VELOCITY)
    slide_2 = dot8(bitangent, relative) + field(block, TANGENT_VELOCITY + 1)
    first, second = settle_sliding(block, wanted, slide_1, slide_2)
    change, arm_a, arm_b = take_changes(block, wanted)
    return push_contact(block, turns, v_a, w_a, v_b, w_b, change, arm_a, arm_b, first, second)
