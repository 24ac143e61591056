"""A writer is parked between any two of its stores; meanwhile another writes, and readers must be right.

This processor shows stores in the order of the program, so real races never meet a half-written node in most of these
places. Here each is visited.
"""

import numpy as np
import pytest

from scree.broad_phase import add, new_tree, pending, rebuild, shift, tree_edits
from scree.broad_phase.query import bounds_query_begin, bounds_query_next, query_end
from scree.broad_phase.schema import CURSOR
from scree.runtime.kernel import kernel
from tests.sizes import size

from .drivers import World, random_boxes
from .explored import Explored
from .tree_invariants import check_trees

PLACES = size(8, in_full=64)
"""Places tried of each pair of writers; 64 are most of them (minutes)."""
CHECKED = int(size(4, in_full=1))
"""Every so many places the whole of the trees is checked."""
CAPACITY = 160
IN_TREE, IN_BATCH, SINGLE, PREPARED, OUT = range(0, 26), range(30, 40), range(50, 54), range(60, 72), range(80, 150)
EVERYTHING = np.float32([-1e9] * 3 + [1e9] * 3)


class Real:
    """The compiled kernels as they are used."""

    add, tree_edits, pending, new_tree, shift = add, tree_edits, pending, new_tree, shift


class Scene:
    """A small world in a known state, that can be put back, and what a reader must and may see."""

    def __init__(self, seed: int, state: str):
        generator = np.random.default_rng(seed)
        self.world = world = World(CAPACITY, layer=1)
        world.trees.trees.rows["budget"] = 1 << 40
        self.boxes = random_boxes(generator, CAPACITY, 40.0)
        world.pool.rows["fat_bounds"] = self.boxes
        self.tree, self.bodies = world.tree, world.bodies
        self.prepared = -1
        self._batch(IN_TREE)
        rebuild.tree_renew(self.tree, self.bodies)
        rebuild.tree_renew(self.tree, self.bodies)
        self._batch(IN_BATCH)
        if state in ("ready", "sliced", "swapped"):
            world.trees.trees.rows["budget"] = 60 if state == "sliced" else 1 << 40
            rebuild.tree_rebuild(self.tree, self.bodies)
            if state == "swapped":
                rebuild.tree_swap(self.tree)
        ids = np.array(PREPARED, np.int32)
        self.prepared = add.tree_prepare(self.tree, self.bodies, ids.ctypes.data, len(ids))
        singles = list(SINGLE) + (list(OUT)[: 64 - len(SINGLE)] if state == "full" else [])
        for body in singles:
            add.tree_add(self.tree, self.bodies, body)
        self.inside = {body: self.boxes[body].copy() for body in [*IN_TREE, *IN_BATCH, *singles]}
        self.parts = [pool.rows for pool in (*world.trees._pools, world.pool)]
        self.parts = [rows.reshape(-1)[: max(1, 120_000 // rows.dtype.itemsize)] for rows in self.parts]
        self.saved = [rows.copy() for rows in self.parts]
        self.begin()

    def _batch(self, bodies):
        ids = np.array(bodies, np.int32)
        root = add.tree_prepare(self.tree, self.bodies, ids.ctypes.data, len(ids))
        assert tree_edits.tree_finalize(self.tree, root, len(ids)) == 0

    def begin(self):
        """Back to the known state."""
        for rows, saved in zip(self.parts, self.saved, strict=True):
            rows[:] = saved
        self.turn = 0
        self.required, self.allowed = dict(self.inside), set(self.inside)

    def read(self):
        """All that a reader must see and nothing it must not."""
        given = self.world.query(EVERYTHING)
        assert len(given) == len(set(given)), "given twice"
        given = set(given)
        assert set(self.required) <= given, f"missed {sorted(set(self.required) - given)}"
        assert given <= self.allowed, f"ghosts {sorted(given - self.allowed)}"
        self.turn += 1
        for body, box in self.required.items():
            if body % 4 != self.turn % 4 and np.array_equal(box, self.boxes[body]):
                continue
            middle = (box[:3] + box[3:]) / 2
            assert body in self.world.query([*(middle - 0.01), *(middle + 0.01)]), f"missed {body} where it is"
            assert body in self.world.ray(middle - [0, 1, 0.5], [0.001, 2, 1]), f"a ray missed {body}"

    def check(self):
        """All that holds in trees."""
        waits = self.prepared >= 0 and self.world.trees.words.rows[PREPARED[0]] != 0 and not self.allowed & set(PREPARED)
        check_trees(self.world, [self.prepared] if waits else [])


class Action:
    """The work of a thread. `start` says what readers may see from its first store on, `finish` what they must in the
    end."""

    def __init__(self, name, bodies=()):
        self.name, self.bodies = name, list(bodies)

    def __repr__(self):
        return f"{self.name}{self.bodies[:1] or ''}"

    def start(self, scene):
        rows = scene.world.pool.rows
        if self.name == "widen":
            for body in self.bodies:
                rows["published"][body] += 1
                rows["fat_bounds"][body] += np.float32([37, 1, -29] * 2)
        elif self.name in ("remove", "remove_many"):
            for body in self.bodies:
                scene.required.pop(body, None)
        elif self.name in ("add", "finalize"):
            scene.allowed |= set(self.bodies)

    def run(self, scene, code):
        tree, bodies = scene.tree, scene.bodies
        budget = int(scene.world.trees.trees.rows["budget"][1])
        ids = np.array(self.bodies or [0], np.int32)
        if self.name == "widen":
            code.tree_edits.tree_widen(tree, bodies, self.bodies[0])
        elif self.name == "remove":
            assert code.tree_edits.tree_remove(tree, bodies, self.bodies[0]) == 1
        elif self.name == "remove_many":
            assert code.tree_edits.tree_remove_many(tree, bodies, ids.ctypes.data, len(ids)) == len(ids)
        elif self.name == "add":
            assert code.add.tree_add(tree, bodies, self.bodies[0]) == 0
        elif self.name == "finalize":
            assert code.tree_edits.tree_finalize(tree, scene.prepared, len(ids)) == 0
        elif self.name == "abort":
            code.tree_edits.tree_abort(tree, bodies, scene.prepared)
        elif self.name == "flush":
            code.pending.flush_pending(tree, bodies)
        elif self.name == "rebuild":
            code.new_tree.advance_rebuild(tree, bodies, True, budget)
        elif self.name == "swap":
            code.new_tree.swap_trees(tree)
        elif self.name == "renew":
            code.new_tree.advance_rebuild(tree, bodies, True, budget)
            code.new_tree.swap_trees(tree)

    def finish(self, scene):
        for body in self.bodies:
            if self.name == "widen":
                scene.required[body] = scene.world.pool.rows["fat_bounds"][body].copy()
                scene.world.pool.rows["published"][body] += 1
            elif self.name in ("remove", "remove_many"):
                scene.allowed.discard(body)
            elif self.name in ("add", "finalize"):
                scene.required[body] = scene.boxes[body]

    def all(self, scene, code):
        """From start to finish."""
        self.start(scene)
        self.run(scene, code)
        self.finish(scene)


FIRST = [
    Action("widen", [3]), Action("widen", [31]), Action("widen", [50]), Action("remove", [4]), Action("remove", [32]),
    Action("remove", [51]), Action("remove_many", [5, 33, 52]), Action("add", [140]), Action("finalize", PREPARED),
    Action("abort"), Action("flush"), Action("rebuild"), Action("swap"), Action("renew"),
]  # fmt: skip
SECOND = [
    None, Action("widen", [7]), Action("widen", [34]), Action("widen", [53]), Action("remove", [8]),
    Action("remove", [53]), Action("remove_many", [9, 35, 53]), Action("add", [141]), Action("finalize", PREPARED),
    Action("flush"), Action("rebuild"), Action("swap"), Action("renew"),
]  # fmt: skip
STATES = ("quiet", "ready", "sliced", "swapped", "full")


def settle(scene):
    """Two rebuilds: nothing that anybody did may come undone by them."""
    for _ in range(2):
        rebuild.tree_renew(scene.tree, scene.bodies)
        scene.read()


def explore(scene, code, first, second, most_places, checked=CHECKED) -> int:
    """Park `first` in up to `most_places` places, run `second` there, read, and check all of the trees every `checked` places;
    give the number of places."""
    scene.begin()
    first.start(scene)
    stores = code.count_stores(lambda: first.run(scene, code))
    places = range(1, stores + 1)
    if stores > most_places:
        places = np.unique(np.linspace(1, stores, most_places).astype(int)).tolist()
    for place in places:
        scene.begin()
        first.start(scene)

        def meanwhile():
            scene.read()
            if second is not None:
                second.all(scene, Real)
                scene.read()

        try:
            code.run(lambda: first.run(scene, code), place, meanwhile)
            first.finish(scene)
            scene.read()
            if place % checked == 0:
                scene.check()
            settle(scene)
        except AssertionError as error:
            raise AssertionError(f"{first} parked before store {place} of {stores}, {second} meanwhile: {error}") from error
    return len(places)


@pytest.mark.parametrize("state", STATES)
def test_every_place(explored, state):
    """Readers only, in all places; and every second writer in a sample of them."""
    scene = Scene(1, state)
    count = 0
    for first in FIRST:
        count += explore(scene, explored, first, None, 400)
        for second in SECOND[1:]:
            if first.name in ("finalize", "abort") and second.name == "finalize":
                continue
            if set(first.bodies) & set(second.bodies):
                continue
            count += explore(scene, explored, first, second, PLACES)
    print(f"\n{state}: writers parked in {count} places")
    assert not scene.world.trees.trees.rows["users"].any()


def test_a_body_removed_while_a_flush_leaves_its_place(explored):
    """In each of the flush's places; a sample of them misses the few that matter."""
    for body in SINGLE[:3]:
        explore(Scene(1, "ready"), explored, Action("flush"), Action("remove", [body]), 400)


def test_two_parked(explored):
    """A second writer is parked while the first is, and a third runs: a random sample."""
    generator = np.random.default_rng(11)
    scenes = {state: Scene(2, state) for state in STATES}
    count = 0
    while count < 400:
        scene = scenes[STATES[count % len(STATES)]]
        first, third = FIRST[generator.integers(len(FIRST))], SECOND[generator.integers(1, len(SECOND))]
        second = SECOND[generator.integers(1, len(SECOND))]
        if set(first.bodies) & set(second.bodies) | set(third.bodies) & {*first.bodies, *second.bodies}:
            continue
        if "abort" in (first.name, second.name, third.name):
            continue
        scene.begin()
        first.start(scene)
        place = int(generator.integers(1, explored.count_stores(lambda a=first, s=scene: a.run(s, explored)) + 1))
        scene.begin()
        second.start(scene)
        inner = int(generator.integers(1, explored.count_stores(lambda a=second, s=scene: a.run(s, explored)) + 1))
        scene.begin()

        def deepest(action=third, scene=scene):
            scene.read()
            action.all(scene, Real)
            scene.read()

        def meanwhile(action=second, scene=scene, inner=inner, deepest=deepest):
            action.start(scene)
            explored.run(lambda: action.run(scene, explored), inner, deepest)
            action.finish(scene)
            scene.read()

        first.start(scene)
        try:
            explored.run(lambda a=first, s=scene: a.run(s, explored), place, meanwhile)
            explored._parked.clear()
            first.finish(scene)
            scene.read()
            settle(scene)
        except AssertionError as error:
            raise AssertionError(f"{first} at {place}, {second} at {inner}, {third}: {error}") from error
        count += 1


@kernel
def pull(cursor, tree, most, found):
    """Pull up to `most` bodies of a query that has begun."""
    count = 0
    while count < most:
        body = bounds_query_next(cursor, tree)
        if body < 0:
            break
        found[count] = body
        count += 1
    return count


@pytest.mark.parametrize("state", STATES)
def test_parked_reader(state):
    """A reader is parked after each of its answers while all kinds of writers run, several times over; what was there
    before and after is given, and nodes the reader may come to are not used again."""
    scene = Scene(3, state)
    cursor, found = np.zeros(1, CURSOR), np.zeros(4 * CAPACITY, np.int64)
    for writers in ([second] for second in SECOND[1:]), [[Action("renew"), *SECOND[1:5], *[Action("renew")] * 3]]:
        for actions in writers:
            place = 0
            while True:
                scene.begin()
                bounds_query_begin(cursor, scene.tree, EVERYTHING)
                count = pull(cursor, scene.tree, place, found)
                if count < place:
                    query_end(cursor, scene.tree)
                    break
                for action in actions:
                    action.all(scene, Real)
                count += pull(cursor, scene.tree, len(found) - count, found[count:])
                query_end(cursor, scene.tree)
                given = set(found[:count].tolist())
                assert len(given) == count
                assert set(scene.inside) & set(scene.required) <= given <= set(scene.inside) | scene.allowed
                scene.read()
                place += 3


def test_broken_order_is_found(tmp_path):
    """The search finds a fault when `finalize` shows the new root before its slots are written."""
    fill = "        hang_above(tree, node, root, subtree, parity, bounds_address)\n"
    show = "        if atomics.compare_exchange_int64(tree + HEAD, head, (head & ~LOW_32) | node) == head:\n"
    broken = Explored(tmp_path, [("tree_edits", fill + show, show + "    " + fill)])
    with pytest.raises(AssertionError, match="missed"):
        explore(Scene(1, "ready"), broken, Action("finalize", PREPARED), None, 400)


def test_missing_second_look_is_found(tmp_path):
    """And when a rebuild does not look again at what moved while it built."""
    look = "        budget = _look_again(tree, bodies, parity, budget)\n"
    broken = Explored(tmp_path, [("new_tree", look, "        record.opened_position = record.opened_count\n")])
    scene = Scene(1, "quiet")
    with pytest.raises(AssertionError, match="missed"):
        explore(scene, broken, Action("renew"), Action("widen", [7]), 400)
