"""Rows that are in two linked lists at once, one on each side.

Rows have the fields `next` and `previous`, int32, two of each. These, and the heads kept by the owners of the lists, are `row <<
1 | side`, or -1. `side` is the side on which the list continues in that row. Serial.
"""

import numpy as np

from .kernel import kernel

INT32 = np.int32


@kernel
def link(rows, row, side, head):
    """Insert a row at the front of a list. Return the new head."""
    rows[row].next[side], rows[row].previous[side] = INT32(head), INT32(-1)
    if head >= 0:
        rows[head >> 1].previous[head & 1] = INT32(row << 1 | side)
    return INT32(row << 1 | side)


@kernel
def unlink(rows, row, side, head):
    """Remove a row from a list. Return its new head."""
    before, after = rows[row].previous[side], rows[row].next[side]
    if after >= 0:
        rows[after >> 1].previous[after & 1] = before
    if before < 0:
        return INT32(after)
    rows[before >> 1].next[before & 1] = after
    return INT32(head)
