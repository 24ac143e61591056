"""What Numba asks for compiled code that is kept, and gives what it has compiled: a file for each function and signature.

Numba's own cache has an index a function, which two starts at once may overwrite with each other's, so that a signature gets
another one's code; it checks no content, and stops where a file cannot be read or written. Here a file's name holds the hash of
all that its content depends on. Rests on the interface of Numba's caches (numba.core.caching).
"""

import hashlib
import sys
from pathlib import Path

import llvmlite
import numba
from numba.core import caching, compiler, serialize, sigutils

from . import code_files
from .source_closure import closure_hash, is_of_engine


def pack_function(result) -> tuple:
    """What is kept of a function with machine code."""
    return result._reduce()


def unpack_function(target_context, kept: tuple):
    """The function that `pack_function` was given."""
    return compiler.CompileResult._rebuild(target_context, *kept)


def _stamp(function) -> str:
    """Hash of the sources that a function's code depends on; of a function outside the engine, its own file's too. Empty: there
    is no file, and nothing is kept."""
    module = function.__module__
    if is_of_engine(module):
        return closure_hash(module)
    try:
        own = Path(function.__code__.co_filename).read_bytes()
    except OSError:
        return ""
    return closure_hash(module) + hashlib.sha256(own).hexdigest()


def _told(value) -> str:
    """A value that a function closes over, in words that mean the same in every process. Of a compiled function where it stands
    and what it closes over itself: Numba's own form of it holds a number that is another one each time."""
    function = getattr(value, "py_func", None)
    if function is None:
        return repr(value) if isinstance(value, int | float | str | None) else repr(serialize.dumps(value))
    return f"{function.__module__}.{function.__qualname__}:{function.__code__.co_firstlineno}({_cells(function)})"


def _cells(function) -> str:
    """All that a function, or the one that it stands for, closes over."""
    function = getattr(function, "stands_for", function)
    return ", ".join(_told(cell.cell_contents) for cell in function.__closure__ or ())


class CodeCache(caching._Cache):
    """The code of one function that is kept in a folder. `pack` and `unpack` as above. `on_not_kept` is told what could not be
    kept."""

    on_not_kept = staticmethod(code_files.say_not_kept)

    def __init__(self, function, folder: Path, pack=pack_function, unpack=unpack_function):
        self._function, self.folder, self._pack, self._unpack = function, folder, pack, unpack
        self._stamp = _stamp(function)
        self.last_file: Path | None = None

    @property
    def cache_path(self):
        return str(self.folder)

    def enable(self):
        """Numba asks for it; it is never off."""

    def disable(self):
        """As `enable`."""

    def flush(self):
        """As `enable`: what is out of date is never found."""

    def file_of(self, signature, codegen) -> Path | None:
        """Where the code for a signature is kept; None: nowhere."""
        arguments, result = sigutils.normalize_signature(signature)
        named = f"{arguments} {result}"
        if not self._stamp or " at 0x" in named:  # an argument that only this process knows
            return None
        code = self._function.__code__
        depends_on = (
            self._stamp, self._function.__module__, self._function.__qualname__, named, codegen.magic_tuple(), code.co_code,
            _cells(self._function), sys.implementation.cache_tag, numba.__version__, llvmlite.__version__, code_files.MARK,
        )  # fmt: skip
        key = hashlib.blake2b(repr(depends_on).encode(), digest_size=12).hexdigest()
        name = self._function.__qualname__.replace("<", "").replace(">", "")
        return self.folder / f"{name}-{code.co_firstlineno}.{key}{code_files.SUFFIX}"

    def load_overload(self, sig, target_context):
        """The compiled function, or None if it has to be compiled."""
        target_context.refresh()
        path = self.last_file = self.file_of(sig, target_context.codegen())
        content = code_files.read(path) if path else None
        if content is None:
            return None
        try:
            return self._unpack(target_context, serialize.pickle.loads(content))
        except Exception:  # whole, but nothing that this Python and Numba can use: it is made anew
            return None

    def save_overload(self, sig, data):
        """Keep a compiled function, if it does not hold addresses of this process."""
        path = self.file_of(sig, data.codegen)
        if path is None or data.library.has_dynamic_globals or any(not lifted.can_cache for lifted in data.lifted):
            return
        try:
            code_files.write(path, serialize.dumps(self._pack(data)))
        except code_files.CodeNotKept as problem:
            CodeCache.on_not_kept(problem)
