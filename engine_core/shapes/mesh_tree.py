"""Bounding trees of triangle meshes: eight children a node, up to eight triangles a leaf.

Built top-down by the surface area heuristic, binned for many triangles (I. Wald, "On fast Construction of SAH-based Bounding
Volume Hierarchies", 2007), swept for few. A range is split in two up to seven times to make a node. There is no recursion:
waiting ranges are on a stack.
"""

import math

import numpy as np

from ..runtime.atomics import add_int64
from ..runtime.kernel import kernel
from ..runtime.memory import view, view2
from .schema import MAX_LEAF_TRIANGLES, MESH_CHILDREN, MESH_NODE, MESH_STACK_SIZE, MESH_WIDTH, NO_CHILD

ITEM_WORDS = 8
"""An item is a triangle while the tree is built: bounds (6 floats), its number (int), one word unused."""
_MEDIAN_DEPTH = 20
"""From this depth on ranges are halved by count, so that no tree exceeds MESH_STACK_SIZE."""
_BINS = 16
_FULL_NODE = MESH_WIDTH * MAX_LEAF_TRIANGLES
"""The number of triangles of a node with full leaves."""
_FAR = 1e30
_MARGIN, _LEAST_MARGIN = 4e-7, 1e-30
"""Margin of bounds, in parts of their size and in [m]."""


@kernel
def make_items(vertices, triangles, count, items, numbers):
    """Compute bounds and number of each triangle. `items` and `numbers` are the same memory as floats and as ints."""
    for i in range(count):
        a, b, c = triangles[i, 0], triangles[i, 1], triangles[i, 2]
        for axis in range(3):
            x, y, z = vertices[a, axis], vertices[b, axis], vertices[c, axis]
            items[i, axis] = min(x, min(y, z))
            items[i, axis + 3] = max(x, max(y, z))
        numbers[i, 6] = i


@kernel
def _range_bounds(items, begin, end, bounds):
    """Write the bounds of the items to `bounds[0:6]`, and those of their centres (doubled) to `bounds[6:12]`."""
    for axis in range(3):
        bounds[axis] = bounds[axis + 6] = np.float32(_FAR)
        bounds[axis + 3] = bounds[axis + 9] = np.float32(-_FAR)
    for i in range(begin, end):
        for axis in range(3):
            low, high = items[i, axis], items[i, axis + 3]
            middle = low + high
            bounds[axis] = min(bounds[axis], low)
            bounds[axis + 3] = max(bounds[axis + 3], high)
            bounds[axis + 6] = min(bounds[axis + 6], middle)
            bounds[axis + 9] = max(bounds[axis + 9], middle)


@kernel
def _half_area(b, at):
    x, y, z = b[at + 3] - b[at], b[at + 4] - b[at + 1], b[at + 5] - b[at + 2]
    return x * y + y * z + z * x


@kernel
def _swap(numbers, i, j):
    for word in range(ITEM_WORDS):
        kept = numbers[i, word]
        numbers[i, word] = numbers[j, word]
        numbers[j, word] = kept


@kernel
def _longest_axis(bounds):
    axis = 0
    for other in range(1, 3):
        if bounds[other + 9] - bounds[other + 6] > bounds[axis + 9] - bounds[axis + 6]:
            axis = other
    return axis


@kernel
def _sort_along(items, numbers, begin, end, axis):
    """Shell sort by the centres along an axis."""
    for gap in (23, 10, 4, 1):
        for i in range(begin + gap, end):
            j = i
            while j >= begin + gap:
                before = items[j - gap, axis] + items[j - gap, axis + 3]
                if before <= items[j, axis] + items[j, axis + 3]:
                    break
                _swap(numbers, j, j - gap)
                j -= gap


@kernel
def _sweep_split(items, numbers, begin, end, axis, areas):
    """Sort few items along an axis and return the best split that gives full leaves."""
    _sort_along(items, numbers, begin, end, axis)
    count = end - begin
    b = areas[_FULL_NODE : _FULL_NODE + 6]
    for direction in range(2):
        for k in range(3):
            b[k], b[k + 3] = np.float32(_FAR), np.float32(-_FAR)
        for step in range(count - 1):
            i = begin + step if direction == 0 else end - 1 - step
            for k in range(3):
                b[k] = min(b[k], items[i, k])
                b[k + 3] = max(b[k + 3], items[i, k + 3])
            area = _half_area(b, 0)
            if direction == 0:
                areas[step + 1] = area * np.float32(step + 1)
            else:
                areas[count - 1 - step] += area * np.float32(step + 1)
    # Only whole leaves to the left, so that few nodes have free slots.
    best, least = MAX_LEAF_TRIANGLES, np.float32(np.inf)
    for left in range(MAX_LEAF_TRIANGLES, count, MAX_LEAF_TRIANGLES):
        if areas[left] < least:
            least, best = areas[left], left
    return begin + best


@kernel
def _fill_bins(items, begin, end, bounds, bins, counts):
    """Sort the items into bins by their centres along each axis: bounds and number of each bin."""
    for i in range(3 * _BINS):
        counts[i] = 0
        for k in range(3):
            bins[i, k], bins[i, k + 3] = np.float32(_FAR), np.float32(-_FAR)
    for i in range(begin, end):
        for axis in range(3):
            width = bounds[axis + 9] - bounds[axis + 6]
            if width <= 0.0:
                continue
            place = (items[i, axis] + items[i, axis + 3] - bounds[axis + 6]) * (np.float32(_BINS * 0.9999) / width)
            row = axis * _BINS + min(int(place), _BINS - 1)
            counts[row] += 1
            for k in range(3):
                bins[row, k] = min(bins[row, k], items[i, k])
                bins[row, k + 3] = max(bins[row, k + 3], items[i, k + 3])


@kernel
def _best_bin(bins, counts, total, bounds, areas):
    """Axis and first bin of the right half of the best split; axis -1 if none separates the items."""
    best_axis, best_bin, least = -1, 0, np.float32(np.inf)
    b = areas[_FULL_NODE : _FULL_NODE + 6]
    for axis in range(3):
        if bounds[axis + 9] <= bounds[axis + 6]:
            continue
        for direction in range(2):
            for k in range(3):
                b[k], b[k + 3] = np.float32(_FAR), np.float32(-_FAR)
            count = 0
            for step in range(_BINS - 1):
                row = step if direction == 0 else _BINS - 1 - step
                count += counts[axis * _BINS + row]
                for k in range(3):
                    b[k] = min(b[k], bins[axis * _BINS + row, k])
                    b[k + 3] = max(b[k + 3], bins[axis * _BINS + row, k + 3])
                cost = np.float32(np.inf) if count == 0 or count == total else _half_area(b, 0) * np.float32(count)
                if direction == 0:
                    areas[row + 1] = cost
                elif areas[row] + cost < least:
                    least, best_axis, best_bin = areas[row] + cost, axis, row
    return best_axis, best_bin


@kernel
def _partition(items, numbers, begin, end, axis, bounds, first_right_bin):
    """Move the items of the bins left of `first_right_bin` to the front. Return the border."""
    factor = np.float32(_BINS * 0.9999) / (bounds[axis + 9] - bounds[axis + 6])
    i, j = begin, end - 1
    while i <= j:
        place = (items[i, axis] + items[i, axis + 3] - bounds[axis + 6]) * factor
        if min(int(place), _BINS - 1) < first_right_bin:
            i += 1
        else:
            _swap(numbers, i, j)
            j -= 1
    return i


@kernel
def _split(items, numbers, begin, end, bounds, is_median, bins, counts, areas):
    """Split a range in two. Return the border."""
    middle = begin + (end - begin + 2 * MAX_LEAF_TRIANGLES - 1) // (2 * MAX_LEAF_TRIANGLES) * MAX_LEAF_TRIANGLES
    if end - begin <= _FULL_NODE:
        split = _sweep_split(items, numbers, begin, end, _longest_axis(bounds), areas)
        return middle if is_median else split
    if is_median:
        return middle
    _fill_bins(items, begin, end, bounds, bins, counts)
    axis, first_right_bin = _best_bin(bins, counts, end - begin, bounds, areas)
    if axis < 0:
        return middle
    return _partition(items, numbers, begin, end, axis, bounds, first_right_bin)


@kernel
def _split_in_eight(items, numbers, ranges, bounds, is_median, bins, counts, areas):
    """Split the range in row 0 of `ranges` into up to eight, largest surface first. Return their number."""
    range_count = 1
    # A range that fills one node of full leaves is not split further at a higher level.
    is_last = ranges[0, 1] - ranges[0, 0] <= _FULL_NODE
    least = MAX_LEAF_TRIANGLES if is_last else _FULL_NODE
    while range_count < MESH_WIDTH:
        widest, best = -1, np.float32(-1.0)
        for i in range(range_count):
            size = ranges[i, 1] - ranges[i, 0]
            weight = np.float32(size) if is_median else _half_area(bounds[i], 0)
            if size > least and weight > best:
                best, widest = weight, i
        if widest < 0:
            break
        begin, end = ranges[widest, 0], ranges[widest, 1]
        border = _split(items, numbers, begin, end, bounds[widest], is_median, bins, counts, areas)
        ranges[widest, 1] = border
        ranges[range_count, 0], ranges[range_count, 1] = border, end
        _range_bounds(items, begin, border, bounds[widest])
        _range_bounds(items, border, end, bounds[range_count])
        range_count += 1
    return range_count


@kernel
def build_tree(items_address, count, nodes_address, node_capacity, finished):
    """Sort at least one item into the order of the leaves and write the nodes, rows of MESH_CHILDREN. Return their number. The
    count of items in finished leaves is added to the int64 at `finished`, node by node."""
    items = view2(items_address, count, ITEM_WORDS, np.float32)
    numbers = view2(items_address, count, ITEM_WORDS, np.int32)
    nodes = view(nodes_address, node_capacity, MESH_CHILDREN)
    stack = np.empty((MESH_STACK_SIZE, 5), dtype=np.int64)  # begin, end, parent, slot, depth
    ranges = np.empty((MESH_WIDTH, 2), dtype=np.int64)
    bounds = np.empty((MESH_WIDTH, 12), dtype=np.float32)
    bins = np.empty((3 * _BINS, 6), dtype=np.float32)
    counts = np.empty(3 * _BINS, dtype=np.int64)
    areas = np.zeros(_FULL_NODE + 6, dtype=np.float32)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3], stack[0, 4] = 0, count, -1, 0, 0
    waiting, node_count = 1, 0
    while waiting > 0:
        waiting -= 1
        begin, end, parent, slot, depth = (
            stack[waiting, 0], stack[waiting, 1], stack[waiting, 2], stack[waiting, 3], stack[waiting, 4],
        )  # fmt: skip
        if parent >= 0:
            nodes[parent].entries[slot] = node_count
        ranges[0, 0], ranges[0, 1] = begin, end
        _range_bounds(items, begin, end, bounds[0])
        range_count = _split_in_eight(
            items, numbers, ranges, bounds, depth >= _MEDIAN_DEPTH, bins, counts, areas
        )  # fmt: skip
        node = nodes[node_count]
        for child in range(MESH_WIDTH):
            is_used = child < range_count
            for k in range(3):
                node.bounds[k, child] = bounds[child, k] if is_used else np.float32(_FAR)
                node.bounds[k + 3, child] = bounds[child, k + 3] if is_used else np.float32(-_FAR)
            node.entries[child] = NO_CHILD
        in_leaves = 0
        for child in range(range_count - 1, -1, -1):
            size = ranges[child, 1] - ranges[child, 0]
            if size <= MAX_LEAF_TRIANGLES:
                node.entries[child] = ~(ranges[child, 0] << 4 | size)
                in_leaves += size
            else:
                stack[waiting, 0], stack[waiting, 1] = ranges[child, 0], ranges[child, 1]
                stack[waiting, 2], stack[waiting, 3], stack[waiting, 4] = node_count, child, depth + 1
                waiting += 1
        node_count += 1
        add_int64(finished, in_leaves)
    return node_count


@kernel
def _pack_axis(node, packed, axis):
    """Quantise the bounds of the children along an axis. They grow by more than the rounding error of reading them in single
    precision."""
    low, high = _FAR, -_FAR
    for child in range(MESH_WIDTH):
        low, high = min(low, np.float64(node.bounds[axis, child])), max(high, np.float64(node.bounds[3 + axis, child]))
    margin = _MARGIN * max(abs(low), abs(high)) + _LEAST_MARGIN
    packed.base[axis] = low - 2.0 * margin
    base = np.float64(packed.base[axis])
    packed.step[axis] = (high + 2.0 * margin - base) / 255.0 * (1.0 + _MARGIN)
    step = np.float64(packed.step[axis])
    for child in range(MESH_WIDTH):
        first, last = 255.0, 0.0
        if node.entries[child] != NO_CHILD:
            first = math.floor((np.float64(node.bounds[axis, child]) - margin - base) / step)
            last = math.ceil((np.float64(node.bounds[3 + axis, child]) + margin - base) / step)
        packed.bounds[axis, child] = np.uint8(min(max(first, 0.0), 255.0))
        packed.bounds[3 + axis, child] = np.uint8(min(max(last, 0.0), 255.0))


@kernel
def pack_nodes(nodes_address, count, packed_address):
    """Write rows of MESH_CHILDREN as rows of MESH_NODE."""
    nodes, packed = view(nodes_address, count, MESH_CHILDREN), view(packed_address, count, MESH_NODE)
    for i in range(count):
        for axis in range(3):
            _pack_axis(nodes[i], packed[i], axis)
        for child in range(MESH_WIDTH):
            packed[i].entries[child] = nodes[i].entries[child]
