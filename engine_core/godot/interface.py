"""Godot's C interface: its functions by name, and its strings.

Only this file and `variant.py` depend on the layout of Godot's strings and names.
"""

import ctypes
from ctypes import c_char_p, c_double, c_float, c_int32, c_int64, c_uint8, c_uint32, c_uint64, c_void_p  # noqa: F401

ENGINE_NAME = "Scree Physics"
SERVERS_LEVEL, SCENE_LEVEL, EDITOR_LEVEL = 1, 2, 3


class InterfaceMissing(RuntimeError):
    """This Godot has no such interface function: it is older than 4.4."""


class Version(ctypes.Structure):
    """GDExtensionGodotVersion (all versions): the first words of what `get_godot_version` writes."""

    _fields_ = [("major", c_uint32), ("minor", c_uint32), ("patch", c_uint32), ("string", c_char_p)]


class Interface:
    """The functions of the running engine. `interface.function(name, result, *arguments)` is a ctypes function."""

    def __init__(self, get_proc_address: int, library: int):
        self._get = ctypes.CFUNCTYPE(c_void_p, c_char_p)(get_proc_address)
        self.library = library
        self._names: dict[str, ctypes.Array] = {}
        self._new_name = self.function("string_name_new_with_utf8_chars", None, c_void_p, c_char_p)
        self._new_string = self.function("string_new_with_utf8_chars", None, c_void_p, c_char_p)
        self._object_from_id = self.function("object_get_instance_from_id", c_void_p, c_uint64)
        self._destroy_name = self._destructor(21)
        self.destroy_string = self._destructor(4)

    def address(self, name: str) -> int:
        """Address of an interface function. Raises InterfaceMissing."""
        address = self._get(name.encode())
        if not address:
            raise InterfaceMissing(f"this Godot has no interface function {name}: Scree needs Godot 4.4 or later")
        return address

    def function(self, name: str, result, *arguments):
        """An interface function, callable from Python. Raises InterfaceMissing."""
        return ctypes.CFUNCTYPE(result, *arguments)(self.address(name))

    def _destructor(self, variant_type: int):
        get = self.function("variant_get_ptr_destructor", c_void_p, ctypes.c_int)
        return ctypes.CFUNCTYPE(None, c_void_p)(get(variant_type))

    def version(self) -> Version:
        """The running engine's version; its `string` is for example "Godot Engine v4.6.3.stable.official"."""
        version = Version()
        self.function("get_godot_version", None, c_void_p)(ctypes.addressof(version))
        return version

    def name(self, text: str) -> int:
        """Address of a StringName, kept until `release_names`. Equal names hold the same pointer, see `name_key`."""
        if text not in self._names:
            memory = (c_int64 * 1)()
            self._new_name(ctypes.addressof(memory), text.encode())
            self._names[text] = memory
        return ctypes.addressof(self._names[text])

    def name_key(self, text: str) -> int:
        """The word in a StringName of this text, valid while we keep one."""
        self.name(text)
        return self._names[text][0]

    def release_names(self) -> None:
        """Free all names; nothing may be called by name afterwards."""
        for memory in self._names.values():
            self._destroy_name(ctypes.addressof(memory))
        self._names.clear()

    def with_string(self, text: str, use):
        """Call `use(address of a Godot String)` and free the string."""
        memory = (c_int64 * 1)()
        self._new_string(ctypes.addressof(memory), text.encode())
        try:
            return use(ctypes.addressof(memory))
        finally:
            self.destroy_string(ctypes.addressof(memory))

    def library_path(self) -> str:
        """The path of the library that Godot loaded."""
        string = (c_int64 * 1)()
        at = ctypes.addressof(string)
        self.function("get_library_path", None, c_void_p, c_void_p)(self.library, at)
        text = ctypes.create_string_buffer(4096)
        to_utf8 = self.function("string_to_utf8_chars", c_int64, c_void_p, c_char_p, c_int64)
        length = to_utf8(at, text, 4095)
        self.destroy_string(at)
        return text.raw[: max(0, min(length, 4095))].decode(errors="replace")

    def singleton(self, name: str) -> int:
        """A singleton's Object, or 0."""
        return self.function("global_get_singleton", c_void_p, c_void_p)(self.name(name)) or 0

    def object_from_id(self, identity: int) -> int:
        """The Object with an instance id, which may be given as a signed number; 0 if it is gone."""
        return self._object_from_id(identity & (1 << 64) - 1) or 0

    def method(self, class_name: str, method: str, hash_: int) -> int:
        """Address of a method bind. Raises InterfaceMissing."""
        get = self.function("classdb_get_method_bind", c_void_p, c_void_p, c_void_p, c_int64)
        found = get(self.name(class_name), self.name(method), hash_)
        if not found:
            raise InterfaceMissing(f"this Godot has no {class_name}.{method} with hash {hash_}")
        return found

    def call_method(self, bind: int, object_: int, arguments: list[int], result: int = 0) -> None:
        """Call a method bind with the addresses of its arguments; the result is written to address `result`."""
        if not hasattr(self, "_ptrcall"):
            self._ptrcall = self.function("object_method_bind_ptrcall", None, c_void_p, c_void_p, c_void_p, c_void_p)
        packed = (c_void_p * max(1, len(arguments)))(*arguments)
        self._ptrcall(bind, object_, ctypes.addressof(packed), result)
