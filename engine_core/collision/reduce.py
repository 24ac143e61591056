"""Choosing four points of a manifold: the deepest, and those that span the largest area with it.

The choice must not flicker between equally good points: a later point must be better by a margin, and among equally deep points
those farthest along a fixed direction win.

A body that slides is pressed to the ground at its leading edge by friction. If the points left that edge out, friction would tip
it over: a prism that lands at 6 m/s sideways would jump by 20 cm. So of a body that slides on its flat side the two corners are
chosen between which that side ends in the direction of its motion.
"""

import math

from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from .schema import MAX_POINTS

DEPTH_MARGIN = 1e-4
"""Points up to this much higher than the deepest count as equally deep [m]."""
HYSTERESIS = 1.05
LEAST_SLIDE = 0.25
"""Slower bodies do not tip over [m/s]: friction lifts them by less than v^2 / (2 g), 3 mm."""
LEVEL = 2e-3
"""A side is flat on the other if its corners differ by less in their separation [m]; else the deepest ones are the leading."""
MOST_LEADING = 32
"""Only polygons of up to so many corners are searched for the leading edge: all pairs of corners are looked at."""


@kernel
def is_level(polygon):
    """Whether all corners have nearly the same separation."""
    lowest, highest = math.inf, -math.inf
    for i in range(polygon.count):
        lowest, highest = min(lowest, polygon.z[i]), max(highest, polygon.z[i])
    return highest - lowest < LEVEL


@kernel
def leading_edge(polygon, slide_x, slide_y):
    """The two corners between which the polygon ends in the direction of the slide, seen from its middle."""
    x, y, count = polygon.x, polygon.y, polygon.count
    middle_x, middle_y = 0.0, 0.0
    for i in range(count):
        middle_x += x[i] / count
        middle_y += y[i] / count
    first, second, farthest = 0, 0, -math.inf
    for i in range(count):
        side_i = slide_x * (y[i] - middle_y) - slide_y * (x[i] - middle_x)
        ahead_i = slide_x * (x[i] - middle_x) + slide_y * (y[i] - middle_y)
        for j in range(count):
            side_j = slide_x * (y[j] - middle_y) - slide_y * (x[j] - middle_x)
            if side_i <= 0.0 < side_j:
                ahead_j = slide_x * (x[j] - middle_x) + slide_y * (y[j] - middle_y)
                ahead = (ahead_i * side_j - ahead_j * side_i) / (side_j - side_i)
                if ahead > farthest:
                    first, second, farthest = i, j, ahead
    return first, second


@kernel
def area_beyond(polygon, i, j, k):
    """Twice the area of a triangle of corners; negative if they run clockwise."""
    x, y = polygon.x, polygon.y
    return (x[j] - x[i]) * (y[k] - y[i]) - (y[j] - y[i]) * (x[k] - x[i])


@kernel
def keep_leading(polygon, first, second, keep):
    """Choose the two corners of the leading edge, and those that span the largest area with them. Return how many."""
    third, fourth, most = -1, -1, 1e-12
    for k in range(polygon.count):
        area = abs(area_beyond(polygon, first, second, k))
        if area > most * HYSTERESIS:
            third, most = k, area
    keep[0], keep[1] = first, second
    if third < 0:
        return 2
    if area_beyond(polygon, first, second, third) < 0.0:
        first, second = second, first
    least = 1e-6 * most
    most = least
    for k in range(polygon.count):
        beyond = max(area_beyond(polygon, second, first, k), area_beyond(polygon, third, second, k))
        beyond = max(beyond, area_beyond(polygon, first, third, k))
        if beyond > most * HYSTERESIS:
            fourth, most = k, beyond
    keep[2] = third
    if fourth < 0:
        return 3
    keep[3] = fourth
    return 4


@kernel
def reduce_points(polygon, keep, slide_x, slide_y):
    """Choose up to four corners of a POLYGON (x, y in the plane, z the separation) and write their indices to `keep`. Return how
    many. `slide_*`: velocity in the plane of the body that may tip over on the other [m/s]."""
    keep_as_call()
    count = polygon.count
    if count <= MAX_POINTS:
        for i in range(count):
            keep[i] = i
        return count
    if slide_x * slide_x + slide_y * slide_y > LEAST_SLIDE * LEAST_SLIDE and count <= MOST_LEADING and is_level(polygon):
        first, second = leading_edge(polygon, slide_x, slide_y)
        if first != second:
            return keep_leading(polygon, first, second, keep)
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
