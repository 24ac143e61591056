"""Joints solved exactly, tree by tree: chains, rag dolls and cranes do not stretch under any load.

Gauss-Seidel passes carry the pull of a heavy load up a chain of light links by one link a pass; a direct solution needs one.
Bodies that are joined without a loop are a tree. Its equations are solved from the leaves to the root and back in time linear in
its length (Baraff, Linear-Time Dynamics using Lagrange Multipliers, 1996; the condensed matrices are those of Featherstone's
articulated bodies). Locked axes are held, and so are pushing limits, motors and stiff springs (held_rows.py): everything on a
door stops with it. Soft springs, and limits that yield or bounce, are solved one by one before. Joints that close a loop are
solved with the tree if they are few (loops.py), else all are a network (networks.py).

A node is a body with the joint to its parent. With H the inertia of the node and everything below it, A and B the Jacobians of
the held axes of its joint for the motion u of the body and p of its parent, and r their target:
    H u = f + A^T l,   A u + B p = r   gives   S = A H^-1 A^T,   l = S^-1 (r - A H^-1 f - B p),
and the parent's H grows by B^T S^-1 B and its f by B^T S^-1 (r - A H^-1 f).
"""

import math

import numpy as np

from ..constraints.body_terms import add_motion, locks_of, six
from ..constraints.schema import ANGULAR_VELOCITY, DELTA_ROTATION, LINEAR_VELOCITY, ROW_SIZE
from ..geometry.cholesky import entry, invert_6, invert_at_once, multiply_lower_6, multiply_upper_6, solve_at_once
from ..geometry.vector import add_scaled, length, length_squared, scale, store3, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view
from .curvature import drifts_of
from .held_rows import (
    LIMITS_TOO, MOTORS_TOO, bias_of, drop_axis, find_dependent, held_row, held_rows, put_axis, put_held,
    softness_held, upper_rows,
)  # fmt: skip
from .holding import UNMOVED, WELL_CONDITIONED, answer_to, locked_direction, product, trace_of
from .measuring import inertia_of, row_of
from .schema import LINEAR_AXES, NODE_ROWS, TRIANGLE, TWIST

INT32, FLOAT32, FLOAT64 = np.int32, np.float32, np.float64
SEEN = np.dtype([("rows", "f8", (NODE_ROWS, 6))])
NO_INERTIA = (0.0,) * TRIANGLE
TURNED, TURNED_IN_TOUCH = 0.0005, 0.004
"""Part of a rotation's quaternion, half its angle [rad], from which the matrices of a tree are made anew in a sub-step. The
second is for trees that are `is_rubbed`."""
CALM, CALM_DRIFT = 0.005, 5.0e-6
"""The drift of a tree pushed by contacts is ignored while its bodies turn by less than this in a sub-step [rad], and the drift by
their turning is less than this [m], or 1 mm/s at 240 sub-steps a second."""
LOCKED = 1.0e-8
"""The motion of a body along an axis along which it may not move, relative to that along others; none of it reaches the body."""
LEAST_LOOP_FREEDOM = 0.02
"""Least freedom of the ends of a loop along each of its axes for its drift to be predicted."""


@kernel
def dot_6(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@kernel
def is_zero_6(v):
    """Whether six numbers are 0, as the push of every leaf on the way up."""
    return v[0] == 0.0 and v[1] == 0.0 and v[2] == 0.0 and v[3] == 0.0 and v[4] == 0.0 and v[5] == 0.0


@kernel
def add_scaled_6(a, b, scale):
    """a + b * scale."""
    return (
        a[0] + b[0] * scale, a[1] + b[1] * scale, a[2] + b[2] * scale,
        a[3] + b[3] * scale, a[4] + b[4] * scale, a[5] + b[5] * scale,
    )  # fmt: skip


@kernel
def put_six(array, v):
    array[0], array[1], array[2], array[3], array[4], array[5] = v


@kernel
def write_jacobians(tree, node, joint, rows, at_most):
    """Write the Jacobians of the held axes of a node's joint, for its body and its parent, one row an axis, locked ones first."""
    node.count = INT32(0)
    for axis in range(6):
        if joint.locked >> axis & 1:
            direction = locked_direction(joint, axis)
            if tree.has_locks and not moves_along(joint, axis, direction):
                continue
            linear, angular_a, angular_b = direction
            put_axis(node, axis, linear, angular_a, angular_b)
    held = held_rows(joint, rows, at_most)
    node.held, node.upper = np.uint32(held), np.uint32(upper_rows(joint, rows, held))
    put_held(node, joint, rows)


@kernel
def write_inertia(triangle, inverse_mass, inverse_inertia):
    """Mass and inertia of a body alone, to a lower triangle."""
    for k in range(TRIANGLE):
        triangle[k] = 0.0
    for i in range(3):
        triangle[entry(i, i)] = 1.0 / inverse_mass
    xx, yy, zz, xy, xz, yz = inverse_inertia
    c00, c01, c02 = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    inverse = 1.0 / (xx * c00 + xy * c01 + xz * c02)
    triangle[entry(3, 3)] = c00 * inverse
    triangle[entry(4, 4)] = (xx * zz - xz * xz) * inverse
    triangle[entry(5, 5)] = (xx * yy - xy * xy) * inverse
    triangle[entry(4, 3)] = c01 * inverse
    triangle[entry(5, 3)] = c02 * inverse
    triangle[entry(5, 4)] = (xy * xz - xx * yz) * inverse


@kernel
def write_mass(triangle, body, inverse_inertia, locked):
    """Mass and inertia of a body alone, to a lower triangle: along its locked axes so large that almost nothing moves it, only
    the part `locked` of what moves it along others."""
    xx, yy, zz, xy, xz, yz = inverse_inertia
    turns = locked * (xx + yy + zz) if xx + yy + zz > 0.0 else 1.0
    locks = body.axis_locks >> 3
    if locks & 1:
        xx, xy, xz = turns, 0.0, 0.0
    if locks & 2:
        yy, xy, yz = turns, 0.0, 0.0
    if locks & 4:
        zz, xz, yz = turns, 0.0, 0.0
    write_inertia(triangle, FLOAT64(body.inverse_mass), (xx, yy, zz, xy, xz, yz))
    for k in range(3):
        if body.axis_locks >> k & 1:
            triangle[entry(k, k)] /= locked


@kernel
def moves_along(joint, axis, direction):
    """Whether the bodies of a joint can move along one of its locked axes: not if they may not themselves."""
    least = trace_of(joint.masses) if axis < TWIST else trace_of(joint.inertias)
    return product(direction, answer_to(joint, direction)) > UNMOVED * least


@kernel
def invert_block(node, seen, joints, rows):
    """Compute S from K A^T in `seen`, one row an axis, and the inverse of its factor; `pull` keeps the diagonal."""
    for i in range(node.count):
        row = six(seen[i])
        for j in range(i):
            node.block[entry(i, j)] = dot_6(row, six(seen[j]))
        node.pull[i] = dot_6(row, row)
        node.block[entry(i, i)] = node.pull[i] * (1.0 + WELL_CONDITIONED)
        node.block[entry(i, i)] += softness_held(node, joints[node.joint], rows, i)
    invert_at_once(node.block, node.count)


@kernel
def locked_count(node):
    """The number of a node's axes that are locked, not held."""
    count = 0
    while count < node.count and node.axes[count] < NODE_ROWS:
        count += 1
    return count


@kernel
def condense(node, joints, rows):
    """Compute H and S of a node whose children are already included. Redundant axes are dropped."""
    invert_6(node.inertia)
    seen = stack_array(1, SEEN)[0].rows
    for i in range(node.count):
        put_six(seen[i], multiply_lower_6(node.inertia, six(node.own[i])))
    invert_block(node, seen, joints, rows)
    locked = locked_count(node)
    dependent = find_dependent(node, locked)
    while dependent >= 0:
        drop_axis(node, dependent)
        for i in range(dependent, node.count):
            for k in range(6):
                seen[i, k] = seen[i + 1, k]
        invert_block(node, seen, joints, rows)
        dependent = find_dependent(node, locked)
    for i in range(node.count, NODE_ROWS):
        node.pull[i] = 0.0


@kernel
def add_square_6(m, v):
    """m + v v^T, as a lower triangle; a tuple stays in registers."""
    return (
        m[0] + v[0] * v[0],
        m[1] + v[1] * v[0], m[2] + v[1] * v[1],
        m[3] + v[2] * v[0], m[4] + v[2] * v[1], m[5] + v[2] * v[2],
        m[6] + v[3] * v[0], m[7] + v[3] * v[1], m[8] + v[3] * v[2], m[9] + v[3] * v[3],
        m[10] + v[4] * v[0], m[11] + v[4] * v[1], m[12] + v[4] * v[2], m[13] + v[4] * v[3], m[14] + v[4] * v[4],
        m[15] + v[5] * v[0], m[16] + v[5] * v[1], m[17] + v[5] * v[2], m[18] + v[5] * v[3], m[19] + v[5] * v[4],
        m[20] + v[5] * v[5],
    )  # fmt: skip


@kernel
def add_to_parent(node, parent):
    """Add a node's inertia, as felt through the joint, to its parent: B^T S^-1 B."""
    total = NO_INERTIA
    for i in range(node.count):
        felt = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for j in range(i + 1):
            felt = add_scaled_6(felt, six(node.other[j]), node.block[entry(i, j)])
        total = add_square_6(total, felt)
    for k in range(TRIANGLE):
        parent.inertia[k] += total[k]


@kernel
def holds_others(node, joint, rows, at_most):
    """Whether the held rows of a node's joint have changed since its matrices were made; those of sliders always count as
    changed."""
    held = held_rows(joint, rows, at_most)
    if held != node.held or upper_rows(joint, rows, held) != node.upper:
        return True
    return held != 0 and joint.locked & LINEAR_AXES != LINEAR_AXES


@kernel
def held_at(tree, n, at_most):
    """The kinds of rows that node n holds: no motors if they would hold a loop apart."""
    return LIMITS_TOO if at_most == MOTORS_TOO and n - tree.first < tree.let_go else at_most


@kernel
def is_rubbed(tree):
    """Whether contacts push a tree without loops: its errors then change its energy less than friction and impacts do."""
    return tree.is_touched != 0 and tree.closer_count == 0


@kernel
def has_changed(system, nodes, tree, joints, rows, at_most):
    """Whether some body of a tree has turned too far for its matrices to be valid, or other rows are held."""
    turned = TURNED_IN_TOUCH if is_rubbed(tree) else TURNED
    if tree.closer_count > 0:
        turned = 0.0  # where a loop is nearly stiff it changes at once
    for n in range(tree.first, tree.first + tree.count):
        node = nodes[n]
        if node.count < 0:
            return True
        if node.joint >= 0 and holds_others(node, joints[node.joint], rows, held_at(tree, n, at_most)):
            return True
        row = view(system.solver.rows + node.row * ROW_SIZE, 16, FLOAT32)
        for k in range(3):
            if abs(row[DELTA_ROTATION + k] - node.turn[k]) > turned:
                return True
    return False


@kernel
def factorize_tree(system, nodes, tree, joints, rows, bodies, at_most):
    """Make all matrices of a tree, from the poses of its bodies in this sub-step."""
    last = tree.first + tree.count - 1
    # What is written here is read in a loop of its own: reading it at once would wait until it is in the cache.
    for n in range(tree.first, last + 1):
        node, body = nodes[n], bodies[nodes[n].body]
        row = view(system.solver.rows + node.row * ROW_SIZE, 16, FLOAT32)
        write_mass(node.inertia, body, inertia_of(system, node.row, row, body.inverse_inertia_world), LOCKED)
        store3(node.turn, vector3(row[DELTA_ROTATION:]))
        node.count = INT32(0)
        if node.joint >= 0:
            write_jacobians(tree, node, joints[node.joint], rows, held_at(tree, n, at_most))
    for n in range(last, tree.first - 1, -1):
        node = nodes[n]
        condense(node, joints, rows)
        if node.parent >= 0:
            add_to_parent(node, nodes[node.parent])


@kernel
def give_way(node, push):
    """Response of a node, with everything attached to it, to an impulse: H^-1 times it."""
    return multiply_upper_6(node.inertia, multiply_lower_6(node.inertia, push))


@kernel
def gather_up(nodes, tree):
    """Add up the impulses that each node gets through its children, from the leaves to the root."""
    for n in range(tree.first + tree.count - 1, tree.first - 1, -1):
        node = nodes[n]
        if not is_zero_6(node.push):
            motion = give_way(node, six(node.push))
            for i in range(node.count):
                node.wanted[i] -= dot_6(six(node.own[i]), motion)
        if node.parent < 0:
            continue
        for i in range(node.count):
            node.pull[i] = node.wanted[i]
        solve_at_once(node.block, node.count, node.pull)
        push = six(nodes[node.parent].push)
        for i in range(node.count):
            push = add_scaled_6(push, six(node.other[i]), node.pull[i])
        put_six(nodes[node.parent].push, push)


@kernel
def spread_down(nodes, tree):
    """Compute the impulses of the joints (to `pull`) and the change of the bodies' velocities (to `push`), from the root to the
    leaves."""
    for n in range(tree.first, tree.first + tree.count):
        node = nodes[n]
        of_parent = six(nodes[node.parent].push) if node.parent >= 0 else (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for i in range(node.count):
            node.pull[i] = node.wanted[i] - dot_6(six(node.other[i]), of_parent)
        solve_at_once(node.block, node.count, node.pull)
        push = six(node.push)
        for i in range(node.count):
            push = add_scaled_6(push, six(node.own[i]), node.pull[i])
        put_six(node.push, give_way(node, push))


@kernel
def motion_of(row):
    """The velocity and spin of a body, from its solver row."""
    return vector3(row[LINEAR_VELOCITY:]) + vector3(row[ANGULAR_VELOCITY:])


@kernel
def keep_motions(system, nodes, tree):
    """Save the velocities of a tree's bodies, in `push`, before the warm start."""
    for n in range(tree.first, tree.first + tree.count):
        put_six(nodes[n].push, six(view(system.solver.rows + nodes[n].row * ROW_SIZE, 16, FLOAT32)))


@kernel
def motion_between(nodes, n, row, part):
    """Velocity and spin of a body: a mix of `part` of those before the warm start and the rest of those now. `n`: its node; -1 if
    it has none in the tree."""
    v, w = vector3(row[LINEAR_VELOCITY:]), vector3(row[ANGULAR_VELOCITY:])
    if n < 0 or part == 0.0:
        return v, w
    push = nodes[n].push
    return add_scaled(scale(v, 1.0 - part), vector3(push), part), add_scaled(scale(w, 1.0 - part), vector3(push[3:]), part)


@kernel
def foresees_drift(tree):
    """Whether a tree's joints prevent the drift of their axes in advance: not if joints outside the tree hold it too, nor in a
    loop that is stretched tight, whose ends cannot be brought together."""
    return not tree.is_looped or (tree.closer_count > 0 and not tree.is_coupled and tree.loop_freedom > LEAST_LOOP_FREEDOM)


@kernel
def is_calm(system, nodes, tree, joints):
    """Whether the axes of a tree's joints drift by almost nothing: all bodies they hold turn slowly, and nothing slides."""
    h = system.step.last_delta_time / system.settings.substep_count
    for n in range(tree.first, tree.first + tree.count):
        if nodes[n].joint < 0:
            continue
        joint, drift = joints[nodes[n].joint], 0.0
        if joint.locked & LINEAR_AXES != LINEAR_AXES:
            return False
        for side in range(2):
            turned = h * h * length_squared(vector3(row_of(system, joint, side)[ANGULAR_VELOCITY:]))
            if turned > CALM * CALM:
                return False
            drift += 0.5 * turned * length(vector3(joint.start_arms[side]))
        if drift > CALM_DRIFT:
            return False
    return True


@kernel
def put_drifts(node, joint, drifts):
    """Write the drifts of the axes of a node's joint. The joint keeps them for the first sub-step of the next step, in which it
    may have another node."""
    put_six(node.drift, drifts)
    for k in range(6):
        joint.drift[k] = node.drift[k]


@kernel
def forget_drifts(nodes, tree, joints):
    """Set the drifts of a tree's joints to zero."""
    for n in range(tree.first, tree.first + tree.count):
        if nodes[n].joint >= 0:
            put_drifts(nodes[n], joints[nodes[n].joint], (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    tree.is_drifting = INT32(0)


@kernel
def measure_drifts(system, nodes, tree, joints, part):
    """Compute the drift of the locked axes of a tree's joints for the current motion of the bodies, or with a `part` of the
    motion before the warm start; zero if `foresees_drift` is false. Return the largest resulting change of an axis [m], [rad],
    and the largest turn of a body in a sub-step [rad]."""
    h, most, tree.is_drifting = system.step.last_delta_time / system.settings.substep_count, 0.0, INT32(0)
    fastest = 0.0
    for n in range(tree.first, tree.first + tree.count):
        node = nodes[n]
        if node.joint >= 0 and foresees_drift(tree):
            joint = joints[node.joint]
            node_a, node_b = (n, node.parent) if node.side == 0 else (node.parent, n)
            v_a, w_a = motion_between(nodes, node_a, row_of(system, joint, 0), part)
            v_b, w_b = motion_between(nodes, node_b, row_of(system, joint, 1), part)
            fastest = max(fastest, length_squared(w_a), length_squared(w_b))
            old = six(node.drift)
            put_drifts(node, joint, drifts_of(joint, (v_a, w_a, v_b, w_b), h))
            for k in range(6):
                most = max(most, abs(node.drift[k] - old[k]) * h)
                if node.drift[k] != 0.0:
                    tree.is_drifting = INT32(1)
    return most, h * math.sqrt(fastest)


@kernel
def begin_tree(system, nodes, tree, joints, rows, bias_rate):
    """Write the right-hand side of every joint: no motion along the held axes, no drift, and a part of their error corrected."""
    inverse_h = system.settings.substep_count / system.step.last_delta_time
    drifting = 1.0 if bias_rate > 0.0 and foresees_drift(tree) else 0.0
    for n in range(tree.first, tree.first + tree.count):
        node = nodes[n]
        for k in range(6):
            node.push[k] = 0.0
        if node.joint < 0:
            continue
        joint = joints[node.joint]
        motion = motion_of(view(system.solver.rows + node.row * ROW_SIZE, 16, FLOAT32))
        other_motion = motion_of(view(system.solver.rows + joint.rows[1 - node.side] * ROW_SIZE, 16, FLOAT32))
        for i in range(node.count):
            seen = dot_6(six(node.own[i]), motion) + dot_6(six(node.other[i]), other_motion)
            if node.axes[i] < NODE_ROWS:
                error, drift = FLOAT64(joint.error[node.axes[i]]), node.drift[node.axes[i]]
                node.wanted[i] = -seen - bias_rate * error - drifting * drift
            else:
                node.wanted[i] = -seen - bias_of(held_row(node, joint, rows, i), bias_rate, inverse_h)


@kernel
def finish_tree(system, nodes, tree, joints, rows):
    """Store velocities and impulses."""
    for n in range(tree.first, tree.first + tree.count):
        node = nodes[n]
        row = view(system.solver.rows + node.row * ROW_SIZE, 16, FLOAT32)
        locks = locks_of(system, node.row) if tree.has_locks else 0
        add_motion(row, node.push, 1.0, locks)
        for i in range(node.count):
            joint, axis = joints[node.joint], node.axes[i]
            if axis >= NODE_ROWS:
                held_row(node, joint, rows, i).impulse += FLOAT32(node.pull[i])
            elif axis < TWIST:
                joint.linear_impulse[axis] += FLOAT32(node.pull[i])
            else:
                joint.angular_impulse[axis - TWIST] += FLOAT32(node.pull[i])
