"""Convex hulls of points: quickhull on an integer grid, so that no rounding can break it, then faces merged to
polygons.

Points are rounded to a grid of 2^20 steps along the longest side; orientation tests are then exact in 64-bit integers,
and the triangulated hull is closed and convex whatever the input (needles, duplicates, cospherical and coplanar
points). The output keeps the user's coordinates. Input that is flat in some direction is grown a little there, so that a hull is
always solid.

Sources: Barber, Dobkin, Huhdanpaa, "The Quickhull Algorithm for Convex Hulls", 1996; D. Gregorius, "Implementing
QuickHull", GDC 2014 (merging of faces, tolerances).
"""

import math
from typing import NamedTuple

import numpy as np

from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of, view, view2
from .hull_faces import make_polygons, write_result
from .principal_axes import principal_axes
from .quickhull import GRID, MAX_FACES, MAX_VERTICES, quickhull
from .vector import add, add_scaled, cross, dot, length, scale, subtract

TOLERANCE = 1e-4
"""Error of the surface of a hull, by default, as a fraction of the longest side."""
MIN_FLATNESS = 1e-4
"""A hull thinner than this fraction of its length counts as flat, and is grown."""
GROWN_FLATNESS = 2e-3
"""Thickness given to flat input, as a fraction of its length."""
MIN_THICKNESS = 1e-4
"""Least thickness given to flat input [m]."""
SLIVER = 1e-5
"""A face whose normal is off by this much is only rounding."""

_MAX_EDGES = 3 * MAX_VERTICES
_MAX_ROUNDS = 12
_LIMITS = 8  # words of the numbers in and out
_ROUNDING = 2.0**-23  # of the single-precision vertices and planes

HULL_MEMORY = np.dtype(
    [
        ("points", "i8"),  # address of float32 (point_count, 3)
        ("point_count", "i8"),
        ("most_vertices", "i8"),
        ("tolerance", "f8"),  # a fraction of the longest side
        # Results
        ("vertex_count", "i8"), ("face_count", "i8"), ("edge_count", "i8"),  # no vertices: the points span no volume
        ("left_out", "f8"),  # how far a point omitted by the limit on vertices is outside [m]
        ("vertices", "f4", (MAX_VERTICES, 3)),
        ("planes", "f4", (MAX_FACES, 4)),
        ("face_starts", "i4", MAX_FACES + 1),
        ("face_vertices", "i4", 2 * _MAX_EDGES + 16),
        ("edges", "i4", (_MAX_EDGES + 8, 4)),
    ],
    align=True,
)  # fmt: skip


class Hull(NamedTuple):
    """A convex polyhedron. Faces are polygons, counter-clockwise seen from outside."""

    vertices: np.ndarray  # float32 (vertex_count, 3) [m]
    planes: np.ndarray  # float32 (face_count, 4): unit outward normal, distance [m]
    face_starts: np.ndarray  # int32 (face_count + 1)
    face_vertices: np.ndarray  # int32
    edges: np.ndarray  # int32 (edge_count, 4): vertex, vertex, face to the left, face to the right
    left_out: float = 0.0  # how far the farthest of the points stands out that `max_vertices` left out [m]


def convex_hull(points, tolerance: float = TOLERANCE, max_vertices: int = MAX_VERTICES) -> Hull:
    """The convex hull of `points`, array `(n, 3)`, n >= 1 [m]. Points closer than `tolerance` (a fraction of the
    longest side) to the hull of the others are left out, and faces that close to one plane are merged; with more than
    `max_vertices` (4 to 256) vertices, those that stand out least are left out too. Raises ValueError for points that
    are not finite or of another shape, and for limits out of range."""
    points = np.asarray(points, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 3 or len(points) == 0:
        raise ValueError(f"convex_hull: points must be of shape (n, 3) with n >= 1, got {points.shape}")
    if not np.isfinite(points).all():
        raise ValueError("convex_hull: points must be finite")
    if not 4 <= max_vertices <= MAX_VERTICES:
        raise ValueError(f"convex_hull: max_vertices must be 4 to {MAX_VERTICES}, got {max_vertices}")
    if not 0.0 <= tolerance <= 0.1:
        raise ValueError(f"convex_hull: tolerance must be 0 to 0.1, got {tolerance}")
    points = np.ascontiguousarray(points, dtype=np.float32)
    memory = np.empty(1, HULL_MEMORY)
    made = memory[0]
    made["points"], made["point_count"] = address_of(points), len(points)
    made["most_vertices"], made["tolerance"] = max_vertices, tolerance
    build_hull(address_of(memory))
    vertex_count, face_count, edge_count = (int(made[name]) for name in ("vertex_count", "face_count", "edge_count"))
    if not vertex_count:
        raise ValueError("convex_hull: points span no volume even when grown")
    starts = made["face_starts"][: face_count + 1]
    return Hull(
        made["vertices"][:vertex_count], made["planes"][:face_count], starts, made["face_vertices"][: starts[-1]],
        made["edges"][:edge_count], float(made["left_out"]),
    )  # fmt: skip


@kernel
def _point(rows, i):
    return (np.float64(rows[i, 0]), np.float64(rows[i, 1]), np.float64(rows[i, 2]))


@kernel
def _put(rows, i, v):
    rows[i, 0], rows[i, 1], rows[i, 2] = v


@kernel
def _axes_of(points, count):
    """(middle, principal axes) of points; the axis along which they spread least comes first."""
    middle = (0.0, 0.0, 0.0)
    for i in range(count):
        middle = add(middle, _point(points, i))
    middle = scale(middle, 1.0 / count)
    xx = yy = zz = xy = xz = yz = 0.0
    for i in range(count):
        x, y, z = subtract(_point(points, i), middle)
        xx, yy, zz, xy, xz, yz = xx + x * x, yy + y * y, zz + z * z, xy + x * y, xz + x * z, yz + y * z
    (p, q, r), a, b, c = principal_axes((xx, yy, zz, xy, xz, yz))
    if q < p:
        p, q, a, b = q, p, b, a
    if r < q:
        q, r, b, c = r, q, c, b
    if q < p:
        a, b = b, a
    return middle, (a, b, c)


@kernel
def _spread(points, count, axis, middle):
    """How far points reach along an axis [m]."""
    low, high = math.inf, -math.inf
    for i in range(count):
        along = dot(subtract(_point(points, i), middle), axis)
        low, high = min(low, along), max(high, along)
    return high - low


@kernel
def _grow_flat(points, count, forced):
    """Double the points, in place, along each principal axis in which they are flat, and along the `forced` shortest ones. Return
    their new number, and their thickness [m]."""
    middle, axes = _axes_of(points, count)
    ranges = (
        _spread(points, count, axes[0], middle), _spread(points, count, axes[1], middle), _spread(points, count, axes[2], middle),
    )  # fmt: skip
    longest, largest = max(ranges[0], ranges[1], ranges[2]), 0.0
    for i in range(count):
        for k in range(3):
            largest = max(largest, abs(points[i, k]))
    rounding = largest * _ROUNDING
    flat = max(MIN_FLATNESS * longest, 0.1 * MIN_THICKNESS, 64.0 * rounding)
    thickness = max(GROWN_FLATNESS * longest, MIN_THICKNESS, 256.0 * rounding)
    least = math.inf
    for k in range(3):
        reach = ranges[k]
        if reach < flat or k < forced:
            for i in range(count):
                point = _point(points, i)
                _put(points, count + i, add_scaled(point, axes[k], -0.5 * thickness))
                _put(points, i, add_scaled(point, axes[k], 0.5 * thickness))
            count *= 2
            reach += thickness
        least = min(least, reach)
    return count, least


@kernel
def _normal_of(vertices, corners, begin, end):
    """The unit normal of a polygon, by Newell's method."""
    first, area = _point(vertices, corners[begin]), (0.0, 0.0, 0.0)
    for i in range(begin, end):
        u = subtract(_point(vertices, corners[i]), first)
        v = subtract(_point(vertices, corners[i + 1 if i + 1 < end else begin]), first)
        area = add(area, cross(u, v))
    return scale(area, 1.0 / max(length(area), 1e-300))


@kernel
def _write_planes(made, on_grid, vertex_count, face_count):
    """Write the planes, moved out so that all vertices of the polygon are behind them. The normal of a sliver is only rounding:
    it is replaced by that on the grid (of the vertices, `on_grid`), where the hull is exactly convex."""
    vertices, starts, corners = made.vertices, made.face_starts, made.face_vertices
    for face in range(face_count):
        begin, end = starts[face], starts[face + 1]
        normal, exact = _normal_of(vertices, corners, begin, end), _normal_of(on_grid, corners, begin, end)
        distance = -math.inf
        if length(subtract(normal, exact)) > SLIVER:
            normal = exact
            for i in range(vertex_count):
                distance = max(distance, dot(normal, _point(vertices, i)))
        else:
            for i in range(begin, end):
                distance = max(distance, dot(normal, _point(vertices, corners[i])))
        _put(made.planes, face, normal)
        made.planes[face, 3] = distance


@kernel
def _box_of(points, count):
    """(lowest corner, longest side) of the box around points."""
    low = high = _point(points, 0)
    for i in range(1, count):
        point = _point(points, i)
        low = (min(low[0], point[0]), min(low[1], point[1]), min(low[2], point[2]))
        high = (max(high[0], point[0]), max(high[1], point[1]), max(high[2], point[2]))
    return low, max(high[0] - low[0], high[1] - low[1], high[2] - low[2])


@kernel
def _build(made, points, count, thickness):
    """Build the hull of points `(count, 3)` that are so thick [m]; False if they span no volume."""
    low, side = _box_of(points, count)
    steps, tolerance = GRID / side, min(made.tolerance * side, 0.05 * thickness)
    grid = np.empty((count, 3), dtype=np.int64)
    for i in range(count):
        for k in range(3):
            grid[i, k] = np.int64(np.rint((points[i, k] - low[k]) * steps))
    numbers, chosen = np.zeros(_LIMITS, dtype=np.int64), np.empty(MAX_VERTICES, dtype=np.int32)
    numbers[0], numbers[1] = count, made.most_vertices
    left_out = build_on_grid(numbers, grid, chosen, made.face_starts, made.face_vertices, made.edges, tolerance * steps)
    if numbers[5] != 0:
        return False
    on_grid = np.empty((numbers[2], 3), dtype=np.float64)
    for i in range(numbers[2]):
        _put(made.vertices, i, _point(points, chosen[i]))
        _put(on_grid, i, _point(grid, chosen[i]))
    _write_planes(made, on_grid, numbers[2], numbers[3])
    made.vertex_count, made.face_count, made.edge_count = numbers[2], numbers[3], numbers[4]
    made.left_out = left_out / steps
    return True


@entry_point("void(int64)")
def build_hull(memory):
    """Build the hull of the points of a HULL_MEMORY and write it there."""
    made = view(memory, 1, HULL_MEMORY)[0]
    given = view2(made.points, made.point_count, 3, np.float32)
    points = np.empty((8 * made.point_count, 3), dtype=np.float64)
    made.vertex_count = 0
    for forced in range(4):
        for i in range(made.point_count):
            _put(points, i, _point(given, i))
        count, thickness = _grow_flat(points, made.point_count, forced)
        if _build(made, points, count, thickness):
            return


@kernel
def build_on_grid(numbers, grid, vertices, face_starts, face_vertices, edges, tolerance):
    """Build the hull of points on the grid; `tolerance` [grid]. `numbers` (in: point count, most vertices; out: vertex, face and
    edge count, status 0 or 1: coplanar); the last four arrays get the result. Return how far an omitted point is outside
    [grid]."""
    corners = np.empty((MAX_FACES, 3), dtype=np.int64)
    neighbours = np.empty((MAX_FACES, 3), dtype=np.int64)
    planes = np.empty((MAX_FACES, 3), dtype=np.int64)
    lengths = np.empty(MAX_FACES, dtype=np.float64)
    labels = np.empty(MAX_FACES, dtype=np.int64)
    marks = np.zeros(numbers[0], dtype=np.int64)
    members = np.arange(numbers[0])
    member_count, polygon_count, count, flatness, left_out = numbers[0], np.int64(0), np.int64(0), tolerance, 0.0
    numbers[5] = 1
    for attempt in range(_MAX_ROUNDS + 1):
        flatness = -1.0 if attempt == _MAX_ROUNDS else flatness  # nothing is merged: that cannot fail
        least = max(flatness, 0.0)
        count, beyond = quickhull(grid, members, member_count, numbers[1], least, corners, neighbours, planes, lengths)
        if count == 0:
            return left_out
        left_out = max(left_out, beyond)
        polygon_count, needless = make_polygons(
            grid, corners, neighbours, planes, lengths, count, flatness, labels, face_starts, face_vertices, marks
        )
        if flatness < 0.0 or (polygon_count > 0 and needless == 0):
            break
        # Hull again without the needless vertices; if the rings were broken, with nothing merged.
        flatness = -1.0 if polygon_count == 0 else flatness
        member_count = 0
        for vertex in range(numbers[0]):
            marks[vertex] = 3 if marks[vertex] == 1 else 0
        for face in range(count):
            for k in range(3):
                if marks[corners[face, k]] == 0:
                    marks[corners[face, k]] = 4
                    members[member_count] = corners[face, k]
                    member_count += 1
    write_result(numbers, corners, neighbours, labels, count, polygon_count, face_starts, face_vertices, vertices, edges, marks)
    numbers[5] = 0
    return left_out
