"""The editor plugin in a real editor: it chooses the engine, and says why an engine that was chosen does not run."""

import shutil

import pytest

from scree.tools import build_loader, places

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


def test_a_first_import_without_a_window_is_no_alarm(godot, project, tmp_path):
    """Godot starts engines before it looks for extensions, so nothing runs yet: the next start does."""
    folder = shutil.copytree(project, tmp_path / "project")
    shutil.rmtree(folder / ".godot", ignore_errors=True)
    (folder / "project.godot").write_text(PROJECT.format(engine="Scree Physics"))
    (folder / f"addons/scree/bin/{'.'.join(build_loader.this_machine())}/scree").mkdir(parents=True)
    run = godot.run("--headless", "--path", folder, "--import", timeout=120)
    assert "Scree Physics runs from the next start on" in run.output
    assert "WARNING" not in run.output and run.errors() == [], run.output


WATCHER = """@tool
extends EditorPlugin

func _enter_tree() -> void:
	for frame in 200:
		await get_tree().process_frame
		for dialog: AcceptDialog in get_tree().root.find_children("*", "AcceptDialog", true, false):
			if dialog.visible and dialog.title == "Scree Physics":
				print("[dialog] ", dialog.dialog_text)
				get_tree().quit()
				return
	get_tree().quit()
"""
MANIFEST = '[plugin]\nname="Watcher"\ndescription=""\nauthor=""\nversion="1"\nscript="watcher.gd"\n'


@pytest.fixture
def watched(project):
    """The project with a plugin that tells which dialog of Scree it sees."""
    folder = project / "addons" / "watcher"
    folder.mkdir()
    (folder / "plugin.cfg").write_text(MANIFEST)
    (folder / "watcher.gd").write_text(WATCHER)
    both = '"res://addons/scree/plugin.cfg", "res://addons/watcher/plugin.cfg"'
    (project / "project.godot").write_text(
        PROJECT.format(engine="Scree Physics").replace('"res://addons/scree/plugin.cfg"', both)
    )
    yield project
    shutil.rmtree(folder)


def test_a_dialog_says_it_too(godot, watched):
    run = godot.run("--headless", "--editor", "--path", watched, timeout=120)
    assert "[dialog] Scree Physics is chosen but does not run: this project was not told where Python is" in run.output, (
        run.output
    )
    assert "default physics engine" in run.output


MAIN = 'extends Node\nfunc _process(_delta):\n\tprint("[main] plays")\n\tget_tree().quit()\n'
SCENE = """[gd_scene load_steps=2 format=3]
[ext_resource type="Script" path="res://main.gd" id="1"]
[node name="Main" type="Node"]
script = ExtResource("1")
"""


@pytest.mark.parametrize(("must_run", "engine"), [(True, "Scree Physics"), (False, "Scree Physics"), (True, "Jolt Physics")])
def test_a_game_that_must_run_on_it_ends_without_it(godot, project, must_run, engine):
    (project / "main.gd").write_text(MAIN)
    (project / "main.tscn").write_text(SCENE)
    settings = PROJECT.format(engine=engine) + f"scree_3d/must_run={str(must_run).lower()}\n"
    (project / "project.godot").write_text(f'{settings}\n[application]\n\nrun/main_scene="res://main.tscn"\n')
    godot.run("--headless", "--editor", "--path", project, "--quit", timeout=120)
    assert ("ScreeGuard" in (project / "project.godot").read_text()) == must_run
    run = godot.run("--headless", "--path", project, timeout=120)
    if must_run and engine == "Scree Physics":
        assert run.returncode == 1 and "its physics engine is missing" in run.output, run.output
        assert "physics/scree_3d/must_run is on" in run.output
    else:
        assert run.returncode == 0 and "[main] plays" in run.output, run.output


def test_the_guard_goes_when_it_is_no_longer_wanted(godot, project):
    guard = '\n[autoload]\n\nScreeGuard="*res://addons/scree/nodes/scree_guard.gd"\n'
    (project / "project.godot").write_text(PROJECT.format(engine="Jolt Physics") + guard)
    godot.run("--headless", "--editor", "--path", project, "--quit", timeout=120)
    assert "ScreeGuard" not in (project / "project.godot").read_text()


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
