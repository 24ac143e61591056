"""The examples of docs/scripting.md run in real Godot, under strict typing."""

import re
from pathlib import Path

import pytest

pytest.importorskip("scree.tools")
from checked_script import run_checks  # noqa: E402


PAGE = Path(__file__).resolve().parents[2] / "docs" / "scripting.md"


def test_the_examples_of_the_page_run(tmp_path):
    blocks = re.findall(r"```gdscript\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) > 6
    run_checks(tmp_path, "scripting_page.gd", files={"page.gd": "\n\n".join(["extends Node3D", *blocks])})
