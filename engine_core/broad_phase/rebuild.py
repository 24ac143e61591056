"""What the step does to a tree: a slice of a rebuild, and the swap.

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
    """Build a new tree beside the old one, or go on with one begun before; `budget` items at most, more in a small tree. 1: a
    new tree is ready for `tree_swap`. Nothing is done while another thread is at it."""
    record = view(tree, 1, TREE)[0]
    quick = min(SINGLES_BUDGET, record.quick_share // max(record.body_count, 1))
    return call_rebuild(tree, bodies, 1, max(record.budget, quick))


@kernel
def tree_swap(tree):
    """Put a tree that is ready in place of the old one. 1: done; 0: none was ready, or others added faster than it
    could be (then the next call does it). Queries that run go on in the old tree."""
    return call_swap(tree)


@kernel
def tree_renew(tree, bodies):
    """Rebuild and swap in one go, whatever the budget; for a world that is being set up."""
    record = view(tree, 1, TREE)[0]
    while call_rebuild(tree, bodies, 1, ENDLESS) == 0 and record.phase != IDLE:
        pass
    return tree_swap(tree)


@kernel
def gather_singles(tree, bodies):
    """Build the sub-trees of bodies added one by one into the tree; what hung there before stays whole. A slice a
    call."""
    if call_rebuild(tree, bodies, 0, SINGLES_BUDGET):
        call_swap(tree)
