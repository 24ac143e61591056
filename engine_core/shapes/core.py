"""Convex shapes as cores for GJK and EPA: the shape without its rounding radius. Rays by the same method."""

import math

import numpy as np

from ..geometry.gjk import (
    BOX_CORE, CORE, CYLINDER_CORE, ELLIPSOID_CORE, FUNCTION_CORE, POINTS_CORE, SIMPLEX, TWO_DISCS_CORE, TWO_SPHERES_CORE,
    gjk_distance, support,
)  # fmt: skip
from ..geometry.ray import INSIDE
from ..geometry.vector import add_scaled, dot, length, matrix_rows, scale, store3, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view
from .schema import (
    BOX, CAPSULE, CUSTOM, CUSTOM_BLOCK, CYLINDER, ELLIPSOID, HULL, HULL_BLOCK, SPHERE, TAPERED_CAPSULE, TAPERED_CYLINDER,
)  # fmt: skip

IDENTITY_ROWS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ZERO = (0.0, 0.0, 0.0)
MAX_ADVANCES = 100
CLOSED = 1e-6
"""When a ray is nearer to the surface than this part of the shape's size, it keeps its previous direction: GJK gives no reliable
direction for tiny gaps."""
LIFT = 1e-3
"""The normal is computed this part of the size above the hit, twice, since the first estimate is slightly off to the side."""
FAR = 1e300


@kernel
def core_center(shape):
    """An inner point of a convex shape's core, in the shape's frame."""
    if shape.kind == HULL:
        return vector3(view(shape.block, 1, HULL_BLOCK)[0].center)
    return (0.0, 0.0, 0.0)


@kernel
def set_core_pose(shape, core, position, rows):
    """Put a core at `position`, turned (and possibly scaled down) by the matrix of `rows`."""
    if shape.kind == CUSTOM:
        s = view(shape.block, 1, CUSTOM_BLOCK)[0].stretch
        for i in range(3):
            for j in range(3):
                core.rotation[i, j] = rows[i][0] * s[0, j] + rows[i][1] * s[1, j] + rows[i][2] * s[2, j]
    else:
        for i in range(3):
            store3(core.rotation[i], rows[i])
    store3(core.position, position)


@kernel
def describe_core(shape, core):
    """Write the core of a convex shape. Return its rounding radius [m]."""
    radius = 0.0
    core.kind = BOX_CORE
    store3(core.extents, (0.0, 0.0, 0.0))
    if shape.kind == SPHERE:
        radius = np.float64(shape.radius)
    elif shape.kind == CAPSULE:
        core.extents[1] = shape.half_height
        radius = np.float64(shape.radius)
    elif shape.kind == BOX:
        store3(core.extents, vector3(shape.half_extents))
    elif shape.kind == HULL:
        block = view(shape.block, 1, HULL_BLOCK)[0]
        core.kind = POINTS_CORE
        core.count = block.vertex_count
        core.points = block.vertices
        radius = np.float64(shape.radius)
    elif shape.kind == CYLINDER:
        core.kind = CYLINDER_CORE
        store3(core.extents, (np.float64(shape.radius), np.float64(shape.half_height), 0.0))
    elif shape.kind == TAPERED_CAPSULE:
        # The common radius of both spheres is the rounding; a cone with a tip remains.
        core.kind = TWO_SPHERES_CORE
        half, above, below = vector3(shape.half_extents)
        radius = min(above, below)
        store3(core.extents, (half, above - radius, below - radius))
    elif shape.kind == TAPERED_CYLINDER or shape.kind == ELLIPSOID:
        core.kind = TWO_DISCS_CORE if shape.kind == TAPERED_CYLINDER else ELLIPSOID_CORE
        store3(core.extents, vector3(shape.half_extents))
    elif shape.kind == CUSTOM:
        block = view(shape.block, 1, CUSTOM_BLOCK)[0]
        core.kind = FUNCTION_CORE
        core.points, core.count = block.function, block.data
    return radius


@kernel
def core_of_shape(shape, position, rotation, core):
    """Write the core of a convex shape in the common frame. Return its rounding radius [m]."""
    keep_as_call()
    set_core_pose(shape, core, position, matrix_rows(rotation))
    return describe_core(shape, core)


@kernel
def core_reach(core, radius, direction):
    """How far a core with a radius reaches along a unit vector, from the common origin [m]."""
    return dot(support(core, direction), direction) + radius


@kernel
def core_bounds(shape, position, rotation):
    """Bounds (min x, y, z, max x, y, z) of a convex shape at a pose."""
    keep_as_call()
    core = stack_array(1, CORE)[0]
    radius = core_of_shape(shape, position, rotation, core)
    return (
        -core_reach(core, radius, (-1.0, 0.0, 0.0)), -core_reach(core, radius, (0.0, -1.0, 0.0)),
        -core_reach(core, radius, (0.0, 0.0, -1.0)), core_reach(core, radius, (1.0, 0.0, 0.0)),
        core_reach(core, radius, (0.0, 1.0, 0.0)), core_reach(core, radius, (0.0, 0.0, 1.0)),
    )  # fmt: skip


@kernel
def gap_to_point(shape, point, cores):
    """Return (distance from a convex shape to a point in its frame, unit vector from the point to it); 0 and zero inside.
    `cores`: two rows of CORE as scratch memory."""
    keep_as_call()
    simplex = stack_array(1, SIMPLEX)[0]
    set_core_pose(shape, cores[0], ZERO, IDENTITY_ROWS)
    radius = describe_core(shape, cores[0])
    cores[1].kind = BOX_CORE
    store3(cores[1].extents, ZERO)
    store3(cores[1].position, point)
    for i in range(3):
        store3(cores[1].rotation[i], IDENTITY_ROWS[i])
    start = core_center(shape)
    overlap, v, _ = gjk_distance(cores[0], cores[1], simplex, (start[0] - point[0], start[1] - point[1], start[2] - point[2]))
    size = length(v)
    if overlap or size <= radius:
        return 0.0, ZERO
    return size - radius, scale(v, 1.0 / size)


@kernel
def ray_core(shape, origin, vector):
    """Cast a ray against a convex shape: (fraction, normal); INSIDE if it starts inside, FAR for no hit. The ray advances to the
    plane that separates it from the shape at the nearest point, repeatedly (G. van den Bergen, "Ray Casting against General
    Convex Objects", 2004)."""
    keep_as_call()
    cores = stack_array(2, CORE)
    b = shape.bounds
    size = np.float64(b[3] - b[0]) + np.float64(b[4] - b[1]) + np.float64(b[5] - b[2])
    fraction, normal, closing = 0.0, ZERO, 1.0
    for turn in range(MAX_ADVANCES):
        distance, toward = gap_to_point(shape, add_scaled(origin, vector, fraction), cores)
        if turn == 0 and distance <= 0.0:
            return INSIDE, ZERO
        if turn > 0 and distance <= CLOSED * size:
            fraction += distance / closing
            break
        normal = (-toward[0], -toward[1], -toward[2])
        closing = dot(vector, toward)
        if closing <= 0.0:
            return FAR, ZERO
        fraction += distance / closing
        if fraction > 2.0 or not math.isfinite(fraction):
            return FAR, ZERO
    hit = add_scaled(origin, vector, fraction)
    for _ in range(2):
        distance, toward = gap_to_point(shape, add_scaled(hit, normal, LIFT * size), cores)
        if distance > 0.0:
            normal = (-toward[0], -toward[1], -toward[2])
    return fraction, normal


@kernel
def point_in_core(shape, point):
    """Whether a point, in the shape's frame, lies in a convex shape or on it."""
    cores = stack_array(2, CORE)
    distance, _ = gap_to_point(shape, point, cores)
    return distance <= 0.0
