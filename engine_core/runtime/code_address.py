"""Validation of addresses of compiled functions that users pass, before anything calls them."""

import ctypes
import platform
from pathlib import Path

LEAST_ADDRESS = 1 << 16
"""No operating system places code below."""
_NAMES = {
    None: "void", ctypes.c_int64: "int64", ctypes.c_int32: "int32", ctypes.c_uint64: "uint64", ctypes.c_uint32: "uint32",
    ctypes.c_float: "float32", ctypes.c_double: "float64", ctypes.c_void_p: "voidptr", ctypes.c_bool: "boolean",
}  # fmt: skip


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
    has = signature_of(function)
    if has is None:
        raise ValueError(f"{call}: {name} must be a compiled function (an entry point or a cfunc), got {function!r}")
    if has != signature:
        raise ValueError(f"{call}: {name} must have the signature {signature}, got {has}")
    return int(function.address)


def signature_of(function) -> str | None:
    """The signature of an entry point or a Numba `cfunc`, in the form of `entry_point`, or None if it is neither."""
    if not hasattr(type(function), "address"):
        return None
    told = getattr(function, "signature", None)
    if told is not None:
        return f"{told.return_type}({', '.join(map(str, told.args))})".replace("none(", "void(")
    try:  # a cfunc tells its signature by its callback for ctypes; it has none where ctypes does not know a type
        callback = function.ctypes
        types = [callback.restype, *callback.argtypes]
    except (AttributeError, TypeError):
        return None
    result, *arguments = (_NAMES.get(each) or getattr(each, "__name__", str(each)) for each in types)
    return f"{result}({', '.join(arguments)})"
