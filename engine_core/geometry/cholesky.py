"""Small symmetric positive systems, solved in place by Cholesky's factors (Golub and Van Loan, Matrix Computations, section 4.2).

A matrix is stored as its lower triangle, row by row. `factorize` makes it L, with an inverted diagonal (1 / L). Systems that are
solved many times with one matrix use K = L^-1, whose products have no chain of dependencies.
"""

import math

from ..runtime.kernel import kernel


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
    m[entry(i, i)] = 1.0 / math.sqrt(max(left, 1.0e-300))
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
