"""The rules of the editor's panel, on scenes made in code, in a Godot without Scree's native part."""

import shutil
from pathlib import Path

import pytest

from scree.tools import places

SCRIPT = Path(__file__).with_name("traps.gd")


@pytest.fixture(scope="module")
def told(godot, tmp_path_factory) -> dict[str, str]:
    """The answers of traps.gd, by their names."""
    folder = tmp_path_factory.mktemp("traps")
    left_out = shutil.ignore_patterns("native", "bin", "*.gdextension")
    shutil.copytree(places.addon_source(), folder / "addons/scree", ignore=left_out)
    (folder / "project.godot").write_text('config_version=5\n[physics]\n3d/physics_engine="GodotPhysics3D"\n')
    shutil.copy(SCRIPT, folder)
    run = godot.run("--headless", "--path", folder, "-s", "res://traps.gd", timeout=60)
    assert run.returncode == 0 and "ERROR" not in run.output and "WARNING" not in run.output, run.output
    lines = [line[1:].split("] ", 1) for line in run.output.splitlines() if line.startswith("[")]
    return {name: answer for name, answer in lines}


# The places of the nodes that a rule finds among those of its scene, and what is left when they are mended.
FOUND = {
    "scaled": "0 mended, 1, 4, left 2, (1.0, 1.0, 1.0) (2.0, 0.0, 0.0) (2.0, 2.0, 2.0), (2.0, 2.0, 2.0) (1.0, 0.0, 0.0)",
    "stretched": "0 mended, 1, left 1, (2.0, 2.0, 3.0) (1.0, 1.0, 1.0) (1.0, 2.0, 3.0)",
    "jointed": "3 mended, left 0, 1.5",
    "stacked": "0 mended, left 0",
    "fast": "0 mended, left 0, true",
    "hollow": "0 mended, 2, left 1, ConvexPolygonShape3D 8",
    "bare": "0, 1, left 2",
    "unseen": "0 mended, left 0, 1 1",
    "sized": "0, 1, left 2",
    "loose": "1, 3, 4, left 3",
}


@pytest.mark.parametrize("rule", FOUND)
def test_a_rule_finds_its_trap_and_nothing_else(told, rule):
    assert told[rule] == FOUND[rule]


def test_layers_that_occur_and_layers_that_do_not(told):
    assert told["layers"] == f"{1 | 2 | 4 | 8} {1 | 2 | 4 | 8 | 16} 16 128"
    assert told["titles"] == '["1 world", "2", "debris", "moving / static"]'


def test_layers_meet_in_one_direction_or_both(told):
    """The player looks at the world; the crate looks at world, player and itself; the trigger at the crate."""
    assert told["meeting"] == "[1, 2, 2, 3, 1, 0, 0]"


def test_a_body_that_pushes_and_is_not_pushed_is_found(told):
    """The crate is pushed by the player, the player not by the crate; areas and static bodies are meant to be so."""
    assert told["one-sided"] == "[true, [], [], []]"
