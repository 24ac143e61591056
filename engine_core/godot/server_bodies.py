"""Bodies: creating and configuring them. The calls of every tick are in `server_motion.py` and `sync.py`, compiled."""

from ..bodies.identity import kind_of
from ..bodies.schema import CONTINUOUS, KIND_SOFT_BODY, OMITS_FORCES
from ..edit import setting_edits
from .errors import check_finite, check_integer, check_number, check_vector
from .server_colliders import signed_id
from .server_soft_bodies import accept_body, attach_object, except_body, set_pickable
from .setting_calls import BODY_PARAMETERS
from .virtual_table import BODY_STATE, SERVER

_VECTORS = ("inertia", "center_of_mass")
_MODES = ("linear_damp_mode", "angular_damp_mode")


@SERVER.cold()
def _body_create(server):
    server.stock.restock()
    return server.world.body.create()


@SERVER.cold()
def _body_get_space(server, identity):
    return server.world.body.system(identity)


@SERVER.cold()
def _body_set_mode(server, identity, mode):
    server.world.body.set_mode(identity, mode)


@SERVER.cold()
def _body_get_mode(server, identity):
    return int(server.body_row(identity)["mode"])


# --- identity ---


@SERVER.cold()
def _body_attach_object_instance_id(server, identity, object_id):
    if kind_of(identity) == KIND_SOFT_BODY:  # SoftBody3D sets its object id by this call
        attach_object(server, identity, object_id)
    else:
        server.body_row(identity)["user_id"] = signed_id(object_id)


@SERVER.cold()
def _body_get_object_instance_id(server, identity):
    if kind_of(identity) == KIND_SOFT_BODY:
        return server.soft_bodies.get(identity).object_id
    return int(server.body_row(identity)["user_id"])


@SERVER.cold()
def _body_set_enable_continuous_collision_detection(server, identity, enable):
    server.world.body.set_continuous(identity, enable)


@SERVER.cold()
def _body_is_continuous_collision_detection_enabled(server, identity):
    return bool(int(server.body_row(identity)["flags"]) & CONTINUOUS)


@SERVER.cold()
def _body_set_collision_layer(server, identity, layer):
    server.world.body.set_collision_layer(identity, layer)


@SERVER.cold()
def _body_set_collision_mask(server, identity, mask):
    server.world.body.set_collision_mask(identity, mask)


@SERVER.cold()
def _body_set_collision_priority(server, identity, priority):
    check_finite("priority", priority)
    server.world.body.set_param(identity, "collision_priority", priority)


@SERVER.cold()
def _body_get_collision_priority(server, identity):
    return float(server.body_row(identity)["collision_priority"])


@SERVER.cold()
def _body_set_user_flags(server, identity, flags):
    server.body_row(identity)  # Godot has no use for these; no engine does


@SERVER.cold()
def _body_get_user_flags(server, identity):
    server.body_row(identity)
    return 0


@SERVER.cold()
def _body_set_ray_pickable(server, identity, enable):
    if kind_of(identity) == KIND_SOFT_BODY:
        set_pickable(server, identity, enable)
    else:
        server.body_row(identity)
        server.world.body.edit("body_set_ray_pickable", identity, setting_edits.set_ray_pickable, enable)


# --- parameters ---


def _parameter(number: int) -> str:
    if not 0 <= number < len(BODY_PARAMETERS):
        raise ValueError(f"there is no body parameter {number}")
    return BODY_PARAMETERS[number]


@SERVER.cold()
def _body_set_param(server, identity, number, variant):
    name = _parameter(number)
    server.body_row(identity)
    value = server.variants.read(variant)
    if name in _MODES:
        value = check_integer(name, value, 0, 1)
    else:
        value = check_vector(name, value) if name in _VECTORS else check_number(name, value)
    server.world.body.set_param(identity, name, value)


@SERVER.cold()
def _body_get_param(server, identity, number):
    name = _parameter(number)
    value = server.world.body.param(identity, name)
    return int(value) if name in _MODES else value


@SERVER.cold()
def _body_reset_mass_properties(server, identity):
    server.world.body.reset_mass(identity)


@SERVER.cold()
def _body_set_axis_lock(server, identity, axis, lock):
    server.world.body.set_axis_lock(identity, axis, lock)


@SERVER.cold()
def _body_is_axis_locked(server, identity, axis):
    if axis not in (1, 2, 4, 8, 16, 32):
        raise ValueError(f"axis must be one of 1, 2, 4, 8, 16, 32, got {axis!r}")
    return bool(int(server.body_row(identity)["axis_locks"]) & axis)


# --- exceptions ---


@SERVER.cold()
def _body_add_collision_exception(server, identity, other):
    if kind_of(other) == KIND_SOFT_BODY:
        except_body(server, other, identity)
        return
    server.world.body.add_exception(identity, other)


@SERVER.cold()
def _body_remove_collision_exception(server, identity, other):
    if kind_of(other) == KIND_SOFT_BODY:
        accept_body(server, other, identity)
        return
    server.world.body.remove_exception(identity, other)


@SERVER.cold()
def _body_get_collision_exceptions(server, identity):
    return server.world.body.exceptions(identity)


# --- contacts and callbacks ---


@SERVER.cold()
def _body_set_max_contacts_reported(server, identity, amount):
    server.world.body.set_max_contacts(identity, amount)


@SERVER.cold()
def _body_get_max_contacts_reported(server, identity):
    return server.world.body.max_contacts(identity)


@SERVER.cold(note="checked, and not kept: no engine of Godot's has a use for it, and Godot has no way to set it but this")
def _body_set_contacts_reported_depth_threshold(server, identity, threshold):
    server.body_row(identity)


@SERVER.cold(note="always 0, as in Godot's engines")
def _body_get_contacts_reported_depth_threshold(server, identity):
    server.body_row(identity)
    return 0.0


@SERVER.cold()
def _body_set_omit_force_integration(server, identity, enable):
    server.body_row(identity)
    server.world.body.edit("body_set_omit_force_integration", identity, setting_edits.set_omits_forces, enable)


@SERVER.cold()
def _body_is_omitting_force_integration(server, identity):
    return bool(int(server.body_row(identity)["flags"]) & OMITS_FORCES)


def _set_callback(server, identity: int, field: str, callback: int) -> int:
    """Store a copy of a Callable in a body's binding, with a state object to call it with. Return the body's index."""
    index = server.body_index(identity)
    server.binding_of(index)
    server.give_up_variant(server.binding_field(index, field))
    if server.is_callable(callback):
        server.make_body_state(index)
        server.copy_callable(server.binding_field(index, field), callback)
    return index


@SERVER.cold()
def _body_set_state_sync_callback(server, identity, callback):
    _set_callback(server, identity, "sync_callback", callback)


@SERVER.cold()
def _body_set_force_integration_callback(server, identity, callback, userdata):
    index = _set_callback(server, identity, "integration_callback", callback)
    place = server.binding_field(index, "integration_data")
    server.give_up_variant(place)
    server.variants.copy(place, userdata)


# --- the two rarely used setters of a body state ---


@BODY_STATE.cold()
def _set_collision_layer(server, instance, layer):
    server.world.body.set_collision_layer(server.body_of_state(instance), layer)


@BODY_STATE.cold()
def _set_collision_mask(server, instance, mask):
    server.world.body.set_collision_mask(server.body_of_state(instance), mask)
