"""Joints that close a loop in a tree of joints, solved exactly with it where they are few: bridges, pistons, wishbones.

With u how the bodies of the tree answer pushes while all its joints hold (joint_trees.py), and J what the closing joints see of
their motion, the impulses that close the loop are K^-1 of what is wanted, K = J u(J^T): one solution of the tree for each locked
axis once its matrices are made, and a second solution in each pass (Featherstone, Rigid Body Dynamics Algorithms, 2008, section
8.5: loop joints added to a spanning tree).

Most loops are held more than once: four hinges in a plane need not keep each other from leaving it, and what is nearly held would
take any force. So axes that the tree and those before them hold are left out, and K gives way a little along the others.
"""

import numpy as np

from ..constraints.joint_holding import answer_to, locked_direction, product
from ..constraints.joint_measuring import read_motion, row_of
from ..constraints.joint_schema import LOOP_ROWS, LOOP_TRIANGLE, NODE_ROWS, TWIST
from ..geometry.cholesky import entry, factorize, invert, solve_inverted
from ..geometry.vector import dot, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array
from .joint_trees import gather_up, spread_down

INT32, FLOAT32, FLOAT64 = np.int32, np.float32, np.float64
GIVE = 0.01
"""How much a closed loop gives way along an axis, in parts of what the two bodies would do were they free."""
LEAST_LEFT = 1.0e-4
"""The least that is left of an axis beside what holds it already, in the same parts."""


@kernel
def push_node(node, linear, angular, impulse):
    """Add an impulse along a direction to what pushes a node."""
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
    """What an axis of a closing joint sees of the change of its bodies' velocities, which is in `push`."""
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
def see_answer(nodes, tree, joints, row):
    """Write row number `row` of K: what the axes up to this one see of how the tree answers to it."""
    number = 0
    for c in range(tree.closer_count):
        joint = joints[tree.closers[c]]
        for axis in range(NODE_ROWS):
            if joint.locked >> axis & 1 and number <= row:
                tree.loop[entry(row, number)] = seen_of_ends(nodes, tree.ends[c], locked_direction(joint, axis))
                number += 1


@kernel
def leave_out_held(tree, count, free):
    """Take axes that are held already out of K. `free`: what two free bodies would do."""
    tree.loop_holds = INT32(0)
    factor = stack_array(LOOP_TRIANGLE, FLOAT64)
    for i in range(count):
        for j in range(i + 1):
            total = tree.loop[entry(i, j)]
            for k in range(j):
                total -= factor[entry(i, k)] * factor[entry(j, k)] * factor[entry(k, k)]
            # Of a row j < i: L, times 1 / D of that row; of the row itself: D.
            factor[entry(i, j)] = total if j == i else total / factor[entry(j, j)]
        if factor[entry(i, i)] < LEAST_LEFT * free[i]:
            for j in range(i):
                factor[entry(i, j)] = tree.loop[entry(i, j)] = 0.0
            for j in range(i + 1, count):
                tree.loop[entry(j, i)] = 0.0
            tree.loop[entry(i, i)], factor[entry(i, i)] = 0.0, 1.0
        else:
            tree.loop_holds |= 1 << i


@kernel
def factorize_loops(nodes, tree, joints):
    """K and its factor, once the matrices of the tree are made."""
    free = stack_array(LOOP_ROWS, FLOAT64)
    row = 0
    for c in range(tree.closer_count):
        joint = joints[tree.closers[c]]
        for axis in range(NODE_ROWS):
            if joint.locked >> axis & 1 == 0:
                continue
            for n in range(tree.first, tree.first + tree.count):
                for k in range(NODE_ROWS):
                    nodes[n].push[k] = nodes[n].wanted[k] = 0.0
            direction = locked_direction(joint, axis)
            push_ends(nodes, tree.ends[c], direction, 1.0)
            gather_up(nodes, tree)
            spread_down(nodes, tree)
            see_answer(nodes, tree, joints, row)
            free[row] = product(direction, answer_to(joint, direction))
            row += 1
    leave_out_held(tree, row, free)
    for i in range(row):
        tree.loop[entry(i, i)] += GIVE * free[i]
    factorize(tree.loop, row)
    invert(tree.loop, row)


@kernel
def measure_loops(system, nodes, tree, joints, bias_rate):
    """The impulses that close the loops, from how the tree moves without them."""
    fastest = FLOAT64(system.push_out_speed)
    row = 0
    for c in range(tree.closer_count):
        joint = joints[tree.closers[c]]
        v_a, w_a, v_b, w_b = read_motion(row_of(system, joint, 0), row_of(system, joint, 1))
        for axis in range(NODE_ROWS):
            if joint.locked >> axis & 1:
                linear, angular_a, angular_b = direction = locked_direction(joint, axis)
                speed = dot(linear, v_b) + dot(angular_b, w_b) - dot(linear, v_a) - dot(angular_a, w_a)
                speed += seen_of_ends(nodes, tree.ends[c], direction)
                correction = min(max(bias_rate * FLOAT64(joint.error[axis]), -fastest), fastest)
                tree.loop_impulse[row] = -speed - correction if tree.loop_holds >> row & 1 else 0.0
                row += 1
    solve_inverted(tree.loop, row, tree.loop_impulse)


@kernel
def push_loops(nodes, tree, joints):
    """Push the tree by the impulses that close its loops."""
    row = 0
    for c in range(tree.closer_count):
        joint = joints[tree.closers[c]]
        for axis in range(NODE_ROWS):
            if joint.locked >> axis & 1:
                push_ends(nodes, tree.ends[c], locked_direction(joint, axis), tree.loop_impulse[row])
                row += 1


@kernel
def finish_loops(tree, joints):
    """Take over what the closing joints did."""
    row = 0
    for c in range(tree.closer_count):
        joint = joints[tree.closers[c]]
        for axis in range(NODE_ROWS):
            if joint.locked >> axis & 1:
                if axis < TWIST:
                    joint.linear_impulse[axis] += FLOAT32(tree.loop_impulse[row])
                else:
                    joint.angular_impulse[axis - TWIST] += FLOAT32(tree.loop_impulse[row])
                row += 1
