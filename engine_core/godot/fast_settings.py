"""Fast answers to the calls that set up a body or an area: mode, parameters, layers, object id, callbacks; see fast_call.py.
Nodes repeat most of these, or make them before they enter a space."""

import math

import numpy as np

from ..bodies import motion
from ..bodies.identity import body_of
from ..bodies.motion import bodies_of, mark_changed
from ..bodies.rare import rare_of, set_target
from ..bodies.schema import (
    FILTER_CHANGED, HAS_RARE, IS_AREA, KINEMATIC, LAYER_MOVING, LAYER_NOT_MOVING, RAY_PICKABLE, RIGID, STATIC, TARGET_SET,
    TELEPORTS, WORLD,
)  # fmt: skip
from ..geometry.vector import quaternion, store3, store4, vector3
from ..runtime.call import call_1_result, call_2, call_3, call_4, load_float64, load_int32, load_int64
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_row, stack_array, view
from ..sensors.overlaps import areas_of
from ..sensors.schema import IS_MONITORABLE, MONITORS_AREAS, MONITORS_BODIES
from .fast_call import RENEWED, own_area, own_body
from .fast_creation import (
    AREA_BINDING_BYTES, AREA_CALLBACK, BODY_BINDING_BYTES, BODY_CALLBACK, HAS_WIND, INTEGRATION_DATA, STATE_VARIANT,
    SYNC_CALLBACK,
)  # fmt: skip
from .schema import BODY_BINDING, FLOAT, INT, NIL, SERVER, VECTOR3
from .slots import argument, bool_argument, float_argument, int_argument, is_finite3, load_vector3

INT32, INT64, UINT32 = np.int32, np.int64, np.uint32
LARGEST = 1e30
"""Numbers beyond this, or below its inverse, are left to Python: rows are in single precision."""
(RESTITUTION, FRICTION, MASS, INERTIA, CENTER_OF_MASS, GRAVITY_SCALE, LINEAR_DAMP_MODE, ANGULAR_DAMP_MODE, LINEAR_DAMP,
 ANGULAR_DAMP) = range(10)  # fmt: skip
"""PhysicsServer3D.BodyParameter."""
GRAVITY, GRAVITY_VECTOR, UNIT_DISTANCE, AREA_LINEAR_DAMP, AREA_ANGULAR_DAMP = 1, 2, 4, 6, 8
WIND_FORCE_MAGNITUDE, WIND_ATTENUATION_FACTOR = 10, 13
"""PhysicsServer3D.AreaParameter."""


@kernel
def _loose(world, index):
    """The index of a body or area if it is in no space; else -1, also for -1."""
    return index if index >= 0 and bodies_of(world)[index].system < 0 else INT64(-1)


@kernel
def _area_at(world, index):
    """The AREA row of an area, at the index of its body row."""
    return areas_of(view(world, 1, WORLD)[0])[index]


# --- motion mode and parameters ---


@kernel
def body_set_mode(instance, arguments, result):
    server = view(instance, 1, SERVER)[0]
    world, mode = server.world, int_argument(arguments, 1)
    index = own_body(world, int_argument(arguments, 0))
    if index < 0 or mode < STATIC or mode > RIGID + 1:
        return False
    body = bodies_of(world)[index]
    if body.mode == mode:
        return True
    if body.system >= 0:
        return False
    body.mode = INT32(mode)
    if body.flags & TARGET_SET:
        rare = rare_of(world, body)
        store3(body.position, vector3(rare.target_position))
        store4(body.rotation, quaternion(rare.target_rotation))
    body.flags &= ~UINT32(TELEPORTS | TARGET_SET)
    if mode == KINEMATIC:
        body.flags |= UINT32(TELEPORTS)
    body.broad_phase_layer = INT32(LAYER_NOT_MOVING if mode == STATIC else LAYER_MOVING)
    if mode < RIGID:
        store3(body.linear_velocity, (0.0, 0.0, 0.0))
        store3(body.angular_velocity, (0.0, 0.0, 0.0))
    if mode == KINEMATIC and body.flags & HAS_RARE:
        set_target(world, body, vector3(body.position), quaternion(body.rotation))
    body.sleep_time = np.float32(0.0)
    call_3(server.renew, world, index, INT64(RENEWED))
    return True


@kernel
def _number_of(variant):
    """A Variant's value as a number; NaN for other types, and for numbers too large or too small to store."""
    kind = load_int32(variant)
    value = math.nan
    if kind == FLOAT:
        value = load_float64(variant + 8)
    elif kind == INT:
        value = np.float64(load_int64(variant + 8))
    size = abs(value)
    return value if size == 0.0 or (size > 1.0 / LARGEST and size < LARGEST) else math.nan


@kernel
def _store_parameter(body, number, value):
    """Write a parameter that is just one number; return False for others."""
    if number == RESTITUTION:
        body.restitution = np.float32(value)
    elif number == FRICTION:
        body.friction = np.float32(value)
    elif number == GRAVITY_SCALE:
        body.gravity_scale = np.float32(value)
    elif number == LINEAR_DAMP:
        body.linear_damp = np.float32(value)
    elif number == ANGULAR_DAMP:
        body.angular_damp = np.float32(value)
    elif number == LINEAR_DAMP_MODE:
        body.linear_damp_mode = INT32(value)
    elif number == ANGULAR_DAMP_MODE:
        body.angular_damp_mode = INT32(value)
    else:
        return False
    return True


@kernel
def body_set_param(instance, arguments, result):
    server = view(instance, 1, SERVER)[0]
    world, number = server.world, int_argument(arguments, 1)
    index, value = _loose(world, own_body(world, int_argument(arguments, 0))), _number_of(argument(arguments, 2))
    if index < 0 or not math.isfinite(value):
        return False
    body = bodies_of(world)[index]
    if (number == LINEAR_DAMP_MODE or number == ANGULAR_DAMP_MODE) and value != 0.0 and value != 1.0:
        return False
    if number == MASS:
        if value <= 0.0:
            return False
        body.mass = np.float32(value)
        call_3(server.renew, world, index, INT64(RENEWED))
    elif not _store_parameter(body, number, value):
        return False
    if number > FRICTION:
        motion.wake(world, index)
    return True


# --- identity ---


def make_set_filter(find, field):
    """Make the fast answer for collision layer or mask. An area is not touched if nothing changes."""

    @kernel
    def set_filter(instance, arguments, result):
        world, bits = view(instance, 1, SERVER)[0].world, int_argument(arguments, 1) & 0xFFFFFFFF
        index = find(world, int_argument(arguments, 0))
        if index < 0:
            return False
        body = bodies_of(world)[index]
        if body.flags & IS_AREA and body[field] == bits:
            return True
        if body.system >= 0:
            return False
        body[field] = UINT32(bits)
        mark_changed(world, index, FILTER_CHANGED)
        return True

    return set_filter


@kernel
def body_set_collision_priority(instance, arguments, result):
    world, priority = view(instance, 1, SERVER)[0].world, float_argument(arguments, 1)
    index = _loose(world, own_body(world, int_argument(arguments, 0)))
    if index < 0 or not abs(priority) < LARGEST:
        return False
    bodies_of(world)[index].collision_priority = np.float32(priority)
    return True


@kernel
def body_set_user_flags(instance, arguments, result):
    return body_of(view(instance, 1, SERVER)[0].world, int_argument(arguments, 0)) >= 0


def make_attach_object_instance_id(find):
    @kernel
    def attach_object_instance_id(instance, arguments, result):
        world = view(instance, 1, SERVER)[0].world
        index = find(world, int_argument(arguments, 0))
        if index < 0:
            return False
        bodies_of(world)[index].user_id = int_argument(arguments, 1)
        return True

    return attach_object_instance_id


def make_set_ray_pickable(find):
    @kernel
    def set_ray_pickable(instance, arguments, result):
        world, is_on = view(instance, 1, SERVER)[0].world, bool_argument(arguments, 1)
        index = find(world, int_argument(arguments, 0))
        if index < 0:
            return False
        body = bodies_of(world)[index]
        if (body.flags & RAY_PICKABLE != 0) == is_on:
            return True
        if body.system >= 0:
            return False
        body.flags ^= UINT32(RAY_PICKABLE)
        return True

    return set_ray_pickable


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
    server, binding = view(instance, 1, SERVER)[0], view(address, 1, BODY_BINDING)[0]
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
    server = view(instance, 1, SERVER)[0]
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
    """Make the fast answer that sets an area's Callable for bodies, or for areas."""

    @kernel
    def set_monitor_callback(instance, arguments, result):
        server = view(instance, 1, SERVER)[0]
        index = _loose(server.world, own_area(server.world, int_argument(arguments, 0)))
        if index < 0 or server.is_flushing:
            return False
        address, callback = server.area_bindings + index * AREA_BINDING_BYTES + place, argument(arguments, 1)
        if load_int32(address) != NIL:
            return False
        area = _area_at(server.world, index)
        area.flags &= ~UINT32(kind)
        if _is_valid(server, callback):
            call_2(server.variant_from_callable, address, callback)
            area.flags |= UINT32(kind)
        mark_changed(server.world, index, FILTER_CHANGED)
        return True

    return set_monitor_callback


# --- areas ---


@kernel
def area_set_monitorable(instance, arguments, result):
    world = view(instance, 1, SERVER)[0].world
    index = own_area(world, int_argument(arguments, 0))
    if index < 0:
        return False
    area = _area_at(world, index)
    if (area.flags & IS_MONITORABLE != 0) == bool_argument(arguments, 1):
        return True
    if bodies_of(world)[index].system >= 0:
        return False
    area.flags ^= UINT32(IS_MONITORABLE)
    mark_changed(world, index, FILTER_CHANGED)
    return True


@kernel
def _store_number(area, number, value):
    """Write a parameter of an area that may be any finite number; return False for others."""
    if number == GRAVITY:
        area.gravity = value
    elif number == UNIT_DISTANCE:
        area.unit_distance = value
    elif number == AREA_LINEAR_DAMP:
        area.linear_damp = value
    elif number == AREA_ANGULAR_DAMP:
        area.angular_damp = value
    else:
        return False
    return True


@kernel
def _says_no_wind(number, variant):
    """Whether a wind parameter has its default, which nodes set too."""
    if number == WIND_FORCE_MAGNITUDE or number == WIND_ATTENUATION_FACTOR:
        return load_int32(variant) == FLOAT and load_float64(variant + 8) == 0.0
    v = load_vector3(variant + 8)
    return load_int32(variant) == VECTOR3 and v[0] == 0.0 and v[1] == 0.0 and v[2] == 0.0


@kernel
def area_set_param(instance, arguments, result):
    server = view(instance, 1, SERVER)[0]
    number, variant = int_argument(arguments, 1), argument(arguments, 2)
    index = own_area(server.world, int_argument(arguments, 0))
    if index < 0:
        return False
    if WIND_FORCE_MAGNITUDE <= number <= WIND_ATTENUATION_FACTOR:
        has_wind = load_int64(server.area_bindings + index * AREA_BINDING_BYTES + HAS_WIND) != 0
        return not has_wind and _says_no_wind(number, variant)
    if bodies_of(server.world)[index].system >= 0:
        return False
    area = _area_at(server.world, index)
    if number == GRAVITY_VECTOR:
        v = load_vector3(variant + 8)
        if load_int32(variant) != VECTOR3 or not is_finite3(v):
            return False
        store3(area.gravity_vector, v)
        return True
    value = load_float64(variant + 8)
    return load_int32(variant) == FLOAT and abs(value) < LARGEST and _store_number(area, number, value)


SETTINGS = {
    "_body_set_mode": body_set_mode,
    "_body_set_param": body_set_param,
    "_body_set_collision_layer": make_set_filter(own_body, "collision_layer"),
    "_body_set_collision_mask": make_set_filter(own_body, "collision_mask"),
    "_body_set_collision_priority": body_set_collision_priority,
    "_body_set_user_flags": body_set_user_flags,
    "_body_attach_object_instance_id": make_attach_object_instance_id(own_body),
    "_body_set_ray_pickable": make_set_ray_pickable(own_body),
    "_body_set_state_sync_callback": body_set_state_sync_callback,
    "_area_set_collision_layer": make_set_filter(own_area, "collision_layer"),
    "_area_set_collision_mask": make_set_filter(own_area, "collision_mask"),
    "_area_attach_object_instance_id": make_attach_object_instance_id(own_area),
    "_area_set_ray_pickable": make_set_ray_pickable(own_area),
    "_area_set_monitor_callback": make_set_monitor_callback(BODY_CALLBACK, MONITORS_BODIES),
    "_area_set_area_monitor_callback": make_set_monitor_callback(AREA_CALLBACK, MONITORS_AREAS),
    "_area_set_monitorable": area_set_monitorable,
    "_area_set_param": area_set_param,
}
