"""Reading and writing whole bodies from several threads: read-write locks, and the body interface with and without them.

A fixed array of locks, chosen by a hash of the body's index: so a lock costs no memory per body, and 64 are enough for the usual
number of cores (Horizon Forbidden West: more than 32 gained nothing). Several locks are taken in ascending order, so that threads
cannot deadlock.

Use them for jobs that read or change several fields or several bodies together, against other jobs with the same locks. Queries
do not need them: they read whole bodies without any lock (bodies/publication.py). The step takes none: its changes appear between
two reads, and edits given while it runs are done at its end (edit/commands.py). Hold a lock only briefly, and never call a step
with one.

    bodies = LockingBodyInterface(world)
    with bodies.read(a, b) as rows:          # rows of BODY; LookupError names a stale id
        distance = rows[0]["position"] - rows[1]["position"]
    bodies.set_linear_velocity(a, (0, 5, 0))  # locks by itself; DONE, or LATER while a step runs
"""

from contextlib import contextmanager

import numpy as np

from ..bodies.identity import describe_id, index_of
from ..bodies.motion import bodies_of
from ..bodies.publication import read_motion
from ..bodies.records import world_at
from ..bodies.schema import INDEX_MASK, KIND_BODY
from ..runtime import atomics
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import Pool, address_of, view
from ..runtime.parking import PARKING, give_way
from . import commands, motion_edits
from .edit_table import EDITS, Edit

LOCK_COUNT = 64
LOCK = np.dtype([("holders", "i8"), ("padding", "i8", 7)])  # readers; -1: a writer
WRITER = -1


@kernel
def lock_number(index):
    """The number of the lock of a body."""
    return (index * 0x9E3779B1 >> 16) & (LOCK_COUNT - 1)


@kernel
def lock_one(address, is_write, parking):
    """Take a lock, shared for reading or exclusive for writing."""
    while True:
        holders = atomics.load_acquire_int64(address)
        if is_write:
            if holders == 0 and atomics.compare_exchange_int64(address, 0, WRITER) == 0:
                return
        elif holders >= 0 and atomics.compare_exchange_int64(address, holders, holders + 1) == holders:
            return
        give_way(parking)


@kernel
def unlock_one(address, is_write):
    """Release a lock."""
    if is_write:
        atomics.exchange_int64(address, 0)
    else:
        atomics.add_int64(address, -1)


@kernel
def locks_of(ids, count):
    """The locks of bodies given by id, as bits, each once."""
    bits = np.int64(0)
    for i in range(count):
        bits |= np.int64(1) << lock_number(ids[i] & INDEX_MASK)
    return bits


@entry_point("int64(int64, int64, int64, int64, int64)")
def lock_bodies(world_address, locks, ids_address, count, is_write):
    """Lock the int64 ids at an address, in ascending order of their locks. Return the locks, as bits, for `unlock_bodies`."""
    bits = locks_of(view(ids_address, count, np.int64), count)
    parking = view(world_at(world_address).parking, 1, PARKING)[0]
    for k in range(LOCK_COUNT):
        if (bits >> k) & 1:
            lock_one(locks + 64 * k, is_write != 0, parking)
    return bits


@entry_point("void(int64, int64, int64)")
def unlock_bodies(locks, bits, is_write):
    """Release locks."""
    for k in range(LOCK_COUNT):
        if (bits >> k) & 1:
            unlock_one(locks + 64 * k, is_write != 0)


@entry_point("void(int64, int64, int64, int64)")
def read_motions(world_address, indices_address, count, out_address):
    """Read poses and velocities of the int64 indices at an address, each body's at one moment, to thirteen doubles each."""
    indices, bodies = view(indices_address, count, np.int64), bodies_of(world_address)
    for i in range(count):
        read_motion(bodies[indices[i]], view(out_address + 104 * i, 13, np.float64))


class BodyLocks:
    """The locks of one world."""

    def __init__(self, world):
        self._world = world
        self._pool = Pool("body locks", LOCK, LOCK_COUNT)

    @contextmanager
    def hold(self, ids, is_write: bool):
        """Hold the locks of bodies in a `with` block. Not to be nested: name all bodies at once."""
        ids = np.ascontiguousarray(ids, dtype=np.int64)
        bits = lock_bodies(self._world.address, self._pool.address, address_of(ids), len(ids), is_write)
        try:
            yield
        finally:
            unlock_bodies(self._pool.address, bits, is_write)


class NonLockingBodyInterface:
    """Changes of bodies by game code, by id, from any thread: done at once, or when the running step has ended (the result tells
    which: True for at once). Raises KeyError for a stale or foreign id, ValueError for numbers that are not finite, PoolFull when
    more edits wait than the ring holds. Two edits of one body by two threads are done in either order."""

    def __init__(self, world):
        self.world = world

    def _index(self, call: str, identity: int) -> int:
        if not self.world.bodies.has(identity, KIND_BODY):
            raise KeyError(f"{call}: there is no body {describe_id(identity)}")
        return index_of(identity)

    def _give(self, identity: int, edit: Edit, *values, call: str = "") -> bool:
        """Give an edit of the table with its arguments, each a number or so many as the table says."""
        call = call or edit.name
        command = commands.make_command(call, identity, edit, values)
        answer = self._do(command)
        if answer == commands.NO_BODY:
            raise KeyError(f"{call}: there is no body {describe_id(identity)}")
        if answer == commands.FULL:
            raise self.world.edits_full(call)
        return answer == commands.DONE

    def _do(self, command: np.ndarray) -> int:
        return self.world.edit(self.world.address, address_of(command), 0)

    # Pose and velocities.

    def set_pose(self, identity: int, origin, rotation=(0.0, 0.0, 0.0, 1.0)) -> bool:
        """Set origin [m] and rotation (unit quaternion x, y, z, w). A kinematic body gets there in the next step."""
        size = float(np.linalg.norm(rotation)) if np.shape(rotation) == (4,) else 1.0
        if not 0.5 < size < 2.0:
            raise ValueError(f"set_pose: rotation must be a unit quaternion, got {tuple(rotation)}")
        return self._give(identity, motion_edits.set_pose, origin, np.divide(rotation, size))

    def motion(self, *ids: int) -> np.ndarray:
        """Position of the centre of mass [m], rotation, linear [m/s] and angular velocity [rad/s] of each body, each at one
        moment: (n, 13). Never waits."""
        indices = np.array([self._index("motion", identity) for identity in ids], dtype=np.int64)
        out = np.zeros((len(ids), 13))
        read_motions(self.world.address, address_of(indices), len(indices), address_of(out))
        return out

    # Sleep, and the system.

    def activate(self, identity: int) -> bool:
        """Wake a body and everything that sleeps with it."""
        return self._give(identity, motion_edits.set_sleeping, 0.0, call="activate")

    def deactivate(self, identity: int) -> bool:
        """Put a body to sleep."""
        return self._give(identity, motion_edits.set_sleeping, 1.0, call="deactivate")

    def remove(self, identity: int) -> bool:
        """Take a body out of its system; it stays alive."""
        return self._give(identity, motion_edits.take_out, call="remove")

    def add(self, identity: int, system: int) -> bool:
        """Put a body that is in no system into one."""
        number = self.world.system_index("add", system)
        self.world.body.settled_row(self._index("add", identity))
        return self._give(identity, motion_edits.put_in, number, call="add")

    def user_data(self, identity: int) -> int:
        """The user's number of a body."""
        return int(self.world.bodies.rows[self._index("user_data", identity)]["user_id"])

    def set_user_data(self, identity: int, value: int) -> None:
        """Set the user's number of a body, 64 bits."""
        self.world.bodies.rows[self._index("set_user_data", identity)]["user_id"] = value


def _method_of(edit: Edit):
    """Make the method of NonLockingBodyInterface that gives an edit."""

    def method(self, identity: int, *values) -> bool:
        return self._give(identity, edit, *values)

    method.__name__, method.__qualname__ = edit.name, f"NonLockingBodyInterface.{edit.name}"
    method.__doc__, method.__signature__ = edit.apply.__doc__, edit.signature
    return method


for _edit in EDITS[motion_edits.set_linear_velocity.number : motion_edits.set_constant_torque.number + 1]:
    setattr(NonLockingBodyInterface, _edit.name, _method_of(_edit))


class LockingBodyInterface(NonLockingBodyInterface):
    """A `NonLockingBodyInterface` with each call under the write lock of its body, and locks for jobs of several fields or
    bodies."""

    def __init__(self, world, locks: BodyLocks | None = None):
        super().__init__(world)
        self.locks = locks or world.body_locks

    def _do(self, command: np.ndarray) -> int:
        with self.locks.hold(command["body"], True):
            answer = super()._do(command)
            self._settle_edits(command["body"])
            return answer

    def _settle_edits(self, ids) -> None:
        """Wait for edits before the locks are released: a command that met another thread's edit at the gate is done by that
        thread soon; without this it could be done after the locks are released."""
        known = [identity for identity in map(int, ids) if self.world.bodies.has(identity, KIND_BODY)]
        for number in {int(self.world.bodies.rows[index_of(identity)]["system"]) for identity in known} - {-1}:
            commands.await_edits(self.world.systems.address + number * commands.SYSTEM_SIZE)

    @contextmanager
    def read(self, *ids: int):
        """Hold the rows of bodies for reading; other readers may do so too. Raises KeyError for a stale id, after locking."""
        with self.locks.hold(ids, False):
            yield [self.world.bodies.rows[self._index("read", identity)] for identity in ids]

    @contextmanager
    def write(self, *ids: int):
        """Hold a non-locking interface while no other thread reads or writes these bodies. Raises KeyError for a stale id."""
        with self.locks.hold(ids, True):
            for identity in ids:
                self._index("write", identity)
            yield NonLockingBodyInterface(self.world)
            self._settle_edits(ids)
