"""The size of a contact: a single point stands for a small patch, which brakes spinning in place.

A rigid ball has no patch: it would spin on the spot forever and never sleep. But where a ball rolls in a groove or on two rails,
its spin has a part about the normal of each contact, and a patch that is large enough to stop it soon would brake it: in a groove
of 60 degrees it would hardly roll. So the patch of a round body is as large as that only while the body spins about the normal
alone.
"""

import math

from ..bodies.overlap import size_of
from ..geometry.vector import dot, length_squared, subtract, vector3
from ..runtime.kernel import kernel

CONTACT_PATCH = 0.05
"""A contact point is a small patch, this part of the inner radius of the smaller body: it brakes spinning in place."""
ROLLING_PATCH = 5e-4
"""... of a round body that rolls or is at rest, this part."""
LEAST_SPIN = 0.05
"""A round body that spins more slowly about the normal is at rest [rad/s]: a third of what lets it sleep."""
MOST_ROLLING = 0.1
"""A round body rolls if its spin across the normal is more than this part of that about it; below that the patch grows evenly."""


@kernel
def patch_of(manifold, a, b, normal):
    """Radius of the patch of a manifold's points [m]. `normal`: world axes."""
    size = min(size_of(a), size_of(b))
    if manifold.point_count != 1 or (manifold.rounding_a == 0.0 and manifold.rounding_b == 0.0):
        return CONTACT_PATCH * size
    spin = subtract(vector3(a.angular_velocity), vector3(b.angular_velocity))
    about = abs(dot(spin, normal))
    if about < LEAST_SPIN:
        return ROLLING_PATCH * size
    across = math.sqrt(max(length_squared(spin) - about * about, 0.0))
    part = max(1.0 - across / (MOST_ROLLING * about), 0.0)
    return (ROLLING_PATCH + part * (CONTACT_PATCH - ROLLING_PATCH)) * size
