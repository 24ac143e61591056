"""Moving one body from outside the step: pose, velocities, impulses, forces, sleep. Compiled, no Python, no GIL.

Every function takes the address of WORLD and the index of a body that the caller has checked (`identity.body_of`). The user's
transforms are of the body's origin; the core's are of its centre of mass. Vectors are in world axes; offsets are from the origin.
These functions take no locks. To be called by the thread that holds the gate of the body's system (edit/commands.py), or by the
one thread that owns a body in no system.
"""

import numpy as np

from ..geometry.vector import (
    add, add_scaled, cross, dot, length_squared, matrix_rows, normalize, normalize_quaternion, quaternion, rotate,
    rotate_symmetric, scale, store3, store4, subtract, symmetric_times, vector3,
)  # fmt: skip
from ..runtime.call import load_float32, store_float32
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .rare import own_rare, rare_of, set_target
from .records import world_at
from .schema import (
    BODY, BOUNDS_CHANGED, HAS_RARE, HAS_STRETCH, IS_IN_CHANGED_LIST, KINEMATIC, RIGID, SLEEP_REQUESTED, STATIC,
    TARGET_SET, TELEPORTS, WAKE_REQUESTED, WAKES_NEIGHBOURS,
)  # fmt: skip
from .system_schema import SYSTEM

INT32, FLOAT32 = np.int32, np.float32


@kernel
def bodies_of(world_address):
    """The rows of all bodies."""
    record = world_at(world_address)
    return view(record.bodies, record.body_capacity, BODY)


@kernel
def system_of(world_address, index):
    """The record of a system, as a view of one row."""
    record = world_at(world_address)
    return view(record.systems, record.system_capacity, SYSTEM)[index : index + 1]


@kernel
def mark_changed(world_address, index, flags):
    """Have the system process this body before its next step. No effect for a body in no system."""
    body = bodies_of(world_address)[index]
    body.flags |= flags
    if body.system < 0 or body.flags & IS_IN_CHANGED_LIST:
        return
    system = system_of(world_address, body.system)[0]
    changed = view(system.bodies.changed, world_at(world_address).body_capacity, INT32)
    changed[system.bodies.changed_count] = index
    system.bodies.changed_count += 1
    body.flags |= IS_IN_CHANGED_LIST


@kernel
def origin_of(body):
    """The user's origin of a body, world [m]."""
    return subtract(vector3(body.position), rotate(quaternion(body.rotation), vector3(body.center_of_mass)))


@kernel
def world_inertia(body):
    """Inverse inertia in world axes at the body's rotation, as xx, yy, zz, xy, xz, yz; zero about locked axes [1/(kg m^2)]."""
    inertia = body.inverse_inertia_local
    world = rotate_symmetric(
        quaternion(body.rotation),
        (float(inertia[0]), float(inertia[1]), float(inertia[2]), float(inertia[3]), float(inertia[4]), float(inertia[5])),
    )
    locks = body.axis_locks >> 3
    x, y, z = 1.0 - (locks & 1), 1.0 - (locks >> 1 & 1), 1.0 - (locks >> 2 & 1)
    return world[0] * x, world[1] * y, world[2] * z, world[3] * x * y, world[4] * x * z, world[5] * y * z


@kernel
def update_world_inertia(body):
    """Renew the stored inverse inertia in world axes from the rotation. A step does so as it begins: between steps the stored one
    is that of the rotation before."""
    out = body.inverse_inertia_world
    out[0], out[1], out[2], out[3], out[4], out[5] = world_inertia(body)


@kernel
def row_times(row, s):
    """A row of a matrix times the matrix `s`, nine numbers by rows."""
    x, y, z = row
    return x * s[0] + y * s[3] + z * s[6], x * s[1] + y * s[4] + z * s[7], x * s[2] + y * s[5] + z * s[8]


@kernel
def basis_rows(world_address, body):
    """The user's basis of a body as three rows: its rotation, and its stretch."""
    rows = matrix_rows(quaternion(body.rotation))
    if not body.flags & HAS_STRETCH:
        return rows
    s = rare_of(world_address, body).stretch
    return row_times(rows[0], s), row_times(rows[1], s), row_times(rows[2], s)


@kernel
def get_origin_transform(world_address, index, out):
    """Write the user's transform to twelve float32 at address `out`: basis by rows, then origin."""
    body = bodies_of(world_address)[index]
    rows = basis_rows(world_address, body)
    for i in range(3):
        row = rows[i]
        store_float32(out + 12 * i, FLOAT32(row[0]))
        store_float32(out + 12 * i + 4, FLOAT32(row[1]))
        store_float32(out + 12 * i + 8, FLOAT32(row[2]))
    origin = origin_of(body)
    store_float32(out + 36, FLOAT32(origin[0]))
    store_float32(out + 40, FLOAT32(origin[1]))
    store_float32(out + 44, FLOAT32(origin[2]))


@kernel
def rotation_of_basis(rows):
    """The quaternion of an orthonormal basis given as three rows (Shepperd 1978: the largest of four forms)."""
    (m00, m01, m02), (m10, m11, m12), (m20, m21, m22) = rows
    trace = m00 + m11 + m22
    if trace > 0.0:
        q = (m21 - m12, m02 - m20, m10 - m01, 1.0 + trace)
    elif m00 >= m11 and m00 >= m22:
        q = (1.0 + m00 - m11 - m22, m01 + m10, m02 + m20, m21 - m12)
    elif m11 >= m22:
        q = (m01 + m10, 1.0 + m11 - m00 - m22, m12 + m21, m02 - m20)
    else:
        q = (m02 + m20, m12 + m21, 1.0 + m22 - m00 - m11, m10 - m01)
    return normalize_quaternion(q)


@kernel
def is_orthonormal(rows):
    """Whether three rows are a rotation, within the rounding of single precision and of an editor."""
    a, b, c = rows
    tolerance = 1e-3
    return (
        abs(dot(a, a) - 1.0) < tolerance
        and abs(dot(b, b) - 1.0) < tolerance
        and abs(dot(c, c) - 1.0) < tolerance
        and abs(dot(a, b)) < tolerance
        and abs(dot(b, c)) < tolerance
        and abs(dot(c, a)) < tolerance
        and dot(cross(a, b), c) > 0.0
    )


@kernel
def without_stretch(rows, stretch):
    """Remove a stretch (nine numbers by rows) from the right of a basis: the result is a rotation if the basis has just that
    stretch. A stretch always spans a volume."""
    s = stretch
    x = (float(s[0]), float(s[3]), float(s[6]))
    y = (float(s[1]), float(s[4]), float(s[7]))
    z = (float(s[2]), float(s[5]), float(s[8]))
    volume = dot(x, cross(y, z))
    # The rows of the inverse; the product is the basis times it.
    a, b, c = scale(cross(y, z), 1.0 / volume), scale(cross(z, x), 1.0 / volume), scale(cross(x, y), 1.0 / volume)
    first, second, third = rows
    return (
        add(add(scale(a, first[0]), scale(b, first[1])), scale(c, first[2])),
        add(add(scale(a, second[0]), scale(b, second[1])), scale(c, second[2])),
        add(add(scale(a, third[0]), scale(b, third[1])), scale(c, third[2])),
    )


# Results of `pose_of_transform`.
TRANSFORM_TAKEN, TRANSFORM_NOT_FINITE, TRANSFORM_STRETCHED = 0, 1, 2


@kernel
def pose_of_transform(world_address, body, transform):
    """Convert the user's transform, twelve float32 at address `transform` (basis by rows, then origin), to (TRANSFORM_TAKEN,
    origin, rotation). The result is TRANSFORM_NOT_FINITE, or TRANSFORM_STRETCHED for scale or shear for which shapes must be
    cooked (`BodyInterface.set_transform`)."""
    nowhere, upright = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)
    values = 0.0
    for i in range(12):
        values += abs(float(load_float32(transform + 4 * i)))
    if not values < 1e30:
        return TRANSFORM_NOT_FINITE, nowhere, upright
    rows = (
        (float(load_float32(transform)), float(load_float32(transform + 4)), float(load_float32(transform + 8))),
        (float(load_float32(transform + 12)), float(load_float32(transform + 16)), float(load_float32(transform + 20))),
        (float(load_float32(transform + 24)), float(load_float32(transform + 28)), float(load_float32(transform + 32))),
    )
    if body.flags & HAS_STRETCH:
        rows = without_stretch(rows, rare_of(world_address, body).stretch)
    if not is_orthonormal(rows):
        return TRANSFORM_STRETCHED, nowhere, upright
    origin = (
        float(load_float32(transform + 36)), float(load_float32(transform + 40)), float(load_float32(transform + 44)),
    )  # fmt: skip
    return TRANSFORM_TAKEN, origin, rotation_of_basis(rows)


@kernel
def set_pose(world_address, index, origin, rotation):
    """Set origin and rotation: at once, or for a kinematic body in a system as the target of the next step."""
    body = bodies_of(world_address)[index]
    position = add(origin, rotate(rotation, vector3(body.center_of_mass)))
    if body.mode == KINEMATIC and body.system >= 0 and not body.flags & TELEPORTS:
        set_target(world_address, body, position, rotation)
        mark_changed(world_address, index, TARGET_SET)
        return
    store3(body.position, position)
    store4(body.rotation, rotation)
    body.flags &= ~TELEPORTS
    if body.flags & HAS_RARE:
        set_target(world_address, body, position, rotation)
    update_world_inertia(body)
    mark_changed(world_address, index, BOUNDS_CHANGED | WAKES_NEIGHBOURS)


@kernel
def begin_rest(body):
    """Begin a new rest here: the body sleeps when it has lasted long enough."""
    body.sleep_time, body.steady_time = FLOAT32(0.0), FLOAT32(0.0)
    store3(body.rest_way, (0.0, 0.0, 0.0))
    store4(body.rest_rotation, quaternion(body.rotation))


@kernel
def wake(world_address, index):
    """Have a body, and everything that sleeps with it, take part in the next step."""
    body = bodies_of(world_address)[index]
    if body.mode == STATIC:
        return
    begin_rest(body)
    body.flags &= ~SLEEP_REQUESTED
    if body.active_index < 0:
        mark_changed(world_address, index, WAKE_REQUESTED)


@kernel
def set_surface_velocity(world_address, index, linear, angular):
    """Set the velocity of the surface of a static or kinematic body [m/s], [rad/s], about its centre of mass."""
    body = bodies_of(world_address)[index]
    if body.flags & HAS_RARE or length_squared(linear) + length_squared(angular) > 0.0:
        rare = own_rare(world_address, body)
        store3(rare.surface_linear_velocity, linear)
        store3(rare.surface_angular_velocity, angular)
    mark_changed(world_address, index, WAKES_NEIGHBOURS)


@kernel
def center_velocity(body, velocity):
    """Velocity of the centre of mass of a body whose origin moves at `velocity` [m/s]."""
    arm = rotate(quaternion(body.rotation), vector3(body.center_of_mass))
    return add(velocity, cross(vector3(body.angular_velocity), arm))


@kernel
def set_linear_velocity(world_address, index, velocity):
    """Set the velocity of the origin [m/s]. For a static or kinematic body it is the velocity of its surface."""
    body = bodies_of(world_address)[index]
    set_center_velocity(world_address, index, center_velocity(body, velocity) if body.mode >= RIGID else velocity)


@kernel
def set_center_velocity(world_address, index, velocity):
    """Set the velocity of the centre of mass [m/s], Godot's `linear_velocity`. For a static or kinematic body it is the velocity
    of its surface."""
    body = bodies_of(world_address)[index]
    if body.mode >= RIGID:
        store3(body.linear_velocity, velocity)
        wake(world_address, index)
    else:
        set_surface_velocity(world_address, index, velocity, vector3(rare_of(world_address, body).surface_angular_velocity))


@kernel
def get_linear_velocity(world_address, index):
    """Velocity of the centre of mass [m/s]; that of the surface for a static body."""
    body = bodies_of(world_address)[index]
    return vector3(rare_of(world_address, body).surface_linear_velocity) if body.mode == STATIC else vector3(body.linear_velocity)


@kernel
def set_angular_velocity(world_address, index, velocity):
    """Set the angular velocity [rad/s]. For a static or kinematic body it is that of its surface."""
    body = bodies_of(world_address)[index]
    if body.mode >= RIGID:
        store3(body.angular_velocity, velocity)
        wake(world_address, index)
    else:
        set_surface_velocity(world_address, index, vector3(rare_of(world_address, body).surface_linear_velocity), velocity)


@kernel
def get_angular_velocity(world_address, index):
    """Angular velocity [rad/s]; that of the surface for a static body."""
    body = bodies_of(world_address)[index]
    if body.mode == STATIC:
        return vector3(rare_of(world_address, body).surface_angular_velocity)
    return vector3(body.angular_velocity)


@kernel
def lock_linear(body, v):
    """v without the components that the body's linear axis locks forbid."""
    locks = body.axis_locks
    return (v[0] * (1 - (locks & 1)), v[1] * (1 - (locks >> 1 & 1)), v[2] * (1 - (locks >> 2 & 1)))


@kernel
def inverse_inertia_times(body, v):
    """World inverse inertia times v."""
    m = body.inverse_inertia_world
    return symmetric_times((float(m[0]), float(m[1]), float(m[2]), float(m[3]), float(m[4]), float(m[5])), v)


@kernel
def _push(world_address, index, total, change):
    """Add to a velocity of a body, or to its forces, and wake it. No effect unless it is rigid.

    The change is rounded first, so that what cancels out leaves nothing. Else the torques of the wheels of a level car leave
    1e-9, and brakes that act on all wheels at once make it grow in every tick."""
    if bodies_of(world_address)[index].mode >= RIGID:
        rounded = (float(FLOAT32(change[0])), float(FLOAT32(change[1])), float(FLOAT32(change[2])))
        store3(total, add(vector3(total), rounded))
        wake(world_address, index)


@kernel
def apply_central_impulse(world_address, index, impulse):
    """Apply an impulse [N s] at the centre of mass; changes the velocity at once. Ignored unless rigid."""
    body = bodies_of(world_address)[index]
    _push(world_address, index, body.linear_velocity, lock_linear(body, scale(impulse, float(body.inverse_mass))))


@kernel
def arm_of(body, offset):
    """From the centre of mass to a point `offset` from the origin, world axes."""
    return subtract(offset, rotate(quaternion(body.rotation), vector3(body.center_of_mass)))


@kernel
def apply_impulse(world_address, index, impulse, offset):
    """Apply an impulse [N s] at `offset` [m] from the origin, world axes."""
    apply_central_impulse(world_address, index, impulse)
    apply_torque_impulse(world_address, index, cross(arm_of(bodies_of(world_address)[index], offset), impulse))


@kernel
def apply_torque_impulse(world_address, index, impulse):
    """Apply an angular impulse [N m s]."""
    body = bodies_of(world_address)[index]
    _push(world_address, index, body.angular_velocity, inverse_inertia_times(body, impulse))


@kernel
def apply_central_force(world_address, index, force):
    """Apply a force [N] at the centre of mass during the next step."""
    _push(world_address, index, bodies_of(world_address)[index].force, force)


@kernel
def apply_torque(world_address, index, torque):
    """Apply a torque [N m] during the next step."""
    _push(world_address, index, bodies_of(world_address)[index].torque, torque)


@kernel
def apply_force(world_address, index, force, offset):
    """Apply a force [N] during the next step at `offset` [m] from the origin, world axes."""
    apply_central_force(world_address, index, force)
    apply_torque(world_address, index, cross(arm_of(bodies_of(world_address)[index], offset), force))


@kernel
def add_constant_force(world_address, index, force, offset):
    """Add a constant force [N], until it is removed, at `offset` [m] from the current origin."""
    body = bodies_of(world_address)[index]
    rare = own_rare(world_address, body)
    store3(rare.constant_force, add(vector3(rare.constant_force), force))
    store3(rare.constant_torque, add(vector3(rare.constant_torque), cross(arm_of(body, offset), force)))
    wake(world_address, index)


@kernel
def set_axis_velocity(world_address, index, axis_velocity):
    """Replace the velocity along the direction of `axis_velocity` [m/s] by that."""
    body = bodies_of(world_address)[index]
    axis = normalize(axis_velocity)
    v = vector3(body.linear_velocity)
    store3(body.linear_velocity, add(add_scaled(v, axis, -dot(axis, v)), axis_velocity))
    wake(world_address, index)


@kernel
def surface_velocity(world_address, body, arm):
    """Velocity of the surface of a static or kinematic body at `arm` from the centre of mass, relative to its own motion
    [m/s]."""
    if not body.flags & HAS_RARE or body.mode >= RIGID:
        return (0.0, 0.0, 0.0)
    rare = rare_of(world_address, body)
    return add(vector3(rare.surface_linear_velocity), cross(vector3(rare.surface_angular_velocity), arm))


@kernel
def surface_spin(world_address, body):
    """Angular velocity of the surface of a static or kinematic body, relative to its own motion [rad/s]."""
    if not body.flags & HAS_RARE or body.mode >= RIGID:
        return (0.0, 0.0, 0.0)
    return vector3(rare_of(world_address, body).surface_angular_velocity)


@kernel
def velocity_at(world_address, body, arm):
    """Velocity of the body's material [m/s] at `arm` from its centre of mass, world axes; the surface's motion included."""
    v = add(vector3(body.linear_velocity), cross(vector3(body.angular_velocity), arm))
    return add(v, surface_velocity(world_address, body, arm))


@kernel
def turning_of(world_address, body):
    """Angular velocity of the body's material [rad/s], the surface's motion included."""
    w = vector3(body.angular_velocity)
    return w if body.mode >= RIGID else add(w, vector3(rare_of(world_address, body).surface_angular_velocity))


@kernel
def set_sleeping(world_address, index, is_sleeping):
    """Put a body to sleep (velocities zero, before the next step) or wake it. Static bodies ignore it."""
    body = bodies_of(world_address)[index]
    if body.mode < RIGID:
        return
    if not is_sleeping:
        wake(world_address, index)
        return
    store3(body.linear_velocity, (0.0, 0.0, 0.0))
    store3(body.angular_velocity, (0.0, 0.0, 0.0))
    body.flags &= ~WAKE_REQUESTED
    mark_changed(world_address, index, SLEEP_REQUESTED)


@kernel
def is_sleeping(body):
    """Whether a body is asleep or has been told to sleep."""
    if body.flags & SLEEP_REQUESTED:
        return True
    return body.system >= 0 and body.active_index < 0 and not body.flags & WAKE_REQUESTED and body.mode != STATIC
