"""Limits on numbers and positions of arrays in a tile, shared by all its checks."""

import numpy as np

from ..runtime.kernel import kernel

ALIGNMENT = 64
"""Sections, blocks and their arrays begin at multiples of it [byte]."""
LARGEST = 1.0e9
"""Largest length in a shape [m]: its fourth power is still finite in single precision."""
SMALLEST = 1.0e-15
"""Smallest size of a shape [m]: the inverse of its square is still finite in single precision."""
LARGEST_PLACE = 1.0e15
"""Largest coordinate, speed or coefficient of a body."""
LARGEST_TURN_ERROR = 1.0e-3
"""Largest error of the squared length of a rotation or normal."""


@kernel
def are_numbers(values, count, limit):
    """Whether numbers are finite and at most `limit` from 0."""
    is_good = True
    for k in range(count):
        is_good &= abs(np.float64(values[k])) <= limit
    return is_good


@kernel
def is_unit(values, first, count):
    """Whether `count` numbers from `first` on are nearly a vector of length 1."""
    square = 0.0
    for k in range(first, first + count):
        square += np.float64(values[k]) * np.float64(values[k])
    return abs(square - 1.0) <= LARGEST_TURN_ERROR


@kernel
def lies_in(offset, count, size, head, room):
    """Whether an array of a block lies after the block's record of `head` bytes and within `room` [byte] from the block's
    start."""
    return offset >= head and offset % ALIGNMENT == 0 and count >= 0 and offset <= room and count <= (room - offset) // size
