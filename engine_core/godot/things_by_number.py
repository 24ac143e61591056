"""Things that scripts know by a number instead of an RID: vehicles, pulleys, batches, water, motors."""

from collections.abc import Callable


class ThingsByNumber:
    """Things of spaces by number. Numbers begin at 1 and are not given again. `what`: how errors name one; `end`: what is done
    with one that is removed."""

    def __init__(self, what: str, end: Callable[..., None] = lambda thing: None):
        self._what, self._end = what, end
        self._things: dict[int, tuple] = {}
        self._last = 0

    def __contains__(self, number: int) -> bool:
        return number in self._things

    def keep(self, space: int, thing) -> int:
        """Keep a thing of a space. Return its number."""
        self._last += 1
        self._things[self._last] = space, thing
        return self._last

    def get(self, number: int) -> tuple:
        """The space and the thing with a number. Raises ValueError."""
        if number not in self._things:
            raise ValueError(f"there is no {self._what} {number}")
        return self._things[number]

    def remove(self, number: int) -> None:
        """End a thing, and forget it. Raises ValueError."""
        _, thing = self.get(number)
        del self._things[number]
        self._end(thing)

    def remove_of(self, space: int) -> None:
        """Remove the things of a space that is being freed."""
        for number in [number for number, (of, _) in self._things.items() if of == space]:
            self.remove(number)

    def remove_all(self) -> None:
        """Remove all things."""
        for number in list(self._things):
            self.remove(number)
