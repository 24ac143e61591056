"""The two passes over a tree of joints in a sub-step: before its bodies move, and after.

Before: warm start, the springs and the rows that are not held, the tree as a whole (trees.py) with the joints that close its
loops (loops.py); and after the bodies have moved, all that again without bias.
"""

import math

import numpy as np

from ..bodies.records import world_at
from ..bodies.schema import BODY
from ..constraints.body_terms import add_motion, forces_of, locks_of
from ..constraints.schema import ROW_SIZE
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_record, view
from ..runtime.prefetch import LINE, prefetch_lines
from .curvature import keep_drifts
from .held_rows import LIMITS_TOO, LOCKS_ALONE, MOTORS_TOO, bound_held
from .loops import close_loops, factorize_loops, finish_loops, measure_loops, open_loops
from .measuring import MOST_TOGETHER, measure_joint, read_motion, row_of
from .networks import push_network, relax_network
from .order import nodes_of
from .preparation import joints_of, rows_of, weaken
from .schema import JOINT, TREE, TREE_NODE, UNLIMITED
from .solving import add_to_totals, push_springs, relax_joint, relax_rows, solve_joint, warm_start_joint
from .trees import (
    begin_tree, factorize_tree, finish_tree, forget_drifts, gather_up, has_changed, is_calm, is_rubbed, keep_motions,
    measure_drifts, spread_down,
)  # fmt: skip

INT32, FLOAT32, FLOAT64 = np.int32, np.float32, np.float64
MOTOR_ATTEMPTS = 3
"""How often a tree is solved with motors at most; then the remaining ones stay as they are."""
MOST_TRIES = 16
"""The most attempts at releasing the motors of a tree."""
MOST_PASSES, NEAR = 3, 2.0e-6
"""How often a tree is solved with bias at most, until the drift of its axes is known to this [m], [rad]."""
NEAR_IN_TOUCH = 1.0e-4
"""The limit of `NEAR` for a tree that `is_rubbed`."""
SURELY = 0.25
"""A pass reduces an error in the drift to about the part that bodies turn by meanwhile [rad]. If that is less than this part of
the accepted error, the drift is not measured again."""
MOST_PREFETCHED = 16
"""Nodes of a tree that are prefetched."""
NODE_LINES, JOINT_LINES = -(-TREE_NODE.fields["kept"][1] // LINE), -(-JOINT.fields["motor_velocity"][1] // LINE)
"""Cache lines of the parts of a node and of a joint that each sub-step reads."""


@kernel
def joints_in(system, tree):
    """The joints of a tree, those that close its loops last."""
    return view(system.joints.active, system.joints.count, INT32)[tree.first_joint : tree.first_joint + tree.joint_count]


@kernel
def what_is_held(tree, attempt):
    """The kinds of rows that a tree holds: fewer at each attempt, and no more than its loops allow."""
    if tree.let_go > tree.count:
        return LOCKS_ALONE
    return MOTORS_TOO if attempt < MOTOR_ATTEMPTS else LIMITS_TOO


@kernel
def renew_matrices(system, nodes, tree, joints, rows, bodies, attempt):
    """Make the matrices of a tree anew if its bodies have turned or other rows are held. Motors and limits may hold a loop
    against each other, so that less is left of it than with locks alone: then motors are released node by node until enough is
    left, at last all limits too. Brakes that are not in the way keep holding."""
    if tree.closer_count > 0 and nodes[tree.first].count < 0:
        factorize_tree(system, nodes, tree, joints, rows, bodies, LOCKS_ALONE)
        tree.loop_needs = INT32(factorize_loops(system, nodes, tree, joints))
    at_most = what_is_held(tree, attempt)
    if not has_changed(system, nodes, tree, joints, rows, at_most):
        return
    factorize_tree(system, nodes, tree, joints, rows, bodies, at_most)
    while tree.closer_count > 0 and factorize_loops(system, nodes, tree, joints) < tree.loop_needs and at_most != LOCKS_ALONE:
        tree.let_go += INT32(1 + tree.count // MOST_TRIES)
        at_most = what_is_held(tree, attempt)
        factorize_tree(system, nodes, tree, joints, rows, bodies, at_most)


@kernel
def solve_once(system, nodes, tree, joints, rows, bias_rate):
    """Compute the impulses of a tree's joints and the change of its bodies' velocities: once without the joints that close loops,
    to find their impulses, and once with them."""
    begin_tree(system, nodes, tree, joints, rows, bias_rate)
    if tree.closer_count > 0:
        open_loops(nodes, tree, joints)
        gather_up(nodes, tree)
        spread_down(nodes, tree)
        measure_loops(system, nodes, tree, joints, bias_rate)
        begin_tree(system, nodes, tree, joints, rows, bias_rate)
        close_loops(nodes, tree, joints)
    gather_up(nodes, tree)
    spread_down(nodes, tree)


@kernel
def solve_tree(system, nodes, tree, joints, rows, bodies, bias_rate):
    """Solve one tree, and again with fewer held rows if held ones would exceed their bounds."""
    attempt = 0
    while True:
        renew_matrices(system, nodes, tree, joints, rows, bodies, attempt)
        solve_once(system, nodes, tree, joints, rows, bias_rate)
        if not bound_held(system, nodes, tree, joints, rows):
            break
        attempt += 1
    finish_tree(system, nodes, tree, joints, rows)
    finish_loops(tree, joints)


@kernel
def solve_without_drift(system, nodes, tree, joints, rows, bodies, bias_rate):
    """Run the pass with bias. Bodies move on with half of the pull of a sub-step, and the warm start has applied all of it: this
    predicts the drift of the axes well enough unless bodies spin fast. Axes that did not drift will hardly begin to: in a heap at
    rest only contacts would turn jointed bodies, so nothing is measured where they push a tree that hardly turns."""
    if tree.closer_count > 0:
        renew_matrices(system, nodes, tree, joints, rows, bodies, 0)
    if is_rubbed(tree) and is_calm(system, nodes, tree, joints):
        forget_drifts(nodes, tree, joints)
        solve_tree(system, nodes, tree, joints, rows, bodies, bias_rate)
        return
    if tree.is_drifting:
        measure_drifts(system, nodes, tree, joints, 0.5)
    for c in range(tree.closer_count):
        closer = joints[tree.closers[c]]
        motion = read_motion(row_of(system, closer, 0), row_of(system, closer, 1))
        keep_drifts(closer, motion, system.step.last_delta_time / system.settings.substep_count)
    change, turn = 1.0, 1.0
    near = NEAR_IN_TOUCH if is_rubbed(tree) else NEAR
    for _ in range(MOST_PASSES):
        solve_tree(system, nodes, tree, joints, rows, bodies, bias_rate)
        if change * turn < SURELY * near:
            break
        change, turn = measure_drifts(system, nodes, tree, joints, 0.0)
        if change < near:
            break


@kernel
def prefetch_tree(system, nodes, joints, trees, t):
    """Prefetch the beginning of a tree while the one before it is solved: a heap of rag dolls is larger than the caches."""
    if t >= system.joints.tree_count:
        return
    for n in range(trees[t].first, trees[t].first + min(trees[t].count, MOST_PREFETCHED)):
        prefetch_lines(address_of_record(nodes[n]), NODE_LINES)
        if nodes[n].joint >= 0:
            prefetch_lines(address_of_record(joints[nodes[n].joint]), JOINT_LINES)


@kernel
def solve_rows_of_tree(system, tree, joints, rows, h, softness):
    """Solve springs, motors and limits of all joints of a tree, as often as all joints are iterated."""
    for _ in range(system.settings.joint_iterations):
        for index in joints_in(system, tree):
            solve_joint(system, joints[index], rows, h, softness)


@kernel
def shift_forces(system, nodes, tree, part):
    """Add a part of the change of velocity by forces in a sub-step to the bodies of a tree. All of it is applied before joints
    are solved; half is taken back then, and added after bodies have moved. So velocities are those at the bodies' positions, and
    a pendulum visibly keeps its energy (Verlet's scheme)."""
    for n in range(tree.first, tree.first + tree.count):
        row = view(system.solver.rows + nodes[n].row * ROW_SIZE, 16, FLOAT32)
        locks = locks_of(system, nodes[n].row) if tree.has_locks else 0
        add_motion(row, forces_of(system, nodes[n].row), FLOAT32(part), locks)


@kernel
def scale_bounds(system, tree, joints, rows, part):
    """Scale what bounds the impulses of springs, motors and limits of a tree, where something does. What is at its bound acts on
    a tree that `is_split` as forces do, half of it before bodies move: all of it there would move them by more than it speeds
    them up, and a motor that just bears a weight would lift it."""
    for index in joints_in(system, tree):
        for r in range(joints[index].first_row, joints[index].first_row + joints[index].row_count):
            row = rows[r]
            if row.least > FLOAT32(-UNLIMITED):
                row.least *= FLOAT32(part)
            if row.most < FLOAT32(UNLIMITED):
                row.most *= FLOAT32(part)


@kernel
def relax_rows_of_tree(system, nodes, tree, joints, rows, h, late):
    """Measure the joints of a tree at the current poses of its bodies, and run the pass without bias over their rows. `late`: the
    part of the forces of a sub-step that a tree gets now if it `is_split`."""
    if not tree.is_split:
        for index in joints_in(system, tree):
            relax_joint(system, joints[index], rows, h)
        return
    scale_bounds(system, tree, joints, rows, 2.0)
    for index in joints_in(system, tree):
        measure_joint(system, joints[index], rows, h)
    for index in joints_in(system, tree):
        if joints[index].sprung:
            push_springs(system, joints[index], rows)
    shift_forces(system, nodes, tree, late)
    for index in joints_in(system, tree):
        if joints[index].row_count > 0:
            relax_rows(system, joints[index], rows, h)


@kernel
def warm_start_tree(system, nodes, tree, joints, rows, impulse_scale):
    """Apply the last impulses of a tree. A loop can be held by many forces that differ by an internal stress. Trees with loops
    forget as much of their impulses as joints in no tree do, or the stress would grow without end."""
    if tree.is_drifting:
        keep_motions(system, nodes, tree)
    for index in joints_in(system, tree):
        if tree.is_looped:
            weaken(joints[index], rows, 1.0 - impulse_scale)
        warm_start_joint(system, joints[index], rows)


@kernel
def tables_of(system):
    """The data of the trees of a system: (bodies, joints, rows, nodes, trees)."""
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    trees = view(system.joints.trees, system.joints.tree_count, TREE)
    return bodies, joints_of(system), rows_of(system), nodes_of(system), trees


@kernel
def corrected_part(system, tree, joints):
    """The part of the errors of a tree that is corrected, see `MOST_TOGETHER`."""
    squares = 0.0
    for index in joints_in(system, tree):
        squares += FLOAT64(joints[index].way_back) ** 2
    return 1.0 if squares <= MOST_TOGETHER**2 else MOST_TOGETHER / math.sqrt(squares)


@kernel
def push_rows_of_tree(system, tree, joints, rows, h, softness):
    """Run the pass with bias over the rows of a tree, after its warm start. Return the part of the errors of its locked axes that
    is corrected in a second [1/s]."""
    if tree.is_split:
        scale_bounds(system, tree, joints, rows, 0.5)
    solve_rows_of_tree(system, tree, joints, rows, h, softness)
    return softness[0] * corrected_part(system, tree, joints)


@kernel
def push_tree(system, nodes, tree, joints, rows, bodies, h, softness):
    """Run the pass with bias over a tree, after its warm start: its bodies then have the velocities to move with."""
    bias_rate = push_rows_of_tree(system, tree, joints, rows, h, softness)
    solve_without_drift(system, nodes, tree, joints, rows, bodies, bias_rate)


@kernel
def push_whole_network(system, nodes, tree, joints, rows, bodies, h, softness):
    """`push_tree` for a network."""
    bias_rate = push_rows_of_tree(system, tree, joints, rows, h, softness)
    push_network(system, nodes, tree, joints, rows, bodies, joints_in(system, tree), bias_rate)


@kernel
def relax_tree(system, nodes, tree, joints, rows, bodies, h, late):
    """Measure the joints of a tree at the current poses of its bodies, and run the pass without bias. Matrices are made for the
    next sub-step too: with the poses from before they moved, a tree would lose angular momentum. `late`: see
    `relax_rows_of_tree`."""
    relax_rows_of_tree(system, nodes, tree, joints, rows, h, late)
    solve_tree(system, nodes, tree, joints, rows, bodies, 0.0)


@kernel
def relax_whole_network(system, nodes, tree, joints, rows, bodies, h):
    """`relax_tree` for a network."""
    relax_rows_of_tree(system, nodes, tree, joints, rows, h, 0.5)
    relax_network(system, nodes, tree, joints, rows, bodies, joints_in(system, tree))


@kernel
def add_tree_to_totals(system, tree, joints, rows):
    """Sum up the impulses of a tree's joints in this sub-step, or in a part of it."""
    for index in joints_in(system, tree):
        add_to_totals(joints[index], rows)
