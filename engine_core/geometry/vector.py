"""Vectors `(x, y, z)`, quaternions `(x, y, z, w)` and symmetric matrices `(xx, yy, zz, xy, xz, yz)` as tuples of scalars.

Compiled code keeps tuples in registers. Scalar code computes in double: read arrays with `vector3` and `quaternion`
(`float(x)` of a single is a single in compiled code; `np.float64(x)` is a double).
"""

import math

import numpy as np

from ..runtime.kernel import kernel


@kernel
def vector3(array):
    """The first three elements of an array as a vector of doubles."""
    return (np.float64(array[0]), np.float64(array[1]), np.float64(array[2]))


@kernel
def quaternion(array):
    """The first four elements of an array as a quaternion of doubles."""
    return (np.float64(array[0]), np.float64(array[1]), np.float64(array[2]), np.float64(array[3]))


@kernel
def store3(array, v):
    """Write a vector to the first three elements of an array."""
    array[0] = v[0]
    array[1] = v[1]
    array[2] = v[2]


@kernel
def store4(array, q):
    """Write a quaternion to the first four elements of an array."""
    array[0] = q[0]
    array[1] = q[1]
    array[2] = q[2]
    array[3] = q[3]


@kernel
def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def subtract(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def scale(a, s):
    return (a[0] * s, a[1] * s, a[2] * s)


@kernel
def add_scaled(a, b, s):
    """a + s b."""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


@kernel
def negate(a):
    return (-a[0], -a[1], -a[2])


@kernel
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def length_squared(a):
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]


@kernel
def length(a):
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@kernel
def normalize(a):
    """The unit vector along a; zero for a vector too short to have a direction."""
    size = math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    if size < 1e-30:
        return (0.0, 0.0, 0.0)
    s = 1.0 / size
    return (a[0] * s, a[1] * s, a[2] * s)


@kernel
def perpendicular(n):
    """A unit vector perpendicular to the unit vector n."""
    if abs(n[0]) < 0.57735:
        return normalize((0.0, n[2], -n[1]))
    return normalize((-n[1], n[0], 0.0))


@kernel
def rotate(q, v):
    """v rotated by the unit quaternion q."""
    tx = 2.0 * (q[1] * v[2] - q[2] * v[1])
    ty = 2.0 * (q[2] * v[0] - q[0] * v[2])
    tz = 2.0 * (q[0] * v[1] - q[1] * v[0])
    return (
        v[0] + q[3] * tx + q[1] * tz - q[2] * ty,
        v[1] + q[3] * ty + q[2] * tx - q[0] * tz,
        v[2] + q[3] * tz + q[0] * ty - q[1] * tx,
    )


@kernel
def conjugate(q):
    return (-q[0], -q[1], -q[2], q[3])


@kernel
def rotate_inverse(q, v):
    """v rotated back by the unit quaternion q."""
    return rotate((-q[0], -q[1], -q[2], q[3]), v)


@kernel
def multiply(p, q):
    """The quaternion of a rotation by q first, then by p."""
    return (
        p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1],
        p[3] * q[1] + p[1] * q[3] + p[2] * q[0] - p[0] * q[2],
        p[3] * q[2] + p[2] * q[3] + p[0] * q[1] - p[1] * q[0],
        p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2],
    )


@kernel
def normalize_quaternion(q):
    size = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if size < 1e-30:
        return (0.0, 0.0, 0.0, 1.0)
    s = 1.0 / size
    return (q[0] * s, q[1] * s, q[2] * s, q[3] * s)


@kernel
def matrix_rows(q):
    """The rotation matrix of q as three rows."""
    x, y, z, w = q
    return (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)),
        (2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)),
        (2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)),
    )


@kernel
def symmetric_times(m, v):
    """The symmetric matrix (xx, yy, zz, xy, xz, yz) times v."""
    return (
        m[0] * v[0] + m[3] * v[1] + m[4] * v[2],
        m[3] * v[0] + m[1] * v[1] + m[5] * v[2],
        m[4] * v[0] + m[5] * v[1] + m[2] * v[2],
    )


@kernel
def rotate_symmetric(q, m):
    """R M R^T of a symmetric matrix M: a tensor of the body frame in world axes."""
    r0, r1, r2 = matrix_rows(q)
    a0, a1, a2 = symmetric_times(m, r0), symmetric_times(m, r1), symmetric_times(m, r2)
    return (dot(r0, a0), dot(r1, a1), dot(r2, a2), dot(r0, a1), dot(r0, a2), dot(r1, a2))


@kernel
def interpolate_rotation(p, q, fraction):
    """Interpolate two unit quaternions: `fraction` of the way from p to q, the short way round, normalised."""
    from_p = 1.0 - fraction
    if p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] < 0.0:
        from_p = -from_p
    return normalize_quaternion(
        (from_p * p[0] + fraction * q[0], from_p * p[1] + fraction * q[1], from_p * p[2] + fraction * q[2],
         from_p * p[3] + fraction * q[3])
    )  # fmt: skip
