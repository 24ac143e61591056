"""Batches of static bodies: created, added to a system and removed together, with almost no work on the stepping thread.

A loader makes the bodies of a batch from arrays and prepares their sub-tree (`make_batch`); the stepping thread inserts it
(`advance`, some microseconds for any size). To remove a batch, the loader removes its bodies from the tree (`hide_batch`), waits
until no earlier query is left (`quiet_counters`), and finds the bodies that something touches (`find_touched`); only those need
the stepping thread. Then the rows are free.

All of it is compiled and does not hold the GIL. `advance` is called by the stepping thread, between steps; the rest by any one
thread a batch.
"""

import numpy as np

from ..bodies.bounds import bounds_overlap, fatten_bounds, renew_local_bounds, update_bounds
from ..bodies.identity import SEQUENCE_MASK
from ..bodies.motion import bodies_of
from ..bodies.rare import own_rare
from ..bodies.records import system_at, world_at
from ..bodies.schema import (
    BODY, INDEX_BITS, INSTANCE, IS_IN_CHANGED_LIST, IS_IN_MOVED_LIST, KIND_BITS, KIND_BODY, LAYER_MOVING, LAYER_NOT_MOVING,
    LAYER_SENSOR,
)  # fmt: skip
from ..bodies.system_schema import offset_of
from ..broad_phase.add import tree_prepare
from ..broad_phase.calls import call_rebuild
from ..broad_phase.query import CURSOR, bounds_query_begin, bounds_query_next, query_end
from ..broad_phase.rebuild import tree_swap
from ..broad_phase.schema import TREE, USER_STRIPES
from ..broad_phase.tree_edits import USERS, tree_abort, tree_finalize, tree_remove_many
from ..collision.pair_finding import mark_moved
from ..edit.body_placement import take_out
from ..edit.commands import STEPPING, take_gate
from ..edit.origin import catch_up, read_origin
from ..geometry.vector import length_squared, store3, vector3
from ..runtime import atomics
from ..runtime.call import call_3_result, load_int64, store_int64
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import stack_array, view
from ..runtime.timeline import cycles

INT32, INT64, FLOAT32 = np.int32, np.int64, np.float32
TREE_SIZE = TREE.itemsize
BODY_WORDS, ROW_BYTES = BODY.itemsize // 8, BODY.itemsize
LARGE = 1.0e30
BACKGROUND_SLICE = 16384
"""Items of a rebuild that a loader handles at a time; the step can do its own share in between."""

# A static body as given by a loader. Poses are relative to the origin of the batch.
NEW_BODY = np.dtype(
    [
        ("position", "f8", 3),  # [m]
        ("rotation", "f4", 4),  # x, y, z, w; unit
        ("first_shape", "i4"),  # its shapes: rows of NEW_SHAPE from here
        ("shape_count", "i4"),
        ("collision_layer", "u4"),
        ("collision_mask", "u4"),
        ("friction", "f4"),
        ("restitution", "f4"),
        ("surface_linear_velocity", "f4", 3),  # [m/s]
        ("reserved", "i4"),
    ],
    align=True,
)
NEW_SHAPE = np.dtype(
    [
        ("shape", "i4"),  # index into the batch's list of shapes
        ("position", "f4", 3),  # body frame [m]
        ("rotation", "f4", 4),
    ],
    align=True,
)

# States of a batch. ENTERING while the advancing thread adds it; HIDDEN from the moment it leaves the tree.
PREPARED, ENTERING, IS_IN, HIDDEN, TOUCHED, IS_OUT, ABORTED, DROPPED, FAILED = range(1, 10)
BATCH = np.dtype(
    [
        ("state", "i8"),
        ("next", "i8"),  # address of the batch after it in a queue
        ("world", "i8"), ("system", "i8"), ("system_index", "i8"),
        ("count", "i8"),
        ("rows", "i8"),  # address of int32 (count): rows of the body pool
        ("new_bodies", "i8"), ("new_shapes", "i8"), ("shape_rows", "i8"),  # addresses of NEW_BODY, NEW_SHAPE, int32
        ("first_instance", "i8"),  # first row of the pool of shapes on bodies
        ("template", "i8"),  # address of a BODY row that all are copied from
        ("user_id", "i8"),
        ("origin", "f8", 3),  # world [m]
        ("system_origin", "f8", 3), ("origin_version", "i8"),  # origin of its bounds, and its version
        ("subtree", "i8"),
        ("touched", "i8"), ("touched_count", "i8"), ("touched_done", "i8"),  # int32 (count): rows with pairs
        ("bounds", "f4", 6),  # of all its bodies, relative to the system's origin
    ],
    align=True,
)  # fmt: skip
HIDES_BEGUN, HIDES_ENDED = offset_of("trees", "hides_begun"), offset_of("trees", "hides_ended")
STATE, NEXT = BATCH.fields["state"][1], BATCH.fields["next"][1]

# Batches on their way to the stepping thread.
QUEUE = np.dtype(
    [
        ("incoming", "i8"),  # address of the newest batch, linked by `next`; any thread pushes
        ("first", "i8"), ("last", "i8"),  # those that `advance` has taken over, in order
        ("budget", "i8"),  # cycles that a call may take; what has begun is finished
        ("waiting", "i8"),
        ("last_cycles", "i8"), ("worst_cycles", "i8"), ("total_cycles", "i8"), ("call_count", "i8"),
        ("finalized_count", "i8"), ("removed_count", "i8"),  # batches
        ("seen_bodies", "i8"),  # moving bodies that will search for new pairs
        # Work of the last step on trees because of it, while the system's stages are measured
        ("tree_counter", "i8"),  # address of the stage's int64 counter of cycles, or 0
        ("tree_before", "i8"), ("worst_tick_cycles", "i8"),  # `advance` and the trees of the step after it
    ],
    align=True,
)  # fmt: skip
INCOMING = QUEUE.fields["incoming"][1]
WAITING = QUEUE.fields["waiting"][1]


@kernel
def static_tree(system):
    """Address of the tree of static bodies."""
    return system.trees.rows + LAYER_NOT_MOVING * TREE_SIZE


# Making -------------------------------------------------------------------------------------------------------------


@kernel
def copy_row(target, source):
    """Copy a row of BODY, by address."""
    for k in range(BODY_WORDS):
        store_int64(target + 8 * k, load_int64(source + 8 * k))


@kernel
def _place_shapes(batch, record, index, first, new):
    """Fill the rows of a body's shapes."""
    instances = view(record.instances, record.instance_capacity, INSTANCE)
    given = view(batch.new_shapes, new.first_shape + new.shape_count, NEW_SHAPE)
    shape_rows = view(batch.shape_rows, 1 << 30, INT32)
    for n in range(new.shape_count):
        source, instance = given[new.first_shape + n], instances[first + n]
        row = shape_rows[source.shape]
        instance.shape, instance.user_shape, instance.is_disabled, instance.body = row, row, 0, index
        instance.query_layers = instance.simulation_layers = 0  # the row may have been reused
        instance.has_user_transform = 0
        for k in range(4):
            instance.rotation[k] = source.rotation[k]
        for k in range(3):
            instance.position[k] = instance.origin_position[k] = source.position[k]


@kernel
def _make_body(batch, record, bodies, number, first):
    """Fill one row; its id, which makes it a body, is written last."""
    index = INT64(view(batch.rows, batch.count, INT32)[number])
    new = view(batch.new_bodies, batch.count, NEW_BODY)[number]
    body = bodies[index]
    sequence = max(body.sequence, 1)
    copy_row(record.bodies + index * ROW_BYTES, batch.template)
    body.sequence = INT32(sequence)
    body.system = INT32(batch.system_index)
    body.user_id = batch.user_id
    for k in range(3):
        body.position[k] = new.position[k] + batch.origin[k]
        body.rest_way[k] = FLOAT32(0.0)
    for k in range(4):
        body.rotation[k] = body.rest_rotation[k] = new.rotation[k]
    if length_squared(vector3(new.surface_linear_velocity)) > 0.0:
        store3(own_rare(batch.world, body).surface_linear_velocity, vector3(new.surface_linear_velocity))
    body.collision_layer, body.collision_mask = new.collision_layer, new.collision_mask
    body.friction, body.restitution = new.friction, new.restitution
    body.first_instance, body.instance_count, body.instance_capacity = INT32(first), new.shape_count, new.shape_count
    _place_shapes(batch, record, index, first, new)
    renew_local_bounds(batch.world, body, False)
    update_bounds(batch.world, batch.system_origin, body)
    fatten_bounds(body, 0.0)
    for k in range(3):
        batch.bounds[k] = min(batch.bounds[k], body.fat_bounds[k])
        batch.bounds[3 + k] = max(batch.bounds[3 + k], body.fat_bounds[3 + k])
    identity = (INT64(sequence) & SEQUENCE_MASK) << (INDEX_BITS + KIND_BITS) | INT64(KIND_BODY) << INDEX_BITS | index
    atomics.store_release_int64(record.bodies + index * ROW_BYTES, identity)


@entry_point("int64(int64)")
def make_batch(address):
    """Make the bodies of the BATCH at an address and prepare their sub-tree. Return 1, or 0: the pool of tree nodes is full."""
    batch = view(address, 1, BATCH)[0]
    record, system = world_at(batch.world), system_at(batch.system)
    bodies = bodies_of(batch.world)
    for k in range(3):
        batch.bounds[k], batch.bounds[3 + k] = FLOAT32(LARGE), FLOAT32(-LARGE)
    batch.origin_version = read_origin(batch.system, batch.system_origin)
    first = batch.first_instance
    for number in range(batch.count):
        _make_body(batch, record, bodies, number, first)
        first += view(batch.new_bodies, batch.count, NEW_BODY)[number].shape_count
    batch.subtree = tree_prepare(static_tree(system), record.bodies, batch.rows, batch.count)
    atomics.store_release_int64(address + STATE, INT64(PREPARED if batch.subtree >= 0 else FAILED))
    return INT64(1 if batch.subtree >= 0 else 0)


# On the stepping thread ---------------------------------------------------------------------------------------------


@kernel
def _tell_moving(queue, batch, system, bodies):
    """Have the moving bodies and the areas near the batch search for pairs in the next step. Cheaper than searching for each of
    its bodies, since few things move."""
    cursor = stack_array(1, CURSOR)
    for layer in (LAYER_MOVING, LAYER_SENSOR):
        tree = system.trees.rows + layer * TREE_SIZE
        bounds_query_begin(cursor, tree, batch.bounds)
        while True:
            index = bounds_query_next(cursor, tree)
            if index < 0:
                break
            if bounds_overlap(bodies[index].fat_bounds, batch.bounds):
                mark_moved(system, bodies, index)
                queue.seen_bodies += 1
        query_end(cursor, tree)


@kernel
def _put_in(queue, address):
    batch = view(address, 1, BATCH)[0]
    system = system_at(batch.system)
    if atomics.compare_exchange_int64(address + STATE, INT64(PREPARED), INT64(ENTERING)) != PREPARED:
        atomics.store_release_int64(address + STATE, INT64(DROPPED))
        return
    catch_up(system, batch, static_tree(system))
    if tree_finalize(static_tree(system), batch.subtree, batch.count) < 0:
        atomics.store_release_int64(address + STATE, INT64(FAILED))
        return
    _tell_moving(queue, batch, system, bodies_of(batch.world))
    queue.finalized_count += 1
    # Last: a waiting thread may remove the batch, and free its memory, at once.
    atomics.store_release_int64(address + STATE, INT64(IS_IN))


@kernel
def _take_some_out(batch, budget, begin):
    """Remove the touched bodies of a batch from their pairs, waking bodies on them. Return whether all are done."""
    touched = view(batch.touched, batch.count, INT32)
    while batch.touched_done < batch.touched_count:
        take_out(batch.world, INT64(touched[batch.touched_done]))
        batch.touched_done += 1
        if cycles() - begin > budget:
            break
    return batch.touched_done == batch.touched_count


@kernel
def _take_over(address, queue):
    """Move batches pushed by other threads to the end of the own list, oldest first."""
    newest = atomics.exchange_int64(address + INCOMING, INT64(0))
    if newest == 0:
        return
    first, at = INT64(0), newest
    while at != 0:
        following = load_int64(at + NEXT)
        store_int64(at + NEXT, first)
        first, at = at, following
    if queue.first == 0:
        queue.first = first
    else:
        store_int64(queue.last + NEXT, first)
    queue.last = newest


@entry_point("void(int64)")
def advance(address):
    """Add batches and remove touched bodies, until the budget is used up; the rest waits for the next call."""
    queue = view(address, 1, QUEUE)[0]
    begin = cycles()
    queue.call_count += 1
    if queue.tree_counter != 0:
        trees = load_int64(queue.tree_counter)
        queue.worst_tick_cycles = max(queue.worst_tick_cycles, queue.last_cycles + trees - queue.tree_before)
        queue.tree_before = trees
    _take_over(address, queue)
    while queue.first != 0:
        at = queue.first
        batch = view(at, 1, BATCH)[0]
        # All of it now: once its state is written, the batch's memory belongs to its owner again.
        following, system_address, world_address = batch.next, batch.system, batch.world
        take_gate(system_address, STEPPING)
        is_waiting = batch.state == TOUCHED and not _take_some_out(batch, queue.budget, begin)
        if not is_waiting:
            queue.first = following
            if batch.state == TOUCHED:
                queue.removed_count += 1
                atomics.store_release_int64(at + STATE, INT64(IS_OUT))
            else:
                _put_in(queue, at)
        call_3_result(world_at(world_address).edit_function, world_address, INT64(0), system_address)
        if is_waiting:
            break
        atomics.add_int64(address + WAITING, INT64(-1))
        if cycles() - begin > queue.budget:
            break
    queue.last_cycles = cycles() - begin
    queue.total_cycles += queue.last_cycles
    queue.worst_cycles = max(queue.worst_cycles, queue.last_cycles)


@entry_point("void(int64, int64)")
def push(queue, batch):
    """Give a batch to the stepping thread. Any thread."""
    atomics.add_int64(queue + WAITING, INT64(1))
    newest = atomics.load_acquire_int64(queue + INCOMING)
    while True:
        store_int64(batch + NEXT, newest)
        seen = atomics.compare_exchange_int64(queue + INCOMING, newest, batch)
        if seen == newest:
            return
        newest = seen


# Taking out, and tending the tree -------------------------------------------------------------------------------------


@entry_point("int64(int64)")
def abort_batch(address):
    """Request that a pushed batch not be added. Return 1: it will not be (its state becomes DROPPED); 0: it is in, or about to
    be."""
    return INT64(atomics.compare_exchange_int64(address + STATE, INT64(PREPARED), INT64(ABORTED)) == PREPARED)


@entry_point("void(int64)")
def drop_subtree(address):
    """Free the prepared sub-tree of a batch that was never added."""
    batch = view(address, 1, BATCH)[0]
    system, record = system_at(batch.system), world_at(batch.world)
    tree_abort(static_tree(system), record.bodies, batch.subtree)


@entry_point("void(int64)")
def hide_batch(address):
    """Remove the bodies of a batch that is in from the tree: no query that begins from now on finds them."""
    atomics.store_release_int64(address + STATE, INT64(HIDDEN))
    batch = view(address, 1, BATCH)[0]
    system, record = system_at(batch.system), world_at(batch.world)
    atomics.add_int64(batch.system + HIDES_BEGUN, INT64(1))
    tree_remove_many(static_tree(system), record.bodies, batch.rows, batch.count)
    atomics.add_int64(batch.system + HIDES_ENDED, INT64(1))


@entry_point("int64(int64, int64)")
def quiet_counters(address, seen):
    """Return which of the tree's 16 counters of users have been seen at zero, those in `seen` included: a bit each. When all
    have, every query that had begun before the first call has ended."""
    system = system_at(view(address, 1, BATCH)[0].system)
    counters = static_tree(system) + USERS
    for k in range(2 * USER_STRIPES):
        if atomics.load_acquire_int64(counters + 64 * k) == 0:
            seen |= INT64(1) << k
    return seen


@entry_point("int64(int64)")
def find_touched(address):
    """Find the bodies of a hidden batch that the step still knows. Return their number. Their ids are stale from here on."""
    batch = view(address, 1, BATCH)[0]
    record, bodies = world_at(batch.world), bodies_of(batch.world)
    rows, touched = view(batch.rows, batch.count, INT32), view(batch.touched, batch.count, INT32)
    count = 0
    for number in range(batch.count):
        index = INT64(rows[number])
        body = bodies[index]
        atomics.store_release_int64(record.bodies + index * ROW_BYTES, INT64(0))
        if body.first_pair >= 0 or body.first_joint >= 0 or body.flags & (IS_IN_CHANGED_LIST | IS_IN_MOVED_LIST):
            touched[count] = rows[number]
            count += 1
    batch.touched_count, batch.touched_done = count, 0
    atomics.store_release_int64(address + STATE, INT64(TOUCHED if count > 0 else IS_OUT))
    return INT64(count)


@entry_point("void(int64)")
def retire_rows(address):
    """Free the rows of a batch that is out; their next bodies get other ids."""
    batch = view(address, 1, BATCH)[0]
    bodies, rows = bodies_of(batch.world), view(batch.rows, batch.count, INT32)
    for number in range(batch.count):
        body = bodies[rows[number]]
        body.id = 0
        body.system = -1
        body.sequence = INT32(max((INT64(body.sequence) + 1) & SEQUENCE_MASK, 1))


@entry_point("int64(int64, int64)")
def tend_tree(system_address, slices):
    """Rebuild the tree of static bodies on this thread, so that the step need not: at most this many slices. Return how many were
    done; 0: there was nothing to do."""
    system = system_at(system_address)
    tree, bodies = static_tree(system), world_at(system.world).bodies
    done = 0
    while done < slices:
        phase = view(tree, 1, TREE)[0].phase
        if call_rebuild(tree, bodies, 1, BACKGROUND_SLICE):
            tree_swap(tree)
        elif phase == 0 and view(tree, 1, TREE)[0].phase == 0:
            break
        done += 1
    return INT64(done)


@entry_point("int64(int64)")
def missing_bodies(address):
    """The number of bodies of a batch that are not in the tree, for checks."""
    batch = view(address, 1, BATCH)[0]
    bodies, rows = bodies_of(batch.world), view(batch.rows, batch.count, INT32)
    count = 0
    for number in range(batch.count):
        count += bodies[rows[number]].is_in_tree == 0 or bodies[rows[number]].id == 0
    return INT64(count)
