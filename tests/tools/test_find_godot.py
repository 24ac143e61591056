"""The order in which a Godot is looked for, and running one."""

import pytest

from scree.tools import debian_archive, find_godot
from scree.tools.find_godot import GodotNotFound, GodotRun, is_new_enough


def program(path, version):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo {version} && exit 0\necho "ran $*"\nexit 3\n')
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def empty_machine(tmp_path, monkeypatch):
    monkeypatch.delenv("GODOT", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("SCREE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(debian_archive, "fetch", lambda *arguments: pytest.fail("nothing is to be fetched here"))


def test_the_users_choice_comes_first(tmp_path, monkeypatch):
    program(tmp_path / "bin/godot", "4.6.stable")
    monkeypatch.setenv("GODOT", str(program(tmp_path / "mine", "4.4.1.stable")))
    found = find_godot.find_godot()
    assert (found.command, found.version) == ((str(tmp_path / "mine"),), "4.4.1.stable")


@pytest.mark.parametrize(("version", "says"), [("4.3.stable", "4.4 or later"), ("hello", "does not run as Godot")])
def test_a_users_choice_that_cannot_be_is_an_error(tmp_path, monkeypatch, version, says):
    program(tmp_path / "bin/godot", "4.6.stable")
    monkeypatch.setenv("GODOT", str(program(tmp_path / "mine", version)))
    with pytest.raises(GodotNotFound, match=says):
        find_godot.find_godot()


def test_godot4_comes_before_godot_and_an_old_one_is_passed_over(tmp_path):
    program(tmp_path / "bin/godot", "4.5.stable")
    assert find_godot.find_godot().version == "4.5.stable"
    program(tmp_path / "bin/godot4", "4.6.stable")
    assert find_godot.find_godot().version == "4.6.stable"
    program(tmp_path / "bin/godot4", "4.3.stable")
    assert find_godot.find_godot().version == "4.5.stable"


def test_without_one_and_without_fetching(tmp_path):
    program(tmp_path / "bin/godot", "3.5.2.stable")
    with pytest.raises(GodotNotFound, match="none is in the cache"):
        find_godot.find_godot(fetch=False)


def test_a_failed_fetch_says_what_failed_and_how_to_go_on(monkeypatch):
    def fail(*arguments):
        raise debian_archive.FetchFailed("E: Failed to fetch pool/libfoo_1_amd64.deb  404")

    monkeypatch.setattr(debian_archive, "fetch", fail)
    with pytest.raises(GodotNotFound, match="libfoo_1_amd64.deb") as failure:
        find_godot.find_godot()
    assert "GODOT" in str(failure.value)


def test_a_cache_of_another_kind_of_machine_says_how_to_go_on(tmp_path):
    (tmp_path / "cache" / "godot").mkdir(parents=True)
    (tmp_path / "cache" / "godot" / debian_archive.COMPLETE).touch()
    with pytest.raises(GodotNotFound, match="(?s)no apt-get and dpkg.*GODOT"):
        find_godot.find_godot(fetch=False)


@pytest.mark.parametrize(
    ("version", "enough"),
    [("4.4", True), ("4.10.1.stable", True), ("5.0", True), ("4.3.9", False), ("3.6", False), ("", False)],
)
def test_versions(version, enough):
    assert is_new_enough(version) is enough


def test_a_run_gives_exit_code_and_output(tmp_path):
    found = find_godot.Godot((str(program(tmp_path / "mine", "4.6")),), "4.6", "here")
    run = found.run("--path", tmp_path)
    assert (run.returncode, run.output) == (3, f"ran --path {tmp_path}\n")


def test_a_run_that_does_not_end_is_ended(tmp_path):
    path = tmp_path / "slow"
    path.write_text("#!/bin/sh\necho begun\nexec /bin/sleep 60\n")
    path.chmod(0o755)
    run = find_godot.Godot((str(path),), "4.6", "here").run(timeout=0.5)
    assert run.returncode == 124 and "begun" in run.output and run.errors()


def test_errors_and_leaks_are_found_in_the_output():
    said = """Godot Engine v4.6
WARNING: something
ERROR: bad
   at: somewhere
SCRIPT ERROR: worse
WARNING: ObjectDB instances leaked at exit
fine ERROR:less
"""
    assert GodotRun(0, said).errors() == [
        "ERROR: bad",
        "SCRIPT ERROR: worse",
        "WARNING: ObjectDB instances leaked at exit",
    ]
