"""The functions of the virtuals of an extension class: one table a class, filled by decorators where the functions are.

A hot virtual is a kernel `(instance, arguments, result)` whose address is given to Godot. A cold one is Python. A virtual that is
in neither is not implemented yet: it returns its type's zero and warns once by name. `docs/godot_parity.md` is generated from
these tables.
"""

from dataclasses import dataclass, field

import numpy as np

from ..runtime.memory import address_of


@dataclass
class HotGroup:
    """Hot virtuals whose addresses one entry point writes into a table, in the order of `names`."""

    fill: object  # EntryPoint "void(int64 table)"
    names: tuple[str, ...]


def addresses_of(groups) -> dict[str, int]:
    """Addresses by name; compiles the groups, or loads them from the cache."""
    addresses = {}
    for group in groups:
        table = np.zeros(len(group.names), np.int64)
        group.fill(address_of(table))
        addresses.update(zip(group.names, table.tolist(), strict=True))
    return addresses


@dataclass
class VirtualTable:
    """The virtuals of one class: `engine_class` extended as `class_name`."""

    engine_class: str
    class_name: str
    takes_instance: bool = False  # whether cold functions get the instance's address too
    cold_functions: dict = field(default_factory=dict)
    hot_groups: list = field(default_factory=list)
    compiled_group: HotGroup | None = None  # of cold ones, see creation/compiled_answer.py
    partial: dict = field(default_factory=dict)  # virtual: what is missing, in words
    notes: dict = field(default_factory=dict)  # virtual: what a user should know of one that is done

    def answer(self, name: str, function, partial: str = "", note: str = "") -> None:
        """Declare the Python function that answers a virtual: `(server or instance, *arguments)`."""
        self.cold_functions[name] = function
        if partial:
            self.partial[name] = partial
        if note:
            self.notes[name] = note

    def cold(self, partial: str = "", note: str = ""):
        """Declare the decorated function as the answer to the virtual of the same name; see `answer`."""

        def declare(function):
            self.answer(function.__name__, function, partial, note)
            return function

        return declare

    def hot(self, fill, names, partial: dict | None = None) -> None:
        """Declare the kernels whose addresses `fill` writes."""
        self.hot_groups.append(HotGroup(fill, tuple(names)))
        self.partial.update(partial or {})

    def compiled(self, fill, names) -> None:
        """Declare the kernels that answer some cold virtuals when they can, and leave the rest to Python."""
        self.compiled_group = HotGroup(fill, tuple(names))

    def compiled_addresses(self) -> dict[str, int]:
        """Addresses of the virtuals with compiled answers, in the order of their numbers."""
        return addresses_of([self.compiled_group] if self.compiled_group else [])

    def hot_addresses(self) -> dict[str, int]:
        """Addresses of all hot virtuals."""
        return addresses_of(self.hot_groups)

    def answered(self) -> set[str]:
        """Names of the virtuals that are implemented."""
        return set(self.cold_functions) | {name for group in self.hot_groups for name in group.names}


SERVER = VirtualTable("PhysicsServer3DExtension", "ScreePhysicsServer3D")
BODY_STATE = VirtualTable("PhysicsDirectBodyState3DExtension", "ScreePhysicsDirectBodyState3D", True)
SPACE_STATE = VirtualTable("PhysicsDirectSpaceState3DExtension", "ScreePhysicsDirectSpaceState3D", True)
TABLES = (SERVER, BODY_STATE, SPACE_STATE)
