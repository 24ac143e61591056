"""Pairs of bodies whose fat bounds overlap: made, found again, kept in lists, and taken away. One row a pair, for life.

Every pair stands in three places: in a hash table from its two bodies, in the list of each of its bodies, and, while one
of the two is awake, in the array of active pairs. Serial: called by the step between its parallel jobs, or between steps.
"""

import numpy as np

from ..bodies.exceptions import are_excepted
from ..bodies.layers import group_allows, masks_match
from ..bodies.schema import HAS_EXCEPTIONS, IS_AREA, RIGID, SYSTEM
from ..runtime.atomics import add_int64, compare_exchange_int64, load_acquire_int64, or_int64
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_record, view
from .schema import MANIFOLD, PAIR

INT32, INT64, FLOAT32 = np.int32, np.int64, np.float32
PAIRS_FULL, MANIFOLDS_FULL = 1, 2
"""Values of SYSTEM.status."""
FIRST_FREE_MANIFOLD, MANIFOLD_COUNT, STATUS = (
    SYSTEM.fields[name][1] for name in ("first_free_manifold", "manifold_count", "status")
)


@kernel
def pairs_of(system):
    return view(system.pairs, system.pair_capacity, PAIR)


@kernel
def manifolds_of(system):
    return view(system.manifolds, system.manifold_capacity, MANIFOLD)


@kernel
def _hash(a, b):
    return (((a * 0x9E3779B1) ^ (b * 0x85EBCA77)) >> 5) & 0x7FFFFFFF


@kernel
def find_pair(system, body_a, body_b):
    """Index of the pair of body_a < body_b, or -1."""
    table = view(system.pair_table, system.pair_table_capacity, INT32)
    pairs = pairs_of(system)
    mask = system.pair_table_capacity - 1
    slot = _hash(body_a, body_b) & mask
    while table[slot] != 0:
        pair = pairs[table[slot] - 1]
        if pair.body_a == body_a and pair.body_b == body_b:
            return table[slot] - 1
        slot = (slot + 1) & mask
    return -1


@kernel
def _table_insert(system, index, body_a, body_b):
    table = view(system.pair_table, system.pair_table_capacity, INT32)
    mask = system.pair_table_capacity - 1
    slot = _hash(body_a, body_b) & mask
    while table[slot] != 0:
        slot = (slot + 1) & mask
    table[slot] = index + 1


@kernel
def _table_grow(system):
    """Twice the slots, of which a world with few pairs never touches the memory. Rare: every pair is put in anew."""
    table = view(system.pair_table, system.pair_table_capacity, INT32)
    for slot in range(system.pair_table_capacity):
        table[slot] = 0
    system.pair_table_capacity *= 2
    pairs = pairs_of(system)
    for index in range(system.pair_count):
        if pairs[index].body_a >= 0:
            _table_insert(system, index, pairs[index].body_a, pairs[index].body_b)


@kernel
def _table_remove(system, index, body_a, body_b):
    """Linear probing without tombstones: what follows the hole moves up (Knuth, 6.4, algorithm R)."""
    table = view(system.pair_table, system.pair_table_capacity, INT32)
    pairs = pairs_of(system)
    mask = system.pair_table_capacity - 1
    slot = _hash(body_a, body_b) & mask
    while table[slot] != index + 1:
        slot = (slot + 1) & mask
    hole = slot
    slot = (slot + 1) & mask
    while table[slot] != 0:
        pair = pairs[table[slot] - 1]
        home = _hash(pair.body_a, pair.body_b) & mask
        if ((slot - home) & mask) >= ((slot - hole) & mask):
            table[hole] = table[slot]
            hole = slot
        slot = (slot + 1) & mask
    table[hole] = 0


@kernel
def may_collide(world, a, index_a, b, index_b):
    """Whether two bodies can push each other, by motion, layers, masks, groups and exceptions. No shape is looked at."""
    if a.mode < RIGID and b.mode < RIGID:
        return False
    if (a.flags | b.flags) & IS_AREA:
        return False
    if not masks_match(world, a, b) or not group_allows(world, a, b):
        return False
    if a.flags & b.flags & HAS_EXCEPTIONS:
        return not are_excepted(world, index_a, index_b)
    return True


@kernel
def combine_materials(pair, a, b):
    """Godot's rules: friction is the magnitude of the smaller, so that a rough body (negative) decides; bounce is the sum, from
    which an absorbing body (negative) takes away; 0 to 1."""
    friction_a, friction_b = float(a.friction), float(b.friction)
    pair.friction = FLOAT32(abs(min(friction_a, friction_b)))
    pair.restitution = FLOAT32(min(max(float(a.restitution) + float(b.restitution), 0.0), 1.0))


@kernel
def set_filters(pair, a, b):
    """Who is pushed: a body only by what its own mask has."""
    pair.inverse_mass_scale_a = FLOAT32(1.0) if a.collision_mask & b.collision_layer else FLOAT32(0.0)
    pair.inverse_mass_scale_b = FLOAT32(1.0) if b.collision_mask & a.collision_layer else FLOAT32(0.0)
    combine_materials(pair, a, b)


@kernel
def create_pair(system, bodies, body_a, body_b):
    """Make the pair of body_a < body_b, not active yet. Returns its index, or -1 with `system.status` set if the pool is full."""
    pairs = pairs_of(system)
    index = system.first_free_pair
    if index >= 0:
        system.first_free_pair = pairs[index].next[0]
    elif system.pair_count < system.pair_capacity:
        index = system.pair_count
        if 2 * index >= system.pair_table_capacity:
            _table_grow(system)
        system.pair_count += 1
    else:
        system.status |= PAIRS_FULL
        return -1
    pair = pairs[index]
    pair.body_a = body_a
    pair.body_b = body_b
    pair.flags = 0
    pair.active_index = -1
    pair.first_manifold = -1
    pair.manifold_count = 0
    pair.axis_cache = 0
    a, b = bodies[body_a], bodies[body_b]
    set_filters(pair, a, b)
    for side in range(2):
        body = a if side == 0 else b
        head = body.first_pair
        pair.next[side] = head
        pair.previous[side] = -1
        if head >= 0:
            pairs[head >> 1].previous[head & 1] = index << 1 | side
        body.first_pair = index << 1 | side
        body.pair_count += 1
    _table_insert(system, index, body_a, body_b)
    return index


@kernel
def free_pair(system, bodies, index):
    """Take a pair out of all lists. Its manifolds must be gone and it must not be active."""
    pairs = pairs_of(system)
    pair = pairs[index]
    _table_remove(system, index, pair.body_a, pair.body_b)
    for side in range(2):
        body = bodies[pair.body_a if side == 0 else pair.body_b]
        before, after = pair.previous[side], pair.next[side]
        if before >= 0:
            pairs[before >> 1].next[before & 1] = after
        else:
            body.first_pair = after
        if after >= 0:
            pairs[after >> 1].previous[after & 1] = before
        body.pair_count -= 1
    pair.body_a = -1
    pair.next[0] = system.first_free_pair
    system.first_free_pair = index


@kernel
def activate_pair(system, index):
    """Have the pair collided in each step. Nothing happens if it is."""
    pair = pairs_of(system)[index]
    if pair.active_index >= 0:
        return
    active = view(system.active_pairs, system.pair_capacity, INT32)
    active[system.active_pair_count] = index
    pair.active_index = system.active_pair_count
    system.active_pair_count += 1


@kernel
def deactivate_pair(system, index):
    """Let a pair rest: both of its bodies sleep, or it is going away."""
    pairs = pairs_of(system)
    pair = pairs[index]
    if pair.active_index < 0:
        return
    active = view(system.active_pairs, system.pair_capacity, INT32)
    last = active[system.active_pair_count - 1]
    active[pair.active_index] = last
    pairs[last].active_index = pair.active_index
    system.active_pair_count -= 1
    pair.active_index = -1


@kernel
def take_manifold(system):
    """Index of a fresh manifold, or -1 with `system.status` set if the pool is full. Any thread, while none gives back: what is
    only taken from, the list of free manifolds cannot come back to an old head (no ABA). Which index a pair gets depends on the
    order of threads; nothing may be decided by it."""
    manifolds = manifolds_of(system)
    system_address = address_of_record(system)
    index = load_acquire_int64(system_address + FIRST_FREE_MANIFOLD)
    while index >= 0:
        found = compare_exchange_int64(system_address + FIRST_FREE_MANIFOLD, index, INT64(manifolds[index].next))
        if found == index:
            break
        index = found
    if index < 0:
        index = add_int64(system_address + MANIFOLD_COUNT, INT64(1))
        if index >= system.manifold_capacity:
            add_int64(system_address + MANIFOLD_COUNT, INT64(-1))
            or_int64(system_address + STATUS, INT64(MANIFOLDS_FULL))
            return INT64(-1)
    manifold = manifolds[index]
    manifold.next = -1
    manifold.colour = -1
    manifold.colour_slot = -1
    manifold.point_count = 0
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
    manifold.next = system.first_free_manifold
    system.first_free_manifold = index

