"""How the functions of `runtime/double4.py` are compiled."""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .lanes import ARITHMETIC, DIVISION, LanesType, declare

LANES = 4
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_INTEGERS = ir.VectorType(ir.IntType(32), LANES)


class Double4Type(LanesType):
    name_of_vector, vector = "double4", _VECTOR


double4 = declare(Double4Type, ARITHMETIC | DIVISION)


def _pointer(builder, address):
    return builder.inttoptr(address, _VECTOR.as_pointer())


def _shuffle(builder, a, b, lanes):
    return builder.shuffle_vector(a, b, ir.Constant(_INTEGERS, lanes))


@intrinsic
def load_double4(typing_context, address):
    """Compiled: the four doubles at `address` (any alignment)."""

    def generate(context, builder, signature, arguments):
        loaded = builder.load(_pointer(builder, arguments[0]))
        loaded.align = 8
        return loaded

    return double4(types.int64), generate


@intrinsic
def load_float4(typing_context, address):
    """Compiled: the four floats at `address` (any alignment), as doubles."""

    def generate(context, builder, signature, arguments):
        narrow = ir.VectorType(ir.FloatType(), LANES)
        loaded = builder.load(builder.inttoptr(arguments[0], narrow.as_pointer()))
        loaded.align = 4
        return builder.fpext(loaded, _VECTOR)

    return double4(types.int64), generate


@intrinsic
def store_double4(typing_context, address, value):
    """Compiled: store four doubles at `address` (any alignment)."""

    def generate(context, builder, signature, arguments):
        stored = builder.store(arguments[1], _pointer(builder, arguments[0]))
        stored.align = 8
        return context.get_dummy_value()

    return types.void(types.int64, double4), generate


@intrinsic
def splat_double4(typing_context, value):
    """Compiled: one double in all four lanes."""

    def generate(context, builder, signature, arguments):
        undefined = ir.Constant(_VECTOR, ir.Undefined)
        vector = builder.insert_element(undefined, arguments[0], ir.Constant(ir.IntType(32), 0))
        return _shuffle(builder, vector, undefined, [0] * LANES)

    return double4(types.float64), generate


@intrinsic
def lane_of_double4(typing_context, vector, lane, last):
    """Compiled: the constant `lane` of a vector in the lanes 0 to 2, and the lane 3 of `last` in lane 3."""
    if not isinstance(lane, types.IntegerLiteral):
        return None
    chosen = lane.literal_value

    def generate(context, builder, signature, arguments):
        return _shuffle(builder, arguments[0], arguments[2], [chosen] * 3 + [LANES + 3])

    return double4(double4, lane, double4), generate


@intrinsic
def max_double4(typing_context, a, b):
    """Compiled: the larger of a and b in each lane."""

    def generate(context, builder, signature, arguments):
        return builder.select(builder.fcmp_ordered(">", *arguments), *arguments)

    return double4(double4, double4), generate


@intrinsic
def root_double4(typing_context, a):
    """Compiled: the square root of each lane."""

    def generate(context, builder, signature, arguments):
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_VECTOR, [_VECTOR]), "llvm.sqrt.v4f64")
        return builder.call(function, arguments)

    return double4(double4), generate


@intrinsic
def columns_of_double4(typing_context, a, b, c, d):
    """Compiled: the lanes 0, 1 and 2 of four vectors as three columns."""

    def generate(context, builder, signature, arguments):
        a, b, c, d = arguments
        low, high = [0, 4, 2, 6], [1, 5, 3, 7]
        ab, cd, ab_odd, cd_odd = (_shuffle(builder, x, y, lanes) for lanes in (low, high) for x, y in ((a, b), (c, d)))
        first, second = [0, 1, 4, 5], [2, 3, 6, 7]
        columns = [_shuffle(builder, ab, cd, first), _shuffle(builder, ab_odd, cd_odd, first), _shuffle(builder, ab, cd, second)]
        return context.make_tuple(builder, signature.return_type, columns)

    return types.UniTuple(double4, 3)(*[double4] * 4), generate
