"""Inserting one element into the tree.

The rules, from which the same set gives the same tree whatever its history: a node with at most eight elements below it is a
leaf. Of more, those whose level is the node's or above stay in its leaf, unless they are more than eight: then the node is
overflowed, and they are forced down too. The others, and forced ones, go to the child whose cube holds their centre. At level 0,
where no cube is smaller, a node has a chain of leaves.
"""

import numpy as np

from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array
from .nodes import (
    add_to_leaf, bricks_of, center_of, clusters_of, include, is_leafy, leaves_of, octant, own_child, take_cluster, write_leaf,
)  # fmt: skip
from .schema import LEAF_SIZE, MAX_LEVEL, OVERFLOWED

WAITING = 10 * (MAX_LEVEL + 2)
"""Elements that wait to go down: each level adds nine at most and takes one."""

NINE = LEAF_SIZE + 1


@kernel
def make_room(s, index, lane, row, nodes, rows, depth):
    """Split a node, or force its large elements down, for a ninth element. Those that go down are added to the `depth` waiting
    ones, as nodes and rows of bricks. Returns how many wait."""
    keep_as_call()
    bricks = bricks_of(s)
    nine = stack_array(NINE, np.int64)
    staying = stack_array(NINE, np.int64)
    cluster = clusters_of(s)[index]
    level = np.int64(cluster.level)
    entries = leaves_of(s)[cluster.leaf[lane]].bricks
    large = 0
    for k in range(NINE):
        nine[k] = np.int64(entries[k]) if k < LEAF_SIZE else row
        if bricks[nine[k]].level >= level:
            staying[large] = nine[k]
            large += 1
    if cluster.child[lane] == 0:
        cluster.child[lane] = take_cluster(s, level - 1)
    child = own_child(s, index, lane)
    is_overflowed = large > LEAF_SIZE
    write_leaf(s, index, lane, staying, 0 if is_overflowed else large)
    if is_overflowed:
        cluster.count[lane] = OVERFLOWED
        clusters_of(s)[child].forced = large
        s.splits += 1
    for k in range(NINE):
        if is_overflowed or bricks[nine[k]].level < level:
            nodes[depth] = child << 3 | octant(center_of(bricks[nine[k]]), level)
            rows[depth] = nine[k]
            depth += 1
    return depth


@kernel
def insert_below(s, node, row):
    """Insert an element below a node of an own cluster."""
    keep_as_call()
    nodes, rows = stack_array(WAITING, np.int64), stack_array(WAITING, np.int64)
    clusters, bricks = clusters_of(s), bricks_of(s)
    nodes[0], rows[0] = node, row
    depth = 1
    while depth > 0:
        depth -= 1
        index, lane, row = nodes[depth] >> 3, nodes[depth] & 7, rows[depth]
        brick = bricks[row]
        center, own_level = center_of(brick), np.int64(brick.level)
        while True:
            cluster = clusters[index]
            level, count = np.int64(cluster.level), np.int64(cluster.count[lane])
            cluster.elements += 1
            include(cluster, lane, brick)
            if is_leafy(cluster, lane, level, own_level):
                if count < LEAF_SIZE or level == 0:
                    add_to_leaf(s, index, lane, row)
                else:
                    depth = make_room(s, index, lane, row, nodes, rows, depth)
                break
            child = own_child(s, index, lane)
            if own_level >= level and count == OVERFLOWED:
                clusters[child].forced += 1
            index, lane = child, octant(center, level)
