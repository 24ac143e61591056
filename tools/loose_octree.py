"""A loose octree over bricks, to compare a structure's tree with: the usual way to hold boxes of very different sizes.

A node is a cube; the bounds that are tested are twice as wide. A node keeps up to sixteen elements before it splits; then those
that fit into a child go down, and larger ones stay (T. Ulrich, "Loose Octrees", Game Programming Gems, 2000; with leaves that
split).
"""

import numpy as np

from scree.runtime.kernel import entry_point, kernel
from scree.runtime.memory import Pool, address_of, stack_array, view
from scree.structures.nodes import center_of, level_of, octant, shared_level
from scree.structures.queries import BRICK_TESTS, NODE_TESTS
from scree.structures.schema import BRICK, REACH

MOST_IN_LEAF = 16
STACK_SIZE = 256
NODE = np.dtype([("children", "i4", 8), ("low", "i4", 3), ("level", "i4"), ("first", "i4"), ("count", "i4"), ("is_split", "i4")])
OCTREE = np.dtype([("nodes", "i8"), ("node_count", "i8"), ("rows", "i8"), ("next", "i8"), ("capacity", "i8")])


@kernel
def _nodes(tree):
    return view(tree.nodes, 2 * tree.capacity, NODE)


@kernel
def _rows(tree):
    return view(tree.rows, tree.capacity, BRICK)


@kernel
def _add(tree, node, element):
    """Put an element, numbered from 1, on a node's list."""
    view(tree.next, tree.capacity + 1, np.int32)[element] = node.first
    node.first = element
    node.count += 1


@kernel
def _child(tree, node, element):
    """The child that an element goes to; it is made where there is none."""
    nodes = _nodes(tree)
    lane = octant(center_of(_rows(tree)[element - 1]), np.int64(node.level))
    if node.children[lane] == 0:
        tree.node_count += 1
        node.children[lane] = tree.node_count
        child, width = nodes[tree.node_count], np.int64(1) << (node.level - 1)
        child.level = node.level - 1
        for axis in range(3):
            child.low[axis] = node.low[axis] + (lane >> axis & 1) * width
    return np.int64(node.children[lane])


@kernel
def _split(tree, node):
    """Split a node: the elements that fit go to its children."""
    nodes, following = _nodes(tree), view(tree.next, tree.capacity + 1, np.int32)
    element = np.int64(node.first)
    node.first, node.count, node.is_split = 0, 0, 1
    while element != 0:
        after = np.int64(following[element])
        if _rows(tree)[element - 1].level < node.level:
            _add(tree, nodes[_child(tree, node, element)], element)
        else:
            _add(tree, node, element)
        element = after


@entry_point("void(int64, int64, int64)")
def insert_bricks(tree_address, begin, end):
    """Insert the rows `begin` to `end - 1`."""
    tree = view(tree_address, 1, OCTREE)[0]
    nodes, rows = _nodes(tree), _rows(tree)
    for i in range(begin, end):
        node = nodes[1]
        while True:
            if node.is_split == 0 and node.count >= MOST_IN_LEAF and node.level > 0:
                _split(tree, node)
            if node.is_split == 0 or rows[i].level >= node.level:
                _add(tree, node, i + 1)
                break
            node = nodes[_child(tree, node, i + 1)]


@entry_point("void(int64, int64)")
def set_root(tree_address, count):
    """Compute the levels of all rows, and make the root the smallest cube that holds their centres."""
    tree = view(tree_address, 1, OCTREE)[0]
    rows, root = _rows(tree), _nodes(tree)[1]
    first, level = center_of(rows[0]), np.int64(0)
    for i in range(count):
        rows[i].level = level_of(rows[i])
        level = max(level, shared_level(first, center_of(rows[i])))
    root.level = level
    for axis in range(3):
        root.low[axis] = (first[axis] >> level << level) - REACH
    tree.node_count = 1


@kernel
def _touches(node, low, high):
    """Whether the loose bounds of a node touch a box."""
    width = np.float64(np.int64(1) << node.level)
    for axis in range(3):
        if node.low[axis] - 0.5 * width > high[axis] or node.low[axis] + 1.5 * width < low[axis]:
            return False
    return True


@entry_point("int64(int64, int64, int64, int64)")
def count_neighbours(tree_address, begin, end, counts_address):
    """Look for the bricks that touch each of the rows `begin` to `end - 1`; tests are added to two int64. Returns how many."""
    tree, counts = view(tree_address, 1, OCTREE)[0], view(counts_address, 2, np.int64)
    nodes, rows, following = _nodes(tree), _rows(tree), view(tree.next, tree.capacity + 1, np.int32)
    waiting = stack_array(STACK_SIZE, np.int64)
    found = np.int64(0)
    for i in range(begin, end):
        low, high = rows[i].low, rows[i].high
        waiting[0] = 1
        depth = 1
        while depth > 0:
            depth -= 1
            node = nodes[waiting[depth]]
            element = np.int64(node.first)
            while element != 0:
                counts[BRICK_TESTS] += 1
                a, b = rows[element - 1].low, rows[element - 1].high
                if a[0] <= high[0] and a[1] <= high[1] and a[2] <= high[2]:
                    if low[0] <= b[0] and low[1] <= b[1] and low[2] <= b[2]:
                        found += 1
                element = np.int64(following[element])
            for lane in range(8):
                if node.children[lane] != 0:
                    counts[NODE_TESTS] += 1
                    if _touches(nodes[node.children[lane]], low, high):
                        waiting[depth] = node.children[lane]
                        depth += 1
    return found


@kernel
def _entry(low, high, origin, way, limit):
    """The fraction at which a ray enters a box, or more than `limit`."""
    near, far = 0.0, limit
    for axis in range(3):
        inverse = 1.0 / way[axis] if abs(way[axis]) > 1e-30 else 1e30
        a, b = (low[axis] - origin[axis]) * inverse, (high[axis] - origin[axis]) * inverse
        near, far = max(near, min(a, b)), min(far, max(a, b))
    return near if near <= far else 2.0 * limit + 1.0


@kernel
def _node_entry(node, origin, way, limit):
    """The fraction at which a ray enters the loose bounds of a node."""
    half = 0.5 * np.float64(np.int64(1) << node.level)
    low = (node.low[0] - half, node.low[1] - half, node.low[2] - half)
    return _entry(low, (low[0] + 4.0 * half, low[1] + 4.0 * half, low[2] + 4.0 * half), origin, way, limit)


@entry_point("void(int64, int64, int64, int64)")
def cast_all(tree_address, rays_address, count, counts_address):
    """Cast `count` rays: rows of origin, direction and the fraction of the nearest hit, which is written (float64, seven each).
    Nearer children first; nodes behind the hit so far are not opened. Tests are added to two int64."""
    tree, counts = view(tree_address, 1, OCTREE)[0], view(counts_address, 2, np.int64)
    nodes, rows, following = _nodes(tree), _rows(tree), view(tree.next, tree.capacity + 1, np.int32)
    given = view(rays_address, 7 * count, np.float64)
    waiting, entered = stack_array(STACK_SIZE, np.int64), stack_array(STACK_SIZE, np.float64)
    for i in range(count):
        ray = given[7 * i : 7 * i + 7]
        origin, way, nearest = ray[0:3], ray[3:6], 1.0
        waiting[0], entered[0] = 1, 0.0
        depth = 1
        while depth > 0:
            depth -= 1
            if entered[depth] > nearest:
                continue
            node = nodes[waiting[depth]]
            element = np.int64(node.first)
            while element != 0:
                counts[BRICK_TESTS] += 1
                nearest = min(nearest, _entry(rows[element - 1].low, rows[element - 1].high, origin, way, nearest))
                element = np.int64(following[element])
            base = depth
            for lane in range(8):
                if node.children[lane] != 0:
                    counts[NODE_TESTS] += 1
                    fraction = _node_entry(nodes[node.children[lane]], origin, way, nearest)
                    if fraction <= nearest:
                        place = depth
                        while place > base and entered[place - 1] < fraction:
                            entered[place], waiting[place] = entered[place - 1], waiting[place - 1]
                            place -= 1
                        entered[place], waiting[place] = fraction, node.children[lane]
                        depth += 1
        ray[6] = nearest


class LooseOctree:
    """A loose octree over rows BRICK, which it keeps."""

    def __init__(self, rows: np.ndarray):
        self.rows = rows.copy()
        self.nodes = Pool("nodes", NODE, 2 * len(rows) + 2)
        self.next = np.zeros(len(rows) + 1, np.int32)
        self.record = np.zeros(1, OCTREE)
        values = (self.nodes.address, 0, address_of(self.rows), address_of(self.next), len(rows))
        self.record[0] = values
        self.address = address_of(self.record)
        set_root(self.address, len(rows))
