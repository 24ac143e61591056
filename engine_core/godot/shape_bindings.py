"""The data that Godot has set on its shapes: rows beside those of the shapes, which compiled calls read and write too
(creation/shapes.py).

The caller holds the server's lock.
"""

import numpy as np

from ..bodies.identity import index_of
from ..bodies.schema import KIND_SHAPE
from ..runtime.memory import Pool
from . import schema
from .errors import missing
from .variant import KeptVariant, StoredVariant

KEYS = {
    "radius": "radius_key", "height": "height_key", "faces": "faces_key", "backface_collision": "backface_key",
    "width": "width_key", "depth": "depth_key", "heights": "heights_key",
}  # fmt: skip
"""Keys in the Dictionaries of shape data that compiled code reads, and the field of SERVER with the address."""
_DATA = schema.SHAPE_BINDING.fields["data"][1]


class ShapeBindings:
    """The rows of SHAPE_BINDING of a server, by the index of a shape. `shapes`: the world's; `variants`: the running engine's."""

    def __init__(self, shapes, variants):
        self._pool = Pool("shape bindings", schema.SHAPE_BINDING, shapes.pool.capacity)
        self._shapes, self._variants = shapes, variants
        self.keys = {field: StoredVariant(variants) for field in KEYS.values()}
        for name, field in KEYS.items():
            variants.write(self.keys[field].address, name)
        self.rows, self.address = self._pool.rows, self._pool.address

    def add(self, identity: int) -> None:
        """Initialise the row of a new shape."""
        row = self.rows[index_of(identity)]
        row["margin"] = row["custom_solver_bias"] = row["sight"] = 0
        row["shape_id"] = identity

    def row(self, identity: int):
        """The row of the shape with this id. Raises KeyError."""
        index = index_of(identity)
        if identity <= 0 or index >= len(self.rows) or self.rows[index]["shape_id"] != identity:
            raise KeyError(missing(KIND_SHAPE, "shape", identity))
        return self.rows[index]

    def data(self, identity: int) -> KeptVariant:
        """The last data of a shape, for reading or writing."""
        self.row(identity)
        return KeptVariant(self._variants, self.address + index_of(identity) * schema.SHAPE_BINDING.itemsize + _DATA)

    def release(self, identity: int) -> None:
        """Forget a shape and release what Godot counts."""
        self.data(identity).release()
        self.rows[index_of(identity)]["shape_id"] = 0

    def ids(self) -> list[int]:
        """The ids of all shapes."""
        ids = self.rows["shape_id"][: self._shapes.row_count]
        return ids[np.flatnonzero(ids)].tolist()

    def close(self) -> None:
        """Release everything that Godot counts."""
        for identity in self.ids():
            self.release(identity)
        for key in self.keys.values():
            key.release()
