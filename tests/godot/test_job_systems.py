"""In real Godot: own threads, one thread and Godot's WorkerThreadPool run the steps, and give the same bits."""

import json

import behaviour
import pytest
from scree_tools import scenes

OWN_THREADS, ONE_THREAD, GODOTS_THREADS = range(3)  # values of the project setting


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return behaviour.make_project(tmp_path_factory.mktemp("job_systems") / "project", behaviour.SCREE)


def hashes(godot, project, job_system: int, threads: int) -> list[int]:
    scenes.choose_engine(project, scenes.SCREE, threads, job_system)
    report = json.loads(scenes.report_of(godot, project, ("-s", "res://measure/hash_steps.gd"), ("--ticks=200",), timeout=240))
    assert report["engine"] == behaviour.SERVER_CLASS[behaviour.SCREE]
    return report["hashes"]


@pytest.fixture(scope="module")
def expected(godot, project):
    return hashes(godot, project, ONE_THREAD, 1)


def test_the_scene_moves(expected):
    assert len(expected) == 200 and len(set(expected)) > 100


@pytest.mark.parametrize(("job_system", "threads"), [(OWN_THREADS, 2), (GODOTS_THREADS, 2), (GODOTS_THREADS, 4)])
def test_the_same_bits(godot, project, expected, job_system, threads):
    assert hashes(godot, project, job_system, threads) == expected
