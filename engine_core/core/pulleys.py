"""The interface for pulleys: two bodies on a rope over two wheels.

    pulley = world.pulley.create(bucket, counterweight, (0, 0.5, 0), (0, 0.5, 0), (-1, 5, 0), (1, 5, 0), ratio=2.0)
    print(pulley.length, pulley.tension)

Call it on the thread that steps the bodies' system, between steps. Bad input raises ValueError (a value) or KeyError (an id),
naming the call and the value, and changes nothing.
"""

import math

import numpy as np

from ..bodies.schema import RIGID
from ..geometry.turning import turned
from ..runtime.recorded_calls import recorded
from ..solver.pulleys import PULLEY, begin_pulley, solve_pulley
from .listeners import ListeningConstraint
from .part import Part


class Pulley(ListeningConstraint):
    """A rope over two wheels. Made by `Space.add_pulley`, or by `pulley.create` of the core's World."""

    def __init__(self, world, system: int, record: np.ndarray):
        bodies = [int(identity) for identity in record[0]["ids"] if identity]
        super().__init__(world, system, bodies, record, begin_pulley, solve_pulley)
        self._wake_bodies()

    @property
    def length(self) -> float:
        """Length of the rope in the last sub-step, counted with the ratio [m]. Raises KeyError after the pulley, its space or one
        of its bodies was freed."""
        self._check_there("length")
        return float(self.row["length"])

    @property
    def tension(self) -> float:
        """Mean force that pulled A towards its wheel in the last step [N]; the force on B is ratio times that. Raises KeyError
        after the pulley, its space or one of its bodies was freed."""
        self._check_there("tension")
        row = self._world.system(self._system).row
        time = float(row["step"]["last_delta_time"]) / float(row["settings"]["substep_count"])
        return -float(self.row["total_impulse"]) / (time * float(row["settings"]["substep_count"])) if time > 0.0 else 0.0

    @recorded("Pulley")
    def set_length(self, shortest: float, longest: float) -> None:
        """Set limits of |A to its wheel| + ratio |B to its wheel| [m]; equal ones make a rod. Both bodies wake. Raises
        ValueError, KeyError."""
        self._check_there("set_length")
        if not 0.0 <= shortest <= longest < math.inf:
            raise ValueError(f"set_length: 0 <= shortest <= longest is wanted, got {shortest!r} and {longest!r}")
        self.row["shortest"], self.row["longest"] = shortest, longest
        self._wake_bodies()


def _point(name: str, value) -> np.ndarray:
    try:
        point = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        point = np.zeros(0)
    if point.shape != (3,) or not np.isfinite(point).all():
        raise ValueError(f"create_pulley: {name} must be three finite numbers, got {value!r}")
    return point


class PulleyInterface(Part):
    """The part of a `World` that handles pulleys."""

    @recorded("pulley")
    def create(
        self, body_a: int, body_b: int, point_a, point_b, fixed_a, fixed_b, ratio: float = 1.0, shortest: float = 0.0,
        longest: float | None = None,
    ) -> Pulley:  # fmt: skip
        """Hang two bodies on a rope: from `point_a` of A (its frame) over the wheels `fixed_a` and `fixed_b` (world) to `point_b`
        of B. |A to its wheel| + ratio |B to its wheel| stays between `shortest` and `longest` [m], by default its current value.
        A body of 0 is the world. Both bodies wake. Raises KeyError, ValueError."""
        record = np.zeros(1, dtype=PULLEY)
        row = record[0]
        if not 0.0 < ratio < math.inf:
            raise ValueError(f"create_pulley: ratio must be above 0 and finite, got {ratio!r}")
        row["ratio"], row["is_enabled"] = ratio, 1
        systems, lengths = set(), []
        for side, (body, point, fixed) in enumerate(((body_a, point_a, fixed_a), (body_b, point_b, fixed_b))):
            point, fixed = _point(f"point_{'ab'[side]}", point), _point(f"fixed_{'ab'[side]}", fixed)
            index = self._world.body.index("create_pulley", body) if body else -1
            row["bodies"][side], row["ids"][side] = index, body
            row["points"][side], row["fixed"][side] = point, fixed
            lengths.append(float(np.linalg.norm(self._world_point(index, point) - fixed)))
            if index >= 0 and int(self._bodies.rows[index]["mode"]) >= RIGID:
                systems.add(int(self._bodies.rows[index]["system"]))
        if len(systems) != 1 or -1 in systems:
            raise ValueError("create_pulley: the bodies must be in one space, and one of them rigid")
        row["length"] = lengths[0] + ratio * lengths[1]
        longest = float(row["length"]) if longest is None else longest
        if not 0.0 <= shortest <= longest < math.inf:
            raise ValueError(f"create_pulley: 0 <= shortest <= longest is wanted, got {shortest!r} and {longest!r}")
        row["shortest"], row["longest"] = shortest, longest
        return Pulley(self._world, int(self._systems.rows[systems.pop()]["id"]), record)

    def _world_point(self, index: int, point: np.ndarray) -> np.ndarray:
        """Convert a point from a body's frame (relative to its origin) to the world."""
        if index < 0:
            return point
        row = self._bodies.rows[index]
        arm, rotation = point - row["center_of_mass"], row["rotation"].astype(np.float64)
        return row["position"] + turned(rotation, arm)
