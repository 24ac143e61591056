"""Eight single-precision lanes as one value, used by the wide solver.

Operators `+ - * /` and unary minus work lane by lane. `fused_multiply_add` is the exact fused operation, only used explicitly:
the compiler never fuses by itself, so the same program gives the same bits on every processor.
"""

from .intrinsic import intrinsics

(
    load8, store8, splat8, where_less8, where_greater8, max8, min8, square_root8, absolute8, fused_multiply_add,
    transpose8, load_bytes8, mask_less_equal8, lane8, load_points8,
) = intrinsics(
    "vector8",
    "load8", "store8", "splat8", "where_less8", "where_greater8", "max8", "min8", "square_root8", "absolute8",
    "fused_multiply_add", "transpose8", "load_bytes8", "mask_less_equal8", "lane8", "load_points8",
)  # fmt: skip
