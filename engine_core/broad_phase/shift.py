"""Giving a tree another origin: a copy of all its nodes with shifted bounds, published like any new tree.

Users of the old tree stay there, with the old origin. The caller holds the gate of the system, so no thread adds or widens;
bodies may be removed meanwhile, and other threads may try to rebuild.

Origins lie on a grid. So a bound that gets nearer to the origin is exact, and one that gets farther is rounded outwards to the
grid of its new place, where it stays in all later shifts: bounds do not grow with the number of shifts.
"""

import numpy as np

from scree.bodies.schema import BODY
from scree.broad_phase.calls import call_flush, call_rebuild, call_swap
from scree.broad_phase.tree_edits import PUBLISHED_PENDING
from scree.broad_phase.new_tree import IDLE, IS_IN_MAINTENANCE, retire, users_of
from scree.broad_phase.nodes import (
    BODY_SIZE,
    CHILDREN,
    HEAD,
    HEIGHT,
    INFO_SIZE,
    IS_CHANGED,
    LOW_32,
    MAXIMUM,
    NEXT_GENERATION,
    NODE_SIZE,
    NOWHERE,
    PARENT,
    clear_node,
    give_nodes,
    invalidate_slot,
    mark_path,
    newer_location,
    pack_word,
    set_parent,
    take_nodes,
)
from scree.broad_phase.origins import LAST_ROOTS, set_origin, tree_origin
from scree.broad_phase.schema import CHANGED, ENDLESS, FIRST_BODY_CHILD, TREE, UNCHANGED
from scree.runtime import atomics
from scree.runtime.call import load_int32, store_int32
from scree.runtime.kernel import kernel
from scree.runtime.memory import address_of_row, stack_array, view
from scree.runtime.prefetch import prefetch
from scree.runtime.vector4 import lane4, load4, max4, min4, splat4, store4

BOUNDLESS = np.float32(1.0e20)
"""Larger bounds are those of unbounded shapes, and of free slots [m]."""
ROUNDING = np.float32(1.2e-7)
"""Larger than the relative rounding error of single precision."""
SMALLEST, STEEP = np.float32(1.0e-30), np.float32(1.0e30)
GRID, FARTHEST = 64.0, 5.0e8
"""Origins are multiples of this, and within this [m], so that the difference of two is exact in single precision."""
AHEAD = 8
"""How far ahead a loop prefetches."""
BOUNDS = BODY.fields["bounds"][1]


@kernel
def moved4(values, by, outwards):
    """Four bounds after the origin has moved by this along their axes, rounded outwards: `outwards` is 1 for lower ones and -1
    for upper ones. Without a branch: the error of the subtraction is computed exactly (Knuth's TwoSum)."""
    nothing, one = splat4(np.float32(0.0)), splat4(np.float32(1.0))
    moved = values - by
    back = moved - values
    error = (values - (moved - back)) - (by + back)
    is_inexact = max4(min4(error * outwards * splat4(STEEP), nothing), nothing - one)
    size = max4(values, nothing - values)
    is_bound = min4(max4((splat4(BOUNDLESS) - size) * splat4(STEEP), nothing), one)
    step = max4(moved, nothing - moved) * splat4(ROUNDING) + splat4(SMALLEST)
    return moved + outwards * is_inexact * is_bound * step


@kernel
def moved_low(value, by):
    """Apply `moved4` to one lower bound."""
    return lane4(moved4(splat4(np.float32(value)), splat4(np.float32(by)), splat4(np.float32(1.0))), 0)


@kernel
def moved_high(value, by):
    """Apply `moved4` to one upper bound."""
    return lane4(moved4(splat4(np.float32(value)), splat4(np.float32(by)), splat4(np.float32(-1.0))), 0)


@kernel
def fill_ways(ways, by):
    """Write the input of `move_twelve`: the shift of each of twelve floats, and which direction is outwards; float32 (24)."""
    for k in range(12):
        ways[k] = np.float32(by[k % 3])
        ways[12 + k] = np.float32(1.0 if k % 6 < 3 else -1.0)


@kernel
def move_twelve(address, ways):
    """Shift two adjacent bounds: those of a body's row."""
    for k in range(3):
        at = address + 16 * k
        store4(at, moved4(load4(at), load4(ways + 16 * k), load4(ways + 48 + 16 * k)))


@kernel
def move_body(bodies, body, ways):
    """Shift the bounds in a body's row."""
    move_twelve(bodies + body * BODY_SIZE + BOUNDS, ways)


@kernel
def _move_slots(target, source, by):
    """Write the bounds of a node's slots, shifted, to another node or the same."""
    low, high = splat4(np.float32(1.0)), splat4(np.float32(-1.0))
    for axis in range(3):
        way, at = splat4(np.float32(by[axis])), 16 * axis
        store4(target + at, moved4(load4(source + at), way, low))
        store4(target + MAXIMUM + at, moved4(load4(source + MAXIMUM + at), way, high))


@kernel
def _announce(tree, bodies, number):
    """Prefetch for the loop over nodes: the node `2 AHEAD` on, and the bodies of the one `AHEAD` on."""
    record = view(tree, 1, TREE)[0]
    if number + 2 * AHEAD < record.opened_count:
        node = record.nodes + np.int64(load_int32(record.opened + 4 * (number + 2 * AHEAD))) * NODE_SIZE
        prefetch(node)
        prefetch(node + 64)
        prefetch(record.nodes + np.int64(load_int32(record.build.created + 4 * (number + 2 * AHEAD))) * NODE_SIZE)
    if number + AHEAD < record.opened_count:
        node = record.nodes + np.int64(load_int32(record.opened + 4 * (number + AHEAD))) * NODE_SIZE
        for slot in range(4):
            child = np.int64(load_int32(node + CHILDREN + 4 * slot))
            if child <= FIRST_BODY_CHILD:
                bounds = bodies + (FIRST_BODY_CHILD - child) * BODY_SIZE + BOUNDS
                prefetch(bounds)
                prefetch(bounds + 47)
                prefetch(record.words + 8 * (FIRST_BODY_CHILD - child))


@kernel
def begin_shift(tree, bodies):
    """Hold the tree so that no thread rebuilds it, no body is pending and the place of the next generation is free. Return 1:
    held; 0: a thread is still working on it, try again; -1: the pool of nodes is full."""
    record = view(tree, 1, TREE)[0]
    while record.phase != IDLE:
        if call_rebuild(tree, bodies, 1, ENDLESS):
            call_swap(tree)
        if atomics.load_acquire_int64(tree + IS_IN_MAINTENANCE) != 0:
            return 0
    if atomics.compare_exchange_int64(tree + IS_IN_MAINTENANCE, 0, 1) != 0:
        return 0
    answer = 1
    if record.phase != IDLE:
        answer = 0
    elif atomics.load_acquire_int64(tree + PUBLISHED_PENDING) != 0:
        answer = min(np.int64(call_flush(tree, bodies)), 1)
        if answer == 1 and atomics.load_acquire_int64(tree + PUBLISHED_PENDING) != 0:
            answer = 0
    if answer == 1:
        generation = atomics.load_acquire_int64(tree + HEAD) >> 32
        if users_of(tree, 1 - (generation & 1)) != 0:
            answer = 0
        else:
            retire(tree, generation, ENDLESS)
            answer = _take_copies(tree)
    if answer != 1:
        end_shift(tree)
    return answer


@kernel
def end_shift(tree):
    """Let other threads rebuild the tree again."""
    atomics.exchange_int64(tree + IS_IN_MAINTENANCE, 0)


@kernel
def _take_copies(tree):
    """List the nodes of the tree, parents first, and take as many new ones from the pool. Return 1, or -1: there are too few."""
    record = view(tree, 1, TREE)[0]
    store_int32(record.opened, np.int32(atomics.load_acquire_int64(tree + HEAD) & LOW_32))
    count, position = 1, 0
    while position < count:
        if position + AHEAD < count:
            prefetch(record.nodes + np.int64(load_int32(record.opened + 4 * (position + AHEAD))) * NODE_SIZE + CHILDREN)
        node_address = record.nodes + np.int64(load_int32(record.opened + 4 * position)) * NODE_SIZE
        position += 1
        for slot in range(4):
            child = load_int32(node_address + CHILDREN + 4 * slot)
            if child >= 0:
                store_int32(record.opened + 4 * count, child)
                count += 1
    record.opened_count = count
    taken = 0
    while taken < count:
        node = take_nodes(tree, min(count - taken, 64))
        if node < 0:
            give_nodes(tree, record.build.created, 0, taken)
            record.opened_count = 0
            return -1
        while node >= 0:
            store_int32(record.build.created + 4 * taken, np.int32(node))
            taken += 1
            node = np.int64(load_int32(record.infos + node * INFO_SIZE))
    return 1


@kernel
def drop_copies(tree):
    """Undo `begin_shift`."""
    record = view(tree, 1, TREE)[0]
    give_nodes(tree, record.build.created, 0, record.opened_count)
    record.opened_count = 0
    end_shift(tree)


@kernel
def _hang_body(tree, bodies, body, before, location, parity, ways):
    """Write a body's place in the copy; one that has left its old place meanwhile is removed from the new one."""
    record = view(tree, 1, TREE)[0]
    word_address = record.words + 8 * body
    word = atomics.load_acquire_int64(word_address)
    while newer_location(word) == before:
        seen = atomics.compare_exchange_int64(word_address, word, pack_word(location, before))
        if seen == word:
            move_body(bodies, body, ways)
            return
        word = seen
    invalidate_slot(record.nodes + (location >> 2) * NODE_SIZE, location & 3)
    mark_path(record.nodes, location, parity)


@kernel
def _mark_copies(nodes, location):
    """Mark the path above a slot up to the first marked copy. A body may be removed after the upper nodes of its path were copied
    and before the lowest one is: then only that one has its mark."""
    while location >= 0:
        node_address = nodes + (location >> 2) * NODE_SIZE
        if load_int32(node_address + IS_CHANGED) == CHANGED:
            return
        store_int32(node_address + IS_CHANGED, np.int32(CHANGED))
        location = np.int64(load_int32(node_address + PARENT))


@kernel
def shift_tree(tree, bodies, origin):
    """Give a tree that `begin_shift` holds another origin, and its bodies' rows bounds relative to it. Publish the tree and
    release it."""
    record = view(tree, 1, TREE)[0]
    head = atomics.load_acquire_int64(tree + HEAD)
    generation = (head >> 32) + 1
    parity = generation & 1
    old = tree_origin(tree, head >> 32)
    by = (origin[0] - old[0], origin[1] - old[1], origin[2] - old[2])
    ways = stack_array(24, np.float32)
    fill_ways(ways, by)
    children = np.int64(1)  # copies are in the order of the list: the next child found is the next copy
    root = np.int64(load_int32(record.build.created))
    set_parent(record.nodes + root * NODE_SIZE, NOWHERE)
    for number in range(record.opened_count):
        _announce(tree, bodies, number)
        node = np.int64(load_int32(record.opened + 4 * number))
        copy = np.int64(load_int32(record.build.created + 4 * number))
        source, target = record.nodes + node * NODE_SIZE, record.nodes + copy * NODE_SIZE
        above = load_int32(target + PARENT)
        clear_node(target, generation)
        set_parent(target, above)
        store_int32(record.infos + copy * INFO_SIZE + HEIGHT, load_int32(record.infos + node * INFO_SIZE + HEIGHT))
        _move_slots(target, source, by)
        for slot in range(4):
            child = np.int64(atomics.load_acquire_int32(source + CHILDREN + 4 * slot))
            location = (copy << 2) | slot
            if child >= 0:
                below = load_int32(record.build.created + 4 * children)
                children += 1
                store_int32(target + CHILDREN + 4 * slot, below)
                set_parent(record.nodes + np.int64(below) * NODE_SIZE, location)
            elif child <= FIRST_BODY_CHILD:
                atomics.store_release_int32(target + CHILDREN + 4 * slot, np.int32(child))
                _hang_body(tree, bodies, FIRST_BODY_CHILD - child, (node << 2) | slot, location, parity, address_of_row(ways, 0))
            else:
                invalidate_slot(target, slot)  # its body may have left since the bounds were copied
        if atomics.load_acquire_int32(source + IS_CHANGED) != UNCHANGED:
            _mark_copies(record.nodes, copy << 2)
    atomics.exchange_int64(tree + NEXT_GENERATION, generation)
    set_origin(tree, generation, origin)
    atomics.store_release_int64(tree + LAST_ROOTS + 8 * (1 - parity), (head & LOW_32) + 1)
    record.retired_count = record.opened_count
    record.retired_kept_count = 0
    atomics.exchange_int64(tree + HEAD, (generation << 32) | root)
    end_shift(tree)


@kernel
def shift_subtree(tree, bodies, root, by):
    """Shift a prepared sub-tree, which no other thread sees, and the bounds of its bodies to an origin that has moved by `by`
    [m]."""
    record = view(tree, 1, TREE)[0]
    stack, ways = stack_array(256, np.int64), stack_array(24, np.float32)
    fill_ways(ways, by)
    stack[0], count = root, 1
    while count > 0:
        count -= 1
        address = record.nodes + stack[count] * NODE_SIZE
        _move_slots(address, address, by)
        for slot in range(4):
            child = np.int64(load_int32(address + CHILDREN + 4 * slot))
            if child >= 0:
                stack[count] = child
                count += 1
            elif child <= FIRST_BODY_CHILD:
                move_body(bodies, FIRST_BODY_CHILD - child, address_of_row(ways, 0))
