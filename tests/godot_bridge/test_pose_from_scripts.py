"""Ragdolls with motors in real Godot."""

import pytest

pytest.importorskip("scree.tools")
from checked_script import FOLDER, run_checks  # noqa: E402

DOLL = FOLDER.parents[1] / "demo_project" / "scripts" / "ragdoll.gd"


RELAXED = '@warning_ignore_start("unsafe_call_argument", "unsafe_property_access")\nconst BENDS'


def test_ragdolls_take_the_pose_of_the_animation(tmp_path):
    run_checks(tmp_path, "public_pose.gd", files={"ragdoll.gd": DOLL.read_text().replace("const BENDS", RELAXED, 1)}, errors=(
        "pose_motors_create: there is no joint between the bodies", "pose_motors_aim: there is no set of motors 99",
        "pose_motors_aim: four numbers for each of 1 bodies are wanted, got 3 numbers",
        "rotations must be unit quaternions", "rate must be at least 0, got -1.0", "there is no set of motors 3",
    ))  # fmt: skip
