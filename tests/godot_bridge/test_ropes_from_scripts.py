"""Ropes in real Godot: the node ScreeRope3D, on Scree and on another engine."""

import pytest

pytest.importorskip("scree.tools")
from checked_script import run_checks, run_script  # noqa: E402


def test_ropes_do_what_formulas_say(tmp_path):
    run_checks(tmp_path, "public_ropes.gd", errors=(
        "ScreeRope3D.radius: must be above 0 and finite, got -1.0", "ScreeRope3D.length: must be finite and at least 0",
        "ScreeRope3D.strength: must be finite and at least 0", "ScreeRope3D.end_point: must be finite and not 0",
        "ScreeRope3D.reel: the start must be held", "ScreeRope3D.cut: rod must be 1 to -1, got 1",
    ))  # fmt: skip


def test_ropes_run_on_another_engine(tmp_path):
    output = run_script(tmp_path, "ropes_elsewhere.gd", engine="Jolt Physics")
    assert "rods 10 hangs true" in output and "cut 4 6" in output
    assert output.count("ScreeRope3D: needs Scree Physics, this is PhysicsServer3D: ropes do not break") == 1
