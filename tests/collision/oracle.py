"""Naive, readable twins of collision: all by convex hulls of Minkowski differences, in NumPy and SciPy.

A body here is a core (a cloud of points, at least one) and a radius about it.
"""

import itertools

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from scree.shapes.schema import BOX, CAPSULE, CYLINDER, HULL, SPHERE

CORNERS = 128
"""Sides of the prism that stands for a cylinder."""


def rotation_matrix(q):
    """Matrix of the unit quaternion (x, y, z, w)."""
    x, y, z, w = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def core_of(row, hull_vertices=None):
    """(points of the core in the shape's frame, radius) of a row of SHAPE."""
    if row["kind"] == SPHERE:
        return np.zeros((1, 3)), float(row["radius"])
    if row["kind"] == CAPSULE:
        return np.array([[0, row["half_height"], 0], [0, -row["half_height"], 0]], dtype=float), float(row["radius"])
    if row["kind"] == BOX:
        return np.array(list(itertools.product((-1, 1), repeat=3))) * row["half_extents"].astype(float), 0.0
    if row["kind"] == CYLINDER:  # a prism: off by 3e-4 of the radius at most
        angles = np.arange(CORNERS) * 2.0 * np.pi / CORNERS
        x, z = row["radius"] * np.cos(angles), row["radius"] * np.sin(angles)
        return np.array([(a, y * row["half_height"], b) for a, b in zip(x, z, strict=True) for y in (-1, 1)]), 0.0
    assert row["kind"] == HULL
    return hull_vertices.astype(float), float(row["radius"])


def nearest_on_triangles(a, b, c):
    """Distances of the origin from triangles, each corner of shape (n, 3): the least over insides, sides and
    corners."""

    def on_segment(p, q):
        d = q - p
        size = np.maximum((d * d).sum(1), 1e-300)
        t = np.clip(-(p * d).sum(1) / size, 0, 1)
        return np.linalg.norm(p + t[:, None] * d, axis=1)

    best = np.minimum(np.minimum(on_segment(a, b), on_segment(b, c)), on_segment(c, a))
    n = np.cross(b - a, c - a)
    size = np.linalg.norm(n, axis=1)
    with np.errstate(all="ignore"):
        n = n / size[:, None]
        height = (a * n).sum(1)
        foot = height[:, None] * n
        inside = size > 0
        for p, q in ((a, b), (b, c), (c, a)):
            inside &= (np.cross(q - p, foot - p) * n).sum(1) >= 0
    return np.where(inside, np.minimum(best, np.abs(np.where(inside, height, 0))), best)


def signed_distance_of_cloud(points):
    """Signed distance of the origin from the convex hull of points (n, 3): negative inside."""
    points = np.asarray(points, dtype=float)
    center = points.mean(axis=0)
    _, sizes, axes = np.linalg.svd(np.concatenate((points - center, np.zeros((3, 3)))), full_matrices=False)
    scale = max(np.abs(points).max(), 1e-12)
    rank = int((sizes > 1e-9 * scale).sum())
    if rank == 3:
        try:
            hull = ConvexHull(points)
            offsets = hull.equations[:, 3]
            if (offsets <= 0).all():
                return float(offsets.max())
            corners = points[hull.simplices]
            return float(nearest_on_triangles(corners[:, 0], corners[:, 1], corners[:, 2]).min())
        except QhullError:
            rank = 2
    # Flat: the distance is that of the plane (or line) combined with the distance inside of it.
    local = (points - center) @ axes.T
    origin = -center @ axes.T
    off = np.linalg.norm(origin[rank:])
    inner = local[:, :rank] - origin[:rank]
    if rank == 0:
        return float(off)
    if rank == 1:
        low, high = inner.min(), inner.max()
        inside = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
        return float(np.hypot(off, inside))
    hull = ConvexHull(inner)
    if (hull.equations[:, 2] <= 0).all():
        return float(off)
    segments = np.concatenate((inner[hull.simplices], np.zeros((len(hull.simplices), 2, 1))), axis=2)
    inside = nearest_on_triangles(segments[:, 0], segments[:, 1], segments[:, 1]).min()
    return float(np.hypot(off, inside))


def world_core(core, position, q):
    return core @ rotation_matrix(q).T + np.asarray(position)


def signed_distance(core_a, core_b):
    """Distance of two cores in world axes, or minus their depth."""
    return signed_distance_of_cloud((core_a[:, None, :] - core_b[None, :, :]).reshape(-1, 3))


def surface_distance(core, radius, point):
    """Signed distance of a point from the surface of a body."""
    return signed_distance_of_cloud(core - np.asarray(point)) - radius
