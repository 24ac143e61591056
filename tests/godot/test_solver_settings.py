"""Godot's project settings of the solver: what a new space starts with."""

import re

import behaviour
import pytest

_SCRIPT = """extends SceneTree

func _initialize() -> void:
\tawait physics_frame
\tvar space := root.get_world_3d().space
\tprint("NUMBERS ", PhysicsServer3D.get_class(), " ",
\t\tPhysicsServer3D.space_get_param(space, PhysicsServer3D.SPACE_PARAM_SOLVER_ITERATIONS), " ",
\t\tPhysicsServer3D.space_get_param(space, PhysicsServer3D.SPACE_PARAM_CONTACT_DEFAULT_BIAS), " ",
\t\tPhysicsServer3D.space_get_param(space, PhysicsServer3D.SPACE_PARAM_CONTACT_MAX_ALLOWED_PENETRATION))
\tquit()
"""


def numbers_of(godot, folder, settings: str, script: str) -> tuple[float, ...]:
    """The numbers that a script prints, behind the class of the server, in a project with these settings."""
    project = behaviour.make_project(folder / "project", behaviour.SCREE, settings)
    (project / "ask.gd").write_text(script)
    run = godot.run("--headless", "--path", project, "-s", "res://ask.gd", timeout=60)
    found = re.search(r"^NUMBERS (\S+) (.+)$", run.output, re.MULTILINE)
    assert run.returncode == 0 and found, run.output
    assert found[1] == behaviour.SERVER_CLASS[behaviour.SCREE]
    return tuple(map(float, found[2].split()))


@pytest.mark.parametrize(
    "settings, expected",
    [
        ("", (16.0, 0.8, 0.0)),
        (
            "3d/solver/solver_iterations=32\n3d/solver/default_contact_bias=0.4\nscree_3d/simulation/penetration_slop=0.25",
            (32.0, 0.4, 0.25),
        ),
    ],
)
def test_a_space_starts_with_the_settings_of_the_project(godot, tmp_path, settings, expected):
    assert numbers_of(godot, tmp_path, settings, _SCRIPT) == pytest.approx(expected)


_JOINED_BOXES = """extends SceneTree

func _body(kind: PhysicsBody3D, size: Vector3, place: Vector3) -> PhysicsBody3D:
\tvar collision := CollisionShape3D.new()
\tcollision.shape = BoxShape3D.new()
\tcollision.shape.size = size
\tkind.add_child(collision)
\tkind.position = place
\troot.add_child(kind)
\treturn kind

func _initialize() -> void:
\tawait physics_frame
\t_body(StaticBody3D.new(), Vector3(20, 1, 20), Vector3(0, -0.5, 0))
\tvar boxes: Array[PhysicsBody3D] = []
\tfor at: Vector3 in [Vector3(0, 0.5, 0), Vector3(1.5, 0.5, 0), Vector3(0, 1.5, 0), Vector3(1.5, 1.5, 0)]:
\t\tboxes.append(_body(RigidBody3D.new(), Vector3.ONE, at))
\tfor k: int in [0, 2]:
\t\tvar joint := PinJoint3D.new()
\t\tjoint.position = boxes[k].position + Vector3(0.75, 0, 0)
\t\troot.add_child(joint)
\t\tjoint.node_a = boxes[k].get_path()
\t\tjoint.node_b = boxes[k + 1].get_path()
\tfor tick: int in 90:
\t\tawait physics_frame
\tprint("NUMBERS ", PhysicsServer3D.get_class(), " ", boxes[0].position.y, " ", boxes[2].position.y, " ", boxes[3].position.y)
\tquit()
"""


@pytest.mark.parametrize(
    "settings, overlap",
    [
        ("", 0.005),
        ("scree_3d/simulation/articulated_penetration_slop=0.0", 0.0),
        ("scree_3d/simulation/articulated_penetration_slop=0.02", 0.02),
    ],
)
def test_what_joints_hold_lies_as_deep_as_the_project_says(godot, tmp_path, settings, overlap):
    heights = numbers_of(godot, tmp_path, settings, _JOINED_BOXES)
    assert heights == pytest.approx((0.5, 1.5 - overlap, 1.5 - overlap), abs=5e-4)
