"""The cost of starting a job and waiting until all threads have done it, in the thread pool of a step."""

import numpy as np

from ..runtime.atomics import add_int64, load_acquire_int64, pause
from ..runtime.kernel import JOB_SIGNATURE, entry_point
from ..runtime.memory import address_of, view
from ..runtime.parking import give_way
from ..runtime.thread_pool import POOL, ThreadPool, begin_elevation, end_elevation, parallel_range
from ..runtime.timeline import cycles, cycles_per_second

INT64 = np.int64
MEET = np.dtype([("arrived", "i8"), ("threads", "i8"), ("pool", "i8")], align=True)
PATIENCE = 500
"""Polls of the counter before a thread yields its core."""


@entry_point(JOB_SIGNATURE)
def meet(context, begin, end, worker):
    """Job: wait until every thread has taken a batch, so that none can run another's."""
    record = view(context, 1, MEET)[0]
    wanted = (add_int64(context, INT64(1)) // record.threads + 1) * record.threads
    tries = 0
    while load_acquire_int64(context) < wanted:
        tries += 1
        if tries < PATIENCE:
            pause()
        else:
            give_way(view(record.pool, 1, POOL)[0].parking)


@entry_point("void(int64, int64, int64, int64, int64)")
def time_barriers(pool, job, context, times_address, count):
    """Run the job with a batch for each thread repeatedly; write the cycles of each run to int64 (count)."""
    times = view(times_address, count, INT64)
    threads = view(context, 1, MEET)[0].threads
    for k in range(count):
        began = cycles()
        parallel_range(pool, job, context, 0, threads, 1)
        times[k] = cycles() - began


def measure_barriers(threads: int, count: int = 10_000) -> np.ndarray:
    """Measure the seconds of each of `count` jobs in which all threads must meet: starting, meeting, and noticing the end."""
    times, record = np.zeros(count, np.int64), np.zeros(1, dtype=MEET)
    record["threads"] = threads
    with ThreadPool(threads) as pool:
        record["pool"] = pool.address
        is_shared = begin_elevation(pool.address)
        time_barriers(pool.address, meet.address, address_of(record), address_of(times), count)
        end_elevation(pool.address, is_shared)
    return times / cycles_per_second()
