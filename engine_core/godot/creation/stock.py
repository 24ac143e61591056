"""The stock of the compiled answers: free rows from Python's tables, and notes of changes for these tables.

The caller holds the server's lock.
"""

import numpy as np

from ...bodies.schema import CAN_SLEEP, CUSTOM_CENTER_OF_MASS, INDEX_MASK, IS_AREA, LAYER_SENSOR, RAY_PICKABLE, RIGID, STATIC
from ...edit import body_placement
from ...runtime.distinct import distinct
from ...runtime.memory import address_of
from ...sensors.pools import new_area
from ..schema import MASS_IS_STALE, MOST_IN_STOCK, MOST_NOTES, NOTE, SHAPE_DROPPED, SHAPE_FREED, SHAPE_SET, SHAPE_USED, WAS_FREED

SHARE = 16
"""The stock is at most this part of the free rows, so that a call for the last rows gets them."""


class Stock:
    """The stock and the notes of a server."""

    def __init__(self, server):
        self._server, self._world, self._record = server, server.world, server.record
        self._rows, self._runs = np.zeros(MOST_IN_STOCK, np.int32), np.zeros(MOST_IN_STOCK, np.int32)
        self._shape_rows, self._notes = np.zeros(MOST_IN_STOCK, np.int32), np.zeros(MOST_NOTES, NOTE)
        self.most_bodies = self.most_runs = 0  # in use at once, when the stock was last empty: see server_figures.py
        area = self._world.bodies.template(STATIC, IS_AREA | RAY_PICKABLE | CUSTOM_CENTER_OF_MASS)
        area["broad_phase_layer"] = LAYER_SENSOR
        self._templates = self._world.bodies.template(RIGID, CAN_SLEEP | RAY_PICKABLE), area, np.array([new_area()])
        record = self._record
        record["stock"], record["runs"], record["notes"] = map(address_of, (self._rows, self._runs, self._notes))
        record["shape_rows"] = address_of(self._shape_rows)
        record["late_edits"] = self._world.late.waiting_address
        record["new_body"], record["new_area_body"], record["new_area"] = map(address_of, self._templates)

    def restock(self) -> None:
        """Refill the stock. Called by the functions that found it empty."""
        for name in ("enter_system", "leave_system", "renew", "renew_shapes"):  # loaded with the first body
            self._record[name] = getattr(body_placement, name).address
        bodies, instances = self._world.bodies, self._world.instances
        if not self._record["stock_count"]:
            self._world.retirement.reclaim()
            before = self.most_bodies = bodies.count
            rows = bodies.take_many(min(MOST_IN_STOCK, bodies.free_count() // SHARE))
            # The next one last: freed rows, the latest first, then unused ones in ascending order.
            order = np.concatenate([rows[rows < before][::-1], rows[rows >= before]])[::-1]
            self._rows[: len(order)] = order
            self._record["stock_count"] = len(order)
        if not self._record["run_count"]:
            self.most_runs = instances.most_used()
            free = instances.pool.capacity - instances.used_count()
            runs = instances.take_many(min(MOST_IN_STOCK, free // SHARE), 1)
            self._runs[: len(runs)] = runs[::-1]
            self._record["run_count"] = len(runs)

    def restock_shapes(self) -> None:
        """Fill up the stock of rows of shapes if it is empty."""
        shapes = self._world.shapes
        if not self._record["shape_row_count"]:
            self._world.retirement.reclaim()
            rows = shapes.take_many(min(MOST_IN_STOCK, shapes.free_count() // SHARE))
            self._shape_rows[: len(rows)] = rows[::-1]
            self._record["shape_row_count"] = len(rows)

    def take_over(self) -> None:
        """Enter the notes into Python's tables."""
        count, world = int(self._record["note_count"]), self._world
        notes = self._notes[:count].copy()
        self._record["note_count"] = self._record["noted_memory"] = 0
        users, kinds, indices = world.shape_users, notes["kind"], notes["identity"] & INDEX_MASK
        is_of_body = kinds < WAS_FREED
        told = (values[is_of_body].tolist() for values in (kinds, indices, notes["first"]))
        for kind, index, shape in zip(*told, strict=True):
            if kind == SHAPE_USED:
                users.add(shape, index)
            elif kind == SHAPE_DROPPED:
                users.drop(shape)
            elif kind == MASS_IS_STALE:
                world.body.note_stale_mass(index)
        is_set, is_freed, freed_shapes = kinds == SHAPE_SET, kinds == WAS_FREED, kinds == SHAPE_FREED
        world.shapes.note_set(indices[is_set], notes["sizes"][is_set])
        # Freed things last of all: they are not reused before.
        memory = notes["first"][freed_shapes]
        world.shapes.note_freed(indices[freed_shapes].tolist(), memory[memory != 0].tolist())
        if is_freed.any():
            self._take_over_freed(notes["identity"][is_freed].tolist(), notes[is_freed])

    def _take_over_freed(self, identities: list[int], freed: np.ndarray) -> None:
        """Process freed bodies and areas, and their notes."""
        areas = self._server.areas
        for identity in areas.keys() & identities if areas else ():
            del areas[identity]
        self._world.retirement.retire(lambda: self._give_back(freed))

    def _give_back(self, freed: np.ndarray) -> None:
        """Give back the rows of freed bodies, which are no longer read."""
        for capacity in distinct(freed["capacity"]).tolist():
            if capacity:
                self._world.instances.give_back_many(freed["first"][freed["capacity"] == capacity].tolist(), capacity)
        self._world.bodies.give_back_many((freed["identity"] & INDEX_MASK).astype(np.int32))
