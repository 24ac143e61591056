"""Hundreds of starts of an exported game on a machine that has nothing else, some of them killed, in folders of all kinds."""

import os
import random
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from scree.tools import bare_machine, export_game, prove_release, scenes
from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check

STARTS = 504  # in all surroundings together
AT_ONCE = 2
KILLED = 0.25  # share of the starts
LATEST_KILL = 0.6  # [s] after the start: from the loading of libraries to the first frames
LONGEST_END = 5.0  # [s] until the processes of a killed game are gone
KEPT = (".local/share/godot", ".cache/fontconfig")
"""Folders that any game of Godot's makes in a user's home."""
NOBODY = 65534  # the number of a user that owns nothing
GAME = {
    "project.godot": 'config_version=5\n[application]\nconfig/name="starts"\nrun/main_scene="res://main.tscn"\n'
    '[physics]\n3d/physics_engine="Scree Physics"\n',
    "main.tscn": '[gd_scene load_steps=2 format=3]\n[ext_resource type="Script" path="res://main.gd" id="1"]\n'
    '[node name="Main" type="Node3D"]\nscript = ExtResource("1")\n',
    "main.gd": "extends Node3D\nfunc _ready():\n\tprint('class ', PhysicsServer3D.get_class())\n\tget_tree().quit()\n",
}


@dataclass(frozen=True)
class Surroundings:
    """Where a game lies and how it is started."""

    name: str
    place: str = "/game"
    environment: Mapping[str, str] = field(default_factory=dict)
    read_only: bool = False
    user: int = 0

    @property
    def options(self) -> dict:
        return {"environment": self.environment, "read_only": self.read_only, "user": self.user}


SURROUNDINGS = (
    Surroundings("a usual folder"),
    Surroundings("a folder with spaces and Chinese letters", "/my games/\u6e38\u620f caf\u00e9"),
    Surroundings("such a folder in an English locale", "/my games/\u6e38\u620f", {"LC_ALL": "C"}),
    Surroundings("a read-only disk", read_only=True),
    Surroundings("another user", user=NOBODY),
    Surroundings("another user and a read-only disk", "/my games", read_only=True, user=NOBODY),
)


def _processes_of(session: int) -> list[int]:
    """Numbers of the processes of a session that have not ended."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, of_session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
        except (OSError, ValueError):
            continue  # it has just ended
        if int(of_session) == session and state != "Z":
            found.append(int(folder.name))
    return found


def _whole(game: Path, where: Surroundings, home: Path) -> str:
    """The fault of one start of a game that says the class of its physics server and ends; empty if all is well."""
    command = [f"{where.place}/game.x86_64", "--headless"]
    run = bare_machine.run(command, {game: where.place}, timeout=120.0, kept={home: "/home"}, **where.options)
    if run.returncode != 0:
        return f"it ended with {run.returncode}: {run.output[-500:]}"
    said = [line for line in run.output.splitlines() if "scree:" in line]
    return said[0] if said else "" if "class ScreePhysicsServer3D" in run.output else "another engine ran"


def _killed(game: Path, where: Surroundings, home: Path, after: float) -> str:
    """The fault of one start that is killed after some time [s]; empty if no process is left."""
    command = [f"{where.place}/game.x86_64", "--headless"]
    options = {**where.options, "kept": {home: "/home"}, "is_alone": False}
    with bare_machine.started(command, {game: where.place}, **options) as process:
        time.sleep(after)
        process.kill()
        process.wait()
        deadline = time.monotonic() + LONGEST_END
        while (left := _processes_of(process.pid)) and time.monotonic() < deadline:
            time.sleep(0.05)
    return f"{len(left)} processes are left after it was killed" if left else ""


def _files(folder: Path) -> list[str]:
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*"))


def _strange(home: Path) -> Iterator[str]:
    """Files in a user's home that are not of Godot and of the library that looks for its fonts."""
    for name in _files(home):
        if not any(f"{kept}/".startswith(f"{name}/") or name.startswith(f"{kept}/") for kept in KEPT):
            yield name


def small_game(folder: Path, godot: Godot) -> Path:
    """Export a game with the released addon that says which engine it has. Returns its folder. Raises SceneFailed."""
    made, project = prove_release.make(folder, godot), folder / "project"
    project.mkdir()
    for name, text in GAME.items():
        (project / name).write_text(text)
    shutil.copytree(made.folder, project / "addons" / "scree")
    try:
        return export_game.export(project, folder / "game" / "game.x86_64", bare_machine.template(), godot)
    except (export_game.NotExported, bare_machine.NoBareMachine) as error:
        raise scenes.SceneFailed(str(error)) from error


@check(
    f"{STARTS} starts of an exported game in {len(SURROUNDINGS)} surroundings, {AT_ONCE} at a time, every fourth killed: on "
    "Scree, no process is left, nothing is written but the user's data"
)
def released_starts(godot: Godot, project: Path) -> Outcome:
    """Folders with spaces and foreign letters, read-only disks, other users, and ends at any moment."""
    faults, moments = [], random.Random(7)
    with tempfile.TemporaryDirectory() as made, tempfile.TemporaryDirectory() as homes:
        game = small_game(Path(made), godot)
        os.chmod(made, 0o755)
        before, kills = _files(game), 0
        for where in SURROUNDINGS:
            home = Path(homes, str(where.user))  # kept from start to start, as a player's is
            home.mkdir(exist_ok=True)
            os.chown(home, where.user, where.user)
            with ThreadPoolExecutor(AT_ONCE) as pool:
                running = []
                for _ in range(STARTS // len(SURROUNDINGS)):
                    is_killed = moments.random() < KILLED
                    kills += is_killed
                    how = (_killed, moments.uniform(0.0, LATEST_KILL)) if is_killed else (_whole,)
                    running.append(pool.submit(how[0], game, where, home, *how[1:]))
                wrong = [fault for fault in (each.result() for each in running) if fault]
            faults += [f"{where.name}: {len(wrong)} of {len(running)}: {wrong[0]}"] if wrong else []
            written = list(_strange(home))
            faults += [f"{where.name}: written into the home: {', '.join(written)}"] if written else []
        if _files(game) != before:
            faults.append("files were written beside the game")
    return Outcome("\n  ".join([f"{STARTS} starts, {kills} of them killed", *faults]), not faults)
