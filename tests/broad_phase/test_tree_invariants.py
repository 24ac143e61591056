"""The invariants of trees hold after every change, in every order; and a broken one is found."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.broad_phase.add import tree_prepare
from scree.broad_phase.tree_edits import tree_abort, tree_finalize, tree_remove, tree_remove_many, tree_widen
from scree.broad_phase.new_tree import TOP_LEVELS
from scree.broad_phase.rebuild import tree_rebuild, tree_renew, tree_swap
from scree.broad_phase.schema import CHANGED, CURSOR, FIRST_BODY_CHILD, FREE_CHILD
from scree.broad_phase.shift import begin_shift, drop_copies, shift_subtree, shift_tree
from scree.runtime.memory import address_of

from .drivers import World, ask, begin_in_world, rest_of_box
from .tree_invariants import SIDES, check_trees, walk

GRID = 16.0
"""Places are multiples of 1 / GRID, origins of 64 m and not far: so nothing is rounded."""


def even_boxes(random, count: int) -> np.ndarray:
    """Boxes all over a square of 400 m, shape (count, 6) [m]."""
    return boxes_at(random, random.uniform([-200, 0, -200], [200, 30, 200], (count, 3)))


def crowded_boxes(random, count: int) -> np.ndarray:
    """Boxes the closer to each other the nearer they are to one corner: trees with few bodies and many levels."""
    return boxes_at(random, 2.0 ** random.uniform(-3, 13, (count, 3)))


def boxes_at(random, middles: np.ndarray) -> np.ndarray:
    half = random.uniform(0.25, 2.0, (len(middles), 3))
    return np.round(np.concatenate([middles - half, middles + half], 1) * GRID) / GRID


class Boxes:
    """A world of boxes, and what must be met in it."""

    def __init__(self, boxes, capacity: int, seed: int, layer: int = 0, budget: int = 1 << 40):
        self.random, self.new_boxes, self.world = np.random.default_rng(seed), boxes, World(capacity, layer)
        self.tree, self.bodies = self.world.tree, self.world.bodies
        self.row = self.world.trees.trees.rows[layer : layer + 1]
        self.row["budget"] = budget
        self.boxes = boxes(self.random, capacity)
        self.inside, self.prepared, self.moved, self.origin = set(), [], [], np.zeros(3)
        self.cursor, self.still = np.zeros(1, CURSOR), None

    def choose(self, among, count: int) -> np.ndarray:
        """So many of them, or all."""
        among = sorted(among)
        return self.random.choice(among, min(count, len(among)), replace=False).astype(np.int32)

    def place(self, ids):
        """Write the fat bounds of bodies."""
        self.world.pool.rows["fat_bounds"][ids] = self.boxes[ids] - np.tile(self.origin, 2)

    def outside(self) -> set[int]:
        """Bodies in no tree."""
        return set(range(len(self.boxes))) - self.inside - {body for _, ids in self.prepared for body in ids.tolist()}

    def check(self):
        """All invariants, and what moved last is met where it is."""
        if self.still is not None:
            self.still &= self.inside
        check_trees(self.world, [root for root, _ in self.prepared], self.still is not None)
        assert self.world.trees.body_count(self.world.layer) == len(self.inside)
        for body in self.moved[:8]:
            middle = (self.boxes[body, :3] + self.boxes[body, 3:]) / 2
            assert body not in self.inside or body in ask(self.world, middle, middle), f"missed {body} where it is"

    def do(self, name: str, count: int = 1):
        """One change, and a look at everything."""
        getattr(self, name)(count)
        self.check()

    def nodes_from_level(self, level: int) -> int:
        """How many nodes are at a level and below."""
        return int((walk(self.world.trees, self.world.trees.root(self.world.layer)[1]).levels >= level).sum())


class Changes(Boxes):
    """All that may be done to it. `count`: how many bodies it concerns."""

    def add_each(self, count: int):
        ids = self.choose(self.outside(), count)
        self.place(ids)
        self.world.add_each(ids.tolist())
        self.inside |= set(ids.tolist())

    def prepare(self, count: int):
        ids = self.choose(self.outside(), count)
        self.place(ids)
        self.prepared.append((tree_prepare(self.tree, self.bodies, address_of(ids), len(ids)), ids))

    def finalize(self, _count: int):
        for root, ids in self.prepared[:1]:
            assert tree_finalize(self.tree, root, len(ids)) == 0
            self.inside |= set(ids.tolist())
        del self.prepared[:1]

    def abort(self, _count: int):
        for root, _ in self.prepared[:1]:
            tree_abort(self.tree, self.bodies, root)
        del self.prepared[:1]

    def add_batch(self, count: int):
        """Prepared and put in at once."""
        self.prepare(count)
        self.prepared = self.prepared[-1:] + self.prepared[:-1]
        self.finalize(count)

    def remove(self, count: int):
        for body in self.choose(self.inside, count).tolist():
            assert tree_remove(self.tree, self.bodies, body) == 1
            self.inside.discard(body)

    def remove_many(self, count: int):
        ids = self.choose(self.inside, count)
        assert tree_remove_many(self.tree, self.bodies, address_of(ids), len(ids)) == len(ids)
        self.inside -= set(ids.tolist())

    def move(self, count: int):
        """Out of all bounds that were widened so far, often."""
        self.moved = self.choose(self.inside, count).tolist()
        for body in self.moved:
            self.boxes[body] = self.new_boxes(self.random, 1)[0] + np.tile(self.random.integers(-1, 2, 3) * 512.0, 2)
            self.place([body])
            tree_widen(self.tree, self.bodies, body)

    def nudge(self, count: int):
        """One body moves: so the next rebuild keeps nearly all."""
        self.move(min(count, 1))

    def rebuild(self, _count: int):
        """A slice."""
        tree_rebuild(self.tree, self.bodies)

    def swap(self, _count: int):
        tree_swap(self.tree)

    def renew(self, _count: int):
        """A rebuild at once, and its swap."""
        tree_renew(self.tree, self.bodies)

    def renew_all(self, _count: int):
        """A rebuild after a shift that keeps no subtree."""
        self.row["debt"], self.row["is_dirty"] = self.row["body_count"] + 64, 1
        tree_renew(self.tree, self.bodies)

    def _begin_shift(self) -> bool:
        """No only where a query is under way in the tree before the present one."""
        answer = begin_shift(self.tree, self.bodies)
        assert answer == 1 or self.still is not None
        return answer == 1

    def shift(self, _count: int):
        self.shift_and_remove(0)

    def shift_and_remove(self, count: int):
        """Bodies go between the halves of a shift."""
        if not self._begin_shift():
            return
        self.remove(count)
        before, self.origin = self.origin, self.random.integers(-100, 100, 3) * 64.0
        shift_tree(self.tree, self.bodies, tuple(self.origin))
        for root, _ in self.prepared:
            shift_subtree(self.tree, self.bodies, root, tuple(self.origin - before))

    def give_up_shift(self, _count: int):
        if self._begin_shift():
            drop_copies(self.tree)

    def ask_slowly(self, _count: int):
        """Begin a query, or end the one begun before: it gives all that were in the tree all the while, once."""
        if self.still is None:
            begin_in_world(self.cursor, self.tree, np.full(3, -1e9), np.full(3, 1e9), np.zeros(3))
            self.still = set(self.inside)
            return
        given = self.world.found[: rest_of_box(self.cursor, self.tree, self.world.found)].tolist()
        assert self.still <= set(given) and all(given.count(body) == 1 for body in list(self.still)[:20])
        self.still = None


CHANGES = [name for name in vars(Changes) if name[0] != "_"]


def built(seed: int, count: int = 3000) -> Changes:
    """A world whose tree is built, with sub-trees that a rebuild keeps whole."""
    changes = Changes(even_boxes, count, seed)
    changes.do("add_batch", count)
    changes.do("renew")
    changes.do("nudge")
    changes.do("renew")
    assert changes.nodes_from_level(TOP_LEVELS + 1) > 100
    return changes


def test_moving_after_a_shift_and_a_partial_rebuild():
    """A subtree that a rebuild after a shift keeps whole must know its parents in both trees."""
    changes = built(1)
    for _ in range(3):
        changes.do("shift")
        changes.do("nudge")
        full_builds = int(changes.row["full_build_count"][0])
        changes.do("renew")
        assert changes.row["full_build_count"][0] == full_builds and changes.row["retired_kept_count"][0] > 40
        changes.do("move", 50)
        changes.do("rebuild")
        changes.do("move", 50)
        changes.do("swap")
        changes.do("move", 50)


def test_batches_while_a_tree_waits():
    """They hang above the old root and are taken over with the swap; singles wait beside."""
    changes = built(2)
    changes.do("remove_many", 500)
    for _ in range(3):
        changes.do("renew")
        changes.do("nudge")
        changes.do("rebuild")
        for count in (1, 5, 40, 70):
            changes.do("add_batch", count)
            changes.do("add_each", 3)
            changes.do("move", 40)
        changes.do("remove", 60)
        changes.do("swap")
        changes.do("move", 40)
        changes.do("remove_many", 70)


@pytest.mark.parametrize("added", ["add_batch", "add_each"])
def test_a_batch_is_not_hung_into_a_root_that_is_dissolved(added):
    """Bodies that hang in the root itself leave room there when they go, which nobody may use while a rebuild is under way."""
    changes = Changes(even_boxes, 100, 1)
    changes.do("add_batch", 4)
    changes.do("renew")
    changes.do("nudge")
    changes.rebuild(1)
    changes.remove(2)
    getattr(changes, added)(70)
    tree_swap(changes.tree)
    assert changes.world.query([-1e9] * 3 + [1e9] * 3) == sorted(changes.inside)
    changes.do("move", 70)


@pytest.mark.parametrize("seed", range(4))
def test_random_changes(seed):
    """Many bodies; rebuilds in one slice or in many."""
    changes = Changes(even_boxes, 4000, seed, seed % 2, [1 << 40, 2000][seed % 2])
    changes.do("add_batch", 3500)
    changes.do("renew")
    kept = 0
    for name in changes.random.choice(CHANGES, 150):
        changes.do(str(name), int(changes.random.choice([1, 1, 4, 30, 200])))
        kept = max(kept, int(changes.row["retired_kept_count"][0]))
    assert kept > 50


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 9),
    budget=st.sampled_from([1 << 40, 40]),
    steps=st.lists(st.tuples(st.sampled_from(CHANGES), st.integers(1, 70)), max_size=30),
)
def test_any_order_of_changes(seed, budget, steps):
    """Few bodies in deep trees."""
    changes = Changes(crowded_boxes, 300, seed, 0, budget)
    changes.do("add_batch", 200)
    changes.do("renew")
    for name, count in steps:
        changes.do(name, count)
    if changes.still is not None:
        changes.do("ask_slowly")
    for name in ("shift", "nudge", "renew", "move", "renew", "renew_all", "renew_all"):
        changes.do(name, 20)


def parent_in_force(trees, found, deep):
    trees.nodes.rows["parent"][deep, trees.root(0)[0] & 1] ^= 1


def other_parent(trees, found, deep):
    trees.nodes.rows["parent"][deep, 1 - (trees.root(0)[0] & 1)] = -1


def narrow_slot_of_node(trees, found, deep):
    location = found.locations[found.nodes == deep][0]
    trees.nodes.rows["max_y"][location >> 2, location & 3] -= 0.125


def narrow_slot_of_body(trees, found, deep):
    trees.nodes.rows["min_z"][found.places[5] >> 2, found.places[5] & 3] += 0.125


def free_slot_with_bounds(trees, found, deep):
    children = trees.nodes.rows["children"][found.nodes]
    at, slot = (values[0] for values in np.nonzero(children == FREE_CHILD))
    for side in SIDES:
        trees.nodes.rows[side][found.nodes[at], slot] = trees.nodes.rows[side][found.nodes[at], slot - 1]


def node_in_two_places(trees, found, deep):
    at, slot = (values[0] for values in np.nonzero(trees.nodes.rows["children"][found.nodes] == FREE_CHILD))
    trees.nodes.rows["children"][found.nodes[at], slot] = deep


def body_in_two_places(trees, found, deep):
    trees.nodes.rows["children"][found.places[5] >> 2, found.places[5] & 3] = FIRST_BODY_CHILD - found.bodies[6]


def ring(trees, found, deep):
    trees.nodes.rows["children"][deep, 0] = found.nodes[0]


def wrong_place(trees, found, deep):
    trees.words.rows[found.bodies[5]] ^= 1 << 32


def node_in_use_is_free(trees, found, deep):
    trees.infos.rows["next_free"][int(trees.allocator.rows["free_head"][0] & 0xFFFFFFFF) - 1] = deep


def lost_node(trees, found, deep):
    trees.allocator.rows["fresh"][0] += 1


def wrong_height(trees, found, deep):
    trees.infos.rows["height"][deep] += 1


def change_not_marked_above(trees, found, deep):
    trees.nodes.rows["is_changed"][deep] = CHANGED


def born_later(trees, found, deep):
    trees.nodes.rows["born"][found.nodes[0]] += 1


def wrong_count(trees, found, deep):
    trees.trees.rows["body_count"][0] -= 1


def claimed_for_ever(trees, found, deep):
    trees.trees.rows["claimed_pending"][0] |= 1 << 7


FAULTS = {
    parent_in_force: "parent in the parity in force",
    other_parent: "parent in the other parity",
    narrow_slot_of_node: "outside of the bounds above",
    narrow_slot_of_body: "outside of the bounds of their slot",
    free_slot_with_bounds: "free slot that has bounds",
    node_in_two_places: "nodes that hang in two places",
    body_in_two_places: "bodies that hang in two places",
    ring: "ring",
    wrong_place: "wrong place",
    node_in_use_is_free: "in use and free",
    lost_node: "nodes that nobody has",
    wrong_height: "wrong height",
    change_not_marked_above: "below unchanged ones",
    born_later: "wrong place|later generation",
    wrong_count: "counted wrongly",
    claimed_for_ever: "pending place that nobody frees",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_faults_are_found(fault):
    """One word that is wrong is found, and named."""
    changes = built(3)
    changes.do("remove", 20)
    changes.do("add_each", 5)
    changes.do("renew")
    trees = changes.world.trees
    found = walk(trees, trees.root(0)[1])
    is_still = trees.nodes.rows["is_changed"][found.nodes] == 0
    fault(trees, found, found.nodes[is_still & (found.levels > TOP_LEVELS)][-1])
    with pytest.raises(AssertionError, match=FAULTS[fault]):
        changes.check()
