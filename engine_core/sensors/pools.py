"""The memory of the areas of a world, and of the overlaps and events of each of its systems."""

import numpy as np

from ..runtime.memory import Pool
from .schema import AREA, AREA_EVENT, IS_MONITORABLE, OVERLAP, SENSORS, SHAPE_OVERLAP

LEAST_TABLE = 4096
"""Initial slots of the hash table of overlaps: a power of two."""


def new_area() -> np.ndarray:
    """A row with Godot's defaults of a new area: no effects, no monitoring, and earth's gravity for when it is switched on."""
    row = np.zeros((), dtype=AREA)
    row["gravity"], row["gravity_vector"] = 9.8, (0.0, -1.0, 0.0)
    row["linear_damp"] = row["angular_damp"] = 0.1
    return row


class AreaPool:
    """Rows of AREA, by the index of their body."""

    def __init__(self, body_capacity: int):
        self.pool = Pool("areas", AREA, body_capacity)
        self.rows = self.pool.rows
        self._new = new_area()

    def reset(self, index: int, is_monitorable: bool = False) -> None:
        """Reset a row to that of a new area."""
        self.rows[index] = self._new
        self.rows[index]["flags"] = IS_MONITORABLE if is_monitorable else 0


class Sensors:
    """The SENSORS record of one system. `capacity`: the most overlaps, and the most pairs of shapes in them; `limit`: how many
    are measured at once."""

    def __init__(self, body_capacity: int, capacity: int, limit: int):
        self._pools: list[Pool] = []
        self.record = self._reserve("sensors", SENSORS, 1).rows[0]
        self.address = self._pools[0].address
        self.default_area = self._reserve("areas", AREA, 1).rows
        self.default_area[0] = new_area()
        record, table = self.record, 2 << (capacity - 1).bit_length()  # grows up to that
        record["default_area"] = self._pools[1].address
        for name, dtype, count in (
            ("overlaps", OVERLAP, capacity), ("shape_overlaps", SHAPE_OVERLAP, capacity), ("table", np.int32, table),
            ("first_overlap", np.int32, body_capacity), ("due", np.int32, capacity), ("due_depths", np.int32, capacity),
            ("to_report", np.int32, capacity),
            ("events", AREA_EVENT, capacity), ("spare_events", AREA_EVENT, capacity), ("event_order", np.int32, capacity),
        ):  # fmt: skip
            record[name] = self._reserve(name, dtype, count).address
        record["overlap_capacity"] = record["shape_overlap_capacity"] = record["event_capacity"] = capacity
        record["table_capacity"], record["measure_limit"] = min(LEAST_TABLE, table), limit
        record["first_free_overlap"] = record["first_free_shape_overlap"] = -1

    def _reserve(self, name: str, dtype, count: int) -> Pool:
        self._pools.append(Pool(name, dtype, count))
        return self._pools[-1]

    def events(self) -> np.ndarray:
        """A copy of the events of the last step, structured AREA_EVENT (n,)."""
        events = self.rows("events", "reported_count")
        return events[events["area_id"] != 0].copy()

    def rows(self, field: str, count: str) -> np.ndarray:
        """The rows that a field of the record points to; the field `count` has their number."""
        rows = next(pool.rows for pool in self._pools if pool.address == int(self.record[field]))
        return rows[: int(self.record[count])]

    def close(self) -> None:
        """Free the memory."""
        self._pools.clear()
