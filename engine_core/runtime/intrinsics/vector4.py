"""How the functions of `runtime/vector4.py` are compiled."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .lanes import ARITHMETIC, LanesType, declare

LANES = 4
_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_INT32 = ir.IntType(32)


class Float4Type(LanesType):
    name_of_vector, vector = "float4", _VECTOR


float4 = declare(Float4Type, ARITHMETIC)


def _pointer(builder, address):
    return builder.inttoptr(address, _VECTOR.as_pointer())


@intrinsic
def load4(typing_context, address):
    """Compiled: the four floats at `address` (any alignment)."""

    def generate(context, builder, signature, arguments):
        loaded = builder.load(_pointer(builder, arguments[0]))
        loaded.align = 4
        return loaded

    return float4(types.int64), generate


@intrinsic
def store4(typing_context, address, value):
    """Compiled: store four floats at `address` (any alignment)."""

    def generate(context, builder, signature, arguments):
        stored = builder.store(arguments[1], _pointer(builder, arguments[0]))
        stored.align = 4
        return context.get_dummy_value()

    return types.void(types.int64, float4), generate


@intrinsic
def splat4(typing_context, value):
    """Compiled: one float in all four lanes."""

    def generate(context, builder, signature, arguments):
        undefined = ir.Constant(_VECTOR, ir.Undefined)
        vector = builder.insert_element(undefined, arguments[0], ir.Constant(_INT32, 0))
        zero = ir.Constant(ir.VectorType(_INT32, LANES), [0] * LANES)
        return builder.shuffle_vector(vector, undefined, zero)

    return float4(types.float32), generate


def _extreme(predicate):
    @intrinsic
    def extreme(typing_context, a, b):
        def generate(context, builder, signature, arguments):
            return builder.select(builder.fcmp_ordered(predicate, *arguments), *arguments)

        return float4(float4, float4), generate

    return extreme


max4, min4 = _extreme(">"), _extreme("<")


@intrinsic
def mask_less_equal4(typing_context, a, b):
    """Compiled: bit i is set where a <= b in lane i."""

    def generate(context, builder, signature, arguments):
        lanes = builder.fcmp_ordered("<=", *arguments)
        return builder.zext(builder.bitcast(lanes, ir.IntType(LANES)), ir.IntType(64))

    return types.int64(float4, float4), generate


@intrinsic
def lane4(typing_context, vector, index):
    """Compiled: the float in lane `index`."""

    def generate(context, builder, signature, arguments):
        return builder.extract_element(arguments[0], arguments[1])

    return types.float32(float4, types.int64), generate


@intrinsic
def count_trailing_zeros(typing_context, value):
    """Compiled: the index of the lowest set bit of `value`, which must not be 0."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate
