"""The contacts of a body state: those of the last step, in the order of the step. Compiled.

Positions are world coordinates; the normal points from the collider towards this body.
"""

import numpy as np

from ..bodies.motion import bodies_of
from ..bodies.rare import rare_of
from ..bodies.schema import CONTACT_REPORT
from ..geometry.vector import subtract, vector3
from ..runtime.call import call_1_result, store_int64
from ..runtime.function_address import store_function_addresses
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import view
from .body_state import find, refuse, server_of
from .call_arguments import int_argument, store_vector3
from .call_names import number_of
from .frames import frame_of
from .schema import WRONG_NUMBER
from .server_record import server_at
from .virtual_table import BODY_STATE

GET_CONTACT = number_of("body_state.get_contact")
CONTACT_BYTES = CONTACT_REPORT.itemsize


@kernel
def get_contact_count(instance, arguments, result):
    world_address, index = find(instance, arguments, GET_CONTACT)
    count = rare_of(world_address, bodies_of(world_address)[index]).contact_count if index >= 0 else 0
    store_int64(result, np.int64(count))


@kernel
def _contact_of(instance, arguments):
    """Address of the contact with the number of the argument; 0 after the call was refused, or for a state without a body."""
    world_address, index = find(instance, arguments, GET_CONTACT)
    if index < 0:
        return np.int64(0)
    rare = rare_of(world_address, bodies_of(world_address)[index])
    number = int_argument(arguments, 0)
    if number < 0 or number >= rare.contact_count or rare.contacts == 0:
        refuse(instance, GET_CONTACT, WRONG_NUMBER, number)
        return np.int64(0)
    return rare.contacts + number * CONTACT_BYTES


def _vector_getter(field):
    """Make a virtual that returns a vector of the contact."""

    @kernel
    def virtual(instance, arguments, result):
        contact = _contact_of(instance, arguments)
        if contact:
            store_vector3(result, vector3(view(contact, 1, CONTACT_REPORT)[0][field]))
        else:
            store_vector3(result, (0.0, 0.0, 0.0))

    return virtual


def _place_getter(field):
    """Make a virtual that returns a position of the contact in Godot's coordinates."""

    @kernel
    def virtual(instance, arguments, result):
        contact = _contact_of(instance, arguments)
        if contact:
            world_address, index = find(instance, arguments, GET_CONTACT)
            place = vector3(view(contact, 1, CONTACT_REPORT)[0][field])
            store_vector3(result, subtract(place, frame_of(world_address, index)))
        else:
            store_vector3(result, (0.0, 0.0, 0.0))

    return virtual


def _integer_getter(field):
    """Make a virtual that returns a number or an id of the contact."""

    @kernel
    def virtual(instance, arguments, result):
        contact = _contact_of(instance, arguments)
        store_int64(result, np.int64(view(contact, 1, CONTACT_REPORT)[0][field]) if contact else np.int64(0))

    return virtual


@kernel
def get_contact_collider_object(instance, arguments, result):
    contact = _contact_of(instance, arguments)
    found = np.int64(0)
    if contact:
        user_id = view(contact, 1, CONTACT_REPORT)[0].collider_user_id
        if user_id:
            found = call_1_result(server_at(server_of(instance)).object_from_id, user_id)
    store_int64(result, found)


VIRTUALS = {
    "_get_contact_count": get_contact_count,
    "_get_contact_local_position": _place_getter("position"),
    "_get_contact_local_normal": _vector_getter("normal"),
    "_get_contact_impulse": _vector_getter("impulse"),
    "_get_contact_local_shape": _integer_getter("shape"),
    "_get_contact_local_velocity_at_position": _vector_getter("velocity"),
    "_get_contact_collider": _integer_getter("collider_id"),
    "_get_contact_collider_position": _place_getter("collider_position"),
    "_get_contact_collider_id": _integer_getter("collider_user_id"),
    "_get_contact_collider_object": get_contact_collider_object,
    "_get_contact_collider_shape": _integer_getter("collider_shape"),
    "_get_contact_collider_velocity_at_position": _vector_getter("collider_velocity"),
}
KERNELS = tuple(VIRTUALS.values())


@entry_point("void(int64)")
def fill_body_contacts(table):
    """Write the addresses of VIRTUALS into a table."""
    store_function_addresses(table, KERNELS)


BODY_STATE.hot(fill_body_contacts, VIRTUALS)
