"""How deep bodies may overlap before they are pushed apart: two settings of a space, less for small bodies.

By default bodies rest on the surface. The limbs of rag dolls and the links of chains press into each other, as flesh does: their
heaps are nearly as dense as those of an engine in which every body sinks (by 20 mm in Jolt). Into what does not move they do not:
wheels on joints would lean in what they may overlap, and a car would run to one side.
"""

from ..runtime.kernel import kernel
from .schema import HAS_JOINT

MOST_OVERLAP = 0.0625
"""Largest overlap that is left alone, in inner radii of the smaller body: a small body does not sink out of sight."""
DEEP_PART_OF_SIZE = 0.2
"""Bodies overlap deeply from this much more than the allowed overlap, in inner radii of the smaller body."""


@kernel
def size_of(body):
    """Inner radius of a body; infinite for planes and meshes, which have none [m]."""
    return float(body.inner_radius) if body.inner_radius > 0.0 else 1.0e3


@kernel
def is_linked(body):
    """Whether a body moves and has a joint."""
    return body.inverse_mass != 0.0 and body.flags & HAS_JOINT != 0


@kernel
def allowed_overlap(system, a, b):
    """The overlap of two bodies that is left alone [m]."""
    slop = system.settings.penetration_slop
    if is_linked(a) and is_linked(b):
        slop = max(slop, system.settings.articulated_penetration_slop)
    return min(slop, MOST_OVERLAP * min(size_of(a), size_of(b)))


@kernel
def is_deep_by(a, b, overlap):
    """Whether two bodies that overlap by so much more than is allowed [m] overlap deeply."""
    return overlap > DEEP_PART_OF_SIZE * min(size_of(a), size_of(b))


@kernel
def is_deep(system, a, b, separation):
    """Whether two bodies with this separation [m] overlap deeply, more than bodies do that have just met."""
    return is_deep_by(a, b, -(separation + allowed_overlap(system, a, b)))
