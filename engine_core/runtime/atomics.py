"""Atomic operations on words at an address, for compiled code. Sequentially consistent unless the name says otherwise.

Addresses come from `memory.address_of_row` or from a table of addresses. 32- and 64-bit integers; floats are compared
and exchanged through their bit patterns.
"""

from .intrinsic import intrinsics

(
    add_int32, add_int64, or_int32, or_int64, and_int32, and_int64, min_int32, min_int64, exchange_int32,
    exchange_int64, compare_exchange_int32, compare_exchange_int64, load_acquire_int32, load_acquire_int64,
    store_release_int32, store_release_int64, load_relaxed_int32, store_relaxed_int32, float_to_bits, bits_to_float,
    pause, fence, fence_acquire, fence_release,
) = intrinsics(
    "atomics",
    "add_int32", "add_int64", "or_int32", "or_int64", "and_int32", "and_int64", "min_int32", "min_int64",
    "exchange_int32", "exchange_int64", "compare_exchange_int32", "compare_exchange_int64", "load_acquire_int32",
    "load_acquire_int64", "store_release_int32", "store_release_int64", "load_relaxed_int32", "store_relaxed_int32",
    "float_to_bits", "bits_to_float", "pause", "fence", "fence_acquire", "fence_release",
)  # fmt: skip
