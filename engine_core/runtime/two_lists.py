"""Rows that stand in two lists at once, one on each side.

Rows have the fields `next` and `previous`, int32, two of each; these, and the heads that whoever has a list keeps, are
`row << 1 | side`, or -1. `side` is where the list goes on in that row. Serial.
"""

import numpy as np

from .kernel import kernel

INT32 = np.int32


@kernel
def link(rows, row, side, head):
    """Put a row in front of a list. Gives the new head."""
    rows[row].next[side], rows[row].previous[side] = INT32(head), INT32(-1)
    if head >= 0:
        rows[head >> 1].previous[head & 1] = INT32(row << 1 | side)
    return INT32(row << 1 | side)


@kernel
def unlink(rows, row, side, head):
    """Take a row out of a list. Gives the head that the list has then."""
    before, after = rows[row].previous[side], rows[row].next[side]
    if after >= 0:
        rows[after >> 1].previous[after & 1] = before
    if before < 0:
        return INT32(after)
    rows[before >> 1].next[before & 1] = after
    return INT32(head)
