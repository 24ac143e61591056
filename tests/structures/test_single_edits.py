"""The edit of one brick: the same as a batch of one, in tree, body and errors."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scree
from scree.shapes.solids import MOST_VOLUME
from scree.structures import single_edits
from scree.structures.structure import Structure, boxes, merged
from tests.structures.test_breaking import searched_bar
from tests.structures.twin import check

STEP = 1.0 / 60.0
UNIT = 0.25


def new_space(gravity: float = -10.0) -> scree.Space:
    return scree.World(threads=1, bodies=1 << 9, body_shapes=1 << 11, shapes=1 << 11).add_space(gravity=(0, gravity, 0))


def same_rows(one: Structure, other: Structure) -> None:
    """Whether two structures hold the same bricks, with the same numbers, and tell the same about the whole."""
    for mine, theirs in zip(one.all_bricks(), other.all_bricks(), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert one.summary == other.summary and len(one) == len(other)


class Listener:
    """Notes what a structure tells."""

    def __init__(self):
        self.batches = []

    def renew_structure(self, structure):
        self.count = len(structure)

    def tell_structure(self, structure, batch):
        assert self.count == len(structure)
        self.batches.append(batch)


BOX = st.tuples(*[st.integers(-9, 9)] * 3, *[st.integers(1, 5)] * 3, st.integers(1, 3))


@settings(deadline=None, max_examples=80)
@given(st.lists(st.tuples(st.sampled_from(("insert", "remove", "change")), BOX, st.integers(0, 999)), max_size=60))
def test_single_edits_are_batches_of_one(edits):
    one, other = Structure(500), Structure(500)
    listeners, numbers = (Listener(), Listener()), []
    one.users.add(listeners[0])
    other.users.add(listeners[1])
    for kind, (x, y, z, a, b, c, density), which in edits:
        low, high = (x, y, z), (x + a, y + b, z + c)
        box = (low, high, density, 0, 1, which)
        row = boxes(low, high, density=density, user_number=which)
        if kind == "insert" or not numbers:
            numbers.append(one.insert_one(*box))
            assert other.insert(row).tolist() == numbers[-1:]
        elif kind == "remove":
            gone = numbers.pop(which % len(numbers))
            assert one.remove_one(gone)
            other.remove([gone])
        else:
            place = which % len(numbers)
            fresh = one.change_one(numbers[place], *box)
            assert other.change([numbers[place]], row).tolist() == [fresh]
            numbers[place] = fresh
    same_rows(one, other)
    everything = one.all_bricks()
    check(one, everything[0], everything[1])
    for mine, theirs in zip(listeners[0].batches, listeners[1].batches, strict=True):
        for name in ("removed", "inserted", "bounds", "new_bounds"):
            np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))
            assert getattr(mine, name).dtype == getattr(theirs, name).dtype
        assert mine.has_grown == theirs.has_grown
    for batches in (listeners[0].batches, listeners[1].batches):
        if batches:
            assert len(merged(batches).bounds) == sum(len(batch.bounds) for batch in batches)


def fields_of(structure: Structure, unit: float) -> dict:
    """A plain model of what follows from the bricks for a row of SHAPE."""
    whole = structure.summary
    is_empty = whole["low"][0] > whole["high"][0]
    return {
        "bounds": (1, 1, 1, 0, 0, 0) if is_empty else (*(whole["low"] * unit), *(whole["high"] * unit)),
        "volume": min(float(whole["mass"]) * (unit * unit * unit), MOST_VOLUME), "inner_radius": 0.5 * whole["thinnest"] * unit,
        "center_of_mass": whole["center_of_mass"] * unit, "inertia": whole["inertia"] * (unit * unit),
    }  # fmt: skip


def test_the_row_of_the_shape_follows():
    space, structure = new_space(), scree.Structure(unit=0.3)
    body = space.add_rigid(structure, mass=3.0)
    shapes = space.world.core.shapes
    for k in range(40):
        structure.insert((3 * k, k % 5, 0), (3 * k + 2, k % 5 + 1, 4), density=1 + k % 3)
        if k % 4 == 3:
            structure.remove(int(structure.numbers[k // 2]))
        row = next(iter(shapes._structure_rows[id(structure.bricks)]))
        for name, value in fields_of(structure.bricks, 0.3).items():
            np.testing.assert_array_equal(shapes.rows[row][name], np.asarray(value, np.float32))
        assert shapes._blocks[row].record["brick_count"] == len(structure)
    structure.remove(structure.numbers)
    assert shapes.rows[row]["bounds"].tolist() == [1, 1, 1, 0, 0, 0] and body.exists


def test_a_body_follows_a_single_edit_as_it_follows_a_batch():
    """Two bodies alike, one edited brick by brick, the other by batches of one: the same mass, place and motion."""
    results = []
    for as_batch in (False, True):
        space, structure = new_space(), scree.Structure(unit=UNIT)
        low = np.array([(x, y, z) for x in range(8) for y in range(2) for z in range(8)])
        numbers = structure.insert(low, low + 1)
        space.add_static(scree.Plane())
        body = space.add_rigid(structure, (0.0, 0.3, 0.0), velocity=(1.0, 0.0, 0.5), density=200.0)
        crate = space.add_rigid(scree.Box(half_extents=(0.2, 0.2, 0.2)), (1.0, 1.1, 1.0))
        for k in range(60):
            corner = np.array((0, 2 + k // 4, k % 4))
            fresh = structure.insert(corner[None], corner[None] + 1) if as_batch else structure.insert(corner, corner + 1)
            gone = numbers[2 * k]
            structure.remove([gone, *fresh[:0]] if as_batch else int(gone))
            space.step(STEP)
        results.append((body.mass, body.center_of_mass, body.position, body.rotation, body.velocity, crate.position))
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_sleeping_body_wakes_when_the_brick_below_it_goes():
    space, floor = new_space(), scree.Structure(unit=UNIT)
    low = np.array([(x, -1, z) for x in range(-8, 8) for z in range(-8, 8)])
    numbers = floor.insert(low, low + 1)
    space.add_static(floor)
    box = space.add_rigid(scree.Box(half_extents=(0.1, 0.1, 0.1)), (0.12, 0.1, 0.12))
    for _ in range(120):
        space.step(STEP)
    assert box.is_asleep
    floor.remove(int(numbers[(low == (-4, -1, -4)).all(axis=1)][0]))
    space.step(STEP)
    assert box.is_asleep
    floor.remove(int(numbers[(low == (0, -1, 0)).all(axis=1)][0]))
    for _ in range(60):
        space.step(STEP)
    assert box.position[1] < -1.0


@pytest.mark.parametrize(
    ("low", "high", "values"),
    [
        ((0, 0, 0), (0, 1, 1), {}),
        ((0.5, 0, 0), (1, 1, 1), {}),
        ((float("nan"), 0, 0), (1, 1, 1), {}),
        ((1 << 24, 0, 0), ((1 << 24) + 1, 1, 1), {}),
        ((0, 0, 0), (1 << 20, 1 << 20, 1 << 20), {}),
        ((0, 0, 0), (1, 1, 1), {"density": 0}),
        ((0, 0, 0), (1, 1, 1), {"density": 1 << 32}),
        ((0, 0, 0), (1, 1, 1), {"surface": 0}),
        ((0, 0, 0), (1, 1, 1), {"layers": -1}),
        ((0, 0, 0), (1, 1), {}),
        ("abc", (1, 1, 1), {}),
    ],
)
def test_a_wrong_brick_is_refused_with_the_same_error(low, high, values):
    structure = scree.Structure()
    structure.insert((5, 5, 5), (6, 6, 6))
    with pytest.raises(ValueError, match="insert: ") as alone:
        structure.insert(low, high, **values)
    with pytest.raises(ValueError, match="insert: ") as in_batch:
        structure.insert([low], [high], **values)
    single = str(alone.value)
    assert single == str(in_batch.value) or ("shape (n, 3)" in single and "shape (n, 3)" in str(in_batch.value))
    with pytest.raises(ValueError, match="change: "):
        structure.change(1, low, high, **values)
    assert len(structure) == 1


@pytest.mark.parametrize("number", [0, 2, -1, (1 << 32) + 1, 1 << 28])
def test_a_brick_that_is_not_there_is_refused(number):
    structure = scree.Structure(breaks=True)
    structure.insert((0, 0, 0), (1, 1, 1))
    for given_number in (number, [number], np.array([number])):
        with pytest.raises(ValueError, match=f"remove: there is no brick {number}"):
            structure.remove(given_number)
        with pytest.raises(ValueError, match=f"change: there is no brick {number}"):
            structure.change(given_number, (0, 0, 0), (1, 1, 1))
    assert len(structure) == 1 and structure.search.is_over


def test_a_full_structure_says_so():
    structure = scree.Structure(capacity=64)
    with pytest.raises(scree.PoolFull, match="insert: "):
        for k in range(10_000):
            structure.insert((k, 0, 0), (k + 1, 1, 1))
    assert len(structure) >= 64


def test_a_search_for_pieces_hears_of_single_edits():
    structure, numbers, search = searched_bar(21)
    structure.remove_one(int(numbers[8]))
    (piece,) = search.find()
    assert piece.tolist() == numbers[:8].tolist()


def test_edits_of_single_bricks_while_a_step_runs_follow_at_its_end():
    space, structure = new_space(), scree.Structure(unit=UNIT)
    structure.insert((0, 0, 0), (4, 4, 4))
    body = space.add_rigid(structure, (0, 5, 0), density=100.0)
    done: list[float] = []

    def edit(*_):
        worker = threading.Thread(target=lambda: structure.insert((0, 4, 0), (4, 8, 4)))
        worker.start()
        worker.join()
        done.append(len(structure))

    listener = space.on_step(edit)
    space.step(STEP)
    listener.remove()
    assert done == [2] and body.mass == pytest.approx(200.0)


def test_the_rows_of_single_edits_lie_as_compiled_code_reads_them():
    assert single_edits.SINGLE.fields["effects"][1] % 4 == 0 and single_edits.HAS_GROWN * 8 < single_edits.SINGLE.itemsize
