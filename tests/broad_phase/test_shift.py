"""Origins of trees: every query meets what it met before, bounds do not grow, and queries under way keep the old origin."""

import numpy as np
import pytest

from scree.broad_phase.tree_edits import tree_remove, tree_widen
from scree.broad_phase.query import bounds_query_on, query_enter
from scree.broad_phase.rebuild import tree_renew
from scree.broad_phase.schema import CURSOR
from scree.broad_phase.shift import begin_shift, drop_copies, moved_high, moved_low
from scree.runtime.kernel import kernel

from .drivers import World, ask, begin_in_world, random_boxes, rest_of_box, shift_at_once

COUNT = 600


def filled(seed: int) -> World:
    """A tree with batches, single bodies and pending ones."""
    world = World(1024)
    world.place_all(random_boxes(np.random.default_rng(seed), COUNT, 200.0))
    world.add_batch(range(400))
    world.add_each(range(400, COUNT))
    return world


def twin(boxes: dict, low, high) -> list[int]:
    """Double precision; boxes as they were put in."""
    return sorted(k for k, box in boxes.items() if (box[:3] <= high).all() and (box[3:] >= low).all())


ORIGINS = [(0.0, 0.0, 0.0), (64.0, -64.0, 128.0), (9984.0, 0.0, -20032.0), (1e6 // 64 * 64, 64.0, 3.2e6)]


@pytest.mark.parametrize("seed", range(3))
def test_every_query_meets_what_it_met_before(seed):
    world, random = filled(seed), np.random.default_rng(seed + 10)
    for number, origin in enumerate([*ORIGINS[1:], *ORIGINS[::-1]]):
        assert shift_at_once(world.tree, world.bodies, np.array(origin)) == 1
        removed = [int(body) for body in random.choice(sorted(world.boxes), 20, replace=False)]
        for body in removed:
            assert tree_remove(world.tree, world.bodies, body) == 1
            del world.boxes[body]
        if number % 2:
            tree_renew(world.tree, world.bodies)
        for _ in range(60):
            low = random.uniform(-120, 100, 3)
            high = low + random.uniform(1, 60, 3)
            met = set(ask(world, low, high))
            assert met >= set(twin(world.boxes, low, high)) and met <= set(world.boxes)
        far = np.array([1e9] * 3)
        assert ask(world, -far, far) == sorted(world.boxes)
    # Back at the first origin, bounds are wider by the rounding at the farthest one, once.
    assert tuple(world.trees.trees.rows["origins"][0][int(world.trees.root(0)[0]) & 1]) == ORIGINS[0]
    for body, box in world.boxes.items():
        now = world.pool.rows[body]["fat_bounds"]
        assert (now[:3] <= box[:3]).all() and (now[3:] >= box[3:]).all()
        assert np.abs(now - box).max() <= 0.75, "three steps of single precision at 3,200 km"


def test_bounds_stay_on_the_grid_of_the_farthest_origin():
    """Back and forth a hundred times: what was rounded once is never rounded again."""
    random = np.random.default_rng(1)
    for value in np.float32(random.uniform(-500, 500, 200)):
        low, high = np.float32(value), np.float32(value)
        for _ in range(100):
            for by in (640000.0, -640000.0):
                low, high = np.float32(moved_low(low, by)), np.float32(moved_high(high, by))
        assert value - 0.13 <= low <= value <= high <= value + 0.13, "two steps at 640 km"
        assert moved_low(np.float32(-1e30), 64.0) == np.float32(-1e30)


def test_queries_under_way_keep_the_old_origin():
    world = filled(5)
    cursor, out = np.zeros(1, CURSOR), np.zeros(3)
    low, high = np.array([-60.0, -10.0, -60.0]), np.array([60.0, 40.0, 60.0])
    begin_in_world(cursor, world.tree, low, high, out)
    assert shift_at_once(world.tree, world.bodies, np.array([5056.0, 0.0, 0.0])) == 1
    assert out.tolist() == [0.0, 0.0, 0.0]
    later = np.zeros(1, CURSOR)
    begin_in_world(later, world.tree, low, high, out)
    assert out.tolist() == [5056.0, 0.0, 0.0]
    # A second shift has no place while somebody is in the tree before the last.
    assert shift_at_once(world.tree, world.bodies, np.array([64.0, 0.0, 0.0])) == 0
    expected = set(twin(world.boxes, low, high))
    for cursor_now in (cursor, later):
        found = set(world.found[: rest_of_box(cursor_now, world.tree, world.found)].tolist())
        assert found >= expected
    assert shift_at_once(world.tree, world.bodies, np.array([64.0, 0.0, 0.0])) == 1
    assert not world.trees.trees.rows["users"].any()


@kernel
def enter_only(cursor, tree):
    """Be counted, and no more."""
    query_enter(cursor, tree)


@kernel
def go_on(cursor, tree, box):
    """The part of a query after it has entered the tree."""
    bounds_query_on(cursor, tree, box)


def test_a_query_that_has_only_entered_begins_in_its_own_generation():
    """Between entering and looking the tree is shifted: it must look with its own origin in the tree that belongs to it."""
    world = filled(6)
    cursor = np.zeros(1, CURSOR)
    enter_only(cursor, world.tree)
    assert shift_at_once(world.tree, world.bodies, np.array([20032.0, 0.0, 0.0])) == 1
    box = np.array([-60, -10, -60, 60, 40, 60], np.float32)
    go_on(cursor, world.tree, box)
    found = set(world.found[: rest_of_box(cursor, world.tree, world.found)].tolist())
    assert found == set(twin(world.boxes, box[:3], box[3:])) and len(found) > 50


def test_a_shift_that_is_given_up_leaves_the_tree_as_it_was_and_no_node_behind():
    world = filled(7)
    assert begin_shift(world.tree, world.bodies) == 1
    drop_copies(world.tree)
    tree_renew(world.tree, world.bodies)
    tree_renew(world.tree, world.bodies)
    before = world.trees.node_count()
    for _ in range(3):
        assert begin_shift(world.tree, world.bodies) == 1
        drop_copies(world.tree)
    assert world.trees.node_count() <= before
    assert ask(world, [-1e9] * 3, [1e9] * 3) == sorted(world.boxes)


def test_moving_after_a_shift_is_seen():
    world = filled(8)
    assert shift_at_once(world.tree, world.bodies, np.array([6400.0, 0.0, 0.0])) == 1
    box = np.array([6000, 0, 0, 6001, 1, 1], np.float64)
    world.pool.rows[3]["fat_bounds"] = box - [6400, 0, 0, 6400, 0, 0]
    tree_widen(world.tree, world.bodies, 3)
    assert 3 in ask(world, [5999, 0, 0], [6002, 1, 1])


def test_bodies_that_move_after_a_shift_are_met_in_trees_kept_whole():
    """After a shift one changed corner is rebuilt; what is kept whole below must still know its way up in the new tree."""
    world, random = World(8192), np.random.default_rng(7)
    world.place_all(random_boxes(random, 6000, 400.0))
    world.add_batch(range(6000))
    tree_renew(world.tree, world.bodies)
    for origin in ((4096.0, 0.0, 0.0), (0.0, 64.0, -4096.0)):
        assert shift_at_once(world.tree, world.bodies, np.array(origin)) == 1
        tree_widen(world.tree, world.bodies, 0)
        full_builds = int(world.trees.trees.rows["full_build_count"][0])
        assert tree_renew(world.tree, world.bodies) == 1
        assert int(world.trees.trees.rows["full_build_count"][0]) == full_builds, "a rebuild that keeps trees whole"
        for body in random.choice(6000, 300, replace=False):
            middle = random.uniform(300.0, 900.0, 3)
            box = np.concatenate([middle - 1.0, middle + 1.0])
            world.pool.rows[body]["fat_bounds"][:3] = box[:3] - origin
            world.pool.rows[body]["fat_bounds"][3:] = box[3:] - origin
            tree_widen(world.tree, world.bodies, body)
            assert body in ask(world, middle - 0.5, middle + 0.5)
