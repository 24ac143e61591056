"""Bounding trees of triangle meshes: four children a node, up to four triangles a leaf.

Built from above by the surface area heuristic, binned for many triangles (I. Wald, "On fast Construction of SAH-based
Bounding Volume Hierarchies", 2007), swept for few; a range is split in two up to three times to make a node. Without
recursion: the ranges that wait are on a stack.
"""

import numpy as np

from ..runtime.kernel import kernel
from ..runtime.memory import view, view2
from .schema import MAX_LEAF_TRIANGLES, MESH_NODE

ITEM_WORDS = 8
"""An item is a triangle while the tree is built: bounds (6 floats), its number (int), one word unused."""
STACK_SIZE = 160
"""Enough for the deepest tree: from `_MEDIAN_DEPTH` on ranges are halved by count."""
_MEDIAN_DEPTH = 28
_BINS = 16
_SWEEP_COUNT = 64
_FAR = 1e30


@kernel
def make_items(vertices, triangles, count, items, numbers):
    """Bounds and number of each triangle; `items` and `numbers` are the same memory as floats and as ints."""
    for i in range(count):
        a, b, c = triangles[i, 0], triangles[i, 1], triangles[i, 2]
        for axis in range(3):
            x, y, z = vertices[a, axis], vertices[b, axis], vertices[c, axis]
            items[i, axis] = min(x, min(y, z))
            items[i, axis + 3] = max(x, max(y, z))
        numbers[i, 6] = i


@kernel
def _range_bounds(items, begin, end, bounds):
    """Bounds of the items to `bounds[0:6]`, and of their centres (doubled) to `bounds[6:12]`."""
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
    """Sort few items along an axis and give the best place to split, such that leaves are full."""
    _sort_along(items, numbers, begin, end, axis)
    count = end - begin
    b = areas[64:70]
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
    # Whole leaves, or whole nodes of four leaves, to the left: then few nodes have free slots.
    unit = MAX_LEAF_TRIANGLES if count <= 4 * MAX_LEAF_TRIANGLES else 4 * MAX_LEAF_TRIANGLES
    best, least = unit, np.float32(np.inf)
    for left in range(unit, count, unit):
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
    """Axis and first bin of the right half of the best split; axis -1 if none parts the items."""
    best_axis, best_bin, least = -1, 0, np.float32(np.inf)
    b = areas[64:70]
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
    """Bring the items of the bins to the left of `first_right_bin` to the front; gives the border."""
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
    """Split a range in two; gives the border."""
    middle = begin + (end - begin + 7) // 8 * 4
    if end - begin <= _SWEEP_COUNT:
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
def _split_in_four(items, numbers, ranges, bounds, is_median, bins, counts, areas):
    """Split the range in row 0 of `ranges` into up to four; gives their number. Largest surface first."""
    range_count = 1
    # Up to sixteen triangles make a node of full leaves: above it such a range is not split further.
    is_last = ranges[0, 1] - ranges[0, 0] <= 4 * MAX_LEAF_TRIANGLES
    least = MAX_LEAF_TRIANGLES if is_last else 4 * MAX_LEAF_TRIANGLES
    while range_count < 4:
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
def build_tree(items_address, count, nodes_address, node_capacity):
    """Bring the items into the order of the leaves and write the nodes; gives the number of nodes. At least one
    item."""
    items = view2(items_address, count, ITEM_WORDS, np.float32)
    numbers = view2(items_address, count, ITEM_WORDS, np.int32)
    nodes = view(nodes_address, node_capacity, MESH_NODE)
    stack = np.empty((STACK_SIZE, 5), dtype=np.int64)  # begin, end, parent, slot, depth
    ranges = np.empty((4, 2), dtype=np.int64)
    bounds = np.empty((4, 12), dtype=np.float32)
    bins = np.empty((3 * _BINS, 6), dtype=np.float32)
    counts = np.empty(3 * _BINS, dtype=np.int64)
    areas = np.zeros(80, dtype=np.float32)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3], stack[0, 4] = 0, count, -1, 0, 0
    waiting, node_count = 1, 0
    while waiting > 0:
        waiting -= 1
        begin, end, parent, slot, depth = (
            stack[waiting, 0], stack[waiting, 1], stack[waiting, 2], stack[waiting, 3], stack[waiting, 4],
        )  # fmt: skip
        if parent >= 0:
            nodes[parent].children[slot] = node_count
        ranges[0, 0], ranges[0, 1] = begin, end
        _range_bounds(items, begin, end, bounds[0])
        range_count = _split_in_four(
            items, numbers, ranges, bounds, depth >= _MEDIAN_DEPTH, bins, counts, areas
        )  # fmt: skip
        node = nodes[node_count]
        for child in range(4):
            is_used = child < range_count
            for k in range(3):
                node.bounds[k, child] = bounds[child, k] if is_used else np.float32(_FAR)
                node.bounds[k + 3, child] = bounds[child, k + 3] if is_used else np.float32(-_FAR)
            node.children[child] = -1
            node.triangle_counts[child] = 0
        for child in range(range_count - 1, -1, -1):
            size = ranges[child, 1] - ranges[child, 0]
            if size <= MAX_LEAF_TRIANGLES:
                node.children[child] = ~ranges[child, 0]
                node.triangle_counts[child] = size
            else:
                stack[waiting, 0], stack[waiting, 1] = ranges[child, 0], ranges[child, 1]
                stack[waiting, 2], stack[waiting, 3], stack[waiting, 4] = node_count, child, depth + 1
                waiting += 1
        node_count += 1
    return node_count
