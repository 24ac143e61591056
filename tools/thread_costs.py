"""How a step scales with threads: what each job costs, what is serial, how long barriers take. Without Godot, and without a compiler
where the core's library is there.

    python -m scree.tools.thread_costs FILE.json SECONDS SCENES THREADS
    python -m scree.tools.thread_costs threads.json 60 pile,drum:2000 1,2,4,8,12,16
SECONDS are those that each scene is stepped for; building it and bringing it to its first tick takes some more. SCENES: names of
thread_scenes.py with commas between, each with a number of bodies if not the usual one. Writes one JSON file: `machine`, and for
each scene `step` and `stages` (on the thread that steps), `busy` (of each thread by job), `jobs` (of all threads) and `work` (job
by job on one thread), the input of thread_model.py.
"""

import json
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

from scree.constraints.schema import COLOURS, OVERFLOW
from scree.profiling.chrome_trace import spans, thread_name
from scree.profiling.recording import recorded
from scree.runtime.memory import view_rows
from scree.tools.thread_machine import machine
from scree.tools.thread_model import least_items, serial_share
from scree.tools.thread_scenes import SCENES, SceneInTurn

SKIPPED, MEASURED, RECORDED = 3, 30, 10  # ticks after a restart: until the caches are warm; timed; of which recorded
RINGS = 1 << 14  # events of one tick and thread that are kept
TIMED = 2 / 3  # of the seconds; the rest is for recordings
US = 1e6
BESIDE = ("store_impulses", "update_trees")  # they run beside other work if several threads step: they have no barrier


def timed_round(pile) -> np.ndarray:
    """Seconds of each stage on the thread that steps, and last of the whole step, of each timed tick: (ticks, stages + 1)."""
    for _ in range(SKIPPED):
        pile.step()
    system, rows = pile.world.system(pile.system), []
    system.measure_stages()
    before = np.zeros(len(system.stage_seconds()))
    for _ in range(MEASURED):
        whole = pile.step()
        after = np.array(list(system.stage_seconds().values()))
        rows.append([*(after - before), whole])
        before = after
    system.measure_stages(False)
    return np.array(rows)


def overflow_firsts(system) -> set[tuple[int, int]]:
    """The first item and the number of items of the jobs over the overflow of contacts and of joints: one thread runs each."""
    row = view_rows(int(system.row["constraints"]["colours"]), 1, COLOURS)[0]
    fields = (("first_block", "block_count"), ("first_loose", "loose_counts"))
    return {(int(row[first][OVERFLOW]), int(row[count][OVERFLOW])) for first, count in fields if row[count][OVERFLOW] > 0}


def recorded_round(pile) -> tuple[list[list[tuple]], list[set[tuple[int, int]]]]:
    """The events of each recorded tick, as `spans` lists them, and its jobs over the overflow."""
    for _ in range(SKIPPED):
        pile.step()
    system, ticks, overflows = pile.world.system(pile.system), [], []
    with recorded(system, RINGS) as recording:
        for _ in range(RECORDED):
            recording.timeline.clear()
            pile.step()
            ticks.append(spans(recording.timeline, recording.names))
            overflows.append(overflow_firsts(system))
    return ticks, overflows


def work_of(ticks: list[list[tuple]], overflows: list[set[tuple[int, int]]]) -> list[list[list]]:
    """The work of each tick on one thread, in order: rows of [name, items, fewest items a batch, us]; no items: a serial stage."""
    found = []
    for events, overflow in zip(ticks, overflows, strict=True):
        rows = []
        for _, name, begin, end, first, count in events:
            least = count if (first, count) in overflow else least_items(name)
            rows.append([name, count, least, US * (end - begin)])
        found.append(rows)
    return found


def least_work(rounds: list[list[list[list]]]) -> list[list[list]]:
    """Each job's and stage's least time over the rounds, which all did the same steps."""
    found = rounds[0]
    for ticks in rounds[1:]:
        for rows, others in zip(found, ticks, strict=True):
            for row, other in zip(rows, others, strict=True):
                row[3] = min(row[3], other[3])
    return [[[name, items, least, round(us, 3)] for name, items, least, us in rows] for rows in found]


def job_figures(events: list[tuple], order: list[tuple[str, int]]) -> list[tuple[str, float, float, float, int]]:
    """Figures of each job of a tick in its order: its name; microseconds that all threads were busy with it, from its first batch
    to the end of the last, and from the end of the job before to its first batch; the number of its batches. `order`: the names and
    items of the jobs on one thread."""
    batches = [event for event in events if event[5] > 0 and event[1] not in BESIDE]
    found, place, before = [], 0, None
    for name, items in order:
        mine = []
        while place < len(batches) and sum(event[5] for event in mine) < items:
            mine.append(batches[place])
            place += 1
        if not mine or any(event[1] != name for event in mine):
            return []  # a job on other threads of another space, or lost events: this tick tells nothing
        begin, end = min(event[2] for event in mine), max(event[3] for event in mine)
        busy = sum(event[3] - event[2] for event in mine)
        found.append((name, US * busy, US * (end - begin), US * (begin - before if before is not None else 0.0), len(mine)))
        before = end
    return found


def least_jobs(rounds: list[list[list[tuple]]], work: list[list[list]]) -> dict[str, dict[str, float]]:
    """Figures of the jobs by name, sums over a step, means over the ticks of each job's least over the rounds: microseconds `busy`
    on all threads, `span` and `gap` before it; numbers of `jobs`, of those in several batches (`shared`), and of `batches`."""
    sums: dict[str, Counter] = {}
    for tick, rows in enumerate(work):
        order = [(name, items) for name, items, _, _ in rows if items and name not in BESIDE]
        found = [figures for figures in (job_figures(ticks[tick], order) for ticks in rounds) if figures]
        for same in zip(*found, strict=True):
            least = np.min([figures[1:4] for figures in same], axis=0)
            batches = max(figures[4] for figures in same)  # fewer: that round was stepped by the caller alone
            row = dict(zip(("busy", "span", "gap"), least, strict=True))
            row |= {"jobs": 1, "shared": int(batches > 1), "batches": batches}
            sums.setdefault(same[0][0], Counter()).update(row)
    return {name: {key: round(float(value) / len(work), 3) for key, value in row.items()} for name, row in sums.items()}


def busy_threads(rounds: list[list[list[tuple]]]) -> dict[str, dict[str, float]]:
    """Milliseconds a step that each thread is busy with each job and each serial stage; means over the rounds."""
    busy: dict[str, Counter] = {}
    for ticks in rounds:
        for events in ticks:
            for worker, name, begin, end, _, _ in events:
                busy.setdefault(thread_name(worker), Counter())[name] += 1e3 * (end - begin) / (len(ticks) * len(rounds))
    return {
        thread: {name: round(value, 4) for name, value in row.most_common() if value >= 0.001} for thread, row in busy.items()
    }


def scene_costs(name: str, count: int, threads: list[int], seconds: float) -> dict:
    """All figures of a scene, by the number of threads. Rounds go through these numbers in turn, until the time is over."""
    numbers = sorted({1, *threads})
    scene = SceneInTurn(SCENES[name], count, numbers)
    floors = dict.fromkeys(numbers, np.inf)
    records: dict[int, list] = {number: [] for number in numbers}
    overflows, timed = [], 0
    began = time.perf_counter()
    while not timed or time.perf_counter() - began < TIMED * seconds:
        for number in numbers:
            floors[number] = np.minimum(floors[number], timed_round(scene.restart(number)))
        timed += 1
    while not overflows or time.perf_counter() - began < seconds:
        for number in numbers:
            ticks, overflows = recorded_round(scene.restart(number))
            records[number].append(ticks)
    work = least_work([work_of(ticks, overflows) for ticks in records[1]])
    system = scene.piles[1].world.system(scene.piles[1].system)
    stages = {
        number: dict(zip((*stage_names(system), "step"), 1e3 * floors[number].mean(axis=0), strict=True)) for number in numbers
    }
    return {
        "bodies": count, "first_tick": scene.begin + SKIPPED, "rounds": timed, "recordings": len(records[1]),
        "serial_share": serial_share(work),
        "step": {number: round(row["step"], 4) for number, row in stages.items()},
        "stages": {number: {stage: round(ms, 4) for stage, ms in row.items() if ms >= 0.001} for number, row in stages.items()},
        "jobs": {number: least_jobs(records[number], work) for number in numbers},
        "busy": {number: busy_threads(records[number]) for number in numbers},
        "work": work,
    }  # fmt: skip


def stage_names(system) -> list[str]:
    """The names of the stages in the order of their times."""
    system.measure_stages()
    names = list(system.stage_seconds())
    system.measure_stages(False)
    return names


def main(file: str, seconds: str, scenes: str, threads: str) -> None:
    """Measure, and write the file after each scene: what is there is whole if the time runs out."""
    numbers = sorted({1, *map(int, threads.split(","))})
    found = {"threads": numbers, "machine": machine(numbers), "scenes": {}}
    print(json.dumps(found["machine"]), flush=True)
    for word in scenes.split(","):
        name, _, count = word.partition(":")
        began = time.perf_counter()
        costs = scene_costs(name, int(count or SCENES[name].count), numbers, float(seconds))
        found["scenes"][name] = costs
        Path(file).write_text(json.dumps(found))
        took = time.perf_counter() - began
        print(
            f"{name}: {costs['step']} ms, serial {costs['serial_share']:.2%}, {costs['rounds']} rounds, {took:.0f} s", flush=True
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
