"""The serial part of areas in a step: finding possible overlaps, and processing the measured ones.

A step does this twice, each time only for what may have changed: before the solver for bodies moved, added or changed by users,
so that a body put into an area gets its gravity at once; and after it for bodies that the step has moved, so that events match
the poses that users read.
"""

import numpy as np

from ..bodies.bounds import bounds_overlap, depth_of_bounds
from ..bodies.limits import leave_out
from ..bodies.motion import wake
from ..bodies.records import world_at
from ..bodies.schema import IN_AREAS, IS_AREA, LAYER_SENSOR, RIGID
from ..bodies.system_schema import AREA_OVERLAPS
from ..broad_phase.query import CURSOR, bounds_query_begin, bounds_query_next, query_end
from ..broad_phase.schema import TREE
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view
from ..runtime.selection import selection_key, put_largest_first
from .overlaps import (
    create_overlap, find_overlap, first_overlap, free_overlap, give_back_shape_overlap, has_overrides, monitors, overlaps_of,
    rows_of, sees, sensors_of, shape_overlaps_of,
)  # fmt: skip
from .schema import IS_DUE, IS_INSIDE, IS_REPORTED, IS_TO_REPORT, OVERLAPS

INT32, INT64 = np.int32, np.int64
TREE_SIZE = TREE.itemsize


@kernel
def look(system, world, sensors, bodies, areas, area, other):
    """Create the overlap of an area and a body or area it sees, unless it exists."""
    if sees(areas, bodies, area, other) and find_overlap(sensors, area, other) < 0:
        create_overlap(system, sensors, area, other, world.body_capacity)


@kernel
def look_in_tree(system, world, bodies, areas, index, layer):
    """Create the overlaps of one body or area with everything that its fat bounds overlap in the tree of a layer."""
    sensors = sensors_of(system)[0]
    body = bodies[index]
    tree = system.trees.rows + layer * TREE_SIZE
    cursor = stack_array(1, CURSOR)
    bounds_query_begin(cursor, tree, body.fat_bounds)
    other = bounds_query_next(cursor, tree)
    while other >= 0:
        if other != index and bounds_overlap(body.fat_bounds, bodies[other].fat_bounds):
            if body.flags & IS_AREA:
                look(system, world, sensors, bodies, areas, index, other)
            if layer == LAYER_SENSOR:
                look(system, world, sensors, bodies, areas, other, index)
        other = bounds_query_next(cursor, tree)
    query_end(cursor, tree)


@kernel
def find_overlaps(system):
    """Create the overlaps of all bodies and areas with new fat bounds. The list of these is not changed."""
    if sensors_of(system)[0].area_count == 0:
        return
    world = world_at(system.world)
    bodies, areas = rows_of(system)
    moved = view(system.bodies.moved, world.body_capacity, INT32)
    for k in range(system.bodies.moved_count):
        index = INT64(moved[k])
        if bodies[index].system != system.index:
            continue
        if bodies[index].flags & IS_AREA:
            for layer in range(system.trees.layer_count):
                look_in_tree(system, world, bodies, areas, index, layer)
        else:
            look_in_tree(system, world, bodies, areas, index, LAYER_SENSOR)


@kernel
def renew_in_areas(sensors, bodies, areas, index, capacity):
    """Update whether some area affects the gravity or damping of a body."""
    overlaps = overlaps_of(sensors)
    bodies[index].flags &= ~IN_AREAS
    key = first_overlap(sensors, index, capacity)
    while key >= 0:
        overlap = overlaps[key >> 1]
        if key & 1 and overlap.flags & IS_INSIDE and has_overrides(areas[overlap.area]):
            bodies[index].flags |= IN_AREAS
            return
        key = INT64(overlap.next[key & 1])


@kernel
def surroundings_changed(world_address, sensors, bodies, areas, index, capacity):
    """Note that a body entered or left an area with effects, or that the area changed: the body takes part in the next step."""
    if bodies[index].flags & IS_AREA:
        return
    renew_in_areas(sensors, bodies, areas, index, capacity)
    if bodies[index].mode >= RIGID:
        wake(world_address, index)


@kernel
def drop_silent_rows(sensors, overlap):
    """Free the rows of an overlap that do not overlap and need no report any more. Return whether some shapes overlap."""
    parts = shape_overlaps_of(sensors)
    before, part = INT64(-1), INT64(overlap.first)
    is_inside = False
    while part >= 0:
        following = INT64(parts[part].next)
        if parts[part].flags & (OVERLAPS | IS_REPORTED) == 0:
            give_back_shape_overlap(sensors, part)
            if before >= 0:
                parts[before].next = INT32(following)
            else:
                overlap.first = INT32(following)
        else:
            is_inside |= parts[part].flags & OVERLAPS != 0
            before = part
        part = following
    return is_inside


@kernel
def has_news(sensors, overlap):
    """Whether a row of an overlap has begun or ended since the last report."""
    parts = shape_overlaps_of(sensors)
    part = INT64(overlap.first)
    while part >= 0:
        flags = parts[part].flags
        if (flags & OVERLAPS != 0) != (flags & IS_REPORTED != 0):
            return True
        part = INT64(parts[part].next)
    return False


@kernel
def free_if_apart(sensors, bodies, areas, index, capacity):
    """Free an overlap without rows whose two are apart, or no longer see each other."""
    overlap = overlaps_of(sensors)[index]
    area, other = INT64(overlap.area), INT64(overlap.other)
    if overlap.first >= 0:
        return
    if not bounds_overlap(bodies[area].fat_bounds, bodies[other].fat_bounds) or not sees(areas, bodies, area, other):
        free_overlap(sensors, index, capacity)


@kernel
def settle_overlap(system, world, bodies, areas, index):
    """Process the measurement of one overlap."""
    sensors = sensors_of(system)[0]
    overlap = overlaps_of(sensors)[index]
    overlap.flags &= ~IS_DUE
    was_inside = overlap.flags & IS_INSIDE != 0
    is_inside = drop_silent_rows(sensors, overlap)
    area, other = INT64(overlap.area), INT64(overlap.other)
    if is_inside != was_inside:
        overlap.flags ^= IS_INSIDE
        if has_overrides(areas[area]):
            surroundings_changed(system.world, sensors, bodies, areas, other, world.body_capacity)
    if not overlap.flags & IS_TO_REPORT and monitors(areas[area], bodies[other]) and has_news(sensors, overlap):
        overlap.flags |= IS_TO_REPORT
        view(sensors.to_report, sensors.overlap_capacity, INT32)[sensors.to_report_count] = INT32(index)
        sensors.to_report_count += 1
    free_if_apart(sensors, bodies, areas, index, world.body_capacity)


@kernel
def choose_overlaps(system):
    """Choose how many of the due overlaps are measured this time: if not all, the deepest, which are moved before the others."""
    sensors = sensors_of(system)[0]
    count, limit = sensors.due_count, sensors.measure_limit
    sensors.chosen_count = min(count, limit)
    if count > limit:
        leave_out(system, AREA_OVERLAPS, count - limit)
        bodies, overlaps = rows_of(system)[0], overlaps_of(sensors)
        due, depths = view(sensors.due, count, INT32), view(sensors.due_depths, count, INT32)
        for k in range(count):
            overlap = overlaps[due[k]]
            depths[k] = selection_key(depth_of_bounds(bodies[overlap.area].bounds, bodies[overlap.other].bounds))
        put_largest_first(due, depths, view(sensors.event_order, count, INT32), count, limit)
    return sensors.chosen_count


@kernel
def settle_overlaps(system):
    """Process the measured overlaps, in the order in which they became due. The others wait for the next time."""
    sensors = sensors_of(system)[0]
    world = world_at(system.world)
    bodies, areas = rows_of(system)
    due = view(sensors.due, sensors.overlap_capacity, INT32)
    for k in range(sensors.chosen_count):
        settle_overlap(system, world, bodies, areas, INT64(due[k]))
    sensors.measured_count += sensors.chosen_count
    sensors.due_count -= sensors.chosen_count
    for k in range(sensors.due_count):
        due[k] = due[sensors.chosen_count + k]
