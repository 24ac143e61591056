"""Addresses of compiled functions that users hand over: told apart from what cannot be one, before something jumps there."""

import platform
from pathlib import Path

LEAST_ADDRESS = 1 << 16
"""No system lets code lie below."""


def lies_in_code(address: int) -> bool:
    """Whether there can be code at an address; where the system does not tell (all but Linux), only whether it is plausible."""
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
    """Address of a compiled function with a signature as `entry_point` takes it: an entry point, a Numba `cfunc`, or an address,
    of which nobody can tell the signature. Raises ValueError."""
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
