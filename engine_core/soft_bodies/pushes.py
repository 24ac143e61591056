"""Contacts of particles, solved in each small step: the particle is moved out of the plane, the body gets the reverse impulse.

Positions and impulses are one: a particle that is moved by `w * l` along the normal in a small step of `h` has got the impulse
`l / h`. A rigid body moves on with its velocity until its sub-step ends, so an impulse shifts it by what is left of that.
"""

import numpy as np

from ..bodies.records import world_at
from ..bodies.schema import BODY, RIGID
from ..geometry.vector import add, add_scaled, dot, length, scale, store3, subtract, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import view, view2
from ..solver.vehicle_wheels import inverse_mass_along, push_row, velocity_at
from .contacts import contacts_of

INT32, INT64, FLOAT64 = np.int32, np.int64, np.float64
PUSH_OUT_SPEED = 1.0
"""A particle that is too deep is pushed out at this speed [m/s]."""
WAKING_CHANGE = 0.01
"""A sleeping body wakes if a push would change its velocity by more than this [m/s]."""


@kernel
def share_of(contact, body, direction, part):
    """How far a body's surface moves along a direction, by an impulse of 1 N s per small step, in units of small steps [1/kg]."""
    if contact.pushes_body == 0 or contact.row == 0:
        return 0.0
    return inverse_mass_along(body, vector3(contact.arm), direction) * part


@kernel
def push_body(system, body, contact, impulse):
    """Apply an impulse [N s] to the body of a contact. A sleeping one is woken by the next step if it is strong enough."""
    if contact.pushes_body == 0:
        return
    if contact.row > 0:
        push_row(system, body, contact.row, vector3(contact.arm), impulse)


@kernel
def solve_contact(system, bodies, soft, contact, at, before, share, h, passed):
    """Solve one contact of a particle that is at `at` and was at `before` as the small step of `h` [s] began, at the time
    `passed` [s] into the sub-step. Return where the particle is then, and whether a sleeping body is to be woken."""
    body, normal = bodies[INT64(contact.body)], vector3(contact.normal)
    own = share if contact.pushes_particle else 0.0
    velocity = velocity_at(system, contact.row, vector3(contact.arm))
    begin = add_scaled(vector3(contact.at), velocity, passed)
    gap = dot(subtract(at, add_scaled(begin, velocity, h)), normal) - soft.radius
    earlier = dot(subtract(before, begin), normal) - soft.radius
    wanted = min(earlier + PUSH_OUT_SPEED * h, 0.0) if earlier < 0.0 else 0.0
    missing = wanted - gap
    part = passed / h + 1.0
    total = own + share_of(contact, body, normal, part)
    if missing <= 0.0 or total <= 0.0:
        return at, False
    push = missing / total
    wakes = contact.row == 0 and body.mode >= RIGID and push / h * FLOAT64(body.inverse_mass) > WAKING_CHANGE
    at = add_scaled(at, normal, own * push)
    push_body(system, body, contact, scale(normal, -push / h))
    slid = subtract(subtract(at, before), scale(add(velocity, vector3(contact.surface)), h))
    slid = add_scaled(slid, normal, -dot(slid, normal))
    way = length(slid)
    if way > 0.0 and contact.friction > 0.0:
        along = scale(slid, 1.0 / way)
        hold = min(way / max(own + share_of(contact, body, along, part), 1e-300), contact.friction * push)
        at = add_scaled(at, along, -own * hold)
        push_body(system, body, contact, scale(along, hold / h))
    return at, wakes


@kernel
def solve_contacts(system, soft, h, passed):
    """Solve the contacts of all particles in a small step."""
    world, n = world_at(system.world), soft.particle_count
    bodies = view(world.bodies, world.body_capacity, BODY)
    counts = view(soft.contact_counts, n, INT32)
    positions, previous = view2(soft.positions, n, 3, FLOAT64), view2(soft.previous, n, 3, FLOAT64)
    shares = view(soft.inverse_masses, n, FLOAT64)
    for i in range(n):
        if counts[i] == 0:
            continue
        rows, at, before = contacts_of(soft, i), vector3(positions[i]), vector3(previous[i])
        for k in range(counts[i]):
            at, wakes = solve_contact(system, bodies, soft, rows[k], at, before, shares[i], h, passed)
            if wakes:
                note_waking(soft, rows[k].body)
        store3(positions[i], at)


@kernel
def note_waking(soft, index):
    """Note a sleeping body to be woken before the next step; one a step is enough, it wakes its island."""
    soft.to_wake = INT64(index) + 1
