"""Sums of products in 128-bit whole numbers, at an address: exact, so independent of the order of the terms."""

from .intrinsic import intrinsic

add_product = intrinsic("wide_integers", "add_product")
