"""Shapes and points against the faces of a soft body: overlaps, the nearest face, casts. Faces have no thickness, as for rays.

Shapes must be convex. A cast goes on from each position by the distance to a face divided by how fast the motion closes it, so
that it never passes the face (conservative advancement; B. Mirtich, 1996).
"""

import numpy as np

from ..collision.distance import distance_of_cores
from ..collision.gaps import prepare_triangle
from ..geometry.gjk import CORE
from ..geometry.ray import ray_triangle
from ..geometry.vector import add, add_scaled, dot, scale, subtract, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view2
from ..shapes.core import core_bounds, core_of_shape
from ..shapes.traits import is_convex

INT32, INT64, FLOAT64 = np.int32, np.int64, np.float64
NO_FACE = -1
FAR = 1e30
NOTHING = (0.0, 0.0, 0.0)
HIT_GAP = 1e-4
"""A cast ends this near to a face [m]."""
MOST_ADVANCES = 48
"""Positions of a cast that are tried for one face."""
THIRD = 1.0 / 3.0
ASKEW = (0.8017, 0.2673, 0.5345)
"""Direction of the ray that tells inside from outside: along no axis, as edges of meshes are."""


@kernel
def is_beside_box(low, high, a, b, c):
    """Whether a triangle is beside a box."""
    for k in range(3):
        if min(a[k], b[k], c[k]) > high[k] or max(a[k], b[k], c[k]) < low[k]:
            return True
    return False


@kernel
def is_beside_bounds(soft, origin, low, high):
    """Whether a box, relative to `origin`, world [m], is beside a soft body."""
    for k in range(3):
        if origin[k] + low[k] > soft.bounds[3 + k] or origin[k] + high[k] < soft.bounds[k]:
            return True
    return False


@kernel
def corners_from(soft, face, origin):
    """The corners of a face relative to `origin`, world [m]."""
    positions = view2(soft.positions, soft.particle_count, 3, FLOAT64)
    triangles = view2(soft.triangles, soft.triangle_count, 3, INT32)
    return (
        subtract(vector3(positions[INT64(triangles[face, 0])]), origin),
        subtract(vector3(positions[INT64(triangles[face, 1])]), origin),
        subtract(vector3(positions[INT64(triangles[face, 2])]), origin),
    )


@kernel
def gap_to_face(core, radius, a, b, c):
    """(distance, point of the shape, point of the face, unit normal from the shape to the face) of a core and a triangle."""
    corners, triangle = stack_array(9, FLOAT64), stack_array(1, CORE)[0]
    prepare_triangle(triangle, corners, a, b, c)
    start = scale(add(add(a, b), c), -THIRD)
    distance, on_shape, on_face, normal = distance_of_cores(core, triangle, start)
    return distance - radius, add_scaled(on_shape, normal, radius), on_face, normal


@kernel
def nearest_face(soft, shape, position, rotation, margin, is_any):
    """The face nearest to a convex shape, if it is within `margin` [m]: (distance, point of the shape, point of the face, world
    [m], unit normal from the shape to the face, number of the face, or NO_FACE). `is_any`: the first one will do."""
    keep_as_call()
    best, on_shape, on_face, normal, face = FAR, NOTHING, NOTHING, NOTHING, INT64(NO_FACE)
    if soft.is_enabled == 0 or not is_convex(shape):
        return best, on_shape, on_face, normal, face
    core, box = stack_array(1, CORE)[0], core_bounds(shape, NOTHING, rotation)
    low = (box[0] - margin, box[1] - margin, box[2] - margin)
    high = (box[3] + margin, box[4] + margin, box[5] + margin)
    if is_beside_bounds(soft, position, low, high):
        return best, on_shape, on_face, normal, face
    radius = core_of_shape(shape, NOTHING, rotation, core)
    for t in range(soft.triangle_count):
        a, b, c = corners_from(soft, t, position)
        if is_beside_box(low, high, a, b, c):
            continue
        gap, first, second, direction = gap_to_face(core, radius, a, b, c)
        if gap <= margin and gap < best:
            best, on_shape, on_face, normal, face = gap, add(position, first), add(position, second), direction, INT64(t)
            if is_any:
                break
    return best, on_shape, on_face, normal, face


@kernel
def cast_to_face(core, radius, motion, margin, longest, a, b, c):
    """(fraction, normal) where a core that moves by `motion` comes as near as `margin` to a triangle; FAR if not before
    `longest`."""
    at, normal = 0.0, NOTHING
    for _ in range(MOST_ADVANCES):
        way = scale(motion, -at)
        gap, _, _, normal = gap_to_face(core, radius, add(a, way), add(b, way), add(c, way))
        closing = dot(motion, normal)
        if gap - margin <= HIT_GAP:
            return (at, normal) if closing > 0.0 or gap < margin else (FAR, normal)
        if closing <= 0.0:
            return FAR, normal
        at += (gap - margin) / closing
        if at >= longest:
            return FAR, normal
    return at, normal


@kernel
def cast_to_faces(soft, shape, position, rotation, motion, margin, longest):
    """(fraction of the motion, unit normal against it, number of the face) where a convex shape first meets a face; FAR and
    NO_FACE if not before the fraction `longest`."""
    keep_as_call()
    best, normal, face = longest, NOTHING, INT64(NO_FACE)
    if soft.is_enabled == 0 or not is_convex(shape):
        return FAR, normal, face
    core, box, wide = stack_array(1, CORE)[0], core_bounds(shape, NOTHING, rotation), margin + HIT_GAP
    low = (
        box[0] + min(motion[0], 0.0) - wide, box[1] + min(motion[1], 0.0) - wide, box[2] + min(motion[2], 0.0) - wide,
    )  # fmt: skip
    high = (
        box[3] + max(motion[0], 0.0) + wide, box[4] + max(motion[1], 0.0) + wide, box[5] + max(motion[2], 0.0) + wide,
    )  # fmt: skip
    if is_beside_bounds(soft, position, low, high):
        return FAR, normal, face
    radius = core_of_shape(shape, NOTHING, rotation, core)
    for t in range(soft.triangle_count):
        a, b, c = corners_from(soft, t, position)
        if not is_beside_box(low, high, a, b, c):
            fraction, direction = cast_to_face(core, radius, motion, margin, best, a, b, c)
            if fraction < best:
                best, normal, face = fraction, scale(direction, -1.0), INT64(t)
    return (best if face != NO_FACE else FAR), normal, face


@kernel
def encloses(soft, point):
    """Whether a point, world [m], is inside of a closed soft body: a ray from it passes an odd number of faces."""
    keep_as_call()
    if soft.is_enabled == 0 or soft.orientation == 0.0 or is_beside_bounds(soft, point, NOTHING, NOTHING):
        return False
    size = 0.0
    for k in range(3):
        size += soft.bounds[3 + k] - soft.bounds[k]
    inside, ray = False, scale(ASKEW, 2.0 * size)
    for t in range(soft.triangle_count):
        a, b, c = corners_from(soft, t, point)
        if ray_triangle(NOTHING, ray, a, b, c)[0] <= 1.0:
            inside = not inside
    return inside


@kernel
def velocity_of_face(soft, face):
    """The mean velocity of the corners of a face [m/s]."""
    velocities = view2(soft.velocities, soft.particle_count, 3, FLOAT64)
    triangles = view2(soft.triangles, soft.triangle_count, 3, INT32)
    total = NOTHING
    for k in range(3):
        total = add(total, vector3(velocities[INT64(triangles[face, k])]))
    return scale(total, THIRD)
