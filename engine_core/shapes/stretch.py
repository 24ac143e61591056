"""The stretch of a transform: the symmetric matrix `(3, 3)` that remains without its rotation, by which shapes are stretched."""

import math

import numpy as np

IDENTITY_TOLERANCE = 1e-5
"""A stretch this close to identity counts as identity."""
SAME_AXES = 1e-5
"""Below this, relative to the largest element, a stretch counts as free of shear, or as uniform."""
FLAT = 1e9
"""A basis has no volume if the sizes of it and of its inverse (roots of the sums of squares) multiply to more than this."""
ROUNDS = 12
"""Newton's iteration is exact to rounding after so many: a basis of `FLAT` takes nine."""


def _cofactors(m):
    """The nine cofactors of a matrix, by rows, and its determinant."""
    a, b, c, d, e, f, g, h, i = m
    first = (e * i - f * h, f * g - d * i, d * h - e * g)
    rest = (c * h - b * i, a * i - c * g, b * g - a * h, b * f - c * e, c * d - a * f, a * e - b * d)
    return (*first, *rest), a * first[0] + b * first[1] + c * first[2]


def _size(m, root):
    """The root of the sum of the squares of nine numbers."""
    a, b, c, d, e, f, g, h, i = m
    return root(a * a + b * b + c * c + d * d + e * e + f * f + g * g + h * h + i * i)


def _nearest_rotation(m, root):
    """The orthogonal matrix nearest to a matrix with a volume, both by rows: nine numbers, or nine arrays for many matrices at
    once. Newton's iteration with scaling (N. Higham, "Computing the Polar Decomposition - with Applications", 1986).

    LAPACK's singular values round otherwise from machine to machine. Sums and products in this order do not."""
    for _ in range(ROUNDS):
        cofactors, volume = _cofactors(m)
        inverse = [each / volume for each in cofactors]  # transposed
        grow = root(_size(inverse, root) / _size(m, root))
        m = [0.5 * (grow * own + other / grow) for own, other in zip(m, inverse, strict=True)]
    return m


def _stretch_of(rotation, m):
    """The symmetric part that a rotation leaves of a matrix, both nine numbers or arrays by rows."""
    a, b, c, d, e, f, g, h, i = rotation
    columns = (a, d, g), (b, e, h), (c, f, i)
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = [[x * m[k] + y * m[3 + k] + z * m[6 + k] for k in range(3)] for x, y, z in columns]
    xy, xz, yz = 0.5 * (xy + yx), 0.5 * (xz + zx), 0.5 * (yz + zy)
    return [xx, xy, xz, xy, yy, yz, xz, yz, zz]


def split_basis(basis) -> tuple[np.ndarray, np.ndarray]:
    """Split a basis `(3, 3)` (columns are the axes) into `(rotation quaternion (x, y, z, w), stretch (3, 3) symmetric)`
    with basis = rotation @ stretch, the polar decomposition. A mirroring goes to the stretch. Raises ValueError if the
    basis is not finite or flattens space."""
    basis = np.asarray(basis, dtype=np.float64)
    if basis.shape != (3, 3) or not np.isfinite(basis).all():
        raise ValueError(f"split_basis: the basis must be 3 x 3 finite numbers, got {basis.tolist()}")
    size = float(np.abs(basis).max())
    m = (basis / (size or 1.0)).ravel().tolist()
    cofactors, volume = _cofactors(m)
    if not _size(cofactors, math.sqrt) * _size(m, math.sqrt) < FLAT * abs(volume):
        raise ValueError(f"split_basis: the basis has no volume, got {basis.tolist()}")
    rotation = _nearest_rotation(m, math.sqrt)
    sign = math.copysign(1.0, volume)
    stretch = np.reshape(_stretch_of(rotation, m), (3, 3)) * (sign * size)
    return quaternion_of(np.reshape(rotation, (3, 3)) * sign), stretch


def quaternion_of(rotation: np.ndarray) -> np.ndarray:
    """The unit quaternion `(x, y, z, w)` of a rotation matrix, w >= 0 (Shepperd's choice of the largest element)."""
    m = rotation
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    candidates = (m[0, 0], m[1, 1], m[2, 2], trace)
    largest = int(np.argmax(candidates))
    if largest == 3:
        q = np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], 1.0 + trace])
    else:
        i, j, k = largest, (largest + 1) % 3, (largest + 2) % 3
        q = np.empty(4)
        q[i] = 1.0 + m[i, i] - m[j, j] - m[k, k]
        q[j], q[k], q[3] = m[j, i] + m[i, j], m[k, i] + m[i, k], m[k, j] - m[j, k]
    size = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q / (size * (-1.0 if q[3] < 0.0 else 1.0))


def split_many(bases: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`split_basis` for `(n, 3, 3)`: rotation matrices and symmetric stretches. Raises ValueError for a basis without volume."""
    given = np.asarray(bases, np.float64)
    sizes = np.abs(given).max(axis=(1, 2), initial=0.0)
    m = list((given / np.where(sizes > 0.0, sizes, 1.0)[:, None, None]).reshape(-1, 9).T)
    cofactors, volumes = _cofactors(m)
    flat = ~(_size(cofactors, np.sqrt) * _size(m, np.sqrt) < FLAT * np.abs(volumes))
    if flat.any():
        raise ValueError(f"the basis of instance {int(np.argmax(flat))} spans no volume")
    rotation, signs = _nearest_rotation(m, np.sqrt), np.copysign(1.0, volumes)[:, None, None]
    stretch = np.stack(_stretch_of(rotation, m), axis=1).reshape(-1, 3, 3)
    return np.stack(rotation, axis=1).reshape(-1, 3, 3) * signs, stretch * (signs * sizes[:, None, None])


def quaternions(rotations: np.ndarray) -> np.ndarray:
    """Unit quaternions (x, y, z, w) of rotation matrices `(n, 3, 3)`, by the largest of the four (Shepperd 1978)."""
    r = rotations
    xx, yy, zz = r[:, 0, 0], r[:, 1, 1], r[:, 2, 2]
    x, y, z, w = (1 + xx - yy - zz), (1 - xx + yy - zz), (1 - xx - yy + zz), (1 + xx + yy + zz)
    a, b, c = r[:, 2, 1], r[:, 0, 2], r[:, 1, 0]
    d, e, f = r[:, 1, 2], r[:, 2, 0], r[:, 0, 1]
    candidates = np.stack([
        np.stack([x, c + f, b + e, a - d], 1), np.stack([c + f, y, a + d, b - e], 1),
        np.stack([b + e, a + d, z, c - f], 1), np.stack([a - d, b - e, c - f, w], 1),
    ])  # fmt: skip
    best = np.stack([x, y, z, w]).argmax(0)
    q = candidates[best, np.arange(len(r))]
    return q / np.sqrt(q[:, 0] * q[:, 0] + q[:, 1] * q[:, 1] + q[:, 2] * q[:, 2] + q[:, 3] * q[:, 3])[:, None]


def is_diagonal(stretch: np.ndarray) -> bool:
    """Whether the stretch is along the axes of the shape only."""
    off = stretch - np.diag(np.diag(stretch))
    return bool(np.abs(off).max() <= SAME_AXES * np.abs(stretch).max())


def is_uniform(stretch: np.ndarray) -> bool:
    return is_diagonal(stretch) and bool(np.ptp(np.abs(np.diag(stretch))) <= SAME_AXES * np.abs(stretch).max())


def keeps_round(stretch: np.ndarray) -> bool:
    """Whether a circle about Y stays a circle."""
    sides = np.abs([stretch[0, 0], stretch[2, 2]])
    return is_diagonal(stretch) and bool(np.ptp(sides) <= SAME_AXES * np.abs(stretch).max())


def round_factors(stretch: np.ndarray) -> tuple[float, float]:
    """Mean stretch across Y, and along Y."""
    x, y, z = np.linalg.norm(stretch, axis=0)
    return float(0.5 * (x + z)), float(y)


def is_identity(stretch: np.ndarray) -> bool:
    """Whether the stretch is the identity."""
    return bool(np.abs(stretch - np.eye(3)).max() <= IDENTITY_TOLERANCE)
