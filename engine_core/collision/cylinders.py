"""Cylinders against polytopes, planes, round shapes and each other. In the frame of B, where A has a given pose.

First the axes of flat contacts: the faces of the polytope and the caps. If the deepest feature along the best of them is above
the flat side, that is the contact, with as many points as touch. Else GJK and EPA find the nearest or deepest points.
"""

import math

import numpy as np

from ..geometry.angles import sine_cosine
from ..geometry.clipping import add_corner
from ..geometry.gjk import CORE, CYLINDER_CORE
from ..geometry.polytopes import plane_distance, plane_normal, vertex
from ..geometry.segments import between
from ..geometry.vector import (
    add_scaled,
    cross,
    dot,
    length,
    negate,
    normalize,
    perpendicular,
    scale,
    store3,
    subtract,
    vector3,
)
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array
from .convex import FLAT, write_contact, write_single_contact
from .distance import distance_of_cores
from .hulls import clip_against_face, drop_corners, face_frame, load_face, most_opposed_face
from .leaning import load_in_plane
from .reduce import open_sides, reduce_points
from .round_shapes import PARALLEL_SINE_SQUARED, clip_segment_to_face, polytope_core, segment_core, write_segment_points
from .schema import MAX_POINTS

RIM_POINTS = 8
"""A cap is an octagon with one corner exactly at its lowest point."""
LEANING = 0.45
"""A cylinder that stands flat has a corner toward its load if that is farther from the middle than this part of the radius: four
of eight corners reach at least 0.71 as far."""
AXIS_TOLERANCE = 1e-3
SHALLOW = 0.2
"""Overlaps up to this part of the smallest size are resolved along the best flat axis without searching for a better one."""

PLACED_CYLINDER = np.dtype(
    [
        ("center", "f8", 3),
        ("axis", "f8", 3),
        ("u", "f8", 3),  # unit, across the axis
        ("v", "f8", 3),
        ("radius", "f8"),
        ("half_height", "f8"),
    ],
    align=True,
)


@kernel
def place_cylinder(shape, position, rows, cylinder, core):
    """Write cylinder `shape` at (`position`, `rows`) as a PLACED_CYLINDER and as a CORE."""
    keep_as_call()
    store3(cylinder.center, position)
    for i in range(3):
        cylinder.u[i], cylinder.axis[i], cylinder.v[i] = rows[i][0], rows[i][1], rows[i][2]
        store3(core.rotation[i], rows[i])
    cylinder.radius, cylinder.half_height = shape.radius, shape.half_height
    core.kind = CYLINDER_CORE
    store3(core.extents, (cylinder.radius, cylinder.half_height, 0.0))
    store3(core.position, position)


@kernel
def lowest_of_cylinder(cylinder, n):
    """The point of a cylinder with the least n . x."""
    axis = vector3(cylinder.axis)
    along = dot(axis, n)
    p = add_scaled(vector3(cylinder.center), axis, -cylinder.half_height if along > 0.0 else cylinder.half_height)
    # A rotation in single precision makes an axis a little longer or shorter than 1: of n along it nothing may be left.
    across = add_scaled(n, axis, -along / dot(axis, axis))
    size = length(across)
    return add_scaled(p, across, -cylinder.radius / size) if size > 1e-9 else p


@kernel
def _add_point(polygon, p, origin, u, v, n, edge):
    d = subtract(p, origin)
    add_corner(polygon, dot(d, u), dot(d, v), dot(d, n), edge)


@kernel
def toward_load(cylinder, cap, origin, u, v, n, result, start):
    """The direction from the middle of a cap to the load, across the axis; `start` if the load is nearer to the middle than
    `LEANING`."""
    is_known, x, y = load_in_plane(result, origin, u, v, n)
    if not is_known:
        return start
    axis, way = vector3(cylinder.axis), subtract(add_scaled(add_scaled(origin, u, x), v, y), cap)
    way = add_scaled(way, axis, -dot(way, axis))
    size = length(way)
    return scale(way, 1.0 / size) if size > LEANING * cylinder.radius else start


@kernel
def load_facing_side(cylinder, n, origin, u, v, result, polygon):
    """Load the cap (an octagon) or the line of the mantle (two corners) that faces n, in the frame (origin, u, v, n). `result`:
    has the load."""
    keep_as_call()
    polygon.count = 0
    axis, center = vector3(cylinder.axis), vector3(cylinder.center)
    along = dot(axis, n)
    across = add_scaled(n, axis, -along)
    size = length(across)
    if abs(along) > 0.7071:
        cap = add_scaled(center, axis, -cylinder.half_height if along > 0.0 else cylinder.half_height)
        # Tilted: a corner at the lowest point. Flat: one where it leans to, else corners fixed in the cylinder.
        start = vector3(cylinder.u)
        if size > 0.01:
            start = scale(across, -1.0 / size)
        elif result.has_load != 0:
            start = toward_load(cylinder, cap, origin, u, v, n, result, start)
        side = cross(axis, start)
        for i in range(RIM_POINTS):
            sine, cosine = sine_cosine(i * (2.0 * math.pi / RIM_POINTS))
            p = add_scaled(cap, start, cylinder.radius * cosine)
            _add_point(polygon, add_scaled(p, side, cylinder.radius * sine), origin, u, v, n, np.int64(i))
        return
    middle = add_scaled(center, across, -cylinder.radius / size)
    for i in range(2):
        p = add_scaled(middle, axis, cylinder.half_height if i == 0 else -cylinder.half_height)
        _add_point(polygon, p, origin, u, v, n, np.int64(16 + i))


@kernel
def clip_to_disc(source, target, radius):
    """Clip a polygon to a circle about the origin: its corners inside, and where its sides cross the circle."""
    keep_as_call()
    target.count = 0
    count = source.count
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        x, y, z = source.x[i], source.y[i], source.z[i]
        dx, dy, dz = source.x[j] - x, source.y[j] - y, source.z[j] - z
        if x * x + y * y <= radius * radius:
            add_corner(target, x, y, z, source.edge[i])
        if count == 2 and i == 1:
            break  # a line, not a polygon
        a, b, c = dx * dx + dy * dy, x * dx + y * dy, x * x + y * y - radius * radius
        root = b * b - a * c
        if a > 0.0 and root > 0.0:
            root = math.sqrt(root)
            for k in range(2):
                t = (-b - root if k == 0 else -b + root) / a
                if 0.0 < t < 1.0:
                    add_corner(target, x + t * dx, y + t * dy, z + t * dz, source.edge[i] | 32 << k)


@kernel
def write_polygon(polygon, origin, u, v, n, normal, radii, offset, limit, feature, result):
    """Fill `result` from corners above a flat side: (number of points, lowest core separation).

    `normal` is n or its opposite, from A to B; `offset` is where between the two cores the points are put.
    """
    keep_as_call()
    if polygon.count == 0:
        return 0, math.inf
    lowest = drop_corners(polygon, feature, limit + radii)
    keep = stack_array(MAX_POINTS, np.int64)
    slide, load = vector3(result.slide), load_in_plane(result, origin, u, v, n)
    count = reduce_points(polygon, keep, dot(u, slide), dot(v, slide), load)
    result.open_sides = open_sides(polygon, keep, count)
    store3(result.normal, normal)
    result.point_count = count
    result.face = -1
    for k in range(count):
        i = keep[k]
        p = add_scaled(add_scaled(origin, u, polygon.x[i]), v, polygon.y[i])
        p = add_scaled(p, n, 0.5 * polygon.z[i] + offset)
        write_contact(result, k, p, polygon.z[i] - radii, polygon.edge[i])
    return count, lowest


@kernel
def cylinder_on_face(cylinder, polytope, face, limit, polygons, result):
    """Fill `result` from a face of polytope B and the side of cylinder A that faces it: (number of points, lowest)."""
    keep_as_call()
    n = plane_normal(polytope, face)
    origin, u, v = face_frame(polytope, face)
    polygon = polygons[0]
    load_facing_side(cylinder, n, origin, u, v, result, polygon)
    now = 0
    if polygon.count == 2:
        axis, half = vector3(cylinder.axis), cylinder.half_height
        across = normalize(add_scaled(n, axis, -dot(n, axis)))
        middle = add_scaled(vector3(cylinder.center), across, -cylinder.radius)
        p, q = add_scaled(middle, axis, half), add_scaled(middle, axis, -half)
        low, high = clip_segment_to_face(p, q, polytope, face)
        polygon.count = 0
        if low <= high:
            _add_point(polygon, between(p, q, low), origin, u, v, n, np.int64(16))
            _add_point(polygon, between(p, q, high), origin, u, v, n, np.int64(17))
    else:
        now = clip_against_face(polytope, face, origin, u, v, polygons)
    r = polytope.radius
    return write_polygon(polygons[now], origin, u, v, n, negate(n), r, 0.5 * r, limit, 256 | face & 0x7F, result)


@kernel
def polytope_on_cap(cylinder, sign, polytope, limit, polygons, result):
    """Fill `result` from a cap of cylinder A and the face of polytope B that faces it: (number of points, lowest)."""
    keep_as_call()
    n = scale(vector3(cylinder.axis), sign)
    origin = add_scaled(vector3(cylinder.center), n, cylinder.half_height)
    u = vector3(cylinder.u)
    v = cross(n, u)
    face = most_opposed_face(polytope, n)
    load_face(polytope, face, origin, u, v, n, polygons[0])
    clip_to_disc(polygons[0], polygons[1], cylinder.radius)
    r = polytope.radius
    return write_polygon(polygons[1], origin, u, v, n, n, r, -0.5 * r, limit, 512 | face & 0x7F, result)


@kernel
def write_nearest(core_a, core_b, radius_a, radius_b, start, limit, result):
    """Fill `result` with the nearest or deepest points of two cores. Return the number of points."""
    keep_as_call()
    distance, on_a, on_b, normal = distance_of_cores(core_a, core_b, start)
    if distance - radius_a - radius_b > limit:
        return 0
    on_a, on_b = add_scaled(on_a, normal, radius_a), add_scaled(on_b, normal, -radius_b)
    write_single_contact(result, normal, on_a, on_b, distance - radius_a - radius_b, np.int64(2))
    return 1


@kernel
def collide_cylinder_polytope(cylinder, core, polytope, limit, polygons, result):
    """Collide cylinder A with polytope B. Return the number of points."""
    keep_as_call()
    core_limit = limit + polytope.radius
    best, face = -math.inf, 0
    for i in range(polytope.face_count):
        n = plane_normal(polytope, i)
        separation = dot(n, lowest_of_cylinder(cylinder, n)) - plane_distance(polytope, i)
        if separation > best:
            best, face = separation, i
    axis, center = vector3(cylinder.axis), vector3(cylinder.center)
    low, high = math.inf, -math.inf
    for i in range(polytope.vertex_count):
        along = dot(axis, subtract(vertex(polytope, i), center))
        low, high = min(low, along), max(high, along)
    cap = max(low, -high) - cylinder.half_height
    sign = -1.0 if -high > low else 1.0
    if max(best, cap) > core_limit:
        return 0
    size = min(cylinder.radius, cylinder.half_height, polytope.inner_radius)
    tolerance = min(AXIS_TOLERANCE, 0.01 * size)
    slack = 2.0 * tolerance + 1e-6
    flat = max(best, cap)
    if flat > -SHALLOW * size:
        for attempt in range(2):
            on_face = (attempt == 0) == (cap <= best + tolerance)
            if on_face:
                count, lowest = cylinder_on_face(cylinder, polytope, face, limit, polygons, result)
                own = best
            else:
                count, lowest = polytope_on_cap(cylinder, sign, polytope, limit, polygons, result)
                own = cap
            if count > 0 and own >= flat - tolerance and lowest <= own + slack:
                return count
    start = subtract(center, vector3(polytope.center))
    other = stack_array(1, CORE)[0]
    polytope_core(polytope, other)
    count = write_nearest(core, other, 0.0, polytope.radius, start, limit, result)
    if count == 0:
        return 0
    # One point gives little support: if flat sides nearly agree with it, their points are better.
    separation, normal = result.separations[0] + polytope.radius, vector3(result.normal)
    if -dot(plane_normal(polytope, face), normal) > FLAT or abs(dot(normal, axis)) > FLAT:
        count, lowest = cylinder_on_face(cylinder, polytope, face, limit, polygons, result)
        if count > 1 and abs(lowest - separation) <= slack + 0.02 * abs(separation):
            return count
        return write_nearest(core, other, 0.0, polytope.radius, start, limit, result)
    return count


@kernel
def collide_cylinder_plane(cylinder, b, limit, polygon, result):
    """Collide cylinder A with plane B. Return the number of points."""
    keep_as_call()
    n, distance = vector3(b.plane), np.float64(b.plane[3])
    if dot(n, lowest_of_cylinder(cylinder, n)) - distance > limit:
        return 0
    u = perpendicular(n)
    origin, v = scale(n, distance), cross(n, u)
    load_facing_side(cylinder, n, origin, u, v, result, polygon)
    count, _ = write_polygon(polygon, origin, u, v, n, negate(n), 0.0, 0.0, limit, np.int64(1024), result)
    return count


@kernel
def _cylinder_on_cap(a, b, is_flipped, limit, polygons, result):
    """Fill `result` from the cap of cylinder b below cylinder a: (number of points, lowest).

    `is_flipped`: b is the pair's A, so the normal is reversed.
    """
    keep_as_call()
    axis, center = vector3(b.axis), vector3(b.center)
    n = axis if dot(axis, subtract(vector3(a.center), center)) >= 0.0 else negate(axis)
    origin = add_scaled(center, n, b.half_height)
    u = vector3(b.u)
    v = cross(n, u)
    load_facing_side(a, n, origin, u, v, result, polygons[0])
    clip_to_disc(polygons[0], polygons[1], b.radius)
    normal = n if is_flipped else negate(n)
    return write_polygon(polygons[1], origin, u, v, n, normal, 0.0, 0.0, limit, np.int64(2048), result)


@kernel
def separation_of_cap(a, b):
    """Separation of cylinder a along the axis of cylinder b."""
    axis, center = vector3(b.axis), vector3(b.center)
    n = axis if dot(axis, subtract(vector3(a.center), center)) >= 0.0 else negate(axis)
    return dot(n, subtract(lowest_of_cylinder(a, n), center)) - b.half_height


@kernel
def collide_cylinders(a, core_a, b, core_b, limit, polygons, result):
    """Collide two cylinders. Return the number of points."""
    keep_as_call()
    of_a, of_b = separation_of_cap(b, a), separation_of_cap(a, b)
    flat = max(of_a, of_b)
    if flat > limit:
        return 0
    size = min(a.radius, a.half_height, b.radius, b.half_height)
    slack = 2.0 * min(AXIS_TOLERANCE, 0.01 * size) + 1e-6
    if flat > -SHALLOW * size:
        for attempt in range(2):
            # The corners are those of the smaller cap, the circle that of the larger.
            on_b = (attempt == 0) == (b.radius >= a.radius)
            if on_b:
                count, lowest = _cylinder_on_cap(a, b, False, limit, polygons, result)
                own = of_b
            else:
                count, lowest = _cylinder_on_cap(b, a, True, limit, polygons, result)
                own = of_a
            if count > 0 and own >= flat - slack and lowest <= own + slack:
                return count
    count = write_nearest(core_a, core_b, 0.0, 0.0, subtract(vector3(a.center), vector3(b.center)), limit, result)
    axis = vector3(b.axis)
    along = dot(vector3(a.axis), axis)
    normal = vector3(result.normal)
    if count == 0 or 1.0 - along * along > PARALLEL_SINE_SQUARED or abs(dot(normal, axis)) > 0.05:
        return count
    # Side by side: the ends of the common part.
    middle = dot(axis, subtract(vector3(a.center), vector3(b.center)))
    low, high = max(middle - a.half_height, -b.half_height), min(middle + a.half_height, b.half_height)
    if high - low <= 0.05 * size:
        return count
    separation = result.separations[0]
    point = vector3(result.points[0])
    at = dot(axis, subtract(point, vector3(b.center)))
    store3(result.points[0], add_scaled(point, axis, low - at))
    write_contact(result, np.int64(1), add_scaled(point, axis, high - at), separation, np.int64(3))
    result.point_count = 2
    return 2


@kernel
def collide_segment_cylinder(radius, p, q, cylinder, core, limit, result):
    """Collide sphere (p = q) or capsule A with cylinder B. Return the number of points."""
    keep_as_call()
    other = stack_array(1, CORE)[0]
    segment_core(p, q, other)
    axis, center = vector3(cylinder.axis), vector3(cylinder.center)
    d = subtract(q, p)
    size = length(d)
    start = subtract(between(p, q, 0.5), center)
    if size == 0.0:
        # A point inside leaves through the nearer of cap and mantle.
        along = dot(axis, start)
        across = add_scaled(start, axis, -along)
        off = length(across)
        cap, mantle = abs(along) - cylinder.half_height, off - cylinder.radius
        if cap < 0.0 and mantle < 0.0:
            out = scale(axis, 1.0 if along >= 0.0 else -1.0)
            if mantle > cap:
                out = scale(across, 1.0 / off) if off > 1e-12 else vector3(cylinder.u)
            depth = max(cap, mantle)
            on_a = add_scaled(p, out, -radius)
            write_single_contact(result, negate(out), on_a, add_scaled(p, out, -depth), depth - radius, np.int64(1))
            return 1
    count = write_nearest(other, core, radius, 0.0, start, limit, result)
    if count == 0 or size == 0.0:
        return count
    normal, core_distance = vector3(result.normal), result.separations[0] + radius
    slope = dot(normal, d)
    if slope * slope > PARALLEL_SINE_SQUARED * size * size:
        return count
    low, high = 0.0, 1.0
    along = dot(normal, axis)
    sign = -1.0 if along > 0.0 else 1.0
    if abs(along) > 1.0 - PARALLEL_SINE_SQUARED:
        # Lying on the cap: the part above the disc.
        n = scale(axis, sign)
        flat = subtract(subtract(p, center), scale(axis, dot(axis, subtract(p, center))))
        step = subtract(d, scale(axis, dot(axis, d)))
        a, b, c = dot(step, step), dot(flat, step), dot(flat, flat) - cylinder.radius**2
        root = b * b - a * c
        if a <= 0.0 or root <= 0.0:
            return count
        low, high = max(low, (-b - math.sqrt(root)) / a), min(high, (-b + math.sqrt(root)) / a)
        sp = dot(n, subtract(between(p, q, low), center)) - cylinder.half_height
        sq = dot(n, subtract(between(p, q, high), center)) - cylinder.half_height
    elif abs(along) < 0.05 and dot(d, axis) ** 2 > (1.0 - PARALLEL_SINE_SQUARED) * size * size:
        # Side by side.
        n = negate(normalize(add_scaled(normal, axis, -along)))
        at, change = dot(axis, subtract(p, center)), dot(axis, d)
        first, last = (-cylinder.half_height - at) / change, (cylinder.half_height - at) / change
        low, high = max(low, min(first, last)), min(high, max(first, last))
        sp = dot(n, subtract(between(p, q, low), center)) - cylinder.radius
        sq = dot(n, subtract(between(p, q, high), center)) - cylinder.radius
    else:
        return count
    if (high - low) * size <= 0.05 * radius or abs(min(sp, sq) - core_distance) > 0.01 * radius + 1e-6:
        return count
    return write_segment_points(result, negate(n), radius, between(p, q, low), sp, between(p, q, high), sq, limit)
