"""Writes docs/godot_api.md: Godot's door to each public ability of the Python package, from the table in tools/godot_doors.py.

`python -m scree.tools.make_godot_api` writes the file; with `--check` it only says whether the file is up to date.
"""

import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import scree
from scree.tools.generated_page import page, write_or_check
from scree.tools.godot_doors import DOORS

DOCUMENT = page("godot_api.md")
_INTRODUCTION = """# What the Python package can, and its door in Godot

Made by `tools/make_godot_api.py` from the table `tools/godot_doors.py`; do not edit it. Each public name of the package `scree`
has a line: nodes and their properties, calls of Godot, methods of the singleton `Scree` ([scripting.md](scripting.md)), and calls
by name of the running server: `PhysicsServer3D.call("vehicle_create", ...)` is shown as `ScreePhysicsServer3D.vehicle_create`.
Where there is no door, the line says why.
"""


@dataclass(frozen=True)
class Line:
    """One line of the table."""

    name: str
    doors: tuple[str, ...]
    note: str


def lines(text: str = DOORS) -> list[Line]:
    """The table. Raises ValueError for a line without a door and without a reason, or one that is there twice."""
    found = []
    for row in text.strip().splitlines():
        name, doors, note = (part.strip() for part in row.split("|"))
        given = tuple(door.strip() for door in doors.split(",") if door.strip() != "-")
        if not given and not note:
            raise ValueError(f"{name}: neither a door nor a reason")
        found.append(Line(name, given, note))
    names = [line.name for line in found]
    if len(set(names)) != len(names):
        raise ValueError(f"there twice: {sorted({name for name in names if names.count(name) > 1})}")
    return found


def public_names() -> Iterator[str]:
    """Each name of `scree.__all__`, and its public methods and properties."""
    for name in scree.__all__:
        yield name
        value = getattr(scree, name)
        if inspect.isclass(value) and not issubclass(value, Exception):
            yield from (f"{name}.{member}" for member in members(value))


def members(cls: type) -> list[str]:
    """Names of the public methods and properties of a class, with those of its bases that are ours."""
    bases = [base for base in reversed(cls.__mro__) if base.__module__.split(".")[0] == "scree"]
    found = {name: value for base in bases for name, value in vars(base).items() if not name.startswith("_")}
    return [name for name, value in found.items() if callable(value) or isinstance(value, property)]


def make_document() -> str:
    """The text of docs/godot_api.md."""
    table = lines()
    with_door = sum(bool(line.doors) for line in table)
    rows = [f"{len(table)} names, {with_door} with a door.", "", "| name | door in Godot | good to know |", "| --- | --- | --- |"]
    for line in table:
        doors = ", ".join(f"`{door}`" for door in line.doors) or "none"
        rows.append(f"| `{line.name}` | {doors} | {line.note} |")
    return "\n".join([_INTRODUCTION, *rows]) + "\n"


def main() -> int:
    return write_or_check(DOCUMENT, make_document(), "scree.tools.make_godot_api")


if __name__ == "__main__":
    sys.exit(main())
