"""Resident memory of pools: how much of each the operating system has backed with memory. Linux only.

A pool reserves far more than it uses (runtime/memory.py), so only its resident pages show its use. A page that was only ever read
counts here, although it is the system's zero page and costs nothing.
"""

import ctypes
import gc
from collections import Counter

import numpy as np

from ..runtime.memory import PAGE, Pool


def resident_bytes(address: int, byte_count: int) -> int:
    """Resident part of memory at an address, in whole pages [byte]. Raises OSError."""
    first = address // PAGE * PAGE
    pages = (address + byte_count - first + PAGE - 1) // PAGE
    flags = np.zeros(pages, np.uint8)
    mincore = ctypes.CDLL(None, use_errno=True).mincore
    mincore.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
    if mincore(first, pages * PAGE, flags.ctypes.data) != 0:
        raise OSError(ctypes.get_errno(), "mincore")
    return int((flags & 1).sum()) * PAGE


def resident_of_pools() -> Counter[str]:
    """Resident bytes of all pools of this process by name; pools of the same name are added."""
    found: Counter[str] = Counter()
    for pool in gc.get_objects():
        if isinstance(pool, Pool):
            found[pool.name] += resident_bytes(pool.address, pool.rows.nbytes)
    return found


def resident_of_process() -> int:
    """All private memory of this process [byte]."""
    with open("/proc/self/smaps_rollup") as file:
        return sum(1024 * int(line.split()[1]) for line in file if line.startswith(("Private_Clean", "Private_Dirty")))
