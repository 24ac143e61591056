"""Bodies deep inside of others, and light ones among much heavier ones: how fast they may become in a step.

Contacts of bodies that overlap deeply contradict each other. Their impulses hold each other, grow far beyond any load, and cancel
no longer as the bodies turn. The same happens where heavy bodies wedge a light one in: one of 0.1 kg among some of 200 kg would
leave at thousands or millions of metres a second, and hit others. No impulse is right there, but it must not tear the rest of
the world apart. So such a body becomes in a step at most as fast as the faster of the two and, for what a blow may add, some
more, beside what its forces add. The limits are those of speed_limits.py.
"""

import numpy as np

from ..bodies.overlap import is_deep_by, size_of
from ..bodies.rare import rare_of
from ..bodies.schema import HAS_SPEED_LIMIT, IS_PRESSED, KINEMATIC
from ..geometry.vector import length, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .blocks import get_vector
from .body_terms import forces_of
from .pressed_bodies import HEAVIER
from .schema import (
    ANCHOR_A, ANCHOR_B, ANGULAR_VELOCITY, INERTIA_FLOATS, INERTIA_SIZE, LIMITED, LINEAR_VELOCITY, LOCKED_AXES,
    MOST_SPEED, MOST_SPIN, RESTITUTION, ROW_SIZE, SPIN_CHANGE, SQUEEZED, VELOCITY_CHANGE,
)  # fmt: skip

INT32, FLOAT32, FLOAT64 = np.int32, np.float32, np.float64
LEAST_MORE, MOST_MORE = 5.0, 20.0
"""How much faster than the faster of the two a body may become [m/s]: the first, and as much as both together, up to the second.
While the solver hands a blow on, a light body may be that fast for a sub-step."""
TURN = 2.0
"""It may come to turn so many times as fast as if it rolled at that speed."""


@kernel
def speeds_of(system, body, arm):
    """Speed of a body at the end of an arm [m/s], its own speed, and its spin [rad/s], as the step began."""
    row = view(system.solver.rows + (body.active_index + 1) * ROW_SIZE, 16, FLOAT32)
    speed, spin = length(vector3(row[LINEAR_VELOCITY:])), length(vector3(row[ANGULAR_VELOCITY:]))
    return speed + spin * length(arm), speed, spin


@kernel
def allow(system, body, speed, spin):
    """Let a body reach a speed [m/s] and a spin [rad/s] in this step, beside what its forces add."""
    number = body.active_index + 1
    forces, limits = forces_of(system, number), view(system.solver.inertias + number * INERTIA_SIZE, INERTIA_FLOATS, FLOAT32)
    if not INT32(forces[LOCKED_AXES]) & SQUEEZED:
        forces[LOCKED_AXES] = FLOAT32(INT32(forces[LOCKED_AXES]) | SQUEEZED | LIMITED)
        limits[MOST_SPEED] = limits[MOST_SPIN] = FLOAT32(0.0)
    count = system.settings.substep_count
    speed += count * length(vector3(forces[VELOCITY_CHANGE:]))
    spin += count * length(vector3(forces[SPIN_CHANGE:]))
    limits[MOST_SPEED], limits[MOST_SPIN] = max(limits[MOST_SPEED], FLOAT32(speed)), max(limits[MOST_SPIN], FLOAT32(spin))
    if body.flags & HAS_SPEED_LIMIT:
        rare = rare_of(system.world, body)
        limits[MOST_SPEED] = min(limits[MOST_SPEED], rare.max_linear_velocity)
        limits[MOST_SPIN] = min(limits[MOST_SPIN], rare.max_angular_velocity)
    if system.solver.some_is_limited == 0:  # written by any thread, always with the same value
        system.solver.some_is_limited = 1


@kernel
def is_squeezed(system, body, other):
    """Whether a body counts as squeezed: it is pressed, or the other is much heavier and moves, or an earlier contact of this
    step has limited it. Its neighbours are no better off then."""
    if body.inverse_mass == 0.0:
        return False
    if body.flags & IS_PRESSED or body.inverse_mass >= other.inverse_mass * FLOAT32(HEAVIER) > 0.0:
        return True
    if system.solver.some_is_limited == 0:
        return False
    return INT32(forces_of(system, body.active_index + 1)[LOCKED_AXES]) & SQUEEZED != 0


@kernel
def limit_by(system, body, other, speeds, speeds_of_other):
    """Limit a body by the speeds of one that it touches, see `speeds_of`."""
    at_point, speed, spin = speeds_of_other
    if other.mode == KINEMATIC or body.inverse_mass >= other.inverse_mass * FLOAT32(HEAVIER):
        speed = at_point
    more = min(speed + speeds[1], MOST_MORE) + LEAST_MORE
    allow(system, body, max(speed, speeds[1]) + more, max(spin, speeds[2]) + TURN * more / size_of(body))


@kernel
def limit_both(system, a, b, lane):
    """Limit both bodies of a manifold."""
    keep_as_call()
    speeds_a, speeds_b = speeds_of(system, a, get_vector(lane, ANCHOR_A)), speeds_of(system, b, get_vector(lane, ANCHOR_B))
    if a.inverse_mass > 0.0:
        limit_by(system, a, b, speeds_a, speeds_b)
    if b.inverse_mass > 0.0:
        limit_by(system, b, a, speeds_b, speeds_a)


@kernel
def limit_squeezed(system, a, b, lane, lowest):
    """Limit the bodies of a manifold that overlap deeply or of which one is squeezed, unless they bounce. `lowest`: their least
    separation beyond the allowed overlap [m]. Blocks of one colour share no moving body, and colours follow one another, so the
    limits are the same for any number of threads."""
    is_bad = is_squeezed(system, a, b) or is_squeezed(system, b, a) or (lowest < 0.0 and is_deep_by(a, b, -lowest))
    if is_bad and lane[RESTITUTION * 8] <= 0.0:
        limit_both(system, a, b, lane)
