"""Whether the manifolds of a pair still serve: its bodies have hardly moved relative to each other since its last full collision
(contact recycling, as in Box3D).
"""

import math

import numpy as np

from ..bodies.bounds import bounds_overlap
from ..bodies.schema import STATIC
from ..geometry.vector import (
    conjugate, cross, length, multiply, quaternion, rotate_inverse, store3, store4, subtract, vector3,
)  # fmt: skip
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_row
from ..runtime.vector4 import lane4, load4, max4
from .contact_points import relative_position
from .meeting import motion_ahead, turn_ahead

FLOAT32, FLOAT64 = np.float32, np.float64

RECYCLE_DISTANCE = 0.02
"""Largest relative movement of the surfaces of two bodies before they are collided anew [m]; less for small bodies,"""
RECYCLE_DISTANCE_SHORT = 0.01
"""... [m] while they overlap by more than `RECYCLE_DISTANCE`, as what is pushed out needs its contacts where they are, or have no
contact, which must begin before the 2 cm that contacts reach are used up;"""
RECYCLE_PART_OF_SIZE = 0.05
"""... at most this many inner radii of the smaller one,"""
RECYCLE_ROLLING = 5e-4
"""... at round surfaces at most this [m]: the anchor stays behind a rolling body; the weight ahead of it would drive it on,"""
RECYCLE_AGEING = 1.0 / 32.0
"""... and by this part less with each step of any length: what came to lie somewhere slowly is collided where it lies, or a crate
would stand on the place where it was, 1 cm before the edge that it has passed,"""
RECYCLE_LEAST = 1.0e-3
"""... down to this [m];"""
RECYCLE_ANGLE = 0.15
"""... and at any size less than this angle [rad]."""
FAR = 1.0e30
"""Bound of a distance where there is none [m]."""
SINGLE = 1.2e-7
"""Relative rounding error of a number stored in single precision."""


@kernel
def moved_since(pair, a, b):
    """Upper bound of how far two bodies have moved relative to each other since their poses were stored [m]."""
    delta, then = relative_position(a, b), pair.pose_position
    return abs(delta[0] - then[0]) + abs(delta[1] - then[1]) + abs(delta[2] - then[2])


@kernel
def turn_since(body, rotation):
    """Absolute difference of the quaternion of a body's rotation from an earlier one, by component."""
    now, then = load4(address_of_row(body.rotation, 0)), load4(address_of_row(rotation, 0))
    return max4(now - then, then - now)


@kernel
def angle_of(turn):
    """Upper bound of the angle of a difference of quaternions [rad]: |p - q| of two unit quaternions is half the angle between
    them. It is a little less for large angles; points 1 m from the centre move no farther than that."""
    return 2.0 * (lane4(turn, 0) + lane4(turn, 1) + lane4(turn, 2) + lane4(turn, 3))


@kernel
def smaller_radius(a, b):
    """Inner radius of the smaller of two bodies [m]; planes and meshes, which have none, are left out."""
    radius_a, radius_b = FLOAT64(a.inner_radius), FLOAT64(b.inner_radius)
    if radius_a <= 0.0 or radius_b <= 0.0:
        return max(radius_a, radius_b)
    return min(radius_a, radius_b)


@kernel
def is_recyclable(pair, a, b):
    """Whether the manifolds of the last full collision are still valid: the surfaces have moved less than the limit since then,
    which shrinks as they age. The first bound, by sums of components, is the cheapest: it serves what is at rest."""
    angle, limit = angle_of(turn_since(a, pair.pose_rotation_a) + turn_since(b, pair.pose_rotation_b)), pair.limit
    if limit < 0.0:
        limit = FLOAT32(min(RECYCLE_DISTANCE, RECYCLE_PART_OF_SIZE * smaller_radius(a, b), -FLOAT64(limit)))
    return moved_since(pair, a, b) + angle * pair.reach < limit or moved_in_frame(pair, a, b) < limit


@kernel
def age(pair):
    """Let the manifolds of a pair age by a step."""
    if pair.limit > FLOAT32(RECYCLE_LEAST):
        pair.limit -= FLOAT32(RECYCLE_AGEING) * pair.limit


@kernel
def moved_in_frame(pair, a, b):
    """Upper bound of how far places on the smaller of two bodies have moved in the frame of the larger since their poses were
    stored [m]: what rides in a ship that turns, or turns with its neighbours in a drum, keeps its contacts. `FAR` if one of the
    two is a plane, which has no extent."""
    smaller = FLOAT64(min(a.extent, b.extent))
    if smaller <= 0.0:
        return FAR
    was, is_now = quaternion(pair.pose_rotation_a), quaternion(a.rotation)
    was_other, is_other = quaternion(pair.pose_rotation_b), quaternion(b.rotation)
    if b.extent > a.extent:
        was, is_now, was_other, is_other = was_other, is_other, was, is_now
    delta, then = relative_position(a, b), vector3(pair.pose_position)
    way = length(subtract(rotate_inverse(is_now, delta), rotate_inverse(was, then)))
    return way + chord_of(multiply(conjugate(was), was_other), multiply(conjugate(is_now), is_other)) * smaller


@kernel
def chord_of(p, q):
    """How far a place 1 m from the centre moves at most when a rotation changes from p to q: twice the distance of the two
    quaternions, or a little less, as half of the angle between the rotations is that between the quaternions."""
    x, y, z, w = q[0] - p[0], q[1] - p[1], q[2] - p[2], q[3] - p[3]
    return 2.0 * math.sqrt(x * x + y * y + z * z + w * w)


@kernel
def set_pose(pair, a, b, delta):
    """Store the relative pose of two bodies. `delta`: from A to B, world axes [m]."""
    store3(pair.pose_position, delta)
    store4(pair.pose_rotation_a, quaternion(a.rotation))
    store4(pair.pose_rotation_b, quaternion(b.rotation))


@kernel
def comes_nearer(a, b, delta, delta_time):
    """Upper bound of how far two bodies may approach each other in a step by their velocities [m]: seen from beside them, or, if
    that is less, by the smaller in the frame of the larger."""
    ahead = subtract(motion_ahead(b, delta_time), motion_ahead(a, delta_time))
    spin_a, spin_b = turn_ahead(a, delta_time), turn_ahead(b, delta_time)
    extent_a, extent_b = FLOAT64(a.extent), FLOAT64(b.extent)
    way, smaller = length(ahead) + extent_a * length(spin_a) + extent_b * length(spin_b), min(extent_a, extent_b)
    if smaller <= 0.0:  # a plane has no extent
        return way
    spin = spin_a if extent_a >= extent_b else spin_b
    # A place in a frame that turns moves by v - w x r; r changes meanwhile.
    beside = length(subtract(ahead, cross(spin, delta))) + 0.5 * length(spin) * length(ahead)
    return min(way, beside + smaller * length(subtract(spin_b, spin_a)))


@kernel
def stays_apart(pair, a, b, delta_time):
    """Whether two bodies that were apart when they were collided have moved so little since, and move so slowly, that no contact
    begins in this step. Then their poses are stored anew, with the rest of their gap. False if their fat bounds have parted: the
    full collision ends such a pair."""
    if pair.limit >= 0.0 or not bounds_overlap(a.fat_bounds, b.fat_bounds):
        return False
    moved = moved_since(pair, a, b)
    moved += FLOAT64(a.extent) * angle_of(turn_since(a, pair.pose_rotation_a))
    moved += FLOAT64(b.extent) * angle_of(turn_since(b, pair.pose_rotation_b))
    delta = relative_position(a, b)
    rounding = SINGLE * (abs(delta[0]) + abs(delta[1]) + abs(delta[2]))
    left = -FLOAT64(pair.limit) - min(moved, moved_in_frame(pair, a, b)) - rounding
    if not comes_nearer(a, b, delta, delta_time) < left:
        return False
    set_pose(pair, a, b, delta)
    pair.limit = FLOAT32(-left)
    return True


@kernel
def remember_pose(pair, a, b, delta, count, lowest, is_round, renews):
    """Note the poses of a full collision, and until when its `count` manifolds serve. `lowest`: the least separation of a contact
    [m]; `is_round`: some contact is with what is round; `renews`: they serve for this step alone."""
    set_pose(pair, a, b, delta)
    # The smaller body bounds how far a point of contact can be from either centre of the motion.
    reach, inner = 1.0e30, 1.0e30
    for side in range(2):
        body = a if side == 0 else b
        if body.inverse_mass > 0.0:
            reach = min(reach, np.float64(body.extent))
        if body.inner_radius > 0.0:
            inner = min(inner, np.float64(body.inner_radius))
    most = RECYCLE_DISTANCE if count > 0 and lowest > -RECYCLE_DISTANCE else RECYCLE_DISTANCE_SHORT
    limit = min(most, RECYCLE_PART_OF_SIZE * inner, RECYCLE_ANGLE * reach)
    if is_round:
        limit = min(limit, RECYCLE_ROLLING)
    # Of what rolls, a contact that stayed behind would push ahead of where it rolls to: it would rock more and more.
    pair.limit, pair.reach = FLOAT32(0.0 if renews else limit), FLOAT32(reach)


@kernel
def remember_gap(pair, a, b, gap):
    """Store that no contact begins before two bodies without contacts have moved by `gap` towards each other [m], if that is more
    than the limit of a full collision. The place where they will touch is not known: it may be at the far end of either."""
    pair.reach = max(a.extent if a.mode != STATIC else FLOAT32(0.0), b.extent if b.mode != STATIC else FLOAT32(0.0))
    if gap > pair.limit:
        pair.limit = FLOAT32(-gap)
