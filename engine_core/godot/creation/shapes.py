"""Compiled answers to the calls that create shapes, set and free them.

All kinds are created here. All but planes and separation rays are also set here until they are used, and freed here when they are
no longer used; those with a block: cooked_shapes.py. A shape in use gets a fresh row for its new data, so that no thread sees
half of it: Python does that. An unused shape may still be in a query on another thread: the two synchronise in
SHAPE_BINDING.sight.
"""

import math

import numpy as np

from ...bodies.identity import SEQUENCE_MASK
from ...bodies.records import world_at
from ...bodies.schema import INDEX_BITS, INDEX_MASK, KIND_BITS, KIND_SHAPE
from ...runtime.atomics import compare_exchange_int64, load_acquire_int64, store_release_int64
from ...runtime.call import call_0, call_2, load_float64, load_int32, load_int64, store_int64
from ...runtime.kernel import kernel
from ...runtime.memory import view
from ...shapes.schema import BOX, CAPSULE, CYLINDER, EMPTY, HEIGHT_FIELD, HULL, MESH, PLANE, SEPARATION_RAY, SPHERE
from ...shapes.solids import are_sizes, write_solid
from ..call_arguments import argument, int_argument, load_vector3
from ..schema import (
    DICTIONARY, FLOAT, MOST_IN_STOCK, MOST_NOTES, NOTE, PACKED_VECTOR3_ARRAY, SEEN, SHAPE_BINDING, SHAPE_FREED,
    SHAPE_SET, UNSEEN, VARIANT_WORDS, VECTOR3, WRITTEN,
)  # fmt: skip
from ..server_record import server_at
from .body_shapes import SIGHT, binding_of_shape, shapes_of
from .compiled_answer import free_variant, has_room_for, take_note
from .cooked_shapes import can_give_up_block, give_up_block, has_block, number_in, set_block

INT32, INT64 = np.int32, np.int64
DATA = SHAPE_BINDING.fields["data"][1]
NO_SIZES = (math.nan, math.nan, math.nan)
LEAST_SIZE = 1e-4
"""Smaller radii, half extents and half heights, also 0, count as this [m]. A body rests with an overlap of up to 5e-5 m: thinner
ones would lie inside of the ground."""


@kernel
def note_sight(server, index):
    """Note that a query is about to read the row of a shape without counting as a use of it."""
    sight = binding_of_shape(server, index) + SIGHT
    while load_acquire_int64(sight) != SEEN and compare_exchange_int64(sight, UNSEEN, SEEN) != UNSEEN:
        call_0(server.yield_thread)


def make_shape_create(kind):
    """Make the compiled answer that creates a shape of this kind (shapes/schema.py)."""

    @kernel
    def shape_create(instance, arguments, result):
        server = server_at(instance)
        if server.shape_row_count == 0:
            return False
        server.shape_row_count -= 1
        index = INT64(view(server.shape_rows, MOST_IN_STOCK, INT32)[server.shape_row_count])
        shape = shapes_of(server.world)[index]
        identity = (INT64(shape.sequence) & SEQUENCE_MASK) << (INDEX_BITS + KIND_BITS) | INT64(KIND_SHAPE) << INDEX_BITS | index
        binding = view(binding_of_shape(server, index), 1, SHAPE_BINDING)[0]
        binding.margin = binding.custom_solver_bias = 0.0
        binding.sight = UNSEEN
        binding.shape_id = identity
        shape.user_kind = INT32(kind)
        shape.id = identity
        store_int64(result, identity)
        return True

    return shape_create


@kernel
def _own_shape(server, identity):
    """The index of the shape with this id, or -1."""
    index = identity & INDEX_MASK
    if identity <= 0 or index >= world_at(server.world).shape_capacity:
        return INT64(-1)
    binding = view(binding_of_shape(server, index), 1, SHAPE_BINDING)[0]
    return index if binding.shape_id == identity and shapes_of(server.world)[index].id == identity else INT64(-1)


@kernel
def _is_unused(shape, index):
    """Whether a shape is of a kind that is set and freed here, is unused, and has one row."""
    kind = shape.user_kind
    is_solid = kind == SPHERE or kind == BOX or kind == CAPSULE or kind == CYLINDER
    return (is_solid or has_block(kind)) and shape.use_count == 0 and shape.was_shared == 0 and shape.current == index


# --- settings ---


@kernel
def _repeats(kept, data):
    """Whether two Variants hold the same number or vector: nodes repeat calls."""
    kind = load_int32(data)
    if kind != load_int32(kept):
        return False
    if kind == FLOAT:
        return load_float64(data + 8) == load_float64(kept + 8)
    if kind != VECTOR3:
        return False
    a, b = load_vector3(data + 8), load_vector3(kept + 8)
    return a[0] == b[0] and a[1] == b[1] and a[2] == b[2]


@kernel
def _sizes_in(server, kind, data):
    """The sizes that a Variant gives a shape; NaN if Python must decide."""
    got = load_int32(data)
    if kind == SPHERE and got == FLOAT:
        return (load_float64(data + 8), 0.0, 0.0)
    if kind == BOX and got == VECTOR3:
        return load_vector3(data + 8)
    if (kind == CAPSULE or kind == CYLINDER) and got == DICTIONARY:
        return (number_in(server, data, server.radius_key), number_in(server, data, server.height_key), 0.0)
    return NO_SIZES


@kernel
def _is_small(kind, sizes):
    """Whether a size is so small that Python must make it larger."""
    a, b, c = sizes
    if kind == SPHERE:
        return a < LEAST_SIZE
    if kind == BOX:
        return min(a, min(b, c)) < LEAST_SIZE
    return a < LEAST_SIZE or b < 2.0 * LEAST_SIZE


@kernel
def _keep(server, kept, data):
    """Store the data that a shape was set to; both are addresses of Variants."""
    free_variant(server, kept)
    kind = load_int32(data)
    if kind == DICTIONARY or kind == PACKED_VECTOR3_ARRAY:
        call_2(server.variant_copy, kept, data)
        return
    for k in range(VARIANT_WORDS):
        store_int64(kept + 8 * k, load_int64(data + 8 * k))


@kernel
def _note_set(server, identity, sizes):
    """Leave a note of a shape's new data (NO_SIZES: a block), replacing the last note if that is of the same shape. There must be
    room."""
    last = view(server.notes, MOST_NOTES, NOTE)[max(server.note_count - 1, 0)]
    if server.note_count == 0 or last.kind != SHAPE_SET or last.identity != identity:
        take_note(server, SHAPE_SET, identity, INT64(0), INT64(0))
    note = view(server.notes, MOST_NOTES, NOTE)[server.note_count - 1]
    for k in range(3):
        note.sizes[k] = sizes[k]


@kernel
def _set_solid(shape, sight, kind, sizes):
    """Set an unused shape to sizes; return False if they are invalid or small, or a query has seen it (`sight`: address of
    SIGHT)."""
    if not are_sizes(kind, sizes) or _is_small(kind, sizes) or compare_exchange_int64(sight, UNSEEN, WRITTEN) != UNSEEN:
        return False
    write_solid(shape, kind, sizes)
    store_release_int64(sight, INT64(UNSEEN))
    return True


@kernel
def shape_set_data(instance, arguments, result):
    server = server_at(instance)
    identity, data = int_argument(arguments, 0), argument(arguments, 1)
    index = _own_shape(server, identity)
    if index < 0:
        return False
    binding, shape = binding_of_shape(server, index), shapes_of(server.world)[index]
    if _repeats(binding + DATA, data):
        return True
    if not _is_unused(shape, index) or not has_room_for(server, 1):
        return False
    kind, sizes = INT64(shape.user_kind), NO_SIZES
    if has_block(kind):
        if not set_block(server, index, data):
            return False
    else:
        sizes = _sizes_in(server, kind, data)
        if not _set_solid(shape, binding + SIGHT, kind, sizes):
            return False
    _keep(server, binding + DATA, data)
    _note_set(server, identity, sizes)
    return True


@kernel
def free_shape(server, identity):
    """Free an unused shape. A query may still be reading its row, so that is reused later."""
    index = _own_shape(server, identity)
    if index < 0 or server.has_contact_biases or not has_room_for(server, 1):
        return False
    shape = shapes_of(server.world)[index]
    if not _is_unused(shape, index) or not can_give_up_block(server, shape, index):
        return False
    shape.id = 0
    shape.kind = INT32(EMPTY)
    binding = binding_of_shape(server, index)
    free_variant(server, binding + DATA)
    view(binding, 1, SHAPE_BINDING)[0].shape_id = 0
    take_note(server, SHAPE_FREED, identity, give_up_block(server, index), INT64(0))
    return True


SHAPE_TYPES = {
    "world_boundary": PLANE, "separation_ray": SEPARATION_RAY, "sphere": SPHERE, "box": BOX, "capsule": CAPSULE,
    "cylinder": CYLINDER, "convex_polygon": HULL, "concave_polygon": MESH, "heightmap": HEIGHT_FIELD,
}  # fmt: skip
"""The kind of each of Godot's shapes, by its name in PhysicsServer3D, in the order of PhysicsServer3D.ShapeType."""
SHAPE_DATA = {f"_{name}_shape_create": make_shape_create(kind) for name, kind in SHAPE_TYPES.items()} | {
    "_shape_set_data": shape_set_data
}
