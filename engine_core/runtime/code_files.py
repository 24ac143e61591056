"""Files of compiled code: where they are, and the checks that a file is intact and this user's own before it is used.

    MARK | checksum of the file's name and content | content

Compiled code is unpickled and run, so a damaged or planted file could do anything. A file is therefore read whole and its
checksum compared first; the file and its folders must belong to this user or root and be writable by nobody else. A damaged file
counts as missing and is made again. Files appear under their names when they are complete, so simultaneous starts do not
conflict. They are not synced to the disk: files left by a crashed machine count as damaged.

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
"""Changes when the format of the files changes."""
CHECKSUM_BYTES = 32
KEPT_DAYS = 30
"""Compiled code that no start has used for this long is deleted [days]."""
LEAST_ROOM = 150_000_000
"""Upper bound of the disk space of all compiled code [byte]."""
ABANDONED = 3600.0
"""A file begun this long ago [s] is no longer being written."""


class CodeNotKept(Exception):
    """Compiled code cannot be written to the cache; the message names the folder and says why."""


def _choose_folder() -> Path:
    """Choose the folder for all sources of the engine, and delete those unused for long. Raises CacheRefused."""
    root = user_cache_folder() / "compiled"
    check_own(root.parent)
    check_own(root)
    folder = root / engine_hash()
    check_own(folder)
    _mark_used(folder)
    delete_unused(root)
    return folder


def _mark_used(folder: Path) -> None:
    with contextlib.suppress(OSError):  # it does not exist yet, or is read-only
        os.utime(folder)


def delete_unused(root: Path) -> None:
    """Delete the folders of compiled code that were not used for `KEPT_DAYS`. Other starts may do the same at the same time."""
    with contextlib.suppress(OSError):
        for old in list(root.iterdir()):
            try:
                is_unused = time.time() - old.stat().st_mtime > KEPT_DAYS * 86400
            except OSError:  # another start was faster
                continue
            if is_unused:
                shutil.rmtree(old, ignore_errors=True)


CACHE_FOLDER = _choose_folder()
"""The folder for all sources of the engine; the warm-up records here that everything is compiled."""


@functools.cache
def cache_folder_of(module: str) -> Path:
    """The folder for the compiled code of a module, created with its first file. Raises CacheRefused."""
    folder = CACHE_FOLDER.parent / closure_hash(module)
    check_own(folder)
    _mark_used(folder)
    if is_of_engine(module):
        return folder
    check_own(folder / module)
    return folder / module  # the cached code refers to the module by this name


def _checksum(name: str, content) -> bytes:
    digest = hashlib.blake2b(name.encode(), digest_size=CHECKSUM_BYTES)
    digest.update(content)
    return digest.digest()


def read(path: Path) -> memoryview | None:
    """The content of a file, or None: it is missing or damaged, or another user may have written it."""
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
    """Write a file completely or not at all. Raises CodeNotKept."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.{time.monotonic_ns()}.unfinished")
    try:
        for folder in (*reversed(path.parent.parents), path.parent):
            if not folder.is_dir():
                with contextlib.suppress(FileExistsError):  # another start was faster
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
        if read(path) is None:  # else another start has written it and may be reading it
            raise CodeNotKept(f"compiled code cannot be kept in {path.parent.parent}: {error.strerror or error}") from error


def lack_of_room() -> str:
    """A message that the disk is full, or nearly; empty if it is not, or if some code is already cached."""
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
    """The files of compiled code for these sources that are damaged."""
    return [path for path in files() if read(path) is None]


def remove_damaged() -> None:
    """Delete damaged files, and those that killed writers have left. Files that cannot be deleted stay."""
    for path in damaged_files():
        with contextlib.suppress(OSError):
            path.unlink()
    for path in CACHE_FOLDER.parent.rglob(".*.unfinished"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > ABANDONED:
                path.unlink()


_has_said = False


def say_not_kept(problem: CodeNotKept) -> None:
    """Warn once that the next start must compile again."""
    global _has_said
    if not _has_said:
        _has_said = True
        print(f"scree: {problem}. This start goes on; the next one compiles again", file=sys.stderr, flush=True)
