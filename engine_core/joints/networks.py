"""Joints in networks: nets, trusses, bridges of ropes, wheels of spokes. All their loops are solved at once.

Each held axis is a spring so stiff that it gives by the part `GIVE` of what its bodies alone would do. With M the masses, J the
Jacobian of all axes, K their stiffness and t their target speeds, velocities v become those u for which
    (u - v) M (u - v) / 2 + (J u - t) K (J u - t) / 2   is least:   (M + J^T K J) (u - v) = J^T K (t - J v),
and axes act by the impulses K (t - J u). There is a solution whatever the loops are: axes that others hold already, or that
cannot be met, share the load and the error (M. Tournier, M. Nesme, B. Gilles, F. Faure, "Stable Constrained Dynamics", 2015,
solve compliant axes so). Without errors that takes energy away, and never adds any.

Errors are corrected by a second matrix, of softer springs: an axis that is nearly held by others would need large speeds, and
loops that cannot close would tear at all of their bodies.
"""

import numpy as np

from ..constraints.body_terms import add_motion, locks_of, six
from ..constraints.schema import ROW_SIZE
from ..geometry.vector import length, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_record, view
from .curvature import keep_drifts
from .held_rows import LARGEST_NUMBER, LOCKS_ALONE, MOTORS_TOO, bias_of, give, held_rows
from .holding import UNMOVED, answer_to, locked_direction, product, trace_of
from .loops import TINY, fastest_correction, impulse_of, put_impulse
from .measuring import inertia_of, read_motion, row_of
from .network_factors import add_product, clear_matrix, factorize_network, solve_network, triangle_of, values_of
from .network_layout import blocks_of, find_block
from .schema import AXIS_COUNT, LIMIT, NETWORK_AXES, NODE_ROWS, TWIST
from .trees import add_scaled_6, dot_6, put_six, write_mass

INT32, FLOAT32, FLOAT64 = np.int32, np.float32, np.float64
GIVE, CORRECTION_GIVE = 1.0e-8, 1.0e-4
"""The give of a held axis, relative to how freely its bodies alone would move along it, for velocities and where errors are
corrected."""
FASTEST, FASTEST_TURN = 16.0, 50.0
"""The fastest motion of a body that corrects errors [m/s], [rad/s]."""
NEAR = 5.0e-7
"""Errors are corrected only if a sub-step would correct one of them by more than this [m], [rad]."""
LOCKED = 1.0e-12
"""The motion of a body along a locked axis, relative to that along others."""
MOST_ATTEMPTS = 4
"""The most solutions of a network with motors and limits, before one with locked axes alone."""
VELOCITIES, ERRORS = 0, 1
OF_A, OF_B, OF_AXIS = NETWORK_AXES.fields["a"][1], NETWORK_AXES.fields["b"][1], 64


@kernel
def put_axis(joint, axes, number, direction, least):
    """Append an axis to those of a joint, if its bodies respond along it by more than `least`."""
    count, free = axes.count, product(direction, answer_to(joint, direction))
    if free <= least:
        return
    linear, angular_a, angular_b = direction
    for k in range(3):
        axes.a[count, k], axes.a[count, 3 + k] = -linear[k], -angular_a[k]
        axes.b[count, k], axes.b[count, 3 + k] = linear[k], angular_b[k]
    for k in range(6, 8):
        axes.a[count, k] = axes.b[count, k] = 0.0
    axes.stiffness[count], axes.number[count] = 1.0 / free, INT32(number)
    axes.count = INT32(count + 1)


@kernel
def put_axes(joint, rows, axes):
    """Write the held axes of a joint, locked ones first."""
    axes.count, least_linear, least_angular = INT32(0), UNMOVED * trace_of(joint.masses), UNMOVED * trace_of(joint.inertias)
    for axis in range(NODE_ROWS):
        if joint.locked >> axis & 1:
            least = least_linear if axis < TWIST else least_angular
            put_axis(joint, axes, axis, locked_direction(joint, axis), least)
    for r in range(min(joint.row_count, LARGEST_NUMBER)):
        if joint.held >> r & 1:
            row = rows[joint.first_row + r]
            direction = vector3(row.linear), vector3(row.angular_a), vector3(row.angular_b)
            put_axis(joint, axes, NODE_ROWS + r, direction, TINY)


@kernel
def axes_in(system, tree):
    """The held axes of the joints of a network, in their order."""
    return view(system.joints.axes, system.joints.count, NETWORK_AXES)[tree.first_joint : tree.first_joint + tree.joint_count]


@kernel
def give_of(which):
    """The give of axes in one of the matrices."""
    return GIVE if which == VELOCITIES else CORRECTION_GIVE


@kernel
def wanted_speed(system, joint, rows, number, which, bias_rate):
    """The speed that an axis is to have by one of the matrices. `bias_rate`: the part of an error that is corrected in a second
    [1/s]."""
    inverse_h = system.settings.substep_count / system.step.last_delta_time
    if number >= NODE_ROWS:
        row = rows[joint.first_row + number - NODE_ROWS]
        corrects = row.slot // AXIS_COUNT == LIMIT and row.separation <= FLOAT32(0.0)
        return -bias_of(row, bias_rate, inverse_h) if corrects == (which == ERRORS) else 0.0
    if which == VELOCITIES:
        return 0.0
    fastest = fastest_correction(system, joint)
    return -min(max(bias_rate * FLOAT64(joint.error[number]), -fastest), fastest) - FLOAT64(joint.drift[number])


@kernel
def add_joint(blocks, nodes, tree, joint, axes, which):
    """Add the springs of a joint to one of the matrices."""
    a, b = joint.ends[0], joint.ends[1]
    first, between = tree.first_block - tree.first, -1
    if min(a, b) >= 0:
        between = find_block(blocks, nodes[max(a, b)], min(a, b))
    for i in range(axes.count):
        stiffness = axes.stiffness[i] / give_of(which)
        of_a, of_b = address_of_record(axes) + OF_A + OF_AXIS * i, address_of_record(axes) + OF_B + OF_AXIS * i
        if a >= 0:
            add_product(values_of(blocks[first + a], which), of_a, axes.a[i], stiffness)
        if b >= 0:
            add_product(values_of(blocks[first + b], which), of_b, axes.b[i], stiffness)
        if between >= 0 and a < b:
            add_product(values_of(blocks[between], which), of_a, axes.b[i], stiffness)
        elif between >= 0:
            add_product(values_of(blocks[between], which), of_b, axes.a[i], stiffness)


@kernel
def make_matrix(system, nodes, tree, joints, bodies, listed, which):
    """Make one of the matrices of a network, from the poses of its bodies in this sub-step, and its factors."""
    clear_matrix(system, nodes, tree, which)
    for n in range(tree.first, tree.first + tree.count):
        node, body = nodes[n], bodies[nodes[n].body]
        row = view(system.solver.rows + node.row * ROW_SIZE, 16, FLOAT32)
        write_mass(triangle_of(node, which), body, inertia_of(system, node.row, row, body.inverse_inertia_world), LOCKED)
    blocks, axes = blocks_of(system), axes_in(system, tree)
    for k in range(tree.joint_count):
        add_joint(blocks, nodes, tree, joints[listed[k]], axes[k], which)
    factorize_network(system, nodes, tree, which)


@kernel
def hold_rows(joints, rows, listed, at_most):
    """Choose the motors and limits that a network holds. Return whether they are others than before."""
    changed = False
    for index in listed:
        joint = joints[index]
        held = held_rows(joint, rows, at_most)
        changed |= held != joint.held
        joint.held = np.uint32(held)
    return changed


@kernel
def impulse_along(joint, rows, number):
    """The impulse of a joint along one of its held axes [N s], [N m s]."""
    if number >= NODE_ROWS:
        return FLOAT64(rows[joint.first_row + number - NODE_ROWS].impulse)
    return impulse_of(joint, number)


@kernel
def pull_of(system, nodes, joint, rows, axes, i, task, with_change):
    """The impulse of the spring of an axis: by the velocities of its bodies for the matrix of velocities, and by `push` of the
    nodes too `with_change`. `task`: see `begin_network`."""
    which, bias_rate, _ = task
    number, speed = axes.number[i], 0.0
    for side in range(2):
        v = six(axes.a[i]) if side == 0 else six(axes.b[i])
        if which == VELOCITIES:
            speed += dot_6(v, six(row_of(system, joint, side)))
        if with_change and joint.ends[side] >= 0:
            speed += dot_6(v, six(nodes[joint.ends[side]].push))
    left = wanted_speed(system, joint, rows, number, which, bias_rate) - speed
    return left * axes.stiffness[i] / give_of(which)


@kernel
def begin_network(system, nodes, tree, joints, rows, listed, task):
    """Write the right-hand side of a network to `push` of its nodes. Return the greatest change of a speed that is wanted.
    `task`: the number of the matrix, the part of errors that is corrected in a second [1/s], and whether impulses are found anew,
    not in addition to those that there are."""
    all_axes, most = axes_in(system, tree), 0.0
    for n in range(tree.first, tree.first + tree.count):
        put_six(nodes[n].push, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    for k in range(tree.joint_count):
        joint, axes = joints[listed[k]], all_axes[k]
        for i in range(axes.count):
            pull = pull_of(system, nodes, joint, rows, axes, i, task, False)
            most = max(most, abs(pull) * give_of(task[0]) / axes.stiffness[i])
            if task[2]:
                pull -= impulse_along(joint, rows, axes.number[i])
            for side in range(2):
                if joint.ends[side] >= 0:
                    push, v = nodes[joint.ends[side]].push, six(axes.a[i]) if side == 0 else six(axes.b[i])
                    put_six(push, add_scaled_6(six(push), v, pull))
    return most


@kernel
def impulse_after(system, nodes, joint, rows, axes, i, task, part):
    """The impulse of an axis once `push` of the nodes is known, or a part of it in addition to what there is."""
    before = 0.0 if task[2] else impulse_along(joint, rows, axes.number[i])
    return before + part * pull_of(system, nodes, joint, rows, axes, i, task, True)


@kernel
def bound_rows(system, nodes, tree, joints, rows, listed, task):
    """Clamp motors that would need more than their maximum, set limits that would pull to zero, and stop holding both. Return
    whether there were any."""
    all_axes, found = axes_in(system, tree), False
    for k in range(tree.joint_count):
        joint, axes = joints[listed[k]], all_axes[k]
        if joint.held == 0:
            continue
        for i in range(axes.count):
            if axes.number[i] >= NODE_ROWS:
                row = rows[joint.first_row + axes.number[i] - NODE_ROWS]
                impulse = impulse_after(system, nodes, joint, rows, axes, i, task, 1.0)
                if impulse < row.least or impulse > row.most:
                    give(system, joint, row, row.most if impulse > 0.0 else row.least)
                    found = True
    return found


@kernel
def acceptable_part(nodes, tree):
    """The part of a correction of errors with which no body moves faster than `FASTEST`, or turns faster than `FASTEST_TURN`."""
    most = 1.0
    for n in range(tree.first, tree.first + tree.count):
        push = nodes[n].push
        most = max(most, length(vector3(push)) / FASTEST, length(vector3(push[3:])) / FASTEST_TURN)
    return 1.0 / most


@kernel
def finish_network(system, nodes, tree, joints, rows, bodies, listed, task, part):
    """Store impulses and velocities, or a part of them in addition to those that there are."""
    all_axes = axes_in(system, tree)
    for k in range(tree.joint_count):
        joint, axes = joints[listed[k]], all_axes[k]
        for i in range(axes.count):
            number, impulse = axes.number[i], impulse_after(system, nodes, joint, rows, axes, i, task, part)
            if number >= NODE_ROWS:
                rows[joint.first_row + number - NODE_ROWS].impulse = FLOAT32(impulse)
            else:
                put_impulse(joint, number, impulse)
    for n in range(tree.first, tree.first + tree.count):
        row = view(system.solver.rows + nodes[n].row * ROW_SIZE, 16, FLOAT32)
        add_motion(row, nodes[n].push, part, locks_of(system, nodes[n].row))


@kernel
def hold_network(system, nodes, tree, joints, rows, bodies, listed, task):
    """Find the velocities that the held axes of a network allow, and its impulses."""
    for attempt in range(MOST_ATTEMPTS + 1):
        changed = hold_rows(joints, rows, listed, MOTORS_TOO if attempt < MOST_ATTEMPTS else LOCKS_ALONE)
        if changed or nodes[tree.first].count < 0:
            axes = axes_in(system, tree)
            for k in range(tree.joint_count):
                put_axes(joints[listed[k]], rows, axes[k])
            make_matrix(system, nodes, tree, joints, bodies, listed, VELOCITIES)
            nodes[tree.first].count = INT32(0)
        begin_network(system, nodes, tree, joints, rows, listed, task)
        solve_network(system, nodes, tree, VELOCITIES)
        if not bound_rows(system, nodes, tree, joints, rows, listed, task):
            break
    finish_network(system, nodes, tree, joints, rows, bodies, listed, task, 1.0)


@kernel
def push_network(system, nodes, tree, joints, rows, bodies, listed, bias_rate):
    """Run the pass with bias over the held axes of a network. Impulses are found anew: those by which axes of a loop push against
    each other would grow from sub-step to sub-step."""
    hold_network(system, nodes, tree, joints, rows, bodies, listed, (VELOCITIES, bias_rate, True))
    task, h = (ERRORS, bias_rate, False), system.step.last_delta_time / system.settings.substep_count
    if begin_network(system, nodes, tree, joints, rows, listed, task) * h > NEAR:
        make_matrix(system, nodes, tree, joints, bodies, listed, ERRORS)
        solve_network(system, nodes, tree, ERRORS)
        finish_network(system, nodes, tree, joints, rows, bodies, listed, task, acceptable_part(nodes, tree))


@kernel
def relax_network(system, nodes, tree, joints, rows, bodies, listed):
    """Run the pass without bias over the held axes of a network, whose joints have just been measured."""
    nodes[tree.first].count = INT32(-1)
    hold_network(system, nodes, tree, joints, rows, bodies, listed, (VELOCITIES, 0.0, False))
    h = system.step.last_delta_time / system.settings.substep_count
    for index in listed:
        joint = joints[index]
        keep_drifts(joint, read_motion(row_of(system, joint, 0), row_of(system, joint, 1)), h)
