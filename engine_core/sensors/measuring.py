"""The job `measure_overlaps`: which shapes of an area and of another body or area overlap.

Exact, by the gap between the two shapes. One overlapping triangle of a mesh is enough, from either side. A mesh is only its
surface, as everywhere, and two surfaces do not overlap.
"""

import numpy as np

from ..bodies.bounds import bounds_in_frame, bounds_overlap, local_bounds_from
from ..bodies.parts import PARTS, begin_parts, next_part_in_box, part_row
from ..bodies.records import system_at, world_at
from ..bodies.schema import INSTANCE
from ..collision.instance_queries import PLACE, overlaps_instance, place_instance
from ..collision.query_schema import QUERY
from ..collision.shape_queries import box_of_query, swept
from ..geometry.vector import (
    add, length, multiply, quaternion, rotate, rotate_inverse, store3, store4, subtract, vector3,
)  # fmt: skip
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import stack_array, view
from ..shapes.schema import BOX, EMPTY, SEPARATION_RAY, SHAPE, SPHERE
from .overlaps import overlaps_of, rows_of, sees, sensors_of, shape_overlaps_of, take_shape_overlap
from .schema import OVERLAPS

INT32, INT64 = np.int32, np.int64
NOWHERE = (0.0, 0.0, 0.0)


@kernel
def holds(shape, query, body):
    """Whether a body certainly lies completely in the query's shape. Tested first, since most bodies in a large area are far from
    its surface. Supports spheres and boxes."""
    if body.local_bounds[3] - body.local_bounds[0] > 1e20:  # a half space
        return False
    extent = float(body.extent)
    way = subtract(vector3(body.position), vector3(query.position))
    if shape.kind == SPHERE:
        return length(way) + extent <= shape.radius
    if shape.kind != BOX:
        return False
    at, half = rotate_inverse(quaternion(query.rotation), way), shape.half_extents
    return abs(at[0]) + extent <= half[0] and abs(at[1]) + extent <= half[1] and abs(at[2]) + extent <= half[2]


@kernel
def note(system, sensors, overlap, cursor, own, number):
    """Mark the row of two shapes as overlapping, or make it. `cursor` holds the previous row, the next row, and the two shapes of
    the previous call: rows are in ascending order, and shapes mostly come in it; parts of a compound count as one shape."""
    parts = shape_overlaps_of(sensors)
    if own < cursor[2] or (own == cursor[2] and number <= cursor[3]):
        cursor[0], cursor[1] = -1, INT64(overlap.first)
    cursor[2], cursor[3] = own, number
    before, at = cursor[0], cursor[1]
    while at >= 0 and (parts[at].own_shape < own or (parts[at].own_shape == own and parts[at].other_shape < number)):
        before, at = at, INT64(parts[at].next)
    if at < 0 or parts[at].own_shape != own or parts[at].other_shape != number:
        made = take_shape_overlap(system, sensors)
        if made >= 0:
            part = parts[made]
            part.own_shape, part.other_shape = INT32(own), INT32(number)
            part.flags = 0
            part.next = INT32(at)
            if before >= 0:
                parts[before].next = INT32(made)
            else:
                overlap.first = INT32(made)
        at = made
    if at >= 0:
        parts[at].flags |= OVERLAPS
        before, at = at, INT64(parts[at].next)
    cursor[0], cursor[1] = before, at


@kernel
def is_solid(shapes, instance):
    """Whether areas can detect a shape of a body."""
    if instance.is_disabled or instance.shape < 0:
        return False
    kind = shapes[INT64(instance.shape)].kind
    return kind != SEPARATION_RAY and kind != EMPTY


@kernel
def measure_shape(system, world, sensors, overlap, bodies, query, own, cursor):
    """Record which shapes of the other the query's shape overlaps; it is shape number `own` of the area."""
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    place = stack_array(1, PLACE)[0]
    other = bodies[overlap.other]
    if holds(shapes[INT64(query.shape)], query, other):
        for number in range(other.instance_count):
            if is_solid(shapes, instances[other.first_instance + number]):
                note(system, sensors, overlap, cursor, INT64(own), INT64(number))
        return
    low, high = box_of_query(shapes, query)
    middle, half = swept(low, high, NOWHERE)
    position = subtract(vector3(other.position), vector3(query.position))
    low, high = bounds_in_frame(middle, half, position, quaternion(other.rotation))
    walk = stack_array(1, PARTS)[0]
    begin_parts(walk, other.first_instance, other.instance_count)
    while True:
        number = next_part_in_box(walk, world, instances, shapes, low, high)
        if number < 0:
            break
        instance = part_row(walk, instances)
        if not is_solid(shapes, instance):
            continue
        place_instance(query, vector3(other.position), quaternion(other.rotation), instance, place)
        if overlaps_instance(shapes, query, instance, place, True):
            note(system, sensors, overlap, cursor, INT64(own), INT64(number))


@kernel
def measure_overlap(system, world, bodies, areas, overlap):
    """Update which rows of an overlap overlap."""
    keep_as_call()
    sensors = sensors_of(system)[0]
    parts = shape_overlaps_of(sensors)
    part = INT64(overlap.first)
    while part >= 0:
        parts[part].flags &= ~OVERLAPS
        part = INT64(parts[part].next)
    area, other = bodies[overlap.area], bodies[overlap.other]
    if not sees(areas, bodies, INT64(overlap.area), INT64(overlap.other)) or not bounds_overlap(area.bounds, other.bounds):
        return
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    query = stack_array(1, QUERY)[0]
    query.margin = 0.0
    cursor = stack_array(4, INT64)
    cursor[0], cursor[1], cursor[2], cursor[3] = -1, INT64(overlap.first), 0, 0
    turn = quaternion(area.rotation)
    low, high = local_bounds_from(area, other)
    walk = stack_array(1, PARTS)[0]
    begin_parts(walk, area.first_instance, area.instance_count)
    while True:
        own = next_part_in_box(walk, world, instances, shapes, low, high)
        if own < 0:
            break
        instance = part_row(walk, instances)
        if instance.is_disabled or instance.shape < 0:
            continue
        query.shape = INT64(instance.shape)
        store3(query.position, add(vector3(area.position), rotate(turn, vector3(instance.position))))
        store4(query.rotation, multiply(turn, quaternion(instance.rotation)))
        measure_shape(system, world, sensors, overlap, bodies, query, own, cursor)


@entry_point(JOB_SIGNATURE)
def measure_overlaps(system_address, begin, end, worker):
    """Job: measure the overlaps `begin` to `end - 1` of the list of due ones."""
    system = system_at(system_address)
    world = world_at(system.world)
    bodies, areas = rows_of(system)
    sensors = sensors_of(system)[0]
    overlaps = overlaps_of(sensors)
    due = view(sensors.due, sensors.overlap_capacity, INT32)
    for k in range(begin, end):
        measure_overlap(system, world, bodies, areas, overlaps[due[k]])
