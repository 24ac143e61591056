"""Contacts as told to bodies that ask for them: filled once a step, after the solver, for the active bodies only.

Points are told as the solver had them, from where the bodies are now.
"""

import numpy as np

from ..bodies.motion import velocity_at
from ..bodies.rare import rare_of
from ..bodies.schema import BODY, CONTACT_REPORT, HAS_RARE, WORLD
from ..collision.pairs import lists_of, manifolds_of, pairs_of
from ..collision.telling import part_told
from ..constraints.blocks import LANE_FLOATS, get_vector
from ..constraints.schema import (
    BLOCK_SIZE, NORMAL, OVERFLOW, POINT_ANCHOR_A, POINT_ANCHOR_B, POINT_FIELDS, POINT_SEPARATION, POINTS, TANGENT,
    TOTAL_FRICTION,
)  # fmt: skip
from ..geometry.vector import add, add_scaled, cross, dot, negate, scale, store3, subtract, vector3
from ..runtime.call import load_int32
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .colours import colours_of

INT32, INT64, FLOAT32 = np.int32, np.int64, np.float32


@kernel
def slot_for(rare, reports, depth):
    """Where the next contact goes: a free row, or the shallowest one if it is less deep; -1 if there is none."""
    if rare.contact_count < rare.max_contacts_reported:
        rare.contact_count += 1
        return rare.contact_count - 1
    shallowest = 0
    for k in range(1, rare.contact_count):
        if reports[k].depth < reports[shallowest].depth:
            shallowest = k
    return shallowest if reports[shallowest].depth < depth else -1


@kernel
def lane_of(system, colours, manifold):
    """The lane of a block in which the solver had a manifold: its floats from the lane's first on."""
    slot = INT64(manifold.colour_slot)
    if manifold.colour == OVERFLOW:
        slot = INT64(load_int32(colours.overflow_lanes + 4 * slot))
    address = system.constraint_blocks + (colours.first_block[manifold.colour] + (slot >> 3)) * BLOCK_SIZE + 4 * (slot & 7)
    return view(address, LANE_FLOATS, FLOAT32)


@kernel
def point_in_lane(lane, manifold, to_b, p):
    """Point p of a manifold as the solver had it: `(anchor_a, anchor_b, depth)`, on the surfaces, from the centres of mass, world
    axes [m]."""
    at = POINTS + p * POINT_FIELDS
    axis_a, axis_b = get_vector(lane, at + POINT_ANCHOR_A), get_vector(lane, at + POINT_ANCHOR_B)
    anchor_a = add_scaled(axis_a, to_b, np.float64(manifold.rounding_a))
    anchor_b = add_scaled(axis_b, to_b, -np.float64(manifold.rounding_b))
    return anchor_a, anchor_b, -(lane[(at + POINT_SEPARATION) * 8] + dot(to_b, subtract(axis_b, axis_a)))


@kernel
def friction_in_lane(lane, to_b):
    """Impulse of friction on B in all sub-steps, world axes [N s]."""
    tangent = get_vector(lane, TANGENT)
    first, second, _ = get_vector(lane, TOTAL_FRICTION)
    return add_scaled(scale(tangent, first), cross(to_b, tangent), second)


@kernel
def report_manifold(world, body, rare, other, manifold, lane, side):
    """Report every point of a manifold to one of its bodies: `side` 0 is body A. Where the points were, `lane` knows."""
    reports = view(rare.contacts, rare.max_contacts_reported, CONTACT_REPORT)
    to_b = get_vector(lane, NORMAL)
    normal = negate(to_b) if side == 0 else to_b
    share = 1.0 / max(manifold.point_count, 1)
    friction = scale(friction_in_lane(lane, to_b), share if side == 1 else -share)
    for p in range(manifold.point_count):
        anchor_a, anchor_b, depth = point_in_lane(lane, manifold, to_b, p)
        arm, other_arm = (anchor_a, anchor_b) if side == 0 else (anchor_b, anchor_a)
        slot = slot_for(rare, reports, depth)
        if slot < 0:
            continue
        report = reports[slot]
        middle = add(vector3(body.position), arm)
        # Each body's own surface: half of the separation to either side of the contact point.
        store3(report.position, add_scaled(middle, normal, -0.5 * depth))
        store3(report.collider_position, add_scaled(middle, normal, 0.5 * depth))
        store3(report.normal, normal)
        store3(report.impulse, add(scale(normal, float(manifold.total_normal_impulse[p])), friction))
        store3(report.velocity, velocity_at(world, body, arm))
        store3(report.collider_velocity, velocity_at(world, other, other_arm))
        report.depth = FLOAT32(depth)
        report.shape = manifold.instance_a if side == 0 else manifold.instance_b
        report.collider_shape = manifold.instance_b if side == 0 else manifold.instance_a
        report.part = part_told(manifold.part_a if side == 0 else manifold.part_b)
        report.collider_part = part_told(manifold.part_b if side == 0 else manifold.part_a)
        report.collider = manifold.body_b if side == 0 else manifold.body_a
        report.collider_id = other.id
        report.collider_user_id = other.user_id


@kernel
def report_body(system, bodies, body, rare):
    """Renew the contacts of one body from its pairs."""
    rare.contact_count = 0
    pairs, all_lists, manifolds = pairs_of(system), lists_of(system), manifolds_of(system)
    colours = colours_of(system)
    key = body.first_pair
    while key >= 0:
        pair, lists = pairs[key >> 1], all_lists[key >> 1]
        side = key & 1
        other = bodies[pair.body_b if side == 0 else pair.body_a]
        m = lists.first_manifold
        while m >= 0:
            if manifolds[m].point_count > 0 and manifolds[m].colour >= 0:
                lane = lane_of(system, colours, manifolds[m])
                report_manifold(system.world, body, rare, other, manifolds[m], lane, side)
            m = manifolds[m].next
        key = lists.next[side]


@kernel
def report_contacts(system):
    """Renew the contacts of every active body that asked for some."""
    world = view(system.world, 1, WORLD)[0]
    if world.reporting_count == 0:
        return
    bodies = view(world.bodies, world.body_capacity, BODY)
    active = view(system.active_bodies, world.body_capacity, INT32)
    for slot in range(system.active_count):
        body = bodies[active[slot]]
        if body.flags & HAS_RARE and rare_of(system.world, body).max_contacts_reported > 0:
            report_body(system, bodies, body, rare_of(system.world, body))
