"""Asking for memory before it is needed."""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

READ, KEEP, DATA = 0, 3, 1


@intrinsic
def prefetch(typing_context, address):
    """Compiled: bring the cache line at `address` near; any address will do, nothing is read."""

    def generate(context, builder, signature, arguments):
        byte = ir.IntType(8).as_pointer()
        word = ir.IntType(32)
        function_type = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        function = cgutils.get_or_insert_function(builder.module, function_type, "llvm.prefetch.p0i8")
        pointer = builder.inttoptr(arguments[0], byte)
        builder.call(function, [pointer, *(ir.Constant(word, number) for number in (READ, KEEP, DATA))])
        return context.get_dummy_value()

    return types.void(types.int64), generate
