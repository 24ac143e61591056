"""How bodies turn whose inertia is not the same about all axes, eight at a time.

A free body keeps its angular momentum J w and its energy w . J w / 2, while J turns with it. With W the spin in the middle of a
sub-step and J as it is at the beginning, Euler's equations by the implicit midpoint rule are
    J (W - w) + h/2 W x J W = 0,
and the body turns by Cayley's map of W, whose quaternion is (h/2 W, 1) made unit: both stay as they are, however long a sub-step
is (Simo and Wong, Unconditionally stable algorithms for rigid body dynamics that exactly preserve energy and momentum, 1991).
The equations are solved by Newton's method. Only the proportions of J count.
"""

import numpy as np

from ..bodies.schema import RIGID
from ..constraints.schema import INERTIA_SIZE
from ..geometry.wide_vector import add8, add_scaled8, cross8, dot8, subtract8, symmetric_times8
from ..runtime.kernel import kernel
from ..runtime.vector8 import (
    absolute8, fused_multiply_add, load8, splat8, store8, transpose8, where_greater8, where_less8,
)  # fmt: skip

FLOAT32 = np.float32
SLOWEST = 0.05
"""A slower spin stays as it is: it would change by no more than 0.0025 rad/s in a second [rad/s]."""
NEWTON_STEPS = 3
"""What is missing of the first guess is of second order in the angle of a sub-step, and squared by each step."""
MOST_WRONG = 1.0e-3
"""Of its energy a body may gain or lose in one sub-step."""
EVEN = 1.0e-3
"""Inertias that differ by no more than this part are the same about all axes."""
ANGULAR_LOCKS = 0b111000


@kernel
def is_uneven(body):
    """Whether a body turns freely and its inertia is not the same about all axes."""
    if body.mode != RIGID or body.axis_locks & ANGULAR_LOCKS != 0:
        return False
    m = body.inverse_inertia_local
    least, most = min(m[0], m[1], m[2]), max(m[0], m[1], m[2])
    across = max(abs(m[3]), abs(m[4]), abs(m[5]))
    return most - least + across > EVEN * most


@kernel
def columns_of_inertias(inertias):
    """Eight neighbouring inertias as columns."""
    return transpose8(
        load8(inertias), load8(inertias + INERTIA_SIZE), load8(inertias + 2 * INERTIA_SIZE), load8(inertias + 3 * INERTIA_SIZE),
        load8(inertias + 4 * INERTIA_SIZE), load8(inertias + 5 * INERTIA_SIZE), load8(inertias + 6 * INERTIA_SIZE),
        load8(inertias + 7 * INERTIA_SIZE),
    )  # fmt: skip


@kernel
def put_inertias(inertias, m, rest):
    """Write what `columns_of_inertias` gave back."""
    r = transpose8(m[0], m[1], m[2], m[3], m[4], m[5], rest[0], rest[1])
    store8(inertias, r[0])
    store8(inertias + INERTIA_SIZE, r[1])
    store8(inertias + 2 * INERTIA_SIZE, r[2])
    store8(inertias + 3 * INERTIA_SIZE, r[3])
    store8(inertias + 4 * INERTIA_SIZE, r[4])
    store8(inertias + 5 * INERTIA_SIZE, r[5])
    store8(inertias + 6 * INERTIA_SIZE, r[6])
    store8(inertias + 7 * INERTIA_SIZE, r[7])


@kernel
def minor8(a, b, c, d):
    return fused_multiply_add(a, b, -(c * d))


@kernel
def proportions8(m):
    """The inverse of a symmetric matrix, times a number."""
    size = splat8(FLOAT32(1.0)) / (m[0] + m[1] + m[2])
    a, b, c, d, e, f = m[0] * size, m[1] * size, m[2] * size, m[3] * size, m[4] * size, m[5] * size
    return (
        minor8(b, c, f, f), minor8(a, c, e, e), minor8(a, b, d, d),
        minor8(e, f, d, c), minor8(d, f, b, e), minor8(d, e, a, f),
    )  # fmt: skip


@kernel
def newton8(j, spin, guess, half):
    """A better guess at the spin in the middle of a sub-step. `half`: half its length."""
    turned = symmetric_times8(j, guess)
    wrong = add_scaled8(symmetric_times8(j, subtract8(guess, spin)), cross8(guess, turned), half)
    x, y, z = turned
    zero = splat8(FLOAT32(0.0))
    # Columns of J + h/2 (W x J. - J W x .)
    c0 = add_scaled8((j[0], j[3], j[4]), add8(cross8(guess, (j[0], j[3], j[4])), (zero, -z, y)), half)
    c1 = add_scaled8((j[3], j[1], j[5]), add8(cross8(guess, (j[3], j[1], j[5])), (z, zero, -x)), half)
    c2 = add_scaled8((j[4], j[5], j[2]), add8(cross8(guess, (j[4], j[5], j[2])), (-y, x, zero)), half)
    first = cross8(c1, c2)
    size = splat8(FLOAT32(-1.0)) / dot8(c0, first)
    change = dot8(wrong, first) * size, dot8(wrong, cross8(c2, c0)) * size, dot8(wrong, cross8(c0, c1)) * size
    return add8(guess, change)


@kernel
def cayley8(u, factor, v):
    """v turned by the quaternion (u, 1); `factor`: 2 / (1 + u . u)."""
    across = cross8(u, v)
    return add_scaled8(v, add8(across, cross8(u, across)), factor)


@kernel
def turn_inertia8(m, u, factor):
    """A symmetric matrix turned by the quaternion (u, 1)."""
    x = cayley8(u, factor, (m[0], m[3], m[4]))
    y = cayley8(u, factor, (m[3], m[1], m[5]))
    z = cayley8(u, factor, (m[4], m[5], m[2]))
    # The columns are turned; now the rows.
    r0, r1 = cayley8(u, factor, (x[0], y[0], z[0])), cayley8(u, factor, (x[1], y[1], z[1]))
    r2 = cayley8(u, factor, (x[2], y[2], z[2]))
    return r0[0], r1[1], r2[2], r0[1], r0[2], r1[2]


@kernel
def turns_unevenly8(spin, uneven):
    """For each lane a number above 0 where a body is uneven and spins."""
    least = splat8(FLOAT32(SLOWEST * SLOWEST))
    return fused_multiply_add(uneven, dot8(spin, spin), -least)


@kernel
def choose8(chosen, if_above_zero, otherwise):
    return (
        where_greater8(chosen, splat8(FLOAT32(0.0)), if_above_zero[0], otherwise[0]),
        where_greater8(chosen, splat8(FLOAT32(0.0)), if_above_zero[1], otherwise[1]),
        where_greater8(chosen, splat8(FLOAT32(0.0)), if_above_zero[2], otherwise[2]),
    )


@kernel
def turn_unevenly(inertias, chosen, spin, half):
    """The spins of eight bodies in the middle of a sub-step and at its end. Turns their inverse inertias, at the address
    `inertias`; all where `chosen` is above zero, as `turns_unevenly8` tells it."""
    zero, one, two = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0)), splat8(FLOAT32(2.0))
    m = columns_of_inertias(inertias)
    j = proportions8(m)
    middle = spin
    for _ in range(NEWTON_STEPS):
        middle = newton8(j, spin, middle, half)
    # Where the method has not come to an end, at a radian and more in a sub-step, the spin stays: the energy tells.
    last = (two * middle[0] - spin[0], two * middle[1] - spin[1], two * middle[2] - spin[2])
    energy = dot8(spin, symmetric_times8(j, spin))
    wrong = absolute8(dot8(last, symmetric_times8(j, last)) - energy)
    chosen = where_less8(wrong, energy * splat8(FLOAT32(MOST_WRONG)), chosen, zero)
    u = choose8(chosen, (middle[0] * half, middle[1] * half, middle[2] * half), (zero, zero, zero))
    factor = two / (one + dot8(u, u))
    last = cayley8(u, factor, last)
    put_inertias(inertias, turn_inertia8(m, u, factor), (m[6], m[7]))
    return choose8(chosen, middle, spin), choose8(chosen, last, spin)
