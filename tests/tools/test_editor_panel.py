"""The panel "Scree" and the profiler in a real editor with Scree's native part, used as a user does."""

import json

import editor_project
import pytest

from scree.godot.public_settings import describe_settings
from scree.step.stages import STAGE_COUNT, STAGE_NAMES


def answers(run) -> dict[str, str]:
    """The lines of a watcher, by their names; nothing else may be said."""
    assert run.returncode == 0 and run.errors() == [], run.output
    assert "WARNING" not in run.output and "scree:" not in run.output, run.output
    return dict(line[1:].split("] ", 1) for line in run.output.splitlines() if line.startswith("[") and "%" not in line[:8])


@pytest.fixture(scope="module")
def panel(godot, tmp_path_factory) -> dict[str, str]:
    project = editor_project.make(godot, tmp_path_factory.mktemp("panel") / "project", "panel_watcher.gd")
    return answers(editor_project.open_editor(godot, project))


@pytest.fixture(scope="module")
def profiled(godot, tmp_path_factory) -> dict[str, str]:
    project = editor_project.make(godot, tmp_path_factory.mktemp("profiler") / "project", "profiler_watcher.gd")
    told = answers(editor_project.open_editor(godot, project))
    return {**told, "all": (project / "all.json").read_text(), "one": (project / "one.json").read_text()}


def test_the_panel_has_its_tabs(panel):
    assert panel["tabs"] == '["Layers", "Traps", "Settings"]'


def test_layers_of_the_scene_are_a_matrix(panel):
    """Rows of world, heroes, crates, bullets and the empty water: how many are on it, and how it meets each of them."""
    assert panel["cells"] == "Refresh" + "1·←←←·" + "1→·←!··" + "2→→●←!·" + "1→·→··" + "0·····"
    assert "Bodies on 2 heroes push 3 crates and are not pushed back: Hero. Add layer 3 to their masks." in panel["notes"]
    assert "No node of the scene is on layer 6 water." in panel["notes"]


def test_traps_are_listed_and_mended_and_the_mend_is_undone(panel):
    found = "Crate: scaled body, Crate: masses in a stack, Bullet: fast and thin, Goal: no shape, Hinge: loose joint"
    assert panel["traps"] == panel["undone"] == found
    assert panel["selected"] == '["Crate"]'
    assert panel["action"] == "Scree: Scale its children instead (Crate)"
    assert panel["mended"] == found.removeprefix("Crate: scaled body, ")


def test_settings_have_a_field_each(panel):
    assert int(panel["settings"]) == len(describe_settings())
    assert panel["set"] == "physics/scree_3d/simulation/substeps 8"


def test_every_control_says_what_it_does(panel, profiled):
    assert panel["silent"] == profiled["no tooltip"] == "[]"


def test_the_help_of_the_classes_opens(panel):
    assert panel["help"] == "3 of 3"


def test_nothing_is_left_of_a_disabled_plugin(panel):
    assert panel["left"] == "[]"


def test_a_game_is_profiled_only_while_the_tab_is_seen(profiled):
    assert profiled["game"] == "ScreePhysicsServer3D"
    assert profiled["hidden"] == profiled["hidden again"] == "0"
    assert profiled["ticks"] == f"true {STAGE_COUNT} true 400"
    assert profiled["in a row"] == profiled["slowest"] == "true"
    assert profiled["events"] == "true true"
    assert profiled["errors"] == '["Errors"]', "the game had errors or warnings"


def test_profiles_are_saved_as_chrome_traces(profiled):
    every, one = (json.loads(profiled[name])["traceEvents"] for name in ("all", "one"))
    threads = [event["args"]["name"] for event in one if event["ph"] == "M"]
    assert threads == ["caller", "worker 1"]
    spans = [event for event in one if event["ph"] == "X"]
    (tick,) = [event for event in spans if event["name"].startswith("tick ")]
    assert tick["args"]["bodies"] == 400
    assert {event["name"] for event in spans} - {tick["name"]} <= set(STAGE_NAMES)
    assert all(tick["ts"] <= event["ts"] <= tick["ts"] + tick["dur"] for event in spans)
    assert sum(event["name"].startswith("tick ") for event in every) >= 60 and len(every) > 60 * 20
