"""Properties of any Object of Godot by name, for example of a Resource with a script."""

import ctypes
from ctypes import c_int64, c_uint8, c_uint64, c_void_p


class ObjectProperties:
    """Reads properties. Any thread that may use the Object."""

    def __init__(self, interface, variants):
        self._interface, self._variants = interface, variants
        self._object_from_id = interface.function("object_get_instance_from_id", c_void_p, c_uint64)
        self._get = interface.function("variant_get_named", None, *[c_void_p] * 4)

    def read(self, identity: int, names) -> dict:
        """The values of properties of the Object with an instance id, by name; those that it does not have are left out."""
        memory, valid, values = (c_int64 * 6)(), c_uint8(), {}
        own, value = ctypes.addressof(memory), ctypes.addressof(memory) + 24
        self._variants.write_object(own, self._object_from_id(identity))
        for name in names:
            self._get(own, self._interface.name(name), value, ctypes.addressof(valid))
            if valid.value:
                values[name] = self._variants.read(value)
            self._variants.destroy(value)
        self._variants.destroy(own)
        return values
