"""Objects that follow the edits of a structure, and do not live longer for it."""

import threading
import weakref
from collections.abc import Iterator


class Followers:
    """A set of objects, held weakly, in the order in which they were added. Any thread; going over it is cheap, since each edit
    does so, and changing it is rare."""

    def __init__(self):
        self._references: tuple[weakref.ref, ...] = ()
        self._changing = threading.Lock()

    def add(self, follower) -> None:
        """Add an object, unless it is there."""
        with self._changing:
            if follower not in self:
                self._references = (*(kept for kept in self._references if kept() is not None), weakref.ref(follower))

    def discard(self, follower) -> None:
        """Take an object away, if it is there."""
        with self._changing:
            self._references = tuple(kept for kept in self._references if kept() not in (None, follower))

    def present(self) -> list:
        """The objects that are alive."""
        return [follower for kept in self._references if (follower := kept()) is not None]

    def __iter__(self) -> Iterator:
        return iter(self.present())

    def __contains__(self, follower) -> bool:
        return any(present is follower for present in self.present())

    def __len__(self) -> int:
        return len(self.present())
