"""Bodies of more than one radius roll as nature has them: cones, frusta and tapered capsules go round, ellipsoids go straight on
and rock."""

import math

import numpy as np
import pytest
from public_words import empty, run, surface, turned

import scree

CONE = scree.TaperedCylinder(half_height=0.5, top_radius=0.0, bottom_radius=0.3)
LYING = {
    "cone": CONE,
    "frustum": scree.TaperedCylinder(half_height=0.5, top_radius=0.15, bottom_radius=0.3),
    "tapered capsule": scree.TaperedCapsule(half_height=0.5, top_radius=0.15, bottom_radius=0.3),
}
BARREL = scree.Ellipsoid(half_axes=(0.3, 0.6, 0.3))


def grounded(normal=(0.0, 1.0, 0.0)):
    space = empty((0.0, -9.81, 0.0), angular_damp=0.0, linear_damp=0.0)
    space.add_static(scree.Plane(normal=normal), material=surface(1.0))
    return space


def kinetic_energy(body):
    """[J]"""
    turn, spin = body.basis, body.angular_velocity
    speed = body.velocity + np.cross(spin, turn @ body.center_of_mass)
    return 0.5 * body.mass * speed @ speed + 0.5 * spin @ (turn @ (body.inertia * (turn.T @ spin)))


@pytest.mark.parametrize("rate", (20, 30, 60, 120))
@pytest.mark.parametrize("kind", LYING)
def test_what_rolls_in_a_circle_wins_no_energy_and_keeps_most(kind, rate):
    space = grounded()
    body = space.add_rigid(LYING[kind], (0.0, 1.0, 0.0), turned((0.0, 0.0, 1.0), math.pi / 2.0), mass=1.0, can_sleep=False)
    run(space, 3 * rate, 1.0 / rate)
    body.angular_velocity = tuple(4.0 * body.basis[:, 1])
    run(space, rate, 1.0 / rate)
    before = kinetic_energy(body)
    run(space, 10 * rate, 1.0 / rate)
    kept = kinetic_energy(body) / before
    assert (0.98 if rate >= 60 else 0.95) < kept < 1.002


def test_a_cone_goes_round_about_its_tip():
    """The tip stays where it is, and the cone turns about its line of contact alone."""
    space = grounded()
    body = space.add_rigid(CONE, (0.0, 1.0, 0.0), turned((0.0, 0.0, 1.0), math.pi / 2.0), mass=1.0, can_sleep=False)
    run(space, 180)
    body.angular_velocity = tuple(4.0 * body.basis[:, 1])
    run(space, 60)
    tip = body.position + 0.5 * body.basis[:, 1]
    spin, yaws = np.linalg.norm(body.angular_velocity), []
    for _ in range(600):
        space.step(1.0 / 60.0)
        yaws.append(math.atan2(body.basis[2, 1], body.basis[0, 1]))
    assert np.linalg.norm(body.position + 0.5 * body.basis[:, 1] - tip) < 0.02
    assert abs(body.angular_velocity[1]) < 1e-3 * spin
    turn = abs(np.unwrap(yaws)[-1] - yaws[0]) / (599.0 / 60.0)
    assert turn == pytest.approx(0.3 * spin, rel=0.01), "the radius by the height"


@pytest.mark.parametrize("rate", (20, 60, 240))
def test_a_barrel_rolls_down_a_slope_as_a_cylinder_does(rate):
    """Its moment of inertia is 2/5 m r^2, so it runs g sin(a) t^2 / (2 * 1.4)."""
    slope = 0.15
    up = np.array((math.sin(slope), math.cos(slope), 0.0))
    space = grounded(tuple(up))
    body = space.add_rigid(BARREL, tuple(0.3 * up), turned((1.0, 0.0, 0.0), math.pi / 2.0), mass=1.0, can_sleep=False)
    run(space, 3 * rate, 1.0 / rate)
    way = (body.position - 0.3 * up) @ (math.cos(slope), -math.sin(slope), 0.0)
    assert way == pytest.approx(0.5 * 9.0 * 9.81 * math.sin(slope) / 1.4, rel=0.005)


@pytest.mark.parametrize("rate", (20, 60, 240))
def test_a_barrel_rolls_on_along_a_floor(rate):
    space = grounded()
    body = space.add_rigid(
        BARREL, (0.0, 0.3, 0.0), turned((1.0, 0.0, 0.0), math.pi / 2.0), mass=1.0, can_sleep=False, velocity=(3.0, 0.0, 0.0),
        angular_velocity=(0.0, 0.0, -10.0),
    )  # fmt: skip
    run(space, 5 * rate, 1.0 / rate)
    assert body.velocity[0] == pytest.approx(3.0, rel=0.005)


@pytest.mark.parametrize("friction", (0.0, 1.0))
@pytest.mark.parametrize("angle", (0.02, 0.1, 0.5))
@pytest.mark.parametrize("rate", (20, 60, 120))
def test_an_egg_that_rocks_does_not_swing_up(rate, angle, friction):
    """Two fifths of its spin remain for some swings at 60 ticks a second."""
    space = empty((0.0, -9.81, 0.0), angular_damp=0.0, linear_damp=0.0)
    space.add_static(scree.Plane(), material=surface(friction))
    height = math.hypot(0.6 * math.sin(angle), 0.3 * math.cos(angle))
    body = space.add_rigid(
        scree.Ellipsoid(half_axes=(0.6, 0.3, 0.3)), (0.0, height, 0.0), turned((0.0, 0.0, 1.0), angle), mass=1.0,
        can_sleep=False, material=surface(friction),
    )  # fmt: skip
    spins = []
    for _ in range(20 * rate):
        space.step(1.0 / rate)
        spins.append(abs(body.angular_velocity[2]))
    first, second = max(spins[: 2 * rate]), max(spins[3 * rate : 5 * rate])
    assert max(spins[2 * rate :]) < 1.01 * first
    if rate >= 60:
        assert second > 0.4 * first
