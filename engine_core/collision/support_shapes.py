"""Collisions of shapes defined by their support function alone: tapered capsules and cylinders, ellipsoids, custom shapes.

In the frame of B, where A has a given pose. GJK and EPA find the nearest or deepest points. Supports along directions slightly
tilted from the normal show whether more points touch: on a flat or straight surface they are far apart at the same height, on a
round one they rise. The polygon they span is clipped against the other's face.
"""

import math

import numpy as np

from ..geometry.angles import sine_cosine
from ..geometry.clipping import POLYGON, add_corner, clip_half_plane
from ..geometry.gjk import CORE, support
from ..geometry.polytopes import plane_normal
from ..geometry.segments import between
from ..geometry.vector import (
    add_scaled, cross, dot, negate, normalize, perpendicular, scale, subtract, vector3,
)  # fmt: skip
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array
from ..shapes.core import core_center, describe_core, set_core_pose
from ..shapes.schema import PLANE
from .convex import FLAT, IDENTITY, ZERO, load_polytope, write_single_contact
from .cylinders import write_nearest, write_polygon
from .hulls import clip_against_face, face_frame, most_opposed_face
from .round_shapes import PARALLEL_SINE_SQUARED, clip_segment_to_face, polytope_core

SAMPLES = 8
LEAN = 0.1
"""Tilt of the sample directions from the normal (tangent)."""
FLATNESS = 0.3 * LEAN
"""A sample is on a flat side if it is no higher than this part of its distance from the lowest point; on a round side it is half
of LEAN."""
SAME = 0.2
"""Samples closer than this part of the distance of the farthest one are the same."""
LEAST_LINE = 0.02
"""Lines are side by side if they overlap by this part of the smaller shape's size."""
ROUNDED, ON_FACE, ON_PLANE, ON_EACH_OTHER = 2, 4096, 5120, 6144
"""Features of points: how they were found."""


@kernel
def place_support(shape, position, rows, core):
    """Write a convex shape at (`position`, `rows`) as a core. Return its rounding radius."""
    set_core_pose(shape, core, position, rows)
    return describe_core(shape, core)


@kernel
def size_of_shape(shape):
    """Longest side of a shape's bounds [m]."""
    b = shape.bounds
    return max(np.float64(b[3]) - b[0], np.float64(b[4]) - b[1], np.float64(b[5]) - b[2])


@kernel
def rounded_support(core, radius, direction):
    """The farthest point of a core with its radius along a direction of any length."""
    return add_scaled(support(core, direction), normalize(direction), radius)


@kernel
def merge_samples(polygon, distance):
    """Merge corners closer to each other than `distance`: keep the lowest, in their order."""
    kept = 0
    for i in range(polygon.count):
        same = -1
        for j in range(kept):
            if abs(polygon.x[i] - polygon.x[j]) + abs(polygon.y[i] - polygon.y[j]) < distance:
                same = j
        if same >= 0 and polygon.z[i] >= polygon.z[same]:
            continue
        to = kept if same < 0 else same
        polygon.x[to], polygon.y[to], polygon.z[to] = polygon.x[i], polygon.y[i], polygon.z[i]
        polygon.edge[to] = polygon.edge[i]
        kept += same < 0
    polygon.count = kept


@kernel
def put_ends(core, below, n, u, v, polygon):
    """Find the two ends of a line again along its direction, since tilted samples lie beside it, and beside and beyond it on
    thick ends. Done twice, the second time with a smaller tilt along the slope that the first found."""
    slope, lean = 0.0, LEAN
    for _ in range(2):
        x, y = polygon.x[1] - polygon.x[0], polygon.y[1] - polygon.y[0]
        along = normalize(add_scaled(scale(u, x), v, y))
        for i in range(2):
            way = scale(along, slope - lean if i == 0 else slope + lean)
            d = subtract(support(core, subtract(way, n)), below)
            polygon.x[i], polygon.y[i], polygon.z[i] = dot(d, u), dot(d, v), dot(d, n)
        x, y = polygon.x[1] - polygon.x[0], polygon.y[1] - polygon.y[0]
        size = math.sqrt(x * x + y * y)
        if size <= 0.0:
            polygon.count = 1
            return
        slope, lean = (polygon.z[1] - polygon.z[0]) / size, 0.1 * LEAN


@kernel
def load_samples(core, radius, size, n, origin, u, v, polygon):
    """Load the side of a core with its radius that faces n, in the frame (origin, u, v, n): a polygon, a line of two corners, or
    only its lowest point."""
    keep_as_call()
    polygon.count = 0
    # The radius is straight below the core, so that each end of a line is exact.
    below = add_scaled(origin, n, radius)
    lowest = subtract(support(core, negate(n)), below)
    low = (dot(lowest, u), dot(lowest, v), dot(lowest, n))
    farthest = 0.0
    for k in range(SAMPLES):
        sine, cosine = sine_cosine(k * (2.0 * math.pi / SAMPLES))
        lean = add_scaled(scale(u, LEAN * cosine), v, LEAN * sine)
        d = subtract(support(core, subtract(lean, n)), below)
        x, y, z = dot(d, u), dot(d, v), dot(d, n)
        away = math.sqrt((x - low[0]) ** 2 + (y - low[1]) ** 2)
        if z - low[2] <= FLATNESS * away + 1e-9 * size:
            add_corner(polygon, x, y, z, np.int64(k))
            farthest = max(farthest, away)
    merge_samples(polygon, SAME * farthest)
    if polygon.count < 2:
        add_corner(polygon, low[0], low[1], low[2], np.int64(SAMPLES))
        merge_samples(polygon, max(SAME * farthest, 1e-3 * size))
    if polygon.count == 2:
        put_ends(core, below, n, u, v, polygon)


@kernel
def support_on_face(core, radius, size, polytope, face, limit, polygons, result):
    """Fill `result` from a face of polytope B and the side of A that faces it: (number of points, lowest)."""
    keep_as_call()
    n = plane_normal(polytope, face)
    origin, u, v = face_frame(polytope, face)
    polygon = polygons[0]
    load_samples(core, radius, size, n, origin, u, v, polygon)
    now = 0
    if polygon.count == 2:
        # A line has no area and is clipped as a line.
        p = add_scaled(add_scaled(add_scaled(origin, u, polygon.x[0]), v, polygon.y[0]), n, polygon.z[0])
        q = add_scaled(add_scaled(add_scaled(origin, u, polygon.x[1]), v, polygon.y[1]), n, polygon.z[1])
        low, high = clip_segment_to_face(p, q, polytope, face)
        polygon.count = 0
        if low <= high:
            for i in range(2):
                d = subtract(between(p, q, low if i == 0 else high), origin)
                add_corner(polygon, dot(d, u), dot(d, v), dot(d, n), np.int64(16 + i))
    else:
        now = clip_against_face(polytope, face, origin, u, v, polygons)
    r = polytope.radius
    return write_polygon(polygons[now], origin, u, v, n, negate(n), r, 0.5 * r, limit, ON_FACE | face & 0x7F, result)


@kernel
def restore_single(result, normal, point, separation):
    """Write the single point that was found first."""
    write_single_contact(result, normal, point, point, separation, np.int64(ROUNDED))


@kernel
def collide_support_polytope(core, radius, size, start, polytope, limit, polygons, result):
    """Collide a core with its radius, A, with polytope B. Return the number of points."""
    keep_as_call()
    other = stack_array(1, CORE)[0]
    polytope_core(polytope, other)
    if write_nearest(core, other, radius, polytope.radius, start, limit, result) == 0:
        return 0
    normal, point, separation = vector3(result.normal), vector3(result.points[0]), result.separations[0]
    face = most_opposed_face(polytope, normal)
    if -dot(plane_normal(polytope, face), normal) > FLAT:
        count, lowest = support_on_face(core, radius, size, polytope, face, limit, polygons, result)
        lowest -= polytope.radius
        if count > 1 and abs(lowest - separation) <= 1e-3 * size + 0.02 * abs(separation):
            return count
        restore_single(result, normal, point, separation)
    return 1


@kernel
def collide_support_plane(core, radius, size, b, limit, polygon, result):
    """Collide a core with its radius, A, with plane B. Return the number of points."""
    keep_as_call()
    n, distance = vector3(b.plane), np.float64(b.plane[3])
    if dot(n, rounded_support(core, radius, negate(n))) - distance > limit:
        return 0
    u = perpendicular(n)
    origin, v = scale(n, distance), cross(n, u)
    load_samples(core, radius, size, n, origin, u, v, polygon)
    count, _ = write_polygon(polygon, origin, u, v, n, negate(n), 0.0, 0.0, limit, np.int64(ON_PLANE), result)
    return count


@kernel
def clip_each_other(polygons, sides):
    """Clip the first of two polygons against the sides of `sides`, counter-clockwise. Return which one holds the result."""
    now = 0
    for i in range(sides.count):
        j = i + 1 if i + 1 < sides.count else 0
        dx, dy = sides.x[j] - sides.x[i], sides.y[j] - sides.y[i]
        size = math.sqrt(dx * dx + dy * dy)
        if size <= 0.0:
            continue
        nx, ny = dy / size, -dx / size
        limit = nx * sides.x[i] + ny * sides.y[i]
        if clip_half_plane(polygons[now], polygons[1 - now], nx, ny, limit, np.int64(64 + i)):
            now = 1 - now
    return now


@kernel
def cut_lines(line, other, shortest):
    """Clip a line of two corners to the part beside another one; heights become gaps, those of both added. False, without
    changes, if they are not parallel or overlap by less than `shortest` [m]."""
    x, y, dx, dy = line.x[0], line.y[0], line.x[1] - line.x[0], line.y[1] - line.y[0]
    ex, ey = other.x[1] - other.x[0], other.y[1] - other.y[0]
    square = dx * dx + dy * dy
    if (dx * ey - dy * ex) ** 2 > PARALLEL_SINE_SQUARED * square * (ex * ex + ey * ey):
        return False
    first = ((other.x[0] - x) * dx + (other.y[0] - y) * dy) / square
    last = ((other.x[1] - x) * dx + (other.y[1] - y) * dy) / square
    low, high = max(min(first, last), 0.0), min(max(first, last), 1.0)
    if (high - low) * math.sqrt(square) < shortest:
        return False
    z, rise = line.z[0], line.z[1] - line.z[0]
    for i in range(2):
        t = low if i == 0 else high
        s = (t - first) / (last - first)
        line.x[i], line.y[i] = x + t * dx, y + t * dy
        line.z[i] = z + t * rise + other.z[0] + s * (other.z[1] - other.z[0])
    return True


@kernel
def cut_sides(polygons, sides, shortest):
    """Compute the common part of two facing sides, both flat or both straight: the number of its polygon, or -1."""
    if sides.count >= 3 and polygons[0].count >= 3:
        return clip_each_other(polygons, sides)
    is_line = sides.count == 2 and polygons[0].count == 2 and cut_lines(polygons[0], sides, shortest)
    return 0 if is_line else -1


@kernel
def collide_supports(core_a, radius_a, size_a, core_b, radius_b, size_b, start, limit, polygons, result):
    """Collide two cores with their radii. Return the number of points: several where flat or straight sides face each other."""
    keep_as_call()
    if write_nearest(core_a, core_b, radius_a, radius_b, start, limit, result) == 0:
        return 0
    sides = stack_array(1, POLYGON)[0]
    normal, point, separation = vector3(result.normal), vector3(result.points[0]), result.separations[0]
    n = negate(normal)
    u = perpendicular(n)
    v = cross(n, u)
    origin = add_scaled(point, n, -0.5 * separation)
    load_samples(core_b, radius_b, size_b, normal, origin, u, v, sides)
    if sides.count < 2:
        return 1
    load_samples(core_a, radius_a, size_a, n, origin, u, v, polygons[0])
    now = cut_sides(polygons, sides, LEAST_LINE * min(size_a, size_b))
    if now < 0:
        return 1
    feature = np.int64(ON_EACH_OTHER)
    count, lowest = write_polygon(polygons[now], origin, u, v, n, normal, 0.0, 0.0, limit, feature, result)
    if count > 1 and abs(lowest - separation) <= 1e-3 * min(size_a, size_b) + 0.02 * abs(separation):
        return count
    restore_single(result, normal, point, separation)
    return 1


@kernel
def collide_support_pair(a, b, position, rows, limit, polytope, memory, is_polytope, result):
    """Collide a pair with a support shape and no mesh; `is_polytope`: B is a box or hull. Return the number of points."""
    keep_as_call()
    cores, polygons = stack_array(2, CORE), stack_array(2, POLYGON)
    radius = place_support(a, position, rows, cores[0])
    size = size_of_shape(a)
    if b.kind == PLANE:
        return collide_support_plane(cores[0], radius, size, b, limit, polygons[0], result)
    if is_polytope:
        load_polytope(b, ZERO, IDENTITY, memory, polytope)
        start = subtract(position, vector3(polytope.center))
        return collide_support_polytope(cores[0], radius, size, start, polytope, limit, polygons, result)
    radius_b = place_support(b, ZERO, IDENTITY, cores[1])
    start = subtract(position, core_center(b))
    return collide_supports(cores[0], radius, size, cores[1], radius_b, size_of_shape(b), start, limit, polygons, result)
