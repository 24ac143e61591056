"""How the functions of `runtime/vector8.py` are compiled."""

import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, lower_builtin, type_callable

from .lanes import ARITHMETIC, DIVISION, IN_PLACE, LanesType, declare

LANES = 8
_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_INTEGERS = ir.VectorType(ir.IntType(32), LANES)


class Float8Type(LanesType):
    name_of_vector, vector = "float8", _VECTOR


float8 = declare(Float8Type, ARITHMETIC | DIVISION | IN_PLACE)


@type_callable(operator.neg)
def _type_negate(typing_context):
    return lambda a: float8 if a == float8 else None


@lower_builtin(operator.neg, float8)
def _lower_negate(context, builder, signature, arguments):
    return builder.fneg(arguments[0])


def _pointer(builder, address):
    return builder.inttoptr(address, _VECTOR.as_pointer())


@intrinsic
def load8(typing_context, address):
    """Compiled: the eight floats at `address` (any alignment)."""

    def generate(context, builder, signature, arguments):
        loaded = builder.load(_pointer(builder, arguments[0]))
        loaded.align = 4
        return loaded

    return float8(types.int64), generate


@intrinsic
def store8(typing_context, address, value):
    """Compiled: store eight floats at `address` (any alignment)."""

    def generate(context, builder, signature, arguments):
        stored = builder.store(arguments[1], _pointer(builder, arguments[0]))
        stored.align = 4
        return context.get_dummy_value()

    return types.void(types.int64, float8), generate


@intrinsic
def splat8(typing_context, value):
    """Compiled: one float in all eight lanes."""

    def generate(context, builder, signature, arguments):
        vector = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), arguments[0], ir.Constant(ir.IntType(32), 0))
        zero = ir.Constant(_INTEGERS, [0] * LANES)
        return builder.shuffle_vector(vector, ir.Constant(_VECTOR, ir.Undefined), zero)

    return float8(types.float32), generate


def _compare_and_choose(predicate):
    @intrinsic
    def choose(typing_context, a, b, if_true, if_false):
        def generate(context, builder, signature, arguments):
            condition = builder.fcmp_ordered(predicate, arguments[0], arguments[1])
            return builder.select(condition, arguments[2], arguments[3])

        return float8(float8, float8, float8, float8), generate

    return choose


where_less8 = _compare_and_choose("<")
"""`where_less8(a, b, x, y)`: in each lane x if a < b, else y."""
where_greater8 = _compare_and_choose(">")


def _extreme(predicate):
    @intrinsic
    def extreme(typing_context, a, b):
        def generate(context, builder, signature, arguments):
            condition = builder.fcmp_ordered(predicate, arguments[0], arguments[1])
            return builder.select(condition, arguments[0], arguments[1])

        return float8(float8, float8), generate

    return extreme


max8, min8 = _extreme(">"), _extreme("<")


def _unary_call(name):
    @intrinsic
    def call(typing_context, a):
        def generate(context, builder, signature, arguments):
            function_type = ir.FunctionType(_VECTOR, [_VECTOR])
            function = cgutils.get_or_insert_function(builder.module, function_type, name)
            return builder.call(function, arguments)

        return float8(float8), generate

    return call


square_root8 = _unary_call("llvm.sqrt.v8f32")
absolute8 = _unary_call("llvm.fabs.v8f32")


@intrinsic
def fused_multiply_add(typing_context, a, b, c):
    """Compiled: a * b + c in each lane, rounded once."""

    def generate(context, builder, signature, arguments):
        function_type = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
        function = cgutils.get_or_insert_function(builder.module, function_type, "llvm.fma.v8f32")
        return builder.call(function, arguments)

    return float8(float8, float8, float8), generate


@intrinsic
def transpose8(typing_context, a, b, c, d, e, f, g, h):
    """Compiled: eight rows of eight floats to eight columns (24 shuffles)."""

    def generate(context, builder, signature, arguments):
        def shuffle(x, y, mask):
            return builder.shuffle_vector(x, y, ir.Constant(_INTEGERS, mask))

        low, high = [0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15]
        rows = list(arguments)
        pairs = []
        for i in range(0, 8, 2):
            pairs += [shuffle(rows[i], rows[i + 1], low), shuffle(rows[i], rows[i + 1], high)]
        first, second = [0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15]
        quads = []
        for i in (0, 4):
            quads += [shuffle(pairs[i], pairs[i + 2], first), shuffle(pairs[i], pairs[i + 2], second)]
            quads += [shuffle(pairs[i + 1], pairs[i + 3], first), shuffle(pairs[i + 1], pairs[i + 3], second)]
        lower, upper = [0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15]
        columns = [shuffle(quads[i], quads[i + 4], lower) for i in range(4)]
        columns += [shuffle(quads[i], quads[i + 4], upper) for i in range(4)]
        return context.make_tuple(builder, signature.return_type, columns)

    return types.UniTuple(float8, 8)(*[float8] * 8), generate


@intrinsic
def load_bytes8(typing_context, address):
    """Compiled: the eight unsigned bytes at `address`, as floats."""

    def generate(context, builder, signature, arguments):
        bytes8 = ir.VectorType(ir.IntType(8), LANES)
        loaded = builder.load(builder.inttoptr(arguments[0], bytes8.as_pointer()))
        loaded.align = 1
        return builder.uitofp(builder.zext(loaded, _INTEGERS), _VECTOR)

    return float8(types.int64), generate


@intrinsic
def mask_less_equal8(typing_context, a, b):
    """Compiled: bit i is set where a <= b in lane i; not set for NaN."""

    def generate(context, builder, signature, arguments):
        lanes = builder.fcmp_ordered("<=", *arguments)
        return builder.zext(builder.bitcast(lanes, ir.IntType(LANES)), ir.IntType(64))

    return types.int64(float8, float8), generate


@intrinsic
def lane8(typing_context, vector, index):
    """Compiled: the float in lane `index`."""

    def generate(context, builder, signature, arguments):
        return builder.extract_element(arguments[0], arguments[1])

    return types.float32(float8, types.int64), generate


@intrinsic
def load_points8(typing_context, points, indices, stride):
    """Compiled: (x, y, z) of eight points: rows of three floats at the address `points`, selected by the int32 at `indices`,
    `indices + stride`, ... Reads one float beyond a row. Rows are loaded whole and transposed: gathers are slow on processors
    with mitigations against data sampling."""

    def generate(context, builder, signature, arguments):
        word, wide, row = ir.IntType(32), ir.IntType(64), ir.VectorType(ir.FloatType(), 4)
        rows = []
        for lane in range(LANES):
            place = builder.add(arguments[1], builder.mul(arguments[2], wide(lane)))
            index = builder.load(builder.inttoptr(place, word.as_pointer()))
            index.align = 4
            at = builder.add(arguments[0], builder.mul(builder.sext(index, wide), wide(12)))
            loaded = builder.load(builder.inttoptr(at, row.as_pointer()))
            loaded.align = 4
            rows.append(loaded)

        def shuffle(x, y, mask):
            return builder.shuffle_vector(x, y, ir.Constant(_INTEGERS, mask))

        pairs = [shuffle(rows[i], rows[i + 4], list(range(8))) for i in range(4)]
        low, high = [0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15]
        a, b = shuffle(pairs[0], pairs[1], low), shuffle(pairs[2], pairs[3], low)
        c, d = shuffle(pairs[0], pairs[1], high), shuffle(pairs[2], pairs[3], high)
        first, second = [0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15]
        columns = (shuffle(a, b, first), shuffle(a, b, second), shuffle(c, d, first))
        return context.make_tuple(builder, signature.return_type, columns)

    return types.UniTuple(float8, 3)(types.int64, types.int64, types.int64), generate
