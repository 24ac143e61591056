"""Edits of bodies from any thread, compiled: done at once while no step runs, else when it ends. The caller never waits for a
step.

Every system has a gate, a word: a step holds it for its duration, an edit only briefly. An editor that finds it taken leaves a
COMMAND in the system's ring and returns; the thread that opens the gate does the waiting commands first. After leaving a command
an editor checks the gate again, and after opening the gate its holder checks the ring again: of two threads that first write and
then read one sees the other's word, so no command is left. The ring is D. Vyukov's bounded queue of many producers
(1024cores.net), with one consumer, the holder of the gate. A full ring is an error that names the setting.
"""

import threading
from collections import Counter, deque
from collections.abc import Callable

import numpy as np

from ..bodies import motion
from ..bodies.identity import index_of, kind_of, row_of
from ..bodies.motion import bodies_of
from ..bodies.rare import own_rare
from ..bodies.schema import CAN_SLEEP, KIND_SYSTEM, SYSTEM, WORLD
from ..geometry.vector import add, quaternion, store3, vector3
from ..runtime import atomics
from ..runtime.attributes import keep_as_call
from ..runtime.call import call_3_result
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of_row, stack_array, view
from ..runtime.parking import PARKING, give_way
from . import body_placement

COMMAND = np.dtype(
    [
        ("turn", "i8"),  # twice the lap of the ring while free, one more while it holds a command
        ("body", "i8"),  # id
        ("kind", "i4"),
        ("system", "i4"),  # PUT_IN: index
        ("values", "f8", 7),
    ],
    align=True,
)
COMMAND_SIZE = COMMAND.itemsize
RING_SETTING = "physics/scree_3d/limits/max_waiting_edits"

(
    SET_POSE, LINEAR_VELOCITY, ANGULAR_VELOCITY, AXIS_VELOCITY, CENTRAL_IMPULSE, IMPULSE, TORQUE_IMPULSE, CENTRAL_FORCE, FORCE,
    TORQUE, ADD_CENTRAL_FORCE, ADD_FORCE, ADD_TORQUE, SET_FORCE, SET_TORQUE, SLEEPING, CAN_SLEEP_OR_NOT, PUT_IN, TAKE_OUT,
    SET_ORIGIN, SET_TURN,
) = range(21)  # fmt: skip
"""Values of COMMAND.kind. ADD_... and SET_FORCE, SET_TORQUE are constant forces. SET_ORIGIN and SET_TURN are halves of SET_POSE:
the other half keeps its value of the time when the command is done."""

# Results of `edit`.
DONE, LATER, NO_BODY, FULL = range(4)
# Holders of a gate; Python threads use `threading.get_ident()`, which is larger.
OPEN, STEPPING, EDITING = 0, 1, 2
GATE, COMMAND_HEAD, COMMAND_TAIL = (SYSTEM.fields[name][1] for name in ("gate", "command_head", "command_tail"))
SYSTEM_SIZE = SYSTEM.itemsize
BUSY, TAKEN, MINE = range(3)


@kernel
def apply_velocity(world, index, kind, v):
    """Do the commands that set or change a velocity at once."""
    if kind == LINEAR_VELOCITY:
        motion.set_linear_velocity(world, index, v)
    elif kind == ANGULAR_VELOCITY:
        motion.set_angular_velocity(world, index, v)
    elif kind == AXIS_VELOCITY:
        motion.set_axis_velocity(world, index, v)
    elif kind == CENTRAL_IMPULSE:
        motion.apply_central_impulse(world, index, v)
    else:
        motion.apply_torque_impulse(world, index, v)


@kernel
def apply_force(world, index, kind, v):
    """Do the commands for forces at the centre, and torques."""
    body = bodies_of(world)[index]
    if kind == CENTRAL_FORCE:
        motion.apply_central_force(world, index, v)
        return
    if kind == TORQUE:
        motion.apply_torque(world, index, v)
        return
    rare = own_rare(world, body)
    if kind == ADD_CENTRAL_FORCE:
        store3(rare.constant_force, add(vector3(rare.constant_force), v))
    elif kind == ADD_TORQUE:
        store3(rare.constant_torque, add(vector3(rare.constant_torque), v))
    elif kind == SET_FORCE:
        store3(rare.constant_force, v)
    else:
        store3(rare.constant_torque, v)
    motion.wake(world, index)


@kernel
def apply_command(world, index, command):
    """Do a command on a body."""
    keep_as_call()
    kind, values = command.kind, command.values
    v, at = vector3(values), vector3(values[3:6])
    body = bodies_of(world)[index]
    if kind == SET_POSE:
        body_placement.place(world, index, v, quaternion(values[3:7]))
    elif kind == SET_ORIGIN:
        body_placement.place(world, index, v, body_placement.wanted_pose(world, body)[1])
    elif kind == SET_TURN:
        body_placement.place(world, index, body_placement.wanted_pose(world, body)[0], quaternion(values))
    elif kind == IMPULSE:
        motion.apply_impulse(world, index, v, at)
    elif kind == FORCE:
        motion.apply_force(world, index, v, at)
    elif kind == ADD_FORCE:
        motion.add_constant_force(world, index, v, at)
    elif kind <= CENTRAL_IMPULSE or kind == TORQUE_IMPULSE:
        apply_velocity(world, index, kind, v)
    elif kind <= SET_TORQUE:
        apply_force(world, index, kind, v)
    elif kind == SLEEPING:
        motion.set_sleeping(world, index, values[0] != 0.0)
    elif kind == CAN_SLEEP_OR_NOT:
        if values[0] != 0.0:
            body.flags |= np.uint32(CAN_SLEEP)
        else:
            body.flags &= ~np.uint32(CAN_SLEEP)
            motion.wake(world, index)
    elif kind == TAKE_OUT and body.system >= 0:
        body_placement.take_out(world, index)
    elif kind == PUT_IN and body.system < 0:
        body_placement.put_in(world, np.int64(command.system), index)


@kernel
def push(system_address, command):
    """Leave a command in the ring. Return False if it is full. Any thread, lock-free."""
    system = view(system_address, 1, SYSTEM)[0]
    capacity = system.command_capacity
    position = atomics.load_acquire_int64(system_address + COMMAND_HEAD)
    while True:
        slot = system.commands + (position % capacity) * COMMAND_SIZE
        turn = atomics.load_acquire_int64(slot)
        wanted = 2 * (position // capacity)
        if turn == wanted:
            seen = atomics.compare_exchange_int64(system_address + COMMAND_HEAD, position, position + 1)
            if seen == position:
                break
            position = seen
        elif turn < wanted:
            return False
        else:
            position = atomics.load_acquire_int64(system_address + COMMAND_HEAD)
    kept = view(slot, 1, COMMAND)[0]
    kept.body, kept.kind, kept.system = command.body, command.kind, command.system
    for i in range(7):
        kept.values[i] = command.values[i]
    atomics.store_release_int64(slot, wanted + 1)
    return True


@kernel
def drain(system_address):
    """Do the commands in the ring, in order. For the holder of the gate. Commands of freed bodies are dropped."""
    system = view(system_address, 1, SYSTEM)[0]
    capacity = system.command_capacity
    while True:
        position = system.command_tail
        slot = system.commands + (position % capacity) * COMMAND_SIZE
        if atomics.load_acquire_int64(slot) != 2 * (position // capacity) + 1:
            return
        command = view(slot, 1, COMMAND)[0]
        index = row_of(system.world, command.body)
        if index >= 0:
            apply_command(system.world, np.int64(index), command)
        atomics.store_release_int64(slot, 2 * (position // capacity) + 2)
        system.command_tail = position + 1


@kernel
def is_waiting(system_address):
    """Whether a complete command is in the ring."""
    system = view(system_address, 1, SYSTEM)[0]
    position = system.command_tail
    slot = system.commands + (position % system.command_capacity) * COMMAND_SIZE
    return atomics.load_acquire_int64(slot) == 2 * (position // system.command_capacity) + 1


@kernel
def open_gate(system_address):
    """Do the commands in the ring and open the gate. For the holder of the gate."""
    while True:
        drain(system_address)
        atomics.exchange_int64(system_address + GATE, OPEN)
        if not is_waiting(system_address):
            return
        if atomics.compare_exchange_int64(system_address + GATE, OPEN, EDITING) != OPEN:
            return  # its new holder does it


@entry_point("int64(int64, int64, int64)")
def edit(world, command_address, system_address):
    """Do the COMMAND at an address, or leave it for the thread that holds the gate of the body's system. Return DONE, LATER,
    NO_BODY or FULL. Any thread; never waits. With 0 for the command: open the gate of a system, for its holder."""
    if command_address == 0:
        open_gate(system_address)
        return np.int64(DONE)
    command = view(command_address, 1, COMMAND)[0]
    index = row_of(world, command.body)
    if index < 0:
        return np.int64(NO_BODY)
    number = np.int64(command.system if command.kind == PUT_IN else bodies_of(world)[index].system)
    if number < 0:
        apply_command(world, np.int64(index), command)
        return np.int64(DONE)
    address = view(world, 1, WORLD)[0].systems + number * SYSTEM_SIZE
    if atomics.compare_exchange_int64(address + GATE, OPEN, EDITING) == OPEN:
        drain(address)
        apply_command(world, np.int64(index), command)
        open_gate(address)
        return np.int64(DONE)
    if not push(address, command):
        return np.int64(FULL)
    if atomics.compare_exchange_int64(address + GATE, OPEN, EDITING) == OPEN:
        open_gate(address)
    return np.int64(LATER)


@entry_point("void(int64)")
def await_edits(system_address):
    """Wait for the commands given so far, while the gate is held by compiled edits, which are short. Does not wait for a step or
    for Python."""
    world = view(view(system_address, 1, SYSTEM)[0].world, 1, WORLD)[0]
    given = atomics.load_acquire_int64(system_address + COMMAND_HEAD)
    while atomics.load_acquire_int64(system_address + COMMAND_TAIL) < given:
        holder = atomics.load_acquire_int64(system_address + GATE)
        if holder != OPEN and holder != EDITING:
            return
        give_way(view(world.parking, 1, PARKING)[0])


@kernel
def take_gate(system_address, who):
    """Wait for running edits, which are short, and take the gate for the step. Return MINE if `who` already holds it."""
    world = view(view(system_address, 1, SYSTEM)[0].world, 1, WORLD)[0]
    while True:
        holder = atomics.compare_exchange_int64(system_address + GATE, OPEN, who)
        if holder == OPEN:
            return TAKEN
        if holder == who and who != STEPPING:
            return MINE
        give_way(view(world.parking, 1, PARKING)[0])


@entry_point("int64(int64, int64)")
def enter_gate(system_address, who):
    """Take the gate from Python: TAKEN, MINE, or BUSY while a step holds it; waits for other edits."""
    world = view(view(system_address, 1, SYSTEM)[0].world, 1, WORLD)[0]
    while True:
        holder = atomics.compare_exchange_int64(system_address + GATE, OPEN, who)
        if holder == OPEN:
            return np.int64(TAKEN)
        if holder == who:
            return np.int64(MINE)
        if holder == STEPPING:
            return np.int64(BUSY)
        give_way(view(world.parking, 1, PARKING)[0])


@kernel
def give_command(world, identity, kind, v, at, w):
    """Fill a COMMAND on the stack and execute it, by address: `v` and `at` have three values each, `w` one more."""
    command = stack_array(1, COMMAND)
    command[0].body = identity
    command[0].kind = np.int32(kind)
    command[0].system = np.int32(-1)
    store3(command[0].values[0:3], v)
    store3(command[0].values[3:6], at)
    command[0].values[6] = w
    return call_3_result(view(world, 1, WORLD)[0].edit_function, world, address_of_row(command, 0), 0)


class LateEdits:
    """Edits written in Python: those blocked by a step wait here until it ends, in order; no thread waits for them."""

    def __init__(self, world):
        self._world = world
        self._waiting: deque = deque()
        self._bodies: Counter = Counter()
        self._count, self._counting = np.zeros(1, np.int64), threading.Lock()
        self.waiting_address = self._count.ctypes.data  # of an int64 for compiled code: the number of waiting edits
        self._settling = threading.Lock()
        self._inside = threading.local()  # of a thread that does an edit: nested edits are part of it
        self.errors: deque = deque()  # of edits that were done late, raised by the next step

    def waits_for(self, identity: int) -> bool:
        """Whether edits of a body wait: later ones come after them, except those nested in a running one."""
        return bool(self._waiting) and identity in self._bodies and not getattr(self._inside, "depth", 0)

    def run(self, identity: int, action: Callable[[], None], system: int = -1) -> None:
        """Do `action`, which changes a body, its system and perhaps another one: now, or when the steps of these have ended. An
        edit of only a system uses its id."""
        if not self.waits_for(identity):
            taken = self._take(identity, system)
            if taken is not None:
                self._do(action, taken)
                return
        self._bodies[identity] += 1
        self._waiting.append((identity, action, system))
        self._tell_count()
        self.settle()

    def _tell_count(self) -> None:
        with self._counting:
            self._count[0] = len(self._waiting)

    def _systems(self, identity: int, system: int) -> list[int]:
        """The numbers of the systems that an edit touches, in the order of taking their gates."""
        is_of_space = kind_of(identity) == KIND_SYSTEM
        own = -1 if is_of_space else int(self._world.bodies.rows[index_of(identity)]["system"])
        return sorted({system, own} - {-1})

    def _take(self, identity: int, system: int) -> list[int] | None:
        """Take the gates of the systems that an edit touches. Return the addresses of those to be opened, or None while one
        steps."""
        me, taken = threading.get_ident(), []
        for number in self._systems(identity, system):
            address = int(self._world.record["systems"]) + number * SYSTEM_SIZE
            answer = enter_gate(address, me)
            if answer == BUSY:
                self._open(taken)
                return None
            if answer == TAKEN:
                taken.append(address)
        return taken

    def _open(self, taken: list[int]) -> None:
        for address in reversed(taken):
            edit(self._world.address, 0, address)

    def settle(self) -> None:
        """Do the waiting edits that no step blocks. To be called at the end of a step."""
        while self._waiting and self._settling.acquire(blocking=False):
            try:
                while self._waiting and self._do_first():
                    pass
            finally:
                self._settling.release()
            # A step that ended just now found this thread busy here and went on: so check again, unless one still runs.
            if self._waiting and self._is_kept_out():
                return

    def _do_first(self) -> bool:
        """Do the edit that has waited longest. Return False while a step blocks it."""
        identity, action, system = self._waiting[0]
        taken = self._take(identity, system)
        if taken is None:
            return False
        self._waiting.popleft()
        self._tell_count()
        self._bodies[identity] -= 1
        if not self._bodies[identity]:
            del self._bodies[identity]
        try:
            self._do(action, taken)
        except Exception as error:  # its caller has returned: raised by the next step
            self.errors.append(error)
        return True

    def _do(self, action: Callable[[], None], taken: list[int]) -> None:
        """Do an edit with the gates held by this thread, and open them."""
        self._inside.depth = getattr(self._inside, "depth", 0) + 1
        try:
            action()
        finally:
            self._inside.depth -= 1
            self._open(taken)

    def _is_kept_out(self) -> bool:
        try:
            identity, _, system = self._waiting[0]
        except IndexError:
            return False
        return any(int(self._world.systems.rows[k]["gate"]) == STEPPING for k in self._systems(identity, system))

    def holds(self, system: int) -> bool:
        """Whether this thread holds the gate of a system."""
        return int(self._world.systems.rows[system]["gate"]) == threading.get_ident()
