"""The sub-commands of `scree` that make what is shipped: libraries, addons, wheels."""

from pathlib import Path
from typing import Annotated

import typer

from scree.tools import places, show
from scree.tools.command_console import EXPECTED, console, fail, godot_at_hand, plain


def build_core(
    target: Annotated[list[str] | None, typer.Option(help="As linux.x86_64; all for every one; by default this machine.")] = None,
    into: Annotated[Path | None, typer.Option(help="Where the libraries go; by default where the engine looks for them.")] = None,
    project: Annotated[Path | None, typer.Option(help="Compile the functions of this folder instead of the core.")] = None,
) -> None:
    """Compile the whole core ahead of time into one library a system, so that nothing is compiled at start; or, with --project,
    a program's own compiled functions."""
    from scree.tools import build_core as building
    from scree.tools import build_own

    try:
        with show.counting(console, "Compiling") as report:
            targets = building.targets(target or [])
            done = build_own.build(project, targets, into, report) if project else building.build(targets, into, report=report)
    except building.CoreNotBuilt as error:
        fail(error)
    for built in done:
        plain(f"{built.file}: {built.entry_points} entry points, {built.file.stat().st_size / 1e6:.2f} MB")


def release(
    into: Annotated[Path | None, typer.Option(help="Where it goes; by default build/release in the checkout.")] = None,
    target: Annotated[list[str] | None, typer.Option(help="As windows.x86_64; may be repeated; by default this machine.")] = None,
) -> None:
    """Make the addon as one folder with everything inside, for projects and games on machines without Python and compiler."""
    from scree.tools import build_core as building
    from scree.tools import release as releasing

    folder = into or (places.checkout() or Path.cwd()) / "build" / "release"
    try:
        targets, godot = building.targets(target or []), godot_at_hand()
        with show.counting(console, "Releasing") as report:
            done = releasing.make(folder, godot, targets, report)
    except (*EXPECTED, building.CoreNotBuilt, releasing.NotReleased) as error:
        fail(error)
    plain(f"{done.folder}: {done.unpacked / 1e6:.1f} MB for these systems, {done.packed / 1e6:.1f} MB packed")
    plain(f"{done.archive}: {done.archive.stat().st_size / 1e6:.1f} MB")


def wheel(
    into: Annotated[Path | None, typer.Option(help="Where they go; by default build/wheels in the checkout.")] = None,
    target: Annotated[list[str] | None, typer.Option(help="As windows.x86_64, or all; by default this machine.")] = None,
) -> None:
    """Make wheels with the core inside, one a system: they need no Numba and compile nothing."""
    import tempfile

    from scree.tools import build_core as building
    from scree.tools import wheels

    folder = into or (places.checkout() or Path.cwd()) / "build" / "wheels"
    try:
        with tempfile.TemporaryDirectory() as made:
            pure = wheels.build_wheel(Path(made))
            done = [wheels.with_core(pure, one, folder) for one in building.targets(target or [])]
    except (building.CoreNotBuilt, wheels.WheelNotBuilt) as error:
        fail(error)
    for made_wheel in done:
        plain(f"{made_wheel}: {made_wheel.stat().st_size / 1e6:.1f} MB")


def export_check(game: Annotated[Path, typer.Argument(help="The folder of an exported game.")]) -> None:
    """Say what an exported game lacks of Scree."""
    from scree.tools import export_game

    missing = list(export_game.missing_parts(game))
    for part in missing:
        plain(f"missing: {part}")
    if missing:
        raise typer.Exit(1)
    plain(f"{game} has all of Scree.")


COMMANDS = {"build-core": build_core, "release": release, "wheel": wheel, "export-check": export_check}
"""The sub-commands by their names, in the order in which help lists them."""
