"""Changes of areas between steps: leaving, monitoring, effects. Kernels for edits.

To be called by the thread that holds the gate of the area's system (edit/commands.py), or by the one thread that owns an area in
no system.
"""

import numpy as np

from ..bodies.motion import bodies_of, mark_changed, system_of, wake
from ..bodies.records import system_at, world_at
from ..bodies.schema import FILTER_CHANGED, IN_AREAS, IS_AREA, RIGID
from ..runtime.kernel import entry_point, kernel
from .events import add_event, drop_events, forget_reported
from .overlaps import (
    areas_of, first_overlap, free_overlap, has_overrides, monitors, overlaps_of, rows_of, sensors_of, shape_overlaps_of,
)  # fmt: skip
from .schema import IS_INSIDE, IS_MONITORABLE, IS_REPORTED, MONITORS_AREAS, MONITORS_BODIES, REMOVED
from .sensing import renew_in_areas, surroundings_changed

INT64 = np.int64


@kernel
def area_enters(world_address, system, index):
    """Initialise an area that was put into a system."""
    if bodies_of(world_address)[index].flags & IS_AREA:
        sensors_of(system)[0].area_count += 1


@kernel
def report_end(system, sensors, areas, bodies, overlap):
    """Report to an area that an overlap ended."""
    if not monitors(areas[overlap.area], bodies[overlap.other]):
        return
    parts = shape_overlaps_of(sensors)
    part = INT64(overlap.first)
    while part >= 0:
        if parts[part].flags & IS_REPORTED:
            add_event(system, sensors, bodies, overlap, parts[part], REMOVED)
        part = INT64(parts[part].next)


@kernel
def forget_overlaps(system, index):
    """End the overlaps of a body or area that leaves its system: areas that saw it get events, and bodies it acted on lose its
    effects. A leaving area itself gets no events."""
    sensors = sensors_of(system)[0]
    world = world_at(system.world)
    bodies, areas = rows_of(system)
    capacity = world.body_capacity
    overlaps = overlaps_of(sensors)
    key = first_overlap(sensors, index, capacity)
    while key >= 0:
        overlap = overlaps[key >> 1]
        other, acted = INT64(overlap.other), overlap.flags & IS_INSIDE != 0 and has_overrides(areas[overlap.area])
        if key & 1:
            report_end(system, sensors, areas, bodies, overlap)
        free_overlap(sensors, key >> 1, capacity)
        if acted and other != index:
            surroundings_changed(system.world, sensors, bodies, areas, other, capacity)
        key = first_overlap(sensors, index, capacity)
    bodies[index].flags &= ~IN_AREAS
    if bodies[index].flags & IS_AREA:
        drop_events(sensors, bodies[index].id, True, True)
        sensors.area_count -= 1


@kernel
def forget_reports(system, index, kind):
    """Forget the overlaps with bodies or areas that were reported to an area: all will be reported anew."""
    sensors = sensors_of(system)[0]
    world = world_at(system.world)
    bodies, areas = rows_of(system)
    overlaps, parts = overlaps_of(sensors), shape_overlaps_of(sensors)
    drop_events(sensors, bodies[index].id, kind == MONITORS_BODIES, kind == MONITORS_AREAS)
    key = first_overlap(sensors, index, world.body_capacity)
    while key >= 0:
        overlap = overlaps[key >> 1]
        is_area = bodies[overlap.other].flags & IS_AREA != 0
        if key & 1 == 0 and is_area == (kind == MONITORS_AREAS):
            part = INT64(overlap.first)
            while part >= 0:
                parts[part].flags &= ~IS_REPORTED
                part = INT64(parts[part].next)
        key = INT64(overlap.next[key & 1])


@kernel
def set_monitoring(world_address, index, kind, is_on):
    """Switch MONITORS_BODIES or MONITORS_AREAS of an area on or off. Existing overlaps are reported again."""
    body = bodies_of(world_address)[index]
    area = areas_of(world_at(world_address))[index]
    if body.system >= 0:
        forget_reports(system_of(world_address, body.system)[0], index, kind)
    if is_on:
        area.flags |= np.uint32(kind)
    else:
        area.flags &= ~np.uint32(kind)
    mark_changed(world_address, index, FILTER_CHANGED)


@kernel
def set_monitorable(world_address, index, is_on):
    """Set whether other areas see an area."""
    area = areas_of(world_at(world_address))[index]
    if is_on:
        area.flags |= np.uint32(IS_MONITORABLE)
    else:
        area.flags &= ~np.uint32(IS_MONITORABLE)
    mark_changed(world_address, index, FILTER_CHANGED)


@kernel
def effects_changed(world_address, index):
    """Note that an area's effects changed: bodies in it are affected from the next step on."""
    body = bodies_of(world_address)[index]
    if body.system < 0:
        return
    system = system_of(world_address, body.system)[0]
    record = world_at(system.world)
    bodies, areas = rows_of(system)
    sensors = sensors_of(system)[0]
    overlaps = overlaps_of(sensors)
    key = first_overlap(sensors, index, record.body_capacity)
    while key >= 0:
        overlap = overlaps[key >> 1]
        if key & 1 == 0 and overlap.flags & IS_INSIDE:
            surroundings_changed(world_address, sensors, bodies, areas, INT64(overlap.other), record.body_capacity)
        key = INT64(overlap.next[key & 1])
    mark_changed(world_address, index, FILTER_CHANGED)


@entry_point("void(int64)")
def forget_events(system_address):
    """Drop the events of the system's areas from the last step, which were read."""
    forget_reported(sensors_of(system_at(system_address))[0])


@entry_point("void(int64)")
def space_changed(system_address):
    """Note that gravity or damping of a space itself changed: its bodies are affected from the next step on."""
    system = system_at(system_address)
    world = world_at(system.world)
    bodies, areas = rows_of(system)
    sensors = sensors_of(system)[0]
    for index in range(world.body_count):
        body = bodies[index]
        if body.id != 0 and body.system == system.index and body.mode >= RIGID:
            renew_in_areas(sensors, bodies, areas, INT64(index), world.body_capacity)
            wake(system.world, INT64(index))
