"""The nearest point of a shape's surface to a point, with the depth inside solid shapes. All in the shape's frame."""

import numpy as np

from ..collision.distance import distance_of_cores
from ..collision.gaps import prepare_point
from ..geometry.gjk import CORE
from ..geometry.vector import dot, length, scale, subtract, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array
from ..shapes.core import core_center, core_of_shape
from ..shapes.schema import BOX, CAPSULE, CYLINDER, PLANE, SPHERE
from ..shapes.traits import is_convex

FLOAT64 = np.float64
UP = (0.0, 1.0, 0.0)
ASIDE = (1.0, 0.0, 0.0)
"""The normal in the middle of a round shape: square to the axis of a capsule."""
NOT_NEAR = 1e30
TINY = 1e-12


@kernel
def of_sphere(centre, radius, point):
    """(distance, normal) of a sphere."""
    way = subtract(point, centre)
    size = length(way)
    return size - radius, scale(way, 1.0 / size) if size > TINY else ASIDE


@kernel
def signed(axis, sign):
    """The unit vector along an axis, one way or the other."""
    return (sign if axis == 0 else 0.0, sign if axis == 1 else 0.0, sign if axis == 2 else 0.0)


@kernel
def of_box(half, point):
    """(distance, normal) of a box: inside, of the nearest face."""
    nearest = (
        min(max(point[0], -half[0]), half[0]), min(max(point[1], -half[1]), half[1]), min(max(point[2], -half[2]), half[2]),
    )  # fmt: skip
    way = subtract(point, nearest)
    size = length(way)
    if size > TINY:
        return size, scale(way, 1.0 / size)
    axis, depth = 0, half[0] - abs(point[0])
    for k in range(1, 3):
        if half[k] - abs(point[k]) < depth:
            axis, depth = k, half[k] - abs(point[k])
    return -depth, signed(axis, 1.0 if point[axis] >= 0.0 else -1.0)


@kernel
def of_cylinder(radius, half_height, point):
    """(distance, normal) of a cylinder along Y."""
    across = np.sqrt(point[0] * point[0] + point[2] * point[2])
    side = (point[0] / across, 0.0, point[2] / across) if across > TINY else (1.0, 0.0, 0.0)
    end = (0.0, 1.0 if point[1] >= 0.0 else -1.0, 0.0)
    beyond, above = across - radius, abs(point[1]) - half_height
    if beyond <= 0.0 and above <= 0.0:
        return (beyond, side) if beyond > above else (above, end)
    if above <= 0.0:
        return beyond, side
    if beyond <= 0.0:
        return above, end
    size = np.sqrt(beyond * beyond + above * above)
    return size, (side[0] * beyond / size, end[1] * above / size, side[2] * beyond / size)


@kernel
def of_convex(shape, point):
    """(distance, normal) of any convex shape, by GJK, and by EPA inside."""
    keep_as_call()
    cores = stack_array(2, CORE)
    radius = core_of_shape(shape, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), cores[0])
    prepare_point(cores[1], point)
    distance, _, _, normal = distance_of_cores(cores[0], cores[1], subtract(core_center(shape), point))
    return distance - radius, normal


@kernel
def nearest_of_solid(shape, point):
    """(distance [m], unit normal) from the surface of a convex shape or a plane to a point: the nearest point of the surface is
    `point - distance * normal`. The distance is negative inside. NOT_NEAR for shapes of other kinds."""
    radius = FLOAT64(shape.radius)
    kind = shape.kind
    if kind == SPHERE:
        return of_sphere((0.0, 0.0, 0.0), radius, point)
    if kind == CAPSULE:
        half = FLOAT64(shape.half_height)
        return of_sphere((0.0, min(max(point[1], -half), half), 0.0), radius, point)
    if kind == BOX:
        return of_box(vector3(shape.half_extents), point)
    if kind == CYLINDER:
        return of_cylinder(radius, FLOAT64(shape.half_height), point)
    if kind == PLANE:
        p = shape.plane
        normal = (FLOAT64(p[0]), FLOAT64(p[1]), FLOAT64(p[2]))
        return dot(normal, point) - FLOAT64(p[3]), normal
    if is_convex(shape):
        return of_convex(shape, point)
    return NOT_NEAR, UP
