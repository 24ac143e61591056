"""Rows of SHAPE that are structures, for Python: one compiled call after an edit of the bricks, since each edit needs it, and one
that finds what a step asked for."""

import numpy as np

from ..runtime.kernel import entry_point
from ..runtime.memory import view
from ..structures.schema import SUMMARY
from .bricks import block_of
from .schema import SHAPE
from .solids import MOST_VOLUME

FLOAT32, FLOAT64 = np.float32, np.float64


@entry_point("int64(int64, int64, int64, int64)")
def renew_structure_row(shapes, row, summary_address, brick_count):
    """Write what follows from the SUMMARY of a structure to a row of SHAPE, and the number of bricks to its block, whose joined
    bricks are no longer good. A brick of density 8 counts as eight times its volume. Returns whether a step asked for its
    stand-in. For holders of the structure's lock."""
    shape, whole = view(shapes, row + 1, SHAPE)[row], view(summary_address, 1, SUMMARY)[0]
    block = block_of(shape)
    unit = FLOAT64(block.unit)
    is_empty = whole.low[0] > whole.high[0]
    for k in range(3):
        shape.bounds[k] = FLOAT32(1.0 if is_empty else whole.low[k] * unit)
        shape.bounds[3 + k] = FLOAT32(0.0 if is_empty else whole.high[k] * unit)
        shape.center_of_mass[k] = FLOAT32(whole.center_of_mass[k] * unit)
    for k in range(6):
        shape.inertia[k] = FLOAT32(whole.inertia[k] * (unit * unit))
    shape.volume = FLOAT32(min(whole.mass * (unit * unit * unit), MOST_VOLUME))
    shape.inner_radius = FLOAT32(0.5 * whole.thinnest * unit)
    block.brick_count = brick_count
    block.joined, block.joined_count = 0, 0
    return block.is_wanted


@entry_point("int64(int64, int64, int64)")
def find_asked(shapes, rows_address, count):
    """Move those of some rows of SHAPE, int64 (count), for which a step asked for a stand-in that they do not have, to the front.
    Returns how many there are."""
    rows, found = view(rows_address, count, np.int64), np.int64(0)
    for k in range(count):
        block = block_of(view(shapes, rows[k] + 1, SHAPE)[rows[k]])
        if block.is_wanted != 0 and block.stand_in < 0:
            rows[found] = rows[k]
            found += 1
    return found
