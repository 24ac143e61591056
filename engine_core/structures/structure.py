"""A structure for Python: made with room for a number of bricks, edited in batches, asked from any thread."""

import threading

import numpy as np

from ..runtime.memory import PoolFull, address_of, reserve
from . import schema
from .asking import BOX_QUERY, FOUND, RAY, cast_rays, find_in_boxes
from .edits import edit_structure
from .pools import set_up_pool
from .schema import BRICK, CLUSTER, COMMAND, LEAF, PLACEMENT, REACH, STRUCTURE

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


def boxes(low, high, *, layers=1, mask=1, density=1, material=0, user_number=0) -> np.ndarray:
    """Rows BRICK of boxes along the axes, with whole-number corners `low` and `high` [unit], shape `(count, 3)`. Other values are
    numbers or arrays; density is a whole number of the structure's unit of density."""
    low, high = np.atleast_2d(low), np.atleast_2d(high)
    rows = np.zeros(len(low), BRICK)
    rows["low"], rows["high"], rows["kind"] = low, high, schema.BOX
    rows["layers"], rows["mask"], rows["density"] = layers, mask, density
    rows["material"], rows["user_number"] = material, user_number
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


class Structure:
    """Bricks and the tree over them. Any thread may ask; edits take a lock, and are seen by queries batch by batch."""

    def __init__(self, capacity: int = 1 << 20):
        """Reserve address space for `capacity` bricks; memory is used where bricks are. Raises NoAddressSpace."""
        self._record = np.zeros(1 + STRUCTURE.itemsize // 64 + 1, "V64")
        start = -address_of(self._record) % 64  # words of other threads have their own cache lines
        self.record = np.frombuffer(self._record, np.uint8)[start : start + STRUCTURE.itemsize].view(STRUCTURE)
        self.address = address_of(self.record)
        self._lock = threading.Lock()
        record, most = self.record[0], 4 * capacity + SPARE_CLUSTERS
        self._memory = set_up_pool(record["bricks"], BRICK, capacity + 1, PLACEMENT)
        self._memory += set_up_pool(record["clusters"], CLUSTER, most, taken=ROOT + 1) + set_up_pool(record["leaves"], LEAF, most)
        record["placements"] = record["bricks"]["twin"]
        rows = {name: int(record[name]["capacity"]) for name in ("bricks", "clusters", "leaves")}
        self.link_memory = reserve(4 * rows["leaves"])
        retired = [reserve(8 * sum(rows.values())) for _ in range(2)]
        record["links"], record["retired"] = _address(self.link_memory), [_address(memory) for memory in retired]
        record["retired_capacity"] = sum(rows.values())
        self._memory += retired
        types = {"bricks": BRICK, "clusters": CLUSTER, "leaves": LEAF}
        self._rows = {name: self._view(name, dtype) for name, dtype in types.items()}
        self.clusters[ROOT]["low"], self.clusters[ROOT]["high"] = schema.LARGE, -schema.LARGE
        record["root"], record["head"], record["batch"] = ROOT, ROOT, 1

    def _view(self, name: str, dtype) -> np.ndarray:
        pool = self.record[0][name]
        owner = next(memory for memory in self._memory if _address(memory) == pool["rows"])
        return np.frombuffer(owner, dtype, count=int(pool["capacity"]))

    @property
    def bricks(self) -> np.ndarray:
        """Rows BRICK by number: read-only by agreement."""
        return self._rows["bricks"]

    @property
    def clusters(self) -> np.ndarray:
        """Rows CLUSTER."""
        return self._rows["clusters"]

    @property
    def leaves(self) -> np.ndarray:
        """Rows LEAF."""
        return self._rows["leaves"]

    def __len__(self) -> int:
        return int(self.clusters[self.record[0]["root"]]["elements"])

    # Edits ---------------------------------------------------------------------------------------------------------------

    def insert(self, rows: np.ndarray, placements: np.ndarray | None = None) -> np.ndarray:
        """Insert bricks, from `boxes` or `free_boxes`, as one batch. Returns their numbers, int32. Raises ValueError if one is
        not valid (then nothing was changed) and PoolFull."""
        numbers = np.zeros(len(rows), np.int32)
        self._edit("insert", schema.INSERT, rows.copy(), placements, numbers)
        return numbers

    def remove(self, numbers) -> None:
        """Remove bricks as one batch. Raises ValueError if one is not there or named twice (then nothing was changed)."""
        self._edit("remove", schema.REMOVE, None, None, np.array(numbers, np.int32).ravel())

    def change(self, numbers, rows: np.ndarray, placements: np.ndarray | None = None) -> np.ndarray:
        """Put bricks in the place of others as one batch: no query sees both or neither. Returns the new numbers: queries under
        way may still read the old ones. Raises like `insert` and `remove`."""
        numbers = np.array(numbers, np.int32).ravel()
        if len(numbers) != len(rows):
            raise ValueError(f"change: {len(numbers)} numbers, {len(rows)} rows")
        self._edit("change", schema.CHANGE, rows.copy(), placements, numbers)
        return numbers

    def give_back(self) -> None:
        """Give back rows that no query reads any more, without another edit."""
        for _ in range(2):
            self._edit("give_back", schema.PUBLISH, None, None, np.zeros(0, np.int32))

    def _edit(self, name: str, operation: int, rows, placements, numbers) -> None:
        command = np.zeros(1, COMMAND)
        record, count = command[0], len(numbers)
        record["operation"], record["count"], record["numbers"] = operation, count, address_of(numbers)
        placements = placements.copy() if placements is not None else None
        scratch = np.empty(2 * count if operation == schema.INSERT else 0, np.int32)
        record["rows"] = address_of(rows) if rows is not None else 0
        record["placements"] = address_of(placements) if placements is not None else 0
        record["scratch"] = address_of(scratch)
        with self._lock:
            edit_structure(self.address, address_of(command))
        self._raise(name, record, numbers)

    def _raise(self, name: str, record, numbers) -> None:
        """Raise the error for a command with a fault."""
        fault, faulty = int(record["fault"]), int(record["faulty"])
        if fault == schema.NO_SUCH_BRICK:
            raise ValueError(f"{name}: there is no brick {numbers[faulty]}, or it is named twice")
        if fault == schema.FULL:
            raise PoolFull(f"{name}: the pools are full; the first {int(record['done'])} of {len(numbers)} edits were made")
        if fault != schema.NO_FAULT:
            raise ValueError(f"{name}: brick {faulty} of the batch: {FAULTS[fault]}")

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
