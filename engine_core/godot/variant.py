"""Conversion of Variants and other values of Godot to Python and back. For rare calls; hot ones stay in compiled code.

Vectors become tuples of 3, transforms of 12 (basis by rows, then origin), planes of 4, packed arrays NumPy arrays of their own,
`bytes` a PackedByteArray, dictionaries `dict`, ids integers. A type that no setting uses becomes an `Unreadable`, which names it
in errors.
"""

import ctypes
from ctypes import c_int, c_int32, c_int64, c_uint8, c_void_p

import numpy as np

from . import schema
from .raw_memory import (
    copy,
    read_double,
    read_int32,
    read_int64,
    read_vector3,
    read_word,
    reader,
    write_double,
    write_int64,
    write_transform,
    write_vector3,
    write_word,
    writer,
    zero,
)  # fmt: skip

VARIANT_BYTES = 8 * schema.VARIANT_WORDS
_read_plane = reader("4f")
_write_byte = writer("B")


class Unreadable:
    """A Variant of a type that no physics setting uses; `name` is the type's."""

    def __init__(self, name: str):
        self.name = name

    def __repr__(self):
        return f"a value of type {self.name}"


_TYPE_NAMES = {4: "String", 5: "Vector2", 7: "Rect2", 15: "Quaternion", 16: "AABB", 20: "Color", 24: "Object",
               25: "Callable", 28: "Array"}  # fmt: skip


_DTYPES = {schema.PACKED_VECTOR3_ARRAY: np.float32, schema.PACKED_INT32_ARRAY: np.int32, schema.PACKED_BYTE_ARRAY: np.uint8,
           schema.PACKED_FLOAT32_ARRAY: np.float32, schema.PACKED_FLOAT64_ARRAY: np.float64,
           schema.PACKED_INT64_ARRAY: np.int64}  # fmt: skip
_KINDS = {np.dtype(np.int32): schema.PACKED_INT32_ARRAY, np.dtype(np.float32): schema.PACKED_FLOAT32_ARRAY,
          np.dtype(np.uint8): schema.PACKED_BYTE_ARRAY, np.dtype(np.int64): schema.PACKED_INT64_ARRAY,
          np.dtype(np.float64): schema.PACKED_FLOAT64_ARRAY}  # fmt: skip


class Packed:
    """Numbers, one-dimensional, of a type that a packed array has, to be written as one; plain arrays are vectors. `kind`: of an
    array whose elements are four numbers each: PACKED_COLOR_ARRAY."""

    def __init__(self, values: np.ndarray, kind: int = 0):
        self.values = np.ascontiguousarray(values)
        self.kind = kind or _KINDS[self.values.dtype]
        self.count = len(self.values) // (4 if kind == schema.PACKED_COLOR_ARRAY else 1)


class Variants:
    """Conversions, with the functions of the running engine."""

    def __init__(self, interface, api):
        self._interface = interface
        get_to = interface.function("get_variant_to_type_constructor", c_void_p, c_int)
        get_from = interface.function("get_variant_from_type_constructor", c_void_p, c_int)
        self.to_type_address = {t: get_to(t) for t in range(1, 39)}
        self.from_type_address = {t: get_from(t) for t in range(1, 39)}
        pair = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)
        self._to_type = {t: pair(address) for t, address in self.to_type_address.items()}
        self._from_type = {t: pair(address) for t, address in self.from_type_address.items()}
        self.destroy_address = interface.address("variant_destroy")
        self._destroy = ctypes.CFUNCTYPE(None, c_void_p)(self.destroy_address)
        self.copy = interface.function("variant_new_copy", None, c_void_p, c_void_p)
        """Make a counted copy: `copy(target, source)`; the target holds nil."""
        self._iter_init = interface.function("variant_iter_init", c_uint8, c_void_p, c_void_p, c_void_p)
        self._iter_next = interface.function("variant_iter_next", c_uint8, c_void_p, c_void_p, c_void_p)
        self._iter_get = interface.function("variant_iter_get", None, c_void_p, c_void_p, c_void_p, c_void_p)
        self._get_keyed = interface.function("variant_get_keyed", None, c_void_p, c_void_p, c_void_p, c_void_p)
        self._to_utf8 = interface.function("string_to_utf8_chars", c_int64, c_void_p, ctypes.c_char_p, c_int64)
        self._destructors, self._size, self._first, self._array_functions = {}, {}, {}, {}
        get_destructor = interface.function("variant_get_ptr_destructor", c_void_p, c_int)
        get_method = interface.function("variant_get_ptr_builtin_method", c_void_p, c_int, c_void_p, c_int64)
        method = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_void_p, c_int32)
        for kind, name, first in (
            (schema.PACKED_VECTOR3_ARRAY, "PackedVector3Array", "packed_vector3_array_operator_index"),
            (schema.PACKED_INT32_ARRAY, "PackedInt32Array", "packed_int32_array_operator_index"),
            (schema.PACKED_FLOAT32_ARRAY, "PackedFloat32Array", "packed_float32_array_operator_index"),
            (schema.PACKED_FLOAT64_ARRAY, "PackedFloat64Array", "packed_float64_array_operator_index"),
            (schema.PACKED_INT64_ARRAY, "PackedInt64Array", "packed_int64_array_operator_index"),
            (schema.PACKED_BYTE_ARRAY, "PackedByteArray", "packed_byte_array_operator_index"),
        ):
            size = get_method(kind, interface.name("size"), api.builtin_methods[name]["size"])
            self._size[kind] = method(size)
            self._first[kind] = interface.function(first + "_const", c_void_p, c_void_p, c_int64)
            self._destructors[kind] = ctypes.CFUNCTYPE(None, c_void_p)(get_destructor(kind))
            self._array_functions[kind] = size, interface.address(first + "_const"), get_destructor(kind)
        constructor = interface.function("variant_get_ptr_constructor", c_void_p, c_int, c_int32)
        self._new_dictionary = pair(constructor(schema.DICTIONARY, 0))
        self._new_vector3_array = pair(constructor(schema.PACKED_VECTOR3_ARRAY, 0))
        self._destructors[schema.DICTIONARY] = ctypes.CFUNCTYPE(None, c_void_p)(get_destructor(schema.DICTIONARY))
        self._dictionary_place = interface.function("dictionary_operator_index", c_void_p, c_void_p, c_void_p)
        self._first_vector3 = interface.function("packed_vector3_array_operator_index", c_void_p, c_void_p, c_int64)
        self._resize_vector3 = method(get_method(schema.PACKED_VECTOR3_ARRAY, interface.name("resize"),
                                                 api.builtin_methods["PackedVector3Array"]["resize"]))  # fmt: skip
        self._filling = {
            kind: (
                pair(constructor(kind, 0)),
                method(get_method(kind, interface.name("resize"), api.builtin_methods[name]["resize"])),
                interface.function(first, c_void_p, c_void_p, c_int64),
            )
            for kind, name, first in (
                (schema.PACKED_INT32_ARRAY, "PackedInt32Array", "packed_int32_array_operator_index"),
                (schema.PACKED_INT64_ARRAY, "PackedInt64Array", "packed_int64_array_operator_index"),
                (schema.PACKED_FLOAT32_ARRAY, "PackedFloat32Array", "packed_float32_array_operator_index"),
                (schema.PACKED_FLOAT64_ARRAY, "PackedFloat64Array", "packed_float64_array_operator_index"),
                (schema.PACKED_BYTE_ARRAY, "PackedByteArray", "packed_byte_array_operator_index"),
                (schema.PACKED_COLOR_ARRAY, "PackedColorArray", "packed_color_array_operator_index"),
            )
        }
        """Functions by type that make a packed array, resize it, and tell the address of an element."""
        self._destructors[schema.PACKED_COLOR_ARRAY] = ctypes.CFUNCTYPE(None, c_void_p)(get_destructor(schema.PACKED_COLOR_ARRAY))
        hashes = api.builtin_methods["Array"]
        self._append = method(get_method(schema.ARRAY, interface.name("append"), hashes["append"]))
        self._array_size = method(get_method(schema.ARRAY, interface.name("size"), hashes["size"]))
        self._item = interface.function("array_operator_index_const", c_void_p, c_void_p, c_int64)
        self._destructors[schema.CALLABLE] = ctypes.CFUNCTYPE(None, c_void_p)(get_destructor(schema.CALLABLE))
        self._destructors[schema.ARRAY] = ctypes.CFUNCTYPE(None, c_void_p)(get_destructor(schema.ARRAY))

    # --- from Godot ---

    def array_functions(self, kind: int) -> tuple[int, int, int, int]:
        """Addresses of the functions of a packed array type for compiled code: from a Variant, size, first element,
        destructor."""
        return self.to_type_address[kind], *self._array_functions[kind]

    def filling(self, kind: int) -> tuple:
        """Functions that make a packed array of a type, resize it, and tell the address of an element that may be written."""
        return self._filling[kind]

    def type_of(self, address: int) -> int:
        """The type of the Variant at an address."""
        return read_int32(address)

    def read(self, address: int):
        """The value of the Variant at an address."""
        kind = read_int32(address)
        if kind == schema.NIL:
            return None
        if kind == schema.BOOL:
            return bool(read_word(address + 8) & 0xFF)
        if kind == schema.INT:
            return read_int64(address + 8)
        if kind == schema.FLOAT:
            return read_double(address + 8)
        if kind == schema.VECTOR3:
            return read_vector3(address + 8)
        if kind == schema.PLANE:
            return _read_plane(address + 8)
        if kind == schema.RID:
            return read_word(address + 8)
        if kind == schema.TRANSFORM3D:
            memory = (ctypes.c_float * 12)()
            self._to_type[kind](ctypes.addressof(memory), address)
            return tuple(memory)
        if kind in self._size:
            return self._read_packed(kind, address)
        if kind == schema.DICTIONARY:
            return self._read_dictionary(address)
        if kind in (schema.STRING, schema.STRING_NAME):
            return self._text(address)
        return Unreadable(_TYPE_NAMES.get(kind, f"number {kind}"))

    def _read_packed(self, kind: int, address: int) -> np.ndarray:
        array = (c_int64 * 2)()
        at = ctypes.addressof(array)
        self._to_type[kind](at, address)
        return self.take_packed(kind, at)

    def take_packed(self, kind: int, at: int) -> np.ndarray:
        """The values of the packed array at an address, which is freed; any thread."""
        count = c_int64()
        self._size[kind](at, None, ctypes.addressof(count), 0)
        width = 3 if kind == schema.PACKED_VECTOR3_ARRAY else 1
        dtype = _DTYPES[kind]
        values = np.empty(count.value * width, dtype)
        if count.value:
            copy(values.ctypes.data, self._first[kind](at, 0), values.nbytes)
        self._destructors[kind](at)
        return values.reshape(-1, 3) if width == 3 else values

    def _read_dictionary(self, address: int) -> dict:
        iterator, key, value, valid = (c_int64 * 3)(), (c_int64 * 3)(), (c_int64 * 3)(), c_uint8()
        at, key_at, value_at = map(ctypes.addressof, (iterator, key, value))
        valid_at = ctypes.addressof(valid)
        read = {}
        more = self._iter_init(address, at, valid_at)
        while more and valid.value:
            self._iter_get(address, at, key_at, valid_at)
            self._get_keyed(address, key_at, value_at, valid_at)
            name = self.read(key_at)
            if not isinstance(name, (Unreadable, np.ndarray, dict)):
                read[name] = self.read(value_at)
            self._destroy(key_at)
            self._destroy(value_at)
            more = self._iter_next(address, at, valid_at)
        self._destroy(at)
        return read

    def items(self, address: int, places) -> list:
        """The values at some places of the Array at an address; None beyond its end."""
        count = self.item_count(address)
        return [self.read(self._item(address, place)) if place < count else None for place in places]

    def item_count(self, address: int) -> int:
        """The number of items of the Array at an address."""
        count = c_int64()
        self._array_size(address, None, ctypes.addressof(count), 0)
        return count.value

    def _text(self, address: int) -> str:
        string = (c_int64 * 1)()
        at = ctypes.addressof(string)
        self._to_type[schema.STRING](at, address)  # a StringName converts too
        text = ctypes.create_string_buffer(256)
        length = self._to_utf8(at, text, 255)
        if length > 255:  # length of the whole text
            text = ctypes.create_string_buffer(length + 1)
            self._to_utf8(at, text, length)
        self._interface.destroy_string(at)
        return text.raw[: max(0, min(length, len(text) - 1))].decode(errors="replace")

    # --- to Godot ---

    def write(self, address: int, value) -> None:
        """Make a Variant of a Python value at an address that holds nil."""
        if value is None:
            zero(address, VARIANT_BYTES)
        elif isinstance(value, KeptVariant):
            self.copy(address, value.address)
        elif isinstance(value, (bool, np.bool_)):
            self._write_as(schema.BOOL, address, _write_byte, bool(value))
        elif isinstance(value, (int, np.integer)):
            self._write_as(schema.INT, address, write_int64, int(value))
        elif isinstance(value, (float, np.floating)):
            self._write_as(schema.FLOAT, address, write_double, float(value))
        elif isinstance(value, str):
            self._interface.with_string(value, lambda text: self._from_type[schema.STRING](address, text))
        elif isinstance(value, bytes):
            self._write_packed(address, Packed(np.frombuffer(value, np.uint8)))
        elif isinstance(value, dict):
            self._write_dictionary(address, value)
        elif isinstance(value, Packed):
            self._write_packed(address, value)
        elif isinstance(value, np.ndarray) and value.ndim == 2:
            self._write_vector3_array(address, value)
        elif len(value) == 3:
            self._write_as(schema.VECTOR3, address, write_vector3, *value)
        elif len(value) == 4:
            self._write_as(schema.PLANE, address, writer("4f"), *value)
        else:
            self._write_as(schema.TRANSFORM3D, address, write_transform, *value)

    def _write_as(self, kind, address, write, *values) -> None:
        memory = (c_int64 * 6)()
        at = ctypes.addressof(memory)
        write(at, *values)
        self._from_type[kind](address, at)

    def _write_vector3_array(self, address: int, rows: np.ndarray) -> None:
        array = (c_int64 * 2)()
        at = ctypes.addressof(array)
        self._new_vector3_array(at, None)
        self.fill_vector3_array(at, rows)
        self._from_type[schema.PACKED_VECTOR3_ARRAY](address, at)
        self._destructors[schema.PACKED_VECTOR3_ARRAY](at)

    def _write_packed(self, address: int, packed: "Packed") -> None:
        array, count, result = (c_int64 * 2)(), c_int64(packed.count), c_int64()
        at, kind = ctypes.addressof(array), packed.kind
        new, resize, first = self._filling[kind]
        arguments = (c_void_p * 1)(ctypes.addressof(count))  # kept: other threads run during each call of Godot
        new(at, None)
        resize(at, ctypes.addressof(arguments), ctypes.addressof(result), 1)
        if count.value:
            copy(first(at, 0), packed.values.ctypes.data, packed.values.nbytes)
        self._from_type[kind](address, at)
        self._destructors[kind](at)

    def _write_dictionary(self, address: int, values: dict) -> None:
        dictionary, key = (c_int64 * 1)(), (c_int64 * 3)()
        at, key_at = ctypes.addressof(dictionary), ctypes.addressof(key)
        self._new_dictionary(at, None)
        for name, value in values.items():
            self.write(key_at, name)
            self.write(self._dictionary_place(at, key_at), value)  # the place holds nil
            self.destroy(key_at)
        self._from_type[schema.DICTIONARY](address, at)
        self._destructors[schema.DICTIONARY](at)

    def write_of_type(self, kind: int, address: int, value_address: int) -> None:
        """Make a Variant of the value of type `kind` at another address (copied, counted)."""
        self._from_type[kind](address, value_address)

    def write_object(self, address: int, object_: int) -> None:
        """Make a Variant that refers to an Object."""
        self._write_as(schema.OBJECT, address, write_word, object_)

    def fill_vector3_array(self, address: int, rows: np.ndarray) -> None:
        """Give the PackedVector3Array at an address these rows, float32 `(n, 3)`."""
        count = c_int64(len(rows))
        arguments = (c_void_p * 1)(ctypes.addressof(count))
        result = c_int64()
        self._resize_vector3(address, ctypes.addressof(arguments), ctypes.addressof(result), 1)
        rows = np.ascontiguousarray(rows, np.float32)
        if len(rows):
            copy(self._first_vector3(address, 0), rows.ctypes.data, rows.nbytes)

    def append_ids(self, address: int, ids) -> None:
        """Append ids to the Array of RIDs at an address."""
        variant, identity = (c_int64 * 3)(), c_int64()
        at = ctypes.addressof(variant)
        arguments = (c_void_p * 1)(at)
        for one in ids:
            identity.value = one
            self._from_type[schema.RID](at, ctypes.addressof(identity))
            self._append(address, ctypes.addressof(arguments), None, 1)
            self._destroy(at)

    def append_values(self, address: int, values) -> None:
        """Append Python values to the Array at an address."""
        variant = (c_int64 * 3)()
        at = ctypes.addressof(variant)
        arguments = (c_void_p * 1)(at)
        for value in values:
            self.write(at, value)
            self._append(address, ctypes.addressof(arguments), None, 1)
            self.destroy(at)

    def to_type(self, kind: int, place: int, address: int) -> None:
        """Make a value of type `kind` at a place from the Variant at an address (counted)."""
        self._to_type[kind](place, address)

    def destroy_value(self, kind: int, address: int) -> None:
        """Free a value of type `kind` that is not a Variant."""
        self._destructors[kind](address)

    def destroy(self, address: int) -> None:
        """Free the content of the Variant at an address and leave nil."""
        if read_int32(address):
            self._destroy(address)
            zero(address, VARIANT_BYTES)

    def store(self, address: int) -> "StoredVariant":
        """Keep a copy of the Variant at an address."""
        return StoredVariant(self, address)


class KeptVariant:
    """A Variant of our own at an address; `release` frees its content."""

    def __init__(self, variants: Variants, address: int):
        self._variants, self.address = variants, address

    def set(self, source: int) -> None:
        """Hold a copy of the Variant at an address instead."""
        self.release()
        self._variants.copy(self.address, source)

    def release(self) -> None:
        """Set it to nil."""
        self._variants.destroy(self.address)


class StoredVariant(KeptVariant):
    """A Variant in memory of its own: a copy of another, or nil."""

    def __init__(self, variants: Variants, source: int = 0):
        self._memory = (c_int64 * 3)()
        super().__init__(variants, ctypes.addressof(self._memory))
        if source:
            variants.copy(self.address, source)
