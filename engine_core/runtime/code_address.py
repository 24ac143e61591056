"""Validation of addresses of compiled functions that users pass, before anything calls them."""

import platform
from pathlib import Path

LEAST_ADDRESS = 1 << 16
"""No operating system places code below."""


def lies_in_code(address: int) -> bool:
    """Whether there can be code at an address. On Linux this is known; on other systems it is only a plausibility check."""
    if not LEAST_ADDRESS <= address < 1 << 63:
        return False
    if platform.system() != "Linux":
        return True
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, access = line.split(maxsplit=2)[:2]
        first, last = (int(part, 16) for part in span.split("-"))
        if first <= address < last:
            return "x" in access
    return False


def checked_address(call: str, name: str, function, signature: str) -> int:
    """The address of a compiled function with a signature in the form of `entry_point`: from an entry point, a Numba `cfunc`, or
    an address, whose signature cannot be checked. Raises ValueError."""
    if isinstance(function, int) and not isinstance(function, bool):
        if not lies_in_code(function):
            raise ValueError(f"{call}: {name} must be the address of a compiled function, there is no code at {function:#x}")
        return function
    told = getattr(function, "signature", None) or getattr(function, "_sig", None)
    if not hasattr(function, "address") or told is None:
        raise ValueError(f"{call}: {name} must be a compiled function (an entry point or a cfunc), got {function!r}")
    has = f"{told.return_type}({', '.join(map(str, told.args))})".replace("none(", "void(")
    if has != signature:
        raise ValueError(f"{call}: {name} must have the signature {signature}, got {has}")
    return int(function.address)
