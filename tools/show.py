"""How results and long work are shown: tables; a bar on a terminal, plain lines elsewhere."""

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from scree.tools.bench import SceneResult
from scree.tools.bench_figures import tick_times
from scree.tools.scenes import Figures
from scree.tools.warm_up import Step


@contextlib.contextmanager
def fetching(console: Console) -> Iterator[Callable[[str], None]]:
    """Gives the function that is told each line of a download; it shows the last one."""
    with contextlib.ExitStack() as stack:
        status = None

        def report(line: str) -> None:
            nonlocal status
            counted = re.match(r"Get:(\d+) \S+ \S+ \S+ (\S+)", line)
            text = f"file {counted[1]}: {counted[2]}" if counted else line
            if not console.is_terminal:
                if not counted:
                    console.print(text, markup=False, highlight=False, soft_wrap=True)
                return
            if status is None:
                status = stack.enter_context(console.status("Fetching Godot"))
            status.update(f"Fetching Godot: {text}")

        yield report


@contextlib.contextmanager
def compiling(console: Console) -> Iterator[Callable[[Step], None]]:
    """Gives the function that is told each step of a warm-up. In a log stands only what was compiled."""
    if not console.is_terminal:

        def report(step: Step) -> None:
            if step.finished and not step.was_cached:
                how_long = f"in {step.seconds:.1f} s, about {step.left:.0f} s left"
                line = f"[{step.done}/{step.total}] compiled {step.finished} {how_long}"
                console.print(line, markup=False, highlight=False, soft_wrap=True)

        yield report
        return
    columns = (
        TextColumn("Compiling"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]}"),
        TextColumn("{task.description}", style="dim"),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=None, left="")

        def report(step: Step) -> None:
            progress.update(
                task,
                total=step.total,
                completed=step.done,
                description=", ".join(step.running),
                left=f"about {step.left:.0f} s left",
            )

        yield report


@contextlib.contextmanager
def counting(console: Console, title: str) -> Iterator[Callable[[int, int, str], None]]:
    """Gives a function that is told `(done, total, name)`: a bar on a terminal, a line now and then elsewhere."""
    if not console.is_terminal:
        seen = [-1]

        def report(done: int, total: int, name: str) -> None:
            tenth = 10 * done // max(total, 1)
            if tenth != seen[0]:
                seen[0] = tenth
                console.print(f"{title} {done} of {total}", markup=False, highlight=False)

        yield report
        return
    columns = (TextColumn(title), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", style="dim"))
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=None)
        yield lambda done, total, name: progress.update(task, completed=done, total=total, description=name)


def demo_table(done: Sequence[Figures]) -> Table:
    """The demo's figures, a scene a row."""
    table = Table("Scene")
    for title in ("Bodies", "Ticks", "ms a tick", "95 %", "Asleep", "Lost", "Deepest penetration"):
        table.add_column(title, justify="right")
    for figures in done:
        times = tick_times([figures.tick_ms])
        table.add_row(
            figures.scene,
            str(figures.bodies),
            str(figures.ticks),
            f"{times.median:.2f}",
            f"{times.percentile_95:.2f}",
            str(figures.asleep),
            str(figures.lost),
            f"{1000.0 * figures.deepest_penetration:.1f} mm",
        )
    return table


def bench_table(result: SceneResult) -> Table:
    """The comparison of one scene, an engine a row: what a tick costs, then what the time bought."""
    table = Table(title=f"{result.scene}: {result.bodies} bodies, {result.ticks} ticks; times in ms a tick")
    table.add_column("Engine", no_wrap=True)
    for title in (
        "Floor",
        "To Jolt",
        "Median",
        "95 %",
        "Spread",
        "Energy [J]",
        "Deepest [mm]",
        "Height [m]",
        "Lost",
        "Same each round",
    ):
        table.add_column(title, justify="right")
    for engine in result.engines:
        times, quality = engine.times, engine.quality
        table.add_row(
            engine.engine,
            f"{times.floor:.3f}",
            f"{engine.ratio:.2f}" if engine.ratio else "",
            f"{times.median:.3f}",
            f"{times.percentile_95:.3f}",
            f"{times.spread:.0%}",
            f"{quality['kinetic_energy_per_body']:.4f}",
            f"{1000 * quality['deepest_penetration']:.1f}",
            f"{quality['height']:.2f}",
            f"{quality['lost']:.0f}",
            "yes" if engine.same_every_round else "no",
        )
    return table
