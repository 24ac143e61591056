"""The interface between a step and the threads that run its jobs.

A job system is a JOB_SYSTEM record: the addresses of five functions, a word of its own that is passed to each as the first
argument (`state`), and its number of threads. To write one, make an entry point (or a C function) of each, and a JobSystem that
holds them:

- `begin(state) -> shared`: a step begins; prepare the threads. 0: the caller does this step alone.
- `run(state, job, context, begin, end, batch) -> done`: run the items `begin` to `end - 1` of the job in batches of `batch`, on
  any threads, each item once, and return when all are done: a barrier. Each batch is a call of the job at address `job`,
  `job(context, first item, last item + 1, worker)`; `worker` is below `thread_count` and unique to each thread. Writes of the
  caller before are visible to the jobs, and their writes to the caller afterwards. 0: busy, nothing was done.
- `start(state, job, context, begin, end, batch) -> started`: as `run`, but it may return before the job is done, so that the
  caller can do other work meanwhile. 0: busy, nothing was done.
- `wait(state)`: the barrier for `start`; the caller may help. Called once after each `start` that returned 1, by the same thread;
  nothing else may be started before.
- `finish(state, shared)`: the step is over; the threads may rest.

This module has one for a single thread. `pooled_threads.py`: its own threads. `godot/worker_threads.py`: those of Godot's
WorkerThreadPool.
"""

import numpy as np

from .call import call_1, call_1_result, call_2, call_6_result, call_job
from .cores import MAX_THREADS
from .kernel import entry_point, kernel
from .memory import address_of, view
from .timeline import Recorded, cycles, record

INT64 = np.int64

JOB_SYSTEM = np.dtype(
    [
        ("state", "i8"), ("begin", "i8"), ("run", "i8"), ("start", "i8"), ("wait", "i8"), ("finish", "i8"),
        ("thread_count", "i8"),
        ("timeline", "i8"),  # address of a TIMELINE; 0: not recording
    ],
    align=True,
)  # fmt: skip
FUNCTIONS = ("begin", "run", "start", "wait", "finish")


@kernel
def run_range(timeline, worker, job, context, begin, end):
    """Call a job for a range, and record it if a timeline is recording."""
    if timeline == 0:
        call_job(job, context, begin, end, worker)
    else:
        began = cycles()
        call_job(job, context, begin, end, worker)
        record(timeline, worker, job, began, cycles(), begin, end - begin)


@kernel
def batch_size(thread_count, count, least):
    """Items a batch: about four batches a thread, but no batch smaller than `least` or larger than four times that, so that
    threads do not wait long for the last one."""
    parts = 4 * thread_count
    return max(min((count + parts - 1) // parts, 4 * least), least)


@kernel
def begin_jobs(address):
    """Begin a step. Return whether it is shared; either way `finish_jobs` must follow."""
    system = view(address, 1, JOB_SYSTEM)[0]
    return call_1_result(system.begin, system.state) != 0


@kernel
def finish_jobs(address, is_shared):
    """End a step."""
    system = view(address, 1, JOB_SYSTEM)[0]
    call_2(system.finish, system.state, INT64(1) if is_shared else INT64(0))


@kernel
def run_job(address, is_shared, job, context, begin, end, least):
    """Run the items `begin` to `end - 1` of a job and return when all are done: in batches of at least `least` if the step is
    shared. A single batch is run by the caller at once."""
    if begin >= end:
        return
    system = view(address, 1, JOB_SYSTEM)[0]
    batch = batch_size(system.thread_count, end - begin, least) if is_shared else end - begin
    if batch < end - begin and call_6_result(system.run, system.state, job, context, begin, end, batch) != 0:
        return
    run_range(system.timeline, 0, job, context, begin, end)


@kernel
def run_one_by_one(address, is_shared, job, context, count):
    """Run the items 0 to `count - 1` of a job and return when all are done: each is a batch, if the step is shared. For items
    that take long."""
    if count == 0:
        return
    system = view(address, 1, JOB_SYSTEM)[0]
    if is_shared and count > 1 and call_6_result(system.run, system.state, job, context, 0, count, 1) != 0:
        return
    run_range(system.timeline, 0, job, context, 0, count)


@kernel
def start_job(address, is_shared, job, context, begin, end):
    """Run a job as one batch, on another thread or at once. Return whether `wait_for_job` must follow."""
    system = view(address, 1, JOB_SYSTEM)[0]
    if is_shared and call_6_result(system.start, system.state, job, context, begin, end, end - begin) != 0:
        return True
    run_range(system.timeline, 0, job, context, begin, end)
    return False


@kernel
def wait_for_job(address):
    """Wait for the job of `start_job`."""
    system = view(address, 1, JOB_SYSTEM)[0]
    call_1(system.wait, system.state)


class JobSystem(Recorded):
    """Owns a JOB_SYSTEM record; `address` is passed to a physics system. `functions`: entry points or addresses by the names of
    FUNCTIONS."""

    name = "job system"

    def __init__(self, state: int, thread_count: int, functions: dict):
        missing = [name for name in FUNCTIONS if name not in functions]
        if missing:
            raise ValueError(f"JobSystem: there is no function {missing[0]!r}")
        if not 1 <= thread_count <= MAX_THREADS:
            raise ValueError(f"JobSystem: thread_count must be 1 to {MAX_THREADS}, got {thread_count}")
        self._functions = functions  # kept alive
        self._job_system = np.zeros(1, dtype=JOB_SYSTEM)
        self.record = self._job_system[0]
        self.record["state"], self.record["thread_count"] = state, thread_count
        for name in FUNCTIONS:
            function = functions[name]
            self.record[name] = function if isinstance(function, int) else function.address
        self.address = address_of(self._job_system)

    def close(self) -> None:
        """Release the threads. No job may be running; later jobs are run by their caller alone."""


# One thread: nothing is shared.


@entry_point("int64(int64)")
def begin_alone(state):
    """Return 0: the step is not shared."""
    return 0


@entry_point("int64(int64, int64, int64, int64, int64, int64)")
def run_alone(state, job, context, begin, end, batch):
    """Run all batches in sequence."""
    for first in range(begin, end, batch):
        call_job(job, context, first, min(first + batch, end), 0)
    return 1


@entry_point("void(int64)")
def wait_alone(state):
    """Do nothing: all jobs are already done."""


@entry_point("void(int64, int64)")
def finish_alone(state, is_shared):
    """Do nothing: there are no threads to rest."""


class SingleThread(JobSystem):
    """Every job is run by the stepping thread."""

    name = "one thread"

    def __init__(self):
        functions = {
            "begin": begin_alone, "run": run_alone, "start": run_alone, "wait": wait_alone, "finish": finish_alone,
        }  # fmt: skip
        super().__init__(0, 1, functions)
