"""A separation ray against another shape: one contact that pushes the ray's body back along the ray, or off the slope."""

import numpy as np

from ..geometry.vector import add, add_scaled, dot, negate, rotate, rotate_inverse, scale, store3, subtract
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..shapes.ray import ray_shape
from ..shapes.schema import SEPARATION_RAY
from .convex import write_contact


@kernel
def collide_ray(shapes, ray, position, rotation, other, other_position, other_rotation, limit, is_b, result):
    """Collide the separation ray, row `ray` of SHAPE, with shape `other`, up to `limit` [m] beyond its end. Return the number of
    results, 0 or 1. Poses in world axes; `is_b`: the ray is the second shape of the pair, so that the normal points to it."""
    keep_as_call()
    shape = shapes[ray]
    if shapes[other].kind == SEPARATION_RAY:
        return 0
    length = np.float64(shape.length)
    way = rotate(rotation, (0.0, 0.0, length + limit))
    origin = rotate_inverse(other_rotation, subtract(position, other_position))
    fraction, surface, _, _ = ray_shape(shapes, other, origin, rotate_inverse(other_rotation, way), 1.0, False, True)
    if fraction > 1.0:
        return 0
    direction = scale(way, 1.0 / (length + limit))
    normal, separation = direction, fraction * (length + limit) - length
    if shape.slides_on_slope:
        surface = negate(rotate(other_rotation, surface))
        facing = dot(surface, direction)
        if facing <= 1e-5:
            return 0
        normal, separation = surface, separation * facing
    store3(result.normal, negate(normal) if is_b else normal)
    result.point_count = 1
    result.face = -1
    middle = add_scaled(add(position, scale(direction, length)), normal, 0.5 * separation)
    write_contact(result, np.int64(0), middle, separation, np.uint32(1))
    return 1
