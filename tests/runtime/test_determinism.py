"""A world stepped by any number of threads, or by any job system, has the same bits after every step."""

import hashlib
import threading

import numpy as np
import pytest
from scenes_for_threads import Heap

from scree.runtime.atomics import add_int64
from scree.runtime.call import call_job
from scree.runtime.job_system import JobSystem, SingleThread, finish_alone, wait_alone
from scree.runtime.kernel import entry_point

STEPS = 300


@entry_point("int64(int64)")
def begin(state):
    return 1


@entry_point("int64(int64, int64, int64, int64, int64, int64)")
def run_backwards(state, job, context, first, end, batch):
    """Do the batches from the last to the first. Word 0 of `state` counts them."""
    batches = (end - first + batch - 1) // batch
    for k in range(batches - 1, -1, -1):
        call_job(job, context, first + k * batch, min(first + (k + 1) * batch, end), k & 1)
        add_int64(state, 1)
    return 1


class BackwardsJobs(JobSystem):
    def __init__(self):
        self.counters = np.zeros(1, np.int64)
        functions = {"begin": begin, "run": run_backwards, "start": run_backwards, "wait": wait_alone, "finish": finish_alone}
        super().__init__(self.counters.ctypes.data, 2, functions)


def run(threads: int, steps: int, job_system=None) -> list[str]:
    scene = Heap(threads, job_system=job_system)
    hashes = []
    for _ in range(steps):
        scene.step()
        hashes.append(hashlib.sha256(scene.state().tobytes()).hexdigest())
    positions = scene.world.bodies.rows[: scene.world.bodies.count]["position"]
    assert np.isfinite(positions).all()
    if threads > 1 and job_system is None:
        assert scene.world.job_system.pool.record["jobs"] > 0
    return hashes


@pytest.fixture(scope="module")
def alone() -> list[str]:
    return run(1, STEPS)


@pytest.mark.parametrize("threads", (2, 3, 4, 8))
def test_the_same_bits_with_any_number_of_threads(alone, threads):
    hashes = run(threads, STEPS)
    different = [k for k in range(STEPS) if hashes[k] != alone[k]]
    assert not different, f"first difference in step {different[0]}"


def test_the_same_bits_with_one_thread_that_has_no_pool(alone):
    assert run(1, STEPS, SingleThread()) == alone


def test_the_same_bits_with_a_job_system_of_ones_own(alone):
    """A job system made by a user: its last batch comes first."""
    system = BackwardsJobs()
    assert run(1, STEPS, system) == alone
    assert system.counters[0] > 100


def test_the_scene_moves(alone):
    assert len(set(alone)) > STEPS // 2


def test_two_worlds_step_at_once_on_one_pool(alone):
    """Whoever finds the pool taken goes on alone; neither world sees the other."""
    hashes: dict[int, list[str]] = {}
    worlds = [threading.Thread(target=lambda k=k: hashes.update({k: run(3, 100)})) for k in range(2)]
    for world in worlds:
        world.start()
    for world in worlds:
        world.join()
    assert hashes[0] == hashes[1] == alone[:100]
