"""How round a shape is at a contact: the distance from its surface to the axis, or centre, about which it rolls there.

The solver measures gaps from that axis: a point of the surface would rise as the body turns. So the distance has to be the radius
of curvature in the direction in which the body rolls, at each point of the contact.
"""

import numpy as np

from ..geometry.vector import cross, dot, length_squared, rotate_inverse, scale, vector3
from ..runtime.kernel import kernel
from ..shapes.schema import CUSTOM, CYLINDER, ELLIPSOID, TAPERED_CAPSULE, TAPERED_CYLINDER
from ..shapes.traits import is_round, is_support_shape

UPRIGHT = 0.02
"""A normal within this of perpendicular to a round shape's axis is on its side (sine)."""
LEAST_ACROSS = 0.2
"""A normal within this of parallel to a cylinder's axis is that of its flat end, not of its rim (sine)."""
NO_SPIN = (0.0, 0.0, 0.0)
LEAST_ROLL = 1e-3
"""A body that turns more slowly than this across a contact rolls in no direction [rad/s]."""


@kernel
def round_about_axis(radius, n):
    """Distance from a rim around the axis Y to that axis along the outward normal `n`, 0 if they are nearly parallel [m]."""
    across = (n[0] * n[0] + n[2] * n[2]) ** 0.5
    return radius / across if across > LEAST_ACROSS else 0.0


@kernel
def radius_of_ellipsoid(e, n, spin):
    """Radius of curvature of an ellipsoid in the direction in which it rolls [m]. `e`: half axes [m]; `n`: the outward normal
    there; `spin` [rad/s].

    The point with the normal n is D n / sqrt(n . D n), where D has the squares of the half axes. Its derivative along t is the
    radius. Where the body does not roll, it is the geometric mean of the two radii, the inverse root of the Gaussian
    curvature."""
    square = (e[0] * e[0], e[1] * e[1], e[2] * e[2])
    pushed = (square[0] * n[0], square[1] * n[1], square[2] * n[2])
    far = dot(n, pushed)
    way = cross(spin, n)
    size = length_squared(way)
    if size < LEAST_ROLL * LEAST_ROLL:
        return e[0] * e[1] * e[2] / far
    t = scale(way, size**-0.5)
    beside = dot(t, pushed)
    return (square[0] * t[0] * t[0] + square[1] * t[1] * t[1] + square[2] * t[2] * t[2] - beside * beside / far) * far**-0.5


@kernel
def slope_of(shape):
    """By how much the radius of a tapered shape grows towards its bottom, a metre of its height."""
    return 0.5 * (np.float64(shape.half_extents[2]) - np.float64(shape.half_extents[1])) / np.float64(shape.half_extents[0])


@kernel
def lies_on_its_side(shape, n):
    """Whether a tapered shape touches with a line of its side. `n`: the outward normal, frame of the shape."""
    if shape.kind != TAPERED_CAPSULE and shape.kind != TAPERED_CYLINDER:
        return False
    slope = slope_of(shape)
    return abs(n[1] - (slope if shape.kind == TAPERED_CAPSULE else slope * (1.0 + slope * slope) ** -0.5)) < UPRIGHT


@kernel
def tapered_radius(shape, place):
    """Distance from a point of a tapered shape's side to its axis, along the normal there [m]. `place`: the point, frame of the
    shape [m]."""
    slope = slope_of(shape)
    radius = 0.5 * np.float64(shape.half_extents[1] + shape.half_extents[2]) - slope * place[1]
    return radius / (1.0 - slope * slope) if shape.kind == TAPERED_CAPSULE else radius * (1.0 + slope * slope) ** 0.5


@kernel
def rounding_of(shape, rotation, outward, spin):
    """Radius of a round shape about an axis perpendicular to the contact's outward normal: a sphere, a capsule, a cylinder lying
    on its side; 0 for a shape with corners [m]. Of a tapered shape's side that in the middle of it: see `tapered_radius`.
    `spin`: that of the body, world [rad/s].

    For a cylinder that leans on its rim, it is the distance to its axis along the normal. That point of the axis stays where it
    is as the cylinder turns about the axis, and moves along the normal just as the rim does when the axis tilts. A point of the
    rim would be lifted off the ground within the step while the wheel rolls on."""
    kind = shape.kind
    if is_round(shape):
        return np.float64(shape.radius)
    if kind != CYLINDER and not is_support_shape(shape):
        return 0.0
    n = rotate_inverse(rotation, outward)
    if kind == CYLINDER:
        return round_about_axis(np.float64(shape.radius), n)
    if kind == CUSTOM:
        return 0.0
    e = vector3(shape.half_extents)
    if kind == ELLIPSOID:
        return radius_of_ellipsoid(e, n, rotate_inverse(rotation, spin))
    if lies_on_its_side(shape, n):
        return tapered_radius(shape, (0.0, 0.0, 0.0))
    slope = slope_of(shape)
    if kind == TAPERED_CAPSULE:
        return e[1] if n[1] > slope else e[2]
    return round_about_axis(e[1] if n[1] > slope * (1.0 + slope * slope) ** -0.5 else e[2], n)
