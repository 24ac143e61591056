"""The core's library on other systems and processors: the bits of Linux x86-64."""

import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from scree.runtime import core_library
from scree.tools import build_core, other_system, places, scenes
from scree.tools.find_godot import Godot
from scree.tools.prove import LONGEST_RUN, Outcome, check, run_python

SCENES = "tests/runtime/platform_scenes.py"
STEPS, THREADS = 2000, 2
NAME = re.compile(r"^(\w+)((?: [0-9a-f]{16})+)\r?$", re.MULTILINE)


def hashes(text: str) -> dict[str, list[str]]:
    """The hashes of each scene, from what `platform_scenes.py` prints."""
    return {name: told.split() for name, told in NAME.findall(text)}


def is_built(target: tuple[str, str]) -> bool:
    """Whether the core's library for a target is there and was made from these sources."""
    file = core_library.folder() / core_library.file_name(*target)
    return file.is_file() and build_core.build_id(build_core.identities()).encode() in file.read_bytes()


def need_library(target: tuple[str, str]) -> None:
    """Build the core's library for a target where there is none of these sources. Raises SceneFailed."""
    try:
        if not is_built(target):
            build_core.build([target])
    except build_core.CoreNotBuilt as error:
        raise scenes.SceneFailed(str(error)) from error


def hashes_here(threads: int, steps: int, names: Sequence[str] = ()) -> dict[str, list[str]]:
    """The hashes of scenes on this system, of all where no names are given. Raises SceneFailed."""
    return hashes(run_python(SCENES, threads, steps, *names))


def hashes_on(system: other_system.OtherSystem, threads: int, steps: int, names: Sequence[str] = ()) -> dict[str, list[str]]:
    """The hashes of scenes on another system. Raises SceneFailed."""
    need_library(system.target)
    root = places.checkout()
    with tempfile.TemporaryDirectory() as made:
        packages = [other_system.engine_beside(Path(made)), root / "tests" / "runtime"]
        try:
            done = system.run([system.path(root / SCENES), str(threads), str(steps), *names], packages, LONGEST_RUN)
        except subprocess.TimeoutExpired as late:
            raise scenes.SceneFailed(f"it did not end within {LONGEST_RUN:g} s") from late
    if done.returncode != 0:
        raise scenes.SceneFailed(f"it ended with {done.returncode}: {(done.stdout + done.stderr)[-1500:]}")
    return hashes(done.stdout)


def differences(expected: dict[str, list[str]], found: dict[str, list[str]]) -> list[str]:
    """The first differences from hashes of another origin, one line a scene."""
    faults = []
    for name, own in expected.items():
        other = found.get(name, [])
        at = next((k for k in range(len(own)) if k >= len(other) or own[k] != other[k]), None)
        if at is not None:
            faults.append(f"{name} differs from step {100 * at} on")
    return faults


@check(f"the core's library on Windows (wine) and arm64 (qemu): equal hashes of {STEPS} steps in all scenes as on Linux x86-64")
def platforms(godot: Godot, project: Path) -> Outcome:
    """One library a system, one result."""
    need_library(("linux", "x86_64"))
    expected = hashes_here(THREADS, STEPS)
    lines, passed = [f"{len(expected)} scenes, {sum(map(len, expected.values()))} hashes"], bool(expected)
    lines += [f"{name} does not move" for name, told in expected.items() if len(set(told)) < 3]
    passed &= len(lines) == 1
    for name, get in other_system.SYSTEMS.items():
        try:
            system = get()
        except other_system.NotThere as error:
            lines.append(f"{name}: not tried: {error}")
            passed = False
            continue
        faults = differences(expected, hashes_on(system, THREADS, STEPS))
        lines.append(f"{name}: {'; '.join(faults) or 'equal'}")
        passed &= not faults
    return Outcome("\n  ".join(lines), passed)
