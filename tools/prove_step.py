"""Long checks of the step: what a tick costs beside Jolt in real Godot, at the same number of threads, and what it bought.

A speed counts only where the result is as good: mean speed, penetration and height of the pile beside Jolt's, nothing lost.
"""

from dataclasses import dataclass
from pathlib import Path

from scree.tools import bench, bench_figures, scenes
from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check

ROUNDS, TICKS = 7, 420
FALLING, SETTLED = (60, 240), (360, TICKS)  # ticks of the box pile
LARGEST_SPEED, LARGEST_PENETRATION = 0.01, 0.02  # [m/s], [m]; or Jolt's, if that is more
DEAREST_FALLING = 0.3  # times Jolt's floor
# As in the figures of other engines that the allowed differences come from. Of a loose heap it would be one body.
PILE_HEIGHT = "top"
MOST_MEMORY = 0.75  # times Jolt's growth


@dataclass(frozen=True)
class Limit:
    """A pile, and what it may cost in times of Jolt's floor and differ in height."""

    bodies: int
    cost: float
    height: float


PILES = (Limit(5000, 0.2, 0.06), Limit(3000, 0.2, 0.03), Limit(1000, 0.2, 0.03))


def runs_of(godot: Godot, project: Path, scene: str, threads: int, ticks: int, options: tuple[str, ...], rounds: int = ROUNDS):
    """Scree and Jolt in turn: {engine: figures of its rounds}. Only the last round has the deepest penetration."""
    done: dict[str, list[scenes.Figures]] = {scenes.SCREE: [], scenes.JOLT: []}
    for number in range(rounds):
        more = () if number == rounds - 1 else (scenes.WITHOUT_DEPTH,)
        for engine, figures in done.items():
            scenes.choose_engine(project, engine, threads)
            figures.append(scenes.run_scene(godot, project, scene, ticks, (*options, *more)))
            bench.check_engine(figures[-1], engine)
    return done


def floor_ratio(runs: dict[str, list[scenes.Figures]], begin: int, end: int) -> tuple[float, float, float]:
    """`(Scree, Jolt, ratio)` of the floors over the ticks `begin` to `end - 1` [ms]."""
    floors = {
        engine: float(bench_figures.tick_floors([figures.tick_ms[begin:end] for figures in done]).mean())
        for engine, done in runs.items()
    }
    return floors[scenes.SCREE], floors[scenes.JOLT], floors[scenes.SCREE] / floors[scenes.JOLT]


def faults_of(runs: dict[str, list[scenes.Figures]], height: str, height_tolerance: float) -> list[str]:
    """Where Scree's result is not as good as it must be for its time to count, in words."""
    ours, theirs = quality_of(runs[scenes.SCREE][-1]), quality_of(runs[scenes.JOLT][-1])
    faults = []
    if ours["speed"] > max(theirs["speed"], LARGEST_SPEED):
        faults.append("too fast")
    if ours["deepest"] > max(theirs["deepest"], LARGEST_PENETRATION):
        faults.append("too deep")
    if abs(ours[height] - theirs[height]) > height_tolerance * theirs[height]:
        faults.append(f"{height} differs by {ours[height] / theirs[height] - 1.0:+.1%}")
    if ours["lost"]:
        faults.append("bodies lost")
    return faults


def quality_of(figures: scenes.Figures) -> dict[str, float]:
    """The quality of a run: mean speed [m/s], deepest penetration, height (99th percentile), highest centre [m], bodies lost."""
    return {
        "speed": float(figures.extra["mean_speed"]),
        "deepest": figures.deepest_penetration,
        "height": figures.height,
        "top": float(figures.extra["top"]),
        "lost": figures.lost,
    }


def judged(runs: dict[str, list[scenes.Figures]], height: str, tolerance: float) -> tuple[str, bool]:
    """The quality of a run in words (Scree / Jolt), and whether its time counts."""
    ours, theirs = quality_of(runs[scenes.SCREE][-1]), quality_of(runs[scenes.JOLT][-1])
    faults = faults_of(runs, height, tolerance)
    words = (
        f"speed {ours['speed']:.4f} / {theirs['speed']:.4f} m/s, "
        f"deepest {1e3 * ours['deepest']:.1f} / {1e3 * theirs['deepest']:.1f} mm, "
        f"height {ours['height']:.2f} / {theirs['height']:.2f} m, top {ours['top']:.2f} / {theirs['top']:.2f} m, "
        f"lost {ours['lost']} / {theirs['lost']}; {height} {ours[height] / theirs[height] - 1.0:+.1%}, {tolerance:.0%} allowed"
    )
    return "; ".join((words, *faults)), not faults


@check("dense piles of 5,000, 3,000 and 1,000 boxes on 1 and 2 threads: at most 0.2 times Jolt; falling 0.3")
def dense_piles(godot: Godot, project: Path) -> Outcome:
    """The headline: settled and falling phases of the box pile, bodies made without nodes."""
    lines, passed = [], True
    for limit in PILES:
        options = (f"--bodies={limit.bodies}", "--server")
        for threads in (1, 2):
            runs = runs_of(godot, project, "box_pile", threads, TICKS, options)
            ours, theirs, ratio = floor_ratio(runs, *SETTLED)
            falling = floor_ratio(runs, *FALLING)[2]
            words, counts = judged(runs, PILE_HEIGHT, limit.height)
            passed &= ratio <= limit.cost and falling <= DEAREST_FALLING and counts
            lines.append(
                f"{limit.bodies} boxes, {threads} threads: {ours:.2f} / {theirs:.2f} ms, {ratio:.2f} times, "
                f"falling {falling:.2f} times; {words}"
            )
    return Outcome("\n  ".join(lines), passed)


def _scene_check(
    godot: Godot, project: Path, scene: str, bodies: int, dearest: float, tolerance: float, begin: int = 10, *options: str
) -> Outcome:
    runs = runs_of(godot, project, scene, 2, TICKS, (f"--bodies={bodies}", *options))
    ours, theirs, ratio = floor_ratio(runs, begin, TICKS)
    words, counts = judged(runs, PILE_HEIGHT if scene == "box_pile" else "height", tolerance)
    return Outcome(f"{ours:.2f} / {theirs:.2f} ms a tick, {ratio:.2f} times; {words}", ratio <= dearest and counts)


@check("the box pile of 5,000 as RigidBody3D nodes, 2 threads: at most 0.3 times Jolt's whole tick")
def pile_of_nodes(godot: Godot, project: Path) -> Outcome:
    """Nodes in step with bodies cost the same on any engine; the rest is ours."""
    return _scene_check(godot, project, "box_pile", 5000, 0.3, 0.06, SETTLED[0])


@check("pyramids of 2,100 boxes, 2 threads: at most 0.25 times Jolt made without nodes, 0.35 as RigidBody3D nodes")
def pyramids(godot: Godot, project: Path) -> Outcome:
    """Flat pyramids that must stand."""
    alone = _scene_check(godot, project, "pyramid", 2100, 0.25, 0.03, 10, "--server")
    nodes = _scene_check(godot, project, "pyramid", 2100, 0.35, 0.03)
    return Outcome(f"without nodes: {alone.figures}\n  as nodes: {nodes.figures}", alone.passed and nodes.passed)


@check("2,000 convex hulls of 12 to 32 vertices on a mesh terrain, 2 threads: at most 0.6 times Jolt")
def hulls_on_hills(godot: Godot, project: Path) -> Outcome:
    """Many-sided hulls, falling and at rest."""
    return _scene_check(godot, project, "hulls", 2000, 0.6, 0.03)


@check("1,000 chains of six bodies with joints, 2 threads: at most 0.8 times Jolt")
def chains(godot: Godot, project: Path) -> Outcome:
    """Pins, hinges and cone twists that fall into a bin and come to rest."""
    return _scene_check(godot, project, "chains", 6000, 0.8, 0.03)


@check(f"resident growth from an empty space to the settled 5,000-box pile: at most {MOST_MEMORY} times Jolt's")
def memory_of_a_pile(godot: Godot, project: Path) -> Outcome:
    """Memory that bodies, pairs, manifolds, trees and solver take."""
    growth = {}
    for bodies in (1, 5000):
        runs = runs_of(godot, project, "box_pile", 2, TICKS, (f"--bodies={bodies}", "--server"), rounds=2)
        for engine, done in runs.items():
            growth[engine, bodies] = min(int(figures.extra["resident_growth"]) for figures in done)
    ours, theirs = (growth[engine, 5000] - growth[engine, 1] for engine in (scenes.SCREE, scenes.JOLT))
    empty = " / ".join(f"{growth[engine, 1] / 1e6:.1f}" for engine in (scenes.SCREE, scenes.JOLT))
    figures = f"{ours / 1e6:.1f} / {theirs / 1e6:.1f} MB, {ours / theirs:.2f} times; with one body {empty} MB"
    return Outcome(figures, ours <= MOST_MEMORY * theirs)
