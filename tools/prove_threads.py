"""Long checks of threads and islands without Godot: barriers, a busy neighbour, unions and finds, growth with the work."""

import json
import math
from pathlib import Path

from scree.tools.find_godot import Godot
from scree.tools.places import checkout
from scree.tools.prove import Outcome, check, run_python

LONGEST_BARRIER = 1.5  # [us], median
DEAREST_UNION, MOST_LOOPS = 0.07, 1.0  # [us]; loops a find on average
FASTER = {"collision": 1.85, "solver": 1.7, "step": 1.7}  # two threads against one, at least
DEAREST_NEIGHBOUR = 2.5  # times the quiet step on one thread
COUNTS = (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)
STEEPEST = 1.15  # power of the number of bodies that a step's cost grows with


def costs(*arguments: object) -> dict:
    """One part of tools/step_costs.py, in a process of its own."""
    return json.loads(run_python("-m", "scree.tools.step_costs", *arguments))


@check(f"a barrier on 2 threads: at most {LONGEST_BARRIER} us at the median")
def barrier_cost(godot: Godot, project: Path) -> Outcome:
    """Handing out a job in which both threads must meet, until its end is known."""
    found = min((costs("barriers", 2) for _ in range(3)), key=lambda times: times["median_us"])
    figures = f"median {found['median_us']:.2f} us, tenth {found['tenth_us']:.2f}, mean {found['mean_us']:.2f} (best of 3 runs)"
    return Outcome(figures, found["median_us"] <= LONGEST_BARRIER)


@check(f"islands of a pile of 5,000: a union at most {DEAREST_UNION} us, a find at most {MOST_LOOPS} loops on average")
def islands_of_a_pile(godot: Godot, project: Path) -> Outcome:
    """Linking all contacts of the settled pile."""
    found = costs("islands", 5000)
    loops = found["loops"]
    mean = sum(k * count for k, count in enumerate(loops)) / max(sum(loops), 1)
    spread = ", ".join(f"{k}: {count / sum(loops):.1%}" for k, count in enumerate(loops) if count)
    figures = f"{found['unions']} unions of {found['union_us']:.3f} us; {mean:.2f} loops a find ({spread})"
    return Outcome(figures, found["unions"] > 5000 and found["union_us"] <= DEAREST_UNION and mean <= MOST_LOOPS)


@check("the pile of 5,000 on 2 threads against 1: " + ", ".join(f"{name} {times} times" for name, times in FASTER.items()))
def two_threads(godot: Godot, project: Path) -> Outcome:
    """How much sooner the parts of a step are done with a second core: ticks 361 to 420, floors of seven rounds."""
    found = costs("threads", 5000)
    ratios = {name: one / max(two, 1e-6) for name, (one, two) in found.items()}
    told = {name: times for name, times in found.items() if times[0] >= 0.1}
    figures = "; ".join(f"{name} {one:.2f} and {two:.2f} ms: {ratios[name]:.2f}" for name, (one, two) in told.items())
    return Outcome(figures, all(ratios[name] >= least for name, least in FASTER.items()))


@check(f"3,000 boxes on 2 threads beside a busy process: at most {DEAREST_NEIGHBOUR} times a quiet step on one thread")
def busy_neighbour(godot: Godot, project: Path) -> Outcome:
    """The time of a step while another program uses a core."""
    found = costs("neighbour", 3000)
    ratio = found["busy_mean"] / found["one"]
    figures = (
        f"quiet {found['one']:.2f} ms on one thread, {found['two']:.2f} on two; beside a busy process "
        f"{found['busy_mean']:.2f} ms on average ({found['busy_median']:.2f} median): {ratio:.2f} times"
    )
    return Outcome(figures, ratio <= DEAREST_NEIGHBOUR)


def slope_of(found: dict[int, float], least: int) -> float:
    """Power with which times grow with numbers of bodies, from `least` bodies on: by least squares over logarithms."""
    points = [(math.log(count), math.log(ms)) for count, ms in found.items() if count >= least]
    mean_x, mean_y = (sum(column) / len(points) for column in zip(*points, strict=True))
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def scaling_figures() -> dict[int, dict[int, float]]:
    """Milliseconds a step by threads and bodies."""
    return {threads: {int(n): ms for n, ms in costs("scaling", threads, *COUNTS).items()} for threads in (1, 2)}


@check(f"piles of 100 to 50,000 boxes: a step's cost grows with at most the power {STEEPEST} of their number")
def scaling(godot: Godot, project: Path) -> Outcome:
    """Cost grows as work grows; writes docs/pictures/scaling.svg and .png."""
    from scree.tools.scaling_plot import plot

    found = scaling_figures()
    slopes = {threads: slope_of(times, 500) for threads, times in found.items()}
    plot(found, slopes, checkout() / "docs" / "pictures")
    lines = [
        f"{threads} threads: slope {slopes[threads]:.2f}; " + ", ".join(f"{n:,}: {ms:.2f} ms" for n, ms in times.items())
        for threads, times in found.items()
    ]
    return Outcome("\n  ".join(lines), max(slopes.values()) <= STEEPEST)
