"""Waking and falling asleep: bodies enter and leave the active list, their pairs with them, whole islands at a time.

A sleeping island is a ring through `next_in_island`; waking one body wakes its ring. Serial, between parallel jobs.
"""

import numpy as np

from ..bodies.motion import begin_rest
from ..bodies.records import world_at
from ..bodies.schema import BODY, IN_CROWD, KINEMATIC, RIGID, SLEEP_REQUESTED, STATIC, WAKE_REQUESTED
from ..collision.pair_finding import mark_moved
from ..collision.pairs import activate_pair, deactivate_pair, lists_of, manifolds_of, pairs_of
from ..collision.schema import PAIR_IS_UNSOLVED
from ..constraints.colours import add_to_colour, remove_from_colour
from ..joints.colours import add_joints_of, holds, remove_joints_of
from ..joints.preparation import joints_of
from ..runtime.body_order import needs_order, put_in_order
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .islands import begin_islands, finish_islands, link_contacts, link_joints

INT32, FLOAT32 = np.int32, np.float32


@kernel
def is_awake(body):
    return body.active_index >= 0


@kernel
def add_to_active(system, world, bodies, index):
    """Append a body to the active list and activate its pairs."""
    body = bodies[index]
    if body.active_index >= 0 or body.mode == STATIC:
        return
    active = view(system.bodies.active, world.body_capacity, INT32)
    active[system.bodies.active_count] = index
    body.active_index = INT32(system.bodies.active_count)
    system.bodies.active_count += 1
    system.bodies.active_disorder += 1
    if body.mode == KINEMATIC:
        system.bodies.active_kinematic_count += 1
    begin_rest(body)
    body.flags &= ~WAKE_REQUESTED
    if system.bodies.listens_to_waking and system.bodies.woke_count < world.body_capacity:
        view(system.bodies.woke_up, world.body_capacity, INT32)[system.bodies.woke_count] = index
        system.bodies.woke_count += 1
    if body.flags & IN_CROWD:
        body.flags &= ~IN_CROWD
        mark_moved(system, bodies, index)
    all_lists = lists_of(system)
    key = body.first_pair
    while key >= 0:
        activate_pair(system, bodies, key >> 1)
        key = all_lists[key >> 1].next[key & 1]


@kernel
def colour_pairs_of(system, bodies, index):
    """Put the manifolds of a body's pairs into the solver, if all their rigid bodies are awake."""
    pairs, all_lists, manifolds = pairs_of(system), lists_of(system), manifolds_of(system)
    key = bodies[index].first_pair
    while key >= 0:
        pair, lists = pairs[key >> 1], all_lists[key >> 1]
        if is_solved(pair, bodies):
            pair.flags &= ~PAIR_IS_UNSOLVED
            m = lists.first_manifold
            while m >= 0:
                if manifolds[m].point_count > 0:
                    add_to_colour(system, bodies, manifolds, m)
                m = manifolds[m].next
        key = lists.next[key & 1]


@kernel
def is_solved(pair, bodies):
    """Whether a pair's manifolds should be in the solver: every rigid body of it is awake."""
    a, b = bodies[pair.body_a], bodies[pair.body_b]
    if a.mode >= RIGID and a.active_index < 0:
        return False
    if b.mode >= RIGID and b.active_index < 0:
        return False
    return True


@kernel
def wake_island(system, world, bodies, index):
    """Wake a body and all that sleeps with it."""
    if bodies[index].active_index >= 0 or bodies[index].mode == STATIC:
        return
    first = index
    member = index
    while True:
        add_to_active(system, world, bodies, member)
        following = bodies[member].next_in_island
        if following < 0 or following == first:
            break
        member = following
    member = index
    while True:
        colour_pairs_of(system, bodies, member)
        add_joints_of(system, bodies, member)
        following = bodies[member].next_in_island
        bodies[member].next_in_island = -1
        if following < 0 or following == first:
            break
        member = following


@kernel
def disturb(system, world, bodies, index):
    """Wake a body whose support changes, with all that sleeps with it; one that is awake begins a new rest. Without that it could
    fall asleep in the first ticks of its fall, in which it is slow."""
    if bodies[index].mode >= RIGID:
        begin_rest(bodies[index])
        wake_island(system, world, bodies, index)


@kernel
def wake_joined(system, world, bodies, index):
    """Wake bodies joined to one that moves, was changed, was added or leaves, and put the joints that can be solved into the
    solver."""
    joints = joints_of(system)
    key = bodies[index].first_joint
    while key >= 0:
        joint = joints[key >> 1]
        other = np.int64(joint.bodies[1 - (key & 1)])
        if other >= 0 and bodies[other].mode >= RIGID and bodies[other].system == system.index:
            disturb(system, world, bodies, other)
        key = joint.next[key & 1]
    add_joints_of(system, bodies, index)


@kernel
def is_in_ring(bodies, index, other):
    """Whether two sleepers wake together."""
    member = np.int64(bodies[index].next_in_island)
    while member >= 0 and member != index:
        if member == other:
            return True
        member = np.int64(bodies[member].next_in_island)
    return index == other


@kernel
def join_rings(bodies, index, other):
    """Make two sleepers, and those that wake with them, wake together."""
    if is_in_ring(bodies, index, other):
        return
    after_index, after_other = bodies[index].next_in_island, bodies[other].next_in_island
    bodies[index].next_in_island = INT32(other) if after_other < 0 else after_other
    bodies[other].next_in_island = INT32(index) if after_index < 0 else after_index


@kernel
def settle_sleeper(system, world, bodies, index):
    """Handle a single body that was told to sleep: it sleeps with everything joined to it, or not at all."""
    body = bodies[index]
    if body.active_index >= 0 or body.mode < RIGID or body.system != system.index:
        return
    joints = joints_of(system)
    key = body.first_joint
    while key >= 0:
        joint = joints[key >> 1]
        other = np.int64(joint.bodies[1 - (key & 1)])
        key = joint.next[key & 1]
        if other < 0 or bodies[other].mode < RIGID or bodies[other].system != system.index or not holds(joint):
            continue
        if bodies[other].active_index >= 0:
            wake_island(system, world, bodies, index)
            return
        join_rings(bodies, index, other)


@kernel
def remove_from_active(system, world, bodies, index):
    """Take a body out of the active list; the last one takes its place."""
    body = bodies[index]
    slot = body.active_index
    if slot < 0:
        return
    active = view(system.bodies.active, world.body_capacity, INT32)
    last = active[system.bodies.active_count - 1]
    active[slot] = last
    bodies[last].active_index = slot
    system.bodies.active_count -= 1
    system.bodies.active_disorder += 1
    if body.mode == KINEMATIC:
        system.bodies.active_kinematic_count -= 1
    body.active_index = -1


@kernel
def order_active_bodies(system, world, bodies):
    """Sort the active bodies, if they are too far out of order. Call it between steps, which use their places."""
    count = system.bodies.active_count
    if not needs_order(system.bodies.active_disorder, count):
        return
    active = view(system.bodies.active, world.body_capacity, INT32)
    put_in_order(active, active, count, view(system.step.spare_list, 2 * count, INT32))
    for slot in range(count):
        bodies[active[slot]].active_index = INT32(slot)
    system.bodies.active_disorder = 0


@kernel
def take_out_of_solver(system, bodies, index):
    """Take the manifolds of a pair out of their colours."""
    pair, manifolds = pairs_of(system)[index], manifolds_of(system)
    m = lists_of(system)[index].first_manifold
    while m >= 0:
        remove_from_colour(system, bodies, manifolds, m)
        pair.flags |= PAIR_IS_UNSOLVED
        m = manifolds[m].next


@kernel
def rest_pairs_of(system, bodies, index):
    """Deactivate the pairs of a body that has just left the active list, unless the other body is awake."""
    pairs, all_lists = pairs_of(system), lists_of(system)
    key = bodies[index].first_pair
    while key >= 0:
        pair = pairs[key >> 1]
        take_out_of_solver(system, bodies, key >> 1)
        if bodies[pair.body_a].active_index < 0 and bodies[pair.body_b].active_index < 0:
            deactivate_pair(system, key >> 1)
        key = all_lists[key >> 1].next[key & 1]


@kernel
def put_to_sleep(system, world, bodies, index):
    """Put one body to sleep: it stops, and its pairs are deactivated."""
    body = bodies[index]
    for k in range(3):
        body.linear_velocity[k] = FLOAT32(0.0)
        body.angular_velocity[k] = FLOAT32(0.0)
    body.flags &= ~SLEEP_REQUESTED
    if body.active_index < 0:
        return
    asleep = view(system.bodies.fell_asleep, world.body_capacity, INT32)
    asleep[system.bodies.fell_asleep_count] = index
    system.bodies.fell_asleep_count += 1
    remove_from_active(system, world, bodies, index)
    rest_pairs_of(system, bodies, index)
    remove_joints_of(system, bodies, index)


@kernel
def put_islands_to_sleep(system):
    """Put every island to sleep whose bodies have all rested long enough. Kinematic bodies leave the list when they stop."""
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    active = view(system.bodies.active, world.body_capacity, INT32)
    if not system.settings.is_sleeping_allowed or system.bodies.some_rests == 0:
        return
    begin_islands(system, bodies, active)
    link_contacts(system, bodies, active)
    link_joints(system, bodies, active)
    system.bodies.island_count = finish_islands(system, bodies, active)
    rest = view(system.step.scratch, world.body_capacity, np.float32)
    heads = view(system.step.scratch + 4 * world.body_capacity, world.body_capacity, INT32)
    count = system.bodies.active_count
    sleepers = view(system.step.scratch + 8 * world.body_capacity, world.body_capacity, INT32)
    sleeper_count = 0
    for slot in range(count):
        body = bodies[active[slot]]
        root = body.island_link
        if body.mode == KINEMATIC or rest[root] < system.settings.time_to_sleep or rest[root] == FLOAT32(0.0):
            continue
        if root == slot:
            heads[slot] = active[slot]
            body.next_in_island = active[slot]
        else:
            head = bodies[heads[root]]
            body.next_in_island = head.next_in_island
            head.next_in_island = active[slot]
        sleepers[sleeper_count] = active[slot]
        sleeper_count += 1
    for k in range(sleeper_count):
        put_to_sleep(system, world, bodies, sleepers[k])
