"""How a step scales with threads: what each job costs, what is serial, how long barriers take. It needs no Godot, and no compiler
where the core's library is there.

    python -m scree.tools.thread_costs FILE.json SECONDS SCENES THREADS
    python -m scree.tools.thread_costs threads.json 60 pile,drum:2000 1,2,4,8,12,16
SECONDS are those for which each scene is stepped; to build it takes some more. SCENES: names of thread_scenes.py with commas
between, each with a number of bodies if not the usual one. Writes one JSON file: `machine` (thread_machine.py), and `scenes`. A
scene has by the number of threads `step` and `stages` (floors on the thread that steps) [ms], `busy` (each thread by job) [ms],
and `jobs` (all threads together) [us]; and `work`, job by job on one thread [us], the input of thread_model.py.
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
from scree.step.stages import STAGE_NAMES
from scree.tools.thread_machine import machine
from scree.tools.thread_model import least_items, lonely_share, serial_share
from scree.tools.thread_scenes import SCENES, SceneInTurn

SKIPPED, MEASURED = 3, 20  # ticks after a restart: until the caches are warm; timed or recorded
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
        for _ in range(MEASURED):
            recording.timeline.clear()
            pile.step()
            ticks.append(spans(recording.timeline, recording.names))
            overflows.append(overflow_firsts(system))
    return ticks, overflows


def work_of(events: list[tuple], overflow: set[tuple[int, int]]) -> list[list]:
    """The work of a tick on one thread, in order: rows of [name, items, fewest items a batch, us]; no items: a serial stage."""
    rows = []
    for _, name, begin, end, first, count in events:
        least = count if (first, count) in overflow else least_items(name)
        rows.append([name, count, least, round(US * (end - begin), 3)])
    return rows


def works_of(rounds: list[list[list[tuple]]], overflows: list[set[tuple[int, int]]]) -> list[tuple]:
    """The work of each tick, in all rounds: they all did the same steps."""
    ticks = [[work_of(*tick) for tick in zip(events, overflows, strict=True)] for events in rounds]
    return list(zip(*ticks, strict=True))


def quickest_work(works: list[tuple]) -> list[list[list]]:
    """The work of each tick, from the round that was the quickest in it."""
    return [min(same, key=lambda rows: sum(row[3] for row in rows)) for same in works]


def least_work(works: list[tuple]) -> list[list[list]]:
    """The work of each tick, each job and stage from the round that was the quickest in it: for shares, which would be wrong if
    one stage was disturbed."""
    return [[min(rows, key=lambda row: row[3]) for rows in zip(*same, strict=True)] for same in works]


def job_figures(events: list[tuple], order: list[tuple[str, int]]) -> list[tuple[str, float, float, float, int]]:
    """Figures of each job of a tick: its name; microseconds that all threads were busy with it, from the begin of its first batch
    to the end of its last, and from the end of the job before to that begin; the number of its batches. `order`: names and items
    of the jobs, as they were on one thread."""
    batches = [event for event in events if event[5] > 0 and event[1] not in BESIDE]
    found, place, before = [], 0, None
    for name, items in order:
        mine = []
        while place < len(batches) and sum(event[5] for event in mine) < items:
            mine.append(batches[place])
            place += 1
        if not mine or any(event[1] != name for event in mine):
            raise RuntimeError(f"thread_costs: {name} is not where it was on one thread: events were lost")
        begin, end = min(event[2] for event in mine), max(event[3] for event in mine)
        busy = sum(event[3] - event[2] for event in mine)
        found.append((name, US * busy, US * (end - begin), US * (begin - (before or begin)), len(mine)))
        before = end
    return found


def jobs_of(rounds: list[list[list[tuple]]], work: list[list[list]]) -> dict[str, dict[str, float]]:
    """Figures of the jobs by name, sums over a step, means over the ticks, each from its quickest round: microseconds `busy` on
    all threads, `span`, and `gap` before it; numbers of `jobs`, of those in several batches (`shared`), and of `batches`."""
    sums: dict[str, Counter] = {}
    for tick, rows in enumerate(work):
        order = [(name, items) for name, items, _, _ in rows if items and name not in BESIDE]
        quickest = min((ticks[tick] for ticks in rounds), key=lambda events: max(event[3] for event in events))
        for name, busy, span, gap, batches in job_figures(quickest, order):
            row = {"busy": busy, "span": span, "gap": gap, "jobs": 1, "shared": int(batches > 1), "batches": batches}
            sums.setdefault(name, Counter()).update(row)
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


def measured(scene: SceneInTurn, numbers: list[int], seconds: float) -> tuple[dict, dict, list, int]:
    """Rounds that go through the numbers of threads in turn until the time [s] is over. Return the floors of `timed_round` and
    the rounds of `recorded_round` by the number of threads, the jobs over the overflow, and the number of timed rounds."""
    floors: dict[int, np.ndarray] = {}
    records: dict[int, list] = {number: [] for number in numbers}
    overflows, rounds = [], 0
    began = time.perf_counter()
    while not rounds or time.perf_counter() - began < TIMED * seconds:
        for number in numbers:
            floors[number] = np.minimum(floors.get(number, np.inf), timed_round(scene.restart(number)))
        rounds += 1
    while not overflows or time.perf_counter() - began < seconds:
        for number in numbers:
            ticks, overflows = recorded_round(scene.restart(number))
            records[number].append(ticks)
    return floors, records, overflows, rounds


def scene_costs(name: str, count: int, threads: list[int], seconds: float) -> dict:
    """All figures of a scene, by the number of threads."""
    numbers = sorted({1, *threads})
    scene = SceneInTurn(SCENES[name], count, numbers)
    floors, records, overflows, rounds = measured(scene, numbers, seconds)
    works = works_of(records[1], overflows)
    work, least = quickest_work(works), least_work(works)
    stages = {}
    for number, times in floors.items():
        means = zip((*STAGE_NAMES, "step"), 1e3 * times.mean(axis=0), strict=True)
        stages[number] = {stage: round(float(ms), 4) for stage, ms in means if ms >= 0.001}
    return {
        "bodies": count, "first_tick": scene.begin + SKIPPED, "rounds": rounds, "recordings": len(records[1]),
        "serial_share": serial_share(least), "lonely_share": lonely_share(least),
        "step": {number: row["step"] for number, row in stages.items()},
        "stages": stages,
        "jobs": {number: jobs_of(records[number], work) for number in numbers},
        "busy": {number: busy_threads(records[number]) for number in numbers},
        "work": work,
    }  # fmt: skip


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
        shares = f"serial {costs['serial_share']:.2%}, on one thread alone {costs['lonely_share']:.2%}"
        took = time.perf_counter() - began
        print(f"{name}: {costs['step']} ms, {shares}, {costs['rounds']} rounds, {took:.0f} s", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
