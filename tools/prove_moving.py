"""Long checks of piles that never come to rest, beside Jolt in real Godot: a drum that turns, a bin that is shaken.

Every contact is new or slides, so little can be taken over from the tick before. As for piles at rest, a speed counts only where
the result is as good. What lies in what is sampled in the ticks after those that are timed: no measure is in a time.
"""

from dataclasses import dataclass
from pathlib import Path

from scree.tools import scenes
from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check
from scree.tools.prove_step import floor_ratio, runs_of

TICKS, MOVING = 480, (240, 420)  # all; those that are timed, in which everything has come down and is kept moving
DEAREST = 0.5  # times Jolt's floor
SMALLEST_MEAN, SMALLEST_DEEP = 0.001, 0.02  # [m]: overlaps that are good however little Jolt's are
WORST_SCATTER = 2.0  # times Jolt's: the worst of some thousand pairs scatters so much from seed to seed, for either engine
ENERGY_DIFFERENCE = 0.25  # of the mean kinetic energy of a body, either way
HEIGHT_DIFFERENCE = 0.06  # of the mean height of all bodies by Jolt at FINE ticks a second, either way
FINE = 240  # at 60, Jolt's own pile sinks into itself: 11 mm a pair, instead of 1.5


@dataclass(frozen=True)
class MovingPile:
    """A scene, and how many bodies it moves."""

    scene: str
    bodies: int


MOVING_PILES = (MovingPile("drum", 2000), MovingPile("shaken_bin", 3000))


def quality_of(figures: scenes.Figures) -> dict[str, float]:
    """The quality of a run, over all samples: overlaps of pairs and with the bin [m], fastest body and the speed that nothing can
    have [m/s], kinetic energy a body [J], mean height [m]; bodies outside at the end."""
    names = ("mean_overlap", "overlap_99", "worst_overlap", "deepest_in_bin", "fastest", "highest_speed")
    found = {name: float(figures.extra[name]) for name in (*names, "mean_kinetic_energy", "mean_height")}
    return {**found, "lost": figures.lost}


def faults_of(ours: dict[str, float], theirs: dict[str, float], height: float) -> list[str]:
    """Where Scree's result is not as good as it must be for its time to count, in words. `height`: the mean one that is right
    [m]."""
    faults = []
    if ours["lost"]:
        faults.append("bodies outside")
    if ours["mean_overlap"] > max(theirs["mean_overlap"], SMALLEST_MEAN):
        faults.append("too deep on average")
    if ours["overlap_99"] > max(theirs["overlap_99"], SMALLEST_DEEP):
        faults.append("too deep in one of a hundred pairs")
    for name, where in (("worst_overlap", "at worst"), ("deepest_in_bin", "in the bin")):
        if ours[name] > max(WORST_SCATTER * theirs[name], SMALLEST_DEEP):
            faults.append(f"too deep {where}")
    if ours["fastest"] > ours["highest_speed"]:
        faults.append("faster than anything can be")
    energy, right = "mean_kinetic_energy", {**theirs, "mean_height": height}
    for name, allowed in ((energy, ENERGY_DIFFERENCE), ("mean_height", HEIGHT_DIFFERENCE)):
        if abs(ours[name] / right[name] - 1.0) > allowed:
            faults.append(f"{name.replace('_', ' ')} differs by {ours[name] / right[name] - 1.0:+.1%}")
    return faults


def in_words(ours: dict[str, float], theirs: dict[str, float]) -> str:
    """Both results side by side, Scree / Jolt."""
    overlaps = ((label, 1e3 * ours[name], 1e3 * theirs[name]) for label, name in (
        ("mean", "mean_overlap"), ("99th percentile", "overlap_99"), ("worst", "worst_overlap"), ("in the bin", "deepest_in_bin")
    ))  # fmt: skip
    return (
        f"overlap {', '.join(f'{label} {a:.1f} / {b:.1f}' for label, a, b in overlaps)} mm; "
        f"fastest {ours['fastest']:.1f} / {theirs['fastest']:.1f} of {ours['highest_speed']:.1f} m/s; "
        f"energy {ours['mean_kinetic_energy']:.2f} / {theirs['mean_kinetic_energy']:.2f} J a body; "
        f"mean height {ours['mean_height']:.2f} / {theirs['mean_height']:.2f} m; outside {ours['lost']} / {theirs['lost']}"
    )


def fine_height(godot: Godot, project: Path, pile: MovingPile, options: tuple[str, ...]) -> float:
    """The mean height of a pile [m] by Jolt in steps so small that its bodies hardly overlap."""
    scenes.choose_engine(project, scenes.JOLT, 1, ticks_per_second=FINE)
    return quality_of(scenes.run_scene(godot, project, pile.scene, TICKS * FINE // 60, options))["mean_height"]


def judged(runs: dict[str, list[scenes.Figures]], height: float) -> tuple[str, bool]:
    """One line of figures of Scree and Jolt in turn, and whether they hold. `height`: see `faults_of`."""
    time, their_time, ratio = floor_ratio(runs, *MOVING)
    ours, theirs = (quality_of(runs[engine][-1]) for engine in (scenes.SCREE, scenes.JOLT))
    faults = faults_of(ours, theirs, height)
    words = f"{time:.2f} / {their_time:.2f} ms, {ratio:.2f} times; {in_words(ours, theirs)}"
    words += f"; mean height by Jolt at {FINE} ticks a second {height:.2f} m"
    return "; ".join((words, *faults)), ratio <= DEAREST and not faults


@check(f"2,000 boxes in a drum that turns, 3,000 in a shaken bin, on 1 and 2 threads: at most {DEAREST} times Jolt, none outside")
def moving_piles(godot: Godot, project: Path) -> Outcome:
    """The tick while the pile moves, bodies made without nodes."""
    lines, passed = [], True
    for pile in MOVING_PILES:
        options = (f"--bodies={pile.bodies}", "--server")
        height = fine_height(godot, project, pile, options)
        for threads in (1, 2):
            runs = runs_of(godot, project, pile.scene, threads, TICKS, options)
            words, holds = judged(runs, height)
            passed &= holds
            lines.append(f"{pile.scene} of {pile.bodies}, {threads} threads: {words}")
    return Outcome("\n  ".join(lines), passed)
