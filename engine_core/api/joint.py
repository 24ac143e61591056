"""The handle of a joint, and how a joint value is given to the core."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..geometry.turning import inverse, product, turned
from ..joints.schema import DISTANCE, IS_ENABLED
from .arrays import Floats, basis_of, errors_of_call, read_only, twelve
from .handle import Handle
from .joint_values import ANGLES, AXES, AnyJoint, Distance, Gear, Motor, Range, Spring, check_limits

if TYPE_CHECKING:
    from .body import Body
    from .space import Space


class Joint(Handle):
    """A joint of a space: the result of `Space.add_joint`. Vectors are (3,), world axes. `axis` is one of the names in
    `AXES`; without one, a hinge means "twist", a slider "linear x", a `Distance` "distance".

    The thread that steps calls this, between steps. Calls raise KeyError after the joint was removed. A joint whose body was
    removed holds nothing."""

    __slots__ = ("_main_axis",)

    def __init__(self, space: "Space", identity: int, main_axis: str) -> None:
        super().__init__(space, identity)
        self._main_axis = main_axis

    def _axis(self, call: str, name: str) -> int:
        name = name or self._main_axis
        if name not in AXES:
            raise ValueError(f"{call}: axis must be one of {', '.join(AXES)}, got {name!r}")
        return AXES[name]

    def position(self, axis: str = "") -> float:
        """Where the body is now along or about an axis, against the other body: [m] or [rad]. Raises ValueError, KeyError."""
        with errors_of_call("position"):
            return float(self._space.core.joint.position(self._id, self._axis("position", axis)))

    def set_limits(self, limits: Range | None, axis: str = "") -> None:
        """Limit an axis to (lower, upper), lower <= upper, [m], or [rad] within -pi to pi. None frees it, equal limits lock
        it: a rope becomes a rod, and a rod a rope. A distance is at least 0. Raises ValueError, KeyError."""
        core, number = self._space.core, self._axis("set_limits", axis)
        check_limits("set_limits", "limits", limits, is_angle=(axis or self._main_axis) in ANGLES)
        with errors_of_call("set_limits", shortest="limits", longest="limits"):
            if limits is None:
                core.joint.free_axis(self._id, number)
            elif number == DISTANCE:
                core.joint.set_distance(self._id, *limits)
            else:
                core.joint.set_limits(self._id, number, *limits)

    def set_motor(self, motor: Motor | None, axis: str = "") -> None:
        """Drive an axis ([m/s], [rad/s]); None switches the motor off. Raises ValueError, KeyError."""
        core, number = self._space.core, self._axis("set_motor", axis)
        with errors_of_call("set_motor"):
            if motor is None:
                core.joint.clear_motor(self._id, number)
            else:
                core.joint.set_motor(self._id, number, motor.velocity, motor.max_force)

    def set_spring(self, spring: Spring | None, axis: str = "") -> None:
        """Pull an axis towards a target ([m], [rad]); None removes the spring. Raises ValueError, KeyError."""
        core, number = self._space.core, self._axis("set_spring", axis)
        with errors_of_call("set_spring"):
            if spring is None:
                core.joint.clear_spring(self._id, number)
                return
            by_frequency = spring.frequency is not None
            stiffness = (spring.frequency, spring.damping_ratio) if by_frequency else (spring.stiffness, spring.damping)
            core.joint.set_spring(self._id, number, *stiffness, spring.target, spring.max_force, by_frequency)

    @property
    def force(self) -> Floats:
        """Force of the joint on the body in the last step [N], (3,)."""
        with errors_of_call("force"):
            return read_only(np.asarray(self._space.core.joint.force(self._id)))

    @property
    def torque(self) -> Floats:
        """Torque of the joint on the body in the last step [N m], (3,)."""
        with errors_of_call("torque"):
            return read_only(np.asarray(self._space.core.joint.torque(self._id)))

    @property
    def is_broken(self) -> bool:
        """Whether the joint had to bear more than its `break_force` or `break_torque`. Assigning True to `enabled` mends it."""
        with errors_of_call("is_broken"):
            return bool(self._space.core.joint.is_broken(self._id))

    @property
    def enabled(self) -> bool:
        """Whether the joint holds. Can be assigned."""
        return bool(int(self._space.core.joint.row("enabled", self._id)["flags"]) & IS_ENABLED)

    @enabled.setter
    def enabled(self, is_enabled: bool) -> None:
        with errors_of_call("enabled"):
            self._space.core.joint.set_enabled(self._id, is_enabled)

    def set_collide(self, collide: bool) -> None:
        """Choose whether the joined bodies push each other. Raises KeyError."""
        with errors_of_call("set_collide"):
            self._space.core.joint.set_collides(self._id, collide)

    def remove(self) -> None:
        """Free the joint; its bodies wake. Raises KeyError."""
        with errors_of_call("remove"):
            self._space.core.joint.destroy(self._id)


def local_frame(body: "Body | None", frame: tuple[Floats, Floats]) -> list[float]:
    """A frame in the world as the core takes it: in the frame of a body, or in the world for None."""
    basis, origin = frame
    if body is None:
        return twelve(basis, origin)
    back = inverse(body.rotation)
    return twelve(product(basis_of(back), basis), turned(back, origin - body.position))


def _set_up(core: Any, joint: AnyJoint, handle: Joint) -> None:
    """Give a new joint the numbers of a value. Raises ValueError."""
    for name, axis in joint._axes().items():
        handle.set_limits(axis.limits, name)
        if axis.motor:
            handle.set_motor(axis.motor, name)
        if axis.spring:
            handle.set_spring(axis.spring, name)
    if isinstance(joint, Gear):
        core.joint.set_ratio(handle.id, joint.ratio)
    if isinstance(joint, Distance):
        core.joint.set_distance(handle.id, joint.shortest, joint.longest)
    if (joint.break_force, joint.break_torque) != (math.inf, math.inf):
        core.joint.set_break(handle.id, joint.break_force, joint.break_torque)


def create(core: Any, joint: AnyJoint, body: "Body", to: "Body | None") -> int:
    """Make a joint of the core from a value; gives its id. Raises ValueError, KeyError, PoolFull; then there is no joint."""
    to_frame, own_frame = joint._frames()
    ids = to.id if to else 0, body.id
    places = local_frame(to, to_frame), local_frame(body, own_frame)
    with errors_of_call("add_joint"):
        identity = int(core.joint.create(joint.kind, *ids, *places, joint.collide))
    handle = Joint(body.space, identity, joint.main_axis)
    try:
        with errors_of_call("add_joint"):
            _set_up(core, joint, handle)
    except BaseException:
        core.joint.destroy(identity)
        raise
    return identity
