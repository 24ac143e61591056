"""A shift is parked between any two of its stores while others take bodies out or try to rebuild; and they while it runs."""

import numpy as np
import pytest

from scree.broad_phase.query import query_end
from scree.broad_phase.schema import CURSOR

from .drivers import ask, begin_in_world
from .explored import Explored
from .test_explored import CAPACITY, EVERYTHING, STATES, Action, Real, Scene, explore, pull

ORIGINS = [(4096.0, 64.0, -128.0), (-64.0, 0.0, 8192.0)]


class ShiftedScene(Scene):
    """Bodies are looked for in the world, since the origin of their bounds moves."""

    def read(self):
        given = self.world.query(EVERYTHING)
        assert len(given) == len(set(given)), "given twice"
        assert set(self.required) <= set(given), f"missed {sorted(set(self.required) - set(given))}"
        assert set(given) <= self.allowed, f"ghosts {sorted(set(given) - self.allowed)}"
        for body in self.required:
            middle = (self.boxes[body, :3] + self.boxes[body, 3:]) / 2
            assert body in ask(self.world, middle - 0.01, middle + 0.01), f"missed {body} where it is"


class Shift(Action):
    """Both halves of a shift, to one place or back; nothing where somebody is in the way."""

    def run(self, scene, code):
        row = scene.world.trees.trees.rows[1]
        origin = ORIGINS[int(row["head"] >> 32) & 1]
        if code.shift.begin_shift(scene.tree, scene.bodies) == 1:
            code.shift.shift_tree(scene.tree, scene.bodies, origin)


OTHERS = [
    Action("remove", [8]), Action("remove", [34]), Action("remove", [53]), Action("remove_many", [9, 10, 35, 52]),
    Action("rebuild"), Action("swap"), Action("renew"),
]  # fmt: skip


@pytest.mark.parametrize("body", [8, 34])
def test_a_body_taken_out_in_every_place_of_a_shift(explored, body):
    """Neither it nor its bounds are left behind, and its path is marked as changed up to the root."""
    explore(ShiftedScene(1, "quiet"), explored, Shift("shift"), Action("remove", [body]), 4000, checked=1)


@pytest.mark.parametrize("state", STATES)
def test_a_shift_parked(explored, state):
    """In a sample of the places; readers only, and all who may be at it meanwhile."""
    scene, count = ShiftedScene(1, state), 0
    for second in (None, *OTHERS):
        count += explore(scene, explored, Shift("shift"), second, 25, checked=1)
    print(f"\n{state}: a shift parked in {count} places")


@pytest.mark.parametrize("state", STATES)
def test_a_shift_while_others_are_parked(explored, state):
    """A query that is parked in the tree before a shift continues in the one after it."""
    scene, count = ShiftedScene(1, state), 0
    for first in OTHERS:
        count += explore(scene, explored, first, Shift("shift"), 30, checked=1)
    print(f"\n{state}: others parked in {count} places")


@pytest.mark.parametrize("state", STATES)
def test_a_reader_parked_across_a_shift(state):
    """It goes on in its own tree, whatever comes and goes after the shift."""
    scene = ShiftedScene(3, state)
    cursor, found, out = np.zeros(1, CURSOR), np.zeros(4 * CAPACITY, np.int64), np.zeros(3)
    far = np.array([1e9] * 3)
    for second in OTHERS:
        for place in range(0, len(scene.inside), 5):
            scene.begin()
            begin_in_world(cursor, scene.tree, -far, far, out)
            count = pull(cursor, scene.tree, place, found)
            for action in (Shift("shift"), second, Shift("shift"), Action("renew"), Action("renew")):
                action.all(scene, Real)
                scene.read()
            count += pull(cursor, scene.tree, len(found) - count, found[count:])
            query_end(cursor, scene.tree)
            given = set(found[:count].tolist())
            assert len(given) == count and set(scene.required) <= given <= set(scene.inside)
            for _ in range(2):
                Shift("shift").all(scene, Real)
                scene.read()
            scene.check()


LEFT_OUT = {
    "ghosts": ("    while newer_location(word) == before:\n", "    while True:\n"),
    "free slot that has bounds": ("                invalidate_slot(target, slot)  #", "                pass  #"),
    "below unchanged": ("_mark_copies(record.nodes, copy << 2)", "store_int32(target + IS_CHANGED, np.int32(CHANGED))"),
}


@pytest.mark.parametrize("fault", LEFT_OUT)
def test_what_a_shift_must_not_leave_out_is_found(tmp_path, fault):
    """A body that came out meanwhile, the bounds it left, and the marks above it."""
    broken = Explored(tmp_path, [("shift", *LEFT_OUT[fault])])
    with pytest.raises(AssertionError, match=fault):
        explore(ShiftedScene(1, "quiet"), broken, Shift("shift"), Action("remove", [8]), 4000, checked=1)
