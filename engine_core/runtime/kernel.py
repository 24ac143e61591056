"""Compiled functions: how they are declared, cached, listed and called by address.

There are two kinds. A `kernel` is a compiled function that other compiled functions call; it is compiled with its caller. An
`entry_point` is called by its address: by Godot, by the thread pool, or by the step through a table of jobs. Use few entry points
and many kernels: an entry point costs a compilation and a cache file, a kernel inside it almost nothing.

The code of an entry point comes from the core's library (`core_library.py`) if that was built from these very sources. Otherwise
Numba compiles it; there are two ways (`kernel_compiler.py`). Numba is imported when something has to be compiled, and not before.

Compiled code is kept in the user's cache folder (`code_files.py`). The code of each module is under a hash of all sources it
depends on (`source_closure.py`), since Numba itself does not notice that a callee in another file has changed. The location of
the sources does not matter: equal checkouts and installations share compiled code.
"""

import ctypes
import functools
import importlib
import re
import threading
from typing import NamedTuple

from . import core_library
from .compiled_entry import CompiledEntry

_CTYPES = {
    "void": None, "int64": ctypes.c_int64, "int32": ctypes.c_int32, "uint32": ctypes.c_uint32,
    "float32": ctypes.c_float, "float64": ctypes.c_double, "voidptr": ctypes.c_void_p,
}  # fmt: skip


class CannotCompile(RuntimeError):
    """A function is not in the core's library, and Numba, which would compile it, is not installed."""


class Signature(NamedTuple):
    """Types of an entry point by Numba's names for them."""

    return_type: str
    args: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.return_type}({', '.join(self.args)})"


def _compiler(name: str):
    """The module that compiles, for the function `name`. Raises CannotCompile."""
    try:
        return importlib.import_module(".kernel_compiler", __package__)
    except ModuleNotFoundError as error:
        raise CannotCompile(f"{name} is not in the core's library, and cannot be compiled without {error.name}") from error


class Kernel:
    """A compiled function for use by compiled functions. If called from Python, as in tests, it is also compiled as a function of
    its own. `py_func` is the function as it is written."""

    def __init__(self, function, options: dict):
        self.py_func, self._options = function, options
        functools.update_wrapper(self, function)

    @functools.cached_property
    def compiled(self):
        """Numba's own object of it."""
        from .code_files import cache_folder_of

        compiler = _compiler(f"{self.__module__}.{self.__qualname__}")
        return compiler.make_kernel(self.py_func, self._options, cache_folder_of(self.py_func.__module__))

    @property
    def _numba_type_(self):
        """Numba asks values for their type by this name."""
        return _compiler(self.__qualname__).type_of_kernel(self.compiled)

    def __call__(self, *arguments):
        return self.compiled(*arguments)

    def __getattr__(self, name: str):
        """Look up anything else in Numba's object."""
        if name.startswith("__") or name == "compiled":
            raise AttributeError(name)
        return getattr(self.compiled, name)


def kernel(function=None, **options):
    """Declare a compiled function for use by compiled functions. It does not hold the GIL, must not raise and is never fast-math
    (`fastmath` may be given where a comment says why)."""
    if function is None:
        return lambda function: kernel(function, **options)
    return Kernel(function, options)


class EntryPoint:
    """A compiled function with a C calling convention: from the core's library, from the cache, or compiled on first use.

    Call it from Python like a function (ctypes converts; the GIL is released while it runs), or pass `address` to callers without
    Python. Any thread may make the first call: one compiles, the others wait.
    """

    def __init__(self, function, signature: Signature):
        self.function = function
        self.signature = signature
        self.name = f"{function.__module__.removeprefix('scree.')}.{function.__qualname__}"
        self.__doc__ = function.__doc__
        self._compiled: CompiledEntry | None = None
        self._call = None
        self._lock = threading.Lock()

    def _compile(self) -> CompiledEntry:
        if self._compiled is None:
            with self._lock:
                if self._compiled is None:
                    compiled = core_library.find(self.name, self.function, str(self.signature)) or self._made_by_numba()
                    arguments = [_CTYPES[argument] for argument in self.signature.args]
                    self._call = ctypes.CFUNCTYPE(_CTYPES[self.signature.return_type], *arguments)(compiled.address)
                    self._compiled = compiled  # last: other threads take it for a sign that it may be called
        return self._compiled

    def _made_by_numba(self) -> CompiledEntry:
        from .code_files import cache_folder_of

        compiler = _compiler(self.name)
        folder = cache_folder_of(self.function.__module__)
        return compiler.compile_entry(self.function, compiler.numba_signature(self.signature), folder)

    @property
    def address(self) -> int:
        """Address of the compiled code; valid until the process ends."""
        return self._compile().address

    @property
    def is_cached(self) -> bool:
        """Whether the compiled code was there (known once it is compiled)."""
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
    result, *arguments = re.findall(r"\w+", signature)
    parsed = Signature(result, tuple(arguments))

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
