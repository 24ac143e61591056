"""Threads that sleep without cost until a 32-bit word changes, by the operating system's own primitive, called by address.

In code for any system (`portable_code.py`) they are C functions of the core's library (`tools/core/platform.c`). Else, on Linux:
futex (run in every test). Windows: WaitOnAddress; macOS: `__ulock_wait`: both are written from the vendors' headers and
have never been run. Any other system: only `sched_yield`, which keeps a core busy.
"""

import ctypes
import platform

import numpy as np

from .intrinsic import intrinsics
from .kernel import kernel
from .memory import address_of_row, stack_array
from .portable_code import IS_PORTABLE

_call_system, _give_way, _wait_while, _wake_all = intrinsics(
    "parking", "call_system", "platform_give_way", "platform_wait_while", "platform_wake_all"
)

# Three addresses, kept in the record of the parked thread: compiled code with a pointer as a global cannot be cached.
PARKING = np.dtype([("wait", "i8"), ("wake", "i8"), ("give_way", "i8")], align=True)

_SYSTEM = platform.system()
_FUTEX_NUMBERS = {"x86_64": 202, "aarch64": 98, "riscv64": 98}
_FUTEX_NUMBER = _FUTEX_NUMBERS.get(platform.machine(), -1) if _SYSTEM == "Linux" else -1
_FUTEX_WAIT_PRIVATE, _FUTEX_WAKE_PRIVATE = 128, 129
_ULOCK_COMPARE_AND_WAIT, _ULOCK_WAKE_ALL = 1, 0x101


def system_functions() -> dict[str, int]:
    """Addresses for a PARKING record on this operating system."""

    def address(function) -> int:
        return ctypes.cast(function, ctypes.c_void_p).value

    if _SYSTEM == "Windows":
        synch = ctypes.WinDLL("api-ms-win-core-synch-l1-2-0.dll")
        kernel32 = ctypes.WinDLL("kernel32.dll")
        return {
            "wait": address(synch.WaitOnAddress), "wake": address(synch.WakeByAddressAll),
            "give_way": address(kernel32.SwitchToThread),
        }  # fmt: skip
    library = ctypes.CDLL(None)
    if _SYSTEM == "Darwin":
        return {
            "wait": address(library["__ulock_wait"]), "wake": address(library["__ulock_wake"]),
            "give_way": address(library.sched_yield),
        }  # fmt: skip
    syscall = address(library.syscall) if _FUTEX_NUMBER > 0 else 0
    return {"wait": syscall, "wake": syscall, "give_way": address(library.sched_yield)}


if IS_PORTABLE:

    @kernel
    def give_way(parking):
        """Yield the core to another thread that is ready."""
        _give_way()

else:

    @kernel
    def give_way(parking):
        """Yield the core to another thread that is ready."""
        _call_system(parking.give_way, 0, 0, 0, 0, 0)


if IS_PORTABLE:

    @kernel
    def wait_while(parking, word, value):
        """Sleep while the int32 at address `word` holds `value`. May return early without a reason: check again."""
        _wait_while(word, value)

    @kernel
    def wake_all(parking, word):
        """Wake every thread that sleeps on the word. Change the word first."""
        _wake_all(word)

elif _SYSTEM == "Windows":

    @kernel
    def wait_while(parking, word, value):
        """Sleep while the int32 at address `word` holds `value`. May return early without a reason: check again."""
        expected = stack_array(1, np.int32)
        expected[0] = value
        _call_system(parking.wait, word, address_of_row(expected, 0), 4, 0xFFFFFFFF, 0)

    @kernel
    def wake_all(parking, word):
        """Wake every thread that sleeps on the word. Change the word first."""
        _call_system(parking.wake, word, 0, 0, 0, 0)

elif _SYSTEM == "Darwin":

    @kernel
    def wait_while(parking, word, value):
        """Sleep while the int32 at address `word` holds `value`. May return early without a reason: check again."""
        _call_system(parking.wait, _ULOCK_COMPARE_AND_WAIT, word, np.int64(value) & 0xFFFFFFFF, 0, 0)

    @kernel
    def wake_all(parking, word):
        """Wake every thread that sleeps on the word. Change the word first."""
        _call_system(parking.wake, _ULOCK_WAKE_ALL, word, 0, 0, 0)

elif _FUTEX_NUMBER > 0:

    @kernel
    def wait_while(parking, word, value):
        """Sleep while the int32 at address `word` holds `value`. May return early without a reason: check again."""
        _call_system(parking.wait, _FUTEX_NUMBER, word, _FUTEX_WAIT_PRIVATE, np.int64(value), 0)

    @kernel
    def wake_all(parking, word):
        """Wake every thread that sleeps on the word. Change the word first."""
        _call_system(parking.wake, _FUTEX_NUMBER, word, _FUTEX_WAKE_PRIVATE, 0x7FFFFFFF, 0)

else:

    @kernel
    def wait_while(parking, word, value):
        """Yield once: there is no way to sleep here."""
        give_way(parking)

    @kernel
    def wake_all(parking, word):
        """Do nothing: no thread sleeps."""
