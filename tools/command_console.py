"""The parts that all sub-commands of `scree` share: the console, errors in one line, and the Godot that they use."""

from typing import NoReturn

import typer
from rich.console import Console

from scree.tools import build_loader, find_godot, find_python, install_addon, scenes, show

console = Console()
if not console.is_terminal:
    console.width = max(console.width, 140)  # a log breaks no tables
EXPECTED = (
    find_godot.GodotNotFound, build_loader.LoaderNotBuilt, find_python.PythonNotUsable, install_addon.CannotInstall,
    scenes.SceneFailed,
)  # fmt: skip


def say_error(message: object) -> None:
    """Print an error on the stream for errors."""
    Console(stderr=True).print(f"scree: {message}", style="red", markup=False, highlight=False, soft_wrap=True)


def fail(message: object) -> NoReturn:
    """Print an error and end the command with exit code 1."""
    say_error(message)
    raise typer.Exit(1)


def godot_at_hand() -> find_godot.Godot:
    """The Godot that the tools use, fetched with a progress bar where there is none. Ends the command without one."""
    with show.fetching(console) as report:
        try:
            return find_godot.find_godot(report=report)
        except find_godot.GodotNotFound as error:
            message = error
    fail(message)


def plain(line: str) -> None:
    """Print a line as it is, however long."""
    console.print(line, markup=False, highlight=False, soft_wrap=True)
