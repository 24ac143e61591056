"""A prefetch hint to the processor, for loops that visit rows in no order of addresses."""

from .intrinsic import intrinsic

prefetch = intrinsic("prefetch", "prefetch")
