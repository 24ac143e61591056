"""The server's lock: Python's answers to Godot's calls, and the step, one thread at a time.

Godot calls from loader threads while its main thread may be in `_step`. Calls that move a body (impulses, velocities, transforms)
are compiled and take no lock except the gate of its space (edit/commands.py). Other calls that return nothing are deferred to the
end of a running step (`acquire_unless_stepping`), so that no thread waits for a step; calls that return something wait for it.
The lock is a word in SERVER that compiled code and Python both take; it is recursive. Waiting happens in compiled code, without
the GIL, so that a thread with the GIL never waits for one that holds the lock and needs the GIL.
"""

import ctypes
import platform
from collections.abc import Callable

import numpy as np

from ..runtime.atomics import compare_exchange_int64, load_acquire_int64, store_release_int64
from ..runtime.c_memory import address_of_function
from ..runtime.call import call_0, call_0_result, load_int64, store_int64
from ..runtime.kernel import entry_point, kernel
from .schema import SERVER
from .server_record import server_at

LOCK_OFFSET = SERVER.fields["lock"][1]
DEPTH_OFFSET = SERVER.fields["lock_depth"][1]
STEPPING_OFFSET = SERVER.fields["is_stepping"][1]


@kernel
def acquire(server):
    """Take the lock of the SERVER at an address."""
    record = server_at(server)
    me = call_0_result(record.thread_number)
    if load_acquire_int64(server + LOCK_OFFSET) == me:
        store_int64(server + DEPTH_OFFSET, load_int64(server + DEPTH_OFFSET) + 1)
        return
    while compare_exchange_int64(server + LOCK_OFFSET, 0, me) != 0:
        call_0(record.yield_thread)
    store_int64(server + DEPTH_OFFSET, 1)


@kernel
def release(server):
    """Release the lock, once for each time it was taken."""
    depth = load_int64(server + DEPTH_OFFSET) - 1
    store_int64(server + DEPTH_OFFSET, depth)
    if depth == 0:
        store_release_int64(server + LOCK_OFFSET, 0)


@entry_point("int64(int64)")
def acquire_unless_stepping(server):
    """Like `acquire`, but return 0 if a step holds the lock."""
    record = server_at(server)
    me = call_0_result(record.thread_number)
    while True:
        holder = compare_exchange_int64(server + LOCK_OFFSET, 0, me)
        if holder == 0 or holder == me:
            store_int64(server + DEPTH_OFFSET, 1 if holder == 0 else load_int64(server + DEPTH_OFFSET) + 1)
            return np.int64(1)
        if load_acquire_int64(server + STEPPING_OFFSET) != 0:
            return np.int64(0)
        call_0(record.yield_thread)


@entry_point("void(int64)")
def acquire_lock(server):
    """Call `acquire` from Python."""
    acquire(server)


@entry_point("int64(int64)")
def try_lock(server):
    """Take the lock if it is free, or if this thread holds it: 1; else 0."""
    me = call_0_result(server_at(server).thread_number)
    holder = compare_exchange_int64(server + LOCK_OFFSET, 0, me)
    if holder != 0 and holder != me:
        return np.int64(0)
    store_int64(server + DEPTH_OFFSET, 1 if holder == 0 else load_int64(server + DEPTH_OFFSET) + 1)
    return np.int64(1)


@entry_point("void(int64)")
def release_lock(server):
    """Call `release` from Python."""
    release(server)


def system_functions() -> tuple[int, int]:
    """Addresses of the operating system's functions for the number of the current thread, and to yield."""
    if platform.system() == "Windows":
        library, names = ctypes.WinDLL("kernel32"), ("GetCurrentThreadId", "SwitchToThread")
    else:
        library, names = ctypes.CDLL(None), ("pthread_self", "sched_yield")
    return tuple(address_of_function(library, name) for name in names)


class ServerLock:
    """The lock for Python: `with lock:`. `take_over` is called first if compiled calls have left notes for Python
    (creation/stock.py)."""

    def __init__(self, server_address: int, take_over: Callable[[], None] = lambda: None):
        self._address, self._take_over = server_address, take_over
        self._note_count = ctypes.c_int64.from_address(server_address + SERVER.fields["note_count"][1])
        # Neither waits, so the GIL may be kept: a third of the cost.
        self._try = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(try_lock.address)
        self._leave = ctypes.PYFUNCTYPE(None, ctypes.c_int64)(release_lock.address)

    def enter_unless_stepping(self) -> bool:
        """Take the lock, unless a step holds it. Leave it with `leave`."""
        if not acquire_unless_stepping(self._address):
            return False
        if self._note_count.value:
            self._take_over()
        return True

    def leave(self) -> None:
        """Release the lock."""
        self._leave(self._address)

    def __enter__(self):
        if not self._try(self._address):
            acquire_lock(self._address)
        if self._note_count.value:
            self._take_over()

    def __exit__(self, *unused):
        self._leave(self._address)
