"""Soft bodies: their settings are stored and read back. They are not simulated yet: they are drawn at rest, and single points,
including pinned ones, stay where they were put."""

from dataclasses import dataclass, field
from functools import partial

from .errors import check_finite
from .soft_mesh import SoftPoints
from .virtual_table import SERVER

NOT_ACTING = "kept and read back; soft bodies do not act yet"
NO_EFFECT = "does nothing; soft bodies do not act yet"
STATE_TRANSFORM = 0  # PhysicsServer3D.BodyState


@dataclass
class SoftBody:
    """The settings of a soft body."""

    space: int = 0
    object_id: int = 0
    layer: int = 1
    mask: int = 1
    is_ray_pickable: bool = True
    points: SoftPoints = field(default_factory=SoftPoints)
    simulation_precision: int = 5
    total_mass: float = 1.0
    linear_stiffness: float = 0.5
    shrinking_factor: float = 0.0
    pressure_coefficient: float = 0.0
    damping_coefficient: float = 0.01
    drag_coefficient: float = 0.0
    exceptions: dict = field(default_factory=dict)
    pinned_points: set = field(default_factory=set)
    states: dict = field(default_factory=dict)  # velocities and sleep, by BODY_STATE: kept until soft bodies act

    def release(self, server) -> None:
        """Do nothing: Godot counts nothing of a soft body yet."""


# Parameters that are one number, and their minimum; the mass must be above it.
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
        server.reporter.warn_once("SoftBody3D", "soft bodies do not act yet: they are drawn at rest")
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


@SERVER.cold(note="moves all points, as in Godot's own engines: what comes after the first is relative to it")
def _soft_body_set_transform(server, identity, transform):
    server.soft_bodies.get(identity).points.move(transform)


@SERVER.cold("velocities and sleep are kept; soft bodies do not act yet")
def _soft_body_set_state(server, identity, state, value):
    soft_body, transform = server.soft_bodies.get(identity), server.variants.read(value)
    if state != STATE_TRANSFORM:
        soft_body.states[state] = transform
        return
    if not isinstance(transform, tuple) or len(transform) != 12:
        raise ValueError(f"the state must be a Transform3D, got {transform!r}")
    soft_body.points.move(transform)


@SERVER.cold("velocities and sleep are kept; soft bodies do not act yet")
def _soft_body_get_state(server, identity, state):
    soft_body = server.soft_bodies.get(identity)
    if state != STATE_TRANSFORM:
        return soft_body.states.get(state)
    transform = soft_body.points.transform
    return (*transform[:3, :3].ravel().tolist(), *transform[:3, 3].tolist())


@SERVER.cold()
def _soft_body_set_mesh(server, identity, mesh):
    server.soft_bodies.get(identity).points.set_mesh(mesh)


@SERVER.cold()
def _soft_body_update_rendering_server(server, identity, handler):
    server.soft_bodies.get(identity).points.draw(server, handler)


@SERVER.cold()
def _soft_body_get_bounds(server, identity):
    return server.soft_bodies.get(identity).points.bounds(server)


@SERVER.cold()
def _soft_body_move_point(server, identity, point, place):
    server.soft_bodies.get(identity).points.move_point(point, place)


@SERVER.cold()
def _soft_body_get_point_global_position(server, identity, point):
    return server.soft_bodies.get(identity).points.place(server, point)


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


def _push(name, server, identity, *arguments):
    """Accept an impulse or a force, on a point or on all."""
    server.soft_bodies.get(identity)
    check_finite(name, *arguments[-1])


for _name in ("point_impulse", "point_force", "central_impulse", "central_force"):
    SERVER.answer(f"_soft_body_apply_{_name}", partial(_push, _name), NO_EFFECT)
