"""Inverse of the 2 x 2 matrices of friction: effective masses along two directions, for eight contact manifolds at once."""

import numpy as np

from ..geometry.wide_vector import is_any_above8
from ..runtime.kernel import kernel
from ..runtime.vector8 import max8, splat8, where_greater8

FLOAT32 = np.float32
LEAST_DETERMINANT = 1.0e-4
"""A matrix has an inverse if its determinant is a larger part of its squared trace. A direction that is locked but for a twist
about a centre of pressure a millimetre aside has less."""


@kernel
def inverse_of_block(a11, a22, a12):
    """The inverse (11, 22, 12) of symmetric matrices. A matrix without an inverse belongs to bodies that cannot move along one
    direction, locked axes: there the result is 0, and along the other direction the inverse (E. Moore, 1920, and R. Penrose,
    1955)."""
    zero, one, tiny = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0)), splat8(FLOAT32(1.0e-30))
    trace = a11 + a22
    determinant, least = a11 * a22 - a12 * a12, trace * trace * splat8(FLOAT32(LEAST_DETERMINANT))
    inverse = where_greater8(determinant, tiny, one / max8(determinant, tiny), zero)
    b11, b22, b12 = a22 * inverse, a11 * inverse, -(a12 * inverse)
    flat = where_greater8(determinant, least, zero, trace)
    if is_any_above8(flat, tiny):
        share = one / max8(trace, tiny)
        share = share * share
        b11 = where_greater8(flat, tiny, a11 * share, b11)
        b22 = where_greater8(flat, tiny, a22 * share, b22)
        b12 = where_greater8(flat, tiny, a12 * share, b12)
    return b11, b22, b12
