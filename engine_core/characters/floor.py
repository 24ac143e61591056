"""The floor under a character: finding it, staying on it, and whether what is there can be stood on."""

import numpy as np

from ..bodies.motion import bodies_of, velocity_at
from ..bodies.publication import read_pose
from ..collision.query_schema import QUERY_CONTACT
from ..geometry.vector import add_scaled, dot, normalize, scale, store3, subtract, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array
from .asking import across, collect, face_below
from .schema import ON_FLOOR
from .sweeping import sweep

HELD_GAP = 3e-4
"""A gap to the floor of up to this is kept [m]: casts stop short of it by a third of it."""
NEAR = 4e-3
"""The floor is looked for this near first [m]: a short cast over a mesh costs a third of one over the whole reach."""
LOOSE_REACH = 2e-3
"""Contacts that hold a character between steep faces are looked for this far beyond the padding [m]."""
SAME_NORMAL = 1.0 - 1e-6
LEVEL = 0.9999
"""Normals this close to `up` are those of a level floor."""
LEAST_EDGE, LEAST_EDGE_TO_LAND = 0.02, 0.2
"""A character stays on an edge while the normal of the contact has this much along `up`, so that it goes round the edges of
stairs without leaving them; it lands on one only if it is nearer to the axis."""
LEAST_HOLD = 0.1
"""Faces that hold a character between them have at least this much along `up`."""


@kernel
def tangent(v, surface, up):
    """The velocity or way along a floor with this normal whose part across `up` is v."""
    return add_scaled(v, up, -dot(v, surface) / max(dot(surface, up), 0.05))


@kernel
def surface_at(walk, row, queries, point, normal, least):
    """Whether what was touched at `point` with this normal can be stood on, and the normal of its face. At an edge the normal of
    a contact is not that of the face above it; it must have at least the part `least` along `up`."""
    keep_as_call()
    up = vector3(row.up)
    upward = dot(normal, up)
    if upward >= LEVEL:
        return True, normal
    if dot(normal, vector3(row.contact_normal)) >= SAME_NORMAL and row.ground_id == bodies_of(walk.world)[walk.hit_body].id:
        return True, vector3(row.floor_normal)
    if upward < least:
        return False, normal
    has_face, face = face_below(walk, row, queries, point, normal)
    if has_face:
        return True, face
    return upward >= row.slope, normal


@kernel
def note_floor(walk, row, index, point, contact_normal, surface):
    """Write the floor that the character stands on to its row."""
    body = bodies_of(walk.world)[index]
    row.state |= np.uint32(ON_FLOOR)
    row.ground_id = body.id
    store3(row.floor_point, point)
    store3(row.contact_normal, contact_normal)
    store3(row.floor_normal, surface)
    position, _ = read_pose(body)
    store3(row.ground_velocity, velocity_at(walk.world, body, subtract(point, position)))


@kernel
def forget_floor(row):
    """The character stands on nothing."""
    row.state &= np.uint32(~np.uint32(ON_FLOOR))
    row.ground_id = 0
    zero = (0.0, 0.0, 0.0)
    store3(row.contact_normal, zero)
    store3(row.floor_normal, zero)
    store3(row.ground_velocity, zero)


@kernel
def held_by_steep(row, contacts, count):
    """Whether two steep faces on opposite sides hold the character, as in a ditch. Return the number of one, or -1."""
    up = vector3(row.up)
    for i in range(count):
        first = vector3(contacts[i].normal)
        if dot(first, up) < LEAST_HOLD:
            continue
        for j in range(i):
            second = vector3(contacts[j].normal)
            if dot(second, up) >= LEAST_HOLD and dot(normalize(across(first, up)), normalize(across(second, up))) < -0.9:
                return i
    return -1


@kernel
def find_among_contacts(walk, row, queries, position):
    """Look for a floor among all that touches the character, after the nearest thing below turned out steep. Return whether there
    is one."""
    keep_as_call()
    contacts = stack_array(32, QUERY_CONTACT)
    up = vector3(row.up)
    count = collect(walk, row, queries, position, row.padding + LOOSE_REACH, contacts)
    best, steepness = np.int64(-1), row.slope
    for k in range(count):
        upward = dot(vector3(contacts[k].normal), up)
        if upward >= steepness:
            best, steepness = np.int64(k), upward
    if best >= 0:
        contact = contacts[best]
        normal, point = vector3(contact.normal), vector3(contact.other_position)
        note_floor(walk, row, np.int64(contact.body), point, normal, normal)
        return True
    held = held_by_steep(row, contacts, count)
    if held >= 0:
        contact = contacts[held]
        note_floor(walk, row, np.int64(contact.body), vector3(contact.other_position), up, up)
    return held >= 0


@kernel
def find_floor(walk, row, queries, position, reach, stands):
    """Look for a floor within `reach` [m] below the character, write it to the row, and put the character on it. Return the
    position."""
    keep_as_call()
    up = vector3(row.up)
    near = NEAR
    if reach <= NEAR:
        near = reach
    position, free = sweep(walk, row, queries, position, scale(up, -near), stands)
    if walk.is_hit or near == reach:
        reach = near
    else:
        position, free = sweep(walk, row, queries, position, scale(up, -reach), stands)
    if walk.is_hit == 0:
        forget_floor(row)
        return position
    point, normal, index = vector3(walk.hit), vector3(walk.hit_normal), walk.hit_body
    least = LEAST_EDGE if stands else LEAST_EDGE_TO_LAND
    can_stand, surface = surface_at(walk, row, queries, point, normal, least)
    if can_stand:
        note_floor(walk, row, index, point, normal, surface)
        if free * reach > HELD_GAP:
            position = add_scaled(position, up, -free * reach)
        return position
    if free * reach <= HELD_GAP and find_among_contacts(walk, row, queries, position):
        return position
    forget_floor(row)
    return position
