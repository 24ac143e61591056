"""Limits of what the trapdoor bears."""

from scree.runtime.kernel import kernel

HEAVIEST = 10.0  # [kg]


@kernel
def is_too_heavy(mass):
    return mass > HEAVIEST
