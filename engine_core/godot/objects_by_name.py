"""Methods and properties of any Object of Godot by name. For rare calls, on any thread that may use the Object."""

import ctypes
from collections.abc import Callable
from ctypes import c_int32, c_int64, c_uint8, c_void_p


class ObjectsByName:
    """Calls methods and reads properties."""

    def __init__(self, interface, variants):
        self._interface, self._variants = interface, variants
        self._call = interface.function("variant_call", None, *[c_void_p] * 3, c_int64, *[c_void_p] * 2)
        self._get = interface.function("variant_get_named", None, *[c_void_p] * 4)

    def call(self, object_: int, method: str, *writers: Callable[[int], None]):
        """Call a method of the Object at an address. Each of `writers` makes an argument: a Variant at an address that holds nil.
        Return the result. Raises RuntimeError if Godot refuses the call."""
        memory = (c_int64 * (3 * (len(writers) + 2)))()
        own, result, *given = (ctypes.addressof(memory) + 24 * k for k in range(len(writers) + 2))
        self._variants.write_object(own, object_)
        for write, place in zip(writers, given, strict=True):
            write(place)
        packed, error = (c_void_p * max(len(given), 1))(*given), (c_int32 * 3)()
        name = self._interface.name(method)
        self._call(own, name, ctypes.addressof(packed), len(given), result, ctypes.addressof(error))
        answer = self._variants.read(result)
        for place in (own, result, *given):
            self._variants.destroy(place)
        if error[0]:
            raise RuntimeError(f"{method}: Godot refuses the call (error {error[0]})")
        return answer

    def properties(self, identity: int, names) -> dict:
        """The values of properties of the Object with an instance id, by name; those that it does not have are left out."""
        memory, valid, values = (c_int64 * 6)(), c_uint8(), {}
        own, value = ctypes.addressof(memory), ctypes.addressof(memory) + 24
        self._variants.write_object(own, self._interface.object_from_id(identity))
        for name in names:
            self._get(own, self._interface.name(name), value, ctypes.addressof(valid))
            if valid.value:
                values[name] = self._variants.read(value)
            self._variants.destroy(value)
        self._variants.destroy(own)
        return values
