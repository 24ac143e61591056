"""Rays and points against a shape of any kind, in the frame of the shape."""

import numpy as np

from ..geometry.ray import (
    INSIDE, ray_box, ray_capsule, ray_cylinder, ray_plane, ray_planes, ray_sphere, reversed_if, triangle_normal,
)  # fmt: skip
from ..geometry.vector import dot, length_squared
from ..runtime.kernel import kernel
from ..runtime.memory import view, view2
from .core import point_in_core, ray_core
from .mesh_query import mesh_corners, mesh_face, mesh_of
from .mesh_ray import ray_mesh
from .schema import BOX, CAPSULE, CYLINDER, HEIGHT_FIELD, HULL, HULL_BLOCK, MESH, PLANE, SPHERE
from .traits import is_support_shape

NO_FRACTION = 2.0
"""The fraction that `ray_shape` returns for no hit."""
_ZERO = (0.0, 0.0, 0.0)
_FAR = 1e300


@kernel
def _ray_mesh_shape(shape, origin, vector, max_fraction, hits_back_faces):
    mesh = mesh_of(shape)
    is_field = shape.user_kind == HEIGHT_FIELD
    two_sided = hits_back_faces and (is_field or shape.has_backface_collision != 0)
    triangle, fraction, is_front = ray_mesh(mesh, origin, vector, max_fraction, two_sided)
    if triangle < 0:
        return NO_FRACTION, _ZERO, np.int64(-1), False
    a, b, c = mesh_corners(mesh, triangle)
    return fraction, reversed_if(not is_front, triangle_normal(a, b, c)), mesh_face(mesh, triangle), False


@kernel
def reported_face(shape, face):
    """The face reported to users for one from `ray_shape`: none for a height field, as in Godot."""
    return np.int64(-1) if shape.user_kind == HEIGHT_FIELD else np.int64(face)


@kernel
def _ray_convex(shape, origin, vector):
    kind = shape.kind
    if kind == SPHERE:
        return ray_sphere(origin, vector, np.float64(shape.radius))
    if kind == BOX:
        half = shape.half_extents
        return ray_box(origin, vector, (np.float64(half[0]), np.float64(half[1]), np.float64(half[2])))
    if kind == CAPSULE:
        return ray_capsule(origin, vector, np.float64(shape.radius), np.float64(shape.half_height))
    if kind == CYLINDER:
        return ray_cylinder(origin, vector, np.float64(shape.radius), np.float64(shape.half_height))
    if kind == HULL:
        hull = view(shape.block, 1, HULL_BLOCK)[0]
        return ray_planes(origin, vector, view2(hull.planes, hull.face_count, 4, np.float32), hull.face_count)
    if kind == PLANE:
        p = shape.plane
        return ray_plane(origin, vector, (np.float64(p[0]), np.float64(p[1]), np.float64(p[2])), np.float64(p[3]))
    if is_support_shape(shape):
        return ray_core(shape, origin, vector)
    return _FAR, _ZERO


@kernel
def ray_shape(shapes, index, origin, vector, max_fraction, hits_from_inside, hits_back_faces):
    """Compiled: find where a ray first hits shape `index` of the rows `shapes`, in the frame of the shape: `(fraction, normal,
    face, started_inside)`. The point is `origin + fraction * vector`; fraction is 2.0 for no hit up to `max_fraction`.

    A ray that starts inside a convex shape (or behind a plane) is a hit at fraction 0 with a zero normal if `hits_from_inside`,
    else no hit. A mesh with backface collision, and a height field, are hit from behind with `hits_back_faces`; the normal is
    then turned against the ray. `face` is the user's index of a triangle of a mesh or height field, else -1. A ray without length
    hits only what it is inside of; separation rays and empty shapes are never hit."""
    shape = shapes[index]
    if shape.kind == MESH:
        if length_squared(vector) == 0.0:
            return NO_FRACTION, _ZERO, np.int64(-1), False
        return _ray_mesh_shape(shape, origin, vector, max_fraction, hits_back_faces)
    fraction, normal = _ray_convex(shape, origin, vector)
    if fraction == INSIDE:
        return (0.0 if hits_from_inside else NO_FRACTION), _ZERO, np.int64(-1), True
    if fraction > max_fraction:
        return NO_FRACTION, _ZERO, np.int64(-1), False
    return fraction, normal, np.int64(-1), False


@kernel
def point_in_shape(shapes, index, point):
    """Compiled: whether the point lies in shape `index` or on its surface, in the frame of the shape. False for meshes and height
    fields, which are surfaces."""
    shape = shapes[index]
    kind = shape.kind
    radius = np.float64(shape.radius)
    if kind == SPHERE:
        return length_squared(point) <= radius * radius
    if kind == BOX:
        half = shape.half_extents
        return abs(point[0]) <= half[0] and abs(point[1]) <= half[1] and abs(point[2]) <= half[2]
    if kind == CAPSULE:
        y = min(max(point[1], -shape.half_height), shape.half_height)
        return length_squared((point[0], point[1] - y, point[2])) <= radius * radius
    if kind == CYLINDER:
        return abs(point[1]) <= shape.half_height and point[0] * point[0] + point[2] * point[2] <= radius * radius
    if kind == HULL:
        hull = view(shape.block, 1, HULL_BLOCK)[0]
        planes = view2(hull.planes, hull.face_count, 4, np.float32)
        for i in range(hull.face_count):
            if dot((np.float64(planes[i, 0]), np.float64(planes[i, 1]), np.float64(planes[i, 2])), point) > planes[i, 3]:
                return False
        return True
    if kind == PLANE:
        p = shape.plane
        return dot((np.float64(p[0]), np.float64(p[1]), np.float64(p[2])), point) <= p[3]
    return is_support_shape(shape) and point_in_core(shape, point)
