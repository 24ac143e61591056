"""Reporting of contacts: which pairs report, which of their contacts users know of, and the list of events.

An event list is valid from the end of one step to the beginning of the next. Contacts that end between two steps, because a body
was removed, are written behind it and come first in the list of the next step. Serial: called between parallel jobs, or between
steps by the thread that holds the gate of the system.
"""

import numpy as np

from ..bodies.limits import leave_out
from ..bodies.system_schema import CONTACT_EVENTS
from ..runtime.kernel import kernel
from ..runtime.memory import view
from ..shapes.schema import FIRST_BRICK, NO_PART
from .contact_schema import CONTACT_EVENT, CONTACT_REMOVED, REPORTED_CONTACT
from .pairs import lists_of, pairs_of, part_of
from .schema import PAIR_REPORTS

INT32, INT64 = np.int32, np.int64


@kernel
def reported_of(system):
    return view(system.reports.contacts, system.manifolds.capacity, REPORTED_CONTACT)


@kernel
def begin_reporting(system, index):
    """Add a pair that reports contacts to the list of those, once."""
    lists = lists_of(system)[index]
    if not pairs_of(system)[index].flags & PAIR_REPORTS or lists.reporting_index >= 0:
        return
    view(system.reports.pairs, system.pairs.capacity, INT32)[system.reports.pair_count] = index
    lists.reporting_index = INT32(system.reports.pair_count)
    system.reports.pair_count += 1


@kernel
def leave_reporting(system, index):
    """Remove a pair from the list; the last one takes its place."""
    all_lists = lists_of(system)
    lists = all_lists[index]
    if lists.reporting_index < 0:
        return
    reporting = view(system.reports.pairs, system.pairs.capacity, INT32)
    last = reporting[system.reports.pair_count - 1]
    reporting[lists.reporting_index] = last
    all_lists[last].reporting_index = lists.reporting_index
    system.reports.pair_count -= 1
    lists.reporting_index = -1


@kernel
def reported_part(part):
    """The part number reported to users for one of `pairs.part_of`: that of a brick counts from 1, as the structure does."""
    if part >= FIRST_BRICK:
        return INT32(part - FIRST_BRICK)
    return INT32(-1 if part == NO_PART else part)


@kernel
def add_event(system, kind, reported):
    """Add a row for a new event about two shapes. Return its index, or -1 if the list is full."""
    number = system.reports.event_count
    if number >= system.reports.event_capacity:
        leave_out(system, CONTACT_EVENTS, 1)
        return INT64(-1)
    system.reports.event_count = number + 1
    event = view(system.reports.events, system.reports.event_capacity, CONTACT_EVENT)[number]
    event.kind, event.point_count = kind, 0
    event.body_a, event.body_b = reported.body_a, reported.body_b
    event.shape_a, event.shape_b = reported.shape_a, reported.shape_b
    event.part_a, event.part_b = reported_part(reported.part_a), reported_part(reported.part_b)
    event.face, event.is_sensor = -1, 0
    event.approach_speed, event.friction, event.restitution, event.twist_impulse = 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        event.normal[k], event.friction_impulse[k] = 0.0, 0.0
    for p in range(4):
        event.depths[p], event.normal_impulses[p] = 0.0, 0.0
        for k in range(3):
            event.points[p, k] = 0.0
    return number


@kernel
def is_of(system, reported, manifold):
    """Whether a row is for a manifold's two shapes."""
    return (
        reported.shape_a == manifold.instance_a and reported.shape_b == manifold.instance_b
        and reported.part_a == part_of(system, manifold, 0) and reported.part_b == part_of(system, manifold, 1)
    )  # fmt: skip


@kernel
def find_reported(system, lists, manifold):
    """Row of a manifold's two shapes if users know of their contact, or -1."""
    rows = reported_of(system)
    row = INT64(lists.first_reported)
    while row >= 0 and not is_of(system, rows[row], manifold):
        row = INT64(rows[row].next)
    return row


@kernel
def take_reported(system, lists, bodies, pair, manifold):
    """Take a row for a manifold's two shapes, which begin to touch. Return it, or -1 if there is none."""
    rows = reported_of(system)
    row = INT64(system.reports.first_free_contact) - 1
    if row >= 0:
        system.reports.first_free_contact = rows[row].next + 1
    elif system.reports.contact_count < system.manifolds.capacity:
        row = system.reports.contact_count
        system.reports.contact_count += 1
    else:
        leave_out(system, CONTACT_EVENTS, 1)
        return INT64(-1)
    reported = rows[row]
    reported.shape_a, reported.shape_b = manifold.instance_a, manifold.instance_b
    reported.part_a, reported.part_b = INT32(part_of(system, manifold, 0)), INT32(part_of(system, manifold, 1))
    reported.body_a, reported.body_b = bodies[pair.body_a].id, bodies[pair.body_b].id
    reported.since = system.step.count
    reported.next = lists.first_reported
    lists.first_reported = INT32(row)
    return row


@kernel
def free_reported(system, row):
    """Free a row that is in no list. The free list begins at `first_free_contact - 1`: 0 is empty."""
    reported_of(system)[row].next = INT32(system.reports.first_free_contact - 1)
    system.reports.first_free_contact = row + 1


@kernel
def forget_unseen(system, lists, seen_since, is_reported):
    """Drop a pair's rows that were not seen since a step, with an event if `is_reported`."""
    rows = reported_of(system)
    before, row = INT64(-1), INT64(lists.first_reported)
    while row >= 0:
        following = INT64(rows[row].next)
        if rows[row].seen < seen_since:
            if is_reported:
                add_event(system, CONTACT_REMOVED, rows[row])
            if before >= 0:
                rows[before].next = INT32(following)
            else:
                lists.first_reported = INT32(following)
            free_reported(system, row)
        else:
            before = row
        row = following


@kernel
def end_reporting(system, index):
    """End the contacts of a pair that is being freed, with events."""
    lists = lists_of(system)[index]
    if lists.reporting_index >= 0:
        forget_unseen(system, lists, system.step.count + 1, True)
        leave_reporting(system, index)


@kernel
def stop_reporting(system, index):
    """Stop reporting a pair that no body wants reported any more, without events."""
    lists = lists_of(system)[index]
    forget_unseen(system, lists, system.step.count + 1, False)
    leave_reporting(system, index)


@kernel
def renew_event_list(system):
    """Begin a step: drop the events already read, keep those added since. Collision steps of one update share a list."""
    if system.step.steps_done > 0:
        return
    kept = system.reports.event_count - system.reports.readable_event_count
    events = view(system.reports.events, system.reports.event_capacity, CONTACT_EVENT)
    for k in range(kept):
        events[k] = events[system.reports.readable_event_count + k]
    system.reports.event_count, system.reports.readable_event_count = kept, 0
