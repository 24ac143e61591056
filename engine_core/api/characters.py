"""Characters: bodies that walk, climb steps, slide along walls, ride on moving ground and push what is in their way."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from ..bodies.schema import KINEMATIC
from ..characters.schema import HAS_LANDED, HAS_LEFT, HAS_STEPPED, IS_STUCK, ON_CEILING, ON_FLOOR, ON_WALL, SLIDES_DOWN
from ..core.numbers import FARTHEST, FASTEST
from .arrays import (
    NO_TURN, Floats, Ints, Vector, Vectors, errors_of_call, number, read_only, rotations, rows, vector,
)  # fmt: skip
from .body import Body
from .handle import Handle
from .new_bodies import DEFAULT_MATERIAL
from .shapes import Shape

if TYPE_CHECKING:
    from .space import Space
    from .world import World

ZERO, UPRIGHT = (0.0, 0.0, 0.0), (0.0, 1.0, 0.0)
DEGREE = float(np.pi / 180.0)


class Character(Handle):
    """A character of a space: the result of `Space.add_character`. Two handles of one character are equal.

        hero = space.add_character(scree.Capsule(radius=0.3, height=1.8), position=(0, 0.9, 0))
        hero.move((2, 0, 0), 1 / 60)
        space.step(1 / 60)
        print(hero.position, hero.on_floor)

    A move takes a wanted velocity and happens before the step, in which its kinematic body arrives. What a property tells is
    as of the last move. Vectors are (3,), in world axes; values that are read are copies. The thread that steps calls the
    methods and assigns the properties, between steps. Every call raises KeyError after the character or its body was removed
    and ValueError for bad numbers, naming the call and the value."""

    __slots__ = ()

    def _row(self, call: str) -> Any:
        return self._space.core.character.row(call, self._id)

    def _read(self, name: str, field: str = "") -> Floats:
        return read_only(self._row(name)[field or name].copy())

    def _has(self, name: str, state: int) -> bool:
        return bool(self._row(name)["state"] & state)

    def _set(self, name: str, value: Any) -> None:
        with errors_of_call(name):
            self._space.core.character.set(self._id, name, value)

    def _get(self, name: str) -> Any:
        return self._space.core.character.get(self._id, name)

    @property
    def exists(self) -> bool:
        """Whether neither the character nor its body was removed yet."""
        try:
            return self.body.exists
        except KeyError:
            return False

    @property
    def body(self) -> Body:
        """The kinematic body, which rays, areas and other bodies meet."""
        return self._space.body(int(self._row("body")["body_id"]))

    # Motion.

    def move(self, wanted_velocity: Vector, seconds: float) -> None:
        """Move by a wanted velocity [m/s] (3,) for a time [s]: relative to the ground on a floor, else to the world. With
        `falls` only its part across `up` counts. `Space.move_characters` moves many in one call. Raises ValueError, KeyError."""
        wanted = vector("move", "wanted_velocity", wanted_velocity, most=FASTEST)
        with errors_of_call("move"):
            self._space.core.character.move(self._space.id, [self._id], wanted, number("move", "seconds", seconds, 0.0))

    def jump(self, speed: float) -> None:
        """Have the next move begin with a jump at `speed` [m/s] along `up`, also in the air; it reaches speed^2 / 2 g. The
        velocity of moving ground is added. Raises ValueError for a character that does not fall by itself; KeyError."""
        with errors_of_call("jump"):
            self._space.core.character.jump(self._id, number("jump", "speed", speed))

    @property
    def position(self) -> Floats:
        """World position of the origin of the shape [m], (3,). Assigning it is a jump: the character has no velocity there."""
        return self._read("position")

    @position.setter
    def position(self, position: Vector) -> None:
        place = vector("position", "position", position, most=FARTHEST)
        self._space.core.character.teleport(self._id, place, self._row("position")["rotation"].copy())

    @property
    def rotation(self) -> Floats:
        """Unit quaternion x, y, z, w, (4,). Can be assigned; moving ground turns it about `up` if it `turns`."""
        return self._read("rotation")

    @rotation.setter
    def rotation(self, rotation: Vector) -> None:
        row = self._row("rotation")
        row["rotation"] = rotations("rotation", rotation, 1)[0]

    @property
    def velocity(self) -> Floats:
        """The velocity that walls, floors and ceilings left [m/s], (3,): relative to the ground on a floor, else to the
        world."""
        return self._read("velocity")

    @property
    def real_velocity(self) -> Floats:
        """Way of the last move over its time [m/s], (3,): with steps and the motion of the ground."""
        return self._read("real_velocity")

    @property
    def falling_velocity(self) -> Floats:
        """The part of the velocity in the air that gravity, jumps and left ground gave [m/s], (3,). Assign it to throw the
        character; on a floor it is lost."""
        return self._read("falling_velocity", "falling")

    @falling_velocity.setter
    def falling_velocity(self, velocity: Vector) -> None:
        row = self._row("falling_velocity")
        row["falling"] = vector("falling_velocity", "falling_velocity", velocity, most=FASTEST)

    # What the last move met.

    @property
    def on_floor(self) -> bool:
        """Whether the character stands on something no steeper than `max_slope`, or on an edge under its axis."""
        return self._has("on_floor", ON_FLOOR)

    @property
    def on_wall(self) -> bool:
        """Whether a wall, or something too steep to stand on, stopped a part of the last move."""
        return self._has("on_wall", ON_WALL)

    @property
    def on_ceiling(self) -> bool:
        """Whether a ceiling stopped a part of the last move."""
        return self._has("on_ceiling", ON_CEILING)

    @property
    def slides_down(self) -> bool:
        """Whether the character touched ground too steep to stand on, and slides down."""
        return self._has("slides_down", SLIDES_DOWN) and not self.on_floor

    @property
    def has_landed(self) -> bool:
        """Whether the character came to a floor out of the air in the last move."""
        return self._has("has_landed", HAS_LANDED)

    @property
    def has_left(self) -> bool:
        """Whether the character left the floor in the last move: by a jump, or over an edge."""
        return self._has("has_left", HAS_LEFT)

    @property
    def has_stepped(self) -> bool:
        """Whether the character climbed a step in the last move; `step_up` [m] says how far."""
        return self._has("has_stepped", HAS_STEPPED)

    @property
    def is_stuck(self) -> bool:
        """Whether the character overlaps something that it could not get out of, as between closing walls."""
        return self._has("is_stuck", IS_STUCK)

    @property
    def step_up(self) -> float:
        """How far steps lifted the character in the last move [m], for a camera that follows smoothly."""
        return float(self._row("step_up")["step_up"])

    @property
    def turned(self) -> float:
        """How far the ground turned the character about `up` in the last move [rad]."""
        return float(self._row("turned")["turned"])

    @property
    def floor_normal(self) -> Floats:
        """Unit normal of the floor, (3,), no unit; zero in the air."""
        return self._read("floor_normal")

    @property
    def floor_point(self) -> Floats:
        """The place where the floor was touched, world [m], (3,). Only with `on_floor`."""
        return self._read("floor_point")

    @property
    def wall_normal(self) -> Floats:
        """Unit normal of the last wall that the last move met, (3,), no unit; zero if there was none."""
        return self._read("wall_normal")

    @property
    def ground_velocity(self) -> Floats:
        """Velocity of the floor under the character [m/s], (3,), with that of a running surface; zero in the air."""
        return self._read("ground_velocity")

    @property
    def standing_on(self) -> Body | None:
        """The body that the character stands on; None in the air."""
        identity = int(self._row("standing_on")["ground_id"])
        return self._space.body(identity) if identity else None

    @property
    def wall(self) -> Body | None:
        """The body of the last wall that the last move met, or None."""
        identity = int(self._row("wall")["wall_id"])
        return self._space.body(identity) if identity else None

    # Shape.

    @property
    def shape(self) -> Shape | None:
        """The shape of the character; None for one that an expert made through the core."""
        return self.body.shapes[0]

    def set_shape(self, shape: Shape) -> bool:
        """Give the character another convex shape, to crouch or to stand up; its lowest point stays where it is. Returns
        False, and changes nothing, if a taller shape has no room. Raises ValueError, KeyError, PoolFull."""
        call, core, table = "set_shape", self._space.core, self._space.world.shapes
        core.body.index(call, self.body.id)
        identity = table.take(shape, 1, call)
        with table.given_back_unless_done([identity]), errors_of_call(call):
            old = core.body.shape(self.body.id, 0)
            if not core.character.change_shape(self._id, identity, self._space.queries):
                table.drop_ids([identity])
                return False
        table.drop(core.shape.index(call, old))
        return True

    # Settings.

    @property
    def up(self) -> Floats:
        """Direction away from the ground, a unit vector, (3,), no unit. Can be assigned: then the character is in the air until
        it has moved."""
        return self._read("up")

    @up.setter
    def up(self, up: Vector) -> None:
        with errors_of_call("up"):
            self._space.core.character.set_up(self._id, vector("up", "up", up))

    @property
    def step_height(self) -> float:
        """The highest step that it climbs [m]; 0: none. Can be assigned."""
        return float(self._get("step_height"))

    @step_height.setter
    def step_height(self, height: float) -> None:
        self._set("step_height", height)

    @property
    def snap(self) -> float:
        """How far down the character follows a floor that falls away, as stairs do [m]. Can be assigned."""
        return float(self._get("snap"))

    @snap.setter
    def snap(self, snap: float) -> None:
        self._set("snap", snap)

    @property
    def max_slope(self) -> float:
        """The steepest slope to stand on [rad]. Can be assigned."""
        return float(self._get("max_slope"))

    @max_slope.setter
    def max_slope(self, angle: float) -> None:
        self._set("max_slope", angle)

    @property
    def padding(self) -> float:
        """Distance that the character keeps from everything [m]. Can be assigned."""
        return float(self._get("padding"))

    @padding.setter
    def padding(self, padding: float) -> None:
        self._set("padding", padding)

    @property
    def push_force(self) -> float:
        """The largest force on rigid bodies in its way [N]; 0: it does not push. Can be assigned."""
        return float(self._get("push_force"))

    @push_force.setter
    def push_force(self, force: float) -> None:
        self._set("push_force", force)

    @property
    def mass(self) -> float:
        """Its weight presses on the rigid body that it stands on [kg]; 0: it has none. Can be assigned."""
        return float(self._get("mass"))

    @mass.setter
    def mass(self, mass: float) -> None:
        self._set("mass", mass)

    @property
    def gravity_scale(self) -> float:
        """How many times gravity acts on the character; no unit. Can be assigned."""
        return float(self._get("gravity_scale"))

    @gravity_scale.setter
    def gravity_scale(self, scale: float) -> None:
        self._set("gravity_scale", scale)

    @property
    def falls(self) -> bool:
        """Whether gravity and jumps are the character's business, and not part of the wanted velocity. Can be assigned."""
        return bool(self._get("falls"))

    @falls.setter
    def falls(self, falls: bool) -> None:
        self._set("falls", falls)

    @property
    def keeps_velocity(self) -> bool:
        """Whether the velocity of moving ground is kept when it is left. Can be assigned."""
        return bool(self._get("keeps_velocity"))

    @keeps_velocity.setter
    def keeps_velocity(self, keeps: bool) -> None:
        self._set("keeps_velocity", keeps)

    @property
    def turns(self) -> bool:
        """Whether the character turns with the ground that it stands on. Can be assigned."""
        return bool(self._get("turns"))

    @turns.setter
    def turns(self, turns: bool) -> None:
        self._set("turns", turns)

    def remove(self) -> None:
        """Free the character and its body. Raises KeyError."""
        body = self.body
        self._space.core.character.destroy(self._id)
        if body.exists:
            body.remove()


class Characters:
    """Characters of one space, in the order in which they were added: `Space.characters`. An index gives a `Character`; a
    slice, a mask (n,) or an array of indices gives `Characters`. Each property reads all of them at once, as copies, as of the
    last move. The thread that steps calls this, between steps. Every call raises KeyError if one was removed. No
    quantities."""

    __slots__ = ("_ids", "_space")

    def __init__(self, space: "Space", ids: Ints) -> None:
        self._space, self._ids = space, np.ascontiguousarray(ids, np.int64)

    @property
    def ids(self) -> Ints:
        """The ids of the characters, int64 (n,)."""
        return read_only(self._ids.copy())

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[Character]:
        return (Character(self._space, identity) for identity in self._ids.tolist())

    @overload
    def __getitem__(self, which: int) -> Character: ...
    @overload
    def __getitem__(self, which: slice | NDArray[Any] | list[int]) -> "Characters": ...
    def __getitem__(self, which: int | slice | NDArray[Any] | list[int]) -> "Character | Characters":
        chosen = self._ids[which]
        return Characters(self._space, chosen) if np.ndim(chosen) else Character(self._space, int(chosen))

    def __repr__(self) -> str:
        return f"<{len(self)} characters>"

    def field(self, call: str, name: str) -> NDArray[Any]:
        """Copy a field of the core's records of these characters, (n,) or (n, k), in the units of `CHARACTER`
        (`engine_core/characters/schema.py`): for experts. Errors name `call`. Raises KeyError."""
        core = self._space.core.character
        return np.asarray(core.all_rows[name][core.rows_of(call, self._ids)])

    @property
    def positions(self) -> Floats:
        """World positions of the origins of their shapes [m], (n, 3)."""
        return read_only(self.field("positions", "position"))

    @property
    def velocities(self) -> Floats:
        """The velocities that the last move left [m/s], (n, 3): relative to the ground on a floor."""
        return read_only(self.field("velocities", "velocity"))

    @property
    def floor_normals(self) -> Floats:
        """Unit normals of the floors, (n, 3), no unit; zero in the air."""
        return read_only(self.field("floor_normals", "floor_normal"))

    @property
    def on_floor(self) -> NDArray[np.bool_]:
        """Whether each stands on a floor, (n,)."""
        return read_only(self.field("on_floor", "state") & np.uint32(ON_FLOOR) != 0)

    @property
    def on_wall(self) -> NDArray[np.bool_]:
        """Whether a wall stopped a part of each one's move, (n,)."""
        return read_only(self.field("on_wall", "state") & np.uint32(ON_WALL) != 0)

    def move(self, wanted_velocities: Vectors, seconds: float) -> None:
        """Move all by wanted velocities [m/s] (n, 3), or one for all (3,), for a time [s], one after the other, in one compiled
        call. Raises ValueError, KeyError, PoolFull."""
        core, call = self._space.core.character, "move_characters"
        given = rows(call, "wanted_velocities", wanted_velocities, len(self), most=FASTEST)
        with errors_of_call(call):
            core.move_rows(self._space.id, core.rows_of(call, self._ids), given, number(call, "seconds", seconds, 0.0))


class SpaceCharacters:
    """The part of a `Space` that makes and moves characters."""

    __slots__ = ()
    _id: int
    _world: "World"

    def add_character(
        self, shape: Shape, position: Vector = ZERO, rotation: Vector = NO_TURN, *, up: Vector = UPRIGHT,
        step_height: float = 0.35, snap: float | None = None, max_slope: float = 45.0 * DEGREE, padding: float = 0.005,
        push_force: float = 500.0, mass: float = 70.0, gravity_scale: float = 1.0, falls: bool = True,
        keeps_velocity: bool = True, turns: bool = True, layer: str | None = None,
    ) -> Character:  # fmt: skip
        """Add a character with a convex shape, a capsule for example, at `position`, world [m] (3,), with `rotation`, a unit
        quaternion (4,). `up`: direction away from the ground (3,). `step_height`: the highest step that it climbs [m].
        `snap`: how far down it follows a floor that falls away [m], by default the step height, at least 0.1. `max_slope`:
        the steepest slope to stand on [rad]. `padding`: distance to everything [m]. `push_force`: the largest force on rigid
        bodies in its way [N]. `mass`: presses on rigid bodies under it [kg]. `falls`: gravity, `gravity_scale` times, acts on
        it, and `Character.jump` works; else the wanted velocity holds both. `keeps_velocity`, `turns`: it takes the velocity
        of moving ground along when it leaves, and turns with it. `layer`: a name of the world's `Layers`. The thread that
        steps calls this, between steps. Raises ValueError, KeyError, PoolFull; then there is no character."""
        space: Any = self
        call = "add_character"
        made = space._add(KINEMATIC, call, shape, position, rotation, material=DEFAULT_MATERIAL, layer=layer)
        settings = {
            "step_height": step_height, "snap": snap, "max_slope": max_slope, "padding": padding, "push_force": push_force,
            "mass": mass, "gravity_scale": gravity_scale, "falls": falls, "keeps_velocity": keeps_velocity, "turns": turns,
        }  # fmt: skip
        try:
            with errors_of_call(call):
                return Character(space, self._world.core.character.create(int(made.ids[0]), up, **settings))
        except BaseException:
            made.remove()
            raise

    @property
    def characters(self) -> Characters:
        """All characters of the space, in the order in which they were added."""
        space: Any = self
        return Characters(space, self._world.core.character.ids_in("characters", self._id))

    def move_characters(
        self, wanted_velocities: Vectors, seconds: float, characters: "Characters | Iterable[Character] | None" = None
    ) -> None:
        """Move many characters by wanted velocities [m/s] (n, 3), or one for all (3,), for a time [s], one after the other, in
        one compiled call before the step: by default all of the space, in the order in which they were added. The thread that
        steps calls this, between steps. Raises ValueError, KeyError, PoolFull."""
        space: Any = self
        if characters is None:
            chosen = self.characters
        elif isinstance(characters, Characters):
            chosen = characters
        else:
            chosen = Characters(space, np.array([one.id for one in characters], np.int64))
        if chosen._space is not space:
            raise ValueError("move_characters: the characters belong to another space")
        chosen.move(wanted_velocities, seconds)
