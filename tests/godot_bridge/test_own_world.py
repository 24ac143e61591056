"""Nodes of Scree whose world or MultiMesh changes while they are in the tree, in real Godot."""

import pytest

pytest.importorskip("scree.tools")
from checked_script import run_checks  # noqa: E402


def test_nodes_follow_their_world(tmp_path):
    # The error is the renderer's, with every physics engine: it forgets the world before the viewport leaves it.
    run_checks(tmp_path, "own_world.gd", errors=('Parameter "scenario" is null',))
