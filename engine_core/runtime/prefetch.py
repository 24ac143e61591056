"""A hint to the processor that memory will be wanted soon: for loops that go from row to row in no order of addresses."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def prefetch(typing_context, address):
    """Compiled: have the cache line at an address fetched. Never faults, and nothing is read."""

    def generate(context, builder, signature, arguments):
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch.p0", [], kind)
        # For reading: lines that other threads have stay theirs. Kept in all caches, data.
        builder.call(function, [builder.inttoptr(arguments[0], pointer), number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(types.int64), generate
