"""Drawings of a system: flat arrays of all that a debug view shows, from one compiled pass.

drawing = world.drawing.draw(system, SHAPES | CONTACTS, around=(0, 0, 0), distance=50.0)
drawing.rows(BOXES)  # float32 (n, 16)
"""

import threading
import time

import numpy as np

from ..bodies.schema import MOST_BROAD_PHASE_LAYERS
from ..drawing.colours import PALETTE
from ..drawing.gathering import gather
from ..drawing.schema import CAPSULES, DRAW_REQUEST, EVERYTHING, KINDS, LINES, MESHES, ROW_BITS, ROW_FLOATS
from ..drawing.wires import UNIT_WIRES, capsule_wires, placed_wires, shape_wire
from ..runtime.memory import address_of
from .queries import ALL_LAYERS
from .snapshot import PAUSE, visit_trees

FIRST_ROOM = 256
USUAL_FORCE_SCALE = 0.02
"""A force of 50 N is drawn 1 m long [m/N]."""
UNLIMITED = 1.0e9
"""A distance that reaches everything [m]."""


class Drawing:
    """A space as it was at one moment, in rows. Its arrays are its own and stay as they are."""

    def __init__(self, arrays: list[np.ndarray], counts: list[int], keys: np.ndarray, mesh_version: int = 0):
        self._arrays, self._counts = arrays, counts
        self.mesh_version = mesh_version
        """Changes when meshes that were read before may have changed in place."""
        order = np.argsort(keys, kind="stable")
        if len(keys):
            arrays[MESHES][: len(keys)] = arrays[MESHES][order]
        self.mesh_keys, self.mesh_counts = np.unique(keys, return_counts=True)
        """The shapes that have meshes of their own, and how many rows of MESHES each has: these are sorted by key."""

    def count(self, kind: int) -> int:
        """The number of rows of a kind."""
        return self._counts[kind]

    def rows(self, kind: int) -> np.ndarray:
        """The rows of a kind: float32 (n, 16), see drawing/schema.py."""
        return self._arrays[kind][: self._counts[kind]]

    def padded(self, kind: int, room: int) -> np.ndarray:
        """Up to `room` rows of a kind, and zeros behind them: float32 (room, 16)."""
        found = self._arrays[kind]
        if room > len(found):
            found = np.zeros((room, ROW_FLOATS), np.float32)
            found[: self._counts[kind]] = self.rows(kind)
        else:
            found[self._counts[kind] : room] = 0.0
        return found[:room]

    def mesh_rows(self, number: int) -> np.ndarray:
        """The rows of the shape `mesh_keys[number]`."""
        end = int(self.mesh_counts[: number + 1].sum())
        return self._arrays[MESHES][end - int(self.mesh_counts[number]) : end]

    def lines(self) -> tuple[np.ndarray, np.ndarray]:
        """The ends of all lines, float32 (n, 2, 3) [m], and their colours, float32 (n, 4)."""
        rows = self.rows(LINES)
        begin = rows[:, 3:12:4]
        return np.stack([begin, begin + rows[:, 0:12:4]], axis=1), rows[:, 12:].copy()


class Drawings:
    """Makes drawings of the systems of a world. Any thread; one at a time."""

    def __init__(self, world):
        self._world = world
        self._rooms = [FIRST_ROOM] * KINDS
        self._labels = np.zeros(0, np.int32)
        self._lock = threading.Lock()

    def draw(
        self, system: int, what: int, around=(0.0, 0.0, 0.0), distance: float = 0.0, mask: int = ALL_LAYERS,
        zero=(0.0, 0.0, 0.0), force_scale: float = USUAL_FORCE_SCALE,
    ) -> Drawing:  # fmt: skip
        """Gather a drawing. `what`: bits of drawing/schema.py; `distance`: nothing farther from `around` (world [m]) is drawn, 0:
        everything is; `mask`: collision layers; `zero`: origin of the result [m]; `force_scale`: [m/N]. Waits for a step that
        another thread runs. Raises KeyError, ValueError, RuntimeError on a thread that is in the middle of an edit."""
        space = self._world.system(system)
        if self._world.late.holds(int(space.row["index"])):
            raise RuntimeError("drawing: this thread is in the middle of an edit of the same space")
        request = _checked_request(what, around, distance, mask, zero, force_scale)
        with self._lock:
            generations = np.zeros(MOST_BROAD_PHASE_LAYERS, np.int64)
            self._world.body.settle_shapes()
            visit_trees(space.address, address_of(generations), 0)
            try:
                return self._gather(space.address, request)
            finally:
                visit_trees(space.address, address_of(generations), 1)

    def _gather(self, address: int, request: np.ndarray) -> Drawing:
        row, world = request[0], self._world
        while True:
            arrays = [np.empty((room, ROW_FLOATS), np.float32) for room in self._rooms]
            keys = np.empty(self._rooms[MESHES], np.int64)
            row["rows"], row["capacities"] = [address_of(array) for array in arrays], self._rooms
            row["mesh_keys"], row["joint_count"], row["palette"] = address_of(keys), world.joints.count, address_of(PALETTE)
            bodies = world.bodies.count  # others may be added meanwhile: they have no label
            if len(self._labels) < bodies:
                self._labels = np.zeros(bodies + bodies // 2, np.int32)
            row["labels"], row["label_count"] = address_of(self._labels), bodies
            if not gather(address, address_of(request)):
                time.sleep(PAUSE)
                continue
            counts = row["counts"].tolist()
            if all(count <= room for count, room in zip(counts, self._rooms, strict=True)):
                return Drawing(arrays, counts, keys[: counts[MESHES]], world.setting_count)
            self._rooms = [max(room, count + count // 2) for count, room in zip(counts, self._rooms, strict=True)]

    def all_lines(self, drawing: Drawing) -> tuple[np.ndarray, np.ndarray]:
        """Everything in a drawing as lines: their ends, float32 (n, 2, 3) [m], and their colours, float32 (n, 4)."""
        ends, colours = [np.zeros((0, 2, 3), np.float32)], [np.zeros((0, 4), np.float32)]

        def add(rows: np.ndarray, wire: np.ndarray) -> None:
            ends.append(placed_wires(rows, wire).reshape(-1, 2, 3))
            colours.append(np.repeat(rows[:, 12:], wire.shape[-3], axis=0))

        for kind, wire in UNIT_WIRES.items():
            add(drawing.rows(kind), wire)
        add(drawing.rows(CAPSULES), capsule_wires(drawing.rows(CAPSULES)))
        for number, key in enumerate(drawing.mesh_keys.tolist()):
            add(drawing.mesh_rows(number), self.mesh_lines(key))
        return np.concatenate(ends), np.concatenate(colours)

    def mesh_lines(self, key: int) -> np.ndarray:
        """The lines of a shape that a drawing names by `key`, in the frame of the shape [m]: float32 (n, 2, 3). Raises KeyError
        if the shape is gone."""
        shapes = self._world.shapes
        with shapes.held():
            row, sequence = key & (1 << ROW_BITS) - 1, key >> ROW_BITS
            if not 0 <= row < len(shapes.rows) or shapes.rows[row]["sequence"] != sequence or not shapes.rows[row]["kind"]:
                raise KeyError(f"mesh_lines: there is no shape with the key {key}")
            copy, _alive = shapes.rows[row].copy(), (shapes.block_of(row), self._world.shape_keepers.get(row))
        return shape_wire(copy)  # may take long: not while others wait for shapes


def _checked_request(what, around, distance, mask, zero, force_scale) -> np.ndarray:
    """A DRAW_REQUEST, shape (1,). Raises ValueError."""
    place = np.asarray(around, np.float64)
    if not 0 <= what <= EVERYTHING:
        raise ValueError(f"drawing: what must be a sum of flags, at most {EVERYTHING}, got {what}")
    if place.shape != (3,) or not np.isfinite(place).all():
        raise ValueError(f"drawing: around must be three finite numbers, got {around!r}")
    if not distance >= 0.0:
        raise ValueError(f"drawing: distance must be at least 0, got {distance!r}")
    if not 0 <= mask <= ALL_LAYERS:
        raise ValueError(f"drawing: mask must be 32 bits, got {mask}")
    if not 0.0 <= force_scale < np.inf:
        raise ValueError(f"drawing: force_scale must be at least 0 and finite, got {force_scale!r}")
    request = np.zeros(1, DRAW_REQUEST)
    row = request[0]
    row["what"], row["mask"], row["around"], row["zero"], row["force_scale"] = what, mask, place, zero, force_scale
    row["distance"] = min(distance or UNLIMITED, UNLIMITED)
    return request
