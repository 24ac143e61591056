"""Contact events, contact rules, step listeners and sleep events of the singleton `Scree`, in real Godot, with the step on the
main thread and beside it; the addon's resources in a project without Scree; and the example of docs/contacts.md."""

import math
import re
import shutil
from pathlib import Path

import pytest

pytest.importorskip("scree.tools")
from scree.tools import find_godot, install_addon, places  # noqa: E402

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
STRICT = "".join(
    f"gdscript/warnings/{name}=2\n"
    for name in ("untyped_declaration", "unsafe_method_access", "unsafe_property_access", "unsafe_call_argument")
)
PROJECT = (
    'config_version=5\n[application]\nconfig/name="door"\n[debug]\ngdscript/warnings/exclude_addons=false\n{strict}[physics]\n'
)
LEAKS = ("leaked", "Leaked", "still in use", "Orphan StringName", "unclaimed string names", "RID allocations")
TICK = 1 / 60


def make_project(folder: Path) -> None:
    """Make a project with the addon's nodes, whose classes the editor has noted. Every warning of the parser is an error."""
    shutil.copytree(places.addon_source() / "nodes", folder / "addons/scree/nodes")
    (folder / "project.godot").write_text(PROJECT.format(strict=STRICT))
    find_godot.find_godot(fetch=False).run("--headless", "--path", folder, "--import", timeout=120)


def add_scree(folder: Path, *settings: str) -> None:
    """Add the rest of the addon, and choose its engine."""
    install_addon.install(folder)
    with (folder / "project.godot").open("a") as project:
        project.write("".join(f"\n[physics]\n{setting}\n" for setting in settings))


def run(folder: Path, script: str) -> str:
    """Run a script in a project. Return what it printed."""
    (folder / "script.gd").write_text(script)
    godot = find_godot.find_godot(fetch=False)
    ran = godot.run("--headless", "--verbose", "--fixed-fps", "60", "--path", folder, "-s", "res://script.gd", timeout=90)
    assert ran.returncode == 0, ran.output
    assert not [line for line in ran.output.splitlines() if any(leak in line for leak in LEAKS)], ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    return ran.output


class Told:
    """The output of a script: lines by their first word, and the errors. `told("name")`: the rest of a line."""

    def __init__(self, output: str):
        self.lines = output.splitlines()
        self.errors = [line.removeprefix("ERROR: ") for line in self.lines if line.startswith("ERROR")]

    def __call__(self, name: str) -> str:
        found = [line.removeprefix(name).strip() for line in self.lines if line.startswith(name + " ")]
        assert len(found) == 1, (name, found)
        return found[0]

    def numbers(self, name: str) -> list[float]:
        return [float(number) for number in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", self(name))]


@pytest.fixture(scope="module", params=["main thread", "own thread"])
def told(request, tmp_path_factory) -> Told:
    folder = tmp_path_factory.mktemp("project")
    make_project(folder)
    is_beside = request.param == "own thread"
    add_scree(folder, *["3d/run_on_separate_thread=true"] * is_beside)
    made = Told(run(folder, (FOLDER / "contacts.gd").read_text()))
    assert made("class") == f"ScreePhysicsServer3D {str(is_beside).lower()}"
    return made


def test_rules_of_two_classes(told):
    assert told("applied") == "[true, true, true, true, true]"
    assert told.numbers("belt") == [pytest.approx(2.0, abs=0.01)], "a conveyor carries a box at its speed"
    carried, height = told("platform").split()
    assert carried == "true" and float(height) == pytest.approx(0.3, abs=0.005), "from below it lets a box through, then holds it"
    assert told.numbers("ghost")[0] < -15.0
    assert told.numbers("trampoline")[0] == pytest.approx(0.25, rel=0.1), "half of the speed is a quarter of the height"
    assert told.numbers("ice") == [pytest.approx(3.0 * math.exp(-0.1 * 2.0), rel=0.01)], "nothing but damping brakes it"
    height, *sensed = told.numbers("sensor")
    assert height < -15.0 and sensed == [1, 0], "it falls through, and begins and ends to touch"
    assert told.numbers("ram") == [pytest.approx(3.0, abs=1e-3), pytest.approx(3.0, abs=0.01)]


def test_rules_change_and_end(told):
    assert told("class_of") == "default true"
    assert told("has") == "true true false"
    assert told("again") == "true" and told.numbers("turned") == [pytest.approx(-1.0, abs=0.01)]
    assert told("removed") == "true false"


def test_each_bounce_begins_and_ends_once_with_its_impulse(told):
    assert told("mode") == "true" and told("same") == "true"
    changes = re.findall(r"\w+", told("changes"))
    assert len(changes) >= 7 and changes == (["began", "ended"] * len(changes))[: len(changes)]
    impulses, momenta, expected = (told.numbers(name) for name in ("impulses", "momenta", "expected"))
    assert impulses == pytest.approx(momenta, rel=1e-4), "the change of momentum, with what gravity gives in the step"
    assert impulses[:2] == pytest.approx(expected[:2], rel=0.01), "m v (1 + e)"
    assert told.numbers("speed") == [pytest.approx(math.sqrt(2 * 9.8 * 3.0), abs=9.8 * TICK)]
    assert told("nodes") == "true true true true true 00"
    assert re.fullmatch(r"1 \(0\.0, 0\.1\d*, 0\.0\) \(0\.0, 1\.0, 0\.0\) 1 -1", told("place"))


def test_contacts_at_rest_and_of_freed_bodies(told):
    size, flags, impulse, weight = told("lasts").split()
    assert (size, flags) == ("1", "00") and float(impulse) == pytest.approx(float(weight), rel=1e-3)
    assert told("freed") == "[1, 0] true [0] (0.0, 0.0, 0.0) true true"


def test_each_space_tells_of_its_own_contacts(told):
    assert told("spaces") == "2 1 1" and told("counts") == "[1, 1]"
    assert told("shifted") == "(0.0, 0.1, 0.0)", "in Godot's coordinates"


def test_who_is_told_may_free_bodies_and_spaces(told):
    assert told("freeing") == '["by hand 1 true", "began", "true", "ended"]'


def test_the_node_sets_what_it_says(told):
    speed, events, name = told("node").split(maxsplit=2)
    assert (float(speed), events, name) == (pytest.approx(1.5, abs=0.01), "1", "node belt")
    speed, events, name = told("moved node").split(maxsplit=2)
    assert (float(speed), events, name) == (pytest.approx(1.5, abs=0.01), "0", "node belt")
    assert told("warning") == "0" and told("lost") == "1"
    assert told("limited") == "true" and told("unlimited") == "true"


def test_listeners_come_before_and_after_the_step(told):
    words = re.findall(r"\w+", told("log"))
    assert words == ["before", "contacts", "after", "process"] + ["before", "after", "process"] * 2
    assert told.numbers("places") == pytest.approx([0.1, 0.2, 0.3]), "6 m/s from right before the step, seen right after it"
    assert told.numbers("lengths") == pytest.approx([TICK] * 6)
    assert told("replaced") == '["first 3", "second", "second"]'
    assert told("never") == "false" and told("space freed") == '["freed 3"]'
    assert told("by hand") == '["before 0.02", "before 0.01", "after 0.01"]'


def test_bodies_that_wake_and_fall_asleep(told):
    assert told("sleep") == '["slept", "woke", "slept"]'
    assert told("sleeper freed") == "0"


WRONG = (
    "must be a body, it is a Node3D", "the Callable could not be called with what it is told; it is dropped",
    "body_set_contact_events: there is no body", "body_set_contact_class: there is no body",
    "mode must be one of CONTACT_EVENTS_NONE, CONTACT_EVENTS_CHANGES, CONTACT_EVENTS_ALL, got 7",
    "body_set_contact_class: a contact class needs a name", "there is no rule for 'belt' and 'nobody' to remove",
    "rule must be a ScreeContactRule or null, got a Resource without pass_through", "need two classes, got 'belt' twice",
    "bounce must be at most 1, got 1.5", "contact_events: there is no space", "sleep_events: nothing is kept for this space",
    "space_set_step_listener: there is no space", "there are 64 contact classes already, got 'class 54'",
    "event must be from 0 to -1, got 0",
)  # fmt: skip


def test_wrong_values_give_one_clear_error(told):
    assert len(told.errors) == len(WRONG), told.errors
    assert [(error, words) for error, words in zip(told.errors, WRONG, strict=True) if words not in error] == []
    assert told("nothing") == "<Object#null> <Object#null>" and told("event") == "0 RID(0) []"


BELT = """[gd_scene format=3]
[ext_resource type="Script" path="res://addons/scree/nodes/scree_body_settings_3d.gd" id="1"]
[ext_resource type="Script" path="res://addons/scree/nodes/scree_contact_rule.gd" id="2"]
[sub_resource type="Resource" id="3"]
script = ExtResource("2")
class_a = &"belt"
surface_velocity = Vector3(2, 0, 0)
[node name="Belt" type="StaticBody3D"]
[node name="Settings" type="Node" parent="."]
script = ExtResource("1")
contact_class = &"belt"
contact_events = 1
rules = Array[ExtResource("2")]([SubResource("3")])
"""


def test_scenes_open_in_a_project_without_scree(tmp_path):
    make_project(tmp_path)
    (tmp_path / "belt.tscn").write_text(BELT)
    told = Told(run(tmp_path, (FOLDER / "contacts_elsewhere.gd").read_text()))
    assert told("class").endswith(" false") and not told("class").startswith("Scree")
    assert told("settings") == "belt 1 1"
    assert told("rule") == "belt default (2.0, 0.0, 0.0) -1.0 false"
    warnings = [line for line in told.lines if line.startswith("WARNING")]
    assert len(warnings) == 2 and "ScreeBodySettings3D: needs Scree Physics, this is" in warnings[0]
    assert "ScreeContactRule: needs Scree Physics, this is" in warnings[1] and told.errors == []


BELT_AND_CRATE = """[gd_scene format=3]
[ext_resource type="Script" path="res://example.gd" id="1"]
[sub_resource type="BoxShape3D" id="2"]
size = Vector3(10, 0.2, 10)
[sub_resource type="BoxShape3D" id="3"]
[node name="Example" type="Node3D"]
script = ExtResource("1")
[node name="Belt" type="StaticBody3D" parent="."]
[node name="Shape" type="CollisionShape3D" parent="Belt"]
shape = SubResource("2")
[node name="Crate" type="RigidBody3D" parent="."]
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, -3, 1.6, 0)
[node name="Shape" type="CollisionShape3D" parent="Crate"]
shape = SubResource("3")
"""
AFTER_TWO_SECONDS = """extends SceneTree


func _initialize() -> void:
	var packed: PackedScene = load("res://example.tscn")
	var scene: Node3D = packed.instantiate()
	root.add_child(scene)
	for tick: int in 120:
		await physics_frame
	var crate: RigidBody3D = scene.get_node("Crate")
	print("carried ", crate.linear_velocity.x)
	quit()
"""


def test_the_example_of_the_page_runs(tmp_path):
    (code,) = re.findall(r"```gdscript\n(.*?)```", (ROOT / "docs" / "contacts.md").read_text(), re.DOTALL)
    make_project(tmp_path)
    (tmp_path / "example.gd").write_text(code)
    (tmp_path / "example.tscn").write_text(BELT_AND_CRATE)
    add_scree(tmp_path)
    told = Told(run(tmp_path, AFTER_TWO_SECONDS))
    speed, impulse = told.numbers("landed")
    assert speed == pytest.approx(math.sqrt(2 * 9.8), abs=0.2) and impulse == pytest.approx(speed, abs=0.3), "1 kg falls 1 m"
    assert told.numbers("carried") == [pytest.approx(2.0, abs=0.01)]
