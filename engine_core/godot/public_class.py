"""Classes of Scree that scripts see: real classes in ClassDB, with typed methods, properties, signals and constants. The script
editor completes, checks and explains them.

A method is a Python function of Python values (see `typed_values.py`). Its first argument is the Python object behind the Object
that it is called on. Godot calls from any thread; the functions take the server's lock where they need it.
"""

import ctypes
from collections.abc import Callable
from ctypes import c_int64, c_uint8, c_uint32, c_void_p
from functools import partial

from . import schema
from .class_help import Page
from .classes import CreationInfo
from .methods import (
    CALL, INVALID_ARGUMENT, PTR_CALL, TOO_FEW_ARGUMENTS, TOO_MANY_ARGUMENTS, MethodInfo, PropertyInfo, refuse_call,
)  # fmt: skip
from .objects_by_name import ObjectsByName
from .raw_memory import reader
from .typed_values import Kind, TypedValues, kind_of

_CREATE, _FREE = ctypes.CFUNCTYPE(c_void_p, c_void_p, c_uint8), ctypes.CFUNCTYPE(None, c_void_p, c_void_p)
_NORMAL = 1  # GDEXTENSION_METHOD_FLAG_NORMAL


class Signal:
    """A signal of a class; `emit` calls what is connected, on the calling thread."""

    def __init__(self, objects: ObjectsByName, values: TypedValues, name: str, kinds: list[Kind]):
        self._objects, self._values, self._kinds = objects, values, kinds
        self._write_name = partial(values.write, kind_of(schema.STRING_NAME), value=name)

    def is_connected(self, object_: int) -> bool:
        """Whether anything is connected to the signal of the Object at an address."""
        return self._objects.call(object_, "has_connections", self._write_name)

    def emit(self, object_: int, *arguments) -> None:
        """Emit it from the Object at an address."""
        pairs = zip(self._kinds, arguments, strict=True)
        writers = [partial(self._values.write, kind, value=argument) for kind, argument in pairs]
        self._objects.call(object_, "emit_signal", self._write_name, *writers)


class PublicClass:
    """One class. Keep it as long as the engine may use it.

    `make`: makes the Python object behind a new Object; scripts may then write `Name.new()`. Without it only Scree makes them,
    by `make_object`. `objects`: those objects by instance id, shared by all classes.
    """

    def __init__(self, engine, objects: dict[int, object], page: Page, make: Callable[[], object] | None = None):
        self._engine, self._interface, self.page, self._make = engine, engine.interface, page, make
        self._objects = objects
        self.values = TypedValues(engine.interface, engine.variants, objects)
        self._kept: list = [_CREATE(self._create), _FREE(self._free)]
        interface = self._interface
        self._construct = interface.function("classdb_construct_object2", c_void_p, c_void_p)
        self._set_instance = interface.function("object_set_instance", None, c_void_p, c_void_p, c_void_p)
        self._id_of_object = interface.function("object_get_instance_id", ctypes.c_uint64, c_void_p)
        self._nothing = (c_int64 * 1)()  # an empty String
        self._strings: dict[str, ctypes.Array] = {"": self._nothing}
        self._new_string = interface.function("string_new_with_utf8_chars", None, c_void_p, ctypes.c_char_p)
        self._new_string(ctypes.addressof(self._nothing), b"")
        self._register()

    # --- the class and its Objects ---

    def _register(self) -> None:
        create, free = (ctypes.cast(callback, c_void_p) for callback in self._kept)
        info = CreationInfo(
            is_exposed=1, is_abstract=self._make is None, create_instance=create, free_instance=free,
            icon_path=ctypes.addressof(self._nothing),
        )  # fmt: skip
        register = self._interface.function("classdb_register_extension_class4", None, *[c_void_p] * 4)
        names = self._interface.name(self.page.name), self._interface.name(self.page.parent)
        register(self._interface.library, *names, ctypes.addressof(info))

    def make_object(self, behind) -> int:
        """Make a new Object with this Python object behind it. Return its address."""
        object_ = self._construct(self._interface.name(self.page.parent))
        identity = self._id_of_object(object_)
        self._objects[identity] = behind
        self._set_instance(object_, self._interface.name(self.page.name), identity)
        return object_

    def _create(self, userdata, notify):
        return self.make_object(self._make() if self._make else None)

    def _free(self, userdata, instance) -> None:
        self._objects.pop(instance, None)

    def unregister(self) -> None:
        """Unregister the class; no Object of it exists any more."""
        unregister = self._interface.function("classdb_unregister_extension_class", None, c_void_p, c_void_p)
        unregister(self._interface.library, self._interface.name(self.page.name))
        for string in self._strings.values():
            self._interface.destroy_string(ctypes.addressof(string))
        self._strings.clear()

    # --- what it has ---

    def method(self, name: str, function: Callable, arguments: dict | None = None, result=schema.NIL, *, text: str,
               defaults: dict | None = None) -> None:  # fmt: skip
        """Add a method. `arguments`: types by name; `defaults`: values of the last of them by name. Its exceptions are printed,
        and then it returns nothing (null, zero, an empty array)."""
        kinds = {argument: kind_of(type_) for argument, type_ in (arguments or {}).items()}
        returned = None if result == schema.NIL else kind_of(result)
        defaults = defaults or {}
        assert list(kinds)[len(kinds) - len(defaults) :] == list(defaults), f"{name}: defaults are of the last arguments"
        call = CALL(self._variant_call(name, function, list(kinds.values()), returned, list(defaults.values())))
        ptrcall = PTR_CALL(self._typed_call(name, function, list(kinds.values()), returned))
        self._kept += [call, ptrcall]
        self._register_method(name, call, ptrcall, kinds, returned, list(defaults.values()))
        shown = {argument: _shown(value) for argument, value in defaults.items()}
        self.page.methods.append((name, kinds, returned, shown, text))

    def property(self, name: str, type_, getter: Callable, setter: Callable | None = None, *, text: str) -> None:
        """Add a property: `getter(behind)`, `setter(behind, value)`; without a setter it is read only."""
        self.method(f"get_{name}", getter, result=type_, text="")
        self.page.methods.pop()
        if setter:
            self.method(f"set_{name}", setter, {name: type_}, text="")
            self.page.methods.pop()
        info = self._property_info(name, kind_of(type_))
        register = self._interface.function("classdb_register_extension_class_property", None, *[c_void_p] * 5)
        set_name = self._interface.name(f"set_{name}" if setter else "")
        register(self._interface.library, self._interface.name(self.page.name), ctypes.addressof(info), set_name,
                 self._interface.name(f"get_{name}"))  # fmt: skip
        self.page.members.append((name, kind_of(type_), f"set_{name}" if setter else "", f"get_{name}", text))

    def signal(self, name: str, arguments: dict, *, text: str) -> Signal:
        """Add a signal. Return it, to emit it."""
        kinds = {argument: kind_of(type_) for argument, type_ in arguments.items()}
        infos = self._property_infos(kinds)
        register = self._interface.function("classdb_register_extension_class_signal", None, *[c_void_p] * 4, c_int64)
        names = self._interface.name(self.page.name), self._interface.name(name)
        register(self._interface.library, *names, ctypes.addressof(infos), len(kinds))
        self.page.signals.append((name, kinds, text))
        return Signal(ObjectsByName(self._interface, self._engine.variants), self.values, name, list(kinds.values()))

    def enum(self, name: str, values: dict[str, tuple[int, str]], is_bit_field: bool = False) -> None:
        """Add an enumeration: value and text by name; with an empty `name`, constants."""
        register = self._interface.function(
            "classdb_register_extension_class_integer_constant", None, *[c_void_p] * 4, c_int64, c_uint8
        )
        owner, enum = self._interface.name(self.page.name), self._interface.name(name)
        for constant, (value, text) in values.items():
            register(self._interface.library, owner, enum, self._interface.name(constant), value, is_bit_field)
            self.page.constants.append((constant, value, name, text))

    # --- calls ---

    def _variant_call(self, name, function, kinds, returned, defaults):
        addresses = reader(f"{len(kinds)}q") if kinds else lambda address: ()
        least, values, objects = len(kinds) - len(defaults), self.values, self._objects
        partial = [reader(f"{count}q") if count else (lambda address: ()) for count in range(len(kinds))] + [addresses]

        def call(userdata, instance, values_at, count, result_at, error_at):
            refuse_call(error_at, 0, 0, 0)  # Godot leaves it unset
            if not least <= count <= len(kinds):
                few = count < least
                refuse_call(error_at, TOO_FEW_ARGUMENTS if few else TOO_MANY_ARGUMENTS, 0, least if few else len(kinds))
                return
            given = partial[count](values_at)
            for place, (kind, address) in enumerate(zip(kinds, given, strict=False)):
                if not values.accepts(kind, address):
                    refuse_call(error_at, INVALID_ARGUMENT, place, kind.type)
                    return
            answer = None
            try:
                read = [values.read(kind, address) for kind, address in zip(kinds, given, strict=False)]
                answer = function(objects.get(instance), *read, *defaults[count - least :])
            except Exception as problem:  # exceptions must not leave a callback
                self._engine.reporter.exception(name, problem)
            if returned:  # a script reads the type that is declared: a null would stay in its place for later calls
                answer = values.nothing(returned) if answer is None else answer
                if answer is not None:
                    values.write(returned, result_at, answer)

        return call

    def _typed_call(self, name, function, kinds, returned):
        addresses = reader(f"{len(kinds)}q") if kinds else lambda address: ()
        values, objects = self.values, self._objects

        def call(userdata, instance, values_at, result_at):
            answer = None
            try:
                read = [values.read_value(kind, at) for kind, at in zip(kinds, addresses(values_at), strict=True)]
                answer = function(objects.get(instance), *read)
            except Exception as problem:  # exceptions must not leave a callback
                self._engine.reporter.exception(name, problem)
                answer = None
            if returned:  # the place may hold the result of another call
                values.write_value(returned, result_at, values.nothing(returned) if answer is None else answer)

        return call

    def _register_method(self, name, call, ptrcall, kinds, returned, defaults) -> None:
        infos, result = self._property_infos(kinds), self._property_info("", returned or kind_of(schema.NIL))
        variants = (c_int64 * (3 * max(len(defaults), 1)))()
        default_kinds = list(kinds.values())[len(kinds) - len(defaults) :]
        places = [ctypes.addressof(variants) + 24 * k for k in range(len(defaults))]
        for place, kind, value in zip(places, default_kinds, defaults, strict=True):
            self.values.write(kind, place, value)
        pointers, metadata = (c_void_p * max(len(defaults), 1))(*places), (ctypes.c_int * max(len(kinds), 1))()
        info = MethodInfo(
            name=self._interface.name(name), call=ctypes.cast(call, c_void_p), ptrcall=ctypes.cast(ptrcall, c_void_p),
            flags=_NORMAL, has_return_value=returned is not None, return_value=ctypes.addressof(result),
            argument_count=len(kinds), arguments=ctypes.addressof(infos), argument_metadata=ctypes.addressof(metadata),
            default_count=len(defaults), defaults=ctypes.addressof(pointers),
        )  # fmt: skip
        register = self._interface.function("classdb_register_extension_class_method", None, c_void_p, c_void_p, c_void_p)
        register(self._interface.library, self._interface.name(self.page.name), ctypes.addressof(info))
        for place in places:
            self._engine.variants.destroy(place)  # Godot has copies

    def _property_infos(self, kinds: dict[str, Kind]) -> ctypes.Array:
        infos = (PropertyInfo * max(len(kinds), 1))()
        for place, (name, kind) in enumerate(kinds.items()):
            infos[place] = self._property_info(name, kind)
        return infos

    def _property_info(self, name: str, kind: Kind) -> PropertyInfo:
        return PropertyInfo(
            type=kind.type, name=self._interface.name(name), class_name=self._interface.name(kind.class_name),
            hint=c_uint32(kind.hint), hint_string=self._string(kind.hint_string), usage=c_uint32(kind.usage),
        )  # fmt: skip

    def _string(self, text: str) -> int:
        """Address of a Godot String, kept as long as the class."""
        if text not in self._strings:
            self._strings[text] = (c_int64 * 1)()
            self._new_string(ctypes.addressof(self._strings[text]), text.encode())
        return ctypes.addressof(self._strings[text])

    def publish_help(self) -> None:
        """Give the editor the class's page; does nothing in an exported game."""
        load = self._interface.function("editor_help_load_xml_from_utf8_chars", None, ctypes.c_char_p)
        load(self.page.xml().encode())


def _shown(value) -> str:
    """A default value as GDScript writes it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value == float("inf"):
        return "INF"
    if isinstance(value, (tuple, list)) or hasattr(value, "dtype"):
        return f"Vector3{tuple(value)}" if isinstance(value, tuple) else "[]"
    return repr(value)
