"""The current positions of the points of a pair's manifolds.

A manifold keeps the result of the last full collision, in the frame of A. Since then each body has carried its anchor of a point
along, and the separation follows from their motion along the normal, so that slow creep is noticed. The preparation of contacts
and the seams use these functions with the bodies' present poses.
"""

from numpy import float64

from ..geometry.vector import (
    add, add_scaled, conjugate, dot, matrix_rows, multiply, quaternion, rotate, subtract, vector3,
)  # fmt: skip
from ..runtime.kernel import kernel
from .schema import GROWTH_A, GROWTH_B, MANIFOLD_TAPERS


@kernel
def relative_position(a, b):
    """From the centre of mass of A to that of B, world axes [m]. Differences are taken in double precision."""
    return (b.position[0] - a.position[0], b.position[1] - a.position[1], b.position[2] - a.position[2])


@kernel
def contact_frames(pair, a, b):
    """Compute the input of `contact_normal` and `contact_point` for a pair: `(delta, rows_a, rows_b, center_b)`. `delta`: B from
    A. The rows take A's frame at the last full collision to where A, or B, has turned it since; `center_b` was B's centre in
    it."""
    turned_b = multiply(quaternion(b.rotation), conjugate(quaternion(pair.pose_rotation_b)))
    rows_b = matrix_rows(multiply(turned_b, quaternion(pair.pose_rotation_a)))
    center_b = rotate(turned_b, vector3(pair.pose_position))
    return relative_position(a, b), matrix_rows(quaternion(a.rotation)), rows_b, center_b


@kernel
def turned_by(rows, v):
    return (dot(rows[0], v), dot(rows[1], v), dot(rows[2], v))


@kernel
def contact_normal(frames, manifold):
    """Normal of a manifold from A to B, world axes."""
    return turned_by(frames[1], vector3(manifold.normal))


@kernel
def contact_point(frames, manifold, normal, p):
    """Point p of a manifold: `(anchor_a, anchor_b, separation)`, from the centre of mass of each body, world axes [m]."""
    delta, rows_a, rows_b, center_b = frames
    local = vector3(manifold.anchor[p])
    anchor_a, anchor_b = turned_by(rows_a, local), subtract(turned_by(rows_b, local), center_b)
    parted = dot(normal, add(delta, subtract(anchor_b, anchor_a)))
    return anchor_a, anchor_b, manifold.separation[p] + parted


@kernel
def growth_of(manifold):
    """How much larger the radii of A and of B are at the second of two points than at the first [m]."""
    if manifold.flags & MANIFOLD_TAPERS == 0:
        return 0.0, 0.0
    return float64(manifold.separation[GROWTH_A]), float64(manifold.separation[GROWTH_B])


@kernel
def rounding_at(manifold, p):
    """How round the shapes of A and of B are at point p of a manifold: `(radius_a, radius_b)`, see MANIFOLD.rounding_a [m]."""
    growth_a, growth_b = growth_of(manifold)
    return float64(manifold.rounding_a) + (p - 0.5) * growth_a, float64(manifold.rounding_b) + (p - 0.5) * growth_b


@kernel
def surface_points(frames, a, b, manifold, normal, p):
    """Point p of a manifold on the surface of A and on that of B, each from the body's centre of mass, world axes [m].

    Each body has carried its own point along. A shape that is round at the contact has carried its centre or axis, and `normal`,
    from A to B, gives its surface from there; the manifold's normal has turned with A. After sliding, the contact has moved with
    the round body, else with the smaller one: a corner slides over a floor, not a floor under a corner."""
    delta, rows_a, rows_b, center_b = frames
    local, outward = vector3(manifold.anchor[p]), vector3(manifold.normal)
    rounding_a, rounding_b = rounding_at(manifold, p)
    half = 0.5 * float(manifold.separation[p])
    axis_a = turned_by(rows_a, add_scaled(local, outward, -half - rounding_a))
    axis_b = subtract(turned_by(rows_b, add_scaled(local, outward, half + rounding_b)), center_b)
    on_a, on_b = add_scaled(axis_a, normal, rounding_a), add_scaled(axis_b, normal, -rounding_b)
    if rounding_a > 0.0 and rounding_b > 0.0:
        return on_a, on_b
    apart = subtract(add(delta, on_b), on_a)
    slid = add_scaled(apart, normal, -dot(apart, normal))
    is_a_smaller = b.extent == 0.0 or 0.0 < a.extent <= b.extent  # a plane has no extent
    if rounding_a > 0.0 or (rounding_b == 0.0 and is_a_smaller):
        return on_a, subtract(on_b, slid)
    return add(on_a, slid), on_b
