"""PhysicsDirectSpaceState3D: queries of a space. Compiled; the instance is a SPACE_BINDING.

Godot does not pass the excluded bodies: it is asked for each possible hit.
"""

import numpy as np

from ..bodies.identity import area_of, body_of
from ..bodies.motion import bodies_of
from ..bodies.records import system_at, world_at
from ..bodies.schema import INDEX_MASK
from ..collision.query_schema import (
    BODY_HIT,
    CAST,
    CLOSEST_POINT,
    CONTACTS,
    HITS_BACK_FACES,
    HITS_FROM_INSIDE,
    ONLY_PICKABLE,
    OVERLAP,
    POINT,
    QUERY,
    QUERY_CONTACT,
    RAY,
    RAY_RESULT,
    WITH_AREAS,
    WITH_BODIES,
)  # fmt: skip
from ..edit.origin import read_frame
from ..geometry.vector import add, dot, store3, store4, subtract, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.call import (
    call_1,
    call_1_result,
    call_2_result,
    call_3,
    store_float32,
    store_int32,
    store_int64,
    store_uint8,
)  # fmt: skip
from ..runtime.function_address import store_function_addresses
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of_row, stack_array, view
from ..shapes.schema import SHAPE
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
)  # fmt: skip
from .call_names import number_of
from .creation.shapes import note_sight
from .schema import (
    NO_SUCH_OBJECT,
    NO_SUCH_SHAPE,
    NOT_FINITE,
    NOT_FINITE_TRANSFORM,
    SPACE_BINDING,
    WRONG_MARGIN,
)  # fmt: skip
from .server_record import server_at
from .soft_queries import (
    add_soft_bodies_around, add_soft_bodies_at, cast_to_soft_bodies, ray_to_soft_bodies, touch_soft_bodies,
)  # fmt: skip
from .stretched_queries import REFUSED, begin_asking, end_asking
from .virtual_table import SPACE_STATE

INT32, FLOAT32, FLOAT64 = np.int32, np.float32, np.float64
ROWS_ON_STACK = 64
"""Results up to this number need no memory of their own."""
MOST_RESULTS = 1 << 20
SMALLEST_REST_MARGIN = 1e-5
"""Margin with which `rest_info` counts shapes that just touch, against rounding [m]."""
INTERSECT_RAY, INTERSECT_POINT = number_of("intersect_ray"), number_of("intersect_point")
INTERSECT_SHAPE, CAST_MOTION = number_of("intersect_shape"), number_of("cast_motion")
COLLIDE_SHAPE, REST_INFO = number_of("collide_shape"), number_of("rest_info")
CLOSEST = number_of("get_closest_point_to_object_volume")
# Godot's structs in single precision: sizes, and offsets of their fields.
SHAPE_RESULT_BYTES = 32
QUERY_WORDS = QUERY.itemsize // 8


@kernel
def _refuse(instance, call, reason, value):
    call_3(server_at(view(instance, 1, SPACE_BINDING)[0].server).report_error, call, reason, value)


@entry_point("int64(int64, int64)")
def is_excluded_by_godot(space, body_id):
    """Whether the running query of this thread excludes a body; `space` is the address of its SPACE_BINDING."""
    binding = view(space, 1, SPACE_BINDING)[0]
    server = server_at(binding.server)
    return np.int64(ask_object(server.method_bind_ptrcall, server.is_body_excluded_from_query, binding.object, body_id))


@kernel
def _begin(instance, operation, mask, with_bodies, with_areas, query_address):
    """Fill in the part common to all queries; everything else is zero."""
    server = server_at(view(instance, 1, SPACE_BINDING)[0].server)
    for i in range(QUERY_WORDS):
        store_int64(query_address + 8 * i, np.int64(0))
    query = view(query_address, 1, QUERY)[0]
    query.operation = INT32(operation)
    query.flags = np.uint32((WITH_BODIES if with_bodies else 0) | (WITH_AREAS if with_areas else 0))
    query.collision_mask = np.uint32(mask)
    query.body = INT32(-1)
    query.exclusion_function = server.exclusion_function
    query.exclusion_context = instance
    query.shape = -1
    store4(query.rotation, (0.0, 0.0, 0.0, 1.0))


@kernel
def _ask_rays(instance, query_address):
    """Run a query of rays or points in the system; return the result of its function."""
    address = view(instance, 1, SPACE_BINDING)[0].system
    return call_2_result(system_at(address).functions.query_rays, address, query_address)


@kernel
def _ask_shapes(instance, query_address):
    """Run a query of a shape in the system; return the result of its function."""
    address = view(instance, 1, SPACE_BINDING)[0].system
    return call_2_result(system_at(address).functions.query_shapes, address, query_address)


@kernel
def _frame(instance):
    """Position of Godot's zero in the space, world [m]. Read once a query: a shift during the query has no effect."""
    binding = view(instance, 1, SPACE_BINDING)[0]
    return read_frame(binding.system) if binding.server != 0 else (0.0, 0.0, 0.0)


@kernel
def _is_mute(instance):
    """Whether the instance belongs to no space: the editor made it, or its space was freed."""
    return view(instance, 1, SPACE_BINDING)[0].server == 0


@kernel
def _object_of(instance, user_id):
    """The Object with this id, or null."""
    if user_id == 0:
        return np.int64(0)
    return call_1_result(server_at(view(instance, 1, SPACE_BINDING)[0].server).object_from_id, user_id)


# --- rays and points ------------------------------------------------------------------------------------------------


@kernel
def intersect_ray(instance, arguments, result):
    store_uint8(result, np.uint8(0))
    if _is_mute(instance):
        return
    begin, end = vector3_argument(arguments, 0), vector3_argument(arguments, 1)
    if not (is_finite3(begin) and is_finite3(end)):
        _refuse(instance, INTERSECT_RAY, NOT_FINITE, argument(arguments, 1 if is_finite3(begin) else 0))
        return
    queries, hits = stack_array(1, QUERY), stack_array(1, RAY_RESULT)
    query, hit = queries[0], hits[0]
    address = address_of_row(queries, 0)
    _begin(instance, RAY, int_argument(arguments, 2), bool_argument(arguments, 3), bool_argument(arguments, 4), address)
    motion = subtract(end, begin)
    if bool_argument(arguments, 5):
        query.flags |= np.uint32(HITS_FROM_INSIDE)
    elif dot(motion, motion) == 0.0:
        return
    if bool_argument(arguments, 6):
        query.flags |= np.uint32(HITS_BACK_FACES)
    if bool_argument(arguments, 7):
        query.flags |= np.uint32(ONLY_PICKABLE)
    frame = _frame(instance)
    store3(query.position, add(begin, frame))
    store3(query.motion, motion)
    query.results = address_of_row(hits, 0)
    query.max_results = 1
    is_hit = _ask_rays(instance, address) != 0
    if not ray_to_soft_bodies(instance, query, hit, is_hit):
        return
    out = int_argument(arguments, 8)  # PhysicsServer3DExtensionRayResult
    if out != 0:
        store_vector3(out, subtract(vector3(hit.position), frame))
        store_vector3(out + 12, vector3(hit.normal))
        store_int64(out + 24, hit.body_id)
        store_int64(out + 32, hit.user_id)
        store_int64(out + 40, _object_of(instance, hit.user_id))
        store_int32(out + 48, hit.instance)
        store_int32(out + 52, hit.face if hit.face >= 0 else hit.part)  # of bricks the number of the one that was hit
    store_uint8(result, np.uint8(1))


@kernel
def _store_hits(instance, rows, count, out):
    """Write rows of BODY_HIT as PhysicsServer3DExtensionShapeResult."""
    hits = view(rows, count, BODY_HIT)
    for i in range(count):
        at = out + i * SHAPE_RESULT_BYTES
        store_int64(at, hits[i].body_id)
        store_int64(at + 8, hits[i].user_id)
        store_int64(at + 16, _object_of(instance, hits[i].user_id))
        store_int32(at + 24, hits[i].instance)


@kernel
def _rows(instance, on_stack, wanted, row_bytes):
    """Memory for `wanted` rows: that on the stack if it is large enough, else allocated. Free it with `_give_back`."""
    if wanted <= ROWS_ON_STACK:
        return on_stack
    return call_1_result(server_at(view(instance, 1, SPACE_BINDING)[0].server).allocate, wanted * row_bytes)


@kernel
def _give_back(instance, on_stack, rows):
    if rows != on_stack:
        call_1(server_at(view(instance, 1, SPACE_BINDING)[0].server).free_memory, rows)


BODY_HIT_BYTES, QUERY_CONTACT_BYTES = BODY_HIT.itemsize, QUERY_CONTACT.itemsize


@kernel
def intersect_point(instance, arguments, result):
    store_int64(result, np.int64(0))
    point = vector3_argument(arguments, 0)
    wanted = min(int_argument(arguments, 5), MOST_RESULTS)
    if _is_mute(instance) or wanted <= 0:
        return
    if not is_finite3(point):
        _refuse(instance, INTERSECT_POINT, NOT_FINITE, argument(arguments, 0))
        return
    queries = stack_array(1, QUERY)
    query = queries[0]
    with_bodies, with_areas = bool_argument(arguments, 2), bool_argument(arguments, 3)
    _begin(instance, POINT, int_argument(arguments, 1), with_bodies, with_areas, address_of_row(queries, 0))
    store3(query.position, add(point, _frame(instance)))
    on_stack = address_of_row(stack_array(ROWS_ON_STACK, BODY_HIT), 0)
    rows = _rows(instance, on_stack, wanted, BODY_HIT_BYTES)
    query.results, query.max_results = rows, wanted
    count = add_soft_bodies_around(instance, query, rows, _ask_rays(instance, address_of_row(queries, 0)), wanted)
    _store_hits(instance, rows, count, int_argument(arguments, 4))
    _give_back(instance, on_stack, rows)
    store_int64(result, count)


# --- shapes ---------------------------------------------------------------------------------------------------------


@kernel
def _take_transform(instance, call, transform, shape_index, query, frame):
    """Fill in the pose of the shape. Return the result of `begin_asking`."""
    keep_as_call()
    if not is_finite_transform(transform):
        _refuse(instance, call, NOT_FINITE_TRANSFORM, transform)
        return np.int64(REFUSED)
    rows = (load_vector3(transform), load_vector3(transform + 12), load_vector3(transform + 24))
    store3(query.position, add(load_vector3(transform + 36), frame))
    return begin_asking(instance, call, transform, rows, shape_index, query)


@kernel
def _begin_shape(instance, arguments, call, operation, queries, frame):
    """Fill in a shape query from the arguments common to all of them. Return the result of `_take_transform`."""
    keep_as_call()
    if _is_mute(instance):
        return np.int64(REFUSED)
    binding = view(instance, 1, SPACE_BINDING)[0]
    world = world_at(binding.world)
    identity = int_argument(arguments, 0)
    shape_index = identity & INDEX_MASK
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    if identity <= 0 or shape_index >= world.shape_capacity or shapes[shape_index].id != identity:
        _refuse(instance, call, NO_SUCH_SHAPE, identity)
        return np.int64(REFUSED)
    motion, margin = vector3_argument(arguments, 2), float_argument(arguments, 3)
    if not is_finite3(motion):
        _refuse(instance, call, NOT_FINITE, argument(arguments, 2))
        return np.int64(REFUSED)
    if not 0.0 <= margin < 1e30:
        _refuse(instance, call, WRONG_MARGIN, argument(arguments, 3))
        return np.int64(REFUSED)
    query = queries[0]
    address = address_of_row(queries, 0)
    with_bodies, with_areas = bool_argument(arguments, 5), bool_argument(arguments, 6)
    _begin(instance, operation, int_argument(arguments, 4), with_bodies, with_areas, address)
    if operation == CAST:
        store3(query.motion, motion)
    note_sight(server_at(binding.server), shape_index)
    query.margin, query.shape = margin, shapes[shape_index].current
    return _take_transform(instance, call, argument(arguments, 1), shape_index, query, frame)


@kernel
def intersect_shape(instance, arguments, result):
    store_int64(result, np.int64(0))
    wanted = min(int_argument(arguments, 8), MOST_RESULTS)
    if wanted <= 0:
        return
    queries = stack_array(1, QUERY)
    query = queries[0]
    frame = _frame(instance)
    how = _begin_shape(instance, arguments, INTERSECT_SHAPE, OVERLAP, queries, frame)
    if how == REFUSED:
        return
    on_stack = address_of_row(stack_array(ROWS_ON_STACK, BODY_HIT), 0)
    rows = _rows(instance, on_stack, wanted, BODY_HIT_BYTES)
    query.results, query.max_results = rows, wanted
    count = add_soft_bodies_at(instance, query, rows, _ask_shapes(instance, address_of_row(queries, 0)), wanted)
    _store_hits(instance, rows, count, int_argument(arguments, 7))
    _give_back(instance, on_stack, rows)
    end_asking(instance, how, query)
    store_int64(result, count)


@kernel
def cast_motion(instance, arguments, result):
    store_uint8(result, np.uint8(0))
    queries = stack_array(1, QUERY)
    query = queries[0]
    frame = _frame(instance)
    how = _begin_shape(instance, arguments, CAST_MOTION, CAST, queries, frame)
    if how == REFUSED:
        return
    _ask_shapes(instance, address_of_row(queries, 0))
    cast_to_soft_bodies(instance, query)
    store_float32(int_argument(arguments, 7), FLOAT32(query.safe_fraction))
    store_float32(int_argument(arguments, 8), FLOAT32(query.unsafe_fraction))
    end_asking(instance, how, query)
    store_uint8(result, np.uint8(1))


@kernel
def collide_shape(instance, arguments, result):
    store_uint8(result, np.uint8(0))
    out, count_out = int_argument(arguments, 7), int_argument(arguments, 9)
    wanted = min(int_argument(arguments, 8), MOST_RESULTS)
    store_int32(count_out, INT32(0))
    if wanted <= 0:
        return
    queries = stack_array(1, QUERY)
    query = queries[0]
    frame = _frame(instance)
    how = _begin_shape(instance, arguments, COLLIDE_SHAPE, CONTACTS, queries, frame)
    if how == REFUSED:
        return
    on_stack = address_of_row(stack_array(ROWS_ON_STACK, QUERY_CONTACT), 0)
    rows = _rows(instance, on_stack, wanted, QUERY_CONTACT_BYTES)
    query.results, query.max_results = rows, wanted
    count = touch_soft_bodies(instance, query, _ask_shapes(instance, address_of_row(queries, 0)), False)
    contacts = view(rows, wanted, QUERY_CONTACT)
    for i in range(count):
        store_vector3(out + 24 * i, subtract(vector3(contacts[i].position), frame))
        store_vector3(out + 24 * i + 12, subtract(vector3(contacts[i].other_position), frame))
    _give_back(instance, on_stack, rows)
    end_asking(instance, how, query)
    store_int32(count_out, INT32(count))
    store_uint8(result, np.uint8(1) if count > 0 else np.uint8(0))


@kernel
def rest_info(instance, arguments, result):
    store_uint8(result, np.uint8(0))
    queries, contacts = stack_array(1, QUERY), stack_array(1, QUERY_CONTACT)
    query, contact = queries[0], contacts[0]
    frame = _frame(instance)
    how = _begin_shape(instance, arguments, REST_INFO, CONTACTS, queries, frame)
    if how == REFUSED:
        return
    query.margin = max(query.margin, SMALLEST_REST_MARGIN)
    query.results, query.max_results = address_of_row(contacts, 0), 1
    count = touch_soft_bodies(instance, query, _ask_shapes(instance, address_of_row(queries, 0)), True)
    out = int_argument(arguments, 7)  # PhysicsServer3DExtensionShapeRestInfo
    if count > 0 and out != 0:
        store_vector3(out, subtract(vector3(contact.other_position), frame))
        store_vector3(out + 12, vector3(contact.normal))
        store_int64(out + 24, contact.body_id)
        store_int64(out + 32, contact.user_id)
        store_int32(out + 40, contact.instance)
        store_vector3(out + 44, vector3(contact.velocity))
    end_asking(instance, how, query)
    store_uint8(result, np.uint8(1) if count > 0 else np.uint8(0))


@kernel
def get_closest_point_to_object_volume(instance, arguments, result):
    store_vector3(result, (0.0, 0.0, 0.0))
    if _is_mute(instance):
        return
    binding = view(instance, 1, SPACE_BINDING)[0]
    identity, point = int_argument(arguments, 0), vector3_argument(arguments, 1)
    if not is_finite3(point):
        _refuse(instance, CLOSEST, NOT_FINITE, argument(arguments, 1))
        return
    index = max(body_of(binding.world, identity), area_of(binding.world, identity))
    if index < 0 or bodies_of(binding.world)[index].system != system_at(binding.system).index:
        _refuse(instance, CLOSEST, NO_SUCH_OBJECT, identity)
        return
    queries = stack_array(1, QUERY)
    query = queries[0]
    _begin(instance, CLOSEST_POINT, np.int64(0), True, True, address_of_row(queries, 0))
    query.body = INT32(index)
    frame = _frame(instance)
    store3(query.position, add(point, frame))
    if _ask_shapes(instance, address_of_row(queries, 0)) != 0:
        store_vector3(result, subtract(vector3(query.hit), frame))


VIRTUALS = {
    "_intersect_ray": intersect_ray,
    "_intersect_point": intersect_point,
    "_intersect_shape": intersect_shape,
    "_cast_motion": cast_motion,
    "_collide_shape": collide_shape,
    "_rest_info": rest_info,
    "_get_closest_point_to_object_volume": get_closest_point_to_object_volume,
}
KERNELS = tuple(VIRTUALS.values())


@entry_point("void(int64)")
def fill_space_state(table):
    """Write the addresses of VIRTUALS into a table."""
    store_function_addresses(table, KERNELS)


SPACE_STATE.hot(fill_space_state, VIRTUALS)
