"""Compiled answers to the calls for shapes of bodies and areas.

They handle bodies in no space, and adding a shape to a body in a space: Python publishes all other changes in a space. Shapes
that are rotated or stretched on their body are cooked by Python.
"""

import numpy as np

from ...bodies.motion import bodies_of
from ...bodies.publication import begin_change, end_change
from ...bodies.records import world_at
from ...bodies.schema import HAS_STRETCH, INDEX_MASK, INSTANCE, IS_AREA, MASS_CHANGED
from ...edit.body_placement import THE_LAST
from ...edit.setting_edits import RENEWED
from ...runtime.call import call_4, load_float32, store_int64
from ...runtime.kernel import kernel
from ...runtime.memory import address_of_row, view
from ...shapes.schema import SHAPE
from ..call_arguments import argument, bool_argument, int_argument
from ..errors import FARTHEST_PLACE
from ..schema import MASS_IS_STALE, MOST_IN_STOCK, SEEN, SHAPE_BINDING, SHAPE_DROPPED, SHAPE_USED
from ..server_record import server_at
from .compiled_answer import copy_words, has_room_for, open_gate_of, take_gate_of, take_note

INT32 = np.int32
INSTANCE_WORDS, SHAPE_BINDING_BYTES, SIGHT = INSTANCE.itemsize // 8, SHAPE_BINDING.itemsize, SHAPE_BINDING.fields["sight"][1]
assert INSTANCE.itemsize % 8 == 0


@kernel
def instances_of(world_address):
    record = world_at(world_address)
    return view(record.instances, record.instance_capacity, INSTANCE)


@kernel
def shapes_of(world_address):
    record = world_at(world_address)
    return view(record.shapes, record.shape_capacity, SHAPE)


@kernel
def binding_of_shape(server, index):
    """Address of the SHAPE_BINDING of a shape."""
    return server.shape_bindings + index * SHAPE_BINDING_BYTES


@kernel
def is_plain_place(transform):
    """Whether a transform is only a translation, within reach."""
    for i in range(12):
        value = np.float64(load_float32(transform + 4 * i))
        if i < 9 and value != (1.0 if i % 4 == 0 else 0.0):
            return False
        if not abs(value) <= FARTHEST_PLACE:
            return False
    return True


@kernel
def place_instance(body, instance, transform):
    """Put a shape at a plain position of a body without stretch."""
    instance.has_user_transform = np.int16(0)
    for k in range(3):
        instance.rotation[k] = np.float32(0.0)
        instance.origin_position[k] = load_float32(transform + 4 * (9 + k))
        instance.position[k] = instance.origin_position[k] - body.center_of_mass[k]
    instance.rotation[3] = np.float32(1.0)


@kernel
def is_as_set(world_address, instance):
    """Whether a shape on a body is the user's with its present settings, neither stretched nor freed: its row stays when it is no
    longer used."""
    shape = shapes_of(world_address)[instance.user_shape]
    return shape.id != 0 and instance.shape == shape.current


@kernel
def drop_instance(server, identity, instance):
    """Note that a body no longer has a shape. There must be room for a note. The row stays as it is: a query that found the body
    before it left its space may still read it."""
    shapes_of(server.world)[instance.shape].use_count -= 1
    take_note(server, SHAPE_DROPPED, identity, np.int64(instance.user_shape), np.int64(0))


@kernel
def _append(server, index, shape, transform, is_disabled):
    """Write the row of a shape after the last one of a body, which has room for it."""
    world_address = server.world
    body = bodies_of(world_address)[index]
    instance = instances_of(world_address)[body.first_instance + body.instance_count]
    instance.user_shape, instance.shape = INT32(shape), shapes_of(world_address)[shape].current
    instance.is_disabled, instance.body = np.int16(is_disabled), INT32(index)
    instance.query_layers = instance.simulation_layers = np.uint32(0)
    place_instance(body, instance, transform)
    shapes_of(world_address)[instance.shape].use_count += 1
    store_int64(binding_of_shape(server, shape) + SIGHT, np.int64(SEEN))
    take_note(server, SHAPE_USED, body.id, shape, np.int64(0))
    body.instance_count += 1


@kernel
def _append_in_space(server, index, shape, transform, is_disabled):
    """Append a shape to a body in a space. Return False if the space's gate is taken."""
    world_address = server.world
    body = bodies_of(world_address)[index]
    gate = take_gate_of(world_address, np.int64(body.system))
    if gate == 0:
        return False
    begin_change(world_address, body, np.int64(0))
    _append(server, index, shape, transform, is_disabled)
    call_4(server.renew_shapes, world_address, index, np.int64(RENEWED), np.int64(THE_LAST))
    end_change(body)
    take_note(server, MASS_IS_STALE, body.id, np.int64(0), np.int64(0))
    server.has_stale_masses = 1
    open_gate_of(world_address, gate)
    return True


@kernel
def _has_room(server, body):
    """Whether a body has a row for another shape, or can get its first one from the stock."""
    if body.instance_count < body.instance_capacity:
        return True
    if body.instance_capacity > 0 or body.system >= 0 or server.run_count == 0:
        return False
    server.run_count -= 1
    body.first_instance = view(server.runs, MOST_IN_STOCK, INT32)[server.run_count]
    body.instance_capacity = INT32(1)
    return True


def make_add_shape(find):
    @kernel
    def add_shape(instance, arguments, result):
        server = server_at(instance)
        world_address = server.world
        index = find(world_address, int_argument(arguments, 0))
        identity, transform = int_argument(arguments, 1), argument(arguments, 2)
        shape = identity & INDEX_MASK
        if index < 0 or identity <= 0 or shape >= world_at(world_address).shape_capacity:
            return False
        body = bodies_of(world_address)[index]
        if shapes_of(world_address)[shape].id != identity or body.flags & HAS_STRETCH or not is_plain_place(transform):
            return False
        if server.has_contact_biases or not has_room_for(server, 2) or not _has_room(server, body):
            return False
        is_disabled = 1 if bool_argument(arguments, 3) else 0
        if body.system >= 0:
            return _append_in_space(server, index, shape, transform, is_disabled)
        _append(server, index, shape, transform, is_disabled)
        body.flags |= np.uint32(MASS_CHANGED)
        return True

    return add_shape


@kernel
def _repeats(instance, transform):
    """Whether a shape is already at this plain position."""
    if instance.has_user_transform or instance.rotation[3] != 1.0 or not is_plain_place(transform):
        return False
    for k in range(3):
        if instance.origin_position[k] != load_float32(transform + 4 * (9 + k)):
            return False
    return True


def make_of_shape(find, answer):
    """Make the compiled answer of `answer(server, body, row, arguments)` for a shape of a body; `row`: of INSTANCE."""

    @kernel
    def of_shape(instance, arguments, result):
        server = server_at(instance)
        index, number = find(server.world, int_argument(arguments, 0)), int_argument(arguments, 1)
        if index < 0 or number < 0 or number >= bodies_of(server.world)[index].instance_count:
            return False
        body = bodies_of(server.world)[index]
        return answer(server, body, np.int64(body.first_instance) + number, arguments)

    return of_shape


@kernel
def _set_transform(server, body, row, arguments):
    shape, transform = instances_of(server.world)[row], argument(arguments, 2)
    if _repeats(shape, transform):  # nodes repeat calls
        return True
    if body.system >= 0 or body.flags & HAS_STRETCH or not is_as_set(server.world, shape) or not is_plain_place(transform):
        return False
    if server.has_contact_biases:
        return False
    place_instance(body, shape, transform)
    body.flags |= np.uint32(MASS_CHANGED)
    return True


@kernel
def _set_disabled(server, body, row, arguments):
    shape, is_disabled = instances_of(server.world)[row], np.int16(1 if bool_argument(arguments, 2) else 0)
    if body.flags & IS_AREA and shape.is_disabled == is_disabled:  # nodes repeat it
        return True
    if body.system >= 0 or server.has_contact_biases:
        return False
    shape.is_disabled = is_disabled
    body.flags |= np.uint32(MASS_CHANGED)
    return True


@kernel
def _remove(server, body, row, arguments):
    rows = instances_of(server.world)
    if body.system >= 0 or server.has_contact_biases or not has_room_for(server, 1) or not is_as_set(server.world, rows[row]):
        return False
    end = np.int64(body.first_instance) + body.instance_count
    for k in range(row + 1, end):
        if rows[k].has_user_transform:
            return False
    drop_instance(server, body.id, rows[row])
    for k in range(row + 1, end):
        copy_words(address_of_row(rows, k - 1), address_of_row(rows, k), INSTANCE_WORDS)
    body.instance_count -= 1
    body.flags |= np.uint32(MASS_CHANGED)
    return True


def shape_answers(family, find):
    """The compiled answers by virtual, for `body` or `area`; `find(world, identity)` looks it up."""
    return {
        f"_{family}_add_shape": make_add_shape(find),
        f"_{family}_set_shape_transform": make_of_shape(find, _set_transform),
        f"_{family}_set_shape_disabled": make_of_shape(find, _set_disabled),
        f"_{family}_remove_shape": make_of_shape(find, _remove),
    }
