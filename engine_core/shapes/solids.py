"""Rows of SHAPE of spheres, boxes, capsules and cylinders, which need no block: written by compiled code, for Python and for
calls that Python does not see.

Sizes are three numbers: a sphere's radius; a box's half extents; of what is along Y radius and height, a capsule's with its caps
[m]. Those that a kind has not are not read.
"""

import numpy as np

from ..geometry.mass import box_mass, capsule_mass, cylinder_mass, sphere_mass
from ..geometry.vector import store3
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import view
from .schema import BOX, CAPSULE, CYLINDER, EMPTY, SHAPE, SPHERE

FLOAT32, INT32 = np.float32, np.int32
SMALLEST, LARGEST = 1e-15, 1e15
"""What a size may be [m]."""
MOST_VOLUME = 1e38
"""More than a row can hold is told as this [m^3]."""
ROUNDING_OF_HEIGHT = 1e-5
"""A capsule may be so much shorter than its caps, as a fraction."""


@kernel
def is_size(value):
    """Whether a shape may be so large; False for NaN."""
    return value >= SMALLEST and value <= LARGEST


@kernel
def are_sizes(kind, sizes):
    """Whether a solid of this kind may have these sizes."""
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
    """What all solids have; `solid`: volume and inertia."""
    volume, inertia = solid
    for k in range(3):
        shape.bounds[k], shape.bounds[3 + k] = FLOAT32(-half_size[k]), FLOAT32(half_size[k])
    shape.volume, shape.inner_radius = FLOAT32(min(volume, MOST_VOLUME)), FLOAT32(inner_radius)
    for k in range(6):
        shape.inertia[k] = FLOAT32(inertia[k])


@kernel
def write_solid(shape, kind, sizes):
    """Write sizes that `are_sizes` to a row in which no other kind of shape was. It is EMPTY meanwhile."""
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
    """`write_solid` for Python; `row`: the address of a row of zeros."""
    write_solid(view(row, 1, SHAPE)[0], kind, (a, b, c))
