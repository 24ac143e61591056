"""How the axes of a joint drift although bodies do not move along them: the end of a turning arm leaves its tangent.

Let r be the arms to the joint, a the change of the spins without torque (`free_acceleration`), and u the sliding speed of the
ends along the free axes. Then the second derivative of an axis n of frame A is
    n . (a_B x r_B + w_B x (w_B x r_B) - a_A x r_A - w_A x (w_A x r_A) - 2 w_A x u),
and that of an angle, whose rate is J . (w_B - w_A), is J . (a_B - a_A - w_A x w_B): J turns with A. If one swing is locked and
the other is free, J of the locked one also turns with B.

The pass with bias cancels in advance the drift of the axes in a sub-step. So bodies end where the joint holds them, and the pass
without bias is the second half of a symmetric step, which preserves the energy (RATTLE: Andersen, "RATTLE: a velocity version of
the SHAKE algorithm for molecular dynamics calculations", 1983).
"""

import numpy as np

from ..constraints.body_terms import inverse_symmetric, six
from ..geometry.vector import add, add_scaled, cross, dot, length_squared, scale, store3, subtract, symmetric_times, vector3
from ..runtime.kernel import kernel
from .schema import ANGULAR_AXES, LINEAR_AXES, SWING_Y, SWING_Z

FLOAT64 = np.float64
SLOWEST = 0.05
"""Slower rotations drift by less than a quarter of a percent of the arm in a second [rad/s]."""
FASTEST = 0.5
"""Larger turns in a sub-step [rad] cannot be predicted: they come from bodies that are torn apart."""
SWINGS = 1 << SWING_Y | 1 << SWING_Z
NOTHING = (0.0, 0.0, 0.0)


@kernel
def free_acceleration(inertia, inverse_inertia, spin):
    """Change of the spin of a body without torque: J^-1 (J w x w) [rad/s^2]."""
    return symmetric_times(inverse_inertia, cross(symmetric_times(inertia, spin), spin))


@kernel
def spin_up(inverse_inertia, spin, time):
    """The mean of `free_acceleration` over a sub-step."""
    inertia = inverse_symmetric(inverse_inertia)
    first = free_acceleration(inertia, inverse_inertia, spin)
    return free_acceleration(inertia, inverse_inertia, add_scaled(spin, first, 0.5 * time))


@kernel
def has_one_swing(joint):
    """Whether one swing is locked and the other is not."""
    locked = joint.locked & SWINGS
    return locked != 0 and locked != SWINGS


@kernel
def drifts_of(joint, motion, time):
    """Half of the second derivatives of the six axes, times a sub-step: the part of their motion in it that their speeds miss
    [m/s], [rad/s], six numbers."""
    v_a, w_a, v_b, w_b = motion
    spins = length_squared(w_a) + length_squared(w_b)
    if time <= 0.0 or spins < SLOWEST * SLOWEST or spins * time * time > FASTEST * FASTEST:
        return NOTHING + NOTHING
    spin_up_a, spin_up_b = spin_up(six(joint.inertias[0]), w_a, time), spin_up(six(joint.inertias[1]), w_b, time)
    linear, angular = NOTHING, NOTHING
    if joint.locked & LINEAR_AXES:
        linear = linear_drift(joint, motion, spin_up_a, spin_up_b, time)
    if joint.locked & ANGULAR_AXES:
        angular = scale(angular_drift(joint, w_a, w_b, spin_up_a, spin_up_b), 0.5 * time)
    return linear + angular


@kernel
def keep_drifts(joint, motion, time):
    """Write the drifts of a joint in no tree, if its bodies move as it allows: a warm start alone may spin them wildly."""
    drifts = drifts_of(joint, motion, time)
    store3(joint.drift, drifts[:3])
    store3(joint.drift[3:], drifts[3:])


@kernel
def missed_way(spin, spin_up, arm, time):
    """The part of an arm's motion in `time` that the speed `spin` x `arm` misses, by Cayley's map of the spin in its middle
    [m/s]."""
    out, middle = cross(spin, arm), add_scaled(spin, spin_up, 0.5 * time)
    way = cross(middle, arm)
    way = add_scaled(way, cross(middle, way), 0.5 * time)
    return subtract(scale(way, 1.0 / (1.0 + 0.25 * time * time * length_squared(middle))), out)


@kernel
def linear_drift(joint, motion, spin_up_a, spin_up_b, time):
    """The drift of the linear axes [m/s]."""
    v_a, w_a, v_b, w_b = motion
    arm_a, arm_b = vector3(joint.arms[0]), vector3(joint.arms[1])
    apart = subtract(add(v_b, cross(w_b, arm_b)), add(v_a, cross(w_a, arm_a)))
    for axis in range(3):
        if joint.locked >> axis & 1:
            apart = add_scaled(apart, vector3(joint.axes[axis]), -dot(vector3(joint.axes[axis]), apart))
    total = subtract(missed_way(w_b, spin_up_b, arm_b, time), missed_way(w_a, spin_up_a, arm_a, time))
    total = add_scaled(total, cross(w_a, apart), -time)
    return (dot(vector3(joint.axes[0]), total), dot(vector3(joint.axes[1]), total), dot(vector3(joint.axes[2]), total))


@kernel
def angular_drift(joint, w_a, w_b, spin_up_a, spin_up_b):
    """The second derivatives of the angular axes."""
    total = subtract(subtract(spin_up_b, spin_up_a), cross(w_a, w_b))
    twist, y, z = vector3(joint.turns[0]), vector3(joint.turns[1]), vector3(joint.turns[2])
    drift = (dot(twist, total), dot(y, total), dot(z, total))
    if has_one_swing(joint):
        spin, b = subtract(w_b, w_a), vector3(joint.axis_b)
        roll = dot(b, spin)
        return (drift[0], drift[1] + roll * dot(cross(y, b), spin), drift[2] + roll * dot(cross(z, b), spin))
    return drift
