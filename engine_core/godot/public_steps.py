"""Steps of a space for scripts: what is called before and after each step, and which bodies woke or fell asleep in the last one.

Callables are called by compiled code (sync.py), with nothing locked: before the step, and in the flush after it. Nothing of a
script runs within a step, where it would wait for the interpreter and its changes would come too late.
"""

import ctypes
from ctypes import c_int64

import numpy as np

from ..runtime.distinct import distinct
from ..runtime.memory import Pool, view_rows
from .class_help import Page
from .locked_calls import answered_call, late_call
from .public_class import PublicClass
from .schema import BOOL, CALLABLE, PACKED_INT64_ARRAY, RID, STEP_CALLBACKS
from .typed_values import object_of
from .variant import KeptVariant

_PAGE = Page(
    "ScreeSleepEvents", "RefCounted", "The bodies that woke or fell asleep in a step.",
    "The answer of [method Scree.sleep_events]. Ids are for [method @GlobalScope.rid_from_int64], in ascending order. A body "
    "that woke and fell asleep in the same step is in both arrays; one that moves when it enters the space counts as woken.",
)  # fmt: skip


class SleepEvents:
    """The data of a ScreeSleepEvents: ids of bodies."""

    def __init__(self, woke: np.ndarray, slept: np.ndarray):
        self.woke, self.slept = woke, slept


def _places_of(call: str, server, space: int) -> tuple[np.ndarray, int]:
    """The SPACE_BINDING of a space and its number. Raises KeyError."""
    number = server.world.system_index(call, space)
    return server.space_bindings[number], number


def set_listener(server, space: int, before: KeptVariant, after: KeptVariant) -> None:
    """Set what is called before and after each step of a space. Raises KeyError, ValueError."""
    try:
        _, number = _places_of("space_set_step_listener", server, space)
        for name, given in zip(STEP_CALLBACKS, (before, after), strict=True):
            place = server.space_binding_field(number, name)
            server.give_up_variant_later(place)  # it may be the one that runs
            if _is_callable(server, given):
                server.variants.copy(place, given.address)
    finally:
        before.release()
        after.release()


def _is_callable(server, given: KeptVariant) -> bool:
    memory = (c_int64 * 2)()
    at = ctypes.addressof(memory)
    server.variants.to_type(CALLABLE, at, given.address)
    try:
        return server.is_callable(at)
    finally:
        server.variants.destroy_value(CALLABLE, at)


def set_sleep_events(server, space: int, is_enabled: bool) -> None:
    """Begin or stop to keep which bodies wake and fall asleep. Raises KeyError."""
    row, _ = _places_of("space_set_sleep_events", server, space)
    system = server.world.system(space).row["bodies"]
    if is_enabled and space not in server.space_sleep:
        server.space_sleep[space] = Pool("ids of bodies that woke or slept", "i8", 2 * int(server.world.record["body_capacity"]))
    row["sleep_ids"] = server.space_sleep[space].address if is_enabled else 0
    row["woke_count"] = row["slept_count"] = 0
    system["listens_to_waking"], system["woke_count"] = is_enabled, 0


def sleep_events(server, space: int) -> SleepEvents:
    """The bodies that woke or fell asleep in the last step of a space. Raises KeyError, and ValueError where nothing is kept."""
    row, _ = _places_of("sleep_events", server, space)
    if not row["sleep_ids"]:
        raise ValueError("sleep_events: nothing is kept for this space: call space_set_sleep_events(space, true) before")
    capacity = int(server.world.record["body_capacity"])
    ids = view_rows(int(row["sleep_ids"]), 2 * capacity, np.int64)
    woke, slept = ids[: row["woke_count"]], ids[capacity : capacity + row["slept_count"]]
    return SleepEvents(distinct(woke[woke != 0]), distinct(slept[slept != 0]))


def add_step_classes(scree: PublicClass, engine, objects) -> list[PublicClass]:
    """Add step listeners and sleep events to the class `Scree`. Return the class of the answer."""
    nothing = np.zeros(0, np.int64)
    events = PublicClass(engine, objects, _PAGE, make=lambda: SleepEvents(nothing, nothing))
    events.property("woke", PACKED_INT64_ARRAY, lambda behind: behind.woke, text="Ids of the bodies that woke.")
    events.property("slept", PACKED_INT64_ARRAY, lambda behind: behind.slept, text="Ids of the bodies that fell asleep.")
    scree.method(
        "space_set_step_listener", late_call(engine, "space_set_step_listener", set_listener),
        {"space": RID, "before": CALLABLE, "after": CALLABLE},
        text="Sets what is called with each step of a space, with the length of the step in seconds. [param before] is called "
        "after all nodes' [code]_physics_process[/code], right before the step, and what it changes acts in this step. "
        "[param after] is called when the nodes have followed the step and [signal contacts_changed] has come. Both are on "
        "the main thread (in [code]space_step[/code]: on its caller's). An empty [Callable] stands for none.",
    )  # fmt: skip
    scree.method(
        "space_set_sleep_events", late_call(engine, "space_set_sleep_events", set_sleep_events), {"space": RID, "enabled": BOOL},
        text="Sets whether a space keeps which bodies woke and fell asleep in its last step, for [method sleep_events].",
    )  # fmt: skip
    scree.method(
        "sleep_events", answered_call(engine, "sleep_events", lambda *given: events.make_object(sleep_events(*given))),
        {"space": RID}, object_of("ScreeSleepEvents"),
        text="Returns the bodies that woke or fell asleep in the last step of a space, after [method space_set_sleep_events]. "
        "Any thread may call it; it waits for a running step.",
    )  # fmt: skip
    return [events]
