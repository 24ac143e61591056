"""Merging the triangles of a hull to polygons: triangles in one plane are merged, redundant vertices are marked.

Source: D. Gregorius, "Implementing QuickHull", GDC 2014 (why to merge, and with what tolerance).
"""

import numpy as np

from ..runtime.kernel import kernel
from .quickhull import height_above


@kernel
def _merge_faces(grid, corners, neighbours, planes, lengths, count, tolerance, labels):
    """Label the triangles by polygon: from the largest triangle on, neighbours within `tolerance` of its plane join it.
    Return the number of polygons."""
    labels[:count] = -1
    stack = np.empty(count, dtype=np.int64)
    polygon_count = 0
    while True:
        seed, best = np.int64(-1), 0.0
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
                    above = height_above(grid, corners, planes, seed, corners[other, j]) / lengths[seed]
                    is_flat &= abs(above) <= tolerance
                    alignment += float(planes[seed, j]) * float(planes[other, j])
                if is_flat and alignment > 0.2 * lengths[seed] * lengths[other]:
                    labels[other] = polygon_count
                    stack[depth] = other
                    depth += 1
        polygon_count += 1


@kernel
def _walk_polygons(corners, neighbours, labels, count, polygon_count, face_starts, face_vertices):
    """Write the boundary of each polygon in order. Return False if one is not a single ring."""
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
def _mark_needless(grid, face_starts, face_vertices, polygon_count, planes, lengths, seeds, tolerance, marks, valence):
    """Mark redundant vertices: those that stand out of a polygon's outline by less than the tolerance, or lie between just two
    polygons that are almost one: 1 removed, 2 kept because a neighbour is removed. `valence` is the number of polygons at a
    vertex, and the sum of their labels. Return the number removed."""
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
            is_needless = outward <= tolerance * width or width <= 1e-9 * size
            if valence[b, 0] == 2:
                other = seeds[valence[b, 1] - label]
                alignment = nx * float(planes[other, 0]) + ny * float(planes[other, 1]) + nz * float(planes[other, 2])
                is_needless |= alignment > 0.9 * size * lengths[other]
            if is_needless:
                marks[b], marks[a], marks[c] = 1, 2, 2
                removed += 1
    return removed


@kernel
def make_polygons(grid, corners, neighbours, planes, lengths, count, tolerance, labels, face_starts, face_vertices, marks):
    """Merge triangles and walk the polygons. Return the number of polygons (0: the rings are broken) and of redundant vertices,
    marked 1."""
    polygon_count = _merge_faces(grid, corners, neighbours, planes, lengths, count, tolerance, labels)
    if polygon_count < 4 or not _walk_polygons(corners, neighbours, labels, count, polygon_count, face_starts, face_vertices):
        return 0, 0
    seeds = np.full(polygon_count, -1, dtype=np.int64)
    valence = np.zeros((len(grid), 2), dtype=np.int64)
    marks[:] = 0
    for face in range(count):
        if seeds[labels[face]] < 0 or lengths[face] > lengths[seeds[labels[face]]]:
            seeds[labels[face]] = face
    for label in range(polygon_count):
        for i in range(face_starts[label], face_starts[label + 1]):
            valence[face_vertices[i], 0] += 1
            valence[face_vertices[i], 1] += label
    removed = _mark_needless(
        grid, face_starts, face_vertices, polygon_count, planes, lengths, seeds, 0.5 * tolerance, marks, valence
    )
    for face in range(count):
        for k in range(3):
            if valence[corners[face, k], 0] == 0:  # inside a polygon
                marks[corners[face, k]] = 1
    return polygon_count, removed


@kernel
def write_result(
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
