"""Continuous collision: a body that moved far in a step is swept, and stops where it would pass through something.

After the sub-steps, and before poses are written, every body whose motion is long for its size is swept along its path (ways.py)
against the bodies near it, which move along theirs. It stops where the two touch and keeps its velocity; the contacts of the next
step do the rest. All bodies of a round are swept against the same paths, so the result does not depend on order or threads.
held_back.py handles the bodies that stop.
"""

import numpy as np

from ..bodies.records import system_at, world_at
from ..bodies.schema import BODY, HAS_JOINT, HELD_BACK_ONCE, HELD_BACK_STEPS, LAYER_SENSOR, RIGID
from ..bodies.system_schema import offset_of
from ..broad_phase.query import box_cast_begin, query_end, ray_query_next
from ..broad_phase.schema import CURSOR, TREE
from ..collision.body_sweeps import sweep_bodies_apart
from ..collision.contact_rules import lets_pass, rule_flags
from ..collision.meeting import far_for, turning_reach
from ..collision.pairs import may_collide
from ..collision.passing import passes_by, turned_out
from ..collision.sweeps import SWEEP, TOUCHING, largest_angle
from ..constraints.body_terms import forces_of
from ..constraints.schema import CARRIER, DELTA_POSITION, DELTA_ROTATION, FORCE_FLOATS, HELD_BACK, HELD_NEXT, MET, ROW_SIZE
from ..geometry.vector import (
    add, add_scaled, conjugate, length, length_squared, multiply, quaternion, rotate, scale, store3, store4, subtract, vector3,
)  # fmt: skip
from ..runtime.atomics import add_int64
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import address_of_row, stack_array, view
from .ways import NO_MOTION, NO_TURN, SEGMENTS, come_so_far, end_of_segment, free_part, row_of

INT32, INT64, FLOAT32, FLOAT64 = np.int32, np.int64, np.float32, np.float64
MOST_FOUND = 32
"""The most bodies near a body that are swept against together."""
MOST_COMPANY = 8
"""A row of SYSTEM.solver.company: up to this many bodies near a swept one are remembered for later rounds; if more, they are
searched again."""
PULLED_THROUGH = 3
"""The number of steps in a row in which jointed bodies are stopped by other jointed bodies."""
FARTHEST = 1.0e6
"""Longer motions are overflows [m]."""
OUTWEIGHS = 100.0
"""A swept body does not stop one that is this many times as heavy, but is taken along by it."""
TREE_SIZE = TREE.itemsize
HELD_BACK_COUNT = offset_of("solver", "held_back_count")


@kernel
def swept_slots(system, world):
    """A byte for the body of each slot, in `scratch` after those of `finish_bodies`: 0 if it is not swept (any more), else the
    number of moving bodies near it, at most MOST_COMPANY + 1. Before the first round any number but 0."""
    return view(system.step.scratch + world.body_capacity, world.body_capacity, np.uint8)


@kernel
def held_rounds(system, world):
    """The last round, counted from 1, in which the body of each slot was held back, a byte each; in `scratch`, after
    `swept_slots`. 0: never."""
    return view(system.step.scratch + 2 * world.body_capacity, world.body_capacity, np.uint8)


@kernel
def company_of(system, slot):
    """The bodies near the swept one of a slot, by their index."""
    return view(system.solver.company + slot * 4 * MOST_COMPANY, MOST_COMPANY, INT32)


@kernel
def stopped_slots(system, world):
    """Slots of the bodies that a round of sweeps stopped, unsorted; in `scratch`, after all bytes."""
    return view(system.step.scratch + 8 * world.body_capacity, world.body_capacity, INT32)


@kernel
def is_swept(body, row):
    """Whether a body moved or turned so far in this step that contacts may have missed a collision."""
    motion = length(vector3(row[DELTA_POSITION : DELTA_POSITION + 3]))
    turned = 2.0 * length(vector3(row[DELTA_ROTATION : DELTA_ROTATION + 3])) * turning_reach(body)
    return motion + turned > far_for(body) and motion < FARTHEST and body.mode >= RIGID


@kernel
def way_in_segment(system, body, segment):
    """The motion of a body in a segment of its path, as far as it was not held back: (motion [m] and turn until then, motion and
    turn at its end, the missing part of the segment)."""
    if body.active_index < 0:
        return NO_MOTION, NO_TURN, NO_MOTION, NO_TURN, 0.0
    free = SEGMENTS * free_part(system, body)
    if free <= segment:
        motion, turn = come_so_far(system, body, free / SEGMENTS)
        return motion, turn, motion, turn, 0.0
    motion, turn = end_of_segment(system, body, segment)
    end_motion, end_turn = end_of_segment(system, body, segment + 1)
    return motion, turn, end_motion, end_turn, max(1.0 + segment - free, 0.0)


@kernel
def set_sweep(body, origin, way, sweep):
    """Write the motion of a body in a segment of its path, from `way_in_segment`; positions are relative to `origin`."""
    motion, turn, end_motion, end_turn, sweep.missing = way
    rotation = quaternion(body.rotation)
    store3(sweep.position, add(subtract(vector3(body.position), origin), motion))
    store3(sweep.motion, subtract(end_motion, motion))
    store4(sweep.rotation, multiply(turn, rotation))
    store4(sweep.end_rotation, multiply(end_turn, rotation))
    sweep.angle = largest_angle(turn, end_turn)


@kernel
def outweighs(body, other):
    """Whether a body is so much heavier than another one, which is on no joint, that it takes that along."""
    if body.mode < RIGID or other.mode < RIGID or other.flags & HAS_JOINT:
        return False
    return FLOAT64(other.inverse_mass) > 0.0 and OUTWEIGHS * FLOAT64(body.inverse_mass) <= FLOAT64(other.inverse_mass)


@kernel
def stops(system, bodies, index, other_index):
    """Whether a body is stopped by another: layers, exceptions and joints. A jointed body that was held back for some steps in a
    row passes through other jointed bodies: its joints may pull it into them forever, and the whole chain would hang in the
    air. A ship is not stopped by a crate that is swept itself: else all that rides in it would have to be swept against it."""
    if index == other_index:
        return False
    body, other = bodies[index], bodies[other_index]
    is_pulled = body.flags & other.flags & HAS_JOINT and other.mode >= RIGID
    if is_pulled and body.flags & HELD_BACK_STEPS >= PULLED_THROUGH * HELD_BACK_ONCE:
        return False
    if other.id == 0 or not body.collision_mask & other.collision_layer:
        return False
    if other.active_index >= 0 and outweighs(body, other) and is_swept(other, row_of(system, other)):
        return False
    low, high = min(index, other_index), max(index, other_index)
    return may_collide(system.world, bodies[low], low, bodies[high], high)


@kernel
def chord_of(turn):
    """Distance that a turn moves points 1 m from the axis [m]."""
    return 2.0 * length((turn[0], turn[1], turn[2]))


@kernel
def rotation_halfway(system, body):
    """Rotation of a body halfway through its path, and how far its points are from that rotation's at most [m]."""
    rotation = quaternion(body.rotation)
    if body.active_index < 0:
        return rotation, 0.0
    half, whole = end_of_segment(system, body, 1)[1], end_of_segment(system, body, 2)[1]
    chord = max(chord_of(half), chord_of(multiply(whole, conjugate(half))))
    return multiply(half, rotation), turned_out(body, chord)


@kernel
def sweep_against(system, world, bodies, index, other_index, segment, sweeps, longest):
    """How far a body, whose sweep is written, may go in a segment of its path before it hits another one."""
    keep_as_call()
    body, other = bodies[index], bodies[other_index]
    way = way_in_segment(system, other, segment)
    since, _, end, _, missing = way
    start = add(subtract(vector3(other.position), vector3(body.position)), subtract(since, vector3(sweeps[0].position)))
    motion = subtract(subtract(end, since), vector3(sweeps[0].motion))
    turn, slack = rotation_halfway(system, body)
    other_turn, other_slack = rotation_halfway(system, other)
    slack += other_slack + TOUCHING
    if passes_by(body, other, turn, other_turn, start, scale(motion, 1.0 - missing), slack):
        stop = add_scaled(start, motion, 1.0 - missing)  # from there the body moves alone
        rest = scale(vector3(sweeps[0].motion), -missing)
        if missing == 0.0 or passes_by(body, other, turn, other_turn, stop, rest, slack):
            return longest
    set_sweep(other, vector3(body.position), way, sweeps[1])
    if rule_flags(system.world, body, other) != 0:
        motion = subtract(vector3(sweeps[1].motion), vector3(sweeps[0].motion))
        if lets_pass(system.world, body, other, motion):
            return longest
    return sweep_bodies_apart(world, body, other, sweeps, longest)


@kernel
def farthest_on_way(system, body):
    """Greatest distance of an active body from its start at the ends of the segments of its path [m]."""
    return max(length(end_of_segment(system, body, 1)[0]), length(end_of_segment(system, body, 2)[0]))


@kernel
def may_be_met(system, body, other):
    """Whether a body may hit another moving one anywhere along the path of that one up to where it is held back."""
    if other.active_index < 0 or other.mode < RIGID:
        return False
    reach = FLOAT64(body.extent) + FLOAT64(other.extent) + farthest_on_way(system, body) + farthest_on_way(system, other)
    apart = subtract(vector3(other.position), vector3(body.position))
    return length_squared(apart) < reach * reach


@kernel
def moves_far_beside(system, body, other):
    """Whether a body moves or turns so far beside another one, neither of them held back, that contacts may have missed a
    collision. A body that rides on another does not, however fast both are."""
    far = far_for(body)
    if other.mode >= RIGID and other.active_index >= 0:
        far = min(far, far_for(other))
    delta = subtract(vector3(body.position), vector3(other.position))
    for end in range(1, SEGMENTS + 1):
        motion, turn = end_of_segment(system, body, end)
        other_motion, other_turn = NO_MOTION, NO_TURN
        if other.active_index >= 0:
            other_motion, other_turn = end_of_segment(system, other, end)
        carried = add(other_motion, subtract(rotate(other_turn, delta), delta))
        way = length(subtract(motion, carried)) + chord_of(multiply(conjugate(other_turn), turn)) * turning_reach(body)
        if way > far:
            return True
    return False


@kernel
def add_company(company, count, other):
    """Remember a body near a swept one. Return their number."""
    for k in range(min(count, MOST_COMPANY)):
        if company[k] == other:
            return count
    if count < MOST_COMPANY:
        company[count] = INT32(other)
    return min(count + 1, MOST_COMPANY + 1)


@kernel
def bend_of_way(system, body):
    """Distance of a body halfway from the straight line between the ends of its path [m]."""
    if body.active_index < 0:
        return 0.0
    return length(add_scaled(end_of_segment(system, body, 1)[0], end_of_segment(system, body, 2)[0], -0.5))


@kernel
def may_be_in_way(system, body, other, motion, turn, slack):
    """Whether a body that moves by `motion` may touch another one if neither is held back. `turn`: its rotation halfway; `slack`:
    how far its points deviate from that, by turning and by the bend of the path [m]."""
    end = end_of_segment(system, other, SEGMENTS)[0] if other.active_index >= 0 else NO_MOTION
    other_turn, other_slack = rotation_halfway(system, other)
    slack += other_slack + bend_of_way(system, other)
    start = subtract(vector3(other.position), vector3(body.position))
    return not passes_by(body, other, turn, other_turn, start, subtract(end, motion), slack)


@kernel
def sweep_found(system, world, bodies, index, found, count, sweeps, free):
    """Sweep a body against `count` others, in the part of its path that is free so far. Return the part that is free now, and the
    body that it hits, -1 if none."""
    keep_as_call()
    body = bodies[index]
    for segment in range(SEGMENTS):
        longest, met = min(SEGMENTS * free - segment, 1.0), INT64(-1)
        if longest <= 0.0:
            break
        set_sweep(body, vector3(body.position), way_in_segment(system, body, segment), sweeps[0])
        sweeps[0].missing = 0.0
        for k in range(count):
            fraction = sweep_against(system, world, bodies, index, INT64(found[k]), segment, sweeps, longest)
            if fraction < longest:
                longest, met = fraction, INT64(found[k])
        if met >= 0:
            return (segment + longest) / SEGMENTS, met
    return free, INT64(-1)


@kernel
def is_held_anew(system, world, other):
    """Whether the previous round held a body back."""
    return other.active_index >= 0 and held_rounds(system, world)[other.active_index] == system.solver.sweep_round


@kernel
def sweep_body(system, world, bodies, index, sweeps):
    """Return the part of a body's path that is free, 0 to 1, at most what was free before; the body that it hits, -1 if none; and
    the number of moving bodies near it. Later rounds only test bodies that the previous round held back."""
    keep_as_call()
    body, cursor, found = bodies[index], stack_array(1, CURSOR), stack_array(MOST_FOUND, INT32)
    company, near, count, is_first = company_of(system, INT64(body.active_index)), 0, 0, system.solver.sweep_round == 0
    free, last_met = free_part(system, body), INT64(-1)
    motion, bend = end_of_segment(system, body, SEGMENTS)[0], bend_of_way(system, body)
    turn, slack = rotation_halfway(system, body)
    slack, start = slack + bend + TOUCHING, subtract(vector3(body.position), vector3(system.place.origin))
    half = FLOAT64(body.extent) + bend
    for layer in range(system.trees.layer_count):
        if layer == LAYER_SENSOR:
            continue
        tree = system.trees.rows + layer * TREE_SIZE
        box_cast_begin(cursor, tree, start, (half, half, half), motion, free)
        other = ray_query_next(cursor, tree, free)
        while other >= 0:
            if (is_first or is_held_anew(system, world, bodies[other])) and stops(system, bodies, index, other):
                if is_first and may_be_met(system, body, bodies[other]):
                    near = add_company(company, near, other)
                may_hit = not is_first or moves_far_beside(system, body, bodies[other])
                if may_hit and (not is_first or may_be_in_way(system, body, bodies[other], motion, turn, slack)):
                    found[count] = INT32(other)
                    count += 1
            if count == MOST_FOUND:
                free, met = sweep_found(system, world, bodies, index, found, count, sweeps, free)
                last_met, count = last_met if met < 0 else met, 0
            other = ray_query_next(cursor, tree, free)
        query_end(cursor, tree)
    free, met = sweep_found(system, world, bodies, index, found, count, sweeps, free)
    return free, last_met if met < 0 else met, near


@kernel
def sweep_company(system, world, bodies, index, count, sweeps):
    """Run a later round of `sweep_body` for a body whose neighbours are known."""
    keep_as_call()
    body, found, held = bodies[index], stack_array(MOST_COMPANY, INT32), 0
    company = company_of(system, INT64(body.active_index))
    for k in range(count):
        if is_held_anew(system, world, bodies[company[k]]):
            found[held] = company[k]
            held += 1
    free = free_part(system, body)
    if held == 0:
        return free, INT64(-1)
    return sweep_found(system, world, bodies, index, found, held, sweeps, free)


@kernel
def takes_along(system, other, body):
    """Whether a body continues after another one hits it, and takes that along: it moves, and is far heavier or not swept itself.
    Jointed bodies only move together, and not at all if one of them is the world, since their joints would be torn open."""
    if other.active_index < 0 or body.flags & HAS_JOINT:
        return False
    return outweighs(other, body) or not is_swept(other, row_of(system, other))


@kernel
def names_of(system, body):
    """The addresses of CARRIER and MET of an active body."""
    return view(address_of_row(forces_of(system, INT64(body.active_index) + 1), 0), FORCE_FLOATS, INT32)


@entry_point(JOB_SIGNATURE)
def sweep_bodies(system_address, begin, end, worker):
    """Job: a round of sweeps of those of the active bodies `begin` to `end - 1` that `cover_ways` marked. Reads poses, paths and
    what the previous rounds held back. Writes HELD_NEXT, CARRIER and MET of their rows of forces, which no sub-step needs any
    more, and lists the bodies that it stopped in `scratch`. The first round removes bodies with no moving body near them from
    later rounds."""
    system, held_back = system_at(system_address), system_address + HELD_BACK_COUNT
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    active, stopped = view(system.bodies.active, world.body_capacity, INT32), stopped_slots(system, world)
    swept = swept_slots(system, world)
    sweeps = stack_array(2, SWEEP)
    for slot in range(begin, end):
        count = INT64(swept[slot])
        if count != 0:
            row, index = view(system.solver.rows + (slot + 1) * ROW_SIZE, 16, FLOAT32), INT64(active[slot])
            if system.solver.sweep_round > 0 and count <= MOST_COMPANY:
                free, met = sweep_company(system, world, bodies, index, count, sweeps)
            else:
                free, met, near = sweep_body(system, world, bodies, index, sweeps)
                swept[slot] = near if system.solver.sweep_round == 0 else count
            held = FLOAT32(1.0 - free)
            if met >= 0 and held > row[HELD_BACK]:
                forces_of(system, slot + 1)[HELD_NEXT] = held
                names, is_taken = names_of(system, bodies[index]), takes_along(system, bodies[met], bodies[index])
                names[CARRIER], names[MET] = INT32(met if is_taken else -1), INT32(met)
                stopped[add_int64(held_back, INT64(1))] = INT32(slot)
