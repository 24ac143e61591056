"""Compiled answers to the calls that create bodies and areas, add them to a space, remove and free them."""

import numpy as np

from ...bodies.identity import KIND_MASK, SEQUENCE_MASK
from ...bodies.motion import bodies_of
from ...bodies.rare import rare_of
from ...bodies.records import world_at
from ...bodies.schema import (
    BODY, HAS_EXCEPTIONS, INDEX_BITS, INDEX_MASK, KIND_AREA, KIND_BITS, KIND_BODY, KIND_SHAPE, MASS_CHANGED,
)  # fmt: skip
from ...edit.origin import read_frame
from ...edit.setting_edits import RENEWED
from ...runtime import atomics
from ...runtime.call import call_1, call_2, call_3, store_int64
from ...runtime.kernel import kernel
from ...runtime.memory import address_of_row, view
from ...sensors.schema import AREA
from ..call_arguments import int_argument
from ..schema import AREA_BINDING, BODY_BINDING, MOST_IN_STOCK, WAS_FREED
from ..server_record import server_at
from ..space_steps import spaces_of
from .body_shapes import drop_instance, instances_of, is_as_set
from .compiled_answer import copy_words, free_variant, has_room_for, open_gate_of, own_area, own_body, take_gate_of, take_note
from .shapes import free_shape

INT32, INT64 = np.int32, np.int64
BODY_WORDS, AREA_WORDS, AREA_BYTES = BODY.itemsize // 8, AREA.itemsize // 8, AREA.itemsize
BODY_BINDING_BYTES, AREA_BINDING_BYTES = BODY_BINDING.itemsize, AREA_BINDING.itemsize
STATE_VARIANT, SYNC_CALLBACK, INTEGRATION_CALLBACK, INTEGRATION_DATA = (
    BODY_BINDING.fields[name][1] for name in ("state_variant", "sync_callback", "integration_callback", "integration_data")
)
BODY_CALLBACK, AREA_CALLBACK = AREA_BINDING.fields["body_callback"][1], AREA_BINDING.fields["area_callback"][1]
HAS_WIND = AREA_BINDING.fields["has_wind"][1]


@kernel
def _take_row(server, kind, template):
    """Make a body or area in a row of the stock, which must not be empty, and return its id."""
    server.stock_count -= 1
    index = INT64(view(server.stock, MOST_IN_STOCK, INT32)[server.stock_count])
    body = bodies_of(server.world)[index]
    sequence = INT64(max(body.sequence, 1))
    address = address_of_row(bodies_of(server.world), index)
    copy_words(address, template, BODY_WORDS)
    body.sequence = INT32(sequence)
    identity = (sequence & SEQUENCE_MASK) << (INDEX_BITS + KIND_BITS) | INT64(kind) << INDEX_BITS | index
    atomics.store_release_int64(address, identity)  # the first field: now it is one
    return identity


@kernel
def body_create(instance, arguments, result):
    server = server_at(instance)
    if server.stock_count == 0:
        return False
    store_int64(result, _take_row(server, KIND_BODY, server.new_body))
    return True


@kernel
def area_create(instance, arguments, result):
    server = server_at(instance)
    if server.stock_count == 0:
        return False
    identity = _take_row(server, KIND_AREA, server.new_area_body)
    copy_words(world_at(server.world).areas + (identity & INDEX_MASK) * AREA_BYTES, server.new_area, AREA_WORDS)
    store_int64(result, identity)
    return True


# --- spaces ---


@kernel
def _space_of(server, identity):
    """Index of the space with this id, which is not 0, if its frame is at the world's zero; else -1."""
    spaces, index = spaces_of(server), identity & INDEX_MASK
    if index >= len(spaces) or spaces[index].system_id != identity or not _has_no_frame(spaces[index]):
        return INT64(-1)
    return INT64(index)


@kernel
def _has_no_frame(space):
    frame = read_frame(space.system)
    return frame[0] == 0.0 and frame[1] == 0.0 and frame[2] == 0.0


@kernel
def _enter_space(server, index, system):
    """Put a body that is in no space into one. Return False if that is not possible now."""
    gate = take_gate_of(server.world, system)
    if gate == 0:
        return False
    if bodies_of(server.world)[index].flags & MASS_CHANGED:
        call_3(server.renew, server.world, index, INT64(RENEWED))
    call_3(server.enter_system, server.world, system, index)
    open_gate_of(server.world, gate)
    return True


@kernel
def _leave_space(server, index):
    system = INT64(bodies_of(server.world)[index].system)
    if not _has_no_frame(spaces_of(server)[system]):
        return False
    gate = take_gate_of(server.world, system)
    if gate == 0:
        return False
    call_2(server.leave_system, server.world, index)
    open_gate_of(server.world, gate)
    return True


def make_set_space(find):
    @kernel
    def set_space(instance, arguments, result):
        server = server_at(instance)
        index, identity = find(server.world, int_argument(arguments, 0)), int_argument(arguments, 1)
        if index < 0:
            return False
        system = INT64(bodies_of(server.world)[index].system)
        if identity == 0:
            return True if system < 0 else _leave_space(server, index)
        wanted = _space_of(server, identity)
        if wanted < 0:
            return False
        if system == wanted:
            return True
        return _enter_space(server, index, wanted) if system < 0 else False

    return set_space


# --- freeing ---


@kernel
def _drop_body_binding(server, index, identity):
    address = server.body_bindings + index * BODY_BINDING_BYTES
    binding = view(address, 1, BODY_BINDING)[0]
    if binding.body_id == 0:
        return
    state = binding.object
    binding.body_id = binding.object = 0
    free_variant(server, address + SYNC_CALLBACK)
    free_variant(server, address + INTEGRATION_CALLBACK)
    free_variant(server, address + INTEGRATION_DATA)
    free_variant(server, address + STATE_VARIANT)
    if state != 0:
        call_1(server.destroy_object, state)


@kernel
def _drop_area_binding(server, index):
    address = server.area_bindings + index * AREA_BINDING_BYTES
    free_variant(server, address + BODY_CALLBACK)
    free_variant(server, address + AREA_CALLBACK)
    store_int64(address + HAS_WIND, INT64(0))


@kernel
def _can_free(server, index):
    """Whether a body or area is referred to only by its own rows and those of its unmodified shapes."""
    body = bodies_of(server.world)[index]
    if body.first_joint >= 0 or body.flags & HAS_EXCEPTIONS or server.is_flushing:
        return False
    if rare_of(server.world, body).contacts != 0:
        return False
    if server.has_contact_biases or not has_room_for(server, INT64(body.instance_count) + 1):
        return False
    rows = instances_of(server.world)
    for k in range(body.instance_count):
        if not is_as_set(server.world, rows[body.first_instance + k]):
            return False
    return True


@kernel
def _free_body(server, identity):
    """Free a body or an area that is in no space."""
    world_address = server.world
    area = own_area(world_address, identity)
    is_area = area >= 0
    index = area if is_area else own_body(world_address, identity)
    if index < 0 or not _can_free(server, index):
        return False
    body = bodies_of(world_address)[index]
    if body.system >= 0 and not _leave_space(server, index):
        return False
    for k in range(body.instance_count):
        drop_instance(server, identity, instances_of(world_address)[body.first_instance + k])
    body.instance_count = INT32(0)
    take_note(server, WAS_FREED, identity, INT64(body.first_instance), INT64(body.instance_capacity))
    atomics.store_release_int64(address_of_row(bodies_of(world_address), index), INT64(0))  # the id
    body.sequence = INT32(max((INT64(body.sequence) + 1) & SEQUENCE_MASK, 1))
    if is_area:
        _drop_area_binding(server, index)
    else:
        _drop_body_binding(server, index, identity)
    return True


@kernel
def free_rid(instance, arguments, result):
    """Free a body, an area or a shape."""
    server = server_at(instance)
    identity = int_argument(arguments, 0)
    if (identity >> INDEX_BITS) & KIND_MASK == KIND_SHAPE:
        return free_shape(server, identity)
    return _free_body(server, identity)


LIVES = {
    "_body_create": body_create,
    "_area_create": area_create,
    "_body_set_space": make_set_space(own_body),
    "_area_set_space": make_set_space(own_area),
    "_free_rid": free_rid,
}
