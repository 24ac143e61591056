"""What the parameters and flags of Godot's joints mean to the core's joint."""

import math

from ..constraints.joint_schema import CONE, LINEAR_X, LINEAR_Y, LINEAR_Z, SWING_Y, SWING_Z, TWIST

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
DEFAULT_FLAGS = {HINGE: (False, False), SIX_DOF: (True, True, False, False, False, False)}
# Parameters that are kept and do nothing, by number.
IGNORED = {
    PIN: {0: "bias", 1: "damping"},
    HINGE: {0: "bias", 3: "limit_bias", 4: "limit_softness", 5: "limit_relaxation"},
    SLIDER: {
        2: "linear_limit_softness", 3: "linear_limit_restitution", 4: "linear_limit_damping", 5: "linear_motion_softness",
        6: "linear_motion_restitution", 7: "linear_motion_damping", 8: "linear_orthogonal_softness",
        9: "linear_orthogonal_restitution", 10: "linear_orthogonal_damping", 13: "angular_limit_softness",
        14: "angular_limit_restitution", 15: "angular_limit_damping", 16: "angular_motion_softness",
        17: "angular_motion_restitution", 18: "angular_motion_damping", 19: "angular_orthogonal_softness",
        20: "angular_orthogonal_restitution", 21: "angular_orthogonal_damping",
    },
    CONE_TWIST: {2: "bias", 3: "softness", 4: "relaxation"},
    SIX_DOF: {
        2: "linear_limit_softness", 3: "linear_restitution", 4: "linear_damping", 12: "angular_limit_softness",
        13: "angular_damping", 14: "angular_restitution", 15: "angular_force_limit", 16: "angular_erp",
    },
}  # fmt: skip
WITHOUT_EFFECT = {
    PIN: "bias and damping are kept, without effect: a pin is as stiff as the solver can hold",
    HINGE: "bias and the softness, bias and relaxation of limits are kept, without effect: limits are firm",
    SLIDER: "softness, restitution and damping are kept, without effect: limits are firm, the motion is free",
    CONE_TWIST: "bias, softness and relaxation are kept, without effect: limits are firm",
    SIX_DOF: "softness, restitution, damping, angular force limit and ERP are kept, without effect: limits are firm",
}
NARROW_SPAN = 0.05
"""A cone or twist narrower than this is locked, as the documentation says [rad]."""
LOCKED = (0.0, 0.0)


def configure(world, joint) -> None:
    """Tell the core's joint all that is set on Godot's."""
    _CONFIGURE[joint.kind](world, joint)


def _pin(world, joint) -> None:
    most = joint.parameter(2)
    limits = dict.fromkeys((LINEAR_X, LINEAR_Y, LINEAR_Z), LOCKED)
    world.joint_configure(joint.core, limits, max_impulse=most if most > 0.0 else math.inf)


def _hinge(world, joint) -> None:
    limits = dict.fromkeys((LINEAR_X, LINEAR_Y, LINEAR_Z, SWING_Y, SWING_Z), LOCKED)
    upper, lower = joint.parameter(1), joint.parameter(2)
    if joint.flag(0):
        limits[TWIST] = (-upper, -lower)
    motors = {TWIST: (-joint.parameter(6), abs(joint.parameter(7)))} if joint.flag(1) else None
    world.joint_limit_impulses(joint.core, True)
    world.joint_configure(joint.core, limits, motors=motors)


def _slider(world, joint) -> None:
    limits = dict.fromkeys((LINEAR_Y, LINEAR_Z, SWING_Y, SWING_Z), LOCKED)
    limits[LINEAR_X] = (joint.parameter(1), joint.parameter(0))
    limits[TWIST] = (joint.parameter(12), joint.parameter(11))
    world.joint_configure(joint.core, limits)


def _cone_twist(world, joint) -> None:
    limits = dict.fromkeys((LINEAR_X, LINEAR_Y, LINEAR_Z), LOCKED)
    swing, twist = joint.parameter(0), joint.parameter(1)
    if 0.0 <= swing < NARROW_SPAN:
        limits[SWING_Y] = limits[SWING_Z] = LOCKED
    elif 0.0 <= swing < math.pi:
        limits[CONE] = (-FULL_TURN, swing)
    if twist >= 0.0:
        limits[TWIST] = LOCKED if twist < NARROW_SPAN else (-twist, twist)
    world.joint_configure(joint.core, limits)


def _angular_limits(joint, axis: int) -> tuple[float, float] | None:
    """(lower, upper) of an angular axis of a 6DOF joint, right-handed; None where it is free."""
    lower, upper = -joint.parameter(11, axis), -joint.parameter(10, axis)
    is_free = not joint.flag(1, axis) or lower > upper or upper - lower >= FULL_TURN
    return None if is_free else (lower, upper)


def first_axis(joint) -> int:
    """Which axis of a 6DOF joint turns the most freely: it becomes the twist, which has no end; the other two are swings."""
    limits = [_angular_limits(joint, axis) for axis in range(3)]
    room = [FULL_TURN if pair is None else pair[1] - pair[0] for pair in limits]
    return room.index(max(room))


def _six_dof(world, joint) -> None:
    limits, springs, motors = {}, {}, {}
    first = first_axis(joint)
    for axis in range(3):
        linear = LINEAR_X + (axis - first) % 3
        angular = TWIST + (axis - first) % 3
        if joint.flag(0, axis):
            limits[linear] = (joint.parameter(0, axis), joint.parameter(1, axis))
        turn = _angular_limits(joint, axis)
        if turn is not None:
            limits[angular] = turn
        if joint.flag(3, axis):
            springs[linear] = (max(joint.parameter(7, axis), 0.0), max(joint.parameter(8, axis), 0.0), joint.parameter(9, axis))
        if joint.flag(2, axis):
            springs[angular] = (
                max(joint.parameter(19, axis), 0.0), max(joint.parameter(20, axis), 0.0), -joint.parameter(21, axis)
            )  # fmt: skip
        if joint.flag(5, axis):
            motors[linear] = (joint.parameter(5, axis), abs(joint.parameter(6, axis)))
        if joint.flag(4, axis):
            motors[angular] = (-joint.parameter(17, axis), abs(joint.parameter(18, axis)))
    world.joint_configure(joint.core, limits, springs, motors)


_CONFIGURE = {PIN: _pin, HINGE: _hinge, SLIDER: _slider, CONE_TWIST: _cone_twist, SIX_DOF: _six_dof}
