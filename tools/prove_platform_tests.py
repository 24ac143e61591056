"""The core's tests on other systems and processors, with the engine's code from the library that was built for them."""

import dataclasses
import os
import re
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from scree.tools import other_system, packages_for_tests, places, prove_platforms, scenes, tests_passed
from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check, run_python

NEED_GODOT = {"godot", "godot_bridge", "tools"}
"""The folders of tests that run Godot or the tools; all others with tests have those of the core."""
COMPILING = (
    "code_files", "code_identity", "core_library", "kernel_compiler", "numba_inside", "numba_versions", "other_systems",
    "plain_numba", "source_closure",
)  # fmt: skip
"""Tests of tests/runtime that build libraries or compile anew, as only developers of Scree do; they are for this machine."""
PLUGIN = "other_system_run"
"""The module in tests/ that leaves out what cannot be tried on another system (see there)."""
LEAST_TESTS = {"windows": 2500, "linux": 1500}
"""Fewer that pass on a system are no proof: something was left out."""
FILES_TOGETHER, LONGEST_GROUP = 8, 3600.0
"""Files of a room that one process runs, and the longest that it may take [s]: one that hangs leaves the others."""
FIRST_START = 300.0  # [s]
SUMMARY = re.compile(r"^=*\s*(\d+ \w+(?:, \d+ \w+)*) in [\d.]+s", re.MULTILINE)
COUNT = re.compile(r"(\d+) (passed|failed|error|skipped|deselected|xfailed|xpassed)")


def rooms() -> list[Path]:
    """The folders with tests of the core."""
    folders = {test.parent for test in (places.checkout() / "tests").glob("*/test_*.py")}
    return sorted(each for each in folders if each.name not in NEED_GODOT)


def groups_of(room: Path) -> list[list[str]]:
    """The files with tests of a room, from the checkout's root, a few in each group; those of COMPILING left out."""
    tests = [each for each in room.glob("test_*.py") if each.stem.removeprefix("test_") not in COMPILING]
    files = sorted(each.relative_to(places.checkout()).as_posix() for each in tests)
    return [files[at : at + FILES_TOGETHER] for at in range(0, len(files), FILES_TOGETHER)]


def with_what_tests_need(system: other_system.OtherSystem) -> other_system.OtherSystem:
    """The system with the shared libraries that compiled packages link to, or with the processor that Numba compiles for: that of
    the core's library, since wine loses AVX-512's registers 16 to 31 where memory is touched for the first time."""
    more = {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": "+avx2,+fma"}
    if system.target[0] == "linux":
        more = {"LD_LIBRARY_PATH": str(packages_for_tests.libraries_arm64())}
    return dataclasses.replace(system, environment={**system.environment, **more})


def run_tests(system: other_system.OtherSystem, folder: Path, *tests: str) -> tuple[dict[str, int], list[str]]:
    """Run tests, paths from the checkout's root or options of pytest, on another system; `folder`: for what lies beside them.
    The number of tests by how they ended, and the lines of those that failed. Raises SceneFailed."""
    root = places.checkout()
    packages = [other_system.engine_beside(folder), packages_for_tests.folder(system), root, root / "tests"]
    options = ["-m", "pytest", "-q", "-rfE", "--tb=short", "-p", "no:cacheprovider", "-p", PLUGIN, "--from-library"]
    options += ["--continue-on-collection-errors"]  # what one file lacks leaves the others
    try:
        done = with_what_tests_need(system).run([*options, *tests], packages, LONGEST_GROUP, root)
    except subprocess.TimeoutExpired as late:
        raise scenes.SceneFailed(f"{' '.join(tests)} did not end within {LONGEST_GROUP:g} s") from late
    counts, failed = ends(done.stdout)
    if not counts:
        raise scenes.SceneFailed(f"{' '.join(tests)} ended with {done.returncode}: {(done.stdout + done.stderr)[-1500:]}")
    return counts, failed


def ends(report: str) -> tuple[dict[str, int], list[str]]:
    """The number of tests by how they ended, and the lines of those that failed, in what pytest printed; empty if it did not come
    to its end."""
    summary = SUMMARY.findall(report)
    counts = {how: int(number) for number, how in COUNT.findall(summary[-1] if summary else "")}
    return counts, [line for line in report.splitlines() if line.startswith(("FAILED", "ERROR "))]


def build_functions_of_tests(target: tuple[str, str]) -> None:
    """Build the compiled functions that tests declare, for a target that does without Numba. Raises SceneFailed."""
    root = places.checkout()
    folders = [root, root / "tests", *rooms()]
    program = "from scree.tools import command_line; command_line.main()"
    options = ["build-core", "--project", root / "tests", "--target", ".".join(target)]
    run_python("-c", program, *options, packages=os.pathsep.join(map(str, folders)))


def run_group(system: other_system.OtherSystem, folder: Path, files: list[str]) -> tuple[dict[str, int], list[str]]:
    """`run_tests`, or what an earlier run kept of these very tests and this library. A group that does not come to its end counts
    as one failure: the others take hours."""
    start, key = time.monotonic(), tests_passed.identity(system.target, files, NEED_GODOT)
    failed, when = [], "before"
    counts = tests_passed.find(system.target, key)
    if not counts:
        try:
            counts, failed = run_tests(system, folder, *files)
        except scenes.SceneFailed as failure:
            counts, failed = {}, [str(failure)]
        when = f"in {time.monotonic() - start:.0f} s"
        if not failed:
            tests_passed.keep(system.target, key, counts)
    names = f"{files[0]} to {Path(files[-1]).name}" if len(files) > 1 else files[0]
    print(f"{'.'.join(system.target)} {names}: {in_words(counts)} {when}", *failed, sep="\n    ", flush=True)
    return counts, failed


def tests_on(system: other_system.OtherSystem) -> tuple[dict[str, int], list[str]]:
    """All tests of the core on another system, a few files in each process, a process for each processor: the number by how they
    ended, and what failed. Raises SceneFailed where its libraries cannot be built."""
    prove_platforms.need_library(system.target)
    if packages_for_tests.LEFT_OUT.get(system.target[0]):
        build_functions_of_tests(system.target)
    packages_for_tests.folder(system)  # fetched once, before several processes look for it
    system.run(["-c", ""], [], FIRST_START)  # wine makes its folder then, and two processes at once would fail
    groups = [files for room in rooms() for files in groups_of(room)]
    total: dict[str, int] = {}
    failed = []
    with tempfile.TemporaryDirectory() as made, ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = other_system.engine_beside(Path(made))
        for counts, lines in pool.map(partial(run_group, system, folder), groups):
            failed += lines
            for how, number in counts.items():
                total[how] = total.get(how, 0) + number
    return total, failed


def in_words(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {how}" for how, number in counts.items())


@check("the core's tests pass on Windows (wine) and arm64 (qemu), with the engine's code from their libraries")
def platform_tests(godot: Godot, project: Path) -> Outcome:
    """One suite, three systems."""
    lines, passed = [], True
    for name, get in other_system.SYSTEMS.items():
        try:
            system = get()
            counts, failed = tests_on(system)
        except other_system.NotThere as error:
            lines.append(f"{name}: not tried: {error}")
            passed = False
            continue
        lines += [f"{name}: {in_words(counts)}", *failed[:20]]
        passed &= not failed and counts.get("passed", 0) >= LEAST_TESTS[system.target[0]]
    return Outcome("\n  ".join(lines), passed)
