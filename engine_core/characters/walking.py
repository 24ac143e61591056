"""One move of a character: with the ground, along it, over steps, through the air.

The parts are in `sliding`, `stairs`, `floor` and `platforms`. The ideas are those of Jolt's CharacterVirtual (J. Rouwe) and of
Godot's move_and_slide: cast and slide, step up and down, stick to the floor. A grown shape is cast, so that the character keeps a
distance from everything and does not meet the seams of a floor.
"""

import numpy as np

from ..bodies.identity import body_of
from ..bodies.motion import bodies_of
from ..bodies.records import system_at
from ..geometry.vector import (
    add, add_scaled, dot, length, quaternion, rotate, scale, store3, subtract, vector3,
)  # fmt: skip
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..sensors.effects import surroundings_at
from .asking import SLACK, across, begin_queries, look_around, measure_shapes
from .floor import find_floor, forget_floor, tangent
from .platforms import follow_ground, go_along, ride
from .pushing import press
from .schema import FALLS, HAS_LANDED, HAS_LEFT, HAS_STEPPED, IS_PLACED, JUMPS, KEEPS_VELOCITY, ON_FLOOR, SLIDES_DOWN
from .sliding import fly, walk_on_floor

LEAST_JUMP = 1e-3
"""A wanted velocity of more than this along `up` leaves the floor [m/s]."""
TOUCHING = 1e-3
"""How far below a character that slides the floor is looked for [m]."""
NOWHERE = (0.0, 0.0, 0.0)


@kernel
def begin_move(walk, row, queries, index, seconds):
    """Prepare scratch memory and results for a move. Return whether the character has a shape."""
    walk.body, walk.seconds = index, seconds
    row.state &= np.uint32(ON_FLOOR)
    row.turned = row.step_up = 0.0
    row.push_count = row.wall_id = 0
    store3(row.wall_normal, NOWHERE)
    walk.recoveries, walk.plane_count = 1, 0
    walk.excluded = 0
    walk.push_left = row.push_force * seconds
    begin_queries(walk, row, queries)
    return measure_shapes(walk, row, queries)


@kernel
def look_for_move(walk, row, queries, position, along):
    """Find the bodies that this move may meet."""
    up = vector3(row.up)
    reach = max(row.step_height, row.snap)
    ways = add(across(vector3(row.falling), up), vector3(row.ground_velocity))
    fall = dot(vector3(row.falling), up)
    m = stack3(walk, along, ways, up, reach, fall)
    look_around(walk, queries, position, subtract(vector3(walk.low), m), add(vector3(walk.high), m))


@kernel
def stack3(walk, along, ways, up, reach, fall):
    """How far a move may lead along each axis [m]."""
    size = length(along) * walk.seconds + SLACK
    x = size + abs(ways[0]) * walk.seconds + abs(up[0]) * (reach + abs(fall) * walk.seconds)
    y = size + abs(ways[1]) * walk.seconds + abs(up[1]) * (reach + abs(fall) * walk.seconds)
    z = size + abs(ways[2]) * walk.seconds + abs(up[2]) * (reach + abs(fall) * walk.seconds)
    return x, y, z


@kernel
def leave_ground(row):
    """Take the velocity of the ground along, and stand on nothing."""
    if row.flags & KEEPS_VELOCITY:
        store3(row.falling, add(vector3(row.falling), vector3(row.ground_velocity)))
    row.state |= np.uint32(HAS_LEFT)
    forget_floor(row)


@kernel
def move_on_floor(walk, row, queries, position, way):
    """Walk along the floor, stay on it, and go with it. Return the position."""
    keep_as_call()
    store3(row.falling, NOWHERE)
    position = walk_on_floor(walk, row, queries, position, way)
    steepness = np.sqrt(1.0 - row.slope * row.slope) / max(row.slope, 0.1)
    reach = max(row.snap, length(way) * steepness + row.padding)
    ground = vector3(row.ground_velocity)
    position = find_floor(walk, row, queries, position, reach, True)
    if row.state & ON_FLOOR:
        return ride(walk, row, queries, position)
    store3(row.ground_velocity, ground)
    leave_ground(row)
    if row.flags & KEEPS_VELOCITY:
        position = go_along(walk, row, queries, position, scale(ground, walk.seconds))
    return position


@kernel
def move_in_air(walk, row, queries, position, along):
    """Fly, and land. Return the position."""
    keep_as_call()
    seconds, up = walk.seconds, vector3(row.up)
    fall = scale(vector3(row.falling), seconds)
    if row.flags & FALLS:
        pull = scale(vector3(walk.gravity), row.gravity_scale)
        fall = add_scaled(fall, pull, 0.5 * seconds * seconds)
        store3(row.falling, add_scaled(vector3(row.falling), pull, seconds))
    position, has_landed, rest = fly(walk, row, queries, position, scale(along, seconds), fall)
    if has_landed:
        return move_on_floor(walk, row, queries, position, rest)
    if row.state & SLIDES_DOWN and dot(vector3(row.falling), up) <= 0.0:
        position = find_floor(walk, row, queries, position, TOUCHING, False)
        if row.state & ON_FLOOR:
            row.state |= np.uint32(HAS_LANDED)
            store3(row.falling, NOWHERE)
            position = ride(walk, row, queries, position)
    return position


@kernel
def take_off(row, upward):
    """Begin to jump, or to fall as the caller wants to."""
    up = vector3(row.up)
    if row.flags & FALLS:
        if row.flags & JUMPS:
            store3(row.falling, add_scaled(across(vector3(row.falling), up), up, row.jump))
    else:
        store3(row.falling, scale(up, upward))


@kernel
def move_character(walk, row, queries, seconds):
    """Move a character by its wanted velocity for a time [s]. `walk` holds the addresses; its body is moved by the caller, who
    also gives the noted pushes. Return whether there is a body with a shape in this system."""
    keep_as_call()
    index = body_of(walk.world, row.body_id)
    if index < 0 or seconds <= 0.0:
        return False
    body = bodies_of(walk.world)[index]
    if body.system < 0 or not begin_move(walk, row, queries, index, seconds):
        return False
    up, wanted = vector3(row.up), vector3(row.wanted)
    along, upward = across(wanted, up), dot(wanted, up)
    start = add(vector3(row.position), rotate(quaternion(row.rotation), vector3(body.center_of_mass)))
    position = start
    gravity, _, _ = surroundings_at(system_at(walk.system), index, position)
    store3(walk.gravity, gravity)
    if row.flags & IS_PLACED:
        forget_floor(row)
    look_for_move(walk, row, queries, position, along)
    if row.state & ON_FLOOR:
        position = follow_ground(walk, row, queries, position)
    jumps = row.flags & JUMPS != 0 if row.flags & FALLS else upward > LEAST_JUMP
    ground = row.ground_velocity[0], row.ground_velocity[1], row.ground_velocity[2]
    has_left = row.state & ON_FLOOR and jumps
    if has_left:
        store3(row.falling, NOWHERE)
    if jumps or not row.flags & FALLS:
        take_off(row, upward)
    if has_left:
        leave_ground(row)
    store3(walk.speed, along)
    if row.state & ON_FLOOR:
        surface = vector3(row.floor_normal)
        store3(walk.surface, surface)
        way = scale(along, seconds)
        slanted = length(tangent(way, surface, up))
        if slanted > 0.0:
            way = scale(way, length(way) / slanted)
        position = move_on_floor(walk, row, queries, position, way)
    else:
        position = move_in_air(walk, row, queries, position, along)
    end_move(walk, row, start, position, ground)
    return True


@kernel
def end_move(walk, row, start, position, ground):
    """Write the results of a move."""
    body = bodies_of(walk.world)[walk.body]
    row.flags &= np.uint32(~np.uint32(JUMPS | IS_PLACED))
    store3(row.position, subtract(position, rotate(quaternion(row.rotation), vector3(body.center_of_mass))))
    store3(row.real_velocity, scale(subtract(position, start), 1.0 / walk.seconds))
    store3(row.velocity, add(vector3(walk.speed), vector3(row.falling)))
    if row.state & ON_FLOOR:
        has_moved = length(vector3(row.wanted)) > LEAST_JUMP or row.state & (HAS_LANDED | HAS_STEPPED) != 0
        press(walk, row, body_of(walk.world, row.ground_id), vector3(row.floor_point), has_moved)
