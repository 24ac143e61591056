"""Limits of the velocity and of the spin of single bodies.

A velocity above its limit is scaled down to it and keeps its direction. That happens as a step begins, so that all of it works
with a legal velocity; before each sub-step adds gravity and forces, which then act on contacts and joints in full; after the
solve of a sub-step, so that its motion is at most limit times time; and as the step ends, so that nobody reads more.

Nothing is solved again afterwards. A limited body that something faster pushes or pulls is left behind: the other one comes into
it, or their joint opens, by the difference of their velocities, and the solver goes on to push and pull in every sub-step. In a
joint or contact with what rests or is itself slow enough, all that is cut off is what forces add in a sub-step. The spin of a
body that swings about a far point is no different: a limit of its spin alone opens the joint there, one of its speed does not.

What moves bodies without a velocity has no limit: pushing deep overlaps apart (push_out.py), and a body that continuous collision
stopped and another one carries on (held_back.py).

The limits of a solver row are in the two free floats behind its inertia, and a bit of its row of forces says so.
"""

import numpy as np

from ..bodies.motion import begin_rest
from ..bodies.rare import rare_of
from ..bodies.schema import HAS_SPEED_LIMIT, KINEMATIC
from ..constraints.body_terms import forces_of
from ..constraints.schema import (
    ANGULAR_VELOCITY, FORCE_SIZE, INERTIA_FLOATS, INERTIA_SIZE, LIMITED, LINEAR_VELOCITY, LOCKED_AXES, MOST_SPEED, MOST_SPIN,
    ROW_SIZE,
)  # fmt: skip
from ..geometry.vector import length, scale, store3, vector3
from ..runtime.call import load_float32
from ..runtime.kernel import kernel
from ..runtime.memory import view

INT32, FLOAT32, FLOAT64 = np.int32, np.float32, np.float64
BELOW = 1.0 - 2.0**-23
"""A velocity is scaled to this part of its limit: what its components are rounded to is then not above the limit."""
NEARLY = 1.0 - 1.0e-6
"""A body moves at its limit if it is faster than this part of it."""


@kernel
def limit(velocity, most):
    """Scale a velocity, float32 (3,), down to a largest length. NaN and an overflow are left to `finish_row`."""
    v = vector3(velocity)
    size = length(v)
    if size > most:
        store3(velocity, scale(v, BELOW * most / size))


@kernel
def finish_limits(system, body):
    """Begin a new rest of a body that moves at its limit as the step ends, however low that is: something drives it."""
    rare = rare_of(system.world, body)
    speed, spin = length(vector3(body.linear_velocity)), length(vector3(body.angular_velocity))
    if speed > NEARLY * FLOAT64(rare.max_linear_velocity) or spin > NEARLY * FLOAT64(rare.max_angular_velocity):
        begin_rest(body)


@kernel
def prepare_limits(system, body, number):
    """Limit a body as the step begins, and write its limits for the sub-steps. `number`: of its solver row. Its row of forces is
    written before."""
    if not body.flags & HAS_SPEED_LIMIT or body.mode == KINEMATIC:
        return
    rare, limits = rare_of(system.world, body), view(system.solver.inertias + number * INERTIA_SIZE, INERTIA_FLOATS, FLOAT32)
    limits[MOST_SPEED], limits[MOST_SPIN] = rare.max_linear_velocity, rare.max_angular_velocity
    limit(body.linear_velocity, FLOAT64(rare.max_linear_velocity))
    limit(body.angular_velocity, FLOAT64(rare.max_angular_velocity))
    forces_of(system, number)[LOCKED_AXES] += FLOAT32(LIMITED)
    if system.solver.some_is_limited == 0:  # written by any thread, always with the same value
        system.solver.some_is_limited = 1


@kernel
def limit_row(system, number):
    """Limit the velocities of a solver row that is LIMITED."""
    limits = view(system.solver.inertias + number * INERTIA_SIZE, INERTIA_FLOATS, FLOAT32)
    row = system.solver.rows + number * ROW_SIZE
    limit(view(row + 4 * LINEAR_VELOCITY, 3, FLOAT32), FLOAT64(limits[MOST_SPEED]))
    limit(view(row + 4 * ANGULAR_VELOCITY, 3, FLOAT32), FLOAT64(limits[MOST_SPIN]))


@kernel
def limit_rows(system, begin, end):
    """Limit the velocities of the solver rows `begin` to `end - 1`, those that are LIMITED."""
    for number in range(begin, end):
        if INT32(load_float32(system.solver.forces + number * FORCE_SIZE + 4 * LOCKED_AXES)) & LIMITED:
            limit_row(system, number)
