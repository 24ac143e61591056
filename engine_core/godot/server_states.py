"""Stepping, saving and restoring a space from a game, with `PhysicsServer3D.call(name, ...)`:

    space_step(space, seconds) -> bool: step a space that is not active (`space_set_active(space, false)`)
    space_flush(space) -> bool: have the nodes of its bodies and areas follow the last step
    space_save(space) -> PackedByteArray: the state of a space
    space_restore(space, state) -> bool: put a space back to a state; its nodes follow with the next flush
    space_hash(space) -> int: equal for spaces that are equal bit for bit

The thread of Godot's physics calls, not from a callback. A call that is refused prints the reason and returns nothing.
"""

import numpy as np

from ..bodies.identity import index_of
from ..state.spaces import SpaceStates, State
from .methods import locked_calls
from .schema import BOOL, FLOAT, INT, PACKED_BYTE_ARRAY, RID
from .space_by_hand import flush_by_hand, listen_before_step, note_all, step_by_hand

LONGEST_STEP = 1.0
"""No step is longer [s]."""
MOST_OWN = 32
"""So many states are kept as they were saved."""


class States:
    """The saving of the spaces of a server."""

    def __init__(self, server):
        self._server = server
        self._of_spaces: dict[int, SpaceStates] = {}
        self._own: dict[bytes, State] = {}  # the last states that were saved here, by their bytes: they need no check

    def _of(self, space: int) -> SpaceStates:
        """The saving of a space. Raises KeyError, RuntimeError within a callback."""
        self._check(space)
        if space not in self._of_spaces:
            self._of_spaces = {one: states for one, states in self._of_spaces.items() if self._server.world.has_system(one)}
            self._of_spaces[space] = SpaceStates(self._server.world, space)
        return self._of_spaces[space]

    def _check(self, space: int) -> int:
        """The number of a space. Raises KeyError, RuntimeError within a callback."""
        self._server.space_row(space)
        if self._server.record["is_flushing"]:
            raise RuntimeError("not from a callback of the physics server: the bodies are being told of the last step")
        return index_of(space)

    def step(self, space: int, seconds: float) -> bool:
        """Step a space that Godot does not step. Raises KeyError, ValueError, RuntimeError."""
        number = self._check_step(space, seconds)
        self._server.settle_now()
        self._server.world.body.settle_shapes()
        step_by_hand(self._server.address, number, float(np.float32(seconds)))  # as Godot rounds it: the same bits
        self._server.settle_now()
        return True

    def _check_step(self, space: int, seconds: float) -> int:
        """The number of a space that may be stepped by hand. Raises KeyError, ValueError, RuntimeError."""
        number = self._check(space)
        if not 0.0 < seconds <= LONGEST_STEP:
            raise ValueError(f"the length of a step must be above 0 and at most {LONGEST_STEP} s, got {seconds!r}")
        if self._server.space_row(space)["is_active"]:
            raise ValueError("Godot steps this space: call space_set_active(space, false) before")
        return number

    def step_and_listen(self, space: int, seconds: float) -> bool:
        """Call the space's listener, which may call the server, then `step`. Raises what `step` raises."""
        with self._server.lock:
            number = self._check_step(space, seconds)
        listen_before_step(self._server.address, number, seconds)
        with self._server.lock:
            return self.step(space, seconds)

    def flush(self, space: int) -> bool:
        """Notify the bodies and areas of a space. Without the lock: callbacks call the server. Raises KeyError, RuntimeError."""
        flush_by_hand(self._server.address, self._check(space))
        return True

    def save(self, space: int) -> bytes:
        """The state of a space as bytes. Raises KeyError, RuntimeError."""
        self._server.settle_now()
        spare = self._own.pop(next(iter(self._own))) if len(self._own) >= MOST_OWN else None
        state = self._of(space).save(spare)
        data = state.to_bytes()
        self._own[data] = state
        return data

    def restore(self, space: int, data) -> bool:
        """Put a space back to a state. Raises KeyError, TypeError, ValueError, RuntimeError, TimeoutError."""
        if not hasattr(data, "tobytes"):
            raise TypeError(f"a PackedByteArray of space_save is wanted, got {data!r}")
        self._server.settle_now()
        given = data.tobytes()
        self._of(space).restore(self._own.get(given) or State.from_bytes(given))
        note_all(self._server.address, index_of(space))
        return True

    def hash(self, space: int) -> int:
        """The hash of a space. Raises KeyError, RuntimeError."""
        self._server.settle_now()
        return self._of(space).hash()


def add_state_methods(methods, engine) -> None:
    """Register the methods; `engine.server` exists when one is called."""
    locked = locked_calls(engine, "states")
    space = {"space": RID}
    methods.cold("space_step", lambda *given: engine.server.states.step_and_listen(*given), {**space, "seconds": FLOAT}, BOOL)
    methods.cold("space_flush", lambda identity: engine.server.states.flush(identity), space, BOOL)
    methods.cold("space_save", locked("save"), space, PACKED_BYTE_ARRAY)
    methods.cold("space_restore", locked("restore"), {**space, "state": PACKED_BYTE_ARRAY}, BOOL)
    methods.cold("space_hash", locked("hash"), space, INT)
