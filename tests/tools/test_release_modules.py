"""The archive of a release has every module of the engine that Godot's server loads. This needs no library of the core, without
which the other tests of releases skip."""

import subprocess
import sys

import pytest

pytest.importorskip("scree.tools")
from scree.godot import virtual_modules  # noqa: E402
from scree.tools import release_python, release_source  # noqa: E402

LOADED = """
import sys
import scree.godot.start
from scree.godot import virtual_modules
virtual_modules.import_all()
print(*(name for name in sys.modules if name.split(".")[0] == "scree"))
"""
COMPILING = {"scree.runtime.kernel_compiler", "scree.runtime.numba_inside", "scree.runtime.plain_numba"}
"""Modules that only compiling needs."""


@pytest.fixture(scope="module")
def released() -> set[str]:
    return set(release_python.modules(release_source.of_this_machine()).sources)


def test_modules_that_declare_virtuals_are_in_it(released):
    assert {f"scree.godot.{name}" for name in virtual_modules.MODULES} <= released


def test_what_a_starting_engine_loads_is_in_it(released):
    run = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert len(loaded) > 100
    missing = {name for name in loaded - released if not name.startswith("scree.runtime.intrinsics")} - COMPILING
    assert missing == set()
