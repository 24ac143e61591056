"""A structure for Python: made with room for a number of bricks, edited in batches, asked from any thread."""

import itertools
import struct
import threading
import time
from typing import NamedTuple

import numpy as np

from ..runtime.distinct import distinct
from ..runtime.memory import PoolFull, address_of, reserve
from . import schema
from .asking import BOX_QUERY, FOUND, RAY, cast_rays, find_in_boxes
from .edits import edit_structure
from .followers import Followers
from .pools import set_up_pool
from .prototype import MOST_BRICKS, Prototype
from .schema import BRICK, CLUSTER, COMMAND, LEAF, PLACEMENT, REACH, STRUCTURE, SUMMARY
from .single_edits import SingleBatch, SingleEdit
from .summary import summarize

ROOT = 1
"""The cluster of the empty root."""
SPARE_CLUSTERS = 1 << 14
"""More than the edits under way and copies for queries take in a small structure."""
FAULTS = {
    schema.NOT_FINITE: "its bounds are not finite",
    schema.NO_VOLUME: "its low corner is not below its high one on each axis, or a half extent is not positive",
    schema.TOO_FAR: f"its bounds reach beyond {REACH} units",
    schema.NOT_WHOLE: "its corners are not whole numbers: place it freely, or choose a smaller unit",
    schema.TOO_HEAVY: "density times volume exceeds 2^52: choose a larger unit of density",
    schema.UNKNOWN_KIND: "its kind is not known",
}
IDENTITY = (0.0, 0.0, 0.0, 1.0)
ALL_LAYERS = 0xFFFFFFFF
FIRST_ROOM = 64
GIVEN_BACK_AT_ONCE = 1000
"""Number of removals whose moves `give_back` makes at a time, while other edits wait."""
PATIENCE, PAUSE = 1.0, 5.0e-4
"""How long an edit waits for queries under way if their rows fill the pools, and how long between two looks at them [s]."""


def boxes(low, high, *, layers=1, density=1, material=0, user_number=0) -> np.ndarray:
    """Rows BRICK of boxes along the axes, with whole-number corners `low` and `high` [unit], shape `(count, 3)`. Other values are
    numbers or arrays; density is a whole number of the structure's unit of density. An insertion sets their numbers."""
    low, high = np.atleast_2d(low), np.atleast_2d(high)
    rows = np.zeros(len(low), BRICK)
    rows["low"], rows["high"], rows["kind"] = low, high, schema.BOX
    rows["layers"], rows["density"], rows["material"], rows["user_number"] = layers, density, material, user_number
    return rows


def free_boxes(center, half_extents, rotation=IDENTITY, **values) -> tuple[np.ndarray, np.ndarray]:
    """Rows BRICK and PLACEMENT of boxes placed freely: centres and half extents [unit], quaternions (x, y, z, w)."""
    center = np.atleast_2d(center)
    placements = np.zeros(len(center), PLACEMENT)
    placements["center"], placements["half_extents"], placements["rotation"] = center, half_extents, rotation
    rows = boxes(np.zeros((len(center), 3)), np.ones((len(center), 3)), **values)
    rows["kind"] = schema.FREE_BOX
    return rows, placements


def _address(memory) -> int:
    """Address of reserved memory."""
    return address_of(np.frombuffer(memory, np.uint8))


def _copy(name: str, rows, dtype, count: int) -> np.ndarray:
    """A copy of rows, for compiled code to work on; none for None. Raises TypeError for rows of another type and ValueError for
    another number of them."""
    if rows is None:
        return np.zeros(0, dtype)
    rows = np.array(rows, order="C")
    if rows.dtype != dtype:
        raise TypeError(f"{name}: the rows come from `boxes` or `free_boxes`")
    if rows.shape != (count,):
        raise ValueError(f"{name}: {rows.shape} rows for {count} bricks")
    return rows


def _numbers(call: str, numbers) -> np.ndarray:
    """A copy of numbers of bricks, int32. Raises ValueError for one that is no such number."""
    given = np.array(numbers, np.int64).ravel()
    kept = given.astype(np.int32)
    if (kept != given).any():
        raise ValueError(f"{call}: there is no brick {given[kept != given][0]}")
    return kept


class Batch(NamedTuple):
    """Effects of a batch of edits: numbers of bricks, int32, ascending."""

    removed: np.ndarray
    inserted: np.ndarray
    bounds: np.ndarray
    """Bounds of the removed bricks [unit], float32 (n, 6)."""
    new_bounds: np.ndarray
    """Bounds of the inserted bricks [unit], float32 (m, 6)."""
    has_grown: bool
    """Whether the bounds of the structure were wider after it than before."""


def merged(batches: list[Batch | SingleBatch]) -> Batch | SingleBatch:
    """The effects of several batches together."""
    if len(batches) == 1:
        return batches[0]
    removed, inserted = (
        distinct(np.concatenate([getattr(batch, name) for batch in batches])) for name in ("removed", "inserted")
    )
    bounds, new_bounds = (np.concatenate([getattr(batch, name) for batch in batches]) for name in ("bounds", "new_bounds"))
    return Batch(removed, inserted, bounds, new_bounds, any(batch.has_grown for batch in batches))


PROTOTYPES: dict[int, Prototype] = {}
"""By capacity: what a new structure of few bricks is copied from."""
MOST_PROTOTYPES = 32
NO_NUMBERS, NO_BOUNDS = np.zeros(0, np.int32), np.zeros((0, 6), np.float32)


class Structure:
    """Bricks and the tree over them. Any thread may ask; edits take a lock, and are seen by queries batch by batch. Nobody waits,
    except that an edit waits for queries under way, at most a second, if the rows that these may read fill the pools."""

    def __init__(self, capacity: int = 1 << 20):
        """Reserve address space for `capacity` bricks; memory is used where bricks are. Raises NoAddressSpace."""
        self._record = np.zeros(1 + STRUCTURE.itemsize // 64 + 1, "V64")
        start = -address_of(self._record) % 64  # words of other threads have their own cache lines
        self.record = np.frombuffer(self._record, np.uint8)[start : start + STRUCTURE.itemsize].view(STRUCTURE)
        self.address = address_of(self.record)
        self.lock = threading.Lock()
        """Held while the structure is edited, or its rows are read as those of one state."""
        prototype = PROTOTYPES.get(capacity)
        self._memory: list = self._set_up(capacity) if prototype is None else prototype.copy(self.record)
        if prototype is None and capacity <= MOST_BRICKS:
            if len(PROTOTYPES) >= MOST_PROTOTYPES:
                PROTOTYPES.clear()
            PROTOTYPES[capacity] = Prototype(self.record, self._memory)
        self.bricks = np.frombuffer(self._memory[0], BRICK)
        self.placements = np.frombuffer(self._memory[1], PLACEMENT)
        self.rows_by_number = np.frombuffer(self._memory[3], np.int32)
        self.clusters, self.leaves = np.frombuffer(self._memory[5], CLUSTER), np.frombuffer(self._memory[7], LEAF)
        self.link_memory = self._memory[9]
        self.capacity = capacity
        self.users = Followers()
        """Pools that follow the edits: `renew_structure(structure)` is called before a batch ends, in the order of batches, and
        `tell_structure(structure, batch)` after it."""
        self.searches = Followers()
        """Searches for pieces (breaking.py), which note what is removed."""
        self._summary = np.zeros(1, SUMMARY)
        self.summary_address = address_of(self._summary)
        """Address of the SUMMARY of all bricks, for holders of the lock."""
        self._summary_bytes = memoryview(self._summary).cast("B")
        self._single: SingleEdit | None = None
        self._summarize()

    def _set_up(self, capacity: int) -> list:
        """Set up the pools, the links of leaves, and room for the numbers of all rows in the lists of retired ones. Returns the
        memory: rows of bricks, their placements and bitmap, rows and bitmap of numbers, of clusters and of leaves, the rest."""
        record, most = self.record[0], 4 * capacity + SPARE_CLUSTERS
        memory = set_up_pool(record["bricks"], BRICK, capacity + 1, twin=PLACEMENT)
        memory += set_up_pool(record["numbers"], np.int32, capacity + 1)
        memory += set_up_pool(record["clusters"], CLUSTER, most, taken=ROOT + 1)
        memory += set_up_pool(record["leaves"], LEAF, most)
        counts = [int(record[name]["capacity"]) for name in ("bricks", "clusters", "leaves")]
        lists = [reserve(4 * counts[2]), *(reserve(8 * sum(counts)) for _ in range(2))]
        record["links"], record["retired"] = _address(lists[0]), [_address(one) for one in lists[1:]]
        record["retired_capacity"] = sum(counts)
        root = np.frombuffer(memory[5], CLUSTER)[ROOT]
        root["low"], root["high"] = schema.LARGE, -schema.LARGE
        record["root"], record["head"], record["batch"] = ROOT, ROOT, 1
        record["placements"] = record["bricks"]["twin"]
        return memory + lists

    def _summarize(self) -> None:
        """Renew the SUMMARY of all bricks. For the thread that edits."""
        summarize(self.address, self.summary_address)
        self._note(int(self.clusters[self.record[0]["root"]]["elements"]))

    def _note(self, count: int) -> None:
        """Note the summary and the number of bricks for other threads."""
        self._snapshot, self._count = bytes(self._summary_bytes), count

    @property
    def summary(self):
        """A row SUMMARY of all bricks, as of now."""
        return np.frombuffer(self._snapshot, SUMMARY)[0]

    def __len__(self) -> int:
        return self._count

    # Edits ---------------------------------------------------------------------------------------------------------------

    def insert(self, rows: np.ndarray, placements: np.ndarray | None = None) -> np.ndarray:
        """Insert bricks, from `boxes` or `free_boxes`, as one batch. Returns their numbers, int32. Raises ValueError if one is
        not valid (then nothing was changed) and PoolFull."""
        numbers = np.zeros(len(rows), np.int32)
        self._edit("insert", schema.INSERT, rows, placements, numbers)
        return numbers

    def remove(self, numbers) -> None:
        """Remove bricks as one batch. Raises ValueError if one is not there or named twice (then nothing was changed)."""
        self._edit("remove", schema.REMOVE, None, None, _numbers("remove", numbers))

    def take_out(self, numbers: np.ndarray, is_noted: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Remove bricks as one batch. Returns their rows BRICK and PLACEMENT, to be inserted elsewhere. Searches for pieces look
        at where they were if `is_noted`: not for those that came apart from the rest. Raises like `remove`."""
        numbers = _numbers("take_out", numbers)
        rows = self.copies_of("take_out", numbers)
        self._edit("take_out", schema.REMOVE, None, None, numbers, is_noted)
        return rows

    def copies_of(self, call: str, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Copies of the rows BRICK and PLACEMENT with these numbers, to be inserted elsewhere. Raises ValueError if one is not
        there."""
        with self.lock:
            return self._copies(self._rows_with(call, numbers))

    def change(self, numbers, rows: np.ndarray, placements: np.ndarray | None = None) -> np.ndarray:
        """Put bricks in the place of others as one batch: no query sees both or neither. Returns the new numbers: queries under
        way may still read the old ones. Raises like `insert` and `remove`."""
        numbers = _numbers("change", numbers)
        self._edit("change", schema.CHANGE, rows, placements, numbers)
        return numbers

    def insert_one(self, low, high, density: int, material: int, layers: int, user_number: int) -> int:
        """Insert one box along the axes, with corners of three whole numbers [unit] each. Returns its number; 0: nothing was
        changed, and `insert` says why. Costs a sixth of `insert`."""
        return self._edit_one(schema.INSERT, 0, (low, high, density, material, layers, user_number))

    def remove_one(self, number: int) -> bool:
        """Remove one brick. False: nothing was changed, and `remove` says why."""
        return self._edit_one(schema.REMOVE, number, None) != 0

    def change_one(self, number: int, low, high, density: int, material: int, layers: int, user_number: int) -> int:
        """Put one box in the place of a brick. Returns its number; 0: nothing was changed, and `change` says why."""
        return self._edit_one(schema.CHANGE, number, (low, high, density, material, layers, user_number))

    def _edit_one(self, operation: int, number: int, box) -> int:
        with self.lock:
            single = self._single
            if single is None:
                single = self._single = SingleEdit(self.address, self.summary_address)
            if box is not None:
                try:
                    single.set_box(*box)
                except (struct.error, OverflowError, TypeError):
                    return 0
            number = single.carry_out(operation, number)
            if not number:
                return 0
            self._note(single.elements)
            batch, users = single.batch(), self.users.present()
            self._tell_searches(batch.bounds, batch.new_bounds)
            for user in users:
                user.renew_structure(self)
        for user in users:
            user.tell_structure(self, batch)
        return number

    def _tell_searches(self, gone: np.ndarray, new: np.ndarray) -> None:
        """Tell searches for pieces the bounds (n, 6) of bricks that were removed, and of inserted ones [unit]."""
        for search in self.searches:
            if len(gone):
                search.note(gone)
            if len(new):
                search.note_change(new)

    def give_back(self) -> None:
        """Give memory back without another edit: that of rows that no query reads any more, and of pages with few bricks, which
        move to others. Nobody needs to call it: removals give back too, the sooner the more are removed."""
        for calls in itertools.count(1):
            command = np.zeros(1, COMMAND)
            command[0]["operation"], command[0]["count"] = schema.PUBLISH, GIVEN_BACK_AT_ONCE
            with self.lock:
                self._carry_out(command)
            if calls > 1 and not command[0]["done"]:
                return

    def _edit(self, name: str, operation: int, rows, placements, numbers, is_noted: bool = True) -> None:
        command, count = np.zeros(1, COMMAND), len(numbers)
        rows, placements = _copy(name, rows, BRICK, count), _copy(name, placements, PLACEMENT, count)
        scratch = np.empty(2 * count if operation == schema.INSERT else 0, np.int32)
        record = command[0]
        record["operation"], record["count"], record["numbers"] = operation, count, address_of(numbers)
        record["rows"], record["scratch"] = address_of(rows), address_of(scratch)
        record["placements"] = address_of(placements) if len(placements) else 0
        old = np.sort(numbers) if operation != schema.INSERT else NO_NUMBERS
        with self.lock:
            gone = self._bounds(numbers) if operation in (schema.REMOVE, schema.CHANGE) else NO_BOUNDS
            self._carry_out(command)
            done = int(record["done"])
            if is_noted and done and self.searches:
                self._tell_searches(gone[:done], self._bounds(numbers[:done]) if operation != schema.REMOVE else NO_BOUNDS)
            before = self.summary
            if done:
                self._summarize()
            users = self.users.present() if done else []
            for user in users:
                user.renew_structure(self)
            after = self.summary
            new = np.sort(numbers[:done]) if users and operation != schema.REMOVE else NO_NUMBERS
            new_bounds = self._bounds(new) if len(new) else NO_BOUNDS
        if users:
            has_grown = bool((after["low"] < before["low"]).any() or (after["high"] > before["high"]).any())
            for user in users:
                user.tell_structure(self, Batch(old, new, gone, new_bounds, has_grown))
        self._raise(name, record, numbers)

    def _bounds(self, numbers: np.ndarray) -> np.ndarray:
        """Bounds (n, 6) of bricks [unit]; of numbers that are none, anything. For holders of the lock."""
        rows = self.bricks[self.rows_by_number.take(numbers, mode="clip")]
        bounds = np.empty((len(rows), 6), np.float32)
        bounds[:, :3], bounds[:, 3:] = rows["low"], rows["high"]
        return bounds

    def _carry_out(self, command) -> None:
        """Give a COMMAND to the structure. While rows that queries may still read fill the pools, wait for these queries."""
        edit_structure(self.address, address_of(command))
        if not command[0]["waits"]:
            return
        end = time.monotonic() + PATIENCE
        while command[0]["waits"]:
            time.sleep(PAUSE)
            command[0]["presses_on"] = time.monotonic() > end
            edit_structure(self.address, address_of(command))

    def _raise(self, name: str, record, numbers) -> None:
        """Raise the error for a command with a fault."""
        fault, faulty = int(record["fault"]), int(record["faulty"])
        if fault == schema.NO_SUCH_BRICK:
            raise ValueError(f"{name}: there is no brick {numbers[faulty]}, or it is named twice")
        if fault == schema.FULL:
            raise PoolFull(f"{name}: the pools are full; the first {int(record['done'])} of {len(numbers)} edits were made")
        if fault != schema.NO_FAULT:
            raise ValueError(f"{name}: brick {faulty} of the batch: {FAULTS[fault]}")

    def all_bricks(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Numbers of all bricks, int32, ascending, and copies of their rows BRICK and PLACEMENT."""
        with self.lock:
            numbers = self.numbers()
            return numbers, *self._copies(self.rows_by_number[numbers])

    def numbers(self) -> np.ndarray:
        """Numbers of all bricks, int32, ascending. For holders of the lock."""
        used = np.flatnonzero(self.rows_by_number[: int(self.record[0]["numbers"]["most_used"]) + 1])
        return used[self.bricks["kind"][self.rows_by_number[used]] < schema.LEAVING].astype(np.int32)

    def _copies(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Copies of BRICK and PLACEMENT in some rows; the latter zero where a brick is not placed freely. For holders of the
        lock."""
        bricks, placed = self.bricks[rows], np.zeros(len(rows), PLACEMENT)
        is_free = bricks["kind"] == schema.FREE_BOX
        placed[is_free] = self.placements[rows[is_free]]
        return bricks, placed

    def _rows_with(self, call: str, numbers: np.ndarray) -> np.ndarray:
        """The rows that the bricks with these numbers are in. For holders of the lock. Raises ValueError if one is not there."""
        is_there = (numbers > 0) & (numbers < len(self.rows_by_number))
        rows = self.rows_by_number[np.where(is_there, numbers, 0)]
        is_there &= (rows > 0) & (self.bricks["kind"][rows] < schema.LEAVING)
        if not is_there.all():
            raise ValueError(f"{call}: there is no brick {numbers[~is_there][0]}")
        return rows

    def bricks_in_box(self, low, high) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Numbers, ascending, of the bricks whose bounds touch the box from `low` to `high` [unit], and copies of their rows
        BRICK and PLACEMENT, all of one state."""
        with self.lock:
            numbers = np.sort(self.in_box(low, high)["number"])
            return numbers, *self._copies(self.rows_by_number[numbers])

    def rows_of(self, call: str, numbers: np.ndarray) -> np.ndarray:
        """Copies of the rows BRICK with these numbers. Raises ValueError if one is not there."""
        with self.lock:
            return self.bricks[self._rows_with(call, numbers)]

    # Queries, from any thread ----------------------------------------------------------------------------------------------

    def cast(self, origins, directions, *, half_extents=0.0, max_fraction=1.0, mask=ALL_LAYERS) -> np.ndarray:
        """Cast rays, or boxes with half extents, from `origins` along `directions`, the full vectors [unit], shape `(count, 3)`.
        Returns rows RAY: `number` of the brick whose bounds are entered first (0: none), `fraction` of the way to it."""
        origins = np.atleast_2d(origins)
        rays = np.zeros(len(origins), RAY)
        rays["origin"], rays["direction"], rays["half_extents"] = origins, directions, half_extents
        rays["max_fraction"], rays["mask"] = max_fraction, mask
        cast_rays(self.address, address_of(rays), len(rays))
        return rays

    def in_box(self, low, high, *, coarse=0.0, mask=ALL_LAYERS) -> np.ndarray:
        """Bricks whose bounds touch the box from `low` to `high` [unit], as rows FOUND in no certain order. With `coarse` [unit],
        parts of the tree that have no side as long as that are returned as one box each, with number 0."""
        low, high = np.asarray(low, float), np.asarray(high, float)
        return self._find((low + high) / 2, (high - low) / 2, None, coarse, mask)

    def in_oriented_box(self, center, half_extents, rotation, *, coarse=0.0, mask=ALL_LAYERS) -> np.ndarray:
        """Like `in_box`, for a box with a centre, half extents [unit] and a quaternion (x, y, z, w)."""
        return self._find(center, half_extents, rotation, coarse, mask)

    def _find(self, center, half_extents, rotation, coarse: float, mask: int) -> np.ndarray:
        room = FIRST_ROOM
        while True:
            found, query = np.zeros(room, FOUND), np.zeros(1, BOX_QUERY)
            query["center"], query["half_extents"], query["coarse"], query["mask"] = center, half_extents, coarse, mask
            query["is_oriented"], query["rotation"] = rotation is not None, IDENTITY if rotation is None else rotation
            query["found"], query["capacity"] = address_of(found), room
            find_in_boxes(self.address, address_of(query), 1)
            count = int(query["count"][0])
            if count <= room:
                return found[:count]
            room = 2 * count
