"""How the functions of `runtime/prefetch.py` are compiled."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def prefetch(typing_context, address):
    """Compiled: prefetch the cache line at an address. Never faults, and nothing is read."""

    def generate(context, builder, signature, arguments):
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch.p0", [], kind)
        # For reading: lines of other threads stay theirs. Kept in all caches, data.
        builder.call(function, [builder.inttoptr(arguments[0], pointer), number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(types.int64), generate
