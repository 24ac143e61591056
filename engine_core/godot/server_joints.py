"""Joints: their settings are stored, read back, and applied to the core, where one general joint holds the bodies.

A parameter that was never set returns the default that Godot's joint nodes send; a flag, that of Godot's other engines.
Parameters that the solver does not use are stored, with one warning when they are changed. Angles of hinges and of 6DOF joints
are left-handed in Godot (B relative to A): their sign is changed for the core.
"""

import math
from dataclasses import dataclass, field
from functools import partial

from ..bodies.identity import kind_of
from ..bodies.schema import KIND_SOFT_BODY
from .errors import check_finite
from .frames import frame_of_space
from .joint_frames import NO_TURN, basis_of, frame_like, frame_of_axis, pivot, turned
from .joint_settings import (
    CONE_TWIST, DEFAULT_FLAGS, DEFAULTS, EMPTY, HINGE, IGNORED, NOTES, PIN, SIX_DOF, SLIDER, configure,
)  # fmt: skip
from .virtual_table import SERVER

_TYPE_NAMES = ("a pin joint", "a hinge joint", "a slider joint", "a cone twist joint", "a 6DOF joint", "empty")
_CALLS = ("pin_joint_set_param", "hinge_joint_set_param", "slider_joint_set_param", "cone_twist_joint_set_param",
          "generic_6dof_joint_set_param")  # fmt: skip
WORLD_NODE = "physics/scree_3d/joints/world_node"


@dataclass
class Joint:
    """The settings of a joint, and its joint in the core (0: none)."""

    kind: int = EMPTY
    core: int = 0
    is_swapped: bool = False  # the world, Godot's B, is A of the core
    frame_a: tuple = ()
    frame_b: tuple = ()
    zero: tuple = (0.0, 0.0, 0.0)  # origin of `frame_b` if that belongs to the world [m]
    parameters: dict = field(default_factory=dict)  # by (axis, number)
    flags: dict = field(default_factory=dict)
    priority: int = 1
    disables_collisions: bool = True
    own: str = ""  # a kind that Godot does not know, see joint_making.py
    pulley: object = None  # core/pulleys.py
    breaks: tuple[float, float] = (math.inf, math.inf)  # force [N] and torque [N m]
    is_enabled: bool = True
    is_broken: bool = False  # and scripts were told

    def parameter(self, number: int, axis: int = 0) -> float:
        return self.parameters.get((axis, number), DEFAULTS[self.kind][number])

    def flag(self, number: int, axis: int = 0) -> bool:
        return self.flags.get((axis, number), DEFAULT_FLAGS[self.kind][number])

    def release(self, server) -> None:
        """Release the bodies."""
        core, self.core = self.core, 0
        if core:
            server.world.joint.destroy(core)
        pulley, self.pulley = self.pulley, None
        if pulley is not None:
            pulley.remove()

    @property
    def name(self) -> str:
        """Its kind in words."""
        return f"a {self.own}" if self.own else _TYPE_NAMES[self.kind]

    def apply_limits(self, server) -> None:
        """Pass what `Scree.joint_set_break` and `Scree.joint_set_enabled` said to a new joint of the core."""
        server.world.joint.set_break(self.core, *self.breaks)
        if not self.is_enabled:
            server.world.joint.set_enabled(self.core, False)


def _of_kind(server, identity: int, kind: int) -> Joint:
    joint = server.joints.get(identity)
    if joint.kind != kind:
        raise ValueError(f"the joint is {joint.name}, not {_TYPE_NAMES[kind]}")
    return joint


def _check_number(kind: int, number: int, table: dict) -> None:
    if not 0 <= number < len(table[kind]):
        raise ValueError(f"{_TYPE_NAMES[kind]} has no parameter {number}")


def _make(kind: int, server, identity: int, body_a: int, frame_a: tuple, body_b: int, frame_b: tuple) -> None:
    """Turn a joint into one of another kind; its settings are reset."""
    joint = server.joints.get(identity)
    is_soft = False
    for body in (body_a, body_b):
        if body and kind_of(body) == KIND_SOFT_BODY:
            server.soft_bodies.get(body)
            is_soft = True
        elif body:
            server.body_index(body)
    if not body_a:
        raise ValueError("body_A must not be the null RID")
    if body_a == body_b:
        raise ValueError("body_A and body_B are the same body")
    check_finite("the frames", *frame_a, *frame_b)
    zero = (0.0, 0.0, 0.0)
    if not body_b and kind_of(body_a) != KIND_SOFT_BODY:
        zero = tuple(frame_of_space(server, server.world.body.system(body_a)).tolist())
    made = Joint(kind, 0, False, frame_a, frame_b, zero, {}, {}, joint.priority, joint.disables_collisions,
                 breaks=joint.breaks, is_enabled=joint.is_enabled)  # fmt: skip
    if is_soft:
        server.reporter.warn_once("Joint3D", "joints do not hold soft bodies yet")
    else:
        made.is_swapped = not body_b and server.engine.settings.values[WORLD_NODE] == 0
        bodies = (body_b, body_a) if made.is_swapped else (body_a, body_b)
        frames = _core_frames(made)
        made.core = server.world.joint.create("six_dof", *bodies, *frames, collides=not made.disables_collisions)
        configure(server.world, made)
        made.apply_limits(server)
    # Only now: an error leaves the joint as it was.
    joint.release(server)
    vars(joint).update(vars(made))


def _core_frames(joint: Joint) -> tuple:
    """The frames in the core's order of axes, the one that turns freely first."""
    b = (*joint.frame_b[:9], *(place + zero for place, zero in zip(joint.frame_b[9:], joint.zero, strict=True)))
    frames = [turned(frame, joint) for frame in (joint.frame_a, b)]
    return tuple(reversed(frames)) if joint.is_swapped else tuple(frames)


def _renew(server, joint: Joint) -> None:
    """Apply a changed parameter or flag to the core."""
    if joint.core:
        if joint.kind == SIX_DOF:  # which axis comes first depends on the free ones
            server.world.joint.set_frames(joint.core, *_core_frames(joint))
        configure(server.world, joint)


def _set_parameter(kind: int, server, identity: int, number: int, value: float, axis: int = 0) -> None:
    joint = _of_kind(server, identity, kind)
    _check_number(kind, number, DEFAULTS)
    check_finite("the value", value)
    is_new = value != joint.parameter(number, axis)
    joint.parameters[axis, number] = value
    if number in IGNORED[kind]:
        # Nodes send every parameter, as single-precision numbers.
        if abs(value - DEFAULTS[kind][number]) > 1e-6:
            server.reporter.warn_once(
                f"{_CALLS[kind]}({IGNORED[kind][number]})", "kept, but without effect: this solver has no use for it"
            )
    elif is_new:
        _renew(server, joint)


def _get_parameter(kind: int, server, identity: int, number: int, axis: int = 0) -> float:
    joint = _of_kind(server, identity, kind)
    _check_number(kind, number, DEFAULTS)
    return joint.parameter(number, axis)


def _set_flag(kind: int, server, identity: int, number: int, value: bool, axis: int = 0) -> None:
    joint = _of_kind(server, identity, kind)
    _check_number(kind, number, DEFAULT_FLAGS)
    is_new = value != joint.flag(number, axis)
    joint.flags[axis, number] = value
    if is_new:
        _renew(server, joint)


def _get_flag(kind: int, server, identity: int, number: int, axis: int = 0) -> bool:
    joint = _of_kind(server, identity, kind)
    _check_number(kind, number, DEFAULT_FLAGS)
    return joint.flag(number, axis)


@SERVER.cold()
def _joint_create(server):
    return server.joints.add(Joint())


@SERVER.cold()
def _joint_clear(server, identity):
    joint = server.joints.get(identity)
    joint.release(server)
    joint.kind, joint.own, joint.parameters, joint.flags = EMPTY, "", {}, {}


@SERVER.cold()
def _joint_get_type(server, identity):
    return server.joints.get(identity).kind


@SERVER.cold(note="kept, with a warning: the joints of a mechanism are solved all at once, so no order decides what holds")
def _joint_set_solver_priority(server, identity, priority):
    server.joints.get(identity).priority = priority
    if priority != 1:
        server.reporter.warn_once("joint_set_solver_priority", "kept, but without effect")


@SERVER.cold()
def _joint_get_solver_priority(server, identity):
    return server.joints.get(identity).priority


@SERVER.cold()
def _joint_disable_collisions_between_bodies(server, identity, disable):
    joint = server.joints.get(identity)
    joint.disables_collisions = disable
    if joint.core:
        server.world.joint.set_collides(joint.core, not disable)


@SERVER.cold()
def _joint_is_disabled_collisions_between_bodies(server, identity):
    return server.joints.get(identity).disables_collisions


# --- parameters and flags that have no axis ---

for _kind, _name in ((PIN, "pin"), (HINGE, "hinge"), (SLIDER, "slider"), (CONE_TWIST, "cone_twist")):
    SERVER.answer(f"_{_name}_joint_set_param", partial(_set_parameter, _kind), note=NOTES.get(_kind, ""))
    SERVER.answer(f"_{_name}_joint_get_param", partial(_get_parameter, _kind))
SERVER.answer("_hinge_joint_set_flag", partial(_set_flag, HINGE))
SERVER.answer("_hinge_joint_get_flag", partial(_get_flag, HINGE))

# --- making them of two frames ---

for _kind, _name in ((HINGE, "hinge"), (SLIDER, "slider"), (CONE_TWIST, "cone_twist"), (SIX_DOF, "generic_6dof")):
    SERVER.answer(f"_joint_make_{_name}", partial(_make, _kind))


@SERVER.cold()
def _joint_make_hinge_simple(server, identity, body_a, pivot_a, axis_a, body_b, pivot_b, axis_b):
    check_finite("the axes", *axis_a, *axis_b)
    frames = frame_of_axis(pivot_a, axis_a), frame_of_axis(pivot_b, axis_b)
    bases = [basis_of(server.body_row(body)["rotation"]) if body else NO_TURN for body in (body_a, body_b)]
    frames = frames[0], frame_like(frames[1], bases[1], frames[0], bases[0])
    _make(HINGE, server, identity, body_a, frames[0], body_b, frames[1])


# --- pin ---


@SERVER.cold()
def _joint_make_pin(server, identity, body_a, local_a, body_b, local_b):
    _make(PIN, server, identity, body_a, pivot(local_a), body_b, pivot(local_b))


def _set_pivot(side, server, identity, point):
    check_finite(f"local_{side}", *point)
    joint = _of_kind(server, identity, PIN)
    setattr(joint, f"frame_{side.lower()}", pivot(point))
    if joint.core:
        server.world.joint.set_frames(joint.core, *_core_frames(joint))


def _get_pivot(side, server, identity):
    return getattr(_of_kind(server, identity, PIN), f"frame_{side.lower()}")[9:]


for _side in "AB":
    SERVER.answer(f"_pin_joint_set_local_{_side.lower()}", partial(_set_pivot, _side))
    SERVER.answer(f"_pin_joint_get_local_{_side.lower()}", partial(_get_pivot, _side))


# --- six degrees of freedom ---


def _on_axis(of_joint, server, identity: int, axis: int, *numbers):
    if not 0 <= axis < 3:
        raise ValueError(f"axis must be 0 (x) to 2 (z), got {axis}")
    return of_joint(SIX_DOF, server, identity, *numbers, axis)


for _name, _of_joint in (
    ("set_param", _set_parameter), ("get_param", _get_parameter), ("set_flag", _set_flag), ("get_flag", _get_flag),
):  # fmt: skip
    SERVER.answer(f"_generic_6dof_joint_{_name}", partial(_on_axis, _of_joint))
