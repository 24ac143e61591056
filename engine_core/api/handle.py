"""Base class of the handles of bodies, areas and joints: a space and a number."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .space import Space


class Handle:
    """A body, area or joint of a space. Two handles of the same thing are equal, and can be keys. Any thread may read it."""

    __slots__ = ("_space", "_id")

    def __init__(self, space: "Space", identity: int) -> None:
        self._space, self._id = space, identity

    @property
    def id(self) -> int:
        """The number of the thing, as hits, contacts and events report it and as the core's calls take it."""
        return self._id

    @property
    def space(self) -> "Space":
        """The space that it was added to."""
        return self._space

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._id == self._id and other._space is self._space

    def __hash__(self) -> int:
        return hash(self._id)

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lower()} {self._id}>"
