"""The cache of compiled code: a file for each function and signature.

Numba's own cache has one index per function. Two starts at once may overwrite each other's index, so that a signature gets
another one's code; it does not check content, and fails where a file cannot be read or written. Here the name of a file contains
the hash of everything its content depends on. `numba_inside.NumbaCache` gives it the interface of Numba's caches.
"""

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path

import llvmlite
import numba

from . import code_files
from .code_identity import stamp, told_cells


class CodeCache:
    """The cached code of one function, in a folder. `dumps` pickles values that the function closes over. `on_not_kept` is called
    when code could not be cached."""

    on_not_kept = staticmethod(code_files.say_not_kept)

    def __init__(self, function, folder: Path, dumps: Callable[[object], bytes]):
        self._function, self.folder, self._dumps = function, folder, dumps
        self._stamp = stamp(function)

    def _cells(self, function) -> str:
        """Describe everything that a function, or the one it stands for, closes over."""
        return told_cells(function, self._dumps)

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
