"""Profiles of a space for scripts and for the editor's profiler: `Scree.profile_start`, `profile_stop`, `profile_take`, and their
answer, a ScreeProfile."""

from typing import TYPE_CHECKING

from .class_help import Page
from .public_class import PublicClass
from .schema import INT, PACKED_FLOAT32_ARRAY, PACKED_FLOAT64_ARRAY, PACKED_INT32_ARRAY, PACKED_STRING_ARRAY, RID
from .typed_values import object_of
from .variant import Packed

if TYPE_CHECKING:  # the step is not loaded in a project that uses another engine
    from ..profiling.step_profile import StepProfile, StepProfiler

_PAGE = Page(
    "ScreeProfile", "RefCounted", "What the steps of a space took, by stage and by thread.",
    "The answer of [method Scree.profile_take]. Arrays of ticks have one element for each step of the space; arrays of events "
    "one for each piece of work that a thread did.",
)  # fmt: skip
MOST_EVENTS_SENT = 200_000
_ARRAYS = (
    ("begins", PACKED_FLOAT64_ARRAY, "When each tick began, since the first of the profile [s]."),
    ("durations", PACKED_FLOAT32_ARRAY, "The time of each tick [microseconds]."),
    ("stage_times", PACKED_FLOAT32_ARRAY, "The time of each stage of each tick, on the thread that stepped [microseconds]: that "
     "of stage s in tick t is at t * stage_names.size() + s."),
    ("active_bodies", PACKED_INT32_ARRAY, "Bodies that were awake in each tick."),
    ("pairs", PACKED_INT32_ARRAY, "Pairs of bodies near each other in each tick."),
    ("contacts", PACKED_INT32_ARRAY, "Contact manifolds in each tick."),
    ("event_ticks", PACKED_INT32_ARRAY, "The tick of each event, ascending."),
    ("event_threads", PACKED_INT32_ARRAY, "The thread of each event; 0 is the one that stepped."),
    ("event_stages", PACKED_INT32_ARRAY, "The stage of each event, by [member stage_names]."),
    ("event_begins", PACKED_FLOAT32_ARRAY, "When each event began, since its tick began [microseconds]."),
    ("event_durations", PACKED_FLOAT32_ARRAY, "The time of each event [microseconds]."),
    ("event_items", PACKED_INT32_ARRAY, "How many bodies, pairs or blocks each event dealt with; 0 for work on one thread."),
)  # fmt: skip


class Profiles:
    """The profilers of the running server, by space. Every call takes the server's lock, so that no step runs."""

    def __init__(self, engine):
        self._engine = engine
        self._profilers: dict[int, StepProfiler] = {}

    def _drop_freed(self, server) -> None:
        """Forget the profilers of spaces that were freed. The caller holds the lock."""
        for space, profiler in list(self._profilers.items()):
            if space not in server.space_areas or server.world.system(space) is not profiler.system:
                del self._profilers[space]
                profiler.stop()

    def start(self, space: int) -> None:
        """Begin to record the steps of a space; no effect if that is done already. Raises KeyError, RuntimeError."""
        from ..profiling.step_profile import StepProfiler

        server = self._engine.running_server("profile_start")
        with server.lock:
            self._drop_freed(server)
            if space not in self._profilers:
                self._profilers[space] = StepProfiler(server.world.system(space))

    def stop(self, space: int) -> None:
        """Stop recording a space; no effect if it is not recorded."""
        server = self._engine.running_server("profile_stop")
        with server.lock:
            self._drop_freed(server)
            if space in self._profilers:
                self._profilers.pop(space).stop()

    def take(self, space: int) -> "StepProfile":
        """Return the steps since the last call. Raises ValueError if the space is not recorded."""
        server = self._engine.running_server("profile_take")
        with server.lock:
            self._drop_freed(server)
            if space not in self._profilers:
                raise ValueError("profile_take: the space is not recorded; call profile_start before")
            return self._profilers[space].take()

    def stop_all(self) -> None:
        """Stop recording all spaces."""
        for space in list(self._profilers):
            self.stop(space)


def _empty_profile() -> "StepProfile":
    from ..profiling.step_profile import empty_profile

    return empty_profile()


def as_dictionary(profile: "StepProfile") -> dict:
    """A profile as the debugger's message: the members of a ScreeProfile, with the names of the stages joined by commas. Of very
    many events only the newest are in it: the debugger refuses messages of more than 8 MiB."""
    ticks = profile.event_ticks
    left_out = len(ticks) - MOST_EVENTS_SENT
    newest = ticks > ticks.max() * left_out / len(ticks) if left_out > 0 else slice(None)
    arrays = {
        name: Packed(getattr(profile, name).ravel()[newest if name.startswith("event_") else slice(None)])
        for name, _, _ in _ARRAYS
    }
    return {"stage_names": ",".join(profile.stage_names), "first": profile.first, "lost": profile.lost,
            "thread_count": profile.thread_count, **arrays}  # fmt: skip


def add_profile_classes(scree: PublicClass, engine, objects, profiles: Profiles) -> list[PublicClass]:
    """Add the calls to the class `Scree`. Return the class of the answer."""
    answer = PublicClass(engine, objects, _PAGE, make=_empty_profile)
    answer.method("size", lambda behind: len(behind.durations), result=INT, text="Returns the number of ticks.")
    answer.property("stage_names", PACKED_STRING_ARRAY, lambda behind: behind.stage_names, text="Names of the stages of a step.")
    for name, text in (
        ("first", "The number of the first tick, counted from the begin of the profile."),
        ("lost", "How many ticks before it were overwritten before they were taken: take profiles more often."),
        ("thread_count", "The number of threads that a step may use."),
    ):
        answer.property(name, INT, lambda behind, name=name: getattr(behind, name), text=text)
    for name, type_, text in _ARRAYS:
        answer.property(name, type_, lambda behind, name=name: getattr(behind, name).ravel(), text=text)
    space = {"space": RID}
    scree.method("profile_start", lambda _, space: profiles.start(space), space,
                 text="Begins to record what the steps of a space take. While it is on, each event costs some 20 nanoseconds; "
                 "while it is off, nothing.")  # fmt: skip
    scree.method("profile_stop", lambda _, space: profiles.stop(space), space, text="Stops recording the steps of a space.")
    scree.method("profile_take", lambda _, space: answer.make_object(profiles.take(space)), space, object_of("ScreeProfile"),
                 text="Returns the ticks since the last call. Ticks of the last ten seconds are kept.")  # fmt: skip
    return [answer]
