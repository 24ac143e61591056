"""The data of hulls, meshes and height fields, cooked from Godot's own arrays by compiled code; for shapes.py.

The first shape of each kind is set by Python, which then provides the code that cooks them. Python also handles unusual data, and
frees memory that is too large to wait for it.
"""

import math

import numpy as np

from ...runtime.atomics import compare_exchange_int64, load_acquire_int64, store_release_int64
from ...runtime.call import (
    call_1, call_1_result, call_2, call_2_result, call_3_int, call_4, load_float64, load_int32, load_int64, load_uint8,
    store_int64,
)  # fmt: skip
from ...runtime.kernel import kernel
from ...runtime.memory import address_of_record, address_of_row, stack_array, view
from ...shapes.compiled_cooking import REQUEST
from ...shapes.cooked_memory import COOKED_MEMORY
from ...shapes.schema import EMPTY, HEIGHT_FIELD, HULL, MESH, SHAPE
from ..schema import (
    BOOL, DICTIONARY, FLOAT, INT, PACKED_FLOAT32_ARRAY, PACKED_VECTOR3_ARRAY, SERVER, UNSEEN, VARIANT_WORDS, WRITTEN,
)  # fmt: skip
from .body_shapes import SIGHT, binding_of_shape, shapes_of
from .compiled_answer import free_variant

INT32, INT64 = np.int32, np.int64
SHAPE_WORDS = SHAPE.itemsize // 8
ARRAY_WORDS = 2  # of Godot's packed arrays
VECTOR3_ARRAY, FLOAT32_ARRAY = SERVER.fields["vector3_array"][1], SERVER.fields["float32_array"][1]
FROM_VARIANT, ELEMENT_COUNT, FIRST_ELEMENT, DESTROY = 0, 8, 16, 24
"""Offsets of the addresses of an array type's functions."""
MOST_NOTED_MEMORY = 1 << 24
"""Freed memory that may wait for Python to take the notes over [byte]."""
MOST_SAMPLES = 1 << 28


# --- content of a Variant ---


@kernel
def value_in(server, dictionary, key, value):
    """Write the value of a key in a Dictionary (address of its Variant) to `value`, an address. Return its type; it must be
    freed. -1: no such key."""
    words = stack_array(1, np.int64)
    words[0] = 0
    for k in range(VARIANT_WORDS):
        store_int64(value + 8 * k, INT64(0))
    call_4(server.variant_get_keyed, dictionary, key, value, address_of_row(words, 0))
    return load_int32(value) if words[0] & 0xFF else INT32(-1)


@kernel
def number_in(server, dictionary, key):
    """The number for a key in a Dictionary (address of its Variant); NaN if there is none."""
    words = stack_array(VARIANT_WORDS, np.int64)
    value = address_of_row(words, 0)
    kind = value_in(server, dictionary, key, value)
    if kind == FLOAT:
        return load_float64(value + 8)
    if kind == INT:
        return np.float64(load_int64(value + 8))
    if kind >= 0:
        free_variant(server, value)
    return math.nan


@kernel
def _open_array(functions, variant, array):
    """Open the packed array in a Variant; `functions`: address of those of its type. Return (address of its first element, number
    of elements), valid until `DESTROY` is called with `array`."""
    words = stack_array(1, np.int64)
    words[0] = 0
    call_2(load_int64(functions + FROM_VARIANT), array, variant)
    call_3_int(load_int64(functions + ELEMENT_COUNT), array, INT64(0), address_of_row(words, 0), INT32(0))
    if words[0] == 0:
        return INT64(0), INT64(0)
    return call_2_result(load_int64(functions + FIRST_ELEMENT), array, INT64(0)), words[0]


@kernel
def _cook_array(function, functions, variant, request, count):
    """Have an entry point cook the packed array in a Variant; `count`: the required number of elements, -1: any."""
    words = stack_array(ARRAY_WORDS, np.int64)
    array, memory = address_of_row(words, 0), INT64(0)
    given, found = _open_array(functions, variant, array)
    if count < 0 or count == found:
        request.given = given
        request.count = found if count < 0 else request.count
        memory = call_1_result(function, address_of_record(request))
    call_1(load_int64(functions + DESTROY), array)
    return memory


@kernel
def _is_two_sided(server, data):
    """Whether a mesh's data has backface collision; -1: Python must decide."""
    words = stack_array(VARIANT_WORDS, np.int64)
    value = address_of_row(words, 0)
    kind = value_in(server, data, server.backface_key, value)
    if kind < 0:
        return INT64(0)
    if kind == BOOL:
        return INT64(load_uint8(value + 8) != 0)
    free_variant(server, value)
    return INT64(-1)


@kernel
def _cook_mesh(server, data, request):
    request.is_two_sided = _is_two_sided(server, data)
    words = stack_array(VARIANT_WORDS, np.int64)
    value = address_of_row(words, 0)
    kind, memory = value_in(server, data, server.faces_key, value), INT64(0)
    if kind == PACKED_VECTOR3_ARRAY and request.is_two_sided >= 0:
        memory = _cook_array(server.cook_mesh, address_of_record(server) + VECTOR3_ARRAY, value, request, INT64(-1))
    if kind >= 0:
        free_variant(server, value)
    return memory


@kernel
def _cook_field(server, data, request):
    width, depth = number_in(server, data, server.width_key), number_in(server, data, server.depth_key)
    if not (width >= 2.0 and depth >= 2.0 and width * depth <= MOST_SAMPLES):
        return INT64(0)
    request.count, request.depth = INT64(width), INT64(depth)
    words = stack_array(VARIANT_WORDS, np.int64)
    value = address_of_row(words, 0)
    kind, memory = value_in(server, data, server.heights_key, value), INT64(0)
    if kind == PACKED_FLOAT32_ARRAY and request.count == width and request.depth == depth:
        count, functions = request.count * request.depth, address_of_record(server) + FLOAT32_ARRAY
        memory = _cook_array(server.cook_field, functions, value, request, count)
    if kind >= 0:
        free_variant(server, value)
    return memory


@kernel
def _cook(server, kind, data, cooked, before):
    """Cook the content of a Variant for a shape of this kind into a zeroed row of SHAPE. Return the address of its memory
    (`before`, if that was made of the same data); 0: Python must decide."""
    got, requests = load_int32(data), stack_array(1, REQUEST)
    request = requests[0]
    request.cooking, request.cooked, request.before = server.cooking, cooked, before
    if kind == HULL and server.cook_hull != 0 and got == PACKED_VECTOR3_ARRAY:
        return _cook_array(server.cook_hull, address_of_record(server) + VECTOR3_ARRAY, data, request, INT64(-1))
    if kind == MESH and server.cook_mesh != 0 and got == DICTIONARY:
        return _cook_mesh(server, data, request)
    if kind == HEIGHT_FIELD and server.cook_field != 0 and got == DICTIONARY:
        return _cook_field(server, data, request)
    return INT64(0)


# --- the rows ---


@kernel
def has_block(kind):
    """Whether shapes of this kind are cooked here."""
    return kind == HULL or kind == MESH or kind == HEIGHT_FIELD


@kernel
def memory_of(server, index):
    """Address of the word of a shape in the table of cooked memory."""
    return server.cooked_memory + 8 * index


@kernel
def is_block_ours(server, shape, index):
    """Whether a shape has no block, or one cooked by compiled code that Python has not claimed."""
    return shape.block == 0 or load_int64(memory_of(server, index)) != 0


@kernel
def _write_row(shape, cooked):
    """Write the cooked data to a row that held no other kind of shape. The row is EMPTY meanwhile."""
    shape.kind = INT32(EMPTY)
    shape.block, shape.volume, shape.inner_radius = cooked.block, cooked.volume, cooked.inner_radius
    shape.has_backface_collision = cooked.has_backface_collision
    for k in range(3):
        shape.center_of_mass[k] = cooked.center_of_mass[k]
    for k in range(6):
        shape.bounds[k], shape.inertia[k] = cooked.bounds[k], cooked.inertia[k]
    shape.kind = cooked.kind


@kernel
def set_block(server, index, data):
    """Set an unused shape to the content of a Variant. No query has seen its old block, or is about to: see SIGHT."""
    shape, sight = shapes_of(server.world)[index], binding_of_shape(server, index) + SIGHT
    if not is_block_ours(server, shape, index) or load_acquire_int64(sight) != UNSEEN:
        return False
    rows = stack_array(1, SHAPE)
    cooked = address_of_row(rows, 0)
    for k in range(SHAPE_WORDS):
        store_int64(cooked + 8 * k, INT64(0))
    before = load_int64(memory_of(server, index))
    memory = _cook(server, INT64(shape.user_kind), data, cooked, before)
    if memory == 0 or memory == before:
        return memory != 0
    if compare_exchange_int64(sight, UNSEEN, WRITTEN) != UNSEEN:
        call_1(server.free_memory, memory)
        return False
    _write_row(shape, rows[0])
    store_int64(memory_of(server, index), memory)
    store_release_int64(sight, INT64(UNSEEN))
    if before != 0:
        call_1(server.free_memory, before)
    return True


@kernel
def can_give_up_block(server, shape, index):
    """Whether the block of a shape may wait for Python to process the note."""
    if not is_block_ours(server, shape, index):
        return False
    memory = load_int64(memory_of(server, index))
    if memory == 0:
        return True
    return server.noted_memory + view(memory, 1, COOKED_MEMORY)[0].byte_count <= MOST_NOTED_MEMORY


@kernel
def give_up_block(server, index):
    """Take the block from a freed shape. Return the address of its memory, which a query may still be reading."""
    memory = load_int64(memory_of(server, index))
    if memory != 0:
        server.noted_memory += view(memory, 1, COOKED_MEMORY)[0].byte_count
        store_int64(memory_of(server, index), INT64(0))
    return memory
