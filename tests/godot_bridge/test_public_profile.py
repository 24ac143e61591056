"""Profiles of steps by `Scree`, and what the game registers with the debugger, in real Godot."""

from pathlib import Path

import pytest

from scree.godot.public_settings import describe_settings
from scree.step.stages import STAGE_COUNT, STAGE_NAMES

pytest.importorskip("scree.tools")
from scree.tools import find_godot, install_addon  # noqa: E402

FOLDER = Path(__file__).resolve().parent
PROJECT = 'config_version=5\n[application]\nconfig/name="profile"\n[physics]\n3d/physics_engine="{engine}"\n'
NAMES = ("class", "taken", "stages", "adds up", "bodies", "events", "again", "stopped", "freed", "empty", "monitors",
         "full", "settings")  # fmt: skip
LEAKS = ("leaked", "Leaked", "still in use", "Orphan StringName", "unclaimed string names", "RID allocations")


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "project.godot").write_text(PROJECT.format(engine="Scree Physics"))
    install_addon.install(folder)
    (folder / "profile.gd").write_text((FOLDER / "profile.gd").read_text())
    return folder


@pytest.fixture(scope="module")
def told(project) -> dict[str, str]:
    """The lines that profile.gd printed, by their first words, and the errors. `-d` is Godot's debugger on the console."""
    godot = find_godot.find_godot(fetch=False)
    ran = godot.run("--headless", "-d", "--verbose", "--fixed-fps", "60", "--path", project, "-s", "res://profile.gd", timeout=60)
    assert ran.returncode == 0 and "SCRIPT ERROR" not in ran.output, ran.output
    assert not [line for line in ran.output.splitlines() if any(leak in line for leak in LEAKS)], ran.output
    lines = ran.output.splitlines()
    answers = {name: line.removeprefix(name).strip() for line in lines for name in NAMES if line.startswith(name + " ")}
    answers["errors"] = "\n".join(line for line in lines if line.startswith("ERROR"))
    assert answers["class"] == "ScreePhysicsServer3D", ran.output
    return answers


def test_a_profile_has_every_tick(told):
    first, count, lost, threads = map(int, told["taken"].split())
    assert (first, count, lost) == (0, 5, 0) and threads >= 1
    assert told["stages"] == f"{STAGE_COUNT} {STAGE_NAMES[0]} true"
    assert told["adds up"] == "true true 0.0"
    assert told["bodies"] == "[20, 20, 20, 20, 20] 5 5"
    assert told["events"] == "true true"
    assert told["again"] == "5 2"
    assert told["empty"] == "0 true"


def test_wrong_profiles_give_one_error_each(told):
    assert told["stopped"] == told["freed"] == "<Object#null>"
    errors = told["errors"].splitlines()
    assert len(errors) == 3, errors
    assert "profile_take: the space is not recorded" in errors[0] and "profile_take" in errors[2]
    assert "profile_start: there is no space" in errors[1]


def test_a_watched_game_has_monitors(told):
    assert told["monitors"] == str([f"scree/{pool}" for pool in
                                    ("bodies", "body_shapes", "shapes", "joints", "spaces", "pairs", "contacts")]
                                   ).replace("'scree", '&"scree').replace("'", '"')  # fmt: skip
    assert told["full"] == "true true"


def test_settings_are_described(told):
    count, text = told["settings"].split(" ", 1)
    assert int(count) == len(describe_settings())
    assert describe_settings()["physics/scree_3d/simulation/substeps"]["does"] in text and '"largest": 16' in text


def test_a_game_that_nobody_watches_registers_nothing(project):
    (project / "alone.gd").write_text(
        "extends SceneTree\nfunc _initialize() -> void:\n\tprint('alone ', Performance.get_custom_monitor_names())\n\tquit()\n"
    )
    ran = find_godot.find_godot(fetch=False).run("--headless", "--path", project, "-s", "res://alone.gd", timeout=60)
    assert ran.returncode == 0 and "alone []" in ran.output, ran.output
