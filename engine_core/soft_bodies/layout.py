"""The layout of a soft body: welding vertices, edges and bends of its triangles, masses. NumPy, when it is made."""

from dataclasses import dataclass

import numpy as np

from ..runtime.distinct import distinct
from .schema import EDGE
from .strips import Parts, part

LEAST_SHARE = 0.25
"""The lightest particle has at least this part of the mean mass: a sliver must not make one that is hard to solve."""


def welded(vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions (k, 3) without repetitions, in the order of their first vertices, and the particle of each vertex (n,)."""
    _, first, inverse = np.unique(vertices, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return np.ascontiguousarray(vertices[first[order]]), rank[inverse.reshape(-1)]


def without_degenerate(triangles: np.ndarray) -> np.ndarray:
    """The triangles (m, 3) with three different corners."""
    a, b, c = triangles.T
    return np.ascontiguousarray(triangles[(a != b) & (b != c) & (c != a)])


def edges_of(triangles: np.ndarray) -> np.ndarray:
    """The edges (k, 2) of triangles, each once, the lower particle first."""
    pairs = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    return distinct(pairs, axis=0) if len(pairs) else pairs


def bends_of(triangles: np.ndarray) -> np.ndarray:
    """The corners (k, 2) that lie across an edge of two triangles, but for those that are an edge themselves."""
    sides = triangles[:, [0, 1, 2, 1, 2, 0, 2, 0, 1]].reshape(-1, 3)  # edge, and the corner across
    sides[:, :2] = np.sort(sides[:, :2], axis=1)
    sides = sides[np.lexsort((sides[:, 2], sides[:, 1], sides[:, 0]))]
    same = (sides[1:, :2] == sides[:-1, :2]).all(axis=1)
    pairs = np.stack((sides[:-1][same, 2], sides[1:][same, 2]), axis=1)
    pairs = distinct(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0) if len(pairs) else pairs
    known = {tuple(pair) for pair in edges_of(triangles).tolist()}
    return np.array([pair for pair in pairs.tolist() if tuple(pair) not in known], np.int64).reshape(-1, 2)


def is_closed(triangles: np.ndarray) -> bool:
    """Whether the triangles enclose a volume: each edge is run through once in each direction."""
    if not len(triangles):
        return False
    runs = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    there, back = distinct(runs, axis=0), distinct(runs[:, ::-1], axis=0)
    return len(there) == len(runs) and np.array_equal(there, back)


def volume_of(positions: np.ndarray, triangles: np.ndarray) -> float:
    """The signed volume [m^3] enclosed by triangles: positive if they run counter-clockwise seen from outside."""
    a, b, c = (positions[triangles[:, k]] - positions[0] for k in range(3))
    return float((a * np.cross(b, c)).sum() / 6.0)


def masses_of(positions: np.ndarray, triangles: np.ndarray, mass: float) -> np.ndarray:
    """The masses (k,) of particles [kg]: by the areas of the triangles around them, none much lighter than the mean."""
    shares = np.zeros(len(positions))
    if len(triangles):
        a, b, c = (positions[triangles[:, k]] for k in range(3))
        areas = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 6.0
        np.add.at(shares, triangles, areas[:, None])
    if not shares.sum() > 0.0:
        shares[:] = 1.0
    shares = np.maximum(shares, LEAST_SHARE * shares.mean())
    return mass * shares / shares.sum()


@dataclass(frozen=True)
class Layout:
    """The parts of a soft body. Lengths [m]."""

    positions: np.ndarray
    """Positions of the particles, float64 (n, 3)."""
    particle_of: np.ndarray
    """The particle of each vertex, int64 (vertices,)."""
    triangles: np.ndarray
    """Triangles of particles, int32 (m, 3), in the order in which they were given."""
    faces: np.ndarray
    """These triangles in the order of their strips and colours."""
    edges: np.ndarray
    """EDGE, in the order of their strips and colours, without compliance."""
    is_bend: np.ndarray
    """Whether an edge holds the bend of two triangles, bool (edges,)."""
    orientation: float
    """See SOFT_BODY."""
    volume: float
    """Enclosed at rest [m^3]; 0 if the surface is open."""
    parts: Parts
    """Its strips."""


def lay_out(vertices: np.ndarray, triangles: np.ndarray) -> Layout:
    """Lay out a soft body of vertices, float64 (n, 3), and triangles, int64 (m, 3), which are checked already."""
    used = np.zeros(len(vertices), bool)
    used[triangles] = True
    if not len(triangles):
        used[:] = True
    positions, of_used = welded(vertices[used])
    particle_of = np.full(len(vertices), -1, np.int64)
    particle_of[used] = of_used
    own = without_degenerate(particle_of[triangles]) if len(triangles) else np.zeros((0, 3), np.int64)
    edges, bends = edges_of(own), bends_of(own)
    pairs = np.concatenate((edges, bends))
    rows = np.zeros(len(pairs), EDGE)
    rows["a"], rows["b"] = pairs.T
    rows["rest"] = np.linalg.norm(positions[rows["b"]] - positions[rows["a"]], axis=1)
    parts = part(positions, pairs, own)
    rows, is_bend = rows[parts.edge_order], parts.edge_order >= len(edges)
    volume = volume_of(positions, own) if is_closed(own) else 0.0
    triangles = own.astype(np.int32)
    faces = triangles[parts.face_order]
    return Layout(positions, particle_of, triangles, faces, rows, is_bend, float(np.sign(volume)), abs(volume), parts)
