"""Rays and points against a whole system. Any thread may call at any time; nothing is allocated, no lock is taken."""

import numpy as np

from ..bodies.parts import PARTS, begin_parts, end_parts, next_part_in_box, next_part_on_ray, part_row
from ..bodies.publication import read_body
from ..bodies.records import system_at, world_at
from ..bodies.schema import BODY, INSTANCE
from ..broad_phase.query import query_end, query_enter, ray_query_next, ray_query_on
from ..broad_phase.schema import CURSOR
from ..geometry.vector import add_scaled, quaternion, rotate, rotate_inverse, store3, subtract, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import stack_array, view, view2
from ..shapes.mesh_query import material_of
from ..shapes.ray import NO_FRACTION, reported_face, point_in_shape, ray_shape
from ..shapes.schema import SHAPE
from .filters import TREE_SIZE, is_excluded, is_seen, is_shape_seen, looks_in
from .query_schema import (
    ALL, ANY, BODY_HIT, HITS_BACK_FACES, HITS_FROM_INSIDE, POINT, QUERY, RAY, RAY_RESULT, RAYS,
)  # fmt: skip

INT32 = np.int32


@kernel
def ray_instance(shapes, query, body, index, instance, number, part, rotation, origin, vector, result):
    """Test a ray (body frame) against one shape of a body, or a part of one. A hit nearer than that in `result` is written there
    unless the query excludes the body. Return whether it was."""
    turn, row = quaternion(instance.rotation), np.int64(instance.shape)  # once: see `bodies.parts`
    from_inside, back_faces = query.flags & HITS_FROM_INSIDE != 0, query.flags & HITS_BACK_FACES != 0
    fraction, normal, face, _ = ray_shape(
        shapes, row, rotate_inverse(turn, subtract(origin, vector3(instance.position))),
        rotate_inverse(turn, vector), min(result.fraction, 1.0), from_inside, back_faces,
    )  # fmt: skip
    if fraction >= result.fraction or fraction > 1.0 or is_excluded(query, body.id):
        return False
    result.fraction = fraction
    store3(result.position, add_scaled(vector3(query.position), vector3(query.motion), fraction))
    store3(result.normal, rotate(rotation, rotate(turn, normal)))
    result.body = INT32(index)
    result.instance, result.part = INT32(number), INT32(part)
    shape = shapes[row]
    result.face, result.material = INT32(reported_face(shape, face)), INT32(material_of(shape, face))
    result.body_id = body.id
    result.user_id = body.user_id
    return True


@kernel
def ray_body(world, query, bodies, index, hit, results, count):
    """Test a ray against the shapes of one body: the nearest hit is written to `hit` if it is nearer than the one there. With the
    collector ALL the hit with each shape is added to the `count` rows of `results`, and `hit` is scratch memory. Return the
    number of rows."""
    keep_as_call()
    body = bodies[index]
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    walk = stack_array(1, PARTS)[0]
    position, rotation, first, shape_count = read_body(body)
    origin = rotate_inverse(rotation, subtract(vector3(query.position), position))
    vector = rotate_inverse(rotation, vector3(query.motion))
    begin_parts(walk, first, shape_count)
    number = next_part_on_ray(walk, world, instances, shapes, origin, vector, min(hit.fraction, 1.0))
    while number >= 0:
        instance = part_row(walk, instances)
        if is_shape_seen(query, instance):
            is_hit = ray_instance(shapes, query, body, index, instance, number, walk.part, rotation, origin, vector, hit)
            if is_hit and query.collector == ALL:
                if not has_hit(results, count, index, number, walk.part):
                    count = keep_hit(results, count, query.max_results, hit)
                clear_result(hit)
        number = next_part_on_ray(walk, world, instances, shapes, origin, vector, min(hit.fraction, 1.0))
    return count


@kernel
def clear_result(result):
    """Reset a result to no hit."""
    store3(result.position, (0.0, 0.0, 0.0))
    store3(result.normal, (0.0, 0.0, 0.0))
    result.fraction = NO_FRACTION
    result.body = INT32(-1)
    result.instance = result.part = INT32(-1)
    result.face = result.material = INT32(-1)
    result.body_id = 0
    result.user_id = 0


@kernel
def keep_hit(results, count, most, hit):
    """Keep a hit; if the rows are full, it replaces the farthest one if nearer. Return the new number."""
    if count < most:
        results[count] = hit
        return count + 1
    farthest = 0
    for k in range(1, count):
        if results[k].fraction > results[farthest].fraction:
            farthest = k
    if count > 0 and hit.fraction < results[farthest].fraction:
        results[farthest] = hit
    return count


@kernel
def place_of_hit(results, count, index, instance, part):
    """Index of the hit with a body, or with one shape of it and one part; -1 if there is none."""
    for k in range(count):
        if results[k].body == index and (instance < 0 or (results[k].instance == instance and results[k].part == part)):
            return k
    return -1


@kernel
def has_hit(results, count, index, instance, part):
    """Whether a body, or one shape of it and one part, is among the hits: a tree may yield a body twice."""
    return place_of_hit(results, count, index, instance, part) >= 0


@kernel
def collect_ray(system, world, query):
    """Collect all hits of the ray of `query`, one a shape (ALL) or the nearest of each body (PER_BODY): the nearest `max_results`
    of them, unsorted. Return their number."""
    keep_as_call()
    bodies = view(world.bodies, world.body_capacity, BODY)
    cursor, hits = stack_array(1, CURSOR), stack_array(1, RAY_RESULT)
    results = view(query.results, query.max_results, RAY_RESULT)
    hit = hits[0]
    position, way = vector3(query.position), vector3(query.motion)
    count = np.int64(0)
    for layer in range(system.trees.layer_count):
        tree = system.trees.rows + layer * TREE_SIZE
        if not looks_in(query, layer, tree):
            continue
        ray_query_on(cursor, tree, subtract(position, query_enter(cursor, tree)), way, 1.0)
        index = ray_query_next(cursor, tree, 1.0)
        while index >= 0:
            if is_seen(query, bodies[index]):
                clear_result(hit)
                count = ray_body(world, query, bodies, index, hit, results, count)
                if hit.body >= 0 and not has_hit(results, count, index, -1, -1):
                    count = keep_hit(results, count, query.max_results, hit)
            index = ray_query_next(cursor, tree, 1.0)
        query_end(cursor, tree)
    return count


@kernel
def intersect_ray(system, world, query, result):
    """Find the nearest hit of the ray of `query`, or with ANY the first one found, and write it to `result` (a row of
    RAY_RESULT). Return 1 for a hit, else 0."""
    keep_as_call()
    bodies = view(world.bodies, world.body_capacity, BODY)
    cursor = stack_array(1, CURSOR)
    others = view(query.results, 0, RAY_RESULT)
    clear_result(result)
    position, way = vector3(query.position), vector3(query.motion)
    for layer in range(system.trees.layer_count):
        tree = system.trees.rows + layer * TREE_SIZE
        if not looks_in(query, layer, tree):
            continue
        ray_query_on(cursor, tree, subtract(position, query_enter(cursor, tree)), way, min(result.fraction, 1.0))
        index = ray_query_next(cursor, tree, min(result.fraction, 1.0))
        while index >= 0:
            if is_seen(query, bodies[index]):
                ray_body(world, query, bodies, index, result, others, 0)
                if query.collector == ANY and result.body >= 0:
                    break
            index = ray_query_next(cursor, tree, min(result.fraction, 1.0))
        query_end(cursor, tree)
        if query.collector == ANY and result.body >= 0:
            break
    return np.int64(0) if result.body < 0 else np.int64(1)


@kernel
def point_in_body(world, query, bodies, index, hits, count):
    """Add the shapes of one body that contain the point. Return the new number of hits."""
    keep_as_call()
    body = bodies[index]
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    position, rotation, first, shape_count = read_body(body)
    point = rotate_inverse(rotation, subtract(vector3(query.position), position))
    walk = stack_array(1, PARTS)[0]
    begin_parts(walk, first, shape_count)
    is_asked = False
    while True:
        number = next_part_in_box(walk, world, instances, shapes, point, point)
        if number < 0:
            break
        instance = part_row(walk, instances)
        if not is_shape_seen(query, instance):
            continue
        local = rotate_inverse(quaternion(instance.rotation), subtract(point, vector3(instance.position)))
        if not point_in_shape(shapes, np.int64(instance.shape), local):
            continue
        if (not is_asked and is_excluded(query, body.id)) or count == query.max_results:
            end_parts(walk, world)
            return count
        is_asked = True
        count = add_hit(hits, count, body, index, number, walk.part)
    return count


@kernel
def add_hit(hits, count, body, index, number, part):
    """Add a row of BODY_HIT unless it exists: a tree may yield a body twice. Return the new number."""
    for k in range(count):
        if hits[k].body == index and hits[k].instance == number and hits[k].part == part:
            return count
    hit = hits[count]
    hit.body = INT32(index)
    hit.instance, hit.part = INT32(number), INT32(part)
    hit.body_id = body.id
    hit.user_id = body.user_id
    return count + 1


@kernel
def intersect_point(system, world, query):
    """Write the shapes that contain the point of `query` to its rows of BODY_HIT. Return their number, at most `max_results`."""
    keep_as_call()
    bodies = view(world.bodies, world.body_capacity, BODY)
    hits = view(query.results, query.max_results, BODY_HIT)
    cursor = stack_array(1, CURSOR)
    point = vector3(query.position)
    count = np.int64(0)
    for layer in range(system.trees.layer_count):
        tree = system.trees.rows + layer * TREE_SIZE
        if not looks_in(query, layer, tree):
            continue
        ray_query_on(cursor, tree, subtract(point, query_enter(cursor, tree)), (0.0, 0.0, 0.0), 1.0)
        index = ray_query_next(cursor, tree, 1.0)
        while index >= 0 and count < query.max_results:
            if is_seen(query, bodies[index]):
                count = point_in_body(world, query, bodies, index, hits, count)
            index = ray_query_next(cursor, tree, 1.0)
        query_end(cursor, tree)
    return count


@entry_point("int64(int64, int64)")
def query_rays(system_address, query_address):
    """Answer a QUERY of operation RAY, RAYS or POINT for the system at `system_address`. Return the number of hits."""
    system = system_at(system_address)
    world = world_at(system.world)
    query = view(query_address, 1, QUERY)[0]
    if query.operation == POINT:
        return intersect_point(system, world, query)
    if query.operation == RAY and query.collector >= ALL:
        return collect_ray(system, world, query)
    if query.operation == RAY:
        return intersect_ray(system, world, query, view(query.results, 1, RAY_RESULT)[0])
    hit_count = np.int64(0)
    if query.operation == RAYS:
        results = view(query.results, query.count, RAY_RESULT)
        origins, ends = view2(query.origins, query.count, 3, np.float64), view2(query.ends, query.count, 3, np.float64)
        for i in range(query.count):
            origin = vector3(origins[i])
            store3(query.position, origin)
            store3(query.motion, subtract(vector3(ends[i]), origin))
            hit_count += intersect_ray(system, world, query, results[i])
    return hit_count
