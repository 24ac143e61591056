"""`scree.Structure`: values, bodies, edits, and what is refused."""

import numpy as np
import pytest

import scree

STEP = 1.0 / 60.0


@pytest.fixture
def bar() -> scree.Structure:
    """Ten bricks of a metre in a row along X."""
    structure = scree.Structure(breaks=True)
    low = np.array([(x, 0, 0) for x in range(10)])
    structure.insert(low, low + 1, tag=np.arange(10))
    return structure


def test_bricks_have_numbers_that_stay(bar):
    numbers = bar.numbers
    assert len(bar) == 10 and len(set(numbers)) == 10
    bar.remove(numbers[3])
    assert bar.numbers.tolist() == np.delete(numbers, 3).tolist()
    with pytest.raises(ValueError, match=f"bounds_of: there is no brick {numbers[3]}"):
        bar.bounds_of(numbers[3])
    (new,) = bar.change(numbers[0], [(0, 5, 0)], [(1, 6, 2)])
    low, high = bar.bounds_of(new)
    assert low.tolist() == [[0, 5, 0]] and high.tolist() == [[1, 6, 2]]


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"low": [(0, 0, 0)], "high": [(1, 1)]}, "insert: high must be numbers of shape"),
        ({"low": [(0, 0, 0)], "high": [(1, 1, 1), (2, 2, 2)]}, "insert: as many high corners as low ones"),
        ({"low": [(0, 0, 0)], "high": [(0, 1, 1)]}, "insert: brick 0 of the batch: its low corner is not below"),
        ({"low": [(0.5, 0, 0)], "high": [(1, 1, 1)]}, "insert: brick 0 of the batch: its corners are not whole"),
        ({"low": [(0, 0, 0)], "high": [(1, 1, 1)], "density": 0}, "insert: density must be whole numbers from 1"),
        ({"low": [(0, 0, 0)], "high": [(1, 1, 1)], "density": 1.5}, "insert: density must be whole numbers"),
        ({"low": [(0, 0, 0)], "high": [(1, 1, 1)], "surface": 0}, "insert: surface must be whole numbers from -1 to -1"),
    ],
)
def test_bad_bricks_are_refused_as_a_whole(bar, given, error):
    with pytest.raises(ValueError, match=error):
        bar.insert(**given)
    assert len(bar) == 10


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"unit": 0.0}, "Structure: unit must be positive"),
        ({"unit": float("nan")}, "Structure: unit must be positive"),
        ({"capacity": 0}, "Structure: capacity must be a whole number"),
        ({"surfaces": [scree.Material(rough=True)]}, "Structure: surfaces cannot be rough"),
    ],
)
def test_bad_values_are_refused(given, error):
    with pytest.raises(ValueError, match=error):
        scree.Structure(**given)


def test_a_full_structure_says_so():
    small = scree.Structure(capacity=3)
    with pytest.raises(scree.PoolFull, match="insert: "):
        for k in range(1000):
            small.insert([(k, 0, 0)], [(k + 1, 1, 1)])


def test_mass_follows_density_and_stays_as_it_was_set(space, bar):
    by_density, by_mass = space.add_rigid(bar, density=7.0), space.add_rigid(bar, (0, 5, 0), mass=3.0)
    assert by_density.mass == pytest.approx(70.0)
    bar.remove(bar.numbers[5:])
    assert by_density.mass == pytest.approx(35.0) and by_mass.mass == pytest.approx(3.0)
    assert by_mass.center_of_mass == pytest.approx((2.5, 0.5, 0.5))
    by_density.mass = 11.0
    bar.remove(bar.numbers[1:])
    assert by_density.mass == pytest.approx(11.0)
    bar.remove(bar.numbers)
    assert by_density.mass == pytest.approx(11.0) and len(bar) == 0
    space.step(STEP)
    assert space.cast_ray((0.5, 9.0, 0.5), (0.5, -9.0, 0.5)) is None


def test_a_structure_is_on_many_bodies_and_beside_other_shapes(space, bar):
    bodies = space.add_static_many(bar, [(0, 0, 0), (0, 0, 5)])
    bodies[0].add_shape(scree.Sphere(radius=1.0), (0.0, 5.0, 0.5))
    bodies[1].add_shape(bar, (0.0, 2.0, 0.0))
    assert space.cast_ray((5.5, 9, 0.5), (5.5, -9, 0.5)).position[1] == pytest.approx(1.0)
    assert space.cast_ray((5.5, 9, 5.5), (5.5, -9, 5.5)).position[1] == pytest.approx(3.0)
    hit = space.cast_ray((0.0, 9, 0.5), (0.0, -9, 0.5))
    assert hit.shape == 1 and hit.part == -1 and hit.position[1] == pytest.approx(6.0)
    bar.remove(bar.numbers[5])
    assert space.cast_ray((5.5, 9, 0.5), (5.5, -9, 0.5)) is None and space.cast_ray((5.5, 9, 5.5), (5.5, -9, 5.5)) is None


def test_turned_bricks(space):
    turned = scree.Structure()
    turned.insert_turned([(0, 0, 0)], [(2, 2, 2)], (0.0, 0.0, np.sin(np.pi / 8), np.cos(np.pi / 8)))
    space.add_static(turned)
    assert space.cast_ray((0, 9, 0), (0, -9, 0)).position[1] == pytest.approx(2 * np.sqrt(2), abs=1e-5)
    assert space.cast_ray((2.7, 9, 0), (2.7, -9, 0)).position[1] == pytest.approx(2 * np.sqrt(2) - 2.7, abs=1e-5)


def test_pieces_are_bodies(space, bar):
    body = space.add_rigid(bar, density=2.0)
    numbers = bar.numbers
    bar.remove(numbers[[3, 7]])
    pieces = body.break_apart()
    assert all(isinstance(piece, scree.Piece) for piece in pieces)
    assert sorted(len(piece.structure) for piece in pieces) == [2, 3]
    assert set(numbers[8:]) <= set(np.concatenate([piece.numbers for piece in pieces]))  # the smallest is found first
    assert sum(piece.body.mass for piece in pieces) + body.mass == pytest.approx(16.0)


def test_layers_of_zero_are_met_by_nothing(space):
    ghost = scree.Structure()
    ghost.insert([(0, 0, 0), (5, 0, 0)], [(1, 1, 1), (6, 1, 1)], layers=[0, 1])
    space.add_static(ghost)
    assert space.cast_ray((0.5, 9, 0.5), (0.5, -9, 0.5)) is None
    assert space.cast_ray((5.5, 9, 0.5), (5.5, -9, 0.5)) is not None
    assert space.at_point((0.5, 0.5, 0.5)) == []
