"""Contacts as told to bodies that ask for them: filled once a step, after the solver, for the active bodies only."""

import numpy as np

from ..bodies.motion import velocity_at
from ..bodies.schema import BODY, CONTACT_REPORT, WORLD
from ..geometry.vector import add, add_scaled, negate, scale, store3, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .pairs import manifolds_of, pairs_of

INT32, FLOAT32 = np.int32, np.float32


@kernel
def slot_for(body, reports, depth):
    """Where the next contact goes: a free row, or the shallowest one if it is less deep; -1 if there is none."""
    if body.contact_count < body.max_contacts_reported:
        body.contact_count += 1
        return body.contact_count - 1
    shallowest = 0
    for k in range(1, body.contact_count):
        if reports[k].depth < reports[shallowest].depth:
            shallowest = k
    return shallowest if reports[shallowest].depth < depth else -1


@kernel
def report_manifold(body, other, manifold, side):
    """Report every point of a manifold to one of its bodies: `side` 0 is body A."""
    reports = view(body.contacts, body.max_contacts_reported, CONTACT_REPORT)
    to_b = vector3(manifold.normal)
    normal = negate(to_b) if side == 0 else to_b
    share = 1.0 / max(manifold.point_count, 1)
    friction = scale(vector3(manifold.friction_impulse), share if side == 1 else -share)
    for p in range(manifold.point_count):
        if side == 0:
            arm, other_arm = vector3(manifold.anchor_a[p]), vector3(manifold.anchor_b[p])
        else:
            arm, other_arm = vector3(manifold.anchor_b[p]), vector3(manifold.anchor_a[p])
        depth = -float(manifold.separation[p])
        slot = slot_for(body, reports, depth)
        if slot < 0:
            continue
        report = reports[slot]
        middle = add(vector3(body.position), arm)
        # Each body's own surface: half of the separation to either side of the contact point.
        store3(report.position, add_scaled(middle, normal, -0.5 * depth))
        store3(report.collider_position, add_scaled(middle, normal, 0.5 * depth))
        store3(report.normal, normal)
        store3(report.impulse, add(scale(normal, float(manifold.total_normal_impulse[p])), friction))
        store3(report.velocity, velocity_at(body, arm))
        store3(report.collider_velocity, velocity_at(other, other_arm))
        report.depth = FLOAT32(depth)
        report.shape = manifold.instance_a if side == 0 else manifold.instance_b
        report.collider_shape = manifold.instance_b if side == 0 else manifold.instance_a
        report.collider = manifold.body_b if side == 0 else manifold.body_a
        report.collider_id = other.id
        report.collider_user_id = other.user_id


@kernel
def report_body(system, bodies, index):
    """Renew the contacts of one body from its pairs."""
    body = bodies[index]
    body.contact_count = 0
    pairs, manifolds = pairs_of(system), manifolds_of(system)
    key = body.first_pair
    while key >= 0:
        pair = pairs[key >> 1]
        side = key & 1
        other = bodies[pair.body_b if side == 0 else pair.body_a]
        m = pair.first_manifold
        while m >= 0:
            if manifolds[m].point_count > 0:
                report_manifold(body, other, manifolds[m], side)
            m = manifolds[m].next
        key = pair.next[side]


@kernel
def report_contacts(system):
    """Renew the contacts of every active body that asked for some."""
    world = view(system.world, 1, WORLD)[0]
    bodies = view(world.bodies, world.body_capacity, BODY)
    active = view(system.active_bodies, world.body_capacity, INT32)
    for slot in range(system.active_count):
        if bodies[active[slot]].max_contacts_reported > 0:
            report_body(system, bodies, active[slot])
