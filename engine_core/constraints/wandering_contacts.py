"""Contacts that wander over a body as it rolls: a tumbler on a floor, a plank on a drum, a ball on a seesaw.

A step finds contacts once and solves them in some sub-steps. Where a contact wanders, the point of the step's beginning lags
behind, and a body that rocks there would win energy in each swing. So points are placed where they are at the mean of the times
at which the sub-steps begin: then their impulses do as much work forth as back. (Sub-steps are symplectic Euler: E. Hairer,
C. Lubich, G. Wanner, "Geometric Numerical Integration", 2006.) An oval body has two radii of curvature; the contact knows
that of the way it rolls. A cone has another radius at either end, and each of its points is moved by its own.
"""

import numpy as np

from ..collision.contact_points import growth_of
from ..collision.schema import MANIFOLD_WANDERS_A, MANIFOLD_WANDERS_B
from ..geometry.vector import add, add_scaled, cross, dot, length, negate, scale, subtract, vector3
from ..runtime.kernel import kernel
from .blocks import get_vector, put_vector
from .pressed_bodies import pressure_of
from .schema import NORMAL, POINT_ANCHOR_A, POINT_ANCHOR_B, POINT_FIELDS, POINT_SEPARATION, POINTS

FLOAT32 = np.float32
FARTHEST_ROLLED = 0.1
"""The contact of a rolling body is moved ahead by at most this part of the radius."""


@kernel
def limited(way, normal, rounding):
    """The part of a way along the surface, at most `FARTHEST_ROLLED` of the radius `rounding` [m]."""
    way = add_scaled(way, normal, -dot(way, normal))
    size, most = length(way), FARTHEST_ROLLED * rounding
    return way if size <= most else scale(way, most / size)


@kernel
def way_rolled(axis, spin, normal, rounding, time):
    """How far a contact moves along the surface within `time` [s] as the body rolls, which is the motion of the centre of
    curvature, `axis` [m]. A contact that lags by half a step would amplify rocking."""
    return limited(scale(cross(spin, axis), time), normal, rounding)


@kernel
def way_over_flat(body, other, other_axis, outward, rounding, time):
    """How far the contact with a round body, whose centre of curvature is at `other_axis` from its centre of mass, moves over a
    flat one within `time` [s]: it stays below that centre as that moves, and as the face, of the normal `outward`, turns."""
    spin = vector3(body.angular_velocity)
    speed = add(vector3(other.linear_velocity), cross(vector3(other.angular_velocity), other_axis))
    way = subtract(subtract(speed, vector3(body.linear_velocity)), scale(cross(spin, outward), rounding))
    return limited(scale(way, time), outward, rounding)


@kernel
def middle_of(lane, anchor, count):
    """The mean of the anchors of `count` points on one body [m]. `anchor`: POINT_ANCHOR_A or POINT_ANCHOR_B."""
    middle = (0.0, 0.0, 0.0)
    for p in range(count):
        middle = add_scaled(middle, get_vector(lane, POINTS + p * POINT_FIELDS + anchor), 1.0 / count)
    return middle


@kernel
def shift_points(lane, anchor, count, way):
    """Move the anchors of `count` points on one body by `way` [m]."""
    for p in range(count):
        at = POINTS + p * POINT_FIELDS + anchor
        put_vector(lane, at, add(get_vector(lane, at), way))


@kernel
def roll_points(lane, anchor, count, spin, outward, rounding, growth, time):
    """Move the anchors of `count` points on a round body along within `time` [s]: as the centre of curvature amid them moves, or,
    on a tapered body, each as its own. `rounding`: the mean of the radii, from which the anchors were placed; `growth`: how much
    larger the second is [m]."""
    if growth == 0.0:
        shift_points(lane, anchor, count, way_rolled(middle_of(lane, anchor, count), spin, outward, rounding, time))
        return
    for p in range(count):
        at = POINTS + p * POINT_FIELDS + anchor
        placed = get_vector(lane, at)
        axis = add_scaled(placed, outward, (0.5 - p) * growth)
        put_vector(lane, at, add(placed, way_rolled(axis, spin, outward, rounding, time)))


@kernel
def follow_wanderers(manifold, a, b, lane, delta_time, h):
    """Move the contact points of rolling bodies along, on either side. `delta_time`, `h`: length of the step and of a sub-step
    [s]. Contacts that bore nothing in the last step stay: velocities before an impact do not say where it leads."""
    if pressure_of(manifold) == 0.0:
        return
    time = 0.5 * (delta_time - h)
    normal, count = get_vector(lane, NORMAL), np.int64(manifold.point_count)
    growth_a, growth_b = growth_of(manifold)
    rounding_a, rounding_b = np.float64(manifold.rounding_a), np.float64(manifold.rounding_b)
    axis_a, axis_b = middle_of(lane, POINT_ANCHOR_A, count), middle_of(lane, POINT_ANCHOR_B, count)
    if manifold.flags & MANIFOLD_WANDERS_A:
        if rounding_a > 0.0:
            roll_points(lane, POINT_ANCHOR_A, count, vector3(a.angular_velocity), normal, rounding_a, growth_a, time)
        else:
            shift_points(lane, POINT_ANCHOR_A, count, way_over_flat(a, b, axis_b, normal, rounding_b, time))
    if manifold.flags & MANIFOLD_WANDERS_B:
        if rounding_b > 0.0:
            roll_points(lane, POINT_ANCHOR_B, count, vector3(b.angular_velocity), negate(normal), rounding_b, growth_b, time)
        else:
            shift_points(lane, POINT_ANCHOR_B, count, way_over_flat(b, a, axis_a, negate(normal), rounding_a, time))


@kernel
def measure_from_axis(manifold, lane):
    """Measure the two points on tapered bodies from their axes, each by its own radius: by the mean, one would sink and the other
    rise as the bodies turn. The gaps stay as they are. Friction is prepared before: it acts between the points, by the mean."""
    normal, (growth_a, growth_b) = get_vector(lane, NORMAL), growth_of(manifold)
    for p in range(2):
        first, part = POINTS + p * POINT_FIELDS, 0.5 - p
        put_vector(lane, first + POINT_ANCHOR_A, add_scaled(get_vector(lane, first + POINT_ANCHOR_A), normal, part * growth_a))
        put_vector(lane, first + POINT_ANCHOR_B, add_scaled(get_vector(lane, first + POINT_ANCHOR_B), normal, -part * growth_b))
        lane[(first + POINT_SEPARATION) * 8] += FLOAT32(part * (growth_a + growth_b))
