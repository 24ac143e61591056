"""The addresses of kernels as C functions, taken inside compiled code.

A host that calls by pointer needs many small functions. As entry points each would cost a compilation unit, a cache file and some
milliseconds at every start. Here one entry point contains them all and writes their addresses to a table.
"""

import warnings

from llvmlite import ir
from numba import types
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.extending import intrinsic

# Numba first treats a tuple of kernels as function objects and warns that those are experimental; none are made.
warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)

_INT64 = ir.IntType(64)
_ARGUMENTS = (types.int64, types.int64, types.int64)


def _as_c_function(context, module, compiled):
    """Make a function of the module with C's calling convention that calls a compiled kernel."""
    function_type = ir.FunctionType(ir.VoidType(), [_INT64] * len(_ARGUMENTS))
    function = ir.Function(module, function_type, f"as_c_function.{compiled.fndesc.mangled_name}")
    function.linkage = "internal"
    builder = ir.IRBuilder(function.append_basic_block())
    callee = context.declare_function(module, compiled.fndesc)
    context.call_conv.call_function(
        builder, callee, compiled.fndesc.restype, compiled.fndesc.argtypes, list(function.args)
    )
    builder.ret_void()
    return function


@intrinsic
def store_function_addresses(typing_context, table, kernels):
    """Compiled: write the addresses of a global tuple of kernels, as `void f(int64, int64, int64)` in C, to the words from
    address `table` on, in the order of the tuple. The kernels must not raise."""
    if not isinstance(kernels, types.BaseTuple) or not all(isinstance(k, types.Dispatcher) for k in kernels.types):
        return None
    compiled_kernels = []
    for kernel in kernels.types:
        kernel.dispatcher.compile(_ARGUMENTS)
        compiled_kernels.append(kernel.dispatcher.overloads[_ARGUMENTS])

    def generate(context, builder, signature, arguments):
        functions = {}
        for number, compiled in enumerate(compiled_kernels):
            name = compiled.fndesc.mangled_name
            if name not in functions:
                context.active_code_library.add_linking_library(compiled.library)
                functions[name] = _as_c_function(context, builder.module, compiled)
            function = functions[name]
            place = builder.add(arguments[0], _INT64(8 * number))
            builder.store(builder.ptrtoint(function, _INT64), builder.inttoptr(place, _INT64.as_pointer()))
        return context.get_dummy_value()

    return types.void(types.int64, kernels), generate
