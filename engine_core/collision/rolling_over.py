"""Round bodies that roll over an edge or a corner of a convex shape: spheres and capsules on boxes, hulls and cylinders.

A contact keeps its normal for a whole step. A ball that meets a step, or climbs over its edge, turns about that edge: with the
normal of the step's start it loses speed in every tick, and 10 % of its energy when it meets the edge. So it is collided once
more at the place where it meets the edge within the step, or if it touches already at half of its way in the step, and takes
the normal found there. On a face both are the same. Meshes are left alone: rolling.py turns the normals of their smooth edges.
"""

import numpy as np

from ..geometry.angles import circle_point
from ..geometry.vector import add, add_scaled, dot, length, length_squared, scale, store3, subtract, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.call import call_1_result
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_row, stack_array
from ..shapes.traits import is_convex, is_round
from .contact_rules import velocity_between
from .pairs import pairs_of
from .rolling import axis_of_contact, depth_of, inward, is_same, may_roll, round_side, turn_contact
from .schema import CONTACT_RESULT, LINEAR_SLOP, MAX_RESULTS

LEAST_MOTION = 0.01
"""A body that moves less than this part of its radius in a step keeps the normal of where it is."""
MOST_MOTION = 0.1
"""A body that touches an edge and moves more than this part of its radius in a step leaves it."""
STEEP = 0.25
"""A body that meets an edge more flatly (sine of the angle) keeps its normal: it may be the inner edge of a floor of tiles, into
which it is pressed, and seams.py knows such an edge by its normal."""
FARTHEST_TURN = circle_point(np.radians(30.0))[0]
"""The normal may turn by this angle in a step (cosine)."""


@kernel
def may_roll_over(shapes, shape_pair):
    """Whether one of two shapes is round, and the other convex and not round."""
    a, b = shapes[shape_pair.shape_a], shapes[shape_pair.shape_b]
    return is_round(a) != is_round(b) and is_convex(a) and is_convex(b)


@kernel
def motion_of_contact(a, b, delta, side, center, time):
    """The motion of the point `center` on the axis of the round body against the other in a step [m]. `delta`: the centre of mass
    of B from that of A [m]."""
    return scale(velocity_between(a, b, center, subtract(center, delta)), -time if side[0] else time)


@kernel
def normal_there(system, shape_pair, chain, side, along):
    """Collide the two shapes with the round one moved along [m]: (whether they have one contact, the normal from the
    round shape to the other, the separation of its deepest point [m])."""
    keep_as_call()
    given, cache, results = shape_pair.results, shape_pair.axis_cache, stack_array(MAX_RESULTS, CONTACT_RESULT)
    place = vector3(shape_pair.position_a) if side[0] else vector3(shape_pair.position_b)
    position = shape_pair.position_a if side[0] else shape_pair.position_b
    store3(position, add(place, along))
    shape_pair.results = address_of_row(results, 0)
    found = call_1_result(system.functions.collide_shapes, chain.shape_pair)
    store3(position, place)
    shape_pair.results, shape_pair.axis_cache = given, cache
    if found != 1:
        return False, (0.0, 0.0, 0.0), 0.0
    return True, inward(results[0], side), -depth_of(results[0])


@kernel
def turn_over_edge(system, shapes, pair_index, a, b, delta, shape_pair, result, chain):
    """Give the contact of a round body that moves the normal of the place where the bodies meet within the step, or of half of
    its way if they touch."""
    keep_as_call()
    time = system.step.last_delta_time
    if chain.is_ahead != 0 or not may_roll(pairs_of(system)[pair_index], a, b, time):
        return
    side = round_side(shapes, shape_pair)
    center, separation = axis_of_contact(result, side)
    normal, radius = inward(result, side), side[1]
    motion = motion_of_contact(a, b, delta, side, center, time)
    approach = dot(motion, normal)
    across = length_squared(add_scaled(motion, normal, -approach))
    if across < (LEAST_MOTION * radius) ** 2 or separation < -LINEAR_SLOP:
        return
    meets = separation > LINEAR_SLOP
    if (approach <= separation) if meets else (across > (MOST_MOTION * radius) ** 2):
        return
    along = scale(motion, separation / approach if meets else 0.5)
    is_found, turned, gap = normal_there(system, shape_pair, chain, side, along)
    if not is_found or is_same(turned, normal) or dot(turned, normal) < FARTHEST_TURN:
        return
    if meets and dot(motion, turned) < STEEP * length(motion):
        return
    if meets:
        closer = dot(turned, along) + gap - separation
        for p in range(result.point_count):
            result.separations[p] += closer
    turn_contact(result, turned, side)
