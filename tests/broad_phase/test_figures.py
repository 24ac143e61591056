"""Costs of the trees. Each test prints its figures; limits are on the threads' own processor time where others could
disturb them.
"""

import threading
import time

import numpy as np
import pytest

from scree.broad_phase.add import tree_add, tree_prepare
from scree.broad_phase.tree_edits import tree_finalize, tree_remove_many, tree_widen_many
from scree.broad_phase.query import (
    bounds_query_begin,
    bounds_query_next,
    query_end,
    ray_query_begin,
    ray_query_next,
)
from scree.broad_phase.rebuild import tree_rebuild, tree_renew, tree_swap
from scree.broad_phase.schema import CURSOR
from scree.runtime.kernel import kernel
from scree.runtime.memory import stack_array

from .drivers import World, random_boxes, rays_in

pytestmark = pytest.mark.alone
SIDE = 1500.0  # [m]
TILE = 2500


@kernel
def cast_rays(tree, origins, directions, sums):
    """All bodies met by each ray; sums: nodes looked at, bodies given."""
    cursor = stack_array(1, CURSOR)
    for i in range(len(origins)):
        ray_query_begin(cursor, tree, origins[i], directions[i], 1.0)
        while ray_query_next(cursor, tree, 1.0) >= 0:
            sums[1] += 1
        query_end(cursor, tree)
        sums[0] += cursor[0].node_count


@kernel
def find_boxes(tree, bounds, sums):
    """Query each of the boxes."""
    cursor = stack_array(1, CURSOR)
    for i in range(len(bounds)):
        bounds_query_begin(cursor, tree, bounds[i])
        while bounds_query_next(cursor, tree) >= 0:
            sums[1] += 1
        query_end(cursor, tree)
        sums[0] += cursor[0].node_count


@kernel
def add_one_ask_one(tree, bodies, count, origins, directions):
    """Add a body, cast a ray, in turn."""
    cursor = stack_array(1, CURSOR)
    met = 0
    for i in range(count):
        tree_add(tree, bodies, i)
        ray_query_begin(cursor, tree, origins[i], directions[i], 1.0)
        while ray_query_next(cursor, tree, 1.0) >= 0:
            met += 1
        query_end(cursor, tree)
    return met


@kernel
def add_all(tree, bodies, count):
    """Add bodies one by one."""
    for i in range(count):
        tree_add(tree, bodies, i)


@kernel
def finalize_all(tree, roots, count):
    """Hang prepared batches into the tree."""
    for root in roots:
        tree_finalize(tree, root, count)


def least(action, repeats=7) -> float:
    """Least processor time of this thread that `action` takes [s]."""
    times = []
    for _ in range(repeats):
        begin = time.thread_time()
        action()
        times.append(time.thread_time() - begin)
    return min(times)


def step(world):
    """The calls of a step on a tree."""
    tree_rebuild(world.tree, world.bodies)
    tree_swap(world.tree)


def static_world(generator, count, capacity):
    """Boxes at rest, built at once."""
    world = World(capacity, layer=1)
    world.pool.rows["fat_bounds"][:count] = random_boxes(generator, count, SIDE)
    world.add_batch(range(count))
    tree_renew(world.tree, world.bodies)
    return world


def test_batches():
    """`finalize` costs the calling thread next to nothing, whatever the size of the world; `prepare` and removing."""
    generator = np.random.default_rng(1)
    figures, batches = {}, 10
    for count in (20_000, 200_000):
        world = static_world(generator, count, count + batches * TILE)
        tiles = np.arange(count, count + batches * TILE, dtype=np.int32).reshape(batches, TILE)
        world.pool.rows["fat_bounds"][count:] = random_boxes(generator, batches * TILE, 256.0)
        roots, times = np.zeros(batches, np.int64), []
        finalize_all(world.tree, roots[:0], TILE)
        for _ in range(16):
            begin = time.thread_time()
            for i, ids in enumerate(tiles):
                roots[i] = tree_prepare(world.tree, world.bodies, ids.ctypes.data, TILE)
            prepared = time.thread_time()
            finalize_all(world.tree, roots, TILE)
            finalized = time.thread_time()
            tree_remove_many(world.tree, world.bodies, tiles.ctypes.data, tiles.size)
            times.append((prepared - begin, finalized - prepared, (time.thread_time() - finalized) / TILE))
            tree_renew(world.tree, world.bodies)
        figures[count] = np.min(times, 0) * 1e6 / batches
        prepare, finalize, remove = figures[count]
        print(f"\n{count} bodies: prepare {prepare:.0f} us, finalize {finalize:.2f} us, remove {remove:.3f} us each")
        assert prepare <= 1500 and finalize <= 40 and remove <= 1
    # Half a microsecond of grace: both are as short as the reading of the clock.
    assert figures[200_000][1] <= 1.5 * figures[20_000][1] + 0.5


@pytest.mark.parametrize("spread", [False, True], ids=["tiles", "spread"])
def test_quality_comes_back(spread):
    """After 20 batches and at most 30 steps a query looks at as many nodes as in a tree built at once; no step is
    long."""
    generator = np.random.default_rng(2)
    count = 20 * 1000
    fresh = static_world(generator, count, count)
    world = World(count, layer=1)
    boxes = fresh.pool.rows["fat_bounds"]
    world.pool.rows["fat_bounds"] = boxes
    order = generator.permutation(count)
    if not spread:
        cell = np.floor((boxes[:, 0] + SIDE / 2) / SIDE * 4.99) * 4 + np.floor((boxes[:, 2] + SIDE / 2) / SIDE * 3.99)
        order = np.argsort(cell, kind="stable")
    origins, directions = rays_in(generator, 2000, SIDE)
    bounds = np.concatenate([origins - 2, origins + 2], 1).astype(np.float32)

    def nodes(of):
        sums = np.zeros(2, np.int64)
        cast_rays(of.tree, origins, directions, sums)
        rays = sums[0] / len(origins)
        find_boxes(of.tree, bounds, sums)
        return np.array([rays, sums[0] / len(origins) - rays]), least(
            lambda: cast_rays(of.tree, origins, directions, sums)
        ) / len(origins)

    step(fresh)
    best, best_time = nodes(fresh)
    for batch in order.reshape(20, -1):
        world.add_batch(batch)
    before, before_time = nodes(world)
    steps, longest = 0, 0.0
    ratio = before / best
    while ratio.max() > 1.15 and steps < 30:
        begin = time.thread_time()
        step(world)
        longest = max(longest, time.thread_time() - begin)
        steps += 1
        ratio = nodes(world)[0] / best
    after, after_time = nodes(world)
    name = "spread" if spread else "tile by tile"
    print(f"\n{name}: nodes a ray, a box: {best.round(1)} at best, {before.round(1)} after 20 batches,")
    print(f"{after.round(1)} after {steps} steps, the longest of {longest * 1e3:.2f} ms;")
    print(f"time a ray {best_time * 1e9:.0f}, {before_time * 1e9:.0f}, {after_time * 1e9:.0f} ns")
    assert ratio.max() <= 1.15


def test_queries():
    """Rays and boxes among 20,000 bodies at rest, the tree's part; and two threads on one tree."""
    generator = np.random.default_rng(3)
    world = static_world(generator, 20_000, 20_000)
    origins, directions = rays_in(generator, 10_000, SIDE)
    bounds = np.concatenate([origins - 2, origins + 2], 1).astype(np.float32)
    sums = np.zeros(2, np.int64)
    cast_rays(world.tree, origins, directions, sums)
    ray_sums = sums / len(origins)
    sums[:] = 0
    find_boxes(world.tree, bounds, sums)
    ray = least(lambda: cast_rays(world.tree, origins, directions, sums)) / len(origins)
    box = least(lambda: find_boxes(world.tree, bounds, sums)) / len(origins)
    print(f"\nrays {1e-6 / ray:.2f} million a second ({ray_sums[0]:.1f} nodes, {ray_sums[1]:.2f} bodies)")
    print(f"box {box * 1e9:.0f} ns")
    apart = static_world(np.random.default_rng(3), 20_000, 20_000)

    def together(trees):
        """The smallest time of each of two threads that work at the same time, each on its tree. [s]"""
        times = np.zeros(2)

        def work(i):
            mine = np.zeros(2, np.int64)
            times[i] = least(lambda: cast_rays(trees[i], origins, directions, mine), 40)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return times

    # How much a second thread brings is the machine's affair (two halves of one core give 1.3): what is asked here is
    # that sharing a tree costs nothing beside each having its own.
    shared = np.min([together([world.tree, world.tree]) for _ in range(3)], 0)
    own = np.min([together([world.tree, apart.tree]) for _ in range(3)], 0)
    print(f"two threads on one tree do {(ray * len(origins) / shared).sum():.2f} times the work of one")
    print(f"on a tree each {(ray * len(origins) / own).sum():.2f} times")
    assert box < 0.5e-6
    assert shared.sum() < 1.2 * own.sum()


def test_moving_bodies():
    """5,000 bodies that all move: widen, rebuild, swap, and the look for pairs."""
    generator = np.random.default_rng(4)
    count = 5000
    world = World(count)
    world.pool.rows["fat_bounds"] = random_boxes(generator, count, 100.0)
    add_all(world.tree, world.bodies, count)
    ids = np.arange(count, dtype=np.int32)
    times = []
    for _ in range(30):
        world.pool.rows["fat_bounds"] += np.float32(0.01)
        begin = time.thread_time()
        tree_widen_many(world.tree, world.bodies, ids.ctypes.data, count)
        widened = time.thread_time()
        step(world)
        times.append((widened - begin, time.thread_time() - widened))
    widen, rebuild = np.min(times, 0) * 1e3
    bounds, sums = world.pool.rows["fat_bounds"].copy(), np.zeros(2, np.int64)
    pairs = least(lambda: find_boxes(world.tree, bounds, sums)) / count * 1e9
    print(f"\n5,000 moving bodies: widen {widen:.2f} ms, rebuild and swap {rebuild:.2f} ms, query {pairs:.0f} ns a body")
    assert rebuild < 0.6 and pairs < 500


def test_add_one_ask_one():
    """2,500 times add one body, ask one ray: at most twice the cost of adding all, then asking all."""
    generator = np.random.default_rng(5)
    boxes, (origins, directions) = random_boxes(generator, TILE, 300.0), rays_in(generator, TILE, SIDE)
    origins *= [0.2, 1, 0.2]
    sums = np.zeros(2, np.int64)
    best = [1.0, 1.0]
    for _ in range(6):
        for way in range(2):
            world = World(TILE, layer=1)
            world.pool.rows["fat_bounds"] = boxes
            cast_rays(world.tree, origins[:1], directions[:1], sums)
            add_one_ask_one(world.tree, world.bodies, 0, origins, directions)
            add_all(world.tree, world.bodies, 0)
            begin = time.thread_time()
            if way == 0:
                add_all(world.tree, world.bodies, TILE)
                cast_rays(world.tree, origins, directions, sums)
            else:
                add_one_ask_one(world.tree, world.bodies, TILE, origins, directions)
            best[way] = min(best[way], time.thread_time() - begin)
    print(f"\nadd {TILE}, ask {TILE}: {best[0] * 1e3:.2f} ms; in turn {best[1] * 1e3:.2f} ms")
    assert best[1] <= 2 * best[0]
