"""Queries over the tree: begin, fetch bricks until 0 comes, end. They return the rows of bricks whose bounds match, each once, in
one state of the structure: as a batch of edits left it. Rows stay as they are until the query ends; the number of a brick is in
its row.

    cursor = stack_array(1, CURSOR)[0]
    begin_query(cursor, structure, mask)
    set_box(cursor, low, high)
    row = next_in_box(cursor, s, None)
    while row != 0:
        ...
        row = next_in_box(cursor, s, None)
    end_query(cursor, structure)

`counts` is None, or an int64 array in which the tested boxes of nodes and of bricks are counted: another compiled variant.
"""

import numpy as np

from ..runtime.kernel import kernel
from ..runtime.memory import address_of_record
from ..runtime.prefetch import prefetch
from ..runtime.vector4 import count_trailing_zeros
from ..runtime.vector8 import absolute8, load8, mask_less_equal8, splat8
from .nodes import bricks_of, clusters_of, leaves_of, next_leaf
from .publication import enter, leave
from .schema import BRICK, CLUSTER, LANES, LEAF, LEAF_SIZE

LOW, HIGH = CLUSTER.fields["low"][1], CLUSTER.fields["high"][1]
LANE_BYTES = 4 * LANES
CLUSTER_BYTES, LEAF_BYTES, BRICK_BYTES = CLUSTER.itemsize, LEAF.itemsize, BRICK.itemsize
LAST_LINE = BRICK.fields["layers"][1]
STACK_SIZE = 200
"""A level adds seven nodes at most."""
LOW_32 = 0xFFFFFFFF
MARGIN = 1.0e-6
"""More than the relative error of what is computed in single precision for eight nodes at once."""
NODE_TESTS, BRICK_TESTS = 0, 1
"""Entries of `counts`."""

CURSOR = np.dtype(
    [
        ("stack", "i4", STACK_SIZE), ("fractions", "f4", STACK_SIZE),  # nodes; where a ray enters them
        ("count", "i8"),
        ("head", "i8"),  # what `enter` returned
        ("leaf", "i8"), ("position", "i8"),  # the leaf under way
        ("mask", "i8"),  # layers that are asked for
        ("coarse", "f4"), ("is_oriented", "i4"),
        # Boxes: bounds, and for nodes rounded outward; centre, axes as rows and half extents of an oriented one [unit]
        ("low", "f8", 3), ("high", "f8", 3), ("node_low", "f4", 3), ("node_high", "f4", 3),
        ("center", "f8", 3), ("axes", "f8", (3, 3)), ("half_extents", "f8", 3),
        # Rays: the plane entered first lies `near_plane` bytes into a cluster; origins are moved by half extents and by what
        # rounding could hide
        ("near_plane", "i8", 3), ("near_origin", "f4", 3), ("far_origin", "f4", 3), ("node_inverse", "f4", 3),
        ("origin", "f8", 3), ("inverse", "f8", 3), ("order", "i4", LANES),
        ("fraction", "f8"),  # where the ray enters the brick that was returned
    ],
    align=True,
)  # fmt: skip


@kernel
def begin_query(cursor, structure, mask):
    """Begin a query of the structure at this address, for bricks with a layer in `mask`. Any thread."""
    cursor.head = enter(structure, address_of_record(cursor))
    cursor.mask = mask
    cursor.stack[0] = 0
    cursor.count = cursor.leaf = cursor.position = 0
    cursor.coarse = 0.0
    cursor.is_oriented = 0


@kernel
def end_query(cursor, structure):
    """End a query; every query that began must end."""
    leave(structure, cursor.head, address_of_record(cursor))


@kernel
def root_of(cursor):
    """The root cluster of a query's tree."""
    return cursor.head & LOW_32


@kernel
def filled_lanes(cluster):
    """Number of nodes of a cluster that are not empty."""
    count = 0
    for lane in range(LANES):
        if cluster.low[0, lane] <= cluster.high[0, lane]:
            count += 1
    return count


# Boxes ----------------------------------------------------------------------------------------------------------------


@kernel
def set_box(cursor, low, high):
    """Ask for bricks whose bounds touch the box from `low` to `high` [unit]."""
    for axis in range(3):
        a, b = np.float64(low[axis]), np.float64(high[axis])
        cursor.low[axis], cursor.high[axis] = a, b
        cursor.node_low[axis], cursor.node_high[axis] = a - MARGIN * abs(a), b + MARGIN * abs(b)
    cursor.position = -1


@kernel
def set_oriented_box(cursor, center, axes, half_extents):
    """Ask for bricks whose bounds touch a box with a centre [unit], three unit vectors as rows, and half extents [unit]."""
    low, high = cursor.low, cursor.high
    for axis in range(3):
        reach = np.float64(0.0)
        for k in range(3):
            cursor.axes[k, axis] = axes[k][axis]
            reach += abs(axes[k][axis]) * half_extents[k]
        cursor.center[axis], cursor.half_extents[axis] = center[axis], half_extents[axis]
        low[axis], high[axis] = center[axis] - reach, center[axis] + reach
    set_box(cursor, (low[0], low[1], low[2]), (high[0], high[1], high[2]))
    cursor.is_oriented = 1


@kernel
def set_coarse(cursor, size):
    """Count nodes whose bounds have no side as long as `size` [unit] as one solid box: `next_in_box` returns them as -node."""
    cursor.coarse = size


@kernel
def lanes_along(cursor, address, mask, k):
    """The lanes of `mask` whose bounds meet the slab of an oriented box along its axis k."""
    center, axes = cursor.center, cursor.axes
    half, eighth = splat8(np.float32(0.5)), splat8(np.float32(MARGIN))
    distance, radius = splat8(np.float32(0.0)), splat8(np.float32(cursor.half_extents[k]))
    for axis in range(3):
        low, high = load8(address + LOW + LANE_BYTES * axis), load8(address + HIGH + LANE_BYTES * axis)
        middle, extent = (low + high) * half, (high - low) * half
        along = splat8(np.float32(axes[k, axis]))
        origin = splat8(np.float32(center[axis]))
        distance = distance + (middle - origin) * along
        radius = radius + extent * absolute8(along) + (absolute8(middle) + extent + absolute8(origin)) * eighth
    return mask & mask_less_equal8(absolute8(distance), radius)


@kernel
def lanes_in_box(cursor, address):
    """Mask of the lanes of the cluster at an address whose bounds the box of a query touches."""
    mask = np.int64(255)
    for axis in range(3):
        mask &= mask_less_equal8(load8(address + LOW + LANE_BYTES * axis), splat8(cursor.node_high[axis]))
        mask &= mask_less_equal8(splat8(cursor.node_low[axis]), load8(address + HIGH + LANE_BYTES * axis))
    if cursor.is_oriented:
        for k in range(3):
            if mask != 0:
                mask = lanes_along(cursor, address, mask, k)
    return mask


@kernel
def open_in_box(cursor, s, index, counts):
    """Push the nodes of a cluster that a box touches."""
    cluster = clusters_of(s)[index]
    if counts is not None:
        counts[NODE_TESTS] += filled_lanes(cluster)
    mask = lanes_in_box(cursor, address_of_record(cluster))
    while mask != 0:
        lane = count_trailing_zeros(mask)
        mask &= mask - 1
        push(cursor, s, cluster, index << 3 | lane, lane, np.int64(cluster.bits[lane]) & cursor.mask != 0)


@kernel
def is_apart_along(cursor, middle, extent, x, y, z):
    """Whether an axis separates an oriented box from one along the axes, given by its middle from the other's and its extents."""
    distance = abs(x * middle[0] + y * middle[1] + z * middle[2])
    radius = abs(x) * extent[0] + abs(y) * extent[1] + abs(z) * extent[2]
    for k in range(3):
        axis = cursor.axes[k]
        radius += cursor.half_extents[k] * abs(x * axis[0] + y * axis[1] + z * axis[2])
    return distance > radius


@kernel
def touches_oriented(cursor, brick):
    """Whether a brick's bounds, which touch those of the oriented box of a query, touch the box itself (separating axes; S.
    Gottschalk, M. C. Lin, D. Manocha, "OBBTree", 1996)."""
    half = 0.5
    middle = (
        (np.float64(brick.low[0]) + brick.high[0]) * half - cursor.center[0],
        (np.float64(brick.low[1]) + brick.high[1]) * half - cursor.center[1],
        (np.float64(brick.low[2]) + brick.high[2]) * half - cursor.center[2],
    )
    extent = (
        (np.float64(brick.high[0]) - brick.low[0]) * half,
        (np.float64(brick.high[1]) - brick.low[1]) * half,
        (np.float64(brick.high[2]) - brick.low[2]) * half,
    )
    for k in range(3):
        x, y, z = cursor.axes[k, 0], cursor.axes[k, 1], cursor.axes[k, 2]
        if is_apart_along(cursor, middle, extent, x, y, z):
            return False
        if is_apart_along(cursor, middle, extent, 0.0, z, -y) or is_apart_along(cursor, middle, extent, -z, 0.0, x):
            return False
        if is_apart_along(cursor, middle, extent, y, -x, 0.0):
            return False
    return True


@kernel
def touches_box(cursor, brick):
    """Whether a brick is asked for and its bounds touch the box of a query."""
    if np.int64(brick.layers) & cursor.mask == 0:
        return False
    for axis in range(3):
        if brick.low[axis] > cursor.high[axis] or brick.high[axis] < cursor.low[axis]:
            return False
    return cursor.is_oriented == 0 or touches_oriented(cursor, brick)


@kernel
def push(cursor, s, cluster, node, lane, is_met):
    """Push a node if it is met. Not by a branch: the processor could not foretell it."""
    cursor.stack[cursor.count] = node
    cursor.count += is_met
    prefetch(s.leaves.rows + np.int64(cluster.leaf[lane]) * LEAF_BYTES)


@kernel
def fetch_next(cursor, s):
    """Fetch the children of the node that is next, while the elements of the one before are tested."""
    if cursor.count > 0:
        node = np.int64(cursor.stack[cursor.count - 1])
        child = s.clusters.rows + np.int64(clusters_of(s)[node >> 3].child[node & 7]) * CLUSTER_BYTES
        for line in range(0, CLUSTER_BYTES, 64):
            prefetch(child + line)


@kernel
def begin_leaf(cursor, s, leaf):
    """Begin to look at the elements of a leaf. Their rows lie anywhere: they are fetched while the node's children are tested."""
    cursor.leaf, cursor.position = leaf, 0
    entries = leaves_of(s)[leaf].bricks
    for k in range(LEAF_SIZE):
        row = s.bricks.rows + np.int64(entries[k]) * BRICK_BYTES
        prefetch(row)
        prefetch(row + LAST_LINE)


@kernel
def next_of_leaf(cursor, s):
    """The row of the next element of the leaf under way, or 0."""
    while cursor.leaf != 0:
        if cursor.position == LEAF_SIZE:
            cursor.leaf, cursor.position = next_leaf(s, cursor.leaf), 0
            continue
        row = np.int64(leaves_of(s)[cursor.leaf].bricks[cursor.position])
        cursor.position += 1
        if row != 0:
            return row
        cursor.leaf = 0
    return np.int64(0)


@kernel
def is_coarse(cursor, cluster, lane):
    """Whether a node counts as one solid box."""
    size = cursor.coarse
    if not size > 0.0:
        return False
    for axis in range(3):
        if cluster.high[axis, lane] - cluster.low[axis, lane] >= size:
            return False
    return True


@kernel
def next_in_box(cursor, s, counts):
    """The row of the next brick whose bounds touch the box, -node for a node that counts as one box, or 0. See `set_coarse`."""
    clusters, bricks = clusters_of(s), bricks_of(s)
    if cursor.position < 0:
        cursor.position = 0
        open_in_box(cursor, s, root_of(cursor), counts)
    while True:
        row = next_of_leaf(cursor, s)
        if row != 0:
            if counts is not None:
                counts[BRICK_TESTS] += 1
            if touches_box(cursor, bricks[row]):
                return row
            continue
        if cursor.count == 0:
            return np.int64(0)
        cursor.count -= 1
        node = np.int64(cursor.stack[cursor.count])
        cluster, lane = clusters[node >> 3], node & 7
        if is_coarse(cursor, cluster, lane):
            return -node
        begin_leaf(cursor, s, np.int64(cluster.leaf[lane]))
        if cluster.child[lane] != 0:
            open_in_box(cursor, s, np.int64(cluster.child[lane]), counts)
