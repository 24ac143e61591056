"""Four single-precision lanes as one value: four children of a tree node, or a point and an unused lane.

Operators `+ - *` work lane by lane; comparisons return a bit mask, lane 0 in bit 0, false for NaN.
"""

from .intrinsic import intrinsics

(
    load4, store4, splat4, max4, min4, mask_less_equal4, lane4, count_trailing_zeros,
) = intrinsics(
    "vector4",
    "load4", "store4", "splat4", "max4", "min4", "mask_less_equal4", "lane4", "count_trailing_zeros",
)  # fmt: skip
