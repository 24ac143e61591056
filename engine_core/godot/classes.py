"""Registering classes that extend the engine's, and looking up the functions of their virtuals.

Godot asks once per object and virtual, so every new body state asks for the six that its node calls. The answer is a look-up in
compiled code, by the word of a StringName.
"""

import ctypes
from ctypes import c_int64, c_uint8, c_void_p

import numpy as np

from ..runtime.call import load_int64
from ..runtime.kernel import entry_point
from ..runtime.memory import address_of
from .python_virtuals import make_cold_call, make_missing_call

CREATE = ctypes.CFUNCTYPE(c_int64, c_int64, c_uint8)
MOST_SLOTS = 2048


class CreationInfo(ctypes.Structure):
    """GDExtensionClassCreationInfo4, the same since Godot 4.4."""

    _fields_ = [
        *((name, c_uint8) for name in ("is_virtual", "is_abstract", "is_exposed", "is_runtime")),
        *((name, c_void_p) for name in (
            "icon_path", "set", "get", "get_property_list", "free_property_list", "property_can_revert",
            "property_get_revert", "validate_property", "notification", "to_string", "reference", "unreference",
            "create_instance", "free_instance", "recreate_instance", "get_virtual", "get_virtual_call_data",
            "call_virtual_with_data", "userdata",
        )),
    ]  # fmt: skip


@entry_point("int64(int64, int64, uint32)")
def find_virtual(table, name, hash_):
    """Address of the function for the virtual whose StringName is at `name`, or 0. `table`: a mask, then slots of two words (key,
    function), open addressing; a free slot has key 0."""
    key = load_int64(name)
    mask = load_int64(table)
    slot = (key >> 4) & mask
    while True:
        at = table + 8 + 16 * slot
        found = load_int64(at)
        if found == key:
            return load_int64(at + 8)
        if found == 0:
            return np.int64(0)
        slot = (slot + 1) & mask


@entry_point("void(int64, int64)")
def free_nothing(userdata, instance):
    """Do nothing when Godot deletes one of our Objects: the memory of its instance stays."""


def make_table(functions: dict[int, int]) -> np.ndarray:
    """Make the table for `find_virtual`, from words of StringNames to functions."""
    mask = (1 << (2 * len(functions)).bit_length()) - 1
    table = np.zeros(1 + 2 * (mask + 1), np.int64)
    table[0] = mask
    for key, function in functions.items():
        slot = (key >> 4) & mask
        while table[1 + 2 * slot]:
            slot = (slot + 1) & mask
        table[1 + 2 * slot : 3 + 2 * slot] = key, function
    return table


class ExtensionClass:
    """One registered class. Keep it as long as the engine may call it."""

    def __init__(self, interface, api, virtual_table, default_instance: int):
        self._interface, self._api, self.table = interface, api, virtual_table
        self._callbacks = {}
        self._default_instance = default_instance
        self._create = CREATE(self._create_default)
        self._construct = interface.function("classdb_construct_object2", c_void_p, c_void_p)
        self._set_instance = interface.function("object_set_instance", None, c_void_p, c_void_p, c_void_p)
        self._slots = np.zeros(1 + 2 * MOST_SLOTS, np.int64)  # an empty table until `link`

    def register(self) -> None:
        """Register the class with the engine. It cannot be instantiated by name, only by `make`."""
        info = CreationInfo(
            is_virtual=1,
            create_instance=ctypes.cast(self._create, c_void_p),
            free_instance=free_nothing.address,
            get_virtual=find_virtual.address,
            userdata=address_of(self._slots),
        )
        register = self._interface.function("classdb_register_extension_class4", None, *[c_void_p] * 4)
        name = self._interface.name(self.table.class_name)
        register(self._interface.library, name, self._interface.name(self.table.engine_class), ctypes.addressof(info))

    def link(self, server, reporter, lock, variants, trials) -> None:
        """Set the function of every virtual of the running engine. Compiles the hot ones, or loads them from the cache."""
        hot, compiled = self.table.hot_addresses(), self.table.compiled_addresses()
        functions, python = {}, {}
        for name, method in self._api.virtuals(self.table.engine_class).items():
            address = hot.get(name)
            if address is None:
                python[name] = self._python_answer(name, method, server, reporter, lock, variants)
                address = compiled.get(name, python[name])
            functions[self._interface.name_key(name)] = trials.instead_of(self.table.engine_class, method, address, variants)
        if compiled:
            self._python_answers = np.array([python.get(name, 0) for name in compiled], np.int64)
            server.record["python_answers"] = address_of(self._python_answers)
        table = make_table(functions)
        assert len(table) <= len(self._slots), "more virtuals than any Godot has had"
        self._slots[: len(table)] = table

    def _python_answer(self, name, method, server, reporter, lock, variants) -> int:
        """Address of the function by which Python answers a virtual."""
        function = self.table.cold_functions.get(name)
        if function:
            callback = make_cold_call(method, function, server, self.table.takes_instance, reporter, lock, variants)
        else:
            callback = make_missing_call(method, reporter, variants)
        self._callbacks[name] = callback
        return ctypes.cast(callback, c_void_p).value

    def make(self, instance: int) -> int:
        """Make a new Object of the class with this instance address."""
        object_ = self._construct(self._interface.name(self.table.engine_class))
        self._set_instance(object_, self._interface.name(self.table.class_name), instance)
        return object_

    def _create_default(self, userdata: int, notify: int) -> int:
        return self.make(self._default_instance) or 0

    def unregister(self) -> None:
        """Unregister the class."""
        unregister = self._interface.function("classdb_unregister_extension_class", None, c_void_p, c_void_p)
        unregister(self._interface.library, self._interface.name(self.table.class_name))
