"""How long work is shown while it runs: a bar on a terminal, plain lines elsewhere."""

import contextlib
import re
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from scree_tools.warm_up import Step


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
    """Gives the function that is told each step of a warm-up."""
    if not console.is_terminal:

        def report(step: Step) -> None:
            if step.finished:
                how = "loaded" if step.was_cached else "compiled"
                console.print(f"[{step.done}/{step.total}] {how} {step.finished} in {step.seconds:.1f} s, "
                              f"about {step.left:.0f} s left", markup=False, highlight=False, soft_wrap=True)

        yield report
        return
    columns = (TextColumn("Compiling"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[left]}"),
               TextColumn("{task.description}", style="dim"))
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=None, left="")

        def report(step: Step) -> None:
            progress.update(task, total=step.total, completed=step.done, description=", ".join(step.running),
                            left=f"about {step.left:.0f} s left")

        yield report
