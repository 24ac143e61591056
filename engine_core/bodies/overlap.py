"""How deep bodies may lie in each other before they are pushed apart.

What moves free of joints rests on the surface. The limbs of rag dolls and the links of chains press into each other and into what
does not move, as flesh does: their heaps lie as dense as in engines that let every body sink (Jolt by 20 mm).
"""

from ..runtime.kernel import kernel
from .schema import HAS_JOINT

ARTICULATED_OVERLAP = 0.0625
"""Bodies on joints lie in each other at most by this part of the inner radius of the smaller."""


@kernel
def size_of(body):
    """Inner radius of a body; infinite for planes and meshes, which have none [m]."""
    return float(body.inner_radius) if body.inner_radius > 0.0 else 1.0e3


@kernel
def is_free(body):
    """Whether a body moves, and no joint holds it."""
    return body.inverse_mass != 0.0 and body.flags & HAS_JOINT == 0


@kernel
def allowed_overlap(system, a, b):
    """The overlap of two bodies that is left alone [m]."""
    slop = system.penetration_slop
    if is_free(a) or is_free(b):
        return slop
    return max(slop, min(system.articulated_penetration_slop, ARTICULATED_OVERLAP * min(size_of(a), size_of(b))))
