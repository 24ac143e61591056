"""Moving the bodies of one tree of joints alone, and putting them back.

This is what `integrate_positions` of solver/integration.py does for all bodies. Bodies whose inertia is uneven turn by the
implicit midpoint rule, as in solver/gyroscopic.py, here one by one in double precision.
"""

import math

import numpy as np

from ..constraints.body_terms import inverse_symmetric, six
from ..constraints.schema import (
    ANGULAR_VELOCITY, DELTA_POSITION, DELTA_ROTATION, INERTIA_SIZE, LINEAR_VELOCITY, ROW_SIZE, UNEVEN,
)  # fmt: skip
from ..geometry.vector import (
    add, add_scaled, cross, dot, length_squared, multiply, normalize_quaternion, quaternion, rotate, rotate_symmetric, scale,
    store3, store4, symmetric_times, vector3,
)  # fmt: skip
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .measuring import row_of

FLOAT32 = np.float32
SLOWEST = 0.05
"""A slower spin is kept, as in solver/gyroscopic.py [rad/s]."""
NEWTON_STEPS = 8
"""The most iterations: three suffice if a part turns a body by half a radian."""
CLOSE = 1.0e-10
"""The last change in an iteration, relative to the spin."""


@kernel
def gain_to_middle(inertia, spin, half):
    """How much the spin of a free body changes until the middle of a time of length 2 `half` [rad/s]; zero if it is not found."""
    gain = (0.0, 0.0, 0.0)
    xx, yy, zz, xy, xz, yz = inertia
    for _ in range(NEWTON_STEPS):
        guess = add(spin, gain)
        x, y, z = turned = symmetric_times(inertia, guess)
        wrong = add_scaled(symmetric_times(inertia, gain), cross(guess, turned), half)
        # Columns of J + h/2 (W x J. - J W x .)
        c0 = add_scaled((xx, xy, xz), add(cross(guess, (xx, xy, xz)), (0.0, -z, y)), half)
        c1 = add_scaled((xy, yy, yz), add(cross(guess, (xy, yy, yz)), (z, 0.0, -x)), half)
        c2 = add_scaled((xz, yz, zz), add(cross(guess, (xz, yz, zz)), (-y, x, 0.0)), half)
        first = cross(c1, c2)
        size = -1.0 / dot(c0, first)
        change = (dot(wrong, first) * size, dot(wrong, cross(c2, c0)) * size, dot(wrong, cross(c0, c1)) * size)
        gain = add(gain, change)
        if length_squared(change) <= CLOSE * CLOSE * length_squared(spin):
            return gain
    return (0.0, 0.0, 0.0)


@kernel
def turn_by(spin, half):
    """The rotation by a spin in a time of length 2 `half`, by Cayley's map."""
    x, y, z = scale(spin, half)
    size = 1.0 / math.sqrt(1.0 + x * x + y * y + z * z)
    return x * size, y * size, z * size, size


@kernel
def move_row(system, number, time):
    """Move the body of a solver row by its velocities for a time [s]."""
    row = view(system.solver.rows + number * ROW_SIZE, 16, FLOAT32)
    half = 0.5 * time
    store3(row[DELTA_POSITION:], add_scaled(vector3(row[DELTA_POSITION:]), vector3(row[LINEAR_VELOCITY:]), time))
    spin = middle = vector3(row[ANGULAR_VELOCITY:])
    is_uneven = row[UNEVEN] > 0.0 and length_squared(spin) > SLOWEST * SLOWEST
    inertia = view(system.solver.inertias + number * INERTIA_SIZE, 6, FLOAT32)
    gain = (0.0, 0.0, 0.0)
    if is_uneven:
        gain = gain_to_middle(inverse_symmetric(six(inertia)), spin, half)
        middle = add(spin, gain)
    turn = turn_by(middle, half)
    store4(row[DELTA_ROTATION:], normalize_quaternion(multiply(turn, quaternion(row[DELTA_ROTATION:]))))
    if is_uneven:
        store3(row[ANGULAR_VELOCITY:], rotate(turn, add_scaled(spin, gain, 2.0)))
        renewed = rotate_symmetric(turn, six(inertia))
        for k in range(6):
            inertia[k] = FLOAT32(renewed[k])


@kernel
def move_tree(system, nodes, tree, time):
    """Move the bodies of a tree by their velocities for a time [s]."""
    for n in range(tree.first, tree.first + tree.count):
        move_row(system, nodes[n].row, time)


@kernel
def keep_tree(system, nodes, tree):
    """Save the solver rows of a tree's bodies, with their inertia."""
    for n in range(tree.first, tree.first + tree.count):
        row = view(system.solver.rows + nodes[n].row * ROW_SIZE, 16, FLOAT32)
        inertia = view(system.solver.inertias + nodes[n].row * INERTIA_SIZE, 6, FLOAT32)
        for k in range(16):
            nodes[n].kept[k] = row[k]
        for k in range(6):
            nodes[n].kept[16 + k] = inertia[k]


@kernel
def put_tree_back(system, nodes, tree):
    """Write back what `keep_tree` saved."""
    for n in range(tree.first, tree.first + tree.count):
        row = view(system.solver.rows + nodes[n].row * ROW_SIZE, 16, FLOAT32)
        inertia = view(system.solver.inertias + nodes[n].row * INERTIA_SIZE, 6, FLOAT32)
        for k in range(16):
            row[k] = nodes[n].kept[k]
        for k in range(6):
            inertia[k] = nodes[n].kept[16 + k]


@kernel
def is_anchor(system, joint, side):
    """Whether one side of a joint is held by something that moves and that no joint can push."""
    if joint.pushes[side]:
        return False
    row = row_of(system, joint, side)
    for k in range(6):
        if row[k] != 0.0:
            return True
    return False


@kernel
def move_anchors(system, joints, listed, time):
    """Let some joints see what holds them, but is not pushed by them, as far as it comes in a time [s]: all joints of it read its
    row, so it is moved later, with all bodies."""
    for index in listed:
        joint = joints[index]
        for side in range(2):
            if is_anchor(system, joint, side):
                row = row_of(system, joint, side)
                way = scale(vector3(row[LINEAR_VELOCITY:]), time if side == 1 else -time)
                turn = turn_by(vector3(row[ANGULAR_VELOCITY:]), 0.5 * time)
                store3(joint.between, add(vector3(joint.between), way))
                store3(joint.start_arms[side], rotate(turn, vector3(joint.start_arms[side])))
                store4(joint.start_rotations[side], multiply(turn, quaternion(joint.start_rotations[side])))
