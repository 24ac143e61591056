"""Joints beyond Godot's own calls: what they bear, when they break, their motors and springs by axis, and joints that Godot does
not know. All take and return the RIDs of joints; `joint.get_rid()` is that of a node.

The thread of Godot's physics calls; a call waits for the end of a step that runs.
"""

import math

from ..core.joints import AXIS_NAMES
from ..joints.schema import IS_ENABLED
from . import joint_making
from .locked_calls import LockedCalls
from .public_class import PublicClass
from .schema import BOOL, FLOAT, RID, VECTOR3
from .server_joints import Joint
from .typed_values import enum_of

_AXIS = enum_of("Scree", "JointAxis")
_JOINT, _ON_AXIS = {"joint": RID}, {"joint": RID, "axis": _AXIS}
_LASTS = "A node sets all axes anew when a parameter of it changes: call this again then. [param axis]: see [enum JointAxis]."
_AXIS_TEXTS = (
    "Along the axis of a slider [m].", "Across it, the second axis of the joint [m].", "Across it, the third axis [m].",
    "The turn about the axis of a hinge, about the x axis of other joints [rad].", "The turn about the second axis [rad].",
    "The turn about the third axis [rad].", "The angle between the first axes of the two bodies [rad].",
    "The distance of the two points of a rope [m].",
)  # fmt: skip


class _Calls(LockedCalls):
    """The functions behind the methods."""

    @staticmethod
    def _held(server, identity: int) -> Joint:
        """A joint that holds bodies. Raises KeyError, ValueError."""
        joint = server.joints.get(identity)
        if not joint.core:
            raise ValueError(f"{joint.name} has no axes" if joint.own else "the joint has no bodies yet")
        return joint

    def _core(self, server, identity: int) -> tuple:
        return server.world.joint, self._held(server, identity).core

    def _side(self, server, core: int) -> float:
        """1.0 if what the core measures acts on the body that Godot calls B, or on the only one; -1.0 if on the world."""
        return -1.0 if int(server.world.joint.row("joint", core)["bodies"][1]) < 0 else 1.0

    # What it bears.

    def joint_get_force(self, server, identity):
        joints, core = self._core(server, identity)
        return tuple(self._side(server, core) * joints.force(core))

    def joint_get_torque(self, server, identity):
        joints, core = self._core(server, identity)
        return tuple(self._side(server, core) * joints.torque(core))

    def joint_get_position(self, server, identity, axis):
        joints, core = self._core(server, identity)
        return joints.position(core, axis)

    # Breaking and switching.

    def joint_set_break(self, server, identity, force, torque):
        joint = server.joints.get(identity)
        if joint.pulley is not None:
            raise ValueError("a pulley does not break")
        for name, limit in (("force", force), ("torque", torque)):
            if not limit >= 0.0:
                raise ValueError(f"{name} must be at least 0, got {limit}")
        joint.breaks = force, torque
        if joint.core:
            server.world.joint.set_break(joint.core, force, torque)

    def joint_get_break_force(self, server, identity):
        return server.joints.get(identity).breaks[0]

    def joint_get_break_torque(self, server, identity):
        return server.joints.get(identity).breaks[1]

    def joint_is_broken(self, server, identity):
        joint = server.joints.get(identity)
        return bool(joint.core) and server.world.joint.is_broken(joint.core)

    def joint_set_enabled(self, server, identity, enabled):
        joint = server.joints.get(identity)
        joint.is_enabled = enabled
        if joint.pulley is not None:
            joint.pulley.set_enabled(enabled)
        elif joint.core:
            was_broken = server.world.joint.is_broken(joint.core)
            server.world.joint.set_enabled(joint.core, enabled)
            if enabled:
                joint.is_broken = False
                if was_broken and joint.disables_collisions:
                    server.world.joint.set_collides(joint.core, False)

    def joint_is_enabled(self, server, identity):
        joint = server.joints.get(identity)
        if joint.core:
            return bool(int(server.world.joint.row("joint_is_enabled", joint.core)["flags"]) & IS_ENABLED)
        return joint.is_enabled

    # Axes.

    def joint_set_limits(self, server, identity, axis, lower, upper):
        joints, core = self._core(server, identity)
        joints.set_limits(core, axis, lower, upper)

    def joint_free_axis(self, server, identity, axis):
        joints, core = self._core(server, identity)
        joints.free_axis(core, axis)

    def joint_set_motor(self, server, identity, axis, velocity, max_force):
        joints, core = self._core(server, identity)
        joints.limit_impulses(core, False)
        joints.set_motor(core, axis, velocity, max_force)

    def joint_clear_motor(self, server, identity, axis):
        joints, core = self._core(server, identity)
        joints.clear_motor(core, axis)

    def joint_set_spring(self, server, identity, axis, stiffness, damping, target, max_force):
        joints, core = self._core(server, identity)
        joints.set_spring(core, axis, stiffness, damping, target, max_force)

    def joint_set_frequency(self, server, identity, axis, frequency, damping_ratio, target, max_force):
        joints, core = self._core(server, identity)
        joints.set_spring(core, axis, frequency, damping_ratio, target, max_force, by_frequency=True)

    def joint_clear_spring(self, server, identity, axis):
        joints, core = self._core(server, identity)
        joints.clear_spring(core, axis)

    # Joints of their own kinds.

    def weld_create(self, server, body_a, body_b):
        return joint_making.make_weld(server, body_a, body_b)

    def rope_create(self, server, body_a, body_b, point_a, point_b, shortest, longest):
        return joint_making.make_rope(server, body_a, body_b, point_a, point_b, shortest, longest)

    def rope_set_lengths(self, server, identity, shortest, longest):
        joint = server.joints.get(identity)
        if joint.own != "rope":
            raise ValueError(f"the joint is {joint.name}, not a rope")
        server.world.joint.set_distance(joint.core, shortest, longest)

    def gear_create(self, server, body_a, body_b, axis_a, axis_b, ratio):
        return joint_making.make_gear(server, body_a, body_b, axis_a, axis_b, ratio)

    def rack_create(self, server, pinion, rack, axis, direction, ratio):
        return joint_making.make_rack(server, pinion, rack, axis, direction, ratio)

    def gear_set_ratio(self, server, identity, ratio):
        joint = server.joints.get(identity)
        if joint.own not in ("gear", "rack"):
            raise ValueError(f"the joint is {joint.name}, not a gear or a rack")
        server.world.joint.set_ratio(joint.core, ratio)

    def pulley_create(self, server, body_a, body_b, point_a, point_b, wheel_a, wheel_b, ratio):
        return joint_making.make_pulley(server, body_a, body_b, point_a, point_b, wheel_a, wheel_b, ratio)

    @staticmethod
    def _pulley(server, identity: int):
        joint = server.joints.get(identity)
        if joint.pulley is None:
            raise ValueError(f"the joint is {joint.name}, not a pulley")
        return joint.pulley

    def pulley_set_lengths(self, server, identity, shortest, longest):
        self._pulley(server, identity).set_length(shortest, longest)

    def pulley_get_length(self, server, identity):
        return self._pulley(server, identity).length

    def pulley_get_tension(self, server, identity):
        return self._pulley(server, identity).tension

    def free_joint(self, server, identity):
        server.joints.remove(identity).release(server)


def add_joint_methods(scree: PublicClass, engine) -> None:
    """Add the calls and the signal `joint_broke` to the class `Scree`."""
    method = _Calls(scree, engine).add

    names = [f"JOINT_AXIS_{name.replace(' ', '_').upper()}" for name in AXIS_NAMES]
    scree.enum("JointAxis", {name: (number, _AXIS_TEXTS[number]) for number, name in enumerate(names)})
    _add_loads(method)
    _add_axes(method)
    _add_kinds(method)
    broke = scree.signal(
        "joint_broke", {"space": RID, "joint": RID},
        text="A joint had to bear more than [method joint_set_break] allows. Emitted when the nodes follow the step; the "
        "joint holds nothing any more, and [method joint_set_enabled] mends it.",
    )  # fmt: skip
    engine.on_joint_broke = lambda space, joint: broke.emit(engine.public.object, space, joint)


def _add_loads(method) -> None:
    method("joint_get_force", _JOINT, VECTOR3,
           "Returns the force of a joint in the last step [N], global axes: on its body B, or on body A where B is the "
           "world.")  # fmt: skip
    method("joint_get_torque", _JOINT, VECTOR3,
           "Returns the torque of a joint in the last step [N m], global axes: on its body B, or on body A where B is the "
           "world.")  # fmt: skip
    method("joint_get_position", _ON_AXIS, FLOAT,
           "Returns where one body is along or about an axis, against the other [m], [rad], right-handed: B against A; A against "
           "the world where B is the world. [param axis]: see [enum JointAxis].")  # fmt: skip
    method("joint_set_break", {**_JOINT, "force": FLOAT, "torque": FLOAT}, None,
           "Lets a joint break in a step in which it has to bear more than [param force] [N] or [param torque] [N m]. It is kept "
           "when the joint gets other bodies.", torque=math.inf)  # fmt: skip
    method("joint_get_break_force", _JOINT, FLOAT, "Returns the force at which a joint breaks [N]; infinite by default.")
    method("joint_get_break_torque", _JOINT, FLOAT, "Returns the torque at which a joint breaks [N m]; infinite by default.")
    method("joint_is_broken", _JOINT, BOOL, "Returns whether a joint is broken.")
    method("joint_set_enabled", {**_JOINT, "enabled": BOOL}, None,
           "Switches a joint on or off. One that is off holds nothing; switching on mends a broken one.")  # fmt: skip
    method("joint_is_enabled", _JOINT, BOOL, "Returns whether a joint is switched on.")
    method("free_joint", _JOINT, None, "Frees a joint, as [method PhysicsServer3D.free_rid] does.")


def _add_axes(method) -> None:
    method("joint_set_limits", {**_ON_AXIS, "lower": FLOAT, "upper": FLOAT}, None,
           f"Limits an axis [m], [rad]. Equal limits lock it. {_LASTS}")  # fmt: skip
    method("joint_free_axis", _ON_AXIS, None, f"Frees an axis of its lock or limits. {_LASTS}")
    method("joint_set_motor", {**_ON_AXIS, "velocity": FLOAT, "max_force": FLOAT}, None,
           "Drives an axis at a velocity [m/s], [rad/s] with at most a force [N] or torque [N m]; velocity 0 is friction. "
           f"{_LASTS}",
           max_force=math.inf)  # fmt: skip
    method("joint_clear_motor", _ON_AXIS, None, f"Switches the motor of an axis off. {_LASTS}")
    sprung = {"target": FLOAT, "max_force": FLOAT}
    method("joint_set_spring", {**_ON_AXIS, "stiffness": FLOAT, "damping": FLOAT, **sprung}, None,
           "Pulls an axis towards a target [m], [rad] by a stiffness [N/m], [N m/rad] and damping [N s/m], [N m s/rad], "
           f"with at most a force [N] or torque [N m]: with one, it is a motor that holds a position. {_LASTS}",
           target=0.0, max_force=math.inf)  # fmt: skip
    method("joint_set_frequency", {**_ON_AXIS, "frequency": FLOAT, "damping_ratio": FLOAT, **sprung}, None,
           "Pulls an axis towards a target as [method joint_set_spring] does, by a frequency [1/s] and a damping ratio (1 is "
           f"critical), which hold for any masses. {_LASTS}", damping_ratio=1.0, target=0.0, max_force=math.inf)  # fmt: skip
    method("joint_clear_spring", _ON_AXIS, None, f"Removes the spring of an axis. {_LASTS}")


def _add_kinds(method) -> None:
    two = {"body_a": RID, "body_b": RID}
    points, lengths = {"point_a": VECTOR3, "point_b": VECTOR3}, {"shortest": FLOAT, "longest": FLOAT}
    freed = "Bodies may be null RIDs: the world. [method free_joint] frees it."
    method("weld_create", two, RID, f"Holds two bodies as they lie, like one body. {freed}")
    method("rope_create", {**two, **points, **lengths}, RID,
           "Keeps a point of A and one of B, in global space as the bodies lie now, between two distances [m]: a rope, or a "
           f"rod if they are equal. {freed}")  # fmt: skip
    method("rope_set_lengths", {**_JOINT, **lengths}, None, "Changes the distances of a rope [m].")
    method("gear_create", {**two, "axis_a": VECTOR3, "axis_b": VECTOR3, "ratio": FLOAT}, RID,
           "Ties the turns of two bodies on hinges: turn of A about [param axis_a] + ratio x turn of B about [param axis_b] "
           f"= 0, axes in global space as the bodies lie now. Speeds are tied, not angles. {freed}")  # fmt: skip
    method("rack_create", {"pinion": RID, "rack": RID, "axis": VECTOR3, "direction": VECTOR3, "ratio": FLOAT}, RID,
           "Ties a rack on a slider to a pinion on a hinge: way of the rack along [param direction] [m] = ratio [m/rad] x "
           f"turn of the pinion about [param axis]. {freed}")  # fmt: skip
    method("gear_set_ratio", {**_JOINT, "ratio": FLOAT}, None, "Changes the ratio of a gear or a rack.")
    method("pulley_create", {**two, **points, "wheel_a": VECTOR3, "wheel_b": VECTOR3, "ratio": FLOAT}, RID,
           "Hangs two bodies on a rope over two wheels, all in global space as the bodies lie now: |point A - wheel A| + ratio x "
           f"|point B - wheel B| stays at most what it is. {freed}", ratio=1.0)  # fmt: skip
    method("pulley_set_lengths", {**_JOINT, **lengths}, None,
           "Sets limits of the rope's length, counted with the ratio [m]; equal ones make a rod.")  # fmt: skip
    method("pulley_get_length", _JOINT, FLOAT, "Returns the length of the rope, counted with the ratio [m].")
    method(
        "pulley_get_tension",
        _JOINT,
        FLOAT,
        "Returns the mean force that pulled A towards its wheel in the last step [N]; that on B is ratio times it.",
    )
