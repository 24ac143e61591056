"""Execution of edits (edit/edit_table.py) from any thread, compiled: at once while no step runs, else when it ends. The caller
never waits for a step.

Every system has a gate, a word: a step holds it for its duration, an edit only briefly. An editor that finds it taken leaves a
COMMAND in the system's ring and returns; the thread that opens the gate does the waiting commands first. After leaving a command
an editor checks the gate again, and after opening the gate its holder checks the ring again: of two threads that first write and
then read one sees the other's word, so no command is left. The ring is D. Vyukov's bounded queue of many producers
(1024cores.net), with one consumer, the holder of the gate. A full ring is an error that names the setting.
"""

from collections.abc import Sequence

import numpy as np

from ..bodies.identity import row_of
from ..bodies.motion import bodies_of
from ..bodies.records import system_at, world_at
from ..bodies.system_schema import SYSTEM, offset_of
from ..geometry.vector import store3
from ..runtime import atomics
from ..runtime.attributes import keep_as_call
from ..runtime.call import call_3_result
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of_row, stack_array, view
from ..runtime.parking import PARKING, give_way
from . import integration_edits
from .edit_table import EDITS, MOST_VALUES, Edit, make_dispatch
from .motion_edits import put_in

COMMAND = np.dtype(
    [
        ("turn", "i8"),  # twice the lap of the ring while free, one more while it holds a command
        ("body", "i8"),  # id
        ("edit", "i8"),  # number in EDITS
        ("values", "f8", MOST_VALUES),
    ],
    align=True,
)
COMMAND_SIZE = COMMAND.itemsize

assert EDITS[put_in.number] is put_in and EDITS[-1] is integration_edits.spread_impulse  # all edits are declared
PUT_IN = put_in.number

# Results of `edit`.
DONE, LATER, NO_BODY, FULL = range(4)
# Holders of a gate; Python threads use `threading.get_ident()`, which is larger.
OPEN, STEPPING, EDITING = 0, 1, 2
GATE, HEAD, TAIL = offset_of("edits", "gate"), offset_of("edits", "head"), offset_of("edits", "tail")
SYSTEM_SIZE = SYSTEM.itemsize
BUSY, TAKEN, MINE = range(3)


execute_edit = make_dispatch(EDITS)


@kernel
def execute(world_address, index, command):
    """Execute a command on the body or area with an index."""
    keep_as_call()
    execute_edit(world_address, index, command.edit, command.values)


@kernel
def copy_command(command, kept):
    """Write the body, the edit and the values of a command to another."""
    kept.body, kept.edit = command.body, command.edit
    for i in range(MOST_VALUES):
        kept.values[i] = command.values[i]


@kernel
def left_at(ring, capacity, position):
    """The address of the complete command at a position of a ring, 0 if there is none yet. For the thread that takes them."""
    slot = ring + (position % capacity) * COMMAND_SIZE
    return slot if atomics.load_acquire_int64(slot) == 2 * (position // capacity) + 1 else np.int64(0)


@kernel
def free_slot(slot, capacity, position):
    """Give back the place of a command that was taken from a position of a ring."""
    atomics.store_release_int64(slot, 2 * (position // capacity) + 2)


@kernel
def leave(ring, capacity, head_address, command):
    """Leave a command in a ring of COMMAND. Return False if it is full. Any thread, lock-free."""
    position = atomics.load_acquire_int64(head_address)
    while True:
        slot = ring + (position % capacity) * COMMAND_SIZE
        turn = atomics.load_acquire_int64(slot)
        wanted = 2 * (position // capacity)
        if turn == wanted:
            seen = atomics.compare_exchange_int64(head_address, position, position + 1)
            if seen == position:
                break
            position = seen
        elif turn < wanted:
            return False
        else:
            position = atomics.load_acquire_int64(head_address)
    copy_command(command, view(slot, 1, COMMAND)[0])
    atomics.store_release_int64(slot, wanted + 1)
    return True


@kernel
def push(system_address, command):
    """Leave a command in the ring of a system. Return False if it is full. Any thread, lock-free."""
    system = system_at(system_address)
    return leave(system.edits.ring, system.edits.capacity, system_address + HEAD, command)


@kernel
def is_waiting(system_address):
    """Whether a complete command is in the ring."""
    system = system_at(system_address)
    return left_at(system.edits.ring, system.edits.capacity, system.edits.tail) != 0


def make_drain(execute):
    """Make the kernel that does the commands in the ring of a system, each by `execute(world_address, index, command)`."""

    @kernel
    def drain(system_address):
        """Do the commands in the ring, in order. For the holder of the gate. Commands of freed bodies are dropped."""
        system = system_at(system_address)
        capacity = system.edits.capacity
        while True:
            position = system.edits.tail
            slot = left_at(system.edits.ring, capacity, position)
            if slot == 0:
                return
            command = view(slot, 1, COMMAND)[0]
            index = row_of(system.world, command.body)
            if index >= 0:
                execute(system.world, np.int64(index), command)
            free_slot(slot, capacity, position)
            system.edits.tail = position + 1

    return drain


def make_open_gate(drain):
    """Make the kernel that does the commands in the ring and opens the gate. For the holder of the gate."""

    @kernel
    def open_gate(system_address):
        while True:
            drain(system_address)
            atomics.exchange_int64(system_address + GATE, OPEN)
            if not is_waiting(system_address):
                return
            if atomics.compare_exchange_int64(system_address + GATE, OPEN, EDITING) != OPEN:
                return  # its new holder does it

    return open_gate


def make_edit(execute):
    """Make the kernel of `edit`, which executes commands by `execute(world_address, index, command)`."""
    drain = make_drain(execute)
    open_gate = make_open_gate(drain)

    @kernel
    def edit(world_address, command_address, system_address):
        if command_address == 0:
            open_gate(system_address)
            return np.int64(DONE)
        command = view(command_address, 1, COMMAND)[0]
        index = row_of(world_address, command.body)
        if index < 0:
            return np.int64(NO_BODY)
        number = np.int64(command.values[0] if command.edit == PUT_IN else bodies_of(world_address)[index].system)
        if number < 0:
            execute(world_address, np.int64(index), command)
            return np.int64(DONE)
        address = world_at(world_address).systems + number * SYSTEM_SIZE
        if atomics.compare_exchange_int64(address + GATE, OPEN, EDITING) == OPEN:
            drain(address)
            execute(world_address, np.int64(index), command)
            open_gate(address)
            return np.int64(DONE)
        if not push(address, command):
            return np.int64(FULL)
        if atomics.compare_exchange_int64(address + GATE, OPEN, EDITING) == OPEN:
            open_gate(address)
        return np.int64(LATER)

    return edit


edit_unseen = make_edit(execute)


@entry_point("int64(int64, int64, int64)")
def edit(world_address, command_address, system_address):
    """Do the COMMAND at an address, or leave it for the thread that holds the gate of the body's system. Return DONE, LATER,
    NO_BODY or FULL. Any thread; never waits. With 0 for the command: open the gate of a system, for its holder."""
    return edit_unseen(world_address, command_address, system_address)


@entry_point("void(int64)")
def await_edits(system_address):
    """Wait for the commands given so far, while the gate is held by compiled edits, which are short. Does not wait for a step or
    for Python."""
    world = world_at(system_at(system_address).world)
    given = atomics.load_acquire_int64(system_address + HEAD)
    while atomics.load_acquire_int64(system_address + TAIL) < given:
        holder = atomics.load_acquire_int64(system_address + GATE)
        if holder != OPEN and holder != EDITING:
            return
        give_way(view(world.parking, 1, PARKING)[0])


@kernel
def take_gate(system_address, who):
    """Wait for running edits, which are short, and take the gate for the step. Return MINE if `who` already holds it."""
    world = world_at(system_at(system_address).world)
    while True:
        holder = atomics.compare_exchange_int64(system_address + GATE, OPEN, who)
        if holder == OPEN:
            return TAKEN
        if holder == who and who != STEPPING:
            return MINE
        give_way(view(world.parking, 1, PARKING)[0])


@kernel
def take_gate_for_step(system, system_address):
    """Take the gate for a step, unless its caller has taken it."""
    if system.edits.is_gate_taken == 0:
        take_gate(system_address, STEPPING)
        system.edits.is_gate_taken = 1


@kernel
def take_gate_now(world, system_address):
    """Take the gate of a system, unless a step or a thread of Python holds it; compiled edits are short. Whether it was taken."""
    while True:
        holder = atomics.compare_exchange_int64(system_address + GATE, OPEN, EDITING)
        if holder == OPEN:
            return True
        if holder != EDITING:
            return False
        give_way(view(world.parking, 1, PARKING)[0])


@entry_point("int64(int64, int64)")
def enter_gate(system_address, who):
    """Take the gate from Python: TAKEN, MINE, or BUSY while a step holds it; waits for other edits."""
    world = world_at(system_at(system_address).world)
    while True:
        holder = atomics.compare_exchange_int64(system_address + GATE, OPEN, who)
        if holder == OPEN:
            return np.int64(TAKEN)
        if holder == who:
            return np.int64(MINE)
        if holder == STEPPING:
            return np.int64(BUSY)
        give_way(view(world.parking, 1, PARKING)[0])


def make_command(call: str, identity: int, edit: Edit, values: Sequence) -> np.ndarray:
    """Make a COMMAND, shape (1,), of an edit and its arguments. Raises TypeError for a wrong number of arguments, ValueError for
    one with a wrong number of values or that is not finite, naming `call`."""
    if len(values) != len(edit.arguments):
        raise TypeError(f"{call}: arguments are {', '.join(name for name, _ in edit.arguments) or 'none'}, got {len(values)}")
    command = np.zeros(1, COMMAND)
    command["body"], command["edit"] = identity, edit.number
    slots, first = command["values"][0], 0
    for (name, count), value in zip(edit.arguments, values, strict=True):
        if np.shape(value) != (() if count == 1 else (count,)):
            raise ValueError(f"{call}: {name} must be {count} numbers, got {value!r}")
        slots[first : first + count] = value
        first += count
    if not np.isfinite(slots).all():
        raise ValueError(f"{call}: values must be finite, got {slots[:first].tolist()}")
    return command


@entry_point("void(int64, int64, int64)")
def execute_now(world_address, index, command_address):
    """Execute the COMMAND at an address, for the thread that holds the gate of the system of the body with this index."""
    execute(world_address, index, view(command_address, 1, COMMAND)[0])


@kernel
def give_command(world_address, identity, edit_number, first, second, last):
    """Fill a COMMAND on the stack and give it to `edit`: `first` and `second` have three values each, `last` is the seventh."""
    command = stack_array(1, COMMAND)
    command[0].body, command[0].edit = identity, edit_number
    store3(command[0].values[0:3], first)
    store3(command[0].values[3:6], second)
    command[0].values[6] = last
    return call_3_result(world_at(world_address).edit_function, world_address, address_of_row(command, 0), 0)
