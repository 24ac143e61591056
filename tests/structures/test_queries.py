"""Rays, boxes, oriented boxes and coarse parts, against looking at each brick."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scree.structures.schema import REACH
from scree.structures.structure import Structure, boxes, free_boxes

COUNT = 400


class Crowd:
    """A structure, the numbers of its bricks and their rows."""

    def __init__(self, structure: Structure, numbers: np.ndarray, rows: np.ndarray):
        self.structure, self.numbers, self.rows = structure, numbers, rows


def crowd(seed: int, count: int = COUNT) -> Crowd:
    """A structure of bricks with sides from 1 to 100 in several layers, edited so that its tree was split and joined."""
    random = np.random.default_rng(seed)
    side = np.round(np.exp(random.uniform(0, np.log(100), (count, 1))) * random.uniform(0.3, 1, (count, 3))).clip(1)
    low = random.integers(-150, 150, (count, 3))
    low[: count // 4, 1] = 0
    rows = boxes(low, low + side, layers=1 << random.integers(0, 4, count))
    structure = Structure(4 * count)
    numbers = structure.insert(rows)
    gone = random.permutation(count)[: count // 2]
    structure.remove(numbers[gone])
    for i in gone:
        numbers[i] = structure.insert(rows[i : i + 1])[0]
    return Crowd(structure, numbers, rows)


@pytest.fixture(scope="module", params=range(3))
def crowded(request):
    return crowd(request.param)


def entries(rows, origin, direction, reach, mask, slack):
    """Fractions at which a moving box enters the bounds of each brick; infinity where it does not. With `slack` it must, or may,
    miss them by as much."""
    low, high = rows["low"].astype(float) - reach, rows["high"].astype(float) + reach
    near, far = np.zeros(len(rows)), np.ones(len(rows))
    for axis in range(3):
        if abs(direction[axis]) < 1e-12:  # along a face it touches the face, however little it leaves it on the way
            margin = 1e-9 if slack < 0.0 and direction[axis] != 0.0 else 0.0  # from a face it may leave, or not
            far[(origin[axis] < low[:, axis] + margin) | (origin[axis] > high[:, axis] - margin)] = -1.0
            continue
        a, b = (low[:, axis] - origin[axis]) / direction[axis], (high[:, axis] - origin[axis]) / direction[axis]
        near, far = np.maximum(near, np.minimum(a, b)), np.minimum(far, np.maximum(a, b))
    return np.where((near <= far + slack) & (rows["layers"] & mask != 0), near, np.inf)


def points(size):
    return st.tuples(*[st.one_of(st.floats(-size, size, width=32), st.integers(-size, size).map(float))] * 3)


@settings(max_examples=300, deadline=None)
@given(points(300), points(600), st.sampled_from([0.0, 0.5, 3.0, 40.0]), st.sampled_from([1, 2, 5, 15, 16]))
@example((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 15)
@example((0.0, 0.0, 0.0), (0.0, 0.0, 114.0), 3.0, 2)  # touches faces along the whole way
@example((-300.0, 0.5, 0.5), (600.0, 0.0, 0.0), 0.0, 15)
@example((0.0, 0.0, 0.0), (70.0, -3.3e-33, 0.0), 0.0, 2)
@example((0.0, 0.0, 0.0), (0.0, -18.0, 1.3e-30), 3.0, 2)
def test_rays_and_moving_boxes_meet_what_a_look_at_each_brick_finds(crowded, origin, direction, reach, mask):
    structure, numbers, rows = crowded.structure, crowded.numbers, crowded.rows
    (ray,) = structure.cast([origin], [direction], half_extents=reach, mask=mask)
    surely = entries(rows, origin, direction, reach, mask, -1e-12).min()
    assert (ray["number"] != 0) or surely == np.inf
    if ray["number"]:
        assert ray["fraction"] <= surely + 1e-12
        entered = entries(rows[numbers == ray["number"]], origin, direction, reach, mask, 1e-12)
        assert entered == pytest.approx(ray["fraction"], abs=1e-12)


@settings(max_examples=200, deadline=None)
@given(points(200), st.tuples(*[st.integers(0, 80)] * 3), st.sampled_from([1, 6, 15, 16]))
def test_boxes_find_what_touches_them(crowded, center, half, mask):
    structure, numbers, rows = crowded.structure, crowded.numbers, crowded.rows
    low, high = np.subtract(center, half), np.add(center, half)
    found = structure.in_box(low, high, mask=mask)
    low, high = (low + high) / 2 - (high - low) / 2, (low + high) / 2 + (high - low) / 2
    touches = ((rows["low"] <= high) & (rows["high"] >= low)).all(1) & (rows["layers"] & mask != 0)
    assert sorted(found["number"]) == sorted(numbers[touches])
    for row in found:
        (i,) = np.nonzero(numbers == row["number"])[0]
        assert (row["low"] == rows[i]["low"]).all() and (row["high"] == rows[i]["high"]).all()


def gap(rows, center, half, turn):
    """By how much the best of all separating axes separates an oriented box from each brick; negative: they overlap."""
    middle = (rows["low"].astype(float) + rows["high"]) / 2 - center
    extent = (rows["high"].astype(float) - rows["low"]) / 2
    best = np.full(len(rows), -np.inf)
    for axis in [*np.eye(3), *turn.T, *(np.cross(e, a) for e, a in itertools.product(np.eye(3), turn.T))]:
        size = np.linalg.norm(axis)
        if size > 1e-6:
            axis = axis / size
            best = np.maximum(best, abs(middle @ axis) - extent @ abs(axis) - abs(turn.T @ axis) @ half)
    return best


def matrix_of(q):
    x, y, z, w = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


@settings(max_examples=200, deadline=None)
@given(points(200), st.tuples(*[st.floats(0.125, 80, width=32)] * 3), st.integers(0, 1000))
def test_oriented_boxes_find_what_touches_them(crowded, center, half, seed):
    structure, numbers, rows = crowded.structure, crowded.numbers, crowded.rows
    q = np.random.default_rng(seed).normal(size=4)
    q /= np.linalg.norm(q)
    if seed < 100:
        q = np.array([0.0, 0.0, 0.0, 1.0])
    found = set(structure.in_oriented_box(center, half, q)["number"].tolist())
    apart = gap(rows, np.array(center), np.array(half), matrix_of(q))
    assert found <= set(numbers[apart <= 1e-6].tolist())
    assert found >= set(numbers[apart <= -1e-6].tolist())


@settings(max_examples=100, deadline=None)
@given(points(150), st.floats(5, 200), st.floats(1, 60))
def test_coarse_parts_cover_what_they_stand_for_and_are_small(crowded, center, half, size):
    structure, numbers, rows = crowded.structure, crowded.numbers, crowded.rows
    low, high = np.subtract(center, half), np.add(center, half)
    full = set(structure.in_box(low, high)["number"].tolist())
    found = structure.in_box(low, high, coarse=size)
    bricks, parts = found[found["number"] > 0], found[found["number"] == 0]
    assert set(bricks["number"].tolist()) <= full
    touches = (parts["high"] >= low - 1e-3) & (parts["low"] <= high + 1e-3)  # nodes are tested in single precision
    assert ((parts["high"] - parts["low"]) < size).all() and touches.all()
    for number in full - set(bricks["number"].tolist()):
        (row,) = rows[numbers == number]
        assert ((parts["low"] <= row["low"]) & (parts["high"] >= row["high"])).all(1).any()


def test_for_something_large_a_fine_grid_is_a_few_boxes():
    low = np.stack(np.meshgrid(*[range(16)] * 3), -1).reshape(-1, 3)
    structure = Structure(10_000)
    structure.insert(boxes(low, low + 1))
    assert len(structure.in_box([-200] * 3, [200] * 3)) == 16**3
    (part,) = structure.in_box([-200] * 3, [200] * 3, coarse=400 / 16)
    assert part["number"] == 0 and (part["low"] == 0).all() and (part["high"] == 16).all()
    assert len(structure.in_box([-200] * 3, [200] * 3, coarse=16)) == 8
    assert len(structure.in_box([0.5] * 3, [0.6] * 3, coarse=1)) == 1  # a brick as long as that is itself


def test_free_bricks_are_found_by_the_bounds_of_the_turned_box():
    structure = Structure(100)
    turn = (0.0, 0.0, np.sin(np.pi / 8), np.cos(np.pi / 8))  # 45 degrees about z
    rows, placements = free_boxes([[10.0, 0.0, 0.0]], [1.0, 1.0, 0.25], turn)
    (number,) = structure.insert(rows, placements)
    (found,) = structure.in_box([0, -5, -5], [20, 5, 5])
    assert found["number"] == number
    assert found["low"] == pytest.approx([10 - 2**0.5, -(2**0.5), -0.25], abs=1e-4)
    (ray,) = structure.cast([[10.0, -50.0, 0.0]], [[0.0, 100.0, 0.0]])
    assert ray["fraction"] == pytest.approx((50 - 2**0.5) / 100, abs=1e-6)


def test_rays_far_from_the_origin_meet_thin_bricks():
    far = REACH - 10
    structure = Structure(100)
    (number,) = structure.insert(boxes([[far, far, -far]], [[far + 1, far + 1, 1 - far]]))
    for axis in range(3):
        way, start = np.zeros(3), np.array([far + 0.5, far + 0.5, 0.5 - far])
        way[axis] = 200.0
        start[axis] -= 100.0
        (ray,) = structure.cast([start], [way])
        assert ray["number"] == number and ray["fraction"] == pytest.approx(99.5 / 200)
