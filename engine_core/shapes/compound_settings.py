"""The settings of a static compound, shapes of all kinds with transforms, and how it is cooked into one row.

Nested compounds are flattened: all parts are in one tree. A part's number counts them in order, depth first; its path gives its
index at each depth.
"""

import math
from typing import NamedTuple

import numpy as np

from ..runtime.memory import address_of
from . import cooking, schema
from .compound import cook_parts
from .stretch import is_identity, split_basis
from .traits import TRAITS

NO_SURFACE = (-1.0, -1.0)
UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


class Part(NamedTuple):
    """One part of a compound: the settings of a shape, twelve numbers (basis by rows, origin), a number of the user's, and
    friction and restitution, None for those of the body."""

    settings: object
    transform: tuple = UPRIGHT
    user_data: int = 0
    material: tuple | None = None


def _checked_part(call: str, number: int, part: Part) -> tuple[np.ndarray, tuple]:
    """(transform, material) of a part. Raises ValueError."""
    try:
        transform = np.array(part.transform, np.float64).ravel()
        surface = NO_SURFACE if part.material is None else tuple(float(value) for value in part.material)
    except (TypeError, ValueError):
        raise ValueError(f"{call}: transform and material of part {number} must be numbers, got {part[1:]!r}") from None
    if transform.size != 12 or not np.isfinite(transform).all() or abs(np.linalg.det(transform[:9].reshape(3, 3))) < 1e-12:
        raise ValueError(f"{call}: transform of part {number} must be 12 finite numbers with a volume, got {part.transform!r}")
    is_material = part.material is None or (len(surface) == 2 and all(math.isfinite(v) and v >= 0.0 for v in surface))
    if not is_material or not -(1 << 63) <= int(part.user_data) < 1 << 63:
        raise ValueError(f"{call}: part {number} must have a friction and restitution of at least 0, got {part[2:]!r}")
    return transform, surface


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compose transform a with each of the transforms b `(n, 12)`."""
    basis, bases = a[:9].reshape(3, 3), b[:, :9].reshape(-1, 3, 3)
    return np.concatenate(((basis @ bases).reshape(-1, 9), b[:, 9:] @ basis.T + a[9:]), axis=1)


class StaticCompound(NamedTuple):
    """Settings of a static compound. `shapes`: settings, each once; the other arrays have a row a part. `paths` int32 are split
    by `path_starts` `(n + 1)`."""

    shapes: tuple
    numbers: np.ndarray  # int32 (n): which of `shapes`
    transforms: np.ndarray  # float64 (n, 12)
    user_data: np.ndarray  # int64 (n)
    surfaces: np.ndarray  # float32 (n, 2); negative: the body's
    paths: np.ndarray
    path_starts: np.ndarray
    kind = schema.COMPOUND

    @staticmethod
    def checked(parts):
        call = "set_compound"
        shapes, known, columns, paths = [], {}, [], []

        def number_of(shape) -> int:
            if id(shape) not in known:
                known[id(shape)] = len(shapes)
                shapes.append(shape)
            return known[id(shape)]

        for number, part in enumerate(parts):
            transform, surface = _checked_part(call, number, part)
            own = part.settings
            if isinstance(own, StaticCompound):
                inner = np.array([number_of(shape) for shape in own.shapes])[own.numbers]
                surfaces = np.where(own.surfaces < 0.0, np.float32(surface), own.surfaces)
                columns.append((inner, _product(transform, own.transforms), own.user_data, surfaces))
                paths += [(number, *own.path_of(k)) for k in range(len(own.numbers))]
            elif hasattr(own, "cook") and not TRAITS[own.kind].can_be_part:
                raise ValueError(f"{call}: part {number}: a {schema.KIND_NAMES[own.kind]} cannot be a part of a compound")
            elif hasattr(own, "cook"):
                columns.append(([number_of(own)], transform[None], [int(part.user_data)], [surface]))
                paths.append((number,))
            else:
                raise ValueError(f"{call}: part {number} must be the settings of a shape, got {own!r}")
        if not 0 < len(paths) <= schema.MOST_PARTS:
            raise ValueError(f"{call}: a compound has 1 to {schema.MOST_PARTS} parts, got {len(paths)}")
        types = (np.int32, np.float64, np.int64, np.float32)
        arrays = [np.concatenate(column).astype(kind) for column, kind in zip(zip(*columns, strict=True), types, strict=True)]
        starts = np.concatenate(([0], np.cumsum([len(path) for path in paths]))).astype(np.int32)
        return StaticCompound(tuple(shapes), *arrays, np.array([k for path in paths for k in path], np.int32), starts)

    def path_of(self, part: int) -> tuple[int, ...]:
        """The index of a part at each depth."""
        return tuple(self.paths[self.path_starts[part] : self.path_starts[part + 1]].tolist())

    def placed(self) -> tuple[list, np.ndarray, np.ndarray, np.ndarray, bool]:
        """Return (settings as they are cooked, each once; which of them each part uses, rotations and positions of the parts;
        whether some are only approximations)."""
        stretched, known, is_approximate = [], {}, False
        which, turns = np.empty(len(self.numbers), np.int32), np.empty((len(self.numbers), 4))
        for part, (number, transform) in enumerate(zip(self.numbers.tolist(), self.transforms, strict=True)):
            turns[part], stretch = split_basis(transform[:9].reshape(3, 3))
            # Transforms with the same scale may differ in the last bits.
            key = number, np.rint(stretch * 1e6).astype(np.int64).tobytes()
            if key not in known:
                known[key] = len(stretched)
                own, is_less = (self.shapes[number], False) if is_identity(stretch) else self.shapes[number].stretched(stretch)
                stretched.append(own)
                is_approximate |= is_less
            which[part] = known[key]
        return stretched, which, turns, self.transforms[:, 9:], is_approximate

    def cook(self):
        stretched, which, turns, places, _ = self.placed()
        return cook_compound([own.cook() for own in stretched], which, turns, places, self.user_data, self.surfaces)

    def stretched(self, stretch):
        transform = np.concatenate((np.asarray(stretch, np.float64).ravel(), np.zeros(3)))
        compound = self._replace(transforms=_product(transform, self.transforms))
        return compound, compound.placed()[4]


def rows_of(cooked_parts) -> np.ndarray:
    """Build rows of SHAPE for cooked shapes."""
    rows = np.zeros(len(cooked_parts), schema.SHAPE)
    for row, cooked in zip(rows, cooked_parts, strict=True):
        for name in cooking.COOKED_FIELDS:
            row[name] = cooked.fields.get(name, 0)
        row["kind"], row["block"] = cooked.kind, cooked.block.address if cooked.block else 0
    return rows


def cook_compound(cooked_parts: list, which, turns, places, user_data, surfaces) -> cooking.Cooked:
    """Cook parts: for each, which of the cooked shapes it is, its rotation `(n, 4)` and position `(n, 3)` [m]. `shape` of the
    rows of the block is that number until the pool gives the shapes rows."""
    parts = np.zeros(len(which), schema.INSTANCE)
    parts["shape"], parts["user_shape"], parts["body"] = which, -1, -1
    parts["rotation"], parts["position"], parts["origin_position"] = turns, places, places
    arrays = {
        "parts": parts, "nodes": np.zeros(len(which), schema.INSTANCE_NODE), "surfaces": np.asarray(surfaces, np.float32),
        "user_data": np.asarray(user_data, np.int64),
    }  # fmt: skip
    block = cooking.pack_block(schema.COMPOUND_BLOCK, {"part_count": len(which)}, arrays)
    rows, numbers = rows_of(cooked_parts), np.zeros(10)
    cook_parts(block.address, address_of(rows), len(rows), address_of(numbers))
    bounds = block.arrays["parts"]["bounds"]
    inner = [float(row["inner_radius"]) for row in rows if row["inner_radius"] > 0.0]
    fields = {
        "bounds": np.concatenate((bounds[:, :3].min(axis=0), bounds[:, 3:].max(axis=0))), "volume": numbers[0],
        "center_of_mass": numbers[1:4], "inertia": numbers[4:], "inner_radius": min(inner, default=0.0),
    }  # fmt: skip
    return cooking.Cooked(schema.COMPOUND, fields, block, tuple(cooked_parts))
