"""Fixtures that the tests in real Godot share."""

import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import behaviour

from scree.tools.find_godot import Godot, find_godot


def engines() -> list[str]:
    """The engines to test: Scree, or those named in SCREE_TEST_ENGINES, separated by commas."""
    return [name.strip() for name in os.environ.get("SCREE_TEST_ENGINES", behaviour.SCREE).split(",")]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "engine" in metafunc.fixturenames:
        metafunc.parametrize("engine", engines())


@pytest.fixture(scope="session")
def godot() -> Godot:
    return find_godot(fetch=False)


@pytest.fixture(scope="session")
def behaviour_report(godot: Godot) -> Callable[[str], behaviour.Report]:
    """The report of all behaviour tests on an engine; each engine runs once."""
    return cache(lambda engine: behaviour.run(godot, engine, behaviour.test_names()))


@pytest.fixture(scope="session")
def bad_input_report(godot: Godot) -> Callable[[str], behaviour.Report]:
    return cache(lambda engine: behaviour.run(godot, engine, behaviour.test_names(bad_input=True)))
