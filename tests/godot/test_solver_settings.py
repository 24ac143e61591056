"""Godot's project settings of the solver: what a new space starts with."""

import re

import behaviour
import pytest

_SCRIPT = """extends SceneTree

func _initialize() -> void:
\tawait physics_frame
\tvar space := root.get_world_3d().space
\tprint("PARAMS ", PhysicsServer3D.space_get_param(space, PhysicsServer3D.SPACE_PARAM_SOLVER_ITERATIONS), " ",
\t\tPhysicsServer3D.space_get_param(space, PhysicsServer3D.SPACE_PARAM_CONTACT_DEFAULT_BIAS), " ",
\t\tPhysicsServer3D.space_get_param(space, PhysicsServer3D.SPACE_PARAM_CONTACT_MAX_ALLOWED_PENETRATION))
\tquit()
"""


@pytest.mark.parametrize("settings, expected", [
    ("", (16.0, 0.8, 0.0)),
    (
        "3d/solver/solver_iterations=32\n3d/solver/default_contact_bias=0.4\nscree_3d/simulation/penetration_slop=0.25",
        (32.0, 0.4, 0.25),
    ),
])
def test_a_space_starts_with_the_settings_of_the_project(godot, tmp_path, settings, expected):
    project = behaviour.make_project(tmp_path / "project", behaviour.SCREE, settings)
    (project / "ask.gd").write_text(_SCRIPT)
    run = godot.run("--headless", "--path", project, "-s", "res://ask.gd", timeout=60)
    found = re.search(r"^PARAMS (\S+) (\S+) (\S+)$", run.output, re.MULTILINE)
    assert run.returncode == 0 and found, run.output
    assert tuple(map(float, found.groups())) == pytest.approx(expected)
