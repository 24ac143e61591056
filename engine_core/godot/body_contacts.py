"""The contacts that a body state tells about: those of the last step, in the order in which the step kept them.
Compiled.

Positions are world coordinates; the normal points from the collider towards this body.
"""

import numpy as np

from ..bodies.motion import bodies_of
from ..bodies.schema import CONTACT_REPORT
from ..geometry.vector import subtract, vector3
from ..runtime.call import call_1_result, store_int64
from ..runtime.function_address import store_function_addresses
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import view
from .body_state import find, refuse, server_of
from .call_names import number_of
from .frames import frame_of
from .schema import SERVER, WRONG_NUMBER
from .slots import int_argument, store_vector3
from .virtual_table import BODY_STATE

GET_CONTACT = number_of("body_state.get_contact")
CONTACT_BYTES = CONTACT_REPORT.itemsize


@kernel
def get_contact_count(instance, arguments, result):
    world, index = find(instance, arguments, GET_CONTACT)
    store_int64(result, np.int64(bodies_of(world)[index].contact_count) if index >= 0 else np.int64(0))


@kernel
def _contact_of(instance, arguments):
    """Address of the contact that the argument names; 0 after the call was refused, or for a state without a body."""
    world, index = find(instance, arguments, GET_CONTACT)
    if index < 0:
        return np.int64(0)
    body = bodies_of(world)[index]
    number = int_argument(arguments, 0)
    if number < 0 or number >= body.contact_count or body.contacts == 0:
        refuse(instance, GET_CONTACT, WRONG_NUMBER, number)
        return np.int64(0)
    return body.contacts + number * CONTACT_BYTES


def _vector_getter(read):
    @kernel
    def virtual(instance, arguments, result):
        contact = _contact_of(instance, arguments)
        if contact:
            store_vector3(result, read(view(contact, 1, CONTACT_REPORT)[0]))
        else:
            store_vector3(result, (0.0, 0.0, 0.0))

    return virtual


def _place_getter(read):
    @kernel
    def virtual(instance, arguments, result):
        contact = _contact_of(instance, arguments)
        if contact:
            world, index = find(instance, arguments, GET_CONTACT)
            store_vector3(result, subtract(read(view(contact, 1, CONTACT_REPORT)[0]), frame_of(world, index)))
        else:
            store_vector3(result, (0.0, 0.0, 0.0))

    return virtual


def _integer_getter(read):
    @kernel
    def virtual(instance, arguments, result):
        contact = _contact_of(instance, arguments)
        store_int64(result, np.int64(read(view(contact, 1, CONTACT_REPORT)[0])) if contact else np.int64(0))

    return virtual


@kernel
def _position(contact):
    return vector3(contact.position)


@kernel
def _normal(contact):
    return vector3(contact.normal)


@kernel
def _impulse(contact):
    return vector3(contact.impulse)


@kernel
def _velocity(contact):
    return vector3(contact.velocity)


@kernel
def _collider_position(contact):
    return vector3(contact.collider_position)


@kernel
def _collider_velocity(contact):
    return vector3(contact.collider_velocity)


@kernel
def _shape(contact):
    return contact.shape


@kernel
def _collider(contact):
    return contact.collider_id


@kernel
def _collider_user_id(contact):
    return contact.collider_user_id


@kernel
def _collider_shape(contact):
    return contact.collider_shape


@kernel
def get_contact_collider_object(instance, arguments, result):
    contact = _contact_of(instance, arguments)
    found = np.int64(0)
    if contact:
        user_id = view(contact, 1, CONTACT_REPORT)[0].collider_user_id
        if user_id:
            found = call_1_result(view(server_of(instance), 1, SERVER)[0].object_from_id, user_id)
    store_int64(result, found)


VIRTUALS = {
    "_get_contact_count": get_contact_count,
    "_get_contact_local_position": _place_getter(_position),
    "_get_contact_local_normal": _vector_getter(_normal),
    "_get_contact_impulse": _vector_getter(_impulse),
    "_get_contact_local_shape": _integer_getter(_shape),
    "_get_contact_local_velocity_at_position": _vector_getter(_velocity),
    "_get_contact_collider": _integer_getter(_collider),
    "_get_contact_collider_position": _place_getter(_collider_position),
    "_get_contact_collider_id": _integer_getter(_collider_user_id),
    "_get_contact_collider_object": get_contact_collider_object,
    "_get_contact_collider_shape": _integer_getter(_collider_shape),
    "_get_contact_collider_velocity_at_position": _vector_getter(_collider_velocity),
}
KERNELS = tuple(VIRTUALS.values())


@entry_point("void(int64)")
def fill_body_contacts(table):
    """Write the addresses of VIRTUALS into a table."""
    store_function_addresses(table, KERNELS)


BODY_STATE.hot(fill_body_contacts, VIRTUALS)
