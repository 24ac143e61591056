"""Queries of bodies by their bounds alone, and copies of all shapes in a box for a long job.

Any thread may call at any time; nothing is allocated, no lock is taken. A body that is being changed at that moment is included
without a test of its bounds: such answers may contain too many bodies, never too few.
"""

import numpy as np

from ..bodies.bounds import bounds_in_frame
from ..bodies.parts import PARTS, begin_parts, next_part_in_box, part_row
from ..bodies.publication import PUBLISHED, read_body
from ..bodies.records import system_at, world_at
from ..bodies.schema import BODY, INSTANCE
from ..bodies.system_schema import offset_of
from ..broad_phase.query import bounds_query_next, bounds_query_on, query_end, query_enter, ray_query_next, ray_query_on
from ..broad_phase.schema import CURSOR
from ..geometry.vector import (
    add, add_scaled, matrix_rows, multiply, quaternion, rotate, rotate_inverse, store3, store4, subtract, vector3,
)  # fmt: skip
from ..runtime import atomics
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of_record, stack_array, view, view2
from ..shapes.instance_tree import inverse_of, meets_bounds
from ..shapes.ray import reported_face, ray_shape
from ..shapes.schema import SHAPE
from .filters import TREE_SIZE, is_seen, is_shape_seen, looks_in
from .query_schema import BODY_HIT, BOUNDS_RAY, BOUNDS_SPHERE, COLLECT_SHAPES, PLACED_SHAPE, QUERY, RAY_RESULT
from .ray_queries import clear_result

INT32, FLOAT32 = np.int32, np.float32
ORIGIN_VERSION = offset_of("place", "origin_version")
SLACK = 1e-5
"""Relative tolerance for bounds in single precision."""
ORIGIN = (0.0, 0.0, 0.0)


@kernel
def sphere_touches(bounds, center, radius):
    """Whether a sphere touches a box (min x, y, z, max x, y, z)."""
    distance = 0.0
    for k in range(3):
        gap = max(max(bounds[k] - center[k], center[k] - bounds[3 + k]), 0.0)
        distance += gap * gap
    reach = radius * (1.0 + SLACK) + SLACK
    return distance <= reach * reach


@kernel
def oriented_box_touches(bounds, center, half, rows):
    """Whether a box of half extents `half`, with its axes as the columns of `rows`, touches an axis-aligned one: separating axes
    (Gottschalk 1996), including the products of edges."""
    h = (0.5 * (bounds[3] - bounds[0]), 0.5 * (bounds[4] - bounds[1]), 0.5 * (bounds[5] - bounds[2]))
    t = (
        center[0] - 0.5 * (bounds[0] + bounds[3]), center[1] - 0.5 * (bounds[1] + bounds[4]),
        center[2] - 0.5 * (bounds[2] + bounds[5]),
    )  # fmt: skip
    for i in range(3):
        row = rows[i]
        reach = h[i] + half[0] * abs(row[0]) + half[1] * abs(row[1]) + half[2] * abs(row[2])
        if abs(t[i]) > reach * (1.0 + SLACK) + SLACK:
            return False
        reach = half[i] + h[0] * abs(rows[0][i]) + h[1] * abs(rows[1][i]) + h[2] * abs(rows[2][i])
        if abs(t[0] * rows[0][i] + t[1] * rows[1][i] + t[2] * rows[2][i]) > reach * (1.0 + SLACK) + SLACK:
            return False
    for i in range(3):
        i1, i2 = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            j1, j2 = (j + 1) % 3, (j + 2) % 3
            reach = h[i1] * abs(rows[i2][j]) + h[i2] * abs(rows[i1][j])
            reach += half[j1] * abs(rows[i][j2]) + half[j2] * abs(rows[i][j1])
            if abs(t[i2] * rows[i1][j] - t[i1] * rows[i2][j]) > reach * (1.0 + SLACK) + SLACK:
                return False
    return True


@kernel
def touches(query, body, center, rows, version_address, version):
    """Whether a body's bounds match the query. True for a body that is being changed, and if the origin of its bounds has moved
    since the version with which the query began."""
    address = address_of_record(body) + PUBLISHED
    before = atomics.load_acquire_int64(address)
    half, operation = vector3(query.half_extents), query.operation
    if operation == BOUNDS_SPHERE:
        answer = sphere_touches(body.bounds, center, half[0])
    elif operation == BOUNDS_RAY:
        answer = meets_bounds(body.bounds, center, inverse_of(vector3(query.motion)), 1.0)
    else:
        answer = oriented_box_touches(body.bounds, center, half, rows)
    atomics.fence_acquire()
    is_origin_kept = version & 1 == 0 and atomics.load_acquire_int64(version_address) == version
    return answer or not is_origin_kept or before & 1 != 0 or atomics.load_acquire_int64(address) != before


@kernel
def bounds_of_query(query, center, rows):
    """Axis-aligned box around the query's volume, relative to the system's origin."""
    h = vector3(query.half_extents)
    if query.operation == BOUNDS_SPHERE:
        h = (h[0], h[0], h[0])
    else:
        h = (
            abs(rows[0][0]) * h[0] + abs(rows[0][1]) * h[1] + abs(rows[0][2]) * h[2],
            abs(rows[1][0]) * h[0] + abs(rows[1][1]) * h[1] + abs(rows[1][2]) * h[2],
            abs(rows[2][0]) * h[0] + abs(rows[2][1]) * h[1] + abs(rows[2][2]) * h[2],
        )
    slack = SLACK * (1.0 + abs(center[0]) + abs(center[1]) + abs(center[2]))
    return (
        center[0] - h[0] - slack, center[1] - h[1] - slack, center[2] - h[2] - slack,
        center[0] + h[0] + slack, center[1] + h[1] + slack, center[2] + h[2] + slack,
    )  # fmt: skip


@kernel
def add_body(query, hits, count, body, index):
    """Add a body once. Return the new count; beyond `max_results` it is only counted."""
    kept = min(count, query.max_results)
    for k in range(kept):
        if hits[k].body == index:
            return count
    if count < query.max_results:
        hits[count].body, hits[count].instance, hits[count].part = INT32(index), INT32(-1), INT32(-1)
        hits[count].body_id, hits[count].user_id = body.id, body.user_id
    return count + 1


@kernel
def add_shapes(world, query, body, placed, count):
    """Add the shapes of a body, with their poses at one moment, whose bounds touch the box of the query."""
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    position, rotation, first, shape_count = read_body(body)
    rows, box = matrix_rows(rotation), stack_array(6, FLOAT32)
    half, centre = vector3(query.half_extents), vector3(query.position)
    query_rows = matrix_rows(quaternion(query.rotation))
    walk = stack_array(1, PARTS)[0]
    begin_parts(walk, first, shape_count)
    around = bounds_of_query(query, ORIGIN, query_rows)
    low, high = bounds_in_frame(ORIGIN, (around[3], around[4], around[5]), subtract(position, centre), rotation)
    while True:
        number = next_part_in_box(walk, world, instances, shapes, low, high)
        if number < 0:
            break
        instance = part_row(walk, instances)
        if not is_shape_seen(query, instance):
            continue
        b = instance.bounds
        middle = (0.5 * (b[0] + b[3]), 0.5 * (b[1] + b[4]), 0.5 * (b[2] + b[5]))
        for k in range(3):
            row = rows[k]
            at = position[k] - centre[k] + row[0] * middle[0] + row[1] * middle[1] + row[2] * middle[2]
            h = 0.5 * (abs(row[0]) * (b[3] - b[0]) + abs(row[1]) * (b[4] - b[1]) + abs(row[2]) * (b[5] - b[2]))
            box[k], box[3 + k] = FLOAT32(at - h), FLOAT32(at + h)
        if not oriented_box_touches(box, (0.0, 0.0, 0.0), half, query_rows):
            continue
        if count < query.max_results:
            out = placed[count]
            store3(out.position, add(position, rotate(rotation, vector3(instance.position))))
            store4(out.rotation, multiply(rotation, quaternion(instance.rotation)))
            out.body_id, out.user_id = body.id, body.user_id
            out.instance, out.part, out.shape = INT32(number), INT32(walk.part), instance.shape
            out.settings = shapes[instance.shape]
        count += 1
    return count


@entry_point("int64(int64, int64)")
def query_bounds(system_address, query_address):
    """Answer a QUERY of operation BOUNDS_BOX, BOUNDS_SPHERE, BOUNDS_RAY or COLLECT_SHAPES. Return the number of results, which
    may exceed `max_results`: query again with more rows."""
    system = system_at(system_address)
    world = world_at(system.world)
    query = view(query_address, 1, QUERY)[0]
    bodies = view(world.bodies, world.body_capacity, BODY)
    hits, placed = view(query.results, query.max_results, BODY_HIT), view(query.results, query.max_results, PLACED_SHAPE)
    cursor = stack_array(1, CURSOR)
    version_address = system_address + ORIGIN_VERSION
    version = atomics.load_acquire_int64(version_address)
    rows = matrix_rows(quaternion(query.rotation))
    is_ray, collects = query.operation == BOUNDS_RAY, query.operation == COLLECT_SHAPES
    count = np.int64(0)
    for layer in range(system.trees.layer_count):
        tree = system.trees.rows + layer * TREE_SIZE
        if not looks_in(query, layer, tree):
            continue
        center = subtract(vector3(query.position), query_enter(cursor, tree))
        if is_ray:
            ray_query_on(cursor, tree, center, vector3(query.motion), 1.0)
        else:
            bounds_query_on(cursor, tree, bounds_of_query(query, center, rows))
        while True:
            index = ray_query_next(cursor, tree, 1.0) if is_ray else bounds_query_next(cursor, tree)
            if index < 0:
                break
            body = bodies[index]
            if not is_seen(query, body) or not touches(query, body, center, rows, version_address, version):
                continue
            if collects:
                count = add_shapes(world, query, body, placed, count)
            else:
                count = add_body(query, hits, count, body, index)
        query_end(cursor, tree)
    return count


@entry_point("void(int64)")
def cast_at_placed(arguments):
    """Find the nearest hit of each ray among rows of PLACED_SHAPE. Arguments: address and number of the rows, addresses of
    origins and ends (n, 3), n, address of RAY_RESULT (n)."""
    given = view(arguments, 6, np.int64)
    placed, results = view(given[0], given[1], PLACED_SHAPE), view(given[5], given[4], RAY_RESULT)
    origins, ends = view2(given[2], given[4], 3, np.float64), view2(given[3], given[4], 3, np.float64)
    shapes = stack_array(1, SHAPE)
    for i in range(given[4]):
        origin = vector3(origins[i])
        way = subtract(vector3(ends[i]), origin)
        result = results[i]
        clear_result(result)
        for k in range(given[1]):
            row = placed[k]
            turn = quaternion(row.rotation)
            local, vector = rotate_inverse(turn, subtract(origin, vector3(row.position))), rotate_inverse(turn, way)
            longest = min(result.fraction, 1.0)
            if not meets_bounds(row.settings.bounds, local, inverse_of(vector), longest):
                continue
            shapes[0] = row.settings
            fraction, normal, face, _ = ray_shape(shapes, np.int64(0), local, vector, longest, False, True)
            if fraction < result.fraction and fraction <= 1.0:
                result.fraction = fraction
                store3(result.position, add_scaled(origin, way, fraction))
                store3(result.normal, rotate(turn, normal))
                result.face = INT32(reported_face(row.settings, face))
                result.body_id, result.user_id = row.body_id, row.user_id
