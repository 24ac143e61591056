"""Building a balanced tree of four-way nodes from bodies and whole sub-trees, optionally in slices.

Top down: split at the middle of the longest axis of the bounds of the centres, both halves again, four children (after Jolt
Physics, QuadTree::BuildTree). Sixteen items and fewer are cut into full nodes instead: fewer nodes to build, to keep and to
visit. No other thread can reach what is built here before it is done.
"""

import numpy as np

from scree.broad_phase.nodes import (
    CHILDREN,
    HEIGHT,
    INFO_SIZE,
    INFOS,
    NODE_SIZE,
    NODES,
    NOWHERE,
    PARENT,
    clear_node,
    give_chain,
    set_parent,
    set_slot,
    take_nodes,
    union_of_slots,
)
from scree.broad_phase.schema import BUILD, ENDLESS, ITEM, KEY, RANGE, RANGE_CAPACITY
from scree.runtime.call import load_float32, load_int32, load_int64, store_float32, store_int32
from scree.runtime.kernel import kernel
from scree.runtime.memory import address_of_row, stack_array, view
from scree.runtime.vector4 import lane4, load4, max4, min4, splat4, store4

ITEM_SIZE, KEY_SIZE = ITEM.itemsize, KEY.itemsize
ITEM_CHILD, ITEM_LOCATION = ITEM.fields["child"][1], ITEM.fields["location"][1]
LAST_SPATIAL_LEVEL = 10
"""Below this level ranges are halved by count, so that no arrangement of bodies makes a deep tree."""
RESERVE = 32  # nodes taken from the pool at a time
SMALL = 16
"""Ranges of this many items and fewer are cut into groups of four."""
CUT_AT_ONCE = 2048
"""Ranges of this many items and fewer are not cut in slices [0.03 ms]."""
KEYS_A_UNIT = 32
"""The number of keys processed per unit of the budget."""
UNTOUCHED = 0
FIRST_CUT, LOWER_CUT, UPPER_CUT, WHOLLY_CUT = 1, 2, 3, 4
FINDING_BOUNDS, PARTITIONING, HALVED = 1, 2, 3
INT64 = np.int64


@kernel
def add_item(build, bounds_address, child, location):
    """Append a body or a sub-tree to the items to be built."""
    record = view(build, 1, BUILD)[0]
    count = record.item_count
    item, key = record.items + count * ITEM_SIZE, record.keys + count * KEY_SIZE
    for axis in range(3):
        low, high = load_float32(bounds_address + 4 * axis), load_float32(bounds_address + 12 + 4 * axis)
        store_float32(item + 4 * axis, low)
        store_float32(item + 12 + 4 * axis, high)
        store_float32(key + 4 * axis, low + high)
    store_int32(item + ITEM_CHILD, np.int32(child))
    store_int32(item + ITEM_LOCATION, np.int32(location))
    store_int32(key + 12, np.int32(count))
    record.item_count = count + 1


@kernel
def start_build(build, born):
    """Start without items."""
    record = view(build, 1, BUILD)[0]
    record.item_count = 0
    record.created_count = 0
    record.range_count = 0
    record.reserve = NOWHERE
    record.position = 0
    record.cut = UNTOUCHED
    record.root = NOWHERE
    record.born = born
    record.failed = 0


@kernel
def _new_node(tree, build, parent):
    record = view(build, 1, BUILD)[0]
    if record.reserve < 0:
        record.reserve = take_nodes(tree, RESERVE)
        if record.reserve < 0:
            record.failed = 1
            return np.int64(-1)
    node = record.reserve
    record.reserve = np.int64(load_int32(load_int64(tree + INFOS) + node * INFO_SIZE))
    node_address = load_int64(tree + NODES) + node * NODE_SIZE
    clear_node(node_address, record.born)
    set_parent(node_address, parent)
    store_int32(record.created + 4 * record.created_count, np.int32(node))
    record.created_count += 1
    return node


@kernel
def longest_axis(low, high):
    """The axis along which bounds are longest."""
    extent = high - low
    axis = 0
    if lane4(extent, 1) > lane4(extent, axis):
        axis = 1
    if lane4(extent, 2) > lane4(extent, axis):
        axis = 2
    return axis


@kernel
def bounds_of_centres(keys, begin, end):
    """Lowest and highest of the keys `begin` to `end - 1`, and their longest axis."""
    low = load4(keys + begin * KEY_SIZE)
    high = low
    for i in range(begin + 1, end):
        key = load4(keys + i * KEY_SIZE)
        low, high = min4(key, low), max4(key, high)
    return low, high, longest_axis(low, high)


@kernel
def sort_longest_axis(keys, begin, end):
    """Sort a few keys along their longest axis, by insertion."""
    _, _, axis = bounds_of_centres(keys, begin, end)
    column = keys + 4 * axis
    for i in range(begin + 1, end):
        key, value = load4(keys + i * KEY_SIZE), load_float32(column + i * KEY_SIZE)
        k = i
        while k > begin and load_float32(column + (k - 1) * KEY_SIZE) > value:
            store4(keys + k * KEY_SIZE, load4(keys + (k - 1) * KEY_SIZE))
            k -= 1
        store4(keys + k * KEY_SIZE, key)


@kernel
def cut_small(keys, begin, end, cuts):
    """Cut at most SMALL keys into four groups of four, or of one if that fills the node; a group may be empty."""
    middle = begin + 4 * ((end - begin + 4) // 8)
    sort_longest_axis(keys, begin, end)
    if middle - begin > 4:
        sort_longest_axis(keys, begin, middle)
    if end - middle > 4:
        sort_longest_axis(keys, middle, end)
    cuts[0] = begin
    for slot in range(4):
        left = end - cuts[slot]
        cuts[slot + 1] = cuts[slot] + (min(left, 1) if left <= 4 - slot else min(left, 4))


@kernel
def halve_slice(record, begin, end, level, budget):
    """Continue partitioning the keys `begin` to `end - 1` at the middle of the longest axis. Return the remaining budget; once
    `pass_` is HALVED, the second half begins at `left`."""
    if end - begin <= 2 or level > LAST_SPATIAL_LEVEL:
        record.left, record.pass_ = begin + (end - begin) // 2, HALVED
        return budget
    keys, low_address, high_address = record.keys, address_of_row(record.low, 0), address_of_row(record.high, 0)
    if record.pass_ == UNTOUCHED:
        store4(low_address, load4(keys + begin * KEY_SIZE))
        store4(high_address, load4(keys + begin * KEY_SIZE))
        record.left, record.pass_ = begin, FINDING_BOUNDS
    low, high = load4(low_address), load4(high_address)
    if record.pass_ == FINDING_BOUNDS:
        stop = min(end, record.left + KEYS_A_UNIT * budget)
        for i in range(record.left, stop):
            key = load4(keys + i * KEY_SIZE)
            low, high = min4(key, low), max4(key, high)
        store4(low_address, low)
        store4(high_address, high)
        budget -= (stop - record.left) // KEYS_A_UNIT
        record.left = stop
        if stop < end:
            return INT64(0)
        record.left, record.right, record.pass_ = begin, end, PARTITIONING
    axis = longest_axis(low, high)
    middle = lane4((low + high) * splat4(np.float32(0.5)), axis)
    column = keys + 4 * axis
    left, right = record.left, record.right
    looks = KEYS_A_UNIT * max(budget, 1)
    while left < right and looks > 0:
        looks -= 1
        if load_float32(column + left * KEY_SIZE) < middle:
            left += 1
        elif load_float32(column + (right - 1) * KEY_SIZE) >= middle:
            right -= 1
        else:
            right -= 1
            first, second = load4(keys + left * KEY_SIZE), load4(keys + right * KEY_SIZE)
            store4(keys + left * KEY_SIZE, second)
            store4(keys + right * KEY_SIZE, first)
            left += 1
    record.left, record.right = left, right
    if left < right:
        return INT64(0)
    if left == begin or left == end:
        record.left = begin + (end - begin) // 2
    record.pass_ = HALVED
    return looks // KEYS_A_UNIT


@kernel
def cut_range(record, begin, end, level, budget):
    """Continue cutting a range into four groups: in two, then each half in two. Return the remaining budget; once `cut` is
    WHOLLY_CUT, the groups begin and end at `cuts`."""
    cuts = record.cuts
    if record.cut == UNTOUCHED:
        cuts[0], cuts[4], record.cut, record.pass_ = begin, end, FIRST_CUT, UNTOUCHED
    while record.cut != WHOLLY_CUT and budget > 0:
        low = 2 if record.cut == UPPER_CUT else 0
        high = 2 if record.cut == LOWER_CUT else 4
        budget = halve_slice(record, cuts[low], cuts[high], level, budget)
        if record.pass_ == HALVED:
            cuts[(low + high) // 2] = record.left
            record.cut, record.pass_ = record.cut + 1, UNTOUCHED
    return budget


@kernel
def _push_range(record, begin, end, location, level):
    entry = view(record.ranges, RANGE_CAPACITY, RANGE)[record.range_count]
    entry.begin = begin
    entry.end = end
    entry.location = location
    entry.level = level
    record.range_count += 1


@kernel
def _fill_slot(record, nodes, position, location):
    """Put the item of a key into its slot, and store the slot in the key."""
    key = record.keys + position * KEY_SIZE
    item = record.items + np.int64(load_int32(key + 12)) * ITEM_SIZE
    node_address, slot = nodes + (location >> 2) * NODE_SIZE, location & 3
    store_int32(node_address + CHILDREN + 4 * slot, load_int32(item + ITEM_CHILD))
    set_slot(node_address, slot, item)
    store_int32(key, np.int32(location))


@kernel
def make_nodes(tree, build, budget):
    """Split ranges until all are in nodes or the budget of items is used up. Return the remaining budget."""
    record = view(build, 1, BUILD)[0]
    nodes = load_int64(tree + NODES)
    if record.created_count == 0 and record.range_count == 0:  # a call without budget leaves the first range for the next
        _push_range(record, 0, record.item_count, NOWHERE, 0)
    cuts = record.cuts
    while record.range_count > 0 and budget > 0:
        entry = view(record.ranges, RANGE_CAPACITY, RANGE)[record.range_count - 1]
        begin, end = np.int64(entry.begin), np.int64(entry.end)
        location, level = np.int64(entry.location), np.int64(entry.level)
        if end - begin > SMALL:
            if end - begin <= CUT_AT_ONCE:
                cut_range(record, begin, end, level, np.int64(ENDLESS))
                budget -= (end - begin) >> 3
            else:
                budget = cut_range(record, begin, end, level, budget)
                if record.cut != WHOLLY_CUT:
                    return INT64(0)
            record.cut = UNTOUCHED
        record.range_count -= 1
        node = _new_node(tree, build, location)
        if node < 0:
            return budget
        if location >= 0:
            store_int32(nodes + (location >> 2) * NODE_SIZE + CHILDREN + 4 * (location & 3), np.int32(node))
        else:
            record.root = node
        if end - begin <= 4:
            for i in range(begin, end):
                _fill_slot(record, nodes, i, (node << 2) | (i - begin))
            budget -= end - begin
            continue
        if end - begin <= SMALL:
            cut_small(record.keys, begin, end, cuts)
            budget -= (end - begin) >> 3
        for slot in range(4):
            size = cuts[slot + 1] - cuts[slot]
            if size == 1:
                _fill_slot(record, nodes, cuts[slot], (node << 2) | slot)
            elif size > 1:
                _push_range(record, cuts[slot], cuts[slot + 1], (node << 2) | slot, level + 1)
    if record.range_count == 0:
        record.position = record.created_count
    return budget


@kernel
def sum_up(tree, build, budget):
    """Compute bounds and heights from the last node made to the root. Return the remaining budget (position 0: done)."""
    record = view(build, 1, BUILD)[0]
    nodes, infos = load_int64(tree + NODES), load_int64(tree + INFOS)
    bounds = stack_array(6, np.float32)
    bounds_address = address_of_row(bounds, 0)
    position = record.position
    while position > 0 and budget > 0:
        position -= 1
        budget -= 1
        node = np.int64(load_int32(record.created + 4 * position))
        node_address = nodes + node * NODE_SIZE
        height = 0
        for slot in range(4):
            child = np.int64(load_int32(node_address + CHILDREN + 4 * slot))
            if child >= 0:
                height = max(height, np.int64(load_int32(infos + child * INFO_SIZE + HEIGHT)) + 1)
        store_int32(infos + node * INFO_SIZE + HEIGHT, np.int32(height))
        parent = np.int64(load_int32(node_address + PARENT))
        if parent >= 0:
            union_of_slots(node_address, bounds_address)
            set_slot(nodes + (parent >> 2) * NODE_SIZE, parent & 3, bounds_address)
    record.position = position
    if position == 0 and record.reserve >= 0:
        last = record.reserve
        while load_int32(infos + last * INFO_SIZE) >= 0:
            last = np.int64(load_int32(infos + last * INFO_SIZE))
        give_chain(tree, record.reserve, last)
        record.reserve = NOWHERE
    return budget
