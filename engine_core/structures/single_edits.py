"""The edit of one brick: by one compiled call, with rows that are prepared once for a structure, and without arrays.

An edit in a batch costs a microsecond, but the arrays around a batch cost fifty. Whatever is unusual about a single edit (a brick
that is not valid, pools that are full) changes nothing here and is left to the batch, which says what is wrong.
"""

import struct

import numpy as np

from ..runtime.call import call_2
from ..runtime.kernel import entry_point
from ..runtime.memory import address_of, view
from .edits import edit_structure
from .nodes import bricks_of, clusters_of, row_of
from .schema import BOX, BRICK, COMMAND, INSERT, REMOVE, STRUCTURE
from .summary import summarize

EFFECTS = np.dtype(
    [
        ("removed", "i4"), ("inserted", "i4"),  # numbers of bricks; 0: none
        ("bounds", "f4", 6),  # of the removed one [unit]
        ("new_bounds", "f4", 6),  # of the inserted one [unit]
    ]
)  # fmt: skip
SINGLE = np.dtype(
    [
        ("command", COMMAND),
        ("effects", EFFECTS),
        ("brick", BRICK),  # what to insert
        ("number", "i4"),  # of the brick: given or received
        ("edit", "i8"), ("summarize", "i8"),  # addresses of entry points
        ("summary", "i8"),  # address of the SUMMARY of the structure, to be renewed
        ("elements", "i8"),  # bricks afterwards
        ("has_grown", "i8"),  # the bounds of the structure were wider after the edit than before
    ],
    align=True,
)  # fmt: skip
FIELDS = SINGLE.fields
OPERATION, DONE = (FIELDS["command"][1] + COMMAND.fields[name][1] for name in ("operation", "done"))
EFFECTS_AT, BRICK_AT, NUMBER_AT = (FIELDS[name][1] for name in ("effects", "brick", "number"))
ELEMENTS, HAS_GROWN = (FIELDS[name][1] // 8 for name in ("elements", "has_grown"))
EFFECTS_END = EFFECTS_AT + EFFECTS.itemsize
COMMAND_AT = FIELDS["command"][1]
PACK_BRICK = struct.Struct("<6fIiqIHBB").pack_into
assert struct.calcsize("<6fIiqIHBB") == BRICK.itemsize


@entry_point("void(int64, int64)")
def edit_single(structure, address):
    """Carry out the edit in the SINGLE at an address on a structure, and renew its summary. `command.done` is 0 if nothing was
    changed. For the thread that holds the lock of the structure."""
    single, s = view(address, 1, SINGLE)[0], view(structure, 1, STRUCTURE)[0]
    command, effects, number = single.command, single.effects, np.int64(single.number)
    root, is_removed = clusters_of(s)[s.root], command.operation != INSERT
    x0, y0, z0, x1, y1, z1 = (
        root.low[0, 0], root.low[1, 0], root.low[2, 0], root.high[0, 0], root.high[1, 0], root.high[2, 0]
    )  # fmt: skip
    effects.removed, effects.inserted = np.int32(number if is_removed else 0), np.int32(0)
    if is_removed and 0 < number < s.numbers.capacity:
        brick = bricks_of(s)[row_of(s, number)]
        for k in range(3):
            effects.bounds[k], effects.bounds[3 + k] = brick.low[k], brick.high[k]
    call_2(single.edit, structure, address + COMMAND_AT)
    if command.done == 0:
        return
    call_2(single.summarize, structure, single.summary)
    if command.operation != REMOVE:
        number = np.int64(single.number)
        effects.inserted, brick = np.int32(number), bricks_of(s)[row_of(s, number)]
        for k in range(3):
            effects.new_bounds[k], effects.new_bounds[3 + k] = brick.low[k], brick.high[k]
    root = clusters_of(s)[s.root]
    single.elements = root.elements
    single.has_grown = np.int64(
        root.low[0, 0] < x0 or root.low[1, 0] < y0 or root.low[2, 0] < z0
        or root.high[0, 0] > x1 or root.high[1, 0] > y1 or root.high[2, 0] > z1
    )  # fmt: skip


class SingleBatch:
    """The effects of the edit of one brick, to be read like a `Batch` (structure.py): arrays are made when they are asked for."""

    __slots__ = ("effects", "has_grown")

    def __init__(self, effects: bytes, has_grown: bool):
        self.effects, self.has_grown = effects, has_grown
        """A row EFFECTS as bytes."""

    def _numbers(self, name: str) -> np.ndarray:
        number = np.frombuffer(self.effects, EFFECTS)[name]
        return number[:1] if number[0] else number[:0]

    @property
    def removed(self) -> np.ndarray:
        return self._numbers("removed")

    @property
    def inserted(self) -> np.ndarray:
        return self._numbers("inserted")

    @property
    def bounds(self) -> np.ndarray:
        return np.frombuffer(self.effects, EFFECTS)["bounds"][: len(self.removed)]

    @property
    def new_bounds(self) -> np.ndarray:
        return np.frombuffer(self.effects, EFFECTS)["new_bounds"][: len(self.inserted)]


class SingleEdit:
    """The rows of the single edits of a structure, one edit after the other: for the thread that holds its lock."""

    def __init__(self, structure: int, summary: int):
        """`structure`, `summary`: addresses of STRUCTURE and of its SUMMARY."""
        self._rows = np.zeros(1, SINGLE)
        self._structure, self._address = structure, address_of(self._rows)
        row = self._rows[0]
        command = row["command"]
        command["count"], command["numbers"] = 1, self._address + NUMBER_AT
        command["rows"] = self._address + BRICK_AT
        self._scratch = np.zeros(2, np.int32)
        command["scratch"] = address_of(self._scratch)
        row["edit"], row["summarize"], row["summary"] = edit_structure.address, summarize.address, summary
        self._bytes = memoryview(self._rows).cast("B")
        self._words = self._bytes.cast("q")
        self._int32s = self._bytes.cast("i")

    def set_box(self, low, high, density: int, material: int, layers: int, user_number: int) -> None:
        """Choose the box to be inserted: corners [unit], three numbers each, and its settings. Raises struct.error or
        OverflowError for what is no such number."""
        PACK_BRICK(self._bytes, BRICK_AT, *low, *high, layers, 0, user_number, density, material, BOX, 0)

    def carry_out(self, operation: int, number: int) -> int:
        """Carry out an edit of a brick. Returns its number, which of an insertion or change is a new one; 0: nothing was
        changed."""
        self._words[OPERATION // 8] = operation
        self._int32s[NUMBER_AT // 4] = number
        edit_single(self._structure, self._address)
        return self._int32s[NUMBER_AT // 4] if self._words[DONE // 8] else 0

    def batch(self) -> SingleBatch:
        """The effects of the edit."""
        return SingleBatch(bytes(self._bytes[EFFECTS_AT:EFFECTS_END]), bool(self._words[HAS_GROWN]))

    @property
    def elements(self) -> int:
        """The number of bricks after the edit."""
        return self._words[ELEMENTS]
