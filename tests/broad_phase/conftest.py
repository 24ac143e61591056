"""Fixtures that several tests of the trees use and that take long to make."""

import pytest

from .explored import Explored


@pytest.fixture(scope="session")
def explored(tmp_path_factory) -> Explored:
    """A copy of the trees' code, in which nothing is broken and writers can be parked."""
    return Explored(tmp_path_factory.mktemp("explored"))
