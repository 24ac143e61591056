"""Fixtures for the tests of several rooms: a Godot that can be started, and the demo project with the addon in it; and the option
that runs all tests from the core's library (`scree test --from-library`)."""

import sys
from pathlib import Path

import pytest

from scree.tools import find_godot, scenes

sys.path.insert(0, str(Path(__file__).resolve().parent))

import from_library  # noqa: E402


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(from_library.OPTION, action="store_true", help="the engine's code comes from the core's library alone")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption(from_library.OPTION):
        from_library.begin()


def pytest_collection_modifyitems(config: pytest.Config) -> None:
    if config.getoption(from_library.OPTION):
        from_library.take_released_addon()


@pytest.fixture(scope="session")
def godot() -> find_godot.Godot:
    """The Godot that the tools use; fetched into the user's cache where there is none."""
    return find_godot.find_godot()


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo project in a folder of its own, with the addon installed."""
    return scenes.copy_demo_project(tmp_path_factory.mktemp("demo_project") / "project")
