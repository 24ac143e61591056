"""Edge cases of structures in a running world: nothing, equal bricks, edits in callbacks and twice in a tick, structures that are
freed while a query walks over them."""

import gc
import threading
import weakref

import numpy as np
import pytest

import scree
from scree.runtime.memory import address_of
from scree.structures.queries import CURSOR
from scree.structures.schema import BRICK
from tests.sizes import size

from .test_explored import begin, end, fetch
from .test_on_bodies import STEP, UNIT, block, is_at_rest_with_itself, new_space, run

RACE = size(2.0, 60.0)  # [s]
ONE_BOX = scree.Box(half_extents=(0.3, 0.3, 0.3))


@pytest.fixture
def space() -> scree.Space:
    return new_space()


def part_below(space: scree.Space, x: float, z: float) -> int:
    """The brick that a ray from above hits first; 0: none."""
    hit = space.cast_ray((x, 9.0, z), (x, -9.0, z))
    return 0 if hit is None else hit.part


def test_an_empty_structure_on_a_body_is_met_by_nothing_until_it_has_a_brick(space):
    structure = scree.Structure(unit=UNIT)
    body = space.add_static(structure)
    box = space.add_rigid(ONE_BOX, (0.0, 1.0, 0.0), can_sleep=False)
    run(space, 0.2)
    assert part_below(space, 2.0, 2.0) == 0 and box.velocity[1] == pytest.approx(-2.0, abs=0.2)
    (number,) = structure.insert([(-20, -4, -20)], [(20, 0, 20)])
    run(space, 2.0)
    assert part_below(space, 2.0, 2.0) == number and box.position[1] == pytest.approx(0.3, abs=0.01)
    structure.remove(number)
    run(space, 0.3)
    assert part_below(space, 2.0, 2.0) == 0 and box.position[1] < 0.2
    body.remove()


@pytest.mark.parametrize("count", [1, 9, 30])
def test_equal_bricks_carry_like_one(space, count):
    structure = scree.Structure(unit=UNIT)
    numbers = structure.insert([(-4, -4, -4)] * count, [(4, 0, 4)] * count)
    space.add_static(structure)
    box = space.add_rigid(ONE_BOX, (0.0, 0.35, 0.0), mass=1.0)
    run(space, 2.0)
    assert box.position[1] == pytest.approx(0.3, abs=0.01) and part_below(space, 0.9, 0.9) == numbers[0]
    structure.remove(numbers[:-1])
    run(space, 0.5)
    assert box.position[1] == pytest.approx(0.3, abs=0.01) and part_below(space, 0.9, 0.9) == numbers[-1]


def test_one_brick_larger_than_all_others_together(space):
    structure = scree.Structure(unit=UNIT)
    at = np.stack(np.meshgrid(np.arange(10), [0], np.arange(10), indexing="ij"), axis=-1).reshape(-1, 3)
    small = structure.insert(at, at + 1)
    (huge,) = structure.insert([(-40_000, -40_000, -40_000)], [(40_000, 0, 40_000)])
    space.add_static(structure)
    boxes = [space.add_rigid(ONE_BOX, (x, y, 1.25), mass=1.0) for x, y in ((1.25, 0.56), (-9.0, 0.31), (5_000.0, 0.31))]
    run(space, 2.0)
    assert [box.position[1] for box in boxes] == pytest.approx([0.55, 0.3, 0.3], abs=0.01)
    assert part_below(space, 0.1, 0.1) == small[0] and part_below(space, -5.0, 0.1) == huge
    structure.remove(huge)
    run(space, 0.3)
    assert boxes[0].position[1] == pytest.approx(0.55, abs=0.01) and boxes[1].position[1] < 0.2 and boxes[2].position[1] < 0.2


@pytest.mark.parametrize("moment", ["before", "sub-step", "after"])
def test_an_edit_in_a_callback_of_a_step(space, moment):
    """It is made at once, seen by queries of the callback, and felt by bodies from the next step on."""
    floor, numbers = block(6, 1, 6, size=4)
    space.add_static(floor)
    boxes = [space.add_rigid(ONE_BOX, (x, 0.83, -0.5), mass=1.0) for x in (-1.5, 1.5)]
    run(space, 1.0)
    gone, seen = [part_below(space, -1.1, -0.5)], []

    def edit(seconds: float) -> None:
        if gone:
            low, high = floor.bounds_of(gone)
            floor.remove(gone.pop())
            seen.append(part_below(space, -1.1, -0.5))
            (fresh,) = floor.insert(low - (0, 20, 0), high - (0, 20, 0))
            (again,) = floor.change(fresh, low - (0, 24, 0), high - (0, 24, 0))
            seen.extend((part_below(space, -1.1, -0.5), again, len(floor)))

    listener = space.on_step(edit, moment)
    space.step(STEP)
    listener.remove()
    first, second, again, count = seen
    assert first == 0 and count == len(numbers) and second in (0, again)
    space.step(STEP)
    assert part_below(space, -1.1, -0.5) == again
    run(space, 0.5)
    assert boxes[0].position[1] < -0.2 and boxes[1].position[1] == pytest.approx(0.8, abs=0.01)
    assert is_at_rest_with_itself(space, floor)


def test_an_edit_when_bodies_wake(space):
    floor, numbers = block(6, 1, 6, size=4)
    space.add_static(floor)
    box = space.add_rigid(ONE_BOX, (-1.5, 0.83, -0.5), mass=1.0)
    fallen = []
    space.on_waking(lambda woke, slept: fallen.append(floor.remove(part_below(space, -1.1, -0.5))) if len(slept) else None)
    for _ in range(300):
        space.step(STEP)
        if fallen:
            break
    assert fallen and len(floor) == len(numbers) - 1
    run(space, 0.5)
    assert not box.is_asleep and box.position[1] < 0.3


def test_two_edits_of_a_brick_in_a_tick(space):
    floor, _ = block(6, 1, 6, size=4)
    space.add_static(floor)
    boxes = [space.add_rigid(ONE_BOX, (x, 0.83, -0.5), mass=1.0) for x in (-1.5, 1.5)]
    run(space, 2.0)
    first = part_below(space, -1.1, -0.5)
    low, high = floor.bounds_of(first)
    (second,) = floor.change(first, low + (0, 40, 0), high + (0, 40, 0))
    (third,) = floor.change(second, low, high)
    with pytest.raises(ValueError, match="there is no brick"):
        floor.remove(second)
    assert part_below(space, -1.1, -0.5) == third
    run(space, 1.0)
    assert [box.position[1] for box in boxes] == pytest.approx([0.8, 0.8], abs=0.01)
    floor.remove(third)
    (fourth,) = floor.insert(low, high)
    floor.remove(fourth)
    run(space, 0.5)
    assert boxes[0].position[1] < -0.2 and boxes[1].position[1] == pytest.approx(0.8, abs=0.01)
    assert len(floor) == 35 and part_below(space, -1.1, -0.5) == 0


def test_a_structure_that_is_freed_stays_until_the_query_that_walks_over_it_ends(space):
    structure, numbers = block(8, 2, 8)
    body, core = space.add_static(structure), space.world.core
    address, freed = structure.bricks.address, weakref.ref(structure.bricks)
    users = core.system(space._id).trees.trees.rows[1]["users"]
    users[0, 3, 0] += 1  # a query of the space has not ended ...
    cursor, rows = np.zeros(1, CURSOR), np.zeros(len(numbers), BRICK)
    begin(address, address_of(cursor))  # ... and walks over the bricks
    assert fetch(address, address_of(cursor), address_of(rows), 20) == 20
    body.remove()
    del structure, body
    for _ in range(3):
        space.step(STEP)
        core.retirement.reclaim()
        gc.collect()
    assert freed() is not None
    assert fetch(address, address_of(cursor), address_of(rows[20:]), len(rows)) == len(rows) - 20
    assert set(rows["kind"].tolist()) == {1}
    end(address, address_of(cursor))
    users[0, 3, 0] -= 1
    core.retirement.reclaim()
    gc.collect()
    assert freed() is None


def test_structures_come_and_go_while_rays_walk_over_them():
    space, stop, errors, asked = new_space(threads=2), threading.Event(), [], [0]

    def ask() -> None:
        random = np.random.default_rng(1)
        try:
            while not stop.is_set():
                asked[0] += int(space.cast_rays(random.uniform((-2, 9, -2), (2, 9, 2), (200, 3)), (0.0, -20.0, 0.0)).is_hit.sum())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    threading.Timer(RACE, stop.set).start()
    alive, made = [], 0
    while not stop.is_set():
        structure, numbers = block(16, 1, 16)
        body, made = space.add_static(structure), made + 1
        alive.append(weakref.ref(structure.bricks))
        structure.remove(numbers[::2])
        space.step(STEP)
        body.remove()
        del structure, body
    thread.join()
    assert not errors and asked[0] > 0 and made > 10
    space.world.core.retirement.reclaim()
    gc.collect()
    assert sum(one() is not None for one in alive) <= 1
