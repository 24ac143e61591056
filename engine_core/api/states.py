"""Saving a space and putting it back: for rollback, for replays, and for programs that try things out."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..state.spaces import SpaceStates, State
from ..state.traces import TraceWriter
from .arrays import errors_of_call

if TYPE_CHECKING:
    from .world import World


class SpaceState:
    """A space as it was at one moment: the result of `Space.save`. No quantities. It is never changed, and may be restored any
    number of times."""

    __slots__ = ("_state",)

    def __init__(self, state: State) -> None:
        self._state = state

    @property
    def step_count(self) -> int:
        """The number of steps that the space had made."""
        return self._state.step_count

    def to_bytes(self) -> bytes:
        """The state as bytes, with a version and a checksum, for a file or for another machine that has built the same scene."""
        return self._state.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> "SpaceState":
        """The state in the bytes of `to_bytes`. Any thread may call. Raises ValueError for bytes that are damaged, are none,
        or were saved by another version."""
        return cls(State.from_bytes(data))

    def __repr__(self) -> str:
        return f"<state after {self.step_count} steps>"


class SpaceSaving:
    """The part of a `Space` that saves it and puts it back. No quantities. The thread that steps the space calls, between
    steps."""

    __slots__ = ("_states",)
    _id: int
    _world: "World"
    _states: SpaceStates | None
    _check_not_stepping: Callable[[str], None]

    def _saving(self, call: str) -> SpaceStates:
        self._check_not_stepping(call)
        self._world.core.system_index(call, self._id)
        if self._states is None:
            self._states = SpaceStates(self._world.core, self._id)
        return self._states

    @property
    def step_count(self) -> int:
        """The number of steps that the space has made; a restore puts it back too."""
        self._world.core.system_index("step_count", self._id)
        return int(self._world.core.system(self._id).row["step"]["count"])

    def hash(self) -> int:
        """A number of 64 bits that is the same for spaces that are the same, bit for bit, in all that decides how they move on:
        poses, velocities, rest, impulses. Raises KeyError."""
        with errors_of_call("hash"):
            return self._saving("hash").hash()

    def save(self) -> SpaceState:
        """Save the space as it is. A state holds what moves and what can be set, not what is made and freed. Raises KeyError, and
        RuntimeError where the space has something that a state does not hold: step listeners of your own, or batches of tiles."""
        with errors_of_call("save"):
            return SpaceState(self._saving("save").save())

    def restore(self, state: SpaceState) -> None:
        """Put the space back to a state: every later step gives the same bits as before. Its bodies, shapes, joints and areas
        must be those of the state. Queries on other threads that begin meanwhile wait for its end. Raises TypeError, KeyError,
        RuntimeError for a state of another space, or if something was made or freed since, and TimeoutError if a query of another
        thread does not end; then nothing was changed."""
        if not isinstance(state, SpaceState):
            raise TypeError(f"restore: a SpaceState is wanted, got {state!r}")
        with errors_of_call("restore"):
            self._saving("restore").restore(state._state)


class History:
    """The last states of a space, for going back some ticks: at most `ticks` of them, in memory that is used again. No
    quantities. The thread that steps the space calls, between steps. Raises ValueError.

        history = scree.History(space, 20)
        for _ in range(100):
            history.keep()
            space.step(1 / 60)
        history.restore(90)"""

    __slots__ = ("_space", "_most", "_kept")

    def __init__(self, space: SpaceSaving, ticks: int) -> None:
        if not isinstance(ticks, int) or ticks < 1:
            raise ValueError(f"History: ticks must be a whole number from 1 on, got {ticks!r}")
        self._space, self._most = space, ticks
        self._kept: dict[int, State] = {}

    @property
    def steps(self) -> list[int]:
        """The values of `Space.step_count` of the states that are kept, ascending."""
        return sorted(self._kept)

    def keep(self) -> None:
        """Save the space. States of the same or a later step are forgotten: after a restore the space takes another way. Raises
        KeyError, RuntimeError as `Space.save` does."""
        now = self._space.step_count
        spare = [self._kept.pop(step) for step in self.steps if step >= now]
        while len(self._kept) >= self._most:
            spare.append(self._kept.pop(min(self._kept)))
        with errors_of_call("keep"):
            self._kept[now] = self._space._saving("keep").save(spare[-1] if spare else None)

    def restore(self, step_count: int) -> None:
        """Put the space back to where it had made so many steps. Raises KeyError if that state is not kept, RuntimeError and
        TimeoutError as `Space.restore` does."""
        if step_count not in self._kept:
            raise KeyError(f"restore: the state after {step_count} steps is not kept, only {self.steps}")
        with errors_of_call("restore"):
            self._space._saving("restore").restore(self._kept[step_count])


class Trace:
    """A file with the hashes of all bodies of a space after each step, to find out where two runs part: `scree diverge A B`. No
    quantities. The thread that steps the space calls, between steps. Raises OSError.

        with scree.Trace(space, "run.trace") as trace:
            for _ in range(100):
                space.step(1 / 60)
                trace.note()"""

    __slots__ = ("_writer",)

    def __init__(self, space: SpaceSaving, path: Path | str) -> None:
        self._writer = TraceWriter(space._world.core, space._id, path)

    def note(self) -> None:
        """Write the hashes of the space as it is. Raises KeyError, OSError."""
        with errors_of_call("note"):
            self._writer.note()

    def close(self) -> None:
        """Finish the file; the end of a `with` block does it too."""
        self._writer.close()

    def __enter__(self) -> "Trace":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()
