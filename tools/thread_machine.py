"""The machine's part in how a step scales: the cost of a barrier, of waking workers, and of cores that work at the same time."""

import os
import platform
import threading
import time
from pathlib import Path

import numpy as np

from scree.profiling.barrier_costs import MEET, measure_barriers, meet
from scree.runtime.cores import physical_core_count
from scree.runtime.memory import address_of
from scree.runtime.thread_pool import ThreadPool, begin_elevation, end_elevation, run
from scree.runtime.timeline import cycles_per_second
from scree.tools.step_costs import TICK, Pile

BARRIERS, WAKES, TRIES = 1000, 50, 8  # in each try; the quietest try counts, as steps are told by their quietest rounds
ASLEEP = 0.001  # [s] after a step; its workers sleep by then
ALONE_BODIES, ALONE_SETTLED, ALONE_SECONDS, ALONE_TRIES = 300, 240, 0.3, 3  # the world that each thread steps for itself
ALONE_STEPS = 1000  # the last ones count


def barrier_us(threads: int) -> float:
    """The median cost of a job that all threads must meet in [us]; 0 for one thread, which meets nobody."""
    if threads == 1:
        return 0.0
    return 1e6 * min(float(np.median(measure_barriers(threads, BARRIERS))) for _ in range(TRIES))


def wake_us(threads: int) -> tuple[float, float]:
    """The cost of waking sleeping workers at a step's begin [us], medians: what the caller spends on it, and the time from the
    begin until all threads have met."""
    if threads == 1:
        return 0.0, 0.0
    record = np.zeros(1, dtype=MEET)
    record["threads"] = threads
    with ThreadPool(threads) as pool:
        record["pool"] = pool.address
        tries = [np.median([wake_once(pool, record) for _ in range(WAKES)], axis=0) for _ in range(TRIES)]
    call, meeting = 1e6 * np.min(tries, axis=0)
    return float(call), float(meeting)


def wake_once(pool: ThreadPool, record: np.ndarray) -> tuple[float, float]:
    """Seconds of waking the workers of a pool that sleep: the caller's part, and until all have met. `record`: MEET (1)."""
    time.sleep(ASLEEP)
    began = time.perf_counter()
    is_shared = begin_elevation(pool.address)
    called = time.perf_counter()
    if is_shared:
        run(pool.address, meet.address, address_of(record), 0, pool.thread_count, 1)
    met = time.perf_counter()
    end_elevation(pool.address, is_shared)
    return (called - began, met - began) if is_shared else (np.inf, np.inf)


def step_alone(pile: Pile, start: threading.Barrier, seconds: float, found: list[float]) -> None:
    """Step a world of one thread from a common start on for some seconds; append the time in a step [s], the lower quartile."""
    system = pile.world.system(pile.system)
    ring = system.record_ticks(ALONE_STEPS)  # threads that read times in Python after each step would wait for each other there
    start.wait()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pile.world.step(pile.system, TICK)
    times = np.diff(ring.since(0)["cycles"], axis=0).sum(axis=1) / cycles_per_second()
    system.stop_ticks()
    found.append(float(np.quantile(times, 0.25)))


def crowding(threads: list[int], seconds: float = ALONE_SECONDS) -> dict[int, float]:
    """How much slower a thread works while others work beside it on worlds of their own: by the number of threads, 1.0 for one.
    Clock rates, shared cores, shared caches and memory are in it; nothing of Scree's sharing is. More threads beside it never
    make a thread faster: where fewer were measured to be slower, other work was in the way."""
    piles = [Pile(ALONE_BODIES, 1) for _ in range(max(threads))]
    for pile in piles:
        pile.step(ALONE_SETTLED)
    times = dict.fromkeys(sorted({1, *threads}), np.inf)
    for _ in range(ALONE_TRIES):
        for number in times:
            times[number] = min(times[number], step_beside(piles[:number], seconds))
    floors = {number: min(time for more, time in times.items() if more >= number) for number in times}
    return {number: floors[number] / floors[1] for number in threads}


def step_beside(piles: list[Pile], seconds: float) -> float:
    """Step worlds at the same time, each on a thread of its own: the mean of their times a step [s]."""
    start, found = threading.Barrier(len(piles)), []
    workers = [threading.Thread(target=step_alone, args=(pile, start, seconds, found)) for pile in piles]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return float(np.mean(found))


def processor_name() -> str:
    """The name of the processor, as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def machine(threads: list[int]) -> dict:
    """All figures of the machine: its processor and cores; by the number of threads `barriers`, `wake_calls` and `wakes` [us],
    and `crowding` (a ratio)."""
    wakes = {number: wake_us(number) for number in threads}
    return {
        "processor": processor_name(),
        "cores": physical_core_count(),
        "processors": os.cpu_count(),
        "barriers": {number: round(barrier_us(number), 3) for number in threads},
        "wake_calls": {number: round(call, 2) for number, (call, _) in wakes.items()},
        "wakes": {number: round(meeting, 2) for number, (_, meeting) in wakes.items()},
        "crowding": {number: round(ratio, 4) for number, ratio in crowding(threads).items()},
    }
