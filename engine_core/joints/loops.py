"""Joints that close a loop in a tree of joints, solved exactly with it if they are few: bridges, pistons, wishbones.

With u the response of the tree's bodies to impulses while all its joints hold (trees.py), and J the Jacobian of the closing
joints, the impulses that close the loop are K^-1 of the target, K = J u(J^T): one solution of the tree for each locked axis once
its matrices are made, and a second solution in each pass (Featherstone, Rigid Body Dynamics Algorithms, 2008, section 8.5: loop
joints added to a spanning tree).

Most loops are redundant: four hinges in a plane all keep each other from leaving it, and a nearly redundant axis would take any
force. So axes that the tree and earlier axes hold are left out, and K is slightly softened along the others.
"""

import numpy as np

from ..geometry.cholesky import entry, factorize, invert, solve_inverted
from ..geometry.vector import cross, dot, length, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array
from .holding import answer_to, locked_direction, product
from .measuring import fastest_spin, read_motion, row_of
from .schema import ANGULAR_AXES, LINEAR_AXES, LOOP_ROWS, LOOP_TRIANGLE, NODE_ROWS, TWIST
from .trees import foresees_drift, gather_up, spread_down

INT32, FLOAT32, FLOAT64 = np.int32, np.float32, np.float64
GIVE, GIVE_OF_TURN, NEARLY_HELD = 1.0e-4, 0.3, 1.0e-3
"""Softness of a closed loop along an axis for impulses that stop its ends, relative to how freely they move in the tree. `GIVE`
is that at rest. For each radian that its bodies turn by in a sub-step `GIVE_OF_TURN` is added, up to `MOST_GIVE`, along an axis
whose ends the tree lets move by less than the part `NEARLY_HELD` of how two free bodies would, and less along freer ones. An
impulse keeps its direction for so long, and along an axis that hardly moves it is large: much of it would point sideways, and
loops that tumble would win energy. A second joint of two bodies keeps its direction with them."""
TINY = 1.0e-30
"""Avoids a division by zero."""
CORRECTION_GIVE, MOST_GIVE, ERROR_GIVE = 3.0e-3, 0.02, 5.0
"""Softness for impulses that correct an error: at least, at most, and for an error as large as the distance of the joint from
its bodies."""
LEAST_REACH = 1.0e-3
"""Least distance of a joint from its bodies for that [m]."""
LEAST_LEFT = 1.0e-5
"""The least part of an axis, relative to the same, that other axes leave free: an axis with less is left out. A load a hundred
thousand times as heavy as its support has less."""
FASTEST_CORRECTION = 3.0
"""Errors are corrected at this speed at most [m/s], [rad/s], unless the bodies spin fast."""
HELD, HELD_IN_PAIR = 1.0e-4, 1.0e-3
"""The tree holds an axis whose ends it lets move by less than this part of how two free bodies would: in a loop, and between two
bodies that the tree joins already. Two hinges a millimetre out of line hold each other with a thousand times the force of one:
no sub-step is short enough to follow its direction, and a door so hung would fly off. So it swings, as if they were in line."""


@kernel
def push_node(node, linear, angular, impulse):
    """Add an impulse along a direction to the impulses on a node."""
    for k in range(3):
        node.push[k] += impulse * linear[k]
        node.push[3 + k] += impulse * angular[k]


@kernel
def push_ends(nodes, ends, direction, impulse):
    """Push the nodes at both ends of a closing joint along one of its axes."""
    linear, angular_a, angular_b = direction
    if ends[0] >= 0:
        push_node(nodes[ends[0]], linear, angular_a, -impulse)
    if ends[1] >= 0:
        push_node(nodes[ends[1]], linear, angular_b, impulse)


@kernel
def seen_of_ends(nodes, ends, direction):
    """Relative velocity along an axis of a closing joint from the change of its bodies' velocities, which is in `push`."""
    linear, angular_a, angular_b = direction
    seen = 0.0
    if ends[0] >= 0:
        push = nodes[ends[0]].push
        seen -= dot(linear, vector3(push)) + dot(angular_a, vector3(push[3:]))
    if ends[1] >= 0:
        push = nodes[ends[1]].push
        seen += dot(linear, vector3(push)) + dot(angular_b, vector3(push[3:]))
    return seen


@kernel
def answer(nodes, tree, ends, direction):
    """Compute the response of the tree to an impulse of 1 along a direction at a closing joint, to `push`."""
    for n in range(tree.first, tree.first + tree.count):
        for k in range(NODE_ROWS):
            nodes[n].push[k] = nodes[n].wanted[k] = 0.0
    push_ends(nodes, ends, direction, 1.0)
    gather_up(nodes, tree)
    spread_down(nodes, tree)


@kernel
def see_answer(nodes, tree, joints, row):
    """Write row number `row` of K: the response of the tree to this axis, along the axes up to this one."""
    number = 0
    for c in range(tree.closer_count):
        joint = joints[tree.closers[c]]
        for axis in range(NODE_ROWS):
            if joint.locked >> axis & 1 and number <= row:
                tree.loop[entry(row, number)] = seen_of_ends(nodes, tree.ends[c], locked_direction(joint, axis))
                number += 1


@kernel
def mobility(nodes, tree, ends, joint, is_angular):
    """How freely the ends of a closing joint move relative to each other in the tree: summed over three directions or turns."""
    total = 0.0
    for k in range(3):
        unit = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        direction = ((0.0, 0.0, 0.0), unit, unit)
        if not is_angular:
            direction = (unit, cross(vector3(joint.arms[0]), unit), cross(vector3(joint.arms[1]), unit))
        answer(nodes, tree, ends, direction)
        total += seen_of_ends(nodes, ends, direction)
    return total


@kernel
def leave_out_held(tree, count, least):
    """Find the redundant axes: those of which less than `least`, as a part of their freedom, is left in K once the axes with the
    most left are eliminated. Return the number of the other axes."""
    left = stack_array(LOOP_TRIANGLE, FLOAT64)
    for i in range(count * (count + 1) // 2):
        left[i] = tree.loop[i]
    open_rows, found, tree.loop_holds, tree.loop_freedom = (1 << count) - 1, 0, INT32(0), 1.0
    while True:
        best, most = -1, 0.0
        for i in range(count):
            part = left[entry(i, i)] / tree.freedom[i]
            if open_rows >> i & 1 and left[entry(i, i)] > least[i] and part > most:
                best, most = i, part
        if best < 0:
            return found
        found += 1
        tree.loop_freedom = min(most, tree.loop_freedom)
        open_rows &= ~(1 << best)
        tree.loop_holds |= 1 << best
        for i in range(count):
            part = left[entry(max(i, best), min(i, best))] / left[entry(best, best)]
            for j in range(i + 1):
                if open_rows >> i & 1 and open_rows >> j & 1:
                    left[entry(i, j)] -= part * left[entry(max(j, best), min(j, best))]


@kernel
def factorize_softened(tree, matrix, count, give):
    """Compute the inverse factor of K, softened along each axis by a part of its freedom; axes that are left out get zeros."""
    for i in range(count):
        for j in range(i + 1):
            is_held = tree.loop_holds >> i & tree.loop_holds >> j & 1
            matrix[entry(i, j)] = tree.loop[entry(i, j)] if is_held else 0.0
        matrix[entry(i, i)] += give[i] * tree.freedom[i]
    factorize(matrix, count)
    invert(matrix, count)


@kernel
def is_second_joint(nodes, ends):
    """Whether a joint of the tree already joins the two ends of a closing joint."""
    a, b = ends[0], ends[1]
    if a < 0 or b < 0:
        return nodes[max(a, b)].parent < 0
    return nodes[a].parent == b or nodes[b].parent == a


@kernel
def factorize_loops(system, nodes, tree, joints):
    """Compute K and its factor, after the matrices of the tree. Return the number of axes that the tree does not hold."""
    least, give = stack_array(LOOP_ROWS, FLOAT64), stack_array(LOOP_ROWS, FLOAT64)
    row, h = 0, system.step.last_delta_time / system.settings.substep_count
    for c in range(tree.closer_count):
        joint, ends = joints[tree.closers[c]], tree.ends[c]
        held, give_of_turn = HELD_IN_PAIR, 0.0
        if not is_second_joint(nodes, ends):
            held, give_of_turn = HELD, min(GIVE_OF_TURN * fastest_spin(system, joint) * h, MOST_GIVE)
        linear = mobility(nodes, tree, ends, joint, False) if joint.locked & LINEAR_AXES else 0.0
        angular = mobility(nodes, tree, ends, joint, True) if joint.locked & ANGULAR_AXES else 0.0
        for axis in range(NODE_ROWS):
            if joint.locked >> axis & 1:
                direction = locked_direction(joint, axis)
                answer(nodes, tree, ends, direction)
                see_answer(nodes, tree, joints, row)
                free = product(direction, answer_to(joint, direction))
                tree.freedom[row] = max(linear if axis < TWIST else angular, held * free)
                least[row] = max(LEAST_LEFT * tree.freedom[row], held * free)
                give[row] = GIVE + give_of_turn * min(NEARLY_HELD * free / max(tree.loop[entry(row, row)], TINY), 1.0)
                row += 1
    count = leave_out_held(tree, row, least)
    factorize_softened(tree, tree.inverse, row, give)
    return count


@kernel
def fastest_correction(system, joint):
    """The speed at which an error of a closing joint is corrected [m/s], [rad/s]: as fast as its ends leave their circles in a
    sub-step, since otherwise a fast-spinning ring would open for good."""
    _, w_a, _, w_b = read_motion(row_of(system, joint, 0), row_of(system, joint, 1))
    left = dot(w_a, w_a) * length(vector3(joint.arms[0])) + dot(w_b, w_b) * length(vector3(joint.arms[1]))
    return FASTEST_CORRECTION + left * system.step.last_delta_time / system.settings.substep_count


@kernel
def correct_loops(system, tree, joints, bias_rate):
    """Add the impulses that correct the errors of closing joints, softer for larger errors: a loop that is stretched tight cannot
    be corrected, and trying makes only sideways forces."""
    inverse, wanted = stack_array(LOOP_TRIANGLE, FLOAT64), stack_array(LOOP_ROWS, FLOAT64)
    give = stack_array(LOOP_ROWS, FLOAT64)
    row, drifting = 0, 1.0 if foresees_drift(tree) else 0.0
    for c in range(tree.closer_count):
        joint = joints[tree.closers[c]]
        reach = length(vector3(joint.arms[0])) + length(vector3(joint.arms[1]))
        fastest = fastest_correction(system, joint)
        for axis in range(NODE_ROWS):
            if joint.locked >> axis & 1:
                error = FLOAT64(joint.error[axis])
                speed = min(max(bias_rate * error, -fastest), fastest) + drifting * FLOAT64(joint.drift[axis])
                wanted[row] = -speed if tree.loop_holds >> row & 1 else 0.0
                part = abs(error) / max(reach, LEAST_REACH) if axis < TWIST else abs(error)
                give[row] = min(max(ERROR_GIVE * part, CORRECTION_GIVE), MOST_GIVE)
                row += 1
    factorize_softened(tree, inverse, row, give)
    solve_inverted(inverse, row, wanted)
    for i in range(row):
        tree.loop_impulse[i] += wanted[i]


@kernel
def measure_loops(system, nodes, tree, joints, bias_rate):
    """Compute the impulses that close the loops, from the motion of the tree without them. They are computed in full, not as a
    change of the previous ones: where a loop is nearly stiff, old impulses point sideways, and speeds alone cannot correct
    that."""
    row = 0
    for c in range(tree.closer_count):
        joint = joints[tree.closers[c]]
        v_a, w_a, v_b, w_b = read_motion(row_of(system, joint, 0), row_of(system, joint, 1))
        for axis in range(NODE_ROWS):
            if joint.locked >> axis & 1:
                linear, angular_a, angular_b = direction = locked_direction(joint, axis)
                speed = dot(linear, v_b) + dot(angular_b, w_b) - dot(linear, v_a) - dot(angular_a, w_a)
                speed += seen_of_ends(nodes, tree.ends[c], direction)
                tree.loop_impulse[row] = -speed if tree.loop_holds >> row & 1 else 0.0
                row += 1
    solve_inverted(tree.inverse, row, tree.loop_impulse)
    if bias_rate > 0.0:
        correct_loops(system, tree, joints, bias_rate)


@kernel
def impulse_of(joint, axis):
    """Impulse of a joint along a locked axis [N s], [N m s]."""
    return FLOAT64(joint.linear_impulse[axis]) if axis < TWIST else FLOAT64(joint.angular_impulse[axis - TWIST])


@kernel
def put_impulse(joint, axis, impulse):
    """Set the impulse of a joint along a locked axis."""
    if axis < TWIST:
        joint.linear_impulse[axis] = FLOAT32(impulse)
    else:
        joint.angular_impulse[axis - TWIST] = FLOAT32(impulse)


@kernel
def open_loops(nodes, tree, joints):
    """Apply the impulses on the tree as if the closing joints had done nothing yet."""
    for c in range(tree.closer_count):
        joint = joints[tree.closers[c]]
        for axis in range(NODE_ROWS):
            if joint.locked >> axis & 1:
                push_ends(nodes, tree.ends[c], locked_direction(joint, axis), -impulse_of(joint, axis))


@kernel
def close_loops(nodes, tree, joints):
    """Apply the impulses of the closing joints to the tree, in addition to previous ones."""
    row = 0
    for c in range(tree.closer_count):
        joint = joints[tree.closers[c]]
        for axis in range(NODE_ROWS):
            if joint.locked >> axis & 1:
                change = tree.loop_impulse[row] - impulse_of(joint, axis)
                push_ends(nodes, tree.ends[c], locked_direction(joint, axis), change)
                row += 1


@kernel
def finish_loops(tree, joints):
    """Store the impulses of the closing joints."""
    row = 0
    for c in range(tree.closer_count):
        joint = joints[tree.closers[c]]
        for axis in range(NODE_ROWS):
            if joint.locked >> axis & 1:
                put_impulse(joint, axis, tree.loop_impulse[row])
                row += 1
