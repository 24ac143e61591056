"""How deep bodies may lie in each other before they are pushed apart: two settings of a space, less for small bodies.

Unless told otherwise what moves free of joints rests on the surface. The limbs of rag dolls and the links of chains press into
each other and into what does not move, as flesh does: their heaps lie as dense as where every body sinks (by 20 mm in Jolt).
"""

from ..runtime.kernel import kernel
from .schema import HAS_JOINT

MOST_OVERLAP = 0.0625
"""Part of the inner radius of the smaller body: nothing sinks out of sight, however small."""
DEEP_PART_OF_SIZE = 0.2
"""Bodies that overlap by so much more than they may lie deep in each other; in parts of the inner radius of the smaller one."""


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
    if not is_free(a) and not is_free(b):
        slop = max(slop, system.articulated_penetration_slop)
    return min(slop, MOST_OVERLAP * min(size_of(a), size_of(b)))


@kernel
def is_deep(system, a, b, separation):
    """Whether two bodies with this separation [m] have not just met, but lie in each other; never for planes and meshes."""
    smaller = min(float(a.inner_radius), float(b.inner_radius))
    return smaller > 0.0 and separation + allowed_overlap(system, a, b) < -DEEP_PART_OF_SIZE * smaller
