"""The traits of each kind of shape, in one table.

Python reads `TRAITS`. Compiled code calls the functions below: each tests a bit of a constant that is made from the table, at the
cost of comparing two numbers. Code that treats each kind differently (a ray against a sphere, against a box) compares kinds
itself, in the one function that chooses.
"""

from typing import NamedTuple

import numpy as np

from ..runtime.kernel import kernel
from .schema import (
    BOX, CAPSULE, COMPOUND, COMPOUND_BLOCK, CUSTOM, CUSTOM_BLOCK, CYLINDER, ELLIPSOID, EMPTY, HEIGHT_FIELD, HULL, HULL_BLOCK,
    KIND_NAMES, MESH, MESH_BLOCK, PLANE, SEPARATION_RAY, SPHERE, STRUCTURE, STRUCTURE_BLOCK, TAPERED_CAPSULE, TAPERED_CYLINDER,
    TRIANGLE,
)  # fmt: skip


class Traits(NamedTuple):
    """The traits of one kind. All are False or None where the table says nothing."""

    is_made: bool = True
    """Users can make one; such shapes collide."""
    can_be_met: bool = True
    """It has a surface or a volume: casts, sweeps, overlaps and areas find it."""
    is_convex: bool = False
    """It has a core for GJK (`core.describe_core`): it can be the moving shape, and collides with the triangles of a mesh."""
    is_round: bool = False
    """A segment along Y, or a point, with a radius: collided by distances of segments."""
    is_polytope: bool = False
    """All its faces are flat: collided by separating axes."""
    is_support: bool = False
    """Defined by its support function alone: collided by GJK and EPA. Its contact point wanders as it rolls."""
    is_surface: bool = False
    """Ground: it cannot be the moving shape, and two of these do not collide."""
    has_sizes: bool = False
    """Up to three sizes define it, and compiled code writes its row (solids.py)."""
    block: np.dtype | None = None
    """The type of the record that `block` of its row points to."""
    is_stored: bool = True
    """Its bytes can be saved; a custom shape's function is code."""
    can_be_part: bool = True
    """It can be a part of a static compound."""


TRAITS = {
    EMPTY: Traits(is_made=False, can_be_met=False),
    SPHERE: Traits(is_convex=True, is_round=True, has_sizes=True),
    CAPSULE: Traits(is_convex=True, is_round=True, has_sizes=True),
    BOX: Traits(is_convex=True, is_polytope=True, has_sizes=True),
    HULL: Traits(is_convex=True, is_polytope=True, block=HULL_BLOCK),
    CYLINDER: Traits(is_convex=True, has_sizes=True),
    TRIANGLE: Traits(is_made=False),  # one of a mesh, while it is collided
    PLANE: Traits(is_surface=True),
    MESH: Traits(is_surface=True, block=MESH_BLOCK),
    HEIGHT_FIELD: Traits(is_surface=True, block=MESH_BLOCK),  # of the user; its row is of kind MESH
    SEPARATION_RAY: Traits(can_be_met=False),
    COMPOUND: Traits(block=COMPOUND_BLOCK),  # its parts collide
    TAPERED_CAPSULE: Traits(is_convex=True, is_support=True),
    TAPERED_CYLINDER: Traits(is_convex=True, is_support=True),
    ELLIPSOID: Traits(is_convex=True, is_support=True),
    CUSTOM: Traits(is_convex=True, is_support=True, block=CUSTOM_BLOCK, is_stored=False),
    STRUCTURE: Traits(block=STRUCTURE_BLOCK, can_be_part=False),  # its bricks collide
}
if list(TRAITS) != list(range(len(KIND_NAMES))) or len(TRAITS) > 63:
    raise RuntimeError("traits.py: each kind of schema.py needs one row, in that order")


def kinds_with(trait: str) -> tuple[int, ...]:
    """The kinds that have a trait."""
    return tuple(kind for kind, traits in TRAITS.items() if getattr(traits, trait))


def _bits(trait: str) -> int:
    return sum(1 << kind for kind in kinds_with(trait))


MET, CONVEX, ROUND, POLYTOPE = _bits("can_be_met"), _bits("is_convex"), _bits("is_round"), _bits("is_polytope")
SUPPORT, SURFACE, SIZED = _bits("is_support"), _bits("is_surface"), _bits("has_sizes")


@kernel
def can_be_met(shape):
    """Whether a row of SHAPE can be hit: it is neither empty nor a separation ray."""
    return MET >> shape.kind & 1 != 0


@kernel
def is_convex(shape):
    """Whether a row of SHAPE has a core for GJK."""
    return CONVEX >> shape.kind & 1 != 0


@kernel
def is_round(shape):
    """Whether a row of SHAPE is a sphere or a capsule."""
    return ROUND >> shape.kind & 1 != 0


@kernel
def is_polytope(shape):
    """Whether a row of SHAPE is a box or a hull."""
    return POLYTOPE >> shape.kind & 1 != 0


@kernel
def is_support_shape(shape):
    """Whether a row of SHAPE is defined by its support function alone."""
    return SUPPORT >> shape.kind & 1 != 0


@kernel
def is_surface(shape):
    """Whether a row of SHAPE cannot be the moving shape: a plane, a mesh or a height field."""
    return SURFACE >> shape.kind & 1 != 0


@kernel
def has_sizes(shape):
    """Whether up to three sizes define a row of SHAPE."""
    return SIZED >> shape.kind & 1 != 0
