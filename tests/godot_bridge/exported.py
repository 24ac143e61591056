"""Small projects, exported as games with Debian's template."""

from pathlib import Path

import pytest

from scree.tools import bare_machine, export_game, find_godot, install_addon

PROJECT = """config_version=5
[application]
config/name="exported"
run/main_scene="res://main.tscn"
[physics]
3d/physics_engine="Scree Physics"
"""
SCENE = """[gd_scene load_steps=2 format=3]
[ext_resource type="Script" path="res://main.gd" id="1"]
[node name="Main" type="Node3D"]
script = ExtResource("1")
"""
SAYS_CLASS = """extends Node3D
func _ready():
	print("class ", PhysicsServer3D.get_class())
	get_tree().quit()
"""


def needs_bare_machine() -> None:
    """Skip the test, saying what is missing, where no game can be exported and played as on a bare machine."""
    try:
        bare_machine.libraries()
    except bare_machine.NoBareMachine as why:
        pytest.skip(str(why))


def make_project(folder: Path, script: str = SAYS_CLASS) -> Path:
    """A project whose main scene runs a script; without the addon."""
    folder.mkdir(parents=True)
    for name, text in {"project.godot": PROJECT, "main.tscn": SCENE, "main.gd": script}.items():
        (folder / name).write_text(text)
    return folder


def export(project: Path, folder: Path, godot: find_godot.Godot) -> Path:
    """Export a project as a release for Linux. Returns the folder of the game, which is `game.x86_64`."""
    return export_game.export(project, folder / "game.x86_64", bare_machine.template(), godot)


def exported_with_todays_addon(folder: Path, godot: find_godot.Godot) -> Path:
    """A game with the loader that `scree install` builds."""
    project = make_project(folder / "project")
    install_addon.install(project)
    return export(project, folder / "game", godot)
