"""Callables of Python functions, which Godot calls with Variants."""

import ctypes
from collections.abc import Callable
from ctypes import c_int64, c_void_p

from . import schema

_CALL = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_int64, c_void_p, c_void_p)


class CallableInfo(ctypes.Structure):
    """GDExtensionCallableCustomInfo2."""

    _fields_ = [
        ("userdata", c_void_p), ("token", c_void_p), ("object_id", ctypes.c_uint64),
        *((name, c_void_p) for name in (
            "call", "is_valid", "free", "hash", "equal", "less_than", "to_string", "argument_count",
        )),
    ]  # fmt: skip


class PythonCallable:
    """A Callable of `function(addresses of the arguments, address of the result)`, which holds nil. What it raises is printed.
    Keep it as long as Godot may call it."""

    def __init__(self, engine, name: str, function: Callable[[list[int], int], None]):
        self._engine, self._name, self._function = engine, name, function
        self._kept = _CALL(self._call)
        info = CallableInfo(token=engine.interface.library, call=ctypes.cast(self._kept, c_void_p))
        self._memory = (c_int64 * 2)()
        self.address = ctypes.addressof(self._memory)
        create = engine.interface.function("callable_custom_create2", None, c_void_p, c_void_p)
        create(self.address, ctypes.addressof(info))

    def _call(self, userdata, arguments, count, result, error) -> None:
        ctypes.memset(error, 0, 12)  # Godot leaves it unset and treats anything but zero as a failure
        try:
            self._function([c_void_p.from_address(arguments + 8 * k).value for k in range(count)], result)
        except Exception as problem:  # exceptions must not leave a callback
            self._engine.reporter.exception(self._name, problem)

    def release(self) -> None:
        """Give the Callable up; Godot keeps its own copies."""
        destroy = self._engine.interface.function("variant_get_ptr_destructor", c_void_p, ctypes.c_int)(schema.CALLABLE)
        ctypes.CFUNCTYPE(None, c_void_p)(destroy)(self.address)
