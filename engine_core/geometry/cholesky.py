"""Small symmetric positive systems, solved in place by Cholesky's factors (Golub and Van Loan, Matrix Computations, section 4.2).

A matrix is stored as its lower triangle, row by row. `factorize` makes it L, with an inverted diagonal (1 / L). Systems that are
solved many times with one matrix use K = L^-1, whose products have no chain of dependencies.
"""

import math

from ..runtime.kernel import kernel

LEAST_LEFT = 1.0e-200
"""The least square of an element of L's diagonal: products of two inverted ones and a root are still numbers."""


@kernel
def entry(i, k):
    """Index of the element at row i and column k <= i."""
    return i * (i + 1) // 2 + k


@kernel
def factorize(m, size):
    """m = L L^T becomes L."""
    for i in range(size):
        factorize_row(m, i)


@kernel
def factorize_row(m, i):
    """Compute row i of L, once the rows before it are done. Return what they have left of its diagonal."""
    left = m[entry(i, i)]
    for j in range(i):
        total = m[entry(i, j)]
        for k in range(j):
            total -= m[entry(i, k)] * m[entry(j, k)]
        m[entry(i, j)] = total * m[entry(j, j)]
        left -= m[entry(i, j)] * m[entry(i, j)]
    m[entry(i, i)] = 1.0 / math.sqrt(max(left, LEAST_LEFT))
    return left


@kernel
def solve(m, size, v):
    """v becomes (L L^T)^-1 v, by L."""
    for i in range(size):
        total = v[i]
        for k in range(i):
            total -= m[entry(i, k)] * v[k]
        v[i] = total * m[entry(i, i)]
    for i in range(size - 1, -1, -1):
        total = v[i]
        for k in range(i + 1, size):
            total -= m[entry(k, i)] * v[k]
        v[i] = total * m[entry(i, i)]


@kernel
def invert(m, size):
    """L becomes K."""
    for j in range(size):
        for i in range(j + 1, size):
            total = 0.0
            for k in range(j, i):
                total -= m[entry(i, k)] * m[entry(k, j)]
            m[entry(i, j)] = total * m[entry(i, i)]


@kernel
def inverse_factor_3(a00, a10, a11, a20, a21, a22):
    """K of three rows, from and to the numbers of a lower triangle, which stay in registers. Square roots come last, since no
    other number waits for them (L D L^T, with a unit diagonal in L, comes first)."""
    p0 = 1.0 / max(a00, LEAST_LEFT)
    l10, l20 = a10 * p0, a20 * p0
    b21 = a21 - l20 * a10
    p1 = 1.0 / max(a11 - l10 * a10, LEAST_LEFT)
    l21 = b21 * p1
    p2 = 1.0 / max(a22 - l20 * a20 - l21 * b21, LEAST_LEFT)
    d0, d1, d2 = math.sqrt(p0), math.sqrt(p1), math.sqrt(p2)
    return d0, -l10 * d1, d1, (l21 * l10 - l20) * d2, -l21 * d2, d2


@kernel
def invert_3(m):
    """m = L L^T of three rows becomes K."""
    m[0], m[1], m[2], m[3], m[4], m[5] = inverse_factor_3(m[0], m[1], m[2], m[3], m[4], m[5])


@kernel
def invert_at_once(m, size):
    """m = L L^T of at most six rows becomes K, in registers. `m` has room for six rows."""
    room = 3 if size <= 3 else 6
    for i in range(size, room):
        for k in range(i):
            m[entry(i, k)] = 0.0
        m[entry(i, i)] = 1.0
    if room == 3:
        invert_3(m)
    else:
        invert_6(m)


@kernel
def invert_6(m):
    """m = L L^T of six rows becomes K, by blocks of three: those of L are A, B and C, and K is A^-1, -C^-1 B A^-1 and C^-1."""
    a00, a10, a11, a20, a21, a22 = inverse_factor_3(m[0], m[1], m[2], m[3], m[4], m[5])
    x0, x1, x2 = m[6] * a00, m[6] * a10 + m[7] * a11, m[6] * a20 + m[7] * a21 + m[8] * a22
    y0, y1, y2 = m[10] * a00, m[10] * a10 + m[11] * a11, m[10] * a20 + m[11] * a21 + m[12] * a22
    z0, z1, z2 = m[15] * a00, m[15] * a10 + m[16] * a11, m[15] * a20 + m[16] * a21 + m[17] * a22
    c00, c10, c11, c20, c21, c22 = inverse_factor_3(
        m[9] - (x0 * x0 + x1 * x1 + x2 * x2), m[13] - (y0 * x0 + y1 * x1 + y2 * x2), m[14] - (y0 * y0 + y1 * y1 + y2 * y2),
        m[18] - (z0 * x0 + z1 * x1 + z2 * x2), m[19] - (z0 * y0 + z1 * y1 + z2 * y2), m[20] - (z0 * z0 + z1 * z1 + z2 * z2),
    )  # fmt: skip
    x0, x1, x2 = x0 * a00 + x1 * a10 + x2 * a20, x1 * a11 + x2 * a21, x2 * a22
    y0, y1, y2 = y0 * a00 + y1 * a10 + y2 * a20, y1 * a11 + y2 * a21, y2 * a22
    z0, z1, z2 = z0 * a00 + z1 * a10 + z2 * a20, z1 * a11 + z2 * a21, z2 * a22
    m[0], m[1], m[2], m[3], m[4], m[5] = a00, a10, a11, a20, a21, a22
    m[6], m[7], m[8], m[9] = -c00 * x0, -c00 * x1, -c00 * x2, c00
    m[10], m[11], m[12] = -(c10 * x0 + c11 * y0), -(c10 * x1 + c11 * y1), -(c10 * x2 + c11 * y2)
    m[13], m[14] = c10, c11
    m[15], m[16] = -(c20 * x0 + c21 * y0 + c22 * z0), -(c20 * x1 + c21 * y1 + c22 * z1)
    m[17] = -(c20 * x2 + c21 * y2 + c22 * z2)
    m[18], m[19], m[20] = c20, c21, c22


@kernel
def solve_inverted(m, size, v):
    """v becomes (L L^T)^-1 v = K^T K v, by K."""
    for i in range(size - 1, -1, -1):
        total = 0.0
        for k in range(i + 1):
            total += m[entry(i, k)] * v[k]
        v[i] = total
    for i in range(size):
        total = 0.0
        for k in range(i, size):
            total += m[entry(k, i)] * v[k]
        v[i] = total


@kernel
def multiply_lower_6(m, v):
    """K v of six numbers; a tuple stays in registers."""
    return (
        m[0] * v[0],
        m[1] * v[0] + m[2] * v[1],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2] + m[9] * v[3],
        m[10] * v[0] + m[11] * v[1] + m[12] * v[2] + m[13] * v[3] + m[14] * v[4],
        m[15] * v[0] + m[16] * v[1] + m[17] * v[2] + m[18] * v[3] + m[19] * v[4] + m[20] * v[5],
    )


@kernel
def multiply_upper_6(m, v):
    """K^T v of six numbers."""
    return (
        m[0] * v[0] + m[1] * v[1] + m[3] * v[2] + m[6] * v[3] + m[10] * v[4] + m[15] * v[5],
        m[2] * v[1] + m[4] * v[2] + m[7] * v[3] + m[11] * v[4] + m[16] * v[5],
        m[5] * v[2] + m[8] * v[3] + m[12] * v[4] + m[17] * v[5],
        m[9] * v[3] + m[13] * v[4] + m[18] * v[5],
        m[14] * v[4] + m[19] * v[5],
        m[20] * v[5],
    )


@kernel
def solve_at_once(m, size, v):
    """v becomes (L L^T)^-1 v by the K of `invert_at_once`. `v` has room for six numbers; those beyond the size
    must be 0 and stay so."""
    if size <= 3:
        a, b, c = m[0] * v[0], m[1] * v[0] + m[2] * v[1], m[3] * v[0] + m[4] * v[1] + m[5] * v[2]
        v[0], v[1], v[2] = m[0] * a + m[1] * b + m[3] * c, m[2] * b + m[4] * c, m[5] * c
    else:
        v[0], v[1], v[2], v[3], v[4], v[5] = multiply_upper_6(
            m, multiply_lower_6(m, (v[0], v[1], v[2], v[3], v[4], v[5]))
        )  # fmt: skip
