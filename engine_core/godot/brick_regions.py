"""Drawing bricks: rows for the buffers of MultiMeshes, one a region of a structure, and which regions were edited.

A region is a cube of the structure's grid; it draws the bricks whose centres lie in it. Only its number is noted when a brick in
it is edited: its rows are made when they are asked for, from the tree.
"""

import threading

import numpy as np

from ..runtime.distinct import distinct
from ..structures.schema import FREE_BOX

WIDTH = 16
"""Floats of an instance in a MultiMesh's buffer: three rows of a transform, and a colour."""
FULL_ROWS = 64
"""Buffers are filled up to whole multiples of this, so that a few bricks more or less do not need a new one."""
REACH, BITS = 1 << 20, 21
"""Regions are numbered from -REACH to REACH - 1 on each axis, and packed into one number of three times BITS."""


def packed(centers: np.ndarray, size: int) -> set[int]:
    """The regions that hold some points (n, 3) [unit], packed."""
    keys = np.floor(centers / size).astype(np.int64) + REACH
    return set(distinct((keys[:, 0] << 2 * BITS) | (keys[:, 1] << BITS) | keys[:, 2]).tolist())


def rotation_rows(rotations: np.ndarray) -> np.ndarray:
    """Matrices (n, 3, 3) of unit quaternions x, y, z, w (n, 4)."""
    x, y, z, w = rotations.T
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]  # fmt: skip
    return np.moveaxis(np.array(rows), -1, 0)


def instances(bricks: np.ndarray, placements: np.ndarray, unit: float, colours: np.ndarray) -> np.ndarray:
    """Rows (n, WIDTH) of a buffer for rows BRICK and PLACEMENT: a cube of 1 m put onto each [m]. `colours`: (k, 4), chosen by the
    tag."""
    rows = np.zeros((len(bricks), 3, 4), np.float32)
    rows[:, [0, 1, 2], [0, 1, 2]] = (bricks["high"] - bricks["low"]) * unit
    rows[:, :, 3] = 0.5 * unit * (bricks["low"] + bricks["high"])
    is_free = bricks["kind"] == FREE_BOX
    if is_free.any():
        placed = placements[is_free]
        sizes = 2.0 * unit * placed["half_extents"]
        rows[is_free, :, :3] = rotation_rows(placed["rotation"].astype(np.float64)) * sizes[:, None, :]
        rows[is_free, :, 3] = unit * placed["center"]
    chosen = colours[bricks["user_number"] % len(colours)]
    return np.concatenate((rows.reshape(-1, 12), chosen), axis=1)


class DrawnRegions:
    """The regions of one structure that were edited since they were drawn last. Any thread may edit."""

    def __init__(self, structure, unit: float, size: int):
        """`unit` [m]; `size`: side of a region [unit]."""
        self._structure, self._unit, self.size = structure, unit, size
        self._lock = threading.Lock()
        structure.users.add(self)
        _, rows, _ = structure.all_bricks()
        self._edited = packed(0.5 * (rows["low"] + rows["high"]), size) if len(rows) else set()

    def renew_structure(self, structure) -> None:
        """Hear of a batch before it ends: nothing to do."""

    def tell_structure(self, structure, batch) -> None:
        """Note the regions of a batch of edits."""
        bounds = np.concatenate((batch.bounds, batch.new_bounds))
        regions = packed(0.5 * (bounds[:, :3] + bounds[:, 3:]), self.size)
        with self._lock:
            self._edited |= regions

    def take(self, most: int) -> np.ndarray:
        """Numbers of up to `most` edited regions, int32 (n, 3), which then count as drawn."""
        with self._lock:
            taken = [self._edited.pop() for _ in range(min(most, len(self._edited)))]
        keys = np.array(taken, np.int64)
        mask = (1 << BITS) - 1
        return (np.stack((keys >> 2 * BITS, keys >> BITS & mask, keys & mask), axis=-1) - REACH).astype(np.int32)

    def buffer(self, region: tuple[int, int, int], colours: np.ndarray) -> np.ndarray:
        """Rows of a MultiMesh's buffer for the bricks of a region, float32 (n, WIDTH), the last ones of zeros, which draw
        nothing. `colours`: (k, 4)."""
        low = np.array(region, np.float64) * self.size
        _, bricks, placements = self._structure.bricks_in_box(low, low + self.size)
        is_here = (np.floor(0.5 * (bricks["low"] + bricks["high"]) / self.size) == region).all(axis=1)
        rows = instances(bricks[is_here], placements[is_here], self._unit, colours)
        filled = np.zeros((-(-len(rows) // FULL_ROWS) * FULL_ROWS, WIDTH), np.float32)
        filled[: len(rows)] = rows
        return filled
