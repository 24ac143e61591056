"""The tree over the shapes of one body or the parts of a compound, so that a ray or box only visits the shapes near it.

The nodes lie beside the rows of the shapes: a body whose shapes are the rows `first` to `first + count - 1` has its nodes in the
rows from `first` on of another pool, so a tree is published and freed with its shapes. A node has four children, from splitting
at the median of the longest axis of the centres, twice. Bodies with few shapes have no tree, and shapes added to a body in a
system are only included at its next step; shapes outside the tree are tested one by one. The walks below do both. When a shape
changes, the bounds above it follow (`refit_leaf`); a disabled shape leaves its place empty until it is enabled again.

    walk = stack_array(1, WALK)[0]
    begin_walk(walk, first, count)
    number = next_in_box(walk, nodes, instances, low, high)
    while number >= 0:
        ...
        number = next_in_box(walk, nodes, instances, low, high)
"""

import numpy as np

from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array

INT32, INT64, FLOAT32 = np.int32, np.int64, np.float32
TREE_FROM = 8
"""Bodies with at least this many shapes have a tree."""
NONE = -(1 << 31)
"""Marks a missing child."""
INSIDE_OUT = (FLOAT32(3e38), FLOAT32(3e38), FLOAT32(3e38), FLOAT32(-3e38), FLOAT32(-3e38), FLOAT32(-3e38))
"""Empty bounds: low above high."""
STACK_SIZE = 64
"""Three entries a level and one: enough for 4^20 shapes."""
WAITING_SIZE = 3 * STACK_SIZE
ROUNDING = 1e-6
"""Bounds are in single precision: a ray that passes this close, relative to its distance, may hit the content."""

WALK = np.dtype(
    [
        ("first", "i8"),
        ("count", "i8"),
        ("next", "i8"),  # the next shape outside the tree; -1 before the first step
        ("depth", "i8"),
        ("entries", "i4", STACK_SIZE),  # a node, or ~number of a shape
        ("keys", "f8", STACK_SIZE),  # distance along the ray, or from the point
    ],
    align=True,
)


# Building, on the thread that changes the shapes of a body ---------------------------------------------------------------


@kernel
def _center(nodes, instances, first, k, axis):
    """Twice the centre of the bounds of shape k of the order, along an axis."""
    bounds = instances[first + nodes[first + k].order].bounds
    return np.float64(bounds[axis]) + np.float64(bounds[3 + axis])


@kernel
def _swap(nodes, i, j):
    kept = nodes[i].order
    nodes[i].order = nodes[j].order
    nodes[j].order = kept


@kernel
def _longest_axis(nodes, instances, first, begin, end):
    """The axis along which the centres of a part of the order are spread most."""
    best, axis = -1.0, 0
    for k in range(3):
        low = high = _center(nodes, instances, first, begin, k)
        for i in range(begin + 1, end):
            center = _center(nodes, instances, first, i, k)
            low, high = min(low, center), max(high, center)
        if high - low > best:
            best, axis = high - low, k
    return axis


@kernel
def _split(nodes, instances, first, begin, end):
    """Order shapes `begin` to `end - 1` so that the lower half comes first. Return the start of the upper half (quickselect;
    Hoare, "Algorithm 65: Find", 1961)."""
    axis = _longest_axis(nodes, instances, first, begin, end)
    middle = (begin + end) >> 1
    low, high = begin, end - 1
    while low < high:
        pivot = _center(nodes, instances, first, (low + high) >> 1, axis)
        i, j = low, high
        while i <= j:
            while _center(nodes, instances, first, i, axis) < pivot:
                i += 1
            while _center(nodes, instances, first, j, axis) > pivot:
                j -= 1
            if i <= j:
                _swap(nodes, first + i, first + j)
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            break
    return middle


@kernel
def _set_child(nodes, instances, first, node, child, begin, end):
    """Write the bounds of shapes `begin` to `end - 1` of the order as those of a child."""
    bounds = node.bounds
    for k in range(3):
        low, high = FLOAT32(3e38), FLOAT32(-3e38)
        for i in range(begin, end):
            own = instances[first + nodes[first + i].order].bounds
            low, high = min(low, own[k]), max(high, own[3 + k])
        bounds[k, child], bounds[3 + k, child] = low, high


@kernel
def build_instance_tree(nodes, instances, first, count):
    """Build the tree over `count` shapes of a body: those with the numbers in the field `order` of the rows from `first` on."""
    keep_as_call()
    waiting = stack_array(WAITING_SIZE, INT64)
    parts = stack_array(5, INT64)
    waiting[0], waiting[1], waiting[2] = 0, 0, count
    depth, node_count = 1, 1
    nodes[first].parent = -1
    while depth > 0:
        depth -= 1
        place = waiting[3 * depth] << 2
        node = nodes[first + waiting[3 * depth]]
        begin, end = waiting[3 * depth + 1], waiting[3 * depth + 2]
        parts[0], parts[4] = begin, end
        if end - begin <= 4:
            for k in range(1, 4):
                parts[k] = min(begin + k, end)
        else:
            parts[2] = _split(nodes, instances, first, begin, end)
            parts[1] = _split(nodes, instances, first, begin, parts[2])
            parts[3] = _split(nodes, instances, first, parts[2], end)
        for child in range(4):
            low, high = parts[child], parts[child + 1]
            _set_child(nodes, instances, first, node, child, low, high)
            node.children[child] = NONE
            if high - low == 1:
                node.children[child] = ~nodes[first + low].order
                nodes[first + nodes[first + low].order].leaf = INT32(place | child)
            elif high > low:
                node.children[child] = INT32(node_count)
                nodes[first + node_count].parent = INT32(place | child)
                waiting[3 * depth], waiting[3 * depth + 1], waiting[3 * depth + 2] = node_count, low, high
                depth += 1
                node_count += 1
    nodes[first].node_count, nodes[first].changed = INT32(node_count), INT32(0)


@kernel
def bounds_of_node(node):
    """Bounds (min x, y, z, max x, y, z) of all children of a node; empty (low above high) if there are none."""
    x, y, z, to_x, to_y, to_z = INSIDE_OUT
    box = node.bounds
    for child in range(4):
        if node.children[child] != NONE:
            x, y, z = min(x, box[0, child]), min(y, box[1, child]), min(z, box[2, child])
            to_x, to_y, to_z = max(to_x, box[3, child]), max(to_y, box[4, child]), max(to_z, box[5, child])
    return x, y, z, to_x, to_y, to_z


@kernel
def put_leaf(nodes, instances, first, number):
    """Copy a shape's bounds, and whether it is enabled, to its leaf. Return the leaf's node."""
    instance, place = instances[first + number], nodes[first + number].leaf
    node, child = nodes[first + (place >> 2)], place & 3
    node.children[child] = INT32(NONE if instance.is_disabled else ~number)
    for k in range(6):
        node.bounds[k, child] = instance.bounds[k]
    return place >> 2


@kernel
def put_node(nodes, first, number):
    """Copy the bounds of a node, not the root, to its parent. Return the parent."""
    place, bounds = nodes[first + number].parent, bounds_of_node(nodes[first + number])
    box = nodes[first + (place >> 2)].bounds
    for k in range(6):
        box[k, place & 3] = bounds[k]
    return place >> 2


@kernel
def refit_leaf(nodes, instances, first, number):
    """Update the tree for one shape in it that has new bounds or was enabled or disabled."""
    node = put_leaf(nodes, instances, first, number)
    while node > 0:
        node = put_node(nodes, first, node)
    nodes[first].changed += 1


@kernel
def refit_tree(nodes, instances, first, count):
    """Update the tree for all its shapes. A node's number is greater than its parent's."""
    for number in range(count):
        if nodes[first + number].leaf >= 0:
            put_leaf(nodes, instances, first, number)
    for node in range(nodes[first].node_count - 1, 0, -1):
        put_node(nodes, first, node)


# Walking, on any thread, over published rows --------------------------------------------------------------------------------


@kernel
def begin_walk(walk, first, count):
    """Start a walk over the shapes `first` to `first + count - 1` of a body."""
    walk.first, walk.count, walk.next = first, count, -1
    walk.depth = 0


@kernel
def _enter(walk, nodes):
    """Take the first step of a walk: into the tree, if there is one."""
    walk.next = 0
    if walk.count >= TREE_FROM:
        walk.next = INT64(nodes[walk.first].covered)
    if walk.next > 0:
        walk.entries[0], walk.keys[0] = 0, 0.0
        walk.depth = 1


@kernel
def _push(walk, base, entry, key):
    """Push an entry, so that the nearest of the entries above `base` is popped first."""
    place = walk.depth
    while place > base and walk.keys[place - 1] < key:
        walk.keys[place], walk.entries[place] = walk.keys[place - 1], walk.entries[place - 1]
        place -= 1
    walk.keys[place], walk.entries[place] = key, entry
    walk.depth += 1


@kernel
def _pop(walk, longest):
    """Pop the nearest entry whose key is at most `longest`: a node, ~number of a shape, or NONE."""
    while walk.depth > 0:
        walk.depth -= 1
        if not walk.keys[walk.depth] > longest:
            return INT64(walk.entries[walk.depth])
    return INT64(NONE)


@kernel
def _number_of(entry):
    """The result of a walk for an entry that is not a node."""
    return INT64(-1) if entry == NONE else ~entry


@kernel
def may_meet(bounds, low, high):
    """Whether bounds (min x, y, z, max x, y, z) and a box touch; rounding never misses a contact."""
    for k in range(3):
        slack = 1e-6 * (1.0 + abs(low[k]) + abs(high[k]))
        if bounds[k] > high[k] + slack or bounds[3 + k] < low[k] - slack:
            return False
    return True


@kernel
def _of_child(bounds, child):
    """The bounds of one child from the bounds of all four."""
    return bounds[0, child], bounds[1, child], bounds[2, child], bounds[3, child], bounds[4, child], bounds[5, child]


@kernel
def next_in_box(walk, nodes, instances, low, high):
    """Number of the next shape whose bounds touch the box from `low` to `high` (body frame, from the centre of mass), or -1."""
    if walk.next < 0:
        _enter(walk, nodes)
    while walk.next < walk.count:
        number = walk.next
        walk.next += 1
        if may_meet(instances[walk.first + number].bounds, low, high):
            return INT64(number)
    while walk.depth > 0:
        walk.depth -= 1
        entry = INT64(walk.entries[walk.depth])
        if entry < 0:
            return ~entry
        node = nodes[walk.first + entry]
        for child in range(3, -1, -1):
            if node.children[child] != NONE and may_meet(_of_child(node.bounds, child), low, high):
                walk.entries[walk.depth] = node.children[child]
                walk.depth += 1
    return INT64(-1)


@kernel
def inverse_of(v):
    """1 / v by component, finite for zeros."""
    return (
        1.0 / v[0] if abs(v[0]) > 1e-30 else 1e30,
        1.0 / v[1] if abs(v[1]) > 1e-30 else 1e30,
        1.0 / v[2] if abs(v[2]) > 1e-30 else 1e30,
    )


@kernel
def slab(low, high, origin, inverse):
    """Fractions at which a ray enters and leaves the slab between `low` and `high` along one axis."""
    a, b = (low - origin) * inverse, (high - origin) * inverse
    return min(a, b), max(a, b)


@kernel
def meets_slabs(x, y, z, max_fraction):
    """Return the fraction at which a ray has entered the slabs of all three axes, or a negative number. Touching counts; rounding
    never misses a hit."""
    enter, leave = max(max(x[0], y[0]), max(z[0], 0.0)), min(min(x[1], y[1]), min(z[1], max_fraction))
    return enter if enter <= leave + ROUNDING * (abs(enter) + abs(leave)) + 1e-9 else -1.0


@kernel
def _enters(bounds, origin, inverse, max_fraction):
    """Apply `meets_slabs` to bounds."""
    return meets_slabs(
        slab(bounds[0], bounds[3], origin[0], inverse[0]), slab(bounds[1], bounds[4], origin[1], inverse[1]),
        slab(bounds[2], bounds[5], origin[2], inverse[2]), max_fraction,
    )  # fmt: skip


@kernel
def meets_bounds(bounds, origin, inverse, max_fraction):
    """Whether a ray, given with the inverse of its vector, hits bounds."""
    return _enters(bounds, origin, inverse, max_fraction) >= 0.0


@kernel
def next_on_ray(walk, nodes, instances, origin, inverse, longest):
    """Number of the next shape whose bounds a ray hits before the fraction `longest`, near ones first, or -1. The ray is given by
    its origin and the inverse of its vector, body frame from the centre of mass. `longest` may shrink from call to call."""
    if walk.next < 0:
        _enter(walk, nodes)
    while walk.next < walk.count:
        number = walk.next
        walk.next += 1
        if meets_bounds(instances[walk.first + number].bounds, origin, inverse, longest):
            return INT64(number)
    while True:
        entry = _pop(walk, longest + ROUNDING * (1.0 + longest))
        if entry < 0:
            return _number_of(entry)
        node, base = nodes[walk.first + entry], walk.depth
        for child in range(4):
            if node.children[child] != NONE:
                enter = _enters(_of_child(node.bounds, child), origin, inverse, longest)
                if enter >= 0.0:
                    _push(walk, base, node.children[child], enter)


@kernel
def outside(value, low, high):
    """Distance of a number from an interval; 0 inside."""
    return max(max(low - value, value - high), 0.0)


@kernel
def distance_to(bounds, point):
    """Distance of a point from bounds."""
    x, y = outside(point[0], bounds[0], bounds[3]), outside(point[1], bounds[1], bounds[4])
    z = outside(point[2], bounds[2], bounds[5])
    return (x * x + y * y + z * z) ** 0.5


@kernel
def next_near(walk, nodes, instances, point, reach):
    """Number of the next shape whose bounds are nearer to a point (body frame) than `reach`, near ones first, or -1. `reach` may
    shrink from call to call."""
    longest = reach + 1e-6 * (1.0 + abs(point[0]) + abs(point[1]) + abs(point[2]))
    if walk.next < 0:
        _enter(walk, nodes)
    while walk.next < walk.count:
        number = walk.next
        walk.next += 1
        if distance_to(instances[walk.first + number].bounds, point) <= longest:
            return INT64(number)
    while True:
        entry = _pop(walk, longest)
        if entry < 0:
            return _number_of(entry)
        node, base = nodes[walk.first + entry], walk.depth
        for child in range(4):
            if node.children[child] != NONE:
                away = distance_to(_of_child(node.bounds, child), point)
                if away <= longest:
                    _push(walk, base, node.children[child], away)
