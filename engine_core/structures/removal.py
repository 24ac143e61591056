"""Removing one element from the tree, and what follows from it: nodes become leaves again, and force-splits are undone.

First the element is taken out, and the nodes on its way are marked. Then the marked nodes are settled from above: one with at
most eight elements gathers them; one that is overflowed with at most eight large elements left takes these back, each of which
is taken out below and marks more nodes. On the way back up the values of nodes are renewed, as far as they changed.
"""

import numpy as np

from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array
from .nodes import (
    bricks_of, center_of, clusters_of, discard_cluster, discard_leaf, is_leafy, leaves_of, next_leaf, octant, own_child,
    remove_from_leaf, renew_values, write_leaf,
)  # fmt: skip
from .schema import LANES, LEAF_SIZE, MAX_LEVEL, OVERFLOWED

WAITING = 9 * (MAX_LEVEL + 2)
"""Nodes that wait: each level adds eight children at most, and their parent for the way back."""


@kernel
def take_out(s, node, row):
    """Remove an element below a node of an own cluster, from counts and its leaf, and mark the nodes on the way."""
    keep_as_call()
    clusters, brick = clusters_of(s), bricks_of(s)[row]
    center, own_level = center_of(brick), np.int64(brick.level)
    index, lane = node >> 3, node & 7
    while True:
        cluster = clusters[index]
        level, count = np.int64(cluster.level), np.int64(cluster.count[lane])
        cluster.elements -= 1
        cluster.dirty |= np.uint8(1 << lane)
        if is_leafy(cluster, lane, level, own_level):
            remove_from_leaf(s, index, lane, row)
            cluster.changed |= np.uint8(1 << lane)
            return
        child = own_child(s, index, lane)
        if own_level >= level and count == OVERFLOWED:
            clusters[child].forced -= 1
        index, lane = child, octant(center, level)


@kernel
def find_large(s, index, level, found, most):
    """Find up to `most` elements in and below a cluster with a level of at least `level`. Returns their number."""
    keep_as_call()
    waiting = stack_array(WAITING, np.int64)
    clusters, leaves, bricks = clusters_of(s), leaves_of(s), bricks_of(s)
    waiting[0] = index
    depth, count = 1, 0
    while depth > 0:
        depth -= 1
        cluster = clusters[waiting[depth]]
        for lane in range(LANES):
            if cluster.max_level[lane] < level:
                continue
            leaf = np.int64(cluster.leaf[lane])
            while leaf != 0:
                for k in range(LEAF_SIZE):
                    row = np.int64(leaves[leaf].bricks[k])
                    if row == 0:
                        break
                    if bricks[row].level >= level and count < most:
                        found[count] = row
                        count += 1
                leaf = next_leaf(s, leaf)
            if cluster.child[lane] != 0:
                waiting[depth] = cluster.child[lane]
                depth += 1
    return count


@kernel
def join(s, index, lane):
    """Gather the at most eight elements below a node in its leaf."""
    keep_as_call()
    waiting, found = stack_array(WAITING, np.int64), stack_array(LEAF_SIZE, np.int64)
    clusters, leaves = clusters_of(s), leaves_of(s)
    cluster = clusters[index]
    count = find_large(s, np.int64(cluster.child[lane]), np.int64(0), found, LEAF_SIZE)
    entries = leaves[cluster.leaf[lane]].bricks
    for k in range(LEAF_SIZE):
        if cluster.leaf[lane] != 0 and entries[k] != 0:
            found[count] = entries[k]
            count += 1
    waiting[0] = cluster.child[lane]
    depth = 1
    while depth > 0:
        depth -= 1
        gone = waiting[depth]
        for k in range(LANES):
            discard_leaf(s, gone, k)
            if clusters[gone].child[k] != 0:
                waiting[depth] = clusters[gone].child[k]
                depth += 1
        discard_cluster(s, gone)
    cluster.child[lane] = 0
    write_leaf(s, index, lane, found, count)
    cluster.changed |= np.uint8(1 << lane)


@kernel
def undo_split(s, index, lane):
    """Take the at most eight large elements of an overflowed node back into its leaf."""
    keep_as_call()
    found = stack_array(LEAF_SIZE, np.int64)
    clusters, bricks = clusters_of(s), bricks_of(s)
    level = np.int64(clusters[index].level)
    child = own_child(s, index, lane)
    count = find_large(s, child, level, found, LEAF_SIZE)
    for k in range(count):
        take_out(s, child << 3 | octant(center_of(bricks[found[k]]), level), found[k])
    clusters[child].forced = 0
    write_leaf(s, index, lane, found, count)
    s.undone_splits += 1


@kernel
def renew(s, index, lane):
    """Compute a node's values if they may have changed, and note whether they did."""
    clusters = clusters_of(s)
    cluster, bit = clusters[index], np.uint8(1 << lane)
    child = np.int64(cluster.child[lane])
    may_differ = cluster.changed & bit != 0
    if child != 0 and clusters[child].changed != 0:
        may_differ = True
        clusters[child].changed = 0
    cluster.changed &= np.uint8(~np.int64(bit) & 255)
    if not may_differ:
        return
    low_x, low_y, low_z = cluster.low[0, lane], cluster.low[1, lane], cluster.low[2, lane]
    high_x, high_y, high_z = cluster.high[0, lane], cluster.high[1, lane], cluster.high[2, lane]
    bits, level = cluster.bits[lane], cluster.max_level[lane]
    renew_values(s, index, lane)
    is_same = low_x == cluster.low[0, lane] and low_y == cluster.low[1, lane] and low_z == cluster.low[2, lane]
    is_same = is_same and high_x == cluster.high[0, lane] and high_y == cluster.high[1, lane]
    is_same = is_same and high_z == cluster.high[2, lane] and bits == cluster.bits[lane] and level == cluster.max_level[lane]
    if not is_same:
        cluster.changed |= bit


@kernel
def settle(s, node):
    """Make the tree below a node of an own cluster canonical again after elements were taken out."""
    keep_as_call()
    waiting = stack_array(WAITING, np.int64)
    clusters = clusters_of(s)
    waiting[0] = node
    depth = 1
    while depth > 0:
        depth -= 1
        if waiting[depth] < 0:
            renew(s, ~waiting[depth] >> 3, ~waiting[depth] & 7)
            continue
        index, lane = waiting[depth] >> 3, waiting[depth] & 7
        cluster = clusters[index]
        cluster.dirty &= np.uint8(~(1 << lane) & 255)
        waiting[depth] = ~waiting[depth]
        depth += 1
        child = np.int64(cluster.child[lane])
        if child == 0:
            continue
        is_overflowed = cluster.count[lane] == OVERFLOWED
        kept = np.int64(0) if is_overflowed else np.int64(cluster.count[lane])
        if kept + clusters[child].elements <= LEAF_SIZE:
            join(s, index, lane)
            continue
        if is_overflowed and clusters[child].forced <= LEAF_SIZE:
            undo_split(s, index, lane)
            child = np.int64(cluster.child[lane])
        for k in range(LANES):
            if clusters[child].dirty >> k & 1:
                waiting[depth] = child << 3 | k
                depth += 1
