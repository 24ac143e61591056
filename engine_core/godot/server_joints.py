"""Joints: everything that is set on them is kept and read back. They hold nothing together yet.

A parameter that was never set answers the value that Godot's joint nodes send.
"""

from dataclasses import dataclass, field

from ..bodies.identity import kind_of
from ..bodies.schema import KIND_SOFT_BODY
from .errors import check_finite
from .virtual_table import SERVER

# PhysicsServer3D.JointType; EMPTY is JOINT_TYPE_MAX.
PIN, HINGE, SLIDER, CONE_TWIST, SIX_DOF, EMPTY = range(6)
_TYPE_NAMES = ("a pin joint", "a hinge joint", "a slider joint", "a cone twist joint", "a 6DOF joint", "empty")
NOT_ACTING = "kept and read back; joints do not act yet"
HALF_PI = 1.5707963267948966
_DEFAULTS = {
    PIN: (0.3, 1.0, 0.0),
    HINGE: (0.3, HALF_PI, -HALF_PI, 0.3, 0.9, 1.0, 1.0, 1.0),
    SLIDER: (1.0, -1.0, 1.0, 0.7, 1.0, 1.0, 0.7, 0.0, 1.0, 0.7, 1.0,
             0.0, 0.0, 1.0, 0.7, 0.0, 1.0, 0.7, 1.0, 1.0, 0.7, 1.0),
    CONE_TWIST: (HALF_PI / 2, 2 * HALF_PI, 0.3, 0.8, 1.0),
    SIX_DOF: (0.0, 0.0, 0.7, 0.5, 1.0, 0.0, 0.0, 0.01, 0.01, 0.0,
              0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.5, 0.0, 300.0, 0.0, 0.0, 0.0),
}  # fmt: skip
_DEFAULT_FLAGS = {HINGE: (False, False), SIX_DOF: (True, True, False, False, False, False)}


@dataclass
class Joint:
    """What was set on a joint."""

    kind: int = EMPTY
    body_a: int = 0
    body_b: int = 0
    frame_a: tuple = ()
    frame_b: tuple = ()
    parameters: dict = field(default_factory=dict)  # by number, or by (axis, number)
    flags: dict = field(default_factory=dict)
    priority: int = 1
    disables_collisions: bool = True

    def release(self, server) -> None:
        """Nothing of a joint is counted by Godot."""


def _of_kind(server, identity: int, kind: int) -> Joint:
    joint = server.joints.get(identity)
    if joint.kind != kind:
        raise ValueError(f"the joint is {_TYPE_NAMES[joint.kind]}, not {_TYPE_NAMES[kind]}")
    return joint


def _check_number(kind: int, number: int, table: dict) -> None:
    if not 0 <= number < len(table[kind]):
        raise ValueError(f"{_TYPE_NAMES[kind]} has no parameter {number}")


def _make(server, identity: int, kind: int, body_a: int, frame_a: tuple, body_b: int, frame_b: tuple) -> None:
    joint = server.joints.get(identity)
    for body in (body_a, body_b):
        if body and kind_of(body) != KIND_SOFT_BODY:
            server.body_index(body)
    if not body_a:
        raise ValueError("body_A must not be the null RID")
    if body_a == body_b:
        raise ValueError("body_A and body_B are the same body")
    check_finite("the frames", *frame_a, *frame_b)
    server.reporter.warn_once("Joint3D", "joints are kept, but do not act yet")
    joint.kind, joint.body_a, joint.body_b, joint.frame_a, joint.frame_b = kind, body_a, body_b, frame_a, frame_b
    joint.parameters, joint.flags = {}, {}


def _set_parameter(server, identity: int, kind: int, number: int, value: float, axis: int = 0) -> None:
    joint = _of_kind(server, identity, kind)
    _check_number(kind, number, _DEFAULTS)
    check_finite("the value", value)
    joint.parameters[axis, number] = value


def _get_parameter(server, identity: int, kind: int, number: int, axis: int = 0) -> float:
    joint = _of_kind(server, identity, kind)
    _check_number(kind, number, _DEFAULTS)
    return joint.parameters.get((axis, number), _DEFAULTS[kind][number])


def _set_flag(server, identity: int, kind: int, number: int, value: bool, axis: int = 0) -> None:
    joint = _of_kind(server, identity, kind)
    _check_number(kind, number, _DEFAULT_FLAGS)
    joint.flags[axis, number] = value


def _get_flag(server, identity: int, kind: int, number: int, axis: int = 0) -> bool:
    joint = _of_kind(server, identity, kind)
    _check_number(kind, number, _DEFAULT_FLAGS)
    return joint.flags.get((axis, number), _DEFAULT_FLAGS[kind][number])


def _check_axis(axis: int) -> None:
    if not 0 <= axis < 3:
        raise ValueError(f"axis must be 0 (x) to 2 (z), got {axis}")


@SERVER.cold()
def _joint_create(server):
    return server.joints.add(Joint())


@SERVER.cold()
def _joint_clear(server, identity):
    joint = server.joints.get(identity)
    joint.kind, joint.body_a, joint.body_b, joint.parameters, joint.flags = EMPTY, 0, 0, {}, {}


@SERVER.cold()
def _joint_get_type(server, identity):
    return server.joints.get(identity).kind


@SERVER.cold(NOT_ACTING)
def _joint_set_solver_priority(server, identity, priority):
    server.joints.get(identity).priority = priority


@SERVER.cold()
def _joint_get_solver_priority(server, identity):
    return server.joints.get(identity).priority


@SERVER.cold(NOT_ACTING)
def _joint_disable_collisions_between_bodies(server, identity, disable):
    server.joints.get(identity).disables_collisions = disable


@SERVER.cold()
def _joint_is_disabled_collisions_between_bodies(server, identity):
    return server.joints.get(identity).disables_collisions


# --- pin ---


@SERVER.cold(NOT_ACTING)
def _joint_make_pin(server, identity, body_a, local_a, body_b, local_b):
    _make(server, identity, PIN, body_a, local_a, body_b, local_b)


@SERVER.cold(NOT_ACTING)
def _pin_joint_set_param(server, identity, number, value):
    _set_parameter(server, identity, PIN, number, value)


@SERVER.cold()
def _pin_joint_get_param(server, identity, number):
    return _get_parameter(server, identity, PIN, number)


@SERVER.cold(NOT_ACTING)
def _pin_joint_set_local_a(server, identity, local_a):
    check_finite("local_A", *local_a)
    _of_kind(server, identity, PIN).frame_a = local_a


@SERVER.cold()
def _pin_joint_get_local_a(server, identity):
    return _of_kind(server, identity, PIN).frame_a


@SERVER.cold(NOT_ACTING)
def _pin_joint_set_local_b(server, identity, local_b):
    check_finite("local_B", *local_b)
    _of_kind(server, identity, PIN).frame_b = local_b


@SERVER.cold()
def _pin_joint_get_local_b(server, identity):
    return _of_kind(server, identity, PIN).frame_b


# --- hinge ---


@SERVER.cold(NOT_ACTING)
def _joint_make_hinge(server, identity, body_a, hinge_a, body_b, hinge_b):
    _make(server, identity, HINGE, body_a, hinge_a, body_b, hinge_b)


@SERVER.cold(NOT_ACTING)
def _joint_make_hinge_simple(server, identity, body_a, pivot_a, axis_a, body_b, pivot_b, axis_b):
    _make(server, identity, HINGE, body_a, (*pivot_a, *axis_a), body_b, (*pivot_b, *axis_b))


@SERVER.cold(NOT_ACTING)
def _hinge_joint_set_param(server, identity, number, value):
    _set_parameter(server, identity, HINGE, number, value)


@SERVER.cold()
def _hinge_joint_get_param(server, identity, number):
    return _get_parameter(server, identity, HINGE, number)


@SERVER.cold(NOT_ACTING)
def _hinge_joint_set_flag(server, identity, number, enabled):
    _set_flag(server, identity, HINGE, number, enabled)


@SERVER.cold()
def _hinge_joint_get_flag(server, identity, number):
    return _get_flag(server, identity, HINGE, number)


# --- slider, cone twist ---


@SERVER.cold(NOT_ACTING)
def _joint_make_slider(server, identity, body_a, frame_a, body_b, frame_b):
    _make(server, identity, SLIDER, body_a, frame_a, body_b, frame_b)


@SERVER.cold(NOT_ACTING)
def _slider_joint_set_param(server, identity, number, value):
    _set_parameter(server, identity, SLIDER, number, value)


@SERVER.cold()
def _slider_joint_get_param(server, identity, number):
    return _get_parameter(server, identity, SLIDER, number)


@SERVER.cold(NOT_ACTING)
def _joint_make_cone_twist(server, identity, body_a, frame_a, body_b, frame_b):
    _make(server, identity, CONE_TWIST, body_a, frame_a, body_b, frame_b)


@SERVER.cold(NOT_ACTING)
def _cone_twist_joint_set_param(server, identity, number, value):
    _set_parameter(server, identity, CONE_TWIST, number, value)


@SERVER.cold()
def _cone_twist_joint_get_param(server, identity, number):
    return _get_parameter(server, identity, CONE_TWIST, number)


# --- six degrees of freedom ---


@SERVER.cold(NOT_ACTING)
def _joint_make_generic_6dof(server, identity, body_a, frame_a, body_b, frame_b):
    _make(server, identity, SIX_DOF, body_a, frame_a, body_b, frame_b)


@SERVER.cold(NOT_ACTING)
def _generic_6dof_joint_set_param(server, identity, axis, number, value):
    _check_axis(axis)
    _set_parameter(server, identity, SIX_DOF, number, value, axis)


@SERVER.cold()
def _generic_6dof_joint_get_param(server, identity, axis, number):
    _check_axis(axis)
    return _get_parameter(server, identity, SIX_DOF, number, axis)


@SERVER.cold(NOT_ACTING)
def _generic_6dof_joint_set_flag(server, identity, axis, number, enable):
    _check_axis(axis)
    _set_flag(server, identity, SIX_DOF, number, enable, axis)


@SERVER.cold()
def _generic_6dof_joint_get_flag(server, identity, axis, number):
    _check_axis(axis)
    return _get_flag(server, identity, SIX_DOF, number, axis)
