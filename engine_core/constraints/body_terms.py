"""The inverse masses and the forces of a body as used by all kinds of constraints, and softness."""

import numpy as np

from ..bodies.motion import lock_linear
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .schema import FORCE_FLOATS, FORCE_SIZE, LOCKED_AXES


@kernel
def forces_of(system, row):
    """The row of forces beside a solver row."""
    return view(system.solver.forces + row * FORCE_SIZE, FORCE_FLOATS, np.float32)


@kernel
def locks_of(system, row):
    """The axes along which the body of a solver row may not move (bits 1, 2, 4), or turn (8, 16, 32)."""
    return np.int32(forces_of(system, row)[LOCKED_AXES]) & 63


@kernel
def add_motion(row, change, part, locks):
    """Add a part of a change of velocity and spin, six numbers, to a solver row, but along its locked axes (bits)."""
    for k in range(6):
        if locks >> k & 1 == 0:
            row[k] += np.float32(part * change[k])


@kernel
def scaled_mass(body, factor):
    """Inverse mass of a body along x, y and z: none along its locked axes."""
    mass = float(body.inverse_mass) * factor
    return lock_linear(body, (mass, mass, mass))


@kernel
def scaled(m, v):
    """The diagonal matrix m times v."""
    return (m[0] * v[0], m[1] * v[1], m[2] * v[2])


@kernel
def along(m, v):
    """v . m v of a diagonal matrix m."""
    return m[0] * v[0] * v[0] + m[1] * v[1] * v[1] + m[2] * v[2] * v[2]


@kernel
def scaled_inertia(body, factor):
    m = body.inverse_inertia_world
    return (m[0] * factor, m[1] * factor, m[2] * factor, m[3] * factor, m[4] * factor, m[5] * factor)


@kernel
def six(array):
    """Read six numbers as doubles: a symmetric matrix, or a linear vector and an angular one."""
    return (
        np.float64(array[0]), np.float64(array[1]), np.float64(array[2]),
        np.float64(array[3]), np.float64(array[4]), np.float64(array[5]),
    )  # fmt: skip


@kernel
def inverse_symmetric(m):
    """The inverse of a symmetric matrix (xx, yy, zz, xy, xz, yz), as the inertia of a body from its inverse; zero along locked
    axes, along which the matrix is zero."""
    x, y, z = (1.0 if m[0] == 0.0 else 0.0), (1.0 if m[1] == 0.0 else 0.0), (1.0 if m[2] == 0.0 else 0.0)
    xx, yy, zz, xy, xz, yz = m[0] + x, m[1] + y, m[2] + z, m[3], m[4], m[5]
    c00, c11, c22 = yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy
    c01, c02, c12 = xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - xx * yz
    size = xx * c00 + xy * c01 + xz * c02
    f = 1.0 / size if size > 0.0 else 0.0
    return c00 * f - x, c11 * f - y, c22 * f - z, c01 * f, c02 * f, c12 * f


@kernel
def soft_parameters(hertz, damping_ratio, h):
    """(bias rate, mass scale, impulse scale) of a soft constraint (Catto, Soft Step; Box2D v3). The two scales add up to 1."""
    omega = 2.0 * np.pi * hertz
    a1 = 2.0 * damping_ratio + h * omega
    a2 = h * omega * a1
    a3 = 1.0 / (1.0 + a2)
    return omega / a1, a2 * a3, a3
