"""The stages of a step in two checkouts, which step the same scene in turn, tick by tick, on one core.

    python -m scree.tools.stages_in_turn chains 6000 ../other_checkout
A machine that changes its speed within seconds slows both down alike, so the median over the ticks of the ratio of each tick
tells 1 % apart where floors of whole runs do not. Which of the two steps first changes from tick to tick. The other checkout
needs its own `.venv`. Scenes are those of this checkout's `moving_costs.py`.
"""

import json
import os
import runpy
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from scree.tools import places

LEAST_MILLISECONDS = 0.1
"""A stage whose medians are less is left out: its ratio would be noise."""


class Ratio(NamedTuple):
    """A stage, its medians in both checkouts [ms], and the median of the ratios of all ticks."""

    stage: str
    base: float
    now: float
    ratio: float


def serve(scene: str, bodies: int) -> None:
    """Build a scene, on one core; print the names of its stages, and for each line of input the seconds that each takes in one
    more tick."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    pile = runpy.run_path(str(Path(__file__).with_name("moving_costs.py")))["SCENES"][scene](bodies, 1)
    system = pile.world.system(pile.system)
    system.measure_stages()
    print(json.dumps([*system.stage_seconds(), "step"]), flush=True)
    for _ in sys.stdin:
        before = list(system.stage_seconds().values())
        step = pile.step()
        taken = [now - then for now, then in zip(system.stage_seconds().values(), before, strict=True)]
        print(json.dumps([*taken, step]), flush=True)


@contextmanager
def stepping(checkout: Path, scene: str, bodies: int) -> Iterator[subprocess.Popen]:
    """A process that runs `serve` on the engine of a checkout."""
    python = checkout / ".venv" / "bin" / "python"
    # -P: beside this file lies scree.py, which would be imported for the package.
    command = [python, "-P", Path(__file__).resolve(), "--serve", scene, str(bodies)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=checkout) as process:
        try:
            yield process
        finally:
            with suppress(BrokenPipeError):  # it has ended
                process.stdin.close()


def answer_of(process: subprocess.Popen) -> list:
    """The next line of a process. Raises RuntimeError if it has ended."""
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(f"{process.args[0]} ended with {process.wait()}")
    return json.loads(line)


def tick(process: subprocess.Popen) -> list[float]:
    """The seconds of each stage in one more tick of a process."""
    with suppress(BrokenPipeError):  # `answer_of` tells that it has ended
        process.stdin.write("\n")
        process.stdin.flush()
    return answer_of(process)


def in_turn(checkouts: list[Path], scene: str, bodies: int, first: int, ticks: int) -> list[Ratio]:
    """The stages of `ticks` ticks from the tick `first` on, in both checkouts. Stages that only one has are left out."""
    with ExitStack() as stack:
        processes = [stack.enter_context(stepping(checkout, scene, bodies)) for checkout in checkouts]
        names = [answer_of(process) for process in processes]
        found: list[list[list[float]]] = [[], []]
        for k in track(range(first + ticks), "ticks", console=Console(stderr=True)):
            for side in (0, 1) if k % 2 == 0 else (1, 0):
                seconds = tick(processes[side])
                if k >= first:
                    found[side].append(seconds)
    return [ratio for stage in names[1] if stage in names[0] for ratio in ratios_of(stage, names, found)]


def ratios_of(stage: str, names: list[list[str]], found: list[list[list[float]]]) -> list[Ratio]:
    """The ratio of one stage, of the ticks in which the other checkout has it; none if it takes less than `LEAST_MILLISECONDS` in
    both."""
    base, now = ([seconds[names[side].index(stage)] for seconds in found[side]] for side in (0, 1))
    medians = 1e3 * statistics.median(base), 1e3 * statistics.median(now)
    ratios = [b / a for a, b in zip(base, now, strict=True) if a > 0.0]
    if max(medians) < LEAST_MILLISECONDS or not ratios:
        return []
    return [Ratio(stage, *medians, statistics.median(ratios))]


def main(
    scene: Annotated[str, typer.Argument(help="drum, shaken_bin, chains or pyramids")],
    bodies: int,
    base: Annotated[Path, typer.Argument(help="the other checkout")],
    first: int = 10,
    ticks: int = 120,
) -> None:
    """Print the stages of a step of this checkout beside those of another."""
    table = Table("stage", "base [ms]", "now [ms]", "ratio", title=f"{scene}, {bodies} bodies, one thread, {ticks} ticks")
    for ratio in in_turn([base.resolve(), places.checkout()], scene, bodies, first, ticks):
        table.add_row(ratio.stage, f"{ratio.base:.2f}", f"{ratio.now:.2f}", f"{ratio.ratio:.3f}")
    Console().print(table)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2], int(sys.argv[3]))
    else:
        typer.run(main)
