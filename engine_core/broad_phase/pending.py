"""Bodies that were added one by one and are not in a sub-tree yet.

They are in a few nodes that every query searches, one bit each; when all are taken, they are built into a sub-tree.
"""

import numpy as np

from scree.broad_phase.build import ITEM_CHILD, ITEM_LOCATION, ITEM_SIZE, KEY_SIZE, add_item, start_build
from scree.broad_phase.tree_edits import (
    CLAIMED_PENDING,
    DEBT,
    FIRST_PENDING,
    IS_FLUSHING,
    POOL_IS_FULL,
    PUBLISHED_PENDING,
    build_at_once,
    release_pending,
    tree_finalize,
)
from scree.broad_phase.nodes import (
    CHILDREN,
    IS_CHANGED,
    NODE_SIZE,
    NODES,
    NOWHERE,
    WORDS,
    pack_word,
    read_settled_bounds,
)
from scree.broad_phase.schema import (
    BUILD,
    CHANGED,
    FIRST_BODY_CHILD,
    ITEM,
    KEY,
    PENDING_CAPACITY,
    RANGE,
    RANGE_CAPACITY,
)
from scree.runtime import atomics
from scree.runtime.call import load_int32, load_int64, store_int32
from scree.runtime.kernel import kernel
from scree.runtime.memory import address_of_row, stack_array, view


@kernel
def claim_pending(tree):
    claimed = atomics.load_acquire_int64(tree + CLAIMED_PENDING)
    while claimed != -1:
        index = 0
        while (claimed >> index) & 1:
            index += 1
        bit = np.int64(1) << index
        claimed = atomics.or_int64(tree + CLAIMED_PENDING, bit)
        if claimed & bit == 0:
            return index
    return -1


@kernel
def flush_pending(tree, bodies):
    """Build the pending bodies into a sub-tree. Each stays pending until it is visible in the tree. Return 1, or 0 if another
    thread is doing it, or -1: the pool of nodes is full."""
    if atomics.compare_exchange_int64(tree + IS_FLUSHING, 0, 1) != 0:
        return 0
    nodes, words, first = load_int64(tree + NODES), load_int64(tree + WORDS), load_int64(tree + FIRST_PENDING)
    items, keys = stack_array(PENDING_CAPACITY, ITEM), stack_array(PENDING_CAPACITY, KEY)
    created, ranges = stack_array(PENDING_CAPACITY, np.int32), stack_array(RANGE_CAPACITY, RANGE)
    records = stack_array(1, BUILD)
    bounds = stack_array(6, np.float32)
    build, bounds_address = address_of_row(records, 0), address_of_row(bounds, 0)
    records[0].items, records[0].keys = address_of_row(items, 0), address_of_row(keys, 0)
    records[0].created, records[0].ranges = address_of_row(created, 0), address_of_row(ranges, 0)
    start_build(build, 0)
    published = atomics.load_acquire_int64(tree + PUBLISHED_PENDING)
    for index in range(PENDING_CAPACITY):
        location = (first << 2) + index
        field = nodes + (location >> 2) * NODE_SIZE + 4 * (location & 3)
        child = np.int64(load_int32(field + CHILDREN))
        if (published >> index) & 1 and child <= FIRST_BODY_CHILD:
            read_settled_bounds(bodies, FIRST_BODY_CHILD - child, field, bounds_address)
            add_item(build, bounds_address, child, location)
    result = 1
    if records[0].item_count > 0:
        subtree = build_at_once(tree, bodies, build)
        if subtree >= 0:
            for i in range(records[0].created_count):
                store_int32(nodes + np.int64(created[i]) * NODE_SIZE + IS_CHANGED, np.int32(CHANGED))
        if tree_finalize(tree, subtree, 0) < 0:
            result = POOL_IS_FULL
        else:
            atomics.add_int64(tree + DEBT, records[0].item_count)
            _leave_pending(tree, words, build)
    atomics.exchange_int64(tree + IS_FLUSHING, 0)
    return result


@kernel
def _leave_pending(tree, words, build):
    record = view(build, 1, BUILD)[0]
    for position in range(record.item_count):
        key = record.keys + position * KEY_SIZE
        item = record.items + np.int64(load_int32(key + 12)) * ITEM_SIZE
        location, before = np.int64(load_int32(key)), np.int64(load_int32(item + ITEM_LOCATION))
        if location < 0:
            continue
        word_address = words + 8 * (FIRST_BODY_CHILD - np.int64(load_int32(item + ITEM_CHILD)))
        word = pack_word(location, before)
        # The thread that removes the old place from the word frees it: this thread, or the one that removes the body.
        if atomics.compare_exchange_int64(word_address, word, pack_word(location, NOWHERE)) == word:
            release_pending(tree, before)
