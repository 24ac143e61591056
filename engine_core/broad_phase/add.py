"""Adding bodies: one, or a batch prepared on any thread."""

import numpy as np

from scree.broad_phase.calls import call_flush, call_prepare
from scree.broad_phase.tree_edits import (
    BODY_COUNT,
    CHAIN_LENGTH,
    FIRST_PENDING,
    IS_IN_TREE,
    PUBLISHED_PENDING,
    mark_dirty,
    tree_finalize,
)
from scree.broad_phase.nodes import (
    BODY_SIZE,
    CHILDREN,
    NODE_SIZE,
    NODES,
    NOWHERE,
    WORDS,
    body_child,
    note_layers,
    pack_word,
    read_fat_bounds,
    set_slot,
)
from scree.broad_phase.pending import claim_pending
from scree.broad_phase.rebuild import gather_singles, tree_rebuild, tree_swap
from scree.runtime import atomics
from scree.runtime.call import load_int64, store_int32
from scree.runtime.kernel import kernel
from scree.runtime.memory import address_of_row, stack_array

LONGEST_CHAIN = 2
"""The most roots above each other before sub-trees of single bodies are built into the tree."""


BATCHES_TO_GATHER = 16
"""The most batches above each other, likewise: a thread that prepares one more does a slice of the rebuild instead of the
step."""


@kernel
def tree_prepare(tree, bodies, ids_address, count):
    """Build a private sub-tree of the int32 list of bodies at `ids_address`. Return its root for `tree_finalize` or `tree_abort`,
    or -1: the pool of nodes is full. Any thread. Bodies that are already in a tree are skipped."""
    if atomics.load_acquire_int64(tree + CHAIN_LENGTH) > BATCHES_TO_GATHER and tree_rebuild(tree, bodies):
        tree_swap(tree)
    return call_prepare(tree, bodies, ids_address, count)


@kernel
def _add_as_subtree(tree, bodies, body):
    ids = stack_array(1, np.int32)
    ids[0] = body
    return tree_finalize(tree, tree_prepare(tree, bodies, address_of_row(ids, 0), 1), 1)


@kernel
def tree_add(tree, bodies, body):
    """Add one body with its `fat_bounds`: queries find it from now on. Return 0, or -1: the pool of nodes is full. Any thread. A
    body that is already in the tree stays where it is."""
    word_address = load_int64(tree + WORDS) + 8 * body
    if atomics.load_acquire_int64(word_address) != pack_word(NOWHERE, NOWHERE):
        return np.int64(0)
    note_layers(tree, bodies, body)
    index = claim_pending(tree)
    if index < 0:
        if call_flush(tree, bodies) > 0:
            index = claim_pending(tree)
            if atomics.load_acquire_int64(tree + CHAIN_LENGTH) > LONGEST_CHAIN:
                gather_singles(tree, bodies)
        if index < 0:
            return _add_as_subtree(tree, bodies, body)
    nodes = load_int64(tree + NODES)
    location = (load_int64(tree + FIRST_PENDING) << 2) + index
    node_address = nodes + (location >> 2) * NODE_SIZE
    bounds = stack_array(6, np.float32)
    read_fat_bounds(bodies, body, address_of_row(bounds, 0))
    atomics.store_release_int32(node_address + CHILDREN + 4 * (location & 3), body_child(body))
    store_int32(bodies + body * BODY_SIZE + IS_IN_TREE, np.int32(1))
    atomics.exchange_int64(word_address, pack_word(location, NOWHERE))
    set_slot(node_address, location & 3, address_of_row(bounds, 0))
    atomics.or_int64(tree + PUBLISHED_PENDING, np.int64(1) << index)
    atomics.add_int64(tree + BODY_COUNT, 1)
    mark_dirty(tree)
    return np.int64(0)
