"""Impulses of an impact that have done their work, dropped before the next sub-step starts from them.

A sub-step starts from the impulses of the one before. The impulse that stopped a landing body is not needed again: applied once
more it would throw the body up, and a lighter body beneath can take back only a small part of it in each pass. So a contact where
bodies meet keeps the part that is left to do, `left / (before - left)` at most 1, by the speeds at which its points closed as the
last sub-step began and as this one does (the secant rule). The contacts on which the body that was hit stands keep the same part.

This is for bodies that stand on something immovable beside them, static or much heavier. Higher up in a pile all impulses are
kept: they carry the blow of a landing body down to the foot within a step, and without them tall piles lean and fall.

A solver row tells others what happened, in its field SPENT: 0, or ON_FOOT if the body stands on something immovable, plus the
part of its impulses that was dropped in this sub-step.
"""

import numpy as np

from ..bodies.records import system_at
from ..constraints.blocks import field, field3, gather, put, velocities_of
from ..constraints.schema import (
    BLOCK_SIZE, FIELD_SIZE, FRICTION_IMPULSE, HAS_IMPACT, IMPACT, IMPACT_BEGINS, IMPACT_GOES_ON, IMPACT_LASTS, MASS_A, MASS_B,
    NORMAL, ON_FOOT, POINT_ANCHOR_A, POINT_ANCHOR_B, POINT_CLOSING, POINT_COUNT, POINT_FIELDS, POINT_IMPULSE, POINTS, ROW_A,
    ROW_B, ROW_SIZE, SPENT,
)  # fmt: skip
from ..geometry.wide_vector import cross8, dot8, is_any_above8, subtract8
from ..runtime.call import load_float32, load_int32, store_float32
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import address_of_row, stack_array
from ..runtime.vector8 import absolute8, max8, min8, splat8, store8, where_greater8, where_less8

FLOAT32 = np.float32
POINT_SIZE = POINT_FIELDS * FIELD_SIZE
IMMOVABLE = 8.0
"""A body is immovable beside one that is so many times lighter."""
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
def note_closing(block, terms):
    """Write the closing speeds of the points. Return the sum of their impulses [N s]."""
    total, point = splat8(FLOAT32(0.0)), block + POINTS * FIELD_SIZE
    for _ in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
        put(point, POINT_CLOSING, closing_at(point, terms))
        total += field(point, POINT_IMPULSE)
        point += POINT_SIZE
    return total


@kernel
def part_left(before, now):
    """The part of an impulse that is left to do after points closed at `before`, then at `now` [m/s]."""
    zero, one = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0))
    return min8(max8(now / max8(before - now, splat8(FLOAT32(TINY))), zero), one)


@kernel
def keep_parts(block, terms, impact, carried_on, is_first, heaviest):
    """Reduce the impulses of the points and of friction. `impact`: lanes that meet; `carried_on`: the part that others keep,
    where nothing closes; `heaviest`: mass of the heavier body [kg], which bounds what goes on from the last step. Return the part
    kept of the sum of all impulses."""
    zero, one = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0))
    tiny, least, kept = splat8(FLOAT32(TINY)), splat8(FLOAT32(LEAST_CLOSING)), splat8(FLOAT32(0.0))
    most = heaviest / max8(note_closing(block, terms), tiny) if is_first else zero
    total, point = zero, block + POINTS * FIELD_SIZE
    for _ in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
        now, before, impulse = closing_at(point, terms), field(point, POINT_CLOSING), field(point, POINT_IMPULSE)
        stopped = where_greater8(now, least, one, carried_on)
        if is_first:
            own = min8(max8(now * most, zero), one)
        else:
            own = where_greater8(before, least, part_left(before, now), stopped)
            put(point, POINT_CLOSING, now)
        left = impulse * where_greater8(impact, zero, own, stopped)
        put(point, POINT_IMPULSE, left)
        total += impulse
        kept += left
        point += POINT_SIZE
    part = where_greater8(total, zero, kept / max8(total, splat8(FLOAT32(1.0e-20))), one)
    for k in range(3):
        put(block, FRICTION_IMPULSE + k, field(block, FRICTION_IMPULSE + k) * part)
    return part


@kernel
def drop_spent(rows, block, is_first):
    """Drop the spent impulses of one block."""
    zero, one, foot = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0)), splat8(FLOAT32(ON_FOOT))
    spent_a, spent_b = spent_of(rows, block, ROW_A), spent_of(rows, block, ROW_B)
    mobility_a, mobility_b = mobilities(block)
    most, least = max8(mobility_a, mobility_b), min8(mobility_a, mobility_b)
    is_foot = where_greater8(most, splat8(FLOAT32(IMMOVABLE)) * least, one, zero)
    if is_first and is_any_above8(is_foot, zero):
        raise_spent(rows, block, ROW_A, mobility_a, is_foot * foot)
        raise_spent(rows, block, ROW_B, mobility_b, is_foot * foot)
    met = field(block, IMPACT)
    goes_on = where_less8(absolute8(met - splat8(FLOAT32(IMPACT_GOES_ON))), splat8(FLOAT32(0.1)), one, zero)
    stands = max8(max8(is_foot, goes_on), where_greater8(max8(spent_a, spent_b), zero, one, zero))
    impact = where_greater8(stands, zero, met, zero)
    carried_on = where_greater8(is_foot, zero, one - max8(max8(spent_a, spent_b) - foot, zero), one)
    if not is_any_above8(max8(impact, one - carried_on), zero):
        return
    lasts = where_greater8(impact, splat8(FLOAT32(IMPACT_BEGINS - 0.1)), splat8(FLOAT32(IMPACT_LASTS)), met)
    put(block, IMPACT, lasts)
    if is_first:
        impact = goes_on  # what begins in this step has no impulse yet
    heaviest = splat8(FLOAT32(3.0)) / max8(where_greater8(least, zero, least, most), splat8(FLOAT32(TINY)))
    part = keep_parts(block, closing_terms(rows, block), impact, carried_on, is_first, heaviest)
    on_foot = max8(spent_a, goes_on), max8(spent_b, goes_on)
    raise_spent(rows, block, ROW_A, mobility_a, where_greater8(on_foot[0], zero, foot + one - part, zero))
    raise_spent(rows, block, ROW_B, mobility_b, where_greater8(on_foot[1], zero, foot + one - part, zero))


@entry_point(JOB_SIGNATURE)
def drop_spent_impulses(system_address, begin, end, worker):
    """Job: reduce the impulses of blocks `begin` to `end - 1` to those that the sub-step starts from. Runs before they are
    applied, colour by colour, if there is an impact in this step. Reads velocities of rows; reads and writes their field
    SPENT."""
    system = system_at(system_address)
    for index in range(begin, end):
        block = system.constraints.blocks + index * BLOCK_SIZE
        if load_int32(block + HAS_IMPACT * FIELD_SIZE) != 0:
            drop_spent(system.solver.rows, block, system.step.substep == 0)
