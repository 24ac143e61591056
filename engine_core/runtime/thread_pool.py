"""The thread pool: `parallel_for` with the latency of a cache line.

Workers are Python threads that enter one compiled function without the GIL and stay there. Between steps the operating system
parks them; during a step (`elevate` ... `release`) they spin on one word, so that starting a job costs well under a microsecond.
They spin for some 20 us at most, then yield, then park: pure spinning loses milliseconds when there are more threads than free
cores.

A job of `n` batches is divided into home ranges, one a worker, the same for every job of that size, so that data stays in its
caches. A worker claims batches of its own range by an atomic addition, then those left by others. The caller works too and
returns when all is done. A claim delays the end of its job, so a worker with a claim may read the job: a late worker needs no
other protection.

(The scheme of spinning between jobs: Teardown's next engine, talk of 2025; home ranges and stealing: Box2D v3,
`solver.c`.)
"""

import atexit
import os
import threading

import numpy as np

from .atomics import (
    add_int32,
    add_int64,
    compare_exchange_int32,
    exchange_int32,
    load_acquire_int32,
    load_acquire_int64,
    pause,
    store_release_int32,
    store_release_int64,
)  # fmt: skip
from .attributes import keep_as_call
from .cores import MAX_THREADS, default_thread_count
from .job_system import run_range
from .kernel import EntryPoint, entry_point, kernel
from .memory import Pool, view
from .parking import PARKING, give_way, system_functions, wait_while, wake_all
from .timeline import LINE, Recorded, cycles, cycles_per_second

INT32, INT64 = np.int32, np.int64

SPIN_SECONDS = 20e-6
YIELD_SECONDS = 200e-6
STALL_SECONDS = 300e-6
"""A caller that waits this long at the end of a job has probably lost a worker's core to another program; see `judge`."""
FIRST_RETREAT, MAX_RETREAT = 4, 256
"""The number of steps that the caller then does alone, at first and at most."""
CALM = 60
"""After this many steps without a stall the next one counts as the first."""
PATIENCE = 300
"""After this many stalls the cost of a step alone is measured again."""

# Every part is written by one side only and has its own cache lines.
POOL = np.dtype(
    [
        # Written by the thread that starts a job, read by all.
        ("generation", "i4"),  # counts jobs, and other events that workers must notice
        ("elevated", "i4"),  # number of steps under way: above 0, workers spin
        ("stop", "i4"),
        ("thread_count", "i4"),  # including the caller
        ("job", "i8"), ("context", "i8"), ("begin", "i8"), ("end", "i8"), ("batch", "i8"),
        ("timeline", "i8"),  # address of a TIMELINE; 0: not recording
        ("pad_0", "u1", LINE - 64),
        # Written by workers as they finish.
        ("done", "i4"),  # batches of this job
        ("caller_waits", "i4"),
        ("batch_count", "i8"),
        ("pad_1", "u1", LINE - 16),
        ("parked", "i4"),  # workers that went to sleep since the last wake-up
        ("pad_2", "u1", LINE - 4),
        # Used by the caller alone.
        ("busy", "i4"),  # a job is being done
        ("refused", "i4"),  # how often the pool was busy
        ("stalls", "i8"),
        ("jobs", "i8"),  # jobs handed out
        ("began", "i8"), ("stalls_before", "i8"),  # of the step under way
        ("retreat", "i8"), ("next_retreat", "i8"),  # steps still to be done alone; their number the last time
        ("calm", "i8"), ("doubts", "i8"),  # steps since the last stall; stalls since the last step alone
        ("shared_cost", "i8"), ("alone_cost", "i8"),  # of a step, running means [cycle]; 0: unknown
        ("started_count", "i8"),  # batches of a job that is still to be waited for
        ("pad_3", "u1", LINE - 96),
        # Constants.
        ("spin", "i8"), ("yielding", "i8"), ("stall", "i8"),  # [cycle]
        ("parking", PARKING),
        ("helpers", "i8"),  # of a pool without its own threads: brings workers
        ("pad_4", "u1", LINE - 32 - PARKING.itemsize),
        ("claims", "i8", MAX_THREADS * LINE // 8),  # one line a thread: next batch << 32 | end of its range
    ],
    align=True,
)  # fmt: skip
_OFFSET = {name: field[1] for name, field in POOL.fields.items()}
assert all(_OFFSET[name] % LINE == 0 for name in ("generation", "done", "parked", "busy", "spin", "claims"))
GENERATION, ELEVATED, STOP = _OFFSET["generation"], _OFFSET["elevated"], _OFFSET["stop"]
DONE, CALLER_WAITS, PARKED, BUSY = _OFFSET["done"], _OFFSET["caller_waits"], _OFFSET["parked"], _OFFSET["busy"]
CLAIMS = _OFFSET["claims"]
RANGE_END = 0xFFFFFFFF


@kernel
def work_on_batches(pool, worker):
    """Claim and run batches until there are none: first the worker's own range, then those left by others."""
    keep_as_call()
    head = view(pool, 1, POOL)[0]
    thread_count = INT64(head.thread_count)
    done = 0
    for k in range(thread_count):
        owner = worker + k
        if owner >= thread_count:
            owner -= thread_count
        claims = pool + CLAIMS + owner * LINE
        while True:
            left = load_acquire_int64(claims)
            if left >> 32 >= left & RANGE_END:
                break
            claim = add_int64(claims, INT64(1 << 32))
            index = claim >> 32
            if index >= claim & RANGE_END:
                break
            begin = head.begin + index * head.batch
            run_range(head.timeline, worker, head.job, head.context, begin, min(begin + head.batch, head.end))
            done += 1
    if done > 0:
        before = add_int32(pool + DONE, INT32(done))
        if load_acquire_int32(pool + CALLER_WAITS) != 0 and before + done >= head.batch_count:
            wake_all(head.parking, pool + DONE)


@kernel
def await_change(pool, seen):
    """Wait until the generation differs from `seen`: spin and yield while the pool is elevated, then park."""
    keep_as_call()
    head = view(pool, 1, POOL)[0]
    word = pool + GENERATION
    began = cycles()
    while load_acquire_int32(pool + ELEVATED) > 0:
        if load_acquire_int32(word) != seen:
            return
        waited = cycles() - began
        if waited < head.spin:
            pause()
        elif waited < head.yielding:
            give_way(head.parking)
        else:
            break
    while load_acquire_int32(word) == seen:
        # Counted before the system checks the word again: a thread that changes the word after that sees the count.
        add_int32(pool + PARKED, INT32(1))
        wait_while(head.parking, word, seen)


@entry_point("void(int64, int64)")
def work(pool, worker):
    """Main loop of one worker thread."""
    while True:
        seen = load_acquire_int32(pool + GENERATION)
        if load_acquire_int32(pool + STOP) != 0:
            break
        work_on_batches(pool, worker)
        await_change(pool, seen)


@kernel
def call_workers(pool):
    """Notify every worker: spinning ones see the generation change, sleeping ones are woken."""
    head = view(pool, 1, POOL)[0]
    add_int32(pool + GENERATION, INT32(1))
    if load_acquire_int32(pool + PARKED) != 0:
        exchange_int32(pool + PARKED, INT32(0))
        wake_all(head.parking, pool + GENERATION)


@kernel
def await_batches(pool, batch_count):
    """Wait until all batches are done: spin, yield, sleep."""
    keep_as_call()
    head = view(pool, 1, POOL)[0]
    began = cycles()
    while load_acquire_int32(pool + DONE) < batch_count:
        waited = cycles() - began
        if waited < head.spin:
            pause()
        elif waited < head.yielding:
            give_way(head.parking)
        else:
            exchange_int32(pool + CALLER_WAITS, INT32(1))
            done = load_acquire_int32(pool + DONE)
            if done < batch_count:
                wait_while(head.parking, pool + DONE, done)
            exchange_int32(pool + CALLER_WAITS, INT32(0))
    if cycles() - began > head.stall:
        head.stalls += 1


@kernel
def deal_out(pool, job, context, begin, end, batch, batch_count):
    """Write the job, then the home ranges: from then on a late worker may claim."""
    head = view(pool, 1, POOL)[0]
    head.job = job
    head.context = context
    head.begin = begin
    head.end = end
    head.batch = batch
    head.batch_count = batch_count
    head.jobs += 1
    store_release_int32(pool + DONE, INT32(0))
    thread_count = INT64(head.thread_count)
    first = INT64(0)
    for worker in range(thread_count):
        last = (worker + 1) * batch_count // thread_count
        store_release_int64(pool + CLAIMS + worker * LINE, first << 32 | last)
        first = last


@kernel
def parallel_range(pool, job, context, begin, end, batch):
    """Run the items `begin` to `end - 1` of the job at address `job` in batches of `batch`; return when all are done.

    Fewer than two batches are run by the caller at once. False if the pool is busy (with a job that starts another job, or with
    another thread's): then nothing was done, and `refused` counts it."""
    keep_as_call()
    head = view(pool, 1, POOL)[0]
    if begin >= end:
        return True
    batch_count = (end - begin + batch - 1) // batch
    if compare_exchange_int32(pool + BUSY, INT32(0), INT32(1)) != 0:
        add_int32(pool + BUSY + 4, INT32(1))
        return False
    if batch_count < 2 or head.thread_count < 2:
        run_range(head.timeline, 0, job, context, begin, end)
    else:
        deal_out(pool, job, context, begin, end, batch, batch_count)
        call_workers(pool)
        work_on_batches(pool, 0)
        await_batches(pool, batch_count)
    store_release_int32(pool + BUSY, INT32(0))
    return True


@kernel
def parallel_for(pool, job, context, count, batch):
    """`parallel_range` from 0 to `count - 1`."""
    return parallel_range(pool, job, context, 0, count, batch)


@kernel
def start_range(pool, job, context, begin, end, batch):
    """Start `parallel_range` without waiting. If it returns True, `wait_for_range` must follow. Without elevated workers all is
    done at once."""
    head = view(pool, 1, POOL)[0]
    if compare_exchange_int32(pool + BUSY, INT32(0), INT32(1)) != 0:
        add_int32(pool + BUSY + 4, INT32(1))
        return False
    head.started_count = 0
    if begin >= end or head.thread_count < 2 or not is_elevated(pool):
        run_range(head.timeline, 0, job, context, begin, end)
    else:
        head.started_count = (end - begin + batch - 1) // batch
        deal_out(pool, job, context, begin, end, batch, head.started_count)
        call_workers(pool)
    return True


@kernel
def wait_for_range(pool):
    """Help with the job of `start_range`, and wait until it is done."""
    head = view(pool, 1, POOL)[0]
    if head.started_count > 0:
        work_on_batches(pool, 0)
        await_batches(pool, head.started_count)
    store_release_int32(pool + BUSY, INT32(0))


@kernel
def elevate(pool):
    """Begin a step: wake the workers and keep them spinning until `release`. False if there are none, or if the step should be
    done alone after a stall: then the caller starts no jobs. Either way `release` must follow."""
    head = view(pool, 1, POOL)[0]
    head.began = cycles()
    head.stalls_before = head.stalls
    if head.thread_count < 2:
        return False
    if head.retreat > 0:
        head.retreat -= 1
        return False
    add_int32(pool + ELEVATED, INT32(1))
    call_workers(pool)
    return True


@kernel
def running_mean(mean, value):
    return value if mean == 0 else mean + (value - mean) // 4


@kernel
def judge(head):
    """After a step with a stall, judge whether another program uses a worker's core, so that the caller is faster alone. Only a
    few steps alone can show that; if they were faster, the next retreat is twice as long. A stall may also be one heavy batch:
    then sharing was still faster, and continues."""
    head.calm = 0
    head.doubts += 1
    if head.alone_cost == 0 or head.doubts > PATIENCE:
        head.retreat = FIRST_RETREAT
    elif head.shared_cost > head.alone_cost:
        head.next_retreat = min(max(2 * head.next_retreat, FIRST_RETREAT), MAX_RETREAT)
        head.retreat = head.next_retreat
    if head.retreat > 0:
        head.alone_cost = 0
        head.shared_cost = 0
        head.doubts = 0


@kernel
def release(pool, is_shared):
    """End a step: let the workers park, and learn from its cost. `is_shared`: the result of `elevate`."""
    head = view(pool, 1, POOL)[0]
    cost = cycles() - head.began
    if not is_shared:
        head.alone_cost = running_mean(head.alone_cost, cost)
        return
    add_int32(pool + ELEVATED, INT32(-1))
    head.shared_cost = running_mean(head.shared_cost, cost)
    if head.stalls != head.stalls_before:
        judge(head)
    else:
        head.calm += 1
        if head.calm >= CALM:
            head.next_retreat = 0
            head.alone_cost = 0


@kernel
def is_elevated(pool):
    return load_acquire_int32(pool + ELEVATED) > 0


@entry_point("int64(int64, int64, int64, int64, int64, int64)")
def run(pool, job, context, begin, end, batch):
    """Call `parallel_range` from Python: 1 if done, 0 if the pool was busy."""
    return 1 if parallel_range(pool, job, context, begin, end, batch) else 0


@entry_point("int64(int64, int64, int64, int64, int64, int64)")
def start(pool, job, context, begin, end, batch):
    """Call `start_range` by address: 1 if started, 0 if the pool was busy."""
    return 1 if start_range(pool, job, context, begin, end, batch) else 0


@entry_point("void(int64)")
def wait(pool):
    """Call `wait_for_range` by address."""
    wait_for_range(pool)


@entry_point("int64(int64)")
def begin_elevation(pool):
    """Call `elevate` from Python."""
    return 1 if elevate(pool) else 0


@entry_point("void(int64, int64)")
def end_elevation(pool, is_shared):
    """Call `release` from Python."""
    release(pool, is_shared != 0)


@entry_point("void(int64)")
def dismiss(pool):
    """End the workers."""
    exchange_int32(pool + STOP, INT32(1))
    add_int32(pool + GENERATION, INT32(1))
    wake_all(view(pool, 1, POOL)[0].parking, pool + GENERATION)


class ThreadPool(Recorded):
    """A pool of `thread_count` threads, the caller included: with 1 there is no worker and every job is a plain call. Without its
    own threads, another job system brings workers to it for the duration of a step (`helpers`).

    Workers do not survive a fork: in the child the pool has one thread. `close` ends them; a pool that is still open when the
    interpreter exits is closed then. In a host that never ends its interpreter they sleep until the process ends.
    """

    def __init__(self, thread_count: int | None = None, has_own_threads: bool = True):
        if thread_count is None:
            thread_count = default_thread_count()
        if not 1 <= thread_count <= MAX_THREADS:
            raise ValueError(f"ThreadPool: thread_count must be 1 to {MAX_THREADS}, got {thread_count}")
        self._memory = Pool("thread pool", POOL, 1)
        self.address = self._memory.address
        self.record = self._memory.rows[0]
        rate = cycles_per_second()
        self.record["spin"] = SPIN_SECONDS * rate
        self.record["yielding"] = (SPIN_SECONDS + YIELD_SECONDS) * rate
        self.record["stall"] = STALL_SECONDS * rate
        for name, address in system_functions().items():
            self.record["parking"][name] = address
        self.record["thread_count"] = thread_count
        self._threads = [
            threading.Thread(target=work, args=(self.address, worker), name=f"scree worker {worker}", daemon=True)
            for worker in range(1, thread_count if has_own_threads else 1)
        ]
        if self._threads:
            work.address  # noqa: B018  (compiled here once, not in every thread at the same time)
        for thread in self._threads:
            thread.start()
        _open_pools.add(self)

    def parallel_for(self, job: EntryPoint, context: int, count: int, batch: int, begin: int = 0) -> None:
        """Run the items `begin` to `count - 1` of a job on all threads. Raises RuntimeError if the pool is already busy: a job
        cannot start another one."""
        if batch < 1:
            raise ValueError(f"parallel_for: batch must be at least 1, got {batch}")
        if not run(self.address, job.address, context, begin, count, batch):
            raise RuntimeError("parallel_for: the thread pool is at work: a job cannot hand out another job")

    def close(self) -> None:
        """End the workers and wait for them. No job may be running. Later jobs are run by their caller alone."""
        _open_pools.discard(self)
        threads, self._threads = self._threads, []
        self.record["thread_count"] = 1
        if threads:
            dismiss(self.address)
        for thread in threads:
            thread.join()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def _forget_workers(self) -> None:
        """After a fork, forget the workers: only the forking thread lives on."""
        self._threads = []
        self.record["thread_count"] = 1
        for field in ("busy", "elevated", "parked"):
            self.record[field] = 0


# Strong references: workers use the memory of their pool.
_open_pools: set[ThreadPool] = set()
_shared: dict[int, ThreadPool] = {}
_shared_lock = threading.Lock()


def shared_pool(thread_count: int | None = None) -> ThreadPool:
    """The pool of this process with this many threads (default: all physical cores but one), shared by worlds."""
    with _shared_lock:
        count = default_thread_count() if thread_count is None else thread_count
        if count not in _shared or _shared[count] not in _open_pools:
            _shared[count] = ThreadPool(count)
        return _shared[count]


@atexit.register
def _close_all() -> None:
    for pool in list(_open_pools):
        pool.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: [pool._forget_workers() for pool in list(_open_pools)])
