"""The plain way to compile: Numba's documented `njit` and `cfunc` alone, for a version of Numba whose inside is not known.

The results are the same bits. Each kernel is optimised and written out on its own and again in its callers, and nothing is
cached: Numba's cache does not notice that a callee in another file has changed, and two starts at once may mix up its files. So
every start compiles all that it uses.
"""

from pathlib import Path

import numba
from llvmlite import ir

from .code_cache import CompiledEntry

_KERNEL_OPTIONS = {"nogil": True, "error_model": "numpy"}
_ENTRY_OPTIONS = {"error_model": "numpy"}
_C_SIGNATURE = "void(int64, int64, int64)"

_c_functions: dict = {}  # of each kernel whose address was given out: kept until the process ends


def make_kernel(function, options: dict, folder: Path):
    """Declare `function` a compiled function, with Numba's options beside those of every kernel. The folder is not used."""
    return numba.njit(**{**_KERNEL_OPTIONS, **options})(function)


def compile_entry(function, signature, folder: Path) -> CompiledEntry:
    """Compile `function` with C's calling convention for a signature. The folder is not used."""
    compiled = numba.cfunc(signature, **_ENTRY_OPTIONS)(function)
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
