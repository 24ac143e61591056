"""The table from shape values to shapes of the core: one shape for all equal values, kept while a body or a recent query uses
it."""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from .shapes import Compound, Shape

RECENT = 64
"""So many shapes that queries asked with are kept for the next query."""


class ShapeTable:
    """The shape values of one world. Any thread may call."""

    def __init__(self, core: Any) -> None:
        self._core = core
        self._lock = threading.RLock()
        self._uses: dict[Shape, list[int]] = {}  # id, number of uses
        self._values: dict[int, Shape] = {}  # by index of the core's shape
        self._recent: OrderedDict[Shape, None] = OrderedDict()

    def take(self, shape: Shape, count: int = 1, call: str = "shape") -> int:
        """Count more uses of a value, and give the id of the core's shape for it. Raises ValueError, PoolFull."""
        if not isinstance(shape, Shape):
            raise ValueError(f"{call}: shape must be a value such as scree.Box(half_extents=(1, 1, 1)), got {shape!r}")
        with self._lock:
            kept = self._uses.get(shape)
            if kept is None:
                kept = self._uses[shape] = [self._make(shape), 0]
                self._values[self._core.shape.index("shape", kept[0])] = shape
            kept[1] += count
            return kept[0]

    def _make(self, shape: Shape) -> int:
        core = self._core
        identity = int(core.shape.create(shape.kind))
        index = core.shape.index("shape", identity)
        try:
            if isinstance(shape, Compound):
                self._write_compound(shape, index)
            else:
                shape._write(core.shapes, index)
        except BaseException:
            core.shape.destroy(identity)
            raise
        return identity

    def _write_compound(self, compound: Compound, index: int) -> None:
        core, given = self._core, []
        ids = self.take_all([part.shape for part in compound.parts], "Compound")
        try:
            for part, identity in zip(compound.parts, ids, strict=True):
                surface = part._surface()
                row = (core.shape.index("Compound", identity), part._transform(), part.tag, surface)
                given.append(row if surface else row[:3])
            core.shapes.set_compound(index, given)  # keeps settings of its own
        finally:
            self.drop_ids(ids)

    def take_all(self, shapes: Iterable[Shape], call: str = "shape") -> list[int]:
        """`take` for each of several values, one use each: their ids. Raises ValueError, PoolFull; then none is used."""
        taken: list[int] = []
        with self.given_back_unless_done(taken):
            for shape in shapes:
                taken.append(self.take(shape, 1, call))
        return taken

    @contextmanager
    def given_back_unless_done(self, ids: list[int]) -> Iterator[None]:
        """A context that drops a use of each of these shapes if what is done in it raises."""
        try:
            yield
        except BaseException:
            self.drop_ids(ids)
            raise

    def drop_ids(self, ids: Iterable[int]) -> None:
        """Count one use fewer of each of the core's shapes with these ids."""
        for identity in ids:
            self.drop(self._core.shape.index("shape", identity))

    def drop(self, index: int, count: int = 1) -> None:
        """Count fewer uses of a shape of the core, by index, and free it after the last one. Other shapes than ours are left
        alone."""
        with self._lock:
            shape = self._values.get(index)
            if shape is None:
                return
            kept = self._uses[shape]
            kept[1] -= count
            if kept[1] <= 0:
                del self._values[index], self._uses[shape]
                self._core.shape.destroy(kept[0])

    def drop_all(self, used: list[tuple[int, int]]) -> None:
        """`drop` for several shapes: index and number of uses of each."""
        for index, count in used:
            self.drop(index, count)

    @contextmanager
    def for_query(self, call: str, shape: Shape) -> Iterator[int]:
        """A context with the id of the core's shape for the value that a query asks with; whatever other threads ask meanwhile,
        the shape stays until its end. Raises ValueError, PoolFull."""
        with self._lock:
            identity = self.take(shape, 1, call)
            self._note_recent(shape)
        try:
            yield identity
        finally:
            self.drop_ids([identity])

    def _note_recent(self, shape: Shape) -> None:
        """Keep a shape for the next query, and let go of the one that was not asked with for longest."""
        if shape in self._recent:
            self._recent.move_to_end(shape)
            return
        self.take(shape)
        self._recent[shape] = None
        if len(self._recent) > RECENT:
            self.drop_ids([self._uses[self._recent.popitem(last=False)[0]][0]])

    def find(self, call: str, shape: Shape) -> int:
        """The id of the core's shape that bodies use for a value. Raises ValueError if none does."""
        with self._lock:
            if shape not in self._uses:
                raise ValueError(f"{call}: no body has this shape")
            return self._uses[shape][0]

    def value(self, index: int) -> Shape | None:
        """The value of a shape of the core; None for a shape that an expert made."""
        return self._values.get(index)
