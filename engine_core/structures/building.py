"""Building the tree of many elements at once, onto an empty structure. The result is what inserting them one by one gives.

Parts of a list of elements are partitioned in place by the rules of insertion.py, from above; values follow on the way back up.
"""

import numpy as np

from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array
from .nodes import (
    add_to_leaf, bricks_of, center_of, clusters_of, octant, own_root, renew_values, shared_level, take_cluster, write_leaf,
)  # fmt: skip
from .root import set_root_cube
from .schema import LANES, LEAF_SIZE, MAX_LEVEL, OVERFLOWED

WAITING = 9 * (MAX_LEVEL + 2)
STAY, PARTS, BORDERS = LANES, LANES + 1, LANES + 2
"""Parts of a split: one a lane, and the elements that stay."""


@kernel
def part_of(brick, level, is_overflowed):
    """The part of a split that an element of a node of this level belongs to."""
    if brick.level >= level and not is_overflowed:
        return np.int64(STAY)
    return octant(center_of(brick), level)


@kernel
def partition(s, level, is_overflowed, rows, scratch, begin, end, starts):
    """Order the elements `begin` to `end - 1` by part, in each part as they were. The parts begin at `starts`, the last one ends
    with the next entry."""
    keep_as_call()
    bricks = bricks_of(s)
    for part in range(BORDERS):
        starts[part] = 0
    for i in range(begin, end):
        starts[part_of(bricks[rows[i]], level, is_overflowed) + 1] += 1
    starts[0] = begin
    for part in range(PARTS):
        starts[part + 1] += starts[part]
    filled = stack_array(PARTS, np.int64)
    for part in range(PARTS):
        filled[part] = starts[part]
    for i in range(begin, end):
        part = part_of(bricks[rows[i]], level, is_overflowed)
        scratch[filled[part]] = rows[i]
        filled[part] += 1
    for i in range(begin, end):
        rows[i] = scratch[i]


@kernel
def split_range(s, index, lane, rows, scratch, begin, end, starts):
    """Make a node of more than eight elements: its leaf, and an empty child cluster. Returns the child."""
    clusters, bricks = clusters_of(s), bricks_of(s)
    cluster = clusters[index]
    level = np.int64(cluster.level)
    large = 0
    for i in range(begin, end):
        if bricks[rows[i]].level >= level:
            large += 1
    is_overflowed = large > LEAF_SIZE
    partition(s, level, is_overflowed, rows, scratch, begin, end, starts)
    write_leaf(s, index, lane, rows[starts[STAY] : end], end - starts[STAY])
    child = take_cluster(s, level - 1)
    cluster.child[lane] = child
    clusters[child].elements = starts[STAY] - begin
    if is_overflowed:
        cluster.count[lane] = OVERFLOWED
        clusters[child].forced = large
        s.splits += 1
    return child


@kernel
def build_below(s, node, rows, scratch, count):
    """Build the tree of elements, given as rows in ascending order of their numbers, below an empty node of an own cluster. Both
    lists are written."""
    keep_as_call()
    begins, ends = stack_array(WAITING, np.int64), stack_array(WAITING, np.int64)
    nodes, starts = stack_array(WAITING, np.int64), stack_array(BORDERS, np.int64)
    begins[0], ends[0], nodes[0] = 0, count, node
    depth = 1
    while depth > 0:
        depth -= 1
        begin, end, node = begins[depth], ends[depth], nodes[depth]
        if node < 0:
            renew_values(s, ~node >> 3, ~node & 7)
            continue
        nodes[depth] = ~node
        depth += 1
        index, lane = node >> 3, node & 7
        if end - begin <= LEAF_SIZE or clusters_of(s)[index].level == 0:
            for i in range(begin, end):
                add_to_leaf(s, index, lane, np.int64(rows[i]))
            continue
        child = split_range(s, index, lane, rows, scratch, begin, end, starts)
        for k in range(LANES):
            if starts[k + 1] > starts[k]:
                begins[depth], ends[depth], nodes[depth] = starts[k], starts[k + 1], child << 3 | k
                depth += 1


@kernel
def build_tree(s, rows, scratch, count):
    """Build the tree of an empty structure from the rows of its bricks, in ascending order of their numbers. Both lists are
    written."""
    bricks = bricks_of(s)
    root = own_root(s)
    first, level = center_of(bricks[rows[0]]), np.int64(0)
    for i in range(count):
        brick = bricks[rows[i]]
        level = max(level, shared_level(first, center_of(brick)))
        s.level_counts[brick.level] += 1
    set_root_cube(s, first, level)
    clusters_of(s)[root].elements = count
    build_below(s, root << 3, rows, scratch, count)
