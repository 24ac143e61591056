"""Contact events for scripts: which bodies report them, the events of the last step as a ScreeContactEvents, and the signal
`contacts_changed` of `Scree`."""

import numpy as np

from ..bodies.identity import index_of
from ..bodies.schema import ALL_CONTACT_EVENTS, CONTACT_CHANGES, NO_CONTACT_EVENTS
from ..collision.contact_schema import CONTACT_ADDED, CONTACT_EVENT, CONTACT_REMOVED
from .class_help import Page
from .frames import frame_of_space
from .locked_calls import answered_call, late_call
from .public_class import PublicClass, Signal
from .schema import (
    INT, PACKED_BYTE_ARRAY, PACKED_FLOAT32_ARRAY, PACKED_INT32_ARRAY, PACKED_INT64_ARRAY, PACKED_VECTOR3_ARRAY, RID,
)  # fmt: skip
from .typed_values import enum_of, object_of

_PAGE = Page(
    "ScreeContactEvents", "RefCounted", "The contacts that began, lasted or ended in a step.",
    "The answer of [method Scree.contact_events], and what [signal Scree.contacts_changed] brings: packed arrays with one "
    "element for each contact, which is between a shape of body A and a shape of body B. Which of two bodies is A means nothing; "
    "[method of_body] finds the contacts of one. Contacts that ended have no position, normal or impulse. Reading a property "
    "makes a new array: keep it in a variable before a loop.",
)  # fmt: skip


class ContactEvents:
    """The data of a ScreeContactEvents: copies of rows of CONTACT_EVENT, instance ids of the two nodes of each, (n, 2), and the
    zero of Godot's coordinates in the world [m]."""

    def __init__(self, rows: np.ndarray, colliders: np.ndarray, frame: np.ndarray):
        self.rows, self.colliders, self.frame = rows, colliders, frame

    def row(self, event: int):
        """The row of an event. Raises ValueError."""
        if not 0 <= event < len(self.rows):
            raise ValueError(f"event must be from 0 to {len(self.rows) - 1}, got {event}")
        return self.rows[event]

    def positions(self) -> np.ndarray:
        """Middles of the points of each contact, (n, 3); zero for those that ended."""
        counts = self.rows["point_count"]
        is_point = (np.arange(self.rows["points"].shape[1]) < counts[:, None])[:, :, None]
        middles = np.where(is_point, self.rows["points"], 0.0).sum(1) / np.maximum(counts, 1)[:, None]
        return np.where(counts[:, None] > 0, middles - self.frame, 0.0)

    def points(self, event: int) -> np.ndarray:
        """The points of one contact, (m, 3). Raises ValueError."""
        row = self.row(event)
        return row["points"][: row["point_count"]] - self.frame

    def of_body(self, body: int) -> np.ndarray:
        """The numbers of the events of a body, ascending."""
        return np.flatnonzero((self.rows["body_a"] == body) | (self.rows["body_b"] == body))


def events_of(server, space: int) -> ContactEvents:
    """Copy the contact events of the last step of a space. The caller holds the server's lock. Raises KeyError."""
    server.space_row(space)
    rows = server.world.contact.events(space).copy()
    ids = np.stack([rows["body_a"], rows["body_b"]], axis=1)
    bodies = server.world.bodies.rows
    places = index_of(ids)
    colliders = np.where(bodies["id"][places] == ids, bodies["user_id"][places], 0)
    return ContactEvents(rows, colliders, frame_of_space(server, space))


_ARRAYS = (
    ("bodies_a", PACKED_INT64_ARRAY, lambda e: e.rows["body_a"],
     "Ids of the bodies A, for [method @GlobalScope.rid_from_int64]. They stay when a body is freed."),
    ("bodies_b", PACKED_INT64_ARRAY, lambda e: e.rows["body_b"], "Ids of the bodies B."),
    ("colliders_a", PACKED_INT64_ARRAY, lambda e: e.colliders[:, 0],
     "Instance ids of the nodes of the bodies A, for [method @GlobalScope.instance_from_id]; 0 for a body without a node, or one "
     "that was freed."),
    ("colliders_b", PACKED_INT64_ARRAY, lambda e: e.colliders[:, 1], "Instance ids of the nodes of the bodies B."),
    ("shapes_a", PACKED_INT32_ARRAY, lambda e: e.rows["shape_a"], "Numbers of the shapes on the bodies A."),
    ("shapes_b", PACKED_INT32_ARRAY, lambda e: e.rows["shape_b"], "Numbers of the shapes on the bodies B."),
    ("began", PACKED_BYTE_ARRAY, lambda e: e.rows["kind"] == CONTACT_ADDED, "1 for each contact that began in the step."),
    ("ended", PACKED_BYTE_ARRAY, lambda e: e.rows["kind"] == CONTACT_REMOVED,
     "1 for each contact that ended in the step, or since the step before. A contact with 0 here and in [member began] "
     "lasts."),
    ("positions", PACKED_VECTOR3_ARRAY, lambda e: e.positions(),
     "Middles of the contacts' points, half-way between the surfaces after the step, in global space [m]."),
    ("normals", PACKED_VECTOR3_ARRAY, lambda e: e.rows["normal"], "Unit normals from A to B."),
    ("impulses", PACKED_FLOAT32_ARRAY, lambda e: e.rows["normal_impulses"].sum(axis=1),
     "Impulses along the normals in the step, of all points together [N s]."),
    ("friction_impulses", PACKED_VECTOR3_ARRAY, lambda e: e.rows["friction_impulse"],
     "Impulses of friction on the bodies B in the step [N s], in global space."),
    ("approach_speeds", PACKED_FLOAT32_ARRAY, lambda e: e.rows["approach_speed"],
     "Speeds at which the surfaces came together before the step [m/s]."),
    ("faces", PACKED_INT32_ARRAY, lambda e: e.rows["face"], "Numbers of the triangles of meshes; -1 for other shapes."),
    ("sensors", PACKED_BYTE_ARRAY, lambda e: e.rows["is_sensor"],
     "1 for each contact of bodies that a rule keeps from pushing each other, see [method Scree.set_contact_rule]."),
)  # fmt: skip


def _add_events_class(engine, objects) -> PublicClass:
    nothing = np.zeros(0, CONTACT_EVENT), np.zeros((0, 2), np.int64), np.zeros(3)
    events = PublicClass(engine, objects, _PAGE, make=lambda: ContactEvents(*nothing))
    number, node = {"event": INT}, object_of("Object", is_counted=False)

    def collider(behind: ContactEvents, event: int, side: int):
        behind.row(event)
        return engine.interface.object_from_id(int(behind.colliders[event, side])) or None

    events.method("size", lambda behind: len(behind.rows), result=INT, text="Returns the number of contacts.")
    for side, letter in enumerate("ab"):
        events.method(f"get_body_{letter}", lambda behind, event, key=f"body_{letter}": int(behind.row(event)[key]), number, RID,
                      text=f"Returns the [RID] of body {letter.upper()} of a contact.")  # fmt: skip
        events.method(f"get_collider_{letter}", lambda behind, event, side=side: collider(behind, event, side), number, node,
                      text=f"Returns the node of body {letter.upper()} of a contact, or [code]null[/code].")  # fmt: skip
    events.method("get_points", lambda behind, event: behind.points(event), number, PACKED_VECTOR3_ARRAY,
                  text="Returns the points of a contact, at most four, in global space [m].")  # fmt: skip
    events.method("of_body", lambda behind, body: behind.of_body(body), {"body": RID}, PACKED_INT32_ARRAY,
                  text="Returns the numbers of the contacts of a body, ascending.")  # fmt: skip
    for name, type_, values, text in _ARRAYS:
        events.property(name, type_, values, text=text)
    return events


def _add_levels(scree: PublicClass, engine) -> None:
    names = {
        "CONTACT_EVENTS_NONE": (NO_CONTACT_EVENTS, "A body reports no contacts."),
        "CONTACT_EVENTS_CHANGES": (CONTACT_CHANGES, "A body reports contacts that began or ended."),
        "CONTACT_EVENTS_ALL": (ALL_CONTACT_EVENTS, "A body also reports contacts that last, in each step in which it is awake."),
    }
    scree.enum("ContactEvents", names)
    mode = enum_of("Scree", "ContactEvents")

    def set_events(server, body: int, level: int) -> None:
        if level not in (value for value, _ in names.values()):
            raise ValueError(f"body_set_contact_events: mode must be one of {', '.join(names)}, got {level}")
        server.world.contact.set_events(body, level)

    scree.method(
        "body_set_contact_events", late_call(engine, "body_set_contact_events", set_events), {"body": RID, "mode": mode},
        text="Sets which contacts of a body are reported after each step, by [method contact_events] and [signal "
        "contacts_changed]. A contact is reported if one of its bodies reports it. It begins once, when the shapes touch, and "
        "ends when they are some 2 cm apart, so a trembling body at rest does not begin again and again.",
    )  # fmt: skip
    scree.method(
        "body_get_contact_events",
        answered_call(engine, "body_get_contact_events", lambda server, body: server.world.contact.events_of(body)),
        {"body": RID}, mode, text="Returns which contacts of a body are reported.",
    )  # fmt: skip


def _add_signal(scree: PublicClass, engine, events: PublicClass) -> None:
    changed: Signal = scree.signal(
        "contacts_changed", {"space": RID, "events": object_of("ScreeContactEvents")},
        text="Comes after a step of a space with contact events, on the main thread, when the nodes have followed the step and "
        "areas have sent their signals. It costs nothing while no body reports events ([method body_set_contact_events]).",
    )  # fmt: skip

    def tell(space: int) -> None:
        if not changed.is_connected(engine.public.object):
            return
        with engine.server.lock:
            found = events_of(engine.server, space)
        changed.emit(engine.public.object, space, events.make_object(found))

    engine.on_contacts = tell


def add_contact_classes(scree: PublicClass, engine, objects) -> list[PublicClass]:
    """Add contact events to the class `Scree`. Return the class of the answer."""
    events = _add_events_class(engine, objects)
    _add_levels(scree, engine)
    scree.method(
        "contact_events", answered_call(engine, "contact_events", lambda *given: events.make_object(events_of(*given))),
        {"space": RID}, object_of("ScreeContactEvents"),
        text="Returns the contact events of the last step of a space, in an order that is the same for any number of threads. "
        "Any thread may call it; it waits for a running step.",
    )  # fmt: skip
    _add_signal(scree, engine, events)
    return [events]
