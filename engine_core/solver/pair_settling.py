"""Contacts that begin and end: they enter and leave the solver, pairs separate, sleeping bodies are hit. Serial, in the order of
pairs, so that colours and islands do not depend on which thread found what."""

import numpy as np

from ..bodies.bounds import bounds_overlap
from ..bodies.records import world_at
from ..bodies.schema import BODY, KINEMATIC, RIGID
from ..collision.event_lists import end_reporting
from ..collision.pairs import deactivate_pair, free_pair, give_back_manifold, lists_of, manifolds_of, pairs_of
from ..collision.rolling import carry_along_curve
from ..collision.schema import MANIFOLD_IS_SENSOR, PAIR_IS_KEPT_ON_CURVE, PAIR_IS_TOUCHING, PAIR_IS_UNSOLVED
from ..collision.seams import drop_seam_contacts
from ..constraints.colours import add_to_colour, remove_from_colour
from ..constraints.foreseen_loads import foresee_load
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .caught_bodies import turn_pinched_contacts
from .sleeping import disturb, is_solved, wake_island, wake_joined

INT32, INT64, FLOAT32 = np.int32, np.int64, np.float32


@kernel
def destroy_pair(system, bodies, index):
    """Free a pair and its manifolds, and remove them from all lists."""
    manifolds = manifolds_of(system)
    m = lists_of(system)[index].first_manifold
    while m >= 0:
        following = manifolds[m].next
        remove_from_colour(system, bodies, manifolds, m)
        give_back_manifold(system, m)
        m = following
    end_reporting(system, index)
    deactivate_pair(system, index)
    free_pair(system, bodies, index)


@kernel
def drop_empty_manifolds(system, bodies, pair, lists):
    """Free the manifolds of a pair that have no points; put the others into the solver."""
    manifolds = manifolds_of(system)
    solved = is_solved(pair, bodies)
    before, m = -1, lists.first_manifold
    while m >= 0:
        following = manifolds[m].next
        if manifolds[m].point_count == 0:
            remove_from_colour(system, bodies, manifolds, m)
            give_back_manifold(system, m)
            if before >= 0:
                manifolds[before].next = following
            else:
                lists.first_manifold = following
        else:
            if manifolds[m].flags & MANIFOLD_IS_SENSOR:
                remove_from_colour(system, bodies, manifolds, m)
            elif solved:
                if manifolds[m].colour < 0:
                    foresee_load(system, bodies, manifolds[m])
                add_to_colour(system, bodies, manifolds, m)
            before = m
        m = following
    pair.flags = pair.flags & ~PAIR_IS_UNSOLVED if solved or before < 0 else pair.flags | PAIR_IS_UNSOLVED


@kernel
def pushes(body):
    """Whether a body in contact keeps others awake: it moves, or has a target to move to."""
    return body.active_index >= 0 and body.mode >= KINEMATIC


@kernel
def settle_pair(system, world, bodies, index):
    """Apply the results of the narrow phase for one changed pair."""
    pair, lists = pairs_of(system)[index], lists_of(system)[index]
    if pair.body_a < 0:
        return
    a, b = bodies[pair.body_a], bodies[pair.body_b]
    if not bounds_overlap(a.fat_bounds, b.fat_bounds):
        destroy_pair(system, bodies, index)
        return
    if lists.manifold_count > 0:
        if pair.flags & PAIR_IS_KEPT_ON_CURVE:
            carry_along_curve(system, pair, lists, a, b)
        drop_seam_contacts(system, world, bodies, pair, lists)
        turn_pinched_contacts(system, bodies, pair, lists.first_manifold)
        pair.flags |= PAIR_IS_TOUCHING
        if a.mode >= RIGID and a.active_index < 0 and pushes(b):
            wake_island(system, world, bodies, INT64(pair.body_a))
        if b.mode >= RIGID and b.active_index < 0 and pushes(a):
            wake_island(system, world, bodies, INT64(pair.body_b))
    else:
        pair.flags &= ~PAIR_IS_TOUCHING
    drop_empty_manifolds(system, bodies, pair, lists)


@kernel
def sort_int32(values, count):
    """Sort in place, ascending: heap sort, for lists whose order may depend on a race of threads."""
    for start in range(count // 2 - 1, -1, -1):
        _sift(values, start, count)
    for end in range(count - 1, 0, -1):
        values[0], values[end] = values[end], values[0]
        _sift(values, 0, end)


@kernel
def _sift(values, root, end):
    while True:
        child = 2 * root + 1
        if child >= end:
            return
        if child + 1 < end and values[child] < values[child + 1]:
            child += 1
        if values[root] >= values[child]:
            return
        values[root], values[child] = values[child], values[root]
        root = child


@kernel
def settle_pairs(system):
    """Settle every pair that the narrow phase put on the list."""
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    changed = view(system.pairs.changed, system.pairs.capacity, INT32)
    sort_int32(changed, system.pairs.changed_count)
    for k in range(system.pairs.changed_count):
        settle_pair(system, world, bodies, INT64(changed[k]))
    system.pairs.changed_count = 0


@kernel
def disturb_partners(system, world, bodies, index, is_edited):
    """Disturb the bodies that a body touches or may touch: all, of a body that was moved, changed or removed (`is_edited`), whose
    contacts are found anew; of a kinematic body that speeds up those that are awake."""
    pairs, all_lists = pairs_of(system), lists_of(system)
    key = bodies[index].first_pair
    while key >= 0:
        pair = pairs[key >> 1]
        following = all_lists[key >> 1].next[key & 1]
        other = INT64(pair.body_b if key & 1 == 0 else pair.body_a)
        if is_edited:
            pair.limit = FLOAT32(0.0)
        if is_edited or bodies[other].active_index >= 0:
            disturb(system, world, bodies, other)
        key = following


@kernel
def wake_neighbours(system, world, bodies, index):
    """Wake bodies that a moved, changed or removed body touches, may touch or is joined to."""
    disturb_partners(system, world, bodies, index, True)
    wake_joined(system, world, bodies, index)


@kernel
def destroy_pairs_of(system, bodies, index):
    """Destroy all pairs of a body."""
    while bodies[index].first_pair >= 0:
        destroy_pair(system, bodies, bodies[index].first_pair >> 1)
