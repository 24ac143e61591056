"""Rows of SHAPE: how they are taken, retired until no query reads them, and given back. pool.py assigns them to shapes."""

import threading

import numpy as np

from ..runtime.c_memory import free_all
from ..runtime.memory import Pool
from . import schema

WALK_ROWS = 4096
"""More walks over bricks than are under way at a time: a few a thread."""


class ShapeRows:
    """The rows of all shapes of a world. Any thread may call; one lock guards all."""

    def __init__(self, make_id, capacity: int, setting: str = ""):
        self.pool = Pool("shapes", schema.SHAPE, capacity + WALK_ROWS, setting=setting)
        self.pool.capacity = capacity  # the rows behind it belong to walks over bricks: see bodies/bricks.py
        self.rows = self.pool.rows
        self.row_count = 0  # rows in use have a lower index
        self._make_id = make_id
        self._lock = threading.RLock()
        self._blocks: dict[int, object] = {}
        self.cooked_memory = Pool("cooked memory of shapes", np.int64, capacity)  # by row: see cooked_memory.py; 0: none
        self._part_rows: dict[int, list[int]] = {}  # of a compound's row: those of its parts, used by it alone
        self._rows_of: dict[int, set[int]] = {}  # of a user's shape: rows for its uses, of present and past settings
        self._free_rows: list[int] = []
        self._reserved, self._preferred = frozenset(), -1
        self._retired_blocks: list = []
        self._retired_memory: list[int] = []  # addresses
        self._retired_rows: list[int] = []
        self._retiring: set[int] = set()  # retired rows that are not given back yet
        self.on_retire = lambda: None  # called for each row and block that waits to be given back
        self.reclaim = lambda: None  # gives back what is no longer read

    @property
    def address(self) -> int:
        """Address of row 0; it never changes."""
        return self.pool.address

    def _take_row(self, kind: int) -> int:
        if not self._free_rows and self._retired_rows:
            self.reclaim()
        if self._reserved and (self._preferred >= 0 or self._free_rows):
            self._set_next_row()
        if self._free_rows:
            index = self._free_rows.pop()
        elif self.row_count < self.pool.capacity:
            index = self.row_count
            self.row_count += 1
        else:
            raise self.pool.full()
        row = self.rows[index]
        sequence = int(row["sequence"]) + 1
        self.rows[index] = np.zeros((), dtype=schema.SHAPE)
        row["sequence"], row["user_kind"], row["current"] = sequence, kind, index
        return index

    def reserve(self, indices: set[int]) -> None:
        """Keep rows for shapes that take them by `prefer`: for a replay, before there is any shape."""
        with self._lock:
            self._reserved = frozenset(indices)
            self.row_count = max((*indices, -1)) + 1
            self._free_rows = [index for index in range(self.row_count) if index not in indices]

    def prefer(self, index: int, sequence: int) -> None:
        """Have the next shape that is made get this row, which was reserved, in this use of it. Raises ValueError if the row is
        in use."""
        self.reclaim()
        with self._lock:
            if index not in self._reserved or self.rows[index]["id"] or index in self._rows_of or index in self._retiring:
                raise ValueError(f"prefer: the row of shape {index} is in use")
            self._preferred, self.rows[index]["sequence"] = index, sequence - 1

    def _set_next_row(self) -> None:
        """Put the row that the next shape gets at the end of the free ones; reserved rows are for no other."""
        self._free_rows = [index for index in self._free_rows if index not in self._reserved]
        if self._preferred >= 0:
            self._free_rows.append(self._preferred)
            self._preferred = -1

    def _make_room(self, count: int) -> None:
        """Give back rows that are no longer read, if fewer than `count` are free."""
        if count > self.free_count():
            self.reclaim()

    def take_many(self, count: int) -> np.ndarray:
        """Take rows, int32, as `create` does, but without kind and id, which compiled code writes. Raises PoolFull."""
        self._make_room(count)
        with self._lock:
            used = min(count, len(self._free_rows))
            if self.row_count + count - used > self.pool.capacity:
                raise self.pool.full()
            fresh = np.arange(self.row_count, self.row_count + count - used, dtype=np.int32)
            rows = np.concatenate([np.array(self._free_rows[len(self._free_rows) - used :], np.int32), fresh])
            del self._free_rows[len(self._free_rows) - used :]
            self.row_count += count - used
            sequences = self.rows["sequence"][rows] + 1
            self.rows[rows] = np.zeros((), dtype=schema.SHAPE)
            self.rows["sequence"][rows], self.rows["current"][rows] = sequences, rows
            return rows

    def free_count(self) -> int:
        """The number of free rows."""
        with self._lock:
            return self.pool.capacity - self.row_count + len(self._free_rows)

    def collect(self) -> int:
        """Give back replaced blocks and freed rows. Call it when no step and no query runs. Return the number of both."""
        with self._lock:
            count = len(self._retired_blocks) + len(self._retired_memory) + len(self._retired_rows)
            give_back = self.detach_retired()
            if give_back:
                give_back()
            return count

    def detach_retired(self):
        """Return a function that gives back everything retired until now, or None if there is nothing. Call it when no query can
        be reading that any more."""
        with self._lock:
            blocks, memory, rows = self._retired_blocks, self._retired_memory, self._retired_rows
            self._retired_blocks, self._retired_memory, self._retired_rows = [], [], []

        def give_back() -> None:
            with self._lock:
                blocks.clear()
                free_all(memory)
                self._give_back_rows(rows)

        return give_back if blocks or memory or rows else None

    def _give_back_rows(self, rows: list[int]) -> None:
        """Give rows back, at once for those without extra data: most of them."""
        others = {row for row in rows if row in self._blocks or row in self._part_rows}
        for row in sorted(others):
            self._give_back_row(row)
        rows = [row for row in rows if row not in others] if others else rows
        self._retiring.difference_update(rows)
        indices = np.array(rows, np.int64)
        self.rows["kind"][indices] = schema.EMPTY
        free = indices[self.rows["id"][indices] == 0].tolist()
        self._free_rows += [row for row in free if row not in self._rows_of]

    def _give_back_row(self, row: int) -> None:
        self._retiring.discard(row)
        self.rows[row]["kind"] = schema.EMPTY
        self._drop_block(row)
        for part in self._part_rows.pop(row, ()):
            self._give_back_row(part)
        if self.rows[row]["id"] == 0 and row not in self._rows_of:
            self._free_rows.append(row)

    def _drop_block(self, row: int) -> None:
        """Let go of the block of a row, if it has one."""
        self._blocks.pop(row, None)

    # Shapes that were cooked elsewhere, for batches of bodies (core/batches.py).

    def adopt(self, cooked: np.ndarray) -> np.ndarray:
        """Take rows, int32, for shapes that are already cooked: an array of SHAPE whose `block`s are addresses that stay valid
        until `disown`. Each is in use once. Raises PoolFull; then none was taken."""
        self._make_room(len(cooked))
        with self._lock:
            if self.row_count + len(cooked) - len(self._free_rows) > self.pool.capacity:
                raise self.pool.full()
            indices = np.array([self._take_row(int(kind)) for kind in cooked["user_kind"]], np.int32)
            sequences = self.rows["sequence"][indices]
            self.rows[indices] = cooked
            for index, sequence in zip(indices.tolist(), sequences.tolist(), strict=True):
                row = self.rows[index]
                row["sequence"], row["use_count"], row["current"] = sequence, 1, index
                row["id"] = self._make_id(index, sequence)
            return indices

    def disown(self, indices: np.ndarray) -> None:
        """Give back rows of `adopt`. No step and no query may still read them."""
        with self._lock:
            for index in indices.tolist():
                row = self.rows[index]
                row["kind"], row["id"], row["block"] = schema.EMPTY, 0, 0
                row["use_count"] -= 1
                if row["use_count"] == 0:
                    self._free_rows.append(index)

    def used_count(self) -> int:
        """The number of rows in use."""
        with self._lock:
            return self.row_count - len(self._free_rows) - len(self._retired_rows)
