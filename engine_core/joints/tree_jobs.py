"""The jobs of joints in trees: one thread handles a tree's joints and solves it while its data is in the cache.

The passes of a sub-step are in tree_passes.py. Trees with heavy loads on light links take it in parts (parts.py).
"""

from ..bodies.schema import SYSTEM
from ..runtime.kernel import JOB_SIGNATURE, entry_point
from ..runtime.memory import view
from .parts import give_motions_back, solve_in_parts, takes_parts
from .solving import softness_of
from .tree_passes import add_tree_to_totals, prefetch_tree, push_tree, relax_tree, shift_forces, tables_of, warm_start_tree


@entry_point(JOB_SIGNATURE)
def warm_start_trees(system_address, begin, end, worker):
    """Job: warm start of those of the trees `begin` to `end - 1` with joints attached that are in no tree: these are solved first
    and must feel the pull of the trees."""
    system = view(system_address, 1, SYSTEM)[0]
    _, joints, rows, nodes, trees = tables_of(system)
    _, _, impulse_scale = softness_of(system, system.last_delta_time / system.substep_count)
    for t in range(begin, end):
        if trees[t].is_coupled:
            warm_start_tree(system, nodes, trees[t], joints, rows, impulse_scale)


@entry_point(JOB_SIGNATURE)
def solve_trees(system_address, begin, end, worker):
    """Job: the pass with bias over the trees `begin` to `end - 1`, and the warm start of those with nothing else attached, which
    uses data in the cache twice. No two trees share a moving body."""
    system = view(system_address, 1, SYSTEM)[0]
    bodies, joints, rows, nodes, trees = tables_of(system)
    h = system.last_delta_time / system.substep_count
    softness = softness_of(system, h)
    for t in range(begin, end):
        prefetch_tree(system, nodes, joints, trees, t + 1)
        if takes_parts(system, nodes, trees[t], joints, rows, bodies, h):
            solve_in_parts(system, nodes, trees[t], joints, rows, bodies, h)
            continue
        if not trees[t].is_coupled:
            if trees[t].is_split:
                shift_forces(system, nodes, trees[t], -0.5)
            warm_start_tree(system, nodes, trees[t], joints, rows, softness[2])
        push_tree(system, nodes, trees[t], joints, rows, bodies, h, softness)


@entry_point(JOB_SIGNATURE)
def relax_trees(system_address, begin, end, worker):
    """Job: measure the joints of the trees `begin` to `end - 1` at the current poses of their bodies, and run the pass without
    bias; sum up the impulses of the joints."""
    system = view(system_address, 1, SYSTEM)[0]
    bodies, joints, rows, nodes, trees = tables_of(system)
    h = system.last_delta_time / system.substep_count
    for t in range(begin, end):
        prefetch_tree(system, nodes, joints, trees, t + 1)
        if trees[t].in_parts:
            give_motions_back(system, nodes, trees[t])
        else:
            relax_tree(system, nodes, trees[t], joints, rows, bodies, h, 0.5)
            add_tree_to_totals(system, trees[t], joints, rows)
