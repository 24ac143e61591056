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
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view, view2
from .mesh_query import mesh_corners, mesh_face, mesh_has, mesh_node, mesh_of
from .mesh_tree import STACK_SIZE
from .schema import BOX, CAPSULE, CYLINDER, HEIGHT_FIELD, HULL, HULL_BLOCK, MESH, MESH_NODE, PLANE, SPHERE

NO_FRACTION = 2.0
"""The fraction that `ray_shape` gives for no hit."""
_ZERO = (0.0, 0.0, 0.0)
_FAR = 1e300


@kernel
def _inverse(x):
    """1 / x, finite for 0: a slab test with it is right but for rays that run in the very face of a box."""
    return 1.0 / x if abs(x) > 1e-300 else 1e300


@kernel
def _push_hit_children(node, origin, inverse, longest, entries, distances, depth):
    """Put the children that the ray hits before `longest` on the stack, nearest last; gives the new depth."""
    box = node.bounds
    enter = stack_array(4, np.float64)
    leave = stack_array(4, np.float64)
    for child in range(4):  # side by side: the compiler makes vectors of this loop
        ax, bx = (box[0, child] - origin[0]) * inverse[0], (box[3, child] - origin[0]) * inverse[0]
        ay, by = (box[1, child] - origin[1]) * inverse[1], (box[4, child] - origin[1]) * inverse[1]
        az, bz = (box[2, child] - origin[2]) * inverse[2], (box[5, child] - origin[2]) * inverse[2]
        enter[child] = max(max(min(ax, bx), min(ay, by)), max(min(az, bz), 0.0))
        # Rounding must lose no hit at the edge of a box.
        leave[child] = min(min(max(ax, bx), max(ay, by)), min(max(az, bz), longest)) * (1.0 + 4e-15)
    begin = depth
    for child in range(4):
        to = np.int64(node.children[child])
        size = node.triangle_counts[child]
        if enter[child] <= leave[child] and (to != -1 or size != 0):
            to = to if to >= 0 else ~(~to << 4 | size)
            distance, place = enter[child], depth
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
    distances = stack_array(STACK_SIZE, np.float64)
    inverse = (_inverse(vector[0]), _inverse(vector[1]), _inverse(vector[2]))
    longest, found, is_found_front = max_fraction, np.int64(-1), True
    depth = 1
    entries[0], distances[0] = 0, 0.0
    while depth > 0:
        depth -= 1
        if distances[depth] > longest:
            continue
        entry = entries[depth]
        if entry >= 0:
            depth = _push_hit_children(mesh_node(mesh, entry, scratch), origin, inverse, longest, entries, distances, depth)
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
    return False
