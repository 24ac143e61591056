"""The gap between a convex shape and any shape, and how far the first may move until the gap is closed.

All in the frame of the second shape, B. The first one, A, is a row of CORE with a radius (`distance.core_of_shape`). GJK finds
gaps between cores; conservative advancement closes them: two convex bodies cannot touch earlier than their closing speed along
the line between their nearest points allows (B. Mirtich, "Impulse-based Dynamic Simulation", 1996; G. van den Bergen, "Ray
Casting against General Convex Objects", 2004).
"""

import numpy as np

from ..geometry.gjk import BOX_CORE, CORE, FUNCTION_CORE, POINTS_CORE, POINTS_CORE_DOUBLE, SIMPLEX, gjk_distance, support
from ..geometry.vector import (
    add, add_scaled, cross, dot, length, length_squared, negate, scale, store3, subtract, vector3,
)  # fmt: skip
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_row, stack_array
from ..shapes.core import core_center, core_of_shape
from ..shapes.mesh_cast import MESH_CAST, begin_mesh_cast, next_on_cast
from ..shapes.mesh_query import MESH_QUERY_SIZE, mesh_corners, mesh_of, mesh_query_next, mesh_query_start
from ..shapes.schema import MESH, MESH_CHILDREN, PLANE, SEPARATION_RAY
from ..shapes.traits import can_be_met

NO_FRACTION = 2.0
OVERLAPPING, UNKNOWN = -1.0, -2.0
"""The fraction for a shape that is overlapped before the motion begins, and for one that this way does not tell."""
SKIN = 5e-5
"""A shape that is cast is shrunk by this, so that shapes may touch or slide along each other [m]."""
CONTACT_GAP = 1e-6
"""A gap this small counts as closed [m]."""
BEYOND = 1e-6
"""A triangle whose plane is farther than the way by this is not met, whatever rounding does [m]: a part of SKIN."""
PARALLEL = 1e-9
"""Sine of the angle up to which a motion is parallel to a surface and does not close the gap."""
MAX_ADVANCES = 48
BEFORE = 4.0
"""The full size is looked for this many times SKIN before the shrunk one hits."""
MOST_WAITING = 16
"""Triangles of a mesh that wait until those are known whose inside is hit; others are cast to at once."""
FAR = 1e30
IDENTITY = (0.0, 0.0, 0.0, 1.0)
ZERO = (0.0, 0.0, 0.0)

# The result of a gap or cast, in the frame of B.
GAP = np.dtype(
    [
        ("distance", "f8"),  # [m]; 0 or less: overlap (not a depth)
        ("fraction", "f8"),  # casts
        ("normal", "f8", 3),  # unit, from A to B; zero if unknown
        ("point", "f8", 3),  # on B
        ("face", "i8"),  # triangle of the tree, else -1
    ],
    align=True,
)


@kernel
def prepare_core(shape, position, rotation, core):
    """Write the core of a shape, like `core_of_shape`, also for separation rays: segments without thickness. Return the
    radius."""
    keep_as_call()
    radius = core_of_shape(shape, position, rotation, core)
    if shape.kind == SEPARATION_RAY:
        half = 0.5 * float(shape.length)
        core.extents[2] = half
        axis = (core.rotation[0, 2], core.rotation[1, 2], core.rotation[2, 2])
        store3(core.position, add_scaled(position, axis, half))
    return radius


@kernel
def prepare_point(core, point):
    """Write a point as a core."""
    core.kind = BOX_CORE
    for i in range(3):
        core.extents[i] = 0.0
        core.position[i] = point[i]
        for j in range(3):
            core.rotation[i, j] = 1.0 if i == j else 0.0


@kernel
def prepare_triangle(core, corners, a, b, c):
    """Write a triangle as a core; `corners` is an array of nine doubles that must live as long as the core."""
    store3(corners[0:3], a)
    store3(corners[3:6], b)
    store3(corners[6:9], c)
    core.kind = POINTS_CORE_DOUBLE
    core.count = 3
    core.points = address_of_row(corners, 0)


@kernel
def measure_gap(core_a, core_b, radius, start, gap):
    """Write distance, normal and point of the gap of two cores whose radii add up to `radius`, all of it given to A. For
    overlapping cores the distance is -radius (at most 0) and the normal is not written."""
    keep_as_call()
    simplex = stack_array(1, SIMPLEX)[0]
    is_overlap, v, on_a = gjk_distance(core_a, core_b, simplex, start)
    size = length(v)
    if is_overlap or size <= 0.0:
        gap.distance = min(-radius, 0.0)
        return
    gap.distance = size - radius
    store3(gap.normal, scale(v, -1.0 / size))
    store3(gap.point, subtract(on_a, v))


@kernel
def is_behind(point, a, normal):
    return dot(subtract(point, a), normal) < 0.0


@kernel
def is_met_from_front(center, motion, a, normal):
    """Whether a shape moving by `motion` can hit a one-sided triangle (a corner, and a normal of any length): such triangles do
    not stop motion from behind or out through the front."""
    return not is_behind(center, a, normal) and dot(motion, normal) <= 0.0


@kernel
def plane_gap(core_a, radius, shape, gap):
    """Write the gap to a half space."""
    p = shape.plane
    normal = (float(p[0]), float(p[1]), float(p[2]))
    lowest = support(core_a, negate(normal))
    height = dot(normal, lowest) - p[3]
    gap.distance = height - radius
    store3(gap.normal, negate(normal))
    store3(gap.point, add_scaled(lowest, normal, -height))


@kernel
def grow(query_bounds, low, high, by):
    for k in range(3):
        query_bounds[k] = low[k] - by
        query_bounds[3 + k] = high[k] + by


@kernel
def find_gap(shape, core_a, radius_a, center_a, low, high, limit, is_two_sided, gap):
    """Write the gap between A and the row `shape` of SHAPE. For a mesh it is the gap to its nearest triangle within `limit` [m];
    a one-sided triangle with A behind its front (`center_a`) is skipped. `low`, `high`: bounds of A. Return whether there is
    something within `limit`."""
    keep_as_call()
    gap.distance = FAR
    gap.face = -1
    store3(gap.normal, ZERO)
    if shape.kind == PLANE:
        plane_gap(core_a, radius_a, shape, gap)
        return gap.distance <= limit
    core_b = stack_array(1, CORE)[0]
    if shape.kind != MESH:
        if not can_be_met(shape):
            return False
        radius_b = prepare_core(shape, ZERO, IDENTITY, core_b)
        measure_gap(core_a, core_b, radius_a + radius_b, subtract(center_a, core_center(shape)), gap)
        store3(gap.point, add_scaled(vector3(gap.point), vector3(gap.normal), -radius_b))
        return gap.distance <= limit
    mesh = mesh_of(shape)
    state = stack_array(MESH_QUERY_SIZE, np.int64)
    bounds = stack_array(6, np.float64)
    corners = stack_array(9, np.float64)
    best = stack_array(1, GAP)[0]
    grow(bounds, low, high, limit)
    mesh_query_start(state)
    triangle = mesh_query_next(mesh, state, bounds)
    while triangle >= 0:
        a, b, c = mesh_corners(mesh, triangle)
        front = cross(subtract(b, a), subtract(c, a))
        if is_two_sided or not is_behind(center_a, a, front):
            prepare_triangle(core_b, corners, a, b, c)
            store3(best.normal, ZERO)
            measure_gap(core_a, core_b, radius_a, subtract(center_a, a), best)
            if best.distance < gap.distance and best.distance <= limit:
                gap.distance = best.distance
                store3(gap.normal, vector3(best.normal))
                store3(gap.point, vector3(best.point))
                gap.face = triangle
                if gap.distance <= 0.0:
                    break
                grow(bounds, low, high, gap.distance)
        triangle = mesh_query_next(mesh, state, bounds)
    return gap.distance <= limit


@kernel
def shrink(shape, core, radius):
    """Shrink a core by SKIN on all sides (a hull by a little less). Return the new radius."""
    if radius > 0.0:
        return radius - min(SKIN, 0.1 * radius)
    if core.kind == POINTS_CORE or core.kind == FUNCTION_CORE:
        bounds = shape.bounds
        size = max(max(bounds[3] - bounds[0], bounds[4] - bounds[1]), bounds[5] - bounds[2])
        less = min(2.0 * SKIN / size, 0.1)
        c = core_center(shape)
        for i in range(3):
            row = core.rotation[i]
            core.position[i] += less * (row[0] * c[0] + row[1] * c[1] + row[2] * c[2])
            for j in range(3):
                core.rotation[i, j] *= 1.0 - less
        return radius
    for k in range(3):
        core.extents[k] -= min(SKIN, 0.1 * core.extents[k])
    return radius


@kernel
def advance(core_a, core_b, radius, start, motion, begin, max_fraction, gap):
    """Move A by `motion`, from the fraction `begin` on, until it hits B. Return the fraction, NO_FRACTION, or OVERLAPPING, with
    `gap` at the contact. `start`: a guess of the way from B to A at `begin`; the next searches start from the last normal."""
    keep_as_call()
    base = vector3(core_a.position)
    fraction, away = begin, start
    for turn in range(MAX_ADVANCES):
        store3(core_a.position, add_scaled(base, motion, fraction))
        measure_gap(core_a, core_b, radius, away, gap)
        if turn == 0 and gap.distance <= 0.0:
            fraction = OVERLAPPING
            break
        closing = dot(motion, vector3(gap.normal))
        if gap.distance <= CONTACT_GAP and (turn > 0 or closing > PARALLEL * length(motion)):
            break
        if closing <= PARALLEL * length(motion):
            fraction = NO_FRACTION
            break
        fraction += gap.distance / closing
        if fraction > max_fraction:
            fraction = NO_FRACTION
            break
        away = negate(vector3(gap.normal))
    store3(core_a.position, base)
    return fraction


@kernel
def cast_core(cores, core_b, radius, skin_radius, start, motion, max_fraction, gap):
    """Apply `advance` to a core given twice: cores[0] in full size with `radius`, cores[1] shrunk with `skin_radius`. The shrunk
    one decides whether there is a hit, the full one where: a little earlier. It overlaps B in one part of the way, if at all, as
    both are convex, so it is looked for from a little before the hit on, unless it overlaps there."""
    keep_as_call()
    fraction = advance(cores[1], core_b, skin_radius, start, motion, 0.0, max_fraction, gap)
    if fraction < 0.0 or fraction > max_fraction:
        return fraction
    away = negate(vector3(gap.normal))
    begin = fraction - BEFORE * SKIN / max(dot(motion, vector3(gap.normal)), 1e-12)
    exact = OVERLAPPING
    if begin > 0.0:
        exact = advance(cores[0], core_b, radius, away, motion, begin, fraction, gap)
    if exact == OVERLAPPING:
        exact = advance(cores[0], core_b, radius, start, motion, 0.0, fraction, gap)
    if exact == OVERLAPPING:
        return 0.0
    return min(exact, fraction)


@kernel
def cast_to_plane(cores, radius, skin_radius, shape, motion, max_fraction, gap):
    plane_gap(cores[1], skin_radius, shape, gap)
    if gap.distance <= 0.0:
        return OVERLAPPING
    closing = dot(motion, vector3(gap.normal))
    if closing <= PARALLEL * length(motion) or gap.distance > max_fraction * closing:
        return NO_FRACTION
    plane_gap(cores[0], radius, shape, gap)
    fraction = max(gap.distance, 0.0) / closing
    # The point belongs to the start: it moves along.
    along = add_scaled(motion, vector3(gap.normal), -closing)
    store3(gap.point, add_scaled(vector3(gap.point), along, fraction))
    return fraction


@kernel
def is_beyond(core_a, radius, center, motion, longest, a, front):
    """Whether a shape that moves by `motion` stays on its side of the plane of a triangle (a corner, and a normal of any length)
    up to a fraction of it, so that it cannot touch the triangle. Spares most triangles of a floor the search for a gap."""
    size = length(front)
    if size <= 0.0:
        return False
    normal = scale(front, (1.0 if dot(subtract(center, a), front) >= 0.0 else -1.0) / size)
    height = dot(normal, subtract(support(core_a, negate(normal)), a)) - radius
    return height > max(-longest * dot(motion, normal), 0.0) + BEYOND


@kernel
def is_above(point, a, b, c, front):
    """Whether a point lies above or below the inside of a triangle with the normal `front`, of any length."""
    return (
        dot(cross(subtract(b, a), subtract(point, a)), front) > 0.0
        and dot(cross(subtract(c, b), subtract(point, b)), front) > 0.0
        and dot(cross(subtract(a, c), subtract(point, c)), front) > 0.0
    )


@kernel
def cast_to_face(cores, radius, skin_radius, center, motion, a, b, c, front, gap):
    """`cast_core` for a triangle whose plane the shape reaches above the inside of the triangle: it can hit it nowhere earlier.
    UNKNOWN where it is not so."""
    size = length(front)
    if size <= 0.0:
        return UNKNOWN
    n = scale(front, (1.0 if dot(subtract(center, a), front) >= 0.0 else -1.0) / size)
    closing = -dot(motion, n)
    if closing <= PARALLEL * length(motion) or dot(n, subtract(support(cores[1], negate(n)), a)) <= skin_radius:
        return UNKNOWN
    lowest = support(cores[0], negate(n))
    height = dot(n, subtract(lowest, a))
    fraction = max(height - radius, 0.0) / closing
    point = add_scaled(add_scaled(lowest, motion, fraction), n, fraction * closing - height)
    if not is_above(point, a, b, c, front):
        return UNKNOWN
    store3(gap.normal, negate(n))
    store3(gap.point, point)
    return fraction


@kernel
def cast_to_triangle(cores, radius, skin_radius, center, motion, longest, mesh, triangle, gap):
    """`cast_core` for a triangle of a mesh."""
    keep_as_call()
    core, corners = stack_array(1, CORE)[0], stack_array(9, np.float64)
    a, b, c = mesh_corners(mesh, triangle)
    if is_beyond(cores[1], skin_radius, center, motion, longest, a, cross(subtract(b, a), subtract(c, a))):
        return NO_FRACTION
    prepare_triangle(core, corners, a, b, c)
    return cast_core(cores, core, radius, skin_radius, subtract(center, a), motion, longest, gap)


@kernel
def keep_nearer(fraction, triangle, met, found, gap):
    """Keep the hit of a triangle if it is nearer than what was found. Return the fraction of the nearer."""
    if not 0.0 <= fraction < found:
        return found
    store3(gap.normal, vector3(met.normal))
    store3(gap.point, vector3(met.point))
    gap.face = triangle
    return fraction


@kernel
def cast_to_mesh(cores, radius, skin_radius, center, low, high, shape, motion, max_fraction, is_two_sided, gap):
    """Cast to the first triangle hit; OVERLAPPING if any is overlapped at the start. Triangles that are hit at an edge or corner,
    if at all, wait for those hit inside, which cost little and spare most of a floor the search for a gap."""
    keep_as_call()
    mesh = mesh_of(shape)
    walk, scratch = stack_array(1, MESH_CAST)[0], stack_array(1, MESH_CHILDREN)
    waiting, count = stack_array(MOST_WAITING, np.int64), 0
    met = stack_array(1, GAP)[0]
    begin_mesh_cast(walk, scale(add(low, high), 0.5), scale(subtract(high, low), 0.5), motion)
    found, longest = NO_FRACTION, max_fraction
    triangle = next_on_cast(mesh, walk, scratch, longest)
    while triangle >= 0:
        a, b, c = mesh_corners(mesh, triangle)
        front = cross(subtract(b, a), subtract(c, a))
        if (is_two_sided or is_met_from_front(center, motion, a, front)) and not is_beyond(
            cores[1], skin_radius, center, motion, longest, a, front
        ):
            fraction = cast_to_face(cores, radius, skin_radius, center, motion, a, b, c, front, met)
            if fraction == UNKNOWN and count < MOST_WAITING:
                waiting[count] = triangle
                count += 1
            elif fraction == UNKNOWN:
                fraction = cast_to_triangle(cores, radius, skin_radius, center, motion, longest, mesh, triangle, met)
                if fraction == OVERLAPPING:
                    return OVERLAPPING
            found = keep_nearer(fraction, triangle, met, found, gap)
            longest = min(longest, found)
        triangle = next_on_cast(mesh, walk, scratch, longest)
    for k in range(count):
        fraction = cast_to_triangle(cores, radius, skin_radius, center, motion, longest, mesh, waiting[k], met)
        if fraction == OVERLAPPING:
            return OVERLAPPING
        found = keep_nearer(fraction, waiting[k], met, found, gap)
        longest = min(longest, found)
    return found


@kernel
def cast_to_shape(cores, radius, skin_radius, center_a, low, high, shape, motion, max_fraction, gap):
    """Move A, given as to `cast_core`, by `motion` until it hits the row `shape` of SHAPE. Return the fraction at which they
    touch (up to `max_fraction`), NO_FRACTION, or OVERLAPPING; `gap` holds normal and point of contact. A mesh is hit from the
    front only, unless it has backface collision."""
    keep_as_call()
    gap.face = -1
    if not can_be_met(shape) or length_squared(motion) == 0.0:
        return NO_FRACTION
    if shape.kind == PLANE:
        return cast_to_plane(cores, radius, skin_radius, shape, motion, max_fraction, gap)
    if shape.kind == MESH:
        is_two_sided = shape.has_backface_collision != 0
        return cast_to_mesh(
            cores, radius, skin_radius, center_a, low, high, shape, motion, max_fraction, is_two_sided, gap
        )  # fmt: skip
    core_b = stack_array(1, CORE)[0]
    radius_b = prepare_core(shape, ZERO, IDENTITY, core_b)
    start = subtract(center_a, core_center(shape))
    fraction = cast_core(
        cores, core_b, radius + radius_b, skin_radius + radius_b, start, motion, max_fraction, gap
    )  # fmt: skip
    store3(gap.point, add_scaled(vector3(gap.point), vector3(gap.normal), -radius_b))
    return fraction
