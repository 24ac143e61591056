"""The table of edits: each change of one body or area that any thread may ask for, declared once.

An edit is a kernel `(world_address, index, values)` with the names of its arguments. `index` is a checked index of a row,
`values` the arguments as float64. From the table come the numbers in COMMAND and their execution (edit/commands.py), the calls of
Python programs (edit/body_locks.py, core/) and Godot's virtuals (godot/body_calls.py, godot/setting_calls.py). The kernels are in
edit/motion_edits.py and edit/setting_edits.py. They run in the thread that holds the gate of the body's system, or in the one
thread that owns a body in no system.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import Parameter, Signature

from ..runtime.kernel import kernel

MOST_VALUES = 7
"""Largest number of values of one edit."""


@dataclass(frozen=True)
class Edit:
    """One row of the table. `arguments`: (name, number of values) of each argument; `number`: stands for the edit in COMMAND."""

    name: str
    arguments: tuple[tuple[str, int], ...]
    apply: Callable
    number: int

    @property
    def signature(self) -> Signature:
        """The signature of a method that gives the edit to a body by its id."""
        names = ("self", "identity", *(name for name, _ in self.arguments))
        return Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names], return_annotation=bool)


EDITS: list[Edit] = []
"""All edits, by number."""


def edit_of_body(**arguments: int) -> Callable[[Callable], Edit]:
    """Declare a function an edit; `arguments`: number of values of each argument, in their order."""

    def declare(function: Callable) -> Edit:
        assert sum(arguments.values()) <= MOST_VALUES, function.__name__
        edit = Edit(function.__name__, tuple(arguments.items()), kernel(function), len(EDITS))
        EDITS.append(edit)
        return edit

    return declare


def make_dispatch(edits: Sequence[Edit]) -> Callable:
    """Make the kernel `(world_address, index, number, values)` that executes one of these edits; their numbers are successive."""
    apply, half = edits[0].apply, len(edits) // 2
    if half == 0:

        @kernel
        def execute(world_address, index, number, values):
            apply(world_address, index, values)

        return execute
    first, low, high = edits[half].number, make_dispatch(edits[:half]), make_dispatch(edits[half:])

    @kernel
    def choose(world_address, index, number, values):
        if number < first:
            low(world_address, index, number, values)
        else:
            high(world_address, index, number, values)

    return choose
