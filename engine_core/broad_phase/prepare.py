"""Building a private sub-tree of a batch of bodies."""

import numpy as np

from scree.broad_phase.build import add_item, start_build
from scree.broad_phase.tree_edits import IS_IN_TREE, build_at_once
from scree.broad_phase.nodes import BODY_SIZE, NOWHERE, WORDS, body_child, note_layers, pack_word, read_fat_bounds
from scree.broad_phase.schema import BUILD, ITEM, KEY, RANGE, RANGE_CAPACITY
from scree.runtime.call import load_int32, load_int64, store_int32
from scree.runtime.kernel import kernel
from scree.runtime.memory import address_of_row, stack_array


@kernel
def build_subtree(tree, bodies, ids_address, count):
    """Build the sub-tree of `add.tree_prepare`."""
    items, keys = np.empty(count + 1, ITEM), np.empty(count + 1, KEY)
    created, ranges = np.empty(count + 1, np.int32), stack_array(RANGE_CAPACITY, RANGE)
    records = stack_array(1, BUILD)
    bounds = stack_array(6, np.float32)
    build, bounds_address = address_of_row(records, 0), address_of_row(bounds, 0)
    records[0].items, records[0].keys = address_of_row(items, 0), address_of_row(keys, 0)
    records[0].created, records[0].ranges = address_of_row(created, 0), address_of_row(ranges, 0)
    start_build(build, 0)
    words = load_int64(tree + WORDS)
    for i in range(count):
        body = np.int64(load_int32(ids_address + 4 * i))
        if load_int64(words + 8 * body) != pack_word(NOWHERE, NOWHERE):
            continue
        note_layers(tree, bodies, body)
        read_fat_bounds(bodies, body, bounds_address)
        add_item(build, bounds_address, body_child(body), NOWHERE)
        store_int32(bodies + body * BODY_SIZE + IS_IN_TREE, np.int32(1))
    root = build_at_once(tree, bodies, build)
    # Numba frees an array after its last use by name, and an address is not such a use: without this line the memory could be
    # reused while the tree is built from it.
    return root if len(items) + len(keys) + len(created) > 0 else np.int64(NOWHERE)
