"""Calling compiled code, and reading memory, by address. Unlike a pointer, an address is data and can be cached.

Addresses are int64 everywhere: mixing signed and unsigned 64-bit integers makes Numba compute in double precision.
"""

from .intrinsic import intrinsics

(
    call_job, call_0, call_0_result, call_1, call_2, call_3, call_4, call_6, call_3_int, call_1_float, call_2_float,
    call_1_result, call_2_result, call_3_result, call_6_result, call_7_result, load_address, load_float32,
    store_float32, load_float64, store_float64, load_int64, store_int64, load_int32, store_int32, load_uint32,
    store_uint32, load_uint8, store_uint8,
) = intrinsics(
    "call",
    "call_job", "call_0", "call_0_result", "call_1", "call_2", "call_3", "call_4", "call_6", "call_3_int",
    "call_1_float", "call_2_float", "call_1_result", "call_2_result", "call_3_result", "call_6_result",
    "call_7_result", "load_address", "load_float32", "store_float32", "load_float64", "store_float64", "load_int64",
    "store_int64", "load_int32", "store_int32", "load_uint32", "store_uint32", "load_uint8", "store_uint8",
)  # fmt: skip
