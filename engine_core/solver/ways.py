"""The path of a body through a step: from its pose before the sub-steps, by the one halfway, to the one after them.

A body that turns about a point of contact swings around it. A straight line between the two ends of such a path cuts through the
ground where the body never was; the pose halfway keeps the line close to the path. Fractions of a path run from 0 to 1; 0.5 is
halfway.
"""

import numpy as np

from ..bodies.bounds import FAT_MARGIN
from ..bodies.records import system_at
from ..constraints.schema import DELTA_POSITION, DELTA_ROTATION, HELD_BACK, ROW_SIZE
from ..geometry.vector import (
    add, add_scaled, conjugate, interpolate_rotation, multiply, quaternion, rotate, scale, subtract, vector3,
)  # fmt: skip
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import view
from ..runtime.vector8 import load8, store8

FLOAT32, FLOAT64 = np.float32, np.float64
HALFWAY_FLOATS = 8
"""Floats of a row of SYSTEM.solver.halfway: the second half of a solver row, halfway through the step."""
MOTION, TURN = DELTA_POSITION - 8, DELTA_ROTATION - 8
SEGMENTS = 2
"""Straight parts of a path."""
NO_MOTION, NO_TURN = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)


@entry_point(JOB_SIGNATURE)
def note_halfway(system_address, begin, end, worker):
    """Job: save the motion so far of the active bodies `begin` to `end - 1`."""
    system = system_at(system_address)
    for slot in range(begin + 1, end + 1):
        store8(system.solver.halfway + slot * 4 * HALFWAY_FLOATS, load8(system.solver.rows + slot * ROW_SIZE + 32))


@kernel
def row_of(system, body):
    """The solver row of an active body."""
    return view(system.solver.rows + (body.active_index + 1) * ROW_SIZE, 16, FLOAT32)


@kernel
def halfway_of(system, body):
    """The motion of an active body halfway."""
    return view(system.solver.halfway + (body.active_index + 1) * 4 * HALFWAY_FLOATS, HALFWAY_FLOATS, FLOAT32)


@kernel
def end_of_segment(system, body, number):
    """Motion [m] and turn of a body from the start of the step to the start of a segment of its path, or the end of the last."""
    if number == 0:
        return NO_MOTION, NO_TURN
    if number == 1:
        half = halfway_of(system, body)
        return vector3(half[MOTION : MOTION + 3]), quaternion(half[TURN : TURN + 4])
    row = row_of(system, body)
    return vector3(row[DELTA_POSITION : DELTA_POSITION + 3]), quaternion(row[DELTA_ROTATION : DELTA_ROTATION + 4])


@kernel
def come_so_far(system, body, fraction):
    """Motion [m] and turn of an active body after a fraction of its path."""
    number = 0 if fraction < 0.5 else 1
    motion, turn = end_of_segment(system, body, number)
    end_motion, end_turn = end_of_segment(system, body, number + 1)
    part = SEGMENTS * fraction - number
    return add_scaled(scale(motion, 1.0 - part), end_motion, part), interpolate_rotation(turn, end_turn, part)


@kernel
def free_part(system, body):
    """The fraction of its path up to which an active body is not held back."""
    return 1.0 - FLOAT64(row_of(system, body)[HELD_BACK])


@kernel
def rest_of_way(system, body, fraction, offset):
    """Motion that a body gives a point at `offset` from its centre, between a fraction of its path and where it stops [m]."""
    free = free_part(system, body)
    if free <= fraction:
        return NO_MOTION
    motion, turn = come_so_far(system, body, fraction)
    end_motion, end_turn = come_so_far(system, body, free)
    turned = rotate(multiply(end_turn, conjugate(turn)), offset)
    return subtract(add(end_motion, turned), add(motion, offset))


@kernel
def leaves_bounds_soon(body, delta_time):
    """Whether the next step may take a body out of its fat bounds: its pairs must be found before it hits something."""
    tight, fat = body.bounds, body.fat_bounds
    for k in range(3):
        step = delta_time * body.linear_velocity[k]
        if abs(step) > FAT_MARGIN and (tight[k] + min(step, 0.0) < fat[k] or tight[3 + k] + max(step, 0.0) > fat[3 + k]):
            return True
    return False
