"""Rough balls that hit each other or a floor keep momentum and angular momentum, however fast they come at any time."""

from dataclasses import replace

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


@pytest.mark.parametrize("rate, substeps", [(60, 1), (60, 4), (60, 16), (120, 4)])
def test_a_ball_rolls_on_after_a_bounce_whenever_it_meets_the_floor(rate, substeps):
    """It comes at 45 degrees without spin, friction 1: it keeps 5/7 of its speed along the floor, at any phase of the tick."""
    for phase in np.linspace(0.0, 1.0, 17):
        space = scree.World().add_space(gravity=(0, 0, 0))
        space.settings = replace(space.settings, substep_count=substeps)
        space.add_static(scree.Plane())
        high, material = 0.5 + phase * 5.0 / rate, scree.Material(restitution=0.5)
        ball = space.add_rigid(scree.Sphere(radius=0.2), (0, high, 0), velocity=(5, -5, 0), material=material, can_sleep=False)
        for _ in range(round(0.3 * rate)):
            space.step(1 / rate)
        assert ball.velocity[0] == pytest.approx(5 * 5 / 7, rel=1e-3)
        assert ball.velocity[0] + 0.2 * ball.angular_velocity[2] == pytest.approx(0.0, abs=0.005)
