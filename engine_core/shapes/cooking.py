"""Cooking: from settings to the fields of a row of SHAPE and the block of a hull or mesh."""

import math
from typing import NamedTuple

import numpy as np

from ..geometry import mass
from ..geometry.angles import even_directions
from ..geometry.hull_building import convex_hull
from ..runtime.memory import address_of
from . import schema, solids

INFINITE = 1e30
"""Bounds of an infinite shape."""
COOKED_FIELDS = (
    "radius", "half_height", "half_extents", "plane", "bounds", "volume", "center_of_mass", "inertia", "inner_radius",
    "has_backface_collision", "length", "slides_on_slope",
)  # fmt: skip
ALIGNMENT = 128
"""Alignment of arrays in a block [byte]: two cache lines, which processors fetch together."""


class Block(NamedTuple):
    """Cooked arrays in one piece of memory: a record of addresses, then the arrays."""

    memory: np.ndarray  # uint8; keeps the memory alive
    address: int
    arrays: dict  # name: view of the array in the memory


class Cooked(NamedTuple):
    """The content of a row of SHAPE. `kind` may differ from the user's kind: an empty hull is EMPTY, a height field MESH."""

    kind: int
    fields: dict
    block: Block | None = None
    parts: tuple = ()  # of a compound: the shapes that `shape` of its parts refers to, by number
    left_out: float = 0.0  # of a hull at its vertex limit: how far the farthest omitted point is outside [m]


def user_kind_of(cooked: Cooked) -> int:
    """The user's kind that is cooked to this."""
    is_field = cooked.block is not None and "heights" in cooked.block.arrays
    return schema.HEIGHT_FIELD if is_field else cooked.kind


def _aligned(size: int) -> int:
    return (size + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


def pack_block(dtype: np.dtype, numbers: dict, arrays: dict) -> Block:
    """Pack into one piece of memory a record of `dtype`, with `numbers` in its fields, and copies of `arrays`, whose addresses go
    into the fields of the same names. Every array starts at a multiple of ALIGNMENT."""
    offsets, size = {}, _aligned(dtype.itemsize)
    for name, array in arrays.items():
        offsets[name] = size
        size += _aligned(array.nbytes)
    memory = np.empty(size + ALIGNMENT, dtype=np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    address = memory.ctypes.data + start
    record = memory[start : start + dtype.itemsize].view(dtype)
    record[0] = np.zeros((), dtype=dtype)
    views = {}
    for name, number in numbers.items():
        record[name] = number
    for name, array in arrays.items():
        begin = start + offsets[name]
        views[name] = memory[begin : begin + array.nbytes].view(array.dtype).reshape(array.shape)
        views[name][...] = array
        record[name] = address + offsets[name] if array.nbytes else 0
    return Block(memory, address, views)


def cook_solid(kind: int, *sizes: float) -> Cooked:
    """Cook a sphere, box, capsule or cylinder; `sizes`: see solids.py."""
    row = np.zeros(1, schema.SHAPE)
    solids.cook_solid(address_of(row), kind, *sizes, *[0.0] * (3 - len(sizes)))
    return Cooked(kind, {name: row[0][name] for name in COOKED_FIELDS})


def inner_radius_of(support, center) -> float:
    """Approximate radius of the largest sphere about an inner point. `support`: a function of unit vectors `(n, 3)`."""
    directions = np.concatenate((even_directions(4096), np.eye(3), -np.eye(3)))
    reach = ((support(directions) - np.asarray(center)) * directions).sum(axis=1)
    return max(float(reach.min()), 0.0)


def cook_tapered_capsule(half_height: float, above: float, below: float) -> Cooked:
    """Cook the convex hull of a sphere of radius `above` at +half_height on Y and one of radius `below` at -half_height."""

    def support(directions):
        is_above = directions[:, 1:2] * half_height + above >= -directions[:, 1:2] * half_height + below
        middle = np.where(is_above, half_height, -half_height) * np.array([[0.0, 1.0, 0.0]])
        return middle + np.where(is_above, above, below) * directions

    h, difference = half_height, below - above
    if 2.0 * h <= abs(difference):  # one sphere contains the other
        radius, at = (above, h) if above > below else (below, -h)
        pieces = [(at - radius, at + radius, lambda y: radius**2 - (y - at) ** 2)]
    else:
        # The normal where the cone touches the spheres has this Y component.
        s = difference / (2.0 * h)
        top, bottom = h + above * s, -h + below * s
        wide, slope = math.sqrt(1.0 - s * s), s / math.sqrt(1.0 - s * s)
        pieces = [
            (-h - below, bottom, lambda y: below**2 - (y + h) ** 2),
            (bottom, top, lambda y: (below * wide - slope * (y - bottom)) ** 2),
            (top, h + above, lambda y: above**2 - (y - h) ** 2),
        ]
    return _turned(schema.TAPERED_CAPSULE, half_height, above, below, pieces, support)


def cook_tapered_cylinder(half_height: float, above: float, below: float) -> Cooked:
    """Cook a cylinder along Y with a radius for each end, of which one may be 0."""

    def support(directions):
        across = np.linalg.norm(directions[:, [0, 2]], axis=1, keepdims=True)
        y = directions[:, 1:2]
        is_above = y * half_height + above * across >= -y * half_height + below * across
        flat = directions * (1.0, 0.0, 1.0) / np.maximum(across, 1e-30)
        return flat * np.where(is_above, above, below) + np.where(is_above, half_height, -half_height) * np.array([[0, 1.0, 0]])

    h = half_height
    pieces = [(-h, h, lambda y: (below + (above - below) * (y + h) / (2.0 * h)) ** 2)]
    return _turned(schema.TAPERED_CYLINDER, half_height, above, below, pieces, support)


def _turned(kind: int, half_height: float, above: float, below: float, pieces, support) -> Cooked:
    volume, height, inertia = mass.turned_mass(pieces)
    low, high = (float(support(np.array([[0.0, y, 0.0]]))[0, 1]) for y in (-1.0, 1.0))
    wide = max(above, below)
    center = (0.0, height, 0.0)
    fields = {
        "half_extents": (half_height, above, below), "bounds": [-wide, low, -wide, wide, high, wide], "volume": volume,
        "center_of_mass": center, "inertia": inertia, "inner_radius": inner_radius_of(support, center),
    }  # fmt: skip
    return Cooked(kind, fields)


def cook_ellipsoid(half_axes) -> Cooked:
    volume, inertia = mass.ellipsoid_mass(half_axes)
    fields = {
        "half_extents": half_axes, "bounds": [-half for half in half_axes] + list(half_axes), "volume": volume,
        "inertia": inertia, "inner_radius": min(half_axes),
    }  # fmt: skip
    return Cooked(schema.ELLIPSOID, fields)


def cook_hull(points: np.ndarray) -> Cooked:
    """Cook the hull of `points` float `(n, 3)`; no points: an empty shape."""
    if len(points) == 0:
        return Cooked(schema.EMPTY, {})
    hull = convex_hull(points)
    volume, center, inertia = mass.polyhedron_mass(hull.vertices, hull.face_starts, hull.face_vertices)
    block = pack_block(
        schema.HULL_BLOCK,
        {
            "vertex_count": len(hull.vertices),
            "face_count": len(hull.planes),
            "edge_count": len(hull.edges),
            "center": center,
        },
        {name: getattr(hull, name) for name in ("vertices", "planes", "face_starts", "face_vertices", "edges")},
    )
    x, y, z, reach = hull.planes.astype(np.float64).T
    distances = reach - (x * center[0] + y * center[1] + z * center[2])  # in this order, as in compiled_cooking.py
    fields = {
        "bounds": np.concatenate((hull.vertices.min(axis=0), hull.vertices.max(axis=0))) + np.float32(0.0),  # -0 becomes 0
        "volume": min(volume, solids.MOST_VOLUME),
        "center_of_mass": center,
        "inertia": inertia,
        "inner_radius": max(float(distances.min()), 0.0),
    }
    return Cooked(schema.HULL, fields, block, left_out=hull.left_out)


def cook_plane(normal, distance: float) -> Cooked:
    """Cook a half space: solid where normal . x <= distance; `normal` is a unit vector."""
    bounds = [-INFINITE] * 3 + [INFINITE] * 3
    return Cooked(schema.PLANE, {"plane": [*normal, distance], "bounds": bounds, "inner_radius": INFINITE})


def cook_separation_ray(length: float, slides_on_slope: bool) -> Cooked:
    """Cook a ray from the origin along +Z."""
    fields = {"length": length, "slides_on_slope": slides_on_slope, "bounds": [0.0] * 5 + [length]}
    return Cooked(schema.SEPARATION_RAY, fields)
