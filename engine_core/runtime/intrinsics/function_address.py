"""How the functions of `runtime/function_address.py` are compiled."""

import warnings

from llvmlite import ir
from numba import errors, types
from numba.extending import intrinsic

from ..kernel_compiler import address_generator

# Numba first treats a tuple of kernels as function objects and warns that those are experimental; none are made.
warnings.filterwarnings("ignore", category=errors.NumbaExperimentalFeatureWarning)

_INT64 = ir.IntType(64)


@intrinsic
def store_function_addresses(typing_context, table, kernels):
    """Compiled: write the addresses of a global tuple of kernels, as `void f(int64, int64, int64)` in C, to the words from
    address `table` on, in the order of the tuple. The kernels must not raise."""
    if not isinstance(kernels, types.BaseTuple) or not all(isinstance(k, types.Dispatcher) for k in kernels.types):
        return None
    address_generators = [address_generator(kernel) for kernel in kernels.types]

    def generate(context, builder, signature, arguments):
        for number, generate_address in enumerate(address_generators):
            place = builder.add(arguments[0], _INT64(8 * number))
            builder.store(generate_address(context, builder), builder.inttoptr(place, _INT64.as_pointer()))
        return context.get_dummy_value()

    return types.void(types.int64, kernels), generate
