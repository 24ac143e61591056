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
from scree.tools.step_costs import Pile

BARRIERS, WAKES = 5000, 200
ASLEEP = 0.001  # [s] after a step; its workers sleep by then
ALONE_BODIES, ALONE_SETTLED, ALONE_SECONDS = 300, 240, 0.5  # the world that each thread steps for itself


def barrier_us(threads: int) -> float:
    """The median cost of a job that all threads must meet in [us]; 0 for one thread, which meets nobody."""
    return 1e6 * float(np.median(measure_barriers(threads, BARRIERS))) if threads > 1 else 0.0


def wake_us(threads: int) -> tuple[float, float]:
    """The cost of waking sleeping workers at a step's begin [us], medians: what the caller spends on it, and the time from the
    begin until all threads have met."""
    if threads == 1:
        return 0.0, 0.0
    record, calls, meetings = np.zeros(1, dtype=MEET), [], []
    record["threads"] = threads
    with ThreadPool(threads) as pool:
        record["pool"] = pool.address
        for _ in range(WAKES):
            time.sleep(ASLEEP)
            began = time.perf_counter()
            is_shared = begin_elevation(pool.address)
            called = time.perf_counter()
            if is_shared:
                run(pool.address, meet.address, address_of(record), 0, threads, 1)
                calls.append(called - began)
                meetings.append(time.perf_counter() - began)
            end_elevation(pool.address, is_shared)
    return 1e6 * float(np.median(calls)), 1e6 * float(np.median(meetings))


def step_alone(pile: Pile, start: threading.Barrier, seconds: float, found: list[float]) -> None:
    """Step a world of one thread from a common start on for some seconds; append the median time in a step [s]."""
    system = pile.world.system(pile.system)
    system.measure_stages()
    start.wait()
    end, times, before = time.perf_counter() + seconds, [], 0.0
    while time.perf_counter() < end:
        pile.step(1)
        after = sum(system.stage_seconds().values())
        times.append(after - before)
        before = after
    found.append(float(np.median(times)))


def crowding(threads: list[int], seconds: float = ALONE_SECONDS) -> dict[int, float]:
    """How much slower a thread works while others work beside it on worlds of their own: by the number of threads, 1.0 for one.
    Clock rates, shared cores, shared caches and memory are in it; nothing of Scree's sharing is."""
    piles = [Pile(ALONE_BODIES, 1) for _ in range(max(threads))]
    for pile in piles:
        pile.step(ALONE_SETTLED)
    times = {}
    for number in sorted({1, *threads}):
        start, found = threading.Barrier(number), []
        workers = [threading.Thread(target=step_alone, args=(pile, start, seconds, found)) for pile in piles[:number]]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        times[number] = float(np.mean(found))
    return {number: times[number] / times[1] for number in threads}


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
