"""Contact reports of bodies that request them: filled once a step, after the solver, for the active bodies only.

Normals, depths and impulses are the solver's. Points lie on the surfaces at the bodies' poses after the step. Velocities are from
before the solver, since those after it do not show how hard two bodies collided.
"""

import numpy as np

from ..bodies.motion import surface_velocity
from ..bodies.rare import rare_of
from ..bodies.records import world_at
from ..bodies.schema import BODY, CONTACT_REPORT, HAS_RARE
from ..collision.contact_points import contact_frames, rounding_at, surface_points
from ..collision.event_lists import reported_part
from ..collision.pairs import lists_of, manifolds_of, pairs_of, part_of
from ..constraints.blocks import LANE_FLOATS, get_vector
from ..constraints.colours import colours_of
from ..constraints.schema import (
    ANGULAR_VELOCITY, BLOCK_SIZE, FORCE_FLOATS, FORCE_SIZE, LINEAR_VELOCITY, NORMAL, OVERFLOW, POINT_ANCHOR_A, POINT_ANCHOR_B,
    POINT_FIELDS, POINT_SEPARATION, POINTS, TANGENT, TOTAL_FRICTION,
)  # fmt: skip
from ..geometry.vector import add, add_scaled, cross, dot, negate, scale, store3, subtract, vector3
from ..runtime.call import load_int32
from ..runtime.kernel import kernel
from ..runtime.memory import view

INT32, INT64, FLOAT32 = np.int32, np.int64, np.float32


@kernel
def slot_for(rare, reports, depth):
    """Row for the next contact: a free row, or the shallowest one if it is less deep; -1 if there is none."""
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
    """The lane of a block in which the solver had a manifold: its floats from the first of that lane on."""
    slot = INT64(manifold.colour_slot)
    if manifold.colour == OVERFLOW:
        slot = INT64(load_int32(colours.overflow_lanes + 4 * slot))
    address = system.constraints.blocks + (colours.first_block[manifold.colour] + (slot >> 3)) * BLOCK_SIZE + 4 * (slot & 7)
    return view(address, LANE_FLOATS, FLOAT32)


@kernel
def point_in_lane(lane, manifold, to_b, p):
    """Point p of a manifold as the solver had it: `(anchor_a, anchor_b, depth)`, midway between the surfaces, from the centre of
    mass of either body, world axes [m]."""
    at = POINTS + p * POINT_FIELDS
    axis_a, axis_b = get_vector(lane, at + POINT_ANCHOR_A), get_vector(lane, at + POINT_ANCHOR_B)
    rounding_a, rounding_b = rounding_at(manifold, p)
    anchor_a, anchor_b = add_scaled(axis_a, to_b, rounding_a), add_scaled(axis_b, to_b, -rounding_b)
    return anchor_a, anchor_b, -(lane[(at + POINT_SEPARATION) * 8] + dot(to_b, subtract(axis_b, axis_a)))


@kernel
def friction_in_lane(lane, to_b):
    """Impulse of friction on B in all sub-steps, world axes [N s]."""
    tangent = get_vector(lane, TANGENT)
    first, second, _ = get_vector(lane, TOTAL_FRICTION)
    return add_scaled(scale(tangent, first), cross(to_b, tangent), second)


@kernel
def start_motion(system, body):
    """Velocity [m/s] and spin [rad/s] of a body before the solver."""
    start = view(system.solver.start_velocities + (body.active_index + 1) * FORCE_SIZE, FORCE_FLOATS, FLOAT32)
    v = float(start[LINEAR_VELOCITY]), float(start[LINEAR_VELOCITY + 1]), float(start[LINEAR_VELOCITY + 2])
    w = float(start[ANGULAR_VELOCITY]), float(start[ANGULAR_VELOCITY + 1]), float(start[ANGULAR_VELOCITY + 2])
    return v, w


@kernel
def velocity_at_start(system, body, motion, arm):
    """Velocity of the body's material [m/s] at `arm` from its centre of mass, world axes; the surface's motion included.
    `motion`: see `start_motion`."""
    return add(add(motion[0], cross(motion[1], arm)), surface_velocity(system.world, body, arm))


@kernel
def report_manifold(system, pair, body, rare, other, manifold, lane, side):
    """Report every point of a manifold to one of its bodies: `side` 0 is body A. `lane` has the solver's numbers."""
    reports = view(rare.contacts, rare.max_contacts_reported, CONTACT_REPORT)
    to_b = get_vector(lane, NORMAL)
    normal = negate(to_b) if side == 0 else to_b
    a, b = (body, other) if side == 0 else (other, body)
    frames, motion, other_motion = contact_frames(pair, a, b), start_motion(system, body), start_motion(system, other)
    share = 1.0 / max(manifold.point_count, 1)
    friction = scale(friction_in_lane(lane, to_b), share if side == 1 else -share)
    for p in range(manifold.point_count):
        anchor_a, anchor_b, depth = point_in_lane(lane, manifold, to_b, p)
        slot = slot_for(rare, reports, depth)
        if slot < 0:
            continue
        report = reports[slot]
        on_a, on_b = surface_points(frames, a, b, manifold, to_b, p)
        on_body, on_other = (on_a, on_b) if side == 0 else (on_b, on_a)
        arm, other_arm = (anchor_a, anchor_b) if side == 0 else (anchor_b, anchor_a)
        store3(report.position, add(vector3(body.position), on_body))
        store3(report.collider_position, add(vector3(other.position), on_other))
        store3(report.normal, normal)
        store3(report.impulse, add(scale(normal, float(manifold.total_normal_impulse[p])), friction))
        half = 0.5 * depth  # from midway, where the anchors are, to the surfaces at the beginning of the step
        arm, other_arm = add_scaled(arm, normal, -half), add_scaled(other_arm, normal, half)
        store3(report.velocity, velocity_at_start(system, body, motion, arm))
        store3(report.collider_velocity, velocity_at_start(system, other, other_motion, other_arm))
        report.depth = FLOAT32(depth)
        report.shape = manifold.instance_a if side == 0 else manifold.instance_b
        report.collider_shape = manifold.instance_b if side == 0 else manifold.instance_a
        report.part = reported_part(part_of(system, manifold, side))
        report.collider_part = reported_part(part_of(system, manifold, 1 - side))
        report.collider = manifold.body_b if side == 0 else manifold.body_a
        report.collider_id = other.id
        report.collider_user_id = other.user_id


@kernel
def report_body(system, bodies, body, rare):
    """Update the contact reports of one body from its pairs."""
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
                report_manifold(system, pair, body, rare, other, manifolds[m], lane, side)
            m = manifolds[m].next
        key = lists.next[side]


@kernel
def report_contacts(system):
    """Update the contact reports of every active body that requests them."""
    world = world_at(system.world)
    if world.reporting_count == 0:
        return
    bodies = view(world.bodies, world.body_capacity, BODY)
    active = view(system.bodies.active, world.body_capacity, INT32)
    for slot in range(system.bodies.active_count):
        body = bodies[active[slot]]
        if body.flags & HAS_RARE and rare_of(system.world, body).max_contacts_reported > 0:
            report_body(system, bodies, body, rare_of(system.world, body))
