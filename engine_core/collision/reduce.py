"""Choosing four points of a manifold: the deepest, and those that span the largest area with it.

The choice must not flicker between equally good points: a later point must be better by a margin, and among equally deep points
those farthest along a fixed direction win.

A body that slides is pressed to the ground at its leading edge by friction. If the points left that edge out, friction would tip
it over: a prism that lands at 6 m/s sideways would jump by 20 cm. So of a body that slides on its flat side the two corners are
chosen between which that side ends in the direction of its motion.

A body that leans stands on the corners under its load. Four corners of a regular octagon reach only 0.71 to 1 times as far as all
eight: a column would tip over on a slope that it can stand on. So where the load lies near a side of the four beyond which there
are other corners, an open side, those two corners are chosen between which the polygon ends in that direction.
"""

import math

import numpy as np

from ..geometry.angles import circle_point
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from .schema import MAX_POINTS

DEPTH_MARGIN = 1e-4
"""Points up to this much higher than the deepest count as equally deep [m]."""
HYSTERESIS = 1.05
NOTABLE = 0.1
"""A fourth corner on the side of the third adds at least this part of the area of the three; smaller ones come and go on the next
triangle of a mesh."""
LEAST_SLIDE = 0.25
"""Slower bodies do not tip over [m/s]: friction lifts them by less than v^2 / (2 g), 3 mm."""
LEVEL = 2e-3
"""A side is flat on the other if its corners differ by less in their separation [m]; else the deepest ones are the leading."""
MOST_LEADING = 32
"""Only polygons of up to so many corners are searched for the leading edge: all pairs of corners are looked at."""
BESIDE = circle_point(0.2)
"""The corners that a body leans on are those within this angle [rad] to either side (cosine, sine): a load wanders."""
MOST_TURNS = 8
"""The edge in a direction is found in at most so many rounds."""
LEVEL_OF_SIZE = 5e-3
"""Corners of a side on which a body leans that are higher than this part of its size, or than `LEVEL`, do not carry."""
BEYOND = 0.02
"""A side of the four is open if another corner lies beyond it by more than this part of the width of the four."""
SIDES_OF_THREE, ALL_SIDES = 0b001011, 0b111111
NEAR_SIDE = 0.4
"""A load nearer to an open side than this part of the distance of the middle asks for other corners ..."""
AT_SIDE = 0.2
"""A load nearer than this part asks for another collision, too: between the two limits corners do not flicker."""


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
    third, most = -1, 1e-12
    for k in range(polygon.count):
        area = abs(area_beyond(polygon, first, second, k))
        if area > most * HYSTERESIS:
            third, most = k, area
    keep[0], keep[1] = first, second
    if third < 0:
        return 2
    keep[2] = third
    return keep_beyond(polygon, keep, 1e-6)


@kernel
def keep_beyond(polygon, keep, least):
    """Add to three corners the one that lies farthest beyond the triangle that they span, if that adds more than the part `least`
    to its area. Return how many are kept."""
    first, second, third = keep[0], keep[1], keep[2]
    if area_beyond(polygon, first, second, third) < 0.0:
        first, second = second, first
    fourth, most = -1, least * area_beyond(polygon, first, second, third)
    for k in range(polygon.count):
        beyond = max(area_beyond(polygon, second, first, k), area_beyond(polygon, third, second, k))
        beyond = max(beyond, area_beyond(polygon, first, third, k))
        if beyond > most * HYSTERESIS:
            fourth, most = k, beyond
    if fourth < 0:
        return np.int64(3)
    keep[3] = fourth
    return np.int64(4)


@kernel
def others_of(i, j):
    """The two of four points that are neither i nor j, for i < j."""
    k = 0 if i > 0 else (1 if j > 1 else 2)
    return k, 6 - i - j - k


@kernel
def level_of(polygon):
    """How high a corner may be above the lowest one so that it carries [m]."""
    lowest, size = math.inf, 0.0
    for i in range(polygon.count):
        lowest = min(lowest, polygon.z[i])
        size = max(size, abs(polygon.x[i] - polygon.x[0]), abs(polygon.y[i] - polygon.y[0]))
    return lowest + min(LEVEL, LEVEL_OF_SIZE * size)


@kernel
def open_sides(polygon, keep, count):
    """Compute which sides of the `count` corners in `keep` are open: bits in the order 01, 02, 03, 12, 13, 23."""
    keep_as_call()
    if count < 3 or polygon.count <= MAX_POINTS:
        return 0
    if count == 3:
        keep[3] = keep[0]  # its sides are those of the first
    level, bits, bit = level_of(polygon), 0, 1
    for i in range(3):
        for j in range(i + 1, 4):
            k, m = others_of(i, j)
            first, second = area_beyond(polygon, keep[i], keep[j], keep[k]), area_beyond(polygon, keep[i], keep[j], keep[m])
            if first * second >= 0.0:  # not a diagonal
                inside = 1.0 if first + second > 0.0 else -1.0
                least = BEYOND * max(abs(first), abs(second))
                for corner in range(polygon.count):
                    if -inside * area_beyond(polygon, keep[i], keep[j], corner) > least and polygon.z[corner] < level:
                        bits |= bit
            bit <<= 1
    return bits & (SIDES_OF_THREE if count == 3 else ALL_SIDES)


@kernel
def is_near_open_side(polygon, keep, count, x, y):
    """Whether a load at (x, y) lies beyond or near an open side of the `count` corners in `keep`."""
    bits, bit = open_sides(polygon, keep, count), 1
    for i in range(3):
        for j in range(i + 1, 4):
            if bits & bit:
                k, m = others_of(i, j)
                p, q = keep[i], keep[j]
                first, second = area_beyond(polygon, p, q, keep[k]), area_beyond(polygon, p, q, keep[m])
                along, across = polygon.x[q] - polygon.x[p], polygon.y[q] - polygon.y[p]
                area = along * (y - polygon.y[p]) - across * (x - polygon.x[p])
                inside = 1.0 if first + second > 0.0 else -1.0
                if count * inside * area < NEAR_SIDE * inside * (first + second):
                    return True
            bit <<= 1
    return False


@kernel
def lean_on(polygon, keep, count, x, y):
    """Choose other corners than the `count` in `keep` if a load at (x, y) lies near an open side. Return how many are kept."""
    if not is_near_open_side(polygon, keep, count, x, y):
        return count
    middle_x, middle_y = 0.0, 0.0
    for i in range(polygon.count):
        middle_x += polygon.x[i] / polygon.count
        middle_y += polygon.y[i] / polygon.count
    level, x, y, middle = level_of(polygon), x - middle_x, y - middle_y, (middle_x, middle_y)
    right, _ = edge_toward(polygon, middle, BESIDE[0] * x + BESIDE[1] * y, BESIDE[0] * y - BESIDE[1] * x)
    _, left = edge_toward(polygon, middle, BESIDE[0] * x - BESIDE[1] * y, BESIDE[0] * y + BESIDE[1] * x)
    first, second = edge_toward(polygon, middle, x, y)
    if right < 0 or left < 0 or first < 0 or right == left or max(polygon.z[right], polygon.z[left]) > level:
        return count
    between = nearer_to_ray(polygon, middle, x, y, first, second)
    if between == right or between == left:
        between = first + second - between
    if between == right or between == left or polygon.z[between] > level:
        return np.int64(keep_leading(polygon, right, left, keep))
    keep[0], keep[1], keep[2] = right, between, left
    return keep_opposite(polygon, keep)


@kernel
def place_beside_ray(polygon, i, middle, x, y):
    """How far corner i is to the left of a ray from the middle, and ahead along it."""
    way_x, way_y = polygon.x[i] - middle[0], polygon.y[i] - middle[1]
    return x * way_y - y * way_x, x * way_x + y * way_y


@kernel
def nearer_to_ray(polygon, middle, x, y, i, j):
    """The one of two corners that is nearer to the line of a ray from the middle."""
    side_i, _ = place_beside_ray(polygon, i, middle, x, y)
    side_j, _ = place_beside_ray(polygon, j, middle, x, y)
    return i if abs(side_i) <= abs(side_j) else j


@kernel
def edge_toward(polygon, middle, x, y):
    """Find the two corners, right and left, between which a ray from the middle leaves the polygon; -1 if there are none on a
    side. The corners are in any order: each is the best beside the other, in turn."""
    right, left, ahead_right, ahead_left = -1, -1, 0.0, 0.0
    for i in range(polygon.count):
        side, ahead = place_beside_ray(polygon, i, middle, x, y)
        if side <= 0.0 and (right < 0 or ahead > ahead_right):
            right, ahead_right = i, ahead
        if side > 0.0 and (left < 0 or ahead > ahead_left):
            left, ahead_left = i, ahead
    if right < 0 or left < 0:
        return -1, -1
    for _ in range(MOST_TURNS):
        before_right, before_left = right, left
        right = best_beside(polygon, middle, x, y, left, right, -1.0)
        left = best_beside(polygon, middle, x, y, right, left, 1.0)
        if right == before_right and left == before_left:
            break
    return right, left


@kernel
def best_beside(polygon, middle, x, y, other, best, sign):
    """The corner on a side of a ray (`sign`: 1.0 left, -1.0 right) whose line to `other` on its other side meets the ray
    farthest out; `best` if none is better."""
    side_other, ahead_other = place_beside_ray(polygon, other, middle, x, y)
    side, ahead = place_beside_ray(polygon, best, middle, x, y)
    farthest = (ahead * side_other - ahead_other * side) / (side_other - side)
    for i in range(polygon.count):
        side, ahead = place_beside_ray(polygon, i, middle, x, y)
        if (side > 0.0) == (sign > 0.0):
            out = (ahead * side_other - ahead_other * side) / (side_other - side)
            if out > farthest:
                best, farthest = i, out
    return best


@kernel
def keep_opposite(polygon, keep):
    """Add to three corners under the load, in order, the one farthest from the line through their ends on the other side. Return
    how many are kept."""
    right, between, left = keep[0], keep[1], keep[2]
    side = 1.0 if area_beyond(polygon, right, left, between) < 0.0 else -1.0
    fourth, most = -1, 0.0
    for k in range(polygon.count):
        area = side * area_beyond(polygon, right, left, k)
        if area > most * HYSTERESIS:
            fourth, most = k, area
    if fourth < 0:
        return np.int64(3)
    keep[3] = fourth
    return np.int64(4)


@kernel
def reduce_points(polygon, keep, slide_x, slide_y, load):
    """Choose up to four corners of a POLYGON (x, y in the plane, z the separation) and write their indices to `keep`. Return how
    many. `slide_*`: velocity in the plane of the body that may tip over on the other [m/s]. `load`: where it presses, (whether
    that is known, x, y)."""
    keep_as_call()
    count = choose_corners(polygon, keep, slide_x, slide_y)
    slides = slide_x * slide_x + slide_y * slide_y > LEAST_SLIDE * LEAST_SLIDE
    if load[0] and not slides and count >= 3 and polygon.count > MAX_POINTS:
        return lean_on(polygon, keep, count, load[1], load[2])
    return count


@kernel
def choose_corners(polygon, keep, slide_x, slide_y):
    """Choose the corners of `reduce_points` without regard to the load."""
    count = np.int64(polygon.count)
    if count <= MAX_POINTS:
        for i in range(count):
            keep[i] = i
        return count
    if slide_x * slide_x + slide_y * slide_y > LEAST_SLIDE * LEAST_SLIDE and count <= MOST_LEADING and is_level(polygon):
        first, second = leading_edge(polygon, slide_x, slide_y)
        if first != second:
            return np.int64(keep_leading(polygon, first, second, keep))
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
        return np.int64(1)
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
    n = np.int64(2)
    if left >= 0:
        keep[n] = left
        n += 1
    if right >= 0:
        keep[n] = right
        n += 1
    return keep_beyond(polygon, keep, NOTABLE) if n == 3 else n
