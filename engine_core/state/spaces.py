"""Saving one space of a world and putting it back, in the same process or in another one that has built the same scene.

    states = SpaceStates(world, space)
    state = states.save()
    ...                          # any number of steps
    states.restore(state)        # every later step gives the same bits as before
    other.restore(State.from_bytes(state.to_bytes()))

A state holds all that decides how the space moves on, and nothing that is made or freed: the bodies, shapes, joints, areas,
exceptions, vehicles, pulleys, soft bodies and water must be the same when it is restored, else `restore` raises StateError and
changes nothing.
"""

import numpy as np

from ..runtime.memory import address_of
from ..runtime.recorded_calls import check_not_recorded
from . import files
from .checks import check_image
from .hashing import hash_space
from .images import BUSY, NO_ROOM, describe_space, measure_space, restore_space, save_space
from .layout import WrongLayout
from .schema import HEADER, KINDS_OF_PARTS
from .tables import SpaceTable, parts_of

PARTS = (
    "bodies", "shapes on bodies", "shapes", "joints", "pairs of bodies that do not collide", "contact rules and height fields",
)  # fmt: skip
"""Names of the parts of a population, by their numbers in schema.py."""
assert len(PARTS) == KINDS_OF_PARTS


class StateError(RuntimeError):
    """A space cannot be saved, or a state is not of this space as it is now. The message says why; nothing was changed."""


class State:
    """A space as it was at one moment: an image (schema.py). It is not changed by steps, and may be restored any number of
    times."""

    __slots__ = ("image", "header", "is_foreign")

    def __init__(self, image: np.ndarray, is_foreign: bool = False):
        self.image, self.is_foreign = image, is_foreign
        self.header = image[: HEADER.itemsize].view(HEADER)[0]

    @property
    def step_count(self) -> int:
        """The number of steps that the space had made."""
        return int(self.header["step_count"])

    @property
    def byte_count(self) -> int:
        """The size of the state [byte]."""
        return int(self.header["byte_count"])

    def to_bytes(self) -> bytes:
        """The state as bytes, for a file or another machine: with a version and a checksum."""
        return files.to_bytes(self.image)

    @classmethod
    def from_bytes(cls, data: bytes) -> "State":
        """The state in the bytes of `to_bytes`. Raises NoState for bytes that are damaged, or are none, or of another version."""
        return cls(files.from_bytes(data), is_foreign=True)


class SpaceStates:
    """Saving and restoring of one space. For the thread that steps the space, between steps."""

    def __init__(self, world, space: int):
        self._world, self.space = world, space
        self._system = world.system(space)
        self._table = SpaceTable(world, self._system)
        self._header = np.zeros(1, HEADER)

    def hash(self) -> int:
        """The hash of the space: 64 bits, signed. Equal spaces have equal hashes; see hashing.py."""
        self._check_there("hash")
        return hash_space(self._system.address)

    def save(self, into: State | None = None) -> State:
        """Save the space. `into`: a state that is not needed any more, whose memory is used again. Raises KeyError,
        StateError."""
        self._settle("save")
        table = self._renewed_table()
        room = into.image if into is not None else np.zeros(0, np.uint8)
        while True:
            need = measure_space(table.address)
            if need > len(room):
                room = np.empty(need + need // 8, np.uint8)
            if save_space(table.address, address_of(room), len(room)) != NO_ROOM:
                return State(room)

    def restore(self, state: State) -> None:
        """Put the space back to a state. Raises KeyError, TypeError, StateError, NotRecorded, TimeoutError; then nothing was
        changed."""
        if not isinstance(state, State):
            raise TypeError(f"restore: a State is wanted, got {state!r}")
        check_not_recorded(self._world.recorder, "restore", "restored states")
        self._settle("restore")
        table = self._renewed_table()
        self._check_population(state, table)
        if state.is_foreign:
            self._check_foreign(state, table)
        if restore_space(table.address, address_of(state.image)) == BUSY:
            raise TimeoutError("restore: a query stays in the space: end it, and restore again")

    def _renewed_table(self) -> SpaceTable:
        if self._table.parts != parts_of(self._system):
            self._table = SpaceTable(self._world, self._system)
        self._table.renew_counts()
        return self._table

    def _check_there(self, call: str) -> None:
        self._world.system_index(call, self.space)
        if self._world.late.holds(int(self._system.row["index"])):
            raise RuntimeError(f"{call}: this thread is in the middle of an edit of the same space")

    def _settle(self, call: str) -> None:
        """Do what waits for the next step, and refuse what a state does not hold."""
        self._check_there(call)
        self._world.body.settle_shapes()
        self._world.late.settle()
        unknown = len(self._system.listeners) - sum(len(part.listeners) for part in self._system.kept)
        if unknown:
            raise StateError(f"{call}: the space has {unknown} step listeners, whose own state is not known: remove them before")
        if self._system.batches:
            raise StateError(f"{call}: the space has {len(self._system.batches)} batches of bodies (tiles), which no state holds")

    def _check_population(self, state: State, table: SpaceTable) -> None:
        """Raises StateError if the space is made of other things than it was."""
        describe_space(table.address, address_of(self._header))
        now, then = self._header[0], state.header
        if now["body_count"] != then["body_count"]:
            raise StateError(
                f"restore: the space has {now['body_count']} bodies and areas, the state has {then['body_count']}: a restore "
                "makes and frees none"
            )
        for number, part in enumerate(PARTS):
            if now["population"][number] != then["population"][number]:
                raise StateError(f"restore: the {part} of the space are not those of the state: they were changed, made or freed")
        if now["listener_count"] != then["listener_count"] or now["region_count"] != then["region_count"]:
            raise StateError("restore: the vehicles, pulleys, soft bodies or water of the space are not those of the state")

    def _check_foreign(self, state: State, table: SpaceTable) -> None:
        """Check a state from outside once, for this space. Raises StateError."""
        try:
            check_image(state.image, table, self._world, self._system)
        except WrongLayout as error:
            raise StateError(f"restore: the state is of no space like this one: {error}") from None
