"""The package as users get it: built as a wheel, installed into an empty environment, used from another folder."""

import shutil
import tempfile
import time
from pathlib import Path

from scree.runtime import core_library
from scree.tools import build_loader, build_own, places, scenes
from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check, run_python
from scree.tools.prove_numba import environment_with
from scree.tools.wheels import build_wheel, wheel_of, with_core

EXAMPLES = "tests/api/test_examples.py"
OWN_PROJECT = ("tests/tools/own_project", "trapdoor")
"""A program with compiled functions of its own, and the name of its package."""


@check("the wheel in an empty environment, with empty caches and started from other folders: every example says what it should")
def wheel_runs_examples(godot: Godot, project: Path) -> Outcome:
    """The package of a user without a checkout: no file of the engine comes from here, and everything is compiled anew."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build_wheel(folder)
        python = environment_with(folder / "environment", f"{wheel}[tools]", "pytest>=8")
        imported = Path(run_python("-c", "import scree; print(scree.__file__)", python=python).strip())
        begin = time.perf_counter()
        report = run_python(
            "-m", "pytest", "-q", "--noconftest", "-p", "no:cacheprovider", EXAMPLES,
            environment={"SCREE_CACHE": str(folder / "cache")}, python=python,
        ).splitlines()[-1]  # fmt: skip
        seconds = time.perf_counter() - begin
        size = wheel.stat().st_size
        is_installed = imported.is_relative_to(folder / "environment")
    figures = f"{wheel.name}, {size / 1e6:.1f} MB: {report}; {seconds:.0f} s with all that was compiled"
    return Outcome(figures if is_installed else f"{figures}\n  but scree came from {imported}", is_installed)


STARTS = """
import importlib.util, sys, time
begin = time.perf_counter()
import scree
space = scree.World().add_space()
space.add_static(scree.Plane())
boxes = space.add_rigid_many(scree.Box(half_extents=(0.5, 0.5, 0.5)), [(0.0, 0.5 + k, 0.0) for k in range(20)])
for _ in range(60):
    space.step(1 / 60)
print(scree.__file__, importlib.util.find_spec("numba") is None, f"{boxes.positions[:, 1].max():.1f}")
print(f"{time.perf_counter() - begin:.2f}")
"""
LONGEST = 2.0  # [s] from the import to the end of the 60 steps


@check(f"the wheel with the core in an empty environment: no Numba there, and 60 steps of 20 boxes after at most {LONGEST} s")
def wheel_with_core(godot: Godot, project: Path) -> Outcome:
    """The package of a user for whose system a wheel with the core exists: nothing is compiled."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = with_core(build_wheel(folder / "plain"), build_loader.this_machine(), folder / "core")
        python = environment_with(folder / "environment", str(wheel))
        cache = folder / "cache"
        (place, is_without, height), (seconds,) = (
            line.split() for line in run_python("-c", STARTS, environment={"SCREE_CACHE": str(cache)}, python=python).splitlines()
        )
        is_installed = Path(place).is_relative_to(folder / "environment") and not cache.exists()
        size = wheel.stat().st_size / 1e6
    figures = f"{wheel.name}, {size:.1f} MB: Numba is absent: {is_without}; {seconds} s; top at {height} m"
    return Outcome(figures, is_installed and is_without == "True" and height == "19.5" and float(seconds) <= LONGEST)


@check("a wheel with a program's own compiled functions and their library, beside that with the core: no Numba, the same bits")
def own_functions(godot: Godot, project: Path) -> Outcome:
    """A contact rule, a kernel in another module and the support function of a shape, in an environment without Numba."""
    here, (place, package) = build_loader.this_machine(), OWN_PROJECT
    if places.checkout() is None:
        raise scenes.SceneFailed("this check needs a checkout: what it runs does not come with the package")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sources = shutil.copytree(places.checkout() / place, folder / "sources", ignore=shutil.ignore_patterns("__pycache__"))
        _, *compiled = run_python("-m", package, environment={core_library.CHOSEN: "0"}, packages=sources).split()
        (built,) = build_own.build(sources / package, [here])
        size = built.file.stat().st_size / 1e6
        wheels = with_core(build_wheel(folder / "plain"), here, folder / "core"), wheel_of(sources, folder / "own")
        python = environment_with(folder / "environment", *map(str, wheels))
        cache = folder / "cache"
        with_numba, *found = run_python("-m", package, environment={"SCREE_CACHE": str(cache)}, python=python).split()
        is_without = with_numba == "False" and not cache.exists()
    figures = (
        f"{built.entry_points} functions, {size:.2f} MB; Numba is absent: {is_without}; {found[0]} of 4 bodies fell through; "
        f"hash {found[1][:16]}, compiled here {compiled[1][:16]}"
    )
    return Outcome(figures, is_without and found == compiled)
