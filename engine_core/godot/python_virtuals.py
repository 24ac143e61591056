"""Virtuals answered by Python: from Godot's argument addresses to Python values and back.

ctypes takes Python's GIL for each call, so these may come from any thread. An error becomes one line that names the call; Godot
gets the zero of the result's type.
"""

import ctypes

from .raw_memory import (
    read_double,
    read_int64,
    read_transform,
    read_vector3,
    read_word,
    reader,
    scalar_reader,
    write_double,
    write_int64,
    write_transform,
    write_vector3,
    write_word,
    writer,
)  # fmt: skip

CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
"""The C type of a virtual: `(instance, arguments, result)`, all addresses."""

_read_flag = scalar_reader("?")
_READERS = {"bool": _read_flag, "int": read_int64, "float": read_double, "RID": read_word, "Vector3": read_vector3,
            "Transform3D": read_transform, "Basis": reader("9f"), "AABB": reader("6f")}  # fmt: skip
_WRITERS = {"bool": writer("?"), "int": write_int64, "float": write_double, "RID": write_word, "Vector3": write_vector3,
            "Transform3D": write_transform, "Basis": writer("9f"), "AABB": writer("6f")}  # fmt: skip
_ZEROS = {"bool": False, "int": 0, "float": 0.0, "RID": 0, "Vector3": (0.0,) * 3, "Basis": (0.0,) * 9,
          "AABB": (0.0,) * 6, "Transform3D": (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)}  # fmt: skip
_BY_ADDRESS = ("Variant", "Callable")


def _plain_type(name: str) -> str:
    return "int" if name.startswith(("enum::", "bitfield::")) else name


def reader_of(type_name: str):
    """The function that reads an argument of a type: a value, the address of a Variant or Callable, or the address of an object
    or a struct."""
    plain = _plain_type(type_name)
    if plain in _READERS:
        return _READERS[plain]
    if plain in _BY_ADDRESS:
        return lambda address: address
    return read_word


def writer_of(type_name: str | None, variants):
    """How a result is written: `(write(address, value), zero)`; zero is None for a type whose result is already constructed."""
    plain = _plain_type(type_name or "")
    if not plain:
        return (lambda address, value: None), None
    if plain in ("Vector3", "Transform3D", "Basis", "AABB"):
        write = _WRITERS[plain]
        return (lambda address, value: write(address, *value)), _ZEROS[plain]
    if plain in _WRITERS:
        return _WRITERS[plain], _ZEROS[plain]
    if plain == "Variant":
        return (lambda address, value: value is None or variants.write(address, value)), None
    if plain == "PackedVector3Array":
        return (lambda address, value: value is None or variants.fill_vector3_array(address, value)), None
    if plain.startswith("typedarray::"):
        return (lambda address, value: value is None or variants.append_ids(address, value)), None
    return write_word, 0  # a pointer to an Object


def public_name(virtual: str) -> str:
    """The public name of a virtual."""
    return virtual.removeprefix("_")


def may_come_late(method) -> bool:
    """Whether a call may be deferred to the end of a step: it returns nothing, and its arguments are values."""
    return not method.result and all(_plain_type(name) in _READERS for name in method.arguments)


def make_cold_call(method, function, server, takes_instance, reporter, lock, variants):
    """Make the ctypes callback for a virtual: `function(server, *arguments)`, or `function(server, instance, *arguments)` if it
    `takes_instance`. `lock` is held while it runs. A call that returns nothing does not wait for a step that holds the lock, but
    is deferred to its end. The caller keeps the callback alive."""
    readers = [reader_of(name) for name in method.arguments]
    count = len(readers)
    read_addresses = reader(f"{count}q") if count else None
    write, zero = writer_of(method.result, variants)
    call = public_name(method.name)
    is_patient = may_come_late(method)

    def virtual(instance, arguments, result):
        value = zero
        try:
            values = [read(at) for read, at in zip(readers, read_addresses(arguments), strict=True)] if count else ()
            if is_patient and server.keeps_late(call, function, (instance, *values) if takes_instance else values):
                return
            with lock:
                server.settle_now()
                answer = function(server, instance, *values) if takes_instance else function(server, *values)
            if answer is not None:
                value = answer
            write(result, value)
        except Exception as error:  # exceptions must not leave a callback
            reporter.exception(call, error)
            write(result, zero)

    return CALLBACK(virtual)


def make_missing_call(method, reporter, variants):
    """Make the callback for a virtual that is not implemented: it warns once and returns its type's zero."""
    write, zero = writer_of(method.result, variants)
    call = public_name(method.name)

    def virtual(instance, arguments, result):
        reporter.warn_once(call, "not built yet, answered with nothing")
        write(result, zero)

    return CALLBACK(virtual)
