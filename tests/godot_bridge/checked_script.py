"""Runs a script of typed checks in real Godot. Each check in it is a call `check("name", passed, got)`, which prints a line."""

import re
from pathlib import Path

from scree.tools import find_godot, install_addon

FOLDER = Path(__file__).resolve().parent
STRICT = ("untyped_declaration", "unsafe_method_access", "unsafe_property_access", "unsafe_cast", "unsafe_call_argument",
          "unused_variable", "unused_parameter", "return_value_discarded", "shadowed_variable", "integer_division")  # fmt: skip
BASE = "checks.gd"
"""The script that scripts of checks extend."""
PROJECT = """config_version=5
[application]
config/name="door"
[physics]
3d/physics_engine="{engine}"
3d/default_gravity=10.0
[debug]
{strict}
"""
LEAKS = ("leaked", "Leaked", "still in use", "Orphan StringName", "unclaimed string names", "RID allocations", "never freed")


def run_script(folder: Path, script: str, files: dict[str, str] | None = None, engine: str = "Scree Physics") -> str:
    """Run a script of this folder in a new project, with other files in it. Return what Godot printed. Warnings of strict typing
    count as errors of the script."""
    strict = "\n".join(f"gdscript/warnings/{name}=2" for name in STRICT)
    (folder / "project.godot").write_text(PROJECT.format(engine=engine, strict=strict))
    install_addon.install(folder)
    settings = (folder / "project.godot").read_text()
    (folder / "project.godot").write_text(settings.replace(install_addon.ENGINE_NAME, engine))
    own = {name: (FOLDER / name).read_text() for name in (BASE, script)}
    for name, text in {**own, **(files or {})}.items():
        (folder / name).write_text(text)
    godot = find_godot.find_godot(fetch=False)
    asked = "--headless", "--verbose", "--fixed-fps", "60", "--quit-after", "2000", "--path", folder, "-s", f"res://{script}"
    ran = godot.run(*asked, timeout=90)
    assert ran.returncode == 0 and "SCRIPT ERROR" not in ran.output, ran.output
    assert "class ScreePhysicsServer3D" in ran.output.splitlines() or engine != "Scree Physics", ran.output
    return ran.output


def run_checks(folder: Path, script: str, errors: tuple[str, ...] = (), files: dict[str, str] | None = None) -> None:
    """Run a script of checks; they must pass, and these errors be printed, in order."""
    output = run_script(folder, script, files)
    lines = output.splitlines()
    assert [line for line in lines if line.startswith("FAIL ")] == [], output
    names = re.findall(r'check\("([^"]+)"', (FOLDER / script).read_text())
    assert names and len(names) == len(set(names))
    assert [name for name in names if f"pass {name}" not in lines] == [], output
    assert [line for line in lines if any(leak in line for leak in LEAKS)] == [], output
    printed = [line.removeprefix("ERROR: scree: ") for line in lines if line.startswith("ERROR")]
    assert len(printed) == len(errors), "\n".join(printed)
    others = [f"{wanted!r} is not in {got!r}" for wanted, got in zip(errors, printed, strict=True) if wanted not in got]
    assert not others, "\n".join(others)
