"""Translating the parameters and flags of Godot's joints to the core's joint."""

import math

from ..joints.schema import CONE, LINEAR_X, LINEAR_Y, LINEAR_Z, SWING_Y, SWING_Z, TWIST
from .joint_softness import damper, limit_feel, soft_lock, split_locks

# PhysicsServer3D.JointType; EMPTY is JOINT_TYPE_MAX.
PIN, HINGE, SLIDER, CONE_TWIST, SIX_DOF, EMPTY = range(6)
HALF_PI = 1.5707963267948966
FULL_TURN = 2.0 * math.pi
DEFAULTS = {
    PIN: (0.3, 1.0, 0.0),
    HINGE: (0.3, HALF_PI, -HALF_PI, 0.3, 0.9, 1.0, 1.0, 1.0),
    SLIDER: (1.0, -1.0, 1.0, 0.7, 1.0, 1.0, 0.7, 0.0, 1.0, 0.7, 1.0,
             0.0, 0.0, 1.0, 0.7, 0.0, 1.0, 0.7, 1.0, 1.0, 0.7, 1.0),
    CONE_TWIST: (HALF_PI / 2, 2 * HALF_PI, 0.3, 0.8, 1.0),
    SIX_DOF: (0.0, 0.0, 0.7, 0.5, 1.0, 0.0, 0.0, 0.01, 0.01, 0.0,
              0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.5, 0.0, 300.0, 0.0, 0.0, 0.0),
}  # fmt: skip
# Nodes switch on the angular limits of a 6DOF joint; one made by server calls turns freely until then.
DEFAULT_FLAGS = {HINGE: (False, False), SIX_DOF: (True, False, False, False, False, False)}
# Parameters that are stored without effect, by number: inside the limits of a slider there is nothing to bounce off.
IGNORED = {
    PIN: {}, HINGE: {}, CONE_TWIST: {}, SIX_DOF: {},
    SLIDER: {6: "linear_motion_restitution", 17: "angular_motion_restitution"},
}  # fmt: skip
NOTES = {
    SLIDER: "restitution of the motion inside the limits is kept, with a warning: there is nothing to bounce off",
}
NARROW_SPAN = 0.05
"""A cone or twist narrower than this is locked, as the documentation says [rad]."""
LOCKED = (0.0, 0.0)
NOTHING = (0.0, 0.0, 0.0)


def configure(world, joint) -> None:
    """Apply all settings of Godot's joint to the core's joint."""
    _CONFIGURE[joint.kind](world, joint)


def _part(joint, number: int, axis: int = 0) -> float:
    """A parameter relative to its default, from 0 to 1. Nodes send single-precision numbers."""
    part = joint.parameter(number, axis) / DEFAULTS[joint.kind][number]
    return 1.0 if part > 1.0 - 1e-6 else max(part, 0.0)


def _above(joint, number: int, axis: int = 0) -> float:
    """How far a parameter is above its default; 0 below."""
    return max(joint.parameter(number, axis) - DEFAULTS[joint.kind][number], 0.0)


def _bounce(joint, number: int, axis: int = 0) -> float:
    """Restitution: 0 up to the default, full at 1."""
    default = DEFAULTS[joint.kind][number]
    return min(max((joint.parameter(number, axis) - default) / (1.0 - default), 0.0), 1.0)


def _pin(world, joint) -> None:
    most = joint.parameter(2)
    limits = dict.fromkeys((LINEAR_X, LINEAR_Y, LINEAR_Z), LOCKED)
    softness = soft_lock(_part(joint, 0), _part(joint, 1)) if most <= 0.0 else None
    limits, locks = split_locks(limits, dict.fromkeys(limits, softness))
    world.joint.configure(joint.core, limits, max_impulse=most if most > 0.0 else math.inf, locks=locks)


def _hinge(world, joint) -> None:
    lines, swings = (LINEAR_X, LINEAR_Y, LINEAR_Z), (SWING_Y, SWING_Z)
    limits = dict.fromkeys(lines + swings, LOCKED)
    limits, locks = split_locks(limits, dict.fromkeys(lines, soft_lock(_part(joint, 0))))
    upper, lower = joint.parameter(1), joint.parameter(2)
    if joint.flag(0):
        limits[TWIST] = (-upper, -lower)
    feel = {TWIST: limit_feel(_part(joint, 4), _part(joint, 3), 1.0 / max(_part(joint, 5), 0.01))}
    motors = {TWIST: (-joint.parameter(6), abs(joint.parameter(7)))} if joint.flag(1) else None
    world.joint.limit_impulses(joint.core, True)
    world.joint.configure(joint.core, limits, motors=motors, locks=locks, feel=feel)


def _slider(world, joint) -> None:
    limits = dict.fromkeys((LINEAR_Y, LINEAR_Z, SWING_Y, SWING_Z), LOCKED)
    limits[LINEAR_X] = (joint.parameter(1), joint.parameter(0))
    limits[TWIST] = (joint.parameter(12), joint.parameter(11))
    across = soft_lock(_part(joint, 8) * _part(joint, 9), _part(joint, 10))
    aslant = soft_lock(_part(joint, 19) * _part(joint, 20), _part(joint, 21))
    limits, locks = split_locks(limits, {LINEAR_Y: across, LINEAR_Z: across, SWING_Y: aslant, SWING_Z: aslant})
    feel = {
        LINEAR_X: limit_feel(_part(joint, 2), 1.0, max(joint.parameter(4), 0.0), _bounce(joint, 3)),
        TWIST: limit_feel(_part(joint, 13), 1.0, 1.0 + _above(joint, 15), _bounce(joint, 14)),
    }
    springs = damper(LINEAR_X, _above(joint, 7) + _slower(joint, 5)) | damper(TWIST, _above(joint, 18) + _slower(joint, 16))
    world.joint.configure(joint.core, limits, springs, locks=locks, feel=feel)


def _slower(joint, number: int, axis: int = 0) -> float:
    """Damping of a motion whose softness is below its default [N s/m], [N m s/rad]."""
    return 1.0 / max(_part(joint, number, axis), 0.001) - 1.0


def _cone_twist(world, joint) -> None:
    limits = dict.fromkeys((LINEAR_X, LINEAR_Y, LINEAR_Z), LOCKED)
    swing, twist = joint.parameter(0), joint.parameter(1)
    if 0.0 <= swing < NARROW_SPAN:
        limits[SWING_Y] = limits[SWING_Z] = LOCKED
    elif 0.0 <= swing < math.pi:
        limits[CONE] = (-FULL_TURN, swing)
    if twist >= 0.0:
        limits[TWIST] = LOCKED if twist < NARROW_SPAN else (-twist, twist)
    feel = limit_feel(1.0, _part(joint, 2), 1.0 / max(_part(joint, 4), 0.01))
    springs = {} if limits.get(TWIST) == LOCKED else damper(TWIST, _slower(joint, 3))
    world.joint.configure(joint.core, limits, springs, feel={CONE: feel, TWIST: feel})


def _angular_limits(joint, axis: int) -> tuple[float, float] | None:
    """(lower, upper) of an angular axis of a 6DOF joint, right-handed; None if it is free."""
    lower, upper = -joint.parameter(11, axis), -joint.parameter(10, axis)
    is_free = not joint.flag(1, axis) or lower > upper or upper - lower >= FULL_TURN
    return None if is_free else (lower, upper)


def first_axis(joint) -> int:
    """The axis of a 6DOF joint that turns most freely: it becomes the twist, which is unlimited; the other two are swings."""
    limits = [_angular_limits(joint, axis) for axis in range(3)]
    room = [FULL_TURN if pair is None else pair[1] - pair[0] for pair in limits]
    return room.index(max(room))


def _six_dof(world, joint) -> None:
    limits, springs, motors, soft, feel = {}, {}, {}, {}, {}
    first = first_axis(joint)
    for axis in range(3):
        linear = LINEAR_X + (axis - first) % 3
        angular = TWIST + (axis - first) % 3
        if joint.flag(0, axis):
            limits[linear] = (joint.parameter(0, axis), joint.parameter(1, axis))
        turn = _angular_limits(joint, axis)
        if turn is not None:
            limits[angular] = turn
        most = joint.parameter(15, axis)
        soft[linear] = soft_lock(_part(joint, 2, axis), min(max(joint.parameter(4, axis), 0.0), 1.0))
        soft[angular] = soft_lock(_part(joint, 12, axis) * _part(joint, 16, axis), max_force=most)
        feel[linear] = limit_feel(_part(joint, 2, axis), 1.0, max(joint.parameter(4, axis), 0.0), _bounce(joint, 3, axis))
        feel[angular] = limit_feel(
            _part(joint, 12, axis), _part(joint, 16, axis), 1.0, min(max(joint.parameter(14, axis), 0.0), 1.0), most
        )  # fmt: skip
        springs |= damper(linear, _above(joint, 4, axis)) | damper(angular, _slower(joint, 13, axis))
        if joint.flag(3, axis):
            damping = max(joint.parameter(8, axis), 0.0) + springs.get(linear, NOTHING)[1]
            springs[linear] = (max(joint.parameter(7, axis), 0.0), damping, joint.parameter(9, axis))
        if joint.flag(2, axis):
            damping = max(joint.parameter(20, axis), 0.0) + springs.get(angular, NOTHING)[1]
            springs[angular] = (max(joint.parameter(19, axis), 0.0), damping, -joint.parameter(21, axis))
        if joint.flag(5, axis):
            motors[linear] = (joint.parameter(5, axis), abs(joint.parameter(6, axis)))
        if joint.flag(4, axis):
            motors[angular] = (-joint.parameter(17, axis), abs(joint.parameter(18, axis)))
    limits, locks = split_locks(limits, {axis: way for axis, way in soft.items() if axis not in springs})
    world.joint.configure(joint.core, limits, springs, motors, locks=locks, feel=feel)


_CONFIGURE = {PIN: _pin, HINGE: _hinge, SLIDER: _slider, CONE_TWIST: _cone_twist, SIX_DOF: _six_dof}
