"""Single nodes of the tree: where an element goes, values of a node, its leaf, and copies of what readers may be reading.

`s` is a STRUCTURE. A node is its cluster and its lane; as one number, `cluster << 3 | lane`. Rows that a published tree may hold
are never written: a batch of edits makes its own copy of each cluster and leaf on its way (`own_...`), once, and retires the old
one.
"""

from math import floor

import numpy as np

from ..runtime import atomics
from ..runtime.attributes import keep_as_call
from ..runtime.call import load_int32, store_int32, store_int64
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .pools import give_row, take_row
from .schema import (
    BRICK, CHAIN, CLUSTER, LANES, LARGE, LEAF, LEAF_SIZE, MAX_LEVEL, OVERFLOWED, REACH,
)  # fmt: skip

CLUSTER_ROW, LEAF_ROW, BRICK_ROW, MOVED_ROW = range(4)
"""Kinds of retired rows: a cluster, a leaf, a removed brick, whose number goes with it, the old place of a brick."""
BATCH_BITS = 0xFFFFFFFF


@kernel
def clusters_of(s):
    return view(s.clusters.rows, s.clusters.capacity, CLUSTER)


@kernel
def leaves_of(s):
    return view(s.leaves.rows, s.leaves.capacity, LEAF)


@kernel
def bricks_of(s):
    return view(s.bricks.rows, s.bricks.capacity, BRICK)


@kernel
def number_in(s, row):
    """Number of the brick in a row."""
    return np.int64(bricks_of(s)[row].number)


@kernel
def row_of(s, number):
    """The row that the brick with a number is in; 0: there is none. Another thread may be moving it: a query under way keeps the
    row that is found, and what is in it."""
    return np.int64(atomics.load_acquire_int32(s.numbers.rows + 4 * number))


# Where an element goes ------------------------------------------------------------------------------------------------


@kernel
def center_of(brick):
    """The cell of a brick's centre: whole numbers [unit], biased to be positive."""
    x = (np.float64(brick.low[0]) + np.float64(brick.high[0])) * 0.5
    y = (np.float64(brick.low[1]) + np.float64(brick.high[1])) * 0.5
    z = (np.float64(brick.low[2]) + np.float64(brick.high[2])) * 0.5
    return np.int64(floor(x)) + REACH, np.int64(floor(y)) + REACH, np.int64(floor(z)) + REACH


@kernel
def level_of(brick):
    """The least level whose cubes are at least as wide as the longest side."""
    longest = 0.0
    for axis in range(3):
        longest = max(longest, np.float64(brick.high[axis]) - np.float64(brick.low[axis]))
    level = np.int64(0)
    while np.float64(np.int64(1) << level) < longest:
        level += 1
    return level


@kernel
def octant(center, level):
    """Lane of the child of a node of this level that holds a centre."""
    bit = level - 1
    return (center[0] >> bit & 1) | (center[1] >> bit & 1) << 1 | (center[2] >> bit & 1) << 2


@kernel
def shared_level(a, b):
    """The level of the smallest aligned cube that holds two centres."""
    apart = (a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2])
    level = np.int64(0)
    while apart != 0:
        apart >>= 1
        level += 1
    return level


# Rows that are made, retired, or copied before they are written ---------------------------------------------------------


@kernel
def retire(s, kind, row):
    """Give a row back when no query can be reading it any more (publication.py)."""
    parity = (s.head >> 32) & 1
    store_int64(s.retired[parity] + 8 * s.retired_count[parity], row << 2 | kind)
    s.retired_count[parity] += 1


@kernel
def take_cluster(s, level):
    """An empty cluster of nodes of a level, this batch's own."""
    keep_as_call()
    index = take_row(s.clusters)
    cluster = clusters_of(s)[index]
    for lane in range(LANES):
        clear_lane(cluster, lane)
    cluster.elements = cluster.forced = 0
    cluster.born = s.batch & BATCH_BITS
    cluster.level = level
    cluster.dirty = cluster.changed = cluster.fresh_leaves = 0
    return index


@kernel
def copy_cluster(s, index):
    """A copy of a cluster, this batch's own. The old one is retired."""
    keep_as_call()
    clusters = clusters_of(s)
    new = take_row(s.clusters)
    clusters[new] = clusters[index]
    clusters[new].born = s.batch & BATCH_BITS
    clusters[new].dirty = clusters[new].changed = clusters[new].fresh_leaves = 0
    retire(s, CLUSTER_ROW, index)
    return new


@kernel
def is_own(s, index):
    """Whether a cluster was made by this batch, so that no query reads it. (Numbers of batches recur after 2^32.)"""
    return np.int64(clusters_of(s)[index].born) == s.batch & BATCH_BITS


@kernel
def own_root(s):
    """The root cluster, as this batch's own."""
    if not is_own(s, s.root):
        s.root = copy_cluster(s, s.root)
    return s.root


@kernel
def own_child(s, index, lane):
    """The child cluster of a node of an own cluster, as this batch's own."""
    cluster = clusters_of(s)[index]
    child = np.int64(cluster.child[lane])
    if not is_own(s, child):
        child = copy_cluster(s, child)
        cluster.child[lane] = child
    return child


@kernel
def discard_cluster(s, index):
    """Give a cluster back: at once if it is this batch's own."""
    if is_own(s, index):
        give_row(s.clusters, index)
    else:
        retire(s, CLUSTER_ROW, index)


@kernel
def give_leaf(s, leaf):
    """Give a leaf back that nothing reads."""
    if load_int32(s.links + 4 * leaf) != 0:
        store_int32(s.links + 4 * leaf, np.int32(0))
    give_row(s.leaves, leaf)


@kernel
def next_leaf(s, leaf):
    """The next leaf of a chain, or 0. Only a full leaf has one."""
    return np.int64(load_int32(s.links + 4 * leaf))


@kernel
def discard_leaf(s, index, lane):
    """Give back a node's leaf, the whole chain of one: at once if this batch made it. The elements are the caller's."""
    keep_as_call()
    cluster = clusters_of(s)[index]
    leaf = np.int64(cluster.leaf[lane])
    is_fresh = is_own(s, index) and cluster.fresh_leaves >> lane & 1
    while leaf != 0:
        following = next_leaf(s, leaf)
        if is_fresh:
            give_leaf(s, leaf)
        else:
            retire(s, LEAF_ROW, leaf)
        leaf = following


# Values of a node -----------------------------------------------------------------------------------------------------


@kernel
def clear_values(cluster, lane):
    """Bounds, bits and largest level of nothing."""
    for axis in range(3):
        cluster.low[axis, lane], cluster.high[axis, lane] = LARGE, -LARGE
    cluster.bits[lane] = 0
    cluster.max_level[lane] = 0


@kernel
def clear_lane(cluster, lane):
    """An empty node."""
    clear_values(cluster, lane)
    cluster.child[lane] = cluster.leaf[lane] = 0
    cluster.count[lane] = 0


@kernel
def include(cluster, lane, brick):
    """Grow a node's values by a brick."""
    for axis in range(3):
        cluster.low[axis, lane] = min(cluster.low[axis, lane], brick.low[axis])
        cluster.high[axis, lane] = max(cluster.high[axis, lane], brick.high[axis])
    cluster.bits[lane] |= brick.layers
    cluster.max_level[lane] = max(cluster.max_level[lane], brick.level)


@kernel
def include_lanes(cluster, lane, child):
    """Grow a node's values by its eight children."""
    for axis in range(3):
        low, high = cluster.low[axis, lane], cluster.high[axis, lane]
        for k in range(LANES):
            low, high = min(low, child.low[axis, k]), max(high, child.high[axis, k])
        cluster.low[axis, lane], cluster.high[axis, lane] = low, high
    bits, level = cluster.bits[lane], cluster.max_level[lane]
    for k in range(LANES):
        bits |= child.bits[k]
        level = max(level, child.max_level[k])
    cluster.bits[lane], cluster.max_level[lane] = bits, level


@kernel
def renew_values(s, index, lane):
    """Compute a node's values from its leaf and its children."""
    keep_as_call()
    clusters, leaves, bricks = clusters_of(s), leaves_of(s), bricks_of(s)
    cluster = clusters[index]
    clear_values(cluster, lane)
    leaf = np.int64(cluster.leaf[lane])
    while leaf != 0:
        for k in range(LEAF_SIZE):
            row = leaves[leaf].bricks[k]
            if row == 0:
                break
            include(cluster, lane, bricks[row])
        leaf = next_leaf(s, leaf)
    if cluster.child[lane] != 0:
        include_lanes(cluster, lane, clusters[cluster.child[lane]])


@kernel
def has_room(s):
    """Whether the pools have room for one edit, whatever it splits and copies."""
    spare = 32 * (MAX_LEVEL + 1)
    return s.clusters.used + spare < s.clusters.capacity and s.leaves.used + spare < s.leaves.capacity


# Leaves ---------------------------------------------------------------------------------------------------------------


@kernel
def copy_leaves(s, leaf):
    """A copy of a leaf, with all that follow in its chain. The old ones are retired."""
    keep_as_call()
    leaves = leaves_of(s)
    first = last = np.int64(0)
    while leaf != 0:
        new = take_row(s.leaves)
        leaves[new] = leaves[leaf]
        if last != 0:
            store_int32(s.links + 4 * last, np.int32(new))
        else:
            first = new
        following = next_leaf(s, leaf)
        retire(s, LEAF_ROW, leaf)
        leaf, last = following, new
    return first


@kernel
def take_leaf(s):
    """An empty leaf."""
    leaf = take_row(s.leaves)
    entries = leaves_of(s)[leaf].bricks
    for k in range(LEAF_SIZE):
        entries[k] = 0
    return leaf


@kernel
def own_leaf(s, index, lane):
    """The leaf of a node of an own cluster, as this batch's own; an empty one if there is none."""
    keep_as_call()
    cluster = clusters_of(s)[index]
    if cluster.leaf[lane] == 0:
        cluster.leaf[lane] = take_leaf(s)
    elif cluster.fresh_leaves >> lane & 1 == 0:
        cluster.leaf[lane] = copy_leaves(s, np.int64(cluster.leaf[lane]))
    cluster.fresh_leaves |= np.uint8(1 << lane)
    return np.int64(cluster.leaf[lane])


@kernel
def insert_entry(s, entries, row):
    """Insert a brick into a leaf, in ascending order of numbers. Return the row of the one that has no room any more, or 0."""
    bricks = bricks_of(s)
    number = np.int64(bricks[row].number)
    for k in range(LEAF_SIZE):
        held = np.int64(entries[k])
        if held == 0:
            entries[k] = row
            return np.int64(0)
        held_number = np.int64(bricks[held].number)
        if held_number > number:
            entries[k] = row
            row, number = held, held_number
    return row


@kernel
def add_to_leaf(s, index, lane, row):
    """Add an element to a node's leaf, or to its chain of leaves where there are more than eight of them."""
    keep_as_call()
    leaves, cluster = leaves_of(s), clusters_of(s)[index]
    leaf = own_leaf(s, index, lane)
    row = insert_entry(s, leaves[leaf].bricks, row)
    if row == 0:
        cluster.count[lane] += 1
        return
    cluster.count[lane] = CHAIN
    while row != 0:
        following = next_leaf(s, leaf)
        if following == 0:
            following = take_leaf(s)
            store_int32(s.links + 4 * leaf, np.int32(following))
        leaf = following
        row = insert_entry(s, leaves[leaf].bricks, row)


@kernel
def write_leaf(s, index, lane, rows, count):
    """Make up to eight elements, as rows in any order, a node's leaf. Its old leaf is discarded."""
    keep_as_call()
    cluster = clusters_of(s)[index]
    discard_leaf(s, index, lane)
    cluster.leaf[lane] = 0
    cluster.fresh_leaves &= np.uint8(~(1 << lane) & 255)
    cluster.count[lane] = 0
    if count > 0:
        entries = leaves_of(s)[own_leaf(s, index, lane)].bricks
        for k in range(count):
            insert_entry(s, entries, np.int64(rows[k]))
        cluster.count[lane] = count


@kernel
def remove_from_leaf(s, index, lane, row):
    """Remove an element from a node's leaf or chain."""
    keep_as_call()
    leaves, cluster = leaves_of(s), clusters_of(s)[index]
    first = leaf = own_leaf(s, index, lane)
    before, found = np.int64(0), False
    while leaf != 0:
        entries, following = leaves[leaf].bricks, next_leaf(s, leaf)
        for k in range(LEAF_SIZE):
            found = found or np.int64(entries[k]) == row
            if found:
                if k + 1 < LEAF_SIZE:
                    entries[k] = entries[k + 1]
                else:
                    entries[k] = leaves[following].bricks[0] if following != 0 else 0
        if entries[0] == 0:
            give_leaf(s, leaf)
            if before != 0:
                store_int32(s.links + 4 * before, np.int32(0))
        before, leaf = leaf, following
    if cluster.count[lane] != CHAIN:
        cluster.count[lane] -= 1
        if cluster.count[lane] == 0:
            cluster.leaf[lane] = 0
            cluster.fresh_leaves &= np.uint8(~(1 << lane) & 255)
    elif next_leaf(s, first) == 0:
        cluster.count[lane] = LEAF_SIZE


@kernel
def move_lane(source, from_lane, target, to_lane):
    """Copy a node to another lane; its leaf stays this batch's own if it was."""
    for axis in range(3):
        target.low[axis, to_lane], target.high[axis, to_lane] = source.low[axis, from_lane], source.high[axis, from_lane]
    target.child[to_lane], target.leaf[to_lane] = source.child[from_lane], source.leaf[from_lane]
    target.bits[to_lane], target.max_level[to_lane] = source.bits[from_lane], source.max_level[from_lane]
    target.count[to_lane] = source.count[from_lane]
    target.fresh_leaves &= np.uint8(~(1 << to_lane) & 255)
    target.fresh_leaves |= np.uint8((source.fresh_leaves >> from_lane & 1) << to_lane)


@kernel
def is_leafy(cluster, lane, level, brick_level):
    """Whether an element of a level is kept in this node's own leaf: nothing is below, or it is large and not forced down."""
    return cluster.child[lane] == 0 or (brick_level >= level and cluster.count[lane] != OVERFLOWED)
