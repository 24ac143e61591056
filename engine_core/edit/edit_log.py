"""The log of a world: each edit of the table, each marked call of Python and each step, in the order in which they took effect.

A recording (state/recordings.py) gives the world other entry points: `edit_and_note` for `edit`, `step_and_note` for the step. A
world that is not recorded runs the code that it always ran. An edit is noted where it is executed, behind the gate of the body's
system, also if it waited in a ring: so a replay that makes all of it in the order of the log sees what the world saw. The log is
a ring of COMMAND (edit/commands.py) that any thread fills without waiting; one thread takes from it.
"""

import numpy as np

from ..bodies.records import system_at
from ..bodies.schema import WORLD
from ..runtime.call import call_1_float, call_1_result, store_int64
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of_row, stack_array, view
from .commands import COMMAND, copy_command, execute, free_slot, leave, left_at, make_edit, take_gate_for_step
from .edit_table import MOST_VALUES

LOG = np.dtype(
    [
        ("head", "i8"), ("apart", "i8", 7),  # the number of commands left
        ("tail", "i8"), ("lost", "i8"),  # the number of commands taken; 1: the ring was full, what came then is not in it
        ("ring", "i8"), ("capacity", "i8"),  # of COMMAND
        ("step_function", "i8"), ("hash_function", "i8"),  # entry points of step/physics_system.py and state/hashing.py
        ("hash_every", "i8"),  # steps from one hash to the next
    ],
    align=True,
)  # fmt: skip
WORLD_AND_LOG = np.dtype([("world", WORLD), ("log", "i8")], align=True)
"""The memory of a world, and the address of its LOG. Not a field of WORLD: so no other compiled code depends on it."""
assert WORLD_AND_LOG.fields["world"][1] == 0 and LOG.fields["head"][1] == 0
STEP, CALL = -1, -2
"""Numbers in place of that of an edit, in the row of a step and of a call of Python."""
VALUES = COMMAND.fields["values"][1]
HASH_WORD = MOST_VALUES - 1
"""The word of a step's values that holds the bits of the hash."""


@kernel
def log_of(world_address):
    """The LOG of a world that is recorded."""
    return view(view(world_address, 1, WORLD_AND_LOG)[0].log, 1, LOG)[0]


@kernel
def note(world_address, command):
    """Leave a row in the log. If it is full, the recording ends with what is in it."""
    log = log_of(world_address)
    if log.lost == 0 and not leave(log.ring, log.capacity, view(world_address, 1, WORLD_AND_LOG)[0].log, command):
        log.lost = 1


@kernel
def note_and_execute(world_address, index, command):
    """Execute a command on the body or area with an index, and note it before."""
    note(world_address, command)
    execute(world_address, index, command)


edit_seen = make_edit(note_and_execute)


@entry_point("int64(int64, int64, int64)")
def edit_and_note(world_address, command_address, system_address):
    """`commands.edit` of a world that is recorded."""
    return edit_seen(world_address, command_address, system_address)


@entry_point("void(int64, int64, int64)")
def execute_now_and_note(world_address, index, command_address):
    """`commands.execute_now` of a world that is recorded."""
    note_and_execute(world_address, index, view(command_address, 1, COMMAND)[0])


@entry_point("void(int64, float64)")
def step_and_note(address, delta_time):
    """`physics_system.step` of a world that is recorded: notes the step, and now and then the hash before it."""
    if delta_time <= 0.0:
        return
    system = system_at(address)
    take_gate_for_step(system, address)
    log, row, state = log_of(system.world), stack_array(1, COMMAND), np.int64(0)
    has_hash = log.hash_every > 0 and system.step.count % log.hash_every == 0
    if has_hash:
        state = call_1_result(log.hash_function, address)
    row[0].body, row[0].edit = system.id, STEP
    row[0].values[0], row[0].values[1] = delta_time, float(system.step.count)
    row[0].values[2], row[0].values[3] = float(system.step.steps_done), float(system.step.steps_left)
    row[0].values[4], row[0].values[5] = 1.0 if has_hash else 0.0, 0.0
    store_int64(address_of_row(row, 0) + VALUES + 8 * HASH_WORD, state)
    note(system.world, row[0])
    call_1_float(log.step_function, address, delta_time)


@entry_point("void(int64, int64)")
def note_edit(world_address, command_address):
    """Note a COMMAND that was executed, or a row for a call of Python."""
    note(world_address, view(command_address, 1, COMMAND)[0])


@kernel
def note_held(world_address, command):
    """Note a command that the holder of a gate executes itself, if the world is recorded."""
    if view(world_address, 1, WORLD_AND_LOG)[0].log != 0:
        note(world_address, command)


@entry_point("int64(int64, int64, int64)")
def take_rows(log_address, out, most):
    """Copy the next complete rows of the log, at most `most` COMMANDs, to `out`. Return their number. For one thread."""
    log, rows = view(log_address, 1, LOG)[0], view(out, most, COMMAND)
    for n in range(most):
        slot = left_at(log.ring, log.capacity, log.tail)
        if slot == 0:
            return np.int64(n)
        copy_command(view(slot, 1, COMMAND)[0], rows[n])
        free_slot(slot, log.capacity, log.tail)
        log.tail += 1
    return np.int64(most)
