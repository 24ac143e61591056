"""A test of whether two moving bodies pass each other, by their bounding boxes alone: most need no sweep of their shapes."""

import numpy as np

from ..geometry.vector import add, conjugate, dot, matrix_rows, quaternion, rotate, subtract
from ..runtime.kernel import kernel

FLOAT64 = np.float64
LEAST_WAY = 1.0e-9
"""Shorter motions count as none [m]."""
ENDLESS = 1.0e20
"""Wider bounds are those of a plane [m]."""


@kernel
def turned_out(body, angle):
    """Upper bound of how far a turn about its centre of mass moves points of a body out of its box [m]."""
    b = body.local_bounds
    inside = max(min(-b[0], -b[1], -b[2], b[3], b[4], b[5]), 0.0)
    return min(angle * FLOAT64(body.extent), max(FLOAT64(body.extent) - FLOAT64(inside), 0.0))


@kernel
def box_of_bounds(bounds, turn):
    """Bounds (min x, y, z, max x, y, z) turned by a rotation: the middle of the box, its half extents [m] and its axes."""
    middle = (
        0.5 * (FLOAT64(bounds[0]) + FLOAT64(bounds[3])), 0.5 * (FLOAT64(bounds[1]) + FLOAT64(bounds[4])),
        0.5 * (FLOAT64(bounds[2]) + FLOAT64(bounds[5])),
    )  # fmt: skip
    half = (
        0.5 * (FLOAT64(bounds[3]) - FLOAT64(bounds[0])), 0.5 * (FLOAT64(bounds[4]) - FLOAT64(bounds[1])),
        0.5 * (FLOAT64(bounds[5]) - FLOAT64(bounds[2])),
    )  # fmt: skip
    return rotate(turn, middle), half, matrix_rows(conjugate(turn))


@kernel
def box_around(body, turn):
    """The box around a body with this rotation: its middle from the centre of mass, half extents [m] and axes, in world axes."""
    return box_of_bounds(body.local_bounds, turn)


@kernel
def reach_along(n, half, other, half_other):
    """Distance between the middles of two touching boxes along an axis of one of them, whose half extent there is given."""
    return (
        half + abs(dot(n, other[0])) * half_other[0] + abs(dot(n, other[1])) * half_other[1]
        + abs(dot(n, other[2])) * half_other[2]
    )  # fmt: skip


@kernel
def gap_along(own, other, half_own, half_other, start):
    """Lower bound of the distance of two boxes: the largest gap along the axes of one of them; negative: they overlap along
    all."""
    gap = -ENDLESS
    for i in range(3):
        gap = max(gap, abs(dot(own[i], start)) - reach_along(own[i], half_own[i], other, half_other))
    return gap


@kernel
def gap_of_boxes(axes_a, half_a, axes_b, half_b, start):
    """Lower bound of the distance of two boxes along the axes of both [m]; 0 or less if they overlap along all. `start`: from the
    middle of A to that of B."""
    return max(gap_along(axes_a, axes_b, half_a, half_b, start), gap_along(axes_b, axes_a, half_b, half_a, start))


@kernel
def meet_along(own, other, half_own, half_other, start, motion, slack, first, last):
    """The part of the motion, between the fractions `first` and `last`, in which two boxes overlap along the axes of one of
    them."""
    for i in range(3):
        n, reach = own[i], reach_along(own[i], half_own[i], other, half_other) + slack
        at, way = dot(n, start), dot(n, motion)
        if abs(way) > LEAST_WAY:
            one, two = (-reach - at) / way, (reach - at) / way
            first, last = max(first, min(one, two)), min(last, max(one, two))
        elif abs(at) > reach + LEAST_WAY:
            last = -1.0
    return first, last


@kernel
def is_endless(body):
    """Whether a body has a plane."""
    return body.local_bounds[3] - body.local_bounds[0] > ENDLESS


@kernel
def gap_between(a, b, delta):
    """Lower bound of the distance of two bodies, by the boxes around them [m]; 0 or less if the boxes overlap. `delta`: from A to
    B [m]."""
    if is_endless(a) or is_endless(b):
        return 0.0
    middle_a, half_a, axes_a = box_around(a, quaternion(a.rotation))
    middle_b, half_b, axes_b = box_around(b, quaternion(b.rotation))
    start = add(delta, subtract(middle_b, middle_a))
    return gap_of_boxes(axes_a, half_a, axes_b, half_b, start)


@kernel
def passes_by(a, b, turn_a, turn_b, start, motion, slack):
    """Whether two bodies stay apart while B moves by `motion` from `start` relative to A [m], with rotations `turn_a` and
    `turn_b`. `slack`: how far they turn points of both out of their boxes, plus the distance that counts as contact [m]. The
    boxes overlap along each of their axes in a part of the motion; if these parts have nothing in common, the boxes never touch
    (Gottschalk, Lin and Manocha, "OBBTree", 1996, for moving boxes)."""
    if is_endless(a) or is_endless(b):
        return False
    middle_a, half_a, axes_a = box_around(a, turn_a)
    middle_b, half_b, axes_b = box_around(b, turn_b)
    start = add(start, subtract(middle_b, middle_a))
    first, last = meet_along(axes_a, axes_b, half_a, half_b, start, motion, slack, 0.0, 1.0)
    if first > last:
        return True
    first, last = meet_along(axes_b, axes_a, half_b, half_a, start, motion, slack, first, last)
    return first > last
