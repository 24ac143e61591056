"""The released addon on a machine without Python, compiler and network: in a project as it is, in an exported game, and where
parts of it are missing. `scree prove released_game` plays all scenes."""

import os
import re
import resource
import shutil
import signal
import subprocess
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("scree.tools")
from exported import export, make_project, needs_bare_machine  # noqa: E402

from scree.tools import archive_sum, bare_machine, doctor, export_game, find_godot, install_addon, release  # noqa: E402
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
    assert f"/game/scree/{part.relative_to(copied / 'scree').as_posix()}" in said[0] or lost in (
        "godot_api.json",
        "libscree_core*",
    )


@pytest.mark.parametrize("cut", ["python.zip", "modules/math.so", "libpython*", "libz*", "libscree_core*", "scree_paths.cfg"])
@pytest.mark.parametrize("part", [0.0, 0.5])
def test_with_half_a_part_it_says_one_line_and_goes_on(copied, cut, part):
    """Mapping half a library would end the process, and so would Python without its standard library."""
    (file,) = (copied / "scree").glob(cut)
    os.truncate(file, int(part * file.stat().st_size))
    played, said = play(["/game/game.x86_64", "--headless"], {copied: "/game"})
    assert played == [FALLEN_BACK]
    assert len(said) == 1 and "this game runs on Godot's default physics engine, not on Scree: " in said[0], said
    assert list(export_game.missing_parts(copied)) != []


@pytest.mark.parametrize("place", [0.0001, 0.3, 0.9999])
def test_with_other_bytes_in_the_archive_it_says_one_line_and_goes_on(copied, place):
    """Python cannot know: it would run them, or end the process."""
    archive = copied / "scree" / "python.zip"
    content = bytearray(archive.read_bytes())
    begin = int(place * len(content))
    content[begin : begin + 64] = bytes(255 - byte for byte in content[begin : begin + 64])
    archive.write_bytes(content)
    played, said = play(["/game/game.x86_64", "--headless"], {copied: "/game"})
    assert played == [FALLEN_BACK]
    assert len(said) == 1 and "/game/scree/python.zip is damaged" in said[0] and "export it anew" in said[0], said
    assert ["python.zip" in line and "damaged" in line for line in export_game.missing_parts(copied)] == [True]


def test_in_a_folder_from_which_python_cannot_start_it_says_where_to_move(game):
    """Python splits its paths at colons."""
    played, said = play(["/net:work/game.x86_64", "--headless"], {game: "/net:work"})
    assert played == [FALLEN_BACK]
    assert len(said) == 1 and "Move it to a folder without `:`" in said[0] and "anew" not in said[0], said


def test_a_second_copy_of_the_addon_stays_out(project, tmp_path, godot):
    """Godot printed 341 errors: all classes were there twice."""
    folder = shutil.copytree(project, tmp_path / "project")
    shutil.copytree(folder / "addons" / "scree", folder / "old" / "scree")
    shutil.rmtree(folder / ".godot", ignore_errors=True)
    godot.run("--headless", "--path", folder, "--import")
    run = godot.run("--headless", "--path", folder)
    assert PLAYED in run.output and run.errors() == []
    assert run.output.count("scree: the addon is in this project twice") == 1


def test_a_release_over_an_installed_addon_is_kept_in_version_control(released, tmp_path):
    """`scree install` leaves a file that keeps `bin` out."""
    install_addon.install(make_project(tmp_path / "project"))
    with zipfile.ZipFile(released.archive) as archive:
        archive.extractall(tmp_path / "project")
    git = ["git", "-C", str(tmp_path / "project")]
    subprocess.run([*git, "init", "-q"], check=True)
    listed = subprocess.run(
        [*git, "ls-files", "--others", "--exclude-standard"], check=True, capture_output=True, text=True
    ).stdout
    assert "addons/scree/bin/linux.x86_64/scree/python.zip" in listed


def test_the_doctor_knows_a_release(project, tmp_path):
    assert {each.what: each.state for each in doctor.project_findings(project)}["Project's addon"] == "good"
    folder = shutil.copytree(project, tmp_path / "project")
    (folder / "addons/scree/bin/linux.x86_64/scree/python.zip").unlink()
    found = {each.what: each for each in doctor.project_findings(folder)}["Project's addon"]
    assert found.state == "bad" and "scree/python.zip" in found.found and "install" not in found.mend
    shutil.rmtree(folder / "addons/scree/bin/linux.x86_64/scree")
    found = {each.what: each for each in doctor.project_findings(folder)}["Project's addon"]
    assert found.state == "bad" and "scree/scree_paths.cfg" in found.found
    (folder / "addons/scree/bin/linux.x86_64").rename(folder / "addons/scree/bin/windows.x86_64")
    found = {each.what: each for each in doctor.project_findings(folder)}["Project's addon"]
    assert found.state == "bad" and "windows.x86_64, not for linux.x86_64" in found.found


def test_a_variable_of_the_player_does_not_choose_the_core(game):
    settings = {"environment": {"SCREE_CORE": "/dev/zero"}}
    assert play(["/game/game.x86_64", "--headless"], {game: "/game"}, **settings) == ([PLAYED], [])


def started(godot, project, limit: int | None = None) -> subprocess.Popen:
    """Godot with a project, as a shell starts it in the foreground. `limit`: of its address space [byte]."""

    def prepare():
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    command = [*godot.command, "--headless", "--path", str(project)]
    return subprocess.Popen(command, preexec_fn=prepare, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


TELLS = """extends Node3D
func _physics_process(_delta):
	if Engine.get_physics_frames() == 5:
		var maps := FileAccess.open("/proc/self/maps", FileAccess.READ)
		var has_python := false
		while not maps.eof_reached():
			has_python = maps.get_line().contains("libpython") or has_python
		print("class ", PhysicsServer3D.get_class(), " python ", has_python)
"""


@pytest.fixture(scope="module")
def telling(tmp_path_factory, released, godot) -> Path:
    """A project with the addon that tells which engine runs, and goes on."""
    folder = make_project(tmp_path_factory.mktemp("telling") / "project", TELLS)
    shutil.copytree(released.folder, folder / "addons" / "scree")
    godot.run("--headless", "--path", folder, "--import")
    return folder


def ended_by_control_c(process: subprocess.Popen) -> tuple[str, str]:
    """End a project by Control-C. Returns what it told before, and all else that it printed."""
    told = next(line for line in process.stdout if line.startswith("class ")).strip()
    process.send_signal(signal.SIGINT)
    rest = process.communicate(timeout=20)[0]
    assert process.returncode == -signal.SIGINT
    return told, rest


def test_control_c_ends_it(telling, godot):
    told, rest = ended_by_control_c(started(godot, telling))
    assert told == "class ScreePhysicsServer3D python true" and "KeyboardInterrupt" not in rest


def test_with_another_engine_chosen_no_python_starts(telling, godot):
    (telling / "override.cfg").write_text('[physics]\n\n3d/physics_engine="GodotPhysics3D"\n')
    try:
        assert ended_by_control_c(started(godot, telling))[0] == "class PhysicsServer3D python false"
    finally:
        (telling / "override.cfg").unlink()


def test_without_room_for_a_space_it_falls_back(telling, godot):
    process = started(godot, telling, 4_000_000_000)
    lines = []
    for line in process.stdout:
        lines.append(line)
        if line.startswith("class "):
            break
    process.kill()
    assert lines[-1].startswith("class PhysicsServer3D ")
    (said,) = [line for line in lines if line.startswith("ERROR: ")]
    assert "MiB of address space" in said and "Godot's default physics engine runs instead" in said


def test_a_part_of_another_release_is_noticed(copied):
    """The core of another build beside the engine."""
    with zipfile.ZipFile(copied / "scree" / "python.zip") as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    content["scree/runtime/shipped_core.txt"] = b"of another release"
    with zipfile.ZipFile(copied / "scree" / "python.zip", "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    told = copied / "scree" / "scree_paths.cfg"
    new_sum = archive_sum.archive_sum(copied / "scree" / "python.zip")
    told.write_text(re.sub("(?m)^archive_sum=.*$", f"archive_sum={new_sum}", told.read_text()))
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
    for part, what in (("game.pck", "a pack"), ("game.x86_64", "a program")):
        (copied / part).rename(copied / "elsewhere.so")
        assert [what in line for line in export_game.missing_parts(copied)] == [True]
        (copied / "elsewhere.so").rename(copied / part)
    pack = copied / "game.pck"
    whole = pack.read_bytes()
    for cut in (len(whole) - 1, len(whole) // 2, 50, 0):
        pack.write_bytes(whole[:cut])
        assert ["game.pck as Godot exported it" in line for line in export_game.missing_parts(copied)] == [True]
    pack.write_bytes(whole)
    described = (copied / "scree" / "godot_api.json").read_text()
    version = re.search(r"Godot Engine v([0-9.]+)\.", described).group(1)
    (copied / "scree" / "godot_api.json").write_text(described.replace(f"v{version}.", "v4.0.1."))
    (line,) = export_game.missing_parts(copied)
    assert f"for Godot {version}" in line and "v4.0.1" in line
    (copied / "scree" / "godot_api.json").write_text('"x"')
    assert ["description of Godot's API" in line for line in export_game.missing_parts(copied)] == [True]


def test_the_check_of_an_export_says_what_is_no_game(copied, project):
    for place, what in ((copied / "nowhere", "a folder"), (copied / "game.x86_64", "is a file"), (project, "is a project")):
        (line,) = export_game.missing_parts(place)
        assert what in line


def test_names_of_files_are_portable(released):
    """Windows allows no `*` in a name."""
    names = [file.relative_to(released.folder).as_posix() for file in released.folder.rglob("*")]
    assert [name for name in names if not re.fullmatch(r"[A-Za-z0-9_.+/-]+", name)] == []


def test_it_is_small_enough(released):
    assert released.unpacked <= 25e6 and released.packed <= 10e6


def test_the_archive_holds_no_bodies_of_compiled_functions(released):
    """The core's library has their code."""
    with zipfile.ZipFile(released.folder / "bin/linux.x86_64/scree/python.zip") as archive:
        assert "scree/step/physics_system.pyc" in archive.namelist()
        assert not [name for name in archive.namelist() if "numba_inside" in name or "intrinsics/call" in name or "/api/" in name]
        assert b"Compiled: " not in archive.read("scree/runtime/call.pyc")
