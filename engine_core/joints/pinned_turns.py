"""How two bodies turn against each other about the point at which a joint pins them together: for rows that act by torques.

The same as holding.py does axis by axis, with the three linear locks at once. Let r be the arms of the two bodies and I their
inverse inertias. A torque j on B, and back on A, moves their ends apart by D j, and the pin answers by the impulse -K^-1 D j:
    D = -sum r x I,   K = sum of inverse masses - sum r x I x r,   E = sum I - D^T K^-1 D.
E j is the turn of B against A that is left. Locked angles are taken out of j one after the other, each free of those before it
in the measure of E (Gram and Schmidt).
"""

import numpy as np

from ..constraints.body_terms import inverse_symmetric, six
from ..geometry.vector import add, add_scaled, cross, dot, scale, store3, subtract, symmetric_times, vector3
from ..runtime.kernel import kernel
from .holding import LEAST_LEFT, least_apart, trace_of
from .schema import ANGULAR_AXES, CONE, LINEAR_AXES, TWIST

FLOAT64 = np.float64
TURNS = ANGULAR_AXES | 1 << CONE
LEAST_PIN, LEAST_TURN = 1.0e-6, 1.0e-5
"""The least determinant of K, relative to the cube of a third of its trace, and the least part of a locked angle that the ones
before it leave, for a pin to count as one. With less, or where a body may not turn about some axis, holding.py decides."""
UNKNOWN, PINNED, NOT_PINNED = range(3)
PIN = np.dtype([
    ("state", "i8"),
    ("answer", "f8", (3, 3)),  # rows of -K^-1 D: the impulse of the pin to a torque
    ("turn", "f8", 6),  # E
    ("count", "i8"),  # of locked angles
    ("locked", "f8", (3, 3)),  # their directions, free of each other
    ("weights", "f8", (3, 3)),  # E times these, divided by their effect
], align=True)  # fmt: skip


@kernel
def rows_of_symmetric(m):
    """The rows of a symmetric matrix (xx, yy, zz, xy, xz, yz)."""
    return (m[0], m[3], m[4]), (m[3], m[1], m[5]), (m[4], m[5], m[2])


@kernel
def cross_rows(r, m):
    """The rows of the matrix that maps v to r x (m v), for a symmetric matrix."""
    x, y, z = rows_of_symmetric(m)
    return (
        subtract(scale(z, r[1]), scale(y, r[2])), subtract(scale(x, r[2]), scale(z, r[0])),
        subtract(scale(y, r[0]), scale(x, r[1])),
    )  # fmt: skip


@kernel
def pin_of(joint, pin):
    """Fill a row of PIN for a joint all of whose linear axes are locked. Its state says whether bodies can move so freely that
    it serves."""
    inertia_a, inertia_b = six(joint.inertias[0]), six(joint.inertias[1])
    arm_a, arm_b = vector3(joint.arms[0]), vector3(joint.arms[1])
    a, b = cross_rows(arm_a, inertia_a), cross_rows(arm_b, inertia_b)
    mass = add(vector3(joint.masses[0]), vector3(joint.masses[1]))
    x, y, z = (
        add(cross(a[0], arm_a), cross(b[0], arm_b)),
        add(cross(a[1], arm_a), cross(b[1], arm_b)),
        add(cross(a[2], arm_a), cross(b[2], arm_b)),
    )
    k = (mass[0] - x[0], mass[1] - y[1], mass[2] - z[2], -x[1], -x[2], -y[2])
    size = (k[0] + k[1] + k[2]) / 3.0
    # The determinant, from the first row of K.
    det = k[0] * (k[1] * k[2] - k[5] * k[5]) - k[3] * (k[3] * k[2] - k[5] * k[4]) + k[4] * (k[3] * k[5] - k[1] * k[4])
    pin.state, pin.count = NOT_PINNED, 0
    if not det > LEAST_PIN * size * size * size or least_apart(joint, 0.0) > 0.0:
        return
    inverse = inverse_symmetric(k)
    d0, d1, d2 = add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2])  # rows of -D
    columns = (d0[0], d1[0], d2[0]), (d0[1], d1[1], d2[1]), (d0[2], d1[2], d2[2])
    q0, q1, q2 = symmetric_times(inverse, columns[0]), symmetric_times(inverse, columns[1]), symmetric_times(inverse, columns[2])
    for i in range(3):
        pin.answer[i, 0], pin.answer[i, 1], pin.answer[i, 2] = q0[i], q1[i], q2[i]
    whole = (
        inertia_a[0] + inertia_b[0], inertia_a[1] + inertia_b[1], inertia_a[2] + inertia_b[2],
        inertia_a[3] + inertia_b[3], inertia_a[4] + inertia_b[4], inertia_a[5] + inertia_b[5],
    )  # fmt: skip
    pin.turn[0], pin.turn[1], pin.turn[2] = (
        whole[0] - dot(columns[0], q0), whole[1] - dot(columns[1], q1), whole[2] - dot(columns[2], q2)
    )  # fmt: skip
    pin.turn[3], pin.turn[4], pin.turn[5] = (
        whole[3] - dot(columns[0], q1), whole[4] - dot(columns[0], q2), whole[5] - dot(columns[1], q2)
    )  # fmt: skip
    lock_turns(joint, pin)


@kernel
def without_locked(pin, direction):
    """A torque without what the locked angles take of it."""
    for n in range(pin.count):
        direction = add_scaled(direction, vector3(pin.locked[n]), -dot(vector3(pin.weights[n]), direction))
    return direction


@kernel
def lock_turns(joint, pin):
    """Take in the locked angles of a joint."""
    for axis in range(TWIST, TWIST + 3):
        if joint.locked >> axis & 1 == 0:
            continue
        direction = vector3(joint.turns[axis - TWIST])
        left = without_locked(pin, direction)
        moved = symmetric_times(six(pin.turn), left)
        effect = dot(left, moved)
        if not effect > LEAST_TURN * trace_of(joint.inertias) * dot(direction, direction) / 3.0:
            return
        store3(pin.locked[pin.count], left)
        store3(pin.weights[pin.count], scale(moved, 1.0 / effect))
        pin.count += 1
    pin.state = PINNED


@kernel
def is_pinned(joint, pin, axis):
    """Whether a row along an axis turns two bodies that are pinned together, so that `hold_turn` serves."""
    if TURNS >> axis & 1 == 0 or joint.locked & LINEAR_AXES != LINEAR_AXES:
        return False
    if pin.state == UNKNOWN:
        pin_of(joint, pin)
    return pin.state == PINNED


@kernel
def hold_turn(joint, row, pin):
    """Remove from a turning row what the locked axes hold. Return the inverse of its effective mass; 0 if nothing is left."""
    direction = vector3(row.angular_b)
    left = without_locked(pin, direction)
    pull = (dot(vector3(pin.answer[0]), left), dot(vector3(pin.answer[1]), left), dot(vector3(pin.answer[2]), left))
    store3(row.linear, pull)
    store3(row.angular_a, add(left, cross(vector3(joint.arms[0]), pull)))
    store3(row.angular_b, add(left, cross(vector3(joint.arms[1]), pull)))
    store3(row.torque, left)
    k = dot(left, symmetric_times(six(pin.turn), left))
    alone = dot(direction, add(
        symmetric_times(six(joint.inertias[0]), direction), symmetric_times(six(joint.inertias[1]), direction)
    ))  # fmt: skip
    return k if k > LEAST_LEFT * alone else 0.0
