"""Caught bodies: a body caught between two joined bodies leaves sideways.

Bodies that are joined and do not collide with each other leave a gap. Each of the two pushes a body that was forced into the gap
into the other: both contacts are valid, they are opposite, and a link of a chain stays in another chain forever. But the faces
towards a joint are inner faces, like those of flush tiles (collision/seams.py): nothing can leave through them. So where a body
is deep in a body close to its joint, and deep in the body joined there too, the contact is redirected: it pushes away from the
joint, perpendicular to the direction from the body's centre to it, until the joint is free. Shallow contacts are not changed.
"""

import numpy as np

from ..bodies.overlap import is_deep
from ..bodies.schema import HAS_JOINT, RIGID
from ..collision.pairs import find_pair, lists_of, lowest_separation, manifolds_of
from ..geometry.vector import (
    add_scaled, cross, dot, length, negate, quaternion, rotate, rotate_inverse, scale, store3, subtract, vector3,
)  # fmt: skip
from ..joints.preparation import anchor_of, joints_of
from ..joints.schema import IS_BROKEN, IS_ENABLED, LINEAR_AXES
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel

FLOAT32, FLOAT64, UINT32, INT64 = np.float32, np.float64, np.uint32, np.int64
TOWARDS_JOINT = 0.5
"""Least cosine between the way out of a body and the direction to its joint."""
TURNED = UINT32(0xFFFF0001)
"""Feature of a redirected contact, which identifies it in the next step."""
LEAST_LENGTH = 1e-3
"""Shorter vectors have no direction; relative to the inner radius."""


@kernel
def lies_deep_in(system, bodies, index, other):
    """Whether two bodies overlap deeply."""
    low, high = min(index, other), max(index, other)
    pair = find_pair(system, low, high)
    if pair < 0:
        return False
    manifolds = manifolds_of(system)
    m = lists_of(system)[pair].first_manifold
    while m >= 0:
        if is_deep(system, bodies[low], bodies[high], lowest_separation(manifolds[m])):
            return True
        m = manifolds[m].next
    return False


@kernel
def side_of_joint(body, joint_place, axis):
    """The position of a body beside an axis through a joint: (the direction away from the axis, its distance from the joint [m]).
    Measured from its core, the box of its bounds without the inner radius. `joint_place`: from the body's centre, world axes."""
    turn, b, r = quaternion(body.rotation), body.local_bounds, FLOAT64(body.inner_radius)
    middle = scale((FLOAT64(b[0]) + b[3], FLOAT64(b[1]) + b[4], FLOAT64(b[2]) + b[5]), 0.5)
    x, y, z = 0.5 * (FLOAT64(b[3]) - b[0]), 0.5 * (FLOAT64(b[4]) - b[1]), 0.5 * (FLOAT64(b[5]) - b[2])
    p = subtract(rotate_inverse(turn, joint_place), middle)
    hx, hy, hz = max(x - r, 0.0), max(y - r, 0.0), max(z - r, 0.0)
    nearest = (min(max(p[0], -hx), hx), min(max(p[1], -hy), hy), min(max(p[2], -hz), hz))
    offset = rotate(turn, subtract(nearest, p))
    away = add_scaled(offset, axis, -dot(offset, axis))
    if length(away) < LEAST_LENGTH * r:  # exactly across the joint: any direction that is not along the body
        longest = (1.0, 0.0, 0.0) if x >= max(y, z) else ((0.0, 1.0, 0.0) if y >= z else (0.0, 0.0, 1.0))
        away = cross(axis, rotate(turn, longest))
    return away, length(offset)


@kernel
def turn_contact(manifold, a, normal, place, separation):
    """Reduce a manifold to one point: `normal` from A to B, `place` from A's centre of mass, world axes."""
    turn = quaternion(a.rotation)
    if manifold.point_count != 1 or manifold.feature[0] != TURNED:  # its impulse from before is no longer valid
        manifold.normal_impulse[0] = FLOAT32(0.0)
        manifold.twist_impulse = FLOAT32(0.0)
        store3(manifold.friction_impulse, (0.0, 0.0, 0.0))
    manifold.point_count = 1
    manifold.feature[0] = TURNED
    manifold.separation[0] = FLOAT32(separation)
    store3(manifold.normal, rotate_inverse(turn, normal))
    store3(manifold.anchor[0], rotate_inverse(turn, place))


@kernel
def turn_at_joint(system, bodies, manifold, index, caught_index, joint, side):
    """Redirect the contact of a caught body with body number `index` if it is at this joint of that body, whose side number is
    `side`. Return whether it was."""
    a, body, caught = bodies[manifold.body_a], bodies[index], bodies[caught_index]
    is_a = index == manifold.body_a
    place = rotate(quaternion(body.rotation), anchor_of(system.world, body, vector3(joint.frame_positions[side])))
    far, reach = length(place), FLOAT64(caught.inner_radius) + FLOAT64(body.inner_radius)
    normal = rotate(quaternion(a.rotation), vector3(manifold.normal))
    out = dot(normal, place) if is_a else -dot(normal, place)
    if far < LEAST_LENGTH * reach or out < TOWARDS_JOINT * far:
        return False
    between = subtract(vector3(caught.position), vector3(body.position))
    away, distance = side_of_joint(caught, subtract(place, between), scale(place, 1.0 / far))
    size = length(away)
    if distance >= reach or size < LEAST_LENGTH * reach:
        return False
    away = scale(away, 1.0 / size)
    if is_a:
        turn_contact(manifold, a, away, place, distance - reach)
    else:
        turn_contact(manifold, a, negate(away), subtract(place, between), distance - reach)
    return True


@kernel
def turn_if_caught(system, bodies, manifold, index, caught_index):
    """Redirect a contact if one body is caught between body number `index` and one that is joined to it. Return whether it
    was."""
    keep_as_call()
    joints = joints_of(system)
    if bodies[caught_index].mode < RIGID:
        return False
    key = bodies[index].first_joint
    while key >= 0:
        joint, side = joints[key >> 1], key & 1
        neighbour = INT64(joint.bodies[1 - side])
        holds = joint.flags & (IS_ENABLED | IS_BROKEN) == IS_ENABLED and joint.locked & LINEAR_AXES == LINEAR_AXES
        if holds and neighbour >= 0 and neighbour != caught_index and lies_deep_in(system, bodies, neighbour, caught_index):
            collide = find_pair(system, min(neighbour, index), max(neighbour, index)) >= 0
            if not collide and turn_at_joint(system, bodies, manifold, index, caught_index, joint, side):
                return True
        key = joint.next[side]
    return False


@kernel
def turn_pinched_contacts(system, bodies, pair, first_manifold):
    """Redirect those contacts of a pair that hold a body caught at a joint. Serial, in the order of pairs."""
    a, b = INT64(pair.body_a), INT64(pair.body_b)
    if not (bodies[a].flags | bodies[b].flags) & HAS_JOINT:
        return
    manifolds = manifolds_of(system)
    m = first_manifold
    while m >= 0:
        manifold = manifolds[m]
        if is_deep(system, bodies[a], bodies[b], lowest_separation(manifold)):
            if not turn_if_caught(system, bodies, manifold, b, a):
                turn_if_caught(system, bodies, manifold, a, b)
        m = manifold.next
