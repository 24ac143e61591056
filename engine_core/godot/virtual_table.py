"""Which function answers which virtual of an extension class: one table a class, filled by decorators where the
functions are.

A hot virtual is a kernel `(instance, arguments, result)`; Godot is given its address. A cold one is Python. What is
in neither is not built yet: it answers its type's zero and warns once by name. `docs/godot_parity.md` is made from
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


@dataclass
class VirtualTable:
    """The virtuals of one class: `engine_class` extended as `class_name`."""

    engine_class: str
    class_name: str
    takes_instance: bool = False  # whether cold functions are given the instance's address too
    cold_functions: dict = field(default_factory=dict)
    hot_groups: list = field(default_factory=list)
    partial: dict = field(default_factory=dict)  # virtual: what is missing, in words
    notes: dict = field(default_factory=dict)  # virtual: what a user should know of one that is done

    def cold(self, partial: str = "", note: str = ""):
        """Declare the Python function that answers the virtual of its name: `(server or instance, *arguments)`."""

        def declare(function):
            self.cold_functions[function.__name__] = function
            if partial:
                self.partial[function.__name__] = partial
            if note:
                self.notes[function.__name__] = note
            return function

        return declare

    def hot(self, fill, names, partial: dict | None = None) -> None:
        """Declare the kernels whose addresses `fill` writes."""
        self.hot_groups.append(HotGroup(fill, tuple(names)))
        self.partial.update(partial or {})

    def hot_addresses(self) -> dict[str, int]:
        """Addresses of all hot virtuals; compiles them, or loads them from the cache."""
        addresses = {}
        for group in self.hot_groups:
            table = np.zeros(len(group.names), np.int64)
            group.fill(address_of(table))
            addresses.update(zip(group.names, table.tolist(), strict=True))
        return addresses

    def answered(self) -> set[str]:
        """Names of the virtuals that something answers."""
        return set(self.cold_functions) | {name for group in self.hot_groups for name in group.names}


SERVER = VirtualTable("PhysicsServer3DExtension", "ScreePhysicsServer3D")
BODY_STATE = VirtualTable("PhysicsDirectBodyState3DExtension", "ScreePhysicsDirectBodyState3D", True)
SPACE_STATE = VirtualTable("PhysicsDirectSpaceState3DExtension", "ScreePhysicsDirectSpaceState3D", True)
TABLES = (SERVER, BODY_STATE, SPACE_STATE)
