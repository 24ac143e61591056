"""Water from typed GDScript in real Godot: calls of `Scree` and the node."""

import pytest

pytest.importorskip("scree.tools")
from checked_script import run_checks, run_script  # noqa: E402


def test_water_does_what_formulas_say(tmp_path):
    run_checks(tmp_path, "public_water.gd", errors=(
        "water_get_time: there is no water 2", "water_create: size must be above 0", "water_set: there is no water 7777",
        "water_set: density must be at least 0", "water_set_waves: waves must be 6 numbers for each wave, got 2 numbers",
        "water_free: there is no water", "ScreeWater3D.density: must be finite and at least 0, got -1.0", "ScreeWater3D.flow",
        "ScreeWater3D.size: must be above 0 and finite", "ScreeWave.length: must be above 0 and finite, got -1.0",
    ))  # fmt: skip


def test_on_another_engine_it_warns_once_and_carries_nothing(tmp_path):
    output = run_script(tmp_path, "water_elsewhere.gd", engine="Jolt Physics")
    assert "height 0.0 floating 0" in output
    assert output.count("ScreeWater3D: needs Scree Physics") == 1
