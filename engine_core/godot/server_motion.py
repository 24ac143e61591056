"""The server's calls that move a body by its id: impulses, forces, velocities, state. Compiled; the instance is SERVER."""

import numpy as np

from ..bodies import motion
from ..bodies.identity import body_of
from ..bodies.motion import bodies_of
from ..bodies.records import world_at
from ..bodies.schema import CAN_SLEEP, RIGID
from ..edit import motion_edits, setting_edits
from ..edit.commands import FULL, give_command
from ..runtime.call import call_1, call_2, call_3, load_float32, load_int32, load_uint8, store_int64, store_uint8
from ..runtime.function_address import store_function_addresses
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of_row, stack_array, view
from .body_calls import (
    NOTHING,
    make_vector_call,
    settle_mass,
    vector_virtuals,
)  # fmt: skip
from .call_arguments import argument, int_argument, is_finite3, load_vector3, store_vector3
from .call_names import number_of
from .frames import read_pose, repeats_after_shift, write_transform
from .schema import (
    BODY_BINDING,
    BOOL,
    INT,
    NO_SUCH_BODY,
    NOT_FINITE,
    NOT_FINITE_TRANSFORM,
    TOO_MANY_EDITS,
    TRANSFORM3D,
    VECTOR3,
    WRONG_NUMBER,
    WRONG_TYPE,
)  # fmt: skip
from .server_record import server_at
from .virtual_table import SERVER as SERVER_TABLE

FLOAT32 = np.float32
SET_STATE, GET_STATE = number_of("body_set_state"), number_of("body_get_state")
STATE_TRANSFORM, STATE_LINEAR_VELOCITY, STATE_ANGULAR_VELOCITY, STATE_SLEEPING, STATE_CAN_SLEEP = range(5)
SET_POSE, SET_SLEEPING, SET_CAN_SLEEP, SET_LINEAR_VELOCITY, SET_ANGULAR_VELOCITY = (
    edit.number
    for edit in (
        motion_edits.set_pose, motion_edits.set_sleeping, setting_edits.set_can_sleep, motion_edits.set_center_velocity,
        motion_edits.set_angular_velocity,
    )
)  # fmt: skip


@kernel
def server_of(instance):
    """The address of SERVER, which is the instance."""
    return instance


@kernel
def refuse(instance, call, reason, value):
    """Have Python print why a call was refused."""
    call_3(server_at(instance).report_error, call, reason, value)


@kernel
def find(instance, arguments, call):
    """`(world, body index)` of the body that the first argument names; -1 after the call was refused."""
    world_address = server_at(instance).world
    identity = int_argument(arguments, 0)
    index = body_of(world_address, identity)
    if index < 0:
        refuse(instance, call, NO_SUCH_BODY, identity)
    else:
        settle_mass(instance, bodies_of(world_address)[index], np.int64(index))
    return world_address, np.int64(index)


@kernel
def _rests_there(world_address, index, transform):
    """Whether a body sleeps at this very transform: a node repeats its transform when it enters the tree, which should not wake
    the body."""
    body = bodies_of(world_address)[index]
    if body.mode < RIGID or not motion.is_sleeping(body):
        return False
    present = address_of_row(stack_array(12, FLOAT32), 0)
    write_transform(world_address, index, present)
    for i in range(12):
        wanted = float(load_float32(transform + 4 * i))
        if not abs(wanted - float(load_float32(present + 4 * i))) <= 1e-6 * (1.0 + abs(wanted)):
            return False
    return True


@kernel
def _set_transform(instance, world_address, index, variant):
    """Set the body's transform from a Variant."""
    server = server_at(instance)
    transform = address_of_row(stack_array(12, FLOAT32), 0)
    call_2(server.transform_from_variant, transform, variant)
    if _rests_there(world_address, index, transform) or repeats_after_shift(instance, index, transform):
        return
    body = bodies_of(world_address)[index]
    answer, origin, q = read_pose(world_address, index, transform)
    if answer == motion.TRANSFORM_NOT_FINITE:
        refuse(instance, SET_STATE, NOT_FINITE_TRANSFORM, transform)
    elif answer == motion.TRANSFORM_STRETCHED:
        call_2(server.set_stretched_transform, body.id, transform)
    elif give_command(world_address, body.id, SET_POSE, origin, (q[0], q[1], q[2]), q[3]) == FULL:
        refuse(instance, SET_STATE, TOO_MANY_EDITS, 0)


@kernel
def _set_velocity(instance, world_address, index, state, variant):
    """Set the body's linear or angular velocity from a Variant."""
    address = address_of_row(stack_array(3, FLOAT32), 0)
    call_2(server_at(instance).vector3_from_variant, address, variant)
    velocity = load_vector3(address)
    if not is_finite3(velocity):
        refuse(instance, SET_STATE, NOT_FINITE, address)
        return
    number = SET_LINEAR_VELOCITY if state == STATE_LINEAR_VELOCITY else SET_ANGULAR_VELOCITY
    if give_command(world_address, bodies_of(world_address)[index].id, number, velocity, NOTHING, 0.0) == FULL:
        refuse(instance, SET_STATE, TOO_MANY_EDITS, 0)


@kernel
def set_state(instance, arguments, result):
    world_address, index = find(instance, arguments, SET_STATE)
    if index < 0:
        return
    state, variant = int_argument(arguments, 1), argument(arguments, 2)
    if state < 0 or state > STATE_CAN_SLEEP:
        refuse(instance, SET_STATE, WRONG_NUMBER, state)
        return
    kind = load_int32(variant)
    is_right = kind == TRANSFORM3D if state == STATE_TRANSFORM else kind == VECTOR3
    if state >= STATE_SLEEPING:
        is_right = kind == BOOL or kind == INT
    if not is_right:
        refuse(instance, SET_STATE, WRONG_TYPE, variant)
    elif state == STATE_TRANSFORM:
        _set_transform(instance, world_address, index, variant)
    elif state < STATE_SLEEPING:
        _set_velocity(instance, world_address, index, state, variant)
    else:
        is_set = 1.0 if load_uint8(variant + 8) != 0 else 0.0  # a bool, or the lowest byte of an integer
        number = SET_SLEEPING if state == STATE_SLEEPING else SET_CAN_SLEEP
        if give_command(world_address, bodies_of(world_address)[index].id, number, (is_set, 0.0, 0.0), NOTHING, 0.0) == FULL:
            refuse(instance, SET_STATE, TOO_MANY_EDITS, 0)


@kernel
def get_state(instance, arguments, result):
    world_address, index = find(instance, arguments, GET_STATE)
    if index < 0:
        return
    server = server_at(instance)
    state = int_argument(arguments, 1)
    value = address_of_row(stack_array(12, FLOAT32), 0)
    body = bodies_of(world_address)[index]
    if state == STATE_TRANSFORM:
        write_transform(world_address, index, value)
        call_2(server.variant_from_transform, result, value)
    elif state == STATE_LINEAR_VELOCITY:
        store_vector3(value, motion.get_linear_velocity(world_address, index))
        call_2(server.variant_from_vector3, result, value)
    elif state == STATE_ANGULAR_VELOCITY:
        store_vector3(value, motion.get_angular_velocity(world_address, index))
        call_2(server.variant_from_vector3, result, value)
    elif state == STATE_SLEEPING:
        store_uint8(value, np.uint8(1) if motion.is_sleeping(body) else np.uint8(0))
        call_2(server.variant_from_bool, result, value)
    elif state == STATE_CAN_SLEEP:
        store_uint8(value, np.uint8(1) if body.flags & CAN_SLEEP else np.uint8(0))
        call_2(server.variant_from_bool, result, value)
    else:
        refuse(instance, GET_STATE, WRONG_NUMBER, state)


@kernel
def get_direct_state(instance, arguments, result):
    """Return the body's state object, made on first use. Null without an error for an unknown id or a body in no space."""
    server = server_at(instance)
    index = body_of(server.world, int_argument(arguments, 0))
    found = np.int64(0)
    if index >= 0 and bodies_of(server.world)[index].system >= 0:
        capacity = world_at(server.world).body_capacity
        binding = view(server.body_bindings, capacity, BODY_BINDING)[index]
        if binding.object == 0:
            call_1(server.make_body_state, np.int64(index))
        found = binding.object
    store_int64(result, found)


VIRTUALS = {
    **vector_virtuals(find, refuse, server_of, 1, "_body", "body_"),
    "_body_set_axis_velocity": make_vector_call(
        find, refuse, server_of, 1, number_of("body_set_axis_velocity"), motion_edits.set_axis_velocity
    ),
    "_body_set_state": set_state,
    "_body_get_state": get_state,
    "_body_get_direct_state": get_direct_state,
}
KERNELS = tuple(VIRTUALS.values())


@entry_point("void(int64)")
def fill_server_motion(table):
    """Write the addresses of VIRTUALS into a table."""
    store_function_addresses(table, KERNELS)


SERVER_TABLE.hot(fill_server_motion, VIRTUALS)
