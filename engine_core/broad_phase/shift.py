"""Giving a tree another origin: a copy of all its nodes with moved bounds, published like any new tree.

Who is in the old tree goes on there, with the old origin. The caller holds the gate of the system, so nobody adds, widens or
hangs in; bodies may be taken out meanwhile, and other threads may try to rebuild.

Origins lie on a grid. So a bound that comes nearer to the origin is exact, and one that goes away from it is rounded outwards
onto the grid of its new place, where it stays however often it comes and goes: bounds do not grow with the number of shifts.
"""

import numpy as np

from engine_core.bodies.schema import BODY
from engine_core.broad_phase.calls import call_flush, call_rebuild, call_swap
from engine_core.broad_phase.change import PUBLISHED_PENDING
from engine_core.broad_phase.new_tree import IDLE, IS_IN_MAINTENANCE, retire, users_of
from engine_core.broad_phase.nodes import (
    BODY_SIZE,
    CHILDREN,
    FAT_BOUNDS,
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
    take_nodes,
)
from engine_core.broad_phase.origins import LAST_ROOTS, set_origin, tree_origin
from engine_core.broad_phase.schema import FIRST_BODY_CHILD, TREE
from engine_core.runtime import atomics
from engine_core.runtime.call import load_float32, load_int32, store_float32, store_int32
from engine_core.runtime.kernel import kernel
from engine_core.runtime.memory import stack_array, view

ENDLESS = 1 << 60
BOUNDLESS = 1.0e20
"""Bounds beyond are those of what has none, and of free slots [m]."""
ROUNDING = 1.2e-7
"""More than single precision rounds by, relative."""
GRID = 64.0
"""Origins are multiples of this [m]: of the steps of single precision up to half a million kilometres."""
BOUNDS = BODY.fields["bounds"][1]


@kernel
def moved_low(value, by):
    """A lower bound after the origin has moved by so much [m]."""
    if abs(value) > BOUNDLESS:
        return value
    exact = np.float64(value) - by
    rounded = np.float32(exact)
    return rounded if np.float64(rounded) <= exact else np.float32(exact - abs(exact) * ROUNDING)


@kernel
def moved_high(value, by):
    """The same for an upper bound."""
    return -moved_low(-value, -by)


@kernel
def move_six(address, by):
    """Move the bounds of six floats: lows, then highs."""
    for axis in range(3):
        low, high = address + 4 * axis, address + 12 + 4 * axis
        store_float32(low, moved_low(load_float32(low), by[axis]))
        store_float32(high, moved_high(load_float32(high), by[axis]))


@kernel
def move_body(bodies, body, by):
    """Move the bounds in a body's row."""
    move_six(bodies + body * BODY_SIZE + BOUNDS, by)
    move_six(bodies + body * BODY_SIZE + FAT_BOUNDS, by)


@kernel
def _move_slots(target, source, by):
    """Write the bounds of a node's slots, moved, to another node or the same."""
    for axis in range(3):
        for slot in range(4):
            at = 16 * axis + 4 * slot
            store_float32(target + at, moved_low(load_float32(source + at), by[axis]))
            store_float32(target + MAXIMUM + at, moved_high(load_float32(source + MAXIMUM + at), by[axis]))


@kernel
def begin_shift(tree, bodies):
    """Hold the tree so that nobody rebuilds it, no body is pending and the place of the next generation is free. 1: held;
    0: somebody is still at it, try again; -1: the pool of nodes is full."""
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
            retire(tree, generation)
            answer = _take_copies(tree)
    if answer != 1:
        end_shift(tree)
    return answer


@kernel
def end_shift(tree):
    """Let others rebuild it again."""
    atomics.exchange_int64(tree + IS_IN_MAINTENANCE, 0)


@kernel
def _take_copies(tree):
    """List the nodes of the tree, parents first, and take as many new ones from the pool. 1, or -1: there are too few."""
    record = view(tree, 1, TREE)[0]
    store_int32(record.opened, np.int32(atomics.load_acquire_int64(tree + HEAD) & LOW_32))
    count, position = 1, 0
    while position < count:
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
def _hang_body(tree, bodies, body, before, location, parity, by):
    """Tell a body where it hangs in the copy; one that has left the old place in the meantime is taken out of the new one."""
    record = view(tree, 1, TREE)[0]
    word_address = record.words + 8 * body
    word = atomics.load_acquire_int64(word_address)
    while newer_location(word) == before:
        seen = atomics.compare_exchange_int64(word_address, word, pack_word(location, before))
        if seen == word:
            move_body(bodies, body, by)
            return
        word = seen
    invalidate_slot(record.nodes + (location >> 2) * NODE_SIZE, location & 3)
    mark_path(record.nodes, location, parity)


@kernel
def shift_tree(tree, bodies, origin):
    """Give a tree that `begin_shift` holds another origin, and its bodies' rows bounds relative to it; publish it and let go."""
    record = view(tree, 1, TREE)[0]
    head = atomics.load_acquire_int64(tree + HEAD)
    generation = (head >> 32) + 1
    parity = generation & 1
    old = tree_origin(tree, head >> 32)
    by = (origin[0] - old[0], origin[1] - old[1], origin[2] - old[2])
    children = np.int64(1)  # copies are in the order of the list: the next child that is met is the next copy
    root = np.int64(load_int32(record.build.created))
    store_int32(record.nodes + root * NODE_SIZE + PARENT + 4 * parity, np.int32(NOWHERE))
    for number in range(record.opened_count):
        node = np.int64(load_int32(record.opened + 4 * number))
        copy = np.int64(load_int32(record.build.created + 4 * number))
        source, target = record.nodes + node * NODE_SIZE, record.nodes + copy * NODE_SIZE
        above = load_int32(target + PARENT + 4 * parity)
        clear_node(target, generation)
        store_int32(target + PARENT + 4 * parity, above)
        store_int32(target + IS_CHANGED, load_int32(source + IS_CHANGED))
        store_int32(record.infos + copy * INFO_SIZE + HEIGHT, load_int32(record.infos + node * INFO_SIZE + HEIGHT))
        _move_slots(target, source, by)
        for slot in range(4):
            child = np.int64(atomics.load_acquire_int32(source + CHILDREN + 4 * slot))
            location = (copy << 2) | slot
            if child >= 0:
                below = load_int32(record.build.created + 4 * children)
                children += 1
                store_int32(target + CHILDREN + 4 * slot, below)
                store_int32(record.nodes + np.int64(below) * NODE_SIZE + PARENT + 4 * parity, np.int32(location))
            elif child <= FIRST_BODY_CHILD:
                atomics.store_release_int32(target + CHILDREN + 4 * slot, np.int32(child))
                _hang_body(tree, bodies, FIRST_BODY_CHILD - child, (node << 2) | slot, location, parity, by)
    atomics.exchange_int64(tree + NEXT_GENERATION, generation)
    set_origin(tree, generation, origin)
    atomics.store_release_int64(tree + LAST_ROOTS + 8 * (1 - parity), (head & LOW_32) + 1)
    record.retired_count = record.opened_count
    record.retired_kept_count = 0
    atomics.exchange_int64(tree + HEAD, (generation << 32) | root)
    end_shift(tree)


@kernel
def shift_subtree(tree, bodies, root, by):
    """Move a prepared sub-tree, which nobody else sees, and the bounds of its bodies to an origin that has moved by `by` [m]."""
    record = view(tree, 1, TREE)[0]
    stack = stack_array(256, np.int64)
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
                move_body(bodies, FIRST_BODY_CHILD - child, by)
