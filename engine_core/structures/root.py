"""The root: the smallest aligned cube that holds all centres. It grows and shrinks with them, a level at a time.

The root node is lane 0 of a cluster of its own. STRUCTURE holds the prefix of its cube: any element's biased centre >> its level.
"""

import numpy as np

from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array
from .insertion import insert_below
from .nodes import (
    bricks_of, center_of, clusters_of, discard_cluster, discard_leaf, leaves_of, move_lane, octant, own_child,
    own_root, shared_level, take_cluster, write_leaf,
)  # fmt: skip
from .removal import find_large, settle, take_out
from .schema import LANES, LEAF_SIZE, MAX_LEVEL, OVERFLOWED


@kernel
def set_root_cube(s, center, level):
    """Set the level of the root, and its prefix from a centre in it."""
    clusters_of(s)[own_root(s)].level = level
    s.prefix[0], s.prefix[1], s.prefix[2] = center[0] >> level, center[1] >> level, center[2] >> level


@kernel
def corner_of_root(s):
    """The lowest cell of the root's cube."""
    level = np.int64(clusters_of(s)[s.root].level)
    return s.prefix[0] << level, s.prefix[1] << level, s.prefix[2] << level


@kernel
def count_from_level(s, level):
    """Number of elements with a level of at least `level`."""
    count = np.int64(0)
    for k in range(level, MAX_LEVEL + 1):
        count += s.level_counts[k]
    return count


@kernel
def wrap_root(s):
    """Put the root node, with more than eight elements, below a new one, a level higher. Elements that are large there go up."""
    keep_as_call()
    clusters, bricks = clusters_of(s), bricks_of(s)
    corner, root = corner_of_root(s), own_root(s)
    cluster = clusters[root]
    level = np.int64(cluster.level) + 1
    child = take_cluster(s, level - 1)
    lane = octant(corner, level)
    move_lane(cluster, 0, clusters[child], lane)
    clusters[child].elements = cluster.elements
    set_root_cube(s, corner, level)
    cluster.child[0], cluster.leaf[0], cluster.count[0] = child, 0, 0
    cluster.fresh_leaves = 0
    large = count_from_level(s, level)
    if large > LEAF_SIZE:
        cluster.count[0] = OVERFLOWED
        clusters[child].forced = large
        s.splits += 1
    elif large > 0:
        found = stack_array(LEAF_SIZE, np.int64)
        count = find_large(s, child, level, found, LEAF_SIZE)
        for k in range(count):
            take_out(s, child << 3 | octant(center_of(bricks[found[k]]), level), found[k])
        write_leaf(s, root, 0, found, count)
        settle(s, root << 3)
        clusters[root].changed = 0


@kernel
def grow_root(s, center):
    """Grow the root until its cube holds a centre that will be inserted."""
    root = own_root(s)
    elements = np.int64(clusters_of(s)[root].elements)
    if elements == 0:
        set_root_cube(s, center, np.int64(0))
        return
    corner, level = corner_of_root(s), np.int64(clusters_of(s)[root].level)
    wanted = max(level, shared_level(corner, center))
    if elements <= LEAF_SIZE:
        set_root_cube(s, center, wanted)
        return
    for _ in range(wanted - level):
        wrap_root(s)


@kernel
def fit_root_leaf(s):
    """Fit the cube of a root that is a leaf to its elements."""
    bricks, cluster = bricks_of(s), clusters_of(s)[s.root]
    entries = leaves_of(s)[cluster.leaf[0]].bricks
    count, level = np.int64(cluster.count[0]), np.int64(0)
    if count == 0:
        return
    first = center_of(bricks[entries[0]])
    for k in range(1, count):
        level = max(level, shared_level(first, center_of(bricks[entries[k]])))
    if level != cluster.level:
        set_root_cube(s, first, level)


@kernel
def only_lane(s, root):
    """The lane of the only child that holds all of the root's elements, or -1."""
    bricks, cluster = bricks_of(s), clusters_of(s)[root]
    child = clusters_of(s)[cluster.child[0]]
    lane = np.int64(-1)
    for k in range(LANES):
        if child.count[k] != 0 or child.child[k] != 0:
            if lane >= 0:
                return np.int64(-1)
            lane = np.int64(k)
    entries = leaves_of(s)[cluster.leaf[0]].bricks
    for k in range(LEAF_SIZE):
        if cluster.leaf[0] != 0 and entries[k] != 0:
            if octant(center_of(bricks[entries[k]]), np.int64(cluster.level)) != lane:
                return np.int64(-1)
    return lane


@kernel
def lift_child(s, root, lane):
    """Make the only child the root, and insert what was in the root's leaf into it."""
    keep_as_call()
    held = stack_array(LEAF_SIZE, np.int64)
    clusters, leaves = clusters_of(s), leaves_of(s)
    cluster = clusters[root]
    count = 0
    entries = leaves[cluster.leaf[0]].bricks
    for k in range(LEAF_SIZE):
        if cluster.leaf[0] != 0 and entries[k] != 0:
            held[count] = entries[k]
            count += 1
    discard_leaf(s, root, 0)
    child = own_child(s, root, 0)
    move_lane(clusters[child], lane, cluster, 0)
    cluster.elements -= count
    discard_cluster(s, child)
    level = np.int64(cluster.level) - 1
    cluster.level = level
    for axis in range(3):
        s.prefix[axis] = s.prefix[axis] << 1 | (lane >> axis & 1)
    for k in range(count):
        insert_below(s, root << 3, held[k])


@kernel
def shrink_root(s):
    """Shrink the root to the smallest cube that holds all centres."""
    root = s.root
    while clusters_of(s)[root].elements > LEAF_SIZE and clusters_of(s)[root].child[0] != 0:
        lane = only_lane(s, root)
        if lane < 0:
            return
        lift_child(s, root, lane)
    if clusters_of(s)[root].elements <= LEAF_SIZE:
        fit_root_leaf(s)


@kernel
def insert_element(s, row):
    """Insert the brick in a row into the tree."""
    brick = bricks_of(s)[row]
    grow_root(s, center_of(brick))
    s.level_counts[brick.level] += 1
    insert_below(s, own_root(s) << 3, row)


@kernel
def remove_element(s, row):
    """Remove the brick in a row from the tree; its row stays."""
    s.level_counts[bricks_of(s)[row].level] -= 1
    root = own_root(s)
    take_out(s, root << 3, row)
    settle(s, root << 3)
    clusters_of(s)[root].changed = 0
    shrink_root(s)
