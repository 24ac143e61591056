"""Bricks that make a larger box together, joined to one: the same matter in fewer boxes, for structures that meet structures.

Bricks with the same faces across an axis are joined along it where they touch, axis by axis, until no two can be. Only boxes with
the same material are joined; what overlaps, and boxes placed freely, stay as they are. What is joined keeps its faces, so the
result has the same surface to the last bit.
"""

import numpy as np

from . import schema
from .structure import Structure

MOST_BRICKS = 1 << 14
"""Larger structures are not joined: it takes 0.2 to 0.5 us a brick."""
WORTH = 2
"""Joining must make fewer boxes than bricks, by this factor, to be of use."""


def join_along(axis: int, rows: np.ndarray) -> np.ndarray:
    """Rows BRICK of boxes, joined along an axis. The low corner, and the settings, are those of the first of each."""
    if len(rows) < 2:
        return rows
    low, high = rows["low"], rows["high"]
    first, second = (other for other in range(3) if other != axis)
    across = (rows["material"], low[:, first], high[:, first], low[:, second], high[:, second])
    order = np.lexsort((low[:, axis], *reversed(across)))
    begins = np.ones(len(rows), bool)
    begins[1:] = low[order[1:], axis] != high[order[:-1], axis]
    for values in across:
        begins[1:] |= values[order[1:]] != values[order[:-1]]
    starts = np.flatnonzero(begins)
    if len(starts) == len(rows):
        return rows
    joined = rows[order[starts]]
    joined["high"][:, axis] = high[order[np.append(starts[1:], len(rows)) - 1], axis]
    return joined


def joined_rows(rows: np.ndarray) -> np.ndarray:
    """Rows BRICK of boxes along the axes, joined until no two of them can be."""
    unchanged, axis = 0, 0
    while unchanged < 3:
        joined = join_along(axis, rows)
        unchanged = unchanged + 1 if len(joined) == len(rows) else 1
        rows, axis = joined, (axis + 1) % 3
    return rows


def joined_structure(structure: Structure) -> Structure | None:
    """A structure of the same matter in fewer boxes; None if that is not worth it. Bricks that nothing meets are left out, and
    densities mean nothing."""
    _, rows, placements = structure.all_bricks()
    if not 1 < len(rows) <= MOST_BRICKS:
        return None
    is_met, is_free = rows["layers"] != 0, rows["kind"] == schema.FREE_BOX
    boxes, free = joined_rows(rows[is_met & ~is_free]), is_met & is_free
    if WORTH * (len(boxes) + np.count_nonzero(free)) > len(rows):
        return None
    kept = np.concatenate((boxes, rows[free])) if free.any() else boxes
    kept["density"] = 1
    joined = Structure(max(len(kept), 1))
    if len(kept):
        placed = np.zeros(len(kept), schema.PLACEMENT)
        placed[len(boxes) :] = placements[free]
        joined.insert(kept, placed)
    return joined
