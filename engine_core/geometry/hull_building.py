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

from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of, view, view2

MAX_VERTICES = 256
"""A hull has at most so many vertices."""
TOLERANCE = 1e-4
"""How far the surface of a hull may be off, by default, as a fraction of the longest side."""
MIN_FLATNESS = 1e-4
"""What is thinner than this fraction of its length is flat, and is grown."""
GROWN_FLATNESS = 2e-3
"""How thick flat input is made, as a fraction of its length."""
MIN_THICKNESS = 1e-4
"""How thick flat input is made at least [m]."""

_GRID = (1 << 20) - 1
_MAX_FACES = 2 * MAX_VERTICES + 8
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
        solid = _grow_flat(points, forced)
        hull = _build(solid, tolerance, max_vertices)
        if hull is not None:
            return hull
    raise ValueError("convex_hull: points span no volume even when grown")


def _grow_flat(points: np.ndarray, forced: int) -> np.ndarray:
    """The points, doubled along each principal axis in which they are flat (and along the `forced` shortest ones)."""
    center = points.mean(axis=0)
    relative = points - center
    _, axes = np.linalg.eigh(relative.T @ relative)  # ascending: flattest first
    along = relative @ axes
    ranges = along.max(axis=0) - along.min(axis=0)
    longest = ranges.max()
    thickness = max(GROWN_FLATNESS * longest, MIN_THICKNESS, 1e-6 * float(np.abs(center).max()))
    for k in range(3):
        if ranges[k] < MIN_FLATNESS * longest or longest == 0.0 or k < forced or ranges[k] < 1e-2 * MIN_THICKNESS:
            step = 0.5 * thickness * axes[:, k]
            points = np.concatenate((points + step, points - step))
    return np.ascontiguousarray(points)


def _build(points: np.ndarray, tolerance: float, max_vertices: int) -> Hull | None:
    low = points.min(axis=0)
    side = float((points.max(axis=0) - low).max())
    scale = _GRID / side
    grid = np.ascontiguousarray(np.rint((points - low) * scale).astype(np.int64))
    numbers = np.zeros(_LIMITS, dtype=np.int64)
    numbers[:2] = len(points), max_vertices
    vertices = np.empty(MAX_VERTICES, dtype=np.int32)
    face_starts = np.empty(_MAX_FACES + 1, dtype=np.int32)
    face_vertices = np.empty(2 * _MAX_EDGES + 16, dtype=np.int32)
    edges = np.empty((_MAX_EDGES + 8, 4), dtype=np.int32)
    addresses = np.array(
        [address_of(a) for a in (numbers, grid, vertices, face_starts, face_vertices, edges)], dtype=np.int64
    )
    build_hull_grid(address_of(addresses), tolerance * _GRID)
    vertex_count, face_count, edge_count, status = (int(number) for number in numbers[2:6])
    if status != 0:
        return None
    positions = points[vertices[:vertex_count]].astype(np.float32)
    face_starts = face_starts[: face_count + 1].copy()
    face_vertices = face_vertices[: face_starts[-1]].copy()
    planes = face_planes(positions, face_starts, face_vertices)
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


# From here on compiled. A face while building: three corners (indices of points), the neighbour across each edge (edge
# k runs from corner k to the next), its plane in grid units, and the points outside of it as a list.


@kernel
def _make_face(grid, corners, neighbours, planes, lengths, face, a, b, c):
    corners[face, 0] = a
    corners[face, 1] = b
    corners[face, 2] = c
    ux, uy, uz = grid[b, 0] - grid[a, 0], grid[b, 1] - grid[a, 1], grid[b, 2] - grid[a, 2]
    vx, vy, vz = grid[c, 0] - grid[a, 0], grid[c, 1] - grid[a, 1], grid[c, 2] - grid[a, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    planes[face, 0] = nx
    planes[face, 1] = ny
    planes[face, 2] = nz
    x, y, z = float(nx), float(ny), float(nz)
    lengths[face] = max((x * x + y * y + z * z) ** 0.5, 1e-300)
    neighbours[face, 0] = neighbours[face, 1] = neighbours[face, 2] = -1


@kernel
def _height(grid, corners, planes, face, point):
    """Twice the area of the face times the height of the point above its plane, exact: less than 2^63 on this grid."""
    a = corners[face, 0]
    return (
        planes[face, 0] * (grid[point, 0] - grid[a, 0])
        + planes[face, 1] * (grid[point, 1] - grid[a, 1])
        + planes[face, 2] * (grid[point, 2] - grid[a, 2])
    )


@kernel
def _farthest_pair(grid, members, count):
    """Two of the six points that are extreme along an axis, as far from each other as any two of them."""
    extremes = np.empty(6, dtype=np.int64)
    for axis in range(3):
        low = high = members[0]
        for i in range(count):
            point = members[i]
            if grid[point, axis] < grid[low, axis]:
                low = point
            if grid[point, axis] > grid[high, axis]:
                high = point
        extremes[2 * axis], extremes[2 * axis + 1] = low, high
    a = b = extremes[0]
    best = 0.0
    for i in range(6):
        for j in range(i):
            distance = 0.0
            for axis in range(3):
                d = float(grid[extremes[i], axis] - grid[extremes[j], axis])
                distance += d * d
            if distance > best:
                best, a, b = distance, extremes[i], extremes[j]
    return a, b


@kernel
def _farthest_from_line(grid, members, count, a, b):
    c, best = a, 0.0
    ux, uy, uz = float(grid[b, 0] - grid[a, 0]), float(grid[b, 1] - grid[a, 1]), float(grid[b, 2] - grid[a, 2])
    for i in range(count):
        point = members[i]
        vx, vy, vz = (
            float(grid[point, 0] - grid[a, 0]), float(grid[point, 1] - grid[a, 1]), float(grid[point, 2] - grid[a, 2]),
        )  # fmt: skip
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        area = x * x + y * y + z * z
        if area > best:
            best, c = area, point
    return c


@kernel
def _make_tetrahedron(grid, members, count, corners, neighbours, planes, lengths):
    """Faces 0 to 3 from four points far apart; False if all points lie in one plane of the grid."""
    a, b = _farthest_pair(grid, members, count)
    if a == b:
        return False
    c = _farthest_from_line(grid, members, count, a, b)
    if c == a:
        return False
    _make_face(grid, corners, neighbours, planes, lengths, 0, a, b, c)
    d, best = a, 0
    for i in range(count):
        height = _height(grid, corners, planes, 0, members[i])
        if abs(height) > abs(best):
            best, d = height, members[i]
    if best == 0:
        return False
    if best > 0:
        b, c = c, b
    _make_face(grid, corners, neighbours, planes, lengths, 0, a, b, c)
    _make_face(grid, corners, neighbours, planes, lengths, 1, a, d, b)
    _make_face(grid, corners, neighbours, planes, lengths, 2, b, d, c)
    _make_face(grid, corners, neighbours, planes, lengths, 3, c, d, a)
    links = ((0, 0, 1, 2), (0, 1, 2, 2), (0, 2, 3, 2), (1, 1, 2, 0), (2, 1, 3, 0), (3, 1, 1, 0))
    for face, edge, other, other_edge in links:
        neighbours[face, edge] = other
        neighbours[other, other_edge] = face
    return True


@kernel
def _assign(grid, corners, planes, lengths, faces, face_count, point, lists, first, farthest, height, least):
    """Put the point on the list of that of `faces` which it is highest above, if that is more than `least` [grid]."""
    best_face, best = -1, least
    for i in range(face_count):
        face = faces[i]
        above = _height(grid, corners, planes, face, point) / lengths[face]
        if above > best:
            best, best_face = above, face
    if best_face >= 0:
        lists[point] = first[best_face]
        first[best_face] = point
        if best > height[best_face]:
            height[best_face] = best
            farthest[best_face] = point


@kernel
def _cut_visible(grid, corners, neighbours, planes, is_alive, used, point, first, lists, horizon):
    """Take away the faces that see the point. Gives the number of edges left open, `horizon` rows of (from, to, face
    beyond), and the list of the points that were outside of the removed faces."""
    edge_count, orphans = 0, -1
    for face in range(used):
        is_alive[face] = 2 if is_alive[face] and _height(grid, corners, planes, face, point) > 0 else is_alive[face]
    for face in range(used):
        if is_alive[face] != 2:
            continue
        for k in range(3):
            beyond = neighbours[face, k]
            if is_alive[beyond] == 1:
                horizon[edge_count, 0] = corners[face, k]
                horizon[edge_count, 1] = corners[face, (k + 1) % 3]
                horizon[edge_count, 2] = beyond
                edge_count += 1
        other = first[face]
        while other >= 0:
            following = lists[other]
            if other != point:
                lists[other] = orphans
                orphans = other
            other = following
    for face in range(used):
        if is_alive[face] == 2:
            is_alive[face] = 0
            first[face] = -1
    return edge_count, orphans


@kernel
def _fill_horizon(
    grid, corners, neighbours, planes, lengths, is_alive, used, point, horizon, edge_count, face_at, new_faces
):
    """Join the point to each edge of the horizon. Gives the number of face rows now in use."""
    free = 0
    for i in range(edge_count):
        while free < used and is_alive[free]:
            free += 1
        face = free
        used = max(used, face + 1)
        a, b, beyond = horizon[i, 0], horizon[i, 1], horizon[i, 2]
        _make_face(grid, corners, neighbours, planes, lengths, face, a, b, point)
        is_alive[face] = 1
        neighbours[face, 0] = beyond
        for k in range(3):
            if corners[beyond, k] == b and corners[beyond, (k + 1) % 3] == a:
                neighbours[beyond, k] = face
        face_at[a] = face
        new_faces[i] = face
    for i in range(edge_count):
        following = face_at[horizon[i, 1]]
        neighbours[new_faces[i], 1] = following
        neighbours[following, 2] = new_faces[i]
    return used


@kernel
def _quickhull(grid, members, count, limit, tolerance, corners, neighbours, planes, lengths):
    """Triangulated hull of `members[:count]`; gives the number of faces (rows 0 to n - 1), 0 if all points are
    coplanar."""
    if not _make_tetrahedron(grid, members, count, corners, neighbours, planes, lengths):
        return 0
    is_alive = np.zeros(_MAX_FACES, dtype=np.int32)
    first = np.full(_MAX_FACES, -1, dtype=np.int32)
    farthest = np.full(_MAX_FACES, -1, dtype=np.int32)
    height = np.zeros(_MAX_FACES, dtype=np.float64)
    lists = np.full(len(grid), -1, dtype=np.int32)
    face_at = np.zeros(len(grid), dtype=np.int32)
    horizon = np.empty((_MAX_FACES, 3), dtype=np.int32)
    faces = np.empty(_MAX_FACES, dtype=np.int32)
    used, vertex_count, is_checked = 4, 4, False
    is_alive[:4] = 1
    for face in range(4):
        faces[face] = face
    for i in range(count):
        _assign(grid, corners, planes, lengths, faces, 4, members[i], lists, first, farthest, height, 0.0)
    while vertex_count < limit:
        best, best_face = tolerance, -1
        for face in range(used):
            if is_alive[face] and first[face] >= 0 and height[face] > best:
                best, best_face = height[face], face
        if best_face < 0:
            if is_checked:
                break
            # A point is on the list of one face only: look once whether it stands out of another.
            is_checked, alive_count = True, 0
            for face in range(used):
                first[face], height[face] = -1, 0.0
                if is_alive[face]:
                    faces[alive_count] = face
                    alive_count += 1
            for i in range(count):
                _assign(
                    grid, corners, planes, lengths, faces, alive_count, members[i], lists, first, farthest, height,
                    tolerance,
                )  # fmt: skip
            continue
        point = farthest[best_face]
        edge_count, orphans = _cut_visible(
            grid, corners, neighbours, planes, is_alive, used, point, first, lists, horizon
        )
        used = _fill_horizon(
            grid, corners, neighbours, planes, lengths, is_alive, used, point, horizon, edge_count, face_at, faces
        )
        for i in range(edge_count):
            first[faces[i]], height[faces[i]] = -1, 0.0
        while orphans >= 0:
            following = lists[orphans]
            _assign(grid, corners, planes, lengths, faces, edge_count, orphans, lists, first, farthest, height, 0.0)
            orphans = following
        vertex_count += 1
        is_checked = False
    return _compact(corners, neighbours, planes, lengths, is_alive, used)


@kernel
def _compact(corners, neighbours, planes, lengths, is_alive, used):
    """Move the living faces to the front; gives their number."""
    place = np.full(used, -1, dtype=np.int32)
    count = 0
    for face in range(used):
        if is_alive[face]:
            place[face] = count
            count += 1
    for face in range(used):
        if place[face] >= 0:
            to = place[face]
            lengths[to] = lengths[face]
            for k in range(3):
                corners[to, k] = corners[face, k]
                planes[to, k] = planes[face, k]
                neighbours[to, k] = place[neighbours[face, k]]
    return count


@kernel
def _merge_faces(grid, corners, neighbours, planes, lengths, count, tolerance, labels):
    """Label the triangles by polygon: from the largest triangle on, neighbours within `tolerance` of its plane join it.
    Gives the number of polygons."""
    labels[:count] = -1
    stack = np.empty(count, dtype=np.int32)
    polygon_count = 0
    while True:
        seed, best = -1, 0.0
        for face in range(count):
            if labels[face] < 0 and lengths[face] > best:
                best, seed = lengths[face], face
        if seed < 0:
            return polygon_count
        labels[seed] = polygon_count
        stack[0], depth = seed, 1
        while depth > 0:
            depth -= 1
            face = stack[depth]
            for k in range(3):
                other = neighbours[face, k]
                if labels[other] >= 0:
                    continue
                is_flat, alignment = True, 0.0
                for j in range(3):
                    above = _height(grid, corners, planes, seed, corners[other, j]) / lengths[seed]
                    is_flat &= abs(above) <= tolerance
                    alignment += float(planes[seed, j]) * float(planes[other, j])
                if is_flat and alignment > 0.2 * lengths[seed] * lengths[other]:
                    labels[other] = polygon_count
                    stack[depth] = other
                    depth += 1
        polygon_count += 1


@kernel
def _walk_polygons(corners, neighbours, labels, count, polygon_count, face_starts, face_vertices):
    """The boundary of each polygon in order; False if one is not a single ring."""
    filled = 0
    for label in range(polygon_count):
        face_starts[label] = filled
        start_face, start_edge, boundary_count = -1, 0, 0
        for face in range(count):
            if labels[face] == label:
                for k in range(3):
                    if labels[neighbours[face, k]] != label:
                        start_face, start_edge = face, k
                        boundary_count += 1
        if boundary_count < 3:
            return False
        face, edge = start_face, start_edge
        for _ in range(boundary_count):
            face_vertices[filled] = corners[face, edge]
            filled += 1
            edge = (edge + 1) % 3
            while labels[neighbours[face, edge]] == label:
                other, pivot = neighbours[face, edge], corners[face, edge]
                edge = 0
                while corners[other, edge] != pivot:
                    edge += 1
                face = other
        if face != start_face or edge != start_edge:
            return False
    face_starts[polygon_count] = filled
    return True


@kernel
def _mark_needless(grid, face_starts, face_vertices, polygon_count, corners, planes, seeds, tolerance, marks, valence):
    """Mark vertices that stand out of a polygon's outline, or of the edge of two, by less than the tolerance: 1
    removed, 2 kept because a neighbour is removed. Gives the number removed."""
    removed = 0
    for label in range(polygon_count):
        begin, end = face_starts[label], face_starts[label + 1]
        seed = seeds[label]
        nx, ny, nz = float(planes[seed, 0]), float(planes[seed, 1]), float(planes[seed, 2])
        size = (nx * nx + ny * ny + nz * nz) ** 0.5
        for i in range(begin, end):
            a = face_vertices[i - 1 if i > begin else end - 1]
            b = face_vertices[i]
            c = face_vertices[i + 1 if i + 1 < end else begin]
            if marks[b] == 1 or marks[b] == 2 or marks[a] == 1 or marks[c] == 1:
                continue
            ex, ey, ez = float(grid[c, 0] - grid[a, 0]), float(grid[c, 1] - grid[a, 1]), float(grid[c, 2] - grid[a, 2])
            dx, dy, dz = float(grid[b, 0] - grid[a, 0]), float(grid[b, 1] - grid[a, 1]), float(grid[b, 2] - grid[a, 2])
            sx, sy, sz = ey * nz - ez * ny, ez * nx - ex * nz, ex * ny - ey * nx
            width = (sx * sx + sy * sy + sz * sz) ** 0.5
            outward = dx * sx + dy * sy + dz * sz
            if valence[b] <= 2 or outward <= tolerance * width or width <= 1e-9 * size:
                marks[b], marks[a], marks[c] = 1, 2, 2
                removed += 1
    return removed


@kernel
def _polygons(grid, corners, neighbours, planes, lengths, count, tolerance, labels, face_starts, face_vertices, marks):
    """Merge and walk. Gives the number of polygons (0: the rings are broken) and of needless vertices, marked 1."""
    polygon_count = _merge_faces(grid, corners, neighbours, planes, lengths, count, tolerance, labels)
    if polygon_count < 4 or not _walk_polygons(
        corners, neighbours, labels, count, polygon_count, face_starts, face_vertices
    ):
        return 0, 0
    seeds = np.full(polygon_count, -1, dtype=np.int32)
    valence = np.zeros(len(grid), dtype=np.int32)
    marks[:] = 0
    for face in range(count):
        if seeds[labels[face]] < 0 or lengths[face] > lengths[seeds[labels[face]]]:
            seeds[labels[face]] = face
    for i in range(face_starts[polygon_count]):
        valence[face_vertices[i]] += 1
    removed = _mark_needless(
        grid, face_starts, face_vertices, polygon_count, corners, planes, seeds, 0.5 * tolerance, marks, valence
    )
    for face in range(count):
        for k in range(3):
            if valence[corners[face, k]] == 0:  # inside a polygon
                marks[corners[face, k]] = 1
    return polygon_count, removed


@kernel
def _write_result(
    numbers, corners, neighbours, labels, count, polygon_count, face_starts, face_vertices, vertices, edges, number_of
):
    """Number the vertices and list the edges, each once."""
    number_of[:] = -1
    vertex_count = 0
    for i in range(face_starts[polygon_count]):
        vertex = face_vertices[i]
        if number_of[vertex] < 0:
            number_of[vertex] = vertex_count
            vertices[vertex_count] = vertex
            vertex_count += 1
        face_vertices[i] = number_of[vertex]
    edge_count = 0
    for face in range(count):
        for k in range(3):
            other = neighbours[face, k]
            a, b = number_of[corners[face, k]], number_of[corners[face, (k + 1) % 3]]
            if labels[other] != labels[face] and a < b:
                edges[edge_count, 0] = a
                edges[edge_count, 1] = b
                edges[edge_count, 2] = labels[face]
                edges[edge_count, 3] = labels[other]
                edge_count += 1
    numbers[2], numbers[3], numbers[4] = vertex_count, polygon_count, edge_count


@entry_point("void(int64, float64)")
def build_hull_grid(addresses, tolerance):
    """The hull of points on the grid. `addresses`: int64 words, the addresses of the numbers (in: point count, most
    vertices; out: vertex, face and edge count, status 0 or 1: coplanar), the points, and the four arrays of the
    result."""
    table = view(addresses, 6, np.int64)
    numbers = view(table[0], _LIMITS, np.int64)
    grid = view2(table[1], numbers[0], 3, np.int64)
    vertices = view(table[2], MAX_VERTICES, np.int32)
    face_starts = view(table[3], _MAX_FACES + 1, np.int32)
    face_vertices = view(table[4], 2 * _MAX_EDGES + 16, np.int32)
    edges = view2(table[5], _MAX_EDGES + 8, 4, np.int32)
    corners = np.empty((_MAX_FACES, 3), dtype=np.int32)
    neighbours = np.empty((_MAX_FACES, 3), dtype=np.int32)
    planes = np.empty((_MAX_FACES, 3), dtype=np.int64)
    lengths = np.empty(_MAX_FACES, dtype=np.float64)
    labels = np.empty(_MAX_FACES, dtype=np.int32)
    marks = np.zeros(numbers[0], dtype=np.int32)
    members = np.arange(numbers[0]).astype(np.int32)
    member_count, polygon_count, count = numbers[0], 0, 0
    numbers[5] = 1
    for _ in range(_MAX_ROUNDS):
        count = _quickhull(grid, members, member_count, numbers[1], tolerance, corners, neighbours, planes, lengths)
        if count == 0:
            return
        polygon_count, needless = _polygons(
            grid, corners, neighbours, planes, lengths, count, tolerance, labels, face_starts, face_vertices, marks
        )
        if polygon_count > 0 and needless == 0:
            break
        # Hull again without the needless ones; if the rings were broken, from all its vertices with nothing merged.
        kept = 0
        for vertex in range(numbers[0]):
            marks[vertex] = 3 if marks[vertex] == 1 else 0
        for face in range(count):
            for k in range(3):
                if marks[corners[face, k]] == 0:
                    marks[corners[face, k]] = 4
                    members[kept] = corners[face, k]
                    kept += 1
        member_count = kept
        if polygon_count == 0:
            break
        polygon_count = 0
    if polygon_count == 0:
        count = _quickhull(grid, members, member_count, numbers[1], 0.0, corners, neighbours, planes, lengths)
        if count == 0:
            return
        for face in range(count):
            labels[face] = face
        polygon_count = count
        _walk_polygons(corners, neighbours, labels, count, polygon_count, face_starts, face_vertices)
    _write_result(
        numbers, corners, neighbours, labels, count, polygon_count, face_starts, face_vertices, vertices, edges, marks
    )
    numbers[5] = 0
