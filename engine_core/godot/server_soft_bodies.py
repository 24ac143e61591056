"""Soft bodies: what is set on them is kept and read back. They do not move yet, and have no points until then."""

from dataclasses import dataclass, field

from .errors import check_finite
from .virtual_table import SERVER

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
NOT_ACTING = "kept and read back; soft bodies do not act yet"


@dataclass
class SoftBody:
    """What was set on a soft body."""

    space: int = 0
    object_id: int = 0
    layer: int = 1
    mask: int = 1
    is_ray_pickable: bool = True
    transform: tuple = IDENTITY
    mesh: int = 0
    simulation_precision: int = 5
    total_mass: float = 1.0
    linear_stiffness: float = 0.5
    shrinking_factor: float = 0.0
    pressure_coefficient: float = 0.0
    damping_coefficient: float = 0.01
    drag_coefficient: float = 0.0
    exceptions: dict = field(default_factory=dict)
    pinned_points: set = field(default_factory=set)

    def release(self, server) -> None:
        """Nothing of a soft body is counted by Godot yet."""


def _set_number(server, identity: int, name: str, value: float, smallest: float = 0.0) -> None:
    soft_body = server.soft_bodies.get(identity)
    check_finite(name, value)
    if value < smallest:
        raise ValueError(f"{name} must be at least {smallest}, got {value}")
    setattr(soft_body, name, value)


@SERVER.cold()
def _soft_body_create(server):
    return server.soft_bodies.add(SoftBody())


@SERVER.cold(NOT_ACTING)
def _soft_body_set_space(server, identity, space):
    soft_body = server.soft_bodies.get(identity)
    if space:
        server.space_row(space)
        server.reporter.warn_once("SoftBody3D", "soft bodies are kept, but do not act yet")
    soft_body.space = space


@SERVER.cold()
def _soft_body_get_space(server, identity):
    return server.soft_bodies.get(identity).space


@SERVER.cold(NOT_ACTING)
def _soft_body_set_ray_pickable(server, identity, enable):
    server.soft_bodies.get(identity).is_ray_pickable = enable


@SERVER.cold(NOT_ACTING)
def _soft_body_set_collision_layer(server, identity, layer):
    server.soft_bodies.get(identity).layer = layer & 0xFFFFFFFF


@SERVER.cold()
def _soft_body_get_collision_layer(server, identity):
    return server.soft_bodies.get(identity).layer


@SERVER.cold(NOT_ACTING)
def _soft_body_set_collision_mask(server, identity, mask):
    server.soft_bodies.get(identity).mask = mask & 0xFFFFFFFF


@SERVER.cold()
def _soft_body_get_collision_mask(server, identity):
    return server.soft_bodies.get(identity).mask


@SERVER.cold(NOT_ACTING)
def _soft_body_add_collision_exception(server, identity, other):
    server.soft_bodies.get(identity).exceptions.setdefault(other)


@SERVER.cold()
def _soft_body_remove_collision_exception(server, identity, other):
    server.soft_bodies.get(identity).exceptions.pop(other, None)


@SERVER.cold()
def _soft_body_get_collision_exceptions(server, identity):
    return list(server.soft_bodies.get(identity).exceptions)


@SERVER.cold(NOT_ACTING)
def _soft_body_set_transform(server, identity, transform):
    check_finite("transform", *transform)
    server.soft_bodies.get(identity).transform = transform


@SERVER.cold(NOT_ACTING)
def _soft_body_set_mesh(server, identity, mesh):
    server.soft_bodies.get(identity).mesh = mesh


@SERVER.cold(NOT_ACTING)
def _soft_body_set_simulation_precision(server, identity, precision):
    _set_number(server, identity, "simulation_precision", precision, 1)


@SERVER.cold()
def _soft_body_get_simulation_precision(server, identity):
    return server.soft_bodies.get(identity).simulation_precision


@SERVER.cold(NOT_ACTING)
def _soft_body_set_total_mass(server, identity, mass):
    if not mass > 0.0:
        raise ValueError(f"total_mass must be above 0, got {mass}")
    _set_number(server, identity, "total_mass", mass)


@SERVER.cold()
def _soft_body_get_total_mass(server, identity):
    return server.soft_bodies.get(identity).total_mass


@SERVER.cold(NOT_ACTING)
def _soft_body_set_linear_stiffness(server, identity, value):
    _set_number(server, identity, "linear_stiffness", value)


@SERVER.cold()
def _soft_body_get_linear_stiffness(server, identity):
    return server.soft_bodies.get(identity).linear_stiffness


@SERVER.cold(NOT_ACTING)
def _soft_body_set_shrinking_factor(server, identity, value):
    _set_number(server, identity, "shrinking_factor", value, float("-inf"))


@SERVER.cold()
def _soft_body_get_shrinking_factor(server, identity):
    return server.soft_bodies.get(identity).shrinking_factor


@SERVER.cold(NOT_ACTING)
def _soft_body_set_pressure_coefficient(server, identity, value):
    _set_number(server, identity, "pressure_coefficient", value, float("-inf"))


@SERVER.cold()
def _soft_body_get_pressure_coefficient(server, identity):
    return server.soft_bodies.get(identity).pressure_coefficient


@SERVER.cold(NOT_ACTING)
def _soft_body_set_damping_coefficient(server, identity, value):
    _set_number(server, identity, "damping_coefficient", value)


@SERVER.cold()
def _soft_body_get_damping_coefficient(server, identity):
    return server.soft_bodies.get(identity).damping_coefficient


@SERVER.cold(NOT_ACTING)
def _soft_body_set_drag_coefficient(server, identity, value):
    _set_number(server, identity, "drag_coefficient", value)


@SERVER.cold()
def _soft_body_get_drag_coefficient(server, identity):
    return server.soft_bodies.get(identity).drag_coefficient


@SERVER.cold(NOT_ACTING)
def _soft_body_pin_point(server, identity, point, pin):
    points = server.soft_bodies.get(identity).pinned_points
    if pin:
        points.add(point)
    else:
        points.discard(point)


@SERVER.cold()
def _soft_body_is_point_pinned(server, identity, point):
    return point in server.soft_bodies.get(identity).pinned_points


@SERVER.cold()
def _soft_body_remove_all_pinned_points(server, identity):
    server.soft_bodies.get(identity).pinned_points.clear()
