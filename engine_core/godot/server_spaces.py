"""Spaces: creating them, their parameters, and data for the debug view."""

from ..step.physics_system import PhysicsSystem
from .errors import check_finite
from .frames import frame_of_space
from .server_areas import Area
from .server_shapes import DEFAULT_BIAS
from .settings import MOST_SUBSTEPS
from .virtual_table import SERVER

# PhysicsServer3D.SpaceParameter: field of SYSTEM or None, and the value before any is set.
_PARAMETERS = {
    0: (None, 0.01), 1: (None, 0.05), 2: ("penetration_slop", 0.0), 3: ("contact_hertz", DEFAULT_BIAS),
    4: ("sleep_linear_threshold", 0.1), 5: ("sleep_angular_threshold", 0.139626), 6: ("time_to_sleep", 0.5),
    7: ("substep_count", 16.0),
}  # fmt: skip
CONTACT_HERTZ = PhysicsSystem.SETTINGS["contact_hertz"]
BIAS, ITERATIONS = 3, 7
ITERATIONS_A_SUBSTEP = 4.0
"""GodotPhysics3D's 16 iterations are 4 sub-steps: with both a stack of ten boxes behaves about the same."""


@SERVER.cold()
def _space_create(server):
    identity = server.world.create_system(is_active=False, **server.engine.settings.system_settings())
    server.add_space(identity)
    server.space_areas[identity] = Area()
    return identity


@SERVER.cold()
def _space_set_active(server, identity, active):
    server.space_row(identity)["is_active"] = active
    server.world.systems.rows[server.world.system_index("space_set_active", identity)]["settings"]["is_active"] = active


@SERVER.cold()
def _space_is_active(server, identity):
    return bool(server.space_row(identity)["is_active"])


def _parameter(number: int):
    if number not in _PARAMETERS:
        raise ValueError(f"there is no space parameter {number}")
    return _PARAMETERS[number]


@SERVER.cold(note="0 and 1 tune a cache of contacts that Scree does not have: kept, with a warning; see docs/differences.md")
def _space_set_param(server, identity, number, value):
    server.space_row(identity)
    field, default = _parameter(number)
    check_finite("the value", value)
    if value < 0.0:
        raise ValueError(f"the value must not be negative, got {value}")
    kept = server.space_areas[identity].space_parameters
    if number == BIAS:
        server.world.system_set_param(identity, field, CONTACT_HERTZ * value / default)
    elif number == ITERATIONS:
        substeps = min(max(round(value / ITERATIONS_A_SUBSTEP), 1), MOST_SUBSTEPS)
        server.world.system_set_param(identity, field, substeps)
    elif field:
        server.world.system_set_param(identity, field, value)
        return
    elif value != default:
        server.reporter.warn_once(f"space_set_param {number}", "has no meaning for this solver and is only read back")
    kept[number] = value


@SERVER.cold()
def _space_get_param(server, identity, number):
    server.space_row(identity)
    field, default = _parameter(number)
    kept = server.space_areas[identity].space_parameters
    if number in kept or not field:
        return kept.get(number, default)
    row = server.world.systems.rows[server.world.system_index("space_get_param", identity)]
    if number == BIAS:
        return float(row["settings"][field]) / CONTACT_HERTZ * default
    return float(row["settings"][field]) * (ITERATIONS_A_SUBSTEP if number == ITERATIONS else 1.0)


@SERVER.cold()
def _space_set_debug_contacts(server, identity, max_contacts):
    server.space_row(identity)
    server.space_areas[identity].debug_contacts = max(0, max_contacts)


def _contacts(server, identity: int):
    """Contact points of the last step, float64 (n, 3), in Godot's coordinates [m]: at most the requested number."""
    server.space_row(identity)
    points = server.world.system(identity).contact_points(server.space_areas[identity].debug_contacts)
    return points - frame_of_space(server, identity)


@SERVER.cold()
def _space_get_contacts(server, identity):
    return _contacts(server, identity)


@SERVER.cold()
def _space_get_contact_count(server, identity):
    return len(_contacts(server, identity))
