"""`Scree.drawing` and the node ScreeDebugDraw3D in real Godot: buffers equal to states, filters, wrong values, cost of 10,000
bodies; and nothing drawn, with one warning, on another engine."""

import shutil
from pathlib import Path

import pytest

pytest.importorskip("scree.tools")
from scree.tools import find_godot, install_addon  # noqa: E402

FOLDER = Path(__file__).resolve().parent
PROJECT = 'config_version=5\n[application]\nconfig/name="drawing"\n[physics]\n3d/physics_engine="{engine}"\n'
LEAKS = ("leaked", "Leaked", "still in use", "Orphan StringName", "unclaimed string names", "RID allocations")
NAMES = ("class", "counts", "capsules", "padded", "meshes", "lines", "layer", "near", "areas", "shifted", "no space",
         "wrong what", "wrong kind", "wrong key", "empty", "node", "all", "toggled", "made", "cost", "many")  # fmt: skip
ELSEWHERE = """extends SceneTree
func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class())
	var script: GDScript = load("res://addons/scree/nodes/scree_debug_draw_3d.gd")
	var stage := Node3D.new()
	root.add_child(stage)
	await process_frame
	for number: int in 2:
		stage.add_child(script.new())
	for tick: int in 3:
		await physics_frame
	print("views ", (stage.get_child(0).get("_views") as Dictionary).size())
	quit()
"""


def run(folder: Path, engine: str, script: str) -> list[str]:
    """The lines that Godot prints. Without an engine the project has the nodes of the addon, and no native part."""
    (folder / "project.godot").write_text(PROJECT.format(engine=engine))
    if engine:
        install_addon.install(folder)
        (folder / "project.godot").write_text(PROJECT.format(engine=engine))
    else:
        shutil.copytree(FOLDER.parents[1] / "addons/scree/nodes", folder / "addons/scree/nodes")
    (folder / "drawing.gd").write_text(script)
    godot = find_godot.find_godot(fetch=False)
    ran = godot.run("--headless", "--verbose", "--fixed-fps", "60", "--path", folder, "-s", "res://drawing.gd", timeout=120)
    assert ran.returncode == 0, ran.output
    assert not [line for line in ran.output.splitlines() if any(leak in line for leak in LEAKS)], ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    return ran.output.splitlines()


@pytest.fixture(scope="module")
def told(tmp_path_factory) -> dict[str, str]:
    """The lines that drawing.gd printed, by their first words, and the errors."""
    lines = run(tmp_path_factory.mktemp("project"), "Scree Physics", (FOLDER / "drawing.gd").read_text())
    answers = {name: line.removeprefix(name).strip() for line in lines for name in NAMES if line.startswith(name + " ")}
    answers["errors"] = "\n".join(line for line in lines if line.startswith(("ERROR", "WARNING")))
    assert answers["class"] == "ScreePhysicsServer3D", lines
    return answers


def test_buffers_are_those_of_the_bodies(told):
    assert told["counts"] == "[1, 1, 1, 1, 2, 0, 2] true"
    assert told["capsules"] == "1 wrong 0"
    assert told["padded"] == "48 true"
    assert told["meshes"] == "[2] 32 12"
    assert told["lines"] == "4 2 (1.0, 0.95, 0.35, 1.0)"
    assert told["shifted"] == "(0.0, -2.5, 0.0)"
    assert told["many"] == "10000"


def test_layers_distance_and_areas_filter(told):
    assert (told["layer"], told["near"], told["areas"]) == ("1 0", "1 0", "1")


def test_the_node_shows_what_its_switches_say(told):
    assert told["node"] == "3 [0, 1, 2, 3, 6] 1"
    assert told["all"] == "1023 [0, 1, 2, 3, 5, 6]"
    assert told["toggled"] == "true false true" and told["made"] == "true true"


def test_wrong_values_give_one_clear_error(told):
    assert (told["no space"], told["wrong what"], told["wrong key"]) == ("<null>", "<null>", "0")
    assert (told["wrong kind"], told["empty"]) == ("0", "0")
    words = ("drawing: there is no space", "what must be a sum of flags", "no shape with the key -1", "kind must be from 0 to 6")
    assert all(word in told["errors"] for word in words), told["errors"]
    assert len(told["errors"].splitlines()) == len(words), told["errors"]


def test_ten_thousand_bodies_cost_little(told):
    """Measured on the main thread of a quiet machine: docs/debug_drawing.md. Here the machine may be busy."""
    words = told["cost"].split()
    least, hidden = float(words[1]), float(words[7])
    assert least < 15.0 and hidden < 0.05, told["cost"]


@pytest.mark.parametrize("engine", ["Jolt Physics", ""])
def test_another_engine_draws_nothing_and_says_so_once(tmp_path, engine):
    lines = run(tmp_path, engine, ELSEWHERE)
    (running,) = [line.removeprefix("class ") for line in lines if line.startswith("class ")]
    assert not running.startswith("Scree") and "views 0" in lines, lines
    assert sum("ScreeDebugDraw3D: needs Scree Physics" in line for line in lines) == 1, lines
