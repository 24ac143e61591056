"""The released addon on a machine without Python, compiler and network: in a project as it is, in an exported game, and where
parts of it are missing. `scree prove released_game` plays all scenes."""

import shutil
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("scree.tools")
from exported import export, make_project, needs_bare_machine  # noqa: E402

from scree.tools import bare_machine, export_game, find_godot, release  # noqa: E402
from tests.built_libraries import need_library  # noqa: E402

FALLS = """extends Node3D
var body := RigidBody3D.new()
func _ready():
	var shape := CollisionShape3D.new()
	shape.shape = SphereShape3D.new()
	body.add_child(shape)
	add_child(body)
func _physics_process(_delta):
	if Engine.get_physics_frames() == 60:
		print("class ", PhysicsServer3D.get_class(), " fell ", body.position.y < -3.0)
		get_tree().quit()
"""
PLAYED = "class ScreePhysicsServer3D fell true"
FALLEN_BACK = "class PhysicsServer3D fell true"


@pytest.fixture(scope="module")
def godot() -> find_godot.Godot:
    return find_godot.find_godot(fetch=False)


@pytest.fixture(scope="module")
def released(tmp_path_factory, godot) -> release.Release:
    need_library()
    needs_bare_machine()
    return release.make(tmp_path_factory.mktemp("release"), godot)


@pytest.fixture(scope="module")
def project(tmp_path_factory, released) -> Path:
    folder = make_project(tmp_path_factory.mktemp("released") / "project", FALLS)
    shutil.copytree(released.folder, folder / "addons" / "scree")
    return folder


@pytest.fixture(scope="module")
def game(tmp_path_factory, project, godot) -> Path:
    return export(project, tmp_path_factory.mktemp("released") / "game", godot)


@pytest.fixture
def copied(game, tmp_path) -> Path:
    """A copy of the game, to be harmed."""
    return shutil.copytree(game, tmp_path / "game")


def play(command: list[str], folders: dict[Path, str], **settings) -> tuple[list[str], list[str]]:
    """The output of the script, and the lines in which Scree says something."""
    run = bare_machine.run(command, folders, timeout=60.0, **settings)
    assert run.returncode == 0, run.output
    lines = run.output.splitlines()
    return [line for line in lines if line.startswith("class ")], [line for line in lines if "scree:" in line]


def test_dropped_into_a_project_it_plays_at_once(project, godot):
    if godot.folder is None:
        pytest.skip("this Godot was not fetched: its libraries cannot be told from the machine's")
    settings = {"system": godot.folder, "environment": {"XDG_DATA_HOME": "/tmp"}}
    folders = {project: "/project"}
    bare_machine.run(["/usr/bin/godot", "--headless", "--path", "/project", "--import"], folders, **settings)
    assert play(["/usr/bin/godot", "--headless", "--path", "/project"], folders, **settings) == ([PLAYED], [])


@pytest.mark.parametrize("place", ["/game", "/my games/\u6e38\u620f caf\u00e9"])
@pytest.mark.parametrize("settings", [{}, {"environment": {"LC_ALL": "C"}}, {"read_only": True}], ids=["usual", "C", "read-only"])
def test_an_exported_game_plays(game, place, settings):
    before = sorted(game.rglob("*"))
    assert play([f"{place}/game.x86_64", "--headless"], {game: place}, **settings) == ([PLAYED], [])
    assert sorted(game.rglob("*")) == before
    assert list(export_game.missing_parts(game)) == []


@pytest.mark.parametrize(
    "lost", ["scree_paths.cfg", "python.zip", "modules/math.so", "modules/numpy._core._multiarray_umath.so", "godot_api.json",
             "libpython*", "libz*", "libscree_core*"],
)  # fmt: skip
def test_without_a_part_it_says_one_line_and_goes_on(copied, lost):
    (part,) = (copied / "scree").glob(lost)
    part.unlink()
    played, said = play(["/game/game.x86_64", "--headless"], {copied: "/game"})
    assert played == [FALLEN_BACK]
    assert len(said) == 1 and "this game runs on Godot's default physics engine, not on Scree: " in said[0], said


def test_a_part_of_another_release_is_noticed(copied):
    """The core of another build beside the engine."""
    with zipfile.ZipFile(copied / "scree" / "python.zip") as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    content["scree/runtime/shipped_core.txt"] = b"of another release"
    with zipfile.ZipFile(copied / "scree" / "python.zip", "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    played, said = play(["/game/game.x86_64", "--headless"], {copied: "/game"})
    assert played == [FALLEN_BACK]
    assert len(said) == 1 and "mixture of two versions" in said[0] and "not on Scree" in said[0], said


def test_the_check_of_an_export_names_what_is_missing(copied):
    for part in ("libscree.linux.x86_64.so", "scree/python.zip", "scree/modules", "scree/godot_api.json"):
        whole = copied / part
        whole.rename(copied / "elsewhere")
        missing = list(export_game.missing_parts(copied))
        assert missing and all(part in line for line in missing), missing
        (copied / "elsewhere").rename(whole)


def test_it_is_small_enough(released):
    assert released.unpacked <= 25e6 and released.packed <= 10e6


def test_the_archive_holds_no_bodies_of_compiled_functions(released):
    """The core's library has their code."""
    with zipfile.ZipFile(released.folder / "bin/linux.x86_64/scree/python.zip") as archive:
        assert "scree/step/physics_system.pyc" in archive.namelist()
        assert not [name for name in archive.namelist() if "numba_inside" in name or "intrinsics/call" in name or "/api/" in name]
        assert b"Compiled: " not in archive.read("scree/runtime/call.pyc")
