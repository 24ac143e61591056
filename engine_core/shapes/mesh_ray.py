"""Rays against meshes and height fields.

Boxes are tested eight at a time in single precision, enlarged by more than the rounding error. The triangles of a leaf are tested
the same way, in a frame along the ray (Woop, Benthin, Wald, "Watertight Ray/Triangle Intersection", 2013). Candidates are tested
again in double precision, which alone decides.
"""

import numpy as np

from ..geometry.ray import ray_triangle
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array
from ..runtime.prefetch import prefetch
from ..runtime.vector4 import count_trailing_zeros
from ..runtime.vector8 import absolute8, lane8, load_points8, mask_less_equal8, max8, min8, splat8
from .mesh_node import NODE_SIZE, child_bounds, child_entry, leaf_of, node_address, push_nearest
from .mesh_query import mesh_corners, mesh_face, mesh_has
from .schema import MAX_LEAF_TRIANGLES, MESH_CHILDREN, MESH_STACK_SIZE, NO_CHILD

SAME_PLACE = 1e-9
"""Hits this close to each other, relative to their distance, are on a common edge."""
_STEEPEST = 1e30
_ORIGIN_MARGIN = 1.2e-7
_CORNER_MARGIN = 5e-7
"""Error of a corner seen along a ray, in parts of its coordinates and those of the ray's origin."""
_ROUNDING = np.float32(1.0 + 1e-6)
"""Factor above the relative error of a fraction in single precision."""
_TRIANGLE_SIZE = 12


@kernel
def _inverse(x):
    """1 / x, finite for 0. A slab test with it is correct except for rays that run exactly in a face of a box."""
    if abs(x) > 1.0 / _STEEPEST:
        return 1.0 / x
    return _STEEPEST if x >= 0.0 else -_STEEPEST


@kernel
def _slab(origin, way):
    """Prepare the slab test of eight boxes along one axis: the ray's origin, shifted both ways by more than the rounding error of
    single precision so that no hit is lost, the inverse of its vector, and the side of a box it reaches first."""
    reach = abs(origin) * _ORIGIN_MARGIN + 1e-30
    low, high = np.float32(origin - reach), np.float32(origin + reach)
    near, far = (high, low) if way >= 0.0 else (low, high)
    return splat8(near), splat8(far), splat8(np.float32(_inverse(way))), np.int64(0 if way >= 0.0 else 1)


@kernel
def _prefetch_entry(mesh, entry):
    """Prefetch the target of a stack entry; two cache lines hold most of it."""
    address = mesh.nodes + entry * NODE_SIZE if entry >= 0 else mesh.triangles + (~entry >> 4) * _TRIANGLE_SIZE
    prefetch(address)
    prefetch(address + 64)


@kernel
def _enter_and_leave(node, is_field, axis, slab):
    """Fractions at which a ray enters and leaves the children of a node along an axis."""
    enter = (child_bounds(node, is_field, slab[3], axis) - slab[0]) * slab[2]
    return enter, (child_bounds(node, is_field, 1 - slab[3], axis) - slab[1]) * slab[2]


@kernel
def _push_hit_children(mesh, node, x, y, z, longest, entries, distances, depth):
    """Push the children of the node at an address that the ray hits before `longest`, nearest last. Return the new depth. x, y,
    z: `_slab` of each axis."""
    is_field = mesh.heights != 0
    enter_x, leave_x = _enter_and_leave(node, is_field, 0, x)
    enter_y, leave_y = _enter_and_leave(node, is_field, 1, y)
    enter_z, leave_z = _enter_and_leave(node, is_field, 2, z)
    near = max8(max8(enter_x, enter_y), max8(enter_z, splat8(np.float32(0.0))))
    far = min8(min8(leave_x, leave_y), min8(leave_z, splat8(np.float32(longest))))
    mask = mask_less_equal8(near, far * splat8(_ROUNDING))
    begin = depth
    while mask != 0:
        child = count_trailing_zeros(mask)
        mask &= mask - 1
        entry = child_entry(node, is_field, child)
        if entry == NO_CHILD:
            continue
        if not is_field:
            _prefetch_entry(mesh, entry)
        push_nearest(entries, distances, begin, depth, entry, lane8(near, child))
        depth += 1
    return depth


@kernel
def _sight(mesh, origin, vector):
    """Prepare a ray for `_leaf_mask`: its main axis; its origin, starting with the axis after the main one; its slope along the
    other two; and the margin [m] of corners."""
    x, y, z = abs(vector[0]), abs(vector[1]), abs(vector[2])
    axis = 0 if x >= y and x >= z else (1 if y >= z else 2)
    if axis == 0:
        o, v = (origin[1], origin[2], origin[0]), (vector[1], vector[2], vector[0])
    elif axis == 1:
        o, v = (origin[2], origin[0], origin[1]), (vector[2], vector[0], vector[1])
    else:
        o, v = origin, vector
    reach = abs(origin[0]) + abs(origin[1]) + abs(origin[2]) + np.float64(mesh.reach)
    return (
        np.int64(axis), np.float32(o[0]), np.float32(o[1]), np.float32(o[2]), np.float32(v[0] / v[2]), np.float32(v[1] / v[2]),
        np.float32(_CORNER_MARGIN * reach),
    )  # fmt: skip


@kernel
def _seen_from(corners, sight):
    """The corners projected along the ray: their right and up coordinates."""
    x, y, z = corners
    if sight[0] == 0:
        x, y, z = y, z, x
    elif sight[0] == 1:
        x, y, z = z, x, y
    z = z - splat8(sight[3])
    return x - splat8(sight[1]) - splat8(sight[4]) * z, y - splat8(sight[2]) - splat8(sight[5]) * z


@kernel
def _leaf_mask(mesh, first, count, sight):
    """Bits of the triangles of a leaf that the ray may hit; few others are set."""
    all_of_them = (np.int64(1) << count) - 1
    begin = min(first, mesh.triangle_count - MAX_LEAF_TRIANGLES)
    if begin < 0:
        return all_of_them
    row = mesh.triangles + begin * _TRIANGLE_SIZE
    ax, ay = _seen_from(load_points8(mesh.vertices, row, _TRIANGLE_SIZE), sight)
    bx, by = _seen_from(load_points8(mesh.vertices, row + 4, _TRIANGLE_SIZE), sight)
    cx, cy = _seen_from(load_points8(mesh.vertices, row + 8, _TRIANGLE_SIZE), sight)
    u, v, w = cx * by - cy * bx, ax * cy - ay * cx, bx * ay - by * ax
    sizes = absolute8(ax) + absolute8(ay) + absolute8(bx) + absolute8(by) + absolute8(cx) + absolute8(cy)
    margin = sizes * splat8(sight[6])
    mask = mask_less_equal8(-margin, min8(min8(u, v), w)) | mask_less_equal8(max8(max8(u, v), w), margin)
    return mask >> (first - begin) & all_of_them


@kernel
def _goes_first(mesh, triangle, is_front, other, is_other_front):
    """Whether the first of two triangles hit at the same place, their edge, is preferred: front faces first, then the lower
    number, so that the result does not depend on the tree."""
    if is_front != is_other_front:
        return is_front
    return mesh_face(mesh, triangle) < mesh_face(mesh, other)


@kernel
def ray_mesh(mesh, origin, vector, max_fraction, hits_back_faces):
    """Compiled: the first triangle of a MESH_BLOCK that the ray hits, with its fraction and whether from the front:
    `(triangle, fraction, is_front)`; triangle -1 for none up to `max_fraction`."""
    scratch = stack_array(1, MESH_CHILDREN)
    entries = stack_array(MESH_STACK_SIZE, np.int64)
    distances = stack_array(MESH_STACK_SIZE, np.float32)
    x, y, z = _slab(origin[0], vector[0]), _slab(origin[1], vector[1]), _slab(origin[2], vector[2])
    sight = _sight(mesh, origin, vector)
    longest, found, is_found_front = max_fraction, np.int64(-1), True
    depth = 1
    entries[0], distances[0] = 0, np.float32(0.0)
    while depth > 0:
        depth -= 1
        if distances[depth] > longest * _ROUNDING:
            continue
        entry = entries[depth]
        if entry >= 0:
            node = node_address(mesh, entry, scratch)
            depth = _push_hit_children(mesh, node, x, y, z, longest, entries, distances, depth)
            continue
        first, count = leaf_of(entry)
        mask = _leaf_mask(mesh, first, count, sight) if mesh.heights == 0 else (np.int64(1) << count) - 1
        while mask != 0:
            triangle = first + count_trailing_zeros(mask)
            mask &= mask - 1
            if not mesh_has(mesh, triangle):
                continue
            a, b, c = mesh_corners(mesh, triangle)
            fraction, is_front = ray_triangle(origin, vector, a, b, c)
            if fraction > longest * (1.0 + SAME_PLACE) or not (is_front or hits_back_faces):
                continue
            if found < 0:
                is_first = fraction <= longest
            else:
                is_nearer = fraction < longest * (1.0 - SAME_PLACE)
                is_first = is_nearer or _goes_first(mesh, triangle, is_front, found, is_found_front)
            longest = min(longest, fraction)
            if is_first:
                found, is_found_front = triangle, is_front
    return found, longest, is_found_front
