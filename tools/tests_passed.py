"""Results of groups of tests on another system, kept in the user's cache: a run that was ended goes on where it was."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from scree.runtime import core_library
from scree.tools import places


def _sources(files: list[str], others: set[str]) -> Iterable[Path]:
    """All that the tests in `files` hang on: engine, tools, what tests share outside of the folders `others`, and themselves."""
    root = places.checkout()
    for room in ("engine_core", "tools"):
        yield from (root / room).rglob("*.py")
    for file in (root / "tests").rglob("*.*"):
        is_shared = not file.name.startswith("test_") and file.parent.name != "__pycache__"
        if is_shared and not others & set(file.relative_to(root / "tests").parts) and file.is_file():
            yield file
    yield from (root / name for name in (*files, "pyproject.toml"))


def identity(target: tuple[str, str], files: list[str], others: set[str]) -> str:
    """A hash of the library for a target, of the files of tests (from the checkout's root), and of all that they hang on.
    `others`: the folders in tests/ that they do not read."""
    root, digest = places.checkout(), hashlib.sha256(".".join(target).encode())
    library = core_library.folder() / core_library.file_name(*target)
    digest.update(library.read_bytes() if library.is_file() else b"")
    for file in sorted(set(_sources(files, others))):
        digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _file(target: tuple[str, str], key: str) -> Path:
    return places.cache_folder() / "tests_on_other_systems" / ".".join(target) / f"{key}.json"


def find(target: tuple[str, str], key: str) -> dict[str, int]:
    """The number of tests by how they ended, under an `identity`; empty where none are kept or the file is damaged."""
    try:
        counts = json.loads(_file(target, key).read_text())
    except (OSError, ValueError):
        return {}
    is_whole = isinstance(counts, dict) and all(isinstance(name, str) and type(counts[name]) is int for name in counts)
    return counts if is_whole else {}


def keep(target: tuple[str, str], key: str, counts: dict[str, int]) -> None:
    """Keep the results of a group; another process that keeps the same has the same to say."""
    file = _file(target, key)
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    part.write_text(json.dumps(counts))
    part.replace(file)
