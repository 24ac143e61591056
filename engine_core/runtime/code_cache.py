"""The cache of compiled code that Numba uses: a file for each function and signature.

Numba's own cache has one index per function. Two starts at once may overwrite each other's index, so that a signature gets
another one's code; it does not check content, and fails where a file cannot be read or written. Here the name of a file contains
the hash of everything its content depends on. Relies on the interface of Numba's caches (numba.core.caching).
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
    """Convert a function with machine code to its cached form."""
    return result._reduce()


def unpack_function(target_context, kept: tuple):
    """Restore the function from the form of `pack_function`."""
    return compiler.CompileResult._rebuild(target_context, *kept)


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


def _told(value) -> str:
    """Describe a value that a function closes over, the same in every process. A compiled function is described by its location
    and what it closes over; Numba's own form of it contains a number that differs each time."""
    function = getattr(value, "py_func", None)
    if function is None:
        return repr(value) if isinstance(value, int | float | str | None) else repr(serialize.dumps(value))
    return f"{function.__module__}.{function.__qualname__}:{function.__code__.co_firstlineno}({_cells(function)})"


def _cells(function) -> str:
    """Describe everything that a function, or the one it stands for, closes over."""
    function = getattr(function, "stands_for", function)
    return ", ".join(_told(cell.cell_contents) for cell in function.__closure__ or ())


class CodeCache(caching._Cache):
    """The cached code of one function, in a folder. `pack` and `unpack` as above. `on_not_kept` is called when code could not be
    cached."""

    on_not_kept = staticmethod(code_files.say_not_kept)

    def __init__(self, function, folder: Path, pack=pack_function, unpack=unpack_function):
        self._function, self.folder, self._pack, self._unpack = function, folder, pack, unpack
        self._stamp = _stamp(function)
        self.last_file: Path | None = None

    @property
    def cache_path(self):
        return str(self.folder)

    def enable(self):
        """Do nothing: Numba calls this, but the cache is always on."""

    def disable(self):
        """Do nothing, as `enable`."""

    def flush(self):
        """Do nothing, as `enable`: outdated code is never found."""

    def file_of(self, signature, codegen) -> Path | None:
        """The file of the code for a signature, or None if it is not cached."""
        arguments, result = sigutils.normalize_signature(signature)
        named = f"{arguments} {result}"
        if not self._stamp or " at 0x" in named:  # an argument that exists only in this process
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
        """Load the compiled function, or None if it must be compiled."""
        target_context.refresh()
        path = self.last_file = self.file_of(sig, target_context.codegen())
        content = code_files.read(path) if path else None
        if content is None:
            return None
        try:
            return self._unpack(target_context, serialize.pickle.loads(content))
        except Exception:  # intact, but not usable by this Python and Numba: it is compiled again
            return None

    def save_overload(self, sig, data):
        """Cache a compiled function, unless it contains addresses of this process."""
        path = self.file_of(sig, data.codegen)
        if path is None or data.library.has_dynamic_globals or any(not lifted.can_cache for lifted in data.lifted):
            return
        try:
            code_files.write(path, serialize.dumps(self._pack(data)))
        except code_files.CodeNotKept as problem:
            CodeCache.on_not_kept(problem)
