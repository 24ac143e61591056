"""The query's shape against one shape of a body: whether they overlap, and how far the first may move.

Everything is computed relative to the position of the query's shape, so that it is as exact far from the world's origin as near
it.
"""

import numpy as np

from ..geometry.gjk import CORE
from ..geometry.vector import (
    add, add_scaled, conjugate, multiply, negate, quaternion, rotate, rotate_inverse, store3, store4, subtract, vector3,
)  # fmt: skip
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array
from ..shapes.bounds import shape_bounds
from ..shapes.core import core_center
from ..shapes.ray import NO_FRACTION
from ..shapes.schema import MESH, SEPARATION_RAY
from ..shapes.traits import is_convex, is_surface
from .gaps import GAP, cast_to_shape, find_gap, prepare_core, shrink


# One shape against one shape: the pose of the second relative to the position of the query's shape, world axes.
PLACE = np.dtype([("position", "f8", 3), ("rotation", "f8", 4), ("rows", "f8", (3, 3))], align=True)


@kernel
def place_instance(query, position, rotation, instance, place):
    """Write the pose of a shape of a body, relative to the query's position, from the body's pose."""
    offset = subtract(position, vector3(query.position))
    store3(place.position, add(offset, rotate(rotation, vector3(instance.position))))
    store4(place.rotation, multiply(rotation, quaternion(instance.rotation)))


@kernel
def prepare_roles(shapes, query, instance, place, core, frame):
    """Choose which shape is A, the convex one: `frame` gets position and rotation of A in the frame of B. Return (row of A, row
    of B, radius of A, whether the roles are swapped, whether it is possible)."""
    asking, other = np.int64(query.shape), np.int64(instance.shape)
    is_changed = is_surface(shapes[asking])
    a, b = (other, asking) if is_changed else (asking, other)
    position_a, position_b = (0.0, 0.0, 0.0), vector3(place.position)
    rotation_a, rotation_b = quaternion(query.rotation), quaternion(place.rotation)
    if is_changed:
        position_a, position_b = position_b, position_a
        rotation_a, rotation_b = rotation_b, rotation_a
    store3(frame.position, rotate_inverse(rotation_b, subtract(position_a, position_b)))
    store4(frame.rotation, multiply(conjugate(rotation_b), rotation_a))
    is_possible = is_convex(shapes[a]) or (shapes[a].kind == SEPARATION_RAY and not is_changed)
    radius = 0.0
    if is_possible:
        radius = prepare_core(shapes[a], vector3(frame.position), quaternion(frame.rotation), core)
    return a, b, radius, is_changed, is_possible


@kernel
def center_in_frame(shape, frame):
    return add(vector3(frame.position), rotate(quaternion(frame.rotation), core_center(shape)))


@kernel
def overlaps_instance(shapes, query, instance, place, counts_both_sides):
    """Whether the query's shape, grown by its margin, overlaps a shape of a body. `counts_both_sides`: of all meshes, else only
    of those with backface collision."""
    keep_as_call()
    core, frame, gap = stack_array(1, CORE)[0], stack_array(1, PLACE)[0], stack_array(1, GAP)[0]
    a, b, radius, _, is_possible = prepare_roles(shapes, query, instance, place, core, frame)
    if not is_possible:
        return False
    box = shape_bounds(shapes, a, vector3(frame.position), quaternion(frame.rotation))
    is_two_sided = counts_both_sides or (shapes[b].kind == MESH and shapes[b].has_backface_collision != 0)
    return find_gap(
        shapes[b], core, radius, center_in_frame(shapes[a], frame), (box[0], box[1], box[2]), (box[3], box[4], box[5]),
        query.margin, is_two_sided, gap,
    )  # fmt: skip


@kernel
def cast_to_instance(shapes, query, instance, place, max_fraction, gap):
    """Fraction at which the moving shape of the query hits a shape of a body (`gaps.cast_to_shape`); `gap` holds normal (from the
    query's shape to the other) and point, world axes, relative to the query's position."""
    keep_as_call()
    cores, frame = stack_array(2, CORE), stack_array(1, PLACE)[0]
    a, b, radius, is_changed, is_possible = prepare_roles(shapes, query, instance, place, cores[0], frame)
    if not is_possible:
        return NO_FRACTION
    cores[1] = cores[0]
    skin_radius = shrink(shapes[a], cores[1], radius)
    turn = quaternion(query.rotation) if is_changed else quaternion(place.rotation)
    motion = rotate_inverse(turn, vector3(query.motion))
    if is_changed:
        motion = negate(motion)
    box = shape_bounds(shapes, a, vector3(frame.position), quaternion(frame.rotation))
    by = query.margin
    low, high = (box[0] - by, box[1] - by, box[2] - by), (box[3] + by, box[4] + by, box[5] + by)
    fraction = cast_to_shape(
        cores, radius + by, skin_radius + by, center_in_frame(shapes[a], frame), low, high, shapes[b], motion,
        max_fraction, gap,
    )  # fmt: skip
    if fraction < 0.0 or fraction > 1.0:
        return fraction
    normal, point = rotate(turn, vector3(gap.normal)), rotate(turn, vector3(gap.point))
    if is_changed:  # the point is on the query's shape, in its frame, at its starting pose
        normal = negate(normal)
        point = add_scaled(point, vector3(query.motion), fraction)
    else:
        point = add(point, vector3(place.position))
    store3(gap.normal, normal)
    store3(gap.point, point)
    return fraction
