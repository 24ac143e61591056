"""A prefetch hint to the processor, for loops that visit rows in no order of addresses, or rows beyond the caches."""

from .intrinsic import intrinsic
from .kernel import kernel

LINE = 64
"""Bytes of a line of the caches."""

prefetch = intrinsic("prefetch", "prefetch")


@kernel
def prefetch_lines(address, count):
    """Prefetch `count` lines of the caches. A prefetch never faults: an address behind the last row may be named."""
    for line in range(count):
        prefetch(address + LINE * line)
