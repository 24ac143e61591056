"""The pool of shapes: rows of SHAPE for compiled code, and the data that Python keeps beside them."""

import numpy as np

from ..runtime.memory import Pool, PoolFull
from ..runtime.recorded_calls import recorded, refused_while_recording
from . import schema, settings
from .compound_settings import Part, StaticCompound
from .cooked_memory import claim
from .cooking import COOKED_FIELDS, Cooked, user_kind_of
from .height_field_building import field_bounds, renew_ranges
from .stretch import is_identity, split_basis
from .structure_rows import StructureRows
from .structure_settings import DETAIL, StructureBlock, StructureSettings
from .traits import TRAITS

__all__ = ["COOKED_FIELDS", "ShapePool", "split_basis"]

DEFAULT_CAPACITY = 1 << 20
NO_STRETCH = np.eye(3)
GRAIN = 1e-4
"""Stretches of `derive_each` that differ by less share a row."""


_NOTHING = (Cooked(schema.EMPTY, {}), False)


def _cook_stretched(shape_settings, stretch: np.ndarray) -> tuple[Cooked, bool]:
    """Cook a use with this stretch. Return the result and whether it is an approximation."""
    stretched_settings, is_approximate = shape_settings.stretched(stretch)
    return stretched_settings.cook(), is_approximate


def is_collidable(kind: int) -> bool:
    """Whether shapes of this user's kind make contacts."""
    return kind in TRAITS and TRAITS[kind].is_made


class ShapePool(StructureRows):
    """All shapes of a world. Any thread may call; one lock guards all. Changes are made between steps.

    A row is found by its index and holds the shape in use. Until its settings are set, `kind` is EMPTY and it collides with
    nothing. `make_id(index, sequence)` returns the id that is written into a new row; `setting`: how errors name the limit.

    Rows in use are never overwritten: changed settings go to a fresh row, which `derive` returns from then on, and the users of
    the shape take it anew (`World.body.shape_changed`). Unused rows and blocks stay as they are until `collect`.
    """

    def __init__(self, make_id, capacity: int = DEFAULT_CAPACITY, setting: str = ""):
        super().__init__(make_id, capacity, setting)
        self._settings: dict[int, object] = {}
        self.recorder = None  # that of the world
        self._sizes = Pool("sizes of shapes", np.float64, capacity, (3,))  # of solids without settings in Python
        self._derived: dict[int, dict[bytes, int]] = {}  # by user's shape: stretch to row, for the present settings

    def create(self, kind: int) -> int:
        """Create a shape of this kind, without settings, and return its index. Raises ValueError for a kind that users cannot
        make, PoolFull if there is no free row."""
        if not is_collidable(kind):
            raise ValueError(f"create: no such kind of shape, got {kind!r}")
        with self._lock:
            index = self._take_row(kind)
            self.rows[index]["id"] = self._make_id(index, int(self.rows[index]["sequence"]))
            return index

    def _take_row_of(self, index: int, stretch: np.ndarray) -> int:
        """Take a row for a use of a user's shape."""
        row = self._take_row(int(self.rows[index]["user_kind"]))
        self._source[row] = (index, stretch)
        self._rows_of.setdefault(index, set()).add(row)
        self.rows[index]["was_shared"] = 1
        return row

    def free(self, index: int) -> None:
        """Free a shape. It is EMPTY at once, also where it is still used; its row is reused after `collect`, once it has no
        users. Raises ValueError if there is no such shape."""
        with self._lock:
            self._check("free", index)
            self._claim(index)
            self.rows[index]["id"] = 0
            self._settings.pop(index, None)
            others = tuple(self._rows_of.get(index, ()))
            for row in (*others, index):
                self.rows[row]["kind"] = schema.EMPTY
                self._retire_block(row)
            for row in others or (index,):  # the last of them frees the user's own row too
                self._retire_if_unused(row)

    def current_row(self, index: int) -> int:
        """The row with the present settings of a shape."""
        return int(self.rows[index]["current"])

    def kind_of(self, index: int) -> int:
        """The kind the shape was created as. Raises ValueError if there is no such shape."""
        self._check("kind_of", index)
        return int(self.rows[index]["user_kind"])

    def settings_of(self, index: int):
        """The settings in use (see `settings`), or None. Raises ValueError if there is no such shape."""
        with self._lock:
            self._check("settings_of", index)
            return self._present(index)

    def _check(self, call: str, index: int) -> None:
        if not 0 <= index < self.row_count or self.rows[index]["id"] == 0:
            raise ValueError(f"{call}: no such shape, got index {index!r}")

    def held(self):
        """A context in which no other thread changes settings of shapes. Hold it only briefly."""
        return self._lock

    def part_rows(self, index: int) -> list[int]:
        """The rows of the parts of a compound's row, by number of the cooked part."""
        return self._part_rows.get(index, [])

    def block_of(self, index: int):
        """The owner of the memory that a shape's row points to, to be kept alive, or None."""
        with self._lock:
            self._claim(index)
            return self._blocks.get(index)

    # Rows that were taken for compiled code (`take_many`) and written by it.

    def note_set(self, indices: np.ndarray, sizes: np.ndarray) -> None:
        """Record that compiled code wrote rows without uses: by `solids.write_solid` with these sizes `(n, 3)`, or with a block
        where `cooked_memory` has an address."""
        with self._lock:
            self._sizes.rows[indices] = sizes
            for index in indices.tolist():
                if index not in self._blocks:
                    self._settings.pop(index, None)

    def _present(self, index: int):
        """The settings in use, or None. Settings set by compiled code are built here on demand."""
        self._claim(index)
        own, row = self._settings.get(index), self.rows[index]
        if own is None and row["kind"] != schema.EMPTY and TRAITS[int(row["user_kind"])].has_sizes:
            own = self._settings[index] = settings.of_solid(int(row["user_kind"]), self._sizes.rows[index].tolist())
        return own

    def _claim(self, index: int) -> None:
        """Take over a block that compiled code has cooked; compiled code leaves it alone from here on. In Godot the caller holds
        the server's lock, as does the compiled code."""
        address = int(self.cooked_memory.rows[index])
        if address:
            self._blocks[index], self._settings[index] = claim(address, self.rows[index])
            self.cooked_memory.rows[index] = 0

    def note_freed(self, indices: list[int], memory: list[int]) -> None:
        """Record that these shapes, without uses and other rows, were freed: their ids are gone and they are EMPTY. `memory`: the
        addresses that `cooked_memory` held for them."""
        with self._lock:
            for index in indices:
                self._settings.pop(index, None)
            self._retiring.update(indices)
            self._retired_rows += indices
            self._retired_memory += memory
        if memory:
            self.reclaim()

    # Settings. Each setter checks first and raises ValueError, naming the call and the value; then the old data is kept.

    @recorded("shapes")
    def set_sphere(self, index: int, radius: float) -> None:
        """Set the radius [m]."""
        self._set("set_sphere", index, settings.Sphere.checked(radius))

    @recorded("shapes")
    def set_box(self, index: int, half_extents) -> None:
        """Set half of each side [m]."""
        self._set("set_box", index, settings.Box.checked(half_extents))

    @recorded("shapes")
    def set_capsule(self, index: int, radius: float, height: float) -> None:
        """Set a capsule along Y; `height` [m] includes the caps and is at least twice the radius."""
        self._set("set_capsule", index, settings.Capsule.checked(radius, height))

    @recorded("shapes")
    def set_cylinder(self, index: int, radius: float, height: float) -> None:
        """Set a cylinder along Y; radius and height [m]."""
        self._set("set_cylinder", index, settings.Cylinder.checked(radius, height))

    @recorded("shapes")
    def set_tapered_capsule(self, index: int, half_height: float, above: float, below: float) -> None:
        """Set the convex hull of two spheres on Y, at +half_height and -half_height, with these radii [m]."""
        self._set("set_tapered_capsule", index, settings.TaperedCapsule.checked(half_height, above, below))

    @recorded("shapes")
    def set_tapered_cylinder(self, index: int, half_height: float, above: float, below: float) -> None:
        """Set a tapered cylinder along Y; the radii of its two ends, of which one may be 0 [m]."""
        self._set("set_tapered_cylinder", index, settings.TaperedCylinder.checked(half_height, above, below))

    @recorded("shapes")
    def set_ellipsoid(self, index: int, half_axes) -> None:
        """Set half of each axis [m]."""
        self._set("set_ellipsoid", index, settings.Ellipsoid.checked(half_axes))

    @refused_while_recording("shapes with functions of your own")
    def set_custom(self, index: int, function, data=()) -> None:
        """Set the shape of a custom support function, called with `data` (numbers): see custom.py."""
        self._set("set_custom", index, settings.Custom.checked(function, data))

    @recorded("shapes")
    def set_hull(self, index: int, points) -> float:
        """Set the convex hull of `points`, `(n, 3)` [m]. With no points the shape is empty. A hull has at most 256 vertices:
        return how far the farthest omitted point is outside [m]."""
        return self._set("set_hull", index, settings.Hull.checked(points)).left_out

    @recorded("shapes")
    def set_plane(self, index: int, normal, distance: float) -> None:
        """Set the half space where normal . x <= distance [m]; the normal need not be of length 1."""
        self._set("set_plane", index, settings.Plane.checked(normal, distance))

    @recorded("shapes")
    def set_mesh(
        self, index: int, vertices, triangles, has_backface_collision: bool = False, materials=None, material_table=None
    ) -> None:
        """Set triangles `(m, 3)` of indices into vertices `(n, 3)` [m], counter-clockwise seen from the front; they need not be
        welded. If no triangle has an area, the shape is empty. Ray hits and contacts report the rows of `triangles` as faces.
        `materials` `(m,)`: for each triangle the row of `material_table` `(k, 2)`, friction and restitution, k at most 256;
        contacts use it, ray hits report it."""
        mesh = settings.Mesh.checked(vertices, triangles, has_backface_collision, materials, material_table)
        self._set("set_mesh", index, mesh)

    @recorded("shapes")
    def set_height_field(self, index: int, width: int, depth: int, heights, materials=None, material_table=None) -> None:
        """Set `heights` [m], `width * depth` of them, row by row along X; cells of 1 m, centred on the origin; NaN: a hole.
        `materials` `(depth - 1, width - 1)`: for each cell the row of `material_table`, as in `set_mesh`."""
        field = settings.HeightField.checked(width, depth, heights, materials, material_table)
        self._set("set_height_field", index, field)

    def update_height_field(self, index: int, x: int, z: int, heights, materials=None) -> None:
        """Change the samples from column x and row z on to `heights` `(rows, columns)` [m], and the materials of the cells from
        there on to `materials`; None keeps them. Works in place, at a cost proportional to the region. Users call
        `World.shape.update_height_field`, which also notifies the bodies. Raises ValueError for a region that does not fit."""
        call = "update_height_field"
        with self._lock:
            self._check(call, index)
            field = self._present(index)
            if not isinstance(field, settings.HeightField):
                raise ValueError(f"{call}: shape {index} is no height field that was set")
            region, cells = field.checked_region(call, x, z, heights, materials)
            for row in (self.current_row(index), *self._derived.get(index, {}).values()):
                self._update_field(index, row, x, z, region, cells)

    def _update_field(self, index: int, row: int, x: int, z: int, region: np.ndarray | None, cells: np.ndarray | None) -> None:
        """Write a region to one row. A use that is not a field itself, or had only holes, is cooked anew."""
        block, field = self._blocks.get(row), self._settings[index]
        stretch = self._source[row][1] if row in self._source else NO_STRETCH
        is_field = block is not None and "heights" in block.arrays
        target = field._replace(**{name: block.arrays[name] for name in ("heights", "materials")}) if is_field else field
        if cells is not None:
            target.cells()[z : z + cells.shape[0], x : x + cells.shape[1]] = cells
        if region is not None:
            target.heights[z : z + region.shape[0], x : x + region.shape[1]] = region
        if not is_field:
            cooked, is_approximate = _cook_stretched(field, stretch)
            self._write(row, cooked, is_approximate)
            if row == self.current_row(index):
                self._settings[index] = field.kept(cooked)
            return
        if region is None:
            return
        renew_ranges(block.arrays, x, z, region.shape[1], region.shape[0])
        bounds = field_bounds(block.arrays, field.stretched(stretch)[0].scale)
        self.rows[row]["kind"] = schema.EMPTY if bounds is None else schema.MESH
        if bounds is not None:
            self.rows[row]["bounds"] = bounds

    @recorded("shapes")
    def set_separation_ray(self, index: int, length: float, slides_on_slope: bool = False) -> None:
        """Set a separation ray from the origin along +Z; length [m]."""
        self._set("set_separation_ray", index, settings.SeparationRay.checked(length, slides_on_slope))

    @recorded("shapes")
    def set_compound(self, index: int, parts) -> None:
        """Set a static compound of `parts`, each (index of a shape, transform of twelve numbers), optionally with a number of the
        user's and (friction, restitution). The present settings of the shapes are copied, those of nested compounds too; later
        changes of the shapes have no effect."""
        given = []
        for number, part in enumerate(parts):
            if not 2 <= len(part) <= 4:
                raise ValueError(f"set_compound: part {number} must be shape, transform, user data and material, got {part!r}")
            own = self.settings_of(int(part[0]))
            if own is None:
                raise ValueError(f"set_compound: part {number}, shape {part[0]!r}, has no settings")
            if isinstance(own, settings.HeightField):  # its arrays may change in place
                own = own._replace(heights=own.heights.copy(), materials=own.materials.copy())
            given.append(Part(own, *part[1:]))
        self._set("set_compound", index, StaticCompound.checked(given))

    @refused_while_recording("structures of bricks")
    def set_structure(self, index: int, structure, unit: float = 1.0, material_table=None, detail: int = DETAIL) -> None:
        """Set a structure (structures/structure.py), which stays the caller's to edit. `unit`: length of its unit [m];
        `material_table` `(k, 2)`: friction and restitution of the materials 1 to k of bricks. `detail`: with more bricks
        than this it meets structures with more bricks as a convex hull."""
        self._set("set_structure", index, StructureSettings.checked(structure, unit, material_table, detail))

    def part_of(self, index: int, part: int) -> tuple[tuple[int, ...], int]:
        """(path, user data) of a part of a compound. The path gives its index at each depth. Raises ValueError."""
        compound = self.settings_of(index)
        if not isinstance(compound, StaticCompound) or not 0 <= part < len(compound.numbers):
            raise ValueError(f"part_of: shape {index} has no part {part!r}")
        return compound.path_of(part), int(compound.user_data[part])

    def _set(self, call: str, index: int, new_settings) -> Cooked:
        self._check(call, index)
        kind = int(self.rows[index]["user_kind"])
        if kind != new_settings.kind:
            raise ValueError(f"{call}: shape {index} is a {schema.KIND_NAMES[kind]}")
        cooked = new_settings.cook()  # may take long: not under the lock
        if isinstance(new_settings, settings.Mesh | settings.HeightField):
            new_settings = new_settings.kept(cooked)
        with self._lock:
            self._check(call, index)
            self._claim(index)
            if self.rows[self.current_row(index)]["kind"] == schema.EMPTY:
                self._fill(index, new_settings, cooked)
            else:
                self._replace(index, new_settings, cooked)
        return cooked

    def _fill(self, index: int, new_settings, cooked: Cooked) -> None:
        """Write settings to rows that are EMPTY until now, which is all that queries read of them."""
        uses = [(row, _cook_stretched(new_settings, self._source[row][1])) for row in self._derived.get(index, {}).values()]
        self._settings[index] = new_settings
        self._write(self.current_row(index), cooked, False)
        for row, cooked_use in uses:
            self._write(row, *cooked_use)

    def _replace(self, index: int, new_settings, cooked: Cooked) -> None:
        """Write settings to a fresh row, or to the user's own row if that was retired before and is no longer read."""
        is_spare = self.rows[index]["kind"] == schema.EMPTY and self.rows[index]["use_count"] == 0
        fresh = index if is_spare else self._take_row_of(index, NO_STRETCH)
        old = self.current_row(index)
        self._settings[index] = new_settings
        self._write(fresh, cooked, False)
        self.rows[index]["current"] = fresh
        for row in (old, *self._derived.pop(index, {}).values()):
            self._retire_if_unused(row)

    def take_over(self, index: int, own_settings, cooked: Cooked, margin: float) -> None:
        """Give a new shape settings that are already cooked (storage.py)."""
        with self._lock:
            self._check("take_over", index)
            if own_settings is not None:
                self._settings[index] = own_settings
            self._write(index, cooked, False)
            self.rows[index]["margin"] = margin

    def set_margin(self, index: int, margin: float) -> None:
        """Keep the user's margin [m]: a hint without effect, since shapes are exact."""
        with self._lock:
            self._check("set_margin", index)
            self.rows[index]["margin"] = margin

    # Derived shapes: a shape used with a scale, shear or mirroring has a row of its own.

    def derive_each(self, index: int, stretches: np.ndarray) -> tuple[list[int], np.ndarray]:
        """Take uses of the shape stretched by each of `(n, 3, 3)`; those that differ by less than GRAIN share a row. Return the
        rows, each to be given back with `release`, and which of them each stretch has, `(n,)`. Raises ValueError."""
        kinds, which = np.unique(np.rint(stretches.reshape(-1, 9) / GRAIN), axis=0, return_inverse=True)
        return [self.derive(index, kind.reshape(3, 3) * GRAIN) for kind in kinds], which.ravel()

    def derive(self, index: int, stretch=None) -> int:
        """Take a use of the shape stretched by `stretch` `(3, 3)`, the symmetric part of a basis (`split_basis`), or None. Return
        the index of the row that collides: `index` itself without a stretch, else a row that follows the user's changes. Give the
        use back with `release`. Raises ValueError for a missing shape or a stretch without volume."""
        if stretch is None:
            return self._use(index)
        stretch = np.asarray(stretch, dtype=np.float64)
        if stretch.shape != (3, 3) or not np.isfinite(stretch).all() or abs(np.linalg.det(stretch)) < 1e-30:
            raise ValueError(f"derive: the stretch must be 3 x 3 finite numbers with a volume, got {stretch.tolist()}")
        if is_identity(stretch):
            return self._use(index)
        # Transforms with the same scale may differ in the last bits: they share a row.
        step = 1e-6 * 2.0 ** np.rint(np.log2(np.abs(stretch).max()))
        key = np.rint(stretch / step).astype(np.int64).tobytes() + np.float64(step).tobytes()
        cooked_from, cooked = None, _NOTHING
        while True:
            with self._lock:
                self._check("derive", index)
                row = self._derived.get(index, {}).get(key, -1)
                current = self._present(index)
                if row < 0 and current is cooked_from:
                    row = self._take_row_of(index, stretch)
                    self._derived.setdefault(index, {})[key] = row
                    self._write(row, *cooked)
                if row >= 0:
                    self.rows[row]["use_count"] += 1
                    return row
            cooked_from, cooked = current, _cook_stretched(current, stretch)  # may take long: not under the lock

    def _use(self, index: int) -> int:
        with self._lock:
            self._check("derive", index)
            row = self.current_row(index)
            self.rows[row]["use_count"] += 1
            self.rows[index]["was_shared"] = 1
            return row

    def release(self, row: int) -> None:
        """Give back a use taken with `derive`; `row` is its result. Raises ValueError if it is not in use."""
        with self._lock:
            if not 0 <= row < self.row_count or self.rows[row]["use_count"] <= 0:
                raise ValueError(f"release: the shape is not in use, got index {row!r}")
            self.rows[row]["use_count"] -= 1
            self._retire_if_unused(row)

    def _retire_if_unused(self, row: int) -> None:
        """Retire a row that has no users and cannot get any."""
        index, _ = self._source.get(row, (row, None))
        is_freed = self.rows[index]["id"] == 0
        is_present = not is_freed and self.current_row(index) == row
        holds_rows = row == index and is_freed and row in self._rows_of
        if self.rows[row]["use_count"] > 0 or is_present or holds_rows or row in self._retiring:
            return
        self._retiring.add(row)
        self._retired_rows.append(row)
        if row != index:
            self._forget(row, index)
        self.on_retire()

    def _forget(self, row: int, index: int) -> None:
        """Forget that a row is a use of a user's shape."""
        del self._source[row]
        uses, rows = self._derived.get(index, {}), self._rows_of[index]
        for key in [key for key, value in uses.items() if value == row]:
            del uses[key]
        if not uses:
            self._derived.pop(index, None)
        rows.discard(row)
        if not rows:
            del self._rows_of[index]
            self._retire_if_unused(index)

    # A query may read a row while it is written: it is EMPTY until `kind` is written, last.

    def _write(self, index: int, cooked: Cooked, is_approximate: bool) -> None:
        row = self.rows[index]
        part_rows = self._take_parts(cooked)
        if cooked.block is not None:
            row["block"] = cooked.block.address
        self._retire_block(index)
        if cooked.block is not None:
            self._blocks[index] = cooked.block
        if part_rows:
            self._part_rows[index] = part_rows
        fields = cooked.fields
        if isinstance(cooked.block, StructureBlock):
            fields = self._follow(index, cooked.block)
        for name in COOKED_FIELDS:
            row[name] = fields.get(name, 0)
        row["is_approximate"] = is_approximate
        row["kind"] = cooked.kind

    def _take_parts(self, cooked: Cooked) -> list[int]:
        """Take rows for the parts of a compound and write them to its block. Raises PoolFull; then none was taken."""
        taken = []
        try:
            for part in cooked.parts:
                taken.append(self._take_row(user_kind_of(part)))
                self._write(taken[-1], part, False)
        except PoolFull:
            for row in taken:
                self._give_back_row(row)
            raise
        if taken:
            cooked.block.arrays["parts"]["shape"] = np.array(taken, np.int32)[cooked.block.arrays["parts"]["shape"]]
        return taken

    def _retire_block(self, index: int) -> None:
        if index in self._blocks:
            if isinstance(self._blocks[index], StructureBlock):
                self._unfollow(index, self._blocks[index])
            self._retired_blocks.append(self._blocks.pop(index))
            self._retired_rows += self._part_rows.pop(index, ())
            self.on_retire()
