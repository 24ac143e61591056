"""Springs in every joint of a chain: stiff ones are solved with the tree, so that they win no energy."""

import math

import numpy as np
import pytest

import scree

TICK, MASS, LENGTH = 1.0 / 60.0, 0.05, 0.1
HALF = (0.049, 0.02, 0.02)
INERTIA = MASS * (HALF[0] ** 2 + HALF[1] ** 2) / 3.0
"""[kg m^2], of a rod."""


def chain(count: int, stiffness: float, ratio: float) -> tuple[scree.Space, list[scree.Body], list[scree.Joint]]:
    """Rods along x on hinges, the first one at the world, each with a spring [N m/rad] with a part of the critical damping."""
    settings = scree.SpaceSettings(is_sleeping_allowed=False)
    space = scree.World(threads=1).add_space(gravity=(0.0, 0.0, 0.0), settings=settings)
    spring = scree.Spring(stiffness=stiffness, damping=2.0 * ratio * math.sqrt(stiffness * INERTIA))
    rods, hinges = [], []
    for k in range(count):
        rod = space.add_rigid(scree.Box(half_extents=HALF), (LENGTH * (k + 0.5), 0.0, 0.0), mass=MASS)
        rod.linear_damp = rod.angular_damp = 0.0
        hinge = scree.Hinge(anchor=(LENGTH * k, 0.0, 0.0), axis=(0.0, 0.0, 1.0), spring=spring)
        hinges.append(space.add_joint(hinge, rod, to=rods[-1] if rods else None))
        rods.append(rod)
    return space, rods, hinges


@pytest.mark.parametrize("ratio", [0.02, 1.0])
@pytest.mark.parametrize("stiffness", [0.5, 10.0, 500.0])
@pytest.mark.parametrize("count", [1, 2, 3, 10])
def test_a_kick_brings_no_energy(count, stiffness, ratio):
    """Three rods with 10 N m/rad, damped, had 860,000 times the energy of the kick."""
    space, rods, hinges = chain(count, stiffness, ratio)
    rods[-1].angular_velocity = (0.0, 0.0, 1.0)
    kick = 0.5 * INERTIA
    for _ in range(240):
        space.step(TICK)
        moving = sum(
            0.5 * MASS * float(np.dot(rod.velocity, rod.velocity)) + 0.5 * INERTIA * rod.angular_velocity[2] ** 2 for rod in rods
        )
        bent = sum(0.5 * stiffness * hinge.position() ** 2 for hinge in hinges)
        assert moving + bent < 1.05 * kick
