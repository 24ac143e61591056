"""Whether a slow body rests. A body that has rested for `time_to_sleep` may sleep, with its island.

A body rests while it is slower than the thresholds of its space, or while it only trembles in place. A body that accelerates
steadily is not at rest, however slow it still is: it falls in weak gravity, starts to slide or roll down a slope of a
degree, tips over its edge, turns back on its way up, or swings.

No velocity is kept to tell most of this. A body that accelerates uniformly, with any velocity at the start, moves by

    way = v t - a t^2 / 2,  so  a = 2 (v t - way) / t^2

in the time t, where v is its velocity now. `BODY.steady_time` counts how long the change of velocity in each step has been that
acceleration, which is an average since the body began to rest. A spin may also grow faster, in the same direction: so does that
of a body that tips over its edge. The changes of a body that trembles in a heap are many times as large as its average and point
anywhere; those of a body that creeps are many times as small as the least acceleration that counts.

A body that swings accelerates to and fro, so that the average tells nothing. Its acceleration changes little from one step to the
next (`BODY.last_change`), except near the middle of its way, where the body may sleep.

A body that joints or contacts move without leaving it a velocity, to correct a large error, is not at rest until it is there.

A body that a spring of a joint brings to its place at a slow, even pace is not at rest either (`is_under_way`), nor one that a
spring turns back at the end of its swing (`is_drawn`).
"""

import math

import numpy as np

from ..bodies.motion import begin_rest
from ..bodies.schema import CAN_SLEEP
from ..geometry.vector import conjugate, dot, length, multiply, quaternion, scale, store3, subtract, vector3
from ..runtime.kernel import kernel

FLOAT32 = np.float32
TREMBLE = 0.3
"""A trembling body rests while it stays within this part of the distance it could move at the thresholds."""
LEAST_PART, LEAST_ACCELERATION = 0.002, 0.001
"""Accelerations below this part of gravity, or below the second [m/s^2], are noise of resting contacts. Of 1,000 mixed bodies in
a bin none reaches half of that steadily; a ball on a slope of a degree has six times as much."""
LEAST_DRAWN = 0.005
"""The least acceleration by a spring that keeps a body awake [m/s^2]: a door that swings once in 8 s sleeps within a degree."""
AGREEMENT = 0.5
"""The change of velocity in a step may differ from the average acceleration by this part of it."""
FASTEST_GROWTH = 6.0
"""... or, of a spin, be up to this many times the average in nearly its direction: what tips over its edge speeds up as e^(k t),
a cube of 1 m by 5 times in half a second."""
DOWNHILL = 0.008
"""A body that becomes slower accelerates steadily only if gravity does it, not friction: the cosine between acceleration and
gravity is larger than this, which it is on slopes of half a degree."""
PROOF = 0.4
"""A body begins a new rest instead of sleeping if it has accelerated steadily for this part of `time_to_sleep`, up to now."""
DELAY = 0.09
"""A body does not sleep yet if it has accelerated steadily for this part of `time_to_sleep`: three steps at 60 a second, which
those that tremble hardly ever do."""
LIKENESS = 0.7
"""The acceleration of a body that swings changes by at most this part of it from one step to the next: at 60 steps a second,
and 1 m long, in all but a twentieth of its way."""
RISING = 0.5, 8.0
"""Gravity takes between these parts of the energy of its motion that a body loses as it swings up: 1 of a point's on a string,
7/5 of a rolling ball's, as much more as a wheel outweighs its part out of balance."""
KEPT_WAY, SLOWEST_WAY = 0.5, 0.02
"""A body under way has moved as its velocity says, but for the first part, at more than the second part of the thresholds. One
that a spring brings home against a strong damper slows down by a tenth or so meanwhile."""


@kernel
def stays_near_rest(system, body):
    """Whether a trembling body has stayed in place since it began to rest: Jolt's test by displacement, for bodies that the test
    by velocity would keep awake forever."""
    moved = length(vector3(body.rest_way))
    angle = length(turned_at_rest(body))
    part = TREMBLE * system.settings.time_to_sleep
    return moved < part * system.settings.sleep_linear_threshold and angle < 2.0 * part * system.settings.sleep_angular_threshold


@kernel
def turned_at_rest(body):
    """Rotation of a body since it began to rest, about its axis, world axes; exact for small angles [rad]."""
    turn = multiply(quaternion(body.rotation), conjugate(quaternion(body.rest_rotation)))
    return scale((turn[0], turn[1], turn[2]), 2.0 if turn[3] > 0.0 else -2.0)


@kernel
def average_acceleration(way, velocity, time):
    """The acceleration of a uniformly accelerated body that has moved by `way` within `time` and has this velocity now."""
    return scale(subtract(scale(velocity, time), way), 2.0 / (time * time))


@kernel
def keeps_way(way, velocity, time, least):
    """Whether a body that has moved by `way` within `time` [s] did so in about its present velocity, which is above `least`."""
    expected = scale(velocity, time)
    off, size = subtract(way, expected), dot(expected, expected)
    return size > (least * time) ** 2 and dot(off, off) < KEPT_WAY * KEPT_WAY * size


@kernel
def is_under_way(system, body):
    """Whether a body that could sleep has moved on evenly since it began to rest, if slowly: something brings it somewhere."""
    time, settings = float(body.sleep_time), system.settings
    if time < settings.time_to_sleep:
        return False
    if keeps_way(vector3(body.rest_way), vector3(body.linear_velocity), time, SLOWEST_WAY * settings.sleep_linear_threshold):
        return True
    turn, spin = turned_at_rest(body), vector3(body.angular_velocity)
    return keeps_way(turn, spin, time, SLOWEST_WAY * settings.sleep_angular_threshold)


@kernel
def is_drawn(system, body):
    """Whether a body that could sleep has accelerated evenly since it began to rest, if only to become slower: its spring is not
    done with it."""
    time = float(body.sleep_time)
    if time < system.settings.time_to_sleep:
        return False
    a = average_acceleration(vector3(body.rest_way), vector3(body.linear_velocity), time)
    change = vector3(body.last_change)
    return dot(a, a) > LEAST_DRAWN * LEAST_DRAWN and agrees(change, a, system.step.last_delta_time)


@kernel
def is_brought_home(system, body):
    """Whether the spring of a joint has not yet brought a body to where it stays."""
    return is_under_way(system, body) or is_drawn(system, body)


@kernel
def agrees(change, acceleration, delta_time):
    """Whether a change of velocity is what an acceleration gives in a step."""
    wanted = scale(acceleration, delta_time)
    off = subtract(change, wanted)
    return dot(off, off) < AGREEMENT * AGREEMENT * dot(wanted, wanted)


@kernel
def grows_from(change, acceleration, delta_time):
    """Whether a change of spin is what an average acceleration gives in a step, or more in the same direction."""
    wanted = scale(acceleration, delta_time)
    size = dot(wanted, wanted)
    along = dot(change, wanted) / max(size, 1.0e-30)
    aside = dot(change, change) - along * along * size
    return 1.0 - AGREEMENT < along < FASTEST_GROWTH and aside < AGREEMENT * AGREEMENT * along * along * size


@kernel
def swings(body, change, delta_time):
    """Whether a body accelerates nearly as in the last step, and becomes faster, or slower by about as much as gravity takes from
    what rises. Friction and contacts that push it out of others do neither."""
    off, velocity = subtract(change, vector3(body.last_change)), vector3(body.linear_velocity)
    if dot(off, off) >= LIKENESS * LIKENESS * dot(change, change):
        return False
    gained, fallen = dot(change, velocity), delta_time * dot(vector3(body.gravity), velocity)
    return gained > 0.0 or RISING[1] * gained < fallen < RISING[0] * gained


@kernel
def speeds_up_steadily(body, change, least, delta_time):
    """Whether a body falls freely, or its centre has accelerated uniformly since it began to rest, by more than `least` [m/s^2],
    or nearly as in the last step. `change`: of its velocity in this step, without damping [m/s]."""
    gravity, velocity, time = vector3(body.gravity), vector3(body.linear_velocity), float(body.sleep_time)
    if dot(gravity, gravity) > least * least and agrees(change, gravity, delta_time):
        return True
    a = average_acceleration(vector3(body.rest_way), velocity, time)
    if dot(a, a) > least * least and agrees(change, a, delta_time):
        if dot(a, velocity) > 0.0 or dot(a, gravity) > DOWNHILL * math.sqrt(dot(a, a) * dot(gravity, gravity)):
            return True
    return swings(body, change, delta_time)


@kernel
def spins_up_steadily(body, change, least, delta_time):
    """Whether the spin of a body has grown steadily since it began to rest, by more than `least` [rad/s^2]. `change`: of its spin
    in this step, without damping [rad/s]."""
    spin = vector3(body.angular_velocity)
    a = average_acceleration(turned_at_rest(body), spin, float(body.sleep_time))
    return dot(a, a) > least * least and grows_from(change, a, delta_time) and dot(a, spin) > 0.0


@kernel
def accelerates_steadily(body, before, delta_time):
    """Whether a body accelerates as it has done since it began to rest. `before`: its velocity and spin before the step, after
    damping [m/s], [rad/s]."""
    change = subtract(vector3(body.linear_velocity), before[0])
    turn = subtract(vector3(body.angular_velocity), before[1])
    gravity = vector3(body.gravity)
    least = max(LEAST_PART * math.sqrt(dot(gravity, gravity)), LEAST_ACCELERATION)
    # No smaller change agrees with what counts. Most bodies at rest need no more than this.
    smallest = (1.0 - AGREEMENT) * least * delta_time
    if dot(change, change) > smallest * smallest and speeds_up_steadily(body, change, least, delta_time):
        return True
    size = float(body.extent)
    if dot(turn, turn) * size * size <= smallest * smallest:
        return False
    return spins_up_steadily(body, turn, least / size, delta_time)


@kernel
def count_rest(system, body, before, delta_time):
    """Update how long a body has been at rest, and how long it has accelerated steadily meanwhile: such a body begins a new rest
    instead of sleeping. `before`: see `accelerates_steadily`."""
    speed, spin = length(vector3(body.linear_velocity)), length(vector3(body.angular_velocity))
    most_speed, most_spin = system.settings.sleep_linear_threshold, system.settings.sleep_angular_threshold
    rests = speed < most_speed and spin < most_spin
    if not rests and speed < 4.0 * most_speed and spin < 4.0 * most_spin:
        rests = stays_near_rest(system, body)
    if not rests or body.flags & CAN_SLEEP == 0:
        begin_rest(body)
        return
    body.sleep_time = FLOAT32(body.sleep_time + delta_time)
    is_steady = accelerates_steadily(body, before, delta_time)
    store3(body.last_change, subtract(vector3(body.linear_velocity), before[0]))
    body.steady_time = FLOAT32(body.steady_time + delta_time) if is_steady else FLOAT32(0.0)
    if body.sleep_time < system.settings.time_to_sleep:
        return
    if is_steady and body.steady_time >= PROOF * system.settings.time_to_sleep:
        begin_rest(body)
    elif length(vector3(body.rest_way)) > most_speed * body.sleep_time:  # its velocity does not tell its motion
        begin_rest(body)
    elif is_steady and body.steady_time >= DELAY * system.settings.time_to_sleep:
        body.sleep_time = FLOAT32(system.settings.time_to_sleep - 0.5 * delta_time)
    elif system.bodies.some_rests == 0:  # written by any thread, always with the same value; every thread reads its cache line
        system.bodies.some_rests = 1
