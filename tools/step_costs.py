"""Costs of a step without Godot: barriers, unions, a busy neighbour, a growing number of bodies. One part a process, for `prove`.

    python -m scree.tools.step_costs islands 5000
    python -m scree.tools.step_costs barriers 2
    python -m scree.tools.step_costs neighbour 3000
    python -m scree.tools.step_costs scaling 1 100 300 1000
    python -m scree.tools.step_costs memory 2500 5000
    python -m scree.tools.step_costs threads 5000
    python -m scree.tools.step_costs profile 1000 2
Each prints one line of JSON.
"""

import gc
import json
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np

from scree.bodies.schema import STATIC
from scree.profiling.barrier_costs import measure_barriers
from scree.profiling.island_costs import measure_islands
from scree.profiling.resident import resident_of_pools, resident_of_process
from scree.profiling.step_profile import StepProfiler
from scree.shapes.schema import BOX
from scree.core.world import World

UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
TICK, SPACING, JITTER = 1.0 / 60.0, 1.5, 0.3
LAYERS = 3
MEASURED, ROUNDS = 60, 7
SOLVER = ("prepare_contacts", "integrate_velocities", "warm_start", "solve", "integrate_positions", "relax")
SETTLED = 360  # ticks until the pile of demo_project/scenes/box_pile has come down


class Pile:
    """Boxes of 1 m dropped in a grid of `row` by `row` into a bin; as in demo_project/scenes/box_pile.gd with a row of 13."""

    def __init__(self, count: int, threads: int, row: int = 13):
        self.world = World(threads=threads, bodies=max(2 * count, 1 << 12), body_shapes=max(4 * count, 1 << 13))
        self.system = self.world.create_system(gravity=(0.0, -9.8, 0.0), is_sleeping_allowed=0)
        half = 10.0 * row / 13.0
        self._add(self._box(half + 1.0, 1.0, half + 1.0), (0.0, -1.0, 0.0), STATIC)
        for side in (-half - 0.5, half + 0.5):
            self._add(self._box(0.5, 200.0, half + 1.0), (side, 200.0, 0.0), STATIC)
            self._add(self._box(half + 1.0, 200.0, 0.5), (0.0, 200.0, side), STATIC)
        box, random = self._box(0.5, 0.5, 0.5), np.random.default_rng(1)
        corner = np.array([-SPACING * (row - 1) / 2.0, 1.0, -SPACING * (row - 1) / 2.0])
        for index in range(count):
            cell = np.array([index % row, index // (row * row), index // row % row]) * SPACING
            self._add(box, corner + cell + random.uniform(0.0, JITTER, 3) - (JITTER / 2.0, 0.0, JITTER / 2.0))

    def _box(self, *half_extents: float) -> int:
        shape = self.world.shape.create(BOX)
        self.world.shapes.set_box(self.world.shape.index("box", shape), half_extents)
        return shape

    def _add(self, shape: int, position, mode: int | None = None) -> None:
        body = self.world.body.create()
        if mode is not None:
            self.world.body.set_mode(body, mode)
        self.world.body.add_shape(body, shape)
        self.world.body.set_transform(body, (*UPRIGHT, *position))
        self.world.body.set_system(body, self.system)

    def step(self, ticks: int, clock=time.perf_counter) -> np.ndarray:
        """Seconds of each of so many steps, by a clock."""
        times = np.zeros(ticks)
        for k in range(ticks):
            began = clock()
            self.world.step(self.system, TICK)
            times[k] = clock() - began
        return times


@contextmanager
def busy_process():
    """Another process that computes without a pause."""
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        time.sleep(0.2)
        yield
    finally:
        busy.kill()
        busy.wait()


def islands(count: int) -> dict:
    """The time of a union, and the number of loops of finds, in the settled pile."""
    pile = Pile(count, 1)
    pile.step(SETTLED)
    seconds, histogram, unions = measure_islands(pile.world.system(pile.system))
    return {"union_us": 1e6 * seconds, "unions": unions, "loops": histogram.tolist()}


def barriers(threads: int) -> dict:
    """Times of barriers [us]."""
    times = 1e6 * measure_barriers(threads)
    return {"median_us": float(np.median(times)), "tenth_us": float(np.quantile(times, 0.1)), "mean_us": float(times.mean())}


def neighbour(count: int) -> dict:
    """Milliseconds a step: quiet on one thread, quiet on two, and on two beside a busy process."""
    found = {}
    for name, threads in (("one", 1), ("two", 2)):
        pile = Pile(count, threads)
        pile.step(SETTLED)
        found[name] = 1e3 * float(np.median(pile.step(120)))
    with busy_process():
        pile.step(60)
        times = 1e3 * pile.step(240)
    return {**found, "busy_median": float(np.median(times)), "busy_mean": float(times.mean())}


def scaling(threads: int, *counts: int) -> dict:
    """Milliseconds a step of settled heaps of three layers, whose work is in proportion, by the number of bodies: processor time
    of the thread that steps, median of 60."""
    found = {}
    for count in counts:
        row = max(4, round((count / LAYERS) ** 0.5))
        pile = Pile(count, threads, row)
        pile.step(SETTLED)
        found[count] = 1e3 * float(np.median(pile.step(60, time.thread_time)))
    return found


def memory(few: int, many: int) -> dict:
    """Resident bytes a body of each pool, and of the whole process: by the difference of two settled piles, so that what a world
    takes by itself falls out."""
    totals = []
    Pile(10, 1).step(10)  # what is loaded and compiled once
    for count in (few, many):
        before, of_process = resident_of_pools(), resident_of_process()
        pile = Pile(count, 1)
        pile.step(SETTLED)
        grown = resident_of_pools()
        grown.subtract(before)
        totals.append({**grown, "process": resident_of_process() - of_process})
        del pile
        gc.collect()
    names = sorted(totals[1], key=totals[1].get, reverse=True)
    a_body = {name: (totals[1][name] - totals[0].get(name, 0)) / (many - few) for name in names}
    return {name: round(value, 1) for name, value in a_body.items() if abs(value) >= 0.5}


def stage_times(count: int, threads: int) -> tuple[np.ndarray, list[str]]:
    """Seconds of each stage, and last of the whole step, in each of the measured ticks of the pile: shape (ticks, stages + 1);
    and the stages' names."""
    pile = Pile(count, threads)
    pile.step(SETTLED)
    system = pile.world.system(pile.system)
    system.measure_stages()
    times, before = [], np.array(list(system.stage_seconds().values()))
    for _ in range(MEASURED):
        whole = pile.step(1)[0]
        after = np.array(list(system.stage_seconds().values()))
        times.append([*(after - before), whole])
        before = after
    return np.array(times), list(system.stage_seconds())


def threads(count: int) -> dict:
    """Milliseconds a step of the pile on one thread and on two, in turn, and of its parts: floors, each tick's least of the
    rounds. Every stage is there that takes 0.01 ms; `collision` is the narrow phase, `solver` all that sub-steps do."""
    floors = {}
    for _ in range(ROUNDS):
        for number in (1, 2):
            times, names = stage_times(count, number)
            floors[number] = np.minimum(floors.get(number, np.inf), times)
    one, two = (1e3 * floors[number].mean(axis=0) for number in (1, 2))
    parts = {"step": [-1], "collision": [names.index("collide")], "solver": [names.index(name) for name in SOLVER]}
    found = {name: (one[where].sum(), two[where].sum()) for name, where in parts.items()}
    found |= {name: (one[k], two[k]) for k, name in enumerate(names) if max(one[k], two[k]) >= 0.01}
    return {name: [round(float(value), 4) for value in pair] for name, pair in found.items()}


def profile(count: int, threads: int) -> dict:
    """Milliseconds a step of the settled pile without and with a profile, in turn: the least of all rounds, which a busy machine
    disturbs least, and their ratio; and what one `take` of ten steps costs [ms]."""
    pile = Pile(count, threads)
    pile.step(SETTLED)
    system = pile.world.system(pile.system)
    times, takes, events = {False: [], True: []}, [], 0
    for _ in range(3 * ROUNDS):
        for is_on in (False, True):
            profiler = StepProfiler(system) if is_on else None
            pile.step(3)
            times[is_on].append(np.quantile(pile.step(20), 0.1))
            if profiler:
                profiler.take()
                pile.step(10)
                began = time.perf_counter()
                events = len(profiler.take().event_ticks) / 10
                takes.append(time.perf_counter() - began)
                profiler.stop()
    off, on = (1e3 * float(np.min(times[is_on])) for is_on in (False, True))
    return {"off": off, "on": on, "ratio": on / off, "take": 1e3 * float(np.min(takes)), "events_a_step": events}


if __name__ == "__main__":
    measures = (islands, barriers, neighbour, scaling, memory, threads, profile)
    parts = {function.__name__: function for function in measures}
    print(json.dumps(parts[sys.argv[1]](*map(int, sys.argv[2:]))))
