"""Memory from C's allocator, which compiled code allocates and frees without Python."""

import ctypes
import functools
import platform
import weakref

import numpy as np

from . import core_library
from .call import load_int32, store_int32
from .kernel import kernel


def address_of_function(library, name: str) -> int:
    """Address of a function of a C library."""
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value


@functools.cache
def _library():
    return ctypes.CDLL("msvcrt" if platform.system() == "Windows" else None)


def memory_functions() -> tuple[int, int]:
    """Addresses of C's malloc and free."""
    return address_of_function(_library(), "malloc"), address_of_function(_library(), "free")


@functools.cache
def page_release_function() -> int:
    """Address of a C function `(address, size, advice)` that gives pages back to the system, which are zero when they are touched
    again: Linux's `madvise`, elsewhere that of the core's library; 0 where there is none."""
    if platform.system() == "Linux":
        return address_of_function(_library(), "madvise")
    found = core_library.library()
    return found.give_back if found else 0


@functools.cache
def _free():
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(memory_functions()[1])


def free_all(addresses: list[int]) -> None:
    """Free memory from malloc."""
    free = _free()
    for address in addresses:
        free(address)


def owned_memory(address: int, byte_count: int) -> np.ndarray:
    """Wrap memory from malloc as a uint8 array: freed when the array and all views of it are gone."""
    memory = (ctypes.c_uint8 * byte_count).from_address(address)
    weakref.finalize(memory, _free(), address).atexit = False
    return np.frombuffer(memory, np.uint8)


@kernel
def copy_memory(target, source, byte_count):
    """Copy memory; both addresses and the count are multiples of four [byte]."""
    for at in range(0, byte_count, 4):
        store_int32(target + at, load_int32(source + at))


@kernel
def fill_memory(address, byte_count, word):
    """Fill memory with a 32-bit word; address and count are multiples of four [byte]."""
    for at in range(0, byte_count, 4):
        store_int32(address + at, word)


@kernel
def is_same_memory(one, other, byte_count):
    """Whether memory at two addresses holds the same bits; addresses and count are multiples of four [byte]."""
    for at in range(0, byte_count, 4):
        if load_int32(one + at) != load_int32(other + at):
            return False
    return True
