"""Mass, centre of mass and inertia of a body from its shapes. Computed when shapes or mass change, not in the step.

Matrices are symmetric and packed as (xx, yy, zz, xy, xz, yz).
"""

import numpy as np

from ..geometry.vector import add, cross, length_squared, quaternion, rotate, store3, subtract, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import view
from ..shapes.placed_shapes import NO_INERTIA, add6, point_inertia, shape_mass
from ..shapes.schema import SHAPE, STRUCTURE
from .rare import own_rare, rare_of
from .records import world_at
from .schema import CUSTOM_CENTER_OF_MASS, HAS_RARE, INSTANCE, IS_AREA, RIGID, RIGID_LINEAR


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
def own_axes(inertia, wanted):
    """Inertia about the axes, replaced by the user's where that is not 0."""
    xx, yy, zz, xy, xz, yz = inertia
    if wanted[0] > 0.0:
        xx, xy, xz = wanted[0], 0.0, 0.0
    if wanted[1] > 0.0:
        yy, xy, yz = wanted[1], 0.0, 0.0
    if wanted[2] > 0.0:
        zz, xz, yz = wanted[2], 0.0, 0.0
    return (xx, yy, zz, xy, xz, yz)


@kernel
def keeps_points_moving(world_address, body):
    """Whether the points of a body keep their velocities where its centre of mass changes, as matter that is added or taken off
    does. Otherwise the velocity of the centre of mass stays: a body of a given mass keeps its momentum."""
    if rare_of(world_address, body).density > 0.0:
        return True
    record = world_at(world_address)
    instances = view(record.instances, record.instance_capacity, INSTANCE)
    shapes = view(record.shapes, record.shape_capacity, SHAPE)
    first = max(body.first_instance, 0)
    for k in range(first, first + body.instance_count):
        if shapes[instances[k].shape].kind == STRUCTURE:
            return True
    return False


@kernel
def move_center(world_address, body, center):
    """Change the centre of mass of a body without moving its shapes."""
    by = subtract(center, vector3(body.center_of_mass))
    if length_squared(by) == 0.0:
        return
    shift = rotate(quaternion(body.rotation), by)
    store3(body.position, add(vector3(body.position), shift))
    if body.flags & HAS_RARE:
        rare = own_rare(world_address, body)
        store3(rare.target_position, add(vector3(rare.target_position), rotate(quaternion(rare.target_rotation), by)))
    if body.mode >= RIGID and keeps_points_moving(world_address, body):
        store3(body.linear_velocity, add(vector3(body.linear_velocity), cross(vector3(body.angular_velocity), shift)))
    store3(body.center_of_mass, center)


@kernel
def renew_mass(world_address, body):
    """Set centre of mass, inverse mass and inverse inertia of a body; the user's origin stays in place. Areas have none of
    these."""
    if body.flags & IS_AREA:
        return
    record = world_at(world_address)
    instances = view(record.instances, record.instance_capacity, INSTANCE)
    shapes = view(record.shapes, record.shape_capacity, SHAPE)
    first, count = max(body.first_instance, 0), body.instance_count
    volume, center, inertia = shape_mass(instances, shapes, first, count)
    if body.flags & CUSTOM_CENTER_OF_MASS:
        own_center = vector3(body.center_of_mass)
        if volume > 0.0:
            inertia = add6(inertia, point_inertia(subtract(center, own_center)), 1.0)
        center = own_center
    density = np.float64(rare_of(world_address, body).density)
    if density > 0.0 and volume > 0.0:
        body.mass = np.float32(density * volume)
    mass = np.float64(body.mass)
    inertia = own_axes(add6(NO_INERTIA, inertia, mass), vector3(rare_of(world_address, body).inertia))
    move_center(world_address, body, center)
    body.inverse_mass = 1.0 / mass if body.mode >= RIGID else 0.0
    turns = body.mode >= RIGID and body.mode != RIGID_LINEAR
    inverse = inverse6(inertia) if turns else NO_INERTIA
    for k in range(6):
        body.inverse_inertia_local[k] = inverse[k]
    for k in range(first, first + count):
        store3(instances[k].position, subtract(vector3(instances[k].origin_position), vector3(body.center_of_mass)))
