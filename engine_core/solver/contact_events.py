"""Contact events: which shapes began to touch in this step, still touch, or ceased to touch.

Two shapes touch from the step in which some point of their contact is less than LINEAR_SLOP apart or has an impulse, until they
have no contact any more, which is some centimetres later: so a body at rest does not begin to touch again and again. Sleeping
bodies continue to touch.
Only awake pairs with a body that reports events are processed, in the order of a list that is the same for any number of threads.
"""

import numpy as np

from ..bodies.records import world_at
from ..bodies.schema import BODY
from ..collision.contact_points import contact_frames, contact_normal, contact_point, surface_points
from ..collision.contact_rules import velocity_between
from ..collision.contact_schema import CONTACT_ADDED, CONTACT_EVENT, CONTACT_PERSISTED
from ..collision.event_lists import add_event, find_reported, forget_unseen, take_reported, reported_of
from ..collision.pairs import lists_of, manifolds_of, pairs_of
from ..collision.schema import LINEAR_SLOP, PAIR_REPORTS_ALL
from ..constraints.blocks import get_vector
from ..constraints.colours import colours_of
from ..constraints.schema import FRICTION, NORMAL, POINT_FIELDS, POINT_RELATIVE_VELOCITY, POINTS, RESTITUTION, TOTAL_FRICTION
from ..geometry.vector import add, add_scaled, dot, scale, store3, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .contact_reports import friction_in_lane, lane_of, point_in_lane

INT32, INT64, FLOAT32 = np.int32, np.int64, np.float32


@kernel
def touches_in_lane(lane, manifold):
    """Whether a solved manifold touches."""
    to_b = get_vector(lane, NORMAL)
    for p in range(manifold.point_count):
        _, _, depth = point_in_lane(lane, manifold, to_b, p)
        if depth >= -LINEAR_SLOP or manifold.total_normal_impulse[p] > 0.0:
            return True
    return False


@kernel
def touches_unsolved(pair, manifold, a, b):
    """Whether a manifold of a sensor touches, with the bodies' current poses."""
    frames = contact_frames(pair, a, b)
    normal = contact_normal(frames, manifold)
    for p in range(manifold.point_count):
        _, _, separation = contact_point(frames, manifold, normal, p)
        if separation <= LINEAR_SLOP:
            return True
    return False


@kernel
def describe_solved(event, pair, manifold, a, b, lane):
    """Write a contact with the values and impulses of the solver; points are midway between the surfaces at the bodies' current
    poses."""
    to_b = get_vector(lane, NORMAL)
    store3(event.normal, to_b)
    store3(event.friction_impulse, friction_in_lane(lane, to_b))
    event.twist_impulse = lane[(TOTAL_FRICTION + 2) * 8]
    event.friction, event.restitution = lane[FRICTION * 8], lane[RESTITUTION * 8]
    frames, closing = contact_frames(pair, a, b), FLOAT32(0.0)
    for p in range(manifold.point_count):
        _, _, depth = point_in_lane(lane, manifold, to_b, p)
        on_a, on_b = surface_points(frames, a, b, manifold, to_b, p)
        places = add(vector3(a.position), on_a), add(vector3(b.position), on_b)
        store3(event.points[p], scale(add(places[0], places[1]), 0.5))
        event.depths[p] = FLOAT32(depth)
        event.normal_impulses[p] = manifold.total_normal_impulse[p]
        closing = max(closing, -lane[(POINTS + p * POINT_FIELDS + POINT_RELATIVE_VELOCITY) * 8])
    event.approach_speed = closing


@kernel
def describe_unsolved(event, pair, manifold, a, b):
    """Write a contact that is not solved, with the bodies' current poses."""
    frames = contact_frames(pair, a, b)
    normal = contact_normal(frames, manifold)
    store3(event.normal, normal)
    event.is_sensor = 1
    closing = 0.0
    for p in range(manifold.point_count):
        anchor_a, anchor_b, separation = contact_point(frames, manifold, normal, p)
        store3(event.points[p], add_scaled(add(vector3(a.position), anchor_a), normal, 0.5 * separation))
        event.depths[p] = FLOAT32(-separation)
        closing = max(closing, -dot(velocity_between(a, b, anchor_a, anchor_b), normal))
    event.approach_speed = FLOAT32(closing)


@kernel
def tell_manifold(system, colours, bodies, pair, lists, manifold):
    """Report one manifold, if it touches or did."""
    a, b = bodies[pair.body_a], bodies[pair.body_b]
    is_solved = manifold.colour >= 0
    row = find_reported(system, lists, manifold)
    if row < 0:
        if is_solved:
            is_touching = touches_in_lane(lane_of(system, colours, manifold), manifold)
        else:
            is_touching = touches_unsolved(pair, manifold, a, b)
        if is_touching:
            row = take_reported(system, lists, bodies, pair, manifold)
        if row < 0:
            return
    told = reported_of(system)[row]
    told.seen = system.step.count
    is_new = told.since == system.step.count
    if not is_new and not pair.flags & PAIR_REPORTS_ALL:
        return
    number = add_event(system, CONTACT_ADDED if is_new else CONTACT_PERSISTED, told)
    if number < 0:
        return
    event = view(system.reports.events, system.reports.event_capacity, CONTACT_EVENT)[number]
    event.face, event.point_count = manifold.face, manifold.point_count
    if is_solved:
        describe_solved(event, pair, manifold, a, b, lane_of(system, colours, manifold))
    else:
        describe_unsolved(event, pair, manifold, a, b)


@kernel
def tell_pair(system, colours, bodies, index):
    """Report all contacts of a pair, then those that have ended."""
    pair, lists, manifolds = pairs_of(system)[index], lists_of(system)[index], manifolds_of(system)
    m = lists.first_manifold
    while m >= 0:
        if manifolds[m].point_count > 0:
            tell_manifold(system, colours, bodies, pair, lists, manifolds[m])
        m = manifolds[m].next
    forget_unseen(system, lists, system.step.count, True)


@kernel
def report_contact_events(system):
    """Report the contacts of all awake pairs that report events."""
    telling = view(system.reports.pairs, system.pairs.capacity, INT32)
    all_lists, colours = lists_of(system), colours_of(system)
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    for k in range(system.reports.pair_count):
        if all_lists[telling[k]].active_index >= 0:
            tell_pair(system, colours, bodies, INT64(telling[k]))
    system.reports.readable_event_count = system.reports.event_count
