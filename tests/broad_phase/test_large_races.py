"""Several thousand bodies: deep trees, of which rebuilds keep most whole while the origin moves.

Two threads change bodies and one of them rebuilds, swaps and shifts; a third asks. A body that rests while it is asked for must
be met where it is; and walkers, who move all the while but never leave the height that is asked for, must all be met every time.
"""

import threading
import time

import numpy as np

from scree.bodies.schema import BODY
from scree.broad_phase.add import tree_add
from scree.broad_phase.tree_edits import tree_remove, tree_widen
from scree.broad_phase.nodes import HEAD, NODE_SIZE, NODES, PARENT
from scree.broad_phase.rebuild import tree_rebuild, tree_renew, tree_swap
from scree.broad_phase.schema import TREE
from scree.broad_phase.shift import begin_shift, shift_tree
from scree.runtime import atomics
from scree.runtime.call import load_int32, load_int64, store_int32
from scree.runtime.kernel import kernel
from scree.runtime.memory import address_of, address_of_row, stack_array, view

from .drivers import World, random_boxes
from .racing import begin_change, end_change, give, mark_in_box, new_box, next_random, put_bounds, take
from .tree_invariants import check_trees

COUNT, WALKERS = 6000, 64
SIDE = np.float32(600.0)
HEIGHT = np.float32(900.0)
"""Where the walkers are, far above all others [m]."""
LONGEST = 10.0  # s
JUDGED, MISSED, WALKS, WALKERS_MISSED, MOVED, SHIFTED, FULL = range(7)


@kernel
def move_one(tree, bodies, rows, state, body, boxes, versions, counts):
    """To anywhere. Behind the gate."""
    box = stack_array(6, np.float32)
    begin_change(rows, versions, body)
    new_box(state, SIDE, box)
    if body < WALKERS:
        box[1], box[4] = HEIGHT - np.float32(1.0), HEIGHT + np.float32(1.0)
    put_bounds(tree, rows[body], box)
    tree_widen(tree, bodies, body)
    for k in range(6):
        boxes[body, k] = box[k]
    end_change(rows, versions, body)
    counts[MOVED] += 1


@kernel
def forget_parents(tree):
    """Break a tree that has just been shifted: nodes that rebuilds may keep are left without a parent in the tree to come."""
    record = view(tree, 1, TREE)[0]
    next_parity = 1 - ((load_int64(tree + HEAD) >> 32) & 1)
    for k in range(record.opened_count):
        node = load_int64(tree + NODES) + np.int64(load_int32(record.build.created + 4 * k)) * NODE_SIZE
        store_int32(node + PARENT + 4 * next_parity, np.int32(-1))


@kernel
def rest():
    """Leave the processor to others for some microseconds."""
    for _ in range(1000):
        atomics.pause()


@kernel
def shift(tree, bodies, state, gate, counts, forgets):
    """Try to move the origin; 1: it has been."""
    take(gate)
    shifted = begin_shift(tree, bodies)
    if shifted == 1:
        x, z = next_random(state) % 64 - 32, next_random(state) % 64 - 32
        shift_tree(tree, bodies, (64.0 * x, 64.0, 64.0 * z))
        counts[SHIFTED] += 1
        if forgets:
            forget_parents(tree)
    give(gate)
    return shifted


@kernel
def step(tree, bodies, boxes, versions, counts, gate, stop, forgets):
    """Move even bodies, rebuild and swap, shift now and then, each when the one before is done."""
    rows = view(bodies, COUNT, BODY)
    state = np.full(1, np.uint64(12345))
    number = 0
    while atomics.load_acquire_int64(stop) == 0:
        number += 1
        take(gate)
        for k in range(20):
            among = WALKERS if k < 2 else COUNT
            move_one(tree, bodies, rows, state, next_random(state) % (among // 2) * 2, boxes, versions, counts)
        give(gate)
        while atomics.load_acquire_int64(stop) == 0 and (tree_rebuild(tree, bodies) == 0 or tree_swap(tree) == 0):
            rest()
        while atomics.load_acquire_int64(stop) == 0 and number % 4 == 0:
            if shift(tree, bodies, state, gate, counts, forgets) == 1:
                break
            rest()


@kernel
def come_and_go(tree, bodies, boxes, versions, counts, gate, stop):
    """Move odd bodies; a few go and come back."""
    rows = view(bodies, COUNT, BODY)
    state = np.full(1, np.uint64(777))
    while atomics.load_acquire_int64(stop) == 0:
        body = next_random(state) % (COUNT // 2) * 2 + 1
        goes = body > WALKERS and next_random(state) % 32 == 0
        if goes:
            begin_change(rows, versions, body)
            tree_remove(tree, bodies, body)
            end_change(rows, versions, body)
            atomics.add_int64(address_of_row(versions, body), 1)  # odd: nowhere
        take(gate)
        if goes:
            begin_change(rows, versions, body)
            put_bounds(tree, rows[body], boxes[body])
            counts[FULL] += tree_add(tree, bodies, body) < 0
            end_change(rows, versions, body)
            atomics.add_int64(address_of_row(versions, body), 1)
        move_one(tree, bodies, rows, state, body, boxes, versions, counts)
        give(gate)
        rest()
        rest()


@kernel
def look(tree, boxes, versions, counts, stop):
    """Ask for one body after another where it is, and for all walkers now and then."""
    state, marks, stamp = np.full(1, np.uint64(4242)), np.zeros(COUNT, np.int64), 0
    box = np.zeros(6, np.float32)
    while atomics.load_acquire_int64(stop) == 0:
        stamp += 1
        body = next_random(state) % COUNT
        version = atomics.load_acquire_int64(address_of_row(versions, body))
        for axis in range(3):
            box[axis] = box[axis + 3] = (boxes[body, axis] + boxes[body, axis + 3]) * np.float32(0.5)
        atomics.fence()
        mark_in_box(tree, box, marks, stamp)
        atomics.fence()
        if version & 1 == 0 and atomics.load_acquire_int64(address_of_row(versions, body)) == version:
            counts[JUDGED] += 1
            counts[MISSED] += marks[body] != stamp
        if stamp % 8 == 0:
            for axis in range(3):
                box[axis], box[axis + 3] = -SIDE, SIDE
            box[1] = box[4] = HEIGHT
            mark_in_box(tree, box, marks, -stamp)
            counts[WALKS] += 1
            for walker in range(WALKERS):
                counts[WALKERS_MISSED] += marks[walker] != -stamp


def race(forgets: bool, enough: int) -> tuple[np.ndarray, World]:
    """Have three threads at it until so many shifts and 100 times as many answers are there, but not for ever."""
    world, random = World(COUNT), np.random.default_rng(1)
    boxes = random_boxes(random, COUNT, float(SIDE))
    boxes[:WALKERS, 1], boxes[:WALKERS, 4] = HEIGHT - 1, HEIGHT + 1
    world.place_all(boxes)
    world.add_batch(range(COUNT))
    tree_renew(world.tree, world.bodies)
    versions, counts = np.zeros(COUNT, np.int64), np.zeros((3, 7), np.int64)
    gate, stop = np.zeros(1, np.int64), np.ones(1, np.int64)
    flags = address_of(gate), address_of(stop)
    jobs = (
        lambda: step(world.tree, world.bodies, boxes, versions, counts[0], *flags, forgets),
        lambda: come_and_go(world.tree, world.bodies, boxes, versions, counts[1], *flags),
        lambda: look(world.tree, boxes, versions, counts[2], flags[1]),
    )
    for job in jobs:
        job()  # compiled before the race
    stop[0] = 0
    threads = [threading.Thread(target=job) for job in jobs]
    for thread in threads:
        thread.start()
    end = time.monotonic() + LONGEST
    while time.monotonic() < end and (counts[0, SHIFTED] < enough or counts[2, JUDGED] < 100 * enough):
        time.sleep(0.02)
    stop[0] = 1
    for thread in threads:
        thread.join()
    row = world.trees.trees.rows[0]
    total = counts.sum(0)
    print(
        f"\n{total[JUDGED]} bodies asked for, {total[MISSED]} missed; {total[WALKS]} times all walkers, "
        f"{total[WALKERS_MISSED]} missed; {total[MOVED]} moves, {total[SHIFTED]} shifts, {row['rebuild_count']} rebuilds, "
        f"{row['full_build_count']} of all"
    )
    assert total[FULL] == 0 and total[SHIFTED] >= 10 and total[JUDGED] >= 1000 and total[WALKS] >= 100
    assert row["rebuild_count"] - row["full_build_count"] >= 10, "rebuilds that keep trees whole"
    return total, world


def test_nobody_is_missed():
    """And in the end everything is in its place."""
    total, world = race(False, 150)
    assert total[MISSED] == 0 and total[WALKERS_MISSED] == 0
    assert world.query([-1e9] * 3 + [1e9] * 3) == list(range(COUNT))
    check_trees(world)


def test_forgotten_parents_are_found():
    """The race finds a fault when shifted nodes do not know their parents in the tree to come."""
    total, _ = race(True, 60)
    assert total[MISSED] > 0
