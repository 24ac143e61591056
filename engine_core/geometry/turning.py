"""Rotations of many vectors at once, and algebra of three dimensions, with NumPy.

NumPy's `@`, `solve` and `norm` go to BLAS and LAPACK, which round otherwise from build to build. What becomes part of the world
is computed with the functions here: they give the same bits on every machine.
"""

import math

import numpy as np


def turned(quaternions: np.ndarray, vectors) -> np.ndarray:
    """Turn vectors, (n, 3) or (3,), by unit quaternions x, y, z, w, (n, 4), or by one (4,)."""
    axis, w = quaternions[..., :3], quaternions[..., 3:]
    return np.asarray(vectors + 2.0 * np.cross(axis, np.cross(axis, vectors) + w * vectors))


def inverse(quaternions) -> np.ndarray:
    """The turns back, of unit quaternions x, y, z, w, (n, 4) or (4,)."""
    return np.asarray(quaternions) * (-1.0, -1.0, -1.0, 1.0)


def product(a, b) -> np.ndarray:
    """The matrix a (3, 3) times the vector or matrix b, (3,) or (3, n)."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    first, second, third = (a[:, k] * b[k] if b.ndim == 1 else a[:, k, None] * b[k] for k in range(3))
    return np.asarray(first + second + third)


def dot(a, b) -> float:
    """The scalar product of two vectors (3,)."""
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


def size_of(vector) -> float:
    """The length of a vector (3,)."""
    return math.sqrt(dot(vector, vector))


def turn_from_y(axis: np.ndarray) -> np.ndarray:
    """The shortest turn of +Y to an axis (3,) of any length: a unit quaternion x, y, z, w (4,)."""
    x, y, z = (np.asarray(axis, np.float64) / size_of(axis)).tolist()
    size = math.sqrt(x * x + z * z + (1.0 + y) * (1.0 + y))
    return np.array((z, 0.0, -x, 1.0 + y)) / size if size > 1e-9 else np.array((1.0, 0.0, 0.0, 0.0))


def moments_of(inverse_inertia) -> tuple[float, float, float] | None:
    """Moments of inertia about three axes, from the inverse tensor (xx, yy, zz, xy, xz, yz) in them; None for a flat tensor."""
    xx, yy, zz, xy, xz, yz = inverse_inertia
    moments = yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy
    volume = xx * moments[0] - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)
    return (moments[0] / volume, moments[1] / volume, moments[2] / volume) if volume > 0.0 else None


def solved(matrix, vector) -> np.ndarray:
    """The vector (3,) that a matrix (3, 3) turns into `vector`, by Cramer's rule. Raises ZeroDivisionError for a flat matrix."""
    x, y, z = np.asarray(matrix, np.float64).T
    rows = np.cross(y, z), np.cross(z, x), np.cross(x, y)
    volume = dot(x, rows[0])
    return np.array([dot(row, vector) / volume for row in rows])


def frame_along(axis: np.ndarray, second: np.ndarray | None = None) -> np.ndarray:
    """Give a rotation matrix (3, 3). The first column is the unit vector `axis`; the second is the part of `second` (3,) that
    is square to it. None stands for the world axis that follows the one nearest to `axis`, in the order x, y, z, x."""
    other = np.eye(3)[(np.argmax(abs(axis)) + 1) % 3] if second is None else second
    square = other - dot(other, axis) * axis
    square = square / size_of(square)
    return np.stack([axis, square, np.cross(axis, square)], axis=1)
