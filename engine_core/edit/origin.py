"""Moving the origin of a large world in one call, published like a new tree.

Two kinds of numbers suffer from distance in a large world. Bounds in trees are in single precision and relative to the
origin in SYSTEM.place: when that moves, each tree gets a copy with shifted bounds, and users of an old one stay there. Positions
are in double precision and do not change: so the step is not affected, nothing wakes, no contact is new. A host that uses single
precision has a frame: the position of its zero in the world. Moving that costs nothing; only the host's numbers change.
"""

import time

import numpy as np

from ..bodies.records import system_at, world_at
from ..bodies.system_schema import offset_of
from ..broad_phase.schema import TREE
from ..broad_phase.shift import FARTHEST, GRID, begin_shift, drop_copies, moved_high, moved_low, shift_subtree, shift_tree
from ..geometry.vector import subtract, vector3
from ..runtime import atomics
from ..runtime.call import call_3_result
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of, view
from ..runtime.parking import PARKING, give_way
from .commands import STEPPING, take_gate

TREE_SIZE = TREE.itemsize
ORIGIN_VERSION, FRAME_VERSION = offset_of("place", "origin_version"), offset_of("place", "frame_version")
SHIFTED, BUSY, FULL = 1, 0, -1
PAUSE = 0.0002


@kernel
def begin_all(system, bodies):
    """Call `begin_shift` for all trees, or for none."""
    for layer in range(system.trees.layer_count):
        answer = begin_shift(system.trees.rows + layer * TREE_SIZE, bodies)
        if answer != SHIFTED:
            for held in range(layer):
                drop_copies(system.trees.rows + held * TREE_SIZE)
            return np.int64(answer)
    return np.int64(SHIFTED)


@entry_point("int64(int64, int64, int64)")
def shift_origin(address, wanted, frame):
    """Give the system at an address the origin of the three doubles at `wanted`, on the grid, and its host the frame of those at
    `frame`, if any. Return SHIFTED; or BUSY: a query has stayed in the previous tree all the time, or a loader is at work, try
    again; or FULL: the pool of tree nodes is. For any thread but one that holds the gate; waits for the step."""
    system = system_at(address)
    world = world_at(system.world)
    origin = vector3(view(wanted, 3, np.float64))
    take_gate(address, STEPPING)
    answer = begin_all(system, world.bodies)
    if answer == SHIFTED:
        atomics.add_int64(address + ORIGIN_VERSION, 1)
        for layer in range(system.trees.layer_count):
            shift_tree(system.trees.rows + layer * TREE_SIZE, world.bodies, origin)
        for k in range(3):
            system.place.origin[k] = origin[k]
        if frame != 0:
            given, place = view(frame, 3, np.float64), (system.place.frame_version + 1) & 1
            for k in range(3):
                system.place.frames[place, k] = given[k]
            atomics.add_int64(address + FRAME_VERSION, 1)
        atomics.add_int64(address + ORIGIN_VERSION, 1)
    call_3_result(world.edit_function, system.world, 0, address)
    return answer


@kernel
def read_origin(address, out):
    """Read the origin of a system, to `out`, and its version. Any thread; waits during a shift."""
    system = system_at(address)
    while True:
        version = atomics.load_acquire_int64(address + ORIGIN_VERSION)
        if version & 1 == 0:
            for k in range(3):
                out[k] = system.place.origin[k]
            atomics.fence_acquire()
            if atomics.load_acquire_int64(address + ORIGIN_VERSION) == version:
                return version
        give_way(view(world_at(system.world).parking, 1, PARKING)[0])


@kernel
def read_frame(address):
    """The position of the host's zero in the world [m], at one moment. Any thread."""
    system = system_at(address)
    while True:
        version = atomics.load_acquire_int64(address + FRAME_VERSION)
        frame = vector3(system.place.frames[version & 1])
        atomics.fence_acquire()
        if atomics.load_acquire_int64(address + FRAME_VERSION) == version:
            return frame


@kernel
def catch_up(system, batch, tree):
    """Give a batch that was prepared before a shift bounds relative to the present origin. For the holder of the gate."""
    if batch.origin_version == system.place.origin_version:
        return
    by = subtract(vector3(system.place.origin), vector3(batch.system_origin))
    shift_subtree(tree, world_at(batch.world).bodies, batch.subtree, by)
    bounds = batch.bounds
    if bounds[0] <= bounds[3]:
        move_bounds(bounds, by)
    batch.origin_version = system.place.origin_version
    for k in range(3):
        batch.system_origin[k] = system.place.origin[k]


@kernel
def move_bounds(bounds, by):
    """Shift six bounds to an origin that has moved."""
    for k in range(3):
        bounds[k], bounds[3 + k] = moved_low(bounds[k], by[k]), moved_high(bounds[3 + k], by[k])


def on_grid(position) -> np.ndarray:
    """The point of the grid of origins nearest to a position [m]. Raises ValueError if that is not finite or too far."""
    place = np.asarray(position, np.float64)
    if place.shape != (3,) or not (np.abs(place) <= FARTHEST).all():
        raise ValueError(f"shift_origin: the position must be three numbers within {FARTHEST:g} m, got {position!r}")
    return np.rint(place / GRID) * GRID


def shift(system, position, frame=None, timeout: float = 5.0) -> np.ndarray:
    """Call `shift_origin` for a PhysicsSystem until it is done. Return the new origin. Raises ValueError, PoolFull,
    TimeoutError."""
    origin = on_grid(position)
    given = np.asarray(origin if frame is None else frame, np.float64)
    until = time.monotonic() + timeout
    while True:
        answer = shift_origin(system.address, address_of(origin), 0 if frame is None else address_of(given))
        if answer == SHIFTED:
            return origin
        if answer == FULL:
            raise system.trees.full()
        if time.monotonic() > until:
            raise TimeoutError(f"shift_origin: a query holds the tree before the last for more than {timeout} s")
        time.sleep(PAUSE)
