"""Mass, centre of mass and inertia of a body from its shapes. Runs when shapes or mass change, not in the step.

Matrices are symmetric and packed as (xx, yy, zz, xy, xz, yz).
"""

import numpy as np

from ..geometry.vector import (
    add, cross, length_squared, quaternion, rotate, rotate_symmetric, scale, store3, subtract, vector3,
)  # fmt: skip
from ..runtime.kernel import kernel
from ..runtime.memory import view
from ..shapes.schema import SHAPE
from .schema import CUSTOM_CENTER_OF_MASS, INSTANCE, IS_AREA, RIGID, RIGID_LINEAR, WORLD

NO_INERTIA = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
UNIT_INERTIA = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)


@kernel
def packed6(m):
    """A packed matrix out of an array, in double."""
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
    """Inertia of 1 kg at the offset d: what the parallel axis theorem adds."""
    x, y, z = d
    return (y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z)


@kernel
def inverse6(m):
    """The inverse of a packed matrix; zero if it has none."""
    xx, yy, zz, xy, xz, yz = m
    c0, c1, c2 = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    determinant = xx * c0 + xy * c1 + xz * c2
    if not determinant > 0.0:
        return NO_INERTIA
    f = 1.0 / determinant
    return (c0 * f, (xx * zz - xz * xz) * f, (xx * yy - xy * xy) * f, c1 * f, c2 * f, (xy * xz - xx * yz) * f)


@kernel
def weighs(instances, shapes, index):
    """Whether a shape on a body adds to its mass: enabled, and with a volume."""
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
    """`(volume [m^3], centre [m, from the origin], inertia about it for 1 kg [m^2])` of a body's shapes, all of one density.
    The volume is 0 where nothing has one."""
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


@kernel
def own_axes(inertia, wanted):
    """Inertia with the axes that the user set; 0 leaves an axis as it is."""
    xx, yy, zz, xy, xz, yz = inertia
    if wanted[0] > 0.0:
        xx, xy, xz = wanted[0], 0.0, 0.0
    if wanted[1] > 0.0:
        yy, xy, yz = wanted[1], 0.0, 0.0
    if wanted[2] > 0.0:
        zz, xz, yz = wanted[2], 0.0, 0.0
    return (xx, yy, zz, xy, xz, yz)


@kernel
def move_center(body, center):
    """Change the centre of mass of a body without moving its matter."""
    by = subtract(center, vector3(body.center_of_mass))
    if length_squared(by) == 0.0:
        return
    shift = rotate(quaternion(body.rotation), by)
    target_shift = rotate(quaternion(body.target_rotation), by)
    for k in range(3):
        body.position[k] += shift[k]
        body.target_position[k] += target_shift[k]
    if body.mode >= RIGID:
        store3(body.linear_velocity, add(vector3(body.linear_velocity), cross(vector3(body.angular_velocity), shift)))
    store3(body.center_of_mass, center)


@kernel
def renew_mass(world, body):
    """Set centre of mass, inverse mass and inverse inertia of a body; the user's origin stays where it is. Areas have none of
    it."""
    if body.flags & IS_AREA:
        return
    record = view(world, 1, WORLD)[0]
    instances = view(record.instances, record.instance_capacity, INSTANCE)
    shapes = view(record.shapes, record.shape_capacity, SHAPE)
    first, count = max(body.first_instance, 0), body.instance_count
    volume, center, inertia = shape_mass(instances, shapes, first, count)
    if body.flags & CUSTOM_CENTER_OF_MASS:
        own_center = vector3(body.center_of_mass)
        if volume > 0.0:
            inertia = add6(inertia, point_inertia(subtract(center, own_center)), 1.0)
        center = own_center
    mass = np.float64(body.mass)
    inertia = own_axes(add6(NO_INERTIA, inertia, mass), vector3(body.inertia))
    move_center(body, center)
    body.inverse_mass = 1.0 / mass if body.mode >= RIGID else 0.0
    turns = body.mode >= RIGID and body.mode != RIGID_LINEAR
    inverse = inverse6(inertia) if turns else NO_INERTIA
    for k in range(6):
        body.inverse_inertia_local[k] = inverse[k]
    for k in range(first, first + count):
        store3(instances[k].position, subtract(vector3(instances[k].origin_position), vector3(body.center_of_mass)))
