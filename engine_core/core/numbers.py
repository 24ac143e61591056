"""Checks of numbers that users give: one error that names the call and the value."""

import math

import numpy as np

FARTHEST = 1e12
"""The furthest that a body may lie from the origin along an axis [m]: squares of distances stay finite in single precision."""
FASTEST = 1e8
"""The highest velocity [m/s] and angular velocity [rad/s] along or about an axis that a body is given; at 1e9 a step stops it."""


def finite(call: str, name: str, value, shape: tuple, most: float = FARTHEST) -> np.ndarray:
    """Doubles of a shape, in which -1 stands for any length. Raises ValueError."""
    numbers = shaped(call, name, value, shape)
    if not np.isfinite(numbers).all() or (np.abs(numbers) > most).any():
        wrong = numbers[~(np.abs(numbers) <= most)].flat[0]
        raise ValueError(f"{call}: {name} must be finite and at most {most:g}, got {wrong} in it")
    return numbers


def lengths(call: str, name: str, value, count: int) -> np.ndarray:
    """Doubles (count,) of at least 0, which may be infinite. Raises ValueError."""
    numbers = shaped(call, name, value, (count,))
    if not (numbers >= 0.0).all():
        raise ValueError(f"{call}: {name} must be at least 0, got {numbers[~(numbers >= 0.0)][0]} in it")
    return numbers


def shaped(call: str, name: str, value, shape: tuple) -> np.ndarray:
    """Doubles of a shape, in which -1 stands for any length; NaN and infinite ones too. Raises ValueError."""
    try:
        numbers = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{call}: {name} must be numbers, got {value!r}") from None
    if numbers.ndim != len(shape) or any(want not in (-1, have) for want, have in zip(shape, numbers.shape, strict=True)):
        wanted = ", ".join("n" if want < 0 else str(want) for want in shape)
        raise ValueError(f"{call}: {name} must be of shape ({wanted}), got {numbers.shape}")
    return numbers


def number(call: str, name: str, value, least: float, most: float = math.inf, is_above: bool = False) -> float:
    """One finite number in a range. Raises ValueError."""
    given = float(finite(call, name, value, ()))
    if not (given > least if is_above else given >= least) or given > most:
        at_most = f" and at most {most:g}" if most < math.inf else ""
        raise ValueError(f"{call}: {name} must be {'above' if is_above else 'at least'} {least:g}{at_most}, got {value!r}")
    return given
