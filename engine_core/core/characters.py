"""The interface for characters: bodies that walk, climb steps, slide along walls and ride on moving ground.

    body = world.body.create()                                # kinematic, with convex shapes, in a system
    character = world.character.create(body, step_height=0.3)
    world.character.move(system, [character], (2.0, 0.0, 0.0), 1 / 60)    # wanted velocities [m/s], then the step
    world.step(system, 1 / 60)
    row = world.character.row("", character)
    print(row["position"], row["state"] & ON_FLOOR)

Moving is one compiled call for any number of characters; the call sends their bodies there, to arrive in the next step. Rows of
`characters/schema.py` hold settings, state and results. Call it on the thread that steps the system, between steps. Bad input
raises ValueError (a value) or KeyError (an id), naming the call and the value, and changes nothing.
"""

import math

import numpy as np

from ..batches.walking import move_characters
from ..bodies.identity import describe_id, index_of, make_id
from ..bodies.schema import KINEMATIC
from ..characters.schema import CHARACTER, FALLS, IS_PLACED, JUMPS, KEEPS_VELOCITY, MOVE, ON_FLOOR, TURNS
from ..collision.bounds_queries import query_bounds
from ..geometry.turning import inverse, turned
from ..runtime.memory import Pool, address_of
from ..shapes.traits import SURFACE
from .numbers import FASTEST, finite
from .part import Part
from .queries import install_queries

KIND_CHARACTER = 7
"""The kind in the ids of characters, after those of bodies/schema.py."""
MOST_CHARACTERS = 1 << 14
DEGREE = math.pi / 180.0

# Settings that are one number: default, least, most.
NUMBERS = {
    "step_height": (0.35, 0.0, 1e3),  # [m]
    "snap": (None, 0.0, 1e3),  # [m]; by default the step height, at least 0.1
    "max_slope": (45.0 * DEGREE, 0.0, 89.0 * DEGREE),  # [rad]
    "padding": (0.005, 0.001, 0.1),  # [m]
    "push_force": (500.0, 0.0, 1e9),  # [N]
    "mass": (70.0, 0.0, 1e9),  # [kg]
    "gravity_scale": (1.0, -1e6, 1e6),
}
SWITCHES = {"falls": (True, FALLS), "keeps_velocity": (True, KEEPS_VELOCITY), "turns": (True, TURNS)}
LEAST_SNAP = 0.1


class CharacterInterface(Part):
    """The part of a `World` that handles characters."""

    def __init__(self, world):
        super().__init__(world)
        self._pool: Pool | None = None
        self._count = 0
        self._free: list[int] = []
        self._sequences: dict[int, int] = {}
        self._made = 0
        self._move = np.zeros(1, MOVE)

    def index(self, call: str, identity: int) -> int:
        """Row of the character with this id. Raises KeyError for a removed or wrong id."""
        index = index_of(identity)
        if self._pool is None or index >= self._count or int(self._pool.rows[index]["id"]) != identity:
            raise KeyError(f"{call}: there is no character {describe_id(identity)}")
        return index

    def row(self, call: str, identity: int):
        """The row of CHARACTER of a character. Raises KeyError."""
        index = self.index(call, identity)
        return self._pool.rows[index]

    def rows_of(self, call: str, identities) -> np.ndarray:
        """The numbers of the rows of characters, int64 (n,). Raises KeyError."""
        ids = np.ascontiguousarray(identities, np.int64)
        numbers = index_of(ids)
        if not len(ids):
            return numbers
        known = numbers < self._count
        if self._pool is None or not known.all() or (self._pool.rows["id"][numbers] != ids).any():
            for identity in ids.tolist():
                self.index(call, identity)
        return numbers

    def ids_in(self, call: str, system: int) -> np.ndarray:
        """The ids of the characters of a system, int64 (n,), in the order in which they were made. Raises KeyError."""
        self._world.system_index(call, system)
        rows = self.all_rows[: self._count]
        mine = rows[(rows["id"] != 0) & (rows["system"] == system)]
        return mine["id"][np.argsort(mine["made"], kind="stable")]

    @property
    def all_rows(self) -> np.ndarray:
        """Rows of CHARACTER, one for each number."""
        return self._pool.rows if self._pool is not None else np.zeros(0, CHARACTER)

    def create(self, body: int, up=(0.0, 1.0, 0.0), **settings) -> int:
        """Make a character of a kinematic body in a system, whose convex shapes it gets. `settings`: names of NUMBERS and
        SWITCHES. Return its id. Raises KeyError, ValueError, PoolFull."""
        call = "create_character"
        index = self._world.body.index(call, body)
        row = self._bodies.rows[index]
        if int(row["mode"]) != KINEMATIC or int(row["system"]) < 0:
            raise ValueError(f"{call}: the body must be kinematic and in a space")
        self.check_shapes(call, body)
        for name, value in settings.items():
            self._check(call, name, value)
        direction = self._direction(call, up)
        snap = settings.get("snap")
        given = {name: number[0] for name, number in NUMBERS.items()} | {name: on for name, (on, _) in SWITCHES.items()}
        given |= {name: value for name, value in settings.items() if value is not None}
        given["snap"] = max(given["step_height"], LEAST_SNAP) if snap is None else snap
        number = self._take()
        made = self._pool.rows[number]
        sequence = self._sequences.get(number, 0) + 1
        self._sequences[number] = sequence
        made["body_id"], made["system"] = body, int(self._systems.rows[int(row["system"])]["id"])
        made["up"], made["flags"] = direction, IS_PLACED
        self._made += 1
        made["made"] = self._made
        made["id"] = identity = make_id(KIND_CHARACTER, number, sequence)
        for name, value in given.items():
            self._write(made, name, value)
        self._place(made, *self._pose(index))
        install_queries(self._world.system(int(made["system"])).row)
        return int(identity)

    def _take(self) -> int:
        if self._pool is None:
            self._pool = Pool("characters", CHARACTER, MOST_CHARACTERS)
        if self._free:
            number = self._free.pop()
        elif self._count < MOST_CHARACTERS:
            number, self._count = self._count, self._count + 1
        else:
            raise self._pool.full()
        self._pool.rows[number] = np.zeros((), CHARACTER)
        return number

    def check_shapes(self, call: str, body: int) -> None:
        """Raises ValueError unless the body has a shape, and only shapes that can be cast."""
        row = self._bodies.rows[self._world.body.index(call, body)]
        first, count = int(row["first_instance"]), int(row["instance_count"])
        instances = self._instances.rows[first : first + count]
        used = instances["shape"][(instances["shape"] >= 0) & (instances["is_disabled"] == 0)]
        if not len(used):
            raise ValueError(f"{call}: the body has no shape")
        if any(SURFACE >> int(self._shapes.rows[shape]["kind"]) & 1 for shape in used):
            raise ValueError(f"{call}: a character's shapes must be convex, not a plane, a mesh or a height field")

    @staticmethod
    def _direction(call: str, up) -> np.ndarray:
        direction = finite(call, "up", up, (3,))
        size = float(np.linalg.norm(direction))
        if size < 1e-6:
            raise ValueError(f"{call}: up must not be zero")
        return direction / size

    @staticmethod
    def _check(call: str, name: str, value) -> None:
        if name in SWITCHES:
            return
        if name not in NUMBERS:
            raise ValueError(f"{call}: there is no setting {name!r}")
        default, least, most = NUMBERS[name]
        if value is None and default is None:
            return
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not least <= number <= most:
            raise ValueError(f"{call}: {name} must be a number from {least:g} to {most:g}, got {value!r}")

    @staticmethod
    def _write(row, name: str, value) -> None:
        if name == "max_slope":
            row["slope"] = math.cos(float(value))
        elif name in NUMBERS:
            row[name] = float(value)
        elif value:
            row["flags"] |= np.uint32(SWITCHES[name][1])
        else:
            row["flags"] &= ~np.uint32(SWITCHES[name][1])

    def set(self, identity: int, name: str, value) -> None:
        """Set a setting: a name of NUMBERS or SWITCHES. Raises KeyError, ValueError."""
        row = self.row(name, identity)
        if value is None:
            raise ValueError(f"{name}: a value is wanted, got None")
        self._check(name, name, value)
        self._write(row, name, value)

    def get(self, identity: int, name: str):
        """A setting by its name. Raises KeyError."""
        row = self.row(name, identity)
        if name == "max_slope":
            return math.acos(min(max(float(row["slope"]), -1.0), 1.0))
        return bool(row["flags"] & SWITCHES[name][1]) if name in SWITCHES else float(row[name])

    def get_up(self, identity: int) -> np.ndarray:
        """The direction away from the ground. Raises KeyError."""
        return self.row("up", identity)["up"].copy()

    def set_up(self, identity: int, up) -> None:
        """Set the direction away from the ground. The character stands on nothing until it has moved. Raises KeyError,
        ValueError."""
        row = self.row("up", identity)
        row["up"] = self._direction("up", up)
        row["flags"] |= IS_PLACED

    def _pose(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        """Origin and rotation of a body."""
        body = self._bodies.rows[index]
        q, arm = body["rotation"].astype(np.float64), body["center_of_mass"].astype(np.float64)
        return body["position"] - turned(q, arm), q / np.linalg.norm(q)

    @staticmethod
    def _place(row, position, rotation) -> None:
        row["position"], row["rotation"] = position, rotation
        row["falling"] = row["velocity"] = row["real_velocity"] = 0.0
        row["flags"] |= IS_PLACED
        row["state"] &= ~np.uint32(ON_FLOOR)

    def place(self, identity: int, position, rotation=None) -> None:
        """Put a character elsewhere: its origin, world [m], and its rotation, a unit quaternion; None leaves it. It stands still
        in the air until it has moved; its body gets there with the next move. Raises KeyError, ValueError."""
        row = self.row("place", identity)
        place = finite("place", "position", position, (3,))
        turn = row["rotation"].copy() if rotation is None else finite("place", "rotation", rotation, (4,))
        size = float(np.linalg.norm(turn))
        if not 0.5 < size < 2.0:
            raise ValueError(f"place: rotation must be a unit quaternion, got {rotation!r}")
        self._place(row, place, turn / size)

    def teleport(self, identity: int, position, rotation) -> None:
        """`place` the character, and its body with it at once. Raises KeyError, ValueError."""
        self.place(identity, position, rotation)
        self._jump_body(self.row("place", identity))

    def _jump_body(self, row) -> None:
        """Put the body where its character is, at once: else it would get there in the next step, at a great velocity."""
        body = int(row["body_id"])
        self._world.body.teleport(body, row["position"].tolist(), row["rotation"].tolist())

    def lowest(self, row, shape: int) -> float:
        """How far a shape reaches against `up` from the character's origin [m], by its bounds. Raises KeyError."""
        bounds = self._shapes.rows["bounds"][self._world.shape.index("set_shape", shape)].astype(np.float64)
        own = turned(inverse(row["rotation"]), row["up"])
        low, high = bounds[:3], bounds[3:]
        return float(-0.5 * (low + high) @ own + 0.5 * (high - low) @ np.abs(own))

    def change_shape(self, identity: int, shape: int, queries) -> bool:
        """Give a character of one shape another one, its lowest point where it was. Return False, and change nothing, if it
        reaches higher and overlaps something. Raises KeyError, ValueError."""
        call = "set_shape"
        row = self.row(call, identity)
        body = int(row["body_id"])
        if self._world.body.shape_count(body) != 1:
            raise ValueError(f"{call}: the character's body must have one shape, it has {self._world.body.shape_count(body)}")
        if SURFACE >> int(self._shapes.rows["kind"][self._world.shape.index(call, shape)]) & 1:
            raise ValueError(f"{call}: a character's shape must be convex, not a plane, a mesh or a height field")
        old = self._world.body.shape(body, 0)
        way = row["up"] * (self.lowest(row, shape) - self.lowest(row, old))
        if way @ row["up"] > 0.0 and not self._has_room(row, shape, row["position"] + way, queries):
            return False
        self._world.body.set_shape(body, 0, shape)
        row["position"] += way
        row["place"] += turned(inverse(row["ground_rotation"]), way)
        self._jump_body(row)
        return True

    def _has_room(self, row, shape: int, position, queries) -> bool:
        body = int(row["body_id"])
        mask = int(self._bodies.rows["collision_mask"][self._world.body.index("set_shape", body)])
        basis = turned(row["rotation"][None], np.eye(3)).T  # its columns are the turned axes
        place = [*basis.ravel(), *position]
        return not len(queries.intersect_shape(int(row["system"]), shape, place, mask=mask, exclude=[body], max_results=1))

    def jump(self, identity: int, speed: float) -> None:
        """Have the next move begin with a jump at a speed along `up` [m/s], in the air too. Raises KeyError, and ValueError for a
        character that does not fall by itself."""
        row = self.row("jump", identity)
        if not row["flags"] & FALLS:
            raise ValueError("jump: the character does not fall by itself: give a wanted velocity along up")
        row["jump"] = finite("jump", "speed", [speed], (1,), FASTEST)[0]
        row["flags"] |= JUMPS

    def set_wanted(self, identity: int, velocity) -> None:
        """Set the wanted velocity of later moves [m/s]. Raises KeyError, ValueError."""
        self.row("wanted", identity)["wanted"] = finite("wanted", "velocity", velocity, (3,), FASTEST)

    def move(self, system: int, identities, wanted, seconds: float) -> None:
        """Move characters of a system by their wanted velocities, float64 (n, 3) or (3,) [m/s], for a time [s], one after the
        other; None: the wanted velocities of their rows. Those whose body was freed or is elsewhere stay. Raises KeyError,
        ValueError."""
        self.move_rows(system, self.rows_of("move", identities), wanted, seconds)

    def move_rows(self, system: int, rows: np.ndarray, wanted, seconds: float) -> None:
        """`move` by the numbers of rows, int64 (n,). Raises KeyError, ValueError."""
        self._world.system_index("move", system)
        if not 0.0 <= seconds < math.inf:
            raise ValueError(f"move: seconds must be at least 0 and finite, got {seconds!r}")
        numbers = np.ascontiguousarray(rows, np.int64)
        given = None
        if wanted is not None:
            try:
                given = np.asarray(wanted, np.float64)
            except (TypeError, ValueError):
                raise ValueError(f"move: wanted must be numbers, got {wanted!r}") from None
            if given.shape not in ((3,), (len(numbers), 3)):
                raise ValueError(f"move: wanted must be of shape ({len(numbers)}, 3) or (3,), got {given.shape}")
            if not np.isfinite(given).all() or (np.abs(given) > FASTEST).any():
                wrong = given[~(np.abs(given) <= FASTEST)].flat[0]
                raise ValueError(f"move: wanted must be finite and at most {FASTEST:g}, got {wrong} in it")
            given = np.ascontiguousarray(np.broadcast_to(given, (len(numbers), 3)))
        if not len(numbers):
            return
        owner = self._world.system(system)
        row = self._move[0]
        row["world"], row["system"], row["query_bounds"] = self._world.address, owner.address, query_bounds.address
        row["characters"], row["capacity"] = self._pool.address, self._pool.capacity
        row["rows"], row["count"] = address_of(numbers), len(numbers)
        row["wanted"], row["seconds"] = 0 if given is None else address_of(given), seconds
        if move_characters(address_of(self._move)):
            raise self._world.edits_full("move")

    def destroy(self, identity: int) -> None:
        """Free a character. Its body stays. Raises KeyError."""
        index = self.index("destroy", identity)
        self._pool.rows[index]["id"] = 0
        self._free.append(index)
