"""The contact solver: eight manifolds at once, sub-stepped soft contacts with a relax pass (Catto, "Solver2D", 2024; Box2D v3).

Each sub-step: meeting points bounce, generation by generation (`find_bounces`, `give_bounces`; see bounces.py), before the
impulses of the previous sub-step are applied: those are a guess, and a body thrown at others by a guess must not bounce off them.
`warm_start` applies them; `solve` pushes along the normals with a soft bias that reduces overlap; after the positions have moved,
`relax` solves again without bias, so that the bias leaves no velocity behind, and with friction: the twist about the normal, then
the points and two tangents at the manifold's centre, settled together (see contact_impulses.py). Colour by colour, `bounce_late`
comes before it and lets points bounce that the solver has made meet.
Blocks of one colour share no moving body, so any number of threads may solve them.

A sub-step starts from the impulses of the one before, except those that have done their work: see spent_impulses.py.
"""

import numpy as np

from ..bodies.records import system_at
from ..constraints.blocks import field, gather, prefetch_block, put, velocities_of
from ..constraints.schema import (
    BIAS_RATE, BLOCK_SIZE, BOUNCE_POINTS, BOUNCED, BOUNCES_SIZE, DEEP_PART, FIELD_SIZE, FRICTION_IMPULSE, POINT_COUNT,
    POINT_FIELDS, POINT_IMPULSE, POINT_TOTAL_IMPULSE, POINTS, ROW_A, ROW_B, ROW_SIZE, SOFTNESS, SOME_BOUNCE, TOTAL_FRICTION,
)  # fmt: skip
from ..runtime.call import load_int32, store_int32
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import address_of_row, stack_array
from ..runtime.vector8 import max8, splat8, store8, transpose8, where_greater8
from .bounces import POINT_BOUNCES_FLOATS, bounces_from, measure_bounces, note_bounce, settle_bounces, undo_bounces
from .contact_impulses import apply_again, solve_all, solve_normals
from .point_impulses import are_even, is_elastic, turned_terms, turns_of
from .push_out import push_out
from .turntables import aim_along_arcs, aim_back, carries_around

FLOAT32, INT32 = np.float32, np.int32
POINT_SIZE = POINT_FIELDS * FIELD_SIZE


@kernel
def put_row(rows, index, values):
    """Write half a row, but never row 0: it does not change, and writing threads would compete for its cache line."""
    if index > 0:
        store8(rows + index * ROW_SIZE, values)


@kernel
def scatter(rows, indices, v, w, rest):
    """Write velocities back to eight rows. `rest`: the two columns that are not velocities."""
    r = transpose8(v[0], v[1], v[2], w[0], w[1], w[2], rest[0], rest[1])
    put_row(rows, load_int32(indices), r[0])
    put_row(rows, load_int32(indices + 4), r[1])
    put_row(rows, load_int32(indices + 8), r[2])
    put_row(rows, load_int32(indices + 12), r[3])
    put_row(rows, load_int32(indices + 16), r[4])
    put_row(rows, load_int32(indices + 20), r[5])
    put_row(rows, load_int32(indices + 24), r[6])
    put_row(rows, load_int32(indices + 28), r[7])


@kernel
def put_velocities(rows, block, v_a, w_a, rest_a, v_b, w_b, rest_b):
    """Write the velocities of `velocities_of` back."""
    scatter(rows, block + ROW_A * FIELD_SIZE, v_a, w_a, rest_a)
    scatter(rows, block + ROW_B * FIELD_SIZE, v_b, w_b, rest_b)


@kernel
def motion_of(rows, block, side):
    """Translation and rotation of the bodies of one side since the step began: eight columns. `side`: ROW_A or ROW_B."""
    return gather(rows, block + side * FIELD_SIZE, ROW_SIZE, 32)


@kernel
def bounces_of(system, index):
    """Address of the bounces of a block."""
    return system.constraints.bounces + index * BOUNCES_SIZE


@kernel
def some_bounces(system, index):
    """Whether some point of a block bounces in this generation."""
    if not is_elastic(system.constraints.blocks + index * BLOCK_SIZE):
        return False
    return load_int32(bounces_of(system, index) + SOME_BOUNCE) != 0


@entry_point(JOB_SIGNATURE)
def find_bounces(system_address, begin, end, worker):
    """Job: find the points of blocks `begin` to `end - 1` that meet in this sub-step and bounce in this generation."""
    system = system_at(system_address)
    rows = system.solver.rows
    h = system.step.last_delta_time / system.settings.substep_count
    for index in range(begin, end):
        block = system.constraints.blocks + index * BLOCK_SIZE
        if not is_elastic(block):
            continue
        (v_a, w_a, _), (v_b, w_b, _) = velocities_of(rows, block)
        terms = turned_terms(block, motion_of(rows, block, ROW_A), motion_of(rows, block, ROW_B), v_a, w_a, v_b, w_b)
        bounces = bounces_of(system, index)
        some = measure_bounces(system, block, bounces + BOUNCE_POINTS, terms, h, True)
        store_int32(bounces + SOME_BOUNCE, INT32(some))
        if some and system.solver.some_block_bounces == 0:
            system.solver.some_block_bounces = 1


@kernel
def change_bounces(system, begin, end, undoes):
    """Give the bounces of blocks `begin` to `end - 1` the impulses that they need beside all others, or take these back."""
    rows = system.solver.rows
    for index in range(begin, end):
        if not some_bounces(system, index):
            continue
        block, bounces = system.constraints.blocks + index * BLOCK_SIZE, bounces_of(system, index) + BOUNCE_POINTS
        (v_a, w_a, rest_a), (v_b, w_b, rest_b) = velocities_of(rows, block)
        motions, has_changed = (motion_of(rows, block, ROW_A), motion_of(rows, block, ROW_B)), True
        if undoes:
            v_a, w_a, v_b, w_b = undo_bounces(system, block, bounces, motions, v_a, w_a, v_b, w_b)
        else:
            (v_a, w_a, v_b, w_b), has_changed = settle_bounces(system, block, bounces, motions, v_a, w_a, v_b, w_b)
        if has_changed:
            put_velocities(rows, block, v_a, w_a, rest_a, v_b, w_b, rest_b)
            note_bounce(system, block)


@entry_point(JOB_SIGNATURE)
def give_bounces(system_address, begin, end, worker):
    """Job: give the bounces of blocks `begin` to `end - 1` their impulses in this generation."""
    change_bounces(system_at(system_address), begin, end, False)


@entry_point(JOB_SIGNATURE)
def take_bounces_back(system_address, begin, end, worker):
    """Job: take back what `give_bounces` has given to blocks `begin` to `end - 1` in this generation."""
    change_bounces(system_at(system_address), begin, end, True)


@entry_point(JOB_SIGNATURE)
def warm_start(system_address, begin, end, worker):
    """Job: apply the impulses of blocks `begin` to `end - 1`. Reads and writes the rows of their bodies."""
    system = system_at(system_address)
    rows, zero = system.solver.rows, splat8(FLOAT32(0.0))
    unmoved = zero, zero, zero, zero, zero, zero, zero, zero
    for index in range(begin, end):
        block = system.constraints.blocks + index * BLOCK_SIZE
        (v_a, w_a, rest_a), (v_b, w_b, rest_b) = velocities_of(rows, block)
        turns = False, unmoved, unmoved
        if not are_even(rest_a, rest_b):
            turns = turns_of(rest_a, rest_b, motion_of(rows, block, ROW_A), motion_of(rows, block, ROW_B))
        v_a, w_a, v_b, w_b = apply_again(block, turns, v_a, w_a, v_b, w_b)
        put_velocities(rows, block, v_a, w_a, rest_a, v_b, w_b, rest_b)


@entry_point(JOB_SIGNATURE)
def solve(system_address, begin, end, worker):
    """Job: the biased pass along the normals, over blocks `begin` to `end - 1`."""
    system = system_at(system_address)
    rows = system.solver.rows
    h = system.step.last_delta_time / system.settings.substep_count
    inverse_h, one = splat8(FLOAT32(1.0 / h)), splat8(FLOAT32(1.0))
    fastest, time = splat8(FLOAT32(system.settings.push_out_speed)), splat8(FLOAT32(h))
    most_bias = splat8(FLOAT32(DEEP_PART * system.settings.push_out_speed))
    for index in range(begin, end):
        block = system.constraints.blocks + index * BLOCK_SIZE
        (v_a, w_a, rest_a), (v_b, w_b, rest_b) = velocities_of(rows, block)
        motion_a, motion_b = motion_of(rows, block, ROW_A), motion_of(rows, block, ROW_B)
        share = one / max8(one, max8(rest_a[1], rest_b[1]))  # among the deep contacts of the body that has more of them
        (v_a, w_a, v_b, w_b), lowest, parting = solve_normals(
            block, turns_of(rest_a, rest_b, motion_a, motion_b), v_a, w_a, v_b, w_b, inverse_h, field(block, BIAS_RATE),
            field(block, SOFTNESS), most_bias * share,
        )  # fmt: skip
        push_out(rows, block, lowest, parting, field(block, BIAS_RATE), fastest, share, time)
        put_velocities(rows, block, v_a, w_a, rest_a, v_b, w_b, rest_b)


@kernel
def sum_up(block):
    """Add the impulses of a sub-step to those of the step."""
    for k in range(3):
        put(block, TOTAL_FRICTION + k, field(block, TOTAL_FRICTION + k) + field(block, FRICTION_IMPULSE + k))
    point = block + POINTS * FIELD_SIZE
    for _ in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
        put(point, POINT_TOTAL_IMPULSE, field(point, POINT_TOTAL_IMPULSE) + field(point, POINT_IMPULSE))
        point += POINT_SIZE


@kernel
def forget_bounces(block):
    """Reduce friction to what impulses that last allow: those of bounces do not."""
    zero, one, bounced = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0)), field(block, BOUNCED)
    lasting, point = zero, block + POINTS * FIELD_SIZE
    for _ in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
        lasting += field(point, POINT_IMPULSE)
        point += POINT_SIZE
    part = where_greater8(bounced, zero, lasting / max8(bounced + lasting, splat8(FLOAT32(1.0e-20))), one)
    for k in range(3):
        put(block, FRICTION_IMPULSE + k, field(block, FRICTION_IMPULSE + k) * part)
    put(block, BOUNCED, zero)
    put(block, BOUNCED + 1, zero)


@entry_point(JOB_SIGNATURE)
def bounce_late(system_address, begin, end, worker):
    """Job: bounces of points that the motion of this sub-step has made meet, and those of before in `relax`, over blocks `begin`
    to `end - 1`. A job of its own: in `relax` its code would make the usual contacts slower."""
    system = system_at(system_address)
    rows = system.solver.rows
    h = system.step.last_delta_time / system.settings.substep_count
    bounces = address_of_row(stack_array(POINT_BOUNCES_FLOATS, FLOAT32), 0)
    for index in range(begin, end):
        block = system.constraints.blocks + index * BLOCK_SIZE
        if not is_elastic(block):
            continue
        (v_a, w_a, rest_a), (v_b, w_b, rest_b) = velocities_of(rows, block)
        motions = motion_of(rows, block, ROW_A), motion_of(rows, block, ROW_B)
        terms = turned_terms(block, motions[0], motions[1], v_a, w_a, v_b, w_b)
        if measure_bounces(system, block, bounces, terms, h, False):
            (v_a, w_a, v_b, w_b), _ = settle_bounces(system, block, bounces, motions, v_a, w_a, v_b, w_b)
            put_velocities(rows, block, v_a, w_a, rest_a, v_b, w_b, rest_b)


@entry_point(JOB_SIGNATURE)
def relax(system_address, begin, end, worker):
    """Job: the pass without bias, with friction, over blocks `begin` to `end - 1`; sums up the impulses of the sub-steps."""
    system = system_at(system_address)
    rows = system.solver.rows
    h = system.step.last_delta_time / system.settings.substep_count
    inverse_h, half, zero = splat8(FLOAT32(1.0 / h)), splat8(FLOAT32(0.5 * h)), splat8(FLOAT32(0.0))
    for index in range(begin, end):
        block = system.constraints.blocks + index * BLOCK_SIZE
        prefetch_block(block + BLOCK_SIZE)
        (v_a, w_a, rest_a), (v_b, w_b, rest_b) = velocities_of(rows, block)
        motion_a, motion_b = motion_of(rows, block, ROW_A), motion_of(rows, block, ROW_B)
        turns = turns_of(rest_a, rest_b, motion_a, motion_b)
        is_table, straight = carries_around(block), (zero, zero)
        if is_table:
            straight = aim_along_arcs(block, motion_a, motion_b, v_a, v_b, half)
        v_a, w_a, v_b, w_b = solve_all(block, turns, v_a, w_a, v_b, w_b, inverse_h, bounces_from(system, block))
        if is_table:
            aim_back(block, straight)
        put_velocities(rows, block, v_a, w_a, rest_a, v_b, w_b, rest_b)
        sum_up(block)
        if is_elastic(block):
            forget_bounces(block)
