"""The stretch of a transform: the symmetric matrix `(3, 3)` that remains without its rotation, by which shapes are stretched."""

import numpy as np

IDENTITY_TOLERANCE = 1e-5
"""A stretch this close to identity counts as identity."""
SAME_AXES = 1e-5
"""Below this, relative to the largest element, a stretch counts as free of shear, or as uniform."""


def split_basis(basis) -> tuple[np.ndarray, np.ndarray]:
    """Split a basis `(3, 3)` (columns are the axes) into `(rotation quaternion (x, y, z, w), stretch (3, 3) symmetric)`
    with basis = rotation @ stretch, the polar decomposition. A mirroring goes to the stretch. Raises ValueError if the
    basis is not finite or flattens space."""
    basis = np.asarray(basis, dtype=np.float64)
    if basis.shape != (3, 3) or not np.isfinite(basis).all():
        raise ValueError(f"split_basis: the basis must be 3 x 3 finite numbers, got {basis.tolist()}")
    u, sizes, v = np.linalg.svd(basis)
    if sizes[2] <= 1e-9 * sizes[0] or sizes[0] == 0.0:
        raise ValueError(f"split_basis: the basis has no volume, got {basis.tolist()}")
    rotation, stretch = u @ v, v.T @ np.diag(sizes) @ v
    if np.linalg.det(rotation) < 0.0:
        rotation, stretch = -rotation, -stretch
    return quaternion_of(rotation), stretch


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
    return q / (np.linalg.norm(q) * (-1.0 if q[3] < 0.0 else 1.0))


def split_many(bases: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`split_basis` for `(n, 3, 3)`: rotation matrices and symmetric stretches. Raises ValueError for a basis without volume."""
    u, sizes, v = np.linalg.svd(bases)
    if (sizes[:, 2] <= 1e-9 * sizes[:, 0]).any():
        raise ValueError(f"the basis of instance {int(np.argmin(sizes[:, 2]))} spans no volume")
    rotations, stretches = u @ v, np.swapaxes(v, 1, 2) * sizes[:, None, :] @ v
    signs = np.sign(np.linalg.det(rotations))[:, None, None]
    return rotations * signs, stretches * signs


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
    return q / np.linalg.norm(q, axis=1)[:, None]


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
