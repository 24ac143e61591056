"""Types of the arguments and results of Scree's public classes, and their values between Godot and Python.

A type is a number of `schema.py` (FLOAT, RID, ...), or a `Kind` where the number alone says too little: an Object of a class, an
Array of a type, an enumeration.
"""

import ctypes
from ctypes import c_int64, c_void_p
from dataclasses import dataclass

import numpy as np

from . import schema
from .raw_memory import read_int32, write_word
from .variant import Packed

TYPE_NAMES = {
    schema.NIL: "void", schema.BOOL: "bool", schema.INT: "int", schema.FLOAT: "float", schema.STRING: "String",
    schema.VECTOR3: "Vector3", schema.PLANE: "Plane", schema.BASIS: "Basis", schema.TRANSFORM3D: "Transform3D",
    schema.STRING_NAME: "StringName", schema.RID: "RID", schema.OBJECT: "Object", schema.CALLABLE: "Callable",
    schema.DICTIONARY: "Dictionary", schema.ARRAY: "Array", schema.PACKED_BYTE_ARRAY: "PackedByteArray",
    schema.PACKED_INT32_ARRAY: "PackedInt32Array", schema.PACKED_INT64_ARRAY: "PackedInt64Array",
    schema.PACKED_FLOAT32_ARRAY: "PackedFloat32Array", schema.PACKED_FLOAT64_ARRAY: "PackedFloat64Array",
    schema.PACKED_VECTOR3_ARRAY: "PackedVector3Array", schema.PACKED_COLOR_ARRAY: "PackedColorArray",
    schema.PACKED_STRING_ARRAY: "PackedStringArray",
}  # fmt: skip
"""Godot's names of the types."""
_HINT_RESOURCE, _HINT_ARRAY = 17, 31  # PROPERTY_HINT_RESOURCE_TYPE, PROPERTY_HINT_ARRAY_TYPE
_USAGE, _USAGE_ENUM = 6, 6 | 1 << 16  # PROPERTY_USAGE_DEFAULT, with PROPERTY_USAGE_CLASS_IS_ENUM
_WIDTHS = {schema.PACKED_INT32_ARRAY: np.int32, schema.PACKED_INT64_ARRAY: np.int64, schema.PACKED_FLOAT32_ARRAY: np.float32,
           schema.PACKED_FLOAT64_ARRAY: np.float64, schema.PACKED_BYTE_ARRAY: np.uint8}  # fmt: skip
_CONVERTS = {
    schema.FLOAT: (schema.INT,), schema.INT: (schema.FLOAT, schema.BOOL), schema.BOOL: (schema.INT,),
    schema.STRING_NAME: (schema.STRING,), schema.STRING: (schema.STRING_NAME,), schema.OBJECT: (schema.NIL,),
    **dict.fromkeys((*_WIDTHS, schema.PACKED_VECTOR3_ARRAY), (schema.ARRAY,)),
}  # fmt: skip
_COUNTED = (schema.STRING, schema.STRING_NAME, schema.DICTIONARY, schema.ARRAY, *_WIDTHS, schema.PACKED_VECTOR3_ARRAY,
            schema.PACKED_COLOR_ARRAY, schema.PACKED_STRING_ARRAY)  # fmt: skip
_NOTHING = {
    schema.BOOL: False, schema.INT: 0, schema.FLOAT: 0.0, schema.STRING: "", schema.VECTOR3: (0.0,) * 3, schema.RID: 0,
    schema.TRANSFORM3D: (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), schema.DICTIONARY: {}, schema.ARRAY: (),
    **{kind: np.zeros(0, width) for kind, width in _WIDTHS.items()}, schema.PACKED_VECTOR3_ARRAY: np.zeros((0, 3), np.float32),
}  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """A type with what Godot's PropertyInfo says beside its number. `shown`: its name in the editor's help."""

    type: int
    shown: str
    class_name: str = ""
    hint: int = 0
    hint_string: str = ""
    usage: int = _USAGE
    is_counted: bool = False  # an Object of a class that extends RefCounted


VARIANT = Kind(schema.NIL, "Variant", usage=_USAGE | 1 << 17)  # PROPERTY_USAGE_NIL_IS_VARIANT
"""A value of any type."""


def kind_of(type_: "int | Kind") -> Kind:
    """The Kind of a type."""
    return type_ if isinstance(type_, Kind) else Kind(type_, TYPE_NAMES[type_])


def object_of(class_name: str, is_counted: bool = True, is_resource: bool = False) -> Kind:
    """An Object of a class; `is_counted`: one that extends RefCounted."""
    hint = (_HINT_RESOURCE, class_name) if is_resource else (0, "")
    return Kind(schema.OBJECT, class_name, class_name, *hint, is_counted=is_counted)


def array_of(name: str) -> Kind:
    """An Array whose items are of a type or class ("RID", "Node3D")."""
    return Kind(schema.ARRAY, f"{name}[]", hint=_HINT_ARRAY, hint_string=name)


def enum_of(class_name: str, enum: str) -> Kind:
    """An enumeration of a class."""
    return Kind(schema.INT, f"{class_name}.{enum}", f"{class_name}.{enum}", usage=_USAGE_ENUM)


class TypedValues:
    """Reads arguments and writes results. `objects`: the Python objects behind Objects of Scree's classes, by instance id."""

    def __init__(self, interface, variants, objects: dict[int, object]):
        self._variants, self._objects, self._name = variants, objects, interface.name
        self._id_of_object = interface.function("object_get_instance_id", ctypes.c_uint64, c_void_p)
        self._set_reference = interface.function("ref_set_object", None, c_void_p, c_void_p)
        destructor = interface.function("variant_get_ptr_destructor", c_void_p, ctypes.c_int)
        self._new_array = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)(
            interface.function("variant_get_ptr_constructor", c_void_p, ctypes.c_int, ctypes.c_int32)(schema.ARRAY, 0)
        )
        self._free_value = {kind: ctypes.CFUNCTYPE(None, c_void_p)(destructor(kind)) for kind in _COUNTED}

    def accepts(self, kind: Kind, address: int) -> bool:
        """Whether the Variant at an address is of a type, or becomes one by itself as Godot's own calls allow."""
        given = read_int32(address)
        return given == kind.type or kind.type == schema.NIL or given in _CONVERTS.get(kind.type, ())

    def read(self, kind: Kind, address: int):
        """The Python value of the Variant at an address. An Object of one of our classes becomes what is behind it, another one
        its instance id, null becomes None; an Array becomes a list, a Callable a kept Variant. Raises ValueError for an Object of
        another class."""
        variants = self._variants
        if kind.type == schema.OBJECT:
            return self._read_object(kind, address)
        if kind.type == schema.CALLABLE:
            return variants.store(address)
        if kind.type != schema.NIL and read_int32(address) != kind.type:
            return self._converted(kind, address)
        if schema.ARRAY in (kind.type, read_int32(address)):
            return self._read_array(address)
        return variants.read(address)

    def _converted(self, kind: Kind, address: int):
        value, variant = (c_int64 * 6)(), (c_int64 * 3)()
        at, variant_at = ctypes.addressof(value), ctypes.addressof(variant)
        self._variants.to_type(kind.type, at, address)
        self._variants.write_of_type(kind.type, variant_at, at)
        if kind.type in _COUNTED:
            self._free_value[kind.type](at)
        try:
            return self._variants.read(variant_at)
        finally:
            self._variants.destroy(variant_at)

    def _read_object(self, kind: Kind, address: int):
        place = (c_int64 * 1)()
        if read_int32(address) == schema.NIL:
            return None
        self._variants.to_type(schema.OBJECT, ctypes.addressof(place), address)
        if not place[0]:
            return None
        identity = self._id_of_object(place[0])
        found = self._objects.get(identity)
        if found is None and kind.class_name.startswith("Scree"):
            raise ValueError(f"a {kind.class_name} is wanted")
        return identity if found is None else found

    def _read_array(self, address: int) -> list:
        array = (c_int64 * 1)()
        at = ctypes.addressof(array)
        self._variants.to_type(schema.ARRAY, at, address)
        try:
            return self._variants.items(at, range(self._variants.item_count(at)))
        finally:
            self._free_value[schema.ARRAY](at)

    def read_value(self, kind: Kind, address: int):
        """Return what `read` does, for a value of the type itself at an address: an argument of a typed call."""
        variant = (c_int64 * 3)()
        at = ctypes.addressof(variant)
        if kind.type == schema.NIL:  # a Variant as it is
            return self.read(kind, address)
        self._variants.write_of_type(kind.type, at, address)
        try:
            return self.read(kind, at)
        finally:
            self._variants.destroy(at)

    def write(self, kind: Kind, address: int, value) -> None:
        """Make a Variant of a Python value at an address that holds nil. An Object is given by its address."""
        if value is None:
            return
        if kind.type == schema.OBJECT:
            self._variants.write_object(address, value)
        elif kind.type == schema.RID:
            identity = c_int64(value)
            self._variants.write_of_type(schema.RID, address, ctypes.addressof(identity))
        elif kind.type == schema.ARRAY:
            self._write_ids(address, value)
        elif kind.type == schema.PACKED_STRING_ARRAY:
            self._write_strings(address, value)
        elif kind.type in _WIDTHS and not isinstance(value, bytes):
            self._variants.write(address, Packed(np.ravel(value).astype(_WIDTHS[kind.type], copy=False)))
        elif kind.type == schema.PACKED_COLOR_ARRAY:
            self._variants.write(address, Packed(np.ravel(value).astype(np.float32, copy=False), kind.type))
        elif kind.type == schema.PACKED_VECTOR3_ARRAY:
            self._variants.write(address, np.asarray(value, np.float32).reshape(-1, 3))
        elif kind.type == schema.STRING_NAME:
            self._variants.write_of_type(schema.STRING_NAME, address, self._name(value))
        elif kind.type == schema.FLOAT:
            self._variants.write(address, float(value))
        elif kind.type == schema.BOOL:
            self._variants.write(address, bool(value))
        else:
            self._variants.write(address, value)

    def _write_ids(self, address: int, ids) -> None:
        """Make an Array of RIDs."""
        array = (c_int64 * 1)()
        at = ctypes.addressof(array)
        self._new_array(at, None)
        self._variants.append_ids(at, ids)
        self._variants.write_of_type(schema.ARRAY, address, at)
        self._free_value[schema.ARRAY](at)

    @staticmethod
    def nothing(kind: Kind):
        """The answer of a call of this type after an error: zero, an empty array; None for an Object or a Variant."""
        return _NOTHING.get(kind.type)

    def write_array(self, address: int, values) -> None:
        """Make an Array of Python values in the Variant at an address that holds nil."""
        array = (c_int64 * 1)()
        at = ctypes.addressof(array)
        self._new_array(at, None)
        self._variants.append_values(at, values)
        self._variants.write_of_type(schema.ARRAY, address, at)
        self._free_value[schema.ARRAY](at)

    def _write_strings(self, address: int, texts) -> None:
        """Make a PackedStringArray: Godot makes it of an Array."""
        variant, strings = (c_int64 * 3)(), (c_int64 * 2)()
        at, strings_at = ctypes.addressof(variant), ctypes.addressof(strings)
        self.write_array(at, texts)
        self._variants.to_type(schema.PACKED_STRING_ARRAY, strings_at, at)
        self._variants.write_of_type(schema.PACKED_STRING_ARRAY, address, strings_at)
        self._free_value[schema.PACKED_STRING_ARRAY](strings_at)
        self._variants.destroy(at)

    def write_value(self, kind: Kind, address: int, value) -> None:
        """Write a Python value as a value of the type itself, over the one at an address: the result of a typed call."""
        if kind.type == schema.OBJECT:
            (self._set_reference if kind.is_counted else write_word)(address, value or 0)
            return
        if value is None:
            return
        variant = (c_int64 * 3)()
        at = ctypes.addressof(variant)
        self.write(kind, at, value)
        if kind.type == schema.NIL:
            self._variants.copy(address, at)
        else:
            if kind.type in _COUNTED:
                self._free_value[kind.type](address)
            self._variants.to_type(kind.type, address, at)
        self._variants.destroy(at)
