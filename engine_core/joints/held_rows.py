"""Limits that push, motors with enough force and stiff springs: solved with the tree of their joint, as if they were locked.

The preceding pass over the joints has found which ones: limits whose impulse pushes, motors whose impulse is below their maximum.
A limit that a motor drives away from is not held. An impulse beyond its bounds is clamped before anything has moved, and the tree
is solved again: a motor that would need more than its maximum gives that, and a limit that would pull is released. If held, it
would pull its bodies along, and they would gain energy.

Springs too stiff for the sub-steps are held softly. Solved one by one, those of joints that follow each other win energy.
"""

import numpy as np

from ..geometry.cholesky import entry
from ..geometry.vector import vector3
from ..runtime.kernel import kernel
from .holding import LEAST_APART
from .measuring import read_motion, row_of
from .schema import (
    AXIS_COUNT, CONE, DISTANCE, FIRM, LIMIT, LINEAR_AXES, MOTOR, NODE_ROWS, SPRING, SPRINGY, SWING_Y, SWING_Z, UNLIMITED,
)  # fmt: skip
from .solving import push_row, write_motion

INT8, INT32, INT64, FLOAT32, FLOAT64 = np.int8, np.int32, np.int64, np.float32, np.float64
LARGEST_NUMBER = 32
LOCKS_ALONE, LIMITS_TOO, MOTORS_TOO = range(3)
"""The most that a tree holds: locked axes only, pushing limits as well, motors with enough force as well."""


@kernel
def is_held_limit(row):
    """Whether a limit pushes and is as firm as a locked axis."""
    if row.impulse <= 0.0:
        return False
    is_firm = row.hold != SPRINGY and row.restitution <= 0.0 and row.mass > 0.0
    return is_firm and row.most >= FLOAT32(UNLIMITED)


@kernel
def is_held_motor(row):
    """Whether a motor is below its maximum."""
    return row.mass > 0.0 and abs(row.impulse) < row.most


@kernel
def is_driven_off(joint, rows, limit):
    """Whether a motor with enough force drives away from a limit. The two share an axis, and the limit would win: it would push,
    and the motor with it, as long as a heavy load rests on it."""
    axis = limit.slot % AXIS_COUNT
    if joint.driven >> axis & 1 == 0 or joint.motor_velocity[axis] * limit.side <= 0.0:
        return False
    for r in range(joint.first_row, joint.first_row + joint.row_count):
        if rows[r].slot == MOTOR * AXIS_COUNT + axis:
            return is_held_motor(rows[r])
    return False


@kernel
def repeats(held_axes, axis):
    """Whether an axis nearly duplicates some of these (bits): a cone the angles, a distance the positions."""
    if axis == CONE:
        return held_axes & (1 << SWING_Y | 1 << SWING_Z) != 0
    if axis == DISTANCE:
        return held_axes & LINEAR_AXES != 0
    return held_axes >> (DISTANCE if LINEAR_AXES >> axis & 1 else CONE) & 1 != 0


@kernel
def held_rows(joint, rows, at_most):
    """Bits of the rows of a joint that are held, up to the capacity of a node."""
    bits, room, held_axes = 0, NODE_ROWS, INT64(joint.locked)
    if at_most == LOCKS_ALONE or joint.acting == 0:
        return bits
    with_motors = at_most == MOTORS_TOO
    for axis in range(NODE_ROWS):
        room -= joint.locked >> axis & 1
    # Motors are stored before limits; limits come first here.
    for turn in range(2):
        for r in range(min(joint.row_count, LARGEST_NUMBER)):
            row = rows[joint.first_row + r]
            kind = row.slot // AXIS_COUNT
            if turn == 0:
                is_held = kind == LIMIT and is_held_limit(row) and not (with_motors and is_driven_off(joint, rows, row))
            else:
                is_held = kind == MOTOR and with_motors and is_held_motor(row)
                if kind == SPRING and joint.is_stiff != 0 and joint.is_in_network == 0:
                    is_held = row.mass > 0.0 and abs(row.impulse) < row.most
            axis = row.slot % AXIS_COUNT
            if is_held and room > 0 and held_axes >> axis & 1 == 0 and not repeats(held_axes, axis):
                bits |= 1 << r
                held_axes |= 1 << axis
                room -= 1
    return bits


@kernel
def upper_rows(joint, rows, held):
    """The rows of `held` (bits) that are at an upper limit."""
    bits = 0
    for r in range(min(joint.row_count, LARGEST_NUMBER)):
        if held >> r & 1 and rows[joint.first_row + r].side < 0.0:
            bits |= 1 << r
    return bits


@kernel
def put_jacobian(target, linear, angular, sign):
    for k in range(3):
        target[k] = FLOAT32(sign * linear[k])
        target[3 + k] = FLOAT32(sign * angular[k])


@kernel
def put_axis(node, number, linear, angular_a, angular_b):
    """Append an axis's Jacobians for a node's body and its parent. `number`: see TREE_NODE.axes."""
    count = node.count
    own, other, sign = (angular_b, angular_a, 1.0) if node.side == 1 else (angular_a, angular_b, -1.0)
    put_jacobian(node.own[count], linear, own, sign)
    put_jacobian(node.other[count], linear, other, -sign)
    node.axes[count] = INT8(number)
    node.count = INT32(count + 1)


@kernel
def put_held(node, joint, rows):
    """Append the held rows, limits first."""
    for turn in range(2):
        for r in range(min(joint.row_count, LARGEST_NUMBER)):
            row = rows[joint.first_row + r]
            if node.held >> r & 1 == 0 or (row.slot // AXIS_COUNT == LIMIT) != (turn == 0):
                continue
            put_axis(node, NODE_ROWS + r, vector3(row.linear), vector3(row.angular_a), vector3(row.angular_b))


@kernel
def find_dependent(node, locked_count):
    """The first held row that depends on the axes before it, or -1. `pull` has the diagonal, `block` the inverse of its
    factor, with 1 over the factor's diagonal."""
    for j in range(locked_count, node.count):
        inverse = node.block[entry(j, j)]
        if inverse * inverse * LEAST_APART * node.pull[j] >= 1.0:
            return j
    return -1


@kernel
def drop_axis(node, number):
    """Drop one of the held axes of a node's joint."""
    for i in range(number, node.count - 1):
        for k in range(6):
            node.own[i, k] = node.own[i + 1, k]
            node.other[i, k] = node.other[i + 1, k]
        node.axes[i] = node.axes[i + 1]
    node.count -= 1


@kernel
def held_row(node, joint, rows, i):
    """The row of a node's axis `i`, which is not a locked one."""
    return rows[joint.first_row + node.axes[i] - NODE_ROWS]


@kernel
def softness_held(node, joint, rows, i):
    """The softness of a node's axis `i`: that of a spring, 0 of others."""
    if node.axes[i] < NODE_ROWS:
        return 0.0
    row = held_row(node, joint, rows, i)
    return FLOAT64(row.softness) if row.slot // AXIS_COUNT == SPRING else 0.0


@kernel
def bias_of(row, bias_rate, inverse_h):
    """Target velocity of a held row [m/s], [rad/s]. A limit that is not reached yet lets the body go the rest of the way."""
    if row.slot // AXIS_COUNT == MOTOR:
        return FLOAT64(row.bias)
    if row.slot // AXIS_COUNT == SPRING:
        return FLOAT64(row.bias) + FLOAT64(row.softness) * FLOAT64(row.impulse)
    separation = FLOAT64(row.separation)
    if separation > 0.0:
        return separation * inverse_h
    return separation * (bias_rate if row.hold == FIRM else min(bias_rate, FLOAT64(row.bias_rate)))


@kernel
def give(system, joint, row, impulse):
    """Set the impulse of a row, and push its bodies by the change."""
    row_a, row_b = row_of(system, joint, 0), row_of(system, joint, 1)
    change = FLOAT64(impulse) - FLOAT64(row.impulse)
    row.impulse = FLOAT32(impulse)
    write_motion(joint, row_a, row_b, push_row(joint, row, read_motion(row_a, row_b), change))


@kernel
def bound_held(system, nodes, tree, joints, rows):
    """Clamp motors that would need more than their maximum, set limits that would pull to zero, and stop holding both. Return
    whether there were any."""
    found = False
    for n in range(tree.first, tree.first + tree.count):
        node = nodes[n]
        for i in range(node.count):
            if node.axes[i] >= NODE_ROWS:
                row = held_row(node, joints[node.joint], rows, i)
                wanted = FLOAT64(row.impulse) + node.pull[i]
                if wanted < row.least or wanted > row.most:
                    give(system, joints[node.joint], row, row.most if wanted > 0.0 else row.least)
                    found = True
    return found
