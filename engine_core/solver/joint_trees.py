"""Joints solved exactly, tree by tree: chains, rag dolls and cranes do not stretch, whatever hangs on them.

Gauss-Seidel passes carry the pull of a heavy load up a chain of light links by one link a pass; a direct solution needs one.
What is joined without a loop is a tree of bodies, and its equations are solved from the leaves to the root and back in time
that grows with its length (Baraff, Linear-Time Dynamics using Lagrange Multipliers, 1996; the condensed matrices are those of
Featherstone's articulated bodies). What is held are the locked axes, limits that push and motors (held_rows.py): what hangs behind
a door stops with it. Springs, limits that give way or bounce, and joints that close a loop stay with the coloured passes.

A node is a body with the joint to its parent. With H the node's inertia and that of all below it, A and B what the axes
that its joint holds see of the motion u of the body and of its parent, and r what is wanted of them:
    H u = f + A^T l,   A u + B p = r   gives   S = A H^-1 A^T,   l = S^-1 (r - A H^-1 f - B p),
and the parent's H grows by B^T S^-1 B and its f by B^T S^-1 (r - A H^-1 f).
"""

import numpy as np

from ..bodies.schema import BODY, RIGID, SYSTEM, WORLD
from ..constraints.joint_holding import WELL_CONDITIONED, locked_direction
from ..constraints.joint_preparation import joints_of, rows_of
from ..constraints.joint_schema import ANGULAR_AXES, LINEAR_AXES, TREE, TREE_NODE, TWIST, UNLIMITED
from ..constraints.schema import ANGULAR_VELOCITY, DELTA_ROTATION, LINEAR_VELOCITY, ROW_SIZE
from ..geometry.cholesky import factorize, solve_lower, solve_upper
from ..geometry.vector import store3, vector3
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import stack_array, view
from .held_rows import (
    LARGEST_HELD, bias_of, bound_motors, drop_dependent, held_row, held_rows, put_axis, put_held, upper_rows,
)  # fmt: skip
from .joint_colours import moves
from .joints import add_to_totals, softness_of

INT32, FLOAT32, FLOAT64 = np.int32, np.float32, np.float64
LARGEST_TREE = 1024
"""A tree is solved by one thread: what is longer is cut, and the cut is left to the coloured passes."""
ATTEMPTS = 4
"""How often a tree is solved at most, until all its motors have what they would need; the last time without them."""
TURNED = 0.004
"""Part of a rotation's quaternion, half its angle [rad], from which on the matrices of a tree are made anew in a sub-step."""


@kernel
def nodes_of(system):
    return view(system.joint_nodes, system.joint_node_count, TREE_NODE)


@kernel
def fits_tree_body(bodies, index):
    """Whether a body can be a node: it moves in all directions."""
    if not moves(bodies, index):
        return False
    body = bodies[index]
    inertia = body.inverse_inertia_local
    is_whole = inertia[0] > 0.0 and inertia[1] > 0.0 and inertia[2] > 0.0
    return body.mode == RIGID and body.axis_locks == 0 and body.inverse_mass > 0.0 and is_whole


@kernel
def fits_tree(joint):
    """Whether a joint is solved, has locked axes, and no limit on what they do."""
    return (
        joint.colour >= 0 and joint.node < 0 and joint.locked & (LINEAR_AXES | ANGULAR_AXES) != 0
        and joint.max_impulse >= FLOAT32(UNLIMITED)
    )


@kernel
def add_node(system, bodies, numbers, body, joint_index, side, parent):
    """Append a body to the tree that is being built."""
    at = system.joint_node_count
    system.joint_node_count = at + 1
    node = nodes_of(system)[at]
    node.body, node.row = INT32(body), INT32(bodies[body].active_index + 1)
    node.joint, node.side, node.parent = INT32(joint_index), INT32(side), INT32(parent)
    node.count = INT32(-1)
    numbers[bodies[body].active_index] = INT32(at)
    if joint_index >= 0:
        joints_of(system)[joint_index].node = INT32(at)
    return at


@kernel
def grow_tree(system, bodies, numbers, first):
    """Add all bodies that hang on the node `first`, parents before children."""
    joints = joints_of(system)
    at = first
    while at < system.joint_node_count:
        key = bodies[nodes_of(system)[at].body].first_joint
        while key >= 0 and system.joint_node_count - first < LARGEST_TREE:
            index, side = key >> 1, key & 1
            joint = joints[index]
            key = joint.next[side]
            other = joint.bodies[1 - side]
            if fits_tree(joint) and fits_tree_body(bodies, other) and numbers[bodies[other].active_index] < 0:
                add_node(system, bodies, numbers, other, index, 1 - side, at)
        at += 1
    tree = view(system.joint_trees, system.joint_tree_count + 1, TREE)[system.joint_tree_count]
    tree.first, tree.count = INT32(first), INT32(system.joint_node_count - first)
    system.joint_tree_count += 1


@kernel
def lay_out_trees(system):
    """Find the trees of this step. Those that hang on something fixed begin there; serial, in the order of the joints."""
    world = view(system.world, 1, WORLD)[0]
    bodies = view(world.bodies, world.body_capacity, BODY)
    joints = joints_of(system)
    active = view(system.active_joints, system.joint_count, INT32)
    numbers = view(system.scratch, system.active_count, INT32)
    system.joint_node_count = system.joint_tree_count = 0
    if system.joint_count == 0:
        return
    for slot in range(system.active_count):
        numbers[slot] = INT32(-1)
    for k in range(system.joint_count):
        joints[active[k]].node = INT32(-1)
    for turn in range(2):
        for k in range(system.joint_count):
            joint = joints[active[k]]
            a, b = joint.bodies[0], joint.bodies[1]
            is_hung = not (moves(bodies, a) and moves(bodies, b))
            if is_hung != (turn == 0) or not fits_tree(joint):
                continue
            side = 0 if moves(bodies, a) else 1
            body = joint.bodies[side]
            if not fits_tree_body(bodies, body) or numbers[bodies[body].active_index] >= 0:
                continue
            if turn == 1 and not fits_tree_body(bodies, b):
                continue
            grow_tree(system, bodies, numbers, add_node(system, bodies, numbers, body, active[k] if is_hung else -1, side, -1))


@kernel
def write_jacobians(node, joint, rows, with_motors):
    """What the axes of a node's joint that are held see of its body and of its parent, one row an axis. Returns how many are
    locked."""
    for axis in range(6):
        if joint.locked >> axis & 1:
            linear, angular_a, angular_b = locked_direction(joint, axis)
            put_axis(node, axis, linear, angular_a, angular_b)
    locked_count = node.count
    held = held_rows(joint, rows, with_motors)
    node.held, node.upper = np.uint32(held), np.uint32(upper_rows(joint, rows, held))
    put_held(node, joint, rows)
    return locked_count


@kernel
def write_inertia(node, body):
    """Mass and inertia of a body alone, as a 6 x 6 matrix."""
    for i in range(6):
        for k in range(6):
            node.inertia[i, k] = 0.0
    mass = 1.0 / np.float64(body.inverse_mass)
    for i in range(3):
        node.inertia[i, i] = mass
    m = body.inverse_inertia_world
    xx, yy, zz = np.float64(m[0]), np.float64(m[1]), np.float64(m[2])
    xy, xz, yz = np.float64(m[3]), np.float64(m[4]), np.float64(m[5])
    c00, c01, c02 = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    inverse = 1.0 / (xx * c00 + xy * c01 + xz * c02)
    node.inertia[3, 3] = c00 * inverse
    node.inertia[4, 4] = (xx * zz - xz * xz) * inverse
    node.inertia[5, 5] = (xx * yy - xy * xy) * inverse
    node.inertia[3, 4] = node.inertia[4, 3] = c01 * inverse
    node.inertia[3, 5] = node.inertia[5, 3] = c02 * inverse
    node.inertia[4, 5] = node.inertia[5, 4] = (xy * xz - xx * yz) * inverse


@kernel
def factorize_block(node):
    """S, and its factor; `pull` keeps the diagonal."""
    for i in range(node.count):
        for j in range(i + 1):
            total = 0.0
            for k in range(6):
                total += node.own[i, k] * node.solved[j, k]
            node.block[i, j] = total
        node.pull[i] = node.block[i, i]
        node.block[i, i] *= 1.0 + WELL_CONDITIONED
    factorize(node.block, node.count)


@kernel
def condense(node, locked_count):
    """Factorize a node whose children are in it already: H, A H^-1 and S."""
    factorize(node.inertia, 6)
    for i in range(node.count):
        for k in range(6):
            node.solved[i, k] = node.own[i, k]
        solve_lower(node.inertia, 6, node.solved[i])
        solve_upper(node.inertia, 6, node.solved[i])
    factorize_block(node)
    while drop_dependent(node, locked_count):
        factorize_block(node)


@kernel
def add_to_parent(node, parent):
    """The parent feels a node's inertia through the joint: B^T S^-1 B."""
    count = node.count
    felt = stack_array(36, np.float64)  # L^-1 B, row by row
    for i in range(count):
        for k in range(6):
            total = node.other[i, k]
            for j in range(i):
                total -= node.block[i, j] * felt[6 * j + k]
            felt[6 * i + k] = total * node.block[i, i]
    for i in range(count):
        for a in range(6):
            for b in range(a + 1):
                parent.inertia[a, b] += felt[6 * i + a] * felt[6 * i + b]


@kernel
def holds_others(node, joint, rows, with_motors):
    """Whether other rows of a node's joint are held than when its matrices were made; of what slides they never stay good."""
    held = held_rows(joint, rows, with_motors)
    if held != node.held or upper_rows(joint, rows, held) != node.upper:
        return True
    return held != 0 and joint.locked & LINEAR_AXES != LINEAR_AXES


@kernel
def has_changed(system, nodes, tree, joints, rows, with_motors):
    """Whether some body of a tree has turned so far that its matrices no longer tell how it moves, or other rows are held."""
    for n in range(tree.first, tree.first + tree.count):
        node = nodes[n]
        if node.count < 0:
            return True
        if node.joint >= 0 and holds_others(node, joints[node.joint], rows, with_motors):
            return True
        row = view(system.solver_rows + node.row * ROW_SIZE, 16, FLOAT32)
        for k in range(3):
            if abs(row[DELTA_ROTATION + k] - node.turn[k]) > TURNED:
                return True
    return False


@kernel
def factorize_tree(system, nodes, tree, joints, rows, bodies, with_motors):
    """All matrices of a tree, from where its bodies are in this sub-step."""
    last = tree.first + tree.count - 1
    for n in range(tree.first, last + 1):
        write_inertia(nodes[n], bodies[nodes[n].body])
        store3(nodes[n].turn, vector3(view(system.solver_rows + nodes[n].row * ROW_SIZE, 16, FLOAT32)[DELTA_ROTATION:]))
    for n in range(last, tree.first - 1, -1):
        node = nodes[n]
        node.count = INT32(0)
        locked_count = write_jacobians(node, joints[node.joint], rows, with_motors) if node.joint >= 0 else 0
        condense(node, locked_count)
        if node.parent >= 0:
            add_to_parent(node, nodes[node.parent])


@kernel
def velocities_along(node, row, other_row):
    """Write what the joint's axes see of the velocities, turned round, into `wanted`."""
    for i in range(node.count):
        total = 0.0
        for k in range(3):
            total += node.own[i, k] * FLOAT64(row[LINEAR_VELOCITY + k])
            total += node.own[i, 3 + k] * FLOAT64(row[ANGULAR_VELOCITY + k])
            total += node.other[i, k] * FLOAT64(other_row[LINEAR_VELOCITY + k])
            total += node.other[i, 3 + k] * FLOAT64(other_row[ANGULAR_VELOCITY + k])
        node.wanted[i] = -total


@kernel
def gather_up(nodes, tree):
    """From the leaves to the root: what each node is pushed by through its children."""
    for n in range(tree.first + tree.count - 1, tree.first - 1, -1):
        node = nodes[n]
        count = node.count
        for i in range(count):
            total = node.wanted[i]
            for k in range(6):
                total -= node.solved[i, k] * node.push[k]
            node.wanted[i] = total
            node.pull[i] = total
        if node.parent < 0:
            continue
        solve_lower(node.block, count, node.pull)
        solve_upper(node.block, count, node.pull)
        parent = nodes[node.parent]
        for k in range(6):
            total = 0.0
            for i in range(count):
                total += node.other[i, k] * node.pull[i]
            parent.push[k] += total


@kernel
def spread_down(nodes, tree):
    """From the root to the leaves: impulses of the joints (in `pull`), and how the bodies' velocities change (in `push`)."""
    for n in range(tree.first, tree.first + tree.count):
        node = nodes[n]
        count = node.count
        for i in range(count):
            total = node.wanted[i]
            if node.parent >= 0:
                for k in range(6):
                    total -= node.other[i, k] * nodes[node.parent].push[k]
            node.pull[i] = total
        solve_lower(node.block, count, node.pull)
        solve_upper(node.block, count, node.pull)
        solve_lower(node.inertia, 6, node.push)
        solve_upper(node.inertia, 6, node.push)
        for k in range(6):
            for i in range(count):
                node.push[k] += node.solved[i, k] * node.pull[i]


@kernel
def begin_tree(system, nodes, tree, joints, rows, bias_rate):
    """What is wanted of every joint: no motion along the axes that are held, and a part of their error gone."""
    inverse_h = system.substep_count / system.last_delta_time
    for n in range(tree.first, tree.first + tree.count):
        node = nodes[n]
        for k in range(6):
            node.push[k] = 0.0
        if node.joint < 0:
            continue
        joint = joints[node.joint]
        row = view(system.solver_rows + node.row * ROW_SIZE, 16, FLOAT32)
        velocities_along(node, row, view(system.solver_rows + joint.rows[1 - node.side] * ROW_SIZE, 16, FLOAT32))
        for i in range(node.count):
            if node.axes[i] < LARGEST_HELD:
                node.wanted[i] -= bias_rate * FLOAT64(joint.error[node.axes[i]])
            else:
                node.wanted[i] -= bias_of(held_row(node, joint, rows, i), bias_rate, inverse_h)


@kernel
def finish_tree(system, nodes, tree, joints, rows):
    """Take over velocities and impulses."""
    for n in range(tree.first, tree.first + tree.count):
        node = nodes[n]
        row = view(system.solver_rows + node.row * ROW_SIZE, 16, FLOAT32)
        for k in range(3):
            row[LINEAR_VELOCITY + k] += FLOAT32(node.push[k])
            row[ANGULAR_VELOCITY + k] += FLOAT32(node.push[3 + k])
        for i in range(node.count):
            joint, axis = joints[node.joint], node.axes[i]
            if axis >= LARGEST_HELD:
                held_row(node, joint, rows, i).impulse += FLOAT32(node.pull[i])
            elif axis < TWIST:
                joint.linear_impulse[axis] += FLOAT32(node.pull[i])
            else:
                joint.angular_impulse[axis - TWIST] += FLOAT32(node.pull[i])


@kernel
def solve_tree(system, nodes, tree, joints, rows, bodies, bias_rate):
    """One tree, with matrices made anew where bodies have turned; once more where a motor would need more than it has."""
    for attempt in range(ATTEMPTS):
        with_motors = attempt < ATTEMPTS - 1
        if has_changed(system, nodes, tree, joints, rows, with_motors):
            factorize_tree(system, nodes, tree, joints, rows, bodies, with_motors)
        begin_tree(system, nodes, tree, joints, rows, bias_rate)
        gather_up(nodes, tree)
        spread_down(nodes, tree)
        if not with_motors or not bound_motors(system, nodes, tree, joints, rows):
            break
    finish_tree(system, nodes, tree, joints, rows)


@entry_point(JOB_SIGNATURE)
def solve_trees(system_address, begin, end, worker):
    """Job: solve the trees `begin` to `end - 1` with bias."""
    system = view(system_address, 1, SYSTEM)[0]
    world = view(system.world, 1, WORLD)[0]
    bodies = view(world.bodies, world.body_capacity, BODY)
    joints, rows = joints_of(system), rows_of(system)
    nodes, trees = nodes_of(system), view(system.joint_trees, system.joint_tree_count, TREE)
    bias_rate, _, _ = softness_of(system, system.last_delta_time / system.substep_count)
    for t in range(begin, end):
        solve_tree(system, nodes, trees[t], joints, rows, bodies, bias_rate)


@entry_point(JOB_SIGNATURE)
def relax_trees(system_address, begin, end, worker):
    """Job: solve the trees `begin` to `end - 1` without bias; sum up what joints did. Matrices are made for the next sub-step too:
    by where bodies were before they moved, a tree would lose angular momentum."""
    system = view(system_address, 1, SYSTEM)[0]
    world = view(system.world, 1, WORLD)[0]
    bodies = view(world.bodies, world.body_capacity, BODY)
    joints, rows = joints_of(system), rows_of(system)
    nodes, trees = nodes_of(system), view(system.joint_trees, system.joint_tree_count, TREE)
    for t in range(begin, end):
        solve_tree(system, nodes, trees[t], joints, rows, bodies, 0.0)
        for n in range(trees[t].first, trees[t].first + trees[t].count):
            if nodes[n].joint >= 0:
                add_to_totals(joints[nodes[n].joint], rows)
