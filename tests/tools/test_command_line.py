"""Output and exit codes of the sub-commands; the work itself is tested beside its functions."""

import errno
import importlib.metadata
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scree.tools import command_line, doctor, find_godot, prove, release, scenes, shipping_commands
from scree.tools.prove import Check, Outcome

COMMANDS = ("demo", "test", "install", "new", "godot", "warmup", "build-core", "bench", "prove", "docs", "doctor")


@pytest.fixture
def scree():
    return lambda *arguments: CliRunner().invoke(command_line.application, arguments)


def test_every_command_has_its_line_of_help(scree):
    said = scree("--help").output
    assert all(f"\n  {name}  " in said for name in COMMANDS)


def test_no_line_of_help_is_cut_off(scree):
    said = "".join(scree("--help").output.split())
    assert "..." not in said.replace("[ARGS]...", "")
    for command in command_line.application.registered_commands:
        assert command_line._first_sentence(command.callback.__doc__).replace(" ", "") in said


def test_the_version_is_that_of_the_package(scree):
    result = scree("--version")
    assert result.exit_code == 0 and result.output == f"Scree {importlib.metadata.version('scree-physics')}\n"


def test_arguments_for_the_project_reach_godot(scree, monkeypatch):
    """Godot hands everything after `--` to the project."""
    monkeypatch.setattr(command_line, "godot_at_hand", lambda: find_godot.Godot(("godot",), "4.4", "a test"))
    ran = []
    monkeypatch.setattr(command_line.subprocess, "run", lambda command: ran.append(command) or subprocess.CompletedProcess("", 3))
    result = scree("godot", "--headless", "--help", "--", "--level", "2")
    assert result.exit_code == 3 and ran == [["godot", "--headless", "--help", "--", "--level", "2"]]


def test_a_project_that_is_none_is_refused_in_one_line(scree, tmp_path):
    result = scree("install", str(tmp_path))
    assert result.exit_code == 1
    assert result.stderr == f"scree: {tmp_path} is no Godot project: it holds no project.godot\n"


@pytest.mark.parametrize("arguments, said", [
    (["release", "--taget", "windows.x86_64"], "release: no such option: --taget"),
    (["release", "all"], "release: got unexpected extra argument"),
    (["release", "--target", "beos"], "there is no target beos; there are linux.x86_64"),
    (["release", "--into", __file__], "test_command_line.py is no folder"),
    (["export-check"], "export-check: missing argument"), (["export-check", "a", "b"], "export-check: got unexpected"),
    (["install"], "install: missing argument"), (["uninstall", "--all"], "uninstall: no such option: --all"),
    (["build-core", "--project", "/nowhere"], "there is no folder /nowhere"), (["realease"], "no such command 'realease'"),
])  # fmt: skip
def test_a_wrong_argument_is_one_clear_line(scree, monkeypatch, arguments, said):
    monkeypatch.setattr(shipping_commands, "godot_at_hand", lambda: find_godot.Godot(("godot",), "4.6", "here"))
    result = scree(*arguments)
    assert result.exit_code in (1, 2) and result.stdout.strip() == ""
    assert result.stderr.startswith("scree: ") and said in result.stderr.lower() and result.stderr.count("\n") == 1


def test_a_release_shows_what_it_does(scree, monkeypatch, tmp_path):
    def make(into, godot, targets, report):
        report(1, 4, "a step")
        return release.Release(tmp_path, Path(__file__), 1, 1)

    monkeypatch.setattr(shipping_commands, "godot_at_hand", lambda: None)
    monkeypatch.setattr(release, "make", make)
    assert "Releasing 1 of 4" in scree("release", "--target", "windows.x86_64").stdout


def test_a_scene_that_is_none_is_refused(scree, monkeypatch):
    monkeypatch.setattr(command_line, "godot_at_hand", lambda: None)
    monkeypatch.setattr(command_line, "_warm_up", lambda: None)
    for command in ("demo", "bench"):
        result = scree(command, "nothing")
        assert result.exit_code == 1 and "there is no scene nothing" in result.stderr


@pytest.mark.parametrize("options, said", [
    (("--engine", "Bullet"), "there is no engine Bullet; there are Scree Physics, Jolt Physics, GodotPhysics3D"),
    (("--rounds", "0"), "--rounds"),
    (("--threads", "-3"), "--threads"),
])  # fmt: skip
def test_a_bench_that_cannot_be_is_refused_before_it_begins(scree, monkeypatch, options, said):
    monkeypatch.setattr(command_line, "godot_at_hand", lambda: pytest.fail("nothing is to be run"))
    result = scree("bench", "wall", *options)
    assert result.exit_code in (1, 2) and said in result.stderr


def copy_to_a_full_disk():
    raise shutil.Error([("a", "b", "[Errno 28] No space left on device: 'a' -> 'b'"), ("c", "d", "the same")])


def write_to_a_full_disk():
    raise OSError(errno.ENOSPC, "No space left on device", "out/demo")


@pytest.mark.parametrize("fails, said", [
    (write_to_a_full_disk, "scree: No space left on device: out/demo\n"),
    (copy_to_a_full_disk, "scree: [Errno 28] No space left on device: 'a' -> 'b'\n"),
    (lambda: open("/proc/nowhere/x", "w"), "scree: No such file or directory: /proc/nowhere/x\n"),
])  # fmt: skip
def test_a_full_disk_is_one_line(monkeypatch, capsys, fails, said):
    monkeypatch.setattr(command_line, "application", fails)
    with pytest.raises(SystemExit) as ended:
        command_line.main()
    assert ended.value.code == 1 and capsys.readouterr().err == said


SIDE_BY_SIDE = (["-n", "2", "--dist", "loadfile", "-m", "not alone"], ["-m", "alone"])


@pytest.mark.parametrize("arguments, options, codes, code", [
    ((), SIDE_BY_SIDE, (0, 0), 0), (("-x", "tests/world"), SIDE_BY_SIDE, (0, 5), 0), ((), SIDE_BY_SIDE, (1, 0), 1),
    ((), SIDE_BY_SIDE, (0, 1), 1), ((), SIDE_BY_SIDE, (5, 5), 5), (("-n", "1"), ([],), (0,), 0), (("-n0",), ([],), (0,), 0),
    (("--pdb",), ([],), (0,), 0), (("-s",), ([],), (2,), 2), (("-m", "alone"), ([],), (0,), 0),
])  # fmt: skip
def test_files_of_tests_run_side_by_side(scree, monkeypatch, arguments, options, codes, code):
    ran = []

    def run(command, **_):
        ran.append(command[1:])
        return subprocess.CompletedProcess(command, codes[len(ran) - 1])

    monkeypatch.setattr(command_line, "godot_at_hand", lambda: None)
    monkeypatch.setattr(command_line, "_warm_up", lambda: None)
    monkeypatch.setattr(command_line.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(command_line.subprocess, "run", run)
    assert scree("test", *arguments).exit_code == code
    assert ran == [["-m", "pytest", *each, *arguments] for each in options]


def test_godot_passes_arguments_and_exit_code_on(scree, monkeypatch, tmp_path):
    program = tmp_path / "godot"
    program.write_text(f'#!/bin/sh\necho "$*" > {tmp_path}/said\nexit 7\n')
    program.chmod(0o755)
    monkeypatch.setattr(command_line, "godot_at_hand", lambda: find_godot.Godot((str(program),), "4.6", "here"))
    assert scree("godot", "--headless", "--path", "a b", "--help").exit_code == 7
    assert (tmp_path / "said").read_text() == "--headless --path a b --help\n"


def test_no_godot_is_said_with_the_way_to_go_on(scree, monkeypatch):
    def missing(report):
        raise find_godot.GodotNotFound("E: Failed to fetch x.deb\n" + find_godot.BY_HAND)

    monkeypatch.setattr(find_godot, "find_godot", missing)
    result = scree("godot", "--version")
    assert result.exit_code == 1 and "x.deb" in result.stderr and "GODOT" in result.stderr


def test_a_check_that_does_not_hold_makes_the_exit_code(scree, monkeypatch, tmp_path):
    def fails(godot, project):
        raise scenes.SceneFailed("it fell over")

    checks = {
        "good": Check("good", "all is well", lambda godot, project: Outcome("3 of 3", True)),
        "bad": Check("bad", "all is well", fails),
    }
    monkeypatch.setattr(prove, "all_checks", lambda: checks)
    for step in ("godot_at_hand", "_warm_up"):
        monkeypatch.setattr(command_line, step, lambda: None)
    monkeypatch.setattr(command_line, "_project", lambda name: tmp_path)
    good = scree("prove", "good")
    assert good.exit_code == 0 and "holds good (all is well)\n  3 of 3\n" in good.output
    both = scree("prove")
    assert both.exit_code == 1 and "does not hold bad" in both.output and "it fell over" in both.output
    assert scree("prove", "none").exit_code == 1
    assert scree("prove", "--list").output == "good: all is well\nbad: all is well\n"


def test_the_long_checks_cover_what_was_promised():
    assert set(prove.all_checks()) >= {
        "starts_and_ends", "start_time", "thousand_in_a_bin", "falling_cost", "same_bits", "dense_piles", "convex_pairs",
        "rays_against_jolt", "streaming_flight",
    }  # fmt: skip


def test_doctor_ends_with_1_where_something_is_bad(scree, monkeypatch):
    findings = [doctor.Finding("Python", "good", "3.11"), doctor.Finding("Xvfb", "missing", "none", "apt install xvfb")]
    monkeypatch.setattr(doctor, "findings", lambda project: iter(findings))
    assert scree("doctor").exit_code == 0
    findings.append(doctor.Finding("Numba", "bad", "0.1", "pip install numba"))
    result = scree("doctor")
    assert result.exit_code == 1 and "pip install numba" in result.output


def test_a_wheel_is_told_with_its_size(scree, monkeypatch, tmp_path):
    """The command ended with an error after the wheel was made."""
    from scree.tools import build_core, wheels

    def with_core(pure, target, folder):
        return made

    made = tmp_path / "scree.whl"
    made.write_bytes(bytes(2_500_000))
    monkeypatch.setattr(wheels, "build_wheel", lambda folder: folder / "pure.whl")
    monkeypatch.setattr(wheels, "with_core", with_core)
    monkeypatch.setattr(build_core, "targets", lambda names: [("linux", "x86_64")])
    done = scree("wheel", "--into", str(tmp_path))
    assert done.exit_code == 0 and f"{made}: 2.5 MB" in done.output.replace("\n", ""), done.output
