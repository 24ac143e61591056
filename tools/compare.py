"""Two commits side by side: the same scenes of the demo project in real Godot on the engine of a base commit and on that of this
checkout, in turn in one run.

A figure is a floor: the mean, over the ticks or parts that a round measures, of the least over all rounds. Both sides run the
scenes of this checkout. Each side's code is compiled first, which takes minutes for a commit whose code is not in the cache.
"""

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scree.tools import (
    bench,
    bench_figures,
    install_addon,
    places,
    prove_determinism,
    prove_godot,
    prove_queries,
    prove_streaming,
    scenes,
)
from scree.tools.find_godot import Godot

DEAREST = 1.02  # times the base
TICKS, HASHED_TICKS = 420, 2000
LONGEST_COMPILING = 3600.0  # [s]
Costs = dict[str, list[float]]
"""The costs of a round, by figure: [ms] a tick or part, or [us] a ray."""


@dataclass(frozen=True)
class Round:
    """One run of a part: its costs, and the state of the scene at its end, the same for the same bits; None for a part without
    one."""

    costs: Costs
    end: tuple[float, ...] | None = None


def ticks_of(scene: str, *options: str, begin: int = 10) -> Callable[[Godot, Path, int], Round]:
    """A measure of the ticks of a scene from `begin` on [ms]."""

    def measure(godot: Godot, project: Path, threads: int) -> Round:
        scenes.choose_engine(project, scenes.SCREE, threads)
        figures = scenes.run_scene(godot, project, scene, TICKS, options)
        bench.check_engine(figures, scenes.SCREE)
        end = (figures.kinetic_energy_per_body, figures.height, figures.deepest_penetration, figures.asleep)
        return Round({"ms a tick": list(figures.tick_ms[begin:])}, end)

    return measure


def ray(godot: Godot, project: Path, threads: int) -> Round:
    """Closest-hit rays from GDScript among 20,000 boxes [us]."""
    figures = prove_queries.ray_cost(godot, project, scenes.SCREE)
    return Round({"us a ray": [figures["full_us"]], "us to add a body and ask a ray": [figures["add_in_turn_us"]]})


def nodes(godot: Godot, project: Path, threads: int) -> Round:
    """5,000 nodes made and added, and freed: RigidBody3D and Area3D, with a shape each and with one for all [ms]."""
    rows = prove_godot.node_costs(godot, project, scenes.SCREE)
    made, freed = [1e3 * (row["made"] + row["added"]) for row in rows], [1e3 * row["freed"] for row in rows]
    return Round({"ms to make and add 5,000": made, "ms to free them": freed})


def flight(godot: Godot, project: Path, threads: int) -> Round:
    """The worst tick of a flight over the open world for what comes and goes [us]."""
    scenes.choose_engine(project, scenes.SCREE)
    tiles = prove_streaming.world_of(project)
    run = prove_streaming.fly(godot, project, "flight", tiles, f"--ticks={prove_streaming.TICKS}", "--realtime")
    if run["misses"] + run["blind_ticks"] + run["failed"]:
        raise scenes.SceneFailed("a tile was missing in the flight")
    return Round({"us in the worst tick": [run["worst_tick_us"]]})


PARTS: dict[str, Callable[[Godot, Path, int], Round]] = {
    "piles": ticks_of("box_pile", "--bodies=5000", "--server"),
    "pyramids": ticks_of("pyramid", "--bodies=2100"),
    "hulls": ticks_of("hulls", "--bodies=2000", scenes.WITHOUT_DEPTH),
    "chains": ticks_of("chains", "--bodies=6000", scenes.WITHOUT_DEPTH),
    "falling": ticks_of("falling", "--bodies=5000"),
    "drum": ticks_of("drum", "--bodies=2000", scenes.WITHOUT_DEPTH),
    "shaken bin": ticks_of("shaken_bin", "--bodies=3000", scenes.WITHOUT_DEPTH),
    "crowd": ticks_of("crowd", "--bodies=20000", scenes.WITHOUT_DEPTH),
    "rays": ray,
    "nodes": nodes,
    "streaming": flight,
}


@contextmanager
def checked_out(commit: str, folder: Path) -> Iterator[Path]:
    """The files of a commit, in a work tree of git that is removed at the end. Raises SceneFailed."""
    root = places.checkout()
    if root is None:
        raise scenes.SceneFailed("a comparison needs a checkout")
    git = ["git", "-C", str(root), "worktree"]
    made = subprocess.run([*git, "add", "--detach", "--force", str(folder), commit], capture_output=True, text=True)
    if made.returncode:
        raise scenes.SceneFailed(f"git has no commit {commit!r}: {made.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run([*git, "remove", "--force", str(folder)], capture_output=True)


def project_on(engine: Path, folder: Path) -> Path:
    """The demo project of this checkout with the addon and the engine of another one, whose root is `engine`."""
    project = scenes.copy_demo_project(folder, with_addon=False)
    paths = install_addon.install(project, engine / "addons" / "scree").paths_file
    lines = paths.read_text(encoding="utf-8").splitlines()
    changed = [f"engine={engine / 'engine_core'}" if line.startswith("engine=") else line for line in lines]
    paths.write_text("\n".join(changed) + "\n", encoding="utf-8")
    return project


@dataclass(frozen=True)
class Ratio:
    """A figure of both sides, and how they compare."""

    part: str
    figure: str
    base: float
    now: float

    @property
    def times(self) -> float:
        """Times the base."""
        return self.now / self.base

    def holds(self) -> bool:
        """Whether this checkout is not slower by more than allowed."""
        return self.times <= DEAREST

    def __str__(self) -> str:
        return f"{self.part}: {self.now:.3f} {self.figure}, base {self.base:.3f}: {self.times:.3f} times"


def ratios_of(part: str, rounds: dict[str, list[Round]]) -> list[Ratio]:
    """The floors of a part's rounds: {"base": rounds, "now": rounds}."""
    floors = {
        side: {name: float(bench_figures.tick_floors([one.costs[name] for one in done]).mean()) for name in done[0].costs}
        for side, done in rounds.items()
    }
    return [Ratio(part, name, base, floors["now"][name]) for name, base in floors["base"].items()]


def measure(godot: Godot, projects: dict[str, Path], part: str, rounds: int, threads: int) -> tuple[list[Ratio], bool]:
    """Run a part on both sides in turn: its ratios, and whether all rounds end in one state. Raises SceneFailed."""
    done: dict[str, list[Round]] = {side: [] for side in projects}
    for _ in range(rounds):
        for side, project in projects.items():
            done[side].append(PARTS[part](godot, project, threads))
    return ratios_of(part, done), len({one.end for of_side in done.values() for one in of_side}) == 1


def first_difference(godot: Godot, projects: dict[str, Path], ticks: int = HASHED_TICKS) -> int | None:
    """The first tick after which 600 boxes that fall, some freed and made on the way, lie elsewhere than on the base; None if all
    bits are equal. One thread. Raises SceneFailed."""
    base, now = (prove_determinism.hashes_in_godot(godot, project, 1, 1, ticks) for project in projects.values())
    return next((tick for tick, (a, b) in enumerate(zip(base, now, strict=True), 1) if a != b), None)


def compile_all(godot: Godot, projects: dict[str, Path]) -> None:
    """Run a small scene on each side, which compiles what is not in the cache. Raises SceneFailed."""
    for project in projects.values():
        scenes.choose_engine(project, scenes.SCREE)
        figures = scenes.run_scene(godot, project, "falling", 10, ("--bodies=10",), LONGEST_COMPILING)
        bench.check_engine(figures, scenes.SCREE)


def compare(
    godot: Godot, commit: str, parts: list[str], rounds: int, threads: int, report: Callable[[str], None]
) -> list[str]:  # fmt: skip
    """Compare this checkout with a commit. `report` gets a line for each figure. Returns the lines of what does not hold: figures
    above the limit, bits and end states that differ. Raises SceneFailed."""
    faults = []
    with tempfile.TemporaryDirectory() as folder, checked_out(commit, Path(folder) / "checkout") as base:
        engines = {"base": base, "now": places.checkout()}
        projects = {side: project_on(engine, Path(folder) / side) for side, engine in engines.items()}
        compile_all(godot, projects)
        tick = first_difference(godot, projects)
        line = "all equal" if tick is None else f"the first difference is in tick {tick}"
        line = f"hashes of {HASHED_TICKS} ticks: {line}"
        report(line)
        faults += [] if tick is None else [line]
        for part in parts:
            ratios, ends_equal = measure(godot, projects, part, rounds, threads)
            lines = [] if ends_equal else [f"{part}: the scene ends in another state"]
            for line in (*map(str, ratios), *lines):
                report(line)
            faults += [str(ratio) for ratio in ratios if not ratio.holds()] + lines
    return faults
