"""Joints beyond Godot's own calls, from typed GDScript in real Godot."""

import pytest

pytest.importorskip("scree.tools")
from checked_script import run_checks  # noqa: E402


def test_joints_do_what_formulas_say(tmp_path):
    run_checks(tmp_path, "public_joints.gd", errors=(
        "space_restore: the pairs of bodies that do not collide of the space are not those of the state",
        "gear_create: axis_a must be a direction, got (0.0, 0.0, 0.0)", "weld_create: body_a and body_b must differ",
        "rope_create: longest must be a finite number and at least 2, got 1.0", "joint_get_force: there is no joint",
        "joint_get_position: the joint has no bodies yet", "joint_set_break: force must be at least 0, got -1.0",
        "gear_set_ratio: the joint is empty, not a gear or a rack", "pulley_set_lengths: the joint is empty, not a pulley",
        "the joint is a weld, not a hinge joint", "free_joint: there is no joint", "joint_is_broken: there is no joint",
    ))  # fmt: skip
