"""Writes docs/godot_parity.md: which of Godot's physics virtuals Scree answers, from the tables that answer them.

`python -m scree.tools.make_parity` writes the file; with `--check` it only says whether the file is up to date.
"""

import json
import sys

from scree.godot import api, virtual_modules, virtual_table
from scree.tools.generated_page import page, write_or_check

DOCUMENT = page("godot_parity.md")
_INTRODUCTION = """# What of Godot's physics interface Scree answers

Made by `tools/make_parity.py` from the tables that answer Godot's calls; do not edit it. A virtual that no function
answers is "not yet": it gives its type's zero and warns once by name. The virtuals, their arguments and the sizes
of types are read from the description of the engine that runs (Godot 4.4 and later); what is tested is the version
below.
"""


def status_of(table: virtual_table.VirtualTable, name: str) -> tuple[str, str]:
    """("done", "partial" or "not yet"; what is missing, or what a user should know)."""
    if name not in table.answered():
        return "not yet", ""
    return ("partial", table.partial[name]) if name in table.partial else ("done", table.notes.get(name, ""))


def make_document(described: api.Api) -> str:
    """The text of docs/godot_parity.md for one version of Godot. Raises ValueError for an answer to no virtual."""
    virtual_modules.import_all()
    summary, chapters = [], []
    for table in virtual_table.TABLES:
        names = list(described.virtuals(table.engine_class))
        unknown = table.answered() - set(names)
        if unknown:
            raise ValueError(f"{table.engine_class} of {described.version} has no virtual {sorted(unknown)}")
        rows = [(name, *status_of(table, name)) for name in names]
        counts = [sum(row[1] == status for row in rows) for status in ("done", "partial", "not yet")]
        summary.append(f"| `{table.engine_class}` | {' | '.join(map(str, counts))} | {len(rows)} |")
        chapters += [f"## {table.engine_class}", ""]
        chapters += ["| virtual | state | what is missing, or good to know |", "| --- | --- | --- |"]
        chapters += [f"| `{name}` | {status} | {missing} |" for name, status, missing in rows] + [""]
    head = ["| class | done | partial | not yet | all |", "| --- | --- | --- | --- | --- |", *summary, ""]
    return "\n".join([_INTRODUCTION, f"Version: {described.version}", "", *head, *chapters]).rstrip() + "\n"


def newest_description() -> api.Api | None:
    """The API of the newest Godot that has described itself to this user; None if none has."""
    extracts = [json.loads(path.read_text()) for path in sorted(api.extract_path("").parent.glob("*.json"))]
    return api.load(extracts[-1]) if extracts else None


def main() -> int:
    described = newest_description()
    if described is None:
        print("no Godot has described itself yet: run `python3 tools/scree.py demo` first")
        return 1
    return write_or_check(DOCUMENT, make_document(described), "scree.tools.make_parity")


if __name__ == "__main__":
    sys.exit(main())
