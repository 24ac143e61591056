"""The demo scenes in real Godot on Scree Physics: their figures, and pictures of them."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from scree.tools import bench, scenes
from scree.tools.find_godot import Godot
from scree.tools.screen import NoScreen, screen

DRAWN_AT_ONCE = 2
"""Scenes that are drawn at the same time: most of a picture is drawn on one core."""


def figures(godot: Godot, project: Path, chosen: list[scenes.Scene]) -> Iterator[scenes.Figures]:
    """Run each scene headless for its number of ticks. Raises scenes.SceneFailed, also where Scree is not what ran."""
    for scene in chosen:
        result = scenes.run_scene(godot, project, scene.name, scene.ticks)
        bench.check_engine(result, scenes.SCREE)
        yield result


def covers(chosen: Sequence[scenes.Scene]) -> list[scenes.Scene]:
    """The scenes with one picture each, where one is chosen."""
    return [replace(scene, pictures=(scene.cover,)) if scene.cover else scene for scene in chosen]


def pictures(
    godot: Godot, project: Path, chosen: Sequence[scenes.Scene], folder: Path, report: Callable[[str], None] = print
) -> list[Path]:
    """Render each scene's pictures into `folder`, two scenes at a time; where nothing can be drawn, says so and goes on without.
    The project has to have run before, so that Godot has imported it."""
    drawn: list[Path] = []
    try:
        with screen(godot) as environment, ThreadPoolExecutor(DRAWN_AT_ONCE) as pool:
            order = list(reversed(chosen))  # the largest scenes are at the end of the index
            drawing = [pool.submit(scenes.draw_scene, godot, project, scene, folder, environment) for scene in order]
            for scene, future in zip(order, drawing, strict=True):
                try:
                    drawn += future.result()
                    report(f"{scene.name} is drawn")
                except scenes.SceneFailed as error:
                    report(f"no pictures of {scene.name}: {error}")
    except NoScreen as error:
        report(f"no pictures: {error}")
    return drawn
