"""Four double-precision lanes as one value: a point and a weight, or a number of each of four pairs of points.

Operators `+ - * /` work lane by lane. Nothing is fused, so the same program gives the same bits on every processor.
"""

from .intrinsic import intrinsics

(
    load_double4, load_float4, store_double4, splat_double4, lane_of_double4, max_double4, root_double4, columns_of_double4,
) = intrinsics(
    "double4",
    "load_double4", "load_float4", "store_double4", "splat_double4", "lane_of_double4", "max_double4", "root_double4",
    "columns_of_double4",
)  # fmt: skip
