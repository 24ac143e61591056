"""How the functions of `runtime/call.py` are compiled."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_INT64, _INT32, _FLOAT = ir.IntType(64), ir.IntType(32), ir.FloatType()


def _call(builder, return_type, address, arguments):
    function_type = ir.FunctionType(return_type, [argument.type for argument in arguments])
    return builder.call(builder.inttoptr(address, function_type.as_pointer()), arguments)


@intrinsic
def call_job(typing_context, job, context_address, begin, end, worker):
    """Compiled: call the job at address `job` with `(context_address, begin, end, worker)`."""
    signature = types.void(types.int64, types.int64, types.int64, types.int64, types.int64)

    def generate(context, builder, signature, arguments):
        _call(builder, ir.VoidType(), arguments[0], arguments[1:])
        return context.get_dummy_value()

    return signature, generate


def _address_call(name: str, return_type, numba_return, count: int, last=None, documentation: str = ""):
    """Make an intrinsic that calls an address with `count` address arguments and, if `last` is given, one more."""
    numba_arguments = [types.int64] * (count + 1) + ([last] if last else [])

    def body(typing_context, *argument_types):
        signature = numba_return(*numba_arguments)

        def generate(context, builder, signature, arguments):
            result = _call(builder, return_type, arguments[0], list(arguments[1:]))
            return context.get_dummy_value() if numba_return is types.void else result

        return signature, generate

    names = ", ".join(["function"] + [f"argument_{i}" for i in range(count + (1 if last else 0))])
    scope = {"body": body}
    exec(f"def {name}(typing_context, {names}):\n    return body(typing_context, {names})", scope)  # noqa: S102
    made = scope[name]
    made.__doc__ = documentation
    made.__module__ = __name__
    return intrinsic(made)


call_0 = _address_call("call_0", ir.VoidType(), types.void, 0, documentation="Compiled: call `void f()`.")
call_0_result = _address_call(
    "call_0_result", _INT64, types.int64, 0, documentation="Compiled: call `int64 f()` and give its result."
)
call_1 = _address_call("call_1", ir.VoidType(), types.void, 1, documentation="Compiled: call `void f(a)`.")
call_2 = _address_call("call_2", ir.VoidType(), types.void, 2, documentation="Compiled: call `void f(a, b)`.")
call_3 = _address_call("call_3", ir.VoidType(), types.void, 3, documentation="Compiled: call `void f(a, b, c)`.")
call_4 = _address_call("call_4", ir.VoidType(), types.void, 4, documentation="Compiled: call `void f(a, b, c, d)`.")
call_6 = _address_call(
    "call_6", ir.VoidType(), types.void, 6, documentation="Compiled: call `void f(a, b, c, d, e, f)`."
)
call_3_int = _address_call(
    "call_3_int", ir.VoidType(), types.void, 3, types.int32, "Compiled: call `void f(a, b, c, int32 n)`."
)
call_1_float = _address_call(
    "call_1_float", ir.VoidType(), types.void, 1, types.float64, "Compiled: call `void f(a, double x)`."
)
call_2_float = _address_call(
    "call_2_float", ir.VoidType(), types.void, 2, types.float64, "Compiled: call `void f(a, b, double x)`."
)
call_1_result = _address_call(
    "call_1_result", _INT64, types.int64, 1, documentation="Compiled: call `int64 f(a)` and give its result."
)
call_2_result = _address_call(
    "call_2_result", _INT64, types.int64, 2, documentation="Compiled: call `int64 f(a, b)` and give its result."
)

call_3_result = _address_call(
    "call_3_result", _INT64, types.int64, 3, documentation="Compiled: call `int64 f(a, b, c)` and give its result."
)

call_6_result = _address_call(
    "call_6_result", _INT64, types.int64, 6, documentation="Compiled: call `int64 f(a, b, c, d, e, f)` and give its result."
)
call_7_result = _address_call(
    "call_7_result", _INT64, types.int64, 7, documentation="Compiled: call `int64 f(a, b, c, d, e, f, g)` and give its result."
)


@intrinsic
def load_address(typing_context, address):
    """Compiled: the 64-bit word at `address`."""
    signature = types.int64(types.int64)

    def generate(context, builder, signature, arguments):
        return builder.load(builder.inttoptr(arguments[0], _INT64.as_pointer()))

    return signature, generate


def _typed_access(llvm_type, numba_type):
    @intrinsic
    def load(typing_context, address):
        signature = numba_type(types.int64)

        def generate(context, builder, signature, arguments):
            loaded = builder.load(builder.inttoptr(arguments[0], llvm_type.as_pointer()))
            loaded.align = 1
            return loaded

        return signature, generate

    @intrinsic
    def store(typing_context, address, value):
        signature = types.void(types.int64, numba_type)

        def generate(context, builder, signature, arguments):
            stored = builder.store(arguments[1], builder.inttoptr(arguments[0], llvm_type.as_pointer()))
            stored.align = 1
            return context.get_dummy_value()

        return signature, generate

    return load, store


load_float32, store_float32 = _typed_access(_FLOAT, types.float32)
load_float64, store_float64 = _typed_access(ir.DoubleType(), types.float64)
load_int64, store_int64 = _typed_access(_INT64, types.int64)
load_int32, store_int32 = _typed_access(_INT32, types.int32)
load_uint32, store_uint32 = _typed_access(_INT32, types.uint32)
load_uint8, store_uint8 = _typed_access(ir.IntType(8), types.uint8)
