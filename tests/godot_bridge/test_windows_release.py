"""The release for Windows by wine, with a program that stands in for Godot, which has no Windows build here: its loader starts
Windows' Python from the addon's own files, and the engine in there steps a world with the bits of this system."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("scree.tools")
from stand_in_engine import RECORD  # noqa: E402
from scree.tools import find_godot, other_system, release  # noqa: E402
from scree.tools.archive_sum import archive_sum  # noqa: E402
from scree.tools.prove import run_python  # noqa: E402
from tests.built_libraries import need_library, need_system  # noqa: E402

HERE = Path(__file__).parent
SCENES = HERE.parent / "runtime" / "scenes_for_threads.py"
WINDOWS = ("windows", "x86_64")
STEPS = 120
STEPPING = f"""
import hashlib
from scenes_for_threads import BOX, IDENTITY, PLANE, SPHERE, STATIC, World, _body, _shape
world = World(threads=2)
system = world.create_system()
_body(world, system, _shape(world, PLANE, (0.0, 1.0, 0.0), 0.0), STATIC)
shapes = [_shape(world, BOX, (0.5, 0.3, 0.4)), _shape(world, SPHERE, 0.4)]
for k in range(60):
    _body(world, system, shapes[k % 2], None, (0.7 * (k % 4) + 0.1 * (k % 7), 1.0 + k // 4, 0.1 * (k % 3)))
for _ in range({STEPS}):
    world.step(system, 1.0 / 60.0)
rows = world.bodies.rows[: world.bodies.count]
print("steps", hashlib.sha256(rows["position"].tobytes() + rows["rotation"].tobytes()).hexdigest(), flush=True)
"""
START = (
    RECORD
    + f"""
def initialize(get_proc_address, library, initialization, is_exported_game):
    print("starts", sys.platform, "numba" in sys.modules, sys.path[-1].endswith("modules"), flush=True)
    exec({STEPPING!r})
    record = Initialization.from_address(initialization)
    record.initialize = record.deinitialize = ctypes.cast(say, ctypes.c_void_p)
"""
)


@pytest.fixture(scope="module")
def wine() -> other_system.OtherSystem:
    system = need_system(other_system.windows)
    need_library(WINDOWS)
    return system


@pytest.fixture(scope="module")
def released(tmp_path_factory, wine) -> Path:
    """The folder of the system in a released addon, in a path with spaces and foreign letters."""
    into = tmp_path_factory.mktemp("windows") / "my games \u6e38\u620f"
    made = release.make(into, find_godot.find_godot(fetch=False), [WINDOWS])
    assert made.packed < 10e6 and made.unpacked < 25e6
    text = (made.folder / "scree.gdextension").read_text()
    assert 'windows.x86_64 = "res://addons/scree/bin/windows.x86_64/libscree.windows.x86_64.dll"' in text
    assert "linux" not in text
    return made.folder / "bin" / "windows.x86_64"


@pytest.fixture(scope="module")
def host(tmp_path_factory) -> Path:
    program = tmp_path_factory.mktemp("host") / "host.exe"
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-windows-gnu", "-O1", HERE / "host.c", "-o", program]
    subprocess.run(command, check=True)
    return program


def run(wine: other_system.OtherSystem, host: Path, folder: Path) -> list[str]:
    """The lines that the host prints with the loader of a folder."""
    command = [wine.command[0], str(host), "libscree.windows.x86_64.dll"]
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", timeout=120, cwd=folder, env={**os.environ, **wine.environment}
    )
    return done.stdout.replace("\r", "").splitlines()


def test_without_godot_the_engine_says_what_it_lacks(wine, host, released):
    lines = run(wine, host, released)
    assert len(lines) == 2 and lines[0].startswith("ERROR: scree: "), lines
    assert "default physics engine" in lines[0] and lines[1].startswith("whole"), lines


@pytest.fixture
def stepping(released) -> Path:
    """The folder, with another start of the engine that needs no Godot: it steps a world."""
    archive, told = released / "scree" / "python.zip", released / "scree" / "scree_paths.cfg"
    whole, said = archive.read_bytes(), told.read_text()
    with zipfile.ZipFile(archive) as packed:
        content = {name: packed.read(name) for name in packed.namelist() if name != "scree/godot/start.pyc"}
    content |= {"scree/godot/start.py": START.encode(), "scenes_for_threads.py": SCENES.read_bytes()}
    with zipfile.ZipFile(archive, "w") as packed:
        for name, data in content.items():
            packed.writestr(name, data)
    told.write_text(re.sub("(?m)^archive_sum=.*$", f"archive_sum={archive_sum(archive)}", said))
    yield released
    archive.write_bytes(whole)
    told.write_text(said)


def test_the_engine_steps_there_with_the_bits_of_this_system(wine, host, stepping):
    lines = run(wine, host, stepping)
    own = run_python("-c", STEPPING, packages=SCENES.parent).split()
    assert lines[:2] == ["starts win32 False True", f"steps {own[1]}"], lines
    assert lines[-1] == "whole, from level 1", lines


@pytest.mark.parametrize("lost", ["python311.dll", "libffi-8.dll", "python.zip", "libscree_core.*"])
def test_without_a_part_it_says_one_line(wine, host, released, lost):
    (part,) = (released / "scree").glob(lost)
    elsewhere = part.rename(released / "elsewhere")
    try:
        lines = run(wine, host, released)
    finally:
        elsewhere.rename(part)
    assert len(lines) == 2 and lines[0].startswith("ERROR: scree: ") and lines[1].startswith("whole"), lines
    assert part.name in lines[0], lines
