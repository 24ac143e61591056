"""The thread pool: every item once, no nesting, quick barriers, workers that rest."""

import gc
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pool_jobs as jobs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.runtime.cores import default_thread_count, physical_core_count
from scree.runtime.thread_pool import ThreadPool, begin_elevation, end_elevation, shared_pool
from scree.runtime.timeline import cycles_per_second

pytestmark = pytest.mark.alone
THREADS = (1, 2, 3, 5)


@pytest.fixture(scope="module")
def pools():
    made = {count: ThreadPool(count) for count in THREADS}
    yield made
    for pool in made.values():
        pool.close()


def thread_count_of_process() -> int:
    return len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else threading.active_count()


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(THREADS), st.integers(0, 3000), st.integers(1, 200), st.integers(0, 50), st.booleans())
def test_every_item_once(pools, threads, count, batch, begin, is_elevated):
    pool = pools[threads]
    visits = np.zeros(3100, np.int32)
    elevated = begin_elevation(pool.address) if is_elevated else 0
    for _ in range(3):
        pool.parallel_for(jobs.count_visits, visits.ctypes.data, count, batch, begin=begin)
    if is_elevated:
        end_elevation(pool.address, elevated)
    expected = np.zeros(3100, np.int32)
    expected[begin : max(count, begin)] = 3
    np.testing.assert_array_equal(visits, expected)


def test_every_thread_takes_part(pools):
    pool = pools[3]
    words = np.array([0, 3, pool.address], np.int64)
    for _ in range(50):
        pool.parallel_for(jobs.meet, words.ctypes.data, 3, 1)
    assert words[0] == 150


def test_fewer_than_two_batches_wake_nobody(pools):
    pool = pools[2]
    time.sleep(0.01)
    generation = int(pool.record["generation"])
    words = np.zeros(64, np.int64)
    pool.parallel_for(jobs.note_worker, words.ctypes.data, 64, 64)
    assert (words == 1).all() and pool.record["generation"] == generation


def test_nested_use_is_refused(pools):
    for threads in (1, 2):
        pool = pools[threads]
        words = np.array([pool.address, jobs.nothing.address, 0, 0], np.int64)
        pool.parallel_for(jobs.hand_out_another, words.ctypes.data, 40, 1)
        assert words[2:].tolist() == [40, 0]


def test_a_busy_pool_is_an_error_in_python(pools):
    pool = pools[2]
    pool.record["busy"] = 1
    try:
        with pytest.raises(RuntimeError, match="parallel_for.*at work"):
            pool.parallel_for(jobs.nothing, 0, 10, 1)
    finally:
        pool.record["busy"] = 0


def test_two_callers_never_mix(pools):
    """Two foreign threads use one pool; who is refused does it later. Every item of both is done once a round."""
    pool = pools[3]
    arrays = [np.zeros(500, np.int32) for _ in range(2)]

    def use(array):
        for _ in range(300):
            while True:
                try:
                    pool.parallel_for(jobs.count_visits, array.ctypes.data, 500, 7)
                    break
                except RuntimeError:
                    time.sleep(0)

    users = [threading.Thread(target=use, args=(array,)) for array in arrays]
    for user in users:
        user.start()
    for user in users:
        user.join()
    for array in arrays:
        assert (array == 300).all()


def barrier_times(pool, job, context, count, rounds) -> np.ndarray:
    """Seconds of each of many jobs of `count` batches of one."""
    times = np.zeros(rounds, np.int64)
    times[0] = rounds
    pool.record["retreat"] = 0
    elevated = begin_elevation(pool.address)
    jobs.time_jobs(pool.address, job.address, context, count, 1, times.ctypes.data)
    end_elevation(pool.address, elevated)
    return times / cycles_per_second()


def test_ten_thousand_barriers(pools, capsys):
    for threads in (1, 2):
        pool = pools[threads]
        words = np.array([0, threads, pool.address], np.int64)
        full = barrier_times(pool, jobs.meet, words.ctypes.data, threads, 10_000)
        assert words[0] == threads * 10_000
        empty = barrier_times(pool, jobs.nothing, 0, threads, 10_000)
        with capsys.disabled():
            middle, tenth, worst = np.median(full) * 1e6, np.quantile(full, 0.1) * 1e6, full.max() * 1e6
            print(
                f"\n{threads} thread(s): a job in which all must meet takes {middle:.2f} us (tenth {tenth:.2f},"
                f" mean {full.mean() * 1e6:.2f}, worst {worst:.0f}), an empty one {np.median(empty) * 1e6:.2f} us"
            )


def test_more_threads_than_cores_do_not_spin_for_milliseconds(pools, capsys):
    pool = pools[5]
    words = np.array([0, 5, pool.address], np.int64)
    empty = barrier_times(pool, jobs.nothing, 0, 20, 2000)
    pool.parallel_for(jobs.meet, words.ctypes.data, 5, 1)
    with capsys.disabled():
        print(f"\n5 threads: an empty job takes {np.median(empty) * 1e6:.2f} us, {empty.mean() * 1e6:.2f} on average")
    assert np.median(empty) < 1e-3


def test_beside_a_busy_foreign_thread(pools, capsys):
    """A program that takes one core slows a job down, but by a factor, not by a time slice a barrier."""
    pool = pools[2]
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        time.sleep(0.1)
        cost = int(2e-6 * cycles_per_second())
        took = barrier_times(pool, jobs.burn, cost, 16, 2000)
    finally:
        busy.kill()
        busy.wait()
    with capsys.disabled():
        middle, mean = np.median(took) * 1e6, took.mean() * 1e6
        print(f"\nbeside a busy process: 32 us of work take {middle:.1f} us, {mean:.1f} on average")
    assert np.median(took) < 2e-3


def test_parked_workers_cost_nothing(pools):
    time.sleep(0.05)
    before = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - before < 0.02


def test_workers_park_again_after_a_step(pools):
    pool = pools[3]
    pool.record["retreat"] = 0
    assert begin_elevation(pool.address)
    pool.parallel_for(jobs.nothing, 0, 100, 1)
    time.sleep(0.01)
    end_elevation(pool.address, 1)
    time.sleep(0.05)
    before = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - before < 0.02


def test_start_and_stop_a_hundred_times():
    before = thread_count_of_process()
    for round_number in range(100):
        with ThreadPool(3) as pool:
            visits = np.zeros(30, np.int32)
            if round_number % 2:
                pool.parallel_for(jobs.count_visits, visits.ctypes.data, 30, 1)
                assert (visits == 1).all()
    gc.collect()
    assert thread_count_of_process() == before


def test_a_closed_pool_works_alone():
    pool = ThreadPool(2)
    pool.close()
    pool.close()
    words = np.zeros(40, np.int64)
    pool.parallel_for(jobs.note_worker, words.ctypes.data, 40, 1)
    assert (words == 1).all()


def test_numbers_of_threads():
    assert 1 <= default_thread_count() <= physical_core_count() <= (os.cpu_count() or 1)
    for wrong in (0, -1, 65):
        with pytest.raises(ValueError, match="thread_count"):
            ThreadPool(wrong)
    assert shared_pool(2) is shared_pool(2)
    shared_pool(2).close()
    assert shared_pool(2).thread_count == 2


PROGRAM = """
import numpy as np, os, sys
from scree.runtime.thread_pool import ThreadPool, begin_elevation
import pool_jobs as jobs
pool = ThreadPool(3)
visits = np.zeros(100, np.int32)
pool.parallel_for(jobs.count_visits, visits.ctypes.data, 100, 1)
{ending}
"""


ENDINGS = [
    ("", 0),  # workers parked
    ("begin_elevation(pool.address)", 0),  # workers spinning
    ("sys.exit(3)", 3),
    ("os._exit(4)", 4),  # a host that ends without ending Python
    ("raise ValueError", 1),
]  # what a process does last, and its exit code
FORKS = """child = os.fork()
pool.parallel_for(jobs.count_visits, visits.ctypes.data, 100, 1)
assert (visits == 2).all() and pool.thread_count == (3 if child else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) if child else 0)
"""
if hasattr(os, "fork"):
    ENDINGS.append((FORKS, 0))


@pytest.fixture(scope="module")
def processes():
    """One process for each ending; all run at once."""
    options = {"cwd": Path(__file__).parent, "env": {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, "text": True}
    started = {
        ending: subprocess.Popen([sys.executable, "-c", PROGRAM.format(ending=ending)], stderr=subprocess.PIPE, **options)
        for ending, _ in ENDINGS
    }
    yield started
    for process in started.values():
        process.kill()


@pytest.mark.parametrize("ending, code", ENDINGS)
def test_the_process_ends(processes, ending, code):
    _, errors = processes[ending].communicate(timeout=120)
    assert processes[ending].returncode == code, errors
