"""Rows of SHAPE that are structures: their fields follow the edits of the bricks, and some have joined bricks or a convex
stand-in beside them."""

import numpy as np

from ..runtime.memory import address_of
from ..structures.joining import MOST_BRICKS, joined_structure
from ..structures.structure import Structure
from . import schema
from .rows import ShapeRows
from .structure_renewal import find_asked, renew_structure_row
from .structure_settings import StructureBlock, cook_stand_in, structure_fields

JOINED_A_STEP = 1 << 11
"""So many bricks are joined before a step, on the average: 1 to 2 ms."""


class StructureRows(ShapeRows):
    """The part of a `ShapePool` that handles structures."""

    def __init__(self, make_id, capacity: int, setting: str = ""):
        super().__init__(make_id, capacity, setting)
        self._source: dict[int, tuple[int, np.ndarray]] = {}  # by derived row: user's shape and stretch
        self._structure_rows: dict[int, set[int]] = {}  # rows by `id` of their structure, which their blocks keep alive
        self._told: dict[int, list[int]] = {}  # users' shapes by `id` of their structure
        self._stale_stand_ins: dict[int, None] = {}  # rows of structures that were edited since their stand-ins were made
        self._joined: dict[int, Structure] = {}  # by row: the joined bricks
        self._unjoined: dict[int, int] = {}  # rows whose bricks are to be joined: their batch of edits before the last step
        self._may_join = MOST_BRICKS  # so many bricks before the next step
        self.on_structure = lambda: None  # called when a row gets a structure
        self.on_structure_changed = lambda index, batch: None  # called after a batch of edits, for each user's shape

    def renew_structure(self, structure) -> None:
        """Renew the rows of a structure after a batch of edits. Called by the structure, in the order of batches."""
        with self._lock:
            for row in self._structure_rows.get(id(structure), ()):
                if renew_structure_row(self.pool.address, row, structure.summary_address, len(structure)):
                    self._stale_stand_ins[row] = None
                if row in self._joined:
                    self._retire_joined(row)
                self._unjoined.setdefault(row, -1)

    def settle_stand_ins(self, are_wanted: bool) -> bool:
        """Join bricks, make the convex stand-ins that a step asked for, and renew one of those whose structures were edited:
        the others serve as they are until their turn. To be called before a step. Returns whether some of it is left for the
        next step."""
        self._join_some()
        with self._lock:
            rows = self._asked() if are_wanted else []
            if self._stale_stand_ins:
                rows.append(next(iter(self._stale_stand_ins)))  # the one that has waited longest
                del self._stale_stand_ins[rows[-1]]
            for row in rows:
                if row in self._blocks and isinstance(self._blocks[row], StructureBlock):
                    self._renew_stand_in(self._blocks[row])
            return bool(self._unjoined)

    def _asked(self) -> list[int]:
        """The rows for which a step asked for something that they do not have."""
        rows = np.array([row for rows in self._structure_rows.values() for row in rows], np.int64)
        return rows[: find_asked(self.pool.address, address_of(rows), len(rows))].tolist()

    def _join_some(self) -> None:
        """Join the bricks of some rows: those that were not edited since the last step, as many as may be before a step. Without
        the lock: edits take first that of their structure, then this one."""
        self._may_join = min(self._may_join + JOINED_A_STEP, MOST_BRICKS)
        for row in list(self._unjoined):
            block = self._blocks.get(row)
            if not isinstance(block, StructureBlock):
                self._unjoined.pop(row, None)
                continue
            batch, count = int(block.structure.record[0]["batch"]), len(block.structure)
            if self._unjoined.get(row) != batch:
                self._unjoined[row] = batch
                continue
            if count > self._may_join and count <= MOST_BRICKS:
                return
            self._may_join -= count if count <= MOST_BRICKS else 0
            joined = joined_structure(block.structure)
            with self._lock:
                if self._blocks.get(row) is block and block.structure.record[0]["batch"] == batch:
                    self._unjoined.pop(row, None)
                    self._set_joined(row, block.record, joined)

    def _set_joined(self, row: int, record, joined: Structure | None) -> None:
        """Let joined bricks, or none, stand for those of a row."""
        self._retire_joined(row)
        if joined is not None:
            self._joined[row] = joined
            record["joined_count"], record["joined"] = len(joined), joined.address

    def _retire_joined(self, row: int) -> None:
        """Give back the joined bricks of a row when no step reads them any more."""
        joined = self._joined.pop(row, None)
        if joined is not None:
            record = self._blocks[row].record
            record["joined"] = record["joined_count"] = 0
            self._retired_blocks.append(joined)
            self.on_retire()

    def _renew_stand_in(self, block: StructureBlock) -> None:
        cooked = cook_stand_in(block.structure, block.unit)
        fresh = self._take_row(schema.HULL)
        self._write(fresh, cooked, False)
        self._retire_stand_in(block)
        block.record["stand_in"] = fresh

    def _retire_stand_in(self, block: StructureBlock) -> None:
        """Give back the stand-in of a structure when no step reads it any more."""
        row = int(block.record["stand_in"])
        if row >= 0:
            block.record["stand_in"] = -1
            self._retired_rows.append(row)
            self.on_retire()

    def tell_structure(self, structure, batch) -> None:
        """Tell the users of a structure what was edited. Called by the structure."""
        shapes = self._told.get(id(structure))
        if shapes is None:
            with self._lock:
                found = {self._source.get(row, (row,))[0] for row in self._structure_rows.get(id(structure), ())}
                shapes = self._told[id(structure)] = sorted(found)
        for index in shapes:
            self.on_structure_changed(index, batch)

    def _follow(self, index: int, block: StructureBlock) -> dict:
        """Have a row follow the edits of its structure from now on. Return its fields as of now."""
        self._structure_rows.setdefault(id(block.structure), set()).add(index)
        block.structure.users.add(self)
        self._unjoined[index] = -1
        self._told.pop(id(block.structure), None)
        self.on_structure()
        return structure_fields(block)

    def _unfollow(self, index: int, block: StructureBlock) -> None:
        self._retire_stand_in(block)
        self._retire_joined(index)  # a step under way may be walking over them
        self._unjoined.pop(index, None)
        self._told.pop(id(block.structure), None)
        self._stale_stand_ins.pop(index, None)
        rows = self._structure_rows[id(block.structure)]
        rows.discard(index)
        if not rows:
            del self._structure_rows[id(block.structure)]
            block.structure.users.discard(self)

    def _drop_block(self, row: int) -> None:
        if isinstance(self._blocks.get(row), StructureBlock):
            self._unfollow(row, self._blocks[row])
        super()._drop_block(row)
