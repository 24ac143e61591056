"""The nearest pinned particle by the way along edges. NumPy, when pins, rest lengths or tethers change."""

import numpy as np

from .strips import rows_around


def nearest_pins(pairs: np.ndarray, rests: np.ndarray, pins: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The nearest pin of each particle, int32 (count,), and the way there, float64 (count,) [m]: infinite, with the pin 0, for a
    particle that no edge joins to a pin. `pairs`: the edges (k, 2), `rests`: their lengths [m] (k,).

    All ways that have become shorter are handed on at once (R. Bellman, "On a Routing Problem", 1958): one by one, as Dijkstra
    does, is slow in NumPy. Of equally long ways that are found together, the lower pin counts."""
    both = np.concatenate((pairs, pairs[:, ::-1]))
    order = np.argsort(both[:, 0], kind="stable")
    begins, others = np.searchsorted(both[order, 0], np.arange(count + 1)), both[order, 1]
    lengths = np.concatenate((rests, rests))[order]
    ways, nearest = np.full(count, np.inf), np.zeros(count, np.int32)
    ways[pins], nearest[pins] = 0.0, pins
    front = pins
    while len(front):
        rows, counts = rows_around(begins, front)
        found, way, pin = others[rows], np.repeat(ways[front], counts) + lengths[rows], np.repeat(nearest[front], counts)
        order = np.lexsort((pin, way, found))
        order = order[way[order] < ways[found[order]]]
        is_first = np.diff(found[order], prepend=-1) != 0
        chosen = order[is_first]
        front = found[chosen]
        ways[front], nearest[front] = way[chosen], pin[chosen]
    return nearest, ways
