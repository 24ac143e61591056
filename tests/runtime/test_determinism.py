"""The same world stepped by 1, 2, 3 or 5 threads has the same bits after every step."""

import hashlib
import threading

import numpy as np
import pytest
from scenes_for_threads import Heap

STEPS = 300


def run(threads: int, steps: int) -> list[str]:
    scene = Heap(threads)
    hashes = []
    for _ in range(steps):
        scene.step()
        hashes.append(hashlib.sha256(scene.state().tobytes()).hexdigest())
    positions = scene.world.bodies.rows[: scene.world.bodies.count]["position"]
    assert np.isfinite(positions).all()
    if threads > 1:
        assert scene.world.job_system.pool.record["jobs"] > 0
    return hashes


@pytest.fixture(scope="module")
def alone() -> list[str]:
    return run(1, STEPS)


@pytest.mark.parametrize("threads", (2, 3, 5))
def test_the_same_bits_with_any_number_of_threads(alone, threads):
    hashes = run(threads, STEPS)
    different = [k for k in range(STEPS) if hashes[k] != alone[k]]
    assert not different, f"first difference in step {different[0]}"


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
