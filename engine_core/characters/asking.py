"""How a character asks what is around it: bodies near it, casts of its shapes, contacts, the face under a point.

The bodies near it are found once a move, and all questions of that move are about these. Positions are those of the centre of
mass of its body. Functions of `collision` are called by address, so that this is small to compile.
"""

import numpy as np

from ..bodies.motion import bodies_of
from ..bodies.records import world_at
from ..collision.query_schema import (
    ADDS_RESULTS, AMONG_BODIES, BOUNDS_BOX, CAST, CONTACTS, HITS_BACK_FACES, RAY, RAY_RESULT, WITH_BODIES,
)  # fmt: skip
from ..geometry.vector import add, add_scaled, dot, length, quaternion, scale, store3, store4, subtract, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.call import call_2_result
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_record, address_of_row, stack_array, view
from ..shapes.bounds import shape_bounds
from ..shapes.schema import SEPARATION_RAY, SHAPE
from ..shapes.traits import is_surface
from .own_shapes import place_shape
from .schema import MOST_LISTED, WALK

UINT32 = np.uint32
BODIES, EXCLUDED = WALK.fields["bodies"][1], WALK.fields["excluded"][1]
MOST_CONTACTS = 32
SLACK = 0.05
"""Bodies are looked for this much farther than the character is to go [m]: recovery and steps leave the straight way."""
INWARD, ABOVE, BELOW = 0.02, 0.06, 0.12
"""Where the face at an edge is looked for: so far behind the edge, from so far above it, so far down [m]."""


@kernel
def is_asked_with(kind):
    """Whether a shape of this kind takes part: rays and surfaces do not."""
    return kind >= 0 and kind != SEPARATION_RAY and not is_surface_kind(kind)


@kernel
def is_surface_kind(kind):
    rows = stack_array(1, SHAPE)
    rows[0].kind = kind
    return is_surface(rows[0])


@kernel
def begin_queries(walk, row, queries):
    """Prepare the query of a character for all questions of one move."""
    query = queries[0]
    query.flags = UINT32(WITH_BODIES)
    query.collision_mask = bodies_of(walk.world)[walk.body].collision_mask
    query.layer_mask = query.shape_mask = UINT32(0)
    query.collector = 0
    query.body = np.int32(walk.body)
    query.exclusion_function = query.exclusion_context = 0
    query.excluded, query.excluded_count = address_of_record(walk) + EXCLUDED, 0
    query.first_result = 0
    query.margin = 0.0


@kernel
def measure_shapes(walk, row, queries):
    """Write the bounds of the character's shapes to `walk`, padding included. Return whether it has any."""
    keep_as_call()
    record = world_at(walk.world)
    shapes = view(record.shapes, record.shape_capacity, SHAPE)
    body, query = bodies_of(walk.world)[walk.body], queries[0]
    has_any = False
    for number in range(body.instance_count):
        kind = place_shape(walk.world, body, number, (0.0, 0.0, 0.0), quaternion(row.rotation), query)
        if not is_asked_with(kind):
            continue
        box = shape_bounds(shapes, np.int64(query.shape), vector3(query.position), quaternion(query.rotation))
        for k in range(3):
            low, high = box[k] - row.padding, box[3 + k] + row.padding
            walk.low[k] = min(walk.low[k], low) if has_any else low
            walk.high[k] = max(walk.high[k], high) if has_any else high
        has_any = True
    return has_any


@kernel
def look_around(walk, queries, position, low, high):
    """Find the bodies near a box, relative to `position`."""
    keep_as_call()
    query = queries[0]
    flags, margin = query.flags, query.margin
    query.operation = BOUNDS_BOX
    query.flags = UINT32(WITH_BODIES)
    middle, half = add(position, scale(add(low, high), 0.5)), scale(subtract(high, low), 0.5)
    store3(walk.middle, middle)
    store3(walk.half, half)
    store3(query.position, middle)
    store4(query.rotation, (0.0, 0.0, 0.0, 1.0))
    store3(query.half_extents, half)
    query.results, query.max_results = address_of_record(walk) + BODIES, MOST_LISTED
    walk.body_count = call_2_result(walk.query_bounds, walk.system, address_of_row(queries, 0))
    if walk.body_count > MOST_LISTED:
        walk.body_count = -1
    query.flags, query.margin = flags, margin


@kernel
def cover(walk, queries, position, motion):
    """See to it that the list of bodies holds all that the shapes may touch on a way, and prepare the query to use it."""
    is_covered = True
    for k in range(3):
        low = position[k] + walk.low[k] + min(motion[k], 0.0) - walk.middle[k]
        high = position[k] + walk.high[k] + max(motion[k], 0.0) - walk.middle[k]
        is_covered &= low >= -walk.half[k] and high <= walk.half[k]
    if not is_covered:
        m = (abs(motion[0]) + SLACK, abs(motion[1]) + SLACK, abs(motion[2]) + SLACK)
        look_around(walk, queries, position, subtract(vector3(walk.low), m), add(vector3(walk.high), m))
    query = queries[0]
    query.flags = UINT32(WITH_BODIES | ADDS_RESULTS)
    if walk.body_count >= 0:
        query.flags |= UINT32(AMONG_BODIES)
        query.origins, query.count = address_of_record(walk) + BODIES, walk.body_count


@kernel
def cast(walk, row, queries, position, motion, margin):
    """Cast all shapes, grown by a margin. Return the free part of the motion; the hit is in `walk`."""
    keep_as_call()
    cover(walk, queries, position, motion)
    query = queries[0]
    query.operation = CAST
    query.margin = margin
    store3(query.motion, motion)
    walk.is_hit = walk.is_overlapping = 0
    body = bodies_of(walk.world)[walk.body]
    free = 1.0
    for number in range(body.instance_count):
        if not is_asked_with(place_shape(walk.world, body, number, position, quaternion(row.rotation), query)):
            continue
        call_2_result(walk.query_shapes, walk.system, address_of_row(queries, 0))
        walk.is_overlapping |= query.is_overlapping
        if query.is_hit and (walk.is_hit == 0 or query.safe_fraction < free):
            free = query.safe_fraction
            walk.is_hit = 1
            store3(walk.hit, vector3(query.hit))
            store3(walk.hit_normal, vector3(query.hit_normal))
            walk.hit_body = np.int64(query.hit_body)
    return free


@kernel
def collect(walk, row, queries, position, margin, contacts):
    """Collect the contacts of all shapes grown by a margin, the deepest 32. Return their number."""
    keep_as_call()
    cover(walk, queries, position, (0.0, 0.0, 0.0))
    query = queries[0]
    query.operation = CONTACTS
    query.margin = margin
    query.results, query.max_results = address_of_row(contacts, 0), MOST_CONTACTS
    query.first_result = 0
    body = bodies_of(walk.world)[walk.body]
    for number in range(body.instance_count):
        if is_asked_with(place_shape(walk.world, body, number, position, quaternion(row.rotation), query)):
            query.first_result = call_2_result(walk.query_shapes, walk.system, address_of_row(queries, 0))
    return query.first_result


@kernel
def across(v, up):
    """The part of a vector across `up`."""
    return add_scaled(v, up, -dot(v, up))


@kernel
def face_below(walk, row, queries, point, normal):
    """Find the upper face behind an edge that was touched at `point` with this normal: (whether there is one to stand on, its
    normal)."""
    keep_as_call()
    up = vector3(row.up)
    outward = across(normal, up)
    size = length(outward)
    if size < 1e-6:
        return False, normal
    hits = stack_array(1, RAY_RESULT)
    query = queries[0]
    flags = query.flags
    query.operation = RAY
    query.flags = UINT32(WITH_BODIES | HITS_BACK_FACES)
    query.results, query.max_results = address_of_row(hits, 0), 1
    store3(query.position, add_scaled(add_scaled(point, outward, -INWARD / size), up, ABOVE))
    store3(query.motion, scale(up, -BELOW))
    hits[0].body = np.int32(-1)
    call_2_result(walk.query_rays, walk.system, address_of_row(queries, 0))
    query.flags = flags
    if hits[0].body < 0 or hits[0].fraction <= 0.0:
        return False, normal
    face = vector3(hits[0].normal)
    rise = abs(dot(subtract(vector3(hits[0].position), point), up))
    is_flat = dot(face, up) >= row.slope
    return is_flat and rise <= INWARD / max(row.slope, 0.1) + 2e-3, face
