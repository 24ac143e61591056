"""Which bricks of a structure came apart from the rest, for Python: a search that may go on over several calls, and pieces that
wait to be taken."""

import numpy as np

from ..runtime.distinct import distinct
from ..runtime.memory import address_of, reserve
from .asking import find_in_boxes
from .pieces import GROUP, SEARCH, list_bricks, search_pieces

LEAST_ROOM = 64
EVERYTHING = 1 << 62
NOTHING = np.zeros((0, 6), np.float32)


class PieceSearch:
    """The pieces of one structure. It notes what is removed, and searches when it is asked. One thread at a time."""

    def __init__(self, structure):
        self.structure = structure
        # Loaded now: a game must not wait for it at the first hit.
        self._code = [entry.address for entry in (search_pieces, list_bricks, find_in_boxes)]
        self._search = np.zeros(1, SEARCH)
        self.anchors = NOTHING
        """Boxes (k, 6) [unit]: bricks whose bounds touch one are held from outside, and what hangs on them stays. With none, the
        largest piece stays."""
        self._removed = NOTHING
        self._noted: list[np.ndarray] = []
        self._rooms: list = []
        self._found: list[np.ndarray] = []  # pieces of the last search that ended
        self._bounds = NOTHING  # their bounds
        self._taken = 0  # how many of them were taken; the others wait
        self._searched = NOTHING  # bounds of the removed bricks at which they were found

    def note(self, bounds: np.ndarray) -> None:
        """Note bounds (n, 6) of bricks that were removed [unit]."""
        self._noted.append(bounds.astype(np.float32))
        self._search[0]["is_begun"] = 0
        self.note_change(bounds)

    def note_change(self, bounds: np.ndarray) -> None:
        """Note bounds (n, 6) of bricks that were removed or inserted [unit]: if some touch, in an area, those of a piece that
        waits, the pieces may no longer be what they were, and are looked for again."""
        if not self._waits:
            return
        waiting = self._bounds[self._taken :, None]
        ahead, behind = bounds[None, :, :3] - waiting[:, :, 3:], waiting[:, :, :3] - bounds[None, :, 3:]
        gaps = np.maximum(ahead, behind)
        if ((gaps <= 0.0).all(axis=2) & ((gaps == 0.0).sum(axis=2) <= 1)).any():
            self._noted.append(self._searched)
            self._drop_found()

    def forget(self) -> None:
        """Forget what was noted: it will not be looked for pieces there."""
        self._removed, self._noted = NOTHING, []
        self._drop_found()

    def _drop_found(self) -> None:
        self._found, self._taken, self._search[0]["is_begun"] = [], 0, 0

    @property
    def _waits(self) -> bool:
        """Whether some piece waits to be taken."""
        return self._taken < len(self._found)

    @property
    def is_over(self) -> bool:
        """Whether there is nothing left to search, and no piece waits to be taken."""
        return not len(self._removed) and not self._noted and not self._waits

    def _make_room(self) -> None:
        """Room for the searches: a removed brick has few neighbours, but may have many small ones."""
        row = self._search[0]
        if not row["structure"]:  # most pieces never break
            row["structure"] = self.structure.address
            self._lists = reserve(8 * len(self.structure.bricks)), reserve(4 * len(self.structure.bricks))
            row["marks"], row["links"] = (address_of(np.frombuffer(memory, np.uint8)) for memory in self._lists)
        capacity = max(LEAST_ROOM, min(len(self.structure), EVERYTHING))
        if row["group_capacity"] < capacity:
            self._rooms = [reserve(GROUP.itemsize * capacity), reserve(4 * capacity)]
            row["groups"], row["open"] = (address_of(np.frombuffer(memory, np.uint8)) for memory in self._rooms)
            row["group_capacity"], row["is_begun"] = capacity, 0
        row["removed"], row["removed_count"] = address_of(self._removed), len(self._removed)

    def find(self, budget: int | None = None, most: int | None = None) -> list[np.ndarray]:
        """Go on, looking at `budget` bricks at most, None for any number. Once the search is over the result is pieces that came
        apart, of each the numbers of its bricks, int32, ascending: `most` of them, with `budget` bricks in all, or one that has
        more. The others wait for the next calls. The caller takes the bricks out. What stays is not among them. While the search
        is not over, or nothing came apart, an empty list."""
        if self.is_over:
            return []
        with self.structure.lock:
            if not self._waits:
                self._go_on(budget)
            begin, left = self._taken, EVERYTHING if budget is None else budget
            end = len(self._found) if most is None else min(begin + most, len(self._found))
            while self._taken < end and (self._taken == begin or len(self._found[self._taken]) <= left):
                left -= len(self._found[self._taken])
                self._taken += 1
            return self._found[begin : self._taken]

    def put_back(self, count: int) -> None:
        """Let the last pieces that were taken, whose bricks were not taken out, wait again."""
        self._taken -= count

    def _go_on(self, budget: int | None) -> None:
        """Go on with the search. If it ends, the pieces that came apart wait from then on."""
        self._removed, self._noted = np.concatenate((self._removed, *self._noted)), []
        self._make_room()
        row = self._search[0]
        row["budget"] = EVERYTHING if budget is None else budget
        search_pieces(address_of(self._search))
        if not row["is_over"]:
            return
        self._searched, self._removed, row["is_begun"] = self._removed, NOTHING, 0
        self._found, self._taken = self._pieces(), 0
        if self._found:
            starts = np.cumsum([0, *(len(piece) for piece in self._found)])[:-1]
            rows = self.structure.bricks[self.structure.rows_by_number[np.concatenate(self._found)]]
            low, high = np.minimum.reduceat(rows["low"], starts), np.maximum.reduceat(rows["high"], starts)
            self._bounds = np.concatenate((low, high), axis=1)

    def _pieces(self) -> list[np.ndarray]:
        """The pieces of a search that is over: those that no anchor holds; without anchors all but the largest. A search that is
        left open is that of the rest."""
        row = self._search[0]
        groups = np.frombuffer(self._rooms[0], GROUP)[: int(row["group_count"])]
        apart = np.flatnonzero(groups["is_apart"])
        if not len(self.anchors):
            if not row["open_count"] and len(apart):
                apart = np.delete(apart, np.argmax(groups["count"][apart]))
            return [self._bricks_of(group, groups) for group in apart.tolist()]
        held = distinct(np.concatenate([self.structure.in_box(box[:3], box[3:])["number"] for box in self.anchors]))
        pieces = [self._bricks_of(group, groups) for group in apart.tolist()]
        searched = np.concatenate([np.zeros(0, np.int32), *pieces])
        if row["open_count"] and np.isin(held, searched).all():  # no anchor holds the rest
            pieces.append(np.setdiff1d(self.structure.numbers(), searched, assume_unique=True))
        return [piece for piece in pieces if not np.isin(piece, held).any()]

    def _bricks_of(self, group: int, groups: np.ndarray) -> np.ndarray:
        """Numbers of the bricks of a group that came apart, int32, ascending."""
        numbers = np.zeros(int(groups["count"][group]), np.int32)
        list_bricks(address_of(self._search), group, address_of(numbers))
        return np.sort(numbers)
