"""The remaining effect of a spring, motor or limit of a joint while its locked axes hold.

A free body responds to a torque with its own inertia; a door must also move its centre around the hinge. A limit weighted for
free bodies pushes too little, and each pass stops only a part of the motion. With W the inverse masses of both bodies, J the row
and C the locked axes,
    r = (C W C^T)^-1 C W J^T,   J' = J - r^T C:
J' moves no locked axis and is not affected by their errors; its mass is the effective mass of a motion that the joint allows
(Featherstone, Rigid Body Dynamics Algorithms, 2008, sections 3.5 and 8.1: constraints and the motion that is left).
"""

import numpy as np

from ..constraints.body_terms import scaled, six
from ..geometry.cholesky import entry, factorize_row, solve
from ..geometry.vector import add_scaled, cross, dot, store3, symmetric_times, vector3
from ..runtime.kernel import kernel
from .schema import NODE_ROWS, TRIANGLE, TWIST

WELL_CONDITIONED = 1.0e-9
"""Added to the diagonal, relative to it: dependent axes share the load."""
UNMOVED = 1.0e-9
"""An axis along which the bodies respond by no more than this part of their response along all axes cannot be held: they are
locked."""
LEAST_APART, LEAST_APART_LOCKED = 1.0e-6, 1.0e-2
"""The least part of an axis that is independent of the axes before it; with less it is redundant. The second is for bodies that
may not move along, or turn about, some world axis: the little they could do there would mean racing along the others."""
LEAST_LEFT = 1.0e-7
"""The least part of a row's effect on free bodies; with less it is locked, and has no effect. A small ball on a long arm has
little left, too: the square of the ratio of their sizes."""
HELD = np.dtype([
    ("block", "f8", TRIANGLE),  # C W C^T, then its factor
    ("pulls", "f8", NODE_ROWS),
    ("directions", "f8", (NODE_ROWS, 9)),  # C: linear, angular of A, angular of B
    ("answers", "f8", (NODE_ROWS, 9)),  # W C^T: linear of A and B together, angular of A, angular of B
    ("axes", "i4", NODE_ROWS),
], align=True)  # fmt: skip
"""The locked axes of one joint that can move its bodies."""


@kernel
def three(array):
    """Read nine numbers as three vectors."""
    return vector3(array), vector3(array[3:]), vector3(array[6:])


@kernel
def store_three(array, vectors):
    store3(array, vectors[0])
    store3(array[3:], vectors[1])
    store3(array[6:], vectors[2])


@kernel
def locked_direction(joint, axis):
    """The row of a locked axis: (linear, angular of A, angular of B)."""
    if axis < TWIST:
        direction = vector3(joint.axes[axis])
        return direction, cross(vector3(joint.arms[0]), direction), cross(vector3(joint.arms[1]), direction)
    turn = vector3(joint.turns[axis - TWIST])
    return (0.0, 0.0, 0.0), turn, turn


@kernel
def answer_to(joint, row):
    """Response of two free bodies to an impulse of 1 along a row: the change of their relative velocity, and of the spins of A
    (negated) and B."""
    linear, angular_a, angular_b = row
    a, b = vector3(joint.masses[0]), vector3(joint.masses[1])
    return (
        scaled((a[0] + b[0], a[1] + b[1], a[2] + b[2]), linear), symmetric_times(six(joint.inertias[0]), angular_a),
        symmetric_times(six(joint.inertias[1]), angular_b),
    )  # fmt: skip


@kernel
def product(row, answer):
    """The component of a response along a row."""
    return dot(row[0], answer[0]) + dot(row[1], answer[1]) + dot(row[2], answer[2])


@kernel
def trace_of(of_bodies):
    """Response of both bodies summed over all three world axes."""
    total = 0.0
    for side in range(2):
        for k in range(3):
            total += np.float64(of_bodies[side, k])
    return total


@kernel
def least_apart(joint, usual):
    """The part of an angular axis that must remain after holding others: `usual`, or much if a body may not turn about some world
    axis."""
    for side in range(2):
        inertia = joint.inertias[side]
        most = max(inertia[0], inertia[1], inertia[2])
        if most > 0.0 and min(inertia[0], inertia[1], inertia[2]) == 0.0:
            return LEAST_APART_LOCKED
    return usual


@kernel
def has_locked_way(joint):
    """Whether a body of a joint may not move along some world axis, but along others."""
    for side in range(2):
        x, y, z = vector3(joint.masses[side])
        if max(x, y, z) > 0.0 and min(x, y, z) == 0.0:
            return True
    return False


@kernel
def find_locks(joint, held):
    """Write the locked axes of a joint that can move its bodies, their responses, and the factor of their matrix. Return their
    number."""
    count, least_linear, least_angular = 0, UNMOVED * trace_of(joint.masses), UNMOVED * trace_of(joint.inertias)
    apart, linear_apart = least_apart(joint, 0.0), LEAST_APART_LOCKED if has_locked_way(joint) else 0.0
    for axis in range(NODE_ROWS):
        if joint.locked >> axis & 1 == 0:
            continue
        direction = locked_direction(joint, axis)
        answer = answer_to(joint, direction)
        k = product(direction, answer)
        if k <= (least_linear if axis < TWIST else least_angular):
            continue
        held.axes[count] = np.int32(axis)
        store_three(held.directions[count], direction)
        store_three(held.answers[count], answer)
        for other in range(count):
            held.block[entry(count, other)] = product(direction, three(held.answers[other]))
        held.block[entry(count, count)] = k * (1.0 + WELL_CONDITIONED)
        if factorize_row(held.block, count) > (linear_apart if axis < TWIST else apart) * k:
            count += 1
    return count


@kernel
def hold_row(joint, row, held, count):
    """Remove from a row what the `count` locked axes hold. Return the inverse of its effective mass; 0 if nothing is left."""
    direction = vector3(row.linear), vector3(row.angular_a), vector3(row.angular_b)
    alone = product(direction, answer_to(joint, direction))
    for i in range(count):
        held.pulls[i] = product(direction, three(held.answers[i]))
    solve(held.block, count, held.pulls)
    linear, angular_a, angular_b = direction
    torque = vector3(row.torque)
    for i in range(count):
        pull, lock = held.pulls[i], three(held.directions[i])
        linear = add_scaled(linear, lock[0], -pull)
        angular_a, angular_b = add_scaled(angular_a, lock[1], -pull), add_scaled(angular_b, lock[2], -pull)
        if held.axes[i] >= TWIST:
            torque = add_scaled(torque, lock[2], -pull)
    store3(row.linear, linear)
    store3(row.angular_a, angular_a)
    store3(row.angular_b, angular_b)
    store3(row.torque, torque)
    left = (linear, angular_a, angular_b)
    k, least = product(left, answer_to(joint, left)), LEAST_APART_LOCKED if has_locked_way(joint) else LEAST_LEFT
    return k if k > least * alone else 0.0
