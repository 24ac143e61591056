"""The bridge in real Godot: threads, callbacks that do odd things, settings, another engine chosen; and nothing
leaks."""

import json
from pathlib import Path

import pytest

pytest.importorskip("scree.tools")
from scree.tools import find_godot, install_addon  # noqa: E402

FOLDER = Path(__file__).resolve().parent
PROJECT = 'config_version=5\n[application]\nconfig/name="bridge"\n[physics]\n3d/physics_engine="Scree Physics"\n'
LEAKS = ("leaked", "Leaked", "still in use", "Orphan StringName", "unclaimed string names", "RID allocations")


@pytest.fixture(scope="module")
def godot():
    return find_godot.find_godot(fetch=False)


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "project.godot").write_text(PROJECT)
    install_addon.install(folder)
    for script in FOLDER.glob("*.gd"):
        (folder / script.name).write_text(script.read_text())
    return folder


def run(godot, project: Path, script: str, *options: str) -> list[str]:
    """The lines a script printed; it must end by itself, without a leak."""
    done = godot.run("--headless", "--verbose", "--fixed-fps", "60", "--path", project, "-s", f"res://{script}",
                     *options, timeout=60)  # fmt: skip
    assert done.returncode == 0, done.output
    assert not [line for line in done.output.splitlines() if any(leak in line for leak in LEAKS)], done.output
    return done.output.splitlines()


def errors(lines: list[str]) -> list[str]:
    words = ("ERROR", "WARNING", "a shape was lost", "does not answer nothing")
    return [line for line in lines if any(word in line for word in words)]


def test_worker_threads_change_the_world_while_it_steps(godot, project):
    lines = run(godot, project, "threads.gd")
    assert "class ScreePhysicsServer3D" in lines
    assert "made 240" in lines
    assert "rests at 0.50 asleep true" in lines
    assert errors(lines) == []


def test_callbacks_may_do_anything(godot, project):
    lines = run(godot, project, "callbacks.gd")
    calls = json.loads(next(line for line in lines if line.startswith("{")))
    assert errors(lines) == []
    assert calls["freed"] == 1 and calls["replaced"] == 1
    assert calls["replacement"] >= 7 and calls["userdata"] >= 8
    assert 2 <= calls["gone"] <= 4, "not called after its object has gone"


def test_characters_move_by_tests(godot, project):
    lines = run(godot, project, "character.gd")
    assert "class ScreePhysicsServer3D" in lines
    assert errors(lines) == []
    told = lines[lines.index("class ScreePhysicsServer3D") + 1 :]
    assert told[0] == "falls: floor true at 1.00"
    assert told[1] == "walks: floor true wall true at 4.00 1.00"
    assert told[2] == "hits true at 10.50 after 9.00 normal 1.0"
    assert told[3:7] == ["tests true false", "excepted true", "left out true", "left out true"]
    assert abs(float(told[7].removeprefix("scaled ")) - (10 - 1.5) / 16) < 2e-3, "a ball of twice the size"


@pytest.fixture
def settings(project):
    """Further lines for the project's settings; taken back afterwards."""
    file = project / "project.godot"
    before = file.read_text()
    yield lambda text: file.write_text(before + text)
    file.write_text(before)


def test_a_setting_out_of_range_is_one_error(godot, project, settings):
    settings("scree_3d/simulation/substeps=99\n")
    lines = run(godot, project, "callbacks.gd")
    found = [line for line in lines if "ERROR" in line]
    assert len(found) == 1 and "physics/scree_3d/simulation/substeps" in found[0] and "99" in found[0], found
    assert "class ScreePhysicsServer3D" in lines


def test_another_engine_may_be_chosen(godot, project, settings):
    text = (project / "project.godot").read_text()
    (project / "project.godot").write_text(text.replace("Scree Physics", "GodotPhysics3D"))
    try:
        lines = run(godot, project, "callbacks.gd")
    finally:
        (project / "project.godot").write_text(text)
    assert "class PhysicsServer3D" in lines
    assert not [line for line in lines if "scree" in line.lower() and "ERROR" in line]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_call_with_any_arguments_crashes(godot, project, seed):
    lines = run(godot, project, "anything.gd", "--", str(seed))
    assert "class ScreePhysicsServer3D" in lines
    assert "rests at 0.50 asleep true" in lines, lines[-20:]


def test_what_was_never_freed_is_told_and_does_not_crash_the_end(godot, project):
    done = godot.run("--headless", "--path", project, "-s", "res://unfreed.gd", timeout=60)
    assert done.returncode == 0, done.output
    assert "class ScreePhysicsServer3D" in done.output
    assert "scree: finish: never freed by the project: 1 bodies, 1 shapes, 1 areas" in done.output
