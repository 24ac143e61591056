"""Moving deeply overlapping bodies apart, eight manifolds at once.

A soft contact corrects overlap by speed, and the relax pass removes the speed again. In a heap of bodies created at one place
that pass cannot find all of it: they would fly apart. So speed corrects only a first part of a deep overlap (DEEP_PART); the rest
moves the bodies themselves, each by its share of mass, as position corrections do in other engines, and leaves no speed.
"""

import numpy as np

from ..constraints.blocks import field3
from ..constraints.schema import DEEP_PART, DELTA_POSITION, FIELD_SIZE, MASS_A, MASS_B, NORMAL, ROW_A, ROW_B, ROW_SIZE
from ..geometry.wide_vector import dot8, is_any_above8
from ..runtime.call import load_int32
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_row, stack_array, view
from ..runtime.vector8 import max8, min8, splat8, store8

FLOAT32 = np.float32


@kernel
def shift_rows(rows, block, side, shift):
    """Move eight bodies by `shift` [m], three columns. Row 0 does not move."""
    memory = stack_array(24, FLOAT32)
    for k in range(3):
        store8(address_of_row(memory, 8 * k), shift[k])
    for lane in range(8):
        row = load_int32(block + side * FIELD_SIZE + 4 * lane)
        if row > 0:
            values = view(rows + row * ROW_SIZE, 16, FLOAT32)
            for k in range(3):
                values[DELTA_POSITION + k] += memory[8 * k + lane]


@kernel
def push_out(rows, block, lowest, parting, bias_rate, fastest, share, h):
    """Move bodies apart whose deepest point has the separation `lowest` [m]. `parting`: their own separation speed [m/s];
    `fastest`: highest speed [m/s]; `share`: the part of it for this manifold; `h`: length of a sub-step [s]."""
    zero = splat8(FLOAT32(0.0))
    least = fastest * splat8(FLOAT32(DEEP_PART))
    speed = min8(-(lowest * bias_rate), fastest) - max8(least, parting)
    if not is_any_above8(speed, zero):
        return
    normal, mass_a, mass_b = field3(block, NORMAL), field3(block, MASS_A), field3(block, MASS_B)
    push_a = (normal[0] * mass_a[0], normal[1] * mass_a[1], normal[2] * mass_a[2])
    push_b = (normal[0] * mass_b[0], normal[1] * mass_b[1], normal[2] * mass_b[2])
    mass = max8(dot8(normal, push_a) + dot8(normal, push_b), splat8(FLOAT32(1.0e-20)))
    way = max8(speed, zero) * share * h / mass
    shift_rows(rows, block, ROW_A, (-(push_a[0] * way), -(push_a[1] * way), -(push_a[2] * way)))
    shift_rows(rows, block, ROW_B, (push_b[0] * way, push_b[1] * way, push_b[2] * way))
