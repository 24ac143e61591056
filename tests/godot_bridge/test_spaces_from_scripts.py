"""Spaces stepped, saved, restored and set from typed GDScript in real Godot."""

import pytest

pytest.importorskip("scree.tools")
from checked_script import run_checks  # noqa: E402


def test_spaces_do_what_scripts_say(tmp_path):
    run_checks(tmp_path, "public_spaces.gd", errors=(
        "space_step: the length of a step must be above 0 and at most 1.0 s, got 0.0", "space_step: there is no space",
        "space_restore: ", "space_get_setting: a setting of a space is one of linear_damp, angular_damp, substep_count",
        "space_set_setting: substep_count must be at least 1, got 0.0",
        "space_set_setting: substep_count must be a whole number, got 2.5",
        "space_hash: there is no space", "space_step: Godot steps this space",
    ))  # fmt: skip
