"""A page of docs/ that is written from tables of the code: brought up to date, or only compared (`--check`)."""

import sys
from pathlib import Path

from scree.tools import places


def page(name: str) -> Path:
    """Where docs/`name` is. Raises FileNotFoundError in an installed package: the pages are in a checkout only."""
    root = places.checkout()
    if root is None:
        raise FileNotFoundError(f"docs/{name} is written in a checkout; this is an installed package")
    return root / "docs" / name


def write_or_check(document: Path, text: str, module: str) -> int:
    """Write `text` to the page; with `--check` among the program's arguments only say whether the page has it. Gives the exit
    status: 1 if the page is out of date. `module`: the program that writes it."""
    if "--check" not in sys.argv:
        document.write_text(text, encoding="utf-8")
        return 0
    is_current = document.is_file() and document.read_text(encoding="utf-8") == text
    print(f"{document.name} is {'up to date' if is_current else f'out of date: run python -m {module}'}")
    return 0 if is_current else 1
