"""How the functions of `runtime/parking.py` are compiled."""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_INT64, _INT32 = ir.IntType(64), ir.IntType(32)


@intrinsic
def call_system(typing_context, function, a, b, c, d, e):
    """Compiled: call `int64 f(a, b, c, d, e)`. A function that takes fewer ignores the rest (true of every 64-bit C
    convention in use)."""

    def generate(context, builder, signature, arguments):
        function_type = ir.FunctionType(_INT64, [_INT64] * 5)
        return builder.call(builder.inttoptr(arguments[0], function_type.as_pointer()), list(arguments[1:]))

    return types.int64(*[types.int64] * 6), generate


def _call_c(context, builder, name: str, arguments: list):
    """Call a C function of the core's library that returns nothing."""
    function_type = ir.FunctionType(ir.VoidType(), [argument.type for argument in arguments])
    builder.call(cgutils.get_or_insert_function(builder.module, function_type, name), arguments)
    return context.get_dummy_value()


@intrinsic
def platform_give_way(typing_context):
    """Compiled: yield the core, by the C function of the core's library."""

    def generate(context, builder, signature, arguments):
        return _call_c(context, builder, "scree_give_way", [])

    return types.void(), generate


@intrinsic
def platform_wait_while(typing_context, word, value):
    """Compiled: sleep while the int32 at address `word` holds `value`, by the C function of the core's library."""

    def generate(context, builder, signature, arguments):
        return _call_c(context, builder, "scree_wait_while", list(arguments))

    return types.void(types.int64, types.int32), generate


@intrinsic
def platform_wake_all(typing_context, word):
    """Compiled: wake all threads that sleep on the word, by the C function of the core's library."""

    def generate(context, builder, signature, arguments):
        return _call_c(context, builder, "scree_wake_all", list(arguments))

    return types.void(types.int64), generate
