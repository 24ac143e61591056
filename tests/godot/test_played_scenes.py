"""The demo scenes that a script plays, and the API called at random: short runs; `scree prove` plays and calls in full."""

import pytest

from scree.tools import bench, prove_godot, scenes

# Ticks in which much of a scene has been seen already, and how many expectations it has then spoken of.
SHORT = {
    "course": (420, 8),
    "truck": (125, 3),
    "ragdoll": (600, 3),
    "muscles": (305, 12),
    "areas": (601, 2),
    "gridmap": (245, 10),
    "ropes": (425, 5),
}
CALLS, SEED = 8000, 11


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = scenes.copy_demo_project(tmp_path_factory.mktemp("played") / "project")
    scenes.choose_engine(folder, scenes.SCREE)
    return folder


def test_every_played_scene_has_a_short_run():
    assert {scene.name for scene in scenes.named_scenes([], "play")} == set(SHORT)


@pytest.mark.parametrize("name", SHORT)
def test_played_scene(godot, project, name):
    ticks, least = SHORT[name]
    figures = scenes.run_scene(godot, project, name, ticks, timeout=240.0)
    bench.check_engine(figures, scenes.SCREE)
    assert figures.missed() == []
    assert len(figures.extra["expectations"]) >= least
    assert figures.lost == 0


def test_nobody_leaves_the_carrier(godot, project):
    """Crates that the ship squeezes, at holes that shots tore, held it back from tick 850 on; then all fell out."""
    figures = scenes.run_scene(godot, project, "carrier", 1100, timeout=240.0)
    bench.check_engine(figures, scenes.SCREE)
    assert figures.missed() == [] and len(figures.extra["expectations"]) == 3
    assert figures.lost == 0


def test_an_expectation_can_be_missed():
    one = {"what": "height", "tick": 3, "value": 1e300, "least": 0.0, "most": 1.0}
    figures = scenes.Figures("x", "y", 1, 1, (1.0,), 0, 0.0, 0.0, 0.0, 0, {"expectations": [one]})
    assert figures.missed() == ["height at tick 3: 1e+300, wanted 0 to 1"]


def test_random_calls(godot, project, tmp_path, monkeypatch):
    monkeypatch.setattr(prove_godot.places, "output_folder", lambda name: tmp_path)
    figures, faults = prove_godot.call_at_random(godot, project, CALLS, SEED, timeout=240.0)
    assert faults == []
    assert figures["calls"] == CALLS and figures["valid"] >= prove_godot.LEAST_VALID * CALLS
