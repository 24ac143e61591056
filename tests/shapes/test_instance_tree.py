"""The tree over the shapes of a body, against looking at each of them."""

import itertools
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.bodies.schema import INSTANCE, INSTANCE_NODE, WORLD
from scree.runtime.kernel import entry_point
from scree.runtime.memory import address_of, view
from scree.shapes.instance_tree import (
    NONE, STACK_SIZE, TREE_FROM, WALK, begin_walk, build_instance_tree, inverse_of, next_in_box, next_near, next_on_ray,
    refit_leaf, refit_tree,
)  # fmt: skip

MOST, FIRST = 400, 7
BOX, RAY, NEAR = range(3)


@entry_point("void(int64, int64, int64)")
def build(world_address, first, count):
    world = view(world_address, 1, WORLD)[0]
    nodes = view(world.instance_nodes, world.instance_capacity, INSTANCE_NODE)
    build_instance_tree(nodes, view(world.instances, world.instance_capacity, INSTANCE), first, count)
    nodes[first].covered = count


@entry_point("void(int64, int64, int64, int64)")
def refit(world_address, first, count, number):
    world = view(world_address, 1, WORLD)[0]
    nodes = view(world.instance_nodes, world.instance_capacity, INSTANCE_NODE)
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    if number < 0:
        refit_tree(nodes, instances, first, count)
    else:
        refit_leaf(nodes, instances, first, number)


@entry_point("int64(int64, int64, int64, int64, int64, int64, int64)")
def walk_over(world_address, walk_address, first, count, kind, numbers, given_address):
    """Numbers of all shapes that a walk gives, in its order; their count."""
    world, walk = view(world_address, 1, WORLD)[0], view(walk_address, 1, WALK)[0]
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    nodes = view(world.instance_nodes, world.instance_capacity, INSTANCE_NODE)
    given_numbers, out = view(given_address, 7, np.float64), view(numbers, 2 * MOST, np.int64)
    a = (given_numbers[0], given_numbers[1], given_numbers[2])
    b = (given_numbers[3], given_numbers[4], given_numbers[5])
    begin_walk(walk, first, count)
    found = 0
    while True:
        if kind == BOX:
            number = next_in_box(walk, nodes, instances, a, b)
        elif kind == RAY:
            number = next_on_ray(walk, nodes, instances, a, inverse_of(b), given_numbers[6])
        else:
            number = next_near(walk, nodes, instances, a, given_numbers[6])
        if number < 0:
            return found
        out[found] = number
        found += 1


class Tree:
    """Shapes with bounds `(n, 6)`, in rows that do not begin at 0. The last `late` of them came when the tree was made."""

    def __init__(self, bounds: np.ndarray, late: int = 0):
        self.bounds = bounds.astype(np.float32)
        self.count = len(bounds)
        self.instances, self.nodes = np.zeros(MOST + FIRST, INSTANCE), np.zeros(MOST + FIRST, INSTANCE_NODE)
        self.world, self.walk = np.zeros(1, WORLD), np.zeros(1, WALK)
        record = self.world[0]
        record["instances"], record["instance_nodes"] = address_of(self.instances), address_of(self.nodes)
        record["instance_capacity"] = MOST + FIRST
        self.instances["bounds"][FIRST : FIRST + self.count] = self.bounds
        self.nodes["order"][FIRST : FIRST + self.count] = np.arange(self.count)
        if self.count > late:
            build(address_of(self.world), FIRST, self.count - late)

    def walked(self, kind: int, *given) -> list[int]:
        numbers, values = np.zeros(2 * MOST, np.int64), np.zeros(7)
        flat = np.concatenate([np.ravel(value) for value in given])
        values[: len(flat)] = flat
        if kind == NEAR:
            values[6] = given[1]
        count = walk_over(
            address_of(self.world), address_of(self.walk), FIRST, self.count, kind, address_of(numbers), address_of(values)
        )  # fmt: skip
        found = numbers[:count].tolist()
        assert len(set(found)) == count, "a shape came twice"
        return found


@st.composite
def trees(draw):
    """A tree, some shapes of which came late; what draws queries, and how large they are to be."""
    bounds, random, scale = draw(boxes())
    return Tree(bounds, late=int(random.integers(len(bounds) + 1))), random, scale


@st.composite
def boxes(draw, least=1):
    """Bounds of shapes: scattered, equal, flat, in one point, huge, infinite."""
    count = draw(st.integers(least, 120))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    scale = draw(st.sampled_from([0.01, 1.0, 100.0]))
    centers = random.normal(size=(count, 3)) * scale * draw(st.sampled_from([0.0, 1.0, 10.0]))
    half = random.exponential(size=(count, 3)) * scale * draw(st.sampled_from([0.0, 0.3, 3.0]))
    half[:, draw(st.integers(0, 2))] *= draw(st.sampled_from([0.0, 1.0]))
    bounds = np.concatenate((centers - half, centers + half), axis=1)
    if draw(st.booleans()):
        bounds[draw(st.integers(0, count - 1))] = (-1e30, -1e30, -1e30, 1e30, 1e30, 1e30)
    return bounds, random, scale


def surely_and_perhaps(bounds, low, high):
    """Which bounds meet a box, and which do where rounding is given."""
    slack = 4e-6 * (1.0 + np.abs(low) + np.abs(high))
    bounds = bounds.astype(np.float64)
    sure = (bounds[:, :3] <= high).all(axis=1) & (bounds[:, 3:] >= low).all(axis=1)
    perhaps = (bounds[:, :3] <= high + slack).all(axis=1) & (bounds[:, 3:] >= low - slack).all(axis=1)
    return set(np.flatnonzero(sure)), set(np.flatnonzero(perhaps))


def outside(low, high, point):
    """How far a point is outside of boxes, axis by axis."""
    return np.maximum(np.maximum(low - point, point - high), 0)


def check_order(tree: Tree, found: list[int], away, slack: float):
    """All that a walk found under the nearer of two children of a node comes before all under the other. `away(low, high)`:
    how far the bounds of a child are."""
    place = {number: k for k, number in enumerate(found)}

    def places(node: int) -> list[int]:
        if node < 0:
            return [place[~node]] if ~node in place else []
        row, below = tree.nodes[FIRST + node], []
        for child, bounds in zip(row["children"].tolist(), row["bounds"].T.astype(np.float64), strict=True):
            if child != NONE and (under := places(child)):
                below.append((away(bounds[:3], bounds[3:]), under))
        below.sort(key=lambda pair: pair[0])
        for (near, mine), (far, theirs) in itertools.pairwise(below):
            assert max(mine) < min(theirs) or far <= near + slack
        return [k for _, under in below for k in under]

    if tree.nodes["covered"][FIRST] >= TREE_FROM:
        places(0)


@settings(max_examples=150, deadline=None)
@given(trees())
def test_boxes_meet_what_they_meet(drawn):
    tree, random, scale = drawn
    for _ in range(4):
        center, half = random.normal(size=3) * 5 * scale, random.exponential(size=3) * 3 * scale
        sure, perhaps = surely_and_perhaps(tree.bounds, center - half, center + half)
        assert sure <= set(tree.walked(BOX, center - half, center + half)) <= perhaps
    everything = tree.walked(BOX, [-1e31] * 3, [1e31] * 3)
    assert sorted(everything) == list(range(tree.count))


def enters(bounds, origin, way):
    """Fraction at which a ray enters each of the bounds; inf: it does not."""
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (bounds[:, :3] - origin) / way, (bounds[:, 3:] - origin) / way
    enter, leave = np.minimum(a, b).max(axis=1), np.maximum(a, b).min(axis=1)
    return np.where((enter <= leave) & (leave >= 0), np.maximum(enter, 0), np.inf)


def entered(origin, way, low, high) -> float:
    """`enters` for one box."""
    return float(enters(np.array([[*low, *high]]), origin, way)[0])


@settings(max_examples=150, deadline=None)
@given(trees())
def test_rays_meet_what_they_meet_near_ones_first(drawn):
    tree, random, scale = drawn
    for _ in range(4):
        origin, way = random.normal(size=3) * 8 * scale, random.normal(size=3) * 12 * scale
        at = enters(tree.bounds.astype(np.float64), origin, way)
        found = tree.walked(RAY, origin, way, [1.0])
        assert set(np.flatnonzero(at <= 1.0)) <= set(found)
        grown = tree.bounds.astype(np.float64) + np.array([-1, -1, -1, 1, 1, 1]) * 1e-4 * scale
        assert set(found) <= set(np.flatnonzero(enters(grown, origin, way) <= 1.0 + 1e-3))
        shorter = tree.walked(RAY, origin, way, [0.4])
        assert set(np.flatnonzero(at <= 0.4)) <= set(shorter) <= set(found)
        check_order(tree, found, partial(entered, origin, way), 1e-4)


@settings(max_examples=150, deadline=None)
@given(boxes(least=TREE_FROM))
def test_what_is_near_comes_in_order(drawn):
    bounds, random, scale = drawn
    tree = Tree(bounds)
    point = random.normal(size=3) * 5 * scale
    b = tree.bounds.astype(np.float64)
    away = np.linalg.norm(outside(b[:, :3], b[:, 3:], point), axis=1)
    reach = float(np.median(away))
    assert set(Tree(bounds, late=5).walked(NEAR, point, reach)) == set(found := tree.walked(NEAR, point, reach))
    slack = 1e-5 * (1 + np.abs(point).sum())
    assert set(np.flatnonzero(away <= reach)) <= set(found) <= set(np.flatnonzero(away <= reach + slack))
    check_order(tree, found, lambda low, high: float(np.linalg.norm(outside(low, high, point))), slack)


@settings(max_examples=80, deadline=None)
@given(boxes(least=TREE_FROM), st.booleans())
def test_it_follows_shapes_that_move_go_and_come_back(drawn, is_one_by_one):
    """The tree is as if made anew, except that disabled shapes are never met."""
    bounds, random, scale = drawn
    tree = Tree(bounds)
    for _ in range(4):
        changed = random.integers(tree.count, size=5)
        for number in changed.tolist():
            row = tree.instances[FIRST + number]
            row["is_disabled"] = random.integers(2)
            center, half = random.normal(size=3) * 10 * scale, random.exponential(size=3) * scale
            tree.bounds[number] = row["bounds"] = np.float32([*(center - half), *(center + half)])
            if is_one_by_one:
                refit(address_of(tree.world), FIRST, tree.count, number)
        if not is_one_by_one:
            refit(address_of(tree.world), FIRST, tree.count, -1)
        is_there = set(np.flatnonzero(tree.instances["is_disabled"][FIRST : FIRST + tree.count] == 0))
        assert set(tree.walked(BOX, [-1e31] * 3, [1e31] * 3)) == is_there
        center, half = random.normal(size=3) * 5 * scale, random.exponential(size=3) * 3 * scale
        sure, perhaps = surely_and_perhaps(tree.bounds, center - half, center + half)
        assert sure & is_there <= set(tree.walked(BOX, center - half, center + half)) <= perhaps & is_there
        origin, way = random.normal(size=3) * 8 * scale, random.normal(size=3) * 12 * scale
        at = enters(tree.bounds.astype(np.float64), origin, way)
        assert set(np.flatnonzero(at <= 1.0)) & is_there <= set(tree.walked(RAY, origin, way, [1.0])) <= is_there


@pytest.mark.parametrize("count", [TREE_FROM, 9, 63, 64, 65, MOST])
def test_it_is_shallow_and_whole(count):
    """Also where all centres are the same."""
    for spread in (0.0, 1.0):
        centers = np.random.default_rng(count).normal(size=(count, 3)) * spread
        tree = Tree(np.concatenate((centers - 1, centers + 1), axis=1))
        depth, level, seen = 0, [0], []
        while level:
            depth += 1
            children = np.concatenate([tree.nodes["children"][FIRST + node] for node in level])
            seen += [~child for child in children.tolist() if NONE < child < 0]
            level = [child for child in children.tolist() if child >= 0]
            assert len(level) < count
        assert sorted(seen) == list(range(count))
        assert 4 ** (depth - 2) <= count and 3 * depth + 1 < STACK_SIZE
