"""Values of Python as bytes and back, for the calls in a recording: numbers, text, lists, arrays, and the few classes by which a
world is described. Nothing else: bytes from outside make no objects but these.
"""

import dataclasses
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..bodies.schema import BODY, CAN_SLEEP, CONTINUOUS, RAY_PICKABLE
from ..core.joints import LimitFeel
from ..core.vehicles import AntiRollBar, Differential, Engine, Lean, Track, Wheel
from ..core.water import Wave

CLASSES = {one.__name__: one for one in (AntiRollBar, Differential, Engine, Lean, LimitFeel, Track, Wave, Wheel)}
"""Data classes that calls of the core take."""
OF_NEW_BODIES = (
    "friction", "restitution", "gravity_scale", "linear_damp", "angular_damp", "collision_layer", "collision_mask",
)  # fmt: skip
"""Fields of BODY that a caller of `batches.adding.add_bodies` may set, besides mode and flags."""
FLAGS_OF_NEW_BODIES = CAN_SLEEP | CONTINUOUS | RAY_PICKABLE
MODES = range(4)
KINDS_OF_NUMBERS = "biuf"
HEAD_SIZE = 4
MOST = 3.0e38


class NoValue(ValueError):
    """A value that no recording holds, or bytes that are no value. The message says which."""


class _Writer:
    """Turns values into what JSON holds, and collects the arrays in them."""

    def __init__(self):
        self.arrays: list[bytes] = []

    def plain(self, value: Any) -> Any:
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if isinstance(value, np.generic) and value.dtype.kind in KINDS_OF_NUMBERS:
            return value.item()
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, list | tuple | range):
            return [self.plain(one) for one in value]
        if isinstance(value, dict):
            return {"": "dict", "items": [[self.plain(key), self.plain(one)] for key, one in value.items()]}
        name = type(value).__name__
        if CLASSES.get(name) is type(value):
            fields = {field.name: self.plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
            return {"": name, "fields": fields}
        raise NoValue(repr(value))

    def _array(self, value: np.ndarray) -> dict:
        if value.dtype == BODY and value.shape == (1,):
            row = value[0]
            own = {name: row[name].item() for name in OF_NEW_BODIES}
            return {"": "body", "mode": int(row["mode"]), "flags": int(row["flags"]), "fields": own}
        if value.dtype.kind not in KINDS_OF_NUMBERS:
            raise NoValue(f"an array of {value.dtype}")
        whole = np.ascontiguousarray(value)
        self.arrays.append(whole.tobytes())
        return {"": "array", "type": whole.dtype.str, "shape": list(value.shape)}


class _Reader:
    """The inverse of `_Writer`. `new_body(mode, flags)` gives the row of BODY of a new body."""

    def __init__(self, data: bytes, at: int, new_body: Callable[[int, int], np.ndarray]):
        self._data, self._at, self._new_body = data, at, new_body

    def value(self, plain: Any) -> Any:
        if isinstance(plain, list):
            return [self.value(one) for one in plain]
        if not isinstance(plain, dict):
            return plain
        kind = plain[""]
        if kind == "dict":
            return {self.value(key): self.value(one) for key, one in plain["items"]}
        if kind == "array":
            return self._array(np.dtype(plain["type"]), tuple(plain["shape"]))
        if kind == "body":
            return self._body(plain["mode"], plain["flags"], plain["fields"])
        return CLASSES[kind](**{name: self.value(one) for name, one in plain["fields"].items()})

    def _array(self, dtype: np.dtype, shape: tuple) -> np.ndarray:
        count = math.prod(shape)
        if dtype.kind not in KINDS_OF_NUMBERS or min(shape, default=0) < 0 or count * dtype.itemsize > len(self._data) - self._at:
            raise NoValue(f"an array of {shape} {dtype} does not fit")
        found = np.frombuffer(self._data, dtype, count, self._at).reshape(shape).copy()
        self._at += count * dtype.itemsize
        return found

    def _body(self, mode: int, flags: int, fields: dict) -> np.ndarray:
        if mode not in MODES or flags & ~FLAGS_OF_NEW_BODIES:
            raise NoValue(f"no body has mode {mode!r} and flags {flags!r} when it is made")
        row = self._new_body(mode, flags)
        for name in OF_NEW_BODIES:
            if not abs(fields[name]) <= MOST:
                raise NoValue(f"{name} of a body must be finite, got {fields[name]!r}")
            row[name] = fields[name]
        return row


def encode(call: str, value: dict) -> bytes:
    """A dictionary of values as bytes: a head in JSON, then the arrays in it. Raises NoValue, naming the call."""
    writer = _Writer()
    try:
        head = json.dumps(writer.plain(value), separators=(",", ":")).encode()
    except NoValue as error:
        raise NoValue(f"{call}: a recording of this world is being made, and it cannot hold {error}") from None
    return len(head).to_bytes(HEAD_SIZE, "little") + head + b"".join(writer.arrays)


def decode(data: bytes, new_body: Callable[[int, int], np.ndarray]) -> dict:
    """The dictionary in the bytes of `encode`; `new_body(mode, flags)` gives the row of BODY of a new body. Raises NoValue."""
    end = HEAD_SIZE + int.from_bytes(data[:HEAD_SIZE], "little")
    try:
        found = _Reader(data, end, new_body).value(json.loads(data[HEAD_SIZE:end]))
    except NoValue:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise NoValue(f"these bytes are no call: {error}") from None
    if not isinstance(found, dict):
        raise NoValue("these bytes are no call")
    return found
