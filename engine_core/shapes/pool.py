"""The pool of shapes: rows of SHAPE that compiled code reads, and what Python keeps beside them."""

import threading

import numpy as np

from ..runtime.memory import Pool
from . import schema, settings
from .cooking import Cooked
from .height_field_building import field_bounds, renew_ranges
from .settings import split_basis

__all__ = ["ShapePool", "split_basis"]

DEFAULT_CAPACITY = 1 << 20
COLLIDABLE = {
    schema.SPHERE, schema.CAPSULE, schema.BOX, schema.HULL, schema.CYLINDER, schema.PLANE, schema.MESH,
    schema.HEIGHT_FIELD, schema.SEPARATION_RAY, schema.TAPERED_CAPSULE, schema.TAPERED_CYLINDER, schema.ELLIPSOID, schema.CUSTOM,
}  # fmt: skip
IDENTITY_TOLERANCE = 1e-5
"""A stretch this close to none is none."""
COOKED_FIELDS = (
    "radius", "half_height", "half_extents", "plane", "bounds", "volume", "center_of_mass", "inertia", "inner_radius",
    "has_backface_collision", "length", "slides_on_slope",
)  # fmt: skip


_NOTHING = (Cooked(schema.EMPTY, {}), False)


def _cook_stretched(shape_settings, stretch: np.ndarray) -> tuple[Cooked, bool]:
    """What a use with this stretch is cooked to, and whether that is an approximation."""
    stretched_settings, is_approximate = shape_settings.stretched(stretch)
    return stretched_settings.cook(), is_approximate


def is_collidable(kind: int) -> bool:
    """Whether shapes of this kind of the user make contacts."""
    return kind in COLLIDABLE


class ShapePool:
    """All shapes of a world. Any thread may call; one lock guards all. Changes are made between steps.

    A row is found by its index and holds the shape in use; until its settings are set, `kind` is EMPTY and it collides
    with nothing. `make_id(index, sequence)` gives the id that is written into a new row. Rows of freed shapes, and
    blocks that were replaced, stay as they are until `collect`.
    """

    def __init__(self, make_id, capacity: int = DEFAULT_CAPACITY):
        self.pool = Pool("shapes", schema.SHAPE, capacity, setting="shapes")
        self.rows = self.pool.rows
        self.row_count = 0  # rows in use lie below
        self._make_id = make_id
        self._lock = threading.RLock()
        self._settings: dict[int, object] = {}
        self._blocks: dict[int, object] = {}
        self._retired_blocks: list = []
        self._retired_rows: list[int] = []
        self.on_retire = lambda: None  # told of each row and block that waits to be given back
        self.reclaim = lambda: None  # gives back what nobody reads any more
        self._free_rows: list[int] = []
        self._derived: dict[int, dict[bytes, int]] = {}  # of a user's shape: stretch to row
        self._source: dict[int, tuple[int, np.ndarray]] = {}  # of a derived row: user's shape and stretch

    @property
    def address(self) -> int:
        """Address of row 0; it never changes."""
        return self.pool.address

    def create(self, kind: int) -> int:
        """A new shape of this kind, without settings. Gives its index. Raises ValueError for what is no kind of shape
        a user can make, PoolFull if there is no free row."""
        if kind not in range(schema.SPHERE, len(schema.KIND_NAMES)) or kind == schema.TRIANGLE:
            raise ValueError(f"create: no such kind of shape, got {kind!r}")
        with self._lock:
            index = self._take_row(kind)
            self.rows[index]["id"] = self._make_id(index, int(self.rows[index]["sequence"]))
            return index

    def _take_row(self, kind: int) -> int:
        if not self._free_rows and self._retired_rows:
            self.reclaim()
        if self._free_rows:
            index = self._free_rows.pop()
        elif self.row_count < self.pool.capacity:
            index = self.row_count
            self.row_count += 1
        else:
            raise self.pool.full()
        row = self.rows[index]
        sequence = int(row["sequence"]) + 1
        self.rows[index] = np.zeros((), dtype=schema.SHAPE)
        row["sequence"], row["user_kind"] = sequence, kind
        return index

    def free(self, index: int) -> None:
        """Free a shape: it is EMPTY at once, also where it is still used; its row is taken again after `collect`, when
        nobody uses it any more. Raises ValueError if there is no such shape."""
        with self._lock:
            self._check("free", index)
            self.rows[index]["id"] = 0
            self._settings.pop(index, None)
            for row in (index, *self._derived.get(index, {}).values()):
                self._empty(row)
            self._retire_if_unused(index)

    def collect(self) -> int:
        """Give back replaced blocks and freed rows. Call when no step and no query runs. Gives how many of both."""
        with self._lock:
            count = len(self._retired_blocks) + len(self._retired_rows)
            give_back = self.detach_retired()
            if give_back:
                give_back()
            return count

    def detach_retired(self):
        """What was retired until now, as a function that gives it back: call it when nobody can be reading it any more. None
        if there is nothing."""
        with self._lock:
            blocks, rows = self._retired_blocks, self._retired_rows
            self._retired_blocks, self._retired_rows = [], []

        def give_back() -> None:
            with self._lock:
                blocks.clear()
                self._free_rows += rows

        return give_back if blocks or rows else None

    def kind_of(self, index: int) -> int:
        """The kind the shape was created as. Raises ValueError if there is no such shape."""
        self._check("kind_of", index)
        return int(self.rows[index]["user_kind"])

    def settings_of(self, index: int):
        """The settings in use (see `settings`), or None. Raises ValueError if there is no such shape."""
        self._check("settings_of", index)
        return self._settings.get(index)

    def _check(self, call: str, index: int) -> None:
        if not 0 <= index < self.row_count or self.rows[index]["id"] == 0:
            raise ValueError(f"{call}: no such shape, got index {index!r}")

    def held(self):
        """A context in which no other thread changes settings of shapes. For moments."""
        return self._lock

    def block_of(self, index: int):
        """What a shape's row points to, to be kept alive, or None."""
        return self._blocks.get(index)

    # Settings. Each checks first and raises ValueError, naming the call and the value; then the old data is kept.

    def set_sphere(self, index: int, radius: float) -> None:
        """Radius [m]."""
        self._set("set_sphere", index, settings.Sphere.checked(radius))

    def set_box(self, index: int, half_extents) -> None:
        """Half of each side [m]."""
        self._set("set_box", index, settings.Box.checked(half_extents))

    def set_capsule(self, index: int, radius: float, height: float) -> None:
        """Along Y; `height` [m] with the caps, at least twice the radius."""
        self._set("set_capsule", index, settings.Capsule.checked(radius, height))

    def set_cylinder(self, index: int, radius: float, height: float) -> None:
        """Along Y; radius and height [m]."""
        self._set("set_cylinder", index, settings.Cylinder.checked(radius, height))

    def set_tapered_capsule(self, index: int, half_height: float, above: float, below: float) -> None:
        """All between two spheres on Y, at +half_height and -half_height, and their radii [m]."""
        self._set("set_tapered_capsule", index, settings.TaperedCapsule.checked(half_height, above, below))

    def set_tapered_cylinder(self, index: int, half_height: float, above: float, below: float) -> None:
        """Along Y; the radii of its two ends, of which one may be 0 [m]."""
        self._set("set_tapered_cylinder", index, settings.TaperedCylinder.checked(half_height, above, below))

    def set_ellipsoid(self, index: int, half_axes) -> None:
        """Half of each axis [m]."""
        self._set("set_ellipsoid", index, settings.Ellipsoid.checked(half_axes))

    def set_custom(self, index: int, function, data=()) -> None:
        """What a support function of one's own tells, given `data` (numbers): see custom.py."""
        self._set("set_custom", index, settings.Custom.checked(function, data))

    def set_hull(self, index: int, points) -> None:
        """The convex hull of `points`, `(n, 3)` [m]. No points: the shape stays, or becomes, empty."""
        self._set("set_hull", index, settings.Hull.checked(points))

    def set_plane(self, index: int, normal, distance: float) -> None:
        """All of space where normal . x <= distance [m]; the normal need not be of length 1."""
        self._set("set_plane", index, settings.Plane.checked(normal, distance))

    def set_mesh(self, index: int, vertices, triangles, has_backface_collision: bool = False) -> None:
        """Triangles `(m, 3)` of indices into vertices `(n, 3)` [m], counter-clockwise seen from the front; they need
        not be welded. No triangle with an area: the shape is empty. Ray hits and contacts tell the rows of `triangles`
        as faces."""
        self._set("set_mesh", index, settings.Mesh.checked(vertices, triangles, has_backface_collision))

    def set_height_field(self, index: int, width: int, depth: int, heights) -> None:
        """`heights` [m], `width * depth` of them, row by row along X; cells of 1 m, centred on the origin; NaN: a
        hole."""
        self._set("set_height_field", index, settings.HeightField.checked(width, depth, heights))

    def update_height_field(self, index: int, x: int, z: int, heights) -> None:
        """Change the samples from column x and row z on to `heights` `(rows, columns)` [m], in place. Costs what the region
        costs. Call `World.update_height_field`: bodies have to know. Raises ValueError for what does not fit."""
        call = "update_height_field"
        with self._lock:
            self._check(call, index)
            field = self._settings.get(index)
            if not isinstance(field, settings.HeightField):
                raise ValueError(f"{call}: shape {index} is no height field that was set")
            region = field.checked_region(call, x, z, heights)
            for row in (index, *self._derived.get(index, {}).values()):
                self._update_field(row, field, x, z, region)

    def _update_field(self, row: int, field, x: int, z: int, region: np.ndarray) -> None:
        """Write a region to one row; a use that is no field itself, or was all holes, is cooked anew."""
        block = self._blocks.get(row)
        depth, width = region.shape
        if block is None or "heights" not in block.arrays:
            field.heights[z : z + depth, x : x + width] = region
            stretch = self._source[row][1] if row in self._source else np.eye(3)
            self._write(row, *_cook_stretched(field, stretch))
            if row not in self._source and row in self._blocks:
                self._settings[row] = field._replace(heights=self._blocks[row].arrays["heights"])
            return
        block.arrays["heights"][z : z + depth, x : x + width] = region
        renew_ranges(block.arrays, x, z, width, depth)
        scale = field.scale if row not in self._source else field.stretched(self._source[row][1])[0].scale
        bounds = field_bounds(block.arrays, scale)
        self.rows[row]["kind"] = schema.EMPTY if bounds is None else schema.MESH
        if bounds is not None:
            self.rows[row]["bounds"] = bounds

    def set_separation_ray(self, index: int, length: float, slides_on_slope: bool = False) -> None:
        """From the origin along +Z; length [m]."""
        self._set("set_separation_ray", index, settings.SeparationRay.checked(length, slides_on_slope))

    def _set(self, call: str, index: int, new_settings) -> None:
        self._check(call, index)
        kind = int(self.rows[index]["user_kind"])
        if kind != new_settings.kind:
            raise ValueError(f"{call}: shape {index} is a {schema.KIND_NAMES[kind]}")
        cooked = new_settings.cook()  # may take long: not under the lock
        if isinstance(new_settings, settings.Mesh | settings.HeightField):
            new_settings = new_settings.kept(cooked)
        with self._lock:
            self._check(call, index)
            rows = list(self._derived.get(index, {}).values())
            derived = [_cook_stretched(new_settings, self._source[row][1]) for row in rows]
            self._settings[index] = new_settings
            self._write(index, cooked, False)
            for row, cooked_use in zip(rows, derived, strict=True):
                self._write(row, *cooked_use)

    def take_over(self, index: int, own_settings, cooked: Cooked, margin: float) -> None:
        """Give a new shape settings that are cooked already (storage.py)."""
        with self._lock:
            self._check("take_over", index)
            if own_settings is not None:
                self._settings[index] = own_settings
            self._write(index, cooked, False)
            self.rows[index]["margin"] = margin

    def set_margin(self, index: int, margin: float) -> None:
        """Keep the user's margin [m]: a hint that nothing reads, shapes are exact."""
        with self._lock:
            self._check("set_margin", index)
            self.rows[index]["margin"] = margin

    # Derived shapes: a shape used with a scale, shear or mirroring is a row of its own.

    def derive(self, index: int, stretch=None) -> int:
        """Take a use of the shape stretched by `stretch` `(3, 3)`, the symmetric part of a basis (`split_basis`); None: none.
        Gives the index of the row that collides: `index` itself for no stretch, else a row that follows the user's
        changes. Give the use back with `release`. Raises ValueError for no such shape or a stretch without volume."""
        if stretch is None:
            return self._use(index)
        stretch = np.asarray(stretch, dtype=np.float64)
        if stretch.shape != (3, 3) or not np.isfinite(stretch).all() or abs(np.linalg.det(stretch)) < 1e-30:
            raise ValueError(f"derive: the stretch must be 3 x 3 finite numbers with a volume, got {stretch.tolist()}")
        if np.abs(stretch - np.eye(3)).max() <= IDENTITY_TOLERANCE:
            return self._use(index)
        # Transforms that mean the same scale differ in the last bits: they share a row.
        step = 1e-6 * 2.0 ** np.rint(np.log2(np.abs(stretch).max()))
        key = np.rint(stretch / step).astype(np.int64).tobytes() + np.float64(step).tobytes()
        cooked_from, cooked = None, _NOTHING
        while True:
            with self._lock:
                self._check("derive", index)
                row = self._derived.get(index, {}).get(key, -1)
                current = self._settings.get(index)
                if row < 0 and current is cooked_from:
                    row = self._take_row(int(self.rows[index]["user_kind"]))
                    self._derived.setdefault(index, {})[key] = row
                    self._source[row] = (index, stretch)
                    self._write(row, *cooked)
                if row >= 0:
                    self.rows[row]["use_count"] += 1
                    return row
            cooked_from, cooked = current, _cook_stretched(current, stretch)  # may take long: not under the lock

    def _use(self, index: int) -> int:
        with self._lock:
            self._check("derive", index)
            self.rows[index]["use_count"] += 1
            return index

    def release(self, row: int) -> None:
        """Give back a use taken with `derive`; `row` is what it gave. Raises ValueError if it is not in use."""
        with self._lock:
            if not 0 <= row < self.row_count or self.rows[row]["use_count"] <= 0:
                raise ValueError(f"release: the shape is not in use, got index {row!r}")
            self.rows[row]["use_count"] -= 1
            self._retire_if_unused(row)

    def _retire_if_unused(self, row: int) -> None:
        if self.rows[row]["use_count"] > 0:
            return
        if row in self._source:
            index, _ = self._source.pop(row)
            rows = self._derived[index]
            for key in [key for key, value in rows.items() if value == row]:
                del rows[key]
            self._empty(row)
            self._retired_rows.append(row)
            self.on_retire()
            self._retire_if_unused(index)
        elif self.rows[row]["id"] == 0 and not self._derived.get(row):
            self._derived.pop(row, None)
            self._retired_rows.append(row)
            self.on_retire()

    # Shapes that were cooked elsewhere, for batches of bodies (batch_interface.py).

    def adopt(self, cooked: np.ndarray) -> np.ndarray:
        """Rows, int32, for shapes that are cooked already: an array of SHAPE whose `block`s are addresses that stay good until
        `disown`. Each is in use once. Raises PoolFull; then none was taken."""
        with self._lock:
            if self.row_count + len(cooked) - len(self._free_rows) > self.pool.capacity:
                raise self.pool.full()
            indices = np.array([self._take_row(int(kind)) for kind in cooked["user_kind"]], np.int32)
            sequences = self.rows["sequence"][indices]
            self.rows[indices] = cooked
            for index, sequence in zip(indices.tolist(), sequences.tolist(), strict=True):
                row = self.rows[index]
                row["sequence"], row["use_count"], row["id"] = sequence, 1, self._make_id(index, sequence)
            return indices

    def disown(self, indices: np.ndarray) -> None:
        """Give rows back that `adopt` gave. No step and no query may still read them."""
        with self._lock:
            for index in indices.tolist():
                row = self.rows[index]
                row["kind"], row["id"], row["block"] = schema.EMPTY, 0, 0
                row["use_count"] -= 1
                if row["use_count"] == 0:
                    self._free_rows.append(index)

    def used_count(self) -> int:
        """Rows in use."""
        with self._lock:
            return self.row_count - len(self._free_rows) - len(self._retired_rows)

    # A query may read a row while it is written: `kind` is written last, and a block stays until `collect`, so that
    # what it reads may be old or mixed, but is never gone.

    def _write(self, index: int, cooked: Cooked, is_approximate: bool) -> None:
        row = self.rows[index]
        if cooked.block is not None:
            row["block"] = cooked.block.address
        self._retire_block(index)
        if cooked.block is not None:
            self._blocks[index] = cooked.block
        for name in COOKED_FIELDS:
            row[name] = cooked.fields.get(name, 0)
        row["is_approximate"] = is_approximate
        row["kind"] = cooked.kind

    def _empty(self, index: int) -> None:
        self.rows[index]["kind"] = schema.EMPTY
        self._retire_block(index)

    def _retire_block(self, index: int) -> None:
        if index in self._blocks:
            self._retired_blocks.append(self._blocks.pop(index))
            self.on_retire()
