"""The size of a contact: a single point stands for a small patch, which brakes spinning in place.

A rigid ball has no patch: it would spin on the spot forever and never sleep. But where a ball rolls in a groove or on two rails,
its spin has a part about the normal of each contact, and a patch that is large enough to stop it soon would brake it: in a groove
of 60 degrees it would hardly roll. So the patch of a ball is as large as that only while the ball spins about the normal alone.
"""

import math

from ..bodies.overlap import size_of
from ..geometry.vector import dot, length_squared, subtract, vector3
from ..runtime.kernel import kernel

CONTACT_PATCH = 0.05
"""A contact point is a small patch, this part of the inner radius of the smaller body: it brakes spinning in place."""
ROLLING_PATCH = 5e-4
"""... of a ball that rolls or is at rest, this part."""
CORNER_OF_BALL = 1.001 * math.sqrt(3.0)
"""The corner of a ball's bounds is so many radii from its centre; a little more, as numbers are rounded."""
LEAST_SPIN = 0.05
"""A ball that spins more slowly about the normal is at rest [rad/s]: a third of what lets it sleep."""
MOST_ROLLING = 0.1
"""A ball rolls if its spin across the normal is more than this part of that about it; below that the patch grows evenly."""


@kernel
def is_ball(body, rounding):
    """Whether a body that is round at a contact, with a radius `rounding` [m], is a ball: its bounds reach no farther."""
    return 0.0 < body.extent <= CORNER_OF_BALL * rounding


@kernel
def patch_of(manifold, a, b, normal):
    """Radius of the patch of a manifold's points [m]. `normal`: world axes."""
    size = min(size_of(a), size_of(b))
    if manifold.point_count != 1 or not (is_ball(a, manifold.rounding_a) or is_ball(b, manifold.rounding_b)):
        return CONTACT_PATCH * size
    spin = subtract(vector3(a.angular_velocity), vector3(b.angular_velocity))
    about = abs(dot(spin, normal))
    if about < LEAST_SPIN:
        return ROLLING_PATCH * size
    across = math.sqrt(max(length_squared(spin) - about * about, 0.0))
    part = max(1.0 - across / (MOST_ROLLING * about), 0.0)
    return (ROLLING_PATCH + part * (CONTACT_PATCH - ROLLING_PATCH)) * size
