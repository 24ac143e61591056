"""The cache of compiled code: a file for each function and signature.

Numba's own cache has one index per function. Two starts at once may overwrite each other's index, so that a signature gets
another one's code; it does not check content, and fails where a file cannot be read or written. Here the name of a file contains
the hash of everything its content depends on. `numba_inside.NumbaCache` gives it the interface of Numba's caches.
"""

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import llvmlite
import numba

from . import code_files
from .source_closure import closure_hash, is_of_engine


class CompiledEntry(NamedTuple):
    """A function with C's calling convention: its address, whether it came from the cache, its file there (None where it is not
    cached), and the object that keeps the code alive."""

    address: int
    is_cached: bool
    file: Path | None
    owner: object


def _stamp(function) -> str:
    """Hash of the sources that a function's code depends on, including its own file if it is outside the engine. Empty if there
    is no file; then nothing is cached."""
    module = function.__module__
    if is_of_engine(module):
        return closure_hash(module)
    try:
        own = Path(function.__code__.co_filename).read_bytes()
    except OSError:
        return ""
    return closure_hash(module) + hashlib.sha256(own).hexdigest()


class CodeCache:
    """The cached code of one function, in a folder. `dumps` pickles values that the function closes over. `on_not_kept` is called
    when code could not be cached."""

    on_not_kept = staticmethod(code_files.say_not_kept)

    def __init__(self, function, folder: Path, dumps: Callable[[object], bytes]):
        self._function, self.folder, self._dumps = function, folder, dumps
        self._stamp = _stamp(function)

    def _told(self, value) -> str:
        """Describe a value that a function closes over, the same in every process. A compiled function is described by its
        location, the sources that its code depends on, and what it closes over: a function may close over it without an import
        of its module. Numba's own form of it contains a number that differs each time."""
        function = getattr(value, "py_func", None)
        if function is None:
            return repr(value) if isinstance(value, int | float | str | None) else repr(self._dumps(value))
        place = f"{function.__module__}.{function.__qualname__}:{function.__code__.co_firstlineno}"
        return f"{place}:{_stamp(function)}({self._cells(function)})"

    def _cells(self, function) -> str:
        """Describe everything that a function, or the one it stands for, closes over."""
        function = getattr(function, "stands_for", function)
        return ", ".join(self._told(cell.cell_contents) for cell in function.__closure__ or ())

    def digest_of_cells(self) -> str:
        """A short hash of what the function closes over, the same in every process."""
        return hashlib.blake2b(self._cells(self._function).encode(), digest_size=6).hexdigest()

    def file_of(self, signature: str, processor: tuple) -> Path | None:
        """The file of the code for a signature and a processor, or None if it is not cached."""
        if not self._stamp or " at 0x" in signature:  # an argument that exists only in this process
            return None
        code = self._function.__code__
        depends_on = (
            self._stamp, self._function.__module__, self._function.__qualname__, signature, processor, code.co_code,
            self._cells(self._function), sys.implementation.cache_tag, numba.__version__, llvmlite.__version__, code_files.MARK,
        )  # fmt: skip
        key = hashlib.blake2b(repr(depends_on).encode(), digest_size=12).hexdigest()
        name = self._function.__qualname__.replace("<", "").replace(">", "")
        return self.folder / f"{name}-{code.co_firstlineno}.{key}{code_files.SUFFIX}"

    def write(self, path: Path, content: Callable[[], bytes]) -> None:
        """Write the code, made by `content`, to its file, or call `on_not_kept`."""
        try:
            code_files.write(path, content())
        except code_files.CodeNotKept as problem:
            CodeCache.on_not_kept(problem)
