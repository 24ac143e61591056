"""The spin of a soft body as a whole, beside least squares."""

from types import SimpleNamespace

import numpy as np
import pytest

from scree.core.soft_bodies import SoftBody


def spin_of(positions, velocities, masses):
    parts = SimpleNamespace(positions=positions, velocities=velocities, _masses=masses, mass=float(masses.sum()))
    return np.array(SoftBody.mean_spin(parts))


@pytest.mark.parametrize("count", (1, 2, 3, 40))
@pytest.mark.parametrize("is_straight", (False, True))
def test_the_spin_is_that_of_a_rigid_body_with_the_same_angular_momentum(count, is_straight):
    """Points on a line, and a point alone, have no spin about it."""
    rng = np.random.default_rng(count)
    line = rng.normal(size=3)
    positions = np.outer(rng.normal(size=count), line) if is_straight else rng.normal(size=(count, 3))
    masses, spin = rng.uniform(0.1, 2.0, count), rng.normal(size=3)
    velocities = np.cross(spin, positions) + rng.normal(size=3)
    middle = (masses[:, None] * positions).sum(0) / masses.sum()
    arms = positions - middle
    inertia = sum(m * (arm @ arm * np.eye(3) - np.outer(arm, arm)) for m, arm in zip(masses, arms, strict=True))
    momentum = (masses[:, None] * np.cross(arms, velocities)).sum(0)
    wanted = np.linalg.lstsq(inertia, momentum, rcond=1e-9)[0] if count > 1 else np.zeros(3)
    np.testing.assert_allclose(spin_of(positions, velocities, masses), wanted, atol=1e-9)
    if count > 2 and not is_straight:
        np.testing.assert_allclose(wanted, spin, atol=1e-9)
