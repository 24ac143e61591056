"""Two joints between the same two bodies, in line or nearly: doors on two hinges, parts on two pins; and loops of sliders. They
are redundant but for an error of the hand that placed them, and no energy comes from it."""

import numpy as np
import pytest

import scree

TICK = 1.0 / 60.0


def box(x, y, z) -> scree.Box:
    return scree.Box(half_extents=(x / 2, y / 2, z / 2))


def ground() -> scree.Space:
    space = scree.World(threads=1).add_space()
    space.add_static(scree.Plane(normal=(0, 1, 0)))
    return space


def fastest(space, bodies, ticks) -> float:
    """The greatest speed of bodies in some ticks [m/s]."""
    speed = 0.0
    for _ in range(ticks):
        space.step(TICK)
        speed = max(speed, *(float(np.linalg.norm(body.velocity)) for body in bodies))
    return speed


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("off", [0.0, 1e-5, 5e-4, 1e-3, 2e-3, 5e-3])
@pytest.mark.parametrize("mass", [0.0, 50.0], ids=["wall", "cupboard"])
def test_a_door_on_two_hinges_that_are_a_little_out_of_line_swings(mass, off, swapped):
    """`off` [m]: of the second hinge from the axis of the first."""
    space = ground()
    frame, at = box(0.6, 2, 0.6), (-0.3, 1.01, 0)
    frame = space.add_rigid(frame, at, mass=mass) if mass else space.add_static(frame, at)
    door = space.add_rigid(box(1, 1.8, 0.1), (0.7, 1.2, 0), mass=10.0)
    space.add_joint(scree.Hinge(anchor=(0.15, 1.8, 0), axis=(0, 1, 0)), door, frame)
    pair = (frame, door) if swapped and mass else (door, frame)
    space.add_joint(scree.Hinge(anchor=(0.15, 0.6, off), axis=(0, 1, 0)), *pair)
    door.angular_velocity, door.velocity = (0, 2, 0), (0, 0, -1.1)
    assert fastest(space, [door], 300) < 1.3
    assert np.linalg.norm(door.angular_velocity) > 1.8


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("apart", [0.0, 1e-3, 1e-2, 3e-2])
def test_two_pins_side_by_side_give_no_energy(apart, swapped):
    """Two boxes fall 1.75 m and turn; `apart` [m]: the pins."""
    for seed in range(6):
        space = ground()
        pair = [space.add_rigid(box(0.5, 0.5, 0.5), (x, 2, 0), density=1000.0) for x in (0.0, 0.7)]
        pair[0].angular_velocity = np.random.default_rng(seed).normal(size=3)
        space.add_joint(scree.Pin(anchor=(0.35, 2, 0)), *pair)
        space.add_joint(scree.Pin(anchor=(0.35, 2, apart)), *(reversed(pair) if swapped else pair))
        assert fastest(space, pair, 300) < 7.0


@pytest.mark.parametrize("count", [3, 4])
def test_a_loop_of_parallel_sliders_tumbles_without_winning_energy(count):
    """Boxes in a ring, thrown on the ground: three in a ring reached 1e8 m/s in three of 16 runs."""
    places = [(0, 2, 0), (1, 2, 0), (0.5, 2, 0.9)] if count == 3 else [(0, 2, 0), (1, 2, 0), (1, 2, 1), (0, 2, 1)]
    for seed in range(16):
        random, space = np.random.default_rng(seed), ground()
        ring = [space.add_rigid(box(0.5, 0.5, 0.5), place, density=100.0) for place in places]
        for k in range(count):
            middle = (np.array(places[k]) + places[(k + 1) % count]) / 2
            space.add_joint(scree.Slider(anchor=middle, axis=(1, 0, 0), limits=(-1, 1)), ring[k], ring[(k + 1) % count])
        for body in ring:
            body.velocity, body.angular_velocity = random.normal(size=3) * 2, random.normal(size=3) * 2
        assert fastest(space, ring, 300) < 12.0, seed
