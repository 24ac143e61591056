"""Pairs of bodies whose fat bounds overlap: created, found, kept in lists, and freed. A pair keeps its row for life.

Every pair is in three places: a hash table by its two bodies, the list of each of its bodies, and, while one of the two is awake,
the array of active pairs. Serial: called by the step between its parallel jobs, or between steps.
"""

import numpy as np

from ..bodies.exceptions import are_excepted
from ..bodies.layers import group_allows, masks_match
from ..bodies.limits import leave_out
from ..bodies.schema import HAS_EXCEPTIONS, IS_AREA, RIGID
from ..bodies.system_schema import CONTACTS, PAIRS, offset_of
from ..runtime.body_order import needs_order, order_key, put_in_order
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_record, view, view2
from ..runtime.pair_table import find_row, grow_table, insert_row, remove_row, take_row
from ..runtime.two_lists import link, unlink
from ..shapes.schema import FIRST_BRICK
from .contact_rules import ignore_each_other, terms_of
from .schema import MANIFOLD, MANIFOLD_HAS_BRICKS, MANIFOLD_IS_SENSOR, PAIR, PAIR_LISTS, PAIR_SPARES_A, PAIR_SPARES_B

INT32, INT64, FLOAT32, FLOAT64 = np.int32, np.int64, np.float32, np.float64
PAIR_SIZE, MANIFOLD_SIZE, NEXT_MANIFOLD = PAIR.itemsize, MANIFOLD.itemsize, MANIFOLD.fields["next"][1]
FIRST_FREE_MANIFOLD, MANIFOLD_COUNT = offset_of("manifolds", "first_free"), offset_of("manifolds", "count")


@kernel
def pairs_of(system):
    return view(system.pairs.rows, system.pairs.capacity, PAIR)


@kernel
def lists_of(system):
    """The rows of PAIR_LISTS, by the numbers of pairs."""
    return view(system.pairs.lists, system.pairs.capacity, PAIR_LISTS)


@kernel
def manifolds_of(system):
    return view(system.manifolds.rows, system.manifolds.capacity, MANIFOLD)


@kernel
def brick_of(system, manifold, side):
    """Number of the brick of A (side 0) or B (1) in a manifold with MANIFOLD_HAS_BRICKS; 0: that shape is no structure."""
    number = (address_of_record(manifold) - system.manifolds.rows) // MANIFOLD_SIZE
    return INT64(view2(system.manifolds.bricks, system.manifolds.capacity, 2, INT32)[number, side])


@kernel
def set_bricks(system, manifold, brick_a, brick_b):
    """Set the bricks of a manifold, 0 for none, and its flag."""
    number = (address_of_record(manifold) - system.manifolds.rows) // MANIFOLD_SIZE
    bricks = view2(system.manifolds.bricks, system.manifolds.capacity, 2, INT32)
    bricks[number, 0], bricks[number, 1] = brick_a, brick_b
    manifold.flags |= np.uint16(MANIFOLD_HAS_BRICKS)


@kernel
def part_of(system, manifold, side):
    """The part of the shape of A (side 0) or B (1) in a manifold: its number, NO_PART, or FIRST_BRICK plus that of a brick."""
    if manifold.flags & MANIFOLD_HAS_BRICKS:
        brick = brick_of(system, manifold, side)
        if brick != 0:
            return FIRST_BRICK + brick
    return INT64(manifold.part_a if side == 0 else manifold.part_b)


@kernel
def lowest_separation(manifold):
    """The separation of the deepest point of a manifold that pushes; 0 if none is negative [m]."""
    lowest = 0.0
    for p in range(0 if manifold.flags & MANIFOLD_IS_SENSOR else manifold.point_count):
        lowest = min(lowest, FLOAT64(manifold.separation[p]))
    return lowest


@kernel
def find_pair(system, body_a, body_b):
    """Index of the pair of body_a < body_b, or -1."""
    return find_row(system.pairs.table, system.pairs.table_capacity, system.pairs.rows, PAIR_SIZE, body_a, body_b)


@kernel
def may_collide(world_address, a, index_a, b, index_b):
    """Whether two bodies can push each other, by mode, layers, masks, groups, rules and exceptions. Shapes are not tested."""
    if a.mode < RIGID and b.mode < RIGID:
        return False
    if (a.flags | b.flags) & IS_AREA:
        return False
    if not masks_match(world_address, a, b) or not group_allows(world_address, a, b) or ignore_each_other(world_address, a, b):
        return False
    if a.flags & b.flags & HAS_EXCEPTIONS:
        return not are_excepted(world_address, index_a, index_b)
    return True


@kernel
def combine_surfaces(friction_a, restitution_a, friction_b, restitution_b):
    """(friction, restitution) of two surfaces by Godot's rules: friction is the magnitude of the smaller, so that a rough one
    (negative) decides; restitution is the sum, from which an absorbing one (negative) is subtracted, 0 to 1."""
    return FLOAT32(abs(min(friction_a, friction_b))), FLOAT32(min(max(restitution_a + restitution_b, 0.0), 1.0))


@kernel
def combine_materials(lists, a, b):
    """Friction and restitution of a pair."""
    lists.friction, lists.restitution = combine_surfaces(
        np.float64(a.friction), np.float64(a.restitution), np.float64(b.friction), np.float64(b.restitution)
    )


@kernel
def spared(a, b):
    """Flags for the bodies of a pair that are not pushed. A body is pushed only by layers in its own mask."""
    of_a = 0 if a.collision_mask & b.collision_layer else PAIR_SPARES_A
    return of_a | (0 if b.collision_mask & a.collision_layer else PAIR_SPARES_B)


@kernel
def create_pair(system, bodies, body_a, body_b):
    """Make the pair of body_a < body_b, not active yet. Returns its index, or -1 if the pool is full."""
    pairs, all_lists = pairs_of(system), lists_of(system)
    index = system.pairs.first_free
    if index >= 0:
        system.pairs.first_free = all_lists[index].next[0]
    elif system.pairs.count < system.pairs.capacity:
        index = system.pairs.count
        if 2 * index >= system.pairs.table_capacity:
            system.pairs.table_capacity = grow_table(
                system.pairs.table, system.pairs.table_capacity, system.pairs.rows, PAIR_SIZE, system.pairs.count
            )
        system.pairs.count += 1
    else:
        leave_out(system, PAIRS, 1)
        return -1
    a, b = bodies[body_a], bodies[body_b]
    pair, lists = pairs[index], all_lists[index]
    pair.body_a = body_a
    pair.body_b = body_b
    pair.flags = spared(a, b) | terms_of(system.world, a, b)
    pair.limit = FLOAT32(0.0)
    lists.active_index = -1
    lists.first_manifold = -1
    lists.manifold_count = 0
    lists.axis_cache = 0
    lists.reporting_index = -1
    lists.first_reported = -1
    combine_materials(lists, a, b)
    for side in range(2):
        body = a if side == 0 else b
        body.first_pair = link(all_lists, index, side, body.first_pair)
        body.pair_count += 1
    insert_row(system.pairs.table, system.pairs.table_capacity, index, body_a, body_b)
    return index


@kernel
def free_pair(system, bodies, index):
    """Take a pair out of all lists. Its manifolds must be gone and it must not be active."""
    all_lists = lists_of(system)
    pair = pairs_of(system)[index]
    remove_row(system.pairs.table, system.pairs.table_capacity, system.pairs.rows, PAIR_SIZE, index, pair.body_a, pair.body_b)
    for side in range(2):
        body = bodies[pair.body_a if side == 0 else pair.body_b]
        body.first_pair = unlink(all_lists, index, side, body.first_pair)
        body.pair_count -= 1
    pair.body_a = -1
    all_lists[index].next[0] = system.pairs.first_free
    system.pairs.first_free = index


@kernel
def active_pairs_of(system):
    """The pairs that are collided in each step, and their keys."""
    capacity = system.pairs.capacity
    return view(system.pairs.active, capacity, INT32), view(system.pairs.active_keys, capacity, INT32)


@kernel
def activate_pair(system, bodies, index):
    """Have the pair collided in each step. No effect if it already is."""
    lists = lists_of(system)[index]
    if lists.active_index >= 0:
        return
    pair = pairs_of(system)[index]
    active, keys = active_pairs_of(system)
    place = system.pairs.active_count
    active[place] = index
    a_moves, b_moves = bodies[pair.body_a].mode >= RIGID, bodies[pair.body_b].mode >= RIGID
    keys[place] = order_key(pair.body_a, a_moves, pair.body_b, b_moves)
    lists.active_index = place
    system.pairs.active_count = place + 1
    system.pairs.active_disorder += 1


@kernel
def deactivate_pair(system, index):
    """Deactivate a pair: both of its bodies sleep, or it is about to be freed."""
    all_lists = lists_of(system)
    lists = all_lists[index]
    if lists.active_index < 0:
        return
    active, keys = active_pairs_of(system)
    last_place = system.pairs.active_count - 1
    last = active[last_place]
    active[lists.active_index], keys[lists.active_index] = last, keys[last_place]
    all_lists[last].active_index = lists.active_index
    system.pairs.active_count = last_place
    system.pairs.active_disorder += 1
    lists.active_index = -1


@kernel
def order_active_pairs(system):
    """Sort the active pairs by bodies, if they are too far out of order."""
    count = system.pairs.active_count
    if not needs_order(system.pairs.active_disorder, count):
        return
    active, keys = active_pairs_of(system)
    put_in_order(active, keys, count, view(system.step.spare_list, 2 * count, INT32))
    all_lists = lists_of(system)
    for place in range(count):
        all_lists[active[place]].active_index = INT32(place)
    system.pairs.active_disorder = 0


@kernel
def take_manifold(system):
    """Index of a fresh manifold, or -1 if the pool is full. Any thread: see `take_row`."""
    system_address = address_of_record(system)
    index = take_row(
        system_address + FIRST_FREE_MANIFOLD, system_address + MANIFOLD_COUNT, system.manifolds.capacity,
        system.manifolds.rows + NEXT_MANIFOLD, MANIFOLD_SIZE,
    )  # fmt: skip
    if index < 0:
        leave_out(system, CONTACTS, 1)
        return index
    manifold = manifolds_of(system)[index]
    manifold.next = -1
    manifold.colour = -1
    manifold.colour_slot = -1
    manifold.point_count = 0
    manifold.flags = 0
    manifold.answered_sides = 0
    for k in range(3):
        manifold.friction_impulse[k] = FLOAT32(0.0)
    manifold.twist_impulse = FLOAT32(0.0)
    return index


@kernel
def give_back_manifold(system, index):
    """Free a manifold that is in no colour and in no pair's list."""
    manifold = manifolds_of(system)[index]
    manifold.pair = -1
    manifold.point_count = 0
    manifold.next = system.manifolds.first_free
    system.manifolds.first_free = index

