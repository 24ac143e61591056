"""The plain way to compile: Numba's documented `njit` and `cfunc` alone, for a version of Numba whose inside is not known.

The results are the same bits. Each kernel is optimised and written out on its own and again in its callers, and nothing is
cached: Numba's cache does not notice that a callee in another file has changed, and two starts at once may mix up its files. So
every start compiles all that it uses.
"""

import functools
import types as python_types
from pathlib import Path

import numba
from llvmlite import ir

from .compiled_entry import CompiledEntry
from .intrinsic import Intrinsic

_KERNEL_OPTIONS = {"nogil": True, "error_model": "numpy"}
_ENTRY_OPTIONS = {"error_model": "numpy"}
_C_SIGNATURE = "void(int64, int64, int64)"

_c_functions: dict = {}  # of each kernel whose address was given out: kept until the process ends


@functools.cache
def _numbas_module(module):
    """A copy of a module that holds Numba's own objects of intrinsics."""
    copy = python_types.ModuleType(module.__name__)
    vars(copy).update({name: _numbas(value) for name, value in vars(module).items() if isinstance(value, Intrinsic)})
    return copy


def _numbas(value):
    """Numba's own object of an intrinsic, or of a module of them; anything else as it is."""
    if isinstance(value, python_types.ModuleType):
        return _numbas_module(value) if any(isinstance(each, Intrinsic) for each in vars(value).values()) else value
    return value.compiled if isinstance(value, Intrinsic) else value


def _with_numbas_objects(function):
    """A copy of a function that refers to Numba's own objects of intrinsics: plainly, Numba cannot be told the type of ours."""
    names = {name: _numbas(value) for name, value in function.__globals__.items()}
    cells = tuple(python_types.CellType(_numbas(cell.cell_contents)) for cell in function.__closure__ or ())
    copy = python_types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, cells or None)
    return functools.update_wrapper(copy, function)


def type_of_intrinsic(compiled):
    """Numba's type of a function that is written as instructions. Raises TypeError: the plain way cannot tell."""
    raise TypeError(f"{compiled} can only be called by kernels and entry points where Numba is used plainly")


def make_kernel(function, options: dict, folder: Path):
    """Declare `function` a compiled function, with Numba's options beside those of every kernel. The folder is not used."""
    return numba.njit(**{**_KERNEL_OPTIONS, **options})(_with_numbas_objects(function))


def compile_entry(function, signature, folder: Path) -> CompiledEntry:
    """Compile `function` with C's calling convention for a signature. The folder is not used."""
    compiled = numba.cfunc(signature, **_ENTRY_OPTIONS)(_with_numbas_objects(function))
    return CompiledEntry(compiled.address, False, None, compiled)


def address_generator(kernel_type):
    """Compile a kernel, given as its type, for three int64. Returns the generator `(context, builder)` of its address as `void
    f(int64, int64, int64)` in C: a constant, valid in this process only. The kernel must not raise."""
    function = kernel_type.dispatcher.py_func
    if function not in _c_functions:
        _c_functions[function] = numba.cfunc(_C_SIGNATURE, **_ENTRY_OPTIONS)(function)
    address = _c_functions[function].address

    def generate(context, builder):
        return ir.IntType(64)(address)

    return generate
