"""Queries on the bounds of bodies: begin, fetch bodies until -1 comes, end.

A query counts as a user of the generation it begins in and stays in it to its end, whatever other threads do. It returns every
body that was in the tree before it began, is still there when it ends and whose bounds match; none that had left before it began;
and each once, unless it is removed and added again meanwhile.
"""

import numpy as np

from scree.broad_phase.tree_edits import FIRST_PENDING, PUBLISHED_PENDING, enter, leave
from scree.broad_phase.origins import last_root, tree_origin
from scree.broad_phase.nodes import CHILDREN, HEAD, LOW_32, MAXIMUM, NODE_SIZE, NODES
from scree.broad_phase.schema import CLOSED_CHILD, CURSOR, CURSOR_CAPACITY, FIRST_BODY_CHILD, LARGE, PENDING_NODES
from scree.runtime import atomics
from scree.runtime.call import load_float32, load_int32, load_int64, store_float32, store_int32
from scree.runtime.kernel import kernel
from scree.runtime.memory import address_of_row
from scree.runtime.vector4 import (
    count_trailing_zeros,
    lane4,
    load4,
    mask_less_equal4,
    max4,
    min4,
    splat4,
)

FRACTIONS, BOUNDS = CURSOR.fields["fractions"][1], CURSOR.fields["bounds"][1]
NEAR_PLANE, NEAR_ORIGIN = CURSOR.fields["near_plane"][1], CURSOR.fields["near_origin"][1]
FAR_ORIGIN, INVERSE = CURSOR.fields["far_origin"][1], CURSOR.fields["inverse"][1]
COUNT, NODE_COUNT = CURSOR.fields["count"][1], CURSOR.fields["node_count"][1]
PENDING = CURSOR.fields["pending_count"][1]
GENERATION = CURSOR.fields["generation"][1]
FAR_FACTOR = np.float32(1.0 + 1.0e-6)  # more than the relative error of a plane's fraction in single precision
ORIGIN_MARGIN = 5.0e-7  # more than that of an origin rounded to single precision
STEEPEST = 1.0e30
NO_BODY = -1


@kernel
def _start(cursor, tree):
    address = address_of_row(cursor, 0)
    cursor[0].generation = enter(tree, address)
    store_int32(address + COUNT, np.int32(0))
    store_int32(address + NODE_COUNT, np.int32(0))
    return address


@kernel
def _strike_out(address, child, position):
    """The pending bodies are at the bottom of the stack until the whole tree has been searched. One that was built into the tree
    meanwhile is returned now, and struck out down there."""
    pending = np.int64(load_int32(address + PENDING))
    if position >= pending:
        for i in range(pending):
            if load_int32(address + 4 * i) == child:
                store_int32(address + 4 * i, np.int32(CLOSED_CHILD))


@kernel
def _push_root(address, tree):
    """Push the root after the pending bodies, so that a body that moves from there into the tree is found at least once."""
    count = load_int32(address + COUNT)
    store_int32(address + PENDING, np.int32(count))
    head = atomics.load_acquire_int64(tree + HEAD)
    generation = load_int64(address + GENERATION)
    root = head & LOW_32
    if head >> 32 != generation:
        root = last_root(tree, generation, root)
    store_int32(address + 4 * count, np.int32(root))
    store_float32(address + FRACTIONS + 4 * count, np.float32(0.0))
    store_int32(address + COUNT, np.int32(count + 1))


@kernel
def query_enter(cursor, tree):
    """Begin a query and return the origin that bounds in its tree are relative to, world [m]. Continue with one of the functions
    `..._on`."""
    _start(cursor, tree)
    return tree_origin(tree, cursor[0].generation)


@kernel
def query_end(cursor, tree):
    """Stop counting as a user; every query that began must end."""
    leave(tree, cursor[0].generation, address_of_row(cursor, 0))


# Boxes ----------------------------------------------------------------------------------------------------------------


@kernel
def _overlaps(address, node_address):
    """Bit mask of the slots of a node that overlap the box of a query."""
    bounds = address + BOUNDS
    mask = mask_less_equal4(load4(node_address), splat4(load_float32(bounds + 12)))
    mask &= mask_less_equal4(load4(node_address + 16), splat4(load_float32(bounds + 16)))
    mask &= mask_less_equal4(load4(node_address + 32), splat4(load_float32(bounds + 20)))
    mask &= mask_less_equal4(splat4(load_float32(bounds)), load4(node_address + 48))
    mask &= mask_less_equal4(splat4(load_float32(bounds + 4)), load4(node_address + 64))
    mask &= mask_less_equal4(splat4(load_float32(bounds + 8)), load4(node_address + 80))
    return mask


@kernel
def _push_slots(address, node_address, mask):
    count = load_int32(address + COUNT)
    while mask != 0:
        slot = count_trailing_zeros(mask)
        mask &= mask - 1
        child = load_int32(node_address + CHILDREN + 4 * slot)
        if (child >= 0 or child <= FIRST_BODY_CHILD) and count < CURSOR_CAPACITY:
            store_int32(address + 4 * count, child)
            count += 1
    store_int32(address + COUNT, np.int32(count))


@kernel
def bounds_query_begin(cursor, tree, bounds):
    """Begin to search bodies whose fat bounds overlap `bounds` (min x, y, z, max x, y, z, relative to the system's origin [m];
    touching counts). `cursor` is `stack_array(1, CURSOR)`. For the holder of the gate, so that the origin stays; other threads
    use `query_enter` and `bounds_query_on`."""
    _start(cursor, tree)
    bounds_query_on(cursor, tree, bounds)


@kernel
def bounds_query_on(cursor, tree, bounds):
    """Like `bounds_query_begin`, after `query_enter`."""
    address = address_of_row(cursor, 0)
    for i in range(6):
        store_float32(address + BOUNDS + 4 * i, np.float32(bounds[i]))
    published = atomics.load_acquire_int64(tree + PUBLISHED_PENDING)
    if published != 0:
        first = load_int64(tree + NODES) + load_int64(tree + FIRST_PENDING) * NODE_SIZE
        for i in range(PENDING_NODES):
            mask = (published >> (4 * i)) & 15
            if mask != 0:
                mask &= _overlaps(address, first + i * NODE_SIZE)
                _push_slots(address, first + i * NODE_SIZE, mask)
    _push_root(address, tree)


@kernel
def bounds_query_next(cursor, tree):
    """The next body whose fat bounds overlap, or -1."""
    address = address_of_row(cursor, 0)
    nodes = load_int64(tree + NODES)
    while True:
        count = load_int32(address + COUNT) - 1
        if count < 0:
            return np.int64(NO_BODY)
        store_int32(address + COUNT, np.int32(count))
        child = np.int64(load_int32(address + 4 * count))
        if child <= FIRST_BODY_CHILD:
            _strike_out(address, child, count)
            return FIRST_BODY_CHILD - child
        if child == CLOSED_CHILD:
            continue
        store_int32(address + NODE_COUNT, np.int32(load_int32(address + NODE_COUNT) + 1))
        node_address = nodes + child * NODE_SIZE
        _push_slots(address, node_address, _overlaps(address, node_address))


# Rays and moving boxes ------------------------------------------------------------------------------------------------


@kernel
def _entries(address, node_address):
    """For each slot of a node, the fraction at which the ray enters and the one at which it leaves."""
    plane = address + NEAR_PLANE
    x, y, z = (
        np.int64(load_int32(plane)),
        np.int64(load_int32(plane + 4)),
        np.int64(load_int32(plane + 8)),
    )
    near_origin, far_origin, inverse = address + NEAR_ORIGIN, address + FAR_ORIGIN, address + INVERSE
    inverse_x, inverse_y = splat4(load_float32(inverse)), splat4(load_float32(inverse + 4))
    inverse_z = splat4(load_float32(inverse + 8))
    near = max4(
        max4(
            (load4(node_address + x) - splat4(load_float32(near_origin))) * inverse_x,
            (load4(node_address + y) - splat4(load_float32(near_origin + 4))) * inverse_y,
        ),
        (load4(node_address + z) - splat4(load_float32(near_origin + 8))) * inverse_z,
    )
    far = min4(
        min4(
            (load4(node_address + (48 - x)) - splat4(load_float32(far_origin))) * inverse_x,
            (load4(node_address + (80 - y)) - splat4(load_float32(far_origin + 4))) * inverse_y,
        ),
        (load4(node_address + (112 - z)) - splat4(load_float32(far_origin + 8))) * inverse_z,
    )
    return max4(near, splat4(np.float32(0.0))), far * splat4(FAR_FACTOR)


@kernel
def _push_hits(address, node_address, entries, mask):
    """Push the slots that are hit, the nearest on top; the old root in a new one goes to the bottom, so that the stack never
    grows with the number of batches added."""
    base = np.int64(load_int32(address + COUNT))
    count = base
    fractions = address + FRACTIONS
    if load_float32(node_address) == -LARGE and mask & 1:
        base += 1
    while mask != 0:
        slot = count_trailing_zeros(mask)
        mask &= mask - 1
        child = load_int32(node_address + CHILDREN + 4 * slot)
        if not (child >= 0 or child <= FIRST_BODY_CHILD) or count >= CURSOR_CAPACITY:
            continue
        fraction = lane4(entries, slot)
        position = count
        while position > base and load_float32(fractions + 4 * position - 4) < fraction:
            store_float32(fractions + 4 * position, load_float32(fractions + 4 * position - 4))
            store_int32(address + 4 * position, load_int32(address + 4 * position - 4))
            position -= 1
        store_float32(fractions + 4 * position, fraction)
        store_int32(address + 4 * position, child)
        count += 1
    store_int32(address + COUNT, np.int32(count))


@kernel
def box_cast_begin(cursor, tree, origin, half_extents, direction, max_fraction):
    """Begin to search bodies whose fat bounds are hit by a box of `half_extents` [m] that moves from `origin` (centre, x, y, z,
    relative to the system's origin [m]) along `direction` (the full vector [m]) up to `max_fraction` of it. For the holder of the
    gate; other threads use `query_enter` and `box_cast_on`."""
    _start(cursor, tree)
    box_cast_on(cursor, tree, origin, half_extents, direction, max_fraction)


@kernel
def box_cast_on(cursor, tree, origin, half_extents, direction, max_fraction):
    """Like `box_cast_begin`, after `query_enter`."""
    address = address_of_row(cursor, 0)
    for axis in range(3):
        start, way = np.float64(origin[axis]), np.float64(direction[axis])
        reach = np.float64(half_extents[axis]) + abs(start) * ORIGIN_MARGIN + 1.0e-7
        inverse = STEEPEST if way >= 0.0 else -STEEPEST
        if abs(way) > 1.0 / STEEPEST:
            inverse = 1.0 / way
        low, high = np.float32(start - reach), np.float32(start + reach)
        is_up = way >= 0.0
        store_int32(address + NEAR_PLANE + 4 * axis, np.int32(16 * axis if is_up else MAXIMUM + 16 * axis))
        store_float32(address + NEAR_ORIGIN + 4 * axis, high if is_up else low)
        store_float32(address + FAR_ORIGIN + 4 * axis, low if is_up else high)
        store_float32(address + INVERSE + 4 * axis, np.float32(inverse))
    published = atomics.load_acquire_int64(tree + PUBLISHED_PENDING)
    if published != 0:
        first = load_int64(tree + NODES) + load_int64(tree + FIRST_PENDING) * NODE_SIZE
        limit = splat4(np.float32(max_fraction) * FAR_FACTOR)
        for i in range(PENDING_NODES):
            mask = (published >> (4 * i)) & 15
            if mask != 0:
                entries, exits = _entries(address, first + i * NODE_SIZE)
                mask &= mask_less_equal4(entries, min4(exits, limit))
                _push_hits(address, first + i * NODE_SIZE, entries, mask)
    _push_root(address, tree)


@kernel
def ray_query_begin(cursor, tree, origin, direction, max_fraction):
    """Like `box_cast_begin`, for a ray from `origin` along `direction` (the full vector [m])."""
    nothing = np.float32(0.0)
    box_cast_begin(cursor, tree, origin, (nothing, nothing, nothing), direction, max_fraction)


@kernel
def ray_query_on(cursor, tree, origin, direction, max_fraction):
    """Like `ray_query_begin`, after `query_enter`."""
    nothing = np.float32(0.0)
    box_cast_on(cursor, tree, origin, (nothing, nothing, nothing), direction, max_fraction)


@kernel
def ray_query_next(cursor, tree, max_fraction):
    """The next body whose fat bounds are hit before `max_fraction`, nearer ones of a node first, or -1. The caller passes the
    fraction of the closest hit so far."""
    address = address_of_row(cursor, 0)
    nodes = load_int64(tree + NODES)
    limit = np.float32(max_fraction) * FAR_FACTOR
    while True:
        count = np.int64(load_int32(address + COUNT)) - 1
        if count < 0:
            return np.int64(NO_BODY)
        store_int32(address + COUNT, np.int32(count))
        if load_float32(address + FRACTIONS + 4 * count) > limit:
            continue
        child = np.int64(load_int32(address + 4 * count))
        if child <= FIRST_BODY_CHILD:
            _strike_out(address, child, count)
            return FIRST_BODY_CHILD - child
        if child == CLOSED_CHILD:
            continue
        store_int32(address + NODE_COUNT, np.int32(load_int32(address + NODE_COUNT) + 1))
        node_address = nodes + child * NODE_SIZE
        entries, exits = _entries(address, node_address)
        mask = mask_less_equal4(entries, min4(exits, splat4(limit)))
        if mask != 0:
            _push_hits(address, node_address, entries, mask)
