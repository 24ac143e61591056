"""In real Godot, on Scree and on Jolt: a chain of 30 links with a 100 times heavier end, and the same weight on a stack."""

import behaviour
import pytest

from scree.tools.prove_godot import MOST_DRIFT, MOST_STRETCH, heavy_ends

TICKS = 300
"""`scree prove heavy_ends_hold` does 3,000."""
CHAINS = {f"{joints}, {way}" for joints in ("pins", "cone twists") for way in ("hanging", "let go level")}


@pytest.fixture(scope="module")
def found(godot, tmp_path_factory):
    return heavy_ends(godot, behaviour.make_project(tmp_path_factory.mktemp("heavy") / "project", behaviour.SCREE), TICKS)


def test_chains_hardly_stretch(found):
    stretch = {name: figures["most"] for name, figures in found[behaviour.SCREE].items() if name != "stack"}
    assert set(stretch) == CHAINS
    assert max(stretch.values()) < MOST_STRETCH


def test_the_stack_stands(found):
    assert found[behaviour.SCREE]["stack"]["drift"] < MOST_DRIFT


def test_what_is_measured_tells_engines_apart(found):
    """Godot's Jolt with its default iterations stretches: the figures are not of one engine twice, nor of nothing that hangs."""
    for name in CHAINS:
        assert found[behaviour.JOLT][name]["most"] > found[behaviour.SCREE][name]["most"] + 0.01
