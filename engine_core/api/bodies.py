"""Many bodies at once: each property reads or writes all of them in one compiled call."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np
from numpy.typing import NDArray

from ..batches.adding import rows_of
from ..batches.editing import are_asleep, edit_bodies, free_bodies, origin_motions_of
from ..bodies.schema import RIGID
from ..core.numbers import FARTHEST, FASTEST
from ..edit import motion_edits
from ..edit.edit_table import Edit
from .arrays import Floats, Ints, Vector, Vectors, read_only, rotations, rows

if TYPE_CHECKING:
    from .body import Body
    from .space import Space


class Bodies:
    """Bodies of one space, in the order in which they were added: the result of `Space.add_rigid_many`, and `Space.bodies`.

        boxes = space.add_rigid_many(scree.Box(half_extents=(0.5, 0.5, 0.5)), positions)
        boxes.velocities += (0.0, 1.0, 0.0)
        high = boxes[boxes.positions[:, 1] > 2.0]

    An index gives a `Body`; a slice, a mask (n,) or an array of indices gives `Bodies`. Arrays that are read are copies:
    writing into one raises ValueError, `+=` on the property works, and `.copy()` gives one to work with. Positions are at most
    1e12 m, velocities 1e8 m/s and 1e8 rad/s along an axis. Any thread may call; a change takes effect at once, or at the end
    of the step that is running. Every call raises KeyError if one of the bodies was removed."""

    __slots__ = ("_ids", "_space")

    def __init__(self, space: "Space", ids: Ints) -> None:
        self._space, self._ids = space, np.ascontiguousarray(ids, np.int64)

    @property
    def space(self) -> "Space":
        """The space that the bodies were added to."""
        return self._space

    @property
    def ids(self) -> Ints:
        """The ids of the bodies, int64 (n,), as hits and contacts report them."""
        return read_only(self._ids.copy())

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> "Iterator[Body]":
        return (self._space.body(identity) for identity in self._ids.tolist())

    @overload
    def __getitem__(self, which: int) -> "Body": ...
    @overload
    def __getitem__(self, which: slice | NDArray[Any] | list[int]) -> "Bodies": ...
    def __getitem__(self, which: int | slice | NDArray[Any] | list[int]) -> "Body | Bodies":
        chosen = self._ids[which]
        return Bodies(self._space, chosen) if np.ndim(chosen) else self._space.body(int(chosen))

    def __repr__(self) -> str:
        return f"<{len(self)} bodies>"

    # What there is.

    def _rows(self, call: str) -> Ints:
        return cast(Ints, rows_of(self._space.core, call, self._ids))

    def field(self, call: str, name: str) -> NDArray[Any]:
        """Copy a field of the core's records of these bodies, (n,) or (n, k), in the units of `BODY`
        (`engine_core/bodies/schema.py`): for experts. Errors name `call`. Raises KeyError."""
        return np.asarray(self._space.core.bodies.rows[name][self._rows(call)])

    def _motions(self, call: str) -> tuple[Floats, Floats]:
        """(motions (n, 13) of the centres of mass, arms (n, 3) from the origins to them in world axes)."""
        return cast(tuple[Floats, Floats], origin_motions_of(self._space.core, call, self._ids))

    @property
    def positions(self) -> Floats:
        """World positions of the origins [m], (n, 3). Assigning moves the bodies there, and leaves how they are turned; (3,)
        moves all of them to one place. Kinematic bodies arrive in the next step."""
        motions, arms = self._motions("positions")
        return read_only(motions[:, :3] - arms)

    @positions.setter
    def positions(self, positions: Vectors) -> None:
        places = rows("positions", "positions", positions, len(self), most=FARTHEST)
        edit_bodies(self._space.core, "positions", self._ids, motion_edits.set_origin, places)

    @property
    def rotations(self) -> Floats:
        """Unit quaternions x, y, z, w, (n, 4). Assigning turns the bodies about their origins, which stay where they are or
        are on their way to."""
        return read_only(self._motions("rotations")[0][:, 3:7])

    @rotations.setter
    def rotations(self, quaternions: Vectors) -> None:
        turns = rotations("rotations", quaternions, len(self), "rotations")
        edit_bodies(self._space.core, "rotations", self._ids, motion_edits.set_rotation, turns)

    @property
    def velocities(self) -> Floats:
        """World velocities of the origins [m/s], (n, 3). Assigning (3,) gives all bodies the same; only rigid bodies accept
        one."""
        motions, arms = self._motions("velocities")
        return read_only(motions[:, 7:10] - np.cross(motions[:, 10:13], arms))

    @velocities.setter
    def velocities(self, velocities: Vectors) -> None:
        self._give("velocities", motion_edits.set_linear_velocity, velocities, rigid=True)

    @property
    def angular_velocities(self) -> Floats:
        """Angular velocities, world axes [rad/s], (n, 3). Assigning leaves the velocities of the centres of mass as they are;
        only rigid bodies accept one."""
        return read_only(self._motions("angular_velocities")[0][:, 10:13])

    @angular_velocities.setter
    def angular_velocities(self, velocities: Vectors) -> None:
        self._give("angular_velocities", motion_edits.set_angular_velocity, velocities, rigid=True)

    @property
    def centers_of_mass(self) -> Floats:
        """World positions of the centres of mass [m], (n, 3)."""
        return read_only(self._motions("centers_of_mass")[0][:, :3])

    @property
    def masses(self) -> Floats:
        """Masses [kg], (n,)."""
        return read_only(self.field("masses", "mass").astype(np.float64))

    @property
    def is_asleep(self) -> NDArray[np.bool_]:
        """Whether each body sleeps, (n,): it costs nothing until something touches it."""
        return read_only(np.asarray(are_asleep(self._space.core, "is_asleep", self._ids)))

    # What is done to them.

    def _give(self, call: str, edit: Edit, *vectors: Any, rigid: bool = False) -> None:
        most = FASTEST if edit in (motion_edits.set_linear_velocity, motion_edits.set_angular_velocity) else math.inf
        checked = [rows(call, call, vector, len(self), most=most) for vector in vectors]
        if rigid and (self.field(call, "mode") < RIGID).any():
            raise ValueError(f"{call}: only rigid bodies have a velocity of their own; see surface_velocity and move")
        edit_bodies(self._space.core, call, self._ids, edit, np.concatenate(checked, axis=1))

    def move(self, positions: Vectors, quaternions: Vectors) -> None:
        """Put the origins to `positions` [m] (n, 3) and turn the bodies to `quaternions` x, y, z, w (n, 4); velocities do not
        change. Kinematic bodies arrive in the next step, at the velocity which that takes. Raises ValueError, KeyError,
        PoolFull."""
        places = rows("move", "positions", positions, len(self), most=FARTHEST)
        given = places, rotations("move", quaternions, len(self), "quaternions")
        edit_bodies(self._space.core, "move", self._ids, motion_edits.set_pose, np.concatenate(given, axis=1))

    def apply_impulses(self, impulses: Vectors, offsets: Vectors | None = None) -> None:
        """Apply impulses [N s] (n, 3), world axes, at the centres of mass, or at `offsets` [m] (n, 3) from the origins, world
        axes. Velocities change at once; bodies that are not rigid ignore it. Raises ValueError, KeyError, PoolFull."""
        if offsets is None:
            self._give("apply_impulses", motion_edits.apply_central_impulse, impulses)
        else:
            self._give("apply_impulses", motion_edits.apply_impulse, impulses, offsets)

    def apply_torque_impulses(self, impulses: Vectors) -> None:
        """Apply angular impulses [N m s] (n, 3), world axes. Raises ValueError, KeyError, PoolFull."""
        self._give("apply_torque_impulses", motion_edits.apply_torque_impulse, impulses)

    def apply_forces(self, forces: Vectors, offsets: Vectors | None = None) -> None:
        """Apply forces [N] (n, 3), world axes, during the next step, at the centres of mass, or at `offsets` [m] (n, 3) from
        the origins. Raises ValueError, KeyError, PoolFull."""
        if offsets is None:
            self._give("apply_forces", motion_edits.apply_central_force, forces)
        else:
            self._give("apply_forces", motion_edits.apply_force, forces, offsets)

    def apply_torques(self, torques: Vectors) -> None:
        """Apply torques [N m] (n, 3), world axes, during the next step. Raises ValueError, KeyError, PoolFull."""
        self._give("apply_torques", motion_edits.apply_torque, torques)

    def set_constant_forces(self, forces: Vectors, torques: Vector | Vectors = (0.0, 0.0, 0.0)) -> None:
        """Apply forces [N] and torques [N m], (n, 3) each, world axes, in every step from now on. Raises ValueError,
        KeyError, PoolFull."""
        self._give("set_constant_forces", motion_edits.set_constant_force, forces)
        self._give("set_constant_forces", motion_edits.set_constant_torque, torques)

    def wake(self) -> None:
        """Wake the bodies, and all bodies that sleep with them. Raises KeyError."""
        edit_bodies(self._space.core, "wake", self._ids, motion_edits.set_sleeping, np.zeros((len(self), 1)))

    def sleep(self) -> None:
        """Put the bodies to sleep; their velocities become zero. Raises KeyError."""
        edit_bodies(self._space.core, "sleep", self._ids, motion_edits.set_sleeping, np.ones((len(self), 1)))

    def remove(self) -> None:
        """Free the bodies; bodies that lay on them wake. Their ids are stale from now on. Raises KeyError."""
        free_bodies(self._space.core, self._ids, self._space.world.shapes.drop_all)
