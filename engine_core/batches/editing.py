"""One edit for many bodies, the motion of many bodies, and freeing many of them: one compiled call each."""

from collections.abc import Callable

import numpy as np

from ..bodies.identity import SEQUENCE_MASK, index_of
from ..bodies.motion import bodies_of
from ..bodies.records import world_at
from ..bodies.schema import HAS_EXCEPTIONS, HAS_RARE, IS_IN_BATCH, SLEEP_REQUESTED, STATIC, WAKE_REQUESTED
from ..edit.body_locks import read_motions
from ..edit.body_placement import leave_system
from ..edit.commands import COMMAND, FULL, NO_BODY
from ..edit.edit_table import MOST_VALUES, Edit
from ..geometry.turning import turned
from ..runtime import atomics
from ..runtime.call import call_2, call_3_result
from ..runtime.kernel import entry_point
from ..runtime.memory import address_of, address_of_row, stack_array, view
from ..runtime.recorded_calls import recorded
from .adding import rows_of
from .body_batches import ROW_BYTES

INT32, INT64, FLOAT64 = np.int32, np.int64, np.float64
FEW = 4
"""Up to this many bodies are freed one by one, which costs less."""


@entry_point("int64(int64, int64, int64, int64, int64, int64)")
def give_commands(world_address, ids_address, count, edit_number, values_address, width):
    """Give a COMMAND of one edit to each of the bodies with int64 ids at an address, with `width` doubles each. Return the number
    of commands that are done or wait: fewer than `count` if a body is gone or the ring of a system is full."""
    ids, edit_function = view(ids_address, count, INT64), world_at(world_address).edit_function
    values = view(values_address, count * width, FLOAT64)
    command = stack_array(1, COMMAND)
    command[0].edit = edit_number
    for n in range(count):
        command[0].body = ids[n]
        for k in range(MOST_VALUES):
            command[0].values[k] = values[n * width + k] if k < width else 0.0
        answer = call_3_result(edit_function, world_address, address_of_row(command, 0), INT64(0))
        if answer == NO_BODY or answer == FULL:
            return INT64(n)
    return INT64(count)


@entry_point("void(int64, int64, int64, int64)")
def take_out_many(world_address, rows_address, count, leave_function):
    """Take the bodies in int64 rows out of their systems, whose gates the caller holds, and make their ids stale."""
    rows, bodies, first = view(rows_address, count, INT64), bodies_of(world_address), world_at(world_address).bodies
    for n in range(count - 1, -1, -1):  # lists of a system are searched from their newest entries
        body = bodies[rows[n]]
        if body.system >= 0:
            call_2(leave_function, world_address, rows[n])
        atomics.store_release_int64(first + rows[n] * ROW_BYTES, INT64(0))
        body.sequence = INT32(max((INT64(body.sequence) + 1) & SEQUENCE_MASK, 1))


def edit_bodies(world, call: str, ids: np.ndarray, edit: Edit, values: np.ndarray) -> None:
    """Give an edit with values float64 (n, k) to many bodies: it is executed at once, or at the end of the running step. Any
    thread may call. Raises KeyError for a body that is gone, PoolFull if too many edits wait."""
    rows_of(world, call, ids)
    values = np.ascontiguousarray(values, np.float64)
    done = give_commands(world.address, address_of(ids), len(ids), edit.number, address_of(values), values.shape[1])
    if done < len(ids):
        world.body.index(call, int(ids[done]))
        raise world.edits_full(call)


def motions_of(world, call: str, ids: np.ndarray) -> np.ndarray:
    """Position of the centre of mass [m], rotation, linear [m/s] and angular velocity [rad/s] of each body, each at one moment:
    float64 (n, 13). Any thread may call; no thread waits. Raises KeyError for a body that is gone."""
    rows, out = rows_of(world, call, ids), np.empty((len(ids), 13))
    read_motions(world.address, address_of(rows), len(rows), address_of(out))
    return out


def origin_motions_of(world, call: str, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`motions_of`, and the arms from the origins of the bodies to their centres of mass in world axes [m], (n, 3)."""
    motions = motions_of(world, call, ids)
    centers = world.bodies.rows["center_of_mass"][index_of(ids)].astype(np.float64)
    return motions, turned(motions[:, 3:7], centers) if centers.any() else centers


def are_asleep(world, call: str, ids: np.ndarray) -> np.ndarray:
    """Whether each body sleeps, or is about to, bool (n,). Raises KeyError for a body that is gone."""
    bodies = world.bodies.rows[rows_of(world, call, ids)]
    can_rest = (bodies["system"] >= 0) & (bodies["mode"] != STATIC)
    rests = can_rest & (bodies["active_index"] < 0) & (bodies["flags"] & np.uint32(WAKE_REQUESTED) == 0)
    return rests | (bodies["flags"] & np.uint32(SLEEP_REQUESTED) != 0)


def shapes_on(world, rows: np.ndarray) -> list[tuple[int, int]]:
    """Indices of the users' shapes on bodies or areas with these rows, and the number of uses of each."""
    firsts, counts = (world.bodies.rows[name][rows] for name in ("first_instance", "instance_count"))
    used = world.instances.rows["user_shape"]
    if (counts == 1).all():
        found = used[firsts]
    else:
        found = np.concatenate([used[a : a + n] for a, n in zip(firsts.tolist(), counts.tolist(), strict=True)])
    return list(zip(*(part.tolist() for part in np.unique(found, return_counts=True)), strict=True))


def each_once(ids: np.ndarray) -> np.ndarray:
    """Ids, int64 (n), without repetitions, in their order."""
    firsts = np.unique(ids, return_index=True)[1]
    return ids if len(firsts) == len(ids) else ids[np.sort(firsts)]


def free_bodies(world, ids: np.ndarray, on_freed: Callable[[list[tuple[int, int]]], None] = lambda used: None) -> None:
    """Take bodies of one system, or of none, out of it and free them, then call `on_freed` with the `shapes_on` them: now, or at
    the end of the running step. Few bodies, and those with joints, exceptions, reports or several shapes, are freed one by one.
    An id given twice counts once. Raises KeyError for a body that is gone, ValueError for one that belongs to a tile; then
    nothing was freed."""
    ids = each_once(ids)
    rows = rows_of(world, "remove", ids)
    if len(rows) == 0:
        return
    bodies = world.bodies.rows
    in_tiles = np.flatnonzero(bodies["flags"][rows] & np.uint32(IS_IN_BATCH))
    if len(in_tiles):
        world.body.own_index("remove", int(ids[in_tiles[0]]))

    def free() -> None:
        is_there = world.bodies.ids[rows] == ids  # another thread may have freed some meanwhile
        _free(world, rows[is_there], ids[is_there], on_freed)

    world.late.run(int(ids[0]), free)


def _free(world, rows: np.ndarray, ids: np.ndarray, on_freed: Callable[[list[tuple[int, int]]], None]) -> None:
    """Free bodies while holding the gates of their systems."""
    if len(rows):
        used = shapes_on(world, rows)
        free_known(world, ids)
        on_freed(used)


@recorded("batches")
def free_known(world, ids: np.ndarray) -> None:
    """Free bodies that all exist, int64 (n,), while holding the gates of their systems."""
    ids = np.asarray(ids, np.int64)
    rows, bodies = index_of(ids), world.bodies.rows
    if len(rows):
        flags = bodies["flags"][rows]
        is_plain = (bodies["instance_count"][rows] == 1) & (bodies["instance_capacity"][rows] == 1)
        is_plain &= (len(rows) > FEW) & (bodies["first_joint"][rows] < 0) & (flags & np.uint32(HAS_EXCEPTIONS) == 0)
        is_plain &= (flags & np.uint32(HAS_RARE) == 0) | (world.bodies.rare.rows["contacts"][rows] == 0)
        for identity in ids[~is_plain].tolist():
            world.body.destroy(identity)
        if is_plain.any():
            _free_plain(world, rows[is_plain])


def _free_plain(world, rows: np.ndarray) -> None:
    """Free bodies that only their systems and their one shape each refer to, while holding the gates of the systems."""
    instances, firsts = world.instances, world.bodies.rows["first_instance"][rows].tolist()
    shapes, used = instances.rows["user_shape"][firsts], instances.rows["shape"][firsts]
    take_out_many(world.address, address_of(rows), len(rows), leave_system.address)
    for shape, count in zip(*(part.tolist() for part in np.unique(shapes, return_counts=True)), strict=True):
        world.shape_users.drop(shape, count)
    for row, count in zip(*(part.tolist() for part in np.unique(used, return_counts=True)), strict=True):
        with world.shapes.held():
            world.shapes.rows["use_count"][row] -= count - 1
            world.shapes.release(row)

    def give_back() -> None:  # when no query reads them any more
        instances.give_back_many(firsts, 1)
        world.bodies.give_back_many(rows)

    world.retirement.retire(give_back)
