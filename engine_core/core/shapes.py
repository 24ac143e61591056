"""The interface for the users' shapes: making, finding, changing and freeing them.

Any thread may call, as for bodies (core/bodies.py). Settings are set in the pool, `world.shapes`.
"""

import functools
import threading

from ..bodies.identity import describe_id, index_of, kind_of
from ..bodies.schema import KIND_SHAPE
from ..edit.brick_edits import make_edit
from ..edit.single_brick_edits import Following, follow_single
from ..runtime.recorded_calls import recorded
from ..structures.single_edits import SingleBatch
from ..structures.structure import merged
from .part import Part


class ShapeInterface(Part):
    """The part of a `World` that handles users' shapes."""

    def __init__(self, world):
        super().__init__(world)
        self._batches: dict[int, list] = {}  # edits of structures, by index of the shape, that bodies have not followed yet
        self._noting = threading.Lock()
        self._followings: list[Following] = []  # rows that no thread uses

    @recorded("shape")
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

    @recorded("shape")
    def destroy(self, identity: int) -> None:
        """Free a shape; bodies that use it lose it."""
        shape = self.index("free", identity)
        for body in self._shape_users.of(shape):
            self._world.body.lose_shape(int(self._bodies.rows[body]["id"]), shape)
        self._shape_users.forget(shape)
        self._world.body.contact_biases.pop(shape, None)
        self._shapes.free(shape)

    @recorded("shape")
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
        """Make what the last step asked for to stand for the bricks of structures, and renew what is outdated."""
        are_wanted = bool(self._record["stand_ins_wanted"])
        self._record["stand_ins_wanted"] = 0
        if self._shapes.settle_stand_ins(are_wanted):
            self._record["stand_ins_wanted"] = 1  # the rest before the next step

    def settle_bricks(self) -> None:
        """Renew the bodies whose structures were edited."""
        while self._batches:
            with self._noting:
                noted, self._batches = self._batches, {}
            for shape, batches in noted.items():
                if len(batches) == 1 and type(batches[0]) is SingleBatch and self._follow_single(shape, batches[0]):
                    continue
                users = self._shape_users.of(shape)
                if users:
                    edit = make_edit(shape, merged(batches))
                    for body in users:
                        self._world.body.bricks_changed(body, edit)

    def _follow_single(self, shape: int, batch: SingleBatch) -> bool:
        """Renew the one body that has a structure after the edit of one brick. False: nothing was done, it takes more."""
        body = self._shape_users.only(shape)
        if body < 0 or self._late.has_waiting:
            return False
        fresh = self._instances.take(1)
        try:
            following = self._followings.pop()
        except IndexError:
            following = Following()
        following.set(shape, batch.effects)
        used = follow_single(self._address, body, fresh, following.address)
        self._followings.append(following)
        if used < 0:
            self._instances.give_back(fresh, 1)
            return False
        self._retirement.retire(functools.partial(self._instances.give_back, used, 1))
        return True
