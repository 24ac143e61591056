"""The editor plugin in a real editor: it chooses the engine, and says why an engine that was chosen does not run."""

import shutil

import pytest

from scree_tools import places

PROJECT = """config_version=5

[editor_plugins]

enabled=PackedStringArray("res://addons/scree/plugin.cfg")

[physics]

3d/physics_engine="{engine}"
"""


@pytest.fixture
def editor(godot, tmp_path):
    """Opens a project that holds the addon's text files alone, and returns what the editor said."""
    addon = tmp_path / "addons/scree"
    addon.mkdir(parents=True)
    for name in ("plugin.cfg", "plugin.gd"):
        shutil.copy(places.addon_source() / name, addon)

    def open_with(engine):
        (tmp_path / "project.godot").write_text(PROJECT.format(engine=engine))
        return godot.run("--headless", "--editor", "--path", tmp_path, "--quit", timeout=120)

    return open_with


def test_an_engine_that_was_chosen_but_does_not_run_is_explained(editor):
    run = editor("Scree Physics")
    assert run.returncode == 0 and run.errors() == []
    assert "Scree Physics is chosen but does not run: this project was not told where Python is" in run.output


def test_nothing_is_said_where_another_engine_is_chosen(editor):
    run = editor("Jolt Physics")
    assert run.returncode == 0 and run.errors() == []
    assert "Scree" not in run.output


CHECK = """extends SceneTree

const Gizmos := preload("res://addons/scree/gizmos/streaming_gizmos.gd")


func _initialize() -> void:
	var gizmos := Gizmos.new()
	var world: Node3D = load("res://addons/scree/nodes/streaming_world_3d.gd").new()
	var scene: Node3D = load("res://addons/scree/nodes/streaming_scene_3d.gd").new()
	var radius: float = Gizmos.circle(10.0)[7].length()
	print("[figures] ", [Gizmos.square(Vector2.ZERO, 2, 64.0).size(), Gizmos.circle(10.0).size(), gizmos._has_gizmo(world),
		gizmos._has_gizmo(scene), gizmos._has_gizmo(Node3D.new()), snappedf(radius, 0.01)])
	quit(0)
"""


def test_gizmos_of_streaming_are_drawn(godot, tmp_path):
    """The whole addon in an editor, and the figures that the gizmos draw."""
    left_out = shutil.ignore_patterns("native", "bin", "*.gdextension")
    shutil.copytree(places.addon_source(), tmp_path / "addons/scree", ignore=left_out)
    (tmp_path / "project.godot").write_text(PROJECT.format(engine="Jolt Physics"))
    run = godot.run("--headless", "--editor", "--path", tmp_path, "--quit", timeout=120)
    assert run.returncode == 0 and run.errors() == [], run.output
    (tmp_path / "check.gd").write_text(CHECK)
    run = godot.run("--headless", "--editor", "--path", tmp_path, "-s", "res://check.gd", timeout=120)
    assert "[figures] [24, 192, true, true, false, 10.0]" in run.output, run.output
