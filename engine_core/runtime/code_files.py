"""Files of compiled code: where they lie, and that nothing in them is used before it is known to be whole and this user's own.

    MARK | checksum of the file's name and content | content

Compiled code is unpickled and run: a damaged or planted file is as good as any program. So a file is read whole and its checksum
compared before; its folders and itself have to belong to this user or root, and nobody else may write there. What is damaged
counts as missing and is made anew. Files appear under their names when they are whole, so starts at the same time do not meet.
They are not synced to the disk: what a failing machine leaves behind is damaged, and made anew.

The code of each module lies in a folder named by a hash of all sources it depends on (source_closure.py).
"""

import contextlib
import functools
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from .cache_folder import check_own, user_cache_folder, why_not_own
from .source_closure import all_modules, closure_hash, engine_hash, is_of_engine

SUFFIX = ".code"
MARK = b"SCREECODE1\0\0\0\0\0\0"
"""Counts up when the form of the files changes."""
CHECKSUM_BYTES = 32
KEPT_DAYS = 30
"""Compiled code that no start has used for so long is deleted [days]."""
LEAST_ROOM = 150_000_000
"""What is compiled takes less on the disk [byte]."""
ABANDONED = 3600.0
"""A file that was begun so long ago [s] is not being written any more."""


class CodeNotKept(Exception):
    """Compiled code cannot be written to the cache; the message names the folder and says why."""


def _choose_folder() -> Path:
    """The folder that stands for all sources of the engine. What was not used for long goes. Raises CacheRefused."""
    root = user_cache_folder() / "compiled"
    check_own(root.parent)
    check_own(root)
    folder = root / engine_hash()
    check_own(folder)
    _mark_used(folder)
    delete_unused(root)
    return folder


def _mark_used(folder: Path) -> None:
    with contextlib.suppress(OSError):  # there is none yet, or it may only be read
        os.utime(folder)


def delete_unused(root: Path) -> None:
    """Delete the folders of compiled code that were not used for `KEPT_DAYS`. Other starts may be doing the same."""
    with contextlib.suppress(OSError):
        for old in list(root.iterdir()):
            try:
                is_unused = time.time() - old.stat().st_mtime > KEPT_DAYS * 86400
            except OSError:  # another start was quicker
                continue
            if is_unused:
                shutil.rmtree(old, ignore_errors=True)


CACHE_FOLDER = _choose_folder()
"""Stands for all sources of the engine: the warm-up notes here that everything is compiled."""


@functools.cache
def cache_folder_of(module: str) -> Path:
    """Where the compiled code of a module is kept; made when the first is. Raises CacheRefused."""
    folder = CACHE_FOLDER.parent / closure_hash(module)
    check_own(folder)
    _mark_used(folder)
    if is_of_engine(module):
        return folder
    check_own(folder / module)
    return folder / module  # what is kept asks for the module by the name it had


def _checksum(name: str, content) -> bytes:
    digest = hashlib.blake2b(name.encode(), digest_size=CHECKSUM_BYTES)
    digest.update(content)
    return digest.digest()


def read(path: Path) -> memoryview | None:
    """The content of a file, or None: there is none, it is damaged, or somebody else may have written it."""
    try:
        with open(path, "rb", buffering=0) as file:
            is_own = not why_not_own(os.fstat(file.fileno()))
            data = memoryview(file.readall()) if is_own else b""
    except OSError:
        return None
    head = len(MARK) + CHECKSUM_BYTES
    content = data[head:]
    is_whole = data[: len(MARK)] == MARK and data[len(MARK) : head] == _checksum(path.name, content)
    return content if is_whole else None


def write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all. Raises CodeNotKept."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.{time.monotonic_ns()}.unfinished")
    try:
        for folder in (*reversed(path.parent.parents), path.parent):
            if not folder.is_dir():
                with contextlib.suppress(FileExistsError):  # another start was quicker
                    folder.mkdir(mode=0o755)
        try:
            with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "wb", buffering=0) as file:
                for part in (MARK, _checksum(path.name, content), content):
                    written = 0
                    while written < len(part):
                        written += file.write(part[written:])
            os.replace(unfinished, path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
    except OSError as error:
        if read(path) is None:  # else another start has written it, and is just reading it
            raise CodeNotKept(f"compiled code cannot be kept in {path.parent.parent}: {error.strerror or error}") from error


def lack_of_room() -> str:
    """That the disk is full, or nearly; empty: it is not, or something is kept already."""
    place = next(folder for folder in CACHE_FOLDER.parents if folder.is_dir())
    free = shutil.disk_usage(place).free
    if free >= LEAST_ROOM or any(files()):
        return ""
    return f"compiled code takes up to {LEAST_ROOM / 1e6:.0f} MB in {CACHE_FOLDER.parent}, its disk has {free / 1e6:.1f} MB left"


def files() -> Iterator[Path]:
    """The files of compiled code that belong to these sources."""
    for name in sorted({closure_hash(module) for module in all_modules()} | {CACHE_FOLDER.name}):
        yield from sorted((CACHE_FOLDER.parent / name).rglob(f"*{SUFFIX}"))


def damaged_files() -> list[Path]:
    """Those of them that are not whole."""
    return [path for path in files() if read(path) is None]


def remove_damaged() -> None:
    """Delete what is not whole, and what writers that were killed have left. What cannot be deleted stays."""
    for path in damaged_files():
        with contextlib.suppress(OSError):
            path.unlink()
    for path in CACHE_FOLDER.parent.rglob(".*.unfinished"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > ABANDONED:
                path.unlink()


_has_said = False


def say_not_kept(problem: CodeNotKept) -> None:
    """Say once that the next start has to compile again."""
    global _has_said
    if not _has_said:
        _has_said = True
        print(f"scree: {problem}. This start goes on; the next one compiles again", file=sys.stderr, flush=True)
