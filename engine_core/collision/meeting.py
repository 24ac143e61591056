"""Contacts ahead of time, for bodies that are apart now but meet within the step.

Two bodies whose motion is long for their size are swept along their velocities. If they meet, they are collided at the meeting
poses, and the solver has that contact from the start of the step: it lets them come exactly that far. Impulses, friction and
bounces then act in the sub-step in which they meet, on all bodies connected to the two, and no time of the step is lost. A body
that meets another by velocities other than those at the start is held back (solver/continuous.py).
"""

import math

import numpy as np

from ..bodies.schema import CONTINUOUS, RIGID
from ..geometry.angles import sine_cosine
from ..geometry.vector import (
    add_scaled, conjugate, dot, interpolate_rotation, length, multiply, quaternion, rotate, scale, store3, store4, subtract,
    vector3,
)  # fmt: skip
from ..runtime.kernel import kernel
from .contact_points import relative_position, rounding_at
from .pairs import manifolds_of
from .passing import passes_by, turned_out
from .schema import MANIFOLD_IS_AHEAD, SPECULATIVE_DISTANCE
from .sweeps import largest_angle

FLOAT32, FLOAT64, INT64 = np.float32, np.float64, np.int64
FAR_FOR_CONTINUOUS, FAR = 0.25, 0.5
"""Parts of the inner radius: a longer motion is swept, for bodies with continuous collision and for others."""
LEAST_MOTION = 0.01
"""Balls that move less than this part of their radii in a step are collided at their current positions."""
NO_MOTION = (0.0, 0.0, 0.0)


@kernel
def far_for(body):
    """How far a body may move in a step without being swept [m]. Contacts reach as far as the speculative distance."""
    if body.flags & CONTINUOUS:
        return FAR_FOR_CONTINUOUS * FLOAT64(body.inner_radius)
    return FAR * FLOAT64(body.inner_radius) + SPECULATIVE_DISTANCE


@kernel
def turning_reach(body):
    """How far the ends of a body reach beyond the sphere that is inside it at any rotation [m]."""
    return max(FLOAT64(body.extent) - FLOAT64(body.inner_radius), 0.0)


@kernel
def motion_ahead(body, delta_time):
    """The motion of a body in a step by its velocity [m]."""
    return scale(vector3(body.linear_velocity), delta_time) if body.active_index >= 0 else NO_MOTION


@kernel
def turn_ahead(body, delta_time):
    """The vector of the rotation of a body in a step by its angular velocity [rad]."""
    return scale(vector3(body.angular_velocity), delta_time) if body.active_index >= 0 else NO_MOTION


@kernel
def rotation_ahead(body, delta_time):
    """The rotation of a body after a step by its angular velocity."""
    rotation, spin = quaternion(body.rotation), vector3(body.angular_velocity)
    speed = length(spin)
    half = 0.5 * speed * delta_time
    if body.active_index < 0 or half < 1e-9:
        return rotation
    sine, cosine = sine_cosine(half)
    s = sine / speed
    return multiply((s * spin[0], s * spin[1], s * spin[2], cosine), rotation)


@kernel
def may_meet(a, b, delta, delta_time):
    """Whether two bodies may approach each other so far in a step that contacts made now would miss the collision. `delta`: from
    A to B [m]."""
    motion = subtract(motion_ahead(b, delta_time), motion_ahead(a, delta_time))
    far, way, turned = 1.0e30, length(motion), 0.0
    for side in range(2):
        body = a if side == 0 else b
        angle = length(turn_ahead(body, delta_time))
        turned += turned_out(body, 0.5 * angle)
        way += min(angle, 2.0) * turning_reach(body)
        if body.mode >= RIGID and body.active_index >= 0:
            far = min(far, far_for(body))
    if not (way > max(far, SPECULATIVE_DISTANCE) and way < 1.0e6):
        return False
    turn_a, turn_b = rotation_ahead(a, 0.5 * delta_time), rotation_ahead(b, 0.5 * delta_time)
    return not passes_by(a, b, turn_a, turn_b, delta, motion, turned + SPECULATIVE_DISTANCE)


@kernel
def balls_meet_at(a, b, delta, delta_time):
    """Return when two separate balls meet, or are nearest if they pass: a part of the step; -1 if they hardly move or move apart.
    `delta`: from A to B [m]. Distant balls collide at other points than those nearest now."""
    motion = subtract(motion_ahead(b, delta_time), motion_ahead(a, delta_time))
    reach = FLOAT64(a.inner_radius) + FLOAT64(b.inner_radius)
    way, closing, apart = dot(motion, motion), -dot(delta, motion), dot(delta, delta) - reach * reach
    if closing <= 0.0 or apart <= 0.0 or way < (LEAST_MOTION * reach) ** 2:
        return -1.0
    inside = closing * closing - way * apart
    return min((closing - math.sqrt(inside) if inside > 0.0 else closing) / way, 1.0)


@kernel
def set_sweep_ahead(body, position, delta_time, sweep):
    """Write the motion of a body in the coming step, by its velocities."""
    end = rotation_ahead(body, delta_time)
    store3(sweep.position, position)
    store3(sweep.motion, motion_ahead(body, delta_time))
    store4(sweep.rotation, quaternion(body.rotation))
    store4(sweep.end_rotation, end)
    sweep.angle, sweep.missing = largest_angle(quaternion(body.rotation), end), 0.0


@kernel
def move_along(sweep, fraction, copy):
    """Move a copy of a body to where it is after a fraction of its sweep."""
    store3(copy.position, add_scaled(vector3(copy.position), vector3(sweep.motion), fraction))
    store4(copy.rotation, interpolate_rotation(quaternion(sweep.rotation), quaternion(sweep.end_rotation), fraction))


@kernel
def bring_back(system, head, a, b, copies):
    """Convert contacts found at the poses where two bodies meet (`copies`) to their current poses. Normals and arms stay as
    found, since they act there; the separation is corrected for how much the arms turn until then."""
    manifolds, index = manifolds_of(system), INT64(head)
    turn_a = multiply(quaternion(copies[0].rotation), conjugate(quaternion(a.rotation)))
    turn_b = multiply(quaternion(copies[1].rotation), conjugate(quaternion(b.rotation)))
    there, here = quaternion(copies[0].rotation), conjugate(quaternion(a.rotation))
    delta = relative_position(copies[0], copies[1])
    while index >= 0:
        manifold = manifolds[index]
        normal = rotate(there, vector3(manifold.normal))
        store3(manifold.normal, rotate(here, normal))
        for p in range(manifold.point_count):
            anchor = rotate(there, vector3(manifold.anchor[p]))
            store3(manifold.anchor[p], rotate(here, anchor))
            rounding_a, rounding_b = rounding_at(manifold, p)
            lever_a = add_scaled(anchor, normal, -rounding_a)
            lever_b = add_scaled(subtract(anchor, delta), normal, rounding_b)
            turned = subtract(subtract(rotate(turn_b, lever_b), lever_b), subtract(rotate(turn_a, lever_a), lever_a))
            manifold.separation[p] = FLOAT32(manifold.separation[p] - dot(normal, turned))
        manifold.flags |= np.uint16(MANIFOLD_IS_AHEAD)
        index = INT64(manifold.next)
