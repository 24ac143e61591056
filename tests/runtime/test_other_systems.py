"""Libraries of the core for other systems: memory that is taken where it is touched, and steps with the bits of this system.
`scree prove platforms` compares 2,000."""

import core_libraries
import pytest
from core_libraries import run

from scree.tools import build_core, other_system, prove_platforms
from tests.built_libraries import need_library, need_system

TOUCH = """
import ctypes, sys
from pathlib import Path
from scree.runtime.core_library import CoreLibrary
library = CoreLibrary(Path(sys.argv[1]))
size = 64 << 30
address = library.reserve(size)
words = [ctypes.c_int64.from_address(address + at) for at in (0, 1 << 20, (40 << 30) + 8, size - 8)]
print(bool(address), [word.value for word in words])
for k, word in enumerate(words):
    word.value = k + 1
print([word.value for word in words])
give_back = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(library.give_back)
give_back(address + (1 << 20), 1 << 20, 0)
print([word.value for word in words])
library.release(address)
addresses = [library.reserve(1 << 20) for _ in range(200)]
for one in addresses:
    ctypes.c_int64.from_address(one + 4096).value = 1
    library.release(one)
print(all(addresses), len(set(addresses)) == len(addresses))
"""
TOUCHED = ["True [0, 0, 0, 0]", "[1, 2, 3, 4]", "[1, 0, 3, 4]", "True True"]


def test_reserved_memory_here(tmp_path):
    library = core_libraries.build(tmp_path)
    program = TOUCH.replace("import ctypes, sys\n", f"import ctypes, sys\nsys.argv = ['', {str(library)!r}]\n", 1)
    said, errors = run(program, 0, tmp_path / "cache")
    assert (said, errors) == (TOUCHED, "")


def test_reserved_memory_on_windows_is_committed_where_it_is_touched(tmp_path):
    system = need_system(other_system.windows)
    (built,) = build_core.build([system.target], tmp_path, core_libraries.ENTRY_POINTS)
    (tmp_path / "touch.py").write_text(TOUCH)
    packages = [other_system.engine_beside(tmp_path / "packages")]
    done = system.run([system.path(tmp_path / "touch.py"), system.path(built.file)], packages, 120)
    assert (done.stdout.split("\n")[:4], done.returncode) == (TOUCHED, 0), done.stderr


@pytest.mark.parametrize("name", other_system.SYSTEMS)
def test_the_first_steps_have_the_same_bits(name):
    """Only where the whole libraries are built from these sources: building them takes minutes."""
    system = need_system(other_system.SYSTEMS[name])
    need_library(build_core.targets([])[0], system.target)
    scenes = ["bricks"]  # one that adds and removes
    own = prove_platforms.hashes_here(2, 100, scenes)
    assert own and own == prove_platforms.hashes_on(system, 2, 100, scenes)
