"""The sub-commands of `scree`. Each is a few lines over functions that are tested elsewhere."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.table import Table

from scree_tools import build_loader, find_godot, find_python, install_addon, places, show

application = typer.Typer(
    name="scree", add_completion=False, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False,
    help="Scree, a 3D physics server for Godot 4 written in Python.",
)  # fmt: skip
console = Console()
_PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
_EXPECTED = (
    find_godot.GodotNotFound, build_loader.LoaderNotBuilt, find_python.PythonNotUsable, install_addon.CannotInstall,
)  # fmt: skip


def _fail(message: object) -> NoReturn:
    Console(stderr=True).print(f"scree: {message}", style="red", markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(1)


def _godot() -> find_godot.Godot:
    with show.fetching(console) as report:
        try:
            return find_godot.find_godot(report=report)
        except find_godot.GodotNotFound as error:
            message = error
    _fail(message)


def _warm_up() -> None:
    from scree_tools import warm_up

    if warm_up.is_warm():
        return
    try:
        with show.compiling(console) as report:
            result = warm_up.warm_up(report)
    except warm_up.WarmUpFailed as error:
        _fail(error)
    console.print(f"Compiled {result.compiled} entry points, {result.loaded} were there, in {result.seconds:.1f} s")


@application.command()
def install(project_dir: Annotated[Path, typer.Argument(help="The folder of a Godot project.")]) -> None:
    """Put the addon into a Godot project and select its engine there."""
    try:
        done = install_addon.install(project_dir)
    except _EXPECTED as error:
        _fail(error)
    console.print(f"Installed into {done.addon}; {done.project.name} now runs on {install_addon.ENGINE_NAME}.",
                  highlight=False, soft_wrap=True)


@application.command(context_settings=_PASS_ON)
def godot(context: typer.Context) -> None:
    """Run the Godot that Scree uses with the given arguments."""
    raise typer.Exit(subprocess.run([*_godot().command, *context.args]).returncode)


@application.command()
def warmup() -> None:
    """Compile the engine's core ahead of its first use."""
    _warm_up()
    console.print("The core is compiled.")


@application.command(context_settings=_PASS_ON)
def test(context: typer.Context) -> None:
    """Set everything up and run all tests; further arguments go to pytest."""
    root = places.checkout()
    if root is None:
        _fail("the tests are in the checkout, not in the installed package")
    _godot()
    _warm_up()
    raise typer.Exit(subprocess.run([sys.executable, "-m", "pytest", *context.args], cwd=root).returncode)


@application.command()
def doctor(project_dir: Annotated[Path | None, typer.Argument(help="A Godot project to look into as well.")] = None) -> None:
    """Say what was found on this machine and what is wrong with it."""
    from scree_tools.doctor import findings

    signs = {"good": "[green]good[/]", "missing": "[yellow]missing[/]", "bad": "[red]bad[/]"}
    table = Table("", "State")
    for title in ("Found", "How to mend it"):
        table.add_column(title, overflow="fold")  # a path that is cut off helps nobody
    bad = 0
    for finding in findings(project_dir):
        bad += finding.state == "bad"
        table.add_row(finding.what, signs[finding.state], finding.found, finding.mend)
    console.print(table)
    raise typer.Exit(1 if bad else 0)
