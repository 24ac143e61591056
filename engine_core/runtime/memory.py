"""Memory that never moves, and compiled views of it by address.

A pool reserves address space for its whole capacity at once; the operating system backs a page with memory when it is first
touched. So an index and an address stay valid for the life of the pool, nothing is copied to grow, and unused capacity costs
nothing.

Windows does not do that by itself. There the core's library reserves the address space, and commits memory when a thread first
touches it (`tools/core/platform.c`). Without the library, as where Numba compiles everything, the whole capacity is committed,
and limits are modest (`step/limits.py`).
"""

import ctypes
import mmap
import platform
import weakref

import numpy as np

from . import core_library
from .intrinsic import intrinsics

PAGE = mmap.PAGESIZE


class PoolFull(RuntimeError):
    """A pool has no free row. The message names the setting that raises its capacity."""


class NoAddressSpace(MemoryError):
    """The system has no address space of this size for a pool."""


def commits_on_touch() -> bool:
    """Whether unused capacity of a pool takes nothing but address space on this system."""
    return platform.system() != "Windows" or core_library.library() is not None


def can_reserve(byte_count: int) -> bool:
    """Whether the system has as much free address space [byte], and it costs nothing."""
    try:
        reserve(byte_count)
    except NoAddressSpace:
        return False
    return commits_on_touch()


def reserve(byte_count: int):
    """Reserve zeroed address space of `byte_count` [byte]; memory is taken only where it is touched. Returns an object with the
    buffer interface, which gives the address space back when nothing refers to it any more. Raises NoAddressSpace."""
    byte_count = (byte_count + PAGE - 1) // PAGE * PAGE
    try:
        if platform.system() == "Windows":
            return _reserve_in_windows(byte_count)
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0x4000)
        return mmap.mmap(-1, byte_count, flags=flags, prot=mmap.PROT_READ | mmap.PROT_WRITE)
    except OSError as error:
        raise NoAddressSpace(f"the system gives no {byte_count >> 20} MiB of address space ({error.strerror})") from error


def _reserve_in_windows(byte_count: int):
    """Reserve by the core's library if there is one. Raises OSError."""
    library = core_library.library()
    if library is None:
        return mmap.mmap(-1, byte_count)
    address = library.reserve(byte_count)
    if not address:
        raise OSError(0, "VirtualAlloc refused")
    memory = (ctypes.c_uint8 * byte_count).from_address(address)
    weakref.finalize(memory, library.release, address).atexit = False
    return memory


class Pool:
    """`capacity` rows of one type at a fixed address. `rows` is the NumPy view, shape `(capacity, *row_shape)`."""

    def __init__(self, name: str, dtype, capacity: int, row_shape: tuple = (), setting: str = ""):
        self.name, self.setting, self.capacity = name, setting, int(capacity)
        self.dtype = np.dtype(dtype)
        row_count = int(np.prod(row_shape, dtype=np.int64)) if row_shape else 1
        try:
            self._memory = reserve(self.capacity * row_count * self.dtype.itemsize)
        except NoAddressSpace as error:
            way_out = f"lower the setting '{setting}'" if setting else "lower the limits of the world"
            raise NoAddressSpace(f"the pool of {name} has no room: {error}: {way_out}") from error
        flat = np.frombuffer(self._memory, dtype=self.dtype, count=self.capacity * row_count)
        self.rows = flat.reshape((self.capacity, *row_shape))
        self.address = flat.ctypes.data

    def full(self) -> PoolFull:
        """The error for a pool without a free row."""
        way_out = f": raise the setting '{self.setting}'" if self.setting else ", and can have no more"
        return PoolFull(f"the pool of {self.name} is full at {self.capacity}{way_out}")


def address_of(array: np.ndarray) -> int:
    """Address of an array's first element. The caller keeps the array alive."""
    return array.ctypes.data


def view_rows(address: int, count: int, dtype) -> np.ndarray:
    """View `count` rows of a type at an address, from Python. The owner of the memory must keep it alive."""
    size = np.dtype(dtype).itemsize * count
    memory = (ctypes.c_uint8 * size).from_address(address) if size else b""
    return np.frombuffer(memory, dtype=dtype, count=count)


view, view2, stack_array, address_of_row, address_of_record = intrinsics(
    "memory", "view", "view2", "stack_array", "address_of_row", "address_of_record"
)
