"""The distinct values of an array."""

import numpy as np


def distinct(values: np.ndarray, axis: int | None = None) -> np.ndarray:
    """The distinct values, or the distinct rows with axis 0, sorted. `np.unique` without a `return_` argument imports
    `numpy.ma` at its first call, 15 ms in the middle of a game."""
    return np.unique(values, axis=axis, return_index=True)[0]
