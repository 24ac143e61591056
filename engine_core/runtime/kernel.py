"""Compiled functions: how they are declared, cached, listed and called by address.

There are two kinds. A `kernel` is a compiled function that other compiled functions call; it is compiled with its caller. An
`entry_point` is called by its address: by Godot, by the thread pool, or by the step through a table of jobs. Use few entry points
and many kernels: an entry point costs a compilation and a cache file, a kernel inside it almost nothing. There are two ways to
compile them (`kernel_compiler.py`).

Compiled code is kept in the user's cache folder (`code_files.py`). The code of each module is under a hash of all sources it
depends on (`source_closure.py`), since Numba itself does not notice that a callee in another file has changed. The location of
the sources does not matter: equal checkouts and installations share compiled code.
"""

import ctypes
import re

from numba import types

from .code_cache import CompiledEntry
from .code_files import cache_folder_of
from .kernel_compiler import compile_entry, make_kernel

_CTYPES = {
    types.void: None, types.int64: ctypes.c_int64, types.int32: ctypes.c_int32,
    types.uint32: ctypes.c_uint32, types.float32: ctypes.c_float, types.float64: ctypes.c_double,
    types.voidptr: ctypes.c_void_p,
}  # fmt: skip


def kernel(function=None, **options):
    """Declare a compiled function for use by compiled functions. It does not hold the GIL, must not raise and is never fast-math
    (`fastmath` may be given where a comment says why)."""
    if function is None:
        return lambda function: kernel(function, **options)
    return make_kernel(function, options, cache_folder_of(function.__module__))


class EntryPoint:
    """A compiled function with a C calling convention, compiled or loaded from the cache on first use.

    Call it from Python like a function (ctypes converts; the GIL is released while it runs), or pass `address` to callers without
    Python.
    """

    def __init__(self, function, signature):
        self.function = function
        self.signature = signature
        self.name = f"{function.__module__.removeprefix('scree.')}.{function.__qualname__}"
        self.__doc__ = function.__doc__
        self._compiled: CompiledEntry | None = None
        self._call = None

    def _compile(self) -> CompiledEntry:
        if self._compiled is None:
            self._compiled = compile_entry(self.function, self.signature, cache_folder_of(self.function.__module__))
            arguments = [_CTYPES[argument] for argument in self.signature.args]
            self._call = ctypes.CFUNCTYPE(_CTYPES[self.signature.return_type], *arguments)(self._compiled.address)
        return self._compiled

    @property
    def address(self) -> int:
        """Address of the compiled code; valid until the process ends."""
        return self._compile().address

    @property
    def is_cached(self) -> bool:
        """Whether the compiled code came from the cache (known once it is compiled)."""
        return self._compile().is_cached

    @property
    def code_file(self):
        """The file of the compiled code, or None if it is not cached."""
        return self._compile().file

    def __call__(self, *arguments):
        if self._call is None:
            self._compile()
        return self._call(*arguments)


_registry: list[EntryPoint] = []


def entry_point(signature: str):
    """Declare a function called by address. `signature` is Numba's, for example `"void(int64, int64, int64, int64)"`."""
    result, *arguments = (getattr(types, name) for name in re.findall(r"\w+", signature))
    parsed = result(*arguments)

    def declare(function):
        entry = EntryPoint(function, parsed)
        _registry.append(entry)
        return entry

    return declare


def registry() -> list[EntryPoint]:
    """Every entry point declared so far, in order of declaration."""
    return list(_registry)


JOB_SIGNATURE = "void(int64, int64, int64, int64)"
"""A job: `(context address, begin, end, worker)`. It does the items `begin` to `end - 1`."""
