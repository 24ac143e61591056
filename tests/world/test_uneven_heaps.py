"""Heaps of bodies of 1 to 1,000 kg: they gain no energy, fall asleep and lie on the floor."""

import numpy as np
import pytest
from test_loads_and_landings import TICK, energy, with_floor

import scree


def heap(seed: int) -> tuple[scree.Space, list, list]:
    """2 to 12 bodies of 1 to 1,000 kg that fall, turned at random, into a bin of 5 m; and their least heights [m]."""
    random = np.random.default_rng(seed)
    space = with_floor(float(random.uniform(0.2, 1.0)), sleeps=True)
    for x, z in ((3.0, 0.0), (-3.0, 0.0), (0.0, 3.0), (0.0, -3.0)):
        space.add_static(scree.Box(half_extents=(0.5, 30.0, 4.0) if x else (4.0, 30.0, 0.5)), (x, 30.0, z))
    bodies, least = [], []
    for k in range(random.integers(2, 13)):
        size = random.uniform(0.2, 0.6, 3)
        shape = (
            scree.Box(half_extents=tuple(size)), scree.Sphere(radius=size[0]), scree.Cylinder(radius=size[0], height=2 * size[1]),
            scree.Capsule(radius=size[0], height=2 * size[0] + size[1]),
        )[random.integers(4)]  # fmt: skip
        turn = random.normal(size=4)
        place, mass = (random.uniform(-0.6, 0.6), 1.2 + 1.9 * k, random.uniform(-0.6, 0.6)), float(10 ** random.uniform(0, 3))
        bodies.append(space.add_rigid(shape, place, tuple(turn / np.linalg.norm(turn)), mass=mass, angular_damp=0.5))
        least.append(size[0] if isinstance(shape, (scree.Sphere, scree.Capsule)) else min(size))
    return space, bodies, least


def whole_energy(bodies) -> float:
    """The energy of bodies that turn [J]."""
    spins = [np.asarray(body.basis).reshape(3, 3).T @ body.angular_velocity for body in bodies]
    return energy(bodies) + sum(0.5 * float(body.inertia @ spin**2) for body, spin in zip(bodies, spins, strict=True))


@pytest.mark.parametrize("seed", (0, 1, 2, 3, 4, 5, 13, 17))
def test_a_heap_of_any_masses_gains_no_energy_and_falls_asleep(seed):
    """No tick brings it 1 % of its first energy above the least; no body is 5 % of its smallest half size in the floor."""
    space, bodies, least = heap(seed)
    first = lowest = whole_energy(bodies)
    for _ in range(1200):
        space.step(TICK)
        now = whole_energy(bodies)
        assert now < lowest + 0.01 * first
        lowest = min(lowest, now)
        if all(body.is_asleep for body in bodies):
            break
    assert all(body.is_asleep for body in bodies)
    assert all(body.position[1] > 0.95 * size for body, size in zip(bodies, least, strict=True))
