"""Body motion tests: how far a character would get. Nothing moves.

Recover from overlaps, cast the motion, then collect the contacts where it was stopped. Uses the functions of `collision` by
address, so that it is small to compile.
"""

import numpy as np

from ..bodies.motion import bodies_of
from ..bodies.records import system_at, world_at
from ..broad_phase.tree_edits import enter, leave
from ..collision.query_schema import ADDS_RESULTS, CAST, CONTACTS, QUERY, QUERY_CONTACT, WITH_BODIES
from ..collision.shape_queries import finish_contact
from ..geometry.vector import add, add_scaled, dot, length, quaternion, rotate, scale, store3, subtract, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.call import call_2_result
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of_row, stack_array, view
from ..shapes.schema import SEPARATION_RAY, SHAPE
from .own_shapes import place_shape

MAX_COLLISIONS = 32
RECOVERY_ITERATIONS = 4
RECOVERY_PART = 0.4
"""The part of the depth that one iteration resolves."""
SMALLEST_MARGIN = 1e-4
SLOP_PART = 0.05
"""Overlaps of the margin up to this part of it are ignored: a body at rest keeps its contacts."""
SMALLEST_RECOVERY = 1e-5
LEAVING_PART = 1e-3
"""A contact that the motion leaves at more than this slope does not count."""

# Flags of MOTION.
COLLIDES_SEPARATION_RAYS = 1
REPORTS_RECOVERY = 2  # contacts are also collected if only the recovery hit something

MOTION = np.dtype(
    [
        ("body", "i4"),
        ("flags", "i4"),
        ("position", "f8", 3),  # of the body's origin where the motion begins, world [m]
        ("rotation", "f8", 4),
        ("motion", "f8", 3),  # [m]
        ("margin", "f8"),  # [m]
        ("max_collisions", "i8"),  # at most MAX_COLLISIONS
        ("exclusion_function", "i8"), ("exclusion_context", "i8"),  # as in QUERY
        ("excluded", "i8"), ("excluded_count", "i8"),
        ("collisions", "i8"),  # address of QUERY_CONTACT (max_collisions); the deepest comes first
        # The result
        ("travel", "f8", 3),  # recovery and the free part of the motion [m]
        ("remainder", "f8", 3),  # what is left of the motion [m]
        ("depth", "f8"),  # of the deepest collision, margin included [m]
        ("safe_fraction", "f8"),
        ("unsafe_fraction", "f8"),
        ("collision_count", "i8"),
    ],
    align=True,
)  # fmt: skip


@kernel
def own_shape(world_address, motion, query, position, number):
    """Put shape `number` of the body, whose centre of mass is at `position`, into the query. Return its kind, or -1 if it takes
    no part."""
    body = bodies_of(world_address)[motion.body]
    kind = place_shape(world_address, body, number, position, quaternion(motion.rotation), query)
    if query.operation == CAST and kind == SEPARATION_RAY and not motion.flags & COLLIDES_SEPARATION_RAYS:
        record = world_at(world_address)
        slides = view(record.shapes, record.shape_capacity, SHAPE)[query.shape].slides_on_slope
        return kind if slides else np.int64(-1)
    return kind


@kernel
def ask(system_address, queries):
    """Have the query answered by `shape_queries.query_shapes`."""
    function = system_at(system_address).functions.query_shapes
    return call_2_result(function, system_address, address_of_row(queries, 0))


@kernel
def collect(system_address, world_address, motion, queries, position, contacts):
    """Collect the contacts of all shapes of the body, grown by the margin, with its centre of mass at `position`: the deepest
    MAX_COLLISIONS of them. Return their number."""
    keep_as_call()
    query = queries[0]
    query.operation = CONTACTS
    query.margin = motion.margin
    query.results = address_of_row(contacts, 0)
    query.max_results = MAX_COLLISIONS
    query.first_result = 0
    for number in range(bodies_of(world_address)[motion.body].instance_count):
        if own_shape(world_address, motion, query, position, number) >= 0:
            query.first_result = ask(system_address, queries)
    return query.first_result


@kernel
def recovery_step(world_address, motion, contacts, count):
    """The push-out of the contacts, each by a part of the depth that those before it have left [m]."""
    bodies = bodies_of(world_address)
    total = 0.0
    for k in range(count):
        total += bodies[contacts[k].body].collision_priority
    mean = max(total / count, 1e-6)
    step = (0.0, 0.0, 0.0)
    for k in range(count):
        normal = vector3(contacts[k].normal)
        excess = contacts[k].depth - dot(step, normal) - SLOP_PART * motion.margin
        if excess > SMALLEST_RECOVERY:
            weight = bodies[contacts[k].body].collision_priority / mean
            step = add_scaled(step, normal, RECOVERY_PART * excess * weight)
    return step


@kernel
def recover(system_address, world_address, motion, queries, position, contacts):
    """Push the body out of overlaps. Return (position, whether there was any contact)."""
    keep_as_call()
    has_contacts = False
    for _ in range(RECOVERY_ITERATIONS):
        count = collect(system_address, world_address, motion, queries, position, contacts)
        if count == 0:
            break
        has_contacts = True
        step = recovery_step(world_address, motion, contacts, count)
        if length(step) == 0.0:
            break
        position = add(position, step)
    return position, has_contacts


@kernel
def cast_body(system_address, world_address, motion, queries, position):
    """Cast all shapes of the body, without the margin: fractions to `motion`, the nearest hit to the query. Overlaps at the start
    are ignored. Return (whether something is hit, whether something overlaps)."""
    keep_as_call()
    query = queries[0]
    query.operation = CAST
    query.margin = 0.0
    store3(query.motion, vector3(motion.motion))
    motion.safe_fraction = motion.unsafe_fraction = 1.0
    hit, normal = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    hit_body, hit_instance, hit_part, own_instance = np.int64(-1), np.int64(-1), np.int64(-1), np.int64(0)
    is_overlapping = False
    for number in range(bodies_of(world_address)[motion.body].instance_count):
        if own_shape(world_address, motion, query, position, number) < 0:
            continue
        ask(system_address, queries)
        is_overlapping |= query.is_overlapping != 0
        if query.is_hit and (hit_body < 0 or query.safe_fraction < motion.safe_fraction):
            motion.safe_fraction, motion.unsafe_fraction = query.safe_fraction, query.unsafe_fraction
            hit, normal = vector3(query.hit), vector3(query.hit_normal)
            hit_body, hit_instance, hit_part = np.int64(query.hit_body), np.int64(query.hit_instance), np.int64(query.hit_part)
            own_instance = np.int64(number)
    store3(query.hit, hit)
    store3(query.hit_normal, normal)
    query.hit_body, query.hit_instance, query.hit_part = np.int32(hit_body), np.int32(hit_instance), np.int32(hit_part)
    query.own_instance = own_instance
    return hit_body >= 0, is_overlapping


@kernel
def keep_collisions(motion, contacts, count):
    """Copy the contacts that count as collisions to the result: not those that only touch the margin or that the motion leaves.
    Return whether there is one; the deepest comes first."""
    keep_as_call()
    way = vector3(motion.motion)
    size = length(way)
    shallowest = min(size, SLOP_PART * motion.margin)
    collisions = view(motion.collisions, motion.max_collisions, QUERY_CONTACT)
    kept = np.int64(0)
    is_any = False
    while True:
        deepest = np.int64(-1)
        for k in range(count):
            is_one = contacts[k].depth >= shallowest and dot(way, vector3(contacts[k].normal)) <= LEAVING_PART * size
            if is_one and (deepest < 0 or contacts[k].depth > contacts[deepest].depth):
                deepest = k
        if deepest >= 0:
            is_any = True
        if deepest < 0 or kept == motion.max_collisions:
            break
        if kept == 0:
            motion.depth = contacts[deepest].depth
        collisions[kept] = contacts[deepest]
        contacts[deepest].depth = -1.0
        kept += 1
    motion.collision_count = kept
    return is_any


@kernel
def add_cast_hit(world_address, motion, query):
    """Add the hit of the cast as the only collision, if rounding hid it from the collision at the unsafe pose."""
    if motion.max_collisions == 0:
        return
    body = bodies_of(world_address)[query.hit_body]
    contact = view(motion.collisions, motion.max_collisions, QUERY_CONTACT)[0]
    normal, point = vector3(query.hit_normal), vector3(query.hit)
    finish_contact(world_address, query, body, normal, subtract(point, vector3(query.position)), motion.margin, contact)
    contact.body = query.hit_body
    contact.instance, contact.part = query.hit_instance, query.hit_part
    contact.face = np.int32(-1)
    contact.own_instance = np.int32(query.own_instance)
    motion.depth = motion.margin
    motion.collision_count = 1


@kernel
def find_collisions(system_address, world_address, motion, queries, position, contacts, has_recovered):
    """Cast, and collect the contacts where the body is stopped. Return whether it collides."""
    way = vector3(motion.motion)
    is_stopped, is_overlapping = cast_body(system_address, world_address, motion, queries, position)
    if is_overlapping:
        # Stuck, unless the motion leads out.
        count = collect(system_address, world_address, motion, queries, position, contacts)
        if keep_collisions(motion, contacts, count):
            motion.safe_fraction = motion.unsafe_fraction = 0.0
            return True
        is_stopped, _ = cast_body(system_address, world_address, motion, queries, position)
    if not is_stopped and not (has_recovered and motion.flags & REPORTS_RECOVERY):
        return False
    own_instance = queries[0].own_instance
    position = add_scaled(position, way, motion.unsafe_fraction)
    count = collect(system_address, world_address, motion, queries, position, contacts)
    if keep_collisions(motion, contacts, count):
        return True
    if is_stopped:
        queries[0].own_instance = own_instance
        add_cast_hit(world_address, motion, queries[0])
    return is_stopped


@entry_point("int64(int64, int64)")
def test_body_motion(system_address, motion_address):
    """Answer the MOTION at `motion_address` for the system of its body. Return 1 if the body collides, else 0."""
    world_address = system_at(system_address).world
    motion = view(motion_address, 1, MOTION)[0]
    body = bodies_of(world_address)[motion.body]
    queries = stack_array(1, QUERY)
    contacts = stack_array(32, QUERY_CONTACT)
    query = queries[0]
    query.flags = WITH_BODIES | ADDS_RESULTS
    query.collision_mask = body.collision_mask
    query.layer_mask = query.shape_mask = 0
    query.collector = 0
    query.body = motion.body
    query.exclusion_function, query.exclusion_context = motion.exclusion_function, motion.exclusion_context
    query.excluded, query.excluded_count = motion.excluded, motion.excluded_count
    motion.margin = max(motion.margin, SMALLEST_MARGIN)
    motion.collision_count = 0
    motion.depth = 0.0
    way = vector3(motion.motion)
    start = add(vector3(motion.position), rotate(quaternion(motion.rotation), vector3(body.center_of_mass)))
    # Counted as a user of a tree, so that the body's shapes stay valid during this call.
    trees = system_at(system_address).trees.rows
    generation = enter(trees, motion_address)
    position, has_recovered = recover(system_address, world_address, motion, queries, start, contacts)
    is_colliding = find_collisions(system_address, world_address, motion, queries, position, contacts, has_recovered)
    leave(trees, generation, motion_address)
    if not is_colliding:
        motion.safe_fraction = motion.unsafe_fraction = 1.0
    store3(motion.travel, add_scaled(subtract(position, start), way, motion.safe_fraction))
    store3(motion.remainder, scale(way, 1.0 - motion.safe_fraction))
    return np.int64(1) if is_colliding else np.int64(0)
