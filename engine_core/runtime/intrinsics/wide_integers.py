"""How the functions of `runtime/wide_integers.py` are compiled."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_WIDE = ir.IntType(128)


@intrinsic
def add_product(typing_context, address, a, b):
    """Compiled: add a * b to the 128-bit whole number at `address`, which is aligned to eight bytes."""

    def generate(context, builder, signature, arguments):
        pointer = builder.inttoptr(arguments[0], _WIDE.as_pointer())
        before = builder.load(pointer)
        before.align = 8
        product = builder.mul(builder.sext(arguments[1], _WIDE), builder.sext(arguments[2], _WIDE))
        stored = builder.store(builder.add(before, product), pointer)
        stored.align = 8
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate
