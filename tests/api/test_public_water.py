"""Water of the public package: what it is made of, what it tells, and what it refuses. Its physics: tests/water/."""

import math

import pytest

import scree


@pytest.fixture
def space() -> scree.Space:
    return scree.World(threads=1).add_space(gravity=(0.0, -9.81, 0.0))


def falls_freely(space: scree.Space) -> bool:
    body = space.add_rigid(scree.Box(half_extents=(0.5, 0.25, 0.5)), (0, -1, 0), mass=250.0)
    for _ in range(6):
        space.step(1 / 60)
    return body.velocity[1] == pytest.approx(-0.981, rel=1e-4)


def test_it_tells_what_it_does(space):
    water = space.add_water((0, 0, 0), (10, 5, 10), flow=(0.5, 0, 0), waves=[scree.Wave(length=4.0, height=0.2)])
    assert isinstance(water, scree.Water) and water.flow == pytest.approx((0.5, 0, 0))
    assert not falls_freely(space)
    assert water.floating_count == 1 and water.time == pytest.approx(0.1)
    assert water.heights([(0, 0, 0), (4, 9, 1)]) == pytest.approx([0.1 * math.sin(-0.1 * math.sqrt(9.81 * math.pi / 2.0))] * 2)


@pytest.mark.parametrize("settings, said", [
    ({"size": (1, 0, 1)}, "size must be above 0"), ({"position": (0, math.nan, 0)}, "position must be finite"),
    ({"rotation": (0, 0, 0, 0)}, "rotation must not be zero"), ({"density": -1.0}, "density must be at least 0"),
    ({"density": "heavy"}, "density must be numbers, got 'heavy'"), ({"gravity": "moon"}, "gravity must be numbers"),
    ({"waves": None}, "waves must be at most 8"),
    ({"drag": math.inf}, "drag must be finite"), ({"flow": (1, 2)}, r"flow must be of shape \(3\), got"),
    ({"waves": [scree.Wave()] * 9}, "waves must be at most 8"), ({"gravity": -1.0}, "gravity must be at least 0"),
    ({"waves": [(1, 0)]}, "waves must be at most 8 of Wave"), ({"layers": ["sky"]}, "sky"),
])  # fmt: skip
def test_bad_values_are_named_and_make_no_water(space, settings, said):
    with pytest.raises(ValueError, match=said):
        space.add_water(**{"position": (0, 0, 0), "size": (10, 10, 10), **settings})
    assert falls_freely(space)


@pytest.mark.parametrize(
    "wrong",
    [{"length": 0.0}, {"height": -1.0}, {"direction": (0, 0)}, {"phase": math.nan}, {"length": "long"}, {"direction": None}],
)
def test_a_wrong_wave_is_refused(wrong):
    with pytest.raises(ValueError, match="Wave: "):
        scree.Wave(**wrong)


def test_removed_water_is_told(space):
    water = space.add_water((0, 0, 0), (10, 5, 10))
    water.remove()
    for call in (water.remove, lambda: water.set(density=1.0), lambda: water.heights([(0, 0, 0)])):
        with pytest.raises(KeyError, match="water was removed"):
            call()
