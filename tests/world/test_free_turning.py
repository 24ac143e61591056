"""How bodies turn whose inertia is not the same about all axes: as Euler's equations say."""

import math

import numpy as np
import pytest
from mechanics import angular_momentum, energy, inertia_of, mass_of, turn_freely
from scipy.spatial.transform import Rotation
from small_world import TICK, UPRIGHT, SmallWorld

SHAPES = {"brick": (0.1, 0.3, 0.5), "plate": (0.5, 0.02, 0.4), "rod": (0.02, 0.6, 0.03)}
SPINS = ((0.3, 8.0, 0.2), (3.0, 20.0, 7.0), (-1.0, 0.5, 1.5))


def spinning(half_extents, spin, **settings):
    world = SmallWorld(gravity=(0.0, 0.0, 0.0), **settings)
    body = world.add(world.box(*half_extents))
    world.turn(body, spin)
    return world, body


@pytest.mark.parametrize("spin", SPINS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_free_body_keeps_momentum_and_energy(shape, spin):
    world, body = spinning(SHAPES[shape], spin)
    momentum, at_first = angular_momentum(world, [body]), energy(world, [body])
    for _ in range(60):
        world.step(60)
        assert energy(world, [body]) == pytest.approx(at_first, rel=1e-3)
        assert np.linalg.norm(angular_momentum(world, [body]) - momentum) < 1e-3 * np.linalg.norm(momentum)


@pytest.mark.parametrize("substeps", (1, 2, 16))
def test_so_it_does_at_any_number_of_sub_steps(substeps):
    world, body = spinning(SHAPES["brick"], (3.0, 20.0, 7.0), substep_count=substeps)
    momentum, at_first = angular_momentum(world, [body]), energy(world, [body])
    world.step(1200)
    assert energy(world, [body]) == pytest.approx(at_first, rel=1e-3)
    assert np.linalg.norm(angular_momentum(world, [body]) - momentum) < 1e-3 * np.linalg.norm(momentum)


def test_a_body_about_its_middle_axis_flips_when_it_should():
    """The tennis racket: the axis that it spins about turns over again and again (Dzhanibekov)."""
    spin, ticks = (0.05, 8.0, 0.02), 1200
    world, body = spinning(SHAPES["brick"], spin)
    inertias = np.diag(inertia_of(world.body(body)))
    heights = []
    for _ in range(ticks):
        world.step()
        heights.append(Rotation.from_quat(world.body(body)["rotation"]).apply((0.0, 1.0, 0.0))[1])
    turns, _ = turn_freely(inertias, spin, TICK * np.arange(1, ticks + 1))
    right = Rotation.from_quat(turns).apply((0.0, 1.0, 0.0))[:, 1]
    flips, right_flips = (np.flatnonzero(np.diff(np.sign(axis))) for axis in (np.array(heights), right))
    assert len(right_flips) >= 6
    assert len(flips) == len(right_flips)
    assert np.abs(flips - right_flips).max() < 0.02 * ticks
    assert min(heights) < -0.95


def test_a_free_top_precesses_as_fast_as_its_momentum_says():
    """A symmetric body turns about its angular momentum by L / I, I about the axes across its own."""
    world, body = spinning((0.5, 0.05, 0.5), (4.0, 8.0, 0.0))
    momentum = angular_momentum(world, [body])
    rate = np.linalg.norm(momentum) / inertia_of(world.body(body))[0, 0]
    along = momentum / np.linalg.norm(momentum)
    across = np.cross(along, (0.0, 0.0, 1.0))
    total, last = 0.0, None
    for _ in range(600):
        world.step()
        axis = Rotation.from_quat(world.body(body)["rotation"]).apply((0.0, 1.0, 0.0))
        angle = math.atan2(axis @ np.cross(along, across), axis @ across)
        total += 0.0 if last is None else (angle - last + math.pi) % (2.0 * math.pi) - math.pi
        last = angle
    assert total / (599 * TICK) == pytest.approx(rate, rel=5e-3)


def test_a_heavy_top_precesses_and_keeps_its_spin():
    """A gyroscope on a pin, its axis level: it goes round by m g l / (I_3 w_3), neither sinks nor speeds up."""
    spin, arm = 60.0, 0.4
    world = SmallWorld()
    wheel = world.add(world.box(0.05, 0.3, 0.3), (arm, 0.0, 0.0))
    world.world.joint.create("point", 0, wheel, (*UPRIGHT, 0.0, 0.0, 0.0), (*UPRIGHT, -arm, 0.0, 0.0))
    row = world.body(wheel)
    rate = mass_of(row) * 10.0 * arm / (inertia_of(row)[0, 0] * spin)
    world.turn(wheel, (spin, rate, 0.0))
    world.throw(wheel, np.cross((0.0, rate, 0.0), (arm, 0.0, 0.0)))
    total, last = 0.0, 0.0
    for _ in range(600):
        world.step()
        x, y, z = world.position(wheel)
        angle = math.atan2(-z, x)
        total += (angle - last + math.pi) % (2.0 * math.pi) - math.pi
        last = angle
        assert abs(y) < 0.02 * arm
        assert np.linalg.norm(world.spin(wheel)) == pytest.approx(math.hypot(spin, rate), rel=5e-3)
    assert total / (600 * TICK) == pytest.approx(rate, rel=0.01)


def test_an_even_body_keeps_its_spin_to_the_bit():
    world, body = spinning((0.3, 0.3, 0.3), (3.0, 20.0, 7.0))
    world.step(600)
    assert world.spin(body).tolist() == [3.0, 20.0, 7.0]
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    ball = world.add(world.sphere(0.5))
    world.turn(ball, (3.0, 20.0, 7.0))
    world.step(600)
    assert world.spin(ball).tolist() == [3.0, 20.0, 7.0]


def test_a_neighbour_changes_nothing():
    """Eight bodies are turned at a time: how one turns does not depend on the others."""

    def turned(alone: bool):
        world, body = spinning(SHAPES["brick"], (0.3, 8.0, 0.2))
        for k in range(0 if alone else 6):
            other = world.add(world.box(0.1, 0.2, 0.1 * (k + 1)), (10.0 * (k + 1), 0.0, 0.0))
            world.turn(other, (0.0, 3.0 * k, 1.0))
        world.step(300)
        return world.body(body)["rotation"].tolist(), world.spin(body).tolist()

    assert turned(True) == turned(False)
