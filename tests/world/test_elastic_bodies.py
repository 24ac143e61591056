"""Elastic bodies without friction: what formulas and the conservation of energy say of their bounces."""

import numpy as np
import pytest
from mechanics import energy
from small_world import SmallWorld

TICK = 1.0 / 60.0


def elastic(scene: SmallWorld, shape: int, place, velocity, mass: float = 1.0) -> int:
    body = scene.add(shape, place, friction=0.0, restitution=1.0, mass=mass)
    scene.throw(body, velocity)
    return body


@pytest.mark.parametrize("speed", (1.0, 5.0, 20.0))
@pytest.mark.parametrize("part", (0.0, 0.3, 0.7, 0.9, 0.98))
def test_a_billiard_ball_leaves_along_the_line_of_centres(speed, part):
    """Hit by a part of its diameter beside the centre, at the angle asin(part), with v cos(angle)."""
    radius = 0.028
    scene = SmallWorld(gravity=(0.0, 0.0, 0.0))
    ball, targets = scene.sphere(radius), []
    for k in range(10):
        targets.append(elastic(scene, ball, (0.0, 0.0, 2.0 * k), (0.0, 0.0, 0.0)))
        start = -4.0 * radius - speed * TICK * (2.0 + 0.1 * k)
        elastic(scene, ball, (start, part * 2.0 * radius, 2.0 * k), (speed, 0.0, 0.0))
    scene.step(int(8.0 * radius / speed / TICK) + 8)
    angle = np.arcsin(part)
    wanted = speed * np.cos(angle) * np.array((np.cos(angle), -np.sin(angle), 0.0))
    for target in targets:
        assert scene.velocity(target) == pytest.approx(wanted, abs=2e-3 * speed)


@pytest.mark.parametrize("speed", (1.0, 5.0, 20.0))
@pytest.mark.parametrize("mass", (10.0, 100.0, 1000.0))
def test_a_ball_between_a_wall_and_a_heavy_one_throws_it_back(mass, speed):
    """After as many bounces as it takes, up to 99, the heavy one comes back at its speed, energy is kept."""
    scene = SmallWorld(gravity=(0.0, 0.0, 0.0))
    scene.floor((1.0, 0.0, 0.0), restitution=1.0, friction=0.0)
    light = elastic(scene, scene.sphere(0.25), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    heavy = elastic(scene, scene.sphere(0.5), (3.0, 0.0, 0.0), (-speed, 0.0, 0.0), mass)
    scene.step(int(6.0 / speed / TICK))
    kept = 0.5 * mass * scene.velocity(heavy)[0] ** 2 + 0.5 * scene.velocity(light)[0] ** 2
    assert kept == pytest.approx(0.5 * mass * speed**2, rel=1e-3)
    assert scene.velocity(heavy)[0] > 0.95 * speed
    assert scene.position(heavy)[0] > scene.position(light)[0]


@pytest.mark.parametrize("kind", ("box", "capsule"))
def test_a_lone_body_in_a_closed_room_keeps_its_energy(kind):
    """It turns as it bounces, so that a bounce must act where its points are at that moment."""
    for seed in range(4):
        draw = np.random.default_rng(seed)
        scene = SmallWorld(gravity=(0.0, 0.0, 0.0))
        for axis in np.eye(3):
            for sign in (1.0, -1.0):
                scene.move(scene.floor(tuple(sign * axis), restitution=1.0, friction=0.0), tuple(-2.0 * sign * axis))
        shape = scene.box(0.2, 0.35, 0.5) if kind == "box" else scene.capsule(0.2, 1.0)
        body = elastic(scene, shape, (0.0, 0.0, 0.0), tuple(draw.uniform(-4.0, 4.0, 3)))
        scene.turn(body, tuple(draw.uniform(-4.0, 4.0, 3)))
        begin = energy(scene, [body])
        scene.step(1800)
        assert energy(scene, [body]) == pytest.approx(begin, rel=0.01)
