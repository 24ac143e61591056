"""The trees against their naive twin, one thread."""

import numpy as np
import pytest

from scree.broad_phase.add import tree_add, tree_prepare
from scree.broad_phase.tree_edits import (
    tree_abort,
    tree_finalize,
    tree_remove,
    tree_remove_many,
    tree_widen,
)
from scree.broad_phase.rebuild import tree_rebuild, tree_renew, tree_swap

from .drivers import World, random_boxes


def check(world, generator, side):
    """A few random boxes and rays see what the twin sees; boxes may be wider than the body's where it moved since."""
    for _ in range(4):
        centre, half = generator.uniform(-side / 2, side / 2, 3), generator.uniform(0.1, side / 4, 3)
        bounds = np.concatenate([centre - half, centre + half])
        given, expected = world.query(bounds), world.twin_query(bounds)
        assert len(given) == len(set(given))
        assert set(expected) <= set(given)
        assert set(given) <= set(world.boxes)
        origin, direction = generator.uniform(-side / 2, side / 2, 3), generator.normal(0, side / 3, 3)
        given = world.ray(origin, direction)
        assert world.twin_ray(origin, direction) <= given <= set(world.boxes)


@pytest.mark.parametrize("seed", range(6))
def test_random_operations(seed):
    """Adds one by one and in batches, moves, removals, aborts, rebuilds in slices and swaps, in any order."""
    generator = np.random.default_rng(seed)
    capacity, side = 600, 100.0
    world = World(capacity, layer=seed % 2)
    world.trees.trees.rows["budget"] = [1 << 40, 64][seed % 2]
    prepared = []
    for step in range(400):
        action = generator.integers(0, 10)
        outside = [i for i in range(capacity) if i not in world.boxes and not any(i in p[1] for p in prepared)]
        inside = list(world.boxes)
        if action <= 2 and outside:
            for body in generator.choice(outside, min(len(outside), 1 + step % 7), replace=False):
                box = random_boxes(generator, 1, side)[0]
                world.place(body, box[:3], box[3:])
                assert tree_add(world.tree, world.bodies, int(body)) == 0
                world.boxes[int(body)] = box
        elif action == 3 and outside:
            chosen = generator.choice(outside, min(len(outside), int(generator.integers(1, 80))), replace=False)
            ids = chosen.astype(np.int32)
            for body, box in zip(ids, random_boxes(generator, len(ids), side), strict=True):
                world.place(body, box[:3], box[3:])
            root = tree_prepare(world.tree, world.bodies, ids.ctypes.data, len(ids))
            assert root >= 0
            prepared.append((root, ids.tolist()))
        elif action == 4 and prepared:
            root, ids = prepared.pop(int(generator.integers(0, len(prepared))))
            if generator.random() < 0.3:
                tree_abort(world.tree, world.bodies, root)
            else:
                assert tree_finalize(world.tree, root, len(ids)) == 0
                world.boxes.update({i: world.pool.rows[i]["fat_bounds"].copy() for i in ids})
        elif action == 5 and inside:
            for body in generator.choice(inside, min(len(inside), 5), replace=False):
                assert tree_remove(world.tree, world.bodies, int(body)) == 1
                assert tree_remove(world.tree, world.bodies, int(body)) == 0
                del world.boxes[int(body)]
        elif action == 6 and inside:
            ids = generator.choice(inside, min(len(inside), 40), replace=False).astype(np.int32)
            assert tree_remove_many(world.tree, world.bodies, ids.ctypes.data, len(ids)) == len(ids)
            for body in ids.tolist():
                del world.boxes[body]
        elif action == 7 and inside:
            for body in generator.choice(inside, min(len(inside), 30), replace=False):
                box = world.boxes[int(body)] + np.tile(generator.normal(0, 3, 3), 2).astype(np.float32)
                world.place(body, box[:3], box[3:])
                tree_widen(world.tree, world.bodies, int(body))
                world.boxes[int(body)] = box
        elif action == 8:
            tree_rebuild(world.tree, world.bodies)
        else:
            tree_swap(world.tree)
        check(world, generator, side)
        assert world.trees.body_count(world.layer) == len(world.boxes)
    for root, _ in prepared:
        tree_abort(world.tree, world.bodies, root)
    everything = [-1e9] * 3 + [1e9] * 3
    assert world.query(everything) == sorted(world.boxes)
    for _ in range(3):
        tree_renew(world.tree, world.bodies)
    assert world.query(everything) == sorted(world.boxes)
    assert world.trees.trees.rows["rebuild_count"][world.layer] > 3
    # Every node that is not in the tree has come back to the pool.
    world.trees.trees.rows["is_dirty"] = 1
    for _ in range(3):
        tree_renew(world.tree, world.bodies)
    assert world.trees.node_count() <= 2 * len(world.boxes) + 60


def test_boxes_fit_after_rebuild():
    """After a rebuild that had nothing to disturb it, a query gives exactly the bodies whose own box overlaps."""
    generator = np.random.default_rng(5)
    world = World(2000)
    world.place_all(random_boxes(generator, 2000, 200.0))
    world.add_each(range(2000))
    for _ in range(3):
        moved = generator.choice(2000, 500, replace=False)
        for body in moved:
            box = world.boxes[body] + np.tile(generator.normal(0, 1, 3), 2).astype(np.float32)
            world.place(body, box[:3], box[3:])
            tree_widen(world.tree, world.bodies, int(body))
            world.boxes[body] = box
        assert tree_renew(world.tree, world.bodies) == 1
    for _ in range(100):
        low = generator.uniform(-100, 100, 3)
        bounds = np.concatenate([low, low + generator.uniform(0, 20, 3)])
        assert world.query(bounds) == world.twin_query(bounds)


def test_levels_show_the_tree():
    """Every body hangs in one slot, and within the bounds of the slots above."""
    generator = np.random.default_rng(6)
    world = World(300)
    world.place_all(random_boxes(generator, 300, 100.0))
    world.add_each(range(300))
    tree_renew(world.tree, world.bodies)
    levels = world.trees.levels(0)
    children = np.concatenate([level[1] for level in levels])
    assert sorted((-3 - children[children < 0]).tolist()) == list(range(300))
    for (bounds, nodes), (_, below) in zip(levels, levels[1:], strict=False):
        assert len(below) > 0 and (bounds[nodes >= 0, :3] <= bounds[nodes >= 0, 3:]).all()
    assert len(levels) <= 8


def test_full_pool_is_a_clear_error():
    """When no node is left, the call says so, nothing is lost, and the message names the setting."""
    generator = np.random.default_rng(7)
    world = World(400)
    world.place_all(random_boxes(generator, 400, 100.0))
    world.add_each(range(100))
    fresh = int(world.trees.allocator.rows["fresh"][0])
    world.trees.trees.rows["node_capacity"] = fresh + 32
    ids = np.arange(100, 400, dtype=np.int32)
    assert tree_prepare(world.tree, world.bodies, ids.ctypes.data, len(ids)) == -1
    added = [body for body in range(100, 400) if tree_add(world.tree, world.bodies, body) == 0]
    assert 0 < len(added) < 300
    tree_rebuild(world.tree, world.bodies)
    tree_swap(world.tree)
    everything = [-1e9] * 3 + [1e9] * 3
    assert world.query(everything) == [*range(100), *added]
    assert "World(bodies=...)" in str(world.trees.full())
    world.trees.trees.rows["node_capacity"] = world.trees.nodes.capacity
    for _ in range(3):
        tree_renew(world.tree, world.bodies)
    assert world.query(everything) == [*range(100), *added]
    world.add_each(range(100, 400))
    assert world.query(everything) == list(range(400))
