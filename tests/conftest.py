"""Fixtures for the tests of several rooms: a Godot that can be started, and the demo project with the addon in it."""

from pathlib import Path

import pytest

from scree.tools import find_godot, scenes


@pytest.fixture(scope="session")
def godot() -> find_godot.Godot:
    """The Godot that the tools use; fetched into the user's cache where there is none."""
    return find_godot.find_godot()


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo project in a folder of its own, with the addon installed."""
    return scenes.copy_demo_project(tmp_path_factory.mktemp("demo_project") / "project")
