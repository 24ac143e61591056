"""`_body_test_motion`: the query of CharacterBody3D and move_and_collide before they move. Compiled; the instance is SERVER."""

import numpy as np

from ..bodies.motion import bodies_of, is_orthonormal, rotation_of_basis, turning_of
from ..bodies.records import system_at, world_at
from ..bodies.system_schema import SYSTEM
from ..characters.body_motion import COLLIDES_SEPARATION_RAYS, MAX_COLLISIONS, MOTION, REPORTS_RECOVERY
from ..collision.query_schema import QUERY_CONTACT
from ..geometry.vector import add, normalize, store3, store4, subtract, vector3
from ..runtime.call import call_2_result, store_float32, store_int32, store_int64, store_uint8
from ..runtime.function_address import store_function_addresses
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of_row, stack_array, view
from .call_arguments import (
    argument,
    ask_object,
    bool_argument,
    float_argument,
    int_argument,
    is_finite3,
    is_finite_transform,
    load_vector3,
    store_vector3,
    vector3_argument,
)
from .call_names import number_of
from .frames import frame_of
from .schema import NOT_FINITE, NOT_FINITE_TRANSFORM, WRONG_MARGIN, WRONG_NUMBER
from .server_motion import find, refuse
from .server_record import server_at
from .virtual_table import SERVER as SERVER_TABLE

INT32, FLOAT32 = np.int32, np.float32
CALL = number_of("body_test_motion")
MOTION_WORDS = MOTION.itemsize // 8
# Offsets of the fields of PhysicsServer3DExtensionMotionResult and ...MotionCollision in single precision.
COLLISIONS_OFFSET, COLLISION_BYTES, COUNT_OFFSET = 40, 80, 2600


@entry_point("int64(int64, int64)")
def is_excluded_by_motion(instance, body_id):
    """Whether the running motion test of this thread excludes a body; `instance` is the address of SERVER."""
    server = server_at(instance)
    call = server.method_bind_ptrcall
    if ask_object(call, server.is_excluding_body, server.object, body_id):
        return np.int64(1)
    user_id = bodies_of(server.world)[body_id & ((1 << 28) - 1)].user_id
    return np.int64(user_id != 0 and ask_object(call, server.is_excluding_object, server.object, user_id))


@kernel
def _rotation_of(transform):
    """The rotation of a transform; its scale is already part of the body's shapes."""
    rows = (load_vector3(transform), load_vector3(transform + 12), load_vector3(transform + 24))
    if is_orthonormal(rows):
        return rotation_of_basis(rows)
    x = normalize((rows[0][0], rows[1][0], rows[2][0]))
    y = normalize((rows[0][1], rows[1][1], rows[2][1]))
    z = normalize((rows[0][2], rows[1][2], rows[2][2]))
    return rotation_of_basis(((x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])))


@kernel
def _is_asked_well(instance, arguments):
    """Whether the arguments are valid; if not, the call was refused."""
    transform, margin, most = argument(arguments, 1), float_argument(arguments, 3), int_argument(arguments, 4)
    if not is_finite_transform(transform):
        refuse(instance, CALL, NOT_FINITE_TRANSFORM, transform)
        return False
    if not is_finite3(vector3_argument(arguments, 2)):
        refuse(instance, CALL, NOT_FINITE, argument(arguments, 2))
        return False
    if not 0.0 <= margin < 1e30:
        refuse(instance, CALL, WRONG_MARGIN, argument(arguments, 3))
        return False
    if most < 0 or most > MAX_COLLISIONS:
        refuse(instance, CALL, WRONG_NUMBER, most)
        return False
    return True


@kernel
def _store_collision(world_address, frame, contact, at):
    """Write a row of QUERY_CONTACT as PhysicsServer3DExtensionMotionCollision."""
    body = bodies_of(world_address)[contact.body]
    store_vector3(at, subtract(vector3(contact.other_position), frame))
    store_vector3(at + 12, vector3(contact.normal))
    store_vector3(at + 24, vector3(contact.velocity))
    store_vector3(at + 36, turning_of(world_address, body))
    store_float32(at + 48, FLOAT32(contact.depth))
    store_int32(at + 52, contact.own_instance)
    store_int64(at + 56, contact.user_id)
    store_int64(at + 64, contact.body_id)
    store_int32(at + 72, contact.instance)


@kernel
def _store_result(world_address, frame, motion, contacts, out):
    """Write the result as PhysicsServer3DExtensionMotionResult."""
    store_vector3(out, vector3(motion.travel))
    store_vector3(out + 12, vector3(motion.remainder))
    store_float32(out + 24, FLOAT32(motion.depth))
    store_float32(out + 28, FLOAT32(motion.safe_fraction))
    store_float32(out + 32, FLOAT32(motion.unsafe_fraction))
    for i in range(motion.collision_count):
        _store_collision(world_address, frame, contacts[i], out + COLLISIONS_OFFSET + i * COLLISION_BYTES)
    store_int32(out + COUNT_OFFSET, INT32(motion.collision_count))


@kernel
def test_motion(instance, arguments, result):
    store_uint8(result, np.uint8(0))
    world_address, index = find(instance, arguments, CALL)
    if index < 0 or bodies_of(world_address)[index].system < 0 or not _is_asked_well(instance, arguments):
        return
    server = server_at(instance)
    motions, contacts = stack_array(1, MOTION), stack_array(32, QUERY_CONTACT)
    address = address_of_row(motions, 0)
    for i in range(MOTION_WORDS):
        store_int64(address + 8 * i, np.int64(0))
    motion = motions[0]
    motion.body = INT32(index)
    if bool_argument(arguments, 5):
        motion.flags |= INT32(COLLIDES_SEPARATION_RAYS)
    if bool_argument(arguments, 6):
        motion.flags |= INT32(REPORTS_RECOVERY)
    transform = argument(arguments, 1)
    frame = frame_of(world_address, index)
    store3(motion.position, add(load_vector3(transform + 36), frame))
    store4(motion.rotation, _rotation_of(transform))
    store3(motion.motion, vector3_argument(arguments, 2))
    motion.margin = float_argument(arguments, 3)
    motion.max_collisions = int_argument(arguments, 4)
    motion.exclusion_function = server.motion_exclusion_function
    motion.exclusion_context = instance
    motion.collisions = address_of_row(contacts, 0)
    record = world_at(world_address)
    system_address = address_of_row(view(record.systems, record.system_capacity, SYSTEM), bodies_of(world_address)[index].system)
    is_colliding = call_2_result(system_at(system_address).functions.test_motion, system_address, address)
    out = int_argument(arguments, 7)
    if out != 0:
        _store_result(world_address, frame, motion, contacts, out)
    store_uint8(result, np.uint8(is_colliding))


VIRTUALS = {"_body_test_motion": test_motion}
KERNELS = tuple(VIRTUALS.values())


@entry_point("void(int64)")
def fill_motion_test(table):
    """Write the addresses of VIRTUALS into a table."""
    store_function_addresses(table, KERNELS)


SERVER_TABLE.hot(fill_motion_test, VIRTUALS)
