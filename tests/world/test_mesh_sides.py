"""Bodies that run into the side of a plateau, and planks that lie over its border: the side stops, the top bears."""

import numpy as np
import pytest
from public_words import TICK, block, empty
from test_mesh_borders import FLOORS, SIDE, SMOOTH, plateau

GYRATION = 1.0 / 6.0  # square of the radius of gyration of a cube of 1 m [m^2]
PLANK = (0.5, 0.1, 0.1)  # half of a plank's size [m]


def after_the_impact(floor, place, over, x, speed, free):
    """Velocity and spin of a smooth crate, without weight, right after it has run into a side. `over`: its middle above the
    top."""
    space = empty(gravity=(0.0, 0.0, 0.0))
    space.add_static(floor, place, material=SMOOTH)
    start = (x, over, SIDE + 0.5 + free)
    crate = space.add_rigid(block(0.5, 0.5, 0.5), start, mass=1.0, material=SMOOTH, velocity=(0.0, 0.0, -speed))
    for _ in range(60):
        space.step(TICK)
        if crate.velocity[2] != pytest.approx(-speed, rel=1e-6):
            return np.array(crate.velocity), np.array(crate.angular_velocity)
    pytest.fail("the crate never met the side")


@pytest.mark.parametrize("speed", (1.0, 2.0, 6.0))
@pytest.mark.parametrize("over", (0.05, 0.1, 0.3))
@pytest.mark.parametrize("floor", ("mesh", "plateau", "two-sided mesh", "height field"))
def test_a_crate_that_runs_into_a_border_is_stopped_and_not_lifted(floor, over, speed):
    """The border pushes at a right angle to the crate's side: v' = v h^2 / (k^2 + h^2), and the spin v h / (k^2 + h^2)."""
    shape, place = FLOORS[floor]
    for x in (3.0, 3.02, 3.5):
        for free in (0.5, 0.51, 0.523):
            velocity, spin = after_the_impact(shape(), place, over, x, speed, free)
            on = over * over / (GYRATION + over * over)
            assert velocity[1] == pytest.approx(0.0, abs=0.02 * speed), (x, free)
            assert velocity[2] == pytest.approx(-speed * on, abs=0.03 * speed), (x, free)
            assert spin[0] == pytest.approx(-speed * over / (GYRATION + over * over), abs=0.06 * speed), (x, free)


@pytest.mark.parametrize("speed", (0.0, 1.0, 5.0))
@pytest.mark.parametrize("over", (0.02, 0.04, 0.06, 0.09))
def test_a_plank_over_a_border_lies_on(over, speed):
    """Its middle is above the floor: it stays level, however long it is for its width."""
    space = empty()
    space.add_static(plateau(30, 6), material=SMOOTH)
    start = (0.0, PLANK[1], SIDE - PLANK[2] + over)
    plank = space.add_rigid(block(*PLANK), start, mass=1.0, material=SMOOTH, velocity=(speed, 0.0, 0.0))
    for _ in range(60):
        space.step(TICK)
        assert np.linalg.norm(plank.angular_velocity) < 0.02
    assert plank.position == pytest.approx((speed, PLANK[1], start[2]), abs=0.003)
