"""Spaces: making them, their parameters, and what the debug view asks for."""

from .errors import check_finite
from .frames import frame_of_space
from .server_areas import Area
from .virtual_table import SERVER

# PhysicsServer3D.SpaceParameter: field of SYSTEM or None, and the value before any is set.
_PARAMETERS = {
    0: (None, 0.01), 1: (None, 0.05), 2: (None, 0.01), 3: (None, 0.8), 4: ("sleep_linear_threshold", 0.1),
    5: ("sleep_angular_threshold", 0.139626), 6: ("time_to_sleep", 0.5), 7: (None, 16.0),
}  # fmt: skip


@SERVER.cold()
def _space_create(server):
    identity = server.world.create_system(is_active=False, **server.engine.settings.system_settings())
    server.add_space(identity)
    server.space_areas[identity] = Area()
    return identity


@SERVER.cold()
def _space_set_active(server, identity, active):
    server.space_row(identity)["is_active"] = active
    server.world.systems.rows[server.world.system_index("space_set_active", identity)]["is_active"] = active


@SERVER.cold()
def _space_is_active(server, identity):
    return bool(server.space_row(identity)["is_active"])


def _parameter(number: int):
    if number not in _PARAMETERS:
        raise ValueError(f"there is no space parameter {number}")
    return _PARAMETERS[number]


@SERVER.cold("sleep thresholds act; the tuning of another solver (0 to 3, 7) is read back and does nothing")
def _space_set_param(server, identity, number, value):
    server.space_row(identity)
    field, _ = _parameter(number)
    check_finite("the value", value)
    if value < 0.0:
        raise ValueError(f"the value must not be negative, got {value}")
    if field:
        server.world.system_set_param(identity, field, value)
    else:
        server.reporter.warn_once(f"space_set_param {number}", "has no meaning for this solver and is only read back")
        server.space_areas[identity].space_parameters[number] = value


@SERVER.cold()
def _space_get_param(server, identity, number):
    server.space_row(identity)
    field, default = _parameter(number)
    if field:
        return float(server.world.systems.rows[server.world.system_index("space_get_param", identity)][field])
    return server.space_areas[identity].space_parameters.get(number, default)


@SERVER.cold()
def _space_set_debug_contacts(server, identity, max_contacts):
    server.space_row(identity)
    server.space_areas[identity].debug_contacts = max(0, max_contacts)


def _contacts(server, identity: int):
    """Contact points of the last step, float64 (n, 3), in Godot's numbers [m]: as many as were asked for at most."""
    server.space_row(identity)
    points = server.world.system(identity).contact_points(server.space_areas[identity].debug_contacts)
    return points - frame_of_space(server, identity)


@SERVER.cold()
def _space_get_contacts(server, identity):
    return _contacts(server, identity)


@SERVER.cold()
def _space_get_contact_count(server, identity):
    return len(_contacts(server, identity))
