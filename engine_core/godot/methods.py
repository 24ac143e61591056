"""Methods of Scree on a class of Godot, which a game calls by name: `PhysicsServer3D.call("streaming_open", ...)`.

A cold method is a Python function of Python values; a hot one is compiled and does not take the GIL. Godot calls both with
Variants.
"""

import ctypes
from ctypes import c_int32, c_int64, c_uint8, c_uint32, c_void_p

from . import schema
from .raw_memory import reader

CALL = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_void_p)
PTR_CALL = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_void_p, c_void_p)
_NORMAL = 1  # GDEXTENSION_METHOD_FLAG_NORMAL
_DEFAULT_USAGE = 6  # PROPERTY_USAGE_DEFAULT
TOO_MANY_ARGUMENTS, TOO_FEW_ARGUMENTS = 3, 4  # GDExtensionCallErrorType
INVALID_ARGUMENT = 2


def locked_calls(engine, table: str):
    """Return `locked(name)`, which makes a function that calls this method of `engine.server.TABLE` while holding the server's
    lock. The server exists when it is called, not yet when methods are registered."""

    def locked(name: str):
        def call(*arguments):
            with engine.server.lock:
                return getattr(getattr(engine.server, table), name)(*arguments)

        return call

    return locked


def refuse_call(error_at: int, kind: int, argument: int, expected: int) -> None:
    """Write a GDExtensionCallError: Godot prints it, with the call and the argument, at the script that calls."""
    error = (c_int32 * 3).from_address(error_at)
    error[0], error[1], error[2] = kind, argument, expected


class PropertyInfo(ctypes.Structure):
    """GDExtensionPropertyInfo."""

    _fields_ = [
        ("type", c_int32), ("name", c_void_p), ("class_name", c_void_p), ("hint", c_uint32), ("hint_string", c_void_p),
        ("usage", c_uint32),
    ]  # fmt: skip


class MethodInfo(ctypes.Structure):
    """GDExtensionClassMethodInfo."""

    _fields_ = [
        ("name", c_void_p), ("userdata", c_void_p), ("call", c_void_p), ("ptrcall", c_void_p), ("flags", c_uint32),
        ("has_return_value", c_uint8), ("return_value", c_void_p), ("return_metadata", ctypes.c_int),
        ("argument_count", c_uint32), ("arguments", c_void_p), ("argument_metadata", c_void_p),
        ("default_count", c_uint32), ("defaults", c_void_p),
    ]  # fmt: skip


class Methods:
    """The methods of one class. Keep it as long as the class. `arguments`: names and Variant types; `result`: a Variant type,
    NIL for none."""

    def __init__(self, engine, class_name: str):
        self._engine, self._interface, self._class_name = engine, engine.interface, class_name
        self._kept: list = []
        self._nothing = (c_int64 * 1)()  # an empty String
        new_string = self._interface.function("string_new_with_utf8_chars", None, c_void_p, ctypes.c_char_p)
        new_string(ctypes.addressof(self._nothing), b"")
        self._ptrcall = PTR_CALL(self._refuse_ptrcall)

    def cold(self, name: str, function, arguments: dict[str, int] | None = None, result: int = schema.NIL) -> None:
        """Register a Python function; its exceptions are printed, and then nothing is returned."""
        arguments = arguments or {}
        variants, reporter = self._engine.variants, self._engine.reporter
        addresses = reader(f"{len(arguments)}q") if arguments else None

        def call(userdata, instance, values_at, count, result_at, error_at):
            if count != len(arguments):
                few = count < len(arguments)
                refuse_call(error_at, TOO_FEW_ARGUMENTS if few else TOO_MANY_ARGUMENTS, 0, len(arguments))
                return
            try:
                answer = function(*(variants.read(at) for at in (addresses(values_at) if addresses else ())))
                if result != schema.NIL and answer is not None:
                    variants.write(result_at, answer)
            except Exception as error:  # exceptions must not leave a callback
                reporter.exception(name, error)

        callback = CALL(call)
        self._kept.append(callback)
        self._register(name, ctypes.cast(callback, c_void_p).value, arguments, result)

    def hot(self, name: str, entry_point, arguments: dict[str, int], result: int = schema.NIL, userdata: int = 0) -> None:
        """Register an entry point "void(int64, int64, int64, int64, int64, int64)": user data, instance, address of the addresses
        of the arguments, their number, address of the result, address of the error."""
        self._register(name, entry_point.address, arguments, result, userdata)

    def _refuse_ptrcall(self, userdata, instance, arguments, result) -> None:
        self._engine.reporter.error(self._class_name, "this method is called by name: PhysicsServer3D.call(...)")

    def _register(self, name: str, call: int, arguments: dict[str, int], result: int, userdata: int = 0) -> None:
        infos = (PropertyInfo * max(len(arguments), 1))()
        for info, (argument, kind) in zip(infos, arguments.items(), strict=False):
            self._describe(info, argument, kind)
        returned = PropertyInfo()
        self._describe(returned, "", result)
        metadata = (ctypes.c_int * max(len(arguments), 1))()
        info = MethodInfo(
            name=self._interface.name(name), userdata=userdata or None, call=call,
            ptrcall=ctypes.cast(self._ptrcall, c_void_p), flags=_NORMAL,
            has_return_value=result != schema.NIL, return_value=ctypes.addressof(returned),
            argument_count=len(arguments), arguments=ctypes.addressof(infos), argument_metadata=ctypes.addressof(metadata),
        )  # fmt: skip
        self._kept.extend([infos, returned, metadata, info])
        register = self._interface.function("classdb_register_extension_class_method", None, c_void_p, c_void_p, c_void_p)
        register(self._interface.library, self._interface.name(self._class_name), ctypes.addressof(info))

    def _describe(self, info: PropertyInfo, name: str, kind: int) -> None:
        info.type, info.name, info.class_name = kind, self._interface.name(name), self._interface.name("")
        info.hint_string, info.usage = ctypes.addressof(self._nothing), _DEFAULT_USAGE
