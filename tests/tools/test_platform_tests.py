"""The core's tests on other systems: what is left out there, and that a failure counts as one."""

import functools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scree.runtime import core_library
from scree.tools import other_system, packages_for_tests, places, prove_platform_tests, prove_platforms, scenes, tests_passed
from tests.built_libraries import need_library, need_system

TESTS = """
import pytest
from scree.runtime.kernel import CannotCompile

def test_holds(): pass
def test_fails(): assert 1 == 2
def test_needs_a_compiler(): raise CannotCompile("no Numba")
def test_needs_numba(): raise ModuleNotFoundError("No module named 'numba'", name="numba")
def test_lacks_something_else(): raise ModuleNotFoundError("No module named 'other'", name="other")
def test_fails_while_it_lacks_a_compiler():
    try:
        raise ValueError("first")
    except ValueError:
        raise CannotCompile("no Numba")
def test_in_godot(godot): assert False
@pytest.mark.alone
def test_measures(): assert False
@pytest.mark.needs("no_such_module")
def test_needs_another(): assert False
@pytest.mark.needs("os")
def test_has_what_it_needs(): pass
def test_fails_after_it_lacked_a_compiler():
    try:
        raise CannotCompile("no Numba")
    except CannotCompile:
        assert 1 == 2
@pytest.fixture
def godot(): raise OSError
"""


SLOW_TESTS = """
import time
from hypothesis import given, settings, strategies

def work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass

def test_quick(): pass
def test_that_waits(): time.sleep(0.3)
def test_slow(): work(60)
@settings(deadline=None)
@given(strategies.integers())
def test_slow_examples(number): work(0.05)
"""


def counts_of(folder: Path, plugin: str) -> tuple[dict[str, int], list[str], str]:
    """How the tests in a folder end with a plugin: their numbers, the lines of those that failed, and all that pytest printed."""
    paths = os.pathsep.join((str(folder), str(places.checkout() / "tests")))
    command = [sys.executable, "-m", "pytest", "-q", "-rfEs", "-p", plugin, "-p", "no:cacheprovider", "."]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env={**os.environ, "PYTHONPATH": paths})
    return *prove_platform_tests.ends(done.stdout), done.stdout


def test_what_is_left_out_and_what_counts(tmp_path):
    (tmp_path / "test_some.py").write_text(TESTS)
    (tmp_path / "test_imports.py").write_text("import numba\ndef test_nothing(): pass")
    (tmp_path / "numba.py").write_text("raise ModuleNotFoundError(\"No module named 'numba'\", name='numba')")
    counts, failed, report = counts_of(tmp_path, prove_platform_tests.PLUGIN)
    assert counts == {"failed": 3, "passed": 2, "skipped": 7}, report
    named = [line.split("::")[1].split()[0] for line in failed]
    assert named == ["test_fails", "test_lacks_something_else", "test_fails_after_it_lacked_a_compiler"]


def test_what_takes_too_long_is_left_out_on_an_emulated_processor(tmp_path):
    (tmp_path / "test_some.py").write_text(SLOW_TESTS)
    settings = "import other_system_run as run\nrun.IS_EMULATED, run.LONGEST = True, 0.2"
    (tmp_path / "emulated.py").write_text(f"from other_system_run import *\n{settings}\n")
    counts, failed, report = counts_of(tmp_path, "emulated")
    assert counts == {"passed": 2, "skipped": 2} and not failed, report
    assert report.count("more time than 0.2 s under the emulator") >= 1


def test_output_without_an_end_has_no_counts():
    assert prove_platform_tests.ends("") == ({}, [])
    assert prove_platform_tests.ends("INTERNALERROR> 3 passed things\nTraceback") == ({}, [])


def test_every_folder_of_tests_is_a_room_or_needs_godot():
    folders = {each.name for each in (places.checkout() / "tests").iterdir() if any(each.glob("test_*.py"))}
    named = {room.name for room in prove_platform_tests.rooms()}
    assert {"world", "solver", "soft_bodies", "water", "joints"} <= named == folders - prove_platform_tests.NEED_GODOT


def test_groups_hold_every_file_of_a_room_once():
    world = places.checkout() / "tests" / "world"
    groups = prove_platform_tests.groups_of(world)
    assert all(0 < len(group) <= prove_platform_tests.FILES_TOGETHER for group in groups)
    assert sorted(sum(groups, [])) == sorted(f"tests/world/{each.name}" for each in world.glob("test_*.py"))


def test_a_group_that_does_not_end_leaves_the_others(monkeypatch, tmp_path):
    """Its failure is told, and the tests of the other groups count. A second run takes only what failed."""
    ran = []

    def run_tests(system, folder, *tests):
        ran.append(tests)
        if "tests/solver/test_friction_inverse.py" in tests:
            raise scenes.SceneFailed("it did not end")
        return {"passed": len(tests)}, []

    monkeypatch.setattr(prove_platform_tests, "run_tests", run_tests)
    monkeypatch.setattr(places, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(prove_platforms, "need_library", lambda target: None)
    system = other_system.OtherSystem(("windows", "x86_64"), (sys.executable,), "", {}, Path("packages"))
    counts, failed = prove_platform_tests.tests_on(system)
    files = sum(len(group) for room in prove_platform_tests.rooms() for group in prove_platform_tests.groups_of(room))
    assert failed == ["it did not end"]
    assert files - prove_platform_tests.FILES_TOGETHER <= counts["passed"] < files
    groups = len(ran)
    assert prove_platform_tests.tests_on(system) == (counts, failed)
    assert len(ran) == groups + 1 and "tests/solver/test_friction_inverse.py" in ran[-1]


def test_results_are_kept_for_the_same_files_alone(monkeypatch, tmp_path):
    """A file that is damaged counts as none."""
    root, target = tmp_path / "checkout", ("windows", "x86_64")
    texts = {"engine_core/a.py": "1", "tests/room/test_a.py": "1", "tests/room/test_b.py": "1", "tests/room/words.py": "1"}
    texts |= {"tests/godot/scene.gd": "1", "pyproject.toml": "1", "tools/b.py": "1"}
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    monkeypatch.setattr(places, "checkout", lambda: root)
    monkeypatch.setattr(places, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(core_library, "folder", lambda: tmp_path / "native")

    def key():
        return tests_passed.identity(target, ["tests/room/test_a.py"], {"godot"})

    first, library = key(), tmp_path / "native" / core_library.file_name(*target)
    tests_passed.keep(target, first, {"passed": 3})
    assert tests_passed.find(target, first) == {"passed": 3} and tests_passed.find(("linux", "arm64"), first) == {}
    for name in texts:
        (root / name).write_text("2")
        assert (key() == first) == (name in ("tests/room/test_b.py", "tests/godot/scene.gd")), name
        (root / name).write_text("1")
    library.parent.mkdir()
    library.write_bytes(b"of other sources")
    assert key() != first and tests_passed.find(target, key()) == {}
    for damage in ("", "[3]", '{"passed": "3"}'):
        next(tmp_path.glob(f"cache/*/*/{first}.json")).write_text(damage)
        assert tests_passed.find(target, first) == {}


@pytest.mark.parametrize("system", ["windows", "linux"])
def test_packages_are_those_of_this_machine_but_for_what_a_system_cannot_have(system):
    wanted = packages_for_tests.requirements(system, "numpy==2.0.2")
    assert any(one.startswith("pytest==") for one in wanted) and wanted[-1] == "numpy==2.0.2"
    assert any(one.startswith("numba==") for one in wanted) == (system == "windows")


def test_some_tests_pass_on_windows(tmp_path):
    """Only where the library and the packages are there."""
    system = need_system(other_system.windows)
    need_library(system.target)
    need_system(functools.partial(packages_for_tests.folder, system))
    counts, failed = prove_platform_tests.run_tests(system, Path(tmp_path), "tests/drawing")
    assert not failed and counts["passed"] > 10


def test_files_that_compile_are_left_out():
    """Files that pytest is given by name are run, whatever it is told to ignore."""
    (runtime,) = (room for room in prove_platform_tests.rooms() if room.name == "runtime")
    named = {Path(file).stem.removeprefix("test_") for files in prove_platform_tests.groups_of(runtime) for file in files}
    assert "thread_pool" in named and not named & set(prove_platform_tests.COMPILING)
