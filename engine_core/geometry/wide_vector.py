"""Vectors of eight lanes: three (or six, or four) values of `runtime.vector8` as a tuple."""

import numpy as np

from ..runtime.kernel import kernel
from ..runtime.vector8 import fused_multiply_add, mask_less_equal8, splat8

FLOAT32 = np.float32
ALL_LANES = 255
"""The result of `mask_less_equal8` if the comparison holds in all lanes."""


@kernel
def is_any_above8(values, limits):
    """Whether one of eight values is above its limit, or NaN."""
    return mask_less_equal8(values, limits) != ALL_LANES


@kernel
def dot8(a, b):
    return fused_multiply_add(a[0], b[0], fused_multiply_add(a[1], b[1], a[2] * b[2]))


@kernel
def cross8(a, b):
    return (
        fused_multiply_add(a[1], b[2], -(a[2] * b[1])),
        fused_multiply_add(a[2], b[0], -(a[0] * b[2])),
        fused_multiply_add(a[0], b[1], -(a[1] * b[0])),
    )


@kernel
def add_scaled8(a, b, s):
    return (fused_multiply_add(b[0], s, a[0]), fused_multiply_add(b[1], s, a[1]), fused_multiply_add(b[2], s, a[2]))


@kernel
def add8(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def subtract8(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def symmetric_times8(m, v):
    return (
        fused_multiply_add(m[0], v[0], fused_multiply_add(m[3], v[1], m[4] * v[2])),
        fused_multiply_add(m[3], v[0], fused_multiply_add(m[1], v[1], m[5] * v[2])),
        fused_multiply_add(m[4], v[0], fused_multiply_add(m[5], v[1], m[2] * v[2])),
    )


@kernel
def rotate8(q, v):
    """v rotated by the unit quaternion q."""
    two = splat8(FLOAT32(2.0))
    t = cross8((q[0], q[1], q[2]), v)
    t = (t[0] * two, t[1] * two, t[2] * two)
    u = cross8((q[0], q[1], q[2]), t)
    return add8(add_scaled8(v, t, q[3]), u)
