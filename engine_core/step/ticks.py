"""A record of each step while stages are measured: when it ended, what each stage took, and how much there was to do."""

import numpy as np

from ..runtime.kernel import kernel
from ..runtime.memory import Pool, view
from .stages import STAGE_COUNT, STAGES

TICK = np.dtype(
    [
        ("end", "i8"),  # [cycle]
        ("cycles", "i8", STAGE_COUNT),  # of each stage since measuring began, on the thread that called the step
        ("active_count", "i4"), ("pair_count", "i4"),
        ("contact_count", "i4"), ("is_shared", "i4"),  # whether several threads stepped
    ],
    align=True,
)  # fmt: skip
TICKS = np.dtype([("rows", "i8"), ("capacity", "i8"), ("count", "i8")], align=True)
"""A ring of rows of TICK; `count` is how many were written. The record at STAGES.ticks."""


@kernel
def note_tick(system):
    """Write the record of a step that ends, if ticks are recorded. A step without a recording pays one branch."""
    if system.step.stage_cycles != 0:
        stages = view(system.step.stage_cycles, 1, STAGES)[0]
        if stages.ticks != 0:
            ticks = view(stages.ticks, 1, TICKS)[0]
            tick = view(ticks.rows, ticks.capacity, TICK)[ticks.count % ticks.capacity]
            tick.end = stages.since
            for stage in range(STAGE_COUNT):
                tick.cycles[stage] = stages.cycles[stage]
            tick.active_count, tick.pair_count = np.int32(system.bodies.active_count), np.int32(system.pairs.active_count)
            tick.contact_count, tick.is_shared = np.int32(system.manifolds.count), np.int32(system.step.is_shared)
            ticks.count += 1


class TickRing:
    """A ring of `capacity` steps; its memory must live as long as a step may write to it."""

    def __init__(self, capacity: int):
        self.capacity = capacity
        self._rows = Pool("ticks", TICK, capacity)
        self._ring = np.zeros(1, TICKS)
        self._ring[0] = (self._rows.address, capacity, 0)
        self.address = self._ring.ctypes.data

    @property
    def count(self) -> int:
        """Steps written so far."""
        return int(self._ring[0]["count"])

    def since(self, first: int) -> np.ndarray:
        """The steps from number `first` on that are still there, oldest first: a copy, dtype TICK. No step may be running."""
        count = self.count
        return self._rows.rows[np.arange(max(first, count - self.capacity, 0), count) % self.capacity].copy()
