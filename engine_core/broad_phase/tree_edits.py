"""Adding, moving and removing bodies: on any thread, at any time, without waiting.

The protocol: a tree has a generation; `head` holds it and the root. A thread that reads nodes is counted as a user of the
generation it found; a node is freed when all users of the last generation that held it have left. A body's word holds its newest
location and the one before; builders and removers agree on it by compare-exchange. While a complete new tree waits for its swap,
`next_generation` is one ahead and every change is made in both trees. An earlier change is seen by the builder, which checks
again after it has raised `next_generation`: of two threads that first write and then read, one sees the other's word.

Changes of one body (add, widen, remove) are made by one thread at a time; different bodies are independent. `fat_bounds` is
written before `tree_widen`, the new transform is published after it, and `published` of the body is odd from before the first
until after the last, if a rebuild may run meanwhile.
"""

import numpy as np

from scree.bodies.schema import BODY
from scree.broad_phase.build import (
    ITEM_CHILD,
    ITEM_LOCATION,
    ITEM_SIZE,
    KEY_SIZE,
    make_nodes,
    sum_up,
)
from scree.broad_phase.nodes import (
    BODY_SIZE,
    CHILDREN,
    HEAD,
    IS_CHANGED,
    LOW_32,
    NEXT_GENERATION,
    NODE_SIZE,
    NODES,
    NOWHERE,
    PARENT,
    WORDS,
    clear_node,
    give_nodes,
    invalidate_slot,
    location_in,
    mark_path,
    newer_location,
    older_location,
    pack_word,
    read_fat_bounds,
    take_nodes,
    union_of_slots,
    widen_path,
    widen_slot,
)
from scree.broad_phase.schema import (
    BUILD,
    CHANGED,
    CLOSED_CHILD,
    ENDLESS,
    FIRST_BODY_CHILD,
    FREE_CHILD,
    LARGE,
    PENDING_CAPACITY,
    PENDING_NODES,
    TREE,
    USER_STRIPES,
)
from scree.runtime import atomics
from scree.runtime.call import load_float32, load_int32, load_int64, store_int32
from scree.runtime.kernel import kernel
from scree.runtime.memory import address_of_row, stack_array, view

USERS, FIRST_PENDING = TREE.fields["users"][1], TREE.fields["first_pending"][1]
PUBLISHED_PENDING, CLAIMED_PENDING = TREE.fields["published_pending"][1], TREE.fields["claimed_pending"][1]
IS_CLOSED = TREE.fields["is_closed"][1]
IS_FLUSHING, CHAIN_LENGTH = TREE.fields["is_flushing"][1], TREE.fields["chain_length"][1]
BODY_COUNT, IS_DIRTY, DEBT = TREE.fields["body_count"][1], TREE.fields["is_dirty"][1], TREE.fields["debt"][1]
IS_IN_TREE = BODY.fields["is_in_tree"][1]
POOL_IS_FULL = -1


@kernel
def user_counter(tree, generation, hint):
    """Address of the counter of users of a generation, on the stripe of a hint."""
    stripe = (hint * 0x9E3779B1 >> 28) & (USER_STRIPES - 1)
    return tree + USERS + ((generation & 1) * USER_STRIPES + stripe) * 64


@kernel
def enter(tree, hint):
    """Count the caller as a user of the published generation, and return that. Call `leave` with the same hint. Waits only while
    the tree is closed."""
    while True:
        generation = atomics.load_acquire_int64(tree + HEAD) >> 32
        counter = user_counter(tree, generation, hint)
        atomics.add_int64(counter, 1)
        is_closed = atomics.load_acquire_int64(tree + IS_CLOSED) != 0
        if not is_closed and atomics.load_acquire_int64(tree + HEAD) >> 32 == generation:
            return generation
        atomics.add_int64(counter, -1)
        while is_closed:
            atomics.pause()
            is_closed = atomics.load_acquire_int64(tree + IS_CLOSED) != 0


@kernel
def leave(tree, generation, hint):
    """Stop counting the caller as a user."""
    atomics.add_int64(user_counter(tree, generation, hint), -1)


@kernel
def mark_dirty(tree):
    if atomics.load_acquire_int64(tree + IS_DIRTY) == 0:
        atomics.exchange_int64(tree + IS_DIRTY, 1)


@kernel
def is_pending(tree, location):
    """Whether a location is among the single bodies that are not in a sub-tree yet."""
    first = load_int64(tree + FIRST_PENDING)
    return location >= first << 2 and location < (first + PENDING_NODES) << 2


# Moving ---------------------------------------------------------------------------------------------------------------


@kernel
def widen_in_trees(tree, bodies, body, generation):
    """Cover a body's fat bounds in every tree that a query may use from now on. The caller is a user."""
    nodes, word_address = load_int64(tree + NODES), load_int64(tree + WORDS) + 8 * body
    bounds = stack_array(6, np.float32)
    bounds_address = address_of_row(bounds, 0)
    read_fat_bounds(bodies, body, bounds_address)
    while True:
        word = atomics.load_acquire_int64(word_address)
        older = older_location(word)
        if older >= 0 and is_pending(tree, older):
            widen_slot(nodes + (older >> 2) * NODE_SIZE, older & 3, bounds_address)
        widen_path(nodes, location_in(nodes, word, generation), generation & 1, bounds_address)
        atomics.fence()
        following = atomics.load_acquire_int64(tree + NEXT_GENERATION)
        if following <= generation and atomics.load_acquire_int64(word_address) == word:
            return
        generation = max(generation, following)


@kernel
def tree_widen(tree, bodies, body):
    """Cover a body's `fat_bounds`, grown or moved, in its tree. Call it before the new transform can be read."""
    generation = enter(tree, body)
    widen_in_trees(tree, bodies, body, generation)
    leave(tree, generation, body)
    mark_dirty(tree)


@kernel
def tree_widen_many(tree, bodies, ids_address, count):
    """Call `tree_widen` for the int32 list of bodies at `ids_address`."""
    generation = enter(tree, ids_address)
    for i in range(count):
        widen_in_trees(tree, bodies, np.int64(load_int32(ids_address + 4 * i)), generation)
    leave(tree, generation, ids_address)
    mark_dirty(tree)


# Removing -------------------------------------------------------------------------------------------------------------


@kernel
def release_pending(tree, location):
    bit = np.int64(1) << (location - (load_int64(tree + FIRST_PENDING) << 2))
    atomics.and_int64(tree + PUBLISHED_PENDING, ~bit)
    invalidate_slot(load_int64(tree + NODES) + (location >> 2) * NODE_SIZE, location & 3)
    atomics.and_int64(tree + CLAIMED_PENDING, ~bit)


@kernel
def _take_from_slot(tree, location, generation):
    if is_pending(tree, location):
        release_pending(tree, location)
        return
    nodes = load_int64(tree + NODES)
    # Closed: if it were free, a batch could be added to a root that a rebuild has opened, and be lost with it.
    invalidate_slot(nodes + (location >> 2) * NODE_SIZE, location & 3, CLOSED_CHILD)
    mark_path(nodes, location, generation & 1)


@kernel
def _hide_leftover(tree, child):
    """Remove a body from a pending place that its word has left, if the flushing thread has not cleared the place yet. Only the
    thread that removes the body may call: no other thread puts it into a place meanwhile."""
    first, published = load_int64(tree + FIRST_PENDING) << 2, atomics.load_acquire_int64(tree + PUBLISHED_PENDING)
    for index in range(PENDING_CAPACITY):
        if (published >> index) & 1:
            field = load_int64(tree + NODES) + ((first + index) >> 2) * NODE_SIZE + 4 * (index & 3)
            atomics.compare_exchange_int32(field + CHILDREN, np.int32(child), np.int32(FREE_CHILD))


@kernel
def _remove(tree, bodies, body, generation):
    nodes, word_address = load_int64(tree + NODES), load_int64(tree + WORDS) + 8 * body
    word = atomics.exchange_int64(word_address, pack_word(NOWHERE, NOWHERE))
    newer, older = newer_location(word), older_location(word)
    if newer < 0:
        return 0
    current = location_in(nodes, word, generation)
    _take_from_slot(tree, newer, generation if newer == current else generation + 1)
    if older >= 0 and (newer != current or is_pending(tree, older)):
        _take_from_slot(tree, older, generation)
    if newer == current and atomics.load_acquire_int64(tree + NEXT_GENERATION) > generation:
        mark_path(nodes, newer, 1 - (generation & 1))
    if older < 0 and atomics.load_acquire_int64(tree + IS_FLUSHING) != 0:
        _hide_leftover(tree, FIRST_BODY_CHILD - body)
    store_int32(bodies + body * BODY_SIZE + IS_IN_TREE, np.int32(0))
    return 1


@kernel
def tree_remove(tree, bodies, body):
    """Remove a body: no query that begins from now on finds it. Return 1, or 0 if it was in no tree."""
    generation = enter(tree, body)
    removed = _remove(tree, bodies, body, generation)
    leave(tree, generation, body)
    if removed:
        atomics.add_int64(tree + BODY_COUNT, -1)
        atomics.add_int64(tree + DEBT, 1)
        mark_dirty(tree)
    return removed


@kernel
def tree_remove_many(tree, bodies, ids_address, count):
    """Call `tree_remove` for the int32 list of bodies at `ids_address`. Return how many were in the tree."""
    removed = 0
    generation = enter(tree, ids_address)
    for i in range(count):
        removed += _remove(tree, bodies, np.int64(load_int32(ids_address + 4 * i)), generation)
    leave(tree, generation, ids_address)
    atomics.add_int64(tree + BODY_COUNT, -removed)
    atomics.add_int64(tree + DEBT, removed)
    mark_dirty(tree)
    return removed


# Adding batches -------------------------------------------------------------------------------------------------------


@kernel
def publish_words(tree, build, begin, end, parity):
    """Write the new locations to bodies, and to sub-trees kept whole. A body that has left its old place meanwhile is removed
    from the new one."""
    record = view(build, 1, BUILD)[0]
    nodes, words = load_int64(tree + NODES), load_int64(tree + WORDS)
    for position in range(begin, end):
        key = record.keys + position * KEY_SIZE
        item = record.items + np.int64(load_int32(key + 12)) * ITEM_SIZE
        location = np.int64(load_int32(key))
        child, before = np.int64(load_int32(item + ITEM_CHILD)), np.int64(load_int32(item + ITEM_LOCATION))
        if child >= 0:
            atomics.store_release_int32(nodes + child * NODE_SIZE + PARENT + 4 * parity, np.int32(location))
            continue
        word_address = words + 8 * (FIRST_BODY_CHILD - child)
        word = atomics.load_acquire_int64(word_address)
        while newer_location(word) == before:
            seen = atomics.compare_exchange_int64(word_address, word, pack_word(location, before))
            if seen == word:
                break
            word = seen
        if newer_location(word) != before:
            invalidate_slot(nodes + (location >> 2) * NODE_SIZE, location & 3)
            mark_path(nodes, location, parity)
            store_int32(key, np.int32(NOWHERE))


@kernel
def _look_again(tree, bodies, build):
    """Widen what was built by bodies that moved meanwhile."""
    record = view(build, 1, BUILD)[0]
    nodes = load_int64(tree + NODES)
    bounds = stack_array(6, np.float32)
    bounds_address = address_of_row(bounds, 0)
    for position in range(record.item_count):
        key = record.keys + position * KEY_SIZE
        item = record.items + np.int64(load_int32(key + 12)) * ITEM_SIZE
        location = np.int64(load_int32(key))
        if location < 0:
            continue
        read_fat_bounds(bodies, FIRST_BODY_CHILD - np.int64(load_int32(item + ITEM_CHILD)), bounds_address)
        is_covered = True
        for axis in range(3):
            is_covered &= load_float32(bounds_address + 4 * axis) >= load_float32(item + 4 * axis)
            is_covered &= load_float32(bounds_address + 12 + 4 * axis) <= load_float32(item + 12 + 4 * axis)
        if not is_covered:
            widen_path(nodes, location, 0, bounds_address)


@kernel
def build_at_once(tree, bodies, build):
    record = view(build, 1, BUILD)[0]
    make_nodes(tree, build, ENDLESS)
    if record.failed:
        give_nodes(tree, record.created, 0, record.created_count)
        return np.int64(POOL_IS_FULL)
    sum_up(tree, build, ENDLESS)
    publish_words(tree, build, 0, record.item_count, 0)
    atomics.fence()
    _look_again(tree, bodies, build)
    return record.root


@kernel
def _hang_in_free_slot(tree, subtree, root, parity, bounds_address):
    nodes = load_int64(tree + NODES)
    root_address = nodes + root * NODE_SIZE
    for slot in range(4):
        child = root_address + CHILDREN + 4 * slot
        if atomics.load_acquire_int32(child) != FREE_CHILD:
            continue
        if atomics.compare_exchange_int32(child, np.int32(FREE_CHILD), np.int32(subtree)) == FREE_CHILD:
            atomics.exchange_int32(nodes + subtree * NODE_SIZE + PARENT + 4 * parity, np.int32((root << 2) | slot))
            union_of_slots(nodes + subtree * NODE_SIZE, bounds_address)
            widen_slot(root_address, slot, bounds_address)
            mark_path(nodes, root << 2, parity)
            return True
    return False


@kernel
def whole_space(node_address, slot):
    """The bounds of a slot that never needs widening."""
    for axis in range(3):
        atomics.store_release_int32(node_address + 48 + 16 * axis + 4 * slot, atomics.float_to_bits(LARGE))
        atomics.store_release_int32(node_address + 16 * axis + 4 * slot, atomics.float_to_bits(-LARGE))


@kernel
def hang_above(tree, node, root, subtree, parity, bounds_address):
    """Fill a private node: slot 0 the old root, with bounds that contain everything, slot 1 the sub-tree."""
    nodes = load_int64(tree + NODES)
    node_address = nodes + node * NODE_SIZE
    clear_node(node_address, 0)
    store_int32(node_address + IS_CHANGED, np.int32(CHANGED))
    store_int32(node_address + CHILDREN, np.int32(root))
    store_int32(node_address + CHILDREN + 4, np.int32(subtree))
    whole_space(node_address, 0)
    atomics.exchange_int32(nodes + subtree * NODE_SIZE + PARENT + 4 * parity, np.int32((node << 2) | 1))
    union_of_slots(nodes + subtree * NODE_SIZE, bounds_address)
    widen_slot(node_address, 1, bounds_address)


@kernel
def tree_finalize(tree, subtree, count):
    """Insert a prepared sub-tree of `count` bodies into the tree, at a cost independent of both sizes: from now on queries find
    its bodies. Return 0, or -1: the pool of nodes is full (it stays prepared). Any thread."""
    if subtree < 0:
        return np.int64(POOL_IS_FULL)
    nodes = load_int64(tree + NODES)
    bounds = stack_array(6, np.float32)
    bounds_address = address_of_row(bounds, 0)
    generation = enter(tree, subtree)
    node = np.int64(-1)
    result = np.int64(0)
    while True:
        head = atomics.load_acquire_int64(tree + HEAD)
        root, parity = head & LOW_32, (head >> 32) & 1
        if _hang_in_free_slot(tree, subtree, root, parity, bounds_address):
            break
        if node < 0:
            node = take_nodes(tree, 1)
            if node < 0:
                result = np.int64(POOL_IS_FULL)
                break
        hang_above(tree, node, root, subtree, parity, bounds_address)
        if atomics.compare_exchange_int64(tree + HEAD, head, (head & ~LOW_32) | node) == head:
            atomics.store_release_int32(nodes + root * NODE_SIZE + PARENT + 4 * parity, np.int32(node << 2))
            node = np.int64(-1)
            atomics.add_int64(tree + CHAIN_LENGTH, 1)
            break
        atomics.exchange_int32(nodes + subtree * NODE_SIZE + PARENT + 4 * parity, np.int32(-1))
    leave(tree, generation, subtree)
    if node >= 0:
        lists = stack_array(1, np.int32)
        lists[0] = node
        give_nodes(tree, address_of_row(lists, 0), 0, 1)
    if result == 0:
        atomics.add_int64(tree + BODY_COUNT, count)
        atomics.add_int64(tree + DEBT, count)
        mark_dirty(tree)
    return result


@kernel
def tree_abort(tree, bodies, subtree):
    """Discard a prepared sub-tree: its bodies are in no tree again."""
    if subtree < 0:
        return
    nodes, words = load_int64(tree + NODES), load_int64(tree + WORDS)
    stack = stack_array(256, np.int64)
    freed = stack_array(1, np.int32)
    stack[0], count = subtree, 1
    while count > 0:
        count -= 1
        node = stack[count]
        for slot in range(4):
            child = np.int64(load_int32(nodes + node * NODE_SIZE + CHILDREN + 4 * slot))
            if child >= 0:
                stack[count] = child
                count += 1
            elif child <= FIRST_BODY_CHILD:
                body = FIRST_BODY_CHILD - child
                atomics.exchange_int64(words + 8 * body, pack_word(NOWHERE, NOWHERE))
                store_int32(bodies + body * BODY_SIZE + IS_IN_TREE, np.int32(0))
        freed[0] = node
        give_nodes(tree, address_of_row(freed, 0), 0, 1)
