"""Long checks that do not fit into every test run. Each prints its figures and passes or not."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from scree.tools import bench, places, scenes
from scree.tools.find_godot import Godot

LONGEST_RUN = 3600.0  # [s] of a process of Python
STARTS = 10
LONGEST_START, LONGEST_ADDED_START = 2.5, 2.0  # [s] from starting Godot to its first physics tick
DEEPEST_AT_REST = 0.02  # [m]
LEAST_ASLEEP = 0.95
DEAREST_FALL, DEAREST_BUSY_THREAD = 1.2, 0.2  # times Jolt's floor; [ms] added by a looping Python thread


@dataclass(frozen=True)
class Outcome:
    """The result of a check: its figures in words, and whether they are good enough."""

    figures: str
    passed: bool


@dataclass(frozen=True)
class Check:
    """A long check: its name, what it shows, and the function that runs it on a demo project with the addon."""

    name: str
    shows: str
    function: Callable[[Godot, Path], Outcome]


CHECKS: dict[str, Check] = {}


def check(shows: str) -> Callable[[Callable[[Godot, Path], Outcome]], Callable[[Godot, Path], Outcome]]:
    """Register a long check under its function's name."""

    def register(function: Callable[[Godot, Path], Outcome]) -> Callable[[Godot, Path], Outcome]:
        CHECKS[function.__name__] = Check(function.__name__, shows, function)
        return function

    return register


def all_checks() -> dict[str, Check]:
    """Every check by name, those of the modules beside this one too."""
    from scree.tools import (  # noqa: F401  (they register their checks here)
        prove_contacts,
        prove_demos,
        prove_determinism,
        prove_godot,
        prove_menu,
        prove_moving,
        prove_numba,
        prove_package,
        prove_parity,
        prove_platforms,
        prove_platform_tests,
        prove_queries,
        prove_release,
        prove_shipping,
        prove_starts,
        prove_step,
        prove_streaming,
        prove_state,
        prove_structures,
        prove_thread_model,
        prove_threads,
        prove_truth,
        prove_worlds,
    )

    return CHECKS


def run(chosen: Check, godot: Godot, project: Path) -> Outcome:
    """Run one check; a scene that does not run to its end is a check that does not hold."""
    try:
        return chosen.function(godot, project)
    except scenes.SceneFailed as failure:
        return Outcome(str(failure), False)


def run_python(
    *arguments: object, environment: Mapping[str, str] | None = None, shows_errors: bool = False,
    python: str | Path = sys.executable, packages: str | Path = "",
) -> str:  # fmt: skip
    """Run this Python, or another one, from the checkout with these arguments, and return its output. Its stderr is shown as it
    comes if wanted: progress bars are drawn there. `packages`: a folder to import from instead of those in PYTHONPATH. Raises
    SceneFailed."""
    root = places.checkout()
    if root is None:
        raise scenes.SceneFailed("this check needs a checkout: what it runs does not come with the package")
    words = [str(argument) for argument in arguments]
    paths = os.pathsep.join((str(root), str(packages) or os.environ.get("PYTHONPATH", "")))
    try:
        done = subprocess.run(
            [str(python), *words], cwd=root, env={**os.environ, **(environment or {}), "PYTHONPATH": paths},
            stdout=subprocess.PIPE, stderr=None if shows_errors else subprocess.PIPE, text=True, timeout=LONGEST_RUN,
        )  # fmt: skip
    except subprocess.TimeoutExpired as late:
        raise scenes.SceneFailed(f"{' '.join(words)} did not end within {LONGEST_RUN:g} s") from late
    if done.returncode != 0:
        said = done.stdout[-2000:] + (done.stderr or "")[-2000:]
        raise scenes.SceneFailed(f"{' '.join(words)} ended with {done.returncode}:\n{said}")
    return done.stdout


def long_tests(words: tuple[str, ...], *tests: str) -> Outcome:
    """Tests in their long form: what they print on lines with one of `words`, and how they end."""
    report = run_python("-m", "pytest", "-q", "-s", *tests, environment={"SCREE_LONG": "1"}).splitlines()
    lines = [line.lstrip(".") for line in report if any(word in line for word in words) or " passed" in line]
    return Outcome("\n  ".join(lines), "skipped" not in lines[-1])


@check(f"{STARTS} starts and ends of the game and of the editor: exit code 0, no error, no leak")
def starts_and_ends(godot: Godot, project: Path) -> Outcome:
    """Godot starts on the engine and ends clean, as game and as editor, again and again."""
    scenes.choose_engine(project, scenes.SCREE)
    game = ("--headless", "--fixed-fps", "60", "--path", project, "res://scenes/falling.tscn", "--", "--ticks=10", "--bodies=50")
    editor = ("--headless", "--editor", "--path", project, "--quit")
    godot.run(*editor)  # the first look at a project imports it
    faults = []
    for number in range(STARTS):
        for kind, arguments in (("game", game), ("editor", editor)):
            run = godot.run(*arguments, timeout=120)
            faults += [f"{kind} {number + 1}: exit code {run.returncode}"] if run.returncode else []
            faults += [f"{kind} {number + 1}: {line}" for line in run.errors()]
    figures = f"{2 * STARTS} starts, {len(faults)} faults"
    return Outcome("\n  ".join([figures, *faults[:10]]), not faults)


def first_tick_seconds(godot: Godot, project: Path) -> float:
    """From starting Godot until a small scene says that its first physics tick is over [s]."""
    scene = ("res://scenes/falling.tscn", "--", "--ticks=1", "--bodies=10")
    command = [*godot.command, "--headless", "--fixed-fps", "60", "--path", str(project), *scene]
    begin = time.perf_counter()
    seconds = None
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        for line in process.stdout:
            if line.startswith("falling:"):
                seconds = time.perf_counter() - begin
    if seconds is None or process.returncode != 0:
        raise scenes.SceneFailed(f"the first tick was never reached; Godot ended with {process.returncode}")
    return seconds


@check(f"from Godot's start to its first physics tick: at most {LONGEST_START} s, at most {LONGEST_ADDED_START} s added")
def start_time(godot: Godot, project: Path) -> Outcome:
    """How long a start takes with warm caches, beside the same project without the addon."""
    scenes.choose_engine(project, scenes.SCREE)
    with tempfile.TemporaryDirectory() as folder:
        alone = scenes.copy_demo_project(Path(folder) / "alone", with_addon=False)
        scenes.choose_engine(alone, scenes.JOLT)
        first_tick_seconds(godot, project)
        first_tick_seconds(godot, alone)
        pairs = [(first_tick_seconds(godot, project), first_tick_seconds(godot, alone)) for _ in range(5)]
    with_scree, without = (min(times) for times in zip(*pairs, strict=True))
    medians = [statistics.median(times) for times in zip(*pairs, strict=True)]
    figures = (
        f"{with_scree:.2f} s, Godot alone {without:.2f} s, added {with_scree - without:.2f} s (least of 5); "
        f"medians {medians[0]:.2f} s and {medians[1]:.2f} s"
    )
    return Outcome(figures, with_scree <= LONGEST_START and with_scree - without <= LONGEST_ADDED_START)


@check("1,000 mixed bodies in a bin, 900 ticks: none lost, no penetration over 2 cm, at least 95 % asleep")
def thousand_in_a_bin(godot: Godot, project: Path) -> Outcome:
    """A pile of mixed shapes comes to rest and falls asleep."""
    scenes.choose_engine(project, scenes.SCREE)
    end = scenes.run_scene(godot, project, "pile", 900, ("--bodies=1000",))
    bench.check_engine(end, scenes.SCREE)
    figures = (
        f"{end.bodies} bodies, {end.ticks} ticks: {end.lost} lost, "
        f"deepest {1000 * end.deepest_penetration:.1f} mm, "
        f"{end.asleep / end.bodies:.1%} asleep, median {statistics.median(end.tick_ms):.2f} ms a tick"
    )
    good = end.lost == 0 and end.deepest_penetration <= DEEPEST_AT_REST and end.asleep >= LEAST_ASLEEP * end.bodies
    return Outcome(figures, good and end.bodies == 1000 and end.ticks == 900)


@check(
    f"5,000 falling bodies: at most {DEAREST_FALL} times Jolt's floor; a looping Python thread adds at most "
    f"{DEAREST_BUSY_THREAD} ms"
)
def falling_cost(godot: Godot, project: Path) -> Outcome:
    """The cost of a body that only falls, and that a busy interpreter does not hold the step up."""
    scene = next(scene for scene in scenes.scene_index() if scene.name == "falling")
    threads = max(1, (os.cpu_count() or 1) - 1)  # one core is left for the thread that loops, as by default
    runs: dict[str, list[scenes.Figures]] = {scenes.SCREE: [], scenes.JOLT: [], "busy": []}
    for _ in range(7):
        for key in runs:
            engine = scenes.SCREE if key == "busy" else key
            scenes.choose_engine(project, engine, threads)
            options = ("--bodies=5000", *(("--busy-thread",) if key == "busy" else ()))
            runs[key].append(scenes.run_scene(godot, project, scene.name, scene.ticks, options))
            bench.check_engine(runs[key][-1], engine)
    result = bench.scene_result(scene.name, scene.ticks, runs, skip=10)
    floors = {engine.engine: engine.times.floor for engine in result.engines}
    ratio, added = floors[scenes.SCREE] / floors[scenes.JOLT], floors["busy"] - floors[scenes.SCREE]
    figures = (
        f"Scree {floors[scenes.SCREE]:.2f} ms, Jolt {floors[scenes.JOLT]:.2f} ms a tick: {ratio:.2f} times; "
        f"a looping Python thread adds {added:+.2f} ms (floors of 7 rounds)"
    )
    return Outcome(figures, ratio <= DEAREST_FALL and added <= DEAREST_BUSY_THREAD)
