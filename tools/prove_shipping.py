"""The core's library: the same bits as Numba compiles at hand, and what starting with it costs."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from scree.runtime import core_library
from scree.tools import compare, prove_determinism, scenes, warm_up
from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check, first_tick_seconds

COMPILED = {core_library.CHOSEN: "0"}
"""An environment without the library."""
TICKS = 240  # of each scene
COMPARED = [part for part in compare.PARTS if part != "streaming"]  # its worst tick is one number a round
ROUNDS, THREADS = 7, 2  # of each part of `scree compare`
MORE_ROUNDS = 14
"""A part that is above the limit after the first rounds takes these too: the processor's clock changes for minutes."""
LONGEST_ADDED, MOST_ADDED_MEMORY = 0.3, 60.0  # [s], [MB]
SMALL = ("res://scenes/falling.tscn", "--", "--ticks=30", "--bodies=50")


def _need_library() -> None:
    """Raise SceneFailed where the library is not built, or not from these sources."""
    if not warm_up.is_in_library():
        raise scenes.SceneFailed("there is no library of these sources: `scree build-core` builds it")


@contextlib.contextmanager
def _with_variables(environment: Mapping[str, str]) -> Iterator[None]:
    """The processes that are started meanwhile have these environment variables."""
    os.environ.update(environment)
    try:
        yield
    finally:
        for name in environment:
            del os.environ[name]


def _figures(godot: Godot, project: Path, scene: scenes.Scene) -> dict:
    """All that a scene reports of its bodies; no times."""
    figures = scenes.run_scene(godot, project, scene.name, min(scene.ticks, TICKS))
    told = {name: value for name, value in vars(figures).items() if name not in ("tick_ms", "extra")}
    return told


@check(f"the core's library: equal hashes of {prove_determinism.STEPS} steps and equal figures of all scenes, as compiled here")
def library(godot: Godot, project: Path) -> Outcome:
    """Code from the library computes what code from Numba computes."""
    _need_library()
    faults = []
    expected, found = (prove_determinism.hashes(2, environment) for environment in (COMPILED, {}))
    if expected != found or len(set(found)) < prove_determinism.STEPS // 2:
        faults.append("the heap has other hashes, or does not move")
    scenes.choose_engine(project, scenes.SCREE, 2)
    all_scenes = [scene for scene in scenes.scene_index(project) if scene.kind in ("demo", "play", "bench")]
    ways = []
    for environment in (COMPILED, {}):
        with _with_variables(environment):
            ways.append([_figures(godot, project, scene) for scene in all_scenes])
            ways[-1].append({"hashes": prove_determinism.hashes_in_godot(godot, project, 0, 2)})
    names = [*(scene.name for scene in all_scenes), "measure/hash_steps.gd"]
    faults += [f"{name}: other figures" for name, one, other in zip(names, *ways, strict=True) if one != other]
    return Outcome("; ".join(faults) or f"{len(found)} hashes and {len(names)} scenes equal", not faults)


def resources(godot: Godot, project: Path) -> tuple[float, float]:
    """The most memory that a small scene takes in its process [MB], and the processor time of it all [s]."""
    command = [*godot.command, "--headless", "--fixed-fps", "60", "--path", str(project), *SMALL]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise scenes.SceneFailed(f"Godot ended with {process.returncode}")
    return usage.ru_maxrss * 1024 / 1e6, usage.ru_utime + usage.ru_stime


def released_project(folder: Path, godot: Godot) -> Path:
    """A copy of the demo project with a released addon, in a new folder. Raises SceneFailed. Another process makes the release:
    the memory that this one took would count as that of the processes that it starts."""
    program = "from scree.tools import command_line; command_line.main()"
    command = [sys.executable, "-c", program, "release", "--into", str(folder / "made")]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise scenes.SceneFailed(done.stderr[-2000:])
    project = scenes.copy_demo_project(folder / "released", with_addon=False)
    shutil.copytree(folder / "made" / "addons" / "scree", project / "addons" / "scree")
    godot.run("--headless", "--path", project, "--import")  # Godot loads extensions of a project that was opened once
    return project


@check(f"with a released addon: at most {LONGEST_ADDED} s added to Godot's start, {MOST_ADDED_MEMORY:.0f} MB to Jolt's memory")
def library_start(godot: Godot, project: Path) -> Outcome:
    """The time of a start with a released addon, as games have it, beside the same scene on Jolt in a project without the addon;
    the least of seven. The start of an installed addon, which looks whether its sources have changed, is told too."""
    _need_library()
    with tempfile.TemporaryDirectory() as folder:
        alone = scenes.copy_demo_project(Path(folder) / "alone", with_addon=False)
        projects = {"released": released_project(Path(folder), godot), "alone": alone, "installed": project}
        starts: dict[str, list[float]] = {name: [] for name in projects}
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in projects}
        for name, place in projects.items():
            scenes.choose_engine(place, scenes.JOLT if name == "alone" else scenes.SCREE)
            first_tick_seconds(godot, place)
        for _ in range(7):
            for name, place in projects.items():
                starts[name].append(first_tick_seconds(godot, place))
                taken[name].append(resources(godot, place))
    with_scree, with_jolt, installed = (min(starts[name]) for name in ("released", "alone", "installed"))
    (memory, processor), (less, faster) = (map(min, zip(*taken[name], strict=True)) for name in ("released", "alone"))
    added, more = with_scree - with_jolt, memory - less
    figures = (
        f"{with_scree:.2f} s to the first tick, Jolt {with_jolt:.2f} s, added {added:.2f} s; processor time of 30 ticks "
        f"{processor:.2f} s, Jolt {faster:.2f} s; {memory:.0f} MB, Jolt {less:.0f} MB, {more:.0f} MB more; installed instead of "
        f"released {installed:.2f} s, {min(each for _, each in taken['installed']):.2f} s of processor time"
    )
    return Outcome(figures, added <= LONGEST_ADDED and more <= MOST_ADDED_MEMORY)


def cost_ratios(godot: Godot, project: Path, part: str, rounds: int, threads: int) -> list[compare.Ratio]:
    """The figures of a part of `scree compare` with the library, and with what Numba compiled as their base, in turn; more rounds
    where those do not hold. Raises SceneFailed."""
    done: dict[str, list[compare.Round]] = {"base": [], "now": []}
    for k in range(rounds + MORE_ROUNDS):
        if k == rounds and all(one.holds() for one in compare.ratios_of(part, done)):
            break
        for side, environment in (("base", COMPILED), ("now", {})):
            with _with_variables(environment):
                done[side].append(compare.PARTS[part](godot, project, threads))
    if len({one.end for of_side in done.values() for one in of_side}) != 1:
        raise scenes.SceneFailed(f"{part} ends in another state with the library")
    return compare.ratios_of(part, done)


@check(f"with the core's library: {', '.join(COMPARED)} cost at most {compare.DEAREST} times what they cost compiled here")
def library_costs(godot: Godot, project: Path) -> Outcome:
    """Both ways in turn, in one run; the first, which compiles, is not counted."""
    _need_library()
    with _with_variables(COMPILED):
        compare.compile_all(godot, {"base": project})
    told, holds = [], True
    for part in COMPARED:
        for one in cost_ratios(godot, project, part, ROUNDS, THREADS):
            told.append(f"{one.part}: {one.now:.3f} {one.figure}, compiled at start {one.base:.3f}: {one.times:.3f} times")
            print(told[-1], flush=True)  # all parts take a quarter of an hour
            holds &= one.holds()
    return Outcome("\n  ".join(told), holds)
