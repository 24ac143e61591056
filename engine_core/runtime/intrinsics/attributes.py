"""How the functions of `runtime/attributes.py` are compiled."""

from numba import types
from numba.extending import intrinsic


@intrinsic
def keep_as_call(typing_context):
    """Compiled: keep the calling kernel as a function of its own. Otherwise LLVM copies a large kernel into each of its callers
    and optimises every copy again, which multiplies the compile time."""

    def generate(context, builder, signature, arguments):
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.void(), generate
