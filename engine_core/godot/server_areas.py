"""Areas: everything that is set on them is kept and read back. What they do (overlaps, overrides) is the sensors'
and not built yet, except that the default area of a space gives the space its gravity and damping.

A space's id names its default area too.
"""

from ..bodies.identity import kind_of
from ..bodies.schema import KIND_SYSTEM
from .errors import check_finite, check_integer, check_number, check_place, check_vector
from .virtual_table import SERVER

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)

# PhysicsServer3D.AreaParameter
(GRAVITY_OVERRIDE_MODE, GRAVITY, GRAVITY_VECTOR, GRAVITY_IS_POINT, GRAVITY_POINT_UNIT_DISTANCE,
 LINEAR_DAMP_OVERRIDE_MODE, LINEAR_DAMP, ANGULAR_DAMP_OVERRIDE_MODE, ANGULAR_DAMP, PRIORITY,
 WIND_FORCE_MAGNITUDE, WIND_SOURCE, WIND_DIRECTION, WIND_ATTENUATION_FACTOR) = range(14)  # fmt: skip
_MODES = (GRAVITY_OVERRIDE_MODE, LINEAR_DAMP_OVERRIDE_MODE, ANGULAR_DAMP_OVERRIDE_MODE)
_VECTORS = (GRAVITY_VECTOR, WIND_SOURCE, WIND_DIRECTION)
_DEFAULTS = {
    GRAVITY_OVERRIDE_MODE: 0, GRAVITY: 9.8, GRAVITY_VECTOR: (0.0, -1.0, 0.0), GRAVITY_IS_POINT: False,
    GRAVITY_POINT_UNIT_DISTANCE: 0.0, LINEAR_DAMP_OVERRIDE_MODE: 0, LINEAR_DAMP: 0.1, ANGULAR_DAMP_OVERRIDE_MODE: 0,
    ANGULAR_DAMP: 0.1, PRIORITY: 0, WIND_FORCE_MAGNITUDE: 0.0, WIND_SOURCE: (0.0, 0.0, 0.0),
    WIND_DIRECTION: (0.0, 0.0, 0.0), WIND_ATTENUATION_FACTOR: 0.0,
}  # fmt: skip
NOT_ACTING = "kept and read back; areas do not act yet"
NO_ACTION = "areas are kept, but do not act yet: no overlaps, no overrides of gravity or damping"


class Area:
    """What was set on an area."""

    def __init__(self):
        self.space = 0
        self.shapes: list[list] = []  # [shape id, transform, is disabled]
        self.parameters = dict(_DEFAULTS)
        self.transform = IDENTITY
        self.layer = self.mask = 1
        self.is_monitorable, self.is_ray_pickable = False, True
        self.object_id = 0
        self.body_callback = self.area_callback = None  # StoredVariant
        self.space_parameters: dict[int, float] = {}  # of a space's default area: tuning that does nothing
        self.debug_contacts = 0

    def remove_user_shape(self, identity: int) -> None:
        """A shape was freed: the area loses it."""
        self.shapes = [shape for shape in self.shapes if shape[0] != identity]

    def release(self, server) -> None:
        """Give back what Godot counts."""
        for callback in (self.body_callback, self.area_callback):
            if callback:
                callback.release()
        self.body_callback = self.area_callback = None


def default_area(server, space: int) -> Area:
    """The default area of a new space; gives the space its gravity and damping."""
    area = Area()
    area.space = space
    _apply_to_space(server, space, area)
    return area


def _apply_to_space(server, space: int, area: Area) -> None:
    strength, direction = area.parameters[GRAVITY], area.parameters[GRAVITY_VECTOR]
    server.world.system_set_param(space, "gravity", tuple(strength * part for part in direction))
    server.world.system_set_param(space, "linear_damp", area.parameters[LINEAR_DAMP])
    server.world.system_set_param(space, "angular_damp", area.parameters[ANGULAR_DAMP])


def area_of(server, identity: int) -> Area:
    """The area with this id, or the default area of the space with it. Raises KeyError."""
    if kind_of(identity) == KIND_SYSTEM:
        server.space_row(identity)
        return server.space_areas[identity]
    return server.areas.get(identity)


def _shape_of(area: Area, number: int) -> list:
    if not 0 <= number < len(area.shapes):
        raise ValueError(f"the area has {len(area.shapes)} shapes, there is no number {number}")
    return area.shapes[number]


@SERVER.cold()
def _area_create(server):
    return server.areas.add(Area())


@SERVER.cold(NOT_ACTING)
def _area_set_space(server, identity, space):
    area = server.areas.get(identity)
    if space:
        server.space_row(space)
        server.reporter.warn_once("Area3D", NO_ACTION)
    area.space = space


@SERVER.cold()
def _area_get_space(server, identity):
    return area_of(server, identity).space


@SERVER.cold()
def _area_add_shape(server, identity, shape, transform, disabled):
    area = server.areas.get(identity)
    server.check_shape(shape)
    check_place(transform)
    area.shapes.append([shape, transform, disabled])


@SERVER.cold()
def _area_set_shape(server, identity, number, shape):
    area = server.areas.get(identity)
    server.check_shape(shape)
    _shape_of(area, number)[0] = shape


@SERVER.cold()
def _area_set_shape_transform(server, identity, number, transform):
    check_place(transform)
    _shape_of(server.areas.get(identity), number)[1] = transform


@SERVER.cold()
def _area_set_shape_disabled(server, identity, number, disabled):
    _shape_of(server.areas.get(identity), number)[2] = disabled


@SERVER.cold()
def _area_get_shape_count(server, identity):
    return len(server.areas.get(identity).shapes)


@SERVER.cold()
def _area_get_shape(server, identity, number):
    return _shape_of(server.areas.get(identity), number)[0]


@SERVER.cold()
def _area_get_shape_transform(server, identity, number):
    return _shape_of(server.areas.get(identity), number)[1]


@SERVER.cold()
def _area_remove_shape(server, identity, number):
    area = server.areas.get(identity)
    _shape_of(area, number)
    del area.shapes[number]


@SERVER.cold()
def _area_clear_shapes(server, identity):
    server.areas.get(identity).shapes.clear()


@SERVER.cold()
def _area_attach_object_instance_id(server, identity, object_id):
    area_of(server, identity).object_id = object_id


@SERVER.cold()
def _area_get_object_instance_id(server, identity):
    return area_of(server, identity).object_id


@SERVER.cold("of a space: gravity and damping act; of an area: kept and read back")
def _area_set_param(server, identity, number, variant):
    area = area_of(server, identity)
    if number not in _DEFAULTS:
        raise ValueError(f"there is no area parameter {number}")
    value = server.variants.read(variant)
    if number in _VECTORS:
        area.parameters[number] = check_vector("the value", value)
    elif number == GRAVITY_IS_POINT:
        area.parameters[number] = bool(value)
    elif number in _MODES:
        area.parameters[number] = check_integer("the mode", value, 0, 4)
    elif number == PRIORITY:
        area.parameters[number] = check_integer("the value", value, -(1 << 31), (1 << 31) - 1)
    else:
        area.parameters[number] = check_number("the value", value)
    if kind_of(identity) == KIND_SYSTEM:
        _apply_to_space(server, identity, area)


@SERVER.cold()
def _area_get_param(server, identity, number):
    area = area_of(server, identity)
    if number not in _DEFAULTS:
        raise ValueError(f"there is no area parameter {number}")
    return area.parameters[number]


@SERVER.cold(NOT_ACTING)
def _area_set_transform(server, identity, transform):
    area = server.areas.get(identity)
    check_finite("transform", *transform)
    area.transform = transform


@SERVER.cold()
def _area_get_transform(server, identity):
    return area_of(server, identity).transform


@SERVER.cold(NOT_ACTING)
def _area_set_collision_layer(server, identity, layer):
    server.areas.get(identity).layer = layer & 0xFFFFFFFF


@SERVER.cold()
def _area_get_collision_layer(server, identity):
    return server.areas.get(identity).layer


@SERVER.cold(NOT_ACTING)
def _area_set_collision_mask(server, identity, mask):
    server.areas.get(identity).mask = mask & 0xFFFFFFFF


@SERVER.cold()
def _area_get_collision_mask(server, identity):
    return server.areas.get(identity).mask


@SERVER.cold(NOT_ACTING)
def _area_set_monitorable(server, identity, monitorable):
    server.areas.get(identity).is_monitorable = monitorable


@SERVER.cold(NOT_ACTING)
def _area_set_ray_pickable(server, identity, enable):
    server.areas.get(identity).is_ray_pickable = enable


def _store_callable(server, callable_address: int):
    """A copy of a Callable as a Variant of our own; None for an empty one."""
    return server.store_callable(callable_address)


@SERVER.cold("kept; nothing calls it yet")
def _area_set_monitor_callback(server, identity, callback):
    area = server.areas.get(identity)
    if area.body_callback:
        area.body_callback.release()
    area.body_callback = _store_callable(server, callback)


@SERVER.cold("kept; nothing calls it yet")
def _area_set_area_monitor_callback(server, identity, callback):
    area = server.areas.get(identity)
    if area.area_callback:
        area.area_callback.release()
    area.area_callback = _store_callable(server, callback)
