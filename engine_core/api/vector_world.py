"""Many copies of one space, stepped side by side: for learning, search and Monte Carlo."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..collision.query_schema import RAY
from ..joints.schema import IS_CONNECTED, LINEAR_X, TWIST
from ..many_worlds.worlds import ManyWorlds, check_copied
from .arrays import Floats, Vectors, doubles, errors_of_call, number, rows
from .materials import Names

if TYPE_CHECKING:
    from .bodies import Bodies
    from .body import Body
    from .joint import Joint
    from .space import Space

Mask = NDArray[Any] | Sequence[bool] | None
MOST_WORLDS = 1 << 20
NAMES_OF_RAYS = "origins", "ends"


class VectorWorld:
    """`count` copies of a space, stepped by one call on several threads, as arrays.

        worlds = scree.VectorWorld(space, 1024, bodies=[cart, pole], joints=[rail, hinge])
        worlds.step(0.02, joint_forces=forces)     # (1024, 2) [N], [N m]
        worlds.states                              # (1024, 2, 13)
        worlds.reset(worlds.states[:, 0, 0] > 2.4)

    A copy begins as the space is now, and moves exactly, bit for bit, as the space itself would if it was given the same, on any
    number of threads and whatever happens in the other copies. `bodies`: those that the arrays are about, by default all of the
    space, in the order of their rows. `joints`: those that actions drive, of the kinds `Slider`, `Hinge` and `ConeTwist` (its
    twist), in the order of the arrays. `threads`: the number of threads, the calling one included; by default one for each
    physical core but one. `pairs`, `contacts`: the most pairs that a copy collides and the most contacts that it solves in a
    step; by default enough for all pairs of up to 33 bodies, and eight contacts for each body. A step that has more handles the
    deepest, and warns with `LimitReached`.

    The space must live as long as its copies (the object keeps it), and while there are copies its bodies, joints, shapes and
    contact rules must not be changed; it may be stepped. Vehicles, soft bodies, pulleys, water, functions of `on_step` and joints
    that break cannot be copied. One thread at a time calls. Raises ValueError, TypeError, KeyError."""

    __slots__ = ("_space", "_many", "_body_count", "_joint_count")

    def __init__(
        self, space: "Space", count: int, *, bodies: "Bodies | Sequence[Body] | None" = None, joints: "Sequence[Joint]" = (),
        threads: int | None = None, pairs: int | None = None, contacts: int | None = None,
    ) -> None:  # fmt: skip
        if whole("VectorWorld", "count", count) > MOST_WORLDS:
            raise ValueError(f"VectorWorld: count must be at most {MOST_WORLDS}, got {count}")
        for name, value in (("pairs", pairs), ("contacts", contacts), ("threads", threads)):
            if value is not None:
                whole("VectorWorld", name, value)
        core, call = space.core, "VectorWorld"
        core.system_index(call, space.id)
        system = core.system(space.id)
        with errors_of_call(call):
            check_copied(call, core, system)
        rows = self._body_rows(space, bodies)
        joint_rows, axes = self._joint_rows(space, joints)
        self._body_count, self._joint_count, self._space = len(rows), len(joint_rows), space
        with errors_of_call(call, thread_count="threads"):
            self._many = ManyWorlds(core, system, int(count), rows, joint_rows, axes, threads, pairs, contacts)

    @staticmethod
    def _body_rows(space: "Space", bodies: "Bodies | Sequence[Body] | None") -> list[int]:
        given = space.bodies if bodies is None else bodies
        for body in given:
            if body.space is not space:
                raise ValueError(f"VectorWorld: bodies must be of the space that is copied, got {body!r}")
        return [int(space.core.body.index("VectorWorld", body.id)) for body in given]

    @staticmethod
    def _joint_rows(space: "Space", joints: "Sequence[Joint]") -> tuple[list[int], list[int]]:
        rows, axes = [], []
        for joint in joints:
            row = int(space.core.joint.index("VectorWorld", joint.id))
            if joint._space is not space:
                raise ValueError(f"VectorWorld: joints must be of the space that is copied, got {joint!r}")
            if not int(space.core.joints.rows[row]["flags"]) & IS_CONNECTED:
                raise ValueError(f"VectorWorld: {joint!r} holds nothing any more: a body of it was removed")
            rows.append(row)
            axes.append(joint._axis("VectorWorld", "") if joint._main_axis else -1)
            if axes[-1] not in (LINEAR_X, TWIST):
                raise ValueError(f"VectorWorld: joints must be of the kinds Slider, Hinge or ConeTwist, got {joint!r}")
        return rows, axes

    def __len__(self) -> int:
        return self._many.count

    def __repr__(self) -> str:
        return f"<{len(self)} worlds of {self._body_count} bodies>"

    # What there is.

    @property
    def states(self) -> Floats:
        """All bodies of all worlds after the last step, (count, bodies, 13): position of the origin [m], quaternion x, y, z, w,
        velocity of the origin [m/s], angular velocity [rad/s], world axes. The same array after every call, which writes into it:
        copy what is to be kept. Writing into it moves nothing: see `set_states`."""
        return self._many.states

    @property
    def contact_impulses(self) -> NDArray[np.float32]:
        """How hard each body touched others in the last step, (count, bodies) [N s]: the sum of the normal impulses of its
        contacts; 0 for a body that touched nothing. The same array after every call, as `states`."""
        return self._many.impulses

    @property
    def joint_states(self) -> Floats:
        """Where the body of each of `joints` is now, against the other body, and how fast it moves, (count, joints, 2): [m] and
        [m/s] along the axis of a `Slider`, [rad], within -pi to pi, and [rad/s] about that of a `Hinge`. The same array after
        every call, as `states`."""
        return self._many.joint_states

    @property
    def bytes_each(self) -> int:
        """Memory of a world [byte]."""
        return self._many.byte_count

    def hashes(self) -> NDArray[np.int64]:
        """The hash of each world, (count,): equal worlds have equal hashes, and that of `Space.hash` if the space is equal."""
        return self._many.hashes()

    def cast_rays(self, origins: Vectors, ends: Vectors, *, body: "Body | None" = None, layers: Names | None = None) -> Floats:
        """How far rays go from `origins` to `ends` [m], (n, 3), until they hit a body, in each world: (count, n) [m], infinite
        without a hit. The rays are the same in all worlds, in the frame of `body`, a body of the space, which they do not hit, or
        in that of the world. `layers`: names of the layers to look at, by default all. Raises ValueError, KeyError."""
        call = "cast_rays"
        given = [np.atleast_2d(doubles(call, *one)) for one in zip(NAMES_OF_RAYS, (origins, ends), strict=True)]
        count = max(len(one) for one in given)
        first, last = (np.ascontiguousarray(rows(call, name, one, count)) for name, one in zip(NAMES_OF_RAYS, given, strict=True))
        space = self._space
        if body is not None and body.space is not space:
            raise ValueError(f"{call}: body must be of the space that was copied, got {body!r}")
        row = -1 if body is None else int(space.core.body.index(call, body.id))
        mask, hidden = space.world.layers.bits(call, layers), [] if body is None else [body.id]
        query, _alive = space.world.queries.query(call, RAY, mask, True, False, hidden)
        return self._many.cast_rays(query, row, first, last)

    # What is done.

    def step(
        self, seconds: float, steps: int = 1, *, joint_forces: Any = None, motor_velocities: Any = None, motor_forces: Any = None,
        forces: Any = None, torques: Any = None, mask: Mask = None,
    ) -> None:  # fmt: skip
        """Simulate each world `steps` times by `seconds` [s], with the same actions in each of these steps.

        Arrays of (count, joints), in the order of `joints`: `joint_forces` push the body of a `Slider` along its axis [N] or
        turn that of a `Hinge` about it [N m], and the other body the other way; `motor_velocities` [m/s], [rad/s] and
        `motor_forces`, at most [N], [N m], do what `Joint.set_motor` does, for a motor with the other number as it was. Arrays
        of (count, bodies, 3), world axes: `forces` [N] at the centres of mass, `torques` [N m]. A force or torque of 0 is none:
        it wakes nothing. `mask`: bool (count,), the worlds that are stepped, by default all. Returns when all are done; the GIL
        is released meanwhile. Raises ValueError."""
        call = "step"
        if not number(call, "seconds", seconds, 0.0) > 0.0:
            raise ValueError(f"{call}: seconds must be above 0, got {seconds}")
        whole(call, "steps", steps)
        of_joints, of_bodies = (len(self), self._joint_count), (len(self), self._body_count, 3)
        actions = {
            "joint_forces": self._numbers(call, "joint_forces", joint_forces, of_joints),
            "motor_velocities": self._numbers(call, "motor_velocities", motor_velocities, of_joints),
            "motor_forces": self._numbers(call, "motor_forces", motor_forces, of_joints, at_least_0=True),
            "forces": self._numbers(call, "forces", forces, of_bodies),
            "torques": self._numbers(call, "torques", torques, of_bodies),
        }
        self._many.step(float(seconds), int(steps), actions, self._mask(call, mask))

    def reset(self, mask: Mask = None) -> None:
        """Put worlds back to the space as it was when the copies were made: those of `mask`, bool (count,), by default all.
        Raises ValueError."""
        self._many.put(self._mask("reset", mask))

    def copy_world(self, source: int, mask: Mask = None) -> None:
        """Overwrite worlds, those of `mask`, bool (count,), by default all, by the world with the number `source` as it is now:
        to try many actions from one state. Raises ValueError."""
        if not 0 <= whole("copy_world", "source", source, 0) < len(self):
            raise ValueError(f"copy_world: source must be 0 to {len(self) - 1}, got {source}")
        self._many.put(self._mask("copy_world", mask), int(source))

    def set_states(self, states: Any, mask: Mask = None) -> None:
        """Move the bodies of the worlds of `mask`, bool (count,), by default all, to `states` as the property of this name gives
        them, (count, bodies, 13), or (bodies, 13) for all worlds. Places of joined bodies must fit their joints. Does what
        `Body.move` does, then sets `angular_velocity` and `velocity` of rigid bodies. Raises ValueError, also for quaternions
        that are not of unit length."""
        call, shape = "set_states", self.states.shape
        given = np.asarray(states, np.float64)
        if given.shape not in (shape, shape[1:]):
            raise ValueError(f"{call}: states must have the shape {shape} or {shape[1:]}, got {given.shape}")
        chosen = self._mask(call, mask)
        wanted = np.ascontiguousarray(np.broadcast_to(given, shape))
        used = wanted if chosen is None else wanted[chosen != 0]
        if not np.isfinite(used).all():
            raise ValueError(f"{call}: states must be finite")
        sizes = np.linalg.norm(used[..., 3:7], axis=-1)
        if (np.abs(sizes - 1.0) > 1e-3).any():
            raise ValueError(f"{call}: quaternions must be of unit length, got {used[np.abs(sizes - 1.0) > 1e-3][0, 3:7]}")
        self._many.set_states(wanted, chosen)

    def _mask(self, call: str, mask: Mask) -> NDArray[np.uint8] | None:
        if mask is None:
            return None
        given = np.asarray(mask)
        if given.shape != (len(self),) or given.dtype != bool:
            raise ValueError(f"{call}: mask must be bool of the shape ({len(self)},), got {given.dtype} {given.shape}")
        return np.ascontiguousarray(given).view(np.uint8)

    @staticmethod
    def _numbers(call: str, name: str, given: Any, shape: tuple[int, ...], at_least_0: bool = False) -> Floats | None:
        if given is None:
            return None
        values = np.ascontiguousarray(given, np.float64)
        if values.shape != shape:
            raise ValueError(f"{call}: {name} must have the shape {shape}, got {values.shape}")
        if at_least_0:
            if not (values >= 0.0).all():
                raise ValueError(f"{call}: {name} must be at least 0")
        elif not np.isfinite(values).all():
            raise ValueError(f"{call}: {name} must be finite; the first world with another number is {first_bad(values)}")
        return values


def first_bad(values: Floats) -> int:
    """The number of the first world with a number that is not finite."""
    return int(np.flatnonzero(~np.isfinite(values).reshape(len(values), -1).all(1))[0])


def whole(call: str, name: str, value: Any, least: int = 1) -> int:
    """A whole number of at least `least`. Raises TypeError, ValueError."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{call}: {name} must be a whole number, got {value!r}")
    if value < least:
        raise ValueError(f"{call}: {name} must be at least {least}, got {value}")
    return int(value)
