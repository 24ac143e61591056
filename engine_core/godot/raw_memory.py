"""Reading and writing numbers at an address from Python, for data from Godot; never for data of the step."""

import ctypes
import struct

# The whole address space as one buffer from address 1 on (0 may not be one): no object is made per access.
_EVERYTHING = memoryview((ctypes.c_char * ((1 << 47) - 1)).from_address(1))


def reader(layout: str):
    """Make a function that reads a tuple of `layout` (as `struct` names it, native order) from an address."""
    unpack = struct.Struct("=" + layout).unpack_from
    return lambda address: unpack(_EVERYTHING, address - 1)


def writer(layout: str):
    """Make a function `(address, *values)` that writes them with `layout`."""
    pack = struct.Struct("=" + layout).pack_into
    return lambda address, *values: pack(_EVERYTHING, address - 1, *values)


def scalar_reader(layout: str):
    """Make a function that reads one number from an address."""
    unpack = struct.Struct("=" + layout).unpack_from
    return lambda address: unpack(_EVERYTHING, address - 1)[0]


read_word, write_word = scalar_reader("Q"), writer("Q")
read_int64, write_int64 = scalar_reader("q"), writer("q")
read_int32 = scalar_reader("i")
read_double, write_double = scalar_reader("d"), writer("d")
read_vector3, write_vector3 = reader("3f"), writer("3f")
read_transform, write_transform = reader("12f"), writer("12f")


def zero(address: int, byte_count: int) -> None:
    """Set bytes to zero."""
    ctypes.memset(address, 0, byte_count)


def copy(target: int, source: int, byte_count: int) -> None:
    """Copy bytes."""
    ctypes.memmove(target, source, byte_count)
