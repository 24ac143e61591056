"""Sums of mass: exact for whole-number boxes, whatever the order; close for free ones."""

from fractions import Fraction

import numpy as np
import pytest

from scree.structures.structure import Structure, boxes, free_boxes

from .random_edits import Editing


def wide(record) -> int:
    """The value of a 128-bit whole number."""
    return int(record["low"]) + (int(record["high"]) << 64)


def sums(structure: Structure) -> list[int]:
    record = structure.record[0]["sums"]
    return [wide(record["mass"]), *map(wide, record["first"]), *map(wide, record["second"])]


def exact_sums(rows: np.ndarray) -> list[int]:
    """The sums from the rows, in Python's whole numbers."""
    total = [0] * 10
    for row in rows:
        low, high = [int(v) for v in row["low"]], [int(v) for v in row["high"]]
        side, twice = [b - a for a, b in zip(low, high, strict=True)], [a + b for a, b in zip(low, high, strict=True)]
        mass = int(row["density"]) * side[0] * side[1] * side[2]
        terms = [1, *twice, *(3 * c * c + a * a for c, a in zip(twice, side, strict=True))]
        terms += [twice[0] * twice[1], twice[1] * twice[2], twice[2] * twice[0]]
        total = [value + mass * term for value, term in zip(total, terms, strict=True)]
    return total


def test_sums_are_exact_after_random_edits():
    editing = Editing(3, steps=0)
    for _ in range(60):
        editing.batch()
        assert sums(editing.structure) == exact_sums(editing.set()[1])


def test_sums_of_the_heaviest_bricks_farthest_away_are_exact():
    far = 1 << 23
    low = np.array([[far - 4, -far, far - 4], [-far, far - 4, -far]])
    rows = boxes(low, low + 4, density=2**32 - 1)
    structure = Structure(100)
    numbers = structure.insert(rows)
    assert sums(structure) == exact_sums(rows)
    structure.remove(numbers)
    assert sums(structure) == [0] * 10


def test_a_large_box_has_the_moments_of_its_parts():
    whole, parts = Structure(100), Structure(100)
    whole.insert(boxes([[2, 3, 4]], [[6, 5, 10]]))
    low = np.array([(x, y, z) for x in (2, 4) for y in (3, 4) for z in (4, 7)])
    parts.insert(boxes(low, low + [2, 1, 3]))
    assert sums(whole) == sums(parts)


def test_moments_are_those_of_the_formula():
    structure = Structure(100)
    structure.insert(boxes([[0, 0, 0]], [[2, 4, 6]], density=5))
    mass, *rest = sums(structure)
    assert mass == 5 * 48
    assert [Fraction(v, 2) / mass for v in rest[:3]] == [1, 2, 3]
    assert [Fraction(v, 12) / mass for v in rest[3:6]] == [Fraction(4, 3), Fraction(16, 3), 12]  # side^2 / 3 from a corner
    assert [Fraction(v, 4) / mass for v in rest[6:]] == [2, 6, 3]


def test_free_boxes_have_the_sums_of_whole_ones_and_leave_next_to_nothing():
    random = np.random.default_rng(5)
    low = random.integers(-1000, 1000, (200, 3))
    side = random.integers(1, 50, (200, 3))
    turn = (0.0, np.sqrt(0.5), 0.0, np.sqrt(0.5))  # a quarter turn about y: x and z change places
    rows, placements = free_boxes(low + side / 2, side[:, ::-1] / 2, turn, density=3)
    structure = Structure(1000)
    numbers = structure.insert(rows, placements)
    free = structure.record[0]["sums"]["free"].copy()
    exact = np.array(exact_sums(boxes(low, low + side, density=3)), float) / [1, 2, 2, 2, 12, 12, 12, 4, 4, 4]
    assert free == pytest.approx(exact, rel=1e-6)
    structure.remove(numbers[random.permutation(200)])
    left = structure.record[0]["sums"]["free"]
    assert (abs(left) <= 400 * 1.2e-16 * np.maximum(abs(exact), exact[4:7].max())).all()
