"""Queries with a shape: overlaps, contacts, the free part of a motion; and the point of a body nearest to a point.

Any thread may call at any time; nothing is allocated, no lock is taken. Everything is computed relative to the position of the
query's shape, so that it is as exact far from the world's origin as near it.
"""

import numpy as np

from ..bodies.bounds import bounds_in_frame, nodes_of
from ..bodies.motion import turning_of, velocity_at
from ..bodies.bricks import BRICK_WALK, IN_BOX, begin_bricks, next_brick
from ..bodies.parts import PARTS, begin_parts, end_parts, next_part_in_box, next_part_near, part_row
from ..bodies.publication import read_body, read_pose
from ..bodies.records import system_at, world_at
from ..bodies.schema import BODY, INSTANCE
from ..broad_phase.query import box_cast_on, query_end, query_enter, ray_query_next
from ..broad_phase.schema import CURSOR
from ..broad_phase.tree_edits import enter, leave
from ..geometry.gjk import CORE
from ..geometry.vector import (
    add, add_scaled, dot, length, multiply, negate, quaternion, rotate, rotate_inverse, scale,
    store3, store4, subtract, vector3,
)  # fmt: skip
from ..runtime.attributes import keep_as_call
from ..runtime.call import call_1_result
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of_record, address_of_row, stack_array, view
from ..shapes.bounds import shape_bounds
from ..shapes.compound import compound_of, parts_of
from ..shapes.instance_tree import WALK, begin_walk, next_in_box
from ..shapes.mesh_query import material_of, mesh_face, mesh_of
from ..shapes.ray import NO_FRACTION, reported_face, ray_shape
from ..shapes.schema import COMPOUND, EMPTY, MESH, SEPARATION_RAY, SHAPE, STRUCTURE
from ..shapes.traits import is_surface
from .collide_function import SHAPE_PAIR
from .filters import TREE_SIZE, is_excluded, is_met, is_shape_seen, looks_in
from .gaps import FAR, GAP, OVERLAPPING, find_gap, prepare_point
from .instance_queries import PLACE, cast_to_instance, overlaps_instance, place_instance
from .query_schema import (
    ADDS_RESULTS, ALL, AMONG_BODIES, ANY, BODY_HIT, CAST, CLOSEST_POINT, CONTACTS, OVERLAP, QUERY, QUERY_CONTACT, RAY_RESULT,
)  # fmt: skip
from .ray_queries import add_hit, keep_hit, place_of_hit
from .schema import CONTACT_RESULT, MAX_RESULTS

FLOAT32, INT32 = np.float32, np.int32
SAFE_GAP = 1e-4
"""Distance of a safe fraction from contact along the motion, and of an unsafe one beyond it along the normal [m]."""
STEEPEST = 10.0
"""Where a motion grazes a surface, a length along the normal counts as at most this many times as long along the motion."""
BOUNDS_SLACK = 1e-4
"""Growth of the bounds of queries against rounding [m]."""

@kernel
def add_contact(query, contacts, count, contact):
    """Keep a contact: in a free row, or in place of the shallowest if it is deeper. Return the new number."""
    if count < query.max_results:
        contacts[count] = contact
        return count + 1
    shallowest = 0
    for k in range(1, count):
        if contacts[k].depth < contacts[shallowest].depth:
            shallowest = k
    if count > 0 and contact.depth > contacts[shallowest].depth:
        contacts[shallowest] = contact
    return count


@kernel
def finish_contact(world_address, query, body, normal, on_other, depth, contact):
    """Fill in a contact from the normal (towards the query's shape), the point on the other and the depth, both relative to the
    query's position."""
    world_point = add(vector3(query.position), on_other)
    store3(contact.other_position, world_point)
    store3(contact.position, add_scaled(world_point, normal, -depth))
    store3(contact.normal, normal)
    contact.depth = depth
    position, _ = read_pose(body)
    store3(contact.velocity, velocity_at(world_address, body, subtract(world_point, position)))
    store3(contact.angular_velocity, turning_of(world_address, body))
    contact.body_id = body.id
    contact.user_id = body.user_id


@kernel
def ray_contact(shapes, query, place, instance, contact):
    """Compute the contact of a separation ray: pushed out along itself, or along the surface normal if it slides on slopes.
    Return whether there is one, with `normal`, `other_position` (relative to the query's position) and `depth` in `contact`."""
    shape = shapes[np.int64(query.shape)]
    rotation = quaternion(query.rotation)
    reach = float(shape.length) + query.margin
    way = rotate(rotation, (0.0, 0.0, reach))
    turn = quaternion(place.rotation)
    origin = rotate_inverse(turn, negate(vector3(place.position)))
    fraction, normal, _, _ = ray_shape(
        shapes, np.int64(instance.shape), origin, rotate_inverse(turn, way), 1.0, False, True
    )  # fmt: skip
    if fraction > 1.0:
        return False
    direction = scale(way, -1.0 / reach)
    contact.depth = reach * (1.0 - fraction)
    store3(contact.other_position, scale(way, fraction))
    store3(contact.normal, direction)
    if shape.slides_on_slope:
        # Pushed along the slope's normal as far as the ray reaches into it.
        normal = rotate(turn, normal)
        if dot(normal, direction) <= 1e-5:
            return False
        store3(contact.normal, normal)
        store3(contact.other_position, add_scaled(way, normal, contact.depth))
    return True


@kernel
def collect_contacts(system, shapes, query, body, instance, place, contacts, count, numbers):
    """Add the contacts of the query's shape with one shape of a body. `numbers`: index of the body, number of the shape, part of
    it or -1."""
    keep_as_call()
    row = stack_array(1, QUERY_CONTACT)
    contact = row[0]
    contact.body = INT32(numbers[0])
    contact.instance, contact.part = INT32(numbers[1]), INT32(numbers[2])
    contact.face = INT32(-1)
    contact.own_instance = INT32(query.own_instance)
    if shapes[np.int64(query.shape)].kind == SEPARATION_RAY:
        if ray_contact(shapes, query, place, instance, contact):
            normal, point = vector3(contact.normal), vector3(contact.other_position)
            finish_contact(system.world, query, body, normal, point, contact.depth, contact)
            count = add_contact(query, contacts, count, contact)
        return count
    pairs = stack_array(1, SHAPE_PAIR)
    results = stack_array(MAX_RESULTS, CONTACT_RESULT)
    pair = pairs[0]
    pair.shapes = address_of_row(shapes, 0)
    pair.shape_a, pair.shape_b = np.int64(query.shape), np.int64(instance.shape)
    store3(pair.position_a, (0.0, 0.0, 0.0))
    store4(pair.rotation_a, quaternion(query.rotation))
    store3(pair.position_b, vector3(place.position))
    store4(pair.rotation_b, quaternion(place.rotation))
    pair.distance = query.margin
    store3(pair.slide, (0.0, 0.0, 0.0))
    pair.has_load = 0
    pair.axis_cache = 0
    pair.results = address_of_row(results, 0)
    found = call_1_result(system.functions.collide_shapes, address_of_row(pairs, 0))
    for r in range(found):
        result = results[r]
        toward = vector3(result.normal)
        contact.face = INT32(result.face)
        for p in range(result.point_count):
            separation = result.separations[p]
            if separation >= query.margin and separation > 0.0:
                continue
            on_other = add_scaled(vector3(result.points[p]), toward, 0.5 * separation)
            finish_contact(system.world, query, body, negate(toward), on_other, query.margin - separation, contact)
            count = add_contact(query, contacts, count, contact)
    return count


@kernel
def note_face(shapes, query, shape, triangle):
    """Record the face (by its triangle) of a mesh or height field that a cast hit, and its material. None if the query's shape is
    the mesh."""
    query.hit_face = query.hit_material = INT32(-1)
    if shape.kind == MESH and triangle >= 0 and not is_surface(shapes[np.int64(query.shape)]):
        face = mesh_face(mesh_of(shape), triangle)
        query.hit_face, query.hit_material = INT32(reported_face(shape, face)), INT32(material_of(shape, face))


@kernel
def meet_body(system, world, query, bodies, index, only, middle, half, count):
    """Test the query's shape against the shapes of one body, or only the one with this number (-1: all). Return the new number of
    results."""
    keep_as_call()
    body = bodies[index]
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    place, gap = stack_array(1, PLACE)[0], stack_array(1, GAP)[0]
    numbers = stack_array(3, np.int64)
    position, rotation, first, shape_count = read_body(body)
    low, high = bounds_in_frame(middle, half, subtract(position, vector3(query.position)), rotation)
    walk, before = stack_array(1, PARTS)[0], np.int64(0)
    if only < 0:
        begin_parts(walk, first, shape_count)
    else:  # a single shape
        before = min(only, shape_count)
        begin_parts(walk, first + before, min(shape_count - before, 1))
    is_asked = False
    while True:
        number = next_part_in_box(walk, world, instances, shapes, low, high)
        if number < 0:
            break
        number += before
        instance = part_row(walk, instances)
        if not is_shape_seen(query, instance):
            continue
        if shapes[np.int64(instance.shape)].kind == SEPARATION_RAY:
            continue
        place_instance(query, position, rotation, instance, place)
        fraction = 0.0
        if query.operation == OVERLAP:
            if not overlaps_instance(shapes, query, instance, place, False):
                continue
        elif query.operation == CAST:
            fraction = cast_to_instance(shapes, query, instance, place, min(query.safe_fraction, 1.0), gap)
            if fraction > 1.0 or (fraction >= query.safe_fraction):
                continue
        if not is_asked and is_excluded(query, body.id):
            end_parts(walk, world)
            return count
        is_asked = True
        if query.operation == OVERLAP:
            if count < query.max_results:
                count = add_hit(view(query.results, query.max_results, BODY_HIT), count, body, index, number, walk.part)
        elif query.operation == CONTACTS:
            numbers[0], numbers[1], numbers[2] = index, number, walk.part
            contacts = view(query.results, query.max_results, QUERY_CONTACT)
            count = collect_contacts(system, shapes, query, body, instance, place, contacts, count, numbers)
        elif fraction == OVERLAPPING:
            query.is_overlapping = 1
        else:
            query.safe_fraction = fraction
            query.is_hit = 1
            store3(query.hit, add(vector3(query.position), vector3(gap.point)))
            store3(query.hit_normal, negate(vector3(gap.normal)))
            query.hit_body = INT32(index)
            query.hit_instance, query.hit_part = INT32(number), INT32(walk.part)
            note_face(shapes, query, shapes[np.int64(instance.shape)], gap.face)
    return count


@kernel
def cast_to_body(system, world, query, bodies, index, middle, half, count):
    """Write the hits of the moving shape with one body to rows of RAY_RESULT, one a shape, for ALL and PER_BODY. Return their new
    number."""
    hits, walk = stack_array(1, RAY_RESULT), stack_array(1, WALK)[0]
    hit, results = hits[0], view(query.results, query.max_results, RAY_RESULT)
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    position, rotation, first, shape_count = read_body(bodies[index])
    low, high = bounds_in_frame(middle, half, subtract(position, vector3(query.position)), rotation)
    begin_walk(walk, first, shape_count)
    number = np.int64(-1)
    while True:
        if query.collector == ALL:
            number = next_in_box(walk, nodes_of(world), instances, low, high)
            if number < 0:
                break
        query.safe_fraction, query.is_hit = NO_FRACTION, 0
        meet_body(system, world, query, bodies, index, number, middle, half, np.int64(0))
        if query.is_hit:
            hit.fraction = query.safe_fraction
            store3(hit.position, vector3(query.hit))
            store3(hit.normal, vector3(query.hit_normal))
            hit.body, hit.instance, hit.part = query.hit_body, query.hit_instance, query.hit_part
            hit.face, hit.material = query.hit_face, query.hit_material
            hit.body_id, hit.user_id = bodies[index].id, bodies[index].user_id
            known = place_of_hit(results, count, index, number, query.hit_part)
            if known < 0:
                count = keep_hit(results, count, query.max_results, hit)
            elif hit.fraction < results[known].fraction:  # with another part of the query's shape
                results[known] = hit
        if number < 0:
            break
    return count


@kernel
def box_of_query(shapes, query):
    """Low and high of the query's shape at the start, relative to its position, margin included."""
    box = shape_bounds(shapes, np.int64(query.shape), (0.0, 0.0, 0.0), quaternion(query.rotation))
    by = query.margin + BOUNDS_SLACK
    return (box[0] - by, box[1] - by, box[2] - by), (box[3] + by, box[4] + by, box[5] + by)


@kernel
def swept(low, high, motion):
    """Middle and half extents of everything a box touches during its motion."""
    low = (low[0] + min(motion[0], 0.0), low[1] + min(motion[1], 0.0), low[2] + min(motion[2], 0.0))
    high = (high[0] + max(motion[0], 0.0), high[1] + max(motion[1], 0.0), high[2] + max(motion[2], 0.0))
    return scale(add(low, high), 0.5), scale(subtract(high, low), 0.5)


@kernel
def meet_system(system, world, query):
    """Test the query's shape against all bodies of the system, or of its list, that pass its filter. Return the number of
    results."""
    keep_as_call()
    bodies = view(world.bodies, world.body_capacity, BODY)
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    cursor = stack_array(1, CURSOR)
    motion = vector3(query.motion) if query.operation == CAST else (0.0, 0.0, 0.0)
    low, high = box_of_query(shapes, query)
    middle, half = swept(low, high, motion)
    start = add(scale(add(low, high), 0.5), vector3(query.position))
    extents = scale(subtract(high, low), 0.5)
    longest = 1.0
    is_done = False
    count = np.int64(query.first_result) if query.flags & ADDS_RESULTS else np.int64(0)
    if query.flags & AMONG_BODIES:
        listed = view(query.origins, query.count, BODY_HIT)
        for k in range(query.count):
            index = np.int64(listed[k].body)
            if is_met(system.world, query, bodies, index):
                count = meet_body(system, world, query, bodies, index, -1, middle, half, count)
        return count
    for layer in range(system.trees.layer_count):
        tree = system.trees.rows + layer * TREE_SIZE
        if not looks_in(query, layer, tree):
            continue
        box_cast_on(cursor, tree, subtract(start, query_enter(cursor, tree)), extents, motion, longest)
        index = ray_query_next(cursor, tree, longest)
        while index >= 0:
            if is_met(system.world, query, bodies, index):
                if query.operation == CAST and query.collector >= ALL:
                    count = cast_to_body(system, world, query, bodies, index, middle, half, count)
                else:
                    count = meet_body(system, world, query, bodies, index, -1, middle, half, count)
                    if query.operation == CAST:
                        longest = min(query.safe_fraction, 1.0)
                        is_done = query.collector == ANY and query.is_hit != 0
            index = -1 if is_done else ray_query_next(cursor, tree, longest)
        query_end(cursor, tree)
        if is_done:
            break
    return count


@kernel
def meet_by_bricks(system, world, query):
    """Run `meet_system` for each brick of a structure."""
    keep_as_call()
    walk, rows = stack_array(1, BRICK_WALK)[0], stack_array(2, INSTANCE)
    shape, flags, first = query.shape, query.flags, query.first_result
    position, rotation = vector3(query.position), quaternion(query.rotation)
    whole, brick = rows[0], rows[1]
    whole.shape, whole.user_shape, whole.body = INT32(shape), INT32(-1), INT32(-1)
    whole.query_layers = whole.simulation_layers = 0
    store3(whole.position, (0.0, 0.0, 0.0))
    store4(whole.rotation, (0.0, 0.0, 0.0, 1.0))
    count = np.int64(first) if flags & ADDS_RESULTS else np.int64(0)
    query.flags = flags | ADDS_RESULTS
    begin_bricks(world, walk, whole, shape, IN_BOX, (-FAR, -FAR, -FAR), (FAR, FAR, FAR), address_of_record(brick), False)
    while next_brick(world, walk, 0.0) >= 0:
        query.shape, query.first_result = np.int64(brick.shape), count
        store3(query.position, add(position, rotate(rotation, vector3(brick.position))))
        store4(query.rotation, multiply(rotation, quaternion(brick.rotation)))
        count = meet_system(system, world, query)
    query.shape, query.flags, query.first_result = shape, flags, first
    store3(query.position, position)
    store4(query.rotation, rotation)
    return count


@kernel
def meet_by_parts(system, world, query):
    """Run `meet_system` for each part of a compound or brick of a structure."""
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    asking = shapes[np.int64(query.shape)]
    if asking.kind == STRUCTURE:
        return meet_by_bricks(system, world, query)
    if asking.kind != COMPOUND:
        return meet_system(system, world, query)
    shape, flags, first = query.shape, query.flags, query.first_result
    position, rotation = vector3(query.position), quaternion(query.rotation)
    compound = compound_of(asking)
    parts = parts_of(compound)
    count = np.int64(first) if flags & ADDS_RESULTS else np.int64(0)
    query.flags = flags | ADDS_RESULTS
    for k in range(compound.part_count):
        query.shape, query.first_result = np.int64(parts[k].shape), count
        store3(query.position, add(position, rotate(rotation, vector3(parts[k].position))))
        store4(query.rotation, multiply(rotation, quaternion(parts[k].rotation)))
        if shapes[np.int64(query.shape)].kind != EMPTY:
            count = meet_system(system, world, query)
    query.shape, query.flags, query.first_result = shape, flags, first
    store3(query.position, position)
    store4(query.rotation, rotation)
    return count


@kernel
def cast_shape(system, world, query):
    """Compute the free part of the query's motion, `safe_fraction` and `unsafe_fraction`, and what it hits. Return 1 if it hits
    something; with ALL and PER_BODY the number of hits."""
    keep_as_call()
    query.safe_fraction, query.unsafe_fraction = NO_FRACTION, 1.0
    query.is_hit = 0
    query.is_overlapping = 0
    query.hit_body = INT32(-1)
    query.hit_instance = query.hit_part = INT32(-1)
    count = meet_by_parts(system, world, query)
    if query.collector >= ALL:
        return count
    if not query.is_hit:
        query.safe_fraction = 1.0
        return np.int64(0)
    contact = query.safe_fraction
    step = SAFE_GAP / max(length(vector3(query.motion)), 1e-12)
    closing = -dot(vector3(query.motion), vector3(query.hit_normal))
    query.safe_fraction = max(contact - step, 0.0)
    query.unsafe_fraction = min(contact + min(SAFE_GAP / max(closing, 1e-12), STEEPEST * step), 1.0)
    return np.int64(1)


@kernel
def closest_point(system, world, query):
    """Find the point of the query's body nearest to its position: the position itself if it lies inside. Return 0 for a body
    without shapes."""
    keep_as_call()
    bodies = view(world.bodies, world.body_capacity, BODY)
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    core, place, gap = stack_array(1, CORE)[0], stack_array(1, PLACE)[0], stack_array(1, GAP)[0]
    nearest = FAR
    query.is_overlapping = 0
    # Counted as a user of a tree, so that the body's current data stays valid during this call.
    hint = address_of_record(gap)
    generation = enter(system.trees.rows, hint)
    position, rotation, first, shape_count = read_body(bodies[query.body])
    walk = stack_array(1, PARTS)[0]
    begin_parts(walk, first, shape_count)
    own_point = rotate_inverse(rotation, subtract(vector3(query.position), position))
    while True:
        number = next_part_near(walk, world, instances, shapes, own_point, nearest)
        if number < 0:
            break
        instance = part_row(walk, instances)
        if not is_shape_seen(query, instance):
            continue
        place_instance(query, position, rotation, instance, place)
        turn = quaternion(place.rotation)
        point = rotate_inverse(turn, negate(vector3(place.position)))
        prepare_point(core, point)
        shape = shapes[np.int64(instance.shape)]
        if not find_gap(shape, core, 0.0, point, point, point, nearest, True, gap) or gap.distance >= nearest:
            continue
        nearest = gap.distance
        offset = add(rotate(turn, vector3(gap.point)), vector3(place.position))
        if nearest <= 0.0:
            query.is_overlapping = 1
            offset = (0.0, 0.0, 0.0)
        store3(query.hit, add(vector3(query.position), offset))
        query.hit_instance, query.hit_part = INT32(number), INT32(walk.part)
        if nearest <= 0.0:
            end_parts(walk, world)
            break
    leave(system.trees.rows, generation, hint)
    return np.int64(1) if nearest < FAR else np.int64(0)


@entry_point("int64(int64, int64)")
def query_shapes(system_address, query_address):
    """Answer a QUERY of operation OVERLAP, CONTACTS, CAST or CLOSEST_POINT for the system at `system_address`. Return the number
    of results; for CAST whether something is hit, for CLOSEST_POINT whether the body has a shape."""
    system = system_at(system_address)
    world = world_at(system.world)
    query = view(query_address, 1, QUERY)[0]
    if query.operation == CLOSEST_POINT:
        return closest_point(system, world, query)
    if query.shape < 0:
        return np.int64(0)
    if query.operation == CAST:
        return cast_shape(system, world, query)
    return meet_by_parts(system, world, query)
