"""Libraries of users' own compiled functions: they run without Numba, have the bits that Numba gives, and are left aside where
sources have changed. The project is `own_project`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("ziglang")
from scree.runtime import core_library, own_library  # noqa: E402
from scree.tools import build_core, build_own  # noqa: E402
from tests.built_libraries import need_library  # noqa: E402

PROJECT = Path(__file__).parent / "own_project"
FUNCTIONS = 5
HERE = build_core.targets([])


def copy(folder: Path) -> Path:
    """A copy of the project without libraries."""
    return shutil.copytree(PROJECT, folder / "project", ignore=shutil.ignore_patterns("__pycache__", "native"))


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """A copy of the project with the library in its package."""
    project = copy(tmp_path_factory.mktemp("own"))
    (library,) = build_own.build(project / "trapdoor", HERE)
    assert library.file == project / "trapdoor" / "native" / own_library.file_name(*HERE[0])
    assert library.entry_points == FUNCTIONS and library.needed == []
    return project


@pytest.fixture
def project(built, tmp_path) -> Path:
    """A copy of the project, with its library, to be changed."""
    return shutil.copytree(built, tmp_path / "project", ignore=shutil.ignore_patterns("__pycache__"))


CALLS = """
import numpy as np
from scree.runtime.memory import address_of
from trapdoor import functions

data, words, number = np.array([0.5, 0.2, 0.4]), np.array([0.3, -0.7, 0.2, 0, 0, 0]), np.array([1.5])
functions.lens(address_of(data), address_of(words))
bounds = functions.at_most_one(address_of(number)), functions.at_most_two(address_of(number))
called = functions.lens, functions.at_most_one, functions.at_most_two
print(*(entry.is_cached and entry.code_file is None for entry in called), *bounds, words.tobytes().hex())
"""
ARE_THERE = """
from trapdoor import functions
print(*(entry.is_cached and entry.code_file is None for entry in (functions.lens, functions.heavy_ones_fall_through)))
"""
WITHOUT_NUMBA = 'import sys\nsys.modules["numba"] = None\n'


def run(program: str, project: Path, core: str = "", cache: Path | None = None) -> tuple[str, str]:
    """Run a program in a folder: its output, and its errors. `core`: the engine's library, 0: none is used."""
    environment = {**os.environ, core_library.CHOSEN: core, "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= {"SCREE_CACHE": str(cache)} if cache else {}
    done = subprocess.run([sys.executable, "-c", program], cwd=project, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


def test_without_numba_it_has_the_bits_that_numba_gives(built):
    said, errors = run(WITHOUT_NUMBA + CALLS, built)
    assert errors == "" and said.startswith("True True True 0 1 ")
    compiled, _ = run(CALLS, built, "0")
    assert compiled.startswith("False False False") and compiled.split()[3:] == said.split()[3:]


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


@pytest.mark.parametrize("name, old, new", [("functions", "** 2", "** 2.0"), ("limits", "HEAVIEST = 10", "HEAVIEST = 11")])
def test_a_changed_source_is_said_in_one_line_and_compiled(project, name, old, new):
    """Also that of a kernel in another module, which only one of the functions uses."""
    assert run(ARE_THERE, project) == ("True True", "")
    change(project / "trapdoor" / f"{name}.py", old, new)
    said, errors = run(ARE_THERE, project)
    assert said == f"{name == 'limits'} False"
    assert errors.count("\n") == 1 and f"scree: functions.py or what it uses has changed since {project}" in errors
    assert f"`scree build-core --project {project / 'trapdoor'}` builds it anew" in errors


UNUSABLE = """
from scree.runtime.kernel import CannotCompile
from trapdoor import functions
try:
    functions.slippery.address
except CannotCompile as error:
    print(error)
"""


def test_without_a_library_and_numba_the_way_out_is_named(project):
    shutil.rmtree(project / "trapdoor" / "native")
    expected = "slippery of functions.py is in no library of its project (`scree build-core --project`), and cannot be compiled"
    assert run(WITHOUT_NUMBA + UNUSABLE, project) == (f"{expected} without Numba", "")


def test_a_damaged_library_is_left_aside(project):
    (file,) = (project / "trapdoor" / "native").iterdir()
    file.write_bytes(file.read_bytes()[:-1])
    said, errors = run(CALLS, project)
    assert said.startswith("False") and errors.count("\n") == 1 and "is damaged" in errors


PROGRAM = """
import sys
import numpy as np
from scree.runtime.kernel import entry_point
from scree.runtime.memory import address_of, view

@entry_point("float64(int64)")
def twice(address):
    return 2.0 * view(address, 1, np.float64)[0]

if __name__ == "__main__":
    number = np.array([1.5])
    print(twice(address_of(number)), "numba" in sys.modules)
"""


def test_functions_of_the_program_itself(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "other.py").write_text(
        "raise RuntimeError('this is not imported')\n@entry_point('void()')\ndef f(): pass"
    )
    (library,) = build_own.build(tmp_path, HERE)
    assert library.file.parent == tmp_path / "native"
    assert run("import runpy; runpy.run_path('program.py', run_name='__main__')", tmp_path) == ("3.0 False", "")
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("3.0 False\n", "")


@pytest.mark.parametrize("text, said", [
    ("x = 1\n", "no module in .* has a function under @entry_point"),
    ("raise OSError('no')\n@entry_point('void()')\ndef f(): pass\n", r"program.py cannot be imported: OSError: no"),
    ("from scree.runtime.kernel import entry_point\n@entry_point('void()')\ndef f(): return [] + 1\n",
     r"(?s)program.py: f \(.{6}\) cannot be translated: TypingError"),
    ("import ctypes\nfrom scree.runtime.kernel import entry_point\n"
     "get = ctypes.PYFUNCTYPE(ctypes.c_int)(('Py_IsInitialized', ctypes.pythonapi))\n"
     "@entry_point('int32()')\ndef f(): return get()\n", "holds an address of the process"),
])  # fmt: skip
def test_what_cannot_be_built_is_named(tmp_path, text, said):
    (tmp_path / "program.py").write_text(text)
    with pytest.raises(build_core.CoreNotBuilt, match=said):
        build_own.build(tmp_path, HERE)


def test_modules_that_are_imported_by_one_name_are_refused(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "rules.py").write_text(PROGRAM)
    with pytest.raises(build_core.CoreNotBuilt, match="both imported as rules"):
        build_own.build(tmp_path, HERE)
    assert build_own.place_of(tmp_path / "a" / "rules.py", tmp_path) == tmp_path / "a"


def test_a_world_with_own_functions_has_the_same_bits(built):
    need_library()
    play = "import runpy; runpy.run_module('trapdoor', run_name='__main__')"
    said, errors = run(WITHOUT_NUMBA + play, built)
    compiled, _ = run(play, built, "0")
    assert errors == "" and said.split()[1:] == compiled.split()[1:] and said.split()[1] == "2"
