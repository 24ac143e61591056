"""Moving a character as far as it is free, at a distance from everything; out of what it overlaps first."""

import numpy as np

from ..bodies.motion import bodies_of
from ..bodies.schema import RIGID
from ..collision.query_schema import QUERY_CONTACT
from ..geometry.vector import add, add_scaled, dot, length, scale, store3, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array
from .asking import MOST_CONTACTS, across, cast, collect
from .schema import IS_STUCK

RECOVERY_ITERATIONS = 4
CLEARANCE = 2e-5
"""How much farther than the padding recovery goes [m]: less than casts tolerate, so that the next one begins free."""
LEAST_OVERLAP = 1e-5
MOST_DOWNWARD = -0.1
"""A body whose contact has a normal with less than this along `up` lies on the character."""
LEAST_ACROSS = 0.3
"""Flatter ceilings push a standing character along their normal: along the floor they would push it without limit."""


@kernel
def way_out(row, normal, stands):
    """The direction in which an overlap with this normal is left, and how much of the overlap a metre of it resolves. A standing
    character rises from the floor and goes along it away from walls: along the normals it would creep down slopes."""
    up = vector3(row.up)
    upward = dot(normal, up)
    if not stands:
        return normal, 1.0
    if upward >= row.slope:
        return up, upward
    side = across(normal, up)
    size = length(side)
    if size < LEAST_ACROSS:
        return normal, 1.0
    return scale(side, 1.0 / size), size


@kernel
def lies_on(row, body, normal):
    """Whether a rigid body lies on the character. It is held up by the solver, which sees the character's own body, and does not
    push the character into the floor."""
    return body.mode >= RIGID and dot(normal, vector3(row.up)) < MOST_DOWNWARD


@kernel
def recover(walk, row, queries, position, stands):
    """Move out of everything that is nearer than the padding. Return the position."""
    keep_as_call()
    contacts = stack_array(32, QUERY_CONTACT)
    for _ in range(RECOVERY_ITERATIONS):
        count = collect(walk, row, queries, position, row.padding, contacts)
        step = (0.0, 0.0, 0.0)
        for k in range(count):
            normal = vector3(contacts[k].normal)
            overlap = contacts[k].depth - dot(step, normal)
            if overlap > LEAST_OVERLAP and not lies_on(row, bodies_of(walk.world)[contacts[k].body], normal):
                way, gain = way_out(row, normal, stands)
                step = add_scaled(step, way, (overlap + CLEARANCE) / gain)
        if length(step) == 0.0:
            break
        position = add(position, step)
    return position


@kernel
def sweep(walk, row, queries, position, motion, stands):
    """Find how far the character may go by `motion`. Return (position, moved only out of overlaps; free part of the motion); the
    hit is in `walk`."""
    keep_as_call()
    free = cast(walk, row, queries, position, motion, row.padding)
    if walk.is_overlapping and walk.recoveries > 0:
        walk.recoveries -= 1
        position = recover(walk, row, queries, position, stands)
        free = cast(walk, row, queries, position, motion, row.padding)
    if walk.is_overlapping:
        # Too narrow for the padding. What the grown shape overlaps and therefore passes may still stop the shape itself.
        is_hit, hit, normal, body = walk.is_hit, vector3(walk.hit), vector3(walk.hit_normal), walk.hit_body
        bare = cast(walk, row, queries, position, motion, 0.0)
        if walk.is_overlapping:
            row.state |= np.uint32(IS_STUCK)
        closing = -dot(motion, vector3(walk.hit_normal))
        if walk.is_hit and closing > 0.0:
            bare = max(bare - row.padding / closing, 0.0)
        if is_hit and (walk.is_hit == 0 or free < bare):
            walk.is_hit, walk.hit_body = 1, body
            store3(walk.hit, hit)
            store3(walk.hit_normal, normal)
        free = min(free, bare)
    return position, free


assert MOST_CONTACTS == 32  # length of the stack arrays: a literal
