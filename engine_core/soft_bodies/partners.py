"""Pairs of soft bodies that may meet in a step: their bounds are swept along one axis."""

import numpy as np

from ..runtime.kernel import kernel
from ..runtime.memory import view
from .phases import soft_at
from .schema import MOST_PARTNERS
from .surroundings import is_excepted

INT64 = np.int64
WAKING_SPEED = 0.1
"""A sleeping soft body wakes when a faster one may meet it [m/s]."""


@kernel
def low_of(address):
    """Where the reach of a soft body begins along X [m]."""
    soft = soft_at(address)
    return soft.bounds[0] - soft.reach


@kernel
def sort_along(order, count):
    """Sort addresses of soft bodies by where their reach begins along X (Shell's sort)."""
    step = count // 2
    while step > 0:
        for k in range(step, count):
            address, key, place = order[k], low_of(order[k]), k
            while place >= step and low_of(order[place - step]) > key:
                order[place] = order[place - step]
                place -= step
            order[place] = address
        step //= 2


@kernel
def may_meet(a, b):
    """Whether two soft bodies may meet in this step."""
    if a.meets_soft_bodies == 0 or b.meets_soft_bodies == 0:
        return False
    if a.mask & b.layer == 0 and b.mask & a.layer == 0:
        return False
    if is_excepted(a, b.id) or is_excepted(b, a.id):
        return False
    for k in range(3):
        if a.bounds[k] - a.reach > b.bounds[3 + k] + b.reach or b.bounds[k] - b.reach > a.bounds[3 + k] + a.reach:
            return False
    return True


@kernel
def add_partner(soft, address):
    """Add a soft body to those that another one may meet, and wake the other one if it is fast."""
    other = soft_at(address)
    if soft.partner_count < MOST_PARTNERS:
        view(soft.partners, MOST_PARTNERS, INT64)[soft.partner_count] = address
        soft.partner_count += 1
    else:
        soft.left_out += 1
    if soft.is_asleep != 0 and other.fastest > WAKING_SPEED:
        soft.is_asleep, soft.still_time = 0, 0.0


@kernel
def find_partners(members, order, count):
    """Find the soft bodies that each of the first `count` members may meet. `order`: room for as many addresses."""
    for k in range(count):
        order[k] = members[k]
        soft = soft_at(members[k])
        soft.partners_before, soft.partner_count = soft.partner_count, 0
        if soft.meets_itself != 0:
            add_partner(soft, members[k])
    sort_along(order, count)
    for i in range(count):
        a = soft_at(order[i])
        end = a.bounds[3] + a.reach
        for j in range(i + 1, count):
            b = soft_at(order[j])
            if low_of(order[j]) > end:
                break
            if may_meet(a, b):
                add_partner(a, order[j])
                add_partner(b, order[i])
    for k in range(count):
        soft = soft_at(members[k])
        if soft.is_asleep != 0 and soft.partner_count != soft.partners_before:  # one came or went
            soft.is_asleep, soft.still_time = 0, 0.0
