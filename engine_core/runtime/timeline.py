"""A recording of every batch of every job on every thread, written without locks to one ring a thread.

The recorder is always compiled in; while it is off it costs one load and one branch a batch. Times are from the processor's own
counter, which is the same on all cores.
"""

import ctypes
import time

import numpy as np

from .atomics import add_int64
from .intrinsic import intrinsic
from .kernel import entry_point, kernel
from .memory import Pool, view

LINE = 128
"""Bytes between data written by different threads: two cache lines, since processors fetch them in pairs."""

EVENT = np.dtype(
    [
        ("job", "i8"),  # address of the job, or the number of a serial stage
        ("begin", "i8"),  # [cycle]
        ("end", "i8"),
        ("first", "i4"),  # first item of the batch
        ("count", "i4"),  # items in it
    ],
    align=True,
)
EVENT_SIZE = EVENT.itemsize
TIMELINE = np.dtype([("capacity", "i8"), ("rings", "i8"), ("heads", "i8")], align=True)


cycles = intrinsic("timeline", "cycles")


@entry_point("int64()")
def read_cycles():
    """Read the processor's counter from Python."""
    return cycles()


_rate: list[float] = []


def cycles_per_second() -> float:
    """Frequency of `cycles`, measured once against the system's clock (5 ms)."""
    if not _rate:
        read_cycles()
        began, cycles_began = time.perf_counter(), read_cycles()
        while time.perf_counter() < began + 0.005:
            pass
        cycles_ended, ended = read_cycles(), time.perf_counter()
        _rate.append((cycles_ended - cycles_began) / (ended - began))
    return _rate[0]


@kernel
def record(timeline, worker, job, begin, end, first, count):
    """Write one event to the ring of a worker, overwriting the oldest. Any number of threads may write to one ring."""
    line = view(timeline, 1, TIMELINE)[0]
    slot = add_int64(line.heads + worker * LINE, np.int64(1)) & (line.capacity - 1)
    event = view(line.rings + worker * line.capacity * EVENT_SIZE, line.capacity, EVENT)[slot]
    event.job = job
    event.begin = begin
    event.end = end
    event.first = np.int32(first)
    event.count = np.int32(count)


class Timeline:
    """Rings of `capacity` events (a power of two) for each of `thread_count` threads; `address` is passed to the pool."""

    def __init__(self, thread_count: int, capacity: int = 1 << 16):
        if capacity < 2 or capacity & (capacity - 1):
            raise ValueError(f"Timeline: capacity must be a power of two, got {capacity}")
        self.thread_count, self.capacity = thread_count, capacity
        self._rings = Pool("timeline", EVENT, thread_count * capacity)
        self._heads = Pool("timeline heads", np.int64, thread_count * LINE // 8)
        self._record = np.zeros(1, dtype=TIMELINE)
        self._record[0] = (capacity, self._rings.address, self._heads.address)
        self.address = self._record.ctypes.data

    def written(self, worker: int) -> int:
        """The number of events a worker has written since the last `clear`, overwritten ones included."""
        return int(self._heads.rows[worker * LINE // 8])

    def clear(self) -> None:
        """Clear all events. No job may be running."""
        self._heads.rows[:] = 0

    def events(self, worker: int) -> np.ndarray:
        """The remaining events of one worker, oldest first: a copy, dtype EVENT. No job may be running."""
        ring = self._rings.rows[worker * self.capacity : (worker + 1) * self.capacity]
        head = self.written(worker)
        if head <= self.capacity:
            return ring[:head].copy()
        return np.roll(ring, -(head & (self.capacity - 1)))


class Recorded:
    """Base of classes that run jobs, with a `record` that has fields `thread_count` and `timeline`."""

    timeline: Timeline | None = None

    @property
    def thread_count(self) -> int:
        """Threads that a step may use, the caller included."""
        return int(self.record["thread_count"])

    def start_recording(self, capacity: int = 1 << 16) -> Timeline:
        """Record every batch from now on, `capacity` events a thread; the oldest are overwritten."""
        self.timeline = Timeline(self.thread_count, capacity)
        self.record["timeline"] = self.timeline.address
        return self.timeline

    def stop_recording(self) -> Timeline | None:
        """Stop recording. No job may be running. Return the recording, or None."""
        self.record["timeline"] = 0
        return self.timeline


assert ctypes.sizeof(ctypes.c_void_p) == 8, "addresses are 64 bits wide"
