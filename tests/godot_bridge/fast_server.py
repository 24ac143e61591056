"""A server without Godot, whose virtuals are called as Godot calls them: by address, with addresses. For comparing compiled
answers with Python's."""

import ctypes
import struct
from itertools import count
from types import SimpleNamespace

import numpy as np

from scree.bodies.identity import index_of
from scree.godot import schema, virtual_modules
from scree.godot.python_virtuals import CALLBACK, make_cold_call
from scree.godot.server import Server
from scree.godot.variant import Variants
from scree.godot.virtual_table import SERVER
from scree.shapes import schema as shapes
from scree.core.world import World

_WORD, _NONE = ctypes.c_int64, None
CALLABLE_WORD = 4711  # what a Callable that can be called holds; any other cannot
BODY, SPACE = ("RID",), ("RID", "RID")
SHAPE, PLACE = ("RID", "RID", "Transform3D", "bool"), ("RID", "int", "Transform3D")
NUMBER, FLAG, NUMBERED_FLAG = ("RID", "int"), ("RID", "bool"), ("RID", "int", "bool")
PARAMETER, CALLBACK_OF, MODE = ("RID", "enum::Parameter", "Variant"), ("RID", "Callable"), ("RID", "enum::Mode")
_BOTH = {
    "set_space": SPACE, "add_shape": SHAPE, "set_shape_transform": PLACE, "set_shape_disabled": NUMBERED_FLAG,
    "remove_shape": NUMBER, "set_collision_layer": NUMBER, "set_collision_mask": NUMBER, "attach_object_instance_id": NUMBER,
    "set_ray_pickable": FLAG, "set_param": PARAMETER,
}  # fmt: skip
_SHAPES = ("world_boundary", "separation_ray", "sphere", "box", "capsule", "cylinder", "convex_polygon", "concave_polygon",
           "heightmap")  # fmt: skip
ARGUMENTS = {
    **{f"_{name}_shape_create": () for name in _SHAPES}, "_shape_set_data": ("RID", "Variant"),
    "_body_create": (), "_area_create": (), "_free_rid": BODY, "_body_set_mode": MODE,
    "_body_set_collision_priority": ("RID", "float"), "_body_set_user_flags": NUMBER,
    "_body_set_state_sync_callback": CALLBACK_OF, "_area_set_monitor_callback": CALLBACK_OF,
    "_area_set_area_monitor_callback": CALLBACK_OF, "_area_set_monitorable": FLAG,
    "_body_set_axis_lock": ("RID", "enum::Axis", "bool"), "_body_set_enable_continuous_collision_detection": FLAG,
    "_body_set_omit_force_integration": FLAG,
    **{f"_{family}_{name}": types for family in ("body", "area") for name, types in _BOTH.items()},
}  # fmt: skip
"""The virtuals that have a compiled answer, with the types of their arguments."""
_ARRAYS = schema.PACKED_VECTOR3_ARRAY, schema.PACKED_FLOAT32_ARRAY
_COUNTED = schema.CALLABLE, schema.OBJECT, schema.DICTIONARY, *_ARRAYS
_PACKED = {"RID": "<q", "int": "<q", "bool": "<?", "float": "<d"}


def _function(result, count, function):
    made = ctypes.CFUNCTYPE(result, *[_WORD] * count)(function)
    return made, ctypes.cast(made, ctypes.c_void_p).value


def _words(address):
    return (ctypes.c_int64 * schema.VARIANT_WORDS).from_address(address)


class _Variants(Variants):
    """Variants of a Godot that has Callables, Objects, Dictionaries and packed arrays of one word. `alive`: how many that are
    counted were not freed."""

    def __init__(self):
        self.alive, self._kept, self._size, self._things = 0, [], _ARRAYS, []
        callable_, object_ = self._maker(schema.CALLABLE), self._maker(schema.OBJECT)
        self._from_type = {schema.CALLABLE: callable_[0], schema.OBJECT: object_[0]}
        self.from_type_address = dict.fromkeys(range(40), 0) | {schema.CALLABLE: callable_[1], schema.OBJECT: object_[1]}
        self.to_type_address = dict.fromkeys(range(40), 0)
        self._destroy, self.destroy_address = _function(_NONE, 1, self._free)
        self.copy, self.copy_address = _function(_NONE, 2, self._copy)
        self._look_up, self.look_up_address = _function(_NONE, 4, self._get_keyed)

        self._array_kept = [
            _function(_NONE, 2, self._open), _function(_NONE, 4, self._write_count), _function(_WORD, 2, self._first_element),
            _function(_NONE, 1, self._close),
        ]  # fmt: skip

    def array_functions(self, kind):
        return tuple(address for _, address in self._array_kept)

    def _open(self, array, variant):
        self.alive += 1
        ctypes.c_int64.from_address(array).value = _words(variant)[1]

    def _array(self, array):
        return self._things[ctypes.c_int64.from_address(array).value]

    def _write_count(self, array, _, result, __):
        ctypes.c_int64.from_address(result).value = len(self._array(array))

    def _first_element(self, array, at):
        return self._array(array).ctypes.data

    def _close(self, array):
        self.alive -= 1

    def _read_packed(self, kind, address):
        return self._things[_words(address)[1]].copy()

    def _maker(self, kind):
        def make(place, value):
            self.alive += 1
            _words(place)[:2] = [kind, ctypes.c_int64.from_address(value).value]

        return _function(_NONE, 2, make)

    def _free(self, address):
        self.alive -= _words(address)[0] in _COUNTED

    def _copy(self, place, source):
        self.alive += _words(source)[0] in _COUNTED
        _words(place)[:] = _words(source)[:]

    def _thing(self, thing):
        """The word that stands for a Dictionary, or for a String."""
        self._things.append(thing)
        return len(self._things) - 1

    def bytes_of(self, value):
        """The bytes of a Variant; it is not counted."""
        if isinstance(value, dict):
            return np.array([schema.DICTIONARY, self._thing(value), 0], np.int64)
        if isinstance(value, np.ndarray):
            return np.array([_ARRAYS[value.ndim == 1], self._thing(np.ascontiguousarray(value, np.float32)), 0], np.int64)
        return pack("Variant", value)

    def write(self, address, text):
        _words(address)[:2] = [schema.STRING, self._thing(text)]

    def _read_dictionary(self, address):
        return dict(self._things[_words(address)[1]])

    def _get_keyed(self, dictionary, key, place, is_valid):
        values, name = self._read_dictionary(dictionary), self._things[_words(key)[1]]
        ctypes.c_uint8.from_address(is_valid).value = name in values
        if name in values:
            made = self.bytes_of(values[name])
            self.alive += int(made[0]) in _COUNTED
            _words(place)[:] = made.tolist()


class FastServer:
    """A server and its calls. `is_fast`: compiled code answers where it can; else Python answers all."""

    def __init__(self, is_fast: bool, **limits):
        virtual_modules.import_all()
        self.world = World(threads=1, **({"bodies": 8192, "body_shapes": 8192, "shapes": 8192, "systems": 4} | limits))
        self.variants, self.errors, self.objects, self._numbers = _Variants(), [], set(), count(1)
        self.server = Server(self._engine(), self.world)
        self.handed_over = 0
        self._callbacks = {name: self._python(name, types) for name, types in ARGUMENTS.items()}
        order = SERVER.compiled_group.names
        addresses = [ctypes.cast(self._callbacks[name], ctypes.c_void_p).value for name in order]
        self.python_answers = np.array(addresses, np.int64)
        self.server.record["python_answers"] = self.python_answers.ctypes.data
        fast = SERVER.compiled_addresses() if is_fast else {}
        self._calls = {name: CALLBACK(fast[name]) if name in fast else call for name, call in self._callbacks.items()}

    def _engine(self):
        valid = _function(_NONE, 4, lambda at, _, out, __: ctypes.memset(out, int(_words(at)[0] == CALLABLE_WORD), 1))
        made = _function(_WORD, 1, self._make_object)
        instance, destroyed = _function(_NONE, 3, lambda *_: None), _function(_NONE, 1, self.objects.discard)
        self._kept = [valid, made, instance, destroyed]
        functions = {"classdb_construct_object2": made[1], "object_set_instance": instance[1], "object_destroy": destroyed[1],
                     "variant_new_copy": self.variants.copy_address,
                     "variant_get_keyed": self.variants.look_up_address}  # fmt: skip
        interface = SimpleNamespace(
            address=lambda name: functions.get(name, 0), name=lambda text: 0, method=lambda *_: 0, function=lambda *_: None
        )
        classes = SimpleNamespace(make=lambda instance: self._make_object(0))
        nothing = SimpleNamespace(hash=0)
        methods = {name: {method: nothing for method in ("is_body_excluded_from_query", "body_test_motion_is_excluding_body",
                   "body_test_motion_is_excluding_object")} for name in ("PhysicsDirectSpaceState3DExtension",
                   "PhysicsServer3DExtension")}  # fmt: skip
        reporter = SimpleNamespace(
            exception=lambda call, error: self.errors.append((call, type(error).__name__)),
            warn_once=lambda *_: None, refusal=lambda *_: None,
        )  # fmt: skip
        return SimpleNamespace(
            interface=interface, variants=self.variants, reporter=reporter, api=SimpleNamespace(classes=methods),
            body_state_class=classes, space_state_class=classes, destroy_object=self.objects.discard,
            callable_is_valid=lambda at: _words(at)[0] == CALLABLE_WORD, callable_is_valid_address=valid[1],
        )  # fmt: skip

    def _make_object(self, name):
        object_ = next(self._numbers)
        self.objects.add(object_)
        return object_

    def _python(self, name, types):
        method = SimpleNamespace(name=name, arguments=types, result="RID" if name.endswith("_create") else None)
        call = make_cold_call(
            method, SERVER.cold_functions[name], self.server, False, self.server.reporter, self.server.lock, self.variants
        )

        def counted(instance, arguments, result):
            self.handed_over += 1
            call(instance, arguments, result)

        return CALLBACK(counted)

    def call(self, name, *values, by_python=False):
        """Call a virtual as Godot does, or only what Python answers; what it answers."""
        kept, at = [], np.zeros(max(len(values), 1), np.int64)
        for number, (kind, value) in enumerate(zip(ARGUMENTS[name], values, strict=True)):
            kept.append(self.variants.bytes_of(value) if kind == "Variant" else pack(kind, value))
            at[number] = kept[-1].ctypes.data
        answer = np.zeros(4, np.int64)
        (self._callbacks if by_python else self._calls)[name](self.server.address, at.ctypes.data, answer.ctypes.data)
        return int(answer[0])

    def space(self):
        """Id of a new space."""
        identity = self.world.create_system(gravity=(0.0, -9.8, 0.0))
        self.server.add_space(identity)
        self.server.space_bindings[index_of(identity)]["is_active"] = 1
        return identity

    def box(self, size=0.5):
        """Id of a new box."""
        identity = self.world.shape.create(shapes.BOX)
        self.world.shapes.set_box(self.world.shape.index("", identity), (size, size, size))
        self.server.shapes.add(identity)
        return identity


def pack(kind, value) -> np.ndarray:
    """The bytes of an argument. A Variant: a number, or three."""
    if kind == "Transform3D":
        return np.array(value, np.float32)
    if kind == "Callable":
        return np.array([value, 0, 0], np.int64)
    if kind == "Variant":
        memory = np.zeros(3, np.int64)
        if isinstance(value, bool):
            memory[0], memory[1] = schema.BOOL, value
        elif isinstance(value, tuple):
            memory[0] = schema.VECTOR3
            memory[1:].view(np.float32)[:3] = value
        elif isinstance(value, float):
            memory[0], memory[1:].view(np.float64)[0] = schema.FLOAT, value
        else:
            memory[0], memory[1] = schema.INT, value
        return memory
    plain = "int" if kind.startswith("enum::") else kind
    return np.frombuffer(bytearray(struct.pack(_PACKED[plain], value)), np.uint8)
