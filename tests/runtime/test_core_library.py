"""The library of the core: what it has is not compiled, and is used only for the sources that it was built from. Built here with
a few entry points; `scree prove library` compares the whole one with what Numba compiles."""

import shutil
from pathlib import Path

import core_libraries
import pytest
from core_libraries import run

from scree.runtime import core_library, source_closure


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    return core_libraries.build(tmp_path_factory.mktemp("core"))


USE = """
import sys
from scree.geometry import mass
from scree.runtime import timeline, thread_pool
print(timeline.read_cycles.is_cached, thread_pool.dismiss.is_cached, mass.polyhedron_mass_job.is_cached)
print("numba" in sys.modules, timeline.read_cycles() <= timeline.read_cycles(), timeline.read_cycles() != 0)
"""


def test_what_it_has_is_not_compiled_and_numba_is_not_imported(built, tmp_path):
    said, errors = run(USE, built, tmp_path / "cache")
    assert (said, errors) == (["True True True", "False True True"], "")
    assert not (tmp_path / "cache").exists(), "nothing is kept where nothing is compiled"


def test_it_can_be_left_aside(built, tmp_path):
    said, errors = run(USE, 0, tmp_path / "cache")
    assert (said, errors) == (["False False False", "True True True"], "")


def change(tmp_path: Path, module: str) -> Path:
    """A copy of the engine in which one module has a further line. Returns the folder to import it from."""
    folder = tmp_path / "packages"
    shutil.copytree(source_closure.ENGINE_FOLDER, folder / "scree", ignore=shutil.ignore_patterns("__pycache__", "native"))
    with open(folder / "scree" / f"{module}.py", "a") as file:
        file.write("\n_ADDED = 1\n")
    return folder


def test_what_was_changed_is_compiled_and_all_else_is_not(built, tmp_path):
    said, errors = run(USE, built, tmp_path / "cache", change(tmp_path, "runtime/thread_pool"))
    assert (said, errors) == (["True False True", "True True True"], "")


OWN = """
import sys
import numpy as np
from scree.geometry import vector
from scree.runtime.kernel import entry_point, kernel
from scree.runtime.memory import view
from scree.runtime import atomics, timeline

@kernel
def twice(x):
    return vector.dot((x, 0.0, 0.0), (2.0, 0.0, 0.0))

@entry_point("float64(int64)")
def own(address):
    atomics.add_int64(address + 8, 5)
    return twice(view(address, 1, np.float64)[0])

word = np.array([1.5, 0.0])
assert timeline.read_cycles.is_cached and "numba" not in sys.modules
print(own(word.ctypes.data), word.view(np.int64)[1], "numba" in sys.modules)
"""


def test_a_users_own_compiled_function_calls_the_engines_kernels(built, tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    said, errors = run(f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import own", built, tmp_path / "cache")
    assert (said, errors) == (["3.0 5 True"], "")


WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = None
from scree.runtime import timeline, job_system
from scree.runtime.kernel import CannotCompile
print(timeline.read_cycles() != 0)
try:
    job_system.run_alone.address
except CannotCompile as error:
    print(error)
"""


def test_without_numba_what_it_lacks_is_named(built, tmp_path):
    said, _ = run(WITHOUT_NUMBA, built, tmp_path / "cache")
    assert said == ["True", "runtime.job_system.run_alone is not in the core's library, and cannot be compiled without numba"]


@pytest.mark.parametrize("content", [b"", b"no library", None])
def test_a_file_that_is_none_is_left_aside_with_a_warning(built, tmp_path, content):
    file = tmp_path / built.name
    file.write_bytes(built.read_bytes()[:5000] if content is None else content)
    said, errors = run(USE, file, tmp_path / "cache")
    assert said[0] == "False False False" and errors.startswith("scree: the core is compiled here: ") and errors.count("\n") == 1


def ship(tmp_path: Path, note: str, library: Path | None) -> Path:
    """A copy of the engine as in a released addon: with a library, and a note of the one that was built from it."""
    folder = change(tmp_path, "runtime/thread_pool")
    (folder / "scree" / "runtime" / core_library.SHIPPED).write_text(note)
    place = folder / "scree" / "native" / core_library.file_name_here()
    place.parent.mkdir(exist_ok=True)
    place.unlink(missing_ok=True)
    if library:
        shutil.copyfile(library, place)
    return folder


def test_a_released_engine_takes_its_own_library_without_a_look_at_the_sources(built, tmp_path):
    folder = ship(tmp_path, core_library.CoreLibrary(built).id, built)
    for chosen in ("", "0", "/dev/null"):  # a player's variable does not count
        said, errors = run(USE, chosen, tmp_path / "cache", folder)
        assert (said, errors) == (["True True True", "False True True"], "")


REFUSED = """
from scree.runtime import core_library, timeline
try:
    timeline.read_cycles.address
except core_library.WrongLibrary as error:
    print(error)
"""


@pytest.mark.parametrize("is_there, said", [(True, "mixture of two versions"), (False, "missing")])
def test_a_released_engine_refuses_another_library(built, tmp_path, is_there, said):
    folder = ship(tmp_path, "0123", built if is_there else None)
    assert said in run(REFUSED, "", tmp_path / "cache", folder)[0][0]


def test_a_damaged_library_is_not_opened(built, tmp_path):
    for place in (100, -100, -1):
        data = bytearray(built.read_bytes())
        data[place] ^= 1
        file = tmp_path / built.name
        file.write_bytes(data)
        with pytest.raises(core_library.WrongLibrary, match="damaged"):
            core_library.CoreLibrary(file)


def test_names_of_files():
    assert core_library.file_name("windows", "x86_64") == "libscree_core.windows.x86_64.dll"
    assert core_library.symbol_of("step.physics_system.step") == "scree_entry_step_physics_system_step"
