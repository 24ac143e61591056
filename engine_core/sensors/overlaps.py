"""Overlaps of areas with bodies and with other areas: created, found, kept in lists, and freed.

Every overlap is in a hash table by its two members, and in the list of each: side 0 is the area, side 1 the body or area it may
see. Two areas that see each other have two overlaps. Serial: between the parallel jobs of a step, or between steps; only
`take_shape_overlap` is called by the measuring job.
"""

import numpy as np

from ..bodies.limits import leave_out
from ..bodies.records import world_at
from ..bodies.schema import BODY, IS_AREA
from ..bodies.system_schema import AREA_OVERLAPS
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_record, view
from ..runtime.pair_table import find_row, grow_table, insert_row, remove_row, take_row
from ..runtime.two_lists import link, unlink
from .schema import (
    AREA, DISABLED, IS_DUE, IS_MONITORABLE, IS_TO_REPORT, MONITORS_AREAS, MONITORS_BODIES, OVERLAP, SENSORS, SHAPE_OVERLAP,
)  # fmt: skip

INT32, INT64 = np.int32, np.int64
OVERLAP_SIZE, SHAPE_OVERLAP_SIZE = OVERLAP.itemsize, SHAPE_OVERLAP.itemsize
NEXT_SHAPE_OVERLAP = SHAPE_OVERLAP.fields["next"][1]
FIRST_FREE, COUNT = SENSORS.fields["first_free_shape_overlap"][1], SENSORS.fields["shape_overlap_count"][1]


@kernel
def sensors_of(system):
    """The record SENSORS of a system, as a view of one row."""
    return view(system.sensors, 1, SENSORS)


@kernel
def overlaps_of(sensors):
    return view(sensors.overlaps, sensors.overlap_capacity, OVERLAP)


@kernel
def shape_overlaps_of(sensors):
    return view(sensors.shape_overlaps, sensors.shape_overlap_capacity, SHAPE_OVERLAP)


@kernel
def areas_of(world):
    """The rows of AREA, by body index. `world` is the record."""
    return view(world.areas, world.body_capacity, AREA)


@kernel
def has_overrides(area):
    """Whether an area changes gravity or damping."""
    return area.gravity_mode != DISABLED or area.linear_damp_mode != DISABLED or area.angular_damp_mode != DISABLED


@kernel
def monitors(area, other):
    """Whether an area monitors the kind of `other`, a row of BODY."""
    return area.flags & (MONITORS_AREAS if other.flags & IS_AREA else MONITORS_BODIES) != 0


@kernel
def sees(areas, bodies, area, other):
    """Whether an area can see a body or another area: its mask has the other's layer, and it monitors or has effects."""
    if not bodies[area].collision_mask & bodies[other].collision_layer:
        return False
    if bodies[other].flags & IS_AREA:
        return areas[area].flags & MONITORS_AREAS != 0 and areas[other].flags & IS_MONITORABLE != 0
    return areas[area].flags & MONITORS_BODIES != 0 or has_overrides(areas[area])


# The lists of a body or area.


@kernel
def first_overlap(sensors, index, capacity):
    """The first of the overlaps of a body or area, `overlap << 1 | side`; -1: none."""
    return INT64(view(sensors.first_overlap, capacity, INT32)[index]) - 1


@kernel
def _set_first(sensors, index, capacity, key):
    view(sensors.first_overlap, capacity, INT32)[index] = INT32(key + 1)


@kernel
def find_overlap(sensors, area, other):
    """Index of the overlap of an area with a body or area it may see, or -1."""
    return find_row(sensors.table, sensors.table_capacity, sensors.overlaps, OVERLAP_SIZE, area, other)


# Life.


@kernel
def create_overlap(system, sensors, area, other, capacity):
    """Create an overlap, due to be measured. Return its index, or -1 if the pool is full."""
    overlaps = overlaps_of(sensors)
    index = sensors.first_free_overlap
    if index >= 0:
        sensors.first_free_overlap = INT64(overlaps[index].next[0])
    elif sensors.overlap_count < sensors.overlap_capacity:
        index = sensors.overlap_count
        if 2 * index >= sensors.table_capacity:
            sensors.table_capacity = grow_table(
                sensors.table, sensors.table_capacity, sensors.overlaps, OVERLAP_SIZE, sensors.overlap_count
            )
        sensors.overlap_count += 1
    else:
        leave_out(system, AREA_OVERLAPS, 1)
        return INT64(-1)
    overlap = overlaps[index]
    overlap.area, overlap.other = INT32(area), INT32(other)
    overlap.flags = 0
    overlap.first = -1
    for side in range(2):
        body = area if side == 0 else other
        _set_first(sensors, body, capacity, link(overlaps, index, side, first_overlap(sensors, body, capacity)))
    insert_row(sensors.table, sensors.table_capacity, index, area, other)
    mark_due(sensors, index)
    return index


@kernel
def free_overlap(sensors, index, capacity):
    """Free an overlap with its rows of SHAPE_OVERLAP, and remove it from all lists."""
    overlaps, parts = overlaps_of(sensors), shape_overlaps_of(sensors)
    overlap = overlaps[index]
    area, other = INT64(overlap.area), INT64(overlap.other)
    remove_row(sensors.table, sensors.table_capacity, sensors.overlaps, OVERLAP_SIZE, index, area, other)
    for side in range(2):
        body = area if side == 0 else other
        _set_first(sensors, body, capacity, unlink(overlaps, index, side, first_overlap(sensors, body, capacity)))
    part = INT64(overlap.first)
    while part >= 0:
        following = INT64(parts[part].next)
        give_back_shape_overlap(sensors, part)
        part = following
    if overlap.flags & IS_TO_REPORT:
        sensors.to_report_count = _strike(sensors.to_report, sensors.to_report_count, index)
    if overlap.flags & IS_DUE:
        sensors.due_count = _strike(sensors.due, sensors.due_count, index)
    overlap.area = -1
    overlap.flags = 0
    overlap.next[0] = INT32(sensors.first_free_overlap)
    sensors.first_free_overlap = index


@kernel
def _strike(list_address, count, index):
    """Remove an overlap from the list of those that are due, or that have something to report. Return the new length. Between
    steps both lists are empty, except for overlaps that found no room."""
    waiting = view(list_address, count, INT32)
    for k in range(count):
        if waiting[k] == index:
            waiting[k] = waiting[count - 1]
            return count - 1
    return count


@kernel
def mark_due(sensors, index):
    """Put an overlap on the list to be measured next."""
    overlap = overlaps_of(sensors)[index]
    if overlap.flags & IS_DUE:
        return
    overlap.flags |= IS_DUE
    view(sensors.due, sensors.overlap_capacity, INT32)[sensors.due_count] = INT32(index)
    sensors.due_count += 1


@kernel
def mark_all_due(system, index):
    """Put all overlaps of a body or area that moved or changed on the list to be measured."""
    sensors = sensors_of(system)[0]
    if sensors.area_count == 0:
        return
    overlaps = overlaps_of(sensors)
    key = first_overlap(sensors, index, world_at(system.world).body_capacity)
    while key >= 0:
        mark_due(sensors, key >> 1)
        key = INT64(overlaps[key >> 1].next[key & 1])


@kernel
def mark_active_due(system):
    """Put the overlaps of all bodies that took part in the step on the list to be measured."""
    world = world_at(system.world)
    active = view(system.bodies.active, world.body_capacity, INT32)
    for slot in range(system.bodies.active_count):
        mark_all_due(system, INT64(active[slot]))


@kernel
def take_shape_overlap(system, sensors):
    """Index of a fresh row of SHAPE_OVERLAP, or -1 if the pool is full. Any thread: see `take_row`."""
    address = address_of_record(sensors)
    index = take_row(
        address + FIRST_FREE, address + COUNT, sensors.shape_overlap_capacity, sensors.shape_overlaps + NEXT_SHAPE_OVERLAP,
        SHAPE_OVERLAP_SIZE,
    )  # fmt: skip
    if index < 0:
        leave_out(system, AREA_OVERLAPS, 1)
    return index


@kernel
def give_back_shape_overlap(sensors, index):
    """Free a row that is in no list."""
    part = shape_overlaps_of(sensors)[index]
    part.flags = 0
    part.next = INT32(sensors.first_free_shape_overlap)
    sensors.first_free_shape_overlap = index


@kernel
def rows_of(system):
    """(rows of BODY, rows of AREA)."""
    world = world_at(system.world)
    return view(world.bodies, world.body_capacity, BODY), areas_of(world)
