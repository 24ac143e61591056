"""Static compounds: what is flattened to what, mass and bounds against NumPy, rows that are given back, bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.runtime.memory import PoolFull
from scree.shapes import schema
from scree.shapes.pool import ShapePool
from scree.shapes.stretch import split_basis

UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def new_pool(capacity: int = 256) -> ShapePool:
    return ShapePool(lambda index, sequence: sequence << 32 | index + 1, capacity=capacity)


def box(pool, *half) -> int:
    index = pool.create(schema.BOX)
    pool.set_box(index, half)
    return index


def sphere(pool, radius) -> int:
    index = pool.create(schema.SPHERE)
    pool.set_sphere(index, radius)
    return index


def compound(pool, *parts) -> int:
    index = pool.create(schema.COMPOUND)
    pool.set_compound(index, parts)
    return index


def at(*place) -> tuple:
    return (*UPRIGHT, *place)


def matrix(packed) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = (float(v) for v in packed)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 40))
def test_mass_and_bounds_are_those_of_the_parts(seed, count):
    random, pool = np.random.default_rng(seed), new_pool()
    kinds = [box(pool, 0.3, 0.5, 0.7), sphere(pool, 0.4), box(pool, 1.0, 0.1, 0.2)]
    parts, volume, first, second, low, high = [], 0.0, np.zeros(3), np.zeros((3, 3)), np.full(3, np.inf), np.full(3, -np.inf)
    for _ in range(count):
        turn, _ = np.linalg.qr(random.normal(size=(3, 3)))
        turn *= np.sign(np.linalg.det(turn))
        place, shape = random.normal(size=3) * 4, kinds[random.integers(3)]
        parts.append((shape, (*turn.ravel(), *place)))
        row = pool.rows[shape]
        v = float(row["volume"])
        volume, first = volume + v, first + v * place
        inertia = turn @ matrix(row["inertia"]) @ turn.T
        second += v * (inertia + (place @ place) * np.eye(3) - np.outer(place, place))
        half = np.abs(turn) @ row["bounds"][3:]
        low, high = np.minimum(low, place - half), np.maximum(high, place + half)
    row = pool.rows[compound(pool, *parts)]
    center = first / volume
    about = second / volume - (center @ center) * np.eye(3) + np.outer(center, center)
    assert row["kind"] == schema.COMPOUND and row["volume"] == pytest.approx(volume, rel=1e-5)
    np.testing.assert_allclose(row["center_of_mass"], center, atol=1e-4)
    np.testing.assert_allclose(matrix(row["inertia"]), about, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(row["bounds"], [*low, *high], atol=1e-4)


def test_a_compound_of_compounds_is_flat_and_paths_tell_what_was_given():
    pool = new_pool()
    ball, brick = sphere(pool, 0.5), box(pool, 1.0, 1.0, 1.0)
    pair = compound(pool, (ball, at(1, 0, 0), 10), (brick, at(-1, 0, 0), 11, (0.2, 0.3)))
    doubled = (2.0, 0, 0, 0, 2.0, 0, 0, 0, 2.0, 0.0, 5.0, 0.0)
    whole = compound(pool, (brick, at(0, 0, 0), 1), (pair, doubled, 2, (0.7, 0.0)), (pair, at(0, -5, 0), 3))
    found = [pool.part_of(whole, k) for k in range(5)]
    assert found == [((0,), 1), ((1, 0), 10), ((1, 1), 11), ((2, 0), 10), ((2, 1), 11)]
    with pytest.raises(ValueError, match="part_of: shape . has no part 5"):
        pool.part_of(whole, 5)
    block = pool.block_of(whole)
    parts = block.arrays["parts"]
    np.testing.assert_allclose(parts["position"], [(0, 0, 0), (2, 5, 0), (-2, 5, 0), (1, -5, 0), (-1, -5, 0)], atol=1e-6)
    assert pool.rows["radius"][parts["shape"][[1, 3]]].tolist() == [1.0, 0.5]
    assert pool.rows["half_extents"][parts["shape"][[0, 2, 4]], 0].tolist() == [1.0, 2.0, 1.0]
    # Equal parts share a row; the surface of the innermost that has one counts.
    assert parts["shape"][0] == parts["shape"][4] and len(pool.part_rows(whole)) == 4
    np.testing.assert_allclose(block.arrays["surfaces"], [(-1, -1), (0.7, 0), (0.2, 0.3), (-1, -1), (0.2, 0.3)], atol=1e-6)


def test_what_becomes_of_the_shapes_does_not_matter_and_rows_come_back():
    pool = new_pool(64)
    ball, field = sphere(pool, 0.5), pool.create(schema.HEIGHT_FIELD)
    pool.set_height_field(field, 3, 3, np.zeros(9))
    whole = compound(pool, (ball, at(0, 1, 0)), (field, at(0, 0, 0)))
    pool.set_sphere(ball, 9.0)
    pool.update_height_field(field, 0, 0, np.full((3, 3), 7.0))
    pool.free(ball), pool.free(field)
    stretched = pool.derive(whole, np.diag([1.0, 2.0, 1.0]))
    for row, top in ((whole, 1.5), (stretched, 2.5)):
        assert pool.rows[row]["bounds"][4] == pytest.approx(top, abs=0.5)
        assert pool.rows[pool.part_rows(row)[0]]["kind"] == schema.SPHERE
        assert pool.block_of(pool.part_rows(row)[1]).arrays["heights"].max() == 0.0
    pool.release(stretched)
    pool.collect()
    before = pool.used_count()
    for k in range(200):  # each takes three rows
        brick = box(pool, 1.0, 1.0, 1.0 + k)
        pool.set_compound(whole, [(brick, at(0, 0, 0)), (brick, at(3, 0, 0))])
        pool.free(brick)
        pool.collect()
    assert pool.used_count() <= before
    pool.free(whole)
    pool.collect()
    assert pool.used_count() == 0


def test_a_pool_that_is_full_keeps_its_rows():
    pool = new_pool(6)
    shapes = [sphere(pool, 1.0 + k) for k in range(4)]
    whole = pool.create(schema.COMPOUND)
    with pytest.raises(PoolFull):
        pool.set_compound(whole, [(shape, at(0, 0, 0)) for shape in shapes])
    assert pool.used_count() == 5 and pool.rows[whole]["kind"] == schema.EMPTY
    pool.set_compound(whole, [(shapes[0], at(0, 0, 0)), (shapes[0], at(9, 0, 0))])
    assert pool.rows[whole]["kind"] == schema.COMPOUND


@pytest.mark.parametrize(
    "parts, what",
    [
        ([], "1 to 65535 parts, got 0"), ([(0,)], "part 0 must be shape, transform"),
        ([(1, at(0, 0, 0))], "part 0, shape 1, has no"),
        ([(0, (1.0, 2.0))], "transform of part 0 must be 12"), ([(0, at(0, np.nan, 0))], "transform of part 0 must be 12"),
        ([(0, (*[0.0] * 9, 1, 2, 3))], "transform of part 0 must be 12"), ([(0, at(0, 0, 0), 1, (-1.0, 0.0))], "friction"),
        ([(0, at(0, 0, 0), 1, (1.0,))], "friction"), ([(0, at(0, 0, 0), 1, "ice")], "must be numbers"),
    ],
)  # fmt: skip
def test_bad_parts_are_named(parts, what):
    pool = new_pool()
    sphere(pool, 1.0), pool.create(schema.BOX)
    whole = pool.create(schema.COMPOUND)
    with pytest.raises(ValueError, match=f"set_compound: .*{what}"):
        pool.set_compound(whole, parts)
    with pytest.raises(ValueError, match="no such shape"):
        pool.set_compound(whole, [(99, at(0, 0, 0))])


def test_split_basis_of_a_stretched_part():
    """A part that is turned and stretched stands as its corners say."""
    pool, random = new_pool(), np.random.default_rng(1)
    turn, _ = np.linalg.qr(random.normal(size=(3, 3)))
    turn *= np.sign(np.linalg.det(turn))
    basis = turn @ np.diag([2.0, 1.0, 0.5])
    whole = compound(pool, (box(pool, 1.0, 2.0, 3.0), (*basis.ravel(), 4.0, 5.0, 6.0)))
    corners = np.array([[x, 2 * y, 3 * z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) @ basis.T + (4, 5, 6)
    _, stretch = split_basis(basis)
    assert np.allclose(stretch, np.diag(np.diag(stretch)))
    np.testing.assert_allclose(pool.rows[whole]["bounds"], [*corners.min(axis=0), *corners.max(axis=0)], atol=1e-4)
