"""Pairs of bodies that must not collide: rarely written from Python, read by compiled code as a hash set of pairs.

A pair is added and removed by one store of a word, so that a reader on any thread sees it or not. A set that has become too full
is built again and published by one store of its address; the last few stay alive for readers.
"""

import threading

import numpy as np

from ..runtime.kernel import kernel
from ..runtime.memory import view
from .records import world_at

INT64 = np.int64
_MULTIPLIER = 0x9E3779B1


NOTHING, REMOVED = -1, -2
"""Values of a slot without a pair: a search ends at the first, and continues past the second."""


class Exceptions:
    """The Python side of the set. A pair is in it while either body lists the other, or a joint keeps them apart."""

    def __init__(self, world_record):
        self._world = world_record
        self._named: dict[int, set[int]] = {}
        self._joined: dict[int, int] = {}  # how many joints keep a pair apart
        self._tables: list[np.ndarray] = []
        self._filled = 0  # slots that are not empty
        self._keys: set[int] = set()
        self._lock = threading.Lock()
        self._publish()

    def add(self, body: int, other: int) -> None:
        with self._lock:
            self._named.setdefault(body, set()).add(other)
            self._renew(body, other)

    def remove(self, body: int, other: int) -> None:
        """Remove an exception. No error if there is none."""
        with self._lock:
            self._named.get(body, set()).discard(other)
            self._renew(body, other)

    def add_joint(self, body: int, other: int) -> None:
        """Count one more joint that keeps two bodies apart."""
        with self._lock:
            key = _key(body, other)
            self._joined[key] = self._joined.get(key, 0) + 1
            self._renew(body, other)

    def remove_joint(self, body: int, other: int) -> None:
        """Count one joint less that keeps two bodies apart. No error if there is none."""
        with self._lock:
            key = _key(body, other)
            left = self._joined.pop(key, 1) - 1
            if left > 0:
                self._joined[key] = left
            self._renew(body, other)

    def of(self, body: int) -> list[int]:
        """Indices of the bodies that this body lists, in ascending order."""
        return sorted(self._named.get(body, ()))

    def forget(self, body: int) -> None:
        """Drop every exception of a body that is being freed."""
        with self._lock:
            others = self._named.pop(body, set())
            for other, named in self._named.items():
                if body in named:
                    named.discard(body)
                    others.add(other)
            for other in others:
                self._renew(body, other)

    def _renew(self, body: int, other: int) -> None:
        """Add a pair to the table or remove it, according to its present state."""
        key = _key(body, other)
        is_in = other in self._named.get(body, ()) or body in self._named.get(other, ()) or key in self._joined
        if is_in and key not in self._keys:
            self._keys.add(key)
            table = self._tables[-1]
            if 3 * (self._filled + 1) > table.size:
                self._publish()
                return
            self._filled += 1
            table[_find_slot(table, key)] = key
        elif not is_in and key in self._keys:
            self._keys.discard(key)
            table = self._tables[-1]
            table[_find_slot(table, key)] = REMOVED
        self._world["exception_count"] = len(self._keys)

    def _publish(self) -> None:
        capacity = 16
        while capacity < 6 * len(self._keys):
            capacity *= 2
        table = np.full(capacity, NOTHING, dtype=INT64)
        for key in sorted(self._keys):
            table[_find_slot(table, key)] = key
        self._tables = self._tables[-8:] + [table]
        self._filled = len(self._keys)
        self._world["exception_count"] = 0
        self._world["exceptions"] = table.ctypes.data
        self._world["exception_capacity"] = capacity
        self._world["exception_count"] = len(self._keys)


def _key(a: int, b: int) -> int:
    return min(a, b) << 32 | max(a, b)


def _find_slot(table: np.ndarray, key: int) -> int:
    """The slot of a pair in a table, or the first empty slot of its probe sequence."""
    slot = hash_of_pair(key >> 32, key & 0xFFFFFFFF) & (table.size - 1)
    while table[slot] not in (key, NOTHING):
        slot = (slot + 1) & (table.size - 1)
    return slot


def hash_of_pair(a: int, b: int) -> int:
    """The hash of a pair, the same in Python and compiled code."""
    return ((a * _MULTIPLIER) ^ (b * 0x85EBCA77)) >> 7 & 0x7FFFFFFF


_hash = kernel(hash_of_pair)


@kernel
def are_excepted(world_address, a, b):
    """Compiled: whether bodies with indices a and b must not collide."""
    record = world_at(world_address)
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
