"""The work of the step on a tree: a slice of a rebuild, and the swap.

The code itself is behind addresses in the TREE record (`jobs`): it is compiled once, not into each of its callers.
"""

from scree.broad_phase.calls import call_rebuild, call_swap
from scree.broad_phase.schema import ENDLESS, TREE
from scree.runtime.kernel import kernel
from scree.runtime.memory import view

SINGLES_BUDGET = 16384
IDLE = 0


@kernel
def tree_rebuild(tree, bodies):
    """Begin to build a new tree beside the old one, or continue; `budget` items at most, more in a small tree. Return 1 when a
    new tree is ready for `tree_swap`. Does nothing while another thread is doing it."""
    record = view(tree, 1, TREE)[0]
    quick = min(SINGLES_BUDGET, record.quick_share // max(record.body_count, 1))
    return call_rebuild(tree, bodies, 1, max(record.budget, quick))


@kernel
def tree_swap(tree):
    """Replace the old tree by one that is ready. Return 1 when done; 0 if none was ready, or if other threads added faster than
    it could be swapped (then the next call does it). Running queries stay in the old tree."""
    return call_swap(tree)


@kernel
def tree_renew(tree, bodies):
    """Rebuild and swap at once, without a budget, for a world that is being set up."""
    record = view(tree, 1, TREE)[0]
    while call_rebuild(tree, bodies, 1, ENDLESS) == 0 and record.phase != IDLE:
        pass
    return tree_swap(tree)


@kernel
def gather_singles(tree, bodies):
    """Build the sub-trees of bodies added one by one into the tree; sub-trees there before stay whole. A slice a call."""
    if call_rebuild(tree, bodies, 0, SINGLES_BUDGET):
        call_swap(tree)
