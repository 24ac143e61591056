"""Friction of eight contact manifolds, settled with their points: sliding along two tangents at the manifold's centre, and the
twist about the normal.

Sliding and twist share one limit: a puck that spins slides farther, and a plank pushed at its end turns before it slides. The
limit is the ellipsoid of Howe and Cutkosky ("Practical Force-Motion Models for Sliding Manipulation", 1996):
(force / (friction N))^2 + (twist / (friction N lever))^2 <= 1, with the mean distance of the points from the centre as the lever.
Here a twist is an impulse at that lever [N s], which makes the ellipsoid a ball.

Inside the limit friction stops the surfaces. Beyond it friction acts against their motion. Its steps then have the same length in
all directions, the smaller one: otherwise a body that is hard to turn would lose the friction of its sliding to a slow spin.
"""

import numpy as np

from ..constraints.blocks import field, field3, field6, put
from ..constraints.schema import (
    BOUNCED, COUPLING, FIELD_SIZE, FRICTION, FRICTION_IMPULSE, NORMAL, POINT_ANCHOR_A, POINT_ANCHOR_B, POINT_COUNT,
    POINT_IMPULSE, POINT_LEVER, POINTS, SLIDE_COUPLING, TANGENT, TANGENT_MASS, TWIST_IMPULSE, TWIST_MASS,
)  # fmt: skip
from ..geometry.wide_vector import add8, cross8, dot8, is_any_above8, subtract8
from ..runtime.call import load_int32
from ..runtime.kernel import kernel
from ..runtime.vector8 import (
    absolute8, fused_multiply_add, max8, min8, splat8, square_root8, where_greater8,
)  # fmt: skip
from .point_impulses import ALONE, GAIN, POINT_SIZE, TWIST_GAIN, WANTED_SIZE, four_fields, put_changes

FLOAT32 = np.float32
MOST_SLIDING_SWEEPS = 24
"""The most sweeps over points and friction until they are consistent: bodies that slide on their leading edge need many."""
AGREEMENT, LEAST_SPEED = 5.0e-4, 1.0e-4
"""They are consistent when a sweep changes no impulse by more than this part of the normal impulse plus the impulse for this
speed [m/s]."""
LEAST_LEVER = 1.0e-6
"""The shortest lever of a twist [m]."""
LEAST_PART = 1.0e-3
"""The least part of a twist that friction along the tangents does not answer: the limit of single precision."""


@kernel
def lever_of(block, wanted):
    """Mean distance of the points of each manifold from its centre of friction [m], weighted by the impulses that they would have
    alone."""
    zero, tiny = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0e-12))
    point = block + POINTS * FIELD_SIZE
    total = max8(field(block, BOUNCED), tiny)
    sum_of_levers = fused_multiply_add(tiny, field(point, POINT_LEVER), field(block, BOUNCED + 1))
    for _ in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
        weight = max8(field(wanted, ALONE), zero)
        total += weight
        sum_of_levers = fused_multiply_add(weight, field(point, POINT_LEVER), sum_of_levers)
        point += POINT_SIZE
        wanted += WANTED_SIZE
    return max8(sum_of_levers / total, splat8(FLOAT32(LEAST_LEVER)))


@kernel
def couple_twist(block, wanted, lever, arms):
    """Write the speed of each point along the normal for a unit of twist at the lever [1/kg]. `arms`: normal x spin for a unit
    of twist, of A and of B, in the axes of the points' anchors."""
    point = block + POINTS * FIELD_SIZE
    count = load_int32(block + POINT_COUNT * FIELD_SIZE)
    for _ in range(count):
        speed = dot8(field3(point, POINT_ANCHOR_A), arms[0]) + dot8(field3(point, POINT_ANCHOR_B), arms[1])
        put(wanted, TWIST_GAIN, lever * speed)
        point += POINT_SIZE
        wanted += WANTED_SIZE
    for _ in range(count, 4):
        put(wanted, TWIST_GAIN, splat8(FLOAT32(0.0)))
        wanted += WANTED_SIZE


@kernel
def measure_friction(block, wanted, anchors, twists, arms):
    """Compute what friction needs in all sweeps of a pass. Writes the coupling of twist and points. Return the lever of twists
    [m]; the speeds along the two tangents for a unit of twist at the lever [1/kg]; `masses`, see `stop_surfaces`; and `parts`,
    see `step_against`.

    `anchors`: centres of friction from A and from B, world axes; `twists`: spins of A and B for a unit of twist about the normal,
    world axes; `arms`: see `couple_twist`."""
    one, tiny, half = splat8(FLOAT32(1.0)), splat8(FLOAT32(1.0e-20)), splat8(FLOAT32(0.5))
    lever = lever_of(block, wanted)
    couple_twist(block, wanted, lever, arms)
    normal, tangent = field3(block, NORMAL), field3(block, TANGENT)
    moved = add8(cross8(twists[0], anchors[0]), cross8(twists[1], anchors[1]))
    by_twist = lever * dot8(tangent, moved), lever * dot8(cross8(normal, tangent), moved)
    m11, m22, m12 = field3(block, TANGENT_MASS)
    twist_mass, sliding_mass = field(block, TWIST_MASS) / (lever * lever), half * (m11 + m22)
    held = fused_multiply_add(m11, by_twist[0], m12 * by_twist[1]), fused_multiply_add(m12, by_twist[0], m22 * by_twist[1])
    is_left = one - twist_mass * fused_multiply_add(by_twist[0], held[0], by_twist[1] * held[1])
    both = twist_mass / max8(is_left, splat8(FLOAT32(LEAST_PART)))
    ratio = twist_mass / max8(sliding_mass, tiny)
    sliding_part = where_greater8(twist_mass, tiny, min8(ratio, one), one)  # without a mass that turns, nothing is shared
    twist_part = where_greater8(sliding_mass, tiny, min8(one / max8(ratio, tiny), one), one)
    return lever, by_twist, (m11, m22, m12, held, both), (sliding_part, twist_mass * twist_part)


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
def step_against(old, speeds, masses, parts, limit):
    """Impulses of friction at the limit: steps from the `old` ones against the speeds of the surfaces, of equal length in all
    directions, cut at the limit. `parts`: the part of a step that would stop sliding, and the mass of twists for that length."""
    one, tiny = splat8(FLOAT32(1.0)), splat8(FLOAT32(1.0e-20))
    m11, m22, m12, _, _ = masses
    first = old[0] - parts[0] * fused_multiply_add(m11, speeds[0], m12 * speeds[1])
    second = old[1] - parts[0] * fused_multiply_add(m12, speeds[0], m22 * speeds[1])
    third = old[2] - parts[1] * speeds[2]
    size = square_root8(fused_multiply_add(first, first, fused_multiply_add(second, second, third * third)))
    factor = where_greater8(size, limit, limit / max8(size, tiny), one)
    return first * factor, second * factor, third * factor


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
        cut = step_against(old, (first, second, third), masses, parts, limit)
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
def settle_sliding(block, wanted, speeds, terms):
    """Compute consistent impulses of the four points and of friction: friction from the speeds that the points leave, then each
    point after the changes of the others and of friction. `speeds`: along the two tangents [m/s] and the spin about the normal
    [rad/s]; `terms`: see `measure_friction`. Writes the changes of the points' impulses, returns those of friction: along the two
    tangents, and the twist."""
    zero = splat8(FLOAT32(0.0))
    lever = terms[0]
    speeds = speeds[0], speeds[1], lever * speeds[2]
    k01, k02, k03, k12, k13, k23 = field6(block, COUPLING)
    s1 = four_fields(block + SLIDE_COUPLING * FIELD_SIZE, 0, FIELD_SIZE)
    s2 = four_fields(block + (SLIDE_COUPLING + 4) * FIELD_SIZE, 0, FIELD_SIZE)
    s3 = four_fields(wanted, TWIST_GAIN, WANTED_SIZE)
    old_0, old_1, old_2, old_3 = four_fields(block + POINTS * FIELD_SIZE, POINT_IMPULSE, POINT_SIZE)
    alone_0, alone_1, alone_2, alone_3 = four_fields(wanted, ALONE, WANTED_SIZE)
    gain_0, gain_1, gain_2, gain_3 = four_fields(wanted, GAIN, WANTED_SIZE)
    old = field(block, FRICTION_IMPULSE), field(block, FRICTION_IMPULSE + 1), field(block, TWIST_IMPULSE) / lever
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
    put(block, FRICTION_IMPULSE, old[0] + f1)
    put(block, FRICTION_IMPULSE + 1, old[1] + f2)
    put(block, TWIST_IMPULSE, (old[2] + f3) * lever)
    return f1, f2, f3 * lever
