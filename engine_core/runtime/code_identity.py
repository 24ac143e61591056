"""The identity of compiled code, the same in every process: its sources, and all that a function closes over."""

import hashlib
import pickle
from collections.abc import Callable
from pathlib import Path

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
    """The hash of `stamp_of_module` for a function as it is written."""
    return stamp_of_module(function.__module__, function.__code__.co_filename)


def told(value, dumps: Callable[[object], bytes] = pickle.dumps) -> str:
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


def told_cells(function, dumps: Callable[[object], bytes] = pickle.dumps) -> str:
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
