"""The settings of each kind of shape: checked on creation, cooked into rows, stretched by a scale or shear (stretch.py)."""

import math
from typing import NamedTuple

import numpy as np

from . import cooking, custom, schema, solids
from .height_field_building import cook_height_field
from .mesh_building import cook_mesh
from .stretch import is_diagonal, is_uniform, keeps_round, round_factors


def _number(call: str, name: str, value, positive: bool = True) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{call}: {name} must be a number, got {value!r}") from None
    if not math.isfinite(number) or abs(number) > solids.LARGEST or (positive and number < solids.SMALLEST):
        raise ValueError(f"{call}: {name} must be {'positive and ' if positive else ''}finite, got {value!r}")
    return number


def _vectors(call: str, name: str, value, row_count: int | None = None, dtype=np.float32) -> np.ndarray:
    """Check vectors and return a copy, so that later changes of the caller's array have no effect."""
    try:
        array = np.array(value, dtype=dtype, order="C", ndmin=1)
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


def _sizes(call: str, name: str, value) -> tuple:
    """Check three positive numbers."""
    return tuple(_number(call, name, size) for size in _vectors(call, name, value, 1, np.float64).tolist())


class Sphere(NamedTuple):
    radius: float
    kind = schema.SPHERE

    @staticmethod
    def checked(radius):
        return Sphere(_number("set_sphere", "radius", radius))

    def cook(self):
        return cooking.cook_solid(schema.SPHERE, self.radius)

    def stretched(self, stretch):
        factors = np.linalg.norm(stretch, axis=0)
        return Sphere(self.radius * factors.mean()), not is_uniform(stretch)


class Box(NamedTuple):
    half_extents: tuple
    kind = schema.BOX

    @staticmethod
    def checked(half_extents):
        return Box(_sizes("set_box", "half_extents", half_extents))

    def cook(self):
        return cooking.cook_solid(schema.BOX, *self.half_extents)

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
        if height < 2.0 * radius * (1.0 - solids.ROUNDING_OF_HEIGHT):
            raise ValueError(f"set_capsule: height must be at least twice the radius {radius}, got {height}")
        return Capsule(radius, height)

    def cook(self):
        return cooking.cook_solid(schema.CAPSULE, self.radius, self.height)

    def stretched(self, stretch):
        across, along = round_factors(stretch)
        radius = self.radius * across
        return Capsule(radius, max(self.height * along, 2.0 * radius)), not is_uniform(stretch)


class Cylinder(NamedTuple):
    radius: float
    height: float
    kind = schema.CYLINDER

    @staticmethod
    def checked(radius, height):
        return Cylinder(_number("set_cylinder", "radius", radius), _number("set_cylinder", "height", height))

    def cook(self):
        return cooking.cook_solid(schema.CYLINDER, self.radius, self.height)

    def stretched(self, stretch):
        across, along = round_factors(stretch)
        return Cylinder(self.radius * across, self.height * along), not keeps_round(stretch)


def of_solid(kind: int, sizes: list):
    """The settings of a sphere, box, capsule or cylinder with these sizes, already checked (solids.py)."""
    if kind == schema.BOX:
        return Box(tuple(sizes))
    return Sphere(sizes[0]) if kind == schema.SPHERE else (Capsule if kind == schema.CAPSULE else Cylinder)(*sizes[:2])


def _ends(tapered, stretch: np.ndarray) -> tuple[float, float]:
    """The upper and lower radius of a tapered shape; mirroring swaps them."""
    return (tapered.below, tapered.above) if stretch[1, 1] < 0.0 else (tapered.above, tapered.below)


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
        across, along = round_factors(stretch)
        above, below = _ends(self, stretch)
        return TaperedCapsule(self.half_height * along, above * across, below * across), not is_uniform(stretch)


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
        across, along = round_factors(stretch)
        above, below = _ends(self, stretch)
        return TaperedCylinder(self.half_height * along, above * across, below * across), not keeps_round(stretch)


class Ellipsoid(NamedTuple):
    half_axes: tuple
    kind = schema.ELLIPSOID

    @staticmethod
    def checked(half_axes):
        return Ellipsoid(_sizes("set_ellipsoid", "half_axes", half_axes))

    def cook(self):
        return cooking.cook_ellipsoid(self.half_axes)

    def stretched(self, stretch):
        factors = np.linalg.norm(stretch, axis=0)
        return Ellipsoid(tuple(float(f * h) for f, h in zip(factors, self.half_axes, strict=True))), not is_diagonal(stretch)


class Custom(NamedTuple):
    """A custom support function; see custom.py."""

    function: object
    data: np.ndarray
    stretch: np.ndarray
    kind = schema.CUSTOM

    @staticmethod
    def checked(function, data):
        call = "set_custom"
        if not hasattr(function, "address") or str(getattr(function, "signature", "")) != "int64(int64, int64)":
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
        points = _vectors("set_hull", "points", points)
        too_far = points[(np.abs(points) > solids.LARGEST).any(axis=1)]
        if len(too_far):
            raise ValueError(f"set_hull: coordinates must be at most {solids.LARGEST:g} m, got {too_far[0].tolist()}")
        return Hull(points)

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


NO_MATERIALS = np.empty(0, np.uint8)
NO_TABLE = np.empty((0, 2), np.float32)


def _rows_of_table(call: str, materials, sizes: tuple | None, row_count: int) -> np.ndarray:
    """Check row numbers of a table with `row_count` rows, and return them as uint8 of these sizes; None: any size."""
    try:
        rows = np.array(materials, dtype=np.int64)
    except (TypeError, ValueError):
        raise ValueError(f"{call}: materials must be numbers, got {materials!r}") from None
    sizes = rows.shape if sizes is None else sizes
    if rows.shape != sizes or (rows.size and not 0 <= rows.min() <= rows.max() < row_count):
        wanted = " x ".join(map(str, sizes))
        raise ValueError(f"{call}: materials must be {wanted} rows of a table of {row_count}, got {materials!r}")
    return rows.astype(np.uint8)


def _materials(call: str, materials, table, sizes: tuple) -> tuple[np.ndarray, np.ndarray]:
    """Check materials: row numbers uint8, flat, and the table float32 `(n, 2)`; both empty for None."""
    if materials is None and table is None:
        return NO_MATERIALS, NO_TABLE
    if materials is None or table is None:
        raise ValueError(f"{call}: materials and material_table must both be given, or none")
    try:
        table = np.array(table, dtype=np.float32)
    except (TypeError, ValueError):
        raise ValueError(f"{call}: material_table must be numbers, got {table!r}") from None
    if table.ndim != 2 or table.shape[1] != 2 or not 0 < len(table) <= 256:
        raise ValueError(f"{call}: material_table must be 1 to 256 rows of friction and restitution, got shape {table.shape}")
    if not (np.isfinite(table) & (table >= 0.0)).all():
        raise ValueError(f"{call}: friction and restitution must be at least 0 and finite, got {table.tolist()}")
    return _rows_of_table(call, materials, sizes, len(table)).ravel(), table


class Mesh(NamedTuple):
    """Triangles `(m, 3)`, counter-clockwise seen from the front; `faces` are the user's numbers of them. `materials` uint8: by
    these numbers a row of `material_table` (friction, restitution); empty: those of the body."""

    vertices: np.ndarray
    triangles: np.ndarray
    faces: np.ndarray
    has_backface_collision: bool
    materials: np.ndarray = NO_MATERIALS
    material_table: np.ndarray = NO_TABLE
    kind = schema.MESH

    @staticmethod
    def checked(vertices, triangles, has_backface_collision, materials=None, material_table=None):
        vertices = _vectors("set_mesh", "vertices", vertices)
        triangles = _vectors("set_mesh", "triangles", triangles, dtype=np.int64)
        if len(triangles) and not 0 <= triangles.min() <= triangles.max() < len(vertices):
            raise ValueError(
                f"set_mesh: triangles must be indices of {len(vertices)} vertices, "
                f"got {triangles.min()} to {triangles.max()}"
            )
        if len(triangles) > schema.MAX_MESH_TRIANGLES:
            raise ValueError(f"set_mesh: triangles must be at most {schema.MAX_MESH_TRIANGLES}, got {len(triangles)}")
        faces = np.arange(len(triangles), dtype=np.int32)
        surfaces = _materials("set_mesh", materials, material_table, (len(triangles),))
        return Mesh(vertices, triangles.astype(np.int32), faces, bool(has_backface_collision), *surfaces)

    def cook(self, progress=None):
        surfaces = self.materials, self.material_table
        return cook_mesh(self.vertices, self.triangles, self.has_backface_collision, self.faces, *surfaces, progress)

    def kept(self, cooked):
        """Replace arrays by those of the cooked block, so that a mesh is in memory only once."""
        if cooked.block is None:
            return self
        names = ("vertices", "triangles", "faces", "materials", "material_table")
        return self._replace(**{name: cooked.block.arrays[name] for name in names})

    def stretched(self, stretch):
        vertices = (self.vertices.astype(np.float64) @ stretch.T).astype(np.float32)
        is_mirrored = np.linalg.det(stretch) < 0.0
        triangles = self.triangles[:, ::-1] if is_mirrored else self.triangles
        return self._replace(vertices=vertices, triangles=np.ascontiguousarray(triangles)), False


def _samples(call: str, heights) -> np.ndarray:
    """Copy and check samples, of at least two dimensions; NaN: a hole."""
    try:
        samples = np.array(heights, dtype=np.float32, ndmin=2)
    except (TypeError, ValueError):
        raise ValueError(f"{call}: heights must be numbers, got {type(heights).__name__}") from None
    if np.isinf(samples).any():
        raise ValueError(f"{call}: heights must be finite or NaN, got an infinite one")
    return samples


def _fits(region: np.ndarray, x, z, width: int, depth: int) -> bool:
    return region.ndim == 2 and 0 <= x <= width - region.shape[1] and 0 <= z <= depth - region.shape[0]


class HeightField(NamedTuple):
    """Heights `(depth, width)` [m], centred on the origin, cells of 1 m, all times `scale`; NaN: a hole. `materials` uint8: by
    cell, row by row along X, a row of `material_table` (friction, restitution); empty: those of the body."""

    heights: np.ndarray
    scale: tuple = (1.0, 1.0, 1.0)
    materials: np.ndarray = NO_MATERIALS
    material_table: np.ndarray = NO_TABLE
    kind = schema.HEIGHT_FIELD

    @staticmethod
    def checked(width, depth, heights, materials=None, material_table=None):
        call = "set_height_field"
        sizes = [_number(call, name, value) for name, value in (("width", width), ("depth", depth))]
        if any(size != int(size) or size < 2 for size in sizes):
            raise ValueError(f"{call}: width and depth must be whole numbers of at least 2, got {width!r}, {depth!r}")
        heights = _samples(call, heights).ravel()
        if len(heights) != int(sizes[0] * sizes[1]):
            raise ValueError(f"{call}: heights must be {width} x {depth} numbers, got {len(heights)}")
        width, depth = int(sizes[0]), int(sizes[1])
        surfaces = _materials(call, materials, material_table, (depth - 1, width - 1))
        return HeightField(heights.reshape(depth, width), (1.0, 1.0, 1.0), *surfaces)

    def cells(self) -> np.ndarray:
        """The materials as `(depth - 1, width - 1)`, a view."""
        depth, width = self.heights.shape
        return self.materials.reshape(depth - 1, width - 1)

    def checked_region(self, call: str, x, z, heights, materials) -> tuple:
        """Check samples `(rows, columns)` that fit into the field from (x, z) on, and materials of cells from there on; None
        stays None. Raises ValueError."""
        depth, width = self.heights.shape
        region = None if heights is None else _samples(call, heights)
        if region is not None and not _fits(region, x, z, width, depth):
            raise ValueError(f"{call}: {region.shape} samples at ({x}, {z}) do not fit into {self.heights.shape}")
        if materials is None:
            return region, None
        if not len(self.materials):
            raise ValueError(f"{call}: the height field was set without materials, got {materials!r}")
        rows = _rows_of_table(call, materials, None, len(self.material_table))
        if not _fits(rows, x, z, width - 1, depth - 1):
            raise ValueError(f"{call}: {rows.shape} materials at ({x}, {z}) do not fit into {self.cells().shape} cells")
        return region, rows

    def as_mesh(self) -> Mesh:
        """Convert to a mesh of two triangles a cell, divided from (x + 1, z) to (x, z + 1), facing up. Cell c has the triangles 2
        c and 2 c + 1."""
        depth, width = self.heights.shape
        x, z = np.meshgrid(np.arange(width) - 0.5 * (width - 1), np.arange(depth) - 0.5 * (depth - 1))
        vertices = np.stack((x, np.nan_to_num(self.heights), z), axis=-1).reshape(-1, 3) * self.scale
        corner = (np.arange(depth - 1)[:, None] * width + np.arange(width - 1)).ravel()
        first = np.stack((corner, corner + width, corner + 1), axis=1)
        second = np.stack((corner + 1, corner + width, corner + width + 1), axis=1)
        triangles = np.stack((first, second), axis=1).reshape(-1, 3).astype(np.int32)
        is_solid = ~np.isnan(self.heights.ravel())[triangles].any(axis=1)
        if len(triangles) > schema.MAX_MESH_TRIANGLES:
            raise ValueError(f"set_mesh: triangles must be at most {schema.MAX_MESH_TRIANGLES}, got {len(triangles)}")
        faces = np.arange(len(triangles), dtype=np.int32)
        surfaces = np.repeat(self.materials, 2), self.material_table
        return Mesh(vertices.astype(np.float32), triangles[is_solid], faces[is_solid], False, *surfaces)

    def cook(self):
        return cook_height_field(self.heights, self.scale, self.materials, self.material_table)

    def kept(self, cooked):
        """Replace arrays by those of the cooked block."""
        if cooked.block is None:
            return self
        return self._replace(**{name: cooked.block.arrays[name] for name in ("heights", "materials", "material_table")})

    def stretched(self, stretch):
        """A field for a stretch along the axes, else a mesh."""
        factors = np.diag(stretch)
        if is_diagonal(stretch) and (factors > 0.0).all():
            return self._replace(scale=tuple(float(a * b) for a, b in zip(self.scale, factors, strict=True))), False
        return self.as_mesh().stretched(stretch)
