"""A released addon on a machine that has nothing: the exported demo project plays all its scenes there, with the checkout's
figures."""

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from scree.tools import bare_machine, build_core, export_game, release, scenes
from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check

TICKS = 240  # of each scene
MOST_UNPACKED, MOST_PACKED = 25.0, 10.0  # [MB]


def make(into: Path, godot: Godot) -> release.Release:
    """Make a release. Raises SceneFailed."""
    try:
        return release.make(into, godot)
    except (build_core.CoreNotBuilt, release.NotReleased) as error:
        raise scenes.SceneFailed(str(error)) from error


def exported_demo(made: release.Release, folder: Path, godot: Godot) -> Path:
    """The demo project with the released addon, exported as a game into a folder; returns the game's folder. Raises
    SceneFailed."""
    project = scenes.copy_demo_project(folder / "project", with_addon=False)
    shutil.copytree(made.folder, project / "addons" / "scree")
    try:
        game = export_game.export(project, folder / "game" / "game.x86_64", bare_machine.template(), godot)
    except (export_game.NotExported, bare_machine.NoBareMachine) as error:
        raise scenes.SceneFailed(str(error)) from error
    missing = list(export_game.missing_parts(game))
    if missing:
        raise scenes.SceneFailed(f"the game lacks {'; '.join(missing)}")
    return game


def play(game: Path, scene: str, ticks: int, place: str = "/game", **settings) -> scenes.Figures:
    """The figures of a scene that an exported demo project plays on a bare machine. Templates take no scene as an argument, so it
    is told by the game's override.cfg. Raises SceneFailed."""
    override = '[physics]\n\nscree_3d/simulation/threads=2\n\n[application]\n\nrun/main_scene="res://scenes/{}.tscn"\n'
    (game / "override.cfg").write_text(override.format(scene))
    with tempfile.TemporaryDirectory() as out:
        os.chmod(out, 0o777)
        arguments = ("--headless", "--fixed-fps", "60", "--", f"--ticks={ticks}", "--json=/out/figures.json")
        folders: Mapping[Path, str] = {game: place, Path(out): "/out"}
        try:
            run = bare_machine.run([f"{place}/game.x86_64", *arguments], folders, timeout=600.0, **settings)
        except bare_machine.NoBareMachine as error:
            raise scenes.SceneFailed(str(error)) from error
        report = Path(out, "figures.json")
        if run.returncode != 0 or not report.is_file():
            raise scenes.SceneFailed(f"{scene} ended with {run.returncode}:\n{run.output[-2000:]}")
        said = [line for line in run.output.splitlines() if "scree:" in line]
        if said:
            raise scenes.SceneFailed(f"{scene}: {said[0]} (and {len(said) - 1} more)")
        return scenes.Figures.parse(report.read_text())


def of_bodies(figures: scenes.Figures) -> dict:
    """All that a scene reports of its bodies; no times."""
    return {name: value for name, value in vars(figures).items() if name not in ("tick_ms", "extra")}


@check("the demo project, exported with the released addon, on a machine without Python: the checkout's figures in all scenes")
def released_game(godot: Godot, project: Path) -> Outcome:
    """The game that players get."""
    faults = []
    scenes.choose_engine(project, scenes.SCREE, 2)
    with tempfile.TemporaryDirectory() as made:
        done = make(Path(made), godot)
        game = exported_demo(done, Path(made, "demo"), godot)
        played = [scene for scene in scenes.scene_index(project) if scene.kind in ("demo", "play", "bench")]
        for scene in played:
            ticks = min(scene.ticks, TICKS)
            there = play(game, scene.name, ticks)
            here = scenes.run_scene(godot, project, scene.name, ticks)
            if there.engine != "ScreePhysicsServer3D":
                faults.append(f"{scene.name} ran on {there.engine}")
            elif of_bodies(there) != of_bodies(here):
                faults.append(f"{scene.name} has other figures: {of_bodies(there)}, here {of_bodies(here)}")
    sizes = f"{done.unpacked / 1e6:.1f} MB unpacked, {done.packed / 1e6:.1f} MB packed"
    faults += [f"it is too large: {sizes}"] if done.unpacked > MOST_UNPACKED * 1e6 or done.packed > MOST_PACKED * 1e6 else []
    return Outcome("\n  ".join([f"{len(played)} scenes; {sizes}", *faults]), not faults)
