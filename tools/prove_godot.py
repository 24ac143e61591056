"""Long checks in real Godot: scenes that are played, what physics expects of them, and the whole API called at random."""

from pathlib import Path

from scree_tools import bench, scenes
from scree_tools.find_godot import Godot
from scree_tools.prove import Outcome, check

LEAST_EXPECTATIONS = 6  # a scene that says less has not been played


def missed(figures: scenes.Figures) -> list[str]:
    """The expectations of a played scene that do not hold, in words."""
    return [
        f"{one['what']} at tick {one['tick']:.0f}: {one['value']:.4g}, wanted {one['least']:.4g} to {one['most']:.4g}"
        for one in figures.extra["expectations"]
        if not one["least"] <= one["value"] <= one["most"]
    ]


@check("30 s of play of each scene: course, truck, ragdoll, areas, GridMap; every expectation of its end and way")
def played_scenes(godot: Godot, project: Path) -> Outcome:
    """Characters, vehicles, ragdolls, areas and a GridMap as a game uses them."""
    lines, passed = [], True
    scenes.choose_engine(project, scenes.SCREE)
    for scene in scenes.named_scenes([], "play"):
        figures = scenes.run_scene(godot, project, scene.name, scene.ticks)
        bench.check_engine(figures, scenes.SCREE)
        count, faults = len(figures.extra["expectations"]), missed(figures)
        passed &= not faults and count >= LEAST_EXPECTATIONS and figures.lost == 0
        lines.append(f"{scene.name}: {count - len(faults)} of {count} hold, {figures.lost} lost; {'; '.join(faults)}")
    return Outcome("\n  ".join(lines), passed)
