"""How two bodies answer an impulse along a spring, a motor or a limit of their joint while its locked axes hold them.

A free body gives way to a torque by its own inertia; a door also has to move its mass round the hinge. Were a limit weighed as if
nothing held the bodies, it would push far too little, and each pass would stop only a part of what is coming. With W the
inverse masses of both bodies, J the row and C the locked axes, the locked axes react to an impulse of 1 along the row by
    r = (C W C^T)^-1 C W J^T,   and the bodies answer by   W (J^T - C^T r),
which leaves the locked axes where they are (Featherstone, Rigid Body Dynamics Algorithms, 2008, section 8: explicit constraints).
"""

import numpy as np

from ..geometry.cholesky import factorize, solve_lower, solve_upper
from ..geometry.vector import add_scaled, cross, dot, negate, store3, symmetric_times, vector3
from ..runtime.kernel import kernel
from .body_terms import scaled, six
from .joint_schema import ANGULAR_AXES, LINEAR_AXES, TWIST

FLOAT32, FLOAT64 = np.float32, np.float64
LOCKS = 6
WELL_CONDITIONED = 1.0e-9
"""Added to the diagonal, in parts of it: axes that cannot be told apart share the work."""
LEAST_LEFT = 1.0e-3
"""What the locked axes leave of a row; less is as good as locked, and nothing is done along it."""
HELD = np.dtype([
    ("block", "f8", (LOCKS, LOCKS)),
    ("pulls", "f8", LOCKS),
    ("directions", "f8", (LOCKS, 9)),  # linear, angular of A, angular of B
    ("answers", "f8", (LOCKS, 12)),
    ("axes", "i4", LOCKS),
], align=True)  # fmt: skip
"""The locked axes of one joint that can move its bodies."""


@kernel
def answer_alone(joint, linear, angular_a, angular_b):
    """Changes of the velocities of two free bodies by an impulse of 1: (linear A, angular A, linear B, angular B)."""
    return (
        negate(scaled(vector3(joint.masses[0]), linear)), negate(symmetric_times(six(joint.inertias[0]), angular_a)),
        scaled(vector3(joint.masses[1]), linear), symmetric_times(six(joint.inertias[1]), angular_b),
    )  # fmt: skip


@kernel
def speed_along(linear, angular_a, angular_b, answer):
    """What a row sees of velocities (linear A, angular A, linear B, angular B)."""
    v_a, w_a, v_b, w_b = answer
    return dot(linear, v_b) - dot(linear, v_a) + dot(angular_b, w_b) - dot(angular_a, w_a)


@kernel
def read_answer(answers):
    """Twelve numbers as four vectors."""
    return vector3(answers), vector3(answers[3:]), vector3(answers[6:]), vector3(answers[9:])


@kernel
def write_answer(answers, answer):
    store3(answers, answer[0])
    store3(answers[3:], answer[1])
    store3(answers[6:], answer[2])
    store3(answers[9:], answer[3])


@kernel
def locked_direction(joint, axis):
    """The row of a locked axis: (linear, angular of A, angular of B)."""
    if axis < TWIST:
        direction = vector3(joint.axes[axis])
        return direction, cross(vector3(joint.arms[0]), direction), cross(vector3(joint.arms[1]), direction)
    turn = vector3(joint.turns[axis - TWIST])
    return (0.0, 0.0, 0.0), turn, turn


@kernel
def find_locks(joint, held):
    """The locked axes of a joint that can move its bodies, how these answer each, and the factors of C W C^T. Returns how many."""
    count = 0
    for axis in range(LOCKS):
        if joint.locked >> axis & 1 == 0:
            continue
        linear, angular_a, angular_b = locked_direction(joint, axis)
        answer = answer_alone(joint, linear, angular_a, angular_b)
        k = speed_along(linear, angular_a, angular_b, answer)
        if k <= 0.0:
            continue
        held.axes[count] = np.int32(axis)
        directions = held.directions[count]
        store3(directions, linear)
        store3(directions[3:], angular_a)
        store3(directions[6:], angular_b)
        write_answer(held.answers[count], answer)
        for other in range(count):
            held.block[count, other] = speed_along(linear, angular_a, angular_b, read_answer(held.answers[other]))
        held.block[count, count] = k * (1.0 + WELL_CONDITIONED)
        count += 1
    factorize(held.block, count)
    return count


@kernel
def answer_held(held, count, answer, reactions):
    """`answer` less what the `count` locked axes take of it. Writes their reactions."""
    for i in range(count):
        directions = held.directions[i]
        held.pulls[i] = speed_along(vector3(directions), vector3(directions[3:]), vector3(directions[6:]), answer)
    solve_lower(held.block, count, held.pulls)
    solve_upper(held.block, count, held.pulls)
    v_a, w_a, v_b, w_b = answer
    for i in range(count):
        pull = held.pulls[i]
        by = read_answer(held.answers[i])
        v_a, w_a = add_scaled(v_a, by[0], -pull), add_scaled(w_a, by[1], -pull)
        v_b, w_b = add_scaled(v_b, by[2], -pull), add_scaled(w_b, by[3], -pull)
        reactions[held.axes[i]] = FLOAT32(-pull)
    return v_a, w_a, v_b, w_b


@kernel
def is_locked(joint):
    return joint.locked & (LINEAR_AXES | ANGULAR_AXES) != 0
