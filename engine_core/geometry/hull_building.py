"""Convex hulls of points: quickhull on an integer grid, so that no rounding can break it, then faces merged to
polygons.

Points are rounded to a grid of 2^20 steps along the longest side; orientation tests are then exact in 64-bit integers,
and the triangulated hull is closed and convex whatever the input (needles, duplicates, cospherical and coplanar
points). The output keeps the user's coordinates. What is flat in some direction is grown a little there, so that a
hull is always solid.

Sources: Barber, Dobkin, Huhdanpaa, "The Quickhull Algorithm for Convex Hulls", 1996; D. Gregorius, "Implementing
QuickHull", GDC 2014 (merging of faces, tolerances).
"""

from typing import NamedTuple

import numpy as np

from ..runtime.kernel import entry_point
from ..runtime.memory import address_of, view, view2
from .hull_faces import make_polygons, write_result
from .quickhull import GRID, MAX_FACES, MAX_VERTICES, quickhull

TOLERANCE = 1e-4
"""How far the surface of a hull may be off, by default, as a fraction of the longest side."""
MIN_FLATNESS = 1e-4
"""What is thinner than this fraction of its length is flat, and is grown."""
GROWN_FLATNESS = 2e-3
"""How thick flat input is made, as a fraction of its length."""
MIN_THICKNESS = 1e-4
"""How thick flat input is made at least [m]."""

_MAX_EDGES = 3 * MAX_VERTICES
_MAX_ROUNDS = 12
_LIMITS = 8  # words of the numbers in and out


class Hull(NamedTuple):
    """A convex polyhedron. Faces are polygons, counter-clockwise seen from outside."""

    vertices: np.ndarray  # float32 (vertex_count, 3) [m]
    planes: np.ndarray  # float32 (face_count, 4): unit outward normal, distance [m]
    face_starts: np.ndarray  # int32 (face_count + 1)
    face_vertices: np.ndarray  # int32
    edges: np.ndarray  # int32 (edge_count, 4): vertex, vertex, face to the left, face to the right


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
    points = points.astype(np.float32).astype(np.float64)
    for forced in (0, 1, 2, 3):
        solid, thickness = _grow_flat(points, forced)
        hull = _build(solid, min(tolerance * float(np.ptp(solid, axis=0).max()), 0.05 * thickness), max_vertices)
        if hull is not None:
            return hull
    raise ValueError("convex_hull: points span no volume even when grown")


def _grow_flat(points: np.ndarray, forced: int) -> tuple[np.ndarray, float]:
    """The points, doubled along each principal axis in which they are flat (and along the `forced` shortest ones), and
    how thick they are now [m]."""
    center = points.mean(axis=0)
    relative = points - center
    _, axes = np.linalg.eigh(relative.T @ relative)  # ascending: flattest first
    along = relative @ axes
    ranges = along.max(axis=0) - along.min(axis=0)
    longest = float(ranges.max())
    rounding = float(np.abs(points).max()) * 2.0**-23  # of the single-precision vertices and planes
    flat = max(MIN_FLATNESS * longest, 0.1 * MIN_THICKNESS, 64.0 * rounding)
    thickness = max(GROWN_FLATNESS * longest, MIN_THICKNESS, 256.0 * rounding)
    for k in range(3):
        if ranges[k] < flat or k < forced:
            step = 0.5 * thickness * axes[:, k]
            points = np.concatenate((points + step, points - step))
            ranges[k] += thickness
    return np.ascontiguousarray(points), float(ranges.min())


def _build(points: np.ndarray, tolerance: float, max_vertices: int) -> Hull | None:
    low = points.min(axis=0)
    side = float((points.max(axis=0) - low).max())
    scale = GRID / side
    grid = np.ascontiguousarray(np.rint((points - low) * scale).astype(np.int64))
    numbers = np.zeros(_LIMITS, dtype=np.int64)
    numbers[:2] = len(points), max_vertices
    vertices = np.empty(MAX_VERTICES, dtype=np.int32)
    face_starts = np.empty(MAX_FACES + 1, dtype=np.int32)
    face_vertices = np.empty(2 * _MAX_EDGES + 16, dtype=np.int32)
    edges = np.empty((_MAX_EDGES + 8, 4), dtype=np.int32)
    addresses = np.array(
        [address_of(a) for a in (numbers, grid, vertices, face_starts, face_vertices, edges)], dtype=np.int64
    )
    build_hull_grid(address_of(addresses), tolerance * scale)
    vertex_count, face_count, edge_count, status = (int(number) for number in numbers[2:6])
    if status != 0:
        return None
    positions = points[vertices[:vertex_count]].astype(np.float32)
    face_starts = face_starts[: face_count + 1].copy()
    face_vertices = face_vertices[: face_starts[-1]].copy()
    planes = face_planes(positions, face_starts, face_vertices)
    # The normal of a sliver is all rounding. That on the grid, where the hull is exactly convex, is one that fits.
    on_grid = face_planes(grid[vertices[:vertex_count]].astype(np.float64), face_starts, face_vertices)
    slivers = np.linalg.norm(on_grid[:, :3] - planes[:, :3], axis=1) > 1e-5
    planes[slivers] = on_grid[slivers]
    planes[slivers, 3] = (positions @ planes[slivers, :3].T).max(axis=0)
    return Hull(positions, planes, face_starts, face_vertices, edges[:edge_count].copy())


def face_planes(vertices: np.ndarray, face_starts: np.ndarray, face_vertices: np.ndarray) -> np.ndarray:
    """The planes of polygons by Newell's method, moved out so that all vertices of the polygon are behind them: float32
    `(face_count, 4)`, unit normal and distance."""
    corners = vertices[face_vertices].astype(np.float64)
    following = np.arange(1, len(face_vertices) + 1)
    following[face_starts[1:] - 1] = face_starts[:-1]
    face = np.repeat(np.arange(len(face_starts) - 1), np.diff(face_starts))
    first = corners[face_starts[:-1]][face]
    area = np.cross(corners - first, corners[following] - first)
    normals = np.add.reduceat(area, face_starts[:-1], axis=0)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    distances = np.maximum.reduceat(np.einsum("ij,ij->i", corners, normals[face]), face_starts[:-1])
    return np.column_stack((normals, distances)).astype(np.float32)


@entry_point("void(int64, float64)")
def build_hull_grid(addresses, tolerance):
    """The hull of points on the grid. `addresses`: int64 words, the addresses of the numbers (in: point count, most
    vertices; out: vertex, face and edge count, status 0 or 1: coplanar), the points, and the four arrays of the
    result."""
    table = view(addresses, 6, np.int64)
    numbers = view(table[0], _LIMITS, np.int64)
    grid = view2(table[1], numbers[0], 3, np.int64)
    vertices = view(table[2], MAX_VERTICES, np.int32)
    face_starts = view(table[3], MAX_FACES + 1, np.int32)
    face_vertices = view(table[4], 2 * _MAX_EDGES + 16, np.int32)
    edges = view2(table[5], _MAX_EDGES + 8, 4, np.int32)
    corners = np.empty((MAX_FACES, 3), dtype=np.int64)
    neighbours = np.empty((MAX_FACES, 3), dtype=np.int64)
    planes = np.empty((MAX_FACES, 3), dtype=np.int64)
    lengths = np.empty(MAX_FACES, dtype=np.float64)
    labels = np.empty(MAX_FACES, dtype=np.int64)
    marks = np.zeros(numbers[0], dtype=np.int64)
    members = np.arange(numbers[0])
    member_count, polygon_count, count, flatness = numbers[0], np.int64(0), np.int64(0), tolerance
    numbers[5] = 1
    for attempt in range(_MAX_ROUNDS + 1):
        flatness = -1.0 if attempt == _MAX_ROUNDS else flatness  # nothing is merged: that cannot fail
        least = max(flatness, 0.0)
        count = quickhull(grid, members, member_count, numbers[1], least, corners, neighbours, planes, lengths)
        if count == 0:
            return
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
    write_result(
        numbers, corners, neighbours, labels, count, polygon_count, face_starts, face_vertices, vertices, edges, marks
    )
    numbers[5] = 0
