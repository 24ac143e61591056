"""The axes in which a symmetric matrix is diagonal: of an inertia, those about which a body turns without wobbling.

Cyclic Jacobi rotations (Golub and Van Loan, Matrix Computations, 8.5): square roots and divisions only, so that the bits are the
same everywhere. Each rotation turns by 45 degrees at most, so the axes stay near those the matrix is given in.
"""

import math

import numpy as np

from ..runtime.kernel import kernel
from ..runtime.memory import stack_array

SWEEPS = 12
NEGLIGIBLE = 1e-6
"""Off-diagonal parts this much smaller than their diagonal ones are rounding: a cube keeps its own axes."""


@kernel
def rotate_plane(m, axes, p, q):
    """Make element (p, q) of the symmetric 3 x 3 matrix `m` (9 doubles by rows) zero; turn the columns of `axes` along."""
    off = m[3 * p + q]
    if abs(off) <= NEGLIGIBLE * (abs(m[4 * p]) + abs(m[4 * q])):
        return
    half = (m[4 * q] - m[4 * p]) / (2.0 * off)
    tangent = (1.0 if half >= 0.0 else -1.0) / (abs(half) + math.sqrt(half * half + 1.0))
    cosine = 1.0 / math.sqrt(tangent * tangent + 1.0)
    sine = tangent * cosine
    for k in range(3):
        a, b = m[3 * k + p], m[3 * k + q]
        m[3 * k + p], m[3 * k + q] = cosine * a - sine * b, sine * a + cosine * b
    for k in range(3):
        a, b = m[3 * p + k], m[3 * q + k]
        m[3 * p + k], m[3 * q + k] = cosine * a - sine * b, sine * a + cosine * b
    for k in range(3):
        a, b = axes[3 * k + p], axes[3 * k + q]
        axes[3 * k + p], axes[3 * k + q] = cosine * a - sine * b, sine * a + cosine * b


@kernel
def principal_axes(packed):
    """`(values, x, y, z)` of a symmetric matrix (xx, yy, zz, xy, xz, yz): what it is along its principal axes, and these axes,
    unit and right-handed."""
    xx, yy, zz, xy, xz, yz = packed
    m, axes = stack_array(9, np.float64), stack_array(9, np.float64)
    m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8] = xx, xy, xz, xy, yy, yz, xz, yz, zz
    for k in range(9):
        axes[k] = 1.0 if k % 4 == 0 else 0.0
    for _ in range(SWEEPS):
        rotate_plane(m, axes, 0, 1)
        rotate_plane(m, axes, 0, 2)
        rotate_plane(m, axes, 1, 2)
    return (m[0], m[4], m[8]), (axes[0], axes[3], axes[6]), (axes[1], axes[4], axes[7]), (axes[2], axes[5], axes[8])
