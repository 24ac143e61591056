"""Running scenes of the demo project in Godot, on any engine, and reading their figures."""

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scree.tools import install_addon, places
from scree.tools.find_godot import Godot
from scree.tools.screen import DRAWING

SCREE, JOLT, GODOT_PHYSICS = install_addon.ENGINE_NAME, "Jolt Physics", "GodotPhysics3D"
SCREE_THREADS = "scree_3d/simulation/threads"  # Jolt and GodotPhysics3D take Godot's own pool
SCREE_JOB_SYSTEM = "scree_3d/simulation/job_system"
SCRIPT_ERROR = "SCRIPT ERROR"
"""Godot prints this before an error of a script, and the game goes on."""
WITHOUT_DEPTH = "--without-depth"
"""The option of a run that measures no deepest penetration, which takes up to a minute at its end: the figure is then -1."""
_NOT_COPIED = shutil.ignore_patterns(*places.MADE_BY_RUNNING, "addons", "override.cfg")


class SceneFailed(Exception):
    """A scene did not run to its end; the message holds what Godot said."""


@dataclass(frozen=True)
class Scene:
    """One entry of the demo project's index.json."""

    name: str
    title: str
    kind: str  # "demo", "bench" or "play"
    ticks: int
    bodies: int
    pictures: tuple[int, ...]  # the ticks after which a picture is taken
    about: str
    cover: int = 0  # the one of `pictures` that shows the scene best; 0 for scenes that are not demos
    shows: str = "Measured"  # its heading in the menu


@dataclass(frozen=True)
class Figures:
    """The report of one run of a scene. Lengths in [m], energies in [J], times in [ms]."""

    scene: str
    engine: str  # the class of the physics server that ran
    bodies: int
    ticks: int
    tick_ms: tuple[float, ...]
    asleep: int
    deepest_penetration: float
    kinetic_energy_per_body: float
    height: float
    lost: int
    extra: Mapping[str, object]

    @classmethod
    def parse(cls, text: str) -> "Figures":
        """From the JSON that a scene writes. Raises SceneFailed where a figure is missing."""
        known = dict(json.loads(text))
        names = [name for name in cls.__dataclass_fields__ if name != "extra"]
        missing = [name for name in names if name not in known]
        if missing:
            raise SceneFailed(f"the scene's report lacks {', '.join(missing)}")
        values = {name: known.pop(name) for name in names}
        values["tick_ms"] = tuple(map(float, values["tick_ms"]))
        for count in ("bodies", "ticks", "asleep", "lost"):
            values[count] = int(values[count])
        return cls(**values, extra=known)

    def missed(self) -> list[str]:
        """The expectations of a played scene that do not hold, in words. Other scenes have none."""
        return [
            f"{one['what']} at tick {one['tick']:.0f}: {one['value']:.4g}, wanted {one['least']:.4g} to {one['most']:.4g}"
            for one in self.extra.get("expectations", ())
            if not one["least"] <= one["value"] <= one["most"]
        ]


def scene_index(project: Path | None = None) -> list[Scene]:
    """All scenes of the demo project, in its order."""
    entries = json.loads(((project or places.demo_project_source()) / "index.json").read_text(encoding="utf-8"))
    return [Scene(**{**entry, "pictures": tuple(entry["pictures"])}) for entry in entries["scenes"]]


def named_scenes(names: Sequence[str], kind: str) -> list[Scene]:
    """The scenes with these names, or all of `kind` where none is named. Raises SceneFailed for an unknown name."""
    scenes = {scene.name: scene for scene in scene_index()}
    unknown = [name for name in names if name not in scenes]
    if unknown:
        raise SceneFailed(f"there is no scene {', '.join(unknown)}; there are {', '.join(scenes)}")
    return [scenes[name] for name in names] or [scene for scene in scenes.values() if scene.kind == kind]


def copy_demo_project(folder: Path, with_addon: bool = True) -> Path:
    """A fresh copy of the demo project in `folder`, with the addon installed unless told otherwise; returns it."""
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(places.demo_project_source(), folder, ignore=_NOT_COPIED)
    if with_addon:
        install_addon.install(folder)
    return folder


def choose_engine(
    project: Path, engine: str, threads: int | None = None, job_system: int = 0, ticks_per_second: int = 60
) -> None:
    """Choose the engine, the number of worker threads, who runs Scree's jobs (0: its own threads, 1: one thread, 2: those of
    Godot), and how fine its steps are, for the next runs of `project` (not of its editor).

    All is read when Godot starts, hence its override.cfg.
    """
    text = f'[physics]\n\n3d/physics_engine="{engine}"\n'
    if ticks_per_second != 60:
        text += f"common/physics_ticks_per_second={ticks_per_second}\ncommon/max_physics_steps_per_frame=100\n"
    if threads is not None:
        text += f"{SCREE_THREADS}={threads}\n{SCREE_JOB_SYSTEM}={job_system}\n"
        text += f"\n[threading]\n\nworker_pool/max_threads={threads}\n"
    (project / "override.cfg").write_text(text, encoding="utf-8")


def report_of(godot: Godot, project: Path, target: Sequence[str], options: Sequence[str] = (), timeout: float = 900.0) -> str:
    """The JSON that a scene or script (`-s`, path) writes, run headless and as fast as ticks come. Raises SceneFailed."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "figures.json"
        command = ("--headless", "--fixed-fps", "60", "--path", project, *target, "--", f"--json={report}", *options)
        run = godot.run(*command, timeout=timeout)
        if run.returncode != 0 or not report.is_file() or SCRIPT_ERROR in run.output:
            raise SceneFailed(f"{target[-1]} ended with {run.returncode}:\n{run.output[-3000:]}")
        return report.read_text(encoding="utf-8")


def run_scene(
    godot: Godot, project: Path, scene: str, ticks: int, options: Sequence[str] = (), timeout: float = 900.0
) -> Figures:
    """Run `scene` headless for `ticks` physics ticks, as fast as they come. Raises SceneFailed."""
    target = (f"res://scenes/{scene}.tscn",)
    return Figures.parse(report_of(godot, project, target, (f"--ticks={ticks}", *options), timeout))


def draw_scene(
    godot: Godot, project: Path, scene: Scene, folder: Path, screen: Mapping[str, str], timeout: float = 900.0
) -> list[Path]:
    """Render the scene's pictures into `folder` on a screen's environment; returns their files. Raises SceneFailed."""
    for old in folder.glob(f"{scene.name}*.png"):
        old.unlink()
    moments = ",".join(map(str, scene.pictures))
    run = godot.run(
        *DRAWING,
        "--fixed-fps",
        "60",
        "--path",
        project,
        f"res://scenes/{scene.name}.tscn",
        "--",
        f"--png={folder / scene.name}.png",
        f"--png-tick={moments}",
        timeout=timeout,
        environment=screen,
    )
    pictures = sorted(folder.glob(f"{scene.name}*.png"), key=lambda path: (len(path.name), path.name))
    if run.returncode != 0 or len(pictures) != len(scene.pictures):
        raise SceneFailed(
            f"scene {scene.name} drew {len(pictures)} of {len(scene.pictures)} pictures and ended with "
            f"{run.returncode}:\n{run.output[-3000:]}"
        )
    return pictures
