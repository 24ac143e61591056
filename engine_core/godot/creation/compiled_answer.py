"""Calls that compiled code answers in the simple case, and Python otherwise.

A compiled answer is a kernel `(instance, arguments, result)`. It returns True after doing everything that the Python function
would do; or False without changing anything: then Python gets the call as if there were no compiled answer. So it handles what
happens a thousand times while a scene is loaded, and leaves rare or wrong calls to Python.

While it runs, its thread holds the server's lock: no step runs, no Python function does, and no earlier call waits. It
changes a body in a space behind the space's gate (edit/commands.py). It leaves notes about changes of Python's own tables: Python
processes them first when it takes the lock (stock.py).
"""

import numpy as np

from ...bodies.identity import area_of, body_of
from ...bodies.motion import bodies_of
from ...bodies.records import world_at
from ...bodies.schema import IS_IN_BATCH
from ...bodies.system_schema import SYSTEM
from ...edit.commands import EDITING, GATE, OPEN, is_waiting
from ...runtime.atomics import compare_exchange_int64, load_acquire_int64
from ...runtime.call import call_0_result, call_1, call_3, call_3_result, load_int32, load_int64, store_int64
from ...runtime.kernel import kernel
from ...runtime.memory import view
from ..schema import MOST_NOTES, NIL, NOTE, VARIANT_WORDS
from ..server_lock import DEPTH_OFFSET, LOCK_OFFSET, release
from ..server_record import server_at

SYSTEM_SIZE = SYSTEM.itemsize


@kernel
def _enter(instance):
    """Take the server's lock if it is free and no earlier call waits."""
    server = server_at(instance)
    if compare_exchange_int64(instance + LOCK_OFFSET, 0, call_0_result(server.thread_number)) != 0:
        return False
    store_int64(instance + DEPTH_OFFSET, 1)
    if server.late_count == 0 and server.is_stepping == 0 and load_acquire_int64(server.late_edits) == 0:
        return True
    release(instance)
    return False


def make_virtual(answer, number):
    """Make the virtual with this compiled answer; `number`: its place in SERVER.python_answers."""

    @kernel
    def virtual(instance, arguments, result):
        server = server_at(instance)
        if server.python_answers == 0:  # an instance that belongs to no server
            return
        is_done = False
        if _enter(instance):
            is_done = answer(instance, arguments, result)
            release(instance)
        if not is_done:
            call_3(load_int64(server.python_answers + 8 * number), instance, arguments, result)

    return virtual


# --- used by the answers ---


@kernel
def _unless_in_batch(world_address, found):
    index = np.int64(found)
    if index >= 0 and bodies_of(world_address)[index].flags & IS_IN_BATCH:
        return np.int64(-1)
    return index


@kernel
def own_body(world_address, identity):
    """The index of the body with this id; -1 if there is none, or if it belongs to a batch and cannot be changed."""
    return _unless_in_batch(world_address, body_of(world_address, identity))


@kernel
def own_area(world_address, identity):
    """The index of the area with this id, or -1."""
    return _unless_in_batch(world_address, area_of(world_address, identity))


@kernel
def copy_words(target, source, count):
    """Copy `count` words of 64 bits from an address to another."""
    for k in range(count):
        store_int64(target + 8 * k, load_int64(source + 8 * k))


@kernel
def free_variant(server, address):
    """Free the content of the Variant at an address and leave nil."""
    if load_int32(address) != NIL:
        call_1(server.variant_destroy, address)
        for k in range(VARIANT_WORDS):
            store_int64(address + 8 * k, np.int64(0))


@kernel
def has_room_for(server, count):
    """Whether there is room for this many notes."""
    return server.note_count + count <= MOST_NOTES


@kernel
def take_note(server, kind, identity, first, capacity):
    """Leave a note for Python. There must be room: see `has_room_for`."""
    note = view(server.notes, MOST_NOTES, NOTE)[server.note_count]
    note.kind, note.identity, note.first, note.capacity = kind, identity, first, capacity
    server.note_count += 1


@kernel
def take_gate_of(world_address, system):
    """Take the gate of a space, by index, if it is open and no edit is in its ring. Return the system's address, or 0."""
    address = world_at(world_address).systems + system * SYSTEM_SIZE
    if compare_exchange_int64(address + GATE, OPEN, EDITING) != OPEN:
        return np.int64(0)
    if is_waiting(address):
        open_gate_of(world_address, address)
        return np.int64(0)
    return address


@kernel
def open_gate_of(world_address, address):
    """Release the gate, as every edit does."""
    call_3_result(world_at(world_address).edit_function, world_address, np.int64(0), address)
