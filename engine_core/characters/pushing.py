"""Impulses of a character on rigid bodies: those in its way, with a limited force, and the one that it stands on, by its weight.

They are noted in the character's row and given to the bodies after its move (batches/walking.py).
"""

from ..bodies.motion import bodies_of, inverse_inertia_times, origin_of, velocity_at
from ..bodies.schema import RIGID
from ..geometry.vector import add_scaled, cross, dot, length, scale, store3, subtract, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from .asking import across
from .schema import MOST_PUSHES, ON_FLOOR

LEAST_SIDE = 0.3
"""A surface flatter than this is not in the way."""


@kernel
def note_push(row, body, impulse, point):
    """Note an impulse on a body at a point, world [m], at most one a body and move. Return whether there is room."""
    for k in range(row.push_count):
        if row.pushes[k].body_id == body.id:
            return False
    if row.push_count >= MOST_PUSHES:
        return False
    push = row.pushes[row.push_count]
    push.body_id = body.id
    store3(push.impulse, impulse)
    store3(push.offset, subtract(point, origin_of(body)))
    row.push_count += 1
    return True


@kernel
def push(walk, row, index, normal, point, velocity):
    """Push a rigid body that is in the way of a velocity [m/s]: along the floor, at most until it moves as fast as the character
    wants to. It is pushed half-way between the floor and its centre of mass: where the shapes touch it would topple."""
    keep_as_call()
    body, own = bodies_of(walk.world)[index], bodies_of(walk.world)[walk.body]
    if body.mode < RIGID or walk.push_left <= 0.0 or not body.collision_mask & own.collision_layer:
        return
    up = vector3(row.up)
    side = across(normal, up)
    size = length(side)
    if size < LEAST_SIDE:
        return
    way = scale(side, -1.0 / size)
    arm = across(subtract(point, vector3(body.position)), up)
    lacking = dot(way, subtract(velocity, velocity_at(walk.world, body, arm)))
    if lacking <= 0.0:
        return
    lever = cross(arm, way)
    answer = body.inverse_mass + dot(lever, inverse_inertia_times(body, lever))
    if answer <= 0.0:
        return
    impulse = min(walk.push_left, lacking / answer)
    middle = dot(subtract(vector3(body.position), point), up)
    if row.state & ON_FLOOR:
        middle += 0.5 * min(dot(subtract(vector3(row.floor_point), vector3(body.position)), up), 0.0)
    if note_push(row, body, scale(way, impulse), add_scaled(point, up, middle)):
        walk.push_left -= impulse


@kernel
def press(walk, row, index, point, has_moved):
    """Put the character's weight on the rigid body that it stands on. A sleeping one is left asleep while the character rests;
    one that is awake stays awake."""
    body = bodies_of(walk.world)[index]
    own = bodies_of(walk.world)[walk.body]
    if body.mode < RIGID or row.mass <= 0.0 or not body.collision_mask & own.collision_layer:
        return
    if body.active_index < 0 and not has_moved:
        return
    weight = max(-dot(vector3(walk.gravity), vector3(row.up)), 0.0) * row.mass
    if weight > 0.0:
        note_push(row, body, scale(vector3(row.up), -weight * walk.seconds), point)
