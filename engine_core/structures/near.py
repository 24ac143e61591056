"""The bricks nearest to a point: nodes are opened in the order of their distances, none that is farther than the caller wants."""

import numpy as np

from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from .nodes import bricks_of, clusters_of
from .queries import begin_leaf, next_of_leaf, root_of
from .schema import LANES

ROUNDING = 1.0e-6


@kernel
def set_near(cursor, point):
    """Ask for bricks near a point [unit]."""
    for axis in range(3):
        cursor.origin[axis] = point[axis]
    cursor.position = -1


@kernel
def distance_of_lane(cursor, cluster, lane):
    """Distance of the point of a query from the bounds of a node, a little less than exact."""
    square = 0.0
    for axis in range(3):
        at = cursor.origin[axis]
        out = max(max(np.float64(cluster.low[axis, lane]) - at, at - np.float64(cluster.high[axis, lane])), 0.0)
        square += out * out
    return square**0.5 * (1.0 - ROUNDING)


@kernel
def distance_of_brick(cursor, brick):
    """`distance_of_lane` for the bounds of a brick."""
    square = 0.0
    for axis in range(3):
        at = cursor.origin[axis]
        out = max(max(np.float64(brick.low[axis]) - at, at - np.float64(brick.high[axis])), 0.0)
        square += out * out
    return square**0.5 * (1.0 - ROUNDING)


@kernel
def open_near(cursor, s, index, reach):
    """Push the nodes of a cluster that are within reach, the nearest on top."""
    keep_as_call()
    cluster, base = clusters_of(s)[index], np.int64(cursor.count)
    for lane in range(LANES):
        if cluster.low[0, lane] > cluster.high[0, lane] or np.int64(cluster.bits[lane]) & cursor.mask == 0:
            continue
        away = np.float32(distance_of_lane(cursor, cluster, lane))
        if away > reach:
            continue
        place = np.int64(cursor.count)
        while place > base and cursor.fractions[place - 1] < away:
            cursor.stack[place], cursor.fractions[place] = cursor.stack[place - 1], cursor.fractions[place - 1]
            place -= 1
        cursor.stack[place], cursor.fractions[place] = index << 3 | lane, away
        cursor.count += 1


@kernel
def next_near(cursor, s, reach):
    """The row of the next brick whose bounds are at most `reach` from the point [unit], or 0. `reach` may shrink from call to
    call. Nearer nodes come first, the bricks of one node in any order."""
    clusters, bricks = clusters_of(s), bricks_of(s)
    if cursor.position < 0:
        cursor.position = 0
        open_near(cursor, s, root_of(cursor), reach)
    while True:
        row = next_of_leaf(cursor, s)
        if row != 0:
            brick = bricks[row]
            if np.int64(brick.layers) & cursor.mask != 0 and distance_of_brick(cursor, brick) <= reach:
                return row
            continue
        if cursor.count == 0:
            return np.int64(0)
        cursor.count -= 1
        if cursor.fractions[cursor.count] * (1.0 - ROUNDING) > reach:
            continue
        node = np.int64(cursor.stack[cursor.count])
        cluster, lane = clusters[node >> 3], node & 7
        begin_leaf(cursor, s, np.int64(cluster.leaf[lane]))
        if cluster.child[lane] != 0:
            open_near(cursor, s, np.int64(cluster.child[lane]), reach)
