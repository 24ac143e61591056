"""Attributes of the machine code of a kernel."""

from .intrinsic import intrinsic

keep_as_call = intrinsic("attributes", "keep_as_call")
