"""PhysicsDirectBodyState3D: reading and changing a body through its state. Compiled; the instance is a
BODY_BINDING.

A state whose body was freed, or that the editor made to read default values, returns zeros and ignores changes.
"""

import numpy as np

from ..bodies import motion
from ..bodies.motion import bodies_of
from ..bodies.records import world_at
from ..edit import integration_edits, motion_edits
from ..edit.commands import FULL, give_command
from ..geometry.principal_axes import principal_axes
from ..geometry.vector import quaternion, rotate, vector3
from ..runtime.call import call_2, call_3, store_float64, store_int64, store_uint8
from ..runtime.function_address import store_function_addresses
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import view
from ..sensors.effects import refresh_surroundings
from ..shapes.placed_shapes import packed6
from .body_calls import (
    NOTHING,
    make_vector_call,
    make_vector_getter,
    settle_mass,
    vector_virtuals,
)  # fmt: skip
from .call_arguments import (
    argument,
    bool_argument,
    is_finite3,
    store_identity,
    store_symmetric,
    store_vector3,
    store_zeros,
    vector3_argument,
)  # fmt: skip
from .call_names import number_of
from .frames import read_pose, write_transform
from .schema import BODY_BINDING, NOT_FINITE, NOT_FINITE_TRANSFORM, SPACE_BINDING, TOO_MANY_EDITS
from .server_record import server_at
from .virtual_table import BODY_STATE

SET_TRANSFORM = number_of("body_state.set_transform")
SET_POSE, SET_SLEEPING = motion_edits.set_pose.number, motion_edits.set_sleeping.number
INTEGRATE_FORCES = integration_edits.integrate_forces.number
VELOCITY_AT = number_of("body_state.get_velocity_at_local_position")


@kernel
def server_of(instance):
    """Address of SERVER."""
    return view(instance, 1, BODY_BINDING)[0].server


@kernel
def find(instance, arguments, call):
    """`(world, body index)` of a state; -1 for a state without a body."""
    binding = view(instance, 1, BODY_BINDING)[0]
    if binding.body_id == 0 or bodies_of(binding.world)[binding.body_index].id != binding.body_id:
        return np.int64(0), np.int64(-1)
    settle_mass(binding.server, bodies_of(binding.world)[binding.body_index], binding.body_index)
    return binding.world, binding.body_index


@kernel
def refuse(instance, call, reason, value):
    """Have Python print why a call was refused."""
    call_3(server_at(server_of(instance)).report_error, call, reason, value)


def _vector_call(name, kind):
    return make_vector_call(find, refuse, server_of, 0, number_of(f"body_state.{name}"), kind)


def _vector_getter(name, read):
    return make_vector_getter(find, number_of(f"body_state.{name}"), read)


# --- forces and mass -------------------------------------------------------------------------------------------------


@kernel
def _gravity(world_address, index):
    refresh_surroundings(world_address, index, bodies_of(world_address)[index])
    return vector3(bodies_of(world_address)[index].gravity)


@kernel
def _center_of_mass(world_address, index):
    body = bodies_of(world_address)[index]
    return rotate(quaternion(body.rotation), vector3(body.center_of_mass))


@kernel
def _center_of_mass_local(world_address, index):
    return vector3(bodies_of(world_address)[index].center_of_mass)


@kernel
def _inverse_inertia(world_address, index):
    """Inverse inertia about the principal axes [1/(kg m^2)]."""
    values, _, _, _ = principal_axes(packed6(bodies_of(world_address)[index].inverse_inertia_local))
    return values


get_total_gravity = _vector_getter("get_total_gravity", _gravity)
get_center_of_mass = _vector_getter("get_center_of_mass", _center_of_mass)
get_center_of_mass_local = _vector_getter("get_center_of_mass_local", _center_of_mass_local)
get_inverse_inertia = _vector_getter("get_inverse_inertia", _inverse_inertia)


@kernel
def get_total_linear_damp(instance, arguments, result):
    world_address, index = find(instance, arguments, 0)
    if index >= 0:
        refresh_surroundings(world_address, index, bodies_of(world_address)[index])
    store_float64(result, float(bodies_of(world_address)[index].total_linear_damp) if index >= 0 else 0.0)


@kernel
def get_total_angular_damp(instance, arguments, result):
    world_address, index = find(instance, arguments, 0)
    if index >= 0:
        refresh_surroundings(world_address, index, bodies_of(world_address)[index])
    store_float64(result, float(bodies_of(world_address)[index].total_angular_damp) if index >= 0 else 0.0)


@kernel
def get_inverse_mass(instance, arguments, result):
    world_address, index = find(instance, arguments, 0)
    store_float64(result, float(bodies_of(world_address)[index].inverse_mass) if index >= 0 else 0.0)


@kernel
def get_principal_inertia_axes(instance, arguments, result):
    """The principal axes of inertia, world, as columns."""
    world_address, index = find(instance, arguments, 0)
    if index < 0:
        store_identity(result)
        return
    body = bodies_of(world_address)[index]
    _, x, y, z = principal_axes(packed6(body.inverse_inertia_local))
    q = quaternion(body.rotation)
    x, y, z = rotate(q, x), rotate(q, y), rotate(q, z)
    for row in range(3):
        store_vector3(result + 12 * row, (x[row], y[row], z[row]))


@kernel
def get_inverse_inertia_tensor(instance, arguments, result):
    world_address, index = find(instance, arguments, 0)
    if index < 0:
        store_zeros(result, 9)
        return
    store_symmetric(result, motion.world_inertia(bodies_of(world_address)[index]))


# --- motion ---------------------------------------------------------------------------------------------------------

set_linear_velocity = _vector_call("set_linear_velocity", motion_edits.set_center_velocity)
set_angular_velocity = _vector_call("set_angular_velocity", motion_edits.set_angular_velocity)
get_linear_velocity = _vector_getter("get_linear_velocity", motion.get_linear_velocity)
get_angular_velocity = _vector_getter("get_angular_velocity", motion.get_angular_velocity)


@kernel
def set_transform(instance, arguments, result):
    world_address, index = find(instance, arguments, 0)
    if index < 0:
        return
    transform = argument(arguments, 0)
    body = bodies_of(world_address)[index]
    answer, origin, q = read_pose(world_address, index, transform)
    if answer == motion.TRANSFORM_NOT_FINITE:
        refuse(instance, SET_TRANSFORM, NOT_FINITE_TRANSFORM, transform)
    elif answer == motion.TRANSFORM_STRETCHED:
        call_2(server_at(server_of(instance)).set_stretched_transform, body.id, transform)
    elif give_command(world_address, body.id, SET_POSE, origin, (q[0], q[1], q[2]), q[3]) == FULL:
        refuse(instance, SET_TRANSFORM, TOO_MANY_EDITS, 0)


@kernel
def get_transform(instance, arguments, result):
    world_address, index = find(instance, arguments, 0)
    if index < 0:
        store_identity(result)
    else:
        write_transform(world_address, index, result)


@kernel
def get_velocity_at_local_position(instance, arguments, result):
    world_address, index = find(instance, arguments, 0)
    if index < 0:
        store_vector3(result, (0.0, 0.0, 0.0))
        return
    place = vector3_argument(arguments, 0)
    if not is_finite3(place):
        refuse(instance, VELOCITY_AT, NOT_FINITE, argument(arguments, 0))
        place = NOTHING
    body = bodies_of(world_address)[index]
    store_vector3(result, motion.velocity_at(world_address, body, motion.arm_of(body, place)))


@kernel
def set_sleep_state(instance, arguments, result):
    world_address, index = find(instance, arguments, 0)
    if index >= 0:
        is_set = 1.0 if bool_argument(arguments, 0) else 0.0
        give_command(world_address, bodies_of(world_address)[index].id, SET_SLEEPING, (is_set, 0.0, 0.0), NOTHING, 0.0)


@kernel
def is_sleeping(instance, arguments, result):
    world_address, index = find(instance, arguments, 0)
    store_uint8(result, np.uint8(1) if index >= 0 and motion.is_sleeping(bodies_of(world_address)[index]) else np.uint8(0))


@kernel
def integrate_forces(instance, arguments, result):
    """Change the velocities as one step would, for bodies with custom integration: gravity, forces, damping."""
    world_address, index = find(instance, arguments, 0)
    if index < 0:
        return
    give_command(world_address, bodies_of(world_address)[index].id, INTEGRATE_FORCES, NOTHING, NOTHING, 0.0)


# --- layers, step, space --------------------------------------------------------------------------------------------


@kernel
def get_collision_layer(instance, arguments, result):
    world_address, index = find(instance, arguments, 0)
    store_int64(result, np.int64(bodies_of(world_address)[index].collision_layer) if index >= 0 else np.int64(0))


@kernel
def get_collision_mask(instance, arguments, result):
    world_address, index = find(instance, arguments, 0)
    store_int64(result, np.int64(bodies_of(world_address)[index].collision_mask) if index >= 0 else np.int64(0))


@kernel
def get_step(instance, arguments, result):
    world_address, index = find(instance, arguments, 0)
    step = 0.0
    if index >= 0 and bodies_of(world_address)[index].system >= 0:
        step = float(motion.system_of(world_address, bodies_of(world_address)[index].system)[0].step.last_delta_time)
    store_float64(result, step)


@kernel
def get_space_state(instance, arguments, result):
    world_address, index = find(instance, arguments, 0)
    found = np.int64(0)
    if index >= 0 and bodies_of(world_address)[index].system >= 0:
        capacity = world_at(world_address).system_capacity
        spaces = view(server_at(server_of(instance)).space_bindings, capacity, SPACE_BINDING)
        found = spaces[bodies_of(world_address)[index].system].object
    store_int64(result, found)


VIRTUALS = {
    "_get_total_gravity": get_total_gravity,
    "_get_total_linear_damp": get_total_linear_damp,
    "_get_total_angular_damp": get_total_angular_damp,
    "_get_center_of_mass": get_center_of_mass,
    "_get_center_of_mass_local": get_center_of_mass_local,
    "_get_principal_inertia_axes": get_principal_inertia_axes,
    "_get_inverse_mass": get_inverse_mass,
    "_get_inverse_inertia": get_inverse_inertia,
    "_get_inverse_inertia_tensor": get_inverse_inertia_tensor,
    "_set_linear_velocity": set_linear_velocity,
    "_get_linear_velocity": get_linear_velocity,
    "_set_angular_velocity": set_angular_velocity,
    "_get_angular_velocity": get_angular_velocity,
    "_set_transform": set_transform,
    "_get_transform": get_transform,
    "_get_velocity_at_local_position": get_velocity_at_local_position,
    **vector_virtuals(find, refuse, server_of, 0, "", "body_state."),
    "_set_sleep_state": set_sleep_state,
    "_is_sleeping": is_sleeping,
    "_get_collision_layer": get_collision_layer,
    "_get_collision_mask": get_collision_mask,
    "_get_step": get_step,
    "_integrate_forces": integrate_forces,
    "_get_space_state": get_space_state,
}
KERNELS = tuple(VIRTUALS.values())


@entry_point("void(int64)")
def fill_body_state(table):
    """Write the addresses of VIRTUALS into a table."""
    store_function_addresses(table, KERNELS)


BODY_STATE.hot(fill_body_state, VIRTUALS)
