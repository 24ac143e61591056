"""How the functions of `runtime/timeline.py` are compiled."""

import platform

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ..portable_code import IS_PORTABLE


@intrinsic
def cycles(typing_context):
    """Compiled: the processor's counter [cycle]. Some ten nanoseconds; not a fence."""

    def generate(context, builder, signature, arguments):
        module, counter = builder.module, ir.IntType(64)
        if IS_PORTABLE:
            return builder.call(cgutils.get_or_insert_function(module, ir.FunctionType(counter, []), "scree_cycles"), [])
        if platform.machine() in ("arm64", "aarch64"):
            # The cycle counter is closed to programs there; the virtual timer is not.
            function_type = ir.FunctionType(counter, [ir.MetaDataType()])
            read = cgutils.get_or_insert_function(module, function_type, "llvm.read_volatile_register.i64")
            return builder.call(read, [module.add_metadata(["cntvct_el0"])])
        read = module.declare_intrinsic("llvm.readcyclecounter", [], ir.FunctionType(counter, []))
        return builder.call(read, [])

    return types.int64(), generate
