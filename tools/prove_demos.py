"""Godot's own demo projects with the released addon: each is exported as a game and played on a machine that has nothing else.

The projects do not come with Scree. `SCREE_GODOT_DEMOS` names a folder that holds them, each in a folder of its own, as they lie
in Godot's collection of demo projects.
"""

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scree.tools import bare_machine, export_game, project_settings, prove_release, scenes
from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check

PROJECTS = "SCREE_GODOT_DEMOS"
"""The environment variable that names the folder of the projects."""
LEAST_PROJECTS = 3
TICKS = 600
FALLEN = -50.0  # [m]: a body below has left its level
SCENES = ("tests/functional/*.tscn",)
"""Scenes that are played beside the main scene, where a project has them."""
PROBE = """extends Node
# Plays a demo: presses its actions by turns, and tells after some ticks what became of the bodies.
const TICKS := {ticks}
const FALLEN := {fallen}
var _ticks := 0
var _most := 0

func _init() -> void:
	seed(1)

func _ready() -> void:
	process_mode = Node.PROCESS_MODE_ALWAYS

func _physics_process(_delta: float) -> void:
	_ticks += 1
	for action in InputMap.get_actions():
		var name := String(action)
		if name.begins_with("move_"):
			_press(action, (_ticks / 20 + name.hash()) % 4 == 0)
		elif name == "jump" or name == "fire":
			_press(action, _ticks % 15 == 1)
	var bodies := _bodies()
	_most = maxi(_most, bodies.size())
	if _ticks == TICKS:
		_tell(bodies)

func _press(action: StringName, pressed: bool) -> void:
	if pressed != Input.is_action_pressed(action):
		if pressed:
			Input.action_press(action)
		else:
			Input.action_release(action)

func _bodies() -> Array[Node]:
	return get_tree().root.find_children("*", "PhysicsBody3D", true, false)

func _tell(bodies: Array[Node]) -> void:
	var told := {"engine": PhysicsServer3D.get_class(), "most": _most, "moving": 0, "fallen": 0, "wrong": 0, "highest": -INF}
	for body: PhysicsBody3D in bodies:
		var place := body.global_position
		told.wrong += 0 if body.global_transform.is_finite() else 1
		told.fallen += 1 if place.y < FALLEN else 0
		if body is RigidBody3D:
			told.moving += 1
			told.highest = maxf(told.highest, place.y)
	print("demo ", JSON.stringify(told))
	get_tree().quit()
"""


@dataclass(frozen=True)
class Played:
    """The figures of a played scene: the class of the physics server, the largest number of bodies, and at the end the number of
    rigid bodies, of those that left the level and of those without a finite place, and the highest rigid body's place [m]."""

    engine: str
    most: int
    moving: int
    fallen: int
    wrong: int
    highest: float
    errors: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.most} bodies, {self.moving} rigid ones at the end, {self.fallen} fallen, highest at {self.highest:.3f} m"


def projects() -> list[Path]:
    """The folders of the demo projects, sorted. Raises SceneFailed."""
    named = os.environ.get(PROJECTS, "")
    found = sorted(file.parent for file in Path(named).glob("*/project.godot")) if named else []
    if len(found) < LEAST_PROJECTS:
        raise scenes.SceneFailed(
            f"{PROJECTS} has to name a folder with at least {LEAST_PROJECTS} of Godot's demo projects with 3D physics "
            f"(3d/physics_tests, for example), each in a folder of its own; {len(found)} are there"
        )
    return found


def prepared(demo: Path, addon: Path, folder: Path) -> Path:
    """A copy of a demo project in a new folder, with the addon dropped in, Scree chosen, and the probe as an autoload."""
    shutil.copytree(demo, folder, ignore=shutil.ignore_patterns(".godot", "export_presets.cfg"))
    shutil.copytree(addon, folder / "addons" / "scree")
    probe = PROBE.replace("{ticks}", str(TICKS)).replace("{fallen}", str(FALLEN))
    (folder / "scree_probe.gd").write_text(probe)
    file = folder / "project.godot"
    text = project_settings.set_setting(file.read_text(), "autoload", "ScreeProbe", '"*res://scree_probe.gd"')
    file.write_text(project_settings.set_setting(text, "physics", "3d/physics_engine", f'"{scenes.SCREE}"'))
    return folder


def scenes_of(project: Path) -> Iterator[str]:
    """The scenes to be played: an empty name for the main scene, and `SCENES`."""
    yield ""
    for pattern in SCENES:
        yield from sorted(file.relative_to(project).as_posix() for file in project.glob(pattern))


def play(game: Path, scene: str, engine: str) -> Played:
    """Play a scene of a game on a bare machine. Raises SceneFailed."""
    text = f'[physics]\n\n3d/physics_engine="{engine}"\n'
    text += f'\n[application]\n\nrun/main_scene="res://{scene}"\n' if scene else ""
    (game / "override.cfg").write_text(text)
    try:
        run = bare_machine.run(["/game/game.x86_64", "--headless", "--fixed-fps", "60"], {game: "/game"}, timeout=300.0)
    except bare_machine.NoBareMachine as error:
        raise scenes.SceneFailed(str(error)) from error
    told = [line.removeprefix("demo ") for line in run.output.splitlines() if line.startswith("demo ")]
    if run.returncode != 0 or len(told) != 1:
        raise scenes.SceneFailed(f"{scene or 'the main scene'} ended with {run.returncode}:\n{run.output[-2000:]}")
    errors = [re.sub(r"#\d+", "", line) for line in run.output.splitlines() if "scree:" in line or "ERROR" in line]
    return Played(**json.loads(told[0]), errors=tuple(errors))


def faults_of(with_scree: Played, with_jolt: Played) -> Iterator[str]:
    """The faults of a scene as Scree plays it, beside the same scene on Jolt."""
    if with_scree.engine != "ScreePhysicsServer3D":
        yield f"it ran on {with_scree.engine}"
    yield from (f"it says {line}" for line in with_scree.errors if line not in with_jolt.errors)
    if with_scree.wrong:
        yield f"{with_scree.wrong} bodies have no finite place"
    if with_scree.fallen > with_jolt.fallen:
        yield f"{with_scree.fallen} bodies fell out of the level, with Jolt {with_jolt.fallen}"
    if with_scree.moving != with_jolt.moving:
        yield f"{with_scree.moving} rigid bodies at the end, with Jolt {with_jolt.moving}"


@check(f"Godot's own demo projects ({PROJECTS}) with the released addon, on a machine without Python: {TICKS} ticks on Scree")
def godots_demos(godot: Godot, project: Path) -> Outcome:
    """The addon is dropped into projects that were not made for it; the games that are exported from them are played."""
    lines, faults = [], []
    demos = projects()
    with tempfile.TemporaryDirectory() as made:
        addon = prove_release.make(Path(made, "release"), godot).folder
        for demo in demos:
            copy = prepared(demo, addon, Path(made, demo.name))
            try:
                game = export_game.export(copy, Path(made, f"{demo.name}-game", "game.x86_64"), bare_machine.template(), godot)
            except (export_game.NotExported, bare_machine.NoBareMachine) as error:
                raise scenes.SceneFailed(f"{demo.name}: {error}") from error
            for scene in scenes_of(demo):
                name = f"{demo.name}/{scene or 'main scene'}"
                with_scree, with_jolt = (play(game, scene, engine) for engine in (scenes.SCREE, scenes.JOLT))
                lines.append(f"{name}: {with_scree} (Jolt: {with_jolt})")
                faults += [f"{name}: {fault}" for fault in faults_of(with_scree, with_jolt)]
    return Outcome("\n  ".join([f"{len(demos)} projects", *lines, *faults]), not faults)
