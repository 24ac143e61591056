"""Soft bodies: what is set on them is kept and read back. They do not move yet, and have no points until then."""

from dataclasses import dataclass, field
from functools import partial

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


# What is one number, and the smallest it may be; the mass must be above it.
_SMALLEST = {
    "simulation_precision": 1, "total_mass": 0.0, "linear_stiffness": 0.0, "shrinking_factor": float("-inf"),
    "pressure_coefficient": float("-inf"), "damping_coefficient": 0.0, "drag_coefficient": 0.0,
}  # fmt: skip


def _set_number(name, server, identity, value):
    soft_body = server.soft_bodies.get(identity)
    check_finite(name, value)
    if name == "total_mass" and value == 0.0:
        raise ValueError(f"total_mass must be above 0, got {value}")
    if value < _SMALLEST[name]:
        raise ValueError(f"{name} must be at least {_SMALLEST[name]}, got {value}")
    setattr(soft_body, name, value)


def _get_number(name, server, identity):
    return getattr(server.soft_bodies.get(identity), name)


for _name in _SMALLEST:
    SERVER.answer(f"_soft_body_set_{_name}", partial(_set_number, _name), NOT_ACTING)
    SERVER.answer(f"_soft_body_get_{_name}", partial(_get_number, _name))


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
