"""Areas: volumes that see bodies enter and leave, and may change gravity and damping inside."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ..batches.editing import shapes_on
from ..bodies.identity import kind_of
from ..bodies.schema import KIND_AREA
from ..core.areas import LARGEST_PRIORITY, MODE_NAMES
from ..core.numbers import FARTHEST
from ..geometry.turning import turned
from .arrays import Floats, Vector, basis_of, errors_of_call, number, read_only, rotations, twelve, vector
from .handle import Handle

if TYPE_CHECKING:
    from .body import Body
    from .space import Space

Mode = Literal["disabled", "combine", "combine-replace", "replace", "replace-combine"]
"""How an area acts: on top of what is there already, or instead of it, in the order of `priority`; no unit."""
LARGEST = 1e30
"""The largest gravity [m/s^2] that an area gives, either way."""


@dataclass(frozen=True, kw_only=True)
class AreaEffect:
    """The effect of an area on rigid bodies inside. Areas of higher `priority` act first.

    `gravity` [m/s^2] (3,), world axes, acts as `gravity_mode` says. With a `center` (3,), a point in the frame of the area
    [m], gravity points there instead, with `strength` [m/s^2]; from `unit_distance` [m] on it falls with the square of the
    distance, and never if that is 0. `linear_damp` and `angular_damp` [1/s] act as `damp_mode` says. Raises ValueError:
    all numbers are finite, `unit_distance` and the damps at least 0, `priority` whole, the modes those of `Mode`."""

    priority: int = 0
    gravity_mode: Mode = "disabled"
    gravity: Vector = (0.0, -9.81, 0.0)
    center: Vector | None = None
    strength: float = 9.81
    unit_distance: float = 0.0
    damp_mode: Mode = "disabled"
    linear_damp: float = 0.0
    angular_damp: float = 0.0

    def __post_init__(self) -> None:
        for mode in ("gravity_mode", "damp_mode"):
            if getattr(self, mode) not in MODE_NAMES:
                raise ValueError(f"AreaEffect: {mode} must be one of {', '.join(MODE_NAMES)}, got {getattr(self, mode)!r}")
        for name, least in (("strength", -LARGEST), ("unit_distance", 0.0), ("linear_damp", 0.0), ("angular_damp", 0.0)):
            number("AreaEffect", name, getattr(self, name), least)
        if number("AreaEffect", "priority", self.priority) != int(self.priority) or abs(self.priority) > LARGEST_PRIORITY:
            raise ValueError(f"AreaEffect: priority must be a whole number of 32 bits, got {self.priority!r}")
        object.__setattr__(self, "gravity", tuple(vector("AreaEffect", "gravity", self.gravity, most=LARGEST).tolist()))
        if self.center is not None:
            object.__setattr__(self, "center", tuple(vector("AreaEffect", "center", self.center, most=FARTHEST).tolist()))


class Area(Handle):
    """An area of a space: the result of `Space.add_area`. Vectors are (3,). Any thread may call; a change takes effect at
    once, or at the end of the step that is running. Calls raise KeyError after the area was removed, ValueError for bad
    numbers."""

    __slots__ = ()

    @property
    def position(self) -> Floats:
        """World position of the origin [m], (3,). Can be assigned."""
        core = self._space.core
        row = core.bodies.rows[core.area.index("position", self._id)]
        arm = turned(row["rotation"].astype(np.float64), row["center_of_mass"].astype(np.float64))
        return read_only(np.asarray(row["position"] - arm))

    @position.setter
    def position(self, position: Vector) -> None:
        core, place = self._space.core, vector("position", "position", position, most=FARTHEST)
        row = core.bodies.rows[core.area.index("position", self._id)]

        def move() -> None:  # turned as it is then
            core.area.set_transform(self._id, twelve(basis_of(row["rotation"].astype(np.float64)), place))

        self._late("position", move)

    def move(self, position: Vector, rotation: Vector) -> None:
        """Put the origin to `position` [m] (3,) and turn the area to `rotation`, a unit quaternion (4,). Raises ValueError,
        KeyError."""
        turn = rotations("move", rotation, 1)[0]
        place = twelve(basis_of(turn), vector("move", "position", position, most=FARTHEST))
        self._late("move", lambda: self._space.core.area.set_transform(self._id, place))

    def _late(self, call: str, action: Callable[[], None]) -> None:
        """Do several edits as one: now, or at the end of the step that is running. Errors name `call`."""
        core = self._space.core
        core.area.index(call, self._id)

        def edit() -> None:
            with errors_of_call(call):
                action()

        core.late.run(self._id, edit)

    def overlaps(self) -> "list[Body | Area]":
        """The bodies and areas inside as of the last step, in the order of their rows. The area must `watch` for them."""
        with errors_of_call("overlaps"):
            found = self._space.core.area.overlaps(self._id)
        return [thing_of(self._space, identity) for identity in found]

    def watch(self, bodies: bool = True, areas: bool = False) -> None:
        """Choose whether the area sees bodies, and other areas. Switching it on reports everything inside again. Raises
        KeyError."""
        self._late("watch", lambda: self._space.core.area.set_monitoring(self._id, bodies=bodies, areas=areas))

    def set_visible(self, is_visible: bool) -> None:
        """Choose whether other areas see this one. Raises KeyError."""
        self._late("set_visible", lambda: self._space.core.area.set_monitorable(self._id, is_visible))

    def set_effect(self, effect: AreaEffect) -> None:
        """Set what the area does to gravity [m/s^2] and damping [1/s] inside. Raises TypeError, KeyError."""
        check_effect("set_effect", effect)
        given = {
            "priority": effect.priority, "gravity_mode": effect.gravity_mode, "linear_damp_mode": effect.damp_mode,
            "angular_damp_mode": effect.damp_mode, "linear_damp": effect.linear_damp, "angular_damp": effect.angular_damp,
            "is_point": effect.center is not None, "unit_distance": effect.unit_distance,
            "gravity": 1.0 if effect.center is None else effect.strength,
            "gravity_vector": effect.gravity if effect.center is None else effect.center,
        }  # fmt: skip

        def set_all() -> None:
            for name, value in given.items():
                self._space.core.area.set_param(self._id, name, value)

        self._late("set_effect", set_all)

    def remove(self) -> None:
        """Free the area. Raises KeyError."""
        core, table = self._space.core, self._space.world.shapes
        row = np.array([core.area.index("remove", self._id)])

        def remove() -> None:
            used = shapes_on(core, row)
            core.area.destroy(self._id)
            table.drop_all(used)

        self._late("remove", remove)


def check_effect(call: str, effect: object) -> None:
    """Raises TypeError for what is no effect."""
    if not isinstance(effect, AreaEffect):
        raise TypeError(f"{call}: an AreaEffect is wanted, got {effect!r}")


def thing_of(space: "Space", identity: int) -> "Body | Area":
    """The body or area with an id."""
    return Area(space, identity) if kind_of(identity) == KIND_AREA else space.body(identity)
