"""Finding new pairs: every body with new fat bounds, and every body in a crowd, asks the trees for the bodies that it overlaps.

The job `look_for_pairs` notes the candidates of each body. `make_pairs` makes the pairs, in the order of the bodies and of the
candidates of each, so that pairs do not depend on the number of threads.
"""

import numpy as np

from ..bodies.bounds import bounds_overlap
from ..bodies.records import system_at, world_at
from ..bodies.schema import (
    BODY, IN_CROWD, IS_AREA, IS_IN_MOVED_LIST, LAYER_NOT_MOVING, LAYER_SENSOR, STATIC,
)  # fmt: skip
from ..bodies.system_schema import SYSTEM, offset_of
from ..broad_phase.query import CURSOR, bounds_query_begin, bounds_query_next, query_end
from ..broad_phase.schema import TREE
from ..runtime.atomics import add_int64
from ..runtime.call import call_job, load_int64
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import address_of_row, stack_array, view
from .crowds import CROWD, crowd_each_other, is_left_to_others, may_be_in_crowd
from .event_lists import begin_reporting
from .pairs import activate_pair, create_pair, find_pair, may_collide, order_active_pairs

INT32, INT64 = np.int32, np.int64
TREE_SIZE = TREE.itemsize
LAYER_UNION, MASK_UNION = TREE.fields["layer_union"][1], TREE.fields["mask_union"][1]
CANDIDATE_COUNT = offset_of("pairs", "candidate_count")
FOUND_AT_ONCE = 256
"""Candidates of one body that are held on the stack."""
TOO_MANY = -1
"""Stands for a number of candidates: there was no room for them. The body looks for pairs once more, alone."""
IS_DONE, IS_CROWDED, LACKS_SOME = 0, 1, 2
"""Result of a body's search. IS_CROWDED: it is in a crowd and made only some of its pairs. LACKS_SOME: there was no room for all
candidates, or for all pairs. The last two look again in the next step."""


@kernel
def may_meet_in(tree, body):
    """Whether some body of a tree could collide with this one, by layers and masks."""
    return (
        load_int64(tree + LAYER_UNION) & np.int64(body.collision_mask) != 0
        or load_int64(tree + MASK_UNION) & np.int64(body.collision_layer) != 0
    )


@kernel
def mark_moved(system, bodies, index):
    """Let a body look for pairs in the next step. Serial."""
    body = bodies[index]
    if body.flags & IS_IN_MOVED_LIST:
        return
    body.flags |= IS_IN_MOVED_LIST
    moved = view(system.bodies.moved, world_at(system.world).body_capacity, INT32)
    moved[system.bodies.moved_count] = index
    system.bodies.moved_count += 1


@kernel
def looks_itself(system, bodies, other_index, index):
    """Whether the pair of two bodies that both look for pairs is found by the other one. Bodies look in all trees but that of
    sensors; the body with the lower number finds the pair."""
    body, other = bodies[index], bodies[other_index]
    looks = other.flags & IS_IN_MOVED_LIST != 0 and other.system == system.index and other.mode != STATIC
    return other_index < index and looks and body.is_in_tree != 0 and body.broad_phase_layer != LAYER_SENSOR


@kernel
def may_pair(system, bodies, low, high):
    """Whether two bodies may become a pair, or are a pair already."""
    return bounds_overlap(bodies[low].fat_bounds, bodies[high].fat_bounds) and may_collide(
        system.world, bodies[low], low, bodies[high], high
    )  # fmt: skip


@kernel
def find_in_tree(system, bodies, index, tree, may_crowd, found, counts):
    """Note in `found`, from `counts[0]` on, the bodies of one tree with which a body makes new pairs. `counts[0]` grows by their
    number, also by those for which `found` has no room. `counts[1]` grows by the number of bodies of a crowd that the body
    overlaps deeply; of these, known pairs are noted too, and those not that it leaves to other pairs. `may_crowd`: whether the
    body may be in a crowd."""
    body, cursor = bodies[index], stack_array(1, CURSOR)
    bounds_query_begin(cursor, tree, body.fat_bounds)
    other_index = bounds_query_next(cursor, tree)
    while other_index >= 0:
        low, high = min(index, other_index), max(index, other_index)
        if low != high and may_pair(system, bodies, low, high):
            is_crowded = may_crowd and crowd_each_other(system, body, bodies[other_index])
            counts[1] += is_crowded
            is_left = is_crowded and is_left_to_others(low, high, counts[1])
            if not is_left and not looks_itself(system, bodies, other_index, index):
                if is_crowded or find_pair(system, low, high) < 0:
                    if counts[0] < len(found):
                        found[counts[0]] = other_index
                    counts[0] += 1
        other_index = bounds_query_next(cursor, tree)
    query_end(cursor, tree)


@kernel
def keep_new_pairs(system, bodies, index, found, counts):
    """Remove from `found` the pairs of a crowd that are known, and what a crowd of `counts[1]` bodies leaves to other pairs:
    while the body looked, fewer were known. Pairs are looked up only here, because most of a crowd is left to others."""
    kept = 0
    for k in range(counts[0]):
        low, high = min(index, INT64(found[k])), max(index, INT64(found[k]))
        is_left = is_left_to_others(low, high, counts[1]) and crowd_each_other(system, bodies[index], bodies[found[k]])
        if not is_left and find_pair(system, low, high) < 0:
            found[kept] = found[k]
            kept += 1
    counts[0] = kept


@kernel
def find_candidates(system, bodies, index, found):
    """Note in `found` the bodies with which a moved body makes new pairs. Returns (their number, the result of the search); a
    number above the length of `found` means that some are missing."""
    body, counts = bodies[index], stack_array(2, INT64)
    counts[0] = counts[1] = 0
    if not body.flags & IS_IN_MOVED_LIST or body.system != system.index or body.flags & IS_AREA:
        return counts[0], IS_DONE
    may_crowd = may_be_in_crowd(system, body)
    for layer in range(system.trees.layer_count):
        tree = system.trees.rows + layer * TREE_SIZE
        if layer == LAYER_SENSOR or (layer == LAYER_NOT_MOVING and body.mode == STATIC):
            continue
        if may_meet_in(tree, body):
            find_in_tree(system, bodies, index, tree, may_crowd, found, counts)
    if counts[0] > len(found):
        return counts[0], LACKS_SOME
    if counts[1] > 0:
        keep_new_pairs(system, bodies, index, found, counts)
    return counts[0], IS_CROWDED if counts[1] > CROWD else IS_DONE


@kernel
def candidate_lists(system, world):
    """Lists in `scratch`: for each moved body the start and number of its candidates and the result of its search (IS_DONE,
    IS_CROWDED, LACKS_SOME); then all candidates."""
    capacity = world.body_capacity
    room = system.step.scratch_bytes // 4 - 3 * capacity
    return (
        view(system.step.scratch, capacity, INT32), view(system.step.scratch + 4 * capacity, capacity, INT32),
        view(system.step.scratch + 8 * capacity, capacity, INT32), view(system.step.scratch + 12 * capacity, room, INT32),
    )  # fmt: skip


@entry_point(JOB_SIGNATURE)
def look_for_pairs(system_address, begin, end, worker):
    """Job: note the candidates of the moved bodies `begin` to `end - 1`. Reads trees, bodies and the table of pairs."""
    systems = view(system_address, 1, SYSTEM)
    system = systems[0]
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    moved = view(system.bodies.moved, world.body_capacity, INT32)
    starts, counts, states, candidates = candidate_lists(system, world)
    found = stack_array(FOUND_AT_ONCE, INT32)
    counter = address_of_row(systems, 0) + CANDIDATE_COUNT
    for k in range(begin, end):
        count, state = find_candidates(system, bodies, INT64(moved[k]), found)
        counts[k], states[k] = count, state
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
    """Job: note the candidates of the moved body `begin`, for which the whole list of candidates has room. Serial: it overwrites
    those of other bodies."""
    system = system_at(system_address)
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    moved = view(system.bodies.moved, world.body_capacity, INT32)
    starts, counts, states, candidates = candidate_lists(system, world)
    count, state = find_candidates(system, bodies, INT64(moved[begin]), candidates)
    starts[begin], counts[begin], states[begin] = 0, min(count, len(candidates)), state


@kernel
def make_pair(system, bodies, index, other_index):
    """Make a pair that was found, unless it exists. Returns False if the pool of pairs is full."""
    low, high = min(index, other_index), max(index, other_index)
    if find_pair(system, low, high) >= 0:
        return True
    pair = create_pair(system, bodies, low, high)
    if pair < 0:
        return False
    begin_reporting(system, pair)
    if bodies[low].active_index >= 0 or bodies[high].active_index >= 0:
        activate_pair(system, bodies, pair)
    return True


@kernel
def keep_unfinished(system, bodies, moved, states):
    """Remove the bodies whose search is done from the list of moved bodies. A body that sleeps in a crowd leaves the list too; it
    returns when it wakes (IN_CROWD)."""
    kept = 0
    for k in range(system.bodies.moved_count):
        body = bodies[moved[k]]
        if body.system != system.index:
            continue
        sleeps_in_crowd = states[k] == IS_CROWDED and body.active_index < 0
        if sleeps_in_crowd:
            body.flags |= IN_CROWD
        if states[k] == IS_DONE or sleeps_in_crowd:
            body.flags &= ~IS_IN_MOVED_LIST
        else:
            moved[kept] = moved[k]
            kept += 1
    system.bodies.moved_count = kept


@kernel
def make_pairs(system, system_address, look_alone_address):
    """Make the pairs that `look_for_pairs` found. Bodies with too many candidates come last. If there was no room for all
    candidates, the order of threads decided which bodies got some: then all bodies look again, alone."""
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    moved = view(system.bodies.moved, world.body_capacity, INT32)
    starts, counts, states, candidates = candidate_lists(system, world)
    is_room_gone = system.pairs.candidate_count > len(candidates)
    for is_alone in (False, True):
        for k in range(system.bodies.moved_count):
            if is_alone != (is_room_gone or counts[k] == TOO_MANY):
                continue
            if is_alone:
                call_job(look_alone_address, system_address, k, k + 1, 0)
            for i in range(counts[k]):
                if not make_pair(system, bodies, INT64(moved[k]), INT64(candidates[starts[k] + i])):
                    states[k] = LACKS_SOME
    keep_unfinished(system, bodies, moved, states)
    system.pairs.candidate_count = 0
    order_active_pairs(system)
