"""Turning the bodies of many joints to a pose, in one compiled call: motors about the free angles of each joint.

A joint that is free to turn goes the shortest way, and its motors have the rates that its angles have on that way: where two
angles are nearly one (a swing of 90 degrees), motors that each ran for its own angle would run against each other. Where axes are
locked, or the pose is beyond a limit, each motor runs for its own angle.
"""

import numpy as np

from ..bodies.motion import bodies_of
from ..edit.joint_placement import joints_of_world, wake_both
from ..geometry.angles import spin_of_turn, wrap_angle
from ..geometry.vector import conjugate, dot, matrix_rows, multiply, normalize_quaternion, quaternion, vector3
from ..joints.measuring import measure_angles
from ..joints.schema import ANGULAR_AXES, JOINT, LIMITS_IMPULSES, SWING_Z, TWIST
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import stack_array, view

INT64, UINT32, FLOAT32 = np.int64, np.uint32, np.float32
AIM = np.dtype(
    [
        ("joint", "i8"),  # row of the joint
        ("rotation", "f8", 4),  # wanted, of body B in the frame of body A; unit
        ("rate", "f8"),  # how fast the way to the pose becomes shorter: speed by angle [1/s]
        ("torque", "f8"),  # at most, about each axis [N m]
    ],
    align=True,
)
NEAR = 1e-3
"""A joint that is within this of its pose wakes nobody [rad]."""


@kernel
def write_angles(joint, rotation, out):
    """Write the three angles of a joint, for a rotation of body B in the frame of body A, to `out[0].position`."""
    out[0] = joint
    frame_a = quaternion(joint.frame_rotations[0])
    frame_b = normalize_quaternion(multiply(rotation, quaternion(joint.frame_rotations[1])))
    x, y, z = matrix_rows(conjugate(frame_a))
    measure_angles(out[0], frame_a, frame_b, x, y, z, ANGULAR_AXES)


@kernel
def rotation_now(bodies, joint):
    """The rotation of body B in the frame of body A; the world does not turn."""
    one = (0.0, 0.0, 0.0, 1.0)
    a = quaternion(bodies[joint.bodies[0]].rotation) if joint.bodies[0] >= 0 else one
    b = quaternion(bodies[joint.bodies[1]].rotation) if joint.bodies[1] >= 0 else one
    return multiply(conjugate(a), b)


@kernel
def wanted_angle(joint, angle, axis):
    """An angle of the pose, within the limits of the joint."""
    if joint.limited >> axis & 1:
        return min(max(angle, np.float64(joint.lower[axis])), np.float64(joint.upper[axis]))
    return angle


@kernel
def goes_freely(joint, wanted):
    """Whether a joint locks no angle, and a pose is within its limits."""
    for axis in range(TWIST, SWING_Z + 1):
        angle = np.float64(wanted.position[axis])
        if joint.locked >> axis & 1 or wanted_angle(joint, angle, axis) != angle:
            return False
    return True


@entry_point("int64(int64, int64, int64)")
def aim_joints(world_address, address, count):
    """Set the motors of `count` joints, rows of AIM. Angles that are locked stay so, and limits hold. Return whether some joint
    got a motor that it had not before."""
    joints, aims, bodies = joints_of_world(world_address), view(address, count, AIM), bodies_of(world_address)
    wanted, now = stack_array(1, JOINT), stack_array(1, JOINT)
    is_new = INT64(0)
    for k in range(count):
        aim = aims[k]
        joint = joints[aim.joint]
        turned = rotation_now(bodies, joint)
        write_angles(joint, quaternion(aim.rotation), wanted)
        write_angles(joint, turned, now)
        is_free, turn = goes_freely(joint, wanted[0]), spin_of_turn(multiply(quaternion(aim.rotation), conjugate(turned)), 1.0)
        joint.flags &= ~UINT32(LIMITS_IMPULSES)
        farthest = 0.0
        for axis in range(TWIST, SWING_Z + 1):
            if joint.locked >> axis & 1:
                continue
            if joint.driven >> axis & 1 == 0:
                is_new = INT64(1)
            if is_free:
                way = dot(turn, vector3(now[0].turns[axis - TWIST]))
            else:
                angle = wanted_angle(joint, np.float64(wanted[0].position[axis]), axis)
                way = wrap_angle(angle - np.float64(now[0].position[axis]))
            joint.motor_velocity[axis] = FLOAT32(way * aim.rate)
            joint.motor_force[axis] = FLOAT32(aim.torque)
            joint.driven |= UINT32(1 << axis)
            farthest = max(farthest, abs(way))
        if farthest > NEAR:
            wake_both(world_address, joint)
    return is_new
