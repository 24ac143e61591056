"""The pools of bodies and of the shapes on them. Rows are taken and given back here, and never move.

Any thread that holds Python's interpreter may call; a lock makes taking and giving back atomic.
"""

import ctypes
import threading

import numpy as np

from ..runtime.memory import Pool
from ..shapes.instance_tree import TREE_FROM
from .identity import KIND_NAMES, describe_id, kind_of, make_id
from .schema import (
    BODY, BODY_RARE, CAN_SLEEP, HAS_RARE, INDEX_MASK, INSTANCE, INSTANCE_NODE, KIND_BODY, RAY_PICKABLE, RIGID,
)  # fmt: skip


def _new_body() -> np.ndarray:
    """A row with Godot's defaults of a new body: rigid, 1 kg, friction 1, layer 1, mask 1."""
    row = np.zeros((), dtype=BODY)
    row["system"] = row["active_index"] = -1
    row["first_pair"] = row["first_joint"] = row["next_in_island"] = row["island_link"] = -1
    row["first_instance"] = -1
    row["mode"] = RIGID
    row["flags"] = CAN_SLEEP | RAY_PICKABLE
    row["rotation"] = (0, 0, 0, 1)
    row["inverse_mass"] = row["mass"] = row["friction"] = row["gravity_scale"] = row["collision_priority"] = 1
    row["inverse_inertia_local"] = row["inverse_inertia_world"] = (1, 1, 1, 0, 0, 0)
    row["collision_layer"] = row["collision_mask"] = 1
    return row


def _no_rare() -> np.ndarray:
    """The row of BODY_RARE that all bodies without their own share."""
    row = np.zeros((), dtype=BODY_RARE)
    row["target_rotation"] = (0, 0, 0, 1)
    row["stretch"] = np.eye(3, dtype=np.float32).ravel()
    row["max_linear_velocity"] = row["max_angular_velocity"] = np.inf
    return row


class BodyPool:
    """Rows of BODY. `count` is one more than the highest row ever used; `setting`: how errors name the limit."""

    def __init__(self, capacity: int, setting: str = ""):
        self.pool = Pool("bodies", BODY, capacity, setting=setting)
        self.rows = self.pool.rows
        self.ids, self.flags = self.rows["id"], self.rows["flags"]
        self.rare = Pool("what few bodies use", BODY_RARE, capacity + 1, setting=setting)
        self.rare.rows[capacity] = _no_rare()
        self.count = 0
        self._free: list[int] = []
        self._retired_count = 0
        self._new = _new_body()
        self._lock = threading.RLock()
        self.reclaim = lambda: None  # gives back rows that queries may have been reading
        self.world_record = None  # WORLD, whose `body_count` follows `count`

    def take(self, kind: int = KIND_BODY) -> int:
        """Take a row for a new body, or for an area, and return its index. Raises PoolFull."""
        if self._retired_count or self.free_count() == 0:
            self.reclaim()
        with self._lock:
            if self._free:
                index = self._free.pop()
                sequence = int(self.rows[index]["sequence"])
            elif self.count < self.pool.capacity:
                index, sequence = self.count, 1
                self._count_up(1)
            else:
                raise self.pool.full()
            self.rows[index] = self._new
            row = self.rows[index]
            row["sequence"] = sequence
            row["id"] = make_id(kind, index, sequence)
            return index

    def prefer(self, identities: np.ndarray) -> None:
        """Have the next rows that are taken be those of these ids, int64 (n,): for a replay. Raises ValueError if one is in
        use."""
        self.reclaim()
        indices = (identities & INDEX_MASK).astype(np.int64)
        with self._lock:
            if len(set(indices.tolist())) < len(indices) or indices.max() >= self.pool.capacity:
                raise ValueError("prefer: ids must differ and be of this pool")
            fresh = range(self.count, int(indices.max()) + 1)
            wanted, free = set(indices.tolist()), {*self._free, *fresh}
            if not wanted <= free:
                raise ValueError(f"prefer: the rows {sorted(wanted - free)[:5]} are in use")
            self._free = [*(index for index in (*self._free, *fresh) if index not in wanted), *indices.tolist()]
            self._count_up(len(fresh))
            self.rows["sequence"][indices] = identities >> 32

    def has(self, identity: int, *kinds: int) -> bool:
        """Whether there is a row with this id, of one of these kinds. Accepts any number."""
        index = identity & INDEX_MASK
        return index < self.count and self.ids.item(index) == identity and kind_of(identity) in kinds

    def find(self, call: str, identity: int, *kinds: int) -> int:
        """Index of the row with this id, of one of these kinds. Raises KeyError for a freed, foreign or wrong id."""
        index = identity & INDEX_MASK
        if self.has(identity, *kinds):
            return index
        name = KIND_NAMES[kinds[0]]
        why = "it was freed" if kind_of(identity) in kinds and index < self.count else f"it is no {name}"
        raise KeyError(f"{call}: there is no {name} {describe_id(identity)}: {why}")

    def rare_of(self, index: int):
        """The row of BODY_RARE of a body, or the shared one, for reading."""
        return self.rare.rows[index if self.flags.item(index) & HAS_RARE else self.pool.capacity]

    def own_rare(self, index: int):
        """The body's own row of BODY_RARE, for writing; see bodies/rare.py."""
        row = self.rare.rows[index]
        if not self.flags.item(index) & HAS_RARE:
            self.rare.rows[index] = self.rare.rows[self.pool.capacity]
            row["target_position"], row["target_rotation"] = self.rows[index]["position"], self.rows[index]["rotation"]
            self.flags[index] |= np.uint32(HAS_RARE)
        return row

    def _count_up(self, count: int) -> None:
        self.count += count
        if self.world_record is not None:
            self.world_record["body_count"] = self.count

    def take_many(self, count: int) -> np.ndarray:
        """Take rows for `count` bodies, int32; the caller fills them, id last (batches/body_batches.py). Raises PoolFull."""
        if count > self.free_count():
            self.reclaim()
        with self._lock:
            used = min(count, len(self._free))
            if count - used > self.pool.capacity - self.count:
                raise self.pool.full()
            indices = np.empty(count, np.int32)
            if used:
                indices[:used] = self._free[-used:]
                del self._free[-used:]
            indices[used:] = np.arange(self.count, self.count + count - used, dtype=np.int32)
            self._count_up(count - used)
            return indices

    def give_back_many(self, indices: np.ndarray) -> None:
        """Free rows whose ids are stale (`body_batches.retire_rows`, `editing.take_out_many`)."""
        freed = indices.tolist()
        with self._lock:
            self._free += freed

    def template(self, mode: int, flags: int) -> np.ndarray:
        """A new body's row with a mode and flags: an array of one. Bodies that are not rigid get an inverse mass of zero."""
        row = np.array([self._new])
        row["mode"], row["flags"] = mode, flags
        if mode < RIGID:
            row["inverse_mass"], row["inverse_inertia_local"], row["inverse_inertia_world"] = 0, 0, 0
        return row

    def free_count(self) -> int:
        """The number of free rows."""
        with self._lock:
            return self.pool.capacity - self.count + len(self._free)

    def retire(self, index: int) -> None:
        """Make a body's id stale. The row is reused after `give_back`, when no query reads it."""
        with self._lock:
            self._make_stale(index)
            self._retired_count += 1

    def give_back(self, index: int) -> None:
        """Free a row that was retired, or that no query can be reading."""
        with self._lock:
            if self.rows[index]["id"]:
                self._make_stale(index)
            else:
                self._retired_count -= 1
            self._free.append(index)

    def _make_stale(self, index: int) -> None:
        row = self.rows[index]
        row["id"] = 0
        row["sequence"] = (int(row["sequence"]) + 1) & 0x7FFFFFFF or 1


NO_TURN = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]


def _basis_of(x: float, y: float, z: float, w: float) -> list[float]:
    """The rotation matrix of a quaternion by rows, in single precision."""
    rows = np.array([
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)),
        (2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)),
        (2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)),
    ])  # fmt: skip
    return rows.astype(np.float32).ravel().tolist()


class InstancePool:
    """Rows of INSTANCE in runs of a power of two, so that a body's shapes are adjacent and adding one is cheap. Beside each row
    there is one for a node of the tree over a body's shapes, and one for the user's transform (twelve numbers: basis by rows,
    then origin) where the row alone does not determine it. `setting`: how errors name the limit."""

    def __init__(self, capacity: int, setting: str = ""):
        self.pool = Pool("shapes on bodies", INSTANCE, capacity, setting=setting)
        self.rows = self.pool.rows
        self.nodes = Pool("trees of shapes on bodies", INSTANCE_NODE, capacity, setting=setting)
        self._user_transforms = Pool("transforms of shapes on bodies", np.float32, capacity, (12,), setting).rows
        self._used = 0
        self._free: dict[int, list[int]] = {}
        self._lock = threading.Lock()
        self.reclaim = lambda: None  # gives back runs that queries may have been reading

    def take(self, capacity: int) -> int:
        """Take a run of `capacity` rows (a power of two) and return its first row. Raises PoolFull."""
        first = self._take_free(capacity)
        if first < 0:
            self.reclaim()
            first = self._take_free(capacity)
        if first < 0:
            raise self.pool.full()
        return first

    def _take_free(self, capacity: int) -> int:
        """`take`, or -1 if there is no room."""
        with self._lock:
            free = self._free.get(capacity)
            if free:
                return free.pop()
            first = self._used
            if first + capacity > self.pool.capacity:
                return -1
            self._used += capacity
            return first

    def take_many(self, count: int, capacity: int) -> list[int]:
        """Take up to `count` runs of `capacity` rows, as many as there are, and return their first rows."""
        if count * capacity > self.pool.capacity - self._used + capacity * len(self._free.get(capacity, ())):
            self.reclaim()
        with self._lock:
            free = self._free.setdefault(capacity, [])
            start = max(len(free) - count, 0)
            runs = free[start:]
            del free[start:]
            more = min(count - len(runs), (self.pool.capacity - self._used) // capacity)
            runs += range(self._used, self._used + more * capacity, capacity)
            self._used += more * capacity
            return runs

    def copy(self, first: int, to: int, count: int) -> None:
        """Copy `count` rows from `first` on to those from `to` on."""
        has_own = self.rows["has_user_transform"][first : first + count].any()
        size, start = INSTANCE.itemsize, self.pool.address
        ctypes.memmove(start + to * size, start + first * size, count * size)
        if has_own:
            self._user_transforms[to : to + count] = self._user_transforms[first : first + count].copy()

    def move(self, first: int, to: int, count: int) -> None:
        """`copy` to another run, with the tree."""
        self.copy(first, to, count)
        if count >= TREE_FROM:
            size, start = INSTANCE_NODE.itemsize, self.nodes.address
            ctypes.memmove(start + to * size, start + first * size, count * size)

    def user_transform(self, index: int) -> list[float]:
        """The user's transform of a shape, twelve numbers."""
        row = self.rows[index]
        if row["has_user_transform"]:
            return self._user_transforms[index].tolist()
        return [*_basis_of(*row["rotation"].tolist()), *row["origin_position"].tolist()]

    def keep_user_transform(self, index: int, transform) -> None:
        """Store the user's transform if the row's rotation and position do not determine it."""
        self._user_transforms[index] = transform
        self.rows[index]["has_user_transform"] = 1

    def most_used(self) -> int:
        """The most rows ever in use at once: freed rows are reused first."""
        return self._used

    def used_count(self) -> int:
        """The number of rows in runs that are taken."""
        with self._lock:
            return self._used - sum(capacity * len(runs) for capacity, runs in self._free.items())

    def give_back(self, first: int, capacity: int) -> None:
        """Free a run."""
        self.give_back_many([first], capacity)

    def give_back_many(self, firsts: list[int], capacity: int) -> None:
        """Free runs of one capacity."""
        with self._lock:
            self._free.setdefault(capacity, []).extend(firsts)
