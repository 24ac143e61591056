"""Joints that Godot has no calls for: gears, racks, ropes, welds and pulleys between bodies as they lie now, each with an id as
Godot's joints have; and the joints that broke.

The caller holds the server's lock. Places and directions are in Godot's coordinates; a body of 0 is the world.
"""

import numpy as np

from ..bodies.identity import index_of
from ..geometry.turning import frame_along, product, size_of, solved
from .frames import frame_of_space, read_place
from .joint_frames import basis_of
from .server_joints import Joint

_ZERO = (0.0, 0.0, 0.0)


def _unit(name: str, axis) -> np.ndarray:
    """Raises ValueError for a direction without a length."""
    given = np.asarray(axis, np.float64)
    size = size_of(given)
    if not np.isfinite(given).all() or size < 1e-9:
        raise ValueError(f"{name} must be a direction, got {tuple(axis)}")
    return given / size


def _local(server, body: int, space: int, point, axis=None) -> tuple:
    """A frame (basis by rows, origin) of a body, or of the world, at a point, with x along a direction."""
    basis = np.eye(3) if axis is None else frame_along(axis)
    if not body:
        return (*basis.ravel(), *(frame_of_space(server, space) + point))
    index = server.body_index(body)
    place, turn = np.asarray(read_place(server, index)), _turn(server, index)
    way = solved(place[:9].reshape(3, 3), np.asarray(point) - place[9:])  # the core scales it with the body
    return (*product(turn.T, basis).ravel(), *way)


def _turn(server, index: int) -> np.ndarray:
    """The rotation of a body, without its scale, (3, 3)."""
    return np.asarray(basis_of(server.world.bodies.rows[index]["rotation"])).reshape(3, 3)


def _space_of(server, *bodies: int) -> int:
    return next((server.world.body.system(body) for body in bodies if body and server.world.body.system(body)), 0)


def make(server, kind: str, own: str, body_a: int, body_b: int, points: tuple, axes: tuple = (None, None), setting=None) -> int:
    """Make a joint of one of the core's kinds. `setting(core)`: its numbers. Return its id. Raises KeyError, ValueError,
    PoolFull; then there is no joint."""
    for body in (body_a, body_b):
        if body:
            server.body_index(body)
    space = _space_of(server, body_a, body_b)
    frames = [_local(server, body, space, point, axis) for body, point, axis in zip((body_a, body_b), points, axes, strict=True)]
    core = server.world.joint.create(kind, body_a, body_b, *frames)
    try:
        if setting:
            setting(core)
    except BaseException:
        server.world.joint.destroy(core)
        raise
    return server.joints.add(Joint(core=core, own=own))


def make_weld(server, body_a: int, body_b: int) -> int:
    """Hold two bodies as they lie."""
    place = read_place(server, server.body_index(body_a or body_b))[9:]
    return make(server, "fixed", "weld", body_a, body_b, (place, place))


def make_rope(server, body_a: int, body_b: int, point_a, point_b, shortest: float, longest: float) -> int:
    """Keep two points between two distances [m]."""

    def set_lengths(core: int) -> None:
        server.world.joint.set_distance(core, shortest, longest)

    return make(server, "distance", "rope", body_a, body_b, (point_a, point_b), setting=set_lengths)


def make_gear(server, body_a: int, body_b: int, axis_a, axis_b, ratio: float) -> int:
    """Tie the turn of A about `axis_a` + ratio x turn of B about `axis_b` to 0."""
    axes = _unit("axis_a", axis_a), _unit("axis_b", axis_b)
    return make(server, "gear", "gear", body_a, body_b, (_ZERO, _ZERO), axes, _ratio(server, ratio))


def make_rack(server, pinion: int, rack: int, axis, direction, ratio: float) -> int:
    """Tie the way of the rack [m] to ratio x turn of the pinion [rad]."""
    axes = _unit("axis", axis), _unit("direction", direction)
    return make(server, "rack_and_pinion", "rack", pinion, rack, (_ZERO, _ZERO), axes, _ratio(server, ratio))


def _ratio(server, ratio: float):
    """A function that gives a joint of the core a ratio."""
    return lambda core: server.world.joint.set_ratio(core, ratio)


def make_pulley(server, body_a: int, body_b: int, point_a, point_b, wheel_a, wheel_b, ratio: float) -> int:
    """Hang two bodies on a rope over two wheels. Points and wheels in Godot's coordinates."""
    zero = frame_of_space(server, _space_of(server, body_a, body_b))
    points = []
    for body, point in ((body_a, point_a), (body_b, point_b)):
        if body:  # the core does not scale these points with the body
            index = server.body_index(body)
            points.append(product(_turn(server, index).T, np.asarray(point) - read_place(server, index)[9:]))
        else:
            points.append(zero + point)
    pulley = server.world.pulley.create(body_a, body_b, *points, zero + wheel_a, zero + wheel_b, ratio=ratio)
    return server.joints.add(Joint(own="pulley", pulley=pulley))


def settle_broken(server, space: int) -> list[int]:
    """Let the bodies of joints that broke in the last step of a space collide again. Return the ids of those joints."""
    world = server.world
    world.joint.retire_broken(world.systems.rows[world.system_index("joint_broke", space)])
    broken = []
    for identity, joint in server.joints.things.items():
        if joint.core and not joint.is_broken and world.joint.is_broken(joint.core):
            bodies = [int(body) for body in world.joint.row("joint_broke", joint.core)["bodies"] if body >= 0]
            if any(int(world.bodies.rows[body]["system"]) == index_of(space) for body in bodies):
                joint.is_broken = True
                broken.append(identity)
    return broken
