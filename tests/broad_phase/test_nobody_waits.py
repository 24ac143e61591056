"""Nobody waits: rays go on, with right answers, while a writer is parked; and beside writers they cost little more."""

import ctypes
import sys
import threading
import time

import numpy as np
import pytest

from scree.broad_phase.add import tree_prepare
from scree.broad_phase.tree_edits import tree_finalize, tree_remove_many, tree_widen_many
from scree.broad_phase.query import query_end, ray_query_begin, ray_query_next
from scree.broad_phase.rebuild import tree_rebuild, tree_swap
from scree.broad_phase.schema import CURSOR
from scree.runtime import atomics
from scree.runtime.call import call_2_result
from scree.runtime.kernel import kernel
from scree.runtime.memory import address_of_row, stack_array
from tests.sizes import size

from .drivers import World, random_boxes, rays_in

pytestmark = pytest.mark.alone
PARKED = size(0.0, in_full=1.0)
"""So long [s] a writer is parked at least."""
THREAD_CPU_CLOCK = 3


@kernel
def wrong_answers(tree, origins, directions, expected):
    """Rays of which the number of bodies met is below what it must be."""
    cursor = stack_array(1, CURSOR)
    wrong = 0
    for i in range(len(origins)):
        met = 0
        ray_query_begin(cursor, tree, origins[i], directions[i], 1.0)
        while ray_query_next(cursor, tree, 1.0) >= 0:
            met += 1
        query_end(cursor, tree)
        wrong += met < expected[i]
    return wrong


@kernel
def count_met(tree, origins, directions, counts):
    """Bodies met by each ray."""
    cursor = stack_array(1, CURSOR)
    for i in range(len(origins)):
        counts[i] = 0
        ray_query_begin(cursor, tree, origins[i], directions[i], 1.0)
        while ray_query_next(cursor, tree, 1.0) >= 0:
            counts[i] += 1
        query_end(cursor, tree)


@kernel
def time_rays(tree, origins, directions, clock, times):
    """Processor time of this thread for each ray [ns], by the system's clock at address `clock`."""
    cursor = stack_array(1, CURSOR)
    now = stack_array(2, np.int64)
    met = 0
    for i in range(len(origins)):
        call_2_result(clock, THREAD_CPU_CLOCK, address_of_row(now, 0))
        begin = now[0] * 1_000_000_000 + now[1]
        ray_query_begin(cursor, tree, origins[i], directions[i], 1.0)
        while ray_query_next(cursor, tree, 1.0) >= 0:
            met += 1
        query_end(cursor, tree)
        call_2_result(clock, THREAD_CPU_CLOCK, address_of_row(now, 0))
        times[i] = now[0] * 1_000_000_000 + now[1] - begin
    return met


@kernel
def disturb(tree, bodies, moving, moving_count, tile, tile_count, stop):
    """Step after step: move bodies, rebuild and swap; put a tile in and take it out."""
    steps = 0
    while atomics.load_acquire_int64(stop) == 0:
        tree_widen_many(tree, bodies, moving, moving_count)
        if tree_rebuild(tree, bodies):
            tree_swap(tree)
        root = tree_prepare(tree, bodies, tile, tile_count)
        tree_finalize(tree, root, tile_count)
        tree_remove_many(tree, bodies, tile, tile_count)
        steps += 1
    return steps


def make_world(generator, count, spare, side=300.0):
    """`count` bodies at once in one tree, boxes for `spare` more."""
    world = World(count + spare)
    world.pool.rows["fat_bounds"] = random_boxes(generator, count + spare, side)
    world.add_batch(range(count))
    for _ in range(2):
        world.trees.trees.rows["is_dirty"] = 1
        tree_rebuild(world.tree, world.bodies)
        tree_swap(world.tree)
    return world


def test_parked_writers(explored):
    """A thread is parked in the middle of finalize, of removing, of rebuilding and of swapping; 10,000 rays of another
    thread are done meanwhile, each time."""
    generator = np.random.default_rng(1)
    world = make_world(generator, 1000, 100)
    rays = rays_in(generator, 10_000, 300.0)
    ids = np.arange(1000, 1100, dtype=np.int32)
    expected = np.zeros(10_000, np.int64)
    root = -1

    def finalize():
        assert explored.tree_edits.tree_finalize(world.tree, root, len(ids)) == 0

    def remove():
        explored.tree_edits.tree_remove_many(world.tree, world.bodies, ids.ctypes.data, len(ids))

    def rebuild():
        explored.new_tree.advance_rebuild(world.tree, world.bodies, True, 1 << 40)

    def swap():
        explored.new_tree.swap_trees(world.tree)

    slowest = 0.0
    count_met(world.tree, *rays, expected)
    assert wrong_answers(world.tree, *rays, expected + 1) == len(expected)
    for share in (0.1, 0.5, 0.9):
        root = tree_prepare(world.tree, world.bodies, ids.ctypes.data, len(ids))
        for writer, stores in ((finalize, 30), (remove, 900), (rebuild, 3000), (swap, 4)):
            finished = []

            def meanwhile(finished=finished):
                def look():
                    begin = time.perf_counter()
                    finished.append((wrong_answers(world.tree, *rays, expected), time.perf_counter() - begin))

                thread = threading.Thread(target=look)
                thread.start()
                time.sleep(PARKED)
                thread.join(20)  # rays that waited for the writer would wait for ever

            explored.run(writer, max(1, int(stores * share)), meanwhile)
            assert len(finished) == 1, f"{writer.__name__} was not parked, or the rays waited"
            assert finished[0][0] == 0
            slowest = max(slowest, finished[0][1])
        count_met(world.tree, *rays, expected)
    print(f"\nwriters parked in the tree, {PARKED} s each: 10,000 rays took at most {slowest * 1e3:.1f} ms")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measured by the thread's own processor clock")
def test_rays_beside_writers():
    """The slowest rays quiet, and beside a thread that moves 3,000 bodies, rebuilds, and adds and removes tiles."""
    generator = np.random.default_rng(2)
    world = make_world(generator, 20_000, 700, 1500.0)
    origins, directions = rays_in(generator, 100_000, 1500.0)
    clock = ctypes.cast(ctypes.CDLL(None).clock_gettime, ctypes.c_void_p).value
    times = np.zeros(len(origins), np.int64)
    moving, tile = np.arange(3000, dtype=np.int32), np.arange(20_000, 20_700, dtype=np.int32)
    stop, steps = np.zeros(8, np.int64), []
    time_rays(world.tree, origins[:10], directions[:10], clock, times)
    stop[0] = 1
    arguments = (world.tree, world.bodies, moving.ctypes.data, 3000, tile.ctypes.data, 700, stop.ctypes.data)
    disturb(*arguments)
    ratio = np.inf
    for _attempt in range(3):
        time_rays(world.tree, origins, directions, clock, times)
        quiet = np.percentile(times, [50, 99.9])
        stop[0] = 0
        thread = threading.Thread(target=lambda: steps.append(disturb(*arguments)))
        thread.start()
        time_rays(world.tree, origins, directions, clock, times)
        stop[0] = 1
        thread.join()
        beside = np.percentile(times, [50, 99.9])
        ratio = min(ratio, beside[1] / quiet[1])
        print(
            f"\na ray, median and 99.9th percentile: quiet {quiet[0]:.0f}, {quiet[1]:.0f} ns; beside {steps[-1]} steps "
            f"{beside[0]:.0f}, {beside[1]:.0f} ns"
        )
        if ratio <= 3.0:
            break
    assert ratio <= 3.0
