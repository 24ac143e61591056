"""Areas: creating and configuring them. Moving one is in `server_area_motion.py`, reporting overlaps in `sync.py`, compiled.

A space's id also refers to its default area, which acts where no other area replaces it.
"""

from functools import partial

import numpy as np

from ..bodies.identity import kind_of
from ..bodies.schema import KIND_SYSTEM
from ..edit import setting_edits
from .errors import check_integer, check_number, check_vector
from .frames import frame_of_space, read_place
from .server_colliders import row_of, signed_id
from .virtual_table import SERVER

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)

# PhysicsServer3D.AreaParameter: the core's name (None: the wind, which acts on soft bodies alone), and the value before any is
# set.
_PARAMETERS = (
    ("gravity_mode", 0), ("gravity", 9.8), ("gravity_vector", (0.0, -1.0, 0.0)), ("is_point", False), ("unit_distance", 0.0),
    ("linear_damp_mode", 0), ("linear_damp", 0.1), ("angular_damp_mode", 0), ("angular_damp", 0.1), ("priority", 0),
    (None, 0.0), (None, (0.0, 0.0, 0.0)), (None, (0.0, 0.0, 0.0)), (None, 0.0),
)  # fmt: skip
WIND_FORCE_MAGNITUDE = 10


class Area:
    """Data unknown to the core: for a space's default area its parameters as set, for an area the wind."""

    def __init__(self):
        self.parameters = [value for _, value in _PARAMETERS]
        self.object_id = 0  # of a default area
        self.space_parameters: dict[int, float] = {}  # of a space: tuning without effect
        self.debug_contacts = 0


def _is_space(identity: int) -> bool:
    return kind_of(identity) == KIND_SYSTEM


def area_of(server, identity: int) -> Area:
    """The area with this id, or the default area of the space with it. Raises KeyError."""
    if _is_space(identity):
        server.space_row(identity)
        return server.space_areas[identity]
    _row(server, identity)
    return server.areas.setdefault(identity, Area())


_row = partial(row_of, "area")


def free_area(server, identity: int) -> None:
    """Free an area. Its Callables may be running."""
    index = server.world.area.index("free_rid", identity)
    server.world.area.destroy(identity)
    server.areas.pop(identity, None)
    server.winds.rows[index]["magnitude"] = 0.0
    server.drop_area_binding(index)


@SERVER.cold()
def _area_create(server):
    server.stock.restock()
    return server.world.area.create()


@SERVER.cold()
def _area_get_space(server, identity):
    return identity if _is_space(identity) and area_of(server, identity) else server.world.area.system(identity)


@SERVER.cold()
def _area_get_transform(server, identity):
    if _is_space(identity):
        area_of(server, identity)
        return IDENTITY
    index = server.world.area.index("area_get_transform", identity)
    return read_place(server, index)


# --- identity ---


@SERVER.cold()
def _area_attach_object_instance_id(server, identity, object_id):
    if _is_space(identity):
        area_of(server, identity).object_id = object_id
    else:
        _row(server, identity)["user_id"] = signed_id(object_id)


@SERVER.cold()
def _area_get_object_instance_id(server, identity):
    return area_of(server, identity).object_id if _is_space(identity) else int(_row(server, identity)["user_id"])


@SERVER.cold()
def _area_set_collision_layer(server, identity, layer):
    server.world.area.set_collision_layer(identity, layer)


@SERVER.cold()
def _area_set_collision_mask(server, identity, mask):
    server.world.area.set_collision_mask(identity, mask)


@SERVER.cold()
def _area_set_ray_pickable(server, identity, enable):
    _row(server, identity)
    server.world.body.edit("area_set_ray_pickable", identity, setting_edits.set_ray_pickable, enable)


# --- effects ---


def _write_wind(server, identity: int, area: Area) -> None:
    """Write the wind of an area for soft bodies: it blows away from its source."""
    index = server.world.area.index("area_set_param", identity)
    row, (magnitude, source, direction, attenuation) = server.winds.rows[index], area.parameters[WIND_FORCE_MAGNITUDE:]
    size = float(np.linalg.norm(direction))
    row["source"] = np.add(source, frame_of_space(server, server.world.area.system(identity)))
    row["direction"] = np.asarray(direction) / size if size > 0.0 else 0.0
    row["magnitude"], row["attenuation"] = magnitude if size > 0.0 else 0.0, attenuation


@SERVER.cold(note="the wind is a pressure on the triangles of soft bodies: its magnitude is in N/m^2")
def _area_set_param(server, identity, number, variant):
    area = area_of(server, identity)
    if not 0 <= number < len(_PARAMETERS):
        raise ValueError(f"there is no area parameter {number}")
    name, default = _PARAMETERS[number]
    value = server.variants.read(variant)
    if isinstance(default, tuple):
        value = check_vector("the value", value)
    elif isinstance(default, bool):
        value = bool(value)
    elif isinstance(default, int):
        value = check_integer("the value", value, -(1 << 31), (1 << 31) - 1)
    else:
        value = check_number("the value", value)
    if name and _is_space(identity):
        server.world.area.set_space_param(identity, name, value)
    elif name:
        server.world.area.set_param(identity, name, value)
    elif not _is_space(identity):
        server.area_bindings[server.world.area.index("area", identity)]["has_wind"] = 1
    if _is_space(identity) or not name:
        area.parameters[number] = value
    if not name and not _is_space(identity):
        _write_wind(server, identity, area)


@SERVER.cold()
def _area_get_param(server, identity, number):
    area = area_of(server, identity)
    if not 0 <= number < len(_PARAMETERS):
        raise ValueError(f"there is no area parameter {number}")
    name, default = _PARAMETERS[number]
    if _is_space(identity) or not name:
        return area.parameters[number]
    value = server.world.areas.rows[server.world.area.index("area", identity)][name]
    return tuple(value.tolist()) if isinstance(default, tuple) else type(default)(value)


# --- monitoring ---


@SERVER.cold()
def _area_set_monitorable(server, identity, monitorable):
    server.world.area.set_monitorable(identity, monitorable)


def _set_callback(server, identity: int, field: str, callback: int) -> bool:
    """Store a copy of a Callable in an area's binding. Return whether there is one now."""
    place = server.area_binding_field(server.world.area.index("area", identity), field)
    server.give_up_variant(place)
    is_set = server.is_callable(callback)
    if is_set:
        server.copy_callable(place, callback)
    return is_set


@SERVER.cold()
def _area_set_monitor_callback(server, identity, callback):
    is_set = _set_callback(server, identity, "body_callback", callback)
    server.world.area.set_monitoring(identity, bodies=is_set)


@SERVER.cold()
def _area_set_area_monitor_callback(server, identity, callback):
    is_set = _set_callback(server, identity, "area_callback", callback)
    server.world.area.set_monitoring(identity, areas=is_set)
