"""The entry points of the trees; their addresses are in every TREE record."""

import numpy as np

from scree.broad_phase.new_tree import advance_rebuild, swap_trees
from scree.broad_phase.pending import flush_pending
from scree.broad_phase.prepare import build_subtree
from scree.runtime.kernel import entry_point
from scree.runtime.memory import view


@entry_point("int64(int64, int64)")
def flush_job(tree, bodies):
    """Run `flush_pending` with (tree, bodies)."""
    return np.int64(flush_pending(tree, bodies))


@entry_point("int64(int64)")
def prepare_job(arguments):
    """Run `build_subtree`. Arguments: tree, bodies, address of ids, their number."""
    given = view(arguments, 4, np.int64)
    return np.int64(build_subtree(given[0], given[1], given[2], given[3]))


@entry_point("int64(int64)")
def rebuild_job(arguments):
    """Run `advance_rebuild`. Arguments: tree, bodies, whether everything may be opened, budget."""
    given = view(arguments, 4, np.int64)
    return np.int64(advance_rebuild(given[0], given[1], given[2] != 0, given[3]))


@entry_point("int64(int64)")
def swap_job(tree):
    """Run `swap_trees` with (tree)."""
    return np.int64(swap_trees(tree))
