"""Rotations of many vectors at once, with NumPy."""

import numpy as np


def turned(quaternions: np.ndarray, vectors) -> np.ndarray:
    """Turn vectors, (n, 3) or (3,), by unit quaternions x, y, z, w, (n, 4), or by one (4,)."""
    axis, w = quaternions[..., :3], quaternions[..., 3:]
    return np.asarray(vectors + 2.0 * np.cross(axis, np.cross(axis, vectors) + w * vectors))


def inverse(quaternions) -> np.ndarray:
    """The turns back, of unit quaternions x, y, z, w, (n, 4) or (4,)."""
    return np.asarray(quaternions) * (-1.0, -1.0, -1.0, 1.0)
