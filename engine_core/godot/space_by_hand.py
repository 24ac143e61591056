"""Stepping and flushing one space when a game says so, not Godot. Compiled; no Python but in callbacks."""

import numpy as np

from ..bodies.motion import bodies_of
from ..bodies.records import system_at, world_at
from ..edit.commands import STEPPING, take_gate
from ..runtime.kernel import entry_point
from .drawn_sets import forget_asleep, mark_all
from .server_record import server_at
from .space_steps import note, spaces_of, step_space
from .sync import BEFORE_OFFSET, call_step_listener, end_flush, flush_space
from .upward_impulses import spread_impulses


@entry_point("void(int64, int64, float64)")
def listen_before_step(instance, number, delta_time):
    """Call the space's listener before a step of `delta_time` [s]. The caller does not hold the server's lock."""
    call_step_listener(instance, number, BEFORE_OFFSET, delta_time)


@entry_point("void(int64, int64, float64)")
def step_by_hand(instance, number, delta_time):
    """Step the space with a number by `delta_time` [s]. The caller holds the server's lock."""
    server = server_at(instance)
    space = spaces_of(server)[number]
    take_gate(space.system, STEPPING)
    system_at(space.system).edits.is_gate_taken = 1
    spread_impulses(server, space, delta_time)
    step_space(server, space, delta_time)


@entry_point("void(int64, int64)")
def note_all(instance, number):
    """Have the next flush notify all bodies of a space: they are elsewhere. The caller holds the server's lock."""
    server = server_at(instance)
    space, bodies = spaces_of(server)[number], bodies_of(server.world)
    space.pending_count = space.is_stepped = 0
    mark_all(server)
    for index in range(world_at(server.world).body_count):
        if bodies[index].id != 0 and bodies[index].system == number:
            note(server, space, np.int64(index))


@entry_point("void(int64, int64)")
def flush_by_hand(instance, number):
    """Notify the bodies and areas of a space: their nodes follow. The caller does not hold the server's lock."""
    server = server_at(instance)
    server.is_flushing = 1
    forget_asleep(server)
    flush_space(instance, spaces_of(server)[number], number, True)
    end_flush(server)
