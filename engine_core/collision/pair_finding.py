"""Finding new pairs: every body whose fat bounds are new, or that is in a crowd, asks the trees which bodies they overlap.

The job `look_for_pairs` asks and notes the candidates of each body; `make_pairs` makes the pairs, in the order of the bodies and
of what each found, so that pairs do not depend on which thread found what.
"""

import numpy as np

from ..bodies.bounds import bounds_overlap
from ..bodies.schema import (
    BODY, IN_CROWD, IS_AREA, IS_IN_MOVED_LIST, LAYER_NOT_MOVING, LAYER_SENSOR, STATIC, SYSTEM, WORLD,
)  # fmt: skip
from ..broad_phase.query import CURSOR, bounds_query_begin, bounds_query_next, query_end
from ..broad_phase.schema import TREE
from ..runtime.atomics import add_int64
from ..runtime.call import call_job, load_int64
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import address_of_row, stack_array, view
from .crowds import CROWD, is_left_to_others, lie_in_each_other
from .pairs import activate_pair, create_pair, find_pair, may_collide, order_active_pairs
from .event_lists import begin_telling

INT32, INT64 = np.int32, np.int64
TREE_SIZE = TREE.itemsize
LAYER_UNION, MASK_UNION = TREE.fields["layer_union"][1], TREE.fields["mask_union"][1]
CANDIDATE_COUNT = SYSTEM.fields["candidate_count"][1]
FOUND_AT_ONCE = 256
"""Candidates of one body that are held on the stack."""
TOO_MANY = -1
"""Instead of a number of candidates: they found no room; the body is looked at again, alone."""
LOOK_AGAIN = -2
"""Instead of a number of candidates: the body looks again in the next step."""
IS_CROWDED, LACKS_SOME = 1, 2
"""A body is in a crowd, so not all that it touches become pairs; there was no room for all candidates, or for all pairs."""


@kernel
def may_meet_in(tree, body):
    """Whether some body of a tree could collide with this one, by layers and masks."""
    return (
        load_int64(tree + LAYER_UNION) & np.int64(body.collision_mask) != 0
        or load_int64(tree + MASK_UNION) & np.int64(body.collision_layer) != 0
    )


@kernel
def mark_moved(system, bodies, index):
    """Have the next step look for pairs of a body. Serial."""
    body = bodies[index]
    if body.flags & IS_IN_MOVED_LIST:
        return
    body.flags |= IS_IN_MOVED_LIST
    moved = view(system.moved_bodies, view(system.world, 1, WORLD)[0].body_capacity, INT32)
    moved[system.moved_count] = index
    system.moved_count += 1


@kernel
def looks_itself(system, bodies, other_index, index):
    """Whether of two bodies that both look for pairs it is the other one that notes this one: it looks in all trees but that of
    sensors."""
    body, other = bodies[index], bodies[other_index]
    looks = other.flags & IS_IN_MOVED_LIST != 0 and other.system == system.index and other.mode != STATIC
    return other_index < index and looks and body.is_in_tree != 0 and body.broad_phase_layer != LAYER_SENSOR


@kernel
def may_pair(system, bodies, low, high):
    """Whether two bodies may become a pair, or are one."""
    return bounds_overlap(bodies[low].fat_bounds, bodies[high].fat_bounds) and may_collide(
        system.world, bodies[low], low, bodies[high], high
    )  # fmt: skip


@kernel
def find_in_tree(system, world, bodies, index, tree, found, counts):
    """Note in `found` with whom a body makes new pairs in one tree, from `counts[0]` on. That grows by how many they are: if
    there is no room for all, some are missing. `counts[1]` grows by how many of a crowd the body lies in: what these are too many
    for is not noted."""
    cursor = stack_array(1, CURSOR)
    bounds_query_begin(cursor, tree, bodies[index].fat_bounds)
    other_index = bounds_query_next(cursor, tree)
    while other_index >= 0:
        low, high = min(index, other_index), max(index, other_index)
        if low != high and may_pair(system, bodies, low, high):
            is_left = False
            if lie_in_each_other(system, world, bodies[low], bodies[high]):
                counts[1] += 1
                is_left = is_left_to_others(low, high, counts[1])
            if not is_left and not looks_itself(system, bodies, other_index, index):
                if find_pair(system, low, high) < 0:
                    if counts[0] < len(found):
                        found[counts[0]] = other_index
                    counts[0] += 1
        other_index = bounds_query_next(cursor, tree)
    query_end(cursor, tree)


@kernel
def leave_to_others(system, world, bodies, index, found, counts):
    """Strike those from `found` that `counts[1]` bodies in each other are too many for: fewer were known when they were noted."""
    kept = 0
    for k in range(counts[0]):
        low, high = min(index, INT64(found[k])), max(index, INT64(found[k]))
        if not (is_left_to_others(low, high, counts[1]) and lie_in_each_other(system, world, bodies[low], bodies[high])):
            found[kept] = found[k]
            kept += 1
    counts[0] = kept


@kernel
def find_candidates(system, world, bodies, index, found):
    """Note in `found` with whom a moved body makes new pairs. Gives how many, more than there is room for if some are missing,
    and whether it is in a crowd."""
    body, counts = bodies[index], stack_array(2, INT64)
    counts[0] = counts[1] = 0
    if not body.flags & IS_IN_MOVED_LIST or body.system != system.index or body.flags & IS_AREA:
        return counts[0], False
    for layer in range(system.layer_count):
        tree = system.trees + layer * TREE_SIZE
        if layer == LAYER_SENSOR or (layer == LAYER_NOT_MOVING and body.mode == STATIC):
            continue
        if may_meet_in(tree, body):
            find_in_tree(system, world, bodies, index, tree, found, counts)
    if counts[1] > CROWD and counts[0] <= len(found):
        leave_to_others(system, world, bodies, index, found, counts)
    return counts[0], counts[1] > CROWD


@kernel
def candidate_lists(system, world):
    """In `scratch`: where the candidates of each moved body begin, how many they are, whether it is in a crowd or lacks some
    (IS_CROWDED, LACKS_SOME), and all candidates."""
    capacity = world.body_capacity
    room = system.scratch_bytes // 4 - 3 * capacity
    return (
        view(system.scratch, capacity, INT32), view(system.scratch + 4 * capacity, capacity, INT32),
        view(system.scratch + 8 * capacity, capacity, INT32), view(system.scratch + 12 * capacity, room, INT32),
    )  # fmt: skip


@entry_point(JOB_SIGNATURE)
def look_for_pairs(system_address, begin, end, worker):
    """Job: note the candidates of moved bodies `begin` to `end - 1`. Reads trees, bodies and the table of pairs."""
    systems = view(system_address, 1, SYSTEM)
    system = systems[0]
    world = view(system.world, 1, WORLD)[0]
    bodies = view(world.bodies, world.body_capacity, BODY)
    moved = view(system.moved_bodies, world.body_capacity, INT32)
    starts, counts, states, candidates = candidate_lists(system, world)
    found = stack_array(FOUND_AT_ONCE, INT32)
    counter = address_of_row(systems, 0) + CANDIDATE_COUNT
    for k in range(begin, end):
        count, is_crowded = find_candidates(system, world, bodies, INT64(moved[k]), found)
        counts[k], states[k] = count, IS_CROWDED if is_crowded else 0
        if count == 0:
            continue
        start = add_int64(counter, INT64(count)) if count <= FOUND_AT_ONCE else INT64(len(candidates))
        if start + count > len(candidates):
            counts[k] = TOO_MANY
            continue
        starts[k] = start
        for i in range(count):
            candidates[start + i] = found[i]


@entry_point(JOB_SIGNATURE)
def look_alone(system_address, begin, end, worker):
    """Job: note the candidates of moved body `begin` from the first place on, as many as there is room for. Not to be run beside
    itself: for a body with very many."""
    system = view(system_address, 1, SYSTEM)[0]
    world = view(system.world, 1, WORLD)[0]
    bodies = view(world.bodies, world.body_capacity, BODY)
    moved = view(system.moved_bodies, world.body_capacity, INT32)
    starts, counts, states, candidates = candidate_lists(system, world)
    count, is_crowded = find_candidates(system, world, bodies, INT64(moved[begin]), candidates)
    starts[begin], counts[begin] = 0, min(count, len(candidates))
    states[begin] = LACKS_SOME if count > len(candidates) else IS_CROWDED if is_crowded else 0


@kernel
def make_pair(system, bodies, index, other_index):
    """Make a pair that was found, unless it is there. False if the pool is full."""
    low, high = min(index, other_index), max(index, other_index)
    if find_pair(system, low, high) >= 0:
        return True
    pair = create_pair(system, bodies, low, high)
    if pair < 0:
        return False
    begin_telling(system, pair)
    if bodies[low].active_index >= 0 or bodies[high].active_index >= 0:
        activate_pair(system, bodies, pair)
    return True


@kernel
def looks_again(body, state):
    """Whether a body stays on the list for the next step. One that sleeps in a crowd comes back to it as it wakes."""
    if state == IS_CROWDED and body.active_index < 0:
        body.flags |= IN_CROWD
        return False
    return state != 0


@kernel
def make_pairs(system, system_address, look_alone_address):
    """Make the pairs that `look_for_pairs` found, and empty the list of moved bodies. Those with too many candidates come last;
    if there was no room for all candidates, who found some depends on the order of threads: then all are looked at alone."""
    world = view(system.world, 1, WORLD)[0]
    bodies = view(world.bodies, world.body_capacity, BODY)
    moved = view(system.moved_bodies, world.body_capacity, INT32)
    starts, counts, states, candidates = candidate_lists(system, world)
    is_room_gone = system.candidate_count > len(candidates)
    for is_alone in (False, True):
        for k in range(system.moved_count):
            if is_alone != (is_room_gone or counts[k] == TOO_MANY):
                continue
            if is_alone:
                call_job(look_alone_address, system_address, k, k + 1, 0)
            index, is_whole = INT64(moved[k]), True
            for i in range(counts[k]):
                is_whole &= make_pair(system, bodies, index, INT64(candidates[starts[k] + i]))
            counts[k] = LOOK_AGAIN if looks_again(bodies[index], states[k] if is_whole else LACKS_SOME) else 0
    kept = 0
    for k in range(system.moved_count):
        if bodies[moved[k]].system != system.index:
            continue
        if counts[k] == LOOK_AGAIN:
            moved[kept] = moved[k]
            kept += 1
        else:
            bodies[moved[k]].flags &= ~IS_IN_MOVED_LIST
    system.moved_count = kept
    system.candidate_count = 0
    order_active_pairs(system)
