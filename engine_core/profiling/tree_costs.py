"""Cost of queries in a quad tree: nodes visited and bodies returned, counted by the queries themselves. Also builds a tree for
that, as streaming and the step would."""

import numpy as np

from ..broad_phase.add import tree_prepare
from ..broad_phase.query import bounds_query_begin, bounds_query_next, query_end, ray_query_begin, ray_query_next
from ..broad_phase.rebuild import tree_rebuild, tree_renew, tree_swap
from ..broad_phase.schema import CURSOR, TREE
from ..broad_phase.tree_edits import tree_finalize
from ..runtime.kernel import entry_point
from ..runtime.memory import stack_array, view, view2


@entry_point("void(int64, int64)")
def count_costs(tree, arguments):
    """Run rays (origin, full vector) or boxes (six numbers) to their end. Arguments: whether boxes, their number, their address
    (float64, six each), address of two int64 that get the nodes visited and the bodies returned."""
    given = view(arguments, 4, np.int64)
    rows, sums = view2(given[2], given[1], 6, np.float64), view(given[3], 2, np.int64)
    cursor = stack_array(1, CURSOR)
    for i in range(given[1]):
        row = rows[i]
        if given[0]:
            bounds_query_begin(cursor, tree, row)
        else:
            ray_query_begin(cursor, tree, row[0:3], row[3:6], 1.0)
        while True:
            body = bounds_query_next(cursor, tree) if given[0] else ray_query_next(cursor, tree, 1.0)
            if body < 0:
                break
            sums[1] += 1
        query_end(cursor, tree)
        sums[0] += cursor[0].node_count


@entry_point("int64(int64, int64, int64, int64)")
def hang(tree, bodies, ids_address, count):
    """Prepare and finalize a batch; negative: no node is free."""
    return np.int64(tree_finalize(tree, tree_prepare(tree, bodies, ids_address, count), count))


@entry_point("int64(int64, int64)")
def renew(tree, bodies):
    """Rebuild and swap, ignoring the budget."""
    return np.int64(tree_renew(tree, bodies))


@entry_point("int64(int64, int64)")
def step_once(tree, bodies):
    """Do the work of a step on a tree. Return whether something is left to do."""
    if tree_rebuild(tree, bodies):
        tree_swap(tree)
    record = view(tree, 1, TREE)[0]
    return np.int64(1 if record.is_dirty != 0 or record.phase != 0 else 0)


def hang_batch(tree: int, bodies: int, ids: np.ndarray) -> None:
    """Add bodies as one batch. Raises MemoryError when no node is free."""
    ids = np.ascontiguousarray(ids, dtype=np.int32)
    if hang(tree, bodies, ids.ctypes.data, len(ids)) < 0:
        raise MemoryError("hang_batch: the pool of tree nodes is full")


def step_tree(tree: int, bodies: int, most: int = 60) -> int:
    """Do the work of steps on a tree until nothing is left. Return their number."""
    steps = 1
    while step_once(tree, bodies) and steps < most:
        steps += 1
    return steps


def build_at_once(tree: int, bodies: int, count: int) -> None:
    """Add all bodies as one batch, and renew the tree."""
    hang_batch(tree, bodies, np.arange(count))
    renew(tree, bodies)


def query_costs(tree: int, rows: np.ndarray, are_boxes: bool) -> tuple[float, float]:
    """Nodes visited and bodies returned per query. `rows`: (n, 6), origin and vector of rays, or bounds of boxes [m]."""
    rows, sums = np.ascontiguousarray(rows, dtype=np.float64), np.zeros(2, dtype=np.int64)
    given = np.array([are_boxes, len(rows), rows.ctypes.data, sums.ctypes.data], dtype=np.int64)
    count_costs(tree, given.ctypes.data)
    return float(sums[0] / len(rows)), float(sums[1] / len(rows))
