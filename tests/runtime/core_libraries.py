"""A small library of the core, with a few entry points, and Python processes that use it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("scree.tools")
pytest.importorskip("ziglang")
from scree.runtime import core_library  # noqa: E402
from scree.tools import build_core  # noqa: E402

ENTRY_POINTS = ("runtime.timeline.read_cycles", "runtime.thread_pool.dismiss", "geometry.mass.polyhedron_mass_job")


def build(folder: Path) -> Path:
    """Build the library in a folder. Returns its file."""
    (built,) = build_core.build(build_core.targets([]), folder, ENTRY_POINTS)
    assert built.file.name == core_library.file_name_here() and built.entry_points == len(ENTRY_POINTS)
    return built.file


def run(program: str, core: Path | str, cache: Path, packages: Path | None = None) -> tuple[list[str], str]:
    """The lines that a program prints, and what it says on its other stream. `packages`: a folder with another `scree`."""
    path = os.pathsep.join([str(packages)] if packages else filter(None, sys.path))
    environment = {**os.environ, core_library.CHOSEN: str(core), "SCREE_CACHE": str(cache), "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), done.stderr
