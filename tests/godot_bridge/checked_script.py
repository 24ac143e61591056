"""Runs a script of typed checks in real Godot. Each check in it is a call `check("name", passed, got)`, which prints a line."""

import re
from pathlib import Path

from scree.tools import find_godot, install_addon

FOLDER = Path(__file__).resolve().parent
STRICT = ("untyped_declaration", "unsafe_method_access", "unsafe_property_access", "unsafe_cast", "unsafe_call_argument",
          "unused_variable", "unused_parameter", "return_value_discarded", "shadowed_variable", "integer_division")  # fmt: skip
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


def run_checks(folder: Path, script: str, engine: str = "Scree Physics", errors: tuple[str, ...] = ()) -> str:
    """Run a script of this folder in a new project; its checks must pass, and these errors be printed, in order. Return what
    Godot printed. Warnings of strict typing count as errors of the script."""
    strict = "\n".join(f"gdscript/warnings/{name}=2" for name in STRICT)
    (folder / "project.godot").write_text(PROJECT.format(engine=engine, strict=strict))
    install_addon.install(folder)
    source = (FOLDER / script).read_text()
    (folder / script).write_text(source)
    godot = find_godot.find_godot(fetch=False)
    ran = godot.run(
        "--headless",
        "--verbose",
        "--fixed-fps",
        "60",
        "--quit-after",
        "2000",
        "--path",
        folder,
        "-s",
        f"res://{script}",
        timeout=90,
    )
    lines = ran.output.splitlines()
    assert ran.returncode == 0 and "SCRIPT ERROR" not in ran.output, ran.output
    assert "class ScreePhysicsServer3D" in lines or engine != "Scree Physics", ran.output
    assert [line for line in lines if line.startswith("FAIL ")] == [], ran.output
    names = re.findall(r'check\("([^"]+)"', source)
    assert names and len(names) == len(set(names))
    assert [name for name in names if f"pass {name}" not in lines] == [], ran.output
    assert [line for line in lines if any(leak in line for leak in LEAKS)] == [], ran.output
    printed = [line.removeprefix("ERROR: scree: ") for line in lines if line.startswith("ERROR")]
    assert len(printed) == len(errors), "\n".join(printed)
    others = [f"{wanted!r} is not in {got!r}" for wanted, got in zip(errors, printed, strict=True) if wanted not in got]
    assert not others, "\n".join(others)
    return ran.output
