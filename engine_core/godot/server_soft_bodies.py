"""SoftBody3D: a soft body of the core (core/soft_bodies.py) for each that is in a space and has a mesh.

Outside of a space, and without a mesh, settings are kept, and points stay where they were put.
"""

import math
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ..runtime.memory import address_of
from ..runtime.recorded_calls import check_not_recorded
from .errors import check_finite, check_vector
from .frames import frame_of_space
from .server_colliders import signed_id
from .soft_mesh import SoftPoints
from .virtual_table import SERVER

STATE_TRANSFORM, STATE_LINEAR_VELOCITY, STATE_ANGULAR_VELOCITY, STATE_SLEEPING, STATE_CAN_SLEEP = range(5)
"""PhysicsServer3D.BodyState."""
SPRING = (2.0 * math.pi * 3.0) ** 2
"""Stiffness of edges at a linear stiffness of 0.5, for each kg of the soft body [1/s^2]: the whole mass would swing on one edge
at 3 Hz. It does not depend on how fine the mesh is, since a finer cloth has more edges both beside and above each other."""
BEND_PART = 0.25
"""Stiffness of bends, as part of that of edges."""
SOFTEST = 0.01
"""A linear stiffness below this counts as this: the body would fall apart."""


@dataclass
class SoftBody:
    """The settings of a soft body."""

    identity: int = 0
    space: int = 0
    object_id: int = 0
    layer: int = 1
    mask: int = 1
    is_ray_pickable: bool = True
    points: SoftPoints = field(default_factory=SoftPoints)
    is_waiting: bool = False  # for a call on Godot's main thread, which may read the mesh
    simulation_precision: int = 5
    total_mass: float = 1.0
    linear_stiffness: float = 0.5
    shrinking_factor: float = 0.0
    pressure_coefficient: float = 0.0
    damping_coefficient: float = 0.01
    drag_coefficient: float = 0.0
    exceptions: dict = field(default_factory=dict)
    pinned_points: set = field(default_factory=set)
    states: dict = field(default_factory=dict)  # velocities and sleep, by BODY_STATE, while it is not simulated

    def release(self, server) -> None:
        """Leave the space."""
        self.points.end()
        list_soft_bodies(server)

    @property
    def core(self):
        """The soft body of the core, or None."""
        return self.points.core

    def renew(self, server) -> None:
        """Begin or stop simulating, as space and mesh are now."""
        self.points.end()
        list_soft_bodies(server)
        self.is_waiting = False
        if not self.space or not self.points.mesh:
            return
        check_not_recorded(server.world.recorder, "soft_body", "the soft bodies of Godot")
        if not self.points.can_be_read():
            self.is_waiting = True
            return
        self.points.frame = frame_of_space(server, self.space)
        self.points.begin(server, partial(server.world.soft_body.create, self.space, mass=self.total_mass))
        if not self.core:
            return
        row = self.core.row
        row["wind_areas"], row["id"], row["user_id"] = server.winds.address, self.identity, signed_id(self.object_id)
        row["is_pickable"] = int(self.is_ray_pickable)
        for name in _SMALLEST:
            self.tell(server, name)
        self.tell_filters(server)
        self.core.pin(self.points.particles(self.pinned_points))
        self.core.row["can_sleep"] = int(self.states.get(STATE_CAN_SLEEP, True))
        if STATE_LINEAR_VELOCITY in self.states or STATE_ANGULAR_VELOCITY in self.states:
            self.tell_velocity()
        list_soft_bodies(server)

    def tell(self, server, name: str) -> None:
        """Pass one of the numbers of _SMALLEST on to the core."""
        value, core = getattr(self, name), self.core
        if name == "simulation_precision":
            core.set_precision(min(int(value), MOST_PRECISION))
        elif name in ("linear_stiffness", "shrinking_factor", "total_mass"):
            core.set_mass(self.total_mass)
            soft = max(min(self.linear_stiffness, 1.0), SOFTEST)
            stiffness = self.total_mass * SPRING * (soft / (1.0 - soft)) ** 2 if soft < 1.0 else math.inf
            core.set_stiffness(stiffness, BEND_PART * stiffness, max(1.0 - self.shrinking_factor, 0.0))
        elif name == "pressure_coefficient":
            if value and not core.layout.orientation:
                server.reporter.warn_once("soft_body_set_pressure_coefficient", "pressure needs a mesh that is closed")
            core.set_setting("pressure", max(value, 0.0) if core.layout.orientation else 0.0)
        else:
            core.set_setting({"damping_coefficient": "damping", "drag_coefficient": "drag"}[name], value)

    def tell_filters(self, server) -> None:
        """Pass layer, mask and exceptions on to the core."""
        if self.core:
            self.core.row["layer"], self.core.row["mask"] = self.layer, self.mask
            self.core.set_exceptions(self.exceptions)

    def tell_velocity(self) -> None:
        """Give all particles the velocities of the states."""
        core = self.core
        arms = core.positions - core.positions.mean(axis=0)
        turning = np.asarray(self.states.pop(STATE_ANGULAR_VELOCITY, (0.0, 0.0, 0.0)))
        core.set_velocities(np.asarray(self.states.pop(STATE_LINEAR_VELOCITY, (0.0, 0.0, 0.0))) + np.cross(turning, arms))


MOST_PRECISION = 50
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
    if soft_body.core:
        soft_body.tell(server, name)


def _get_number(name, server, identity):
    return getattr(server.soft_bodies.get(identity), name)


for _name in _SMALLEST:
    SERVER.answer(f"_soft_body_set_{_name}", partial(_set_number, _name))
    SERVER.answer(f"_soft_body_get_{_name}", partial(_get_number, _name))


@SERVER.cold()
def _soft_body_create(server):
    soft_body = SoftBody()
    soft_body.identity = server.soft_bodies.add(soft_body)
    return soft_body.identity


@SERVER.cold()
def _soft_body_set_space(server, identity, space):
    soft_body = server.soft_bodies.get(identity)
    if space:
        server.space_row(space)
    if space != soft_body.space:
        soft_body.space = space
        soft_body.renew(server)


@SERVER.cold()
def _soft_body_get_space(server, identity):
    return server.soft_bodies.get(identity).space


@SERVER.cold()
def _soft_body_set_ray_pickable(server, identity, enable):
    set_pickable(server, identity, enable)


@SERVER.cold()
def _soft_body_set_collision_layer(server, identity, layer):
    soft_body = server.soft_bodies.get(identity)
    soft_body.layer = layer & 0xFFFFFFFF
    soft_body.tell_filters(server)


@SERVER.cold()
def _soft_body_get_collision_layer(server, identity):
    return server.soft_bodies.get(identity).layer


@SERVER.cold()
def _soft_body_set_collision_mask(server, identity, mask):
    soft_body = server.soft_bodies.get(identity)
    soft_body.mask = mask & 0xFFFFFFFF
    soft_body.tell_filters(server)


@SERVER.cold()
def _soft_body_get_collision_mask(server, identity):
    return server.soft_bodies.get(identity).mask


def ready(server, identity: int) -> SoftBody:
    """The soft body with this id, simulated if it can be. Raises KeyError."""
    soft_body = server.soft_bodies.get(identity)
    if soft_body.is_waiting:
        soft_body.renew(server)
    return soft_body


def set_pickable(server, identity: int, enable: bool) -> None:
    """Let picking rays hit a soft body, or not. Raises KeyError."""
    soft_body = server.soft_bodies.get(identity)
    soft_body.is_ray_pickable = enable
    if soft_body.core:
        soft_body.core.row["is_pickable"] = int(enable)


def attach_object(server, identity: int, object_id: int) -> None:
    """Set the Object that hits report. Raises KeyError."""
    soft_body = server.soft_bodies.get(identity)
    soft_body.object_id = object_id
    if soft_body.core:
        soft_body.core.row["user_id"] = signed_id(object_id)


def list_soft_bodies(server) -> None:
    """Renew the lists of soft bodies that rays of each space read. What they read before stays alive for rays under way."""
    lists: dict[int, list] = {}
    for soft_body in server.soft_bodies.things.values():
        if soft_body.core:
            lists.setdefault(soft_body.space, []).append(soft_body.core)
    for space in {*lists, *server.soft_lists}:
        if not server.world.has_system(space):
            server.soft_lists.pop(space, None)
            continue
        row, cores = server.space_row(space), lists.get(space, [])
        addresses = np.array([core.address for core in cores], np.int64)
        server.soft_history.append(server.soft_lists.get(space))
        server.soft_lists[space] = addresses, cores
        row["soft_body_count"] = 0
        row["soft_bodies"] = address_of(addresses)
        row["soft_body_count"] = len(cores)


def except_body(server, identity: int, other: int) -> None:
    """Let a soft body pass through another body. Raises KeyError."""
    soft_body = server.soft_bodies.get(identity)
    soft_body.exceptions.setdefault(other)
    soft_body.tell_filters(server)


def accept_body(server, identity: int, other: int) -> None:
    """Undo `except_body`. Raises KeyError."""
    soft_body = server.soft_bodies.get(identity)
    soft_body.exceptions.pop(other, None)
    soft_body.tell_filters(server)


@SERVER.cold()
def _soft_body_add_collision_exception(server, identity, other):
    except_body(server, identity, other)


@SERVER.cold()
def _soft_body_remove_collision_exception(server, identity, other):
    accept_body(server, identity, other)


@SERVER.cold()
def _soft_body_get_collision_exceptions(server, identity):
    return list(server.soft_bodies.get(identity).exceptions)


@SERVER.cold(note="moves all points, as in Godot's own engines: what comes after the first is relative to it")
def _soft_body_set_transform(server, identity, transform):
    server.soft_bodies.get(identity).points.move(transform)


@SERVER.cold()
def _soft_body_set_state(server, identity, state, value):
    soft_body, given = server.soft_bodies.get(identity), server.variants.read(value)
    if state == STATE_TRANSFORM:
        if not isinstance(given, tuple) or len(given) != 12:
            raise ValueError(f"the state must be a Transform3D, got {given!r}")
        soft_body.points.move(given)
    elif state in (STATE_LINEAR_VELOCITY, STATE_ANGULAR_VELOCITY):
        soft_body.states[state] = check_vector("the state", given)
        if soft_body.core:
            soft_body.tell_velocity()
    elif state in (STATE_SLEEPING, STATE_CAN_SLEEP):
        soft_body.states[state] = bool(given)
        if soft_body.core and state == STATE_CAN_SLEEP:
            soft_body.core.row["can_sleep"] = int(bool(given))
        if soft_body.core:
            soft_body.core.wake()
            soft_body.core.row["is_asleep"] = int(bool(given)) if state == STATE_SLEEPING else 0
    else:
        raise ValueError(f"there is no body state {state}")


@SERVER.cold(note="velocities are means of all points")
def _soft_body_get_state(server, identity, state):
    soft_body = server.soft_bodies.get(identity)
    core = soft_body.core
    if state == STATE_TRANSFORM:
        transform = soft_body.points.transform
        return (*transform[:3, :3].ravel().tolist(), *transform[:3, 3].tolist())
    if core and state == STATE_LINEAR_VELOCITY:
        return tuple(np.average(core.velocities, axis=0, weights=core.masses).tolist())
    if core and state == STATE_ANGULAR_VELOCITY:
        return core.mean_spin()
    if core and state == STATE_SLEEPING:
        return core.is_sleeping
    if state in (STATE_SLEEPING, STATE_CAN_SLEEP):
        return soft_body.states.get(state, state == STATE_CAN_SLEEP)
    return soft_body.states.get(state, (0.0, 0.0, 0.0))


@SERVER.cold()
def _soft_body_set_mesh(server, identity, mesh):
    soft_body = server.soft_bodies.get(identity)
    if mesh != soft_body.points.mesh:
        soft_body.points.end()
        soft_body.points.set_mesh(mesh)
        soft_body.renew(server)


@SERVER.cold()
def _soft_body_update_rendering_server(server, identity, handler):
    ready(server, identity).points.draw(server, handler)


@SERVER.cold()
def _soft_body_get_bounds(server, identity):
    return ready(server, identity).points.bounds(server)


@SERVER.cold()
def _soft_body_move_point(server, identity, point, place):
    ready(server, identity).points.move_point(point, place)


@SERVER.cold()
def _soft_body_get_point_global_position(server, identity, point):
    return ready(server, identity).points.place(server, point)


@SERVER.cold()
def _soft_body_pin_point(server, identity, point, pin):
    soft_body = server.soft_bodies.get(identity)
    points = soft_body.pinned_points
    points.add(point) if pin else points.discard(point)
    if soft_body.core:
        chosen = soft_body.points.particles([point])
        soft_body.core.pin(chosen) if pin else soft_body.core.unpin(chosen)


@SERVER.cold()
def _soft_body_is_point_pinned(server, identity, point):
    return point in server.soft_bodies.get(identity).pinned_points


@SERVER.cold()
def _soft_body_remove_all_pinned_points(server, identity):
    soft_body = server.soft_bodies.get(identity)
    soft_body.pinned_points.clear()
    if soft_body.core:
        soft_body.core.unpin(soft_body.core.pins)


def _push(name, server, identity, *arguments):
    """Apply an impulse or a force, on a point or shared by all."""
    core, points = server.soft_bodies.get(identity).core, server.soft_bodies.get(identity).points
    vector = np.array(arguments[-1])
    check_finite(name, *arguments[-1])
    if not core:
        return
    if "central" in name:
        chosen = np.arange(len(core.masses))
        vector = vector * (core.masses / core.mass)[:, None]
    else:
        chosen = points.particles([points.checked(arguments[0])])
    (core.apply_impulses if "impulse" in name else core.apply_forces)(chosen, vector)


for _name in ("point_impulse", "point_force", "central_impulse", "central_force"):
    SERVER.answer(f"_soft_body_apply_{_name}", partial(_push, _name))
