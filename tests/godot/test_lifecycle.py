"""Godot starts and ends on Scree, as a game and as an editor, without an error, a leak or a word too many."""

import behaviour
import pytest

ROUNDS = 2  # `scree prove` does ten

_GAME = """extends Node3D

func _ready() -> void:
\tfor index: int in 20:
\t\tvar body := RigidBody3D.new()
\t\tvar collision := CollisionShape3D.new()
\t\tcollision.shape = BoxShape3D.new() if index % 2 else SphereShape3D.new()
\t\tbody.add_child(collision)
\t\tbody.position = Vector3(index % 5, index, index / 5)
\t\tadd_child(body)
\tvar ray := RayCast3D.new()
\tray.target_position = Vector3(0, -50, 0)
\tadd_child(ray)
\tprint("engine: ", PhysicsServer3D.get_class())
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lifecycle") / "project"
    behaviour.make_project(folder, behaviour.SCREE)
    behaviour.add_scene(folder, "game", _GAME)
    return folder


def _check_clean(run):
    assert run.returncode == 0, run.output
    assert run.errors() == [], run.output
    assert "scree:" not in run.output, run.output  # nor a warning of ours


@pytest.mark.parametrize("round_number", range(ROUNDS))
def test_game_starts_and_ends(godot, project, round_number):
    run = godot.run("--headless", "--fixed-fps", "60", "--quit-after", "60", "--path", project, "res://game.tscn", timeout=120)
    _check_clean(run)
    assert f"engine: {behaviour.SERVER_CLASS[behaviour.SCREE]}" in run.output


@pytest.mark.parametrize("round_number", range(ROUNDS))
def test_editor_starts_and_ends(godot, project, round_number):
    _check_clean(godot.run("--headless", "--editor", "--quit-after", "100", "--path", project, timeout=120))


def test_game_that_ends_at_once(godot, project):
    _check_clean(godot.run("--headless", "--quit-after", "1", "--path", project, "res://game.tscn", timeout=120))


def test_import_ends_by_itself(godot, project):
    _check_clean(godot.run("--headless", "--import", "--path", project, timeout=120))
