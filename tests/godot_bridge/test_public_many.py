"""Many bodies in real Godot: MultiBody3D on Scree, with the calls beneath it; on Jolt without the addon's native part; and what
it draws between two ticks."""

import shutil
from pathlib import Path

import pytest

pytest.importorskip("scree.tools")
from scree.tools import find_godot, install_addon, places  # noqa: E402
from scree.tools.screen import screen  # noqa: E402

FOLDER = Path(__file__).resolve().parent
PROJECT = (
    'config_version=5\n[application]\nconfig/name="many"\n[debug]\ngdscript/warnings/untyped_declaration=2\n'
    '[physics]\n3d/physics_engine="{engine}"\n[rendering]\nrenderer/rendering_method="gl_compatibility"\n'
)
LEAKS = ("leaked", "Leaked", "still in use", "Orphan StringName", "unclaimed string names", "RID allocations", "never freed")
NAMES = ("class", "first", "early",
         "moving", "hit", "removed", "velocities", "edited", "params", "asleep", "entered", "shifted", "placed",
         "scaled", "moved node", "kept", "outside", "again", "cleared", "filled", "interpolated", "grown", "created", "drawn",
         "freed", "refused", "between", "bounds")  # fmt: skip


def _project(folder: Path, engine: str) -> Path:
    (folder / "project.godot").write_text(PROJECT.format(engine=engine))
    if engine == "Scree Physics":
        install_addon.install(folder)
    else:  # as in a checkout without any native part
        leaves_out = shutil.ignore_patterns("native", "bin", "*.gdextension")
        shutil.copytree(places.addon_source(), folder / "addons/scree", ignore=leaves_out)
    return folder


def _play(folder: Path, script: str, *arguments: str, environment=None) -> dict[str, str]:
    """The lines that a script printed, by their first words, and the errors and warnings."""
    (folder / script).write_text((FOLDER / script).read_text())
    godot = find_godot.find_godot(fetch=False)
    ran = godot.run("--verbose", "--fixed-fps", *arguments, "--path", folder, "-s", f"res://{script}", timeout=120,
                    environment=environment)  # fmt: skip
    assert ran.returncode == 0, ran.output
    assert not [line for line in ran.output.splitlines() if any(leak in line for leak in LEAKS)], ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    lines = ran.output.splitlines()
    told = {name: line.removeprefix(name).strip() for line in lines for name in NAMES if line.startswith(name + " ")}
    told["errors"] = "\n".join(line for line in lines if line.startswith("ERROR"))
    told["warnings"] = "\n".join(line for line in lines if "MultiBody3D" in line and line.startswith("WARNING"))
    return told


@pytest.fixture(scope="module")
def told(tmp_path_factory) -> dict[str, str]:
    answers = _play(_project(tmp_path_factory.mktemp("scree"), "Scree Physics"), "many.gd", "60", "--headless")
    assert answers["class"] == "ScreePhysicsServer3D"
    return answers


@pytest.fixture(scope="module")
def on_jolt(tmp_path_factory) -> dict[str, str]:
    answers = _play(_project(tmp_path_factory.mktemp("jolt"), "Jolt Physics"), "many.gd", "60", "--headless")
    assert answers["class"] == "PhysicsServer3D"
    return answers


def _behaves(told: dict[str, str]) -> None:
    """Check what is the same with every engine. The second number of some lines counts wrong rows."""
    assert told["first"] == "0 40" and told["moving"] == "0 true"
    assert told["hit"] == "true true -1"
    assert told["removed"] == "37 true 1"
    assert told["velocities"] == "(2.0, 0.0, 1.0) (0.0, 0.0, 1.0) (0.0, 3.0, 0.0)"
    assert told["params"] == "2.0 0.25 3"
    assert told["asleep"].startswith("37 of 37 0 ")
    assert "true" in told["entered"] and "false" not in told["entered"]
    assert told["placed"].startswith("0 6 true true (0.5, 0.5, 0.5)") and "] true" in told["placed"]
    assert told["early"] == "0"
    assert told["scaled"].startswith("0 ") and told["moved node"] == "0"
    assert told["kept"] == "(0.0, 0.0, 1.0) (0.0, 0.0, 0.0) 2.0"  # -1 is refused as a mass
    assert told["outside"] == "37 false" and told["again"].startswith("37 0 true")
    assert told["cleared"] == "0" and told["filled"] == "2 0" and told["refused"] == "-1 2"


def test_the_buffer_holds_what_the_server_says_of_each_body(told):
    _behaves(told)
    assert told["edited"] == "0 [0.0, 1.0, 0.0, 1.0] [0.0, 0.0, 1.0, 1.0]"  # colours stay with their bodies
    assert int(told["asleep"].split()[-1]) >= 37  # the signal told of each
    assert told["shifted"] == "0 (-1000.0, 0.0, 0.0)"
    assert told["placed"].split(")")[1].startswith(" [1.0, 0.0, 0.4") and told["placed"].endswith("[0.0, 0.0, 1.0, 1.0]")
    assert told["again"].endswith("[0.0, 1.0, 0.0, 1.0]")
    assert told["interpolated"] == "true 6 0" and told["grown"] == "95 true 95"
    assert not told["warnings"]


def test_the_calls_beneath_the_node(told):
    assert told["created"] == "2 3.0 falsefalse"
    assert told["drawn"].startswith("(-40.0, 9.0, ") and told["drawn"].endswith("(2.0, 1.0, 1.0) 24")
    assert told["freed"] == "-1 1"


def test_wrong_values_give_one_clear_error(told):
    words = [
        "drawn_set_add: a body is in one set only",
        "drawn_set_remove: indices must be from 0 to 1, got 5",
        "drawn_set_colors: 4 numbers from body 0",
        "drawn_set_create: there is no multimesh",
        "bodies_create: transforms must be 12 numbers a body, got 1",
        "bodies_create: mass must be above 0 kg, got -1.0",
        "set_velocities_of: linear must have one vector for each of 1 bodies, or one for all, got 2",
        "transforms_of: there is no body",
        "set_param_of: there is no parameter 4 that is one number",
        "MultiBody3D.remove_bodies: there is no body 99 of 2",
        "MultiBody3D.mass: must be above 0 and finite, got -1",
        "MultiBody3D.add_bodies: 12 numbers a body are wanted, got 2",
    ]
    assert all(word in told["errors"] for word in words), told["errors"]
    assert len(told["errors"].splitlines()) == len(words), told["errors"]


def test_another_engine_does_the_same_with_one_warning(on_jolt):
    _behaves(on_jolt)
    assert len(on_jolt["warnings"].splitlines()) == 1 and "which is slower" in on_jolt["warnings"]


def test_bodies_are_drawn_between_ticks(tmp_path):
    folder = _project(tmp_path, "Scree Physics")
    with screen(find_godot.find_godot(fetch=False)) as environment:
        told = _play(folder, "many_drawn.gd", "90", environment=environment)
    assert told["class"] == "ScreePhysicsServer3D"
    assert told["between"] == "true 0"
    assert told["bounds"] == "true true true"
