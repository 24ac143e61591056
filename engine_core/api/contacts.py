"""Events of steps as arrays, and rules for how bodies of two classes meet."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..collision.contact_schema import CONTACT_ADDED, CONTACT_PERSISTED, CONTACT_REMOVED
from ..sensors.schema import ADDED
from .arrays import Floats, Ints, Vector, keep_own, read_only


@dataclass(frozen=True, kw_only=True)
class ContactRule:
    """How bodies of two contact classes meet, for `World.set_contact_rule`.

    `ignore`: not at all. `sensor`: their contacts are reported, but they do not push each other. `friction`, 0 or more, and
    `restitution`, 0 to 1 (no units), replace those of their materials. `surface_velocity` [m/s] (3,): how the surface of
    bodies of the first class runs, in the frame of the body. `inverse_mass_scale`, no unit, for each side: a side with 0 is
    not pushed. `platform_normal` (3,): up, in the frame of bodies of the first class, which carry bodies from above and let
    them through from other sides. `validate`, `modify`: compiled functions or their addresses; `context`: a number that is
    passed to them. docs/contacts.md describes the functions."""

    ignore: bool = False
    sensor: bool = False
    friction: float | None = None
    restitution: float | None = None
    surface_velocity: Vector | None = None
    inverse_mass_scale: tuple[float, float] = (1.0, 1.0)
    platform_normal: Vector | None = None
    validate: Any = None
    modify: Any = None
    context: int = 0

    def __post_init__(self) -> None:
        keep_own(self)


class ContactEvents:
    """The contacts that the last step reported, as arrays with one row per contact, which is between a shape of one body and a
    shape of another. The arrays are copies; their order is the same for any number of threads. `rows` holds everything
    (`CONTACT_EVENT`), for experts."""

    def __init__(self, rows: NDArray[Any]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def began(self) -> NDArray[np.bool_]:
        """Whether each contact began in this step, (n,)."""
        return read_only(np.asarray(self.rows["kind"] == CONTACT_ADDED))

    @property
    def lasts(self) -> NDArray[np.bool_]:
        """Whether each contact was there before and still is, (n,). Such contacts are reported if a body asks for "all"."""
        return read_only(np.asarray(self.rows["kind"] == CONTACT_PERSISTED))

    @property
    def ended(self) -> NDArray[np.bool_]:
        """Whether each contact ended, (n,). Those that ended have no points."""
        return read_only(np.asarray(self.rows["kind"] == CONTACT_REMOVED))

    @property
    def body_ids(self) -> Ints:
        """Ids of the two bodies, (n, 2)."""
        return read_only(np.stack([self.rows["body_a"], self.rows["body_b"]], axis=1))

    @property
    def shapes(self) -> Ints:
        """Numbers of the two shapes on their bodies, (n, 2)."""
        return read_only(np.stack([self.rows["shape_a"], self.rows["shape_b"]], axis=1).astype(np.int64))

    @property
    def normals(self) -> Floats:
        """Unit vectors from the first body to the second, world axes, (n, 3)."""
        return read_only(self.rows["normal"].astype(np.float64))

    @property
    def impulses(self) -> Floats:
        """Impulses along the normals in this step, of all points together [N s], (n,)."""
        return read_only(np.asarray(self.rows["normal_impulses"].sum(axis=1), np.float64))

    @property
    def friction_impulses(self) -> Floats:
        """Impulses of friction on the second body in this step [N s], world axes, (n, 3)."""
        return read_only(self.rows["friction_impulse"].astype(np.float64))

    @property
    def approach_speeds(self) -> Floats:
        """Speeds at which the surfaces came together before the step [m/s], (n,)."""
        return read_only(self.rows["approach_speed"].astype(np.float64))

    @property
    def point_counts(self) -> Ints:
        """Numbers of valid points, (n,), 0 to 4."""
        return read_only(self.rows["point_count"].astype(np.int64))

    @property
    def points(self) -> Floats:
        """Points half-way between the surfaces, world [m], (n, 4, 3)."""
        return read_only(np.array(self.rows["points"]))

    @property
    def depths(self) -> Floats:
        """Depths of overlap at the points [m], (n, 4); negative for a gap."""
        return read_only(self.rows["depths"].astype(np.float64))


class AreaEvents:
    """The overlaps that the last step reported, as arrays with one row each: between a shape of an area and a shape of a body or
    another area. The arrays are copies. `rows` holds everything (`AREA_EVENT`), for experts."""

    def __init__(self, rows: NDArray[Any]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def entered(self) -> NDArray[np.bool_]:
        """Whether each overlap began, (n,); the others ended."""
        return read_only(np.asarray(self.rows["status"] == ADDED))

    @property
    def area_ids(self) -> Ints:
        """Ids of the areas, (n,)."""
        return read_only(np.array(self.rows["area_id"]))

    @property
    def other_ids(self) -> Ints:
        """Ids of the bodies or areas that entered or left them, (n,)."""
        return read_only(np.array(self.rows["other_id"]))

    @property
    def shapes(self) -> Ints:
        """Numbers of the shape of the area and of the shape of the other, (n, 2)."""
        return read_only(np.stack([self.rows["own_shape"], self.rows["other_shape"]], axis=1).astype(np.int64))
