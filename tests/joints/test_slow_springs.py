"""Springs that bring a body to its place more slowly than the thresholds of sleep: it arrives before it sleeps."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import scree

sys.path.insert(0, str(Path(__file__).parents[1] / "world"))
from public_words import block, empty, run, turned  # noqa: E402

OPEN = 1.5  # [rad]


def door(stiffness, damping):
    """A door of 1 m and 20 kg on a hinge with a spring that closes it, opened."""
    space = empty((0.0, 0.0, 0.0))
    leaf = space.add_rigid(block(0.5, 1.0, 0.02), (0.5, 0.0, 0.0), mass=20.0)
    spring = scree.Spring(stiffness=stiffness, damping=damping, target=0.0)
    hinge = space.add_joint(scree.Hinge(anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), spring=spring), leaf)
    leaf.rotation = turned((0.0, 1.0, 0.0), OPEN)
    leaf.position = tuple(Rotation.from_rotvec((0.0, OPEN, 0.0)).apply((0.5, 0.0, 0.0)))
    return space, leaf, hinge


def sprung_crate(space, half_size, height, **spring):
    """A crate of 1 kg that a spring moves along X."""
    crate = space.add_rigid(block(half_size, half_size, half_size), (0.0, height, 0.0), mass=1.0)
    space.add_joint(scree.Slider(axis=(1.0, 0.0, 0.0), spring=scree.Spring(**spring)), crate)
    return crate


@pytest.mark.parametrize("rate", (30, 60, 120))
@pytest.mark.parametrize(("stiffness", "damping"), [(10.0, 50.0), (2.0, 50.0), (10.0, 200.0)])
def test_a_slow_closer_shuts_the_door_and_then_it_sleeps(stiffness, damping, rate):
    """It closes as e^(-k t / c), and sleeps once it turns by less than 0.003 rad/s."""
    space, leaf, hinge = door(stiffness, damping)
    slowness = damping / stiffness
    for _ in range(3):
        run(space, round(slowness * rate), 1.0 / rate)
        assert not leaf.is_asleep
    assert hinge.position() == pytest.approx(OPEN * math.exp(-3.0), rel=0.1)
    run(space, round(4.0 * slowness * rate), 1.0 / rate)
    assert leaf.is_asleep
    assert abs(hinge.position()) < 0.004 * slowness


def test_a_slow_spring_of_a_slider_brings_its_body_home():
    space = empty((0.0, 0.0, 0.0))
    crate = sprung_crate(space, 0.1, 0.0, stiffness=10.0, damping=150.0, target=1.0)
    run(space, 5400)
    assert crate.is_asleep
    assert crate.position[0] == pytest.approx(1.0, abs=0.04)


def test_what_a_spring_presses_against_a_wall_sleeps():
    space = empty()
    space.add_static(scree.Plane())
    space.add_static(block(0.5, 1.0, 1.0), (1.0, 1.0, 0.0))
    crate = sprung_crate(space, 0.2, 0.2, stiffness=50.0, damping=20.0, target=5.0)
    run(space, 300)
    assert crate.is_asleep
    assert crate.position[0] == pytest.approx(0.3, abs=0.01)


def test_ragdolls_of_springs_in_a_heap_sleep():
    """Limbs that springs hold upright creep at times: the heap sleeps within 10 s all the same."""
    space, rng = empty(), np.random.default_rng(5)
    space.add_static(scree.Plane())
    spring = scree.Spring(stiffness=5.0, damping=1.0, target=0.0)
    limbs = []
    for k in range(12):
        x, y, z = rng.uniform(-0.5, 0.5), 1.0 + 0.6 * k, rng.uniform(-0.5, 0.5)
        row = [space.add_rigid(scree.Capsule(radius=0.1, height=0.5), (x, y, z + 0.6 * i), mass=2.0) for i in range(3)]
        for i in range(2):
            free = scree.Axis(spring=spring)
            anchor = (x, y, z + 0.6 * i + 0.3)
            space.add_joint(scree.SixDof(anchor=anchor, twist=free, swing_y=free, swing_z=free), row[i], row[i + 1])
        limbs += row
    run(space, 600)
    assert sum(limb.is_asleep for limb in limbs) == len(limbs)


@pytest.mark.parametrize("rate", (30, 60, 120))
@pytest.mark.parametrize(("period", "ratio"), [(8.0, 0.02), (8.0, 0.1), (8.0, 0.3), (3.0, 0.1)])
def test_a_door_does_not_sleep_where_it_turns_back(period, ratio, rate):
    """It slept at 38, 24 and 16 degrees, as it was slow there for half a second."""
    space = empty()
    leaf = space.add_rigid(block(0.5, 1.0, 0.02), (0.5, 0.0, 0.0), mass=20.0)
    inertia = 20.0 / 3.0
    spring = scree.Spring(
        stiffness=inertia * (2.0 * math.pi / period) ** 2, damping=2.0 * ratio * inertia * 2.0 * math.pi / period, target=0.0
    )
    hinge = space.add_joint(scree.Hinge(anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), spring=spring), leaf)
    leaf.rotation = turned((0.0, 1.0, 0.0), 0.8)
    leaf.position = tuple(Rotation.from_rotvec((0.0, 0.8, 0.0)).apply((0.5, 0.0, 0.0)))
    for _ in range(round(60 * rate)):
        space.step(1.0 / rate)
        if leaf.is_asleep:
            break
    assert leaf.is_asleep or ratio == 0.02
    assert not leaf.is_asleep or abs(hinge.position()) < math.radians(2.0)


def test_a_load_on_a_rail_comes_back_from_its_farthest_place():
    """50 kg that swing once in 8 s slept 0.34 m away."""
    space = empty()
    load = space.add_rigid(block(0.2, 0.2, 0.2), (0.0, 1.0, 0.0), mass=50.0)
    rate = 2.0 * math.pi / 8.0
    spring = scree.Spring(stiffness=50.0 * rate**2, damping=2.0 * 0.3 * 50.0 * rate, target=0.0)
    rail = space.add_joint(scree.Slider(axis=(1.0, 0.0, 0.0), spring=spring), load)
    load.velocity = (0.4, 0.0, 0.0)
    farthest = 0.0
    for _ in range(3600):
        space.step(1.0 / 60.0)
        farthest = max(farthest, rail.position())
        if load.is_asleep:
            break
    assert farthest > 0.3
    assert load.is_asleep
    assert abs(rail.position()) < 0.02
