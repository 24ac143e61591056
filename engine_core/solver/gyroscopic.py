"""Rotation of bodies whose inertia is not the same about all axes, eight at a time.

A free body keeps its angular momentum J w and its energy w . J w / 2, while J turns with it. With W the spin in the middle of a
sub-step and J at its beginning, Euler's equations by the implicit midpoint rule are
    J (W - w) + h/2 W x J W = 0,
and the body turns by Cayley's map of W, whose quaternion is (h/2 W, 1) normalised. Both quantities are preserved for any length
of a sub-step (Simo and Wong, Unconditionally stable algorithms for rigid body dynamics that exactly preserve energy and momentum,
1991). The equations are solved by Newton's method. A body that turns too far for it takes the sub-step in several pieces. An even
faster body turns about its momentum as if that were its whole motion, which also preserves both. Only the proportions of J
matter.
"""

import math

import numpy as np

from ..bodies.schema import RIGID
from ..constraints.body_terms import inverse_symmetric
from ..constraints.schema import INERTIA_SIZE
from ..geometry.vector import dot, rotate, rotate_inverse, scale, symmetric_times
from ..geometry.wide_vector import add8, add_scaled8, cross8, dot8, is_any_above8, symmetric_times8
from ..runtime.kernel import kernel
from ..runtime.vector8 import (
    fused_multiply_add, load8, splat8, square_root8, store8, transpose8, where_greater8, where_less8,
)  # fmt: skip

FLOAT32 = np.float32
SLOWEST = 0.05
"""A slower spin is kept: it would change by at most 0.0025 rad/s in a second [rad/s]."""
NEWTON_STEPS = 5
"""The most iterations: two suffice if a sub-step turns a body by a tenth of a radian, three or four at a radian."""
CLOSE = 1.0e-4
"""The change in a Newton iteration, relative to the spin, below which the next would change nothing: it would be its square."""
MOST_HALF_TURN, MOST_PIECES = 0.5, 16
"""Half of the largest turn in a piece of a sub-step [rad], and the largest number of pieces."""
EVEN = 1.0e-3
"""Inertias within this part of each other count as the same about all axes."""
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
    """Load eight neighbouring inertias as columns."""
    return transpose8(
        load8(inertias), load8(inertias + INERTIA_SIZE), load8(inertias + 2 * INERTIA_SIZE), load8(inertias + 3 * INERTIA_SIZE),
        load8(inertias + 4 * INERTIA_SIZE), load8(inertias + 5 * INERTIA_SIZE), load8(inertias + 6 * INERTIA_SIZE),
        load8(inertias + 7 * INERTIA_SIZE),
    )  # fmt: skip


@kernel
def put_inertias(inertias, m, rest):
    """Write the columns of `columns_of_inertias` back."""
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
    """a b - c d, corrected for the rounding of c d: for long, thin bodies little remains."""
    product = c * d
    return fused_multiply_add(a, b, -product) + fused_multiply_add(-c, d, product)


@kernel
def proportions8(m):
    """The inverse of a symmetric matrix, up to a factor."""
    size = splat8(FLOAT32(1.0)) / (m[0] + m[1] + m[2])
    a, b, c, d, e, f = m[0] * size, m[1] * size, m[2] * size, m[3] * size, m[4] * size, m[5] * size
    return (
        minor8(b, c, f, f), minor8(a, c, e, e), minor8(a, b, d, d),
        minor8(e, f, d, c), minor8(d, f, b, e), minor8(d, e, a, f),
    )  # fmt: skip


@kernel
def newton8(j, spin, gain, half):
    """Newton correction of a guess of the spin in the middle of a sub-step. `half`: half its length."""
    guess = add8(spin, gain)
    turned = symmetric_times8(j, guess)
    wrong = add_scaled8(symmetric_times8(j, gain), cross8(guess, turned), half)
    x, y, z = turned
    zero = splat8(FLOAT32(0.0))
    # Columns of J + h/2 (W x J. - J W x .)
    c0 = add_scaled8((j[0], j[3], j[4]), add8(cross8(guess, (j[0], j[3], j[4])), (zero, -z, y)), half)
    c1 = add_scaled8((j[3], j[1], j[5]), add8(cross8(guess, (j[3], j[1], j[5])), (z, zero, -x)), half)
    c2 = add_scaled8((j[4], j[5], j[2]), add8(cross8(guess, (j[4], j[5], j[2])), (-y, x, zero)), half)
    first = cross8(c1, c2)
    size = splat8(FLOAT32(-1.0)) / dot8(c0, first)
    return dot8(wrong, first) * size, dot8(wrong, cross8(c2, c0)) * size, dot8(wrong, cross8(c0, c1)) * size


@kernel
def cayley8(u, factor, v):
    """v rotated by the quaternion (u, 1); `factor`: 2 / (1 + u . u)."""
    across = cross8(u, v)
    return add_scaled8(v, add8(across, cross8(u, across)), factor)


@kernel
def turn_inertia8(m, u, factor):
    """A symmetric matrix rotated by the quaternion (u, 1)."""
    x = cayley8(u, factor, (m[0], m[3], m[4]))
    y = cayley8(u, factor, (m[3], m[1], m[5]))
    z = cayley8(u, factor, (m[4], m[5], m[2]))
    # The columns are rotated; now the rows.
    r0, r1 = cayley8(u, factor, (x[0], y[0], z[0])), cayley8(u, factor, (x[1], y[1], z[1]))
    r2 = cayley8(u, factor, (x[2], y[2], z[2]))
    return r0[0], r1[1], r2[2], r0[1], r0[2], r1[2]


@kernel
def turns_unevenly8(spin, uneven):
    """A positive number for each lane whose body is uneven and spins."""
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
def scale8(v, factor):
    return v[0] * factor, v[1] * factor, v[2] * factor


@kernel
def middle_spin8(j, spin, half):
    """The spin in the middle of a piece of half length `half`, and for each lane a number that is not negative if it was not
    found. No lane iterates because of another: the rotation of a body must not depend on its neighbours."""
    zero, close = splat8(FLOAT32(0.0)), splat8(FLOAT32(CLOSE * CLOSE))
    gain, missing = (zero, zero, zero), half
    for _ in range(NEWTON_STEPS):
        change = newton8(j, spin, gain, half)
        gain = choose8(missing, add8(gain, change), gain)
        size = dot8(change, change) - close * dot8(spin, spin)
        missing = where_greater8(missing, zero, size, missing)
        if not is_any_above8(missing, zero):
            break
    return gain, missing


@kernel
def piece8(spin, left):
    """Half the length of the next piece of a sub-step; `left`: half of what is left of the sub-step."""
    speed = square_root8(dot8(spin, spin))
    most = splat8(FLOAT32(MOST_HALF_TURN))
    return where_less8(left * speed, most, left, most / speed)


@kernel
def turn_piece8(m, spin, half):
    """(rotation of eight bodies in a piece, as the vector part of a quaternion with scalar part 1; their spins at its end)."""
    zero, one, two = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0)), splat8(FLOAT32(2.0))
    j = proportions8(m)
    gain, missing = middle_spin8(j, spin, half)
    momentum = symmetric_times8(j, spin)
    about = scale8(momentum, dot8(momentum, spin) / dot8(momentum, momentum))
    is_found = where_less8(missing, zero, one, zero)
    last = choose8(is_found, add_scaled8(spin, gain, two), spin)
    u = choose8(half, scale8(choose8(is_found, add8(spin, gain), about), half), (zero, zero, zero))
    return u, choose8(half, cayley8(u, two / (one + dot8(u, u)), last), spin)


@kernel
def turn_unevenly(inertias, chosen, spin, half):
    """Rotation of eight bodies in a sub-step of half length `half`, as a quaternion of any length, and their spins at its end.
    Rotates their inverse inertias, at the address `inertias`. Lanes where `chosen` (from `turns_unevenly8`) is not above zero
    keep their spin and turn by it."""
    zero, one, two = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0)), splat8(FLOAT32(2.0))
    columns = columns_of_inertias(inertias)
    m, rest = columns[:6], columns[6:]
    left = where_greater8(chosen, zero, half, zero)
    turned, scalar = choose8(chosen, (zero, zero, zero), scale8(spin, half)), one
    for number in range(1, MOST_PIECES + 1):
        piece = piece8(spin, left) if number < MOST_PIECES else left
        u, spin = turn_piece8(m, spin, piece)
        m = turn_inertia8(m, u, two / (one + dot8(u, u)))
        turned, scalar = add_scaled8(add8(turned, cross8(u, turned)), u, scalar), scalar - dot8(u, turned)
        left = left - piece
        if not is_any_above8(left, zero):
            break
    put_inertias(inertias, m, rest)
    return (turned[0], turned[1], turned[2], scalar), spin


@kernel
def spin_turned_back(inverse_inertia, spin, turn):
    """The spin of a body that is rotated once more after it moved, as a collision allows it: its angular momentum is preserved
    and its energy does not grow. `inverse_inertia`: before that rotation. An unchanged spin would be another motion."""
    momentum = symmetric_times(inverse_symmetric(inverse_inertia), spin)
    renewed = rotate(turn, symmetric_times(inverse_inertia, rotate_inverse(turn, momentum)))
    energy, new_energy = dot(spin, momentum), dot(renewed, momentum)
    return scale(renewed, math.sqrt(energy / new_energy)) if new_energy > energy else renewed
