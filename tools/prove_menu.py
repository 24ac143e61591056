"""The demo project as somebody uses it who has just downloaded it: every scene is reached by a click in the menu, and plays."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from scree.tools import places, scenes
from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check
from scree.tools.screen import DRAWING, SAYS_OF_SCREEN, screen

TICKS = 600
KINDS = ("demo", "play", "bench")
LEAST_COLOURS = 45  # of 4,096, on a grid of 3,600 points: a picture of sky and the hud's text has 33, one of a grey ship 56
_FAULTS = ("ERROR", "WARNING", "missed")


def faults_of(lines: Sequence[str]) -> list[str]:
    """The lines that tell of a fault, but for what Godot says of a screen that nobody sees."""
    return [line for line in lines if any(word in line for word in _FAULTS) and SAYS_OF_SCREEN not in line]


def click_through(
    godot: Godot, project: Path, ticks: int, kinds: Sequence[str], drawn: Sequence[str], environment: Mapping[str, str]
) -> tuple[list[dict], list[str]]:
    """Click every card of these kinds in the menu and play its scene for some ticks: what is told of each, and what was wrong, in
    words."""
    scenes.choose_engine(project, scenes.SCREE)
    given = {**environment, "SCREE_CLICK_TICKS": str(ticks), "SCREE_CLICK_KINDS": ",".join(kinds)}
    run = godot.run(*drawn, "--fixed-fps", "60", "--path", project, "-s", "res://measure/click_menu.gd", timeout=7200,
                    environment=given)  # fmt: skip
    lines = run.output.splitlines()
    played = [json.loads(line.removeprefix("played ")) for line in lines if line.startswith("played ")]
    faults = faults_of(lines)
    faults += [f"{one['scene']} ran on {one['engine']}" for one in played if one["engine"] != "ScreePhysicsServer3D"]
    faults += [f"{one['scene']} has no bodies" for one in played if one["bodies"] < 1]
    missing = {scene.name for scene in scenes.scene_index(project) if scene.kind in kinds} - {one["scene"] for one in played}
    faults += [f"{name} was not played" for name in sorted(missing)]
    return played, faults + ([f"Godot ended with {run.returncode}"] if run.returncode else [])


@check(
    f"every demo scene by a click in the menu, drawn, {TICKS} ticks: no error, pause and buttons work, the picture is not empty"
)
def menu(godot: Godot, project: Path) -> Outcome:
    """The menu and the keys and buttons of every scene, by mouse and keyboard, on a screen that nobody sees."""
    folder = places.output_folder("prove") / "menu"
    folder.mkdir(exist_ok=True)
    with screen(godot) as environment:
        played, faults = click_through(godot, project, TICKS, KINDS, DRAWING, {**environment, "SCREE_CLICK_FOLDER": str(folder)})
    for one in played:
        faults += [f"{one['scene']}: {name} does not" for name in ("pauses", "goes_on") if not one[name]]
        if one["colours"] < LEAST_COLOURS:
            faults.append(f"{one['scene']}: a picture of {one['colours']} colours")
    least = min((one["colours"] for one in played), default=0)
    text = f"{len(played)} scenes, at least {least} colours in a picture ({folder}); {'; '.join(faults) or 'no fault'}"
    return Outcome(text, bool(played) and not faults)
