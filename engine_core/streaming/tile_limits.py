"""How large what stands in a tile may be, and where arrays may lie: what all checks of tiles share."""

import numpy as np

from ..runtime.kernel import kernel

ALIGNMENT = 64
"""Sections, blocks and their arrays begin at multiples of it [byte]."""
LARGEST = 1.0e9
"""No length in a shape may be larger [m]: its fourth power is a number in single precision still."""
SMALLEST = 1.0e-15
"""No size of a shape may be smaller [m]: one over its square is a number in single precision still."""
LARGEST_PLACE = 1.0e15
"""No coordinate, speed or coefficient of a body may be larger."""
LARGEST_TURN_ERROR = 1.0e-3
"""The squared length of a rotation or normal may be off 1 by so much."""


@kernel
def are_numbers(values, count, limit):
    """Whether numbers are finite and at most `limit` from 0."""
    is_good = True
    for k in range(count):
        is_good &= abs(np.float64(values[k])) <= limit
    return is_good


@kernel
def is_unit(values, first, count):
    """Whether `count` numbers from `first` on are a vector of length 1, nearly."""
    square = 0.0
    for k in range(first, first + count):
        square += np.float64(values[k]) * np.float64(values[k])
    return abs(square - 1.0) <= LARGEST_TURN_ERROR


@kernel
def lies_in(offset, count, size, head, room):
    """Whether an array of a block lies behind its record of `head` bytes, in the `room` [byte] from the block's beginning on."""
    return offset >= head and offset % ALIGNMENT == 0 and count >= 0 and offset <= room and count <= (room - offset) // size
