"""Friction of eight contact manifolds, settled with their points: sliding along two tangents and the twist about the normal, both
at the centre of pressure.

Sliding and twist share one limit: a puck that spins slides farther, and a plank pushed at its end turns before it slides. The
limit is the ellipsoid of Howe and Cutkosky ("Practical Force-Motion Models for Sliding Manipulation", 1996):
(force / (friction N))^2 + (twist / (friction N lever))^2 <= 1, with the mean distance of the points from the centre of pressure
(root of the mean square, weighted by their impulses) as the lever; for a flat end of a cylinder, that of its surface. Here a
twist is an impulse at that lever [N s], which makes the ellipsoid a ball.

About any other centre the force of a body that slides straight would turn it: nothing is left of the limit to hold it. The centre
is that of the impulses at the pass's start. Blocks keep sliding and twist at the middle of the points (`ANCHOR_A`, `ANCHOR_B`).

Inside the limit friction stops the surfaces. Beyond it friction acts against their motion, in steps of the same length in all
directions, the smaller one: otherwise a body that is hard to turn would lose the friction of its sliding to a slow spin. Steps
against slow motion are those of the effective masses, which settle in few sweeps. A body that slides needs steps straight against
its speeds: by the masses a long box would run aside, since it tilts more easily about its length, which the floor prevents.
"""

import numpy as np

from ..constraints.blocks import field, field3, field6, put
from ..constraints.friction_inverse import inverse_of_block
from ..constraints.schema import (
    ANCHOR_A, BOUNCED, COUPLING, FIELD_SIZE, FRICTION, FRICTION_IMPULSE, NORMAL, POINT_ANCHOR_A, POINT_ANCHOR_B, POINT_COUNT,
    POINT_IMPULSE, POINT_LEVER, POINTS, ROUND_A, SLIDE_COUPLING, SPREAD, TANGENT, TANGENT_MASS, TWIST_IMPULSE, TWIST_MASS,
)  # fmt: skip
from ..geometry.wide_vector import add8, add_scaled8, cross8, dot8, is_any_above8, subtract8
from ..runtime.call import load_int32
from ..runtime.kernel import kernel
from ..runtime.vector8 import (
    absolute8, fused_multiply_add, max8, min8, splat8, square_root8, where_greater8,
)  # fmt: skip
from .point_impulses import ALONE, GAIN, POINT_SIZE, TWIST_GAIN, WANTED_SIZE, four_fields, put_changes

FLOAT32 = np.float32
MOST_SLIDING_SWEEPS = 24
"""The most sweeps over points and friction until they are consistent: bodies that slide on their leading edge need many."""
AGREEMENT, LEAST_SPEED = 5.0e-4, 3.0e-4
"""They are consistent when a sweep changes no impulse by more than this part of the normal impulse plus the impulse for this
speed [m/s]."""
LEAST_LEVER = 0.0025
"""The least part of the mean square distance from the middle that is left about the centre of pressure: one point that bears all
is a patch of a twentieth of that distance."""
SLIDES = 4.0
"""Surfaces slide that would take this many times the limit of friction to stop; between that and twice as much, the two kinds of
steps are mixed."""
LOCKED = 1.0e-5
"""A direction is locked if its mass is smaller than this part of the mean: the limit of single precision."""
LEAST_PART = 1.0e-3
"""The least part of a twist that friction along the tangents does not answer: the limit of single precision."""


@kernel
def find_pressure(block, directions):
    """Find the centre of pressure of each manifold. Return its offset from the middle of the points along the two tangents, and
    the lever of twists [m]. `directions`: the tangents in the axes of the points' anchors from A."""
    zero, tiny, one = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0e-12)), splat8(FLOAT32(1.0))
    point = block + POINTS * FIELD_SIZE
    middle = add_scaled8(field3(block, ANCHOR_A), field3(block, NORMAL), -field(block, ROUND_A))  # as points: from the axis
    total, first, second = max8(field(block, BOUNCED), tiny), zero, zero
    lever = fused_multiply_add(tiny, field(point, POINT_LEVER), field(block, BOUNCED + 1)) / total
    squares = total * lever * lever
    for _ in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
        weight, lever = max8(field(point, POINT_IMPULSE), zero), field(point, POINT_LEVER)
        way = subtract8(field3(point, POINT_ANCHOR_A), middle)
        total += weight
        first = fused_multiply_add(weight, dot8(way, directions[0]), first)
        second = fused_multiply_add(weight, dot8(way, directions[1]), second)
        squares = fused_multiply_add(weight * lever, lever, squares)
        point += POINT_SIZE
    share = one / total
    first, second, squares = first * share, second * share, squares * share
    shorter = squares - fused_multiply_add(first, first, second * second)
    least = splat8(FLOAT32(LEAST_LEVER)) * squares
    return first, second, max8(field(block, SPREAD) * square_root8(max8(shorter, least)), splat8(FLOAT32(1.0e-6)))


@kernel
def couple_twist(block, wanted, arms):
    """Write the speed of each point along the normal for a unit of twist [1/(kg m)]. `arms`: normal x spin for a unit of twist,
    of A and of B, in the axes of the points' anchors."""
    point = block + POINTS * FIELD_SIZE
    count = load_int32(block + POINT_COUNT * FIELD_SIZE)
    for _ in range(count):
        speed = dot8(field3(point, POINT_ANCHOR_A), arms[0]) + dot8(field3(point, POINT_ANCHOR_B), arms[1])
        put(wanted, TWIST_GAIN, speed)
        point += POINT_SIZE
        wanted += WANTED_SIZE
    for _ in range(count, 4):
        put(wanted, TWIST_GAIN, splat8(FLOAT32(0.0)))
        wanted += WANTED_SIZE


@kernel
def weigh_at_pressure(block, center, twist, by_twist):
    """Effective masses of sliding at the centre of pressure, and the speeds along the two tangents there for a unit of twist.
    `twist`: spin for a unit of twist; `by_twist`: those speeds at the middle of the points."""
    two = splat8(FLOAT32(2.0))
    m11, m22, m12 = field3(block, TANGENT_MASS)
    k11, k22, k12 = inverse_of_block(m11, m22, m12)
    x, y, _ = center
    k11 += y * (y * twist - two * by_twist[0])
    k22 += x * (x * twist + two * by_twist[1])
    k12 += x * by_twist[0] - y * by_twist[1] - x * y * twist
    masses = inverse_of_block(k11, k22, k12)
    return masses, (by_twist[0] - y * twist, by_twist[1] + x * twist)


@kernel
def share_of_masses(sliding_mass, twist_mass):
    """The part of a step that would stop sliding, and the mass of twists for a step of that length."""
    one, tiny = splat8(FLOAT32(1.0)), splat8(FLOAT32(1.0e-20))
    ratio = twist_mass / max8(sliding_mass, tiny)
    sliding_part = where_greater8(twist_mass, tiny, min8(ratio, one), one)  # without a mass that turns, nothing is shared
    twist_part = where_greater8(sliding_mass, tiny, min8(one / max8(ratio, tiny), one), one)
    return sliding_part, twist_mass * twist_part


@kernel
def masses_straight(sliding_mass, uneven, m12, twist_mass):
    """Masses for steps of sliding and of twists straight against the speeds [kg]: those of the direction that is easiest to
    move, equal unless one of the two is 0. A direction that is locked has no mass; then it is that of the other."""
    tiny = splat8(FLOAT32(1.0e-20))
    apart = square_root8(fused_multiply_add(uneven, uneven, m12 * m12))
    easiest = sliding_mass - apart
    easiest = where_greater8(easiest, splat8(FLOAT32(LOCKED)) * sliding_mass, easiest, sliding_mass + apart)
    least = min8(twist_mass, easiest)
    return where_greater8(twist_mass, tiny, least, easiest), where_greater8(easiest, tiny, least, twist_mass)


@kernel
def measure_friction(block, wanted, anchors, twists, arms, directions):
    """Compute what friction needs in all sweeps of a pass. Writes the coupling of twist and points. Return the centre of
    pressure and the lever of twists, see `find_pressure`; the speeds along the two tangents for a unit of twist at the lever
    [1/kg]; `masses`, see `stop_surfaces`; and `parts`, see `step_against`.

    `anchors`: centres of friction from A and from B, world axes; `twists`: spins of A and B for a unit of twist about the normal,
    world axes; `arms`: see `couple_twist`; `directions`: see `find_pressure`."""
    one, half = splat8(FLOAT32(1.0)), splat8(FLOAT32(0.5))
    center = find_pressure(block, directions)
    couple_twist(block, wanted, arms)
    normal, tangent, lever = field3(block, NORMAL), field3(block, TANGENT), center[2]
    moved = add8(cross8(twists[0], anchors[0]), cross8(twists[1], anchors[1]))
    by_twist = dot8(tangent, moved), dot8(cross8(normal, tangent), moved)
    twist = dot8(normal, add8(twists[0], twists[1]))
    (m11, m22, m12), by_twist = weigh_at_pressure(block, center, twist, by_twist)
    by_twist = lever * by_twist[0], lever * by_twist[1]
    twist_mass, sliding_mass = field(block, TWIST_MASS) / (lever * lever), half * (m11 + m22)
    held = fused_multiply_add(m11, by_twist[0], m12 * by_twist[1]), fused_multiply_add(m12, by_twist[0], m22 * by_twist[1])
    is_left = one - twist_mass * fused_multiply_add(by_twist[0], held[0], by_twist[1] * held[1])
    both = twist_mass / max8(is_left, splat8(FLOAT32(LEAST_PART)))
    parts = share_of_masses(sliding_mass, twist_mass), masses_straight(sliding_mass, half * (m11 - m22), m12, twist_mass)
    return center, by_twist, (m11, m22, m12, held, both), parts


@kernel
def stop_surfaces(old, speeds, masses):
    """Impulses of friction that stop the surfaces: along two tangents, and the twist at its lever. `speeds`: of the surfaces with
    the `old` impulses. `masses`: of the two tangents alone; the impulses along them that hold a unit of twist; and of the twist,
    if friction along the tangents answers it."""
    m11, m22, m12, held, both = masses
    third = both * (speeds[2] - fused_multiply_add(held[0], speeds[0], held[1] * speeds[1]))
    first = fused_multiply_add(m11, speeds[0], m12 * speeds[1]) - held[0] * third
    second = fused_multiply_add(m12, speeds[0], m22 * speeds[1]) - held[1] * third
    return old[0] - first, old[1] - second, old[2] - third


@kernel
def step_against(old, stopping, beyond, speeds, masses, parts, limit):
    """Impulses of friction at the limit: steps from the `old` ones against the speeds of the surfaces, of equal length in all
    directions, cut at the limit: by the effective masses against slow motion, straight against fast. If such a step ends inside
    the limit, it goes on towards the `stopping` impulses, which are beyond. `beyond`: the size of these; `parts`: of
    `share_of_masses` and `masses_straight`."""
    one, zero, tiny = splat8(FLOAT32(1.0)), splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0e-20))
    m11, m22, m12, _, _ = masses
    (part, twist_mass), (straight, straight_twist) = parts
    slides = min8(max8(beyond / max8(limit, tiny) * splat8(FLOAT32(1.0 / SLIDES)) - one, zero), one)
    first = part * fused_multiply_add(m11, speeds[0], m12 * speeds[1])
    second = part * fused_multiply_add(m12, speeds[0], m22 * speeds[1])
    third = twist_mass * speeds[2]
    first = old[0] - fused_multiply_add(slides, straight * speeds[0] - first, first)
    second = old[1] - fused_multiply_add(slides, straight * speeds[1] - second, second)
    third = old[2] - fused_multiply_add(slides, straight_twist * speeds[2] - third, third)
    size = fused_multiply_add(first, first, fused_multiply_add(second, second, third * third))
    lacks = limit * limit - size
    ways = stopping[0] - first, stopping[1] - second, stopping[2] - third
    length = fused_multiply_add(ways[0], ways[0], fused_multiply_add(ways[1], ways[1], ways[2] * ways[2]))
    along = fused_multiply_add(first, ways[0], fused_multiply_add(second, ways[1], third * ways[2]))
    root = square_root8(max8(fused_multiply_add(along, along, length * lacks), zero))
    part = where_greater8(lacks, zero, min8((root - along) / max8(length, tiny), one), zero)
    factor = where_greater8(lacks, zero, one, limit / square_root8(max8(size, tiny)))
    return (
        fused_multiply_add(part, ways[0], first) * factor, fused_multiply_add(part, ways[1], second) * factor,
        fused_multiply_add(part, ways[2], third) * factor,
    )  # fmt: skip


@kernel
def rub(old, changes, speeds, terms, limit):
    """Changes of the impulses of friction: those that stop the surfaces if the limit allows it, else those at the limit.
    `changes`: of the sweep before; `speeds`: of the surfaces without them."""
    zero = splat8(FLOAT32(0.0))
    _, by_twist, masses, parts = terms
    new = stop_surfaces(old, speeds, masses)
    size = fused_multiply_add(new[0], new[0], fused_multiply_add(new[1], new[1], new[2] * new[2]))
    excess = size - limit * limit
    if is_any_above8(excess, zero):
        first = fused_multiply_add(by_twist[0], changes[2], speeds[0])
        second = fused_multiply_add(by_twist[1], changes[2], speeds[1])
        third = fused_multiply_add(by_twist[0], changes[0], fused_multiply_add(by_twist[1], changes[1], speeds[2]))
        cut = step_against(old, new, square_root8(size), (first, second, third), masses, parts, limit)
        new = (
            where_greater8(excess, zero, cut[0], new[0]), where_greater8(excess, zero, cut[1], new[1]),
            where_greater8(excess, zero, cut[2], new[2]),
        )  # fmt: skip
    return subtract8(new, old)


@kernel
def sum_of_four(a, b):
    """a . b of two rows of four."""
    return fused_multiply_add(a[0], b[0], fused_multiply_add(a[1], b[1], fused_multiply_add(a[2], b[2], a[3] * b[3])))


@kernel
def plus_four(a, b, factor):
    """a + factor b of two rows of four."""
    return (
        fused_multiply_add(factor, b[0], a[0]), fused_multiply_add(factor, b[1], a[1]), fused_multiply_add(factor, b[2], a[2]),
        fused_multiply_add(factor, b[3], a[3]),
    )  # fmt: skip


@kernel
def settle_sliding(block, wanted, speeds, terms):
    """Compute consistent impulses of the four points and of friction: friction from the speeds that the points leave, then each
    point after the changes of the others and of friction. `speeds`: along the two tangents [m/s] and the spin about the normal
    [rad/s]; `terms`: see `measure_friction`. Writes the changes of the points' impulses, returns those of friction: along the two
    tangents, and the twist, about the middle of the points."""
    zero = splat8(FLOAT32(0.0))
    x, y, lever = terms[0]
    speeds = speeds[0] - y * speeds[2], speeds[1] + x * speeds[2], lever * speeds[2]
    k01, k02, k03, k12, k13, k23 = field6(block, COUPLING)
    turned = four_fields(wanted, TWIST_GAIN, WANTED_SIZE)
    s1 = plus_four(four_fields(block + SLIDE_COUPLING * FIELD_SIZE, 0, FIELD_SIZE), turned, -y)
    s2 = plus_four(four_fields(block + (SLIDE_COUPLING + 4) * FIELD_SIZE, 0, FIELD_SIZE), turned, x)
    s3 = turned[0] * lever, turned[1] * lever, turned[2] * lever, turned[3] * lever
    old_0, old_1, old_2, old_3 = four_fields(block + POINTS * FIELD_SIZE, POINT_IMPULSE, POINT_SIZE)
    alone_0, alone_1, alone_2, alone_3 = four_fields(wanted, ALONE, WANTED_SIZE)
    gain_0, gain_1, gain_2, gain_3 = four_fields(wanted, GAIN, WANTED_SIZE)
    first, second = field(block, FRICTION_IMPULSE), field(block, FRICTION_IMPULSE + 1)
    old = first, second, (field(block, TWIST_IMPULSE) + y * first - x * second) / lever
    friction = field(block, FRICTION)
    pressed = old_0 + old_1 + old_2 + old_3 + field(block, BOUNCED)
    d0, d1, d2, d3 = zero, zero, zero, zero
    f1, f2, f3 = zero, zero, zero
    least = splat8(FLOAT32(LEAST_SPEED)) * max8(max8(gain_0, gain_1), max8(gain_2, gain_3))
    agreement = splat8(FLOAT32(AGREEMENT))
    for _ in range(MOST_SLIDING_SWEEPS):
        before_0, before_1, before_2, before_3 = d0, d1, d2, d3
        d = d0, d1, d2, d3
        left = speeds[0] + sum_of_four(s1, d), speeds[1] + sum_of_four(s2, d), speeds[2] + sum_of_four(s3, d)
        carried = pressed + (d0 + d1 + d2 + d3)
        slid, (f1, f2, f3) = (f1, f2, f3), rub(old, (f1, f2, f3), left, terms, friction * carried)
        others = fused_multiply_add(k01, d1, fused_multiply_add(k02, d2, k03 * d3))
        others = fused_multiply_add(s1[0], f1, fused_multiply_add(s2[0], f2, fused_multiply_add(s3[0], f3, others)))
        d0 = max8(alone_0 - gain_0 * others, zero) - old_0
        others = fused_multiply_add(k01, d0, fused_multiply_add(k12, d2, k13 * d3))
        others = fused_multiply_add(s1[1], f1, fused_multiply_add(s2[1], f2, fused_multiply_add(s3[1], f3, others)))
        d1 = max8(alone_1 - gain_1 * others, zero) - old_1
        others = fused_multiply_add(k02, d0, fused_multiply_add(k12, d1, k23 * d3))
        others = fused_multiply_add(s1[2], f1, fused_multiply_add(s2[2], f2, fused_multiply_add(s3[2], f3, others)))
        d2 = max8(alone_2 - gain_2 * others, zero) - old_2
        others = fused_multiply_add(k03, d0, fused_multiply_add(k13, d1, k23 * d2))
        others = fused_multiply_add(s1[3], f1, fused_multiply_add(s2[3], f2, fused_multiply_add(s3[3], f3, others)))
        d3 = max8(alone_3 - gain_3 * others, zero) - old_3
        moved = max8(
            max8(absolute8(d0 - before_0), absolute8(d1 - before_1)), max8(absolute8(d2 - before_2), absolute8(d3 - before_3))
        )
        moved = max8(moved, max8(absolute8(f1 - slid[0]), max8(absolute8(f2 - slid[1]), absolute8(f3 - slid[2]))))
        if not is_any_above8(moved, fused_multiply_add(agreement, carried, least)):
            break
    put_changes(wanted, d0, d1, d2, d3)
    twist = f3 * lever + (x * f2 - y * f1)
    put(block, FRICTION_IMPULSE, first + f1)
    put(block, FRICTION_IMPULSE + 1, second + f2)
    put(block, TWIST_IMPULSE, field(block, TWIST_IMPULSE) + twist)
    return f1, f2, twist
