"""A writer is parked between any two of its stores; meanwhile another writes, and readers must be right.

This processor shows stores in the order of the program, so real races never meet a half-written node in most of these
places. Here each is visited.
"""

import numpy as np
import pytest

from engine_core.broad_phase import add, change, pending, rebuild

from .drivers import World, random_boxes
from .explored import Explored

CAPACITY = 160
IN_TREE, IN_BATCH, SINGLE, PREPARED, OUT = range(0, 26), range(30, 40), range(50, 54), range(60, 72), range(80, 150)
EVERYTHING = np.float32([-1e9] * 3 + [1e9] * 3)


class Real:
    """The compiled kernels as they are used."""

    add, change, pending, rebuild = add, change, pending, rebuild


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
        assert change.tree_finalize(self.tree, root, len(ids)) == 0

    def begin(self):
        """Back to the known state."""
        for rows, saved in zip(self.parts, self.saved, strict=True):
            rows[:] = saved
        self.required, self.allowed = dict(self.inside), set(self.inside)

    def read(self):
        """All that a reader must see and nothing it must not."""
        given = set(self.world.query(EVERYTHING))
        assert set(self.required) <= given, f"missed {sorted(set(self.required) - given)}"
        assert given <= self.allowed, f"ghosts {sorted(given - self.allowed)}"
        for body, box in self.required.items():
            middle = (box[:3] + box[3:]) / 2
            assert body in self.world.query([*(middle - 0.01), *(middle + 0.01)]), f"missed {body} where it is"
            assert body in self.world.ray(middle - [0, 1, 0.5], [0.001, 2, 1]), f"a ray missed {body}"


class Action:
    """What a thread does. `start` says what readers may see from its first store on, `finish` what they must in the end."""

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
        ids = np.array(self.bodies or [0], np.int32)
        if self.name == "widen":
            code.change.tree_widen(tree, bodies, self.bodies[0])
        elif self.name == "remove":
            assert code.change.tree_remove(tree, bodies, self.bodies[0]) == 1
        elif self.name == "remove_many":
            assert code.change.tree_remove_many(tree, bodies, ids.ctypes.data, len(ids)) == len(ids)
        elif self.name == "add":
            assert code.add.tree_add(tree, bodies, self.bodies[0]) == 0
        elif self.name == "finalize":
            assert code.change.tree_finalize(tree, scene.prepared, len(ids)) == 0
        elif self.name == "abort":
            code.change.tree_abort(tree, bodies, scene.prepared)
        elif self.name == "flush":
            code.pending.flush_pending(tree, bodies)
        elif self.name == "rebuild":
            code.rebuild.tree_rebuild(tree, bodies)
        elif self.name == "swap":
            code.rebuild.tree_swap(tree)
        elif self.name == "renew":
            code.rebuild.tree_rebuild(tree, bodies)
            code.rebuild.tree_swap(tree)

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


@pytest.fixture(scope="module")
def explored(tmp_path_factory):
    """One compiled copy for all tests here."""
    return Explored(tmp_path_factory.mktemp("explored"))


def explore(scene, code, first, second, most_places) -> int:
    """Park `first` in up to `most_places` places, run `second` there, read; give the number of places."""
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
            for _ in range(3):
                rebuild.tree_renew(scene.tree, scene.bodies)
                scene.read()
        except AssertionError as error:
            raise AssertionError(
                f"{first} parked before store {place} of {stores}, {second} meanwhile: {error}"
            ) from error
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
            count += explore(scene, explored, first, second, 25)
    print(f"\n{state}: writers parked in {count} places")
    assert not scene.world.trees.trees.rows["users"].any()
