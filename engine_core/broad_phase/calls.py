"""The large functions of this package, called by the addresses in a TREE record, so that they are compiled once."""

import numpy as np

from scree.broad_phase.schema import TREE
from scree.runtime.call import call_1_result, call_2_result, load_int64
from scree.runtime.kernel import kernel
from scree.runtime.memory import address_of_row, stack_array

FLUSH_JOB, PREPARE_JOB = TREE.fields["flush_job"][1], TREE.fields["prepare_job"][1]
REBUILD_JOB, SWAP_JOB = TREE.fields["rebuild_job"][1], TREE.fields["swap_job"][1]


@kernel
def call_flush(tree, bodies):
    """Call `pending.flush_pending`."""
    return call_2_result(load_int64(tree + FLUSH_JOB), tree, bodies)


@kernel
def call_prepare(tree, bodies, ids_address, count):
    """Call `prepare.build_subtree`."""
    arguments = stack_array(4, np.int64)
    arguments[0], arguments[1], arguments[2], arguments[3] = tree, bodies, ids_address, count
    return call_1_result(load_int64(tree + PREPARE_JOB), address_of_row(arguments, 0))


@kernel
def call_rebuild(tree, bodies, may_open_all, budget):
    """Call `new_tree.advance_rebuild`."""
    arguments = stack_array(4, np.int64)
    arguments[0], arguments[1], arguments[2], arguments[3] = tree, bodies, may_open_all, budget
    return call_1_result(load_int64(tree + REBUILD_JOB), address_of_row(arguments, 0))


@kernel
def call_swap(tree):
    """Call `new_tree.swap_trees`."""
    return call_1_result(load_int64(tree + SWAP_JOB), tree)
