"""The settings of each kind of shape: checked when made, cooked into rows, stretched by a scale or shear.

Stretching is by a symmetric matrix `(3, 3)`, what is left of a transform when its rotation is taken out
(`split_basis`).
"""

import math
from typing import NamedTuple

import numpy as np

from . import cooking, custom, schema
from .height_field_building import cook_height_field
from .mesh_building import cook_mesh

SAME_AXES = 1e-5
"""Below this, relative to the largest element, a stretch counts as free of shear, or as uniform."""


def split_basis(basis) -> tuple[np.ndarray, np.ndarray]:
    """Split a basis `(3, 3)` (columns are the axes) into `(rotation quaternion (x, y, z, w), stretch (3, 3) symmetric)`
    with basis = rotation @ stretch, the polar decomposition. A mirroring goes to the stretch. Raises ValueError if the
    basis is not finite or flattens space."""
    basis = np.asarray(basis, dtype=np.float64)
    if basis.shape != (3, 3) or not np.isfinite(basis).all():
        raise ValueError(f"split_basis: the basis must be 3 x 3 finite numbers, got {basis.tolist()}")
    u, sizes, v = np.linalg.svd(basis)
    if sizes[2] <= 1e-9 * sizes[0] or sizes[0] == 0.0:
        raise ValueError(f"split_basis: the basis has no volume, got {basis.tolist()}")
    rotation, stretch = u @ v, v.T @ np.diag(sizes) @ v
    if np.linalg.det(rotation) < 0.0:
        rotation, stretch = -rotation, -stretch
    return quaternion_of(rotation), stretch


def quaternion_of(rotation: np.ndarray) -> np.ndarray:
    """The unit quaternion `(x, y, z, w)` of a rotation matrix, w >= 0 (Shepperd's choice of the largest element)."""
    m = rotation
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    candidates = (m[0, 0], m[1, 1], m[2, 2], trace)
    largest = int(np.argmax(candidates))
    if largest == 3:
        q = np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], 1.0 + trace])
    else:
        i, j, k = largest, (largest + 1) % 3, (largest + 2) % 3
        q = np.empty(4)
        q[i] = 1.0 + m[i, i] - m[j, j] - m[k, k]
        q[j], q[k], q[3] = m[j, i] + m[i, j], m[k, i] + m[i, k], m[k, j] - m[j, k]
    return q / (np.linalg.norm(q) * (-1.0 if q[3] < 0.0 else 1.0))


def is_diagonal(stretch: np.ndarray) -> bool:
    """Whether the stretch is along the axes of the shape only."""
    off = stretch - np.diag(np.diag(stretch))
    return bool(np.abs(off).max() <= SAME_AXES * np.abs(stretch).max())


def _number(call: str, name: str, value, positive: bool = True) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{call}: {name} must be a number, got {value!r}") from None
    if not math.isfinite(number) or abs(number) > 1e15 or (positive and number < 1e-15):
        raise ValueError(f"{call}: {name} must be {'positive and ' if positive else ''}finite, got {value!r}")
    return number


def _vectors(call: str, name: str, value, row_count: int | None = None, dtype=np.float32) -> np.ndarray:
    try:
        array = np.ascontiguousarray(value, dtype=dtype)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{call}: {name} must be an array of numbers, got {type(value).__name__}") from None
    shape = (3,) if row_count == 1 else ("n", 3)
    if array.size == 0 and row_count is None:
        return np.empty((0, 3), dtype=dtype)
    if array.ndim != len(shape) or array.shape[-1] != 3:
        raise ValueError(f"{call}: {name} must be of shape {shape}, got {array.shape}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        bad = np.argwhere(~np.isfinite(array))[0]
        raise ValueError(f"{call}: {name} must be finite, got {array[tuple(bad)]} at {bad.tolist()}")
    return array


class Sphere(NamedTuple):
    radius: float
    kind = schema.SPHERE

    @staticmethod
    def checked(radius):
        return Sphere(_number("set_sphere", "radius", radius))

    def cook(self):
        return cooking.cook_sphere(self.radius)

    def stretched(self, stretch):
        factors = np.linalg.norm(stretch, axis=0)
        return Sphere(self.radius * factors.mean()), not _is_uniform(stretch)


def _is_uniform(stretch: np.ndarray) -> bool:
    return is_diagonal(stretch) and bool(np.ptp(np.abs(np.diag(stretch))) <= SAME_AXES * np.abs(stretch).max())


class Box(NamedTuple):
    half_extents: tuple
    kind = schema.BOX

    @staticmethod
    def checked(half_extents):
        array = _vectors("set_box", "half_extents", half_extents, 1, np.float64)
        return Box(tuple(_number("set_box", "half_extents", h) for h in array.tolist()))

    def cook(self):
        return cooking.cook_box(self.half_extents)

    def stretched(self, stretch):
        if is_diagonal(stretch):
            return Box(
                tuple(float(abs(s) * h) for s, h in zip(np.diag(stretch), self.half_extents, strict=True))
            ), False
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)
        return Hull(((signs * self.half_extents) @ stretch.T).astype(np.float32)), False


class Capsule(NamedTuple):
    radius: float
    height: float
    kind = schema.CAPSULE

    @staticmethod
    def checked(radius, height):
        radius, height = _number("set_capsule", "radius", radius), _number("set_capsule", "height", height)
        if height < 2.0 * radius * (1.0 - 1e-5):
            raise ValueError(f"set_capsule: height must be at least twice the radius {radius}, got {height}")
        return Capsule(radius, height)

    def cook(self):
        return cooking.cook_capsule(self.radius, self.height)

    def stretched(self, stretch):
        across, along = _round_factors(stretch)
        radius = self.radius * across
        return Capsule(radius, max(self.height * along, 2.0 * radius)), not _is_uniform(stretch)


class Cylinder(NamedTuple):
    radius: float
    height: float
    kind = schema.CYLINDER

    @staticmethod
    def checked(radius, height):
        return Cylinder(_number("set_cylinder", "radius", radius), _number("set_cylinder", "height", height))

    def cook(self):
        return cooking.cook_cylinder(self.radius, self.height)

    def stretched(self, stretch):
        across, along = _round_factors(stretch)
        sides = np.abs([stretch[0, 0], stretch[2, 2]])
        is_exact = is_diagonal(stretch) and np.ptp(sides) <= SAME_AXES * np.abs(stretch).max()
        return Cylinder(self.radius * across, self.height * along), not is_exact


def _round_factors(stretch: np.ndarray) -> tuple[float, float]:
    """Mean stretch across Y, and along Y."""
    x, y, z = np.linalg.norm(stretch, axis=0)
    return float(0.5 * (x + z)), float(y)


class TaperedCapsule(NamedTuple):
    half_height: float
    above: float
    below: float
    kind = schema.TAPERED_CAPSULE

    @staticmethod
    def checked(half_height, above, below):
        call = "set_tapered_capsule"
        numbers = (("half_height", half_height), ("radius above", above), ("radius below", below))
        return TaperedCapsule(*(_number(call, name, value) for name, value in numbers))

    def cook(self):
        return cooking.cook_tapered_capsule(*self)

    def stretched(self, stretch):
        across, along = _round_factors(stretch)
        above, below = (self.below, self.above) if stretch[1, 1] < 0.0 else (self.above, self.below)
        return TaperedCapsule(self.half_height * along, above * across, below * across), not _is_uniform(stretch)


class TaperedCylinder(NamedTuple):
    half_height: float
    above: float
    below: float
    kind = schema.TAPERED_CYLINDER

    @staticmethod
    def checked(half_height, above, below):
        call = "set_tapered_cylinder"
        above, below = _number(call, "radius above", above, False), _number(call, "radius below", below, False)
        if min(above, below) < 0.0 or max(above, below) < 1e-15:
            raise ValueError(f"{call}: no radius may be negative, and one must be positive, got {above} and {below}")
        return TaperedCylinder(_number(call, "half_height", half_height), above, below)

    def cook(self):
        return cooking.cook_tapered_cylinder(*self)

    def stretched(self, stretch):
        across, along = _round_factors(stretch)
        sides = np.abs([stretch[0, 0], stretch[2, 2]])
        is_exact = is_diagonal(stretch) and np.ptp(sides) <= SAME_AXES * np.abs(stretch).max()
        above, below = (self.below, self.above) if stretch[1, 1] < 0.0 else (self.above, self.below)
        return TaperedCylinder(self.half_height * along, above * across, below * across), not is_exact


class Ellipsoid(NamedTuple):
    half_axes: tuple
    kind = schema.ELLIPSOID

    @staticmethod
    def checked(half_axes):
        array = _vectors("set_ellipsoid", "half_axes", half_axes, 1, np.float64)
        return Ellipsoid(tuple(_number("set_ellipsoid", "half_axes", h) for h in array.tolist()))

    def cook(self):
        return cooking.cook_ellipsoid(self.half_axes)

    def stretched(self, stretch):
        factors = np.linalg.norm(stretch, axis=0)
        return Ellipsoid(tuple(float(f * h) for f, h in zip(factors, self.half_axes, strict=True))), not is_diagonal(stretch)


class Custom(NamedTuple):
    """A user's support function; see custom.py."""

    function: object
    data: np.ndarray
    stretch: np.ndarray
    kind = schema.CUSTOM

    @staticmethod
    def checked(function, data):
        call = "set_custom"
        if not hasattr(function, "address") or str(getattr(function, "signature", "")) != "(int64, int64) -> int64":
            raise ValueError(f'{call}: function must be an @entry_point("int64(int64, int64)"), got {function!r}')
        try:
            data = np.array(data, dtype=np.float64).ravel()
        except (TypeError, ValueError):
            raise ValueError(f"{call}: data must be numbers, got {type(data).__name__}") from None
        if not np.isfinite(data).all():
            raise ValueError(f"{call}: data must be finite, got {data.tolist()}")
        shape = Custom(function, data, np.eye(3))
        points = custom.supports(function.address, data, custom.spread_directions(64))
        if not np.isfinite(points).all():
            raise ValueError(f"{call}: the function gave a point that is not finite")
        if ((points * custom.spread_directions(64)).sum(axis=1) < 0.0).any():
            raise ValueError(f"{call}: the origin must lie inside of the shape that the function tells")
        return shape

    def cook(self):
        return custom.cook_custom(self.function.address, self.data, self.stretch)

    def stretched(self, stretch):
        return self._replace(stretch=stretch @ self.stretch), False


class Hull(NamedTuple):
    points: np.ndarray
    kind = schema.HULL

    @staticmethod
    def checked(points):
        return Hull(_vectors("set_hull", "points", points))

    def cook(self):
        return cooking.cook_hull(self.points)

    def stretched(self, stretch):
        return Hull((self.points.astype(np.float64) @ stretch.T).astype(np.float32)), False


class Plane(NamedTuple):
    normal: tuple
    distance: float
    kind = schema.PLANE

    @staticmethod
    def checked(normal, distance):
        normal = _vectors("set_plane", "normal", normal, 1, np.float64)
        distance = _number("set_plane", "distance", distance, positive=False)
        size = float(np.linalg.norm(normal))
        if size < 1e-15:
            raise ValueError(f"set_plane: normal must not be zero, got {normal.tolist()}")
        return Plane(tuple((normal / size).tolist()), distance / size)

    def cook(self):
        return cooking.cook_plane(self.normal, self.distance)

    def stretched(self, stretch):
        normal = np.linalg.solve(stretch.T, np.array(self.normal))
        size = float(np.linalg.norm(normal))
        return Plane(tuple((normal / size).tolist()), self.distance / size), False


class SeparationRay(NamedTuple):
    length: float
    slides_on_slope: bool
    kind = schema.SEPARATION_RAY

    @staticmethod
    def checked(length, slides_on_slope):
        return SeparationRay(_number("set_separation_ray", "length", length), bool(slides_on_slope))

    def cook(self):
        return cooking.cook_separation_ray(self.length, self.slides_on_slope)

    def stretched(self, stretch):
        return SeparationRay(self.length * float(np.linalg.norm(stretch[:, 2])), self.slides_on_slope), False


class Mesh(NamedTuple):
    """Triangles `(m, 3)`, counter-clockwise seen from the front; `faces` are the user's numbers of them."""

    vertices: np.ndarray
    triangles: np.ndarray
    faces: np.ndarray
    has_backface_collision: bool
    kind = schema.MESH

    @staticmethod
    def checked(vertices, triangles, has_backface_collision):
        vertices = _vectors("set_mesh", "vertices", vertices)
        triangles = _vectors("set_mesh", "triangles", triangles, dtype=np.int64)
        if len(triangles) and not 0 <= triangles.min() <= triangles.max() < len(vertices):
            raise ValueError(
                f"set_mesh: triangles must be indices of {len(vertices)} vertices, "
                f"got {triangles.min()} to {triangles.max()}"
            )
        faces = np.arange(len(triangles), dtype=np.int32)
        return Mesh(vertices, triangles.astype(np.int32), faces, bool(has_backface_collision))

    def cook(self):
        return cook_mesh(self.vertices, self.triangles, self.has_backface_collision, self.faces)

    def kept(self, cooked):
        """The same settings, held by the arrays of the cooked block, so that a mesh is in memory once."""
        if cooked.block is None:
            return self
        arrays = cooked.block.arrays
        return Mesh(arrays["vertices"], arrays["triangles"], arrays["faces"], self.has_backface_collision)

    def stretched(self, stretch):
        vertices = (self.vertices.astype(np.float64) @ stretch.T).astype(np.float32)
        is_mirrored = np.linalg.det(stretch) < 0.0
        triangles = self.triangles[:, ::-1] if is_mirrored else self.triangles
        return self._replace(vertices=vertices, triangles=np.ascontiguousarray(triangles)), False


class HeightField(NamedTuple):
    """Heights `(depth, width)` [m], centred on the origin, cells of 1 m, all times `scale`; NaN: a hole."""

    heights: np.ndarray
    scale: tuple = (1.0, 1.0, 1.0)
    kind = schema.HEIGHT_FIELD

    @staticmethod
    def checked(width, depth, heights):
        call = "set_height_field"
        sizes = [_number(call, name, value) for name, value in (("width", width), ("depth", depth))]
        if any(size != int(size) or size < 2 for size in sizes):
            raise ValueError(f"{call}: width and depth must be whole numbers of at least 2, got {width!r}, {depth!r}")
        try:
            heights = np.array(heights, dtype=np.float32).ravel()
        except (TypeError, ValueError):
            raise ValueError(f"{call}: heights must be numbers, got {type(heights).__name__}") from None
        if len(heights) != int(sizes[0] * sizes[1]):
            raise ValueError(f"{call}: heights must be {width} x {depth} numbers, got {len(heights)}")
        if np.isinf(heights).any():
            raise ValueError(f"{call}: heights must be finite or NaN, got an infinite one")
        return HeightField(heights.reshape(int(sizes[1]), int(sizes[0])))

    def checked_region(self, call: str, x, z, heights) -> np.ndarray:
        """Samples `(rows, columns)` that fit into the field from (x, z) on. Raises ValueError."""
        try:
            region = np.array(heights, dtype=np.float32, ndmin=2)
        except (TypeError, ValueError):
            raise ValueError(f"{call}: heights must be numbers, got {type(heights).__name__}") from None
        depth, width = self.heights.shape
        if region.ndim != 2 or not (0 <= x <= width - region.shape[1] and 0 <= z <= depth - region.shape[0]):
            raise ValueError(f"{call}: {region.shape} samples at ({x}, {z}) do not fit into {self.heights.shape}")
        if np.isinf(region).any():
            raise ValueError(f"{call}: heights must be finite or NaN, got an infinite one")
        return region

    def as_mesh(self) -> Mesh:
        """Two triangles a cell, parted from (x + 1, z) to (x, z + 1), facing up; their numbers are 2 cell and 2 cell +
        1."""
        depth, width = self.heights.shape
        x, z = np.meshgrid(np.arange(width) - 0.5 * (width - 1), np.arange(depth) - 0.5 * (depth - 1))
        vertices = np.stack((x, np.nan_to_num(self.heights), z), axis=-1).reshape(-1, 3) * self.scale
        corner = (np.arange(depth - 1)[:, None] * width + np.arange(width - 1)).ravel()
        first = np.stack((corner, corner + width, corner + 1), axis=1)
        second = np.stack((corner + 1, corner + width, corner + width + 1), axis=1)
        triangles = np.stack((first, second), axis=1).reshape(-1, 3).astype(np.int32)
        is_solid = ~np.isnan(self.heights.ravel())[triangles].any(axis=1)
        faces = np.arange(len(triangles), dtype=np.int32)
        return Mesh(vertices.astype(np.float32), triangles[is_solid], faces[is_solid], False)

    def cook(self):
        return cook_height_field(self.heights, self.scale)

    def kept(self, cooked):
        """The same settings, held by the samples of the cooked block."""
        return self if cooked.block is None else self._replace(heights=cooked.block.arrays["heights"])

    def stretched(self, stretch):
        """A field for a stretch along the axes, else a mesh."""
        factors = np.diag(stretch)
        if is_diagonal(stretch) and (factors > 0.0).all():
            return self._replace(scale=tuple(float(a * b) for a, b in zip(self.scale, factors, strict=True))), False
        return self.as_mesh().stretched(stretch)
