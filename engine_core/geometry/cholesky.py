"""Small symmetric positive systems, solved in place by Cholesky's factors (Golub and Van Loan, Matrix Computations, section 4.2)."""

import math

from ..runtime.kernel import kernel


@kernel
def factorize(m, size):
    """m = L L^T for a symmetric positive matrix. L stands in the lower half of m, its diagonal turned round (1 / L)."""
    for j in range(size):
        total = m[j, j]
        for k in range(j):
            total -= m[j, k] * m[j, k]
        inverse = 1.0 / math.sqrt(max(total, 1.0e-300))
        m[j, j] = inverse
        for i in range(j + 1, size):
            total = m[i, j]
            for k in range(j):
                total -= m[i, k] * m[j, k]
            m[i, j] = total * inverse


@kernel
def solve_lower(m, size, v):
    """v becomes L^-1 v."""
    for i in range(size):
        total = v[i]
        for k in range(i):
            total -= m[i, k] * v[k]
        v[i] = total * m[i, i]


@kernel
def solve_upper(m, size, v):
    """v becomes L^-T v."""
    for i in range(size - 1, -1, -1):
        total = v[i]
        for k in range(i + 1, size):
            total -= m[k, i] * v[k]
        v[i] = total * m[i, i]
