"""How the functions of `runtime/atomics.py` are compiled."""

import platform

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ..portable_code import IS_PORTABLE

_WORDS = {32: (ir.IntType(32), types.int32), 64: (ir.IntType(64), types.int64)}


def _atomic(bits: int, operation: str, ordering: str = "seq_cst"):
    llvm_type, numba_type = _WORDS[bits]

    if operation == "load":

        @intrinsic
        def atomic(typing_context, address):
            def generate(context, builder, signature, arguments):
                return builder.load_atomic(
                    builder.inttoptr(arguments[0], llvm_type.as_pointer()), ordering, bits // 8
                )

            return numba_type(types.int64), generate

    elif operation == "store":

        @intrinsic
        def atomic(typing_context, address, value):
            def generate(context, builder, signature, arguments):
                pointer = builder.inttoptr(arguments[0], llvm_type.as_pointer())
                builder.store_atomic(arguments[1], pointer, ordering, bits // 8)
                return context.get_dummy_value()

            return types.void(types.int64, numba_type), generate

    elif operation == "compare_exchange":

        @intrinsic
        def atomic(typing_context, address, expected, replacement):
            def generate(context, builder, signature, arguments):
                pointer = builder.inttoptr(arguments[0], llvm_type.as_pointer())
                result = builder.cmpxchg(pointer, arguments[1], arguments[2], ordering, ordering)
                return builder.extract_value(result, 0)

            return numba_type(types.int64, numba_type, numba_type), generate

    else:

        @intrinsic
        def atomic(typing_context, address, value):
            def generate(context, builder, signature, arguments):
                pointer = builder.inttoptr(arguments[0], llvm_type.as_pointer())
                return builder.atomic_rmw(operation, pointer, arguments[1], ordering)

            return numba_type(types.int64, numba_type), generate

    return atomic


# Each returns the previous value of the word.
add_int32, add_int64 = _atomic(32, "add"), _atomic(64, "add")
or_int32, or_int64 = _atomic(32, "or"), _atomic(64, "or")
and_int32, and_int64 = _atomic(32, "and"), _atomic(64, "and")
min_int32, min_int64 = _atomic(32, "min"), _atomic(64, "min")
exchange_int32, exchange_int64 = _atomic(32, "xchg"), _atomic(64, "xchg")
compare_exchange_int32, compare_exchange_int64 = _atomic(32, "compare_exchange"), _atomic(64, "compare_exchange")
load_acquire_int32, load_acquire_int64 = _atomic(32, "load", "acquire"), _atomic(64, "load", "acquire")
store_release_int32, store_release_int64 = _atomic(32, "store", "release"), _atomic(64, "store", "release")
load_relaxed_int32, store_relaxed_int32 = _atomic(32, "load", "monotonic"), _atomic(32, "store", "monotonic")


def _bits_of_float():
    @intrinsic
    def to_bits(typing_context, value):
        def generate(context, builder, signature, arguments):
            return builder.bitcast(arguments[0], ir.IntType(32))

        return types.int32(types.float32), generate

    @intrinsic
    def to_float(typing_context, bits):
        def generate(context, builder, signature, arguments):
            return builder.bitcast(arguments[0], ir.FloatType())

        return types.float32(types.int32), generate

    return to_bits, to_float


float_to_bits, bits_to_float = _bits_of_float()


@intrinsic
def pause(typing_context):
    """Compiled: tell the processor that this is a spin loop."""

    def generate(context, builder, signature, arguments):
        nothing, number = ir.VoidType(), ir.IntType(32)
        if IS_PORTABLE:
            spin = cgutils.get_or_insert_function(builder.module, ir.FunctionType(nothing, []), "scree_pause")
            builder.call(spin, [])
        elif platform.machine() in ("arm64", "aarch64"):
            hint = builder.module.declare_intrinsic("llvm.aarch64.hint", [], ir.FunctionType(nothing, [number]))
            builder.call(hint, [ir.Constant(number, 1)])  # 1: yield
        else:
            builder.call(builder.module.declare_intrinsic("llvm.x86.sse2.pause", [], ir.FunctionType(nothing, [])), [])
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic
def fence(typing_context):
    """Compiled: a full fence between the stores before and the loads after."""

    def generate(context, builder, signature, arguments):
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), generate


def _one_sided_fence(ordering: str, documentation: str):
    @intrinsic
    def one_sided(typing_context):
        def generate(context, builder, signature, arguments):
            builder.fence(ordering)
            return context.get_dummy_value()

        return types.void(), generate

    one_sided.__doc__ = documentation
    return one_sided


fence_acquire = _one_sided_fence("acquire", "Compiled: loads before stay before what comes after. Costs nothing on x86.")
fence_release = _one_sided_fence("release", "Compiled: what comes before stays before stores after. Costs nothing on x86.")
