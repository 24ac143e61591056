"""Numbers on their way in and out: checked once, with one error that names the call and the value; rotations as quaternions."""

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..runtime.memory import PoolFull
from ..geometry.turning import turned

Vector: TypeAlias = Sequence[float] | NDArray[Any]
"""Numbers of shape (3,), or (4,) for a quaternion x, y, z, w."""
Vectors: TypeAlias = Sequence[float] | Sequence[Sequence[float]] | NDArray[Any]
"""Numbers of shape (n, 3), or (3,) for the same vector n times; (n, 4) and (4,) for quaternions."""
Numbers: TypeAlias = float | Sequence[float] | NDArray[Any]
"""Numbers of shape (n,), or one for all."""
Floats: TypeAlias = NDArray[np.float64]
"""An array of double precision, of the shape that the call or property names."""
Ints: TypeAlias = NDArray[np.int64]
"""An array of whole numbers of 64 bits, of the shape that the call or property names."""
NO_TURN = (0.0, 0.0, 0.0, 1.0)


def doubles(call: str, name: str, value: Any) -> Floats:
    """Give doubles of any shape (...). Raises ValueError, naming the call and the value."""
    try:
        return np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{call}: {name} must be numbers, got {value!r}") from None


def checked(call: str, name: str, value: Any, count: int, width: int = 3, most: float = math.inf) -> Floats:
    """Give finite doubles (count, width), or (width,) for all, of at most `most` either way. Raises ValueError, naming the call
    and the value."""
    array = doubles(call, name, value)
    if array.shape not in ((width,), (count, width)):
        wanted = f"({width},)" if count == 1 else f"({count}, {width}) or ({width},)"
        raise ValueError(f"{call}: {name} must be of shape {wanted}, got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{call}: {name} must be finite, got {array[~np.isfinite(array)][0]} in it")
    if most < math.inf and (np.abs(array) > most).any():
        raise ValueError(f"{call}: {name} must be at most {most:g}, got {array[np.abs(array) > most][0]:g} in it")
    return array


def rows(call: str, name: str, value: Any, count: int, width: int = 3, most: float = math.inf) -> Floats:
    """Give finite doubles (count, width); a single row is repeated. Raises ValueError."""
    return np.broadcast_to(checked(call, name, value, count, width, most), (count, width))


def vector(call: str, name: str, value: Any, width: int = 3, most: float = math.inf) -> Floats:
    """Give finite doubles (width,). Raises ValueError."""
    return checked(call, name, value, 1, width, most).reshape(width)


def number(call: str, name: str, value: Any, least: float = -math.inf, may_be_infinite: bool = False) -> float:
    """Give one number of at least `least`, finite unless infinity stands for no limit. Raises ValueError."""
    try:
        given = float(value) if np.ndim(value) == 0 else math.nan
    except (TypeError, ValueError):
        given = math.nan
    if not (given >= least and (math.isfinite(given) or (may_be_infinite and given == math.inf))):
        kind = "one number" if may_be_infinite else "one finite number"
        raise ValueError(f"{call}: {name} must be {kind}{f' of at least {least:g}' if least > -math.inf else ''}, got {value!r}")
    return given


def numbers(call: str, name: str, value: Any, count: int) -> Floats:
    """Give finite doubles (count,); a single number is repeated. Raises ValueError."""
    if np.ndim(value) > 0 and np.shape(value) != (count,):
        raise ValueError(f"{call}: {name} must be one number or of shape ({count},), got shape {np.shape(value)}")
    return rows(call, name, [value] if np.ndim(value) == 0 else np.reshape(value, (-1, 1)), count, 1)[:, 0]


def rotations(call: str, value: Any, count: int, name: str = "rotation") -> Floats:
    """Give unit quaternions x, y, z, w (count, 4). Raises ValueError for a quaternion whose length is far from 1."""
    given = checked(call, name, value, count, 4).reshape(-1, 4)
    sizes = np.sqrt((given * given).sum(axis=1, keepdims=True))
    if ((sizes < 0.5) | (sizes > 2.0)).any():
        worst = given[np.argmax(abs(sizes - 1.0))].tolist()
        raise ValueError(f"{call}: {name} must be a unit quaternion x, y, z, w, got {worst}")
    return np.broadcast_to(given / sizes, (count, 4))


def basis_of(quaternion: Floats) -> Floats:
    """Give the rotation matrix (3, 3) of a unit quaternion; its columns are the turned axes."""
    return turned(quaternion[None], np.eye(3)).T


def twelve(basis: Floats, origin: Floats) -> list[float]:
    """Give a transform as the core takes it: basis by rows, then origin."""
    return [float(number) for number in (*basis.ravel(), *origin)]


class Copy(np.ndarray[Any, np.dtype[Any]]):
    """An array that was read from bodies, and cannot be written to: the bodies would not change. `+=` and the like give a new
    array, so that `boxes.velocities += (0, 1, 0)` reads, adds and assigns. What is computed from it is a usual array."""

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if return_scalar else np.asarray(array)

    def __repr__(self) -> str:
        return repr(self.view(np.ndarray))

    def _given(self, value: Any) -> Any:
        """The result of an operator with `=`: this array if it may be written to, otherwise `value`."""
        if not self.flags.writeable:
            return value
        self[...] = value
        return self

    def __iadd__(self, other: Any) -> Any:  # type: ignore[misc]
        return self._given(self + other)

    def __isub__(self, other: Any) -> Any:  # type: ignore[misc]
        return self._given(self - other)

    def __imul__(self, other: Any) -> Any:  # type: ignore[misc]
        return self._given(self * other)

    def __itruediv__(self, other: Any) -> Any:  # type: ignore[misc]
        return self._given(self / other)


def kept(value: Any) -> Any:
    """A copy of an array or a sequence, and of what is in it, that cannot be written to; anything else as it is."""
    if isinstance(value, np.ndarray):
        if value.ndim == 0:
            return value.item()
        own = np.array(value)
        own.flags.writeable = False
        return own
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return tuple(kept(one) for one in value)
    return value


def keep_own(value: Any) -> None:
    """Have a frozen value keep copies of the arrays and lists that it was given. Three numbers become a tuple, so that equal
    values have equal hashes."""
    for name, given in vars(value).items():
        own = kept(given)
        is_triple = isinstance(own, np.ndarray) and own.shape == (3,)
        object.__setattr__(value, name, tuple(own.tolist()) if is_triple else own)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Give the same numbers as an array that raises when it is written to (`Copy`)."""
    array.flags.writeable = False
    return array.view(Copy)


@contextmanager
def errors_of_call(call: str, **names: str) -> Iterator[None]:
    """Let ValueError, KeyError and PoolFull of the core name what the user wrote: the call, and arguments by their names for
    users."""
    try:
        yield
    except (ValueError, KeyError, PoolFull) as error:
        text = re.sub(r"^[\w.]+: ", "", str(error.args[0]))
        for core_name, name in names.items():
            text = re.sub(rf"\b{core_name}\b", name, text)
        raise type(error)(f"{call}: {text}") from None
