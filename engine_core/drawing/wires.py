"""Wires: the lines of the unit forms, and of shapes that have a mesh of their own."""

import math

import numpy as np

from ..collision.query_schema import PLACED_SHAPE
from ..collision.triangulation import TRIANGLE_REQUEST, triangulate
from ..runtime.memory import address_of
from ..shapes.schema import MESH
from .schema import BOUNDS, BOXES, CYLINDERS, LINES, SPHERES

AROUND = 24
"""Lines of a circle."""
MOST_TRIANGLES = 1 << 20
"""A shape of more triangles is drawn as its bounds."""
FLAT = 0.9999
"""Edges between faces whose normals have a larger cosine are left out, except on meshes and height fields."""
SLACK = 1e-3


def _circle(first: int, second: int) -> np.ndarray:
    """A unit circle in the plane of two axes, as lines (AROUND, 2, 3)."""
    angles = np.linspace(0.0, 2.0 * math.pi, AROUND + 1)
    points = np.zeros((AROUND + 1, 3))
    points[:, first], points[:, second] = np.cos(angles), np.sin(angles)
    return np.stack([points[:-1], points[1:]], axis=1)


def box_wire() -> np.ndarray:
    """The edges of a cube of half extents 1: float32 (12, 2, 3)."""
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float32)
    edges = [(i, j) for i in range(8) for j in range(i) if np.abs(corners[i] - corners[j]).sum() == 2]
    return corners[np.array(edges)]


def sphere_wire() -> np.ndarray:
    """Three great circles of a ball of radius 1: float32 (lines, 2, 3)."""
    return np.concatenate([_circle(0, 1), _circle(1, 2), _circle(0, 2)]).astype(np.float32)


def cylinder_wire() -> np.ndarray:
    """A cylinder of radius 1 and half height 1: float32 (lines, 2, 3)."""
    ends = [_circle(0, 2) + (0, y, 0) for y in (-1, 1)]
    sides = np.array([[(x, -1, z), (x, 1, z)] for x, z in ((1, 0), (-1, 0), (0, 1), (0, -1))])
    return np.concatenate([*ends, sides]).astype(np.float32)


def capsule_wire(ratio: float) -> np.ndarray:
    """A capsule of half its whole height 1 and radius 1, whose caps are `ratio` high along Y: float32 (lines, 2, 3)."""
    lines = [_circle(0, 2) + (0, y, 0) for y in (-(1 - ratio), 1 - ratio)]
    for first, second in ((0, 1), (2, 1)):
        arc = _circle(first, second)
        middle = np.sign(arc[:, :, 1].mean(axis=1))[:, None]
        arc[:, :, 1] = arc[:, :, 1] * ratio + middle * (1 - ratio)
        lines.append(arc)
    low, high = -(1 - ratio), 1 - ratio
    lines.append(np.array([[(x, low, z), (x, high, z)] for x, z in ((1, 0), (-1, 0), (0, 1), (0, -1))]))
    return np.concatenate(lines).astype(np.float32)


def placed_wires(rows: np.ndarray, wire: np.ndarray) -> np.ndarray:
    """A form at the places of rows: float32 (n, lines, 2, 3) [m]. `wire`: (lines, 2, 3), or for each row (n, lines, 2, 3)."""
    transforms = rows[:, :12].reshape(-1, 3, 4)
    return (
        np.einsum("nij,n...j->n...i", transforms[:, :, :3], np.broadcast_to(wire, (len(rows), *wire.shape[-3:])))
        + (transforms[:, None, None, :, 3])
    )


def capsule_wires(rows: np.ndarray) -> np.ndarray:
    """The unit forms of capsules: float32 (n, lines, 2, 3)."""
    ratios = np.linalg.norm(rows[:, 0:12:4], axis=1) / np.maximum(np.linalg.norm(rows[:, 1:12:4], axis=1), 1e-9)
    ratios = ratios[:, None, None].astype(np.float32)
    wires = np.broadcast_to(capsule_wire(1.0), (len(rows), *capsule_wire(1.0).shape)).copy()
    wires[..., 1] = wires[..., 1] * ratios + np.sign(capsule_wire(0.0)[..., 1]) * (1.0 - ratios)
    return wires


UNIT_WIRES = {
    BOXES: box_wire(), SPHERES: sphere_wire(), CYLINDERS: cylinder_wire(), BOUNDS: box_wire(),
    LINES: np.array([[(0, 0, 0), (1, 0, 0)]], np.float32),
}  # fmt: skip
"""The lines of unit forms, by kind, float32 (lines, 2, 3). Those of capsules depend on their sizes."""


def shape_wire(row: np.ndarray) -> np.ndarray:
    """The lines of a row of SHAPE in its own frame [m]: float32 (lines, 2, 3)."""
    triangles = _triangles_of(row)
    if triangles is None:
        low, high = row["bounds"][:3], row["bounds"][3:]
        return (box_wire() * (0.5 * (high - low)) + 0.5 * (high + low)).astype(np.float32)
    return _edges_of(triangles, keeps_flat=int(row["kind"]) == MESH)


def _triangles_of(row: np.ndarray) -> np.ndarray | None:
    """The triangles of a shape, float32 (n, 3, 3), or None if there are too many."""
    placed, request = np.zeros(1, PLACED_SHAPE), np.zeros(1, TRIANGLE_REQUEST)
    placed["rotation"], placed["settings"] = (0, 0, 0, 1), row
    low, high = row["bounds"][:3].astype(np.float64), row["bounds"][3:].astype(np.float64)
    slack = SLACK * (1.0 + np.abs(low) + np.abs(high))
    request["placed"], request["placed_count"] = address_of(placed), 1
    request["low"], request["high"] = low - slack, high + slack
    capacity = 4096
    while True:
        found = np.empty((capacity, 3, 3), np.float32)
        request["triangles"], request["capacity"] = address_of(found), capacity
        count = triangulate(address_of(request))
        if count <= capacity:
            return found[:count]
        if count > MOST_TRIANGLES:
            return None
        capacity = count


def _edges_of(triangles: np.ndarray, keeps_flat: bool) -> np.ndarray:
    """The edges of triangles, each once: float32 (n, 2, 3)."""
    if not len(triangles):
        return np.zeros((0, 2, 3), np.float32)
    corners = triangles.reshape(-1, 3) + np.float32(0.0)  # -0.0 becomes 0.0: equal corners get equal bits
    bits = np.ascontiguousarray(corners).view(np.uint32).astype(np.uint64)
    names = bits @ np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)
    _, first, number = np.unique(names, return_index=True, return_inverse=True)
    number = number.reshape(-1, 3)
    ends = np.concatenate([number[:, [0, 1]], number[:, [1, 2]], number[:, [2, 0]]])
    ends.sort(axis=1)
    keys = ends[:, 0].astype(np.int64) * len(first) + ends[:, 1]
    wanted, which = np.unique(keys, return_inverse=True)
    if not keeps_flat:
        wanted = wanted[~_is_flat(triangles, which, len(wanted))]
    return corners[first[np.stack([wanted // len(first), wanted % len(first)], axis=1)]]


def _is_flat(triangles: np.ndarray, which: np.ndarray, count: int) -> np.ndarray:
    """Whether each edge lies between two triangles of one plane. `which`: the edge of each side of each triangle."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]).astype(np.float64)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    sums, users = np.zeros((count, 3)), np.bincount(which, minlength=count)
    for axis in range(3):
        sums[:, axis] = np.bincount(which, np.tile(normals[:, axis], 3), count)
    return (users == 2) & ((sums * sums).sum(axis=1) > 2.0 + 2.0 * FLAT)
