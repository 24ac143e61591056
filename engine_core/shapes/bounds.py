"""Bounds of a shape at a pose."""

import numpy as np

from ..geometry.vector import dot, matrix_rows
from ..runtime.kernel import kernel
from ..runtime.memory import view, view2
from .core import core_bounds
from .schema import BOX, CAPSULE, CYLINDER, EMPTY, HULL, HULL_BLOCK, PLANE, SPHERE
from .traits import is_support_shape


@kernel
def _around(center, extent):
    return (
        center[0] - extent[0], center[1] - extent[1], center[2] - extent[2],
        center[0] + extent[0], center[1] + extent[1], center[2] + extent[2],
    )  # fmt: skip


@kernel
def _hull_bounds(block, position, r):
    hull = view(block, 1, HULL_BLOCK)[0]
    vertices = view2(hull.vertices, hull.vertex_count, 3, np.float32)
    lx = ly = lz = 1e300
    hx = hy = hz = -1e300
    for i in range(hull.vertex_count):
        v = (np.float64(vertices[i, 0]), np.float64(vertices[i, 1]), np.float64(vertices[i, 2]))
        x, y, z = dot(r[0], v), dot(r[1], v), dot(r[2], v)
        lx, ly, lz = min(lx, x), min(ly, y), min(lz, z)
        hx, hy, hz = max(hx, x), max(hy, y), max(hz, z)
    return (
        lx + position[0], ly + position[1], lz + position[2], hx + position[0], hy + position[1], hz + position[2],
    )  # fmt: skip


@kernel
def shape_bounds(shapes, index, position, rotation):
    """Compiled: bounds (min x, y, z, max x, y, z) [m] of shape `index` of the rows `shapes`, at `position` (x, y, z) turned by
    the unit quaternion `rotation`, in the frame these are given in. Exact for most shapes. For a mesh or separation ray, the
    bounds of its turned local bounds; for a plane +-1e30; for an empty shape the point at its position."""
    shape = shapes[index]
    kind = shape.kind
    if kind == PLANE:
        return (-1e30, -1e30, -1e30, 1e30, 1e30, 1e30)
    if kind == EMPTY:
        return _around(position, (0.0, 0.0, 0.0))
    radius = np.float64(shape.radius)
    if kind == SPHERE:
        return _around(position, (radius, radius, radius))
    if is_support_shape(shape):
        return core_bounds(shape, position, rotation)
    r = matrix_rows(rotation)
    if kind == HULL:
        return _hull_bounds(shape.block, position, r)
    if kind == CAPSULE or kind == CYLINDER:
        ex, ey, ez = (
            shape.half_height * abs(r[0][1]),
            shape.half_height * abs(r[1][1]),
            shape.half_height * abs(r[2][1]),
        )
        if kind == CAPSULE:
            return _around(position, (ex + radius, ey + radius, ez + radius))
        # A disc across the axis a reaches r sqrt(1 - a_x^2) along x.
        sx = max(1.0 - r[0][1] * r[0][1], 0.0) ** 0.5
        sy = max(1.0 - r[1][1] * r[1][1], 0.0) ** 0.5
        sz = max(1.0 - r[2][1] * r[2][1], 0.0) ** 0.5
        return _around(position, (ex + radius * sx, ey + radius * sy, ez + radius * sz))
    center, half = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if kind == BOX:
        h = shape.half_extents
        half = (np.float64(h[0]), np.float64(h[1]), np.float64(h[2]))
    else:
        b = shape.bounds
        center = (0.5 * b[0] + 0.5 * b[3], 0.5 * b[1] + 0.5 * b[4], 0.5 * b[2] + 0.5 * b[5])
        half = (0.5 * b[3] - 0.5 * b[0], 0.5 * b[4] - 0.5 * b[1], 0.5 * b[5] - 0.5 * b[2])
    middle = (
        position[0] + dot(r[0], center), position[1] + dot(r[1], center), position[2] + dot(r[2], center),
    )  # fmt: skip
    extent = (
        abs(r[0][0]) * half[0] + abs(r[0][1]) * half[1] + abs(r[0][2]) * half[2],
        abs(r[1][0]) * half[0] + abs(r[1][1]) * half[1] + abs(r[1][2]) * half[2],
        abs(r[2][0]) * half[0] + abs(r[2][1]) * half[1] + abs(r[2][2]) * half[2],
    )
    return _around(middle, extent)
