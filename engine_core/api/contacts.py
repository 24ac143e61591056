"""What steps tell as arrays: contacts, and what areas saw; and rules for how bodies of two classes meet."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine_core.api.arrays import Floats, Ints, Vector
from engine_core.collision.contact_schema import CONTACT_ADDED, CONTACT_PERSISTED, CONTACT_REMOVED
from engine_core.sensors.schema import ADDED


@dataclass(frozen=True, kw_only=True)
class ContactRule:
    """How bodies of two contact classes meet, for `World.set_contact_rule`.

    `ignore`: not at all. `sensor`: they are told, but do not push each other. `friction` 0 or more, `restitution` 0 to 1 (no
    units): instead of those of their materials. `surface_velocity` [m/s] (3,): how the surface of the first class runs, in
    its own frame. `inverse_mass_scale`: of either side, no unit; 0: it is not pushed. `platform_normal` (3,): up, in the
    frame of the first class: it carries what comes from there and lets the rest through. `validate`, `modify`: compiled
    functions, or their addresses, and `context`, a number that they are given: see docs/contacts.md."""

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


class ContactEvents:
    """What the last step told of contacts: n of them, each between a shape of one body and a shape of another; arrays with a
    row each. Copies. Its order does not depend on the number of threads. `rows` has it all (`CONTACT_EVENT`), for experts."""

    def __init__(self, rows: NDArray[Any]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def began(self) -> NDArray[np.bool_]:
        """Which contacts began in this step, (n,)."""
        return np.asarray(self.rows["kind"] == CONTACT_ADDED)

    @property
    def lasts(self) -> NDArray[np.bool_]:
        """Which were there before and still are, (n,); told where a body asks for "all"."""
        return np.asarray(self.rows["kind"] == CONTACT_PERSISTED)

    @property
    def ended(self) -> NDArray[np.bool_]:
        """Which ended, (n,); those have no points."""
        return np.asarray(self.rows["kind"] == CONTACT_REMOVED)

    @property
    def body_ids(self) -> Ints:
        """Ids of the two bodies, (n, 2)."""
        return np.stack([self.rows["body_a"], self.rows["body_b"]], axis=1)

    @property
    def shapes(self) -> Ints:
        """Numbers of the two shapes on their bodies, (n, 2)."""
        return np.stack([self.rows["shape_a"], self.rows["shape_b"]], axis=1).astype(np.int64)

    @property
    def normals(self) -> Floats:
        """Unit vectors from the first body to the second, world, (n, 3)."""
        return self.rows["normal"].astype(np.float64)

    @property
    def impulses(self) -> Floats:
        """What the contact did along the normal in this step, on all its points together [N s], (n,)."""
        return np.asarray(self.rows["normal_impulses"].sum(axis=1), np.float64)

    @property
    def friction_impulses(self) -> Floats:
        """What friction did to the second body in this step [N s], world axes, (n, 3)."""
        return self.rows["friction_impulse"].astype(np.float64)

    @property
    def approach_speeds(self) -> Floats:
        """How fast they came together before the step [m/s], (n,)."""
        return self.rows["approach_speed"].astype(np.float64)

    @property
    def point_counts(self) -> Ints:
        """How many of the points count, (n,), 0 to 4."""
        return self.rows["point_count"].astype(np.int64)

    @property
    def points(self) -> Floats:
        """Half-way between the surfaces, world [m], (n, 4, 3)."""
        return np.array(self.rows["points"])

    @property
    def depths(self) -> Floats:
        """How deep they lie in each other at the points [m], (n, 4); negative: still apart."""
        return self.rows["depths"].astype(np.float64)


class AreaEvents:
    """What the last step told of areas: n of them, each of a shape of an area and a shape of a body, or of another area.
    Copies. `rows` has it all (`AREA_EVENT`), for experts."""

    def __init__(self, rows: NDArray[Any]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def entered(self) -> NDArray[np.bool_]:
        """Which overlaps began, (n,); the others ended."""
        return np.asarray(self.rows["status"] == ADDED)

    @property
    def area_ids(self) -> Ints:
        """Ids of the areas that saw it, (n,)."""
        return np.array(self.rows["area_id"])

    @property
    def other_ids(self) -> Ints:
        """Ids of the bodies or areas that they saw, (n,)."""
        return np.array(self.rows["other_id"])

    @property
    def shapes(self) -> Ints:
        """Numbers of the shape of the area and of that of the other, (n, 2)."""
        return np.stack([self.rows["own_shape"], self.rows["other_shape"]], axis=1).astype(np.int64)
