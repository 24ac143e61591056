"""Pairs of bodies that must not collide: written rarely from Python, read by compiled code as a hash set of pairs.

The set is made anew at each change and published by one store of its address; the last few stay alive for readers.
"""

import threading

import numpy as np

from ..runtime.kernel import kernel
from ..runtime.memory import view
from .schema import WORLD

INT64 = np.int64
_MULTIPLIER = 0x9E3779B1


class Exceptions:
    """The set, as Python sees it. Either body's naming of the other disables the pair."""

    def __init__(self, world_record):
        self._world = world_record
        self._named: dict[int, set[int]] = {}
        self._tables: list[np.ndarray] = []
        self._lock = threading.Lock()
        self._publish()

    def add(self, body: int, other: int) -> None:
        with self._lock:
            self._named.setdefault(body, set()).add(other)
            self._publish()

    def remove(self, body: int, other: int) -> None:
        """Silent if it was not there."""
        with self._lock:
            self._named.get(body, set()).discard(other)
            self._publish()

    def of(self, body: int) -> list[int]:
        """Indices of the bodies that this body names, in ascending order."""
        return sorted(self._named.get(body, ()))

    def forget(self, body: int) -> None:
        """Drop every exception that has to do with a body that is going away."""
        with self._lock:
            touched = self._named.pop(body, None) is not None
            for others in self._named.values():
                if body in others:
                    others.discard(body)
                    touched = True
            if touched:
                self._publish()

    def _publish(self) -> None:
        keys = {min(a, b) << 32 | max(a, b) for a, others in self._named.items() for b in others}
        capacity = 16
        while capacity < 3 * len(keys):
            capacity *= 2
        table = np.full(capacity, -1, dtype=INT64)
        for key in sorted(keys):
            slot = hash_of_pair(key >> 32, key & 0xFFFFFFFF) & (capacity - 1)
            while table[slot] != -1:
                slot = (slot + 1) & (capacity - 1)
            table[slot] = key
        self._tables = self._tables[-8:] + [table]
        self._world["exception_count"] = 0
        self._world["exceptions"] = table.ctypes.data
        self._world["exception_capacity"] = capacity
        self._world["exception_count"] = len(keys)


def hash_of_pair(a: int, b: int) -> int:
    """The same in Python as in compiled code."""
    return ((a * _MULTIPLIER) ^ (b * 0x85EBCA77)) >> 7 & 0x7FFFFFFF


_hash = kernel(hash_of_pair)


@kernel
def are_excepted(world, a, b):
    """Compiled: whether bodies with indices a and b must not collide."""
    record = view(world, 1, WORLD)[0]
    if record.exception_count == 0:
        return False
    low, high = min(a, b), max(a, b)
    key = (low << 32) | high
    table = view(record.exceptions, record.exception_capacity, INT64)
    mask = record.exception_capacity - 1
    slot = _hash(low, high) & mask
    while table[slot] != -1:
        if table[slot] == key:
            return True
        slot = (slot + 1) & mask
    return False
