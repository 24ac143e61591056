"""Choosing the pairs to collide and the contacts to solve in a step whose limits do not allow all.

Overlaps with static bodies come first, so that nothing falls through the floor, then the deepest. The others wait for the next
step; a body that sinks meanwhile becomes one of the deepest. Serial, by depths and the order of lists alone: the same for any
number of threads.
"""

import math

import numpy as np

from ..bodies.bounds import bounds_overlap, depth_of_bounds
from ..bodies.limits import leave_out
from ..bodies.records import world_at
from ..bodies.schema import BODY, RIGID
from ..bodies.system_schema import CONTACTS, PAIRS
from ..collision.contact_points import contact_frames, contact_normal, contact_point
from ..collision.pairs import active_pairs_of, lists_of, manifolds_of, pairs_of
from ..collision.schema import PAIR_IS_UNSOLVED
from ..constraints.colours import colours_of, remove_from_colour
from ..constraints.schema import COLOUR_COUNT
from ..runtime.body_order import order_key
from ..runtime.kernel import kernel
from ..runtime.memory import view
from ..runtime.selection import selection_key, least_taken, put_largest_first
from .sleeping import take_out_of_solver

INT32, INT64 = np.int32, np.int64
PARTED = 1e6
"""Depth of a pair that is about to be freed, which costs nothing [m]."""
STANDS = 1e3
"""Extra depth of overlaps with static bodies [m]."""
WAITED = 0.01
"""Extra depth of a pair that was left out before [m]. The bounds of a half space give no depth, so pairs with it take turns."""


@kernel
def weighed(depth, a, b):
    """The weighted depth of an overlap of two bodies [m]."""
    return depth + STANDS if depth > 0.0 and (a.mode < RIGID or b.mode < RIGID) else depth


@kernel
def choose_pairs(system):
    """Move the pairs that are collided in this step before the other active ones, whose contacts leave the solver."""
    count, limit, chosen_before = system.pairs.active_count, system.limits.pairs, system.pairs.chosen_count
    system.pairs.chosen_count = min(count, limit)
    if count <= limit:
        return
    leave_out(system, PAIRS, count - limit)
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    pairs, all_lists = pairs_of(system), lists_of(system)
    active, keys = active_pairs_of(system)
    depths, spare = view(system.step.spare_list, count, INT32), view(system.step.spare_list + 4 * count, count, INT32)
    for place in range(count):
        pair = pairs[active[place]]
        a, b = bodies[pair.body_a], bodies[pair.body_b]
        depth = weighed(depth_of_bounds(a.bounds, b.bounds), a, b) + (WAITED if place >= chosen_before else 0.0)
        depths[place] = selection_key(depth if bounds_overlap(a.fat_bounds, b.fat_bounds) else PARTED)
    put_largest_first(active, depths, spare, count, limit)
    for place in range(count):
        index = INT64(active[place])
        pair, lists = pairs[index], all_lists[index]
        lists.active_index = INT32(place)
        moves_a, moves_b = bodies[pair.body_a].mode >= RIGID, bodies[pair.body_b].mode >= RIGID
        keys[place] = order_key(pair.body_a, moves_a, pair.body_b, moves_b)
        if place >= limit and lists.first_manifold >= 0:
            take_out_of_solver(system, bodies, index)


@kernel
def depth_of(pair, a, b, manifold):
    """Depth of the deepest point at the present poses [m]: a pair whose contact waits may have sunk since it was collided."""
    frames = contact_frames(pair, a, b)
    normal, depth = contact_normal(frames, manifold), -math.inf
    for p in range(manifold.point_count):
        depth = max(depth, -contact_point(frames, manifold, normal, p)[2])
    return depth


@kernel
def choose_contacts(system):
    """Take the shallowest contacts out of the solver if there are too many; the next step adds them and chooses again."""
    colours, manifolds, pairs = colours_of(system), manifolds_of(system), pairs_of(system)
    count, limit = INT64(0), system.limits.contacts
    for colour in range(COLOUR_COUNT + 1):
        count += colours.counts[colour]
    if count <= limit:
        return
    leave_out(system, CONTACTS, count - limit)
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    depths, all_members = view(system.step.spare_list, count, INT32), view(system.step.spare_list + 4 * count, count, INT32)
    at = 0
    for colour in range(COLOUR_COUNT + 1):
        members = view(colours.lists[colour], colours.counts[colour], INT32)
        for slot in range(colours.counts[colour]):
            manifold = manifolds[members[slot]]
            a, b = bodies[manifold.body_a], bodies[manifold.body_b]
            depth = weighed(depth_of(pairs[manifold.pair], a, b, manifold), a, b)
            all_members[at], depths[at] = members[slot], selection_key(depth)
            at += 1
    least, equal = least_taken(depths, count, limit)
    for k in range(count):
        if depths[k] == least and equal > 0:
            equal -= 1
        elif depths[k] <= least:
            index = INT64(all_members[k])
            remove_from_colour(system, bodies, manifolds, index)
            pairs[manifolds[index].pair].flags |= PAIR_IS_UNSOLVED
