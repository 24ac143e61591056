"""Rough balls that hit each other off-centre keep momentum and angular momentum, however fast they come."""

import numpy as np
import pytest

import scree

TICK, RADIUS, MASS = 1.0 / 60.0, 0.5, 1.0
INERTIA = 0.4 * MASS * RADIUS**2


def angular_momentum(balls) -> np.ndarray:
    """Sum about the origin, world axes (3,) [kg m^2/s]."""
    return sum(MASS * np.cross(ball.position, ball.velocity) + INERTIA * np.array(ball.angular_velocity) for ball in balls)


@pytest.mark.parametrize("speed", [1.0, 10.0, 30.0, 100.0])
@pytest.mark.parametrize("aside", [-0.8, -0.4, 0.2, 0.6])
def test_a_rough_ball_at_another_keeps_angular_momentum(speed, aside):
    """Friction acts where the surfaces meet, not where they were when the step began: 0.4 kg m^2/s were lost at 20 m/s."""
    space = scree.World(threads=1).add_space(gravity=(0, 0, 0))
    rough = scree.Material(friction=1.0)
    balls = [
        space.add_rigid(scree.Sphere(radius=RADIUS), at, velocity=velocity, mass=MASS, material=rough, can_sleep=False)
        for at, velocity in (((-3.03, aside, 0.0), (speed, 0.0, 0.0)), ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    ]
    before = angular_momentum(balls)
    for _ in range(int(360.0 / speed) + 20):
        space.step(TICK)
    assert np.linalg.norm(balls[1].velocity) > 0.05 * speed, "they have met"
    assert angular_momentum(balls) == pytest.approx(before, abs=1e-4 * speed)
