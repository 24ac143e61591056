"""Quickhull on an integer grid: a triangulated hull, closed and convex, without a rounding error.

A face has three corners (indices of points), the neighbour across each edge (edge k runs from corner k to the next), its plane in
grid units, and the points outside of it as a list. With coordinates below 2^20 the orientation test fits in 64 bits, so it is
exact, and theoretical guarantees hold.
"""

import numpy as np

from ..runtime.kernel import kernel

GRID = (1 << 20) - 1
"""Largest coordinate on the grid."""
MAX_VERTICES = 256
"""The largest number of vertices of a hull."""
MAX_FACES = 2 * MAX_VERTICES + 8


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
def height_above(grid, corners, planes, face, point):
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
    # Numba compiles a callee once more for each literal number it is given: np.int64(0) is one type with all others.
    _make_face(grid, corners, neighbours, planes, lengths, np.int64(0), a, b, c)
    d, best = a, np.int64(0)
    for i in range(count):
        height = height_above(grid, corners, planes, np.int64(0), members[i])
        if abs(height) > abs(best):
            best, d = height, members[i]
    if best == 0:
        return False
    if best > 0:
        b, c = c, b
    sides = ((a, b, c), (a, d, b), (b, d, c), (c, d, a))
    for face in range(4):
        side = sides[face]
        _make_face(grid, corners, neighbours, planes, lengths, face, side[0], side[1], side[2])
    links = ((0, 0, 1, 2), (0, 1, 2, 2), (0, 2, 3, 2), (1, 1, 2, 0), (2, 1, 3, 0), (3, 1, 1, 0))
    for face, edge, other, other_edge in links:
        neighbours[face, edge] = other
        neighbours[other, other_edge] = face
    return True


@kernel
def _assign(grid, corners, planes, lengths, faces, face_count, point, lists, first, farthest, height, least):
    """Put the point on the list of that of `faces` which it is highest above, if that is more than `least` [grid], at least 0."""
    best_face, best = -1, least
    for i in range(face_count):
        face = faces[i]
        area = height_above(grid, corners, planes, face, point)
        if area > 0:  # most are not: no division for those
            above = area / lengths[face]
            if above > best:
                best, best_face = above, face
    if best_face >= 0:
        lists[point] = first[best_face]
        first[best_face] = point
        if best > height[best_face]:
            height[best_face] = best
            farthest[best_face] = point


@kernel
def _cut_visible(grid, corners, neighbours, planes, is_alive, used, point, first, lists, horizon, seeing):
    """Remove the faces that see the point (their numbers are left in `seeing`). Return the number of open edges, `horizon` rows
    of (from, to, face beyond), and the list of the points that were outside of the removed faces."""
    edge_count, orphans, seeing_count = np.int64(0), np.int64(-1), np.int64(0)
    for face in range(used):
        if is_alive[face] and height_above(grid, corners, planes, face, point) > 0:
            is_alive[face] = 0
            seeing[seeing_count] = face
            seeing_count += 1
    for i in range(seeing_count):
        face = seeing[i]
        for k in range(3):
            beyond = neighbours[face, k]
            if is_alive[beyond]:
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
        first[face] = -1
    return edge_count, orphans


@kernel
def _fill_horizon(grid, corners, neighbours, planes, lengths, is_alive, used, point, horizon, edge_count, face_at, new_faces):
    """Join the point to each edge of the horizon. Return the number of face rows now in use."""
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
def quickhull(grid, members, count, limit, tolerance, corners, neighbours, planes, lengths):
    """Triangulate the hull of `members[:count]`. Return the number of faces (rows 0 to n - 1), 0 if all points are coplanar, and
    how far a point omitted by the limit on vertices is outside [grid], 0 if none is."""
    if not _make_tetrahedron(grid, members, count, corners, neighbours, planes, lengths):
        return np.int64(0), 0.0
    is_alive = np.zeros(MAX_FACES, dtype=np.int64)
    first = np.full(MAX_FACES, -1, dtype=np.int64)
    farthest = np.full(MAX_FACES, -1, dtype=np.int64)
    height = np.zeros(MAX_FACES, dtype=np.float64)
    lists = np.full(len(grid), -1, dtype=np.int64)
    face_at = np.zeros(len(grid), dtype=np.int64)
    horizon = np.empty((MAX_FACES, 3), dtype=np.int64)
    faces = np.empty(MAX_FACES, dtype=np.int64)
    used, vertex_count, is_checked = np.int64(4), np.int64(4), False
    is_alive[:4] = 1
    for face in range(4):
        faces[face] = face
    for i in range(count):
        _assign(grid, corners, planes, lengths, faces, used, members[i], lists, first, farthest, height, 0.0)
    while vertex_count < limit:
        best, best_face = tolerance, np.int64(-1)
        for face in range(used):
            if is_alive[face] and first[face] >= 0 and height[face] > best:
                best, best_face = height[face], face
        if best_face < 0:
            if is_checked:
                break
            # A point is on the list of one face only: look once whether it stands out of another. Corners do not.
            is_checked, alive_count = True, np.int64(0)
            for i in range(count):
                face_at[members[i]] = 0
            for face in range(used):
                first[face], height[face] = -1, 0.0
                if is_alive[face]:
                    faces[alive_count] = face
                    alive_count += 1
                    for k in range(3):
                        face_at[corners[face, k]] = -1
            for i in range(count):
                if face_at[members[i]] == 0:
                    _assign(
                        grid, corners, planes, lengths, faces, alive_count, members[i], lists, first, farthest, height,
                        tolerance,
                    )  # fmt: skip
            continue
        point = farthest[best_face]
        edge_count, orphans = _cut_visible(grid, corners, neighbours, planes, is_alive, used, point, first, lists, horizon, faces)
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
    left_out = 0.0
    for face in range(used):
        if vertex_count == limit and is_alive[face] and first[face] >= 0 and height[face] > max(tolerance, left_out):
            left_out = height[face]
    return _compact(corners, neighbours, planes, lengths, is_alive, used), left_out


@kernel
def _compact(corners, neighbours, planes, lengths, is_alive, used):
    """Move the existing faces to the front; return their number."""
    place = np.full(used, -1, dtype=np.int64)
    count = np.int64(0)
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
