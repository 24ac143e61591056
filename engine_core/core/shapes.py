"""The interface for the users' shapes: making, finding, changing and freeing them.

Any thread may call, as for bodies (core/bodies.py). Settings are set in the pool, `world.shapes`.
"""

import threading

from ..bodies.identity import describe_id, index_of, kind_of
from ..bodies.schema import KIND_SHAPE
from ..edit.brick_edits import make_edit
from ..structures.structure import merged
from .part import Part


class ShapeInterface(Part):
    """The part of a `World` that handles users' shapes."""

    def __init__(self, world):
        super().__init__(world)
        self._batches: dict[int, list] = {}  # edits of structures, by index of the shape, that bodies have not followed yet
        self._noting = threading.Lock()

    def create(self, kind: int) -> int:
        """Create an empty shape of a kind (`shapes.schema`) and return its id."""
        return self.id_of(self._shapes.create(kind))

    def id_of(self, index: int) -> int:
        return int(self._shapes.rows[index]["id"])

    def index(self, call: str, identity: int) -> int:
        """Index of the shape with this id. Raises KeyError for a freed, foreign or wrong id."""
        index = index_of(identity)
        if kind_of(identity) != KIND_SHAPE or index >= self._shapes.pool.capacity:
            raise KeyError(f"{call}: there is no shape {describe_id(identity)}: it is no shape")
        if self._shapes.rows[index]["id"] != identity:
            raise KeyError(f"{call}: there is no shape {describe_id(identity)}: it was freed")
        return index

    def destroy(self, identity: int) -> None:
        """Free a shape; bodies that use it lose it."""
        shape = self.index("free", identity)
        for body in self._shape_users.of(shape):
            self._world.body.lose_shape(int(self._bodies.rows[body]["id"]), shape)
        self._shape_users.forget(shape)
        self._world.body.contact_biases.pop(shape, None)
        self._shapes.free(shape)

    def update_height_field(self, identity: int, x: int, z: int, heights, materials=None) -> None:
        """Change the samples of a height field in place, from column x and row z on, to `heights` `(rows, columns)` [m], and the
        materials of the cells from there on; None keeps them. Bodies on it wake up. Raises KeyError, ValueError."""
        shape = self.index("update_height_field", identity)
        self._shapes.update_height_field(shape, x, z, heights, materials)
        self._world.setting_count += 1
        self._world.body.shape_changed(shape)

    def structure_changed(self, shape: int, batch) -> None:
        """Note a batch of edits of a structure (by index of the shape): the bodies that have it are renewed before the next step,
        or when someone asks for their mass, so that a thousand edits renew them once. At once if it grew: queries look for bricks
        within the bounds of bodies."""
        with self._noting:
            self._batches.setdefault(shape, []).append(batch)
        if batch.has_grown:
            self.settle_bricks()
        else:
            self._world.body.on_stale()

    def settle_stand_ins(self) -> None:
        """Make the convex stand-ins of structures that the last step asked for, and renew one that is outdated."""
        are_wanted = bool(self._record["stand_ins_wanted"])
        self._record["stand_ins_wanted"] = 0
        self._shapes.settle_stand_ins(are_wanted)

    def settle_bricks(self) -> None:
        """Renew the bodies whose structures were edited."""
        while self._batches:
            with self._noting:
                noted = dict(self._batches)
                self._batches.clear()
            for shape, batches in noted.items():
                users = self._shape_users.of(shape)
                if users:
                    edit = make_edit(shape, merged(batches))
                    for body in users:
                        self._world.body.bricks_changed(body, edit)
