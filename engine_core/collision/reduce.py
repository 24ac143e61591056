"""Choosing four points of a manifold: the deepest, and those that span the largest area with it.

The choice must not flicker between equally good points: a later point must be better by a margin, and among equally deep points
those farthest along a fixed direction win.
"""

import math

from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from .schema import MAX_POINTS

DEPTH_MARGIN = 1e-4
"""Points up to this much higher than the deepest count as equally deep [m]."""
HYSTERESIS = 1.05


@kernel
def reduce_points(polygon, keep):
    """Choose up to four corners of a POLYGON (x, y in the plane, z the separation) and write their indices to `keep`."""
    keep_as_call()
    count = polygon.count
    if count <= MAX_POINTS:
        for i in range(count):
            keep[i] = i
        return count
    x, y, z = polygon.x, polygon.y, polygon.z
    size = 1e-9
    for i in range(count):
        size = max(size, abs(x[i]), abs(y[i]))
    bias = DEPTH_MARGIN * min(1.0, 0.5 / size)
    first, best = 0, math.inf
    for i in range(count):
        key = z[i] - bias * (0.8 * x[i] + 0.6 * y[i])
        if key < best:
            first, best = i, key
    second, best = -1, 0.0
    for i in range(count):
        away = (x[i] - x[first]) ** 2 + (y[i] - y[first]) ** 2
        if away > best * HYSTERESIS + 1e-18:
            second, best = i, away
    keep[0] = first
    if second < 0:
        return 1
    keep[1] = second
    dx, dy = x[second] - x[first], y[second] - y[first]
    least = 1e-6 * best
    left, right, best_left, best_right = -1, -1, least, least
    for i in range(count):
        area = dx * (y[i] - y[first]) - dy * (x[i] - x[first])
        if area > best_left * HYSTERESIS:
            left, best_left = i, area
        if -area > best_right * HYSTERESIS:
            right, best_right = i, -area
    n = 2
    if left >= 0:
        keep[n] = left
        n += 1
    if right >= 0:
        keep[n] = right
        n += 1
    return n
