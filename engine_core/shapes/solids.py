"""Rows of SHAPE of spheres, boxes, capsules and cylinders, which need no block. Compiled code writes them, for Python and for
calls that bypass Python.

Sizes are three numbers [m]: radius of a sphere; half extents of a box; radius and height of a capsule (with its caps) or
cylinder. Sizes that a kind does not use are not read.
"""

import numpy as np

from ..geometry.mass import box_mass, capsule_mass, cylinder_mass, sphere_mass
from ..geometry.vector import store3
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import view
from .schema import BOX, CAPSULE, CYLINDER, EMPTY, SHAPE, SPHERE

FLOAT32, INT32 = np.float32, np.int32
SMALLEST, LARGEST = 1e-15, 1e15
"""Limits of a size [m]."""
MOST_VOLUME = 1e38
"""Larger volumes are stored as this [m^3]."""
ROUNDING_OF_HEIGHT = 1e-5
"""How much shorter than its caps a capsule may be, as a fraction."""


@kernel
def is_size(value):
    """Whether a size is within the limits; False for NaN."""
    return value >= SMALLEST and value <= LARGEST


@kernel
def are_sizes(kind, sizes):
    """Whether the sizes are valid for a solid of this kind."""
    a, b, c = sizes
    if kind == SPHERE:
        return is_size(a)
    if kind == BOX:
        return is_size(a) and is_size(b) and is_size(c)
    if kind == CAPSULE:
        return is_size(a) and is_size(b) and b >= 2.0 * a * (1.0 - ROUNDING_OF_HEIGHT)
    return kind == CYLINDER and is_size(a) and is_size(b)


@kernel
def _write(shape, half_size, solid, inner_radius):
    """Write what all solids have in common; `solid`: volume and inertia."""
    volume, inertia = solid
    for k in range(3):
        shape.bounds[k], shape.bounds[3 + k] = FLOAT32(-half_size[k]), FLOAT32(half_size[k])
    shape.volume, shape.inner_radius = FLOAT32(min(volume, MOST_VOLUME)), FLOAT32(inner_radius)
    for k in range(6):
        shape.inertia[k] = FLOAT32(inertia[k])


@kernel
def write_solid(shape, kind, sizes):
    """Write sizes that `are_sizes` accepts to a row that held no other kind of shape. The row is EMPTY meanwhile."""
    shape.kind = INT32(EMPTY)
    a, b, c = sizes
    if kind == SPHERE:
        shape.radius = FLOAT32(a)
        _write(shape, (a, a, a), sphere_mass(a), a)
    elif kind == BOX:
        store3(shape.half_extents, sizes)
        _write(shape, sizes, box_mass(sizes), min(a, b, c))
    elif kind == CAPSULE:
        half_height = max(0.5 * b - a, 0.0)
        shape.radius, shape.half_height = FLOAT32(a), FLOAT32(half_height)
        _write(shape, (a, half_height + a, a), capsule_mass(a, half_height), a)
    else:
        shape.radius, shape.half_height = FLOAT32(a), FLOAT32(0.5 * b)
        _write(shape, (a, 0.5 * b, a), cylinder_mass(a, 0.5 * b), min(a, 0.5 * b))
    shape.kind = INT32(kind)


@entry_point("void(int64, int64, float64, float64, float64)")
def cook_solid(row, kind, a, b, c):
    """Call `write_solid` from Python; `row`: the address of a zeroed row."""
    write_solid(view(row, 1, SHAPE)[0], kind, (a, b, c))
