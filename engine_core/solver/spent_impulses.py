"""Impulses of an impact that have done their work, dropped before the next sub-step starts from them.

A sub-step starts from the impulses of the one before. The impulse that stopped a landing body is not needed again: applied once
more it would throw the body up, and a lighter body beneath can take back only a small part of it in each pass. So a contact
where bodies meet keeps the part that is left to do, `left / (before - left)` at most 1, by the speeds at which its points
closed as the last sub-step began and as this one does (the secant rule). The other contacts of a body that was hit keep the
same part. Where an impact goes on at new points, which have no impulse yet, all is dropped: the impulse of the ground alone
would throw up what lies between.

A body may stand on something immovable beside it, static or much heavier. Higher up in a pile contacts drop less, since their
impulses carry the blow of a landing body down to the foot within a step; without them piles lean. There, contacts of bodies
that did not meet drop from the third sub-step of an impact on, and half as much if the two that met are equally heavy
(`EVEN_SHARE`); then they keep at least what they bore as the step began. Such an equal pair is measured from the second
sub-step on; one that stands on something immovable, as is known by then, by the speed of the first one too. A box of 3 kg that
lands from 1 m on three of 1 kg rises again by up to 41 mm, and by 82 mm if nothing is dropped
(tests/world/test_pressed_bodies.py); columns of falling boxes lean as little as then (tests/world/test_impacts.py).

A solver row tells others what happened, in its field SPENT: the part of its impulses that was dropped in this sub-step, plus
ON_FOOT if the body stands on something immovable.
"""

import numpy as np

from ..bodies.records import system_at
from ..constraints.blocks import field, field3, gather, put, velocities_of
from ..constraints.schema import (
    BLOCK_SIZE, FIELD_SIZE, FRICTION_IMPULSE, HAS_IMPACT, IMMOVABLE, IMPACT, IMPACT_BEGINS, IMPACT_GOES_ON, IMPACT_LASTS, MASS_A,
    MASS_B, NORMAL, ON_FOOT, POINT_ANCHOR_A, POINT_ANCHOR_B, POINT_CLOSING, POINT_COUNT, POINT_FIELDS, POINT_IMPULSE, POINTS,
    ROW_A, ROW_B, ROW_SIZE, SPENT,
)  # fmt: skip
from ..geometry.wide_vector import cross8, dot8, is_any_above8, subtract8
from ..runtime.call import load_float32, load_int32, store_float32
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import address_of_row, stack_array
from ..runtime.vector8 import absolute8, max8, min8, splat8, store8, where_greater8, where_less8

FLOAT32 = np.float32
POINT_SIZE = POINT_FIELDS * FIELD_SIZE
UNEVEN_MASSES = 1.5
"""The masses of two bodies are uneven from this ratio on."""
EVEN_SHARE = 0.5
"""The share of what an impact of equal bodies dropped that the other contacts drop too: with 1, columns of boxes lean by half as
much again, with 0.5 by as much as with nothing."""
LEAST_CLOSING = 0.1
"""Points that close more slowly [m/s] have stopped."""
TINY = 1.0e-6


@kernel
def mobilities(block):
    """Three times the inverse mass of both bodies of each lane, 0 for static ones [1/kg]."""
    mass_a, mass_b = field3(block, MASS_A), field3(block, MASS_B)
    return mass_a[0] + mass_a[1] + mass_a[2], mass_b[0] + mass_b[1] + mass_b[2]


@kernel
def spent_of(rows, block, side):
    """The field SPENT of the bodies of one side."""
    return gather(rows, block + side * FIELD_SIZE, ROW_SIZE, 32)[SPENT - 8]


@kernel
def raise_spent(rows, block, side, mobility, values):
    """Raise the field SPENT of the moving bodies of one side. Kinematic bodies, which several threads see, stay as they are."""
    zero, memory = splat8(FLOAT32(0.0)), stack_array(8, FLOAT32)
    store8(address_of_row(memory, 0), where_greater8(mobility, zero, values, zero))
    for lane in range(8):
        if memory[lane] > FLOAT32(0.0):
            address = rows + load_int32(block + side * FIELD_SIZE + 4 * lane) * ROW_SIZE + 4 * SPENT
            store_float32(address, max(load_float32(address), memory[lane]))


@kernel
def closing_terms(rows, block):
    """The terms that the closing speeds of all points of a manifold share."""
    (v_a, w_a, _), (v_b, w_b, _) = velocities_of(rows, block)
    normal = field3(block, NORMAL)
    return dot8(normal, subtract8(v_a, v_b)), cross8(normal, w_a), cross8(normal, w_b)


@kernel
def closing_at(point, terms):
    """The speed at which surfaces close at a point [m/s]."""
    closing, spin_a, spin_b = terms
    return closing + (dot8(spin_a, field3(point, POINT_ANCHOR_A)) - dot8(spin_b, field3(point, POINT_ANCHOR_B)))


@kernel
def sum_of_impulses(block):
    """The sum of the points' impulses of each manifold [N s]."""
    total, point = splat8(FLOAT32(0.0)), block + POINTS * FIELD_SIZE
    for _ in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
        total += field(point, POINT_IMPULSE)
        point += POINT_SIZE
    return total


@kernel
def part_left(before, now):
    """The part of an impulse that is left to do after points closed at `before`, then at `now` [m/s]."""
    zero, one = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0))
    return min8(max8(now / max8(before - now, splat8(FLOAT32(TINY))), zero), one)


@kernel
def measured_part(now, before, carried_on):
    """The part of its impulse that a point keeps where bodies meet. `carried_on`: the part where nothing closes."""
    least = splat8(FLOAT32(LEAST_CLOSING))
    stopped = where_greater8(now, least, splat8(FLOAT32(1.0)), carried_on)
    return where_greater8(before, least, part_left(before, now), stopped)


@kernel
def keep_first(block, terms, impact, goes_on, carried_on, heaviest):
    """`keep_parts` in the first sub-step, in which only what goes on from the last step has closed before: its impulse is at most
    what stops the heavier body, of mass `heaviest` [kg]. Notes for later how fast points close where bodies meet, and elsewhere
    what they bore."""
    zero, one, tiny = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0)), splat8(FLOAT32(TINY))
    most, point = heaviest / max8(sum_of_impulses(block), tiny), block + POINTS * FIELD_SIZE
    for _ in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
        now, impulse = closing_at(point, terms), field(point, POINT_IMPULSE)
        put(point, POINT_CLOSING, where_greater8(impact, zero, now, impulse))
        others = where_greater8(now, splat8(FLOAT32(LEAST_CLOSING)), one, carried_on)
        put(point, POINT_IMPULSE, impulse * where_greater8(goes_on, zero, min8(max8(now * most, zero), one), others))
        point += POINT_SIZE


@kernel
def keep_parts(block, terms, impact, measured, carried_on, is_foot):
    """Reduce the impulses of the points. `impact`: lanes that meet; `measured`: those of them whose points closed before as
    fast as noted; `carried_on`: the part that others keep, where nothing closes; those that are no foot keep at least what they
    bore, unless an uneven impact dropped more."""
    zero, one, least = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0)), splat8(FLOAT32(LEAST_CLOSING))
    holds = where_less8(carried_on, splat8(FLOAT32(1.0 - EVEN_SHARE)), zero, one - is_foot)
    point = block + POINTS * FIELD_SIZE
    for _ in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
        now, before, impulse = closing_at(point, terms), field(point, POINT_CLOSING), field(point, POINT_IMPULSE)
        put(point, POINT_CLOSING, where_greater8(impact, zero, now, before))
        bore = where_greater8(holds, zero, min8(impulse, before), zero)
        others = max8(impulse * where_greater8(now, least, one, carried_on), bore)
        own = impulse * measured_part(now, where_greater8(measured, zero, before, zero), carried_on)
        put(point, POINT_IMPULSE, where_greater8(impact, zero, own, others))
        point += POINT_SIZE


@kernel
def drop_friction(block, before, goes_on):
    """Reduce friction as the points were, the sum of whose impulses was `before`. Return the part of it that was dropped: all,
    where an impact goes on at new points."""
    zero, one = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0))
    part = where_greater8(before, zero, sum_of_impulses(block) / max8(before, splat8(FLOAT32(1.0e-20))), one - goes_on)
    for k in range(3):
        put(block, FRICTION_IMPULSE + k, field(block, FRICTION_IMPULSE + k) * part)
    return one - part


@kernel
def is_on_foot(spent):
    """1 where the field SPENT says that a body stands on something immovable, else 0."""
    one = splat8(FLOAT32(1.0))
    return where_greater8(spent, splat8(FLOAT32(0.5 * ON_FOOT)), one, one - one)


@kernel
def spent_after(spent, met, goes_on, dropped, share):
    """The field SPENT of the bodies of one side. `spent`: as it is; `met`: lanes that meet; `goes_on`: from the last step;
    `dropped`: part of the impulses that was dropped; `share`: of it that others drop too, where the body is on no foot."""
    zero, on_foot = splat8(FLOAT32(0.0)), max8(goes_on, is_on_foot(spent))
    elsewhere = where_greater8(max8(met, spent), zero, dropped * share, zero)
    return where_greater8(on_foot, zero, splat8(FLOAT32(ON_FOOT)) + dropped, elsewhere)


@kernel
def drop_spent(rows, block, substep):
    """Drop the spent impulses of one block. `substep`: number of the sub-step in its step."""
    zero, one, foot, tiny = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0)), splat8(FLOAT32(ON_FOOT)), splat8(FLOAT32(TINY))
    spent_a, spent_b = spent_of(rows, block, ROW_A), spent_of(rows, block, ROW_B)
    mobility_a, mobility_b = mobilities(block)
    most, least = max8(mobility_a, mobility_b), min8(mobility_a, mobility_b)
    is_foot = where_greater8(most, splat8(FLOAT32(IMMOVABLE)) * least, one, zero)
    if substep == 0 and is_any_above8(is_foot, zero):
        raise_spent(rows, block, ROW_A, mobility_a, is_foot * foot)
        raise_spent(rows, block, ROW_B, mobility_b, is_foot * foot)
    on_foot_a, on_foot_b, impact = is_on_foot(spent_a), is_on_foot(spent_b), field(block, IMPACT)
    drops = max8(spent_a - foot * on_foot_a, spent_b - foot * on_foot_b)
    if substep > 0 and not is_any_above8(max8(impact, drops), zero):
        return
    goes_on = where_less8(absolute8(impact - splat8(FLOAT32(IMPACT_GOES_ON))), splat8(FLOAT32(0.1)), one, zero)
    lasts = where_greater8(impact, splat8(FLOAT32(IMPACT_BEGINS - 0.1)), splat8(FLOAT32(IMPACT_LASTS)), impact)
    put(block, IMPACT, lasts)
    terms, before = closing_terms(rows, block), sum_of_impulses(block)
    if substep == 0:
        heaviest = splat8(FLOAT32(3.0)) / max8(where_greater8(least, zero, least, most), tiny)
        keep_first(block, terms, impact, goes_on, one - drops, heaviest)
    else:
        # What stands on a foot is known from the second sub-step on.
        is_uneven = where_greater8(most, splat8(FLOAT32(UNEVEN_MASSES)) * least, one, zero)
        measured = max8(max8(is_uneven, goes_on), max8(on_foot_a, on_foot_b)) if substep == 1 else one
        keep_parts(block, terms, impact, measured, one - drops, is_foot)
    dropped = drop_friction(block, before, goes_on if substep == 0 else zero)
    share = min8(splat8(FLOAT32(EVEN_SHARE)) * most / max8(least, tiny), one)
    if substep < 2:
        share = where_greater8(goes_on, zero, share, zero)
    raise_spent(rows, block, ROW_A, mobility_a, spent_after(spent_a, impact, goes_on, dropped, share))
    raise_spent(rows, block, ROW_B, mobility_b, spent_after(spent_b, impact, goes_on, dropped, share))


@entry_point(JOB_SIGNATURE)
def drop_spent_impulses(system_address, begin, end, worker):
    """Job: reduce the impulses of blocks `begin` to `end - 1` to those that the sub-step starts from. Runs before they are
    applied, colour by colour, if there is an impact in this step. Reads velocities of rows; reads and writes their field
    SPENT."""
    system = system_at(system_address)
    for index in range(begin, end):
        block = system.constraints.blocks + index * BLOCK_SIZE
        if load_int32(block + HAS_IMPACT * FIELD_SIZE) != 0:
            drop_spent(system.solver.rows, block, system.step.substep)
