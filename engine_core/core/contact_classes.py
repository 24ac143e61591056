"""Names of contact classes: hosts and programs name classes, the core numbers them (core/contacts.py)."""

import threading

from ..bodies.schema import CONTACT_CLASSES


class ContactClasses:
    """The contact classes of a world. "default" is 0, the class of new bodies. Any thread may call."""

    def __init__(self) -> None:
        self._names = ["default"]
        self._naming = threading.Lock()

    def number(self, name: str) -> int:
        """Number of a class, 0 to 63; naming a class makes it. Raises ValueError for the 65th class."""
        with self._naming:
            if name not in self._names:
                if len(self._names) == CONTACT_CLASSES:
                    raise ValueError(f"contact_class: there are {CONTACT_CLASSES} contact classes already, got {name!r}")
                self._names.append(name)
            return self._names.index(name)

    def name(self, number: int) -> str:
        """Name of the class with a number; the number itself if an expert chose it. Never raises."""
        return self._names[number] if number < len(self._names) else str(number)

    def has(self, *names: str) -> bool:
        """Whether all these classes were named."""
        return set(names) <= set(self._names)
