"""Calls that set up a body or an area: mode, parameters, layers, flags, object id, callbacks. Compiled answers, see
creation/compiled_answer.py.

Settings are edits (edit/setting_edits.py): the answer reads the arguments and gives the edit, at any time. It leaves illegal
arguments to Python, which prints the error, and so vectors that move the rows of shapes.
"""

import math

import numpy as np

from ..bodies.identity import body_of
from ..bodies.motion import bodies_of
from ..bodies.schema import RIGID_LINEAR, STATIC
from ..edit import setting_edits
from ..edit.commands import FULL, give_command
from ..edit.setting_edits import AREA_MODES, AREA_PARAMETERS, COLLISION_PRIORITY, GRAVITY_VECTOR, IS_POINT, PRIORITY, is_legal
from ..runtime.call import call_1_result, call_2, call_3, call_4, load_float64, load_int32, load_int64, load_uint8
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_row, stack_array, view
from ..sensors.schema import MONITORS_AREAS, MONITORS_BODIES
from .call_arguments import argument, bool_argument, float_argument, int_argument, is_finite3, load_vector3
from .creation.bodies import (
    AREA_BINDING_BYTES, AREA_CALLBACK, BODY_BINDING_BYTES, BODY_CALLBACK, HAS_WIND, INTEGRATION_DATA, STATE_VARIANT,
    SYNC_CALLBACK,
)  # fmt: skip
from .creation.compiled_answer import own_area, own_body
from .schema import BODY_BINDING, BOOL, FLOAT, INT, NIL, VECTOR3
from .server_record import server_at

NOTHING = (0.0, 0.0, 0.0)
SET_MONITORING, SET_AREA_PARAMETER = setting_edits.set_monitoring.number, setting_edits.set_area_parameter.number
BODY_PARAMETERS = (
    "restitution", "friction", "mass", "inertia", "center_of_mass", "gravity_scale", "linear_damp_mode", "angular_damp_mode",
    "linear_damp", "angular_damp",
)  # fmt: skip
"""The core's parameters in the order of PhysicsServer3D.BodyParameter."""
PARAMETER_OF = tuple(setting_edits.PARAMETER_NUMBERS.get(name, -1) for name in BODY_PARAMETERS)
AREA_MODES_BITS = sum(1 << number for number, name in enumerate(AREA_PARAMETERS) if name.endswith("mode"))
"""One bit for each parameter of areas that is a mode. Their order is that of PhysicsServer3D.AreaParameter."""
WIND_FORCE_MAGNITUDE, WIND_ATTENUATION_FACTOR = 10, 13
LARGEST = 1e30
"""Largest number that is accepted for gravity and damping of areas [m/s^2], [1/s]."""
LARGEST_PRIORITY = 2.0**31 - 1.0


# --- arguments ---


@kernel
def number_of(variant):
    """The value of a Variant that is a number; NaN for other types."""
    kind = load_int32(variant)
    if kind == FLOAT:
        return load_float64(variant + 8)
    return np.float64(load_int64(variant + 8)) if kind == INT else math.nan


@kernel
def read_bool(arguments):
    """(Whether the arguments are legal, the values of the edit) of a call with an id and a bool."""
    return True, (1.0 if bool_argument(arguments, 1) else 0.0, 0.0, 0.0)


@kernel
def read_bits(arguments):
    """Arguments, as `read_bool`, of a call with 32 bits."""
    return True, (float(int_argument(arguments, 1) & 0xFFFFFFFF), 0.0, 0.0)


@kernel
def read_mode(arguments):
    """Arguments, as `read_bool`, of a call with a BodyMode."""
    mode = int_argument(arguments, 1)
    return STATIC <= mode <= RIGID_LINEAR, (float(mode), 0.0, 0.0)


@kernel
def read_axis(arguments):
    """Arguments, as `read_bool`, of a call with a BodyAxis and a bool."""
    axis = int_argument(arguments, 1)
    return 1 <= axis <= 32 and axis & (axis - 1) == 0, (float(axis), 1.0 if bool_argument(arguments, 2) else 0.0, 0.0)


@kernel
def read_priority(arguments):
    """Arguments, as `read_bool`, of the call that sets the collision priority."""
    priority = float_argument(arguments, 1)
    return is_legal(COLLISION_PRIORITY, priority), (float(COLLISION_PRIORITY), priority, 0.0)


@kernel
def read_parameter(arguments):
    """Arguments, as `read_bool`, of a call with a BodyParameter and a Variant."""
    called, value = int_argument(arguments, 1), number_of(argument(arguments, 2))
    number = PARAMETER_OF[called] if 0 <= called < len(PARAMETER_OF) else -1
    return number >= 0 and is_legal(number, value), (float(number), value, 0.0)


# --- edits ---


def make_setting(find, edit, read):
    """Make the answer to a call that gives an edit to the body or area that `find` finds, with what `read` reads."""
    number = edit.number

    @kernel
    def setting(instance, arguments, result):
        world_address = server_at(instance).world
        index = find(world_address, int_argument(arguments, 0))
        if index < 0:
            return False
        legal, values = read(arguments)
        return legal and give_command(world_address, bodies_of(world_address)[index].id, number, values, NOTHING, 0.0) != FULL

    return setting


@kernel
def _says_no_wind(number, variant):
    """Whether a wind parameter has its default, which nodes set too."""
    if number == WIND_FORCE_MAGNITUDE or number == WIND_ATTENUATION_FACTOR:
        return load_int32(variant) == FLOAT and load_float64(variant + 8) == 0.0
    v = load_vector3(variant + 8)
    return load_int32(variant) == VECTOR3 and v[0] == 0.0 and v[1] == 0.0 and v[2] == 0.0


@kernel
def _read_area_parameter(number, variant):
    """(Whether a value is legal for a parameter of an area, the value)."""
    if number == GRAVITY_VECTOR:
        v = load_vector3(variant + 8)
        return load_int32(variant) == VECTOR3 and is_finite3(v), v
    if number == IS_POINT:
        return load_int32(variant) == BOOL, (float(load_uint8(variant + 8)), 0.0, 0.0)
    value = number_of(variant)
    if AREA_MODES_BITS >> number & 1:
        return 0.0 <= value < AREA_MODES and value == math.floor(value), (value, 0.0, 0.0)
    if number == PRIORITY:
        return abs(value) <= LARGEST_PRIORITY and value == math.floor(value), (value, 0.0, 0.0)
    return abs(value) < LARGEST, (value, 0.0, 0.0)


@kernel
def area_set_param(instance, arguments, result):
    server = server_at(instance)
    identity, number, variant = int_argument(arguments, 0), int_argument(arguments, 1), argument(arguments, 2)
    index = own_area(server.world, identity)
    if index < 0 or number < 0:
        return False
    if number >= len(AREA_PARAMETERS):
        has_wind = load_int64(server.area_bindings + index * AREA_BINDING_BYTES + HAS_WIND) != 0
        return number <= WIND_ATTENUATION_FACTOR and not has_wind and _says_no_wind(number, variant)
    legal, v = _read_area_parameter(number, variant)
    values = (float(number), v[0], v[1])
    return legal and give_command(server.world, identity, SET_AREA_PARAMETER, values, (v[2], 0.0, 0.0), 0.0) != FULL


# --- identity ---


@kernel
def body_set_user_flags(instance, arguments, result):
    return body_of(server_at(instance).world, int_argument(arguments, 0)) >= 0


def make_attach_object_instance_id(find):
    @kernel
    def attach_object_instance_id(instance, arguments, result):
        world_address = server_at(instance).world
        index = find(world_address, int_argument(arguments, 0))
        if index < 0:
            return False
        bodies_of(world_address)[index].user_id = int_argument(arguments, 1)
        return True

    return attach_object_instance_id


# --- callbacks ---


@kernel
def _is_valid(server, callback):
    """Whether the Callable at an address can be called."""
    words = stack_array(1, np.int64)
    words[0] = 0
    call_4(server.callable_is_valid, callback, 0, address_of_row(words, 0), 0)
    return words[0] & 0xFF != 0


@kernel
def _make_state(instance, address, index, identity):
    """Prepare the binding of a body, and its PhysicsDirectBodyState3D."""
    server, binding = server_at(instance), view(address, 1, BODY_BINDING)[0]
    if binding.body_id != identity:
        binding.server, binding.world = instance, server.world
        binding.body_index, binding.body_id = index, identity
        binding.arguments[0], binding.arguments[1] = address + STATE_VARIANT, address + INTEGRATION_DATA
    if binding.object == 0:
        state = call_1_result(server.construct_object, server.body_state_base)
        call_3(server.set_instance, state, server.body_state_class, address)
        binding.object = state
        words = stack_array(1, np.int64)
        words[0] = state
        call_2(server.variant_from_object, address + STATE_VARIANT, address_of_row(words, 0))


@kernel
def body_set_state_sync_callback(instance, arguments, result):
    server = server_at(instance)
    identity, callback = int_argument(arguments, 0), argument(arguments, 1)
    index = own_body(server.world, identity)
    if index < 0 or server.is_flushing:
        return False
    address = server.body_bindings + index * BODY_BINDING_BYTES
    binding = view(address, 1, BODY_BINDING)[0]
    is_other = binding.body_id != 0 and binding.body_id != identity
    if is_other or binding.sync_callback[0] != NIL or not _is_valid(server, callback):
        return False
    _make_state(instance, address, index, identity)
    call_2(server.variant_from_callable, address + SYNC_CALLBACK, callback)
    return True


def make_set_monitor_callback(place, kind):
    """Make the answer that sets an area's Callable for bodies, or for areas."""

    @kernel
    def set_monitor_callback(instance, arguments, result):
        server = server_at(instance)
        identity, callback = int_argument(arguments, 0), argument(arguments, 1)
        index = own_area(server.world, identity)
        if index < 0 or server.is_flushing:
            return False
        address = server.area_bindings + index * AREA_BINDING_BYTES + place
        if load_int32(address) != NIL:
            return False
        is_on = _is_valid(server, callback)
        if is_on:
            call_2(server.variant_from_callable, address, callback)
        values = (float(kind), 1.0 if is_on else 0.0, 0.0)
        return give_command(server.world, identity, SET_MONITORING, values, NOTHING, 0.0) != FULL

    return set_monitor_callback


SETTINGS = {
    "_body_set_mode": make_setting(own_body, setting_edits.set_mode, read_mode),
    "_body_set_param": make_setting(own_body, setting_edits.set_parameter, read_parameter),
    "_body_set_collision_layer": make_setting(own_body, setting_edits.set_collision_layer, read_bits),
    "_body_set_collision_mask": make_setting(own_body, setting_edits.set_collision_mask, read_bits),
    "_body_set_collision_priority": make_setting(own_body, setting_edits.set_parameter, read_priority),
    "_body_set_ray_pickable": make_setting(own_body, setting_edits.set_ray_pickable, read_bool),
    "_body_set_axis_lock": make_setting(own_body, setting_edits.set_axis_lock, read_axis),
    "_body_set_enable_continuous_collision_detection": make_setting(own_body, setting_edits.set_continuous, read_bool),
    "_body_set_omit_force_integration": make_setting(own_body, setting_edits.set_omits_forces, read_bool),
    "_area_set_collision_layer": make_setting(own_area, setting_edits.set_collision_layer, read_bits),
    "_area_set_collision_mask": make_setting(own_area, setting_edits.set_collision_mask, read_bits),
    "_area_set_ray_pickable": make_setting(own_area, setting_edits.set_ray_pickable, read_bool),
    "_area_set_monitorable": make_setting(own_area, setting_edits.set_monitorable, read_bool),
    "_area_set_param": area_set_param,
    "_body_set_user_flags": body_set_user_flags,
    "_body_attach_object_instance_id": make_attach_object_instance_id(own_body),
    "_area_attach_object_instance_id": make_attach_object_instance_id(own_area),
    "_body_set_state_sync_callback": body_set_state_sync_callback,
    "_area_set_monitor_callback": make_set_monitor_callback(BODY_CALLBACK, MONITORS_BODIES),
    "_area_set_area_monitor_callback": make_set_monitor_callback(AREA_CALLBACK, MONITORS_AREAS),
}
"""Answers by virtual."""
