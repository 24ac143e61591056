"""A surface that turns (`set_surface_velocity` with an angle) turns what lies on it, besides carrying it around."""

import numpy as np
import pytest

import scree

TICK = 1.0 / 60.0


@pytest.mark.parametrize("place", [0.0, 2.0])
@pytest.mark.parametrize("shape", [scree.Box(half_extents=(0.3, 0.3, 0.3)), scree.Cylinder(radius=0.3, height=0.4)])
def test_what_lies_on_a_turning_surface_turns_with_it(shape, place):
    space = scree.World(threads=1).add_space()
    table = space.add_static(scree.Box(half_extents=(5, 0.5, 5)), (0, -0.5, 0))
    table.set_surface_velocity((0, 0, 0), (0, 1.0, 0))
    body = space.add_rigid(shape, (place, 0.31, 0), can_sleep=False, material=scree.Material(friction=1.0))
    for _ in range(180):
        space.step(TICK)
    assert body.angular_velocity[1] == pytest.approx(1.0, rel=0.02)
    assert np.hypot(body.velocity[0], body.velocity[2]) == pytest.approx(place * 1.0, rel=0.1, abs=0.02)
    assert abs(body.velocity[1]) < 0.02
