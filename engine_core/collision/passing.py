"""Whether two bodies that move pass by each other, told by the boxes around them alone: most need no sweep of their shapes."""

import numpy as np

from ..geometry.vector import add, conjugate, dot, matrix_rows, quaternion, rotate, subtract
from ..runtime.kernel import kernel

FLOAT64 = np.float64
LEAST_WAY = 1.0e-9
"""Shorter ways count as none [m]."""
ENDLESS = 1.0e20
"""Bounds wider than this are those of a plane [m]."""


@kernel
def turned_out(body, angle):
    """How far a turn about its centre of mass takes points of a body out of the box around it, at most [m]."""
    b = body.local_bounds
    inside = max(min(-b[0], -b[1], -b[2], b[3], b[4], b[5]), 0.0)
    return min(angle * FLOAT64(body.extent), max(FLOAT64(body.extent) - FLOAT64(inside), 0.0))


@kernel
def box_around(body, turn):
    """The box around a body that is turned like that: middle from the centre of mass, half extents [m] and axes, in world
    axes."""
    local = body.local_bounds
    middle = (
        0.5 * (FLOAT64(local[0]) + FLOAT64(local[3])), 0.5 * (FLOAT64(local[1]) + FLOAT64(local[4])),
        0.5 * (FLOAT64(local[2]) + FLOAT64(local[5])),
    )  # fmt: skip
    half = (
        0.5 * (FLOAT64(local[3]) - FLOAT64(local[0])), 0.5 * (FLOAT64(local[4]) - FLOAT64(local[1])),
        0.5 * (FLOAT64(local[5]) - FLOAT64(local[2])),
    )  # fmt: skip
    return rotate(turn, middle), half, matrix_rows(conjugate(turn))


@kernel
def reach_along(n, half, other, half_other):
    """How far the middles of two boxes are apart along an axis of one of them, with half its extent there, when they touch."""
    return (
        half + abs(dot(n, other[0])) * half_other[0] + abs(dot(n, other[1])) * half_other[1]
        + abs(dot(n, other[2])) * half_other[2]
    )  # fmt: skip


@kernel
def gap_along(own, other, half_own, half_other, start):
    """How far two boxes are apart at least: the largest gap along the axes of one of them; negative: they overlap along all."""
    gap = -ENDLESS
    for i in range(3):
        gap = max(gap, abs(dot(own[i], start)) - reach_along(own[i], half_own[i], other, half_other))
    return gap


@kernel
def meet_along(own, other, half_own, half_other, start, motion, slack, first, last):
    """The part of the way, between the fractions `first` and `last`, in which two boxes overlap along the axes of one of them."""
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
    """How far two bodies are apart at least, by the boxes around them [m]; 0 or less if that does not tell. `delta`: from A to B
    [m]."""
    if is_endless(a) or is_endless(b):
        return 0.0
    middle_a, half_a, axes_a = box_around(a, quaternion(a.rotation))
    middle_b, half_b, axes_b = box_around(b, quaternion(b.rotation))
    start = add(delta, subtract(middle_b, middle_a))
    return max(gap_along(axes_a, axes_b, half_a, half_b, start), gap_along(axes_b, axes_a, half_b, half_a, start))


@kernel
def passes_by(a, b, turn_a, turn_b, start, motion, slack):
    """Whether two bodies stay apart while B moves by `motion` from `start` against A [m], both turned as told. `slack`: how far
    they turn points of both out of there, and how near counts as met [m]. The boxes around them overlap along each axis of
    either in a part of the way; if these parts have nothing in common the boxes never meet (Gottschalk, Lin and Manocha,
    "OBBTree", 1996, for boxes that move)."""
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
