"""The interface for water that carries bodies.

    lake = world.water.create(system, (0, 0, 0), (40, 6, 40), waves=[Wave(length=8.0, height=0.4)])
    print(lake.heights([(3, 0, 2)]), lake.floating_count)

Call it on the thread that steps the system, between steps. Bad input raises ValueError (a value) or KeyError (an id), naming the
call and the value, and changes nothing.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..bodies.schema import RIGID
from ..edit import body_placement
from ..geometry.turning import inverse, turned
from ..runtime.memory import address_of
from ..runtime.recorded_calls import recorded
from ..water.floating import float_bodies, heights_at
from ..water.schema import MOST_WAVES, WATER
from .listeners import ListeningConstraint
from .numbers import FASTEST, finite, number
from .part import Part

GRAVITY = 9.81
ALL_LAYERS = (1 << 32) - 1
SETTINGS = ("density", "drag", "damping", "spin_damping")


@dataclass(frozen=True)
class Wave:
    """One of the waves of a body of water. `direction`: along the water's x and z axes, of any length (2,). `length`: from crest
    to crest [m]; `height`: from trough to crest [m]; `speed` of the crests [m/s], by default that of waves in deep water,
    sqrt(g length / (2 pi)); `phase` [rad]. Raises ValueError."""

    direction: Sequence[float] = (1.0, 0.0)
    length: float = 10.0
    height: float = 0.5
    speed: float | None = None
    phase: float = 0.0

    def __post_init__(self) -> None:
        if math.hypot(*finite("Wave", "direction", self.direction, (2,))) < 1e-9:
            raise ValueError(f"Wave: direction must not be zero, got {self.direction!r}")
        number("Wave", "length", self.length, 0.0, is_above=True)
        number("Wave", "height", self.height, 0.0)
        finite("Wave", "phase", self.phase, ())
        if self.speed is not None:
            finite("Wave", "speed", self.speed, ())


class Water(ListeningConstraint):
    """Water in a box, whose upper side is its surface at rest. Made by `Space.add_water`, or by `water.create` of the core's
    World. Bodies that its waves reach do not fall asleep."""

    def __init__(self, world, system: int, record: np.ndarray):
        super().__init__(world, system, [], record, float_bodies)

    @recorded("Water")
    def place(self, position, size, rotation=(0.0, 0.0, 0.0, 1.0)) -> None:
        """Put the middle of the surface to `position`, world [m] (3,). `size`: x, depth and z [m] (3,). `rotation`: quaternion x,
        y, z, w (4,) of its axes, of which y is up. Bodies in it wake. Raises ValueError, KeyError."""
        self._check_there("place")
        at, edges = finite("place", "position", position, (3,)), finite("place", "size", size, (3,))
        row, turn = self.row, finite("place", "rotation", rotation, (4,))
        if (edges <= 0.0).any():
            raise ValueError(f"place: size must be above 0, got {size!r}")
        if np.linalg.norm(turn) < 1e-9:
            raise ValueError(f"place: rotation must not be zero, got {rotation!r}")
        self._wake()
        row["position"], row["rotation"] = at, turn / np.linalg.norm(turn)
        row["half_width"], row["depth"], row["half_length"] = 0.5 * edges[0], edges[1], 0.5 * edges[2]
        self._wake()

    @recorded("Water")
    def set(self, **settings: float) -> None:
        """Set `density` [kg/m^3], `drag` (coefficient, no unit: force 0.5 density drag area speed^2), `damping` and
        `spin_damping` [1/s]. Bodies in it wake. Raises ValueError, KeyError."""
        self._check_there("set")
        for name in settings:
            if name not in SETTINGS:
                raise ValueError(f"set: there is no setting {name}; there are {', '.join(SETTINGS)}")
        numbers = {name: number("set", name, value, 0.0) for name, value in settings.items()}
        for name, value in numbers.items():
            self.row[name] = value
        self._wake()

    @property
    def flow(self) -> np.ndarray:
        """Velocity of the water, world [m/s] (3,)."""
        return np.array(self.row["flow"])

    @flow.setter
    @recorded("Water")
    def flow(self, velocity) -> None:
        self._check_there("flow")
        self.row["flow"] = finite("flow", "flow", velocity, (3,), FASTEST)
        self._wake()

    @recorded("Water")
    def set_waves(self, waves: Sequence[Wave]) -> None:
        """Replace all waves, at most 8; they begin anew. Bodies in it wake. Raises ValueError, KeyError."""
        self._check_there("set_waves")
        if not isinstance(waves, Sequence) or len(waves) > MOST_WAVES or not all(isinstance(wave, Wave) for wave in waves):
            raise ValueError(f"set_waves: waves must be at most {MOST_WAVES} of Wave, got {waves!r}")
        gravity = self._gravity()
        for row, wave in zip(self.row["waves"], waves, strict=False):
            wave_number = 2.0 * math.pi / wave.length
            row["direction"] = np.asarray(wave.direction, np.float64) / math.hypot(*wave.direction)
            row["amplitude"], row["wave_number"], row["phase"] = 0.5 * wave.height, wave_number, wave.phase
            row["frequency"] = math.sqrt(gravity * wave_number) if wave.speed is None else wave_number * wave.speed
        self.row["wave_count"], self.row["time"] = len(waves), 0.0
        self._wake()

    def _gravity(self) -> float:
        own = float(self.row["gravity"])
        there = float(np.linalg.norm(self._world.system(self._system).row["settings"]["gravity"]))
        return own if own >= 0.0 else there or GRAVITY

    def heights(self, points) -> np.ndarray:
        """The height of the waves over points, world [m] (n, 3): how far the surface is above the surface at rest, along the
        water's up [m] (n,). Raises ValueError, KeyError."""
        self._check_there("heights")
        places = np.ascontiguousarray(finite("heights", "points", points, (-1, 3)))
        heights = np.zeros(len(places))
        heights_at(address_of(self._record), address_of(places), len(places), address_of(heights))
        return heights

    @property
    def floating_count(self) -> int:
        """How many awake bodies were in the water in the last step; no unit."""
        return int(self.row["floating_count"])

    @property
    def time(self) -> float:
        """For how long the waves have moved [s]."""
        return float(self.row["time"])

    @recorded("Water")
    def set_enabled(self, is_enabled: bool) -> None:
        """Switch it on or off. Bodies in it wake. Raises KeyError."""
        super().set_enabled(is_enabled)
        self._wake()

    @recorded("Water")
    def remove(self) -> None:
        """Take it out of its space; bodies in it wake. Raises KeyError the second time."""
        if self._listeners and self._world.has_system(self._system):
            self._wake()
        super().remove()

    def _wake(self) -> None:
        """Wake the bodies that sleep in the water."""
        row, bodies = self.row, self._world.bodies
        rows = bodies.rows[: bodies.count]
        sleeps = (rows["id"] > 0) & (rows["system"] == self._world.system_index("wake", self._system))
        sleeps &= (rows["mode"] >= RIGID) & (rows["active_index"] < 0)
        indices = np.flatnonzero(sleeps)
        away = np.broadcast_to(inverse(row["rotation"]), (len(indices), 4))
        at = turned(away, rows["position"][indices] - row["position"])
        reach = rows["extent"][indices] + float(row["waves"]["amplitude"][: row["wave_count"]].sum())
        is_near = (np.abs(at[:, 0]) <= row["half_width"] + reach) & (np.abs(at[:, 2]) <= row["half_length"] + reach)
        is_near &= (at[:, 1] <= reach) & (at[:, 1] >= -row["depth"] - reach)
        for index in indices[is_near]:
            body_placement.wake(self._world.address, int(index))


class WaterInterface(Part):
    """The part of a `World` that handles water."""

    @recorded("water")
    def create(
        self, system: int, position, size, rotation=(0.0, 0.0, 0.0, 1.0), layers: int = ALL_LAYERS, gravity: float | None = None,
        flow=(0.0, 0.0, 0.0), waves: Sequence[Wave] = (), **settings: float,
    ) -> Water:  # fmt: skip
        """Add water to a system. `layers`: bits of the collision layers whose bodies float; `gravity` [m/s^2], by default that of
        the system; the rest: see `Water`. Raises KeyError, ValueError."""
        self._world.system_index("create_water", system)
        record = np.zeros(1, dtype=WATER)
        row = record[0]
        row["density"], row["drag"], row["damping"], row["spin_damping"] = 1000.0, 0.5, 1.0, 1.0
        row["rotation"][3], row["layers"], row["is_enabled"] = 1.0, layers, 1
        row["gravity"] = -1.0 if gravity is None else number("create_water", "gravity", gravity, 0.0)
        water = Water(self._world, system, record)
        try:
            water.place(position, size, rotation)
            water.set(**settings)
            water.flow = flow
            water.set_waves(waves)
        except BaseException:
            water.remove()
            raise
        return water
