"""Compiled functions: how they are declared, cached, listed and reached by address.

Two kinds only. A `kernel` is a compiled function that other compiled functions call; it is compiled when a caller is. An
`entry_point` is reached by its address: by Godot, by the thread pool, or by the step through a table of jobs. Few entry
points, many kernels: an entry point costs a compilation and a cache file, a kernel inside it next to nothing.

The cache lives in the user's cache folder. The code of each module stands under a hash of all sources it depends on
(`source_closure.py`): Numba itself does not notice that a callee in another file has changed. Where the sources lie does not
matter: equal checkouts and installations share what one of them has compiled.
"""

import ctypes
import functools
import os
import shutil
import time
from pathlib import Path

from .cache_folder import user_cache_folder
from .source_closure import closure_hash, engine_hash, is_of_engine

KEPT_DAYS = 30
"""Compiled code that no start has used for so long is deleted [days]."""


def _choose_cache_folder() -> Path:
    """Point Numba at our cache; it must be set before Numba is imported. What was not used for long goes."""
    root = user_cache_folder() / "compiled"
    folder = root / engine_hash()
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    os.utime(folder)
    delete_unused(root)
    return folder


def delete_unused(root: Path) -> None:
    """Delete the folders of compiled code that were not used for `KEPT_DAYS`. Other starts may be doing the same."""
    for old in root.iterdir():
        try:
            is_unused = time.time() - old.stat().st_mtime > KEPT_DAYS * 86400
        except OSError:  # another start was quicker
            continue
        if is_unused:
            shutil.rmtree(old, ignore_errors=True)


CACHE_FOLDER = _choose_cache_folder()
"""Stands for all sources of the engine: the warm-up notes here that everything is compiled."""


@functools.cache
def cache_folder_of(module: str) -> Path:
    """Where the compiled code of a module is kept."""
    folder = CACHE_FOLDER.parent / closure_hash(module)
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    if is_of_engine(module):
        return folder
    return folder / module  # what is kept asks for the module by the name it had


import numba  # noqa: E402  (the cache folder must be chosen first)
from numba import types  # noqa: E402
from numba.core import caching  # noqa: E402

from .kernel_compiler import make_kernel  # noqa: E402


class EngineLocator(caching._CacheLocator):
    """Tells Numba where the code of an engine's function is kept, and that only the hash of its sources says if it is fresh.

    Numba's own locators name the folder by the path of the source and go by its time: a second checkout, or a copy in a
    virtual environment, would compile everything anew.
    """

    def __init__(self, function):
        self._module, self._line = function.__module__, function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, function, source_path):
        """A locator, or None for a function that is not of the engine: Numba then asks its own."""
        return cls(function) if is_of_engine(function.__module__) else None

    def get_cache_path(self):
        return str(cache_folder_of(self._module))

    def get_source_stamp(self):
        return closure_hash(self._module)

    def get_disambiguator(self):
        return str(self._line)


caching.CacheImpl._locator_classes.insert(0, EngineLocator)

_KERNEL_OPTIONS = {"nogil": True, "no_cfunc_wrapper": True, "error_model": "numpy"}
_ENTRY_OPTIONS = {"error_model": "numpy", "cache": True}

_CTYPES = {
    types.void: None, types.int64: ctypes.c_int64, types.int32: ctypes.c_int32,
    types.uint32: ctypes.c_uint32, types.float32: ctypes.c_float, types.float64: ctypes.c_double,
    types.voidptr: ctypes.c_void_p,
}  # fmt: skip


def kernel(function=None, **options):
    """Declare a compiled function that compiled functions call. It holds no GIL, raises nothing and is never fast-math
    (`fastmath` may be given where a comment says why)."""
    if function is None:
        return lambda function: kernel(function, **options)
    numba.config.CACHE_DIR = str(cache_folder_of(function.__module__))
    return make_kernel(function, {**_KERNEL_OPTIONS, **options})


class EntryPoint:
    """A compiled function with a C calling convention, compiled or loaded from the cache when first asked for.

    Call it from Python like a function (ctypes converts; the GIL is released while it runs), or hand `address` to
    whoever calls it without Python.
    """

    def __init__(self, function, signature):
        self.function = function
        self.signature = signature
        self.name = f"{function.__module__.removeprefix('engine_core.')}.{function.__qualname__}"
        self.__doc__ = function.__doc__
        self._compiled = None
        self._call = None

    def _compile(self):
        if self._compiled is None:
            numba.config.CACHE_DIR = str(cache_folder_of(self.function.__module__))
            self._compiled = numba.cfunc(self.signature, **_ENTRY_OPTIONS)(self.function)
            arguments = [_CTYPES[argument] for argument in self.signature.args]
            self._call = ctypes.CFUNCTYPE(_CTYPES[self.signature.return_type], *arguments)(self._compiled.address)
        return self._compiled

    @property
    def address(self) -> int:
        """Address of the compiled code; good until the process ends."""
        return self._compile().address

    @property
    def is_cached(self) -> bool:
        """Whether the compiled code came from the cache (known once it is compiled)."""
        return self._compile()._cache_hits > 0 if hasattr(self._compile(), "_cache_hits") else False

    def __call__(self, *arguments):
        if self._call is None:
            self._compile()
        return self._call(*arguments)


_registry: list[EntryPoint] = []


def entry_point(signature: str):
    """Declare a function reached by address. `signature` is Numba's, for example `"void(int64, int64, int64, int64)"`."""
    parsed = numba.core.sigutils.normalize_signature(signature)
    parsed = parsed[1](*parsed[0])

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
VIRTUAL_SIGNATURE = "void(int64, int64, int64)"
"""What a host calls by pointer: `(instance, arguments, return slot)`, all addresses."""
