"""Fields of a block of eight contact manifolds, eight floats each, and the rows of its bodies: see schema.py."""

import numpy as np

from ..runtime.call import load_int32
from ..runtime.kernel import kernel
from ..runtime.prefetch import LINE, prefetch_lines
from ..runtime.vector8 import load8, store8, transpose8
from .schema import BLOCK_FIELDS, BLOCK_SIZE, FIELD_SIZE, ROW_A, ROW_B, ROW_SIZE

FLOAT32 = np.float32
LANE_FLOATS = BLOCK_FIELDS * 8 - 7
"""Floats from the first one of a lane to its last."""
BLOCK_LINES = -(-BLOCK_SIZE // LINE)


@kernel
def prefetch_block(block):
    """Prefetch a block that comes next: the blocks of a large pile lie beyond the caches in each pass, and the processor's own
    prefetching ends with each page. Short passes need none."""
    prefetch_lines(block, BLOCK_LINES)


@kernel
def field(block, number):
    """A field of a block: eight floats."""
    return load8(block + number * FIELD_SIZE)


@kernel
def field3(block, number):
    return (field(block, number), field(block, number + 1), field(block, number + 2))


@kernel
def field6(block, number):
    return (
        field(block, number), field(block, number + 1), field(block, number + 2),
        field(block, number + 3), field(block, number + 4), field(block, number + 5),
    )  # fmt: skip


@kernel
def put(block, number, value):
    store8(block + number * FIELD_SIZE, value)


@kernel
def put3(block, number, values):
    put(block, number, values[0])
    put(block, number + 1, values[1])
    put(block, number + 2, values[2])


@kernel
def put_vector(lane, field, v):
    """Write a vector to three fields of a lane, given as the floats of a block from the lane's first on."""
    lane[field * 8] = FLOAT32(v[0])
    lane[(field + 1) * 8] = FLOAT32(v[1])
    lane[(field + 2) * 8] = FLOAT32(v[2])


@kernel
def get_vector(lane, field):
    return (np.float64(lane[field * 8]), np.float64(lane[(field + 1) * 8]), np.float64(lane[(field + 2) * 8]))


@kernel
def gather(rows, indices, size, offset):
    """Load eight floats at `offset` [byte] of each of the rows whose numbers are at address `indices`, as eight columns. `size`:
    of a row [byte]."""
    return transpose8(
        load8(rows + load_int32(indices) * size + offset),
        load8(rows + load_int32(indices + 4) * size + offset),
        load8(rows + load_int32(indices + 8) * size + offset),
        load8(rows + load_int32(indices + 12) * size + offset),
        load8(rows + load_int32(indices + 16) * size + offset),
        load8(rows + load_int32(indices + 20) * size + offset),
        load8(rows + load_int32(indices + 24) * size + offset),
        load8(rows + load_int32(indices + 28) * size + offset),
    )


@kernel
def first_half(rows, indices):
    """(velocities, spins, the two other columns) of eight rows."""
    columns = gather(rows, indices, ROW_SIZE, 0)
    return (columns[0], columns[1], columns[2]), (columns[3], columns[4], columns[5]), (columns[6], columns[7])


@kernel
def velocities_of(rows, block):
    """(velocities, spins, the two other columns) of the bodies A of a block, and the same of the bodies B."""
    return first_half(rows, block + ROW_A * FIELD_SIZE), first_half(rows, block + ROW_B * FIELD_SIZE)
