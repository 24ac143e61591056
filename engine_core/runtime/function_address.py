"""The addresses of kernels as C functions, taken inside compiled code.

A host that calls by pointer needs many small functions. As entry points each would cost a compilation unit, a cache file and some
milliseconds at every start. Here one entry point contains them all and writes their addresses to a table.
"""

from .intrinsic import intrinsic

store_function_addresses = intrinsic("function_address", "store_function_addresses")
