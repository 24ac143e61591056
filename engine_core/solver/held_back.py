"""Moving bodies stopped by continuous collision back to their allowed places, with all that is joined to them.

A stopped body blocks others, so sweeps go in rounds: each round sees the bodies stopped in previous rounds as held back. A body
carried by the one that it hit, or by a kinematic one behind it, moves with it. Jointed bodies stop together, each on its own
path, since the stopping one would otherwise leave its joints.
"""

import numpy as np

from ..bodies.publication import begin_change, end_change
from ..bodies.records import system_at, world_at
from ..bodies.schema import BODY, HAS_JOINT, HELD_BACK_ONCE, HELD_BACK_STEPS, LAYER_SENSOR, RIGID
from ..broad_phase.query import box_cast_begin, query_end, ray_query_next
from ..broad_phase.schema import CURSOR, TREE
from ..broad_phase.tree_edits import tree_widen
from ..collision.sweeps import SWEEP
from ..constraints.body_terms import forces_of, six
from ..constraints.schema import (
    ANGULAR_VELOCITY, CARRIER, DELTA_POSITION, DELTA_ROTATION, HELD_BACK, HELD_NEXT, INERTIA_SIZE, LINEAR_VELOCITY, MET,
    ROW_SIZE, UNEVEN,
)  # fmt: skip
from ..geometry.vector import add, conjugate, length, multiply, quaternion, scale, store3, store4, subtract, vector3
from ..joints.preparation import joints_of
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import stack_array, view
from .continuous import (
    held_rounds, is_swept, names_of, set_sweep, stopped_slots, stops, sweep_against, swept_slots,
)  # fmt: skip
from .gyroscopic import spin_turned_back
from .integration import MOSTLY
from .ways import NO_MOTION, SEGMENTS, come_so_far, end_of_segment, free_part, rest_of_way, row_of

INT32, INT64, FLOAT32, FLOAT64 = np.int32, np.int64, np.float32, np.float64
TREE_SIZE = TREE.itemsize
MOST_ROUNDS = 8
"""Rounds of sweeps: this many bodies that collide one after the other stop in one step."""
MOST_TURNS = 64
"""Passes over the joints in which a stop spreads from body to body."""
JAMMED = 2
"""A body that was held back in this many steps in a row is jammed."""


@kernel
def widen_for_way(system, body):
    """Make the fat bounds of a body contain its whole path. Return whether they were too small."""
    is_wider = False
    for number in range(1, SEGMENTS + 1):
        motion, turn = end_of_segment(system, body, number)
        turned = 2.5 * (abs(turn[0]) + abs(turn[1]) + abs(turn[2])) * FLOAT64(body.extent)
        for k in range(3):
            low = FLOAT32(body.bounds[k] + motion[k] - turned - 1e-3)
            high = FLOAT32(body.bounds[3 + k] + motion[k] + turned + 1e-3)
            is_wider |= low < body.fat_bounds[k] or high > body.fat_bounds[3 + k]
            body.fat_bounds[k] = min(low, body.fat_bounds[k])
            body.fat_bounds[3 + k] = max(high, body.fat_bounds[3 + k])
    return is_wider


@entry_point(JOB_SIGNATURE)
def cover_ways(system_address, begin, end, worker):
    """Job: mark by a byte each in `scratch` which of the active bodies `begin` to `end - 1` are swept. Their trees cover their
    paths, so that others find them there. Also marks bodies whose bounds had to be widened."""
    system = system_at(system_address)
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    active = view(system.bodies.active, world.body_capacity, INT32)
    has_moved, swept = view(system.step.scratch, world.body_capacity, np.uint8), swept_slots(system, world)
    held = held_rounds(system, world)
    for slot in range(begin, end):
        body = bodies[active[slot]]
        has_moved[slot] = swept[slot] = held[slot] = 0
        if is_swept(body, view(system.solver.rows + (slot + 1) * ROW_SIZE, 16, FLOAT32)):
            swept[slot] = 1
            begin_change(system.world, body, worker)
            if widen_for_way(system, body):
                tree_widen(system.trees.rows + body.broad_phase_layer * TREE_SIZE, world.bodies, INT64(active[slot]))
                has_moved[slot] = 1
            end_change(body)


@kernel
def hold_back_other(system, world, bodies, index, other_index):
    """Hold a body back by as much as another one on the same joint. Return whether that changed anything."""
    body, other = bodies[index], bodies[other_index]
    if body.active_index < 0 or other.active_index < 0 or body.mode < RIGID:
        return False
    row, other_row = row_of(system, body), row_of(system, other)
    if other_row[HELD_BACK] <= row[HELD_BACK]:
        return False
    row[HELD_BACK] = other_row[HELD_BACK]
    held_rounds(system, world)[body.active_index] = system.solver.sweep_round + 1
    names = names_of(system, body)
    names[CARRIER] = names[MET] = -1
    return True


@kernel
def hold_back_together(system):
    """Hold back the bodies that a round of sweeps stopped, and all bodies joined to them. Each pass visits all joints,
    alternately forwards and backwards: a stop spreads along a chain in the order of its joints in one pass. Bodies not reached
    after MOST_TURNS move on. Serial, so that the result is that of the order of joints."""
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    stopped = stopped_slots(system, world)
    for k in range(system.solver.held_back_count):
        row = view(system.solver.rows + (stopped[k] + 1) * ROW_SIZE, 16, FLOAT32)
        row[HELD_BACK] = forces_of(system, INT64(stopped[k]) + 1)[HELD_NEXT]
        held_rounds(system, world)[stopped[k]] = system.solver.sweep_round + 1
    joints = joints_of(system)
    active = view(system.joints.active, system.joints.count, INT32)
    count = system.joints.count
    for turn in range(MOST_TURNS):
        is_news = False
        for k in range(count):
            joint = joints[active[k if turn % 2 == 0 else count - 1 - k]]
            a, b = INT64(joint.bodies[0]), INT64(joint.bodies[1])
            if a < 0 or b < 0:
                continue
            is_news = hold_back_other(system, world, bodies, a, b) or is_news
            is_news = hold_back_other(system, world, bodies, b, a) or is_news
        if not is_news:
            return


@kernel
def stick(system, body, other):
    """Let a body move only with the one that it hit: an impulse between their centres removes all of their relative velocity, and
    the body stops turning. A body that it does not push, or cannot, keeps its velocity."""
    row, mass = row_of(system, body), FLOAT64(body.inverse_mass)
    share, is_moving = 1.0, other.active_index >= 0
    if is_moving and other.mode >= RIGID and other.collision_mask & body.collision_layer:
        share = mass / max(mass + FLOAT64(other.inverse_mass), 1e-30)
    for k in range(3):
        velocity = 0.0
        if is_moving:
            other_row = row_of(system, other)
            velocity = FLOAT64(other_row[LINEAR_VELOCITY + k])
            change = (1.0 - share) * (FLOAT64(row[LINEAR_VELOCITY + k]) - velocity)
            other_row[LINEAR_VELOCITY + k] = FLOAT32(velocity + change)
            velocity += change
        row[LINEAR_VELOCITY + k], row[ANGULAR_VELOCITY + k] = FLOAT32(velocity), FLOAT32(0.0)


@kernel
def free_jammed(system):
    """Make bodies that contacts did not deflect in several steps stick to the body that they hit: a body that spins too fast for
    its contacts would come again and be stopped each time. Serial, in the order of active bodies."""
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    active = view(system.bodies.active, world.body_capacity, INT32)
    for slot in range(system.bodies.active_count):
        if view(system.solver.rows + (slot + 1) * ROW_SIZE, 16, FLOAT32)[HELD_BACK] > MOSTLY:
            body = bodies[active[slot]]
            met = INT64(names_of(system, body)[MET])
            if met >= 0 and body.flags & HELD_BACK_STEPS >= JAMMED * HELD_BACK_ONCE:
                stick(system, body, bodies[met])


@kernel
def sweep_past_standing(system, world, bodies, index, sweeps):
    """How far a body, whose sweep is written, may go before it hits a static one, 0 to 1."""
    body, cursor, longest = bodies[index], stack_array(1, CURSOR), 1.0
    start = add(subtract(vector3(body.position), vector3(system.place.origin)), vector3(sweeps[0].position))
    half = (FLOAT64(body.extent), FLOAT64(body.extent), FLOAT64(body.extent))
    for layer in range(system.trees.layer_count):
        if layer != LAYER_SENSOR:
            tree = system.trees.rows + layer * TREE_SIZE
            box_cast_begin(cursor, tree, start, half, vector3(sweeps[0].motion), longest)
            other = ray_query_next(cursor, tree, longest)
            while other >= 0:
                if bodies[other].active_index < 0 and stops(system, bodies, index, other):
                    longest = min(longest, sweep_against(system, world, bodies, index, other, 0, sweeps, longest))
                other = ray_query_next(cursor, tree, longest)
            query_end(cursor, tree)
    return longest


@kernel
def is_run_into(system, world, bodies, index, other_index, sweeps):
    """Whether another body runs into a held-back one, on its way from the beginning of the segment in which that stops."""
    body = bodies[index]
    free = free_part(system, body)
    motion, turn = come_so_far(system, body, free)
    set_sweep(body, vector3(body.position), (motion, turn, motion, turn, 0.0), sweeps[0])
    for segment in range(min(INT64(SEGMENTS * free), SEGMENTS - 1), SEGMENTS):
        if sweep_against(system, world, bodies, index, other_index, segment, sweeps, 1.0) < 1.0:
            return True
    return False


@kernel
def mover_behind(system, world, bodies, index, sweeps):
    """The kinematic body that runs into a held-back one from behind, -1 if none does, the lowest number if several do: a lift or
    a wall, which nothing holds back, would end up inside of what it pushes against others."""
    body, cursor = bodies[index], stack_array(1, CURSOR)
    if body.flags & HAS_JOINT:  # joints would be torn open
        return INT64(-1)
    reach = FLOAT64(body.extent) + length(come_so_far(system, body, free_part(system, body))[0])
    start, found = subtract(vector3(body.position), vector3(system.place.origin)), INT64(-1)
    for layer in range(system.trees.layer_count):
        if layer == LAYER_SENSOR:
            continue
        tree = system.trees.rows + layer * TREE_SIZE
        box_cast_begin(cursor, tree, start, (reach, reach, reach), NO_MOTION, 1.0)
        other = ray_query_next(cursor, tree, 1.0)
        while other >= 0:
            is_mover = bodies[other].active_index >= 0 and bodies[other].mode < RIGID
            if is_mover and (found < 0 or other < found) and stops(system, bodies, index, other):
                found = INT64(other) if is_run_into(system, world, bodies, index, other, sweeps) else found
            other = ray_query_next(cursor, tree, 1.0)
        query_end(cursor, tree)
    return found


@kernel
def way_carried(system, world, bodies, index, sweeps):
    """How far a held-back body is carried along by the one that it hit or by a mover behind it, up to obstacles [m]. A body that
    is held back itself carries nothing."""
    body = bodies[index]
    carrier = INT64(names_of(system, body)[CARRIER])
    if carrier < 0 or free_part(system, bodies[carrier]) < 1.0:
        carrier = mover_behind(system, world, bodies, index, sweeps)
    if carrier < 0:
        return NO_MOTION
    free = free_part(system, body)
    motion, turn = come_so_far(system, body, free)
    other_motion, _ = come_so_far(system, bodies[carrier], free)
    offset = subtract(add(vector3(body.position), motion), add(vector3(bodies[carrier].position), other_motion))
    way = rest_of_way(system, bodies[carrier], free, offset)
    sweep, rotation = sweeps[0], multiply(turn, quaternion(body.rotation))
    store3(sweep.position, motion)
    store3(sweep.motion, way)
    store4(sweep.rotation, rotation)
    store4(sweep.end_rotation, rotation)
    sweep.angle = sweep.missing = 0.0
    return scale(way, sweep_past_standing(system, world, bodies, index, sweeps))


@entry_point(JOB_SIGNATURE)
def take_back(system_address, begin, end, worker):
    """Job: shorten in their rows the paths of those of the active bodies `begin` to `end - 1` that are held back. Reads poses and
    the rows of bodies that are not held back."""
    system = system_at(system_address)
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    active = view(system.bodies.active, world.body_capacity, INT32)
    sweeps = stack_array(2, SWEEP)
    for slot in range(begin, end):
        row = view(system.solver.rows + (slot + 1) * ROW_SIZE, 16, FLOAT32)
        if row[HELD_BACK] > FLOAT32(0.0):
            index = INT64(active[slot])
            motion, turn = come_so_far(system, bodies[index], free_part(system, bodies[index]))
            way = way_carried(system, world, bodies, index, sweeps)
            if row[UNEVEN] > 0.0 and not bodies[index].flags & HAS_JOINT:
                inertia = six(view(system.solver.inertias + (slot + 1) * INERTIA_SIZE, 6, FLOAT32))
                back = multiply(turn, conjugate(quaternion(row[DELTA_ROTATION : DELTA_ROTATION + 4])))
                store3(row[ANGULAR_VELOCITY:], spin_turned_back(inertia, vector3(row[ANGULAR_VELOCITY:]), back))
            store3(row[DELTA_POSITION : DELTA_POSITION + 3], add(motion, way))
            store4(row[DELTA_ROTATION : DELTA_ROTATION + 4], turn)
