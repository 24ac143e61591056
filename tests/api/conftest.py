"""A space for each test."""

import pytest

import scree


@pytest.fixture
def space() -> scree.Space:
    """10 m/s^2 downwards, no damping, one thread."""
    return scree.World(threads=1, bodies=1 << 14, body_shapes=1 << 14, shapes=1 << 12).add_space(gravity=(0, -10, 0))
