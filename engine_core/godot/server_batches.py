"""Colliders for many instances of one shape without nodes or RIDs of their own: the methods that an InstanceCollider3D calls.

`batch_add(space, shape, transforms, placed, layer, mask, user_id)` returns a handle or -1; `batch_remove(handle)`;
`batch_instance(handle, rid)` returns the instance that a query has found, or -1. In Python, for rare calls.
"""

import numpy as np

from ..batches.body_batches import NEW_BODY, NEW_SHAPE
from ..bodies.identity import index_of
from ..core.batches import BatchQueue, BodyBatch
from ..shapes.stretch import quaternions, split_many
from .frames import frame_of_space
from .methods import locked_calls
from .schema import INT, PACKED_FLOAT32_ARRAY, RID, TRANSFORM3D
from .things_by_number import ThingsByNumber

LARGEST_BATCH = 1 << 20
"""Bodies of one call."""


def transform_rows(call: str, transforms: np.ndarray, count: int = -1) -> np.ndarray:
    """Transforms as rows, float64 (n, 3, 4): 12 numbers each, as in a MultiMesh's buffer (rows of the basis, each with a
    coordinate of the origin). `count`: how many there must be. Raises ValueError."""
    if len(transforms) % 12 or len(transforms) > 12 * LARGEST_BATCH:
        raise ValueError(f"{call}: transforms must be 12 numbers a body, got {len(transforms)} numbers")
    if count >= 0 and len(transforms) != 12 * count:
        raise ValueError(f"{call}: {count} bodies and transforms of {len(transforms) // 12} do not go together")
    rows = np.asarray(transforms, np.float64).reshape(-1, 3, 4)
    wrong = np.flatnonzero(~np.isfinite(rows).all(axis=(1, 2)))
    if len(wrong):
        raise ValueError(f"{call}: transform {wrong[0]} must be finite, got {rows[wrong[0]].ravel().tolist()}")
    return rows


class InstanceBatches(ThingsByNumber):
    """The batches of a server with their derived shapes, by handle."""

    def __init__(self, server):
        super().__init__("batch", self._take_out)
        self._server = server

    def add(self, space: int, shape: int, transforms, placed, layer: int, mask: int, user_id: int) -> int:
        """Add static bodies of one shape. `transforms`: 12 numbers each, as in a MultiMesh's buffer (rows of the basis, each with
        a coordinate of the origin), relative to `placed`."""
        self._server.space_row(space)
        self._server.shapes.row(shape)
        rows = transform_rows("batch_add", transforms)
        outer = np.array(placed, np.float64)
        basis, origin = outer[:9].reshape(3, 3), outer[9:] + frame_of_space(self._server, space)
        rotations, stretches = split_many(basis @ rows[:, :, :3])
        shapes = self._server.world.shapes
        index = self._server.world.shape.index("batch_add", shape)
        derived, which = shapes.derive_each(index, stretches)
        bodies, used = np.zeros(len(rows), NEW_BODY), np.zeros(len(rows), NEW_SHAPE)
        bodies["position"], bodies["rotation"] = rows[:, :, 3] @ basis.T + origin, quaternions(rotations)
        bodies["first_shape"], bodies["shape_count"], bodies["friction"] = np.arange(len(rows)), 1, 1.0
        bodies["collision_layer"], bodies["collision_mask"] = layer & 0xFFFFFFFF, mask & 0xFFFFFFFF
        used["shape"], used["rotation"] = which, (0.0, 0.0, 0.0, 1.0)
        cooked = shapes.rows[derived].copy()
        cooked["use_count"] = 0
        keeps = [shapes.block_of(row) for row in derived]  # keeps the blocks even if the user's shape changes
        queue = BatchQueue(self._server.world, space)
        queue.hold_back = self._server.streams._hold_back
        batch = BodyBatch(queue, bodies, used, cooked, user_id=user_id, keeps=keeps)
        batch.push()
        queue.advance()
        return self.keep(space, (batch, derived))

    def _take_out(self, kept: tuple[BodyBatch, list[int]]) -> None:
        """Take a batch out; bodies lying on it wake."""
        batch, derived = kept
        batch.remove()
        batch.queue.close()
        for row in derived:
            self._server.world.shapes.release(row)
        self._server.streams.release_held()

    def instance(self, handle: int, identity: int) -> int:
        """The number of the instance whose body has this id, or -1."""
        if handle not in self:
            return -1
        batch, _ = self.get(handle)[1]
        found = np.flatnonzero(batch.rows == index_of(identity))
        return int(found[0]) if len(found) and identity in batch.ids[found] else -1


def add_batch_methods(methods, engine) -> None:
    """Register the methods; `engine.server` exists when one is called."""
    locked = locked_calls(engine, "instance_batches")
    added = {"space": RID, "shape": RID, "transforms": PACKED_FLOAT32_ARRAY, "placed": TRANSFORM3D, "layer": INT, "mask": INT,
             "user_id": INT}  # fmt: skip
    methods.cold("batch_add", locked("add"), added, INT)
    methods.cold("batch_remove", locked("remove"), {"handle": INT})
    methods.cold("batch_instance", locked("instance"), {"handle": INT, "body": RID}, INT)
