"""Profiles of steps, taken while a game runs: what each stage of each step took, and what every thread did in it.

    profiler = StepProfiler(world.system(system))
    ...                       # the game steps
    profile = profiler.take() # the steps since the last take
    profiler.stop()

The step writes one row (step/ticks.py) and the batches of its jobs (runtime/timeline.py); all else happens in `take`.
"""

from dataclasses import dataclass

import numpy as np

from ..runtime.memory import view_rows
from ..runtime.timeline import EVENT, EVENT_SIZE, TIMELINE, Timeline, cycles_per_second
from ..step.physics_system import PhysicsSystem
from ..step.stages import JOB_COUNT, JOBS, STAGE_COUNT, STAGE_NAMES

TICKS_KEPT = 600
"""Steps that wait for `take`: ten seconds of a game."""
EVENTS_KEPT = 1 << 14
"""Batches of each thread that wait for `take`: some ten steps of a large space. A larger ring would not stay in the caches."""
US = 1e6
_users: dict[object, int] = {}  # profilers of each job system, whose recorder they share


@dataclass
class StepProfile:
    """Some steps of a space. Arrays of steps have a row each, arrays of events one for each batch that a thread ran."""

    first: int  # number of the first step since the profile began
    lost: int  # steps before it that were overwritten before they were taken
    thread_count: int
    begins: np.ndarray  # float64 (steps,), since the profile began [s]
    durations: np.ndarray  # float32 (steps,) [us]
    stage_times: np.ndarray  # float32 (steps, STAGE_COUNT), on the thread that called the step [us]
    active_bodies: np.ndarray  # int32 (steps,)
    pairs: np.ndarray
    contacts: np.ndarray
    event_ticks: np.ndarray  # int32 (events,): the row of the step, ascending
    event_threads: np.ndarray  # int32: 0 is the thread that called the step
    event_stages: np.ndarray  # int32: number of the stage, by STAGE_NAMES
    event_begins: np.ndarray  # float32, since the step began [us]
    event_durations: np.ndarray  # float32 [us]
    event_items: np.ndarray  # int32: pairs, bodies, blocks; 0 for serial work

    stage_names = STAGE_NAMES


def empty_profile() -> StepProfile:
    """A profile of no step."""
    floats, whole = np.zeros(0, np.float32), np.zeros(0, np.int32)
    return StepProfile(
        0, 0, 0, np.zeros(0), floats, np.zeros((0, STAGE_COUNT), np.float32), whole, whole, whole,
        whole, whole, whole, floats, floats, whole,
    )  # fmt: skip


def ring_of(timeline: Timeline, worker: int) -> np.ndarray:
    """The ring of events of a thread, dtype EVENT."""
    rings = int(view_rows(timeline.address, 1, TIMELINE)[0]["rings"])
    return view_rows(rings + worker * timeline.capacity * EVENT_SIZE, timeline.capacity, EVENT)


def new_events(timeline: Timeline, worker: int, first: int) -> np.ndarray:
    """The events of a thread from number `first` on that are still there: a copy, dtype EVENT. No job may be running."""
    count, capacity = timeline.written(worker), timeline.capacity
    return ring_of(timeline, worker)[np.arange(max(first, count - capacity, 0), count) & (capacity - 1)]


class StepProfiler:
    """Records the steps of a system from its making until `stop`. No step of its world may be running at any call. Raises
    RuntimeError while something else measures the system."""

    def __init__(self, system: PhysicsSystem, ticks: int = TICKS_KEPT, events: int = EVENTS_KEPT):
        self.system = system
        self._ticks = system.record_ticks(ticks)
        jobs = system.job_system
        self._timeline = jobs.timeline if _users.get(jobs) else jobs.start_recording(events)
        for worker in range(0 if _users.get(jobs) else self._timeline.thread_count):
            ring_of(self._timeline, worker)[:] = 0  # else steps would wait for the system to find the memory
        _users[jobs] = _users.get(jobs, 0) + 1
        self._taken, self._totals = 0, np.zeros(STAGE_COUNT, np.int64)
        self._places = [self._timeline.written(worker) for worker in range(self._timeline.thread_count)]
        self._origin: int | None = None  # when the first step began [cycle]
        addresses = np.array([job.address for job in JOBS] + list(range(JOB_COUNT, STAGE_COUNT)), np.int64)
        self._stage_of = np.argsort(addresses)
        self._jobs = addresses[self._stage_of]

    def stop(self) -> None:
        """Stop recording. May be called twice."""
        if self._ticks is None:
            return
        self._ticks = None
        self.system.stop_ticks()
        jobs = self.system.job_system
        _users[jobs] -= 1
        if not _users[jobs]:
            del _users[jobs]
            jobs.stop_recording()

    def take(self) -> StepProfile:
        """Return the steps since the last call. Raises RuntimeError after `stop`."""
        if self._ticks is None:
            raise RuntimeError("take: the profile was stopped")
        rows, count = self._ticks.since(self._taken), self._ticks.count
        lost = count - self._taken - len(rows)
        if lost:  # the first that is left only tells what came before the others
            self._totals, rows, lost = rows[0]["cycles"], rows[1:], lost + 1
        totals = np.concatenate([self._totals[None], rows["cycles"]])
        cycles = np.maximum(np.diff(totals, axis=0), 0)
        self._taken, self._totals = count, totals[-1]
        ends, lengths = rows["end"], cycles.sum(1)
        begins = ends - lengths
        if self._origin is None and len(begins):
            self._origin = int(begins[0])
        second = cycles_per_second()
        return StepProfile(
            count - len(rows), lost, self._timeline.thread_count,
            (begins - (self._origin or 0)) / second, (lengths * (US / second)).astype(np.float32),
            (cycles * (US / second)).astype(np.float32), rows["active_count"], rows["pair_count"], rows["contact_count"],
            *self._events(begins, ends, US / second),
        )  # fmt: skip

    def _events(self, begins: np.ndarray, ends: np.ndarray, scale: float) -> tuple[np.ndarray, ...]:
        """The events within the steps: step, thread, stage, begin, duration, items."""
        parts, threads = [], []
        for worker, place in enumerate(self._places):
            events = new_events(self._timeline, worker, place)
            self._places[worker] = self._timeline.written(worker)
            parts.append(events)
            threads.append(np.full(len(events), worker, np.int32))
        events, threads = np.concatenate(parts), np.concatenate(threads)
        ticks = np.searchsorted(begins, events["begin"], "right") - 1
        places = np.minimum(np.searchsorted(self._jobs, events["job"]), STAGE_COUNT - 1)
        # Other spaces and tasks between steps share the recorder.
        is_ours = (ticks >= 0) & (self._jobs[places] == events["job"])
        if len(ends):
            is_ours &= events["begin"] <= ends[ticks]
        order = np.flatnonzero(is_ours)
        order = order[np.argsort(ticks[order], kind="stable")]  # by step, thread and time
        events, threads, ticks, places = events[order], threads[order], ticks[order], places[order]
        since = events["begin"] - begins[ticks]
        return (
            ticks.astype(np.int32), threads, self._stage_of[places].astype(np.int32), (since * scale).astype(np.float32),
            ((events["end"] - events["begin"]) * scale).astype(np.float32), events["count"].astype(np.int32),
        )  # fmt: skip
