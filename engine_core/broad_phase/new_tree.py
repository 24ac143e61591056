"""Rebuilding a tree while it is in use, and swapping in the new one.

One thread at a time does this (the step's, or one that adds many bodies); others continue meanwhile. A rebuild opens the changed
nodes and the topmost ones, keeps every other sub-tree whole, and builds new nodes above. After many bodies came and went, it
opens everything instead, in slices of `budget` items a call: so the quality always recovers, and never in one long step. It
begins only when the users of the previous generation have left; until then the old tree stays in use.
"""

import numpy as np

from scree.broad_phase.build import add_item, make_nodes, start_build, sum_up
from scree.broad_phase.calls import call_flush
from scree.broad_phase.tree_edits import (
    BODY_COUNT,
    CHAIN_LENGTH,
    DEBT,
    IS_DIRTY,
    IS_FLUSHING,
    USERS,
    hang_above,
    publish_words,
)
from scree.broad_phase.nodes import (
    BODY_SIZE,
    CHILDREN,
    FAT_BOUNDS,
    HEAD,
    HEIGHT,
    INFO_SIZE,
    IS_CHANGED,
    LOW_32,
    NEXT_GENERATION,
    NODE_SIZE,
    NOWHERE,
    PARENT,
    PUBLISHED,
    give_nodes,
    newer_location,
    read_fat_bounds,
    read_settled_bounds,
    take_nodes,
    union_of_slots,
    widen_path,
    widen_slot,
)
from scree.broad_phase.origins import keep_origin
from scree.broad_phase.schema import (
    CHANGED,
    CLOSED_CHILD,
    DISSOLVED,
    FIRST_BODY_CHILD,
    FREE_CHILD,
    LARGE,
    TREE,
    UNCHANGED,
    USER_STRIPES,
)
from scree.runtime import atomics
from scree.runtime.call import load_float32, load_int32, store_int32
from scree.runtime.kernel import kernel
from scree.runtime.memory import address_of_row, stack_array, view
from scree.runtime.prefetch import prefetch

BUILD_OF, IS_IN_MAINTENANCE = TREE.fields["build"][1], TREE.fields["is_in_maintenance"][1]
PUBLISHED_PENDING = TREE.fields["published_pending"][1]
IDLE, COLLECT, MAKE, SUM_UP, WORDS_PHASE, LOOK_AGAIN, LOOK_AT_KEPT, READY = range(8)
TOP_LEVELS = 4
"""The number of levels that are always opened: up to 256 sub-trees find better places."""
LARGEST_HEIGHT_KEPT = 24
LARGEST_SLICE = 1 << 15
"""The budget of one call when everything is opened: 4,000 bodies, 0.7 ms. It does not limit the changed parts alone."""
OPENED_COSTS = 10
"""Cost of a dissolved node in units of the budget: its bodies are far apart in memory."""
FREED_A_UNIT = 4
NODES_AHEAD, BODIES_AHEAD = 8, 4
"""How many nodes ahead a node, and the bodies of one, are prefetched."""


@kernel
def users_of(tree, parity):
    count = 0
    for stripe in range(USER_STRIPES):
        count += atomics.load_acquire_int64(tree + USERS + (parity * USER_STRIPES + stripe) * 64)
    return count


@kernel
def retire(tree, generation, budget):
    """Free nodes of the previous generation, which has no users any more. Return whether that was all of them."""
    record = view(tree, 1, TREE)[0]
    while record.retired_kept_count > 0 and budget > 0:
        record.retired_kept_count -= 1
        budget -= 1
        parents = record.nodes + np.int64(load_int32(record.kept + 4 * record.retired_kept_count)) * NODE_SIZE + PARENT
        store_int32(parents + 4 * (1 - (generation & 1)), load_int32(parents + 4 * (generation & 1)))
    count = min(record.retired_count, FREED_A_UNIT * budget)
    give_nodes(tree, record.opened, record.retired_count - count, record.retired_count)
    record.retired_count -= count
    return record.retired_count == 0 and record.retired_kept_count == 0


@kernel
def _start(tree, bodies, may_open_all, budget):
    record = view(tree, 1, TREE)[0]
    generation = atomics.load_acquire_int64(tree + HEAD) >> 32
    if users_of(tree, 1 - (generation & 1)) != 0 or not retire(tree, generation, budget):
        return False
    if atomics.exchange_int64(tree + IS_DIRTY, 0) == 0:
        return False
    if atomics.load_acquire_int64(tree + PUBLISHED_PENDING) != 0:
        call_flush(tree, bodies)
    if atomics.compare_exchange_int64(tree + IS_FLUSHING, 0, 1) != 0:
        atomics.exchange_int64(tree + IS_DIRTY, 1)
        return False
    # No flush is under way: every body below this root has left the pending ones.
    root = atomics.load_acquire_int64(tree + HEAD) & LOW_32
    atomics.exchange_int64(tree + IS_FLUSHING, 0)
    debt = atomics.load_acquire_int64(tree + DEBT)
    record.is_full_build = 0
    if may_open_all and debt >= max(64, atomics.load_acquire_int64(tree + BODY_COUNT) // 50):
        record.is_full_build = 1
        record.full_build_count += 1
        atomics.add_int64(tree + DEBT, -debt)
    record.rebuild_count += 1
    record.captured_root = root
    record.scanned_root = root
    _close(record.nodes + root * NODE_SIZE)
    record.opened_count = 0
    record.kept_count = 0
    store_int32(record.queue, np.int32(root))
    store_int32(record.queue + 4, np.int32(0))
    record.queue_begin = 0
    record.queue_end = 1
    record.opened_position = 0
    start_build(tree + BUILD_OF, generation + 1)
    record.phase = COLLECT
    return True


@kernel
def _close(node_address):
    """Leave no free slot in a root, so that nothing more is added there."""
    for slot in range(4):
        atomics.compare_exchange_int32(node_address + CHILDREN + 4 * slot, np.int32(FREE_CHILD), np.int32(CLOSED_CHILD))


@kernel
def may_be_kept(record, node):
    """Whether a sub-tree may stay as it is."""
    changed = atomics.load_acquire_int32(record.nodes + node * NODE_SIZE + IS_CHANGED)
    return changed == UNCHANGED and load_int32(record.infos + node * INFO_SIZE + HEIGHT) <= LARGEST_HEIGHT_KEPT


@kernel
def _open(tree, bodies, node, level, bounds_address):
    """Dissolve a node: bodies and unchanged sub-trees become items, other nodes are queued."""
    record = view(tree, 1, TREE)[0]
    node_address = record.nodes + node * NODE_SIZE
    # Before its slots are read: a thread that changes them later leaves CHANGED here, and they are checked again.
    atomics.exchange_int32(node_address + IS_CHANGED, np.int32(DISSOLVED))
    store_int32(record.opened + 4 * record.opened_count, np.int32(node))
    record.opened_count += 1
    for slot in range(4):
        field = node_address + 4 * slot
        child = np.int64(atomics.load_acquire_int32(field + CHILDREN))
        if child <= FIRST_BODY_CHILD:
            body = FIRST_BODY_CHILD - child
            read_settled_bounds(bodies, body, field, bounds_address)
            add_item(tree + BUILD_OF, bounds_address, child, (node << 2) | slot)
        elif child >= 0:
            child_level = level + 1
            if load_float32(field) == -LARGE:
                child_level = level
            if record.is_full_build or child_level < TOP_LEVELS or not may_be_kept(record, child):
                store_int32(record.queue + 8 * record.queue_end, np.int32(child))
                store_int32(record.queue + 8 * record.queue_end + 4, np.int32(child_level))
                record.queue_end += 1
            else:
                union_of_slots(record.nodes + child * NODE_SIZE, bounds_address)
                add_item(tree + BUILD_OF, bounds_address, child, NOWHERE)
                store_int32(record.kept + 4 * record.kept_count, np.int32(child))
                record.kept_count += 1


@kernel
def prefetch_queue(record, bodies, place):
    """Prefetch what nodes of the queue will need."""
    if place + NODES_AHEAD < record.queue_end:
        node_address = record.nodes + np.int64(load_int32(record.queue + 8 * (place + NODES_AHEAD))) * NODE_SIZE
        prefetch(node_address)
        prefetch(node_address + NODE_SIZE // 2)
    if place + BODIES_AHEAD < record.queue_end:
        node_address = record.nodes + np.int64(load_int32(record.queue + 8 * (place + BODIES_AHEAD))) * NODE_SIZE
        for slot in range(4):
            child = np.int64(load_int32(node_address + CHILDREN + 4 * slot))
            if child <= FIRST_BODY_CHILD:
                body = bodies + (FIRST_BODY_CHILD - child) * BODY_SIZE
                prefetch(body + FAT_BOUNDS)
                prefetch(body + PUBLISHED)


@kernel
def _collect(tree, bodies, budget):
    record = view(tree, 1, TREE)[0]
    bounds = stack_array(6, np.float32)
    while record.queue_begin < record.queue_end and budget > 0:
        entry = record.queue + 8 * record.queue_begin
        prefetch_queue(record, bodies, record.queue_begin)
        record.queue_begin += 1
        _open(tree, bodies, np.int64(load_int32(entry)), np.int64(load_int32(entry + 4)), address_of_row(bounds, 0))
        budget -= OPENED_COSTS
    return budget


@kernel
def _look_again(tree, bodies, parity, budget):
    """Widen the new tree by bodies that moved after their old slot was read."""
    record = view(tree, 1, TREE)[0]
    bounds = stack_array(6, np.float32)
    bounds_address = address_of_row(bounds, 0)
    while record.opened_position < record.opened_count and budget > 0:
        budget -= 1
        node_address = record.nodes + np.int64(load_int32(record.opened + 4 * record.opened_position)) * NODE_SIZE
        record.opened_position += 1
        if atomics.load_acquire_int32(node_address + IS_CHANGED) != CHANGED:
            continue
        for slot in range(4):
            child = np.int64(atomics.load_acquire_int32(node_address + CHILDREN + 4 * slot))
            if child <= FIRST_BODY_CHILD:
                body = FIRST_BODY_CHILD - child
                read_fat_bounds(bodies, body, bounds_address)
                location = newer_location(atomics.load_acquire_int64(record.words + 8 * body))
                widen_path(record.nodes, location, parity, bounds_address)
    return budget


@kernel
def _look_at_kept(tree, parity, budget):
    """Widen the sub-trees kept whole in the new tree. `opened_position` continues counting."""
    record = view(tree, 1, TREE)[0]
    bounds = stack_array(6, np.float32)
    bounds_address = address_of_row(bounds, 0)
    while record.opened_position < record.kept_count and budget > 0:
        budget -= 1
        node_address = record.nodes + np.int64(load_int32(record.kept + 4 * record.opened_position)) * NODE_SIZE
        record.opened_position += 1
        if atomics.load_acquire_int32(node_address + IS_CHANGED) != UNCHANGED:
            union_of_slots(node_address, bounds_address)
            location = np.int64(load_int32(node_address + PARENT + 4 * parity))
            widen_path(record.nodes, location, parity, bounds_address)
    return budget


@kernel
def _give_up(tree):
    """Discard what was built, because the pool of nodes is full; the old tree stays in use."""
    record = view(tree, 1, TREE)[0]
    give_nodes(tree, record.build.created, 0, record.build.created_count)
    for i in range(record.opened_count):
        node = np.int64(load_int32(record.opened + 4 * i))
        atomics.exchange_int32(record.nodes + node * NODE_SIZE + IS_CHANGED, np.int32(CHANGED))
    record.phase = IDLE
    atomics.exchange_int64(tree + IS_DIRTY, 1)


@kernel
def _advance(tree, bodies, budget):
    record = view(tree, 1, TREE)[0]
    build = tree + BUILD_OF
    generation = atomics.load_acquire_int64(tree + HEAD) >> 32
    parity = 1 - (generation & 1)
    if record.phase == COLLECT:
        budget = _collect(tree, bodies, budget)
        if record.queue_begin == record.queue_end:
            record.phase = MAKE
    if record.phase == MAKE:
        budget = make_nodes(tree, build, budget)
        if record.build.failed:
            _give_up(tree)
            return
        if record.build.range_count == 0 and record.build.created_count > 0:
            record.phase = SUM_UP
    if record.phase == SUM_UP:
        budget = sum_up(tree, build, budget)
        if record.build.position == 0:
            record.phase = WORDS_PHASE
    if record.phase == WORDS_PHASE:
        end = min(record.build.item_count, record.build.position + max(budget, 0))
        publish_words(tree, build, record.build.position, end, parity)
        budget -= end - record.build.position
        record.build.position = end
        if end == record.build.item_count:
            atomics.exchange_int64(tree + NEXT_GENERATION, generation + 1)
            record.opened_position = 0
            record.phase = LOOK_AGAIN
    if record.phase == LOOK_AGAIN:
        budget = _look_again(tree, bodies, parity, budget)
        if record.opened_position == record.opened_count:
            record.opened_position = 0
            record.phase = LOOK_AT_KEPT
    if record.phase == LOOK_AT_KEPT:
        budget = _look_at_kept(tree, parity, budget)
        if record.opened_position == record.kept_count:
            record.new_root = record.build.root
            record.new_root_slot = 4
            record.phase = READY


@kernel
def advance_rebuild(tree, bodies, may_open_all, budget):
    """Begin or continue a rebuild. Return 1 when a new tree is ready."""
    if atomics.compare_exchange_int64(tree + IS_IN_MAINTENANCE, 0, 1) != 0:
        return 0
    record = view(tree, 1, TREE)[0]
    if record.phase != IDLE or _start(tree, bodies, may_open_all, budget):
        if record.phase != READY:
            _advance(tree, bodies, min(budget, LARGEST_SLICE) if record.is_full_build else budget)
    ready = 1 if record.phase == READY else 0
    atomics.exchange_int64(tree + IS_IN_MAINTENANCE, 0)
    return ready


@kernel
def _transfer(tree, subtree, parity, bounds_address):
    """Insert a sub-tree that was added meanwhile into the new tree."""
    record = view(tree, 1, TREE)[0]
    parent = record.nodes + subtree * NODE_SIZE + PARENT + 4 * parity
    if load_int32(parent) >= 0:
        return True
    if record.new_root_slot == 4:
        node = take_nodes(tree, 1)
        if node < 0:
            return False
        hang_above(tree, node, record.new_root, subtree, parity, bounds_address)
        atomics.store_release_int32(record.nodes + record.new_root * NODE_SIZE + PARENT + 4 * parity, np.int32(node << 2))
        record.new_root = node
        record.new_root_slot = 2
    else:
        slot = record.new_root_slot
        node_address = record.nodes + record.new_root * NODE_SIZE
        store_int32(node_address + CHILDREN + 4 * slot, np.int32(subtree))
        atomics.exchange_int32(parent, np.int32((record.new_root << 2) | slot))
        union_of_slots(record.nodes + subtree * NODE_SIZE, bounds_address)
        widen_slot(node_address, slot, bounds_address)
        record.new_root_slot += 1
    store_int32(record.kept + 4 * record.kept_count, np.int32(subtree))
    record.kept_count += 1
    atomics.exchange_int64(tree + IS_DIRTY, 1)
    return True


@kernel
def _transfer_new(tree, root, parity):
    """Transfer everything that was added above the root with which the rebuild began."""
    record = view(tree, 1, TREE)[0]
    bounds = stack_array(6, np.float32)
    node = root
    while node != record.scanned_root:
        node_address = record.nodes + node * NODE_SIZE
        _close(node_address)
        for slot in range(1, 4):
            child = np.int64(atomics.load_acquire_int32(node_address + CHILDREN + 4 * slot))
            if child >= 0 and not _transfer(tree, child, parity, address_of_row(bounds, 0)):
                return False
        node = np.int64(load_int32(node_address + CHILDREN))
    node = root
    while node != record.scanned_root:
        store_int32(record.opened + 4 * record.opened_count, np.int32(node))
        record.opened_count += 1
        node = np.int64(load_int32(record.nodes + node * NODE_SIZE + CHILDREN))
    record.scanned_root = root
    return True


@kernel
def swap_trees(tree):
    """Swap in the new tree; see `rebuild.tree_swap`."""
    if atomics.compare_exchange_int64(tree + IS_IN_MAINTENANCE, 0, 1) != 0:
        return 0
    record = view(tree, 1, TREE)[0]
    swapped = 0
    for _attempt in range(8):
        if record.phase != READY:
            break
        head = atomics.load_acquire_int64(tree + HEAD)
        generation = (head >> 32) + 1
        keep_origin(tree, head >> 32)
        if not _transfer_new(tree, head & LOW_32, generation & 1):
            break
        if atomics.compare_exchange_int64(tree + HEAD, head, (generation << 32) | record.new_root) == head:
            record.retired_count = record.opened_count
            record.retired_kept_count = record.kept_count
            atomics.exchange_int64(tree + CHAIN_LENGTH, 0)
            record.phase = IDLE
            swapped = 1
    atomics.exchange_int64(tree + IS_IN_MAINTENANCE, 0)
    return swapped
