"""Rays, and boxes or spheres that move along a line: the bricks whose bounds they enter, nearly in the order in which they do.

The order of the eight nodes of a cluster is computed once from the direction and holds at every level. Nodes behind the nearest
hit so far, which the caller passes, are not opened.
"""

import numpy as np

from ..runtime.kernel import kernel
from ..runtime.memory import address_of_record
from ..runtime.vector8 import lane8, load8, mask_less_equal8, max8, min8, splat8
from .nodes import bricks_of, clusters_of, number_in
from .queries import (
    BRICK_TESTS, HIGH, LANE_BYTES, LOW, NODE_TESTS, begin_leaf, fetch_next, filled_lanes, next_of_leaf, push, root_of,
)  # fmt: skip
from .schema import LANES

FAR_FACTOR = np.float32(1.0 + 1.0e-6)
"""More than the relative error of a fraction in single precision."""
ORIGIN_MARGIN = 5.0e-7
"""More than the relative error of an origin rounded to single precision."""
STEEPEST = 1.0e30
ROUNDING = 1.0e-15
"""More than the relative error of a fraction in double precision: touching counts."""


@kernel
def order_lanes(cursor, direction):
    """Compute the order in which a ray enters eight sibling cubes: the axis along which it is fastest separates the first four
    from the last four, the next one pairs, the slowest one neighbours."""
    x, y, z = abs(direction[0]), abs(direction[1]), abs(direction[2])
    fast, middle, slow = 0, 1, 2
    if y > x:
        fast, middle = 1, 0
    if z > max(x, y):
        fast, middle, slow = 2, fast, middle
    elif z > min(x, y):
        middle, slow = 2, middle
    first = (direction[0] < 0.0) | (direction[1] < 0.0) << 1 | (direction[2] < 0.0) << 2
    for i in range(LANES):
        cursor.order[i] = first ^ ((i >> 2) << fast) ^ ((i >> 1 & 1) << middle) ^ ((i & 1) << slow)


@kernel
def set_ray(cursor, origin, direction, half_extents):
    """Ask for bricks whose bounds a box with these half extents [unit] enters, moved from `origin` [unit] along `direction`, the
    full vector [unit]. Zeros make a ray; a sphere's radius on each axis holds all that the sphere hits."""
    for axis in range(3):
        start, way = np.float64(origin[axis]), np.float64(direction[axis])
        reach = np.float64(half_extents[axis]) + ORIGIN_MARGIN * abs(start) + 1.0e-6
        inverse = STEEPEST if way >= 0.0 else -STEEPEST
        if abs(way) > 1.0 / STEEPEST:
            inverse = 1.0 / way
        low, high = np.float32(start - reach), np.float32(start + reach)
        is_up = way >= 0.0
        cursor.near_plane[axis] = (LOW if is_up else HIGH) + LANE_BYTES * axis
        cursor.near_origin[axis] = high if is_up else low
        cursor.far_origin[axis] = low if is_up else high
        cursor.node_inverse[axis] = inverse
        cursor.origin[axis], cursor.inverse[axis] = start, inverse
        cursor.half_extents[axis] = half_extents[axis]
    order_lanes(cursor, direction)
    cursor.position = -1


@kernel
def lane_entries(cursor, address):
    """For each node of a cluster, the fraction at which the ray enters its bounds and the one at which it leaves them."""
    near, far = splat8(np.float32(0.0)), splat8(np.float32(STEEPEST))
    for axis in range(3):
        plane, inverse = cursor.near_plane[axis], splat8(cursor.node_inverse[axis])
        other = LOW + HIGH + 2 * LANE_BYTES * axis - plane
        near = max8(near, (load8(address + plane) - splat8(cursor.near_origin[axis])) * inverse)
        far = min8(far, (load8(address + other) - splat8(cursor.far_origin[axis])) * inverse)
    return near, far * splat8(FAR_FACTOR)


@kernel
def open_on_ray(cursor, s, index, limit, counts):
    """Push the nodes of a cluster that a ray enters before the fraction `limit`, the first one on top."""
    cluster = clusters_of(s)[index]
    if counts is not None:
        counts[NODE_TESTS] += filled_lanes(cluster)
    near, far = lane_entries(cursor, address_of_record(cluster))
    mask = mask_less_equal8(near, min8(far, splat8(limit)))
    if mask == 0:
        return
    for i in range(LANES - 1, -1, -1):
        lane = np.int64(cursor.order[i])
        cursor.fractions[cursor.count] = lane8(near, lane)
        is_met = np.int64(np.int64(cluster.bits[lane]) & cursor.mask != 0) & mask >> lane
        push(cursor, s, cluster, index << 3 | lane, lane, is_met)
    fetch_next(cursor, s)


@kernel
def enters_brick(cursor, brick, limit):
    """Whether a brick is asked for and its bounds are entered before the fraction `limit`; the fraction is kept in the cursor."""
    if np.int64(brick.layers) & cursor.mask == 0:
        return False
    near, far = 0.0, np.float64(limit)
    for axis in range(3):
        inverse, reach = cursor.inverse[axis], cursor.half_extents[axis]
        low = np.float64(brick.low[axis]) - reach - cursor.origin[axis]
        high = np.float64(brick.high[axis]) + reach - cursor.origin[axis]
        if abs(inverse) >= STEEPEST:  # no motion along this axis
            if low > 0.0 or high < 0.0:
                return False
            continue
        low, high = low * inverse, high * inverse
        near, far = max(near, min(low, high)), min(far, max(low, high))
    cursor.fraction = min(near, limit)
    return near <= far + ROUNDING * (near + abs(far))


@kernel
def next_on_ray(cursor, s, limit, counts):
    """The row of the next brick whose bounds are entered at the fraction `limit` or before, or 0. The caller passes the nearest
    hit so far."""
    clusters, bricks = clusters_of(s), bricks_of(s)
    node_limit = np.float32(limit) * FAR_FACTOR
    if cursor.position < 0:
        cursor.position = 0
        open_on_ray(cursor, s, root_of(cursor), node_limit, counts)
    while True:
        row = next_of_leaf(cursor, s)
        if row != 0:
            if counts is not None:
                counts[BRICK_TESTS] += 1
            if enters_brick(cursor, bricks[row], limit):
                return row
            continue
        if cursor.count == 0:
            return np.int64(0)
        cursor.count -= 1
        if cursor.fractions[cursor.count] > node_limit:
            continue
        node = np.int64(cursor.stack[cursor.count])
        cluster, lane = clusters[node >> 3], node & 7
        begin_leaf(cursor, s, np.int64(cluster.leaf[lane]))
        if cluster.child[lane] != 0:
            open_on_ray(cursor, s, np.int64(cluster.child[lane]), node_limit, counts)


@kernel
def nearest_on_ray(cursor, s, max_fraction, counts):
    """The number of the brick whose bounds are entered first, of several the lowest one, and the fraction; 0 if there is none."""
    best, nearest = np.int64(0), np.float64(max_fraction)
    row = next_on_ray(cursor, s, nearest, counts)
    while row != 0:
        if best == 0 or cursor.fraction < nearest or number_in(s, row) < number_in(s, best):
            best, nearest = row, cursor.fraction
        row = next_on_ray(cursor, s, nearest, counts)
    return number_in(s, best) if best != 0 else best, nearest
