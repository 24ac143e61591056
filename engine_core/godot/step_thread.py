"""The step beside Godot's main thread, if the project enables `physics/3d/run_on_separate_thread`.

`_step` takes the server's lock and the gates of all spaces on behalf of our thread, wakes it and returns; `_sync` waits for it.
So everything requested between the two comes after the step, whenever the step really runs: a game behaves the same as without
the setting. Calls that return nothing are deferred to the end of the step (edit/commands.py, Server.keeps_late) and done in
`_sync` at the latest; calls that return something wait; queries and reading motion do neither.
"""

import threading

import numpy as np

from ..bodies.records import world_at
from ..runtime.atomics import load_acquire_int32, store_release_int32, store_release_int64
from ..runtime.call import call_0_result
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import view
from ..runtime.parking import PARKING, wait_while, wake_all
from .schema import SERVER
from .server_lock import LOCK_OFFSET
from .server_record import server_at
from .space_steps import step_spaces

INT32 = np.int32
STATE = SERVER.fields["step_state"][1]
RESTING, ASKED, ENDED = 0, 1, 2
"""Values of SERVER.step_state."""


@kernel
def parking_of(server):
    return view(world_at(server.world).parking, 1, PARKING)[0]


@kernel
def set_state(instance, state):
    store_release_int32(instance + STATE, INT32(state))
    wake_all(parking_of(server_at(instance)), instance + STATE)


@kernel
def await_step(instance):
    """Wait until the step on our thread has ended; no effect if there is none."""
    while load_acquire_int32(instance + STATE) == ASKED:
        wait_while(parking_of(server_at(instance)), instance + STATE, ASKED)


@kernel
def hand_over(instance, delta_time):
    """Have our thread step. The caller holds the server's lock once; it passes to that thread, as do the gates."""
    server = server_at(instance)
    server.step_length = delta_time
    store_release_int64(instance + LOCK_OFFSET, server.step_thread)
    set_state(instance, ASKED)


@entry_point("void(int64)")
def run_steps(instance):
    """Main loop of the thread until it is ended: rest, step, rest."""
    server = server_at(instance)
    server.step_thread = call_0_result(server.thread_number)
    while True:
        wait_while(parking_of(server), instance + STATE, RESTING)
        state = load_acquire_int32(instance + STATE)
        if state == ENDED:
            return
        if state == ASKED:
            step_spaces(instance, server.step_length)
            set_state(instance, RESTING)


@entry_point("void(int64)")
def end_steps(instance):
    """End the thread, after a step in progress."""
    await_step(instance)
    set_state(instance, ENDED)


class StepThread:
    """The thread of a server."""

    def __init__(self, server):
        self._server = server
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread, and wait until it runs."""
        self._thread = threading.Thread(target=run_steps, args=(self._server.address,), name="scree step", daemon=True)
        self._thread.start()
        while not self._server.record["step_thread"]:
            threading.Event().wait(0.001)

    def stop(self) -> None:
        """End the thread and wait for it; no effect if none runs. Not for a thread that holds the server's lock during a step."""
        if self._thread is not None:
            end_steps(self._server.address)
            self._thread.join()
            self._thread = None
            self._server.record["step_thread"] = 0
            self._server.record["step_state"] = RESTING
