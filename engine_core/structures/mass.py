"""Sums of mass, first and second moments about the structure's origin, changed by each edit in constant time.

A box with whole-number corners and a whole-number density has whole moments, if they are multiplied by what the formulas divide
by: m = density * volume; m * 2c; m * (3 (2c)^2 + side^2), twelve times the second moment about the origin along an axis (own part
included: m side^2 / 12); m * 2c * 2c, four times the mixed one. They are summed in 128 bits: exact, so the sums do not depend on
the order of edits, and a removal takes away what the insertion gave. Boxes placed freely are summed in double precision: after n
edits the error is below n * 1.2e-16 of the largest sum so far.
"""

import numpy as np

from ..geometry.vector import quaternion, rotate_symmetric, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_record, view
from ..runtime.wide_integers import add_product
from .schema import FREE_BOX, LEAVING, PLACEMENT, SUMS

MASS, FIRST, SECOND = (SUMS.fields[name][1] for name in ("mass", "first", "second"))
MOST_MASS = 1 << 52
"""The largest mass of one brick: density times volume, in units. 2^24 of the heaviest fit into 128 bits wherever they lie."""


@kernel
def is_free(brick):
    """Whether a brick is placed freely."""
    return (brick.kind & ~np.int64(LEAVING)) == FREE_BOX


@kernel
def _side_and_sum(brick, axis):
    """A side of a box with whole-number corners, and twice its centre, along an axis."""
    low, high = np.int64(brick.low[axis]), np.int64(brick.high[axis])
    return high - low, high + low


@kernel
def add_whole(sums, brick, sign):
    """Add (sign 1) or take away (-1) a box with whole-number corners."""
    address = address_of_record(sums)
    x, a = _side_and_sum(brick, 0)
    y, b = _side_and_sum(brick, 1)
    z, c = _side_and_sum(brick, 2)
    mass = sign * np.int64(brick.density) * x * y * z
    add_product(address + MASS, mass, np.int64(1))
    add_product(address + FIRST, mass, a)
    add_product(address + FIRST + 16, mass, b)
    add_product(address + FIRST + 32, mass, c)
    add_product(address + SECOND, mass, 3 * a * a + x * x)
    add_product(address + SECOND + 16, mass, 3 * b * b + y * y)
    add_product(address + SECOND + 32, mass, 3 * c * c + z * z)
    add_product(address + SECOND + 48, mass, a * b)
    add_product(address + SECOND + 64, mass, b * c)
    add_product(address + SECOND + 80, mass, c * a)


@kernel
def add_free(sums, brick, placement, sign):
    """Add (sign 1.0) or take away (-1.0) a box placed freely."""
    half, c = vector3(placement.half_extents), vector3(placement.center)
    mass = sign * np.float64(brick.density) * 8.0 * half[0] * half[1] * half[2]
    third = mass / 3.0
    own = (third * half[0] * half[0], third * half[1] * half[1], third * half[2] * half[2], 0.0, 0.0, 0.0)
    xx, yy, zz, xy, xz, yz = rotate_symmetric(quaternion(placement.rotation), own)
    free = sums.free
    free[0] += mass
    for axis in range(3):
        free[1 + axis] += mass * c[axis]
    free[4] += xx + mass * c[0] * c[0]
    free[5] += yy + mass * c[1] * c[1]
    free[6] += zz + mass * c[2] * c[2]
    free[7] += xy + mass * c[0] * c[1]
    free[8] += yz + mass * c[1] * c[2]
    free[9] += xz + mass * c[2] * c[0]


@kernel
def add_mass(s, row, brick, sign):
    """Add (sign 1) or take away (-1) the brick in a row."""
    if is_free(brick):
        add_free(s.sums, brick, view(s.placements, s.bricks.capacity, PLACEMENT)[row], np.float64(sign))
    else:
        add_whole(s.sums, brick, np.int64(sign))
