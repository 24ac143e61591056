"""The gizmos of Scree's nodes in a real editor: which nodes have them, and their handles, dragged by the mouse."""

import re

import editor_project
import pytest
from test_editor_panel import answers


@pytest.fixture(scope="module")
def told(godot, tmp_path_factory) -> dict[str, str]:
    project = editor_project.make(godot, tmp_path_factory.mktemp("gizmos") / "project", "gizmo_watcher.gd")
    said = answers(editor_project.open_editor(godot, project))
    assert said["class"] == "ScreePhysicsServer3D"
    return said


def test_nodes_have_the_gizmo_of_their_class(told):
    """A script of a game that extends ScreeCharacter3D counts as one; other nodes have none."""
    bodies = "Scree bodies of a MultiMesh"
    assert told["gizmos"] == (
        f"Water: Scree water, Crates: {bodies}, Colliders: {bodies}, Hero: Scree characters, Car: Scree wheels, "
        "Car/FrontLeft: Scree wheels, Sun: none"
    )


# Node and handle, its values before the drag and after it, and the action's name. Values are to 0.1 or 0.05.
DRAGS = {
    "Water 0": ("(6.0, 2.0, 6.0) (-4.0, 0.0, 0.0)", "(8.0, 2.0, 6.0) (-3.0, 0.0, 0.0)", "Drag size of Water"),
    "Water 0 with Alt": ("(6.0, 2.0, 6.0) (-4.0, 0.0, 0.0)", "(8.0, 2.0, 6.0) (-4.0, 0.0, 0.0)", "Drag size of Water"),
    "Water 1": ("(6.0, 2.0, 6.0) (-4.0, 0.0, 0.0)", "(5.0, 2.0, 6.0) (-3.5, 0.0, 0.0)", "Drag size of Water"),
    "Water 2": ("(6.0, 2.0, 6.0) (-4.0, 0.0, 0.0)", "(6.0, 3.0, 6.0) (-4.0, 0.0, 0.0)", "Drag size of Water"),
    "Hero 0": ("0.35", "0.6", "Drag step_height of Hero"),
    "Hero 1": ("0.4", "0.0", "Drag snap of Hero"),
    "Car/FrontLeft 0": ("0.35", "0.6", "Drag radius of FrontLeft"),
    "Car/FrontLeft 1": ("0.2", "0.4", "Drag width of FrontLeft"),
    "Car/FrontLeft 2": ("0.1 0.4", "0.4 0.4", "Drag shortest of FrontLeft"),
    "Car/FrontLeft 3": ("0.1 0.4", "0.1 0.6", "Drag longest of FrontLeft"),
}


@pytest.mark.parametrize("handle", DRAGS)
def test_a_handle_changes_its_property_and_ctrl_z_takes_it_back(told, handle):
    """The side opposite to the one that is dragged stays, or with Alt the middle; a property stays above 0, a suspension's
    shortest below its longest."""
    before, after, action = DRAGS[handle]
    assert told[f"drag {handle}"] == f"{before} | {after} | Scree: {action} | {before}"


def test_a_drag_that_is_broken_off_changes_nothing(told):
    assert told["broken off"] == "(6.0, 2.0, 6.0) (-4.0, 0.0, 0.0) | (6.0, 2.0, 6.0) (-4.0, 0.0, 0.0)"


def test_a_multi_body_is_not_changed_by_the_editor(told):
    """Its bodies are made in a game. In the editor the node keeps its MultiMesh, which the scene is saved with."""
    assert told["crates"] == "20 gizmo_yard.tscn::crates"


def test_lines_follow_what_they_show(told):
    """Bounds of 20 crates of 1 m turned by 0.3 radians each, the waves' net, and the rings of a capsule of 0.4 m."""
    net, bounds, ring = (float(number) for number in re.findall(r"-?[\d.]+", told["lines"]))
    assert net == pytest.approx(0.4, abs=0.02), "the highest crest of a wave of 0.8 m"
    assert 4 * 1.3 + 1 < bounds < 4 * 1.3 + 2**0.5 + 0.001, "five crates in a row, 1.3 m apart, each seen as 1 to 1.41 m wide"
    assert ring == pytest.approx(0.4 * 1.15, abs=0.001)


def test_every_node_that_users_add_has_an_icon(told):
    assert told["without icon"] == '["NavigationSource", "StreamingOverlay"]', "these two are not for users"


def test_a_disabled_plugin_leaves_no_gizmo(told):
    assert told["left"] == "[]"
