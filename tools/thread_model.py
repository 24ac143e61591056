"""A model of a step on any number of threads: how long it takes, from what it takes on one.

The step is a row of jobs and serial stages, one after the other. On `p` threads:

    step = wake + sum over serial stages of (slower * stage) + sum over jobs of (share * slower * job + barrier)

- `job`: the time of the job on one thread, from a recording.
- `share`: the part of the job that the busiest thread does. A job is cut into batches (`batch_size` of job_system.py); `k` equal
  batches keep `p` threads busy for the time of `ceil(k / p)`. A job of one batch stays with the caller: share 1, no barrier. So a
  colour of few blocks gains nothing from many threads.
- `slower`: how much slower a thread works beside `p - 1` others. It has two measured parts. `crowding` is the cores' own: clock
  rates, cores that are two processors, shared caches and memory; it comes from worlds that share nothing. `sharing` is the price
  of cache lines that another thread wrote last: on two threads half of all lines are another's, on `p` threads `1 - 1 / p`.
  Serial stages read what all threads wrote, so it is theirs as well.
- `barrier`: the measured cost of a job in which all threads meet.
- `wake`: at the step's begin the caller works alone until the others have woken up.
- At the end another thread makes the trees while the caller stores impulses and writes reports: the longer of both counts.

Inputs: the jobs of the step on one thread, the sharing on two threads, and the machine's figures by the number of threads
(thread_machine.py). No step on more than two threads is an input. Where the machine was not measured with that many threads,
barriers and wakes grow on in a line, and crowding stays as it was last.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from scree.step import stages

Work = Sequence[Sequence]
"""The work of a tick on one thread, in order: rows of (name, items, fewest items a batch, us); no items: a serial stage."""

BATCHES_A_THREAD, LARGEST_BATCH = 4, 4  # as in `batch_size` of engine_core/runtime/job_system.py; the second in fewest items
CALLERS_END = ("store_impulses", "report_contacts", "put_islands_to_sleep")  # what the caller does while another makes the trees
TREES, WAITING = "update_trees", "wait_for_trees"
_LEAST = {
    stages.LEAST_MOVED: ("look_for_pairs",),
    stages.LEAST_PAIRS: ("collide",),
    stages.LEAST_OVERLAPS: ("measure_overlaps",),
    stages.LEAST_BODIES: ("prepare_bodies", "apply_areas", "cover_ways", "sweep_bodies", "take_back", "finish_bodies"),
    stages.LEAST_ROWS: ("integrate_velocities", "note_halfway"),
    stages.LEAST_GROUPS: ("integrate_positions",),
    stages.LEAST_JOINTS: (
        "prepare_joints", "warm_start_joints", "solve_joints", "relax_joints", "store_joints", "answer_bounces",
    ),
    stages.LEAST_TREES: ("warm_start_trees", "solve_trees", "relax_trees", "answer_bounces_in_trees"),
}  # fmt: skip
_LEAST_OF = {name: least for least, names in _LEAST.items() for name in names}


def least_items(name: str) -> int:
    """The fewest items a batch of a job; 0 for a serial stage. Jobs that are not named apart run over blocks of contacts."""
    if name in stages.SERIAL_STAGES:
        return 0
    return _LEAST_OF.get(name, stages.LEAST_BLOCKS)


@dataclass(frozen=True)
class Machine:
    """The figures of a machine by the number of threads: `barriers`, `wake_calls` and `wakes` [us], `crowding` (a ratio, 1 for
    one thread). `sharing`: how much dearer work is on two threads than on two that share nothing, less 1."""

    barriers: Mapping[int, float] = field(default_factory=lambda: {1: 0.0})
    wake_calls: Mapping[int, float] = field(default_factory=lambda: {1: 0.0})
    wakes: Mapping[int, float] = field(default_factory=lambda: {1: 0.0})
    crowding: Mapping[int, float] = field(default_factory=lambda: {1: 1.0})
    sharing: float = 0.0


def grown(figures: Mapping[int, float], threads: int) -> float:
    """A figure between and beyond the measured numbers of threads: in straight lines, the last of them through all that were
    measured [the unit of the figures]."""
    numbers = np.array(sorted(figures), float)
    values = np.array([figures[int(number)] for number in numbers])
    if threads <= numbers[-1] or len(numbers) == 1:
        return float(np.interp(threads, numbers, values))
    slope = max(float(np.polyfit(numbers, values, 1)[0]), 0.0)
    return float(values[-1] + slope * (threads - numbers[-1]))


def kept(figures: Mapping[int, float], threads: int) -> float:
    """A figure between the measured numbers of threads in straight lines; beyond them it stays as it was last."""
    numbers = sorted(figures)
    return float(np.interp(threads, numbers, [figures[number] for number in numbers]))


def batch_share(items: int, least: int, threads: int) -> float:
    """The part of a job that its busiest thread does: 1 if it is a single batch, or a serial stage."""
    if items == 0:
        return 1.0
    parts = BATCHES_A_THREAD * threads
    batch = max(min(-(-items // parts), LARGEST_BATCH * least), least)
    full_batches = (items - 1) // batch  # all but the last, which may be smaller
    rounds, busy_threads = divmod(full_batches, threads)
    last = batch if busy_threads else items - full_batches * batch
    return (rounds * batch + last) / items


def slower(machine: Machine, threads: int) -> float:
    """How much longer an item takes on one of so many threads than on one alone: a ratio."""
    return kept(machine.crowding, threads) * (1.0 + 2.0 * machine.sharing * (1.0 - 1.0 / threads))


@dataclass(frozen=True)
class Prediction:
    """The parts of a predicted step [us]: `waking`, in which the caller works alone; `serial` stages and the step's end; jobs of
    a `single` batch; `shared` jobs; `barriers`. And the number of barriers."""

    waking: float = 0.0
    serial: float = 0.0
    single: float = 0.0
    shared: float = 0.0
    barriers: float = 0.0
    barrier_count: float = 0.0

    @property
    def total(self) -> float:
        """The whole step [us]."""
        return self.waking + self.serial + self.single + self.shared + self.barriers


def predict_tick(work: Work, threads: int, machine: Machine) -> Prediction:
    """The parts of one tick on so many threads."""
    barrier, factor = grown(machine.barriers, threads), slower(machine, threads)
    awake = grown(machine.wakes, threads) - barrier
    parts = Counter(waking=grown(machine.wake_calls, threads))
    for name, items, least, us in work:
        if name in (*CALLERS_END, TREES, WAITING):
            continue
        share = batch_share(items, least, threads)
        if share == 1.0:
            parts["single" if items else "serial"] += us * factor
            continue
        alone = min(max(awake - parts.total(), 0.0), us)
        parts["waking"] += alone
        parts["shared"] += (us - alone) * share * factor
        parts["barriers"] += barrier
    parts["barriers"] += barrier  # of the trees
    parts["serial"] += end_of_step(work) * factor
    return Prediction(**parts, barrier_count=parts["barriers"] / barrier)


def on_one_thread(work: Work) -> Prediction:
    """The parts of one tick on one thread: all of it was measured."""
    serial = sum(row[3] for row in work if is_serial(row[0]))
    return Prediction(serial=serial, single=sum(row[3] for row in work) - serial)


def predict(ticks: Sequence[Work], threads: int, machine: Machine) -> Prediction:
    """The mean of several ticks on so many threads."""
    rows = [predict_tick(work, threads, machine) if threads > 1 else on_one_thread(work) for work in ticks]
    return Prediction(*(float(np.mean([getattr(row, name) for row in rows])) for name in Prediction.__dataclass_fields__))


def end_of_step(work: Work) -> float:
    """The time of the step's end [us]: the caller's reports, or the trees that another thread makes meanwhile; the longer."""
    callers = sum(row[3] for row in work if row[0] in CALLERS_END)
    return max(callers, sum(row[3] for row in work if row[0] == TREES))


def is_serial(name: str) -> bool:
    """Whether one thread does a stage, however many there are. Trees, and what the caller does meanwhile, are counted apart."""
    return name in stages.SERIAL_STAGES and name not in CALLERS_END and name != WAITING


def lonely_us(work: Work) -> float:
    """The time of a tick in which the caller works and no other thread can: serial stages and the overflow [us]."""
    return sum(row[3] for row in work if is_serial(row[0]) or is_overflow(row))


def lonely_share(ticks: Sequence[Work]) -> float:
    """The part of a step on one thread in which only one thread can work."""
    return sum(map(lonely_us, ticks)) / sum(row[3] for work in ticks for row in work)


def serial_share(ticks: Sequence[Work]) -> float:
    """The part of a step on one thread that more than two threads cannot shorten: as `lonely_share`, and the step's end, of whose
    two halves the longer counts. One over it is the most that threads can gain."""
    serial = sum(lonely_us(work) + end_of_step(work) for work in ticks)
    return serial / sum(row[3] for work in ticks for row in work)


def is_overflow(row: Sequence) -> bool:
    """Whether a row of work is a job over the overflow, whose blocks share bodies: it is never cut into batches."""
    name, items, least, _ = row
    return items > 0 and name not in CALLERS_END and name != TREES and least == items and least != least_items(name)


def machine_of(figures: Mapping, scene: Mapping) -> Machine:
    """The machine of a file of thread_costs.py, with the sharing of a scene where that was measured on two threads."""
    tables = {name: tables_of(figures[name]) for name in ("barriers", "wake_calls", "wakes", "crowding")}
    return Machine(**tables, sharing=sharing_of(scene, tables["crowding"]))


def busy_us(scene: Mapping, threads: int) -> float:
    """The time that all threads together are busy with the jobs of a step [us]."""
    return sum(row["busy"] for row in tables_of(scene["jobs"])[threads].values())


def tables_of(figures: Mapping) -> dict:
    """Figures by the number of threads, whose numbers became words in a JSON file."""
    return {int(number): value for number, value in figures.items()}


def sharing_of(scene: Mapping, crowding: Mapping[int, float]) -> float:
    """How much dearer the jobs of a scene are on two threads than crowding explains, less 1; 0 where two were not measured."""
    if 2 not in crowding or 2 not in tables_of(scene["jobs"]):
        return 0.0
    return busy_us(scene, 2) / busy_us(scene, 1) / crowding[2] - 1.0
