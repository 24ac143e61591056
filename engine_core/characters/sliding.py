"""Sliding along walls, floors and ceilings: on a floor, and in the air.

The way is cast; what stops it becomes a plane that the rest of the way may not enter. Velocity has two parts with rules of their
own: the wanted one goes across `up` and is never turned up a steep slope; `falling` is turned along whatever it meets.
"""

import numpy as np

from ..bodies.motion import bodies_of
from ..geometry.vector import add, add_scaled, cross, dot, length, normalize, scale, store3, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from .asking import across
from .floor import LEAST_EDGE_TO_LAND, note_floor, surface_at, tangent
from .pushing import push
from .schema import HAS_LANDED, MOST_PLANES, ON_CEILING, ON_WALL, SLIDES_DOWN
from .stairs import step_up
from .sweeping import sweep

MOST_SLIDES = 6
LEAST_WAY = 1e-7
"""A shorter way is not gone [m]."""
LEAST_STEP = -0.1
"""A surface that hangs over the character by more than this is no step."""
SAME_PLANE = 1.0 - 1e-5
"""Planes whose normals are nearer than this cosine are one."""
INTO = -1e-9
"""A velocity or way goes into a plane if it has less than this part of its size along the normal."""


@kernel
def is_allowed(planes, count, v):
    """Whether a vector enters none of the planes."""
    least = INTO * length(v)
    for k in range(count):
        if dot(v, vector3(planes[k])) < least:
            return False
    return True


@kernel
def clip(planes, count, v):
    """The part of a vector that enters none of the planes: along one of them, along the edge between two, or zero."""
    if is_allowed(planes, count, v):
        return v
    for i in range(count):
        n = vector3(planes[i])
        along = add_scaled(v, n, -dot(v, n))
        if dot(v, n) < 0.0 and is_allowed(planes, count, along):
            return along
    for i in range(count):
        for j in range(i):
            edge = normalize(cross(vector3(planes[i]), vector3(planes[j])))
            along = scale(edge, dot(v, edge))
            if length(along) > 0.0 and is_allowed(planes, count, along):
                return along
    return (0.0, 0.0, 0.0)


@kernel
def wall_across(normal, surface, up):
    """The direction across `up` in which a wall may not be entered on a floor: across the edge between the two."""
    edge = across(cross(surface, normal), up)
    side = normalize(across(normal, up))
    n = normalize(cross(edge, up))
    if length(n) == 0.0:
        return side
    return n if dot(n, side) >= 0.0 else scale(n, -1.0)


@kernel
def note_wall(walk, row, normal):
    """Note a wall or a ceiling in the row."""
    upward = dot(normal, vector3(row.up))
    if upward <= -row.slope:
        row.state |= np.uint32(ON_CEILING)
        return
    row.state |= np.uint32(ON_WALL)
    store3(row.wall_normal, normal)
    row.wall_id = bodies_of(walk.world)[walk.hit_body].id


@kernel
def add_plane(walk, side, whole):
    """Add a plane: for velocities across `up`, and for `falling`. One that was met before takes the place of the earlier: the
    edge between two planes whose normals differ by rounding has any direction, and would stop a slide. A normal in single
    precision is not of length 1, and what is left of a velocity along it would seem to enter the plane."""
    whole = normalize(whole)
    for k in range(walk.plane_count):
        if dot(side, vector3(walk.planes[k])) > SAME_PLANE and dot(whole, vector3(walk.steep[k])) > SAME_PLANE:
            store3(walk.planes[k], side)
            store3(walk.steep[k], whole)
            return
    if walk.plane_count < MOST_PLANES:
        store3(walk.planes[walk.plane_count], side)
        store3(walk.steep[walk.plane_count], whole)
        walk.plane_count += 1


@kernel
def walk_on_floor(walk, row, queries, position, way):
    """Go `way` [m], across `up`, along the floor. Return the position; `walk.speed` keeps what walls leave of it."""
    keep_as_call()
    up = vector3(row.up)
    for _ in range(MOST_SLIDES):
        motion = tangent(way, vector3(walk.surface), up)
        if length(motion) < LEAST_WAY:
            break
        position, free = sweep(walk, row, queries, position, motion, True)
        position = add_scaled(position, motion, free)
        if walk.is_hit == 0:
            break
        way = scale(way, 1.0 - free)
        normal, point, index = vector3(walk.hit_normal), vector3(walk.hit), walk.hit_body
        if dot(normal, up) >= row.slope:
            if dot(normal, vector3(walk.surface)) > 0.999999 and free == 0.0:
                break
            store3(walk.surface, normal)
            store3(row.floor_point, point)
            continue
        if dot(normal, up) > LEAST_STEP:
            has_stepped, landing, done = step_up(walk, row, queries, position, way)
            if has_stepped:
                position, way = landing, scale(way, 1.0 - done)
                continue
        walk.hit_body = index
        note_wall(walk, row, normal)
        push(walk, row, index, normal, point, vector3(walk.speed))
        add_plane(walk, wall_across(normal, vector3(walk.surface), up), normal)
        way = clip(walk.planes, walk.plane_count, way)
        store3(walk.speed, clip(walk.planes, walk.plane_count, vector3(walk.speed)))
    return position


@kernel
def meet_in_air(walk, row, normal, point, index):
    """Turn the velocities of a character in the air along what it met."""
    up = vector3(row.up)
    upward = dot(normal, up)
    if upward < row.slope:
        note_wall(walk, row, normal)
        if upward > 0.05:
            row.state |= np.uint32(SLIDES_DOWN)
        push(walk, row, index, normal, point, add(vector3(walk.speed), across(vector3(row.falling), up)))
    side = normalize(across(normal, up))
    add_plane(walk, side, normal)
    store3(walk.speed, clip(walk.planes, walk.plane_count, vector3(walk.speed)))
    store3(row.falling, clip(walk.steep, walk.plane_count, vector3(row.falling)))


@kernel
def fly(walk, row, queries, position, way, fall):
    """Go through the air by `way`, across `up`, and by `fall` [m]. Return (position, whether it has landed, what is left of the
    way)."""
    keep_as_call()
    up = vector3(row.up)
    for _ in range(MOST_SLIDES):
        motion = add(way, fall)
        if length(motion) < LEAST_WAY:
            break
        position, free = sweep(walk, row, queries, position, motion, False)
        position = add_scaled(position, motion, free)
        if walk.is_hit == 0:
            break
        way, fall = scale(way, 1.0 - free), scale(fall, 1.0 - free)
        normal, point, index = vector3(walk.hit_normal), vector3(walk.hit), walk.hit_body
        if dot(vector3(row.falling), up) <= 0.0 and dot(normal, up) >= LEAST_EDGE_TO_LAND:
            can_stand, surface = surface_at(walk, row, queries, point, normal, LEAST_EDGE_TO_LAND)
            if can_stand:
                walk.hit_body = index
                note_floor(walk, row, index, point, normal, surface)
                store3(walk.surface, surface)
                row.state |= np.uint32(HAS_LANDED)
                return position, True, way
        walk.hit_body = index
        meet_in_air(walk, row, normal, point, index)
        way = clip(walk.planes, walk.plane_count, way)
        fall = clip(walk.steep, walk.plane_count, fall)
    return position, False, way
