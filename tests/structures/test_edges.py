"""Edge cases of a structure: nothing, one brick, equal ones, huge ones, places far away, mistakes, full pools."""

import numpy as np
import pytest

from scree.runtime.memory import PoolFull
from scree.structures.schema import REACH
from scree.structures.structure import Structure, boxes, free_boxes

from .twin import check


def test_an_empty_structure_answers():
    structure = Structure(100)
    assert check(structure, [], boxes(np.zeros((0, 3)), np.zeros((0, 3)))) is None
    assert len(structure) == len(structure.in_box([-1e6] * 3, [1e6] * 3)) == 0
    assert structure.cast([[0.0, 0.0, 0.0]], [[1.0, 0.0, 0.0]])["number"][0] == 0
    structure.remove([])
    assert len(structure.insert(boxes(np.zeros((0, 3)), np.zeros((0, 3))))) == 0


def test_one_brick_comes_and_goes():
    structure, rows = Structure(100), boxes([[5, -3, 2]], [[6, 0, 9]])
    for _ in range(5):
        numbers = structure.insert(rows)
        check(structure, numbers, rows)
        structure.remove(numbers)
        check(structure, [], rows[:0])


@pytest.mark.parametrize("count", [8, 9, 17, 100])
@pytest.mark.parametrize("side", [1, 2, 37])
def test_equal_bricks_are_a_chain_at_the_bottom(count, side):
    structure = Structure(1000)
    rows = boxes(np.zeros((count, 3)), np.full((count, 3), side))
    numbers = structure.insert(rows)
    check(structure, numbers, rows)
    assert len(structure.in_box([0, 0, 0], [0, 0, 0])) == count
    far = boxes([[500, 0, 0]], [[501, 1, 1]])
    (other,) = structure.insert(far)
    check(structure, [*numbers, other], np.concatenate([rows, far]))
    order = np.random.default_rng(count).permutation(count)
    for k in range(count):
        structure.remove([numbers[order[k]]])
        left = np.sort(order[k + 1 :])
        check(structure, [*numbers[left], other], np.concatenate([rows[left], far]))


def test_one_brick_larger_than_all_others_together():
    structure, random = Structure(1000), np.random.default_rng(2)
    low = random.integers(0, 50, (60, 3))
    small, huge = boxes(low, low + 1), boxes([[-4_000_000] * 3], [[4_000_000] * 3], density=0)
    numbers = structure.insert(small)
    (one,) = structure.insert(huge)
    check(structure, [*numbers, one], np.concatenate([small, huge]))
    structure.remove([one])
    check(structure, numbers, small)


def test_the_root_grows_to_the_ends_of_the_world_and_back():
    structure = Structure(1000)
    corners = [[x, y, z] for x in (-REACH, REACH - 1) for y in (-REACH, REACH - 1) for z in (-REACH, REACH - 1)]
    low = np.array([*corners, [0, 0, 0], [-1, -1, -1], [5, 5, 5]])
    rows = boxes(low, low + 1)
    numbers = [int(structure.insert(rows[i : i + 1])[0]) for i in range(len(rows))]
    check(structure, numbers, rows)
    for k in range(len(rows) - 1):
        structure.remove([numbers[k]])
        check(structure, numbers[k + 1 :], rows[k + 1 :])


@pytest.mark.parametrize(
    ("low", "high", "why"),
    [
        ([0, 0, np.nan], [1, 1, 1], "not finite"),
        ([0, 0, 0], [1, np.inf, 1], "not finite"),
        ([0, 0, 0], [1, 1, 0], "not below its high one"),
        ([0, 2, 0], [1, 1, 1], "not below its high one"),
        ([REACH, 0, 0], [REACH + 1, 1, 1], "reach beyond 8388608 units"),
        ([0, -REACH - 1, 0], [1, 1, 1], "reach beyond 8388608 units"),
        ([0, 0, 0.5], [1, 1, 1], "not whole numbers"),
        ([-REACH] * 3, [REACH] * 3, "density times volume exceeds"),
    ],
)
def test_a_wrong_brick_is_refused_with_the_whole_batch(low, high, why):
    structure, good = Structure(100), boxes([[0, 0, 0]], [[1, 1, 1]])
    numbers = structure.insert(good)
    with pytest.raises(ValueError, match=f"insert: brick 1 of the batch.*{why}"):
        structure.insert(np.concatenate([good, boxes([low], [high]), good]))
    with pytest.raises(ValueError, match=f"change: brick 0 of the batch.*{why}"):
        structure.change(numbers, boxes([low], [high]))
    check(structure, numbers, good)


def test_a_free_brick_without_its_placement_is_refused():
    structure = Structure(100)
    rows, placements = free_boxes([[0.5, 0.5, 0.5]], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="kind is not known"):
        structure.insert(rows)
    rows[0]["kind"] = 77
    with pytest.raises(ValueError, match="kind is not known"):
        structure.insert(rows, placements)


@pytest.mark.parametrize(
    ("center", "half", "why"),
    [
        ([0, 0, np.nan], [1, 1, 1], "not finite"),
        ([0, 0, 0], [1, np.inf, 1], "not finite"),
        ([0, 0, 0], [1, 0, 1], "half extent is not positive"),
        ([0, 0, 0], [1, 1, -1], "half extent is not positive"),
        ([REACH, 0, 0], [1, 1, 1], "reach beyond"),
    ],
)
def test_a_wrong_free_brick_is_refused(center, half, why):
    structure = Structure(100)
    with pytest.raises(ValueError, match=f"insert: brick 0 of the batch.*{why}"):
        structure.insert(*free_boxes([center], [half]))
    assert len(structure) == 0


@pytest.mark.parametrize("numbers", [[0], [-1], [1 << 20], [4], [1, 2, 1], [1, 3, 9]])
def test_bricks_that_are_not_there_are_not_removed(numbers):
    low = np.array([[0, 0, 0], [5, 0, 0], [9, 0, 0]])
    structure, rows = Structure(100), boxes(low, low + 1)
    held = structure.insert(rows)
    with pytest.raises(ValueError, match="there is no brick"):
        structure.remove(numbers)
    check(structure, held, rows)
    structure.remove(held)
    with pytest.raises(ValueError, match="there is no brick"):
        structure.remove(held[:1])


def test_rows_of_another_type_or_number_are_refused():
    structure = Structure(100)
    rows, placements = free_boxes([[0, 0, 0], [9, 0, 0]], [1, 1, 1])
    numbers = structure.insert(rows, placements)
    with pytest.raises(ValueError, match="change: .* rows for 2 bricks"):
        structure.change(numbers, rows[:1], placements)
    with pytest.raises(ValueError, match="change: .* rows for 2 bricks"):
        structure.change(numbers, rows, placements[:1])
    with pytest.raises(ValueError, match="change: .* rows for 2 bricks"):
        structure.change(numbers, rows[:0], placements)
    with pytest.raises(ValueError, match="insert: .* rows for 1 bricks"):
        structure.insert(rows.reshape(1, 2), placements)
    with pytest.raises(TypeError, match="insert: the rows come from"):
        structure.insert(np.zeros((1, 6)))
    assert len(structure) == 2


def test_two_changes_of_a_brick_in_turn_follow_its_number():
    structure, rows = Structure(100), boxes([[0, 0, 0]], [[1, 1, 1]])
    first = structure.insert(rows)
    second = structure.change(first, boxes([[3, 0, 0]], [[4, 1, 1]]))
    with pytest.raises(ValueError, match="there is no brick"):
        structure.change(first, rows)
    last = boxes([[300, 0, 0]], [[400, 1, 1]])
    check(structure, structure.change(second, last), last)


def test_a_full_structure_says_so():
    structure = Structure(255)
    low = np.arange(3 * 256).reshape(256, 3)
    with pytest.raises(PoolFull, match="the first 0 of 256 edits"):
        structure.insert(boxes(low, low + 1))
    numbers = structure.insert(boxes(low[:255], low[:255] + 1))
    with pytest.raises(PoolFull, match="the first 0 of 1 edits"):
        structure.insert(boxes([[0, 0, 0]], [[1, 1, 1]]))
    check(structure, numbers, boxes(low[:255], low[:255] + 1))


def test_values_of_a_brick_are_kept():
    structure = Structure(100)
    values = {"layers": 6, "density": 4, "material": 700, "user_number": -(1 << 60)}
    (number,) = structure.insert(boxes([[0, 0, 0]], [[1, 2, 3]], **values))
    (row,) = structure.rows_of("test", np.array([number]))
    assert {name: int(row[name]) for name in values} == values
