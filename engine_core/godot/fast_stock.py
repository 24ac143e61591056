"""What fast answers (fast_call.py) take from Python's tables and leave for them: free rows at hand, and notes of what was done.

Who calls has the server's lock.
"""

import numpy as np

from .. import body_placement
from ..bodies.identity import index_of
from ..bodies.schema import CAN_SLEEP, CUSTOM_CENTER_OF_MASS, IS_AREA, LAYER_SENSOR, RAY_PICKABLE, RIGID, STATIC
from ..runtime.memory import PoolFull, address_of
from ..sensors.pools import new_area
from .schema import MASS_IS_STALE, MOST_IN_STOCK, MOST_NOTES, NOTE, SHAPE_USED, WAS_FREED

SHARE = 16
"""The stock is at most this part of what is free: so that who asks for the last rows gets them."""


class FastStock:
    """The stock and the notes of a server."""

    def __init__(self, server):
        self._server, self._world, self._record = server, server.world, server.record
        self._rows, self._runs = np.zeros(MOST_IN_STOCK, np.int32), np.zeros(MOST_IN_STOCK, np.int32)
        self.most_bodies = self.most_runs = 0  # in use at once, when the stock was last empty: see server_figures.py
        self._notes = np.zeros(MOST_NOTES, NOTE)
        area = self._world.bodies.template(STATIC, IS_AREA | RAY_PICKABLE | CUSTOM_CENTER_OF_MASS)
        area["broad_phase_layer"], area["inverse_mass"] = LAYER_SENSOR, 0
        self._templates = self._world.bodies.template(RIGID, CAN_SLEEP | RAY_PICKABLE), area, np.array([new_area()])
        record = self._record
        record["stock"], record["runs"], record["notes"] = map(address_of, (self._rows, self._runs, self._notes))
        record["late_edits"] = self._world.late.waiting_address
        record["new_body"], record["new_area_body"], record["new_area"] = map(address_of, self._templates)

    def restock(self) -> None:
        """Have rows at hand again. Called by the functions that are asked where there were none."""
        for name in ("enter_system", "leave_system", "renew", "renew_shapes"):  # loaded with the first body: nobody asks before
            self._record[name] = getattr(body_placement, name).address
        bodies, instances = self._world.bodies, self._world.instances
        if not self._record["stock_count"]:
            self._world.retirement.reclaim()
            before = self.most_bodies = bodies.count
            rows = bodies.take_many(min(MOST_IN_STOCK, bodies.free_count() // SHARE))
            # The next one last: those given back, the latest first, then those never used in ascending order.
            order = np.concatenate([rows[rows < before][::-1], rows[rows >= before]])[::-1]
            self._rows[: len(order)] = order
            self._record["stock_count"] = len(order)
        if not self._record["run_count"]:
            self.most_runs = instances.most_used()
            free = instances.pool.capacity - instances.used_count()
            self._record["run_count"] = self._take_runs(min(MOST_IN_STOCK, free // SHARE))

    def _take_runs(self, count: int) -> int:
        """Rows for shapes on bodies, each by itself; gives how many there are."""
        for place in range(count - 1, -1, -1):
            try:
                self._runs[place] = self._world.instances.take(1)
            except PoolFull:
                self._runs[: count - place - 1] = self._runs[place + 1 : count].copy()
                return count - place - 1
        return count

    def take_over(self) -> None:
        """Enter into Python's tables what was noted."""
        count, world = int(self._record["note_count"]), self._world
        notes = self._notes[:count].tolist()
        self._record["note_count"] = 0
        freed = []
        for kind, identity, first, capacity in notes:
            index = index_of(identity)
            if kind == SHAPE_USED:
                world.shape_users.add(first, index)
            elif kind == MASS_IS_STALE:
                world.note_stale_mass(index)
            elif kind == WAS_FREED:
                self._server.areas.pop(identity, None)
                freed.append((index, first, capacity))
            else:
                world.shape_users.drop(first)
        if freed:
            world.retirement.retire(lambda: self._give_back(freed))

    def _give_back(self, freed: list) -> None:
        """Nobody reads the rows of freed bodies any more."""
        for _, first, capacity in freed:
            if capacity:
                self._world.instances.give_back(first, capacity)
        self._world.bodies.give_back_many(np.array([index for index, _, _ in freed], np.int32))
