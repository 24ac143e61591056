"""Finding new pairs: every body whose fat bounds are new asks the trees whom they overlap.

The job `look_for_pairs` asks and notes the candidates of each body; `make_pairs` makes the pairs, in the order of the bodies and
of what each found, so that pairs do not depend on which thread found what.
"""

import numpy as np

from ..bodies.bounds import bounds_overlap
from ..bodies.schema import (
    BODY, IS_AREA, IS_IN_MOVED_LIST, LAYER_NOT_MOVING, LAYER_SENSOR, STATIC, SYSTEM, WORLD,
)  # fmt: skip
from ..broad_phase.query import CURSOR, bounds_query_begin, bounds_query_next, query_end
from ..broad_phase.schema import TREE
from ..runtime.atomics import add_int64
from ..runtime.call import call_job, load_int64
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import address_of_row, stack_array, view
from .pairs import activate_pair, create_pair, find_pair, may_collide, order_active_pairs
from .telling import begin_telling

INT32, INT64 = np.int32, np.int64
TREE_SIZE = TREE.itemsize
LAYER_UNION, MASK_UNION = TREE.fields["layer_union"][1], TREE.fields["mask_union"][1]
CANDIDATE_COUNT = SYSTEM.fields["candidate_count"][1]
FOUND_AT_ONCE = 256
"""Candidates of one body that are held on the stack."""
TOO_MANY = -1
"""Instead of a number of candidates: they found no room; the body is looked at again, alone."""
LOOK_AGAIN = -2
"""Instead of a number of candidates: the pool of pairs was full; the body is looked at again in the next step."""


@kernel
def may_meet_in(tree, body):
    """Whether some body of a tree could collide with this one, by layers and masks."""
    return (
        load_int64(tree + LAYER_UNION) & np.int64(body.collision_mask) != 0
        or load_int64(tree + MASK_UNION) & np.int64(body.collision_layer) != 0
    )


@kernel
def is_new_pair(system, bodies, index, other_index):
    """Whether two bodies are to become a pair."""
    if other_index == index or not bounds_overlap(bodies[index].fat_bounds, bodies[other_index].fat_bounds):
        return False
    low, high = min(index, other_index), max(index, other_index)
    if not may_collide(system.world, bodies[low], low, bodies[high], high):
        return False
    return find_pair(system, low, high) < 0


@kernel
def find_in_tree(system, bodies, index, tree, found, count):
    """Note in `found` from `count` on with whom a body makes new pairs in one tree. Returns the new count, at most one more than
    there is room for: then some are missing."""
    cursor = stack_array(1, CURSOR)
    bounds_query_begin(cursor, tree, bodies[index].fat_bounds)
    while count <= len(found):
        other_index = bounds_query_next(cursor, tree)
        if other_index < 0:
            break
        if is_new_pair(system, bodies, index, other_index):
            if count < len(found):
                found[count] = other_index
            count += 1
    query_end(cursor, tree)
    return count


@kernel
def find_candidates(system, bodies, index, found):
    """Note in `found` with whom a moved body makes new pairs. Returns how many; more than there is room for: some are missing."""
    body = bodies[index]
    count = 0
    if not body.flags & IS_IN_MOVED_LIST or body.system != system.index or body.flags & IS_AREA:
        return count
    for layer in range(system.layer_count):
        tree = system.trees + layer * TREE_SIZE
        if layer == LAYER_SENSOR or (layer == LAYER_NOT_MOVING and body.mode == STATIC):
            continue
        if may_meet_in(tree, body):
            count = find_in_tree(system, bodies, index, tree, found, count)
    return count


@kernel
def candidate_lists(system, world):
    """In `scratch`: where the candidates of each moved body begin, how many they are, and all candidates."""
    capacity = world.body_capacity
    room = system.scratch_bytes // 4 - 2 * capacity
    return (
        view(system.scratch, capacity, INT32), view(system.scratch + 4 * capacity, capacity, INT32),
        view(system.scratch + 8 * capacity, room, INT32),
    )  # fmt: skip


@entry_point(JOB_SIGNATURE)
def look_for_pairs(system_address, begin, end, worker):
    """Job: note the candidates of moved bodies `begin` to `end - 1`. Reads trees, bodies and the table of pairs."""
    systems = view(system_address, 1, SYSTEM)
    system = systems[0]
    world = view(system.world, 1, WORLD)[0]
    bodies = view(world.bodies, world.body_capacity, BODY)
    moved = view(system.moved_bodies, world.body_capacity, INT32)
    starts, counts, candidates = candidate_lists(system, world)
    found = stack_array(FOUND_AT_ONCE, INT32)
    counter = address_of_row(systems, 0) + CANDIDATE_COUNT
    for k in range(begin, end):
        count = find_candidates(system, bodies, INT64(moved[k]), found)
        counts[k] = count
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
    starts, counts, candidates = candidate_lists(system, world)
    starts[begin] = 0
    counts[begin] = min(find_candidates(system, bodies, INT64(moved[begin]), candidates), len(candidates))


@kernel
def make_pair(system, bodies, index, other_index):
    """Make a pair that was found, unless it was found from its other side already. False if the pool is full."""
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
def make_pairs(system, system_address, look_alone_address):
    """Make the pairs that `look_for_pairs` found, and empty the list of moved bodies. Those with too many candidates come last;
    if there was no room for all candidates, who found some depends on the order of threads: then all are looked at alone."""
    world = view(system.world, 1, WORLD)[0]
    bodies = view(world.bodies, world.body_capacity, BODY)
    moved = view(system.moved_bodies, world.body_capacity, INT32)
    starts, counts, candidates = candidate_lists(system, world)
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
            counts[k] = 0 if is_whole else LOOK_AGAIN
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
