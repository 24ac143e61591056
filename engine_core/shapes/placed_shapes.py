"""Shapes placed in a common frame, on a body or in a compound: bounds of each, mass of all.

Matrices are symmetric and packed as (xx, yy, zz, xy, xz, yz).
"""

import numpy as np

from ..geometry.vector import add, matrix_rows, quaternion, rotate, rotate_symmetric, scale, subtract, vector3
from ..runtime.kernel import kernel

FLOAT32 = np.float32
LARGE = 1.0e30
"""Extent of half spaces [m]."""
NO_INERTIA = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
UNIT_INERTIA = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)


@kernel
def packed6(m):
    """Read a packed matrix from an array, in double precision."""
    return (
        np.float64(m[0]), np.float64(m[1]), np.float64(m[2]), np.float64(m[3]), np.float64(m[4]), np.float64(m[5]),
    )  # fmt: skip


@kernel
def add6(a, b, factor):
    """a + factor b of packed matrices."""
    return (
        a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2],
        a[3] + factor * b[3], a[4] + factor * b[4], a[5] + factor * b[5],
    )  # fmt: skip


@kernel
def point_inertia(d):
    """Inertia of 1 kg at the offset d (parallel axis theorem)."""
    x, y, z = d
    return (y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z)


@kernel
def renew_instance_bounds(instance, shape):
    """Renew the bounds of a shape on a body, body frame, from the centre of mass. False for a shape without bounds."""
    own, out = shape.bounds, instance.bounds
    if own[3] - own[0] > 1.0e20:
        for k in range(3):
            out[k] = FLOAT32(-LARGE)
            out[3 + k] = FLOAT32(LARGE)
        return True
    if own[3] < own[0]:
        return False
    rows, position = matrix_rows(quaternion(instance.rotation)), vector3(instance.position)
    low, high = vector3(own), vector3(own[3:6])
    for k in range(3):
        row = rows[k]
        middle, half = position[k], 0.0
        for j in range(3):
            middle += row[j] * 0.5 * (low[j] + high[j])
            half += abs(row[j]) * 0.5 * (high[j] - low[j])
        out[k] = FLOAT32(middle - half)
        out[3 + k] = FLOAT32(middle + half)
    return True


@kernel
def weighs(instances, shapes, index):
    """Whether a shape on a body contributes to its mass: enabled, and with a volume."""
    instance = instances[index]
    return not instance.is_disabled and instance.shape >= 0 and shapes[instance.shape].volume > 0.0


@kernel
def center_of_part(instances, shapes, index):
    """Centre of mass of one shape on a body, body frame, from the user's origin [m]."""
    instance = instances[index]
    return add(
        vector3(instance.origin_position),
        rotate(quaternion(instance.rotation), vector3(shapes[instance.shape].center_of_mass)),
    )


@kernel
def shape_mass(instances, shapes, first, count):
    """Return `(volume [m^3], centre [m, from the origin], inertia about it for 1 kg [m^2])` of a body's shapes, all of one
    density. The volume is 0 if no shape has one."""
    total = 0.0
    center = (0.0, 0.0, 0.0)
    for k in range(first, first + count):
        if weighs(instances, shapes, k):
            volume = np.float64(shapes[instances[k].shape].volume)
            total += volume
            center = add(center, scale(center_of_part(instances, shapes, k), volume))
    if total <= 0.0:
        return 0.0, (0.0, 0.0, 0.0), UNIT_INERTIA
    center = scale(center, 1.0 / total)
    inertia = NO_INERTIA
    for k in range(first, first + count):
        if weighs(instances, shapes, k):
            shape = shapes[instances[k].shape]
            own = rotate_symmetric(quaternion(instances[k].rotation), packed6(shape.inertia))
            own = add6(own, point_inertia(subtract(center_of_part(instances, shapes, k), center)), 1.0)
            inertia = add6(inertia, own, np.float64(shape.volume) / total)
    return total, center, inertia
