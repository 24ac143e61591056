"""Creating many bodies of one mode in a system: one compiled call fills the rows, and one sub-tree is inserted into the tree.

The bodies are ordinary ones: each may be changed and freed by itself afterwards. Any thread may call; the bodies enter at once,
or at the end of the running step (edit/commands.py).
"""

from functools import partial

import numpy as np

from ..bodies.bounds import fatten_bounds, update_bounds
from ..bodies.identity import SEQUENCE_MASK, index_of, kind_of
from ..bodies.layers import broad_phase_layer_of
from ..bodies.motion import bodies_of, center_velocity, system_of
from ..bodies.records import world_at
from ..bodies.schema import INDEX_BITS, INDEX_MASK, INSTANCE, KIND_BITS, KIND_BODY, RIGID
from ..broad_phase.add import tree_prepare
from ..broad_phase.tree_edits import tree_finalize
from ..edit.body_placement import enter_system, renew, tree_of
from ..geometry.vector import store3, store4
from ..runtime import atomics
from ..runtime.call import call_3
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of, view
from ..runtime.recorded_calls import recorded
from .body_batches import ROW_BYTES, copy_row

INT32, INT64, FLOAT64 = np.int32, np.int64, np.float64
LEAST_SUBTREE = 8
"""Fewer bodies than this go into the tree one by one."""

NEW_BODIES = np.dtype(
    [
        ("world", "i8"),
        ("system_index", "i8"),
        ("count", "i8"),
        ("template", "i8"),  # address of a BODY row that all are copied from
        ("rows", "i8"),  # addresses of int32 (count): rows of the body pool,
        ("instances", "i8"),  # rows of the pool of shapes on bodies,
        ("shapes", "i8"), ("user_shapes", "i8"),  # rows of shapes: the one that collides, and the user's
        ("motions", "i8"),  # address of float64 (count, 13): origin [m], rotation, velocity of the origin [m/s], spin [rad/s]
        ("masses", "i8"),  # address of float64 (count) [kg]
        ("ids", "i8"),  # address of int64 (count): written
        ("renew", "i8"), ("enter_system", "i8"),  # addresses of entry points
    ],
    align=True,
)  # fmt: skip


@kernel
def _place_shape(given, record, n, index):
    at = INT64(view(given.instances, given.count, INT32)[n])
    instance = view(record.instances, record.instance_capacity, INSTANCE)[at]
    instance.shape = view(given.shapes, given.count, INT32)[n]
    instance.user_shape = view(given.user_shapes, given.count, INT32)[n]
    instance.body, instance.is_disabled, instance.has_user_transform = INT32(index), 0, 0
    instance.query_layers = instance.simulation_layers = 0  # the row may have been reused
    store4(instance.rotation, (0.0, 0.0, 0.0, 1.0))
    store3(instance.position, (0.0, 0.0, 0.0))
    store3(instance.origin_position, (0.0, 0.0, 0.0))
    return at


@kernel
def _make_body(given, record, n):
    """Fill one row; the id, which makes it a body, is written last."""
    index = INT64(view(given.rows, given.count, INT32)[n])
    body = bodies_of(given.world)[index]
    sequence = INT64(max(body.sequence, 1))
    copy_row(record.bodies + index * ROW_BYTES, given.template)
    body.sequence = INT32(sequence)
    body.mass = view(given.masses, given.count, FLOAT64)[n]
    motion = view(given.motions + 104 * n, 13, FLOAT64)
    store3(body.position, (motion[0], motion[1], motion[2]))
    store4(body.rotation, (motion[3], motion[4], motion[5], motion[6]))
    store3(body.linear_velocity, (motion[7], motion[8], motion[9]))
    store3(body.angular_velocity, (motion[10], motion[11], motion[12]))
    body.first_instance = INT32(_place_shape(given, record, n, index))
    body.instance_count = body.instance_capacity = INT32(1)
    call_3(given.renew, given.world, index, INT64(0))  # moves the position to the centre of mass
    if body.mode >= RIGID:
        store3(body.linear_velocity, center_velocity(body, (motion[7], motion[8], motion[9])))
    store3(body.rest_way, (0.0, 0.0, 0.0))
    store4(body.rest_rotation, (motion[3], motion[4], motion[5], motion[6]))
    identity = (sequence & SEQUENCE_MASK) << (INDEX_BITS + KIND_BITS) | INT64(KIND_BODY) << INDEX_BITS | index
    view(given.ids, given.count, INT64)[n] = identity
    atomics.store_release_int64(record.bodies + index * ROW_BYTES, identity)


@entry_point("void(int64)")
def make_bodies(address):
    """Make the bodies that the NEW_BODIES record at an address describes, in no system yet."""
    given = view(address, 1, NEW_BODIES)[0]
    record = world_at(given.world)
    for n in range(given.count):
        _make_body(given, record, n)


@entry_point("void(int64)")
def enter_many(address):
    """Put bodies of one layer, in no system, into a system. The caller holds its gate."""
    given = view(address, 1, NEW_BODIES)[0]
    record, bodies = world_at(given.world), bodies_of(given.world)
    rows = view(given.rows, given.count, INT32)
    system = system_of(given.world, given.system_index)[0]
    if given.count >= LEAST_SUBTREE:
        layer = INT32(broad_phase_layer_of(given.world, bodies[rows[0]]))
        for n in range(given.count):
            body = bodies[rows[n]]
            body.broad_phase_layer = layer
            update_bounds(given.world, system.place.origin, body)
            fatten_bounds(body, system.step.last_delta_time)
        tree = tree_of(system, bodies[rows[0]])
        root = tree_prepare(tree, record.bodies, given.rows, given.count)
        if root >= 0:  # else no node is free, and `enter_system` adds what fits
            tree_finalize(tree, root, given.count)
    for n in range(given.count):
        call_3(given.enter_system, given.world, given.system_index, INT64(rows[n]))


@recorded("batches")
def make_in_no_system(world, template: np.ndarray, motions: np.ndarray, masses: np.ndarray, shapes: np.ndarray) -> np.ndarray:
    """Create bodies in no system: see `add_bodies`. Return their ids."""
    count = len(motions)
    kinds, which = shapes[:1], np.zeros(count, np.int64)
    if (shapes != kinds).any():
        kinds, which = np.unique(shapes, return_inverse=True)
    indices = [world.shape.index("add_bodies", int(shape)) for shape in kinds]
    world.retirement.reclaim()
    rows = world.bodies.take_many(count)
    runs = world.instances.take_many(count, 1)
    try:
        if len(runs) < count:
            raise world.instances.pool.full()
        used = _use_shapes(world, indices, which, rows)
    except BaseException:
        world.instances.give_back_many(runs, 1)
        world.bodies.give_back_many(rows)
        raise
    ids = np.zeros(count, np.int64)
    kept = (
        rows, np.array(runs, np.int32), used[which].astype(np.int32), np.array(indices, np.int32)[which],
        np.ascontiguousarray(motions, np.float64), np.ascontiguousarray(masses, np.float64), ids, template,
    )  # fmt: skip
    given = np.zeros(1, NEW_BODIES)
    given["world"], given["count"], given["renew"] = world.address, count, renew.address
    names = ("rows", "instances", "shapes", "user_shapes", "motions", "masses", "ids", "template")
    for name, array in zip(names, kept, strict=True):
        given[name] = address_of(array)
    if count:
        make_bodies(address_of(given))
    return ids


def add_bodies(
    world, system: int, template: np.ndarray, motions: np.ndarray, masses: np.ndarray, shapes: np.ndarray
) -> np.ndarray:
    """Create bodies in a system and return their ids, int64 (n).

    `template`: an array of one BODY row (`BodyPool.template`). `motions` float64 (n, 13): origin [m], unit quaternion,
    velocity of the origin [m/s], angular velocity [rad/s]. `masses` float64 (n) [kg]. `shapes` int64 (n): ids of shapes.
    Values are not checked. Raises KeyError (system, shape), PoolFull; then nothing was taken."""
    number = world.system_index("add_bodies", system)
    ids = make_in_no_system(world, template, motions, masses, shapes)
    if len(ids):
        world.late.run(int(ids[0]), partial(enter_made, world, number, ids), number)
    return ids


def _use_shapes(world, indices: list[int], which: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Count the uses of shapes, given by index, by bodies in `rows`; `which` says which shape each has. Return the rows that
    collide, int32. Raises ValueError if another thread freed one of them; then none is used."""
    used = np.zeros(len(indices), np.int32)
    with world.shapes.held():
        for k, index in enumerate(indices):
            try:
                used[k] = world.shapes.derive(index)
            except ValueError:
                for row in used[:k].tolist():
                    world.shapes.release(row)
                raise
        for k, index in enumerate(indices):
            here = np.flatnonzero(which == k)
            world.shapes.rows[used[k]]["use_count"] += len(here) - 1
            world.shape_users.add_many(index, rows[here])
    return used


@recorded("batches")
def enter_made(world, number: int, ids: np.ndarray) -> None:
    """Put bodies of one layer, in no system, into the system with a number, unless they were freed meanwhile. The caller holds
    its gate."""
    ids = np.asarray(ids, np.int64)
    rows = index_of(ids).astype(np.int32)
    rows = np.ascontiguousarray(rows[world.bodies.ids[rows] == ids])
    given = np.zeros(1, NEW_BODIES)
    given["world"], given["system_index"], given["count"] = world.address, number, len(rows)
    given["rows"], given["enter_system"] = address_of(rows), enter_system.address
    enter_many(address_of(given))


def rows_of(world, call: str, ids: np.ndarray) -> np.ndarray:
    """Rows of the body pool, int64 (n), of bodies that all exist. Raises KeyError, naming the call and the first id without a
    body."""
    rows = ids & INDEX_MASK
    may_be = (kind_of(ids) == KIND_BODY) & (rows < world.bodies.count)
    if not may_be.all():
        world.body.index(call, int(ids[np.argmin(may_be)]))
    gone = np.flatnonzero(world.bodies.ids[rows] != ids)
    if len(gone):
        world.body.index(call, int(ids[gone[0]]))
    return rows
