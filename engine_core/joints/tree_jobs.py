"""The jobs of joints in trees: one thread handles a tree's joints and solves it while its data is in the cache.

The passes of a sub-step are in tree_passes.py. Trees with heavy loads on light links take it in parts (parts.py).
"""

from ..bodies.records import system_at
from ..runtime.kernel import JOB_SIGNATURE, entry_point
from .energy_bound import begin_bound, end_bound, is_carried, pause_bound, resume_bound
from .parts import give_motions_back, is_too_fast, solve_in_parts
from .solving import softness_of
from .tree_passes import (
    add_tree_to_totals, joints_in, prefetch_tree, push_tree, push_whole_network, relax_tree, relax_whole_network, shift_forces,
    tables_of,
)  # fmt: skip
from .warm_starts import warm_start_safely


@entry_point(JOB_SIGNATURE)
def solve_trees(system_address, begin, end, worker):
    """Job: the pass with bias over the trees `begin` to `end - 1`, and the warm start of those with nothing else attached, which
    uses data in the cache twice. No two trees share a moving body."""
    system = system_at(system_address)
    bodies, joints, rows, nodes, trees = tables_of(system)
    h = system.step.last_delta_time / system.settings.substep_count
    softness = softness_of(system, h)
    for t in range(begin, end):
        prefetch_tree(system, nodes, joints, trees, t + 1)
        tree = trees[t]
        if is_too_fast(system, nodes, tree, joints, rows, bodies, h):
            if tree.is_split:
                solve_in_parts(system, nodes, tree, joints, rows, bodies, h)
                continue
            if not is_carried(system, joints, joints_in(system, tree)):
                begin_bound(system, nodes, tree, bodies)
        if not tree.is_coupled:
            if tree.is_split:
                shift_forces(system, nodes, tree, -0.5)
            warm_start_safely(system, nodes, tree, joints, rows, bodies, softness[2])
        if tree.is_network:
            push_whole_network(system, nodes, tree, joints, rows, bodies, h, softness)
            continue
        push_tree(system, nodes, tree, joints, rows, bodies, h, softness)
        if tree.is_bound:
            pause_bound(system, nodes, tree, joints, rows, bodies, joints_in(system, tree))


@entry_point(JOB_SIGNATURE)
def relax_trees(system_address, begin, end, worker):
    """Job: measure the joints of the trees `begin` to `end - 1` at the current poses of their bodies, and run the pass without
    bias; sum up the impulses of the joints."""
    system = system_at(system_address)
    bodies, joints, rows, nodes, trees = tables_of(system)
    h = system.step.last_delta_time / system.settings.substep_count
    for t in range(begin, end):
        prefetch_tree(system, nodes, joints, trees, t + 1)
        tree = trees[t]
        if tree.in_parts:
            give_motions_back(system, nodes, tree)
            continue
        if tree.is_bound:
            resume_bound(system, nodes, tree, bodies)
        if tree.is_network:
            relax_whole_network(system, nodes, tree, joints, rows, bodies, h)
        else:
            relax_tree(system, nodes, tree, joints, rows, bodies, h, 0.5)
        add_tree_to_totals(system, tree, joints, rows)
        if tree.is_bound:
            end_bound(system, nodes, tree, joints, rows, bodies, joints_in(system, tree))
