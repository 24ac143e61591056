"""The check with Godot's own demo projects: what it needs, what it adds to a project, and what it calls a fault."""

from dataclasses import replace

import pytest
from scree.tools import project_settings, prove_demos, scenes

GOOD = prove_demos.Played("ScreePhysicsServer3D", 5, 4, 0, 0, 1.0, ())
JOLT = replace(GOOD, engine="JoltPhysicsServer3D")


def test_it_says_what_it_needs(monkeypatch, tmp_path):
    """Without the folder, and with too few projects in it, the check says so."""
    monkeypatch.delenv(prove_demos.PROJECTS, raising=False)
    with pytest.raises(scenes.SceneFailed, match=f"{prove_demos.PROJECTS} has to name a folder .* 0 are there"):
        prove_demos.projects()
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "project.godot").write_text("config_version=5\n")
    monkeypatch.setenv(prove_demos.PROJECTS, str(tmp_path))
    with pytest.raises(scenes.SceneFailed, match="1 are there"):
        prove_demos.projects()


def test_a_project_stays_as_it_is_but_for_addon_engine_and_probe(tmp_path):
    """The demo itself is not written to; its copy has the addon, the engine and the probe."""
    demo, addon = tmp_path / "demo", tmp_path / "addon"
    for folder, name in ((demo, "project.godot"), (addon, "plugin.cfg"), (demo / "tests" / "functional", "test_one.tscn")):
        folder.mkdir(parents=True)
        (folder / name).write_text("")
    text = 'config_version=5\n\n[autoload]\n\nLog="*res://log.gd"\n\n[physics]\n\n3d/physics_engine="Jolt Physics"\n'
    (demo / "project.godot").write_text(text)
    copy = prove_demos.prepared(demo, addon, tmp_path / "copy")
    assert (demo / "project.godot").read_text() == text
    assert not (demo / "addons").exists()
    assert (copy / "addons" / "scree" / "plugin.cfg").is_file()
    told = (copy / "project.godot").read_text()
    assert project_settings.get_setting(told, "physics", "3d/physics_engine") == f'"{scenes.SCREE}"'
    assert project_settings.get_setting(told, "autoload", "Log") == '"*res://log.gd"'
    assert project_settings.get_setting(told, "autoload", "ScreeProbe") == '"*res://scree_probe.gd"'
    assert list(prove_demos.scenes_of(copy)) == ["", "tests/functional/test_one.tscn"]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({}, None),
        ({"engine": "JoltPhysicsServer3D"}, "ran on JoltPhysicsServer3D"),
        ({"errors": ("scree: a fault",)}, "it says scree: a fault"),
        ({"wrong": 1}, "no finite place"),
        ({"fallen": 2}, "2 bodies fell out of the level"),
        ({"moving": 3}, "3 rigid bodies at the end, with Jolt 4"),
    ],
)
def test_faults(change, fault):
    """Each kind of fault is named, and a scene without one has none."""
    found = list(prove_demos.faults_of(replace(GOOD, **change), JOLT))
    assert (fault in found[0]) if fault else not found


def test_a_fault_of_the_demo_itself_is_none_of_scree():
    """An error that a demo has on Jolt too is not Scree's."""
    said = ("ERROR: the demo's own",)
    assert not list(prove_demos.faults_of(replace(GOOD, errors=said), replace(JOLT, errors=said)))
