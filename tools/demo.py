"""The demo scenes in real Godot on Scree Physics: their figures, and pictures of them."""

from collections.abc import Callable, Iterator
from pathlib import Path

from scree.tools import bench, scenes
from scree.tools.find_godot import Godot
from scree.tools.screen import NoScreen, screen


def figures(godot: Godot, project: Path, chosen: list[scenes.Scene]) -> Iterator[scenes.Figures]:
    """Run each scene headless for its number of ticks. Raises scenes.SceneFailed, also where Scree is not what ran."""
    for scene in chosen:
        result = scenes.run_scene(godot, project, scene.name, scene.ticks)
        bench.check_engine(result, scenes.SCREE)
        yield result


def pictures(
    godot: Godot, project: Path, chosen: list[scenes.Scene], folder: Path, report: Callable[[str], None] = print
) -> list[Path]:
    """Render each scene's pictures into `folder`; where nothing can be drawn, says so and goes on without."""
    drawn: list[Path] = []
    try:
        with screen(godot) as environment:
            for scene in chosen:
                report(f"drawing {scene.name}")
                drawn += scenes.draw_scene(godot, project, scene, folder, environment)
    except (NoScreen, scenes.SceneFailed) as error:
        report(f"no further pictures: {error}")
    return drawn
