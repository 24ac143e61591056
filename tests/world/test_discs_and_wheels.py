"""Discs, coins and wheels: they roll as far as they are told, keep their energy on their rims, and never hang in the air."""

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import scree

GRAVITY = 9.81
WIDE, THIN = 0.5, 0.02
"""Radius and height of a disc [m]."""


def floor_space(friction=1.0, substeps=4) -> scree.Space:
    space = scree.World().add_space(gravity=(0, -GRAVITY, 0))
    space.settings = replace(space.settings, substep_count=substeps)
    space.add_static(scree.Plane(), material=scree.Material(friction=friction))
    return space


def add(space, shape, rotation, **given) -> scree.Body:
    """A rigid body of 1 kg that never sleeps."""
    given.setdefault("material", scree.Material(friction=1.0))
    return space.add_rigid(shape, rotation=rotation.as_quat(), mass=1.0, can_sleep=False, **given)


def energy(body) -> float:
    spin = body.basis.T @ body.angular_velocity
    moving = 0.5 * body.mass * body.velocity @ body.velocity + 0.5 * np.sum(body.inertia * spin * spin)
    return moving + body.mass * GRAVITY * body.position[1]


@pytest.mark.parametrize("rate, substeps", [(60, 4), (60, 16), (240, 4)])
@pytest.mark.parametrize("radii_a_tick", [2, 3, 5, 8])
@pytest.mark.parametrize("radius, part", [(0.012, 1 / 6), (0.05, 1 / 6), (0.3, 1 / 6), (0.05, 0.5), (0.3, 0.5)])
def test_a_coin_rolls_as_far_as_its_velocity_says(radius, part, radii_a_tick, rate, substeps):
    """Upright, without slipping, for half a second."""
    space, speed = floor_space(substeps=substeps), radii_a_tick * radius * 60
    given = {"position": (0, radius, 0), "velocity": (0, 0, speed), "angular_velocity": (speed / radius, 0, 0)}
    coin = add(space, scree.Cylinder(radius=radius, height=part * radius), Rotation.from_euler("z", 90, degrees=True), **given)
    for _ in range(rate // 2):
        space.step(1 / rate)
    assert coin.position[2] == pytest.approx(0.5 * speed, rel=0.01)
    assert coin.velocity[2] == pytest.approx(speed, rel=0.01)


def leaning_wheel(space, lean, speed, shape) -> scree.Body:
    """A wheel on its rim that leans by an angle [rad] and rolls without slipping [m/s]. `shape`: of radius WIDE at its top."""
    height = shape.height if isinstance(shape, scree.Cylinder) else 2.0 * shape.half_height
    wheel = add(space, shape, Rotation.from_euler("z", math.pi / 2 + lean))
    axis = wheel.basis[:, 1]
    down = np.array((0.0, -1.0, 0.0)) + axis * axis[1]
    to_rim = WIDE * down / np.linalg.norm(down) - 0.5 * height * axis * np.sign(axis[1])
    spin = axis * speed / WIDE
    wheel.move((0, -to_rim[1], 0), wheel.rotation)
    wheel.angular_velocity, wheel.velocity = spin, -np.cross(spin, to_rim)
    return wheel


@pytest.mark.parametrize("rate", [20, 30, 60, 240])
@pytest.mark.parametrize("lean, speed", [(0.05, 3), (0.05, 8), (0.2, 3), (0.2, 8)])
@pytest.mark.parametrize("height", [0.02, 0.1])
def test_a_leaning_wheel_keeps_its_energy(height, lean, speed, rate):
    """Rolling without slipping takes no energy: in 3 s less than 2 %."""
    space = floor_space()
    wheel = leaning_wheel(space, lean, speed, scree.Cylinder(radius=WIDE, height=height))
    before = energy(wheel)
    for _ in range(3 * rate):
        space.step(1 / rate)
    assert 0.98 < energy(wheel) / before < 1.001


@pytest.mark.parametrize("rate", [20, 60, 240])
def test_a_leaning_frustum_keeps_nearly_all_its_energy(rate):
    """Its contact wanders over the rim, which takes 2 % a second."""
    wheel = leaning_wheel(
        space := floor_space(), 0.1, 5, scree.TaperedCylinder(half_height=0.01, top_radius=WIDE, bottom_radius=WIDE)
    )
    before = energy(wheel)
    for _ in range(rate):
        space.step(1 / rate)
    assert 0.97 < energy(wheel) / before < 1.001


@pytest.mark.parametrize("rate, substeps", [(20, 4), (30, 4), (60, 4), (60, 16), (240, 4)])
@pytest.mark.parametrize("spin", [1.5, 2.0, 2.5])
def test_a_disc_that_tips_over_wins_no_energy(spin, rate, substeps):
    """It stands on its rim, leans by 16 degrees, and turns slowly about the vertical."""
    space, tilt = floor_space(substeps=substeps), 1.3
    high = WIDE * math.sin(tilt) + 0.5 * THIN * math.cos(tilt)
    given = {"position": (0, high, 0), "angular_velocity": (0, spin, 0)}
    disc = add(space, scree.Cylinder(radius=WIDE, height=THIN), Rotation.from_euler("x", tilt), **given)
    energies = [energy(disc)]
    for _ in range(rate):
        space.step(1 / rate)
        energies.append(energy(disc))
    assert max(energies) < 1.01 * energies[0]


@pytest.mark.parametrize("seed", range(12))
def test_a_thrown_disc_never_hangs_in_the_air(seed):
    """While it is fast it moves and turns, in each tick but one, by at least a third of what its velocities say."""
    random, space, ticks = np.random.default_rng(seed), floor_space(0.5), []
    turned = Rotation.from_rotvec(random.normal(size=3) * 2)
    given = {"position": (0, 1.2, 0), "velocity": random.normal(size=3) * 2, "angular_velocity": random.normal(size=3) * 5}
    disc = add(space, scree.Cylinder(radius=WIDE, height=THIN), turned, material=scree.Material(friction=0.5), **given)
    for _ in range(240):
        position, basis = disc.position, disc.basis
        space.step(1 / 60)
        told = np.linalg.norm(disc.velocity) + WIDE * np.linalg.norm(disc.angular_velocity)
        turn = Rotation.from_matrix(disc.basis @ basis.T).magnitude()
        came = (np.linalg.norm(disc.position - position) + WIDE * turn) * 60
        ticks.append(told > 1.0 and came < told / 3)
    assert not any(one and two for one, two in zip(ticks, ticks[1:], strict=False)) and sum(ticks) <= 2


def test_a_wheel_on_a_box_rolls_as_on_a_plane():
    """A mesh and a box are ground like any other."""
    ends = []
    for ground in (scree.Plane(), scree.Box(half_extents=(50, 0.5, 50))):
        space = scree.World().add_space(gravity=(0, -GRAVITY, 0))
        space.add_static(ground, (0, 0 if isinstance(ground, scree.Plane) else -0.5, 0), material=scree.Material(friction=1.0))
        wheel = leaning_wheel(space, 0.1, 5, scree.Cylinder(radius=WIDE, height=0.05))
        for _ in range(120):
            space.step(1 / 60)
        ends.append(wheel.position)
    assert_allclose(ends[1], ends[0], atol=0.05)
