"""Tools for threads that race in trees: chance, versions of bodies, the gate of a system."""

import numpy as np

from scree.broad_phase.nodes import HEAD
from scree.broad_phase.origins import tree_origin
from scree.broad_phase.query import bounds_query_next, bounds_query_on, query_end, query_enter
from scree.broad_phase.schema import CURSOR
from scree.broad_phase.shift import moved_high, moved_low
from scree.runtime import atomics
from scree.runtime.kernel import kernel
from scree.runtime.memory import address_of_row, stack_array


@kernel
def next_random(state):
    """xorshift64, one word."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return np.int64(x >> np.uint64(20))


@kernel
def uniform(state):
    """A number from 0 to 1."""
    return np.float32((next_random(state) & 0xFFFFF) * np.float32(1.0 / 1048576.0))


@kernel
def new_box(state, side, box):
    """A random box."""
    for axis in range(3):
        centre = (uniform(state) - np.float32(0.5)) * side
        half = np.float32(0.5) + np.float32(2.0) * uniform(state)
        box[axis], box[axis + 3] = centre - half, centre + half


@kernel
def begin_change(rows, versions, body):
    """The body's version and sequence become odd."""
    atomics.add_int64(address_of_row(versions, body), 1)
    rows[body].published += 1
    atomics.fence()


@kernel
def end_change(rows, versions, body):
    """And even again."""
    atomics.fence()
    rows[body].published += 1
    atomics.add_int64(address_of_row(versions, body), 1)


@kernel
def take(gate):
    """Hold the gate: whoever adds or moves bodies does, as everybody does in a system, and whoever shifts the origin."""
    while atomics.compare_exchange_int64(gate, 0, 1) != 0:
        atomics.pause()


@kernel
def give(gate):
    """Let others in."""
    atomics.exchange_int64(gate, 0)


@kernel
def put_bounds(tree, row, box):
    """Write a body's fat bounds from a box in the world. Behind the gate."""
    origin = tree_origin(tree, atomics.load_acquire_int64(tree + HEAD) >> 32)
    for axis in range(3):
        row.fat_bounds[axis] = moved_low(box[axis], origin[axis])
        row.fat_bounds[axis + 3] = moved_high(box[axis + 3], origin[axis])


@kernel
def mark_in_box(tree, box, marks, stamp):
    """Mark all bodies that a box in the world meets. Gives the generation of the tree that was asked."""
    cursor, place = stack_array(1, CURSOR), stack_array(6, np.float32)
    origin = query_enter(cursor, tree)
    for axis in range(3):
        place[axis], place[axis + 3] = moved_low(box[axis], origin[axis]), moved_high(box[axis + 3], origin[axis])
    bounds_query_on(cursor, tree, place)
    while True:
        body = bounds_query_next(cursor, tree)
        if body < 0:
            break
        marks[body] = stamp
    generation = cursor[0].generation
    query_end(cursor, tree)
    return generation
