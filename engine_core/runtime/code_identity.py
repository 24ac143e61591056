"""The identity of compiled code, the same in every process: its sources, and all that a function closes over.

The code of an engine's function depends on the modules that its own imports, which are known by their texts. A function of a user
may name anything: the kernels and numbers that it names, and those that these kernels name, count one by one.
"""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, ModuleType

import numpy as np

from .source_closure import closure_hash, is_of_engine


def stamp_of_module(module: str, file: str) -> str:
    """Hash of the sources that code of a module depends on, including its own file if it is outside the engine. Empty if there is
    no file; then nothing is cached."""
    if is_of_engine(module):
        return closure_hash(module)
    try:
        own = Path(file).read_bytes()
    except OSError:
        return ""
    return closure_hash(module) + hashlib.sha256(own).hexdigest()


def stamp(function) -> str:
    """The hash of `stamp_of_module` for a function as it is written; for one outside the engine also of all that it names."""
    sources = stamp_of_module(function.__module__, function.__code__.co_filename)
    if not sources or is_of_engine(function.__module__):
        return sources
    return sources + hashlib.sha256("\n".join(_told_names(function, {function})).encode()).hexdigest()


def named_values(function) -> Iterator[tuple[str, object]]:
    """The globals that a function's code names, with their values, and what it may name in the modules among them; by name."""
    codes, names = [function.__code__], set()
    while codes:
        code = codes.pop()
        names |= set(code.co_names)
        codes += [each for each in code.co_consts if isinstance(each, CodeType)]
    for name in sorted(names & set(function.__globals__)):
        value = function.__globals__[name]
        yield name, value
        if isinstance(value, ModuleType):
            yield from ((f"{name}.{inner}", vars(value)[inner]) for inner in sorted(names & set(vars(value))))


def _told_names(function, seen: set) -> Iterator[str]:
    """Describe what a function outside the engine names, one line each. `seen`: functions that are described already."""
    for name, value in named_values(function):
        yield from _told_named(name, value, seen)


def _told_named(name: str, value, seen: set) -> Iterator[str]:
    """Describe a value that a function names: compiled code holds those of numbers and arrays, and the code of kernels."""
    kernel = getattr(value, "py_func", None)
    if isinstance(value, bool | int | float | complex | str | np.generic | np.dtype | None):
        yield f"{name} = {value!r}"
    elif isinstance(value, tuple):
        for k, each in enumerate(value):
            yield from _told_named(f"{name}[{k}]", each, seen)
    elif isinstance(value, np.ndarray):
        yield f"{name} = {value.dtype!r} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    elif kernel is None or is_of_engine(kernel.__module__):
        yield name  # all of the engine is in the hash of the module
    elif kernel not in seen:
        seen.add(kernel)
        yield f"{name}: {stamp_of_module(kernel.__module__, kernel.__code__.co_filename)} {told_cells(kernel)}"
        yield from _told_names(kernel, seen)


def _pickled(value) -> bytes:
    import pickle  # few functions close over values that need it

    return pickle.dumps(value)


def told(value, dumps: Callable[[object], bytes] = _pickled) -> str:
    """Describe a value that a function closes over. A compiled function is described by its location, the sources that its code
    depends on, and what it closes over: a function may close over it without an import of its module. `dumps` pickles values of
    other kinds."""
    if isinstance(value, int | float | str | None):
        return repr(value)
    if isinstance(value, tuple):
        return f"({', '.join(told(each, dumps) for each in value)},)"
    place = getattr(value, "place", None)  # of an intrinsic: its module and its name
    if isinstance(place, tuple):
        return f"{'.'.join(place)}:{closure_hash(place[0])}"
    function = getattr(value, "py_func", None)
    if function is None:
        return repr(dumps(value))
    place = f"{function.__module__}.{function.__qualname__}:{function.__code__.co_firstlineno}"
    return f"{place}:{stamp(function)}({told_cells(function, dumps)})"


def told_cells(function, dumps: Callable[[object], bytes] = _pickled) -> str:
    """Describe everything that a function, or the one it stands for, closes over."""
    function = getattr(function, "stands_for", function)
    return ", ".join(told(cell.cell_contents, dumps) for cell in function.__closure__ or ())


def identity(function, signature: str) -> str:
    """Hash of all that the code of an entry point depends on, whatever compiles it. Empty if its source has no file."""
    sources = stamp(function)
    if not sources:
        return ""
    words = (sources, function.__module__, function.__qualname__, signature, told_cells(function))
    return hashlib.blake2b(repr(words).encode(), digest_size=12).hexdigest()


def own_identity(function, signature: str) -> str:
    """Hash of all that the code of an entry point outside the engine depends on, whether its module is imported or run as the
    program. Empty if its source has no file."""
    sources = stamp(function)
    if not sources:
        return ""
    words = (sources, function.__qualname__, signature, told_cells(function))
    return hashlib.blake2b(repr(words).encode(), digest_size=12).hexdigest()
