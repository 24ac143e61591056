"""Rows of SHAPE that are structures: their fields follow the edits of the bricks, and some have a convex stand-in beside them."""

import numpy as np

from . import schema
from .rows import ShapeRows
from .structure_settings import StructureBlock, cook_stand_in, structure_fields


class StructureRows(ShapeRows):
    """The part of a `ShapePool` that handles structures."""

    def __init__(self, make_id, capacity: int, setting: str = ""):
        super().__init__(make_id, capacity, setting)
        self._source: dict[int, tuple[int, np.ndarray]] = {}  # by derived row: user's shape and stretch
        self._structure_rows: dict[int, set[int]] = {}  # rows by `id` of their structure, which their blocks keep alive
        self._stale_stand_ins: dict[int, None] = {}  # rows of structures that were edited since their stand-ins were made
        self.on_structure = lambda: None  # called when a row gets a structure
        self.on_structure_changed = lambda index, batch: None  # called after a batch of edits, for each user's shape

    def renew_structure(self, structure) -> None:
        """Renew the rows of a structure after a batch of edits. Called by the structure, in the order of batches."""
        with self._lock:
            for row in self._structure_rows.get(id(structure), ()):
                record = self._blocks[row].record
                record["brick_count"] = len(structure)
                if record["is_wanted"]:
                    self._stale_stand_ins[row] = None
                shape = self.rows[row]
                for name, value in structure_fields(structure, self._blocks[row].unit).items():
                    shape[name] = value

    def settle_stand_ins(self, are_wanted: bool) -> None:
        """Make the convex stand-ins that a step asked for, and renew one of those whose structures were edited since: the others
        serve as they are until their turn. To be called before a step."""
        with self._lock:
            rows = [row for rows in self._structure_rows.values() for row in rows] if are_wanted else []
            rows = [row for row in rows if self._blocks[row].record["is_wanted"] and self._blocks[row].record["stand_in"] < 0]
            if self._stale_stand_ins:
                rows.append(next(iter(self._stale_stand_ins)))  # the one that has waited longest
                del self._stale_stand_ins[rows[-1]]
            for row in rows:
                if row in self._blocks and isinstance(self._blocks[row], StructureBlock):
                    self._renew_stand_in(self._blocks[row])

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
        with self._lock:
            shapes = {self._source.get(row, (row,))[0] for row in self._structure_rows.get(id(structure), ())}
        for index in sorted(shapes):
            self.on_structure_changed(index, batch)

    def _follow(self, index: int, block: StructureBlock) -> dict:
        """Have a row follow the edits of its structure from now on. Return its fields as of now."""
        self._structure_rows.setdefault(id(block.structure), set()).add(index)
        block.structure.users.add(self)
        self.on_structure()
        return structure_fields(block.structure, block.unit)

    def _unfollow(self, index: int, block: StructureBlock) -> None:
        self._retire_stand_in(block)
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
