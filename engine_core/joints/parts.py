"""Sub-steps in parts, of trees in which light links carry heavy loads.

A link of inertia J that is pulled by a force F at an arm r turns back to the line of the force as a pendulum, at the frequency
sqrt(F . r / J). Under a load of a hundred times its mass that is faster than sub-steps can follow, and errors of the axes times
that force are energy. So such a tree, while nothing touches it, takes each sub-step in parts, by itself: both passes, and between
them its bodies move. A part is as long as its fastest link turns back by `MOST_TURN`, by the pull of the part before. What a jerk
adds nevertheless, energy_bound.py takes away.

The parts are done before the other bodies move. The bodies of the tree then have no velocity until these have moved, too.
"""

import math

import numpy as np

from ..bodies.system_schema import SYSTEM
from ..constraints.schema import ANGULAR_VELOCITY, ROW_SIZE
from ..geometry.cholesky import entry
from ..geometry.vector import length_squared, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view
from .energy_bound import MOST_SPARE, bound_energy, is_carried, kinetic_energy, still_energy, work_of_forces, work_of_rows
from .loaded_links import turning_back
from .measuring import measure_joint
from .moving import keep_tree, move_anchors, move_tree, put_tree_back
from .schema import LINEAR_AXES, UNLIMITED
from .solving import from_axes, softness_of
from .tree_passes import add_tree_to_totals, joints_in, push_tree, relax_tree, renew_matrices, shift_forces, warm_start_tree

INT32, FLOAT32 = np.int32, np.float32
MOST_TURN = 0.125
"""The most that a link turns back by its pull, or turns, in a part [rad]: 100 kg whipped on links of 0.2 kg lose 1 % of their
energy in 10 s, with 0.25 rad 2 %."""
MOST_OFF = 1.0e-3
"""The most by which a part may change the energy of a tree beyond what is due, relative to it."""
MOST_PARTS = 64
"""The most parts of a sub-step, those that are taken back included."""
FINER = 4.0
"""How many times as many parts are tried after one that was taken back."""


@kernel
def add_stiffness(nodes, n, joint, side, impulse, sign):
    """Add what a joint's impulse on B [N s] contributes to the square of the frequency of one of its bodies, with all that it
    carries, to `wanted`."""
    node = nodes[n]
    h = node.inertia
    k33, k43, k44 = h[entry(3, 3)], h[entry(4, 3)], h[entry(4, 4)]
    k53, k54, k55 = h[entry(5, 3)], h[entry(5, 4)], h[entry(5, 5)]
    xx, yy, zz = k33 * k33 + k43 * k43 + k53 * k53, k44 * k44 + k54 * k54, k55 * k55
    inverse = (xx, yy, zz, k43 * k44 + k53 * k54, k53 * k55, k54 * k55)
    arm = vector3(joint.arms[side])
    node.wanted[0] += sign * turning_back(arm, impulse, inverse)


@kernel
def fastest_turn(system, nodes, tree, joints, time):
    """Frequency of the link of a tree that is turned back fastest, or the fastest spin if that is more [rad/s]. `time`: for which
    its joints have their impulses [s]."""
    for n in range(tree.first, tree.first + tree.count):
        nodes[n].wanted[0] = 0.0
    most = 0.0
    for n in range(tree.first, tree.first + tree.count):
        if nodes[n].joint >= 0:
            joint = joints[nodes[n].joint]
            if joint.locked & LINEAR_AXES:
                impulse = from_axes(joint.axes, vector3(joint.linear_impulse))
                sign = 1.0 if nodes[n].side == 1 else -1.0
                add_stiffness(nodes, n, joint, nodes[n].side, impulse, sign)
                if nodes[n].parent >= 0:
                    add_stiffness(nodes, nodes[n].parent, joint, 1 - nodes[n].side, impulse, -sign)
    for n in range(tree.first, tree.first + tree.count):
        row = view(system.solver.rows + nodes[n].row * ROW_SIZE, 16, FLOAT32)
        most = max(most, abs(nodes[n].wanted[0]) / time, length_squared(vector3(row[ANGULAR_VELOCITY:])))
    return math.sqrt(most)


@kernel
def is_too_fast(system, nodes, tree, joints, rows, bodies, h):
    """Whether a tree is loaded so heavily that it turns too fast for sub-steps of length `h` [s]."""
    if tree.is_heavy == 0:
        return False
    renew_matrices(system, nodes, tree, joints, rows, bodies, 0)
    return fastest_turn(system, nodes, tree, joints, h) * h > MOST_TURN


@kernel
def scale_bound(bound, ratio):
    return FLOAT32(bound * ratio) if abs(bound) < FLOAT32(UNLIMITED) else bound


@kernel
def change_time(system, tree, joints, rows, time, ratio):
    """Make the impulses of a tree's joints, and what bounds them, those of a time [s], which is `ratio` times the one before."""
    if ratio == 1.0:
        return
    for index in joints_in(system, tree):
        joint = joints[index]
        for k in range(3):
            joint.linear_impulse[k] *= FLOAT32(ratio)
            joint.angular_impulse[k] *= FLOAT32(ratio)
        for r in range(joint.first_row, joint.first_row + joint.row_count):
            row = rows[r]
            row.impulse *= FLOAT32(ratio)
            row.least, row.most = scale_bound(row.least, ratio), scale_bound(row.most, ratio)
        if joint.row_count > 0:
            measure_joint(system, joint, rows, time)


@kernel
def keep_impulses(system, tree, joints, rows):
    """Save the impulses of a tree's joints."""
    for index in joints_in(system, tree):
        joint = joints[index]
        for k in range(3):
            joint.kept[k], joint.kept[3 + k] = joint.linear_impulse[k], joint.angular_impulse[k]
        for r in range(joint.first_row, joint.first_row + joint.row_count):
            rows[r].kept = rows[r].impulse


@kernel
def put_impulses_back(system, tree, joints, rows, time):
    """Write back what `keep_impulses` saved, and measure the joints for parts of a time [s]."""
    for index in joints_in(system, tree):
        joint = joints[index]
        for k in range(3):
            joint.linear_impulse[k], joint.angular_impulse[k] = joint.kept[k], joint.kept[3 + k]
        for r in range(joint.first_row, joint.first_row + joint.row_count):
            rows[r].impulse = rows[r].kept
        measure_joint(system, joint, rows, time)


@kernel
def take_part(system, nodes, tree, joints, rows, bodies, time, h):
    """Take one part of a sub-step. Return the work of forces, and the most that springs, motors and limits may have done [J]."""
    softness, share = softness_of(system, time), 0.5 * time / h
    shift_forces(system, nodes, tree, share)
    warm_start_tree(system, nodes, tree, joints, rows, softness[2])
    push_tree(system, nodes, tree, joints, rows, bodies, time, softness)
    listed = joints_in(system, tree)
    by_rows, by_forces = work_of_rows(system, joints, rows, listed), work_of_forces(system, nodes, tree, bodies, time, h)
    move_tree(system, nodes, tree, time)
    move_anchors(system, joints, listed, time)
    relax_tree(system, nodes, tree, joints, rows, bodies, time, share)
    return by_forces, by_rows + work_of_rows(system, joints, rows, listed)


@kernel
def solve_in_parts(system, nodes, tree, joints, rows, bodies, h):
    """Take a sub-step of length `h` [s] in parts, and keep the velocities after it for `give_motions_back`. A part that changes
    the energy by more than is due is taken back, and again in `FINER` parts."""
    copies = stack_array(1, SYSTEM)
    copies[0] = system
    own, left, last, room, finer = copies[0], h, h, MOST_PARTS, 1.0
    shift_forces(system, nodes, tree, -1.0)
    listed, still = joints_in(system, tree), still_energy(system, nodes, tree, bodies)
    is_judged = not is_carried(system, joints, listed)
    while left > 0.0:
        wanted = math.ceil(finer * left * fastest_turn(system, nodes, tree, joints, last) / MOST_TURN)
        count = max(INT32(wanted) if wanted < room else room, INT32(1))
        time = left / count
        own.step.last_delta_time = time * system.settings.substep_count
        energy = kinetic_energy(system, nodes, tree, bodies)
        keep_tree(system, nodes, tree)
        keep_impulses(system, tree, joints, rows)
        change_time(own, tree, joints, rows, time, time / last)
        by_forces, by_rows = take_part(own, nodes, tree, joints, rows, bodies, time, h)
        off = abs(kinetic_energy(system, nodes, tree, bodies) - energy - by_forces) - by_rows
        room = max(room - 1, INT32(1))
        if is_judged and off > MOST_OFF * (energy + still) and count < room:
            change_time(own, tree, joints, rows, last, last / time)
            put_tree_back(system, nodes, tree)
            put_impulses_back(own, tree, joints, rows, last)
            finer *= FINER
            continue
        add_tree_to_totals(own, tree, joints, rows)
        if is_judged:
            allowed = energy + by_forces + by_rows + min(tree.spare, MOST_SPARE * energy)
            tree.spare = allowed - bound_energy(system, nodes, tree, joints, bodies, listed, allowed)
        left, last = left - time if count > 1 else 0.0, time
        finer = max(finer / FINER, 1.0)
    change_time(system, tree, joints, rows, h, h / last)
    move_anchors(system, joints, listed, -h)
    keep_back(system, nodes, tree)


@kernel
def keep_back(system, nodes, tree):
    """Keep the velocities of a tree's bodies in `push`, and set them to zero."""
    tree.in_parts = INT32(1)
    for n in range(tree.first, tree.first + tree.count):
        row = view(system.solver.rows + nodes[n].row * ROW_SIZE, 16, FLOAT32)
        for k in range(6):
            nodes[n].push[k] = row[k]
            row[k] = FLOAT32(0.0)


@kernel
def give_motions_back(system, nodes, tree):
    """Give the bodies of a tree their velocities after all bodies have moved."""
    tree.in_parts = INT32(0)
    for n in range(tree.first, tree.first + tree.count):
        row = view(system.solver.rows + nodes[n].row * ROW_SIZE, 16, FLOAT32)
        for k in range(6):
            row[k] += FLOAT32(nodes[n].push[k])
