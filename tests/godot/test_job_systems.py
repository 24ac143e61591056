"""In real Godot: own threads, one thread and Godot's WorkerThreadPool run the steps, and give the same bits; bodies are freed and
made on the way."""

import behaviour
import pytest

from scree.tools.prove_determinism import hashes_in_godot

TICKS = 200
"""`scree prove same_bits_in_godot` does 2,000."""
OWN_THREADS, ONE_THREAD, GODOTS_THREADS = range(3)  # values of the project setting


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return behaviour.make_project(tmp_path_factory.mktemp("job_systems") / "project", behaviour.SCREE)


@pytest.fixture(scope="module")
def expected(godot, project):
    return hashes_in_godot(godot, project, ONE_THREAD, 1, TICKS)


def test_the_scene_moves(expected):
    assert len(set(expected)) > TICKS // 2


@pytest.mark.parametrize(("job_system", "threads"), [(OWN_THREADS, 2), (GODOTS_THREADS, 2), (GODOTS_THREADS, 4)])
def test_the_same_bits(godot, project, expected, job_system, threads):
    assert hashes_in_godot(godot, project, job_system, threads, TICKS) == expected
