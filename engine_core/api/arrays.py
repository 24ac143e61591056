"""Numbers on their way in and out: checked once, with one error that names the call and the value; rotations as quaternions."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = Sequence[float] | NDArray[Any]
"""Numbers of shape (3,), or (4,) for a quaternion x, y, z, w."""
Vectors: TypeAlias = Sequence[float] | Sequence[Sequence[float]] | NDArray[Any]
"""Numbers of shape (n, 3), or (3,) for the same vector n times; (n, 4) and (4,) for quaternions."""
Numbers: TypeAlias = float | Sequence[float] | NDArray[Any]
"""Numbers of shape (n,), or one for all."""
Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
NO_TURN = (0.0, 0.0, 0.0, 1.0)


def checked(call: str, name: str, value: Any, count: int, width: int = 3) -> Floats:
    """Give finite doubles (count, width), or (width,) for all. Raises ValueError, naming the call and the value."""
    try:
        array = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{call}: {name} must be numbers, got {value!r}") from None
    if array.shape not in ((width,), (count, width)):
        wanted = f"({width},)" if count == 1 else f"({count}, {width}) or ({width},)"
        raise ValueError(f"{call}: {name} must be of shape {wanted}, got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{call}: {name} must be finite, got {array[~np.isfinite(array)][0]} in it")
    return array


def rows(call: str, name: str, value: Any, count: int, width: int = 3) -> Floats:
    """Give finite doubles (count, width); a single row is repeated. Raises ValueError."""
    return np.broadcast_to(checked(call, name, value, count, width), (count, width))


def vector(call: str, name: str, value: Any, width: int = 3) -> Floats:
    """Give finite doubles (width,). Raises ValueError."""
    return checked(call, name, value, 1, width).reshape(width)


def number(call: str, name: str, value: Any) -> float:
    """Give a finite number. Raises ValueError."""
    return float(vector(call, name, [value], 1)[0])


def numbers(call: str, name: str, value: Any, count: int) -> Floats:
    """Give finite doubles (count,); a single number is repeated. Raises ValueError."""
    return rows(call, name, [value] if np.ndim(value) == 0 else np.reshape(value, (-1, 1)), count, 1)[:, 0]


def rotations(call: str, value: Any, count: int) -> Floats:
    """Give unit quaternions x, y, z, w (count, 4). Raises ValueError for a quaternion whose length is far from 1."""
    given = checked(call, "rotation", value, count, 4).reshape(-1, 4)
    sizes = np.sqrt((given * given).sum(axis=1, keepdims=True))
    if ((sizes < 0.5) | (sizes > 2.0)).any():
        worst = given[np.argmax(abs(sizes - 1.0))].tolist()
        raise ValueError(f"{call}: rotation must be a unit quaternion x, y, z, w, got {worst}")
    return np.broadcast_to(given / sizes, (count, 4))


def turned(quaternions: Floats, vectors: Any) -> Floats:
    """Turn vectors (n, 3) by unit quaternions (n, 4), or by one (4,)."""
    axis, w = quaternions[..., :3], quaternions[..., 3:]
    return np.asarray(vectors + 2.0 * np.cross(axis, np.cross(axis, vectors) + w * vectors))


def basis_of(quaternion: Floats) -> Floats:
    """Give the rotation matrix (3, 3) of a unit quaternion; its columns are the turned axes."""
    return turned(quaternion[None], np.eye(3)).T


def frame_along(axis: Floats, second: Floats | None = None) -> Floats:
    """Give a rotation matrix (3, 3). The first column is the unit vector `axis`; the second is the part of `second` (3,) that
    is square to it. None stands for the world axis that follows the one nearest to `axis`, in the order x, y, z, x."""
    other = np.eye(3)[(np.argmax(abs(axis)) + 1) % 3] if second is None else second
    square = other - (other @ axis) * axis
    square = square / np.linalg.norm(square)
    return np.stack([axis, square, np.cross(axis, square)], axis=1)


def twelve(basis: Floats, origin: Floats) -> list[float]:
    """Give a transform as the core takes it: basis by rows, then origin."""
    return [float(number) for number in (*basis.ravel(), *origin)]


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Give the same array, which now raises when it is written to: it is a copy, so the body would not change."""
    array.flags.writeable = False
    return array
