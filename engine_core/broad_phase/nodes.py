"""Nodes of the quad trees: the lock-free pool they come from, and the words of one slot or one path.

Every function takes addresses. A slot is identified by its location, `node << 2 | slot`. Data that readers may find half written
is written in an order that they cannot misread; bounds of a slot in a published tree only widen, by atomic minimum and maximum.
"""

import numpy as np

from scree.bodies.schema import BODY
from scree.broad_phase.schema import (
    ALLOCATOR,
    CHANGED,
    FIRST_BODY_CHILD,
    FREE_CHILD,
    HUGE,
    LARGE,
    NODE,
    NODE_INFO,
    TREE,
)
from scree.runtime import atomics
from scree.runtime.call import load_float32, load_int32, load_int64, load_uint32, store_float32, store_int32
from scree.runtime.kernel import kernel

NODE_SIZE, INFO_SIZE, BODY_SIZE = NODE.itemsize, NODE_INFO.itemsize, BODY.itemsize
MAXIMUM, CHILDREN, PARENT = NODE.fields["max_x"][1], NODE.fields["children"][1], NODE.fields["parent"][1]
IS_CHANGED, BORN = NODE.fields["is_changed"][1], NODE.fields["born"][1]
HEIGHT = NODE_INFO.fields["height"][1]
FAT_BOUNDS, PUBLISHED = BODY.fields["fat_bounds"][1], BODY.fields["published"][1]
COLLISION_LAYER, COLLISION_MASK = BODY.fields["collision_layer"][1], BODY.fields["collision_mask"][1]
LAYER_UNION, MASK_UNION = TREE.fields["layer_union"][1], TREE.fields["mask_union"][1]
FRESH = ALLOCATOR.fields["fresh"][1]
NODES, INFOS = TREE.fields["nodes"][1], TREE.fields["infos"][1]
ALLOCATOR_OF, NODE_CAPACITY = TREE.fields["allocator"][1], TREE.fields["node_capacity"][1]
WORDS, HEAD, NEXT_GENERATION = TREE.fields["words"][1], TREE.fields["head"][1], TREE.fields["next_generation"][1]
LOW_32 = 0xFFFFFFFF
NOWHERE = -1


# The pool -------------------------------------------------------------------------------------------------------------


@kernel
def take_nodes(tree, count):
    """Take a chain of up to `count` nodes, linked by `next_free`; -1 if the pool is empty. Any thread, lock-free."""
    allocator, infos = load_int64(tree + ALLOCATOR_OF), load_int64(tree + INFOS)
    head = atomics.load_acquire_int64(allocator)
    while head & LOW_32 != 0:
        first = (head & LOW_32) - 1
        last, taken = first, 1
        # Another thread may change the chain while it is walked; then the tag differs and nothing was taken.
        while taken < count:
            following = load_int32(infos + last * INFO_SIZE)
            if following < 0:
                break
            last = np.int64(following)
            taken += 1
        following = np.int64(load_int32(infos + last * INFO_SIZE))
        replacement = (((head >> 32) + 1) << 32) | ((following + 1) & LOW_32)
        seen = atomics.compare_exchange_int64(allocator, head, replacement)
        if seen == head:
            store_int32(infos + last * INFO_SIZE, np.int32(-1))
            return first
        head = seen
    capacity = load_int64(tree + NODE_CAPACITY)
    if atomics.load_acquire_int64(allocator + FRESH) >= capacity:
        return -1
    first = atomics.add_int64(allocator + FRESH, count)
    if first >= capacity:
        return -1
    end = min(first + count, capacity)
    for node in range(first, end):
        store_int32(infos + node * INFO_SIZE, np.int32(node + 1 if node + 1 < end else -1))
    return first


@kernel
def give_chain(tree, first, last):
    """Give back the nodes from `first` to `last`, linked by `next_free`, in one exchange. Any thread, lock-free."""
    allocator, infos = load_int64(tree + ALLOCATOR_OF), load_int64(tree + INFOS)
    head = atomics.load_acquire_int64(allocator)
    while True:
        atomics.store_release_int32(infos + last * INFO_SIZE, np.int32((head & LOW_32) - 1))
        replacement = (((head >> 32) + 1) << 32) | (first + 1)
        seen = atomics.compare_exchange_int64(allocator, head, replacement)
        if seen == head:
            return
        head = seen


@kernel
def give_nodes(tree, list_address, begin, end):
    """Give back the nodes numbered in the int32 list at `list_address`, from `begin` to `end - 1`."""
    if begin >= end:
        return
    infos = load_int64(tree + INFOS)
    for i in range(begin, end - 1):
        node = np.int64(load_int32(list_address + 4 * i))
        store_int32(infos + node * INFO_SIZE, load_int32(list_address + 4 * i + 4))
    give_chain(tree, np.int64(load_int32(list_address + 4 * begin)), np.int64(load_int32(list_address + 4 * end - 4)))


# One slot -------------------------------------------------------------------------------------------------------------


@kernel
def body_child(body):
    """The child code of a body."""
    return np.int32(FIRST_BODY_CHILD - body)


@kernel
def clear_node(node_address, born):
    """Reset a node: all slots free, no parent, unchanged. For nodes that no other thread can reach."""
    for i in range(12):
        store_float32(node_address + 4 * i, LARGE)
        store_float32(node_address + MAXIMUM + 4 * i, -LARGE)
    for i in range(4):
        store_int32(node_address + CHILDREN + 4 * i, np.int32(FREE_CHILD))
    store_int32(node_address + PARENT, np.int32(-1))
    store_int32(node_address + PARENT + 4, np.int32(-1))
    store_int32(node_address + IS_CHANGED, np.int32(0))
    store_int32(node_address + BORN, np.int32(born))


@kernel
def set_parent(node_address, location):
    """Put a new node below a slot, in trees of both parities: a tree that keeps it whole writes only the parent of its own
    topmost node. For nodes that no other thread can reach."""
    store_int32(node_address + PARENT, np.int32(location))
    store_int32(node_address + PARENT + 4, np.int32(location))


@kernel
def set_slot(node_address, slot, bounds_address):
    """Write the bounds of a slot: maxima first, then minima with min x last, so that the last store opens it."""
    field = node_address + 4 * slot
    for axis in range(3):
        store_float32(field + MAXIMUM + 16 * axis, load_float32(bounds_address + 12 + 4 * axis))
    store_float32(field + 32, load_float32(bounds_address + 8))
    store_float32(field + 16, load_float32(bounds_address + 4))
    atomics.store_release_int32(field, load_int32(bounds_address))


@kernel
def invalidate_slot(node_address, slot, left=FREE_CHILD):
    """Remove a body from a slot that readers may be using: min to +LARGE first (no box overlaps it from then on), then max to
    -LARGE, then the child, which becomes `left`."""
    field = node_address + 4 * slot
    for axis in range(3):
        atomics.store_release_int32(field + 16 * axis, atomics.float_to_bits(LARGE))
    for axis in range(3):
        atomics.store_release_int32(field + MAXIMUM + 16 * axis, atomics.float_to_bits(-LARGE))
    atomics.store_release_int32(field + CHILDREN, np.int32(left))


@kernel
def lower(address, value):
    """Atomic minimum of a float."""
    bits = atomics.load_relaxed_int32(address)
    while value < atomics.bits_to_float(bits):
        seen = atomics.compare_exchange_int32(address, bits, atomics.float_to_bits(value))
        if seen == bits:
            return
        bits = seen


@kernel
def raise_(address, value):
    """Atomic maximum of a float."""
    bits = atomics.load_relaxed_int32(address)
    while value > atomics.bits_to_float(bits):
        seen = atomics.compare_exchange_int32(address, bits, atomics.float_to_bits(value))
        if seen == bits:
            return
        bits = seen


@kernel
def widen_slot(node_address, slot, bounds_address):
    """Grow the bounds of a slot to cover the six floats at `bounds_address`."""
    field = node_address + 4 * slot
    for axis in range(3):
        raise_(field + MAXIMUM + 16 * axis, load_float32(bounds_address + 12 + 4 * axis))
    for axis in range(3):
        lower(field + 16 * axis, load_float32(bounds_address + 4 * axis))


@kernel
def widen_path(nodes, location, parity, bounds_address):
    """Grow a slot and all slots above it, and mark their nodes changed.

    It continues to the root even if nothing changes: another thread may have widened only the lower part of the path, and may be
    parked there. Stopping early would leave this body outside of bounds higher up.
    """
    while location >= 0:
        node_address = nodes + (location >> 2) * NODE_SIZE
        widen_slot(node_address, location & 3, bounds_address)
        if atomics.load_relaxed_int32(node_address + IS_CHANGED) != CHANGED:
            atomics.store_release_int32(node_address + IS_CHANGED, np.int32(CHANGED))
        location = np.int64(atomics.load_acquire_int32(node_address + PARENT + 4 * parity))


@kernel
def mark_path(nodes, location, parity):
    """Mark the nodes from a slot up to the root changed."""
    while location >= 0:
        node_address = nodes + (location >> 2) * NODE_SIZE
        if atomics.load_relaxed_int32(node_address + IS_CHANGED) != CHANGED:
            atomics.store_release_int32(node_address + IS_CHANGED, np.int32(CHANGED))
        location = np.int64(atomics.load_acquire_int32(node_address + PARENT + 4 * parity))


@kernel
def union_of_slots(node_address, bounds_address):
    """Write the bounds of all four slots of a node to the six floats at `bounds_address`."""
    for axis in range(3):
        low, high = LARGE, -LARGE
        for slot in range(4):
            low = min(low, load_float32(node_address + 16 * axis + 4 * slot))
            high = max(high, load_float32(node_address + MAXIMUM + 16 * axis + 4 * slot))
        store_float32(bounds_address + 4 * axis, low)
        store_float32(bounds_address + 12 + 4 * axis, high)


@kernel
def read_fat_bounds(bodies, body, bounds_address):
    """Copy a body's fat bounds, clamped to +-HUGE; NaN becomes the whole of that axis."""
    source = bodies + body * BODY_SIZE + FAT_BOUNDS
    for axis in range(3):
        low, high = load_float32(source + 4 * axis), load_float32(source + 12 + 4 * axis)
        store_float32(bounds_address + 4 * axis, max(low, -HUGE) if low < HUGE else (HUGE if low >= HUGE else -HUGE))
        store_float32(bounds_address + 12 + 4 * axis, min(high, HUGE) if high > -HUGE else (-HUGE if high <= -HUGE else HUGE))


@kernel
def read_settled_bounds(bodies, body, field, bounds_address):
    """Return a body's bounds for a new slot: its fat bounds, and while it is being changed those of its old slot too, since its
    new transform cannot be read yet. `field` is the address of the old slot's min x."""
    published = bodies + body * BODY_SIZE + PUBLISHED
    before = atomics.load_acquire_int64(published)
    read_fat_bounds(bodies, body, bounds_address)
    if before & 1 == 0 and atomics.load_acquire_int64(published) == before:
        return
    for axis in range(3):
        low, high = load_float32(field + 16 * axis), load_float32(field + MAXIMUM + 16 * axis)
        store_float32(bounds_address + 4 * axis, min(low, load_float32(bounds_address + 4 * axis)))
        store_float32(bounds_address + 12 + 4 * axis, max(high, load_float32(bounds_address + 12 + 4 * axis)))


@kernel
def note_layers(tree, bodies, body):
    """Add the collision layer and mask of a new or changed body to a tree's unions: a query that can match none of them does not
    enter the tree. The unions only grow."""
    layer = np.int64(load_uint32(bodies + body * BODY_SIZE + COLLISION_LAYER))
    mask = np.int64(load_uint32(bodies + body * BODY_SIZE + COLLISION_MASK))
    if layer & ~atomics.load_acquire_int64(tree + LAYER_UNION) != 0:
        atomics.or_int64(tree + LAYER_UNION, layer)
    if mask & ~atomics.load_acquire_int64(tree + MASK_UNION) != 0:
        atomics.or_int64(tree + MASK_UNION, mask)


# The place of a body ---------------------------------------------------------------------------------------------------


@kernel
def pack_word(newer, older):
    """Pack the two locations of a body into one word. Inverted, so that memory never written means: nowhere."""
    return ~((np.int64(newer) << 32) | (np.int64(older) & LOW_32))


@kernel
def newer_location(word):
    """The location of a body in the newest tree."""
    return ~word >> 32


@kernel
def older_location(word):
    """The location of a body one generation before (or among the pending bodies); -1: none."""
    return (~word << 32) >> 32


@kernel
def location_in(nodes, word, generation):
    """The location of a body in the tree of a generation, which must be the last or the one before; -1: none."""
    newer = newer_location(word)
    if newer >= 0:
        born = np.int64(atomics.load_relaxed_int32(nodes + (newer >> 2) * NODE_SIZE + BORN))
        if born > generation:
            return older_location(word)
    return newer
