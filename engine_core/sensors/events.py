"""Area events: one for each pair of shapes that began or ceased to overlap.

Events wait until they are read. For each pair of shapes only the last change since the last reading is reported, and nothing if
it equals the state known before: a body that leaves a space and returns between two readings makes no event. They are sorted by
area, then by what each area sees, beginnings before ends (so that a body whose shapes alternate never seems to be gone), then by
shapes.
"""

import numpy as np

from ..bodies.limits import leave_out
from ..bodies.records import world_at
from ..bodies.schema import IS_AREA
from ..bodies.system_schema import AREA_OVERLAPS
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .overlaps import overlaps_of, rows_of, sensors_of, shape_overlaps_of
from .schema import ADDED, AREA_EVENT, IS_REPORTED, IS_TO_REPORT, OVERLAPS, REMOVED
from .sensing import drop_silent_rows, free_if_apart

INT32, INT64 = np.int32, np.int64


@kernel
def events_of(sensors):
    return view(sensors.events, sensors.event_capacity, AREA_EVENT)


@kernel
def add_event(system, sensors, bodies, overlap, part, status):
    """Append an event about one row of an overlap. Return whether there was room."""
    if sensors.event_count >= sensors.event_capacity:
        leave_out(system, AREA_OVERLAPS, 1)
        return False
    event = events_of(sensors)[sensors.event_count]
    sensors.event_count += 1
    other = bodies[overlap.other]
    event.status = INT32(status)
    event.is_area = INT32(1) if other.flags & IS_AREA else INT32(0)
    event.own_shape, event.other_shape = part.own_shape, part.other_shape
    event.area, event.other = overlap.area, overlap.other
    event.area_id = bodies[overlap.area].id
    event.other_id, event.other_user_id = other.id, other.user_id
    return True


@kernel
def report_overlap(system, sensors, bodies, overlap):
    """Append the changes of one overlap as events. Return whether there was room for all."""
    parts = shape_overlaps_of(sensors)
    at = INT64(overlap.first)
    while at >= 0:
        part = parts[at]
        is_overlapping, is_reported = part.flags & OVERLAPS != 0, part.flags & IS_REPORTED != 0
        if is_overlapping != is_reported:
            if not add_event(system, sensors, bodies, overlap, part, ADDED if is_overlapping else REMOVED):
                return False
            part.flags ^= IS_REPORTED
        at = INT64(part.next)
    return True


@kernel
def report_overlaps(system):
    """Convert the changes of this step to events, and sort all waiting events."""
    sensors = sensors_of(system)[0]
    world = world_at(system.world)
    bodies, areas = rows_of(system)
    overlaps = overlaps_of(sensors)
    waiting = view(sensors.to_report, sensors.overlap_capacity, INT32)
    kept = 0
    for k in range(sensors.to_report_count):
        index = INT64(waiting[k])
        if not report_overlap(system, sensors, bodies, overlaps[index]):
            waiting[kept] = INT32(index)
            kept += 1
            continue
        overlaps[index].flags &= ~IS_TO_REPORT
        drop_silent_rows(sensors, overlaps[index])
        free_if_apart(sensors, bodies, areas, index, world.body_capacity)
    sensors.to_report_count = kept
    order_events(sensors)


# Order.


@kernel
def is_same_pair(a, b):
    """Whether two events are about the same area and the same other."""
    return a.area_id == b.area_id and a.other_id == b.other_id


@kernel
def comes_before(events, i, j):
    """Whether event i comes before event j: by area, other, shapes, and time, that is their index."""
    a, b = events[i], events[j]
    if a.area != b.area:
        return a.area < b.area
    if a.area_id != b.area_id:
        return a.area_id < b.area_id
    if a.other != b.other:
        return a.other < b.other
    if a.other_id != b.other_id:
        return a.other_id < b.other_id
    if a.other_shape != b.other_shape:
        return a.other_shape < b.other_shape
    if a.own_shape != b.own_shape:
        return a.own_shape < b.own_shape
    return i < j


@kernel
def _sift(events, order, root, end):
    while True:
        child = 2 * root + 1
        if child >= end:
            return
        if child + 1 < end and comes_before(events, order[child], order[child + 1]):
            child += 1
        if not comes_before(events, order[root], order[child]):
            return
        order[root], order[child] = order[child], order[root]
        root = child


@kernel
def sort_events(events, order, count):
    """Heap sort of the indices of events."""
    for k in range(count):
        order[k] = INT32(k)
    for start in range(count // 2 - 1, -1, -1):
        _sift(events, order, start, count)
    for end in range(count - 1, 0, -1):
        order[0], order[end] = order[end], order[0]
        _sift(events, order, 0, end)


@kernel
def report_run(events, order, begin, end, status, target, count):
    """Copy the events of one status from a run of sorted events about the same two. For each pair of shapes copy the last one, if
    it differs from the state known before the first. Return the new number of events in `target`."""
    k = begin
    while k < end:
        first, last = events[order[k]], events[order[k]]
        while k < end and events[order[k]].own_shape == first.own_shape and events[order[k]].other_shape == first.other_shape:
            last = events[order[k]]
            k += 1
        if last.status == status and first.status == status:
            target[count] = last
            count += 1
    return count


@kernel
def order_events(sensors):
    """Sort the waiting events, and drop those without a change."""
    count = sensors.event_count
    sensors.reported_count = 0
    if count == 0:
        return
    events = events_of(sensors)
    order = view(sensors.event_order, sensors.event_capacity, INT32)
    target = view(sensors.spare_events, sensors.event_capacity, AREA_EVENT)
    sort_events(events, order, count)
    told, begin = 0, 0
    while begin < count:
        end = begin + 1
        while end < count and is_same_pair(events[order[begin]], events[order[end]]):
            end += 1
        if events[order[begin]].area_id != 0:
            told = report_run(events, order, begin, end, ADDED, target, told)
            told = report_run(events, order, begin, end, REMOVED, target, told)
        begin = end
    sensors.events, sensors.spare_events = sensors.spare_events, sensors.events
    sensors.event_count = sensors.reported_count = told


# Dropping events.


@kernel
def drop_events(sensors, area_id, of_bodies, of_areas):
    """Drop the unread events of an area that is gone or no longer monitors."""
    events = events_of(sensors)
    for k in range(sensors.event_count):
        if events[k].area_id == area_id and (of_areas if events[k].is_area else of_bodies):
            events[k].area_id = 0


@kernel
def forget_reported(sensors):
    """Drop the events of the last step, which were read; overlaps that ended since then wait for the next step."""
    events = events_of(sensors)
    for k in range(sensors.reported_count, sensors.event_count):
        events[k - sensors.reported_count] = events[k]
    sensors.event_count -= sensors.reported_count
    sensors.reported_count = 0
