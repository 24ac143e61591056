"""A rebuild in slices: no call does more than its budget, however many bodies there are, and the tree is the same."""

import numpy as np
import pytest

from scree.broad_phase.build import KEYS_A_UNIT
from scree.broad_phase.new_tree import FREED_A_UNIT, IDLE, MAKE, READY
from scree.broad_phase.rebuild import tree_rebuild, tree_swap
from scree.broad_phase.schema import ENDLESS

from .drivers import World, random_boxes

COUNT, BUDGET = 20_000, 200
MOST_CALLS = 20_000


def made(budget: int) -> tuple[World, list[tuple[int, int]]]:
    """A tree over many bodies, built with this budget a call; and of each call the phase after it and the nodes made by then."""
    world = World(COUNT + 64)
    world.place_all(random_boxes(np.random.default_rng(3), COUNT, 1500.0))
    world.add_batch(range(COUNT))
    return world, rebuilt(world, budget)


def rebuilt(world: World, budget: int) -> list[tuple[int, int]]:
    row, calls = world.trees.trees.rows[world.layer], []
    row["budget"], row["quick_share"] = budget, 0
    while True:
        is_ready = tree_rebuild(world.tree, world.bodies)
        calls.append((int(row["phase"]), int(row["build"]["created_count"])))
        assert len(calls) < MOST_CALLS
        if is_ready:
            assert calls[-1][0] == READY and tree_swap(world.tree) == 1
            return calls


def test_a_large_range_is_cut_in_slices():
    _, calls = made(BUDGET)
    before_the_first_node = sum(1 for phase, count in calls if phase == MAKE and count == 0)
    looks = 4 * COUNT  # at all keys for bounds and to part them, and at both halves
    assert before_the_first_node >= 0.8 * looks / KEYS_A_UNIT / BUDGET


def test_slices_make_the_same_tree():
    trees = [made(budget)[0].trees.levels(0) for budget in (BUDGET, 7, ENDLESS)]
    for levels in trees[1:]:
        assert len(levels) == len(trees[0])
        for (bounds, children), (others, other_children) in zip(levels, trees[0], strict=True):
            np.testing.assert_array_equal(bounds, others)
            np.testing.assert_array_equal(np.minimum(children, 0), np.minimum(other_children, 0))


def test_what_was_replaced_is_freed_in_slices():
    world, _ = made(ENDLESS)
    rebuilt_of = world.trees.trees.rows[world.layer]
    replaced = int(rebuilt_of["retired_count"])
    assert replaced > 1000
    world.place(COUNT, (0, 0, 0), (1, 1, 1))
    world.add_each([COUNT])
    calls = rebuilt(world, 16)
    waits = sum(1 for phase, _ in calls if phase == IDLE)
    assert waits >= replaced // (16 * FREED_A_UNIT) - 1
    assert world.trees.node_count() < 1.1 * COUNT
    assert COUNT in world.query([0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize("budget", (50, ENDLESS))
def test_queries_find_all_after_slices(budget):
    world, _ = made(budget)
    for box in random_boxes(np.random.default_rng(5), 50, 1500.0):
        assert world.query(box) == world.twin_query(box)
