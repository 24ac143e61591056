"""Long checks of how a step scales with threads, without Godot: the model of thread_model.py, and what is serial."""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check, run_python
from scree.tools.thread_model import tables_of
from scree.tools.thread_plot import predictions

FARTHEST = 0.2  # of the measured step, either way
MANY, MANY_CORES = (4, 8, 16), 8  # threads that are compared; from so many cores on
SECONDS = 40  # that each scene is stepped for
MOST_SERIAL = {"pile": 0.015, "drum": 0.03}  # of the step on one thread


def measured(threads: tuple[int, ...]) -> dict:
    """The file of tools/thread_costs.py for pile and drum, from a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "threads.json"
        numbers = ",".join(map(str, threads))
        run_python("-m", "scree.tools.thread_costs", file, SECONDS, ",".join(MOST_SERIAL), numbers)
        return json.loads(file.read_text())


def compared_threads(cores: int) -> tuple[int, ...]:
    """The numbers of threads for which prediction and measurement are compared on so many cores."""
    return tuple(number for number in MANY if number <= cores) if cores >= MANY_CORES else (2,)


def compared(found: Mapping, threads: tuple[int, ...]) -> tuple[list[str], bool]:
    """A line for each scene and number of threads, and whether every prediction is near enough."""
    lines, good = [], True
    for name, scene in found["scenes"].items():
        steps, predicted = tables_of(scene["step"]), predictions(found, name, threads)
        for number in threads:
            off = predicted[number] / steps[number] - 1.0
            good &= abs(off) <= FARTHEST
            lines.append(
                f"{name} on {number} threads: predicted {predicted[number]:.2f} ms, measured {steps[number]:.2f}: {off:+.0%}"
            )
    return lines, good


@check(f"pile of 5,000 and drum on many threads: a step as predicted from one and two threads, within {FARTHEST:.0%}")
def many_threads(godot: Godot, project: Path) -> Outcome:
    """Prediction and measurement on 4, 8 and 16 threads, or on as many as this machine has cores for."""
    cores = os.cpu_count() or 1
    if cores < 2:
        return Outcome("one core: nothing can be compared here", False)
    threads = compared_threads(cores)
    lines, good = compared(measured((1, 2, *threads)), threads)
    if cores < MANY_CORES:
        lines.append(f"{cores} cores: more than {threads[-1]} threads were not tried here")
    return Outcome("\n  ".join(lines), good)


def judged_serial(found: Mapping) -> tuple[list[str], bool]:
    """A line for each scene, and whether its serial share is small enough."""
    lines, good = [], True
    for name, most in MOST_SERIAL.items():
        scene = found["scenes"][name]
        good &= scene["serial_share"] <= most
        lines.append(
            f"{name}: {scene['serial_share']:.2%} serial, at most {most:.1%}; without the step's end, in which a second thread "
            f"makes the trees, {scene['lonely_share']:.2%}"
        )
    return lines, good


@check("serial share of a step: " + ", ".join(f"{name} at most {share:.1%}" for name, share in MOST_SERIAL.items()))
def serial_work(godot: Godot, project: Path) -> Outcome:
    """The part of a step on one thread that more threads cannot shorten."""
    lines, good = judged_serial(measured((1,)))
    return Outcome("\n  ".join(lines), good)
