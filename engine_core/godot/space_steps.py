"""A step of all active spaces, and its notes for the next flush. Compiled; no Python, no GIL.

The caller holds the server's lock: the thread of Godot's `_step`, or the one that steps beside it (step_thread.py).
"""

import platform

import numpy as np

from ..bodies.motion import bodies_of
from ..bodies.records import system_at, world_at
from ..edit.commands import STEPPING, take_gate
from ..geometry.vector import store3
from ..runtime.atomics import exchange_int64
from ..runtime.call import call_1, call_1_float, call_2, call_3
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_row, stack_array, view
from .call_names import number_of
from .drawn_sets import note_drawn
from .schema import BODY_BINDING, MOST_STREAMS, NIL, SERVER, SPACE_BINDING, STEP_FAILED, STREAM
from .server_lock import release
from .server_record import server_at
from .upward_impulses import spread_impulses

INT32 = np.int32
IS_STEPPING = SERVER.fields["is_stepping"][1]
STEP = number_of("step")
THREAD_CLOCK = 16 if platform.system() == "Darwin" else 3  # CLOCK_THREAD_CPUTIME_ID


@kernel
def spaces_of(server):
    return view(server.space_bindings, world_at(server.world).system_capacity, SPACE_BINDING)


@kernel
def takes_part(space):
    """Whether a row of spaces is in use and active."""
    return space.server != 0 and space.is_active != 0


@kernel
def note(server, space, index):
    """Add a body to the next flush, if it has callbacks."""
    capacity = world_at(server.world).body_capacity
    binding = view(server.body_bindings, capacity, BODY_BINDING)[index]
    if binding.sync_callback[0] != NIL or binding.integration_callback[0] != NIL:
        view(space.pending, capacity, np.int64)[space.pending_count] = binding.body_id
        space.pending_count += 1


@kernel
def note_moved(server, space):
    """Add the bodies of a space that were active in the last step to the next flush."""
    capacity = world_at(server.world).body_capacity
    system = system_at(space.system)
    active = view(system.bodies.active, capacity, INT32)
    for i in range(system.bodies.active_count):
        note(server, space, active[i])
    fell_asleep = view(system.bodies.fell_asleep, capacity, INT32)
    for i in range(system.bodies.fell_asleep_count):
        note(server, space, fell_asleep[i])
    if server.drawn_set_count != 0:
        note_drawn(server, space, active, system.bodies.active_count, fell_asleep, system.bodies.fell_asleep_count)


@kernel
def note_sleep(server, space):
    """Keep the ids of the bodies that woke or fell asleep in the last step, if a script reads them."""
    if space.sleep_ids == 0:
        return
    world, system = world_at(server.world), system_at(space.system)
    bodies, capacity = bodies_of(server.world), world.body_capacity
    woke, slept = view(system.bodies.woke_up, capacity, INT32), view(system.bodies.fell_asleep, capacity, INT32)
    ids = view(space.sleep_ids, 2 * capacity, np.int64)
    space.woke_count, space.slept_count = system.bodies.woke_count, system.bodies.fell_asleep_count
    for i in range(space.woke_count):
        ids[i] = bodies[woke[i]].id
    for i in range(space.slept_count):
        ids[capacity + i] = bodies[slept[i]].id
    system.bodies.woke_count = 0


@kernel
def advance_streams(server):
    """Insert and remove the tiles of streaming worlds."""
    streams = view(server.streams, MOST_STREAMS, STREAM)
    for number in range(server.stream_count):
        if streams[number].queue != 0:
            call_1(server.advance_stream, streams[number].queue)


@kernel
def processor_time(server):
    """Processor time of the calling thread [ns]; 0 if it is not measured."""
    if server.clock == 0:
        return np.int64(0)
    time = stack_array(2, np.int64)
    call_2(server.clock, np.int64(THREAD_CLOCK), address_of_row(time, 0))
    return time[0] * 1_000_000_000 + time[1]


@kernel
def begin_steps(instance, delta_time):
    """Take the gates of the spaces to be stepped, on the thread of `_step`. Each opens when its step ends."""
    server = server_at(instance)
    spaces = spaces_of(server)
    for number in range(world_at(server.world).system_count):
        space = spaces[number]
        if takes_part(space):
            take_gate(space.system, STEPPING)
            system_at(space.system).edits.is_gate_taken = 1
            spread_impulses(server, space, delta_time)
    server.has_impulses = 0
    server.tick += 1


@kernel
def step_space(server, space, delta_time):
    """Step one space whose gate is taken, and make its notes for the next flush."""
    space.pending_count = 0
    store3(space.shifted, (0.0, 0.0, 0.0))
    call_1_float(server.step_function, space.system, delta_time)
    space.is_stepped = 1
    note_moved(server, space)
    note_sleep(server, space)
    if system_at(space.system).limits.status != 0:
        call_3(server.report_error, np.int64(STEP), np.int64(STEP_FAILED), space.system_id)


@kernel
def step_spaces(instance, delta_time):
    """Step every active space, after `begin_steps`; then release the server's lock."""
    server = server_at(instance)
    begin = processor_time(server)
    server.active_object_count = 0
    server.pair_count = 0
    spaces = spaces_of(server)
    for number in range(world_at(server.world).system_count):
        space = spaces[number]
        if takes_part(space):
            step_space(server, space, delta_time)
            system = system_at(space.system)
            server.active_object_count += system.bodies.active_count
            server.pair_count += system.pairs.active_count
    server.worst_step = max(server.worst_step, processor_time(server) - begin)
    exchange_int64(instance + IS_STEPPING, 0)
    release(instance)
