"""Rays and points against a shape of any kind, in the frame of the shape."""

import numpy as np

from ..geometry.ray import (
    INSIDE,
    ray_box,
    ray_capsule,
    ray_cylinder,
    ray_plane,
    ray_planes,
    ray_sphere,
    ray_triangle,
    reversed_if,
    triangle_normal,
)
from ..geometry.vector import dot, length_squared
from ..runtime.call import load_int32
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view, view2
from ..runtime.vector4 import count_trailing_zeros, lane4, load4, mask_less_equal4, max4, min4, splat4
from .core import is_support_shape, point_in_core, ray_core
from .mesh_query import mesh_corners, mesh_face, mesh_has, mesh_node_address, mesh_of
from .mesh_tree import STACK_SIZE
from .schema import BOX, CAPSULE, CYLINDER, HEIGHT_FIELD, HULL, HULL_BLOCK, MESH, MESH_NODE, PLANE, SPHERE

NO_FRACTION = 2.0
"""The fraction that `ray_shape` gives for no hit."""
_ZERO = (0.0, 0.0, 0.0)
_FAR = 1e300
_STEEPEST = 1e30
_ORIGIN_MARGIN = 1.2e-7
_ROUNDING = np.float32(1.0 + 1e-6)
"""More than the relative error of a fraction in single precision."""
_CHILDREN, _COUNTS = MESH_NODE.fields["children"][1], MESH_NODE.fields["triangle_counts"][1]


@kernel
def _inverse(x):
    """1 / x, finite for 0: a slab test with it is right but for rays that run in the very face of a box."""
    if abs(x) > 1.0 / _STEEPEST:
        return 1.0 / x
    return _STEEPEST if x >= 0.0 else -_STEEPEST


@kernel
def _near_and_far(origin, way):
    """Along one axis, for the slab test of four boxes at once: where a ray begins, moved back and forth by more than what single
    precision rounds off, so that no hit is lost, and one over its way."""
    reach = abs(origin) * _ORIGIN_MARGIN + 1e-30
    low, high = np.float32(origin - reach), np.float32(origin + reach)
    near, far = (high, low) if way >= 0.0 else (low, high)
    return splat4(near), splat4(far), splat4(np.float32(_inverse(way)))


@kernel
def _push_hit_children(node, planes, x, y, z, longest, entries, distances, depth):
    """Put the children of the node at address `node` that the ray hits before `longest` on the stack, nearest last; gives the
    new depth. `planes`: offsets of the bounds that the ray meets first; x, y, z: `_near_and_far` of each axis."""
    near = max4(
        max4((load4(node + planes[0]) - x[0]) * x[2], (load4(node + planes[1]) - y[0]) * y[2]),
        max4((load4(node + planes[2]) - z[0]) * z[2], splat4(np.float32(0.0))),
    )
    far = min4(
        min4((load4(node + (48 - planes[0])) - x[1]) * x[2], (load4(node + (80 - planes[1])) - y[1]) * y[2]),
        (load4(node + (112 - planes[2])) - z[1]) * z[2],
    )
    mask = mask_less_equal4(near, min4(far, splat4(np.float32(longest))) * splat4(_ROUNDING))
    begin = depth
    while mask != 0:
        child = count_trailing_zeros(mask)
        mask &= mask - 1
        to = np.int64(load_int32(node + _CHILDREN + 4 * child))
        size = np.int64(load_int32(node + _COUNTS + 4 * child))
        if to == -1 and size == 0:
            continue
        to = to if to >= 0 else ~(~to << 4 | size)
        distance, place = lane4(near, child), depth
        while place > begin and distances[place - 1] < distance:
            distances[place] = distances[place - 1]
            entries[place] = entries[place - 1]
            place -= 1
        distances[place] = distance
        entries[place] = to
        depth += 1
    return depth


@kernel
def ray_mesh(mesh, origin, vector, max_fraction, hits_back_faces):
    """Compiled: the first triangle of a MESH_BLOCK that the ray hits, with its fraction and whether from the front:
    `(triangle, fraction, is_front)`; triangle -1 for none up to `max_fraction`."""
    scratch = stack_array(1, MESH_NODE)
    entries = stack_array(STACK_SIZE, np.int64)
    distances = stack_array(STACK_SIZE, np.float32)
    x, y, z = _near_and_far(origin[0], vector[0]), _near_and_far(origin[1], vector[1]), _near_and_far(origin[2], vector[2])
    planes = (
        np.int64(0 if vector[0] >= 0.0 else 48), np.int64(16 if vector[1] >= 0.0 else 64),
        np.int64(32 if vector[2] >= 0.0 else 80),
    )  # fmt: skip
    longest, found, is_found_front = max_fraction, np.int64(-1), True
    depth = 1
    entries[0], distances[0] = 0, np.float32(0.0)
    while depth > 0:
        depth -= 1
        if distances[depth] > longest * _ROUNDING:
            continue
        entry = entries[depth]
        if entry >= 0:
            node = mesh_node_address(mesh, entry, scratch)
            depth = _push_hit_children(node, planes, x, y, z, longest, entries, distances, depth)
            continue
        first, count = ~entry >> 4, ~entry & 15
        for triangle in range(first, first + count):
            if not mesh_has(mesh, triangle):
                continue
            a, b, c = mesh_corners(mesh, triangle)
            fraction, is_front = ray_triangle(origin, vector, a, b, c)
            if (is_front or hits_back_faces) and (fraction < longest or (found < 0 and fraction <= longest)):
                longest, found, is_found_front = fraction, triangle, is_front
    return found, longest, is_found_front


@kernel
def _ray_mesh_shape(shape, origin, vector, max_fraction, hits_back_faces):
    mesh = mesh_of(shape)
    is_field = shape.user_kind == HEIGHT_FIELD
    two_sided = hits_back_faces and (is_field or shape.has_backface_collision != 0)
    triangle, fraction, is_front = ray_mesh(mesh, origin, vector, max_fraction, two_sided)
    if triangle < 0:
        return NO_FRACTION, _ZERO, np.int64(-1), False
    a, b, c = mesh_corners(mesh, triangle)
    face = np.int64(-1) if is_field else mesh_face(mesh, triangle)
    return fraction, reversed_if(not is_front, triangle_normal(a, b, c)), face, False


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
    """Compiled: where a ray first hits shape `index` of the rows `shapes`, in the frame of the shape: `(fraction,
    normal, face, started_inside)`. The point is `origin + fraction * vector`; fraction is 2.0 for no hit up to
    `max_fraction`.

    A ray that starts within a convex shape (or behind a plane): with `hits_from_inside` a hit at fraction 0 with a zero
    normal, else none. A mesh with backface collision, and a height field, are hit from behind with `hits_back_faces`;
    the normal then is turned against the ray. `face` is the user's index of a mesh triangle, else -1. A ray of no
    length hits nothing; separation rays and empty shapes are never hit."""
    shape = shapes[index]
    if length_squared(vector) == 0.0:
        return NO_FRACTION, _ZERO, np.int64(-1), False
    if shape.kind == MESH:
        return _ray_mesh_shape(shape, origin, vector, max_fraction, hits_back_faces)
    fraction, normal = _ray_convex(shape, origin, vector)
    if fraction == INSIDE:
        return (0.0 if hits_from_inside else NO_FRACTION), _ZERO, np.int64(-1), True
    if fraction > max_fraction:
        return NO_FRACTION, _ZERO, np.int64(-1), False
    return fraction, normal, np.int64(-1), False


@kernel
def point_in_shape(shapes, index, point):
    """Compiled: whether the point lies in shape `index` or on its surface, in the frame of the shape. Meshes and height
    fields are surfaces: nothing lies in them."""
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
            if (
                dot((np.float64(planes[i, 0]), np.float64(planes[i, 1]), np.float64(planes[i, 2])), point)
                > planes[i, 3]
            ):
                return False
        return True
    if kind == PLANE:
        p = shape.plane
        return dot((np.float64(p[0]), np.float64(p[1]), np.float64(p[2])), point) <= p[3]
    return is_support_shape(shape) and point_in_core(shape, point)
