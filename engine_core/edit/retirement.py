"""Retired rows and memory are reused only when every query that could still read them has ended. No thread waits.

Queries are counted in the trees they use (broad_phase/tree_edits.py), by parity of the generation and stripe. A query that ran
when a thing was retired has ended when its counter has been seen at zero since; a step has, when the gate of its system has been
seen without one. Counters are checked whenever something is retired or needed; what was seen is kept, so they need not be at zero
all at once.
"""

import threading
from collections import deque
from collections.abc import Callable

import numpy as np

from ..bodies.records import world_at
from ..bodies.schema import MOST_BROAD_PHASE_LAYERS
from ..bodies.system_schema import SYSTEM
from ..broad_phase.schema import TREE, USER_STRIPES
from ..broad_phase.tree_edits import USERS
from ..runtime import atomics
from ..runtime.kernel import entry_point
from ..runtime.memory import address_of, view
from .commands import GATE, STEPPING

TREE_SIZE, SYSTEM_SIZE = TREE.itemsize, SYSTEM.itemsize
COUNTERS = 2 * USER_STRIPES
WORDS = MOST_BROAD_PHASE_LAYERS * COUNTERS + 1
"""The words checked in a system: counters of users of each tree, and the gate."""
LOOK_EVERY = 64


@entry_point("int64(int64, int64, int64)")
def count_those_inside(world_address, seen, system_count):
    """Count the counters of all systems that have not been at zero since `seen` was cleared: int8 (system_count, WORDS)."""
    record = world_at(world_address)
    systems = view(record.systems, record.system_capacity, SYSTEM)
    marks = view(seen, system_count * WORDS, np.int8)
    inside = 0
    for number in range(system_count):
        system = systems[number]
        if system.id == 0 or system.trees.rows == 0:
            continue
        first = number * WORDS
        if atomics.load_acquire_int64(record.systems + number * SYSTEM_SIZE + GATE) != STEPPING:
            marks[first + WORDS - 1] = 1
        inside += 1 - marks[first + WORDS - 1]
        for layer in range(system.trees.layer_count):
            for k in range(COUNTERS):
                at = first + layer * COUNTERS + k
                if atomics.load_acquire_int64(system.trees.rows + layer * TREE_SIZE + USERS + 64 * k) == 0:
                    marks[at] = 1
                inside += 1 - marks[at]
    return np.int64(inside)


class Retirement:
    """Things of a world that wait for the queries that may still read them. Any thread; no thread waits for its lock, since a
    retiring thread may hold one that giving back takes."""

    def __init__(self, world):
        self._world = world
        self._lock = threading.Lock()
        self._waiting: deque[Callable[[], None]] = deque()
        self._batch: list[Callable[[], None]] = []  # retired before `_seen` was cleared
        self._seen = np.zeros((0, WORDS), np.int8)
        self._count = 0

    def retire(self, give_back: Callable[[], None]) -> None:
        """Call `give_back` when no thread can be reading the thing any more; from now on no new query finds it."""
        self._waiting.append(give_back)
        self.look_now_and_then()

    def look_now_and_then(self) -> None:
        """Note that something was retired, and check from time to time."""
        self._count += 1
        if self._count % LOOK_EVERY == 0:
            self.reclaim()

    def reclaim(self) -> None:
        """Give back everything that is no longer read."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            while self._has_batch():
                if count_those_inside(self._world.address, address_of(self._seen), len(self._seen)):
                    return
                batch, self._batch = self._batch, []
                for give_back in batch:
                    give_back()
        finally:
            self._lock.release()

    def _has_batch(self) -> bool:
        """Whether something waits; things retired since the last batch become the next one."""
        if not self._batch:
            self._batch = [self._waiting.popleft() for _ in range(len(self._waiting))]
            shapes = self._world.shapes.detach_retired()
            self._batch += [shapes] if shapes else []
            self._seen = np.zeros((int(self._world.record["system_count"]), WORDS), np.int8)
        return bool(self._batch)
