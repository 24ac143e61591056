"""Running the GDScript behaviour tests in real Godot, on any of its physics engines."""

import json
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scree.tools import install_addon
from scree.tools.find_godot import Godot, GodotRun

FOLDER = Path(__file__).resolve().parent
DEMO_PROJECT = FOLDER.parent.parent / "demo_project"
SCREE, JOLT, GODOT_PHYSICS = install_addon.ENGINE_NAME, "Jolt Physics", "GodotPhysics3D"
# What PhysicsServer3D.get_class() answers. An unknown engine name falls back in silence, so this is always asked.
SERVER_CLASS = {SCREE: "ScreePhysicsServer3D", JOLT: "PhysicsServer3D", GODOT_PHYSICS: "PhysicsServer3D"}
BAD_INPUT = "test_bad_input"

_PROJECT = """config_version=5

[application]

config/name="Scree behaviour tests"
run/flush_stdout_on_print=true
run/flush_stdout_on_print.debug=true

[physics]

3d/physics_engine="{engine}"
"""
_SCENE = """[gd_scene load_steps=2 format=3]

[ext_resource type="Script" path="res://{script}" id="1"]

[node name="Game" type="Node3D"]
script = ExtResource("1")
"""
_NEEDS_SCENES = shutil.ignore_patterns("run_measure.gd*")
_MOST_CRASHES = 12
_ERROR_LINE = re.compile(r"^(?:USER )?(?:SCRIPT )?ERROR: (.*)$")


@dataclass
class Outcome:
    """How one GDScript test ended, and what the engine printed meanwhile."""

    ended: str = "not run"  # "pass", "FAIL", "crash" or "not run"
    lines: list[str] = field(default_factory=list)

    @property
    def errors(self) -> list[str]:
        """The engine's error messages while the test ran."""
        return [found[1] for found in map(_ERROR_LINE.match, self.lines) if found]

    def text(self) -> str:
        return "\n".join([self.ended, *self.lines])


@dataclass
class Report:
    """All outcomes by name (`file.function`), and which engine it really was."""

    server_class: str = ""
    setting: str = ""
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    returncodes: list[int] = field(default_factory=list)
    tail: str = ""  # what was printed after the last test


def test_names(bad_input: bool = False) -> list[str]:
    """The names of all GDScript tests, read from their source; those of bad input apart."""
    names = []
    for path in sorted((FOLDER / "gd").glob("test_*.gd")):
        if path.stem.startswith(BAD_INPUT) == bad_input:
            functions = re.findall(r"^func (test_\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE)
            names += [f"{path.stem}.{function}" for function in functions]
    return names


def make_project(folder: Path, engine: str, settings: str = "") -> Path:
    """A Godot project in `folder` that holds the GDScript tests and runs on `engine`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "project.godot").write_text(_PROJECT.format(engine=engine) + settings + "\n", encoding="utf-8")
    shutil.copytree(FOLDER / "gd", folder / "gd", dirs_exist_ok=True)
    shutil.copytree(DEMO_PROJECT / "measure", folder / "measure", dirs_exist_ok=True, ignore=_NEEDS_SCENES)
    if engine == SCREE:
        install_addon.install(folder)
    return folder


def add_scene(project: Path, name: str, script: str) -> None:
    """Put a scene into a project whose root, a Node3D, has this script."""
    (project / f"{name}.gd").write_text(script, encoding="utf-8")
    (project / f"{name}.tscn").write_text(_SCENE.format(script=f"{name}.gd"), encoding="utf-8")


def run(
    godot: Godot, engine: str, names: Sequence[str], timeout: float = 400.0, environment: Mapping[str, str] | None = None,
    settings: str = "", only_first_failure: bool = False,
) -> Report:  # fmt: skip
    """Run the named tests in one Godot process; after a crash go on with the rest in a new one. `settings`: lines for the
    project's section [physics]. `only_first_failure`: what comes after a test that does not pass is not run."""
    report = Report(outcomes={name: Outcome() for name in names})
    with tempfile.TemporaryDirectory() as folder:
        project = make_project(Path(folder) / "project", engine, settings)
        for _ in range(1 if only_first_failure else _MOST_CRASHES):
            left = [name for name, outcome in report.outcomes.items() if outcome.ended == "not run"]
            if not left:
                break
            wanted = Path(folder) / "names.txt"
            wanted.write_text("\n".join(left), encoding="utf-8")
            files = ",".join(sorted({name.split(".")[0] for name in left}))
            done = godot.run("--headless", "--fixed-fps", "60", "--path", project, "-s", "res://gd/run_tests.gd", "--",
                             f"--list={wanted}", f"--files={files}", f"--json={Path(folder) / 'report.json'}",
                             *(["--stop"] if only_first_failure else []), timeout=timeout, environment=environment)  # fmt: skip
            if not _read(done, report):
                break  # it ended by itself, or before its first test
    return report


def _read(done: GodotRun, report: Report) -> bool:
    """Sort what Godot printed into the report; true if it ended in the middle of a test."""
    report.returncodes.append(done.returncode)
    current: Outcome | None = None
    after: list[str] = []
    for line in done.output.splitlines():
        mark, _, rest = line.partition("] ")
        if mark == "[engine":
            report.server_class, report.setting, _ = rest.split(" | ")
        elif mark == "[test":
            current = report.outcomes[rest]
            current.ended = "crash"
        elif mark in ("[pass", "[FAIL") and current is not None:
            current.ended = mark[1:]
        elif mark == "[end":
            current, after = None, []
        elif current is not None:
            current.lines.append(line)
        else:
            after.append(line)
    report.tail = "\n".join(after)
    return current is not None and current.ended == "crash"


def known_failures(engine: str) -> dict[str, str]:
    """Tests that a built-in engine is known to fail, with the reason."""
    return json.loads((FOLDER / "known_failures.json").read_text(encoding="utf-8")).get(engine, {})
