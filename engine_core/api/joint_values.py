"""Joints, motors and springs as values: the way in which two bodies are held together, given by places and directions in the
world.

`Space.add_joint(joint, body, to=other)` joins `body` to `other`, or to the world, as both lie at that moment: every axis is
at 0 there. Angles [rad] are right-handed about the axis, of `body` against `other`; limits of angles lie within -pi to pi.
Bad numbers raise ValueError when the value is made, bad places and directions when the joint is added.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..geometry.turning import dot, frame_along, size_of
from ..joints import schema
from .arrays import Floats, Vector, keep_own, number, vector

Range = tuple[float, float]
"""Limits of an axis, (lower, upper) with lower <= upper, [m] or [rad]."""
MOST_TURN = math.pi + 1e-6
"""The largest angle of a limit [rad], as single precision rounds pi."""
MOST_ALONG = 0.999
"""Cosine of the least angle between the two directions of a `SixDof`."""
AXES: dict[str, int] = {
    "linear x": schema.LINEAR_X, "linear y": schema.LINEAR_Y, "linear z": schema.LINEAR_Z, "twist": schema.TWIST,
    "swing y": schema.SWING_Y, "swing z": schema.SWING_Z, "cone": schema.CONE, "distance": schema.DISTANCE,
}  # fmt: skip
"""Names of the axes of joints, in the joint's frame, whose x is the axis of a hinge or slider. Linear ones and the distance
[m], the others [rad]."""
ANGLES = {"twist", "swing y", "swing z", "cone"}
"""Names of those [rad]."""


def check_limits(call: str, name: str, limits: Range | None, is_angle: bool = False) -> None:
    """Check limits of an axis, (lower, upper) [m] or [rad], or None. Raises ValueError."""
    if limits is None:
        return
    lower, upper = vector(call, name, limits, 2).tolist()
    if lower > upper:
        raise ValueError(f"{call}: {name} must be (lower, upper) with lower <= upper, got {limits!r}; None makes it free")
    if is_angle and not -MOST_TURN <= lower <= upper <= MOST_TURN:
        raise ValueError(f"{call}: {name} must lie within -pi to pi [rad], got {limits!r}")


@dataclass(frozen=True, kw_only=True)
class Motor:
    """Drives an axis at `velocity` ([m/s], [rad/s]) with at most `max_force` ([N], [N m]). A velocity of 0 acts as friction.
    Raises ValueError for numbers that are not finite, and for a force below 0."""

    velocity: float = 0.0
    max_force: float = math.inf

    def __post_init__(self) -> None:
        number("Motor", "velocity", self.velocity)
        number("Motor", "max_force", self.max_force, 0.0, may_be_infinite=True)


@dataclass(frozen=True, kw_only=True)
class Spring:
    """Pulls an axis towards `target` ([m], [rad]) with at most `max_force` ([N], [N m]). It is given by `stiffness` ([N/m],
    [N m/rad]) and `damping` ([N s/m], [N m s/rad]), or by `frequency` [1/s] and `damping_ratio` (1 is critical), which hold
    for any masses. Raises ValueError for both or neither, and for numbers below 0 other than `target`."""

    stiffness: float | None = None
    damping: float = 0.0
    frequency: float | None = None
    damping_ratio: float = 1.0
    target: float = 0.0
    max_force: float = math.inf

    def __post_init__(self) -> None:
        if (self.stiffness is None) == (self.frequency is None):
            raise ValueError(f"Spring: either stiffness or frequency is wanted, got {self.stiffness} and {self.frequency}")
        number("Spring", "target", self.target)
        number("Spring", "max_force", self.max_force, 0.0, may_be_infinite=True)
        for name in ("stiffness", "damping", "frequency", "damping_ratio"):
            if getattr(self, name) is not None:
                number("Spring", name, getattr(self, name), 0.0)


@dataclass(frozen=True, kw_only=True)
class Axis:
    """One axis of a joint: `limits` (lower, upper), lower <= upper, [m], or [rad] within -pi to pi; None for a free axis,
    equal ones for a locked one; `motor` drives it, `spring` pulls it towards a target. Raises ValueError."""

    limits: Range | None = None
    motor: Motor | None = None
    spring: Spring | None = None

    def __post_init__(self) -> None:
        check_limits("Axis", "limits", self.limits)


LOCKED = Axis(limits=(0.0, 0.0))
"""An axis that does not move [m], [rad]."""
FREE = Axis()
"""An axis that moves freely [m], [rad]."""


@dataclass(frozen=True, kw_only=True)
class AnyJoint:
    """The fields that all joints have. `anchor`: the place of the joint, world [m], (3,). `collide`: whether the joined bodies
    push each other. `break_force` [N], `break_torque` [N m]: the joint breaks in a step in which it has to bear more.
    Raises ValueError."""

    anchor: Vector = (0.0, 0.0, 0.0)
    collide: bool = False
    break_force: float = math.inf
    break_torque: float = math.inf
    kind = "fixed"
    main_axis = ""
    """The axis that a handle means where none is named."""

    def __post_init__(self) -> None:
        keep_own(self)
        call = type(self).__name__
        for name in ("break_force", "break_torque"):
            number(call, name, getattr(self, name), 0.0, may_be_infinite=True)
        check_limits(call, "limits", getattr(self, "limits", None))
        for name, axis in self._axes().items():
            check_limits(call, self._field_of(name), axis.limits, is_angle=name in ANGLES)

    def _field_of(self, axis: str) -> str:
        """Name of the field that has the limits of an axis; no quantities."""
        return "limits"

    def _axes(self) -> Mapping[str, Axis]:
        """The axes that are set beyond those that the kind locks, by name ([m], [rad])."""
        return {}

    def _frames(self) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        """Basis (3, 3) and origin (3,) [m] of two frames in the world: that of the other body, and that of the body."""
        place = np.eye(3), vector("add_joint", "anchor", self.anchor)
        return place, place


@dataclass(frozen=True, kw_only=True)
class Fixed(AnyJoint):
    """Holds two bodies as they lie, like one body. `anchor`: world [m] (3,)."""


@dataclass(frozen=True, kw_only=True)
class Pin(AnyJoint):
    """A ball joint: the bodies turn freely about `anchor`, world [m] (3,)."""

    kind = "point"


@dataclass(frozen=True, kw_only=True)
class AlongAxis(AnyJoint):
    """The fields of joints with a direction. `axis`: direction in the world, (3,), of any length; no unit."""

    axis: Vector = (1.0, 0.0, 0.0)

    def _frames(self) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        place = frame_along(direction("axis", self.axis)), vector("add_joint", "anchor", self.anchor)
        return place, place


@dataclass(frozen=True, kw_only=True)
class Hinge(AlongAxis):
    """A hinge of a door: the body turns about `axis` (3,) through `anchor` [m]. `limits` (lower, upper) [rad]: within
    -pi to pi, lower <= upper, None for a free hinge; `motor` in [rad/s] and [N m]; `spring` in [rad] and [N m/rad]. The
    angle jumps from pi to -pi, so a limit that is to hold lies some 0.05 rad this side of them. Raises ValueError."""

    limits: Range | None = None
    motor: Motor | None = None
    spring: Spring | None = None
    kind = "hinge"
    main_axis = "twist"

    def _axes(self) -> Mapping[str, Axis]:
        return {"twist": Axis(limits=self.limits, motor=self.motor, spring=self.spring)}


@dataclass(frozen=True, kw_only=True)
class Slider(AlongAxis):
    """A rail: the body slides along `axis` (3,) and does not turn. `limits` (lower, upper) [m], lower <= upper, None for
    no end; `motor` in [m/s] and [N]; `spring` in [m] and [N/m]. Raises ValueError."""

    limits: Range | None = None
    motor: Motor | None = None
    spring: Spring | None = None
    kind = "slider"
    main_axis = "linear x"

    def _axes(self) -> Mapping[str, Axis]:
        return {"linear x": Axis(limits=self.limits, motor=self.motor, spring=self.spring)}


@dataclass(frozen=True, kw_only=True)
class ConeTwist(AlongAxis):
    """A shoulder: `axis` (3,) of the body stays within `cone` [rad], 0 to pi, of its direction now, and the body turns about it
    within `twist` (lower, upper) [rad]: within -pi to pi, lower <= upper, or freely for None. Raises ValueError."""

    cone: float = math.pi / 4.0
    twist: Range | None = None
    kind = "swing_twist"
    main_axis = "twist"

    def _axes(self) -> Mapping[str, Axis]:
        return {"cone": Axis(limits=(0.0, self.cone)), "twist": Axis(limits=self.twist)}

    def _field_of(self, axis: str) -> str:
        return axis

    def __post_init__(self) -> None:
        if number("ConeTwist", "cone", self.cone, 0.0) > MOST_TURN:
            raise ValueError(f"ConeTwist: cone must be 0 to pi [rad], got {self.cone!r}")
        check_limits("ConeTwist", "twist", self.twist, is_angle=True)
        super().__post_init__()


@dataclass(frozen=True, kw_only=True)
class SixDof(AlongAxis):
    """Six axes, each `LOCKED`, `FREE` or an `Axis` with limits: `linear_x`, `linear_y`, `linear_z` [m], and the angles `twist`
    about x, `swing_y`, `swing_z` [rad] within -pi to pi. The x axes lie along and about `axis` (3,), the y axes along and
    about the part of `second` (3,) that is square to it, the z axes square to both. `second` is by default the world axis
    after the one nearest to `axis`: y after x, z after y, x after z."""

    second: Vector | None = None
    linear_x: Axis = LOCKED
    linear_y: Axis = LOCKED
    linear_z: Axis = LOCKED
    twist: Axis = LOCKED
    swing_y: Axis = LOCKED
    swing_z: Axis = LOCKED
    kind = "six_dof"

    def _axes(self) -> Mapping[str, Axis]:
        names = ("linear x", "linear y", "linear z", "twist", "swing y", "swing z")
        return {name: getattr(self, self._field_of(name)) for name in names}

    def _field_of(self, axis: str) -> str:
        return axis.replace(" ", "_")

    def _frames(self) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        axis = direction("axis", self.axis)
        second = None if self.second is None else direction("second", self.second)
        if second is not None and abs(dot(second, axis)) > MOST_ALONG:
            raise ValueError(f"add_joint: second must not lie along axis, got {second.tolist()}")
        place = frame_along(axis, second), vector("add_joint", "anchor", self.anchor)
        return place, place


@dataclass(frozen=True, kw_only=True)
class Distance(AnyJoint):
    """A rope or a rod: keeps `anchor` on the body and `to_anchor` on the other one, both world [m], between `shortest` and
    `longest` [m] apart: 0 <= shortest <= longest. Equal ones make a rod. Raises ValueError."""

    to_anchor: Vector = (0.0, 0.0, 0.0)
    shortest: float = 0.0
    longest: float = 1.0
    kind = "distance"
    main_axis = "distance"

    def __post_init__(self) -> None:
        super().__post_init__()
        shortest = number("Distance", "shortest", self.shortest, 0.0)
        number("Distance", "longest", self.longest, shortest, may_be_infinite=True)

    def _frames(self) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        to, own = (vector("add_joint", "anchor", place) for place in (self.to_anchor, self.anchor))
        return (np.eye(3), to), (np.eye(3), own)


@dataclass(frozen=True, kw_only=True)
class Gear(AnyJoint):
    """Ties the turns of two bodies on hinges: turn of the other about `to_axis` (3,) + `ratio` x turn of the body about
    `axis` (3,) = 0. `ratio` has no unit. Speeds are tied [rad/s], not angles. Raises ValueError."""

    axis: Vector = (1.0, 0.0, 0.0)
    to_axis: Vector = (1.0, 0.0, 0.0)
    ratio: float = 1.0
    kind = "gear"

    def __post_init__(self) -> None:
        super().__post_init__()
        number(type(self).__name__, "ratio", self.ratio)

    def _frames(self) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        place = vector("add_joint", "anchor", self.anchor)
        to, own = (frame_along(direction("axis", axis)) for axis in (self.to_axis, self.axis))
        return (to, place), (own, place)


@dataclass(frozen=True, kw_only=True)
class RackAndPinion(Gear):
    """Ties a rack on a slider to a pinion on a hinge: way of the body along `axis` (3,) [m] = `ratio` [m/rad] x turn of the
    other about `to_axis` (3,)."""

    kind = "rack_and_pinion"


@dataclass(frozen=True, kw_only=True)
class Rope:
    """A rope over two wheels, for `Space.add_pulley`: from `point` of the body, in its frame [m] (3,), over `wheel`, world
    [m] (3,), then over `to_wheel` to `to_point` of the other body. |point - wheel| + `ratio` x |to_point - to_wheel| stays
    between `shortest` and `longest` [m]; None stands for the present length."""

    wheel: Vector
    to_wheel: Vector
    point: Vector = (0.0, 0.0, 0.0)
    to_point: Vector = (0.0, 0.0, 0.0)
    ratio: float = 1.0
    shortest: float = 0.0
    longest: float | None = None

    def __post_init__(self) -> None:
        keep_own(self)


def direction(name: str, value: Vector) -> Floats:
    """A unit vector (3,). Raises ValueError for zero."""
    given = vector("add_joint", name, value)
    size = size_of(given)
    if size < 1e-9:
        raise ValueError(f"add_joint: {name} must not be zero, got {given.tolist()}")
    return given / size
