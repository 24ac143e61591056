"""Selection of the largest members of a list, where there is no room for all."""

import numpy as np

from .atomics import float_to_bits
from .kernel import kernel
from .memory import stack_array

INT32, FLOAT32 = np.int32, np.float32
LEAST = -1.0
"""Smaller values count as this."""


@kernel
def selection_key(value):
    """Convert a value to an integer, 0 or more, in the same order: bits of floats from 0 on are ordered."""
    return float_to_bits(FLOAT32(max(value - LEAST, 0.0)))


@kernel
def least_taken(keys, count, wanted):
    """Return (the least key among the `wanted` largest of `count`, how many of them have this key), digit by digit from the
    highest byte. Keys are 0 or more."""
    numbers = stack_array(256, INT32)
    least, left = 0, wanted
    for digit in range(4):
        shift = 24 - 8 * digit
        for k in range(256):
            numbers[k] = 0
        for k in range(count):
            if digit == 0 or keys[k] >> (shift + 8) == least:
                numbers[(keys[k] >> shift) & 255] += INT32(1)
        value = 255
        while value > 0 and numbers[value] < left:
            left -= numbers[value]
            value -= 1
        least = least << 8 | value
    return least, left


@kernel
def put_largest_first(members, keys, spare, count, wanted):
    """Move the `wanted` members with the largest keys before the others; both keep their order. Of equal keys the first are
    taken. `members`, `keys`, `spare`: int32 (count) each; the keys are not moved."""
    least, equal = least_taken(keys, count, wanted)
    taken, left = 0, 0
    for k in range(count):
        is_taken = keys[k] > least
        if keys[k] == least and equal > 0:
            is_taken = True
            equal -= 1
        if is_taken:
            members[taken] = members[k]
            taken += 1
        else:
            spare[left] = members[k]
            left += 1
    for k in range(left):
        members[taken + k] = spare[k]
