"""The editor plugin in a real editor: it chooses the engine, and says why an engine that was chosen does not run."""

import shutil

import pytest

from scree.tools import places

PROJECT = """config_version=5

[editor_plugins]

enabled=PackedStringArray("res://addons/scree/plugin.cfg")

[physics]

3d/physics_engine="{engine}"
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project with all of the addon but what is native."""
    folder = tmp_path_factory.mktemp("plugin") / "project"
    left_out = shutil.ignore_patterns("native", "bin", "*.gdextension")
    shutil.copytree(places.addon_source(), folder / "addons/scree", ignore=left_out)
    return folder


@pytest.fixture
def editor(godot, project):
    """Opens the project with an engine, and gives what the editor said."""

    def open_with(engine, *options):
        (project / "project.godot").write_text(PROJECT.format(engine=engine))
        return godot.run("--headless", "--editor", "--path", project, *(options or ("--quit",)), timeout=120)

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


def test_gizmos_of_streaming_are_drawn(editor, project):
    """The figures that the gizmos draw, in an editor that has the addon."""
    (project / "check.gd").write_text(CHECK)
    run = editor("Jolt Physics", "-s", "res://check.gd")
    assert "[figures] [24, 192, true, true, false, 10.0]" in run.output, run.output
