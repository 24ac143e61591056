"""Small positive systems against numpy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.geometry.cholesky import (
    entry, factorize, invert, invert_at_once, multiply_lower_6, multiply_upper_6, solve, solve_inverted,
)  # fmt: skip
from scree.runtime.kernel import entry_point
from scree.runtime.memory import view

LARGEST = 6
TRIANGLE = LARGEST * (LARGEST + 1) // 2
SYSTEM = np.dtype([("matrix", "f8", TRIANGLE), ("vector", "f8", LARGEST), ("again", "f8", LARGEST)], align=True)


@entry_point("int64(int64, int64)")
def place_of(i, k):
    return entry(i, k)


@entry_point("void(int64, int64)")
def solve_both_ways(address, size):
    """`vector` by the factor, `again` by its inverse."""
    system = view(address, 1, SYSTEM)[0]
    factorize(system.matrix, size)
    solve(system.matrix, size, system.vector)
    invert(system.matrix, size)
    solve_inverted(system.matrix, size, system.again)


@entry_point("void(int64, int64)")
def invert_rows(address, size):
    invert_at_once(view(address, 1, SYSTEM)[0].matrix, size)


@entry_point("void(int64)")
def multiply_six(address):
    """`vector` becomes K of it, `again` K^T of it."""
    system = view(address, 1, SYSTEM)[0]
    v, w = system.vector, system.again
    v[0], v[1], v[2], v[3], v[4], v[5] = multiply_lower_6(system.matrix, (v[0], v[1], v[2], v[3], v[4], v[5]))
    w[0], w[1], w[2], w[3], w[4], w[5] = multiply_upper_6(system.matrix, (w[0], w[1], w[2], w[3], w[4], w[5]))


def test_a_triangle_is_kept_row_after_row():
    places = [place_of(i, k) for i in range(LARGEST) for k in range(i + 1)]
    assert places == list(range(TRIANGLE))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, LARGEST), st.integers(0, 2**32 - 1), st.floats(1e-3, 1e3))
def test_solutions_are_those_of_numpy(size, seed, scale):
    random = np.random.default_rng(seed)
    root = random.normal(size=(size, size))
    matrix, vector = scale * (root @ root.T + 0.1 * np.eye(size)), random.normal(size=size)
    system = np.zeros(1, SYSTEM)
    system["matrix"][0] = np.nan  # what lies beyond the size is not read
    system["matrix"][0][: size * (size + 1) // 2] = matrix[np.tril_indices(size)]
    system["vector"][0][:size] = system["again"][0][:size] = vector
    solve_both_ways(system.ctypes.data, size)
    expected = pytest.approx(np.linalg.solve(matrix, vector), rel=1e-7, abs=1e-9 / scale)
    assert system["vector"][0][:size] == expected
    assert system["again"][0][:size] == expected


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_products_of_six_are_those_of_numpy(seed):
    random = np.random.default_rng(seed)
    system, triangle = np.zeros(1, SYSTEM), np.zeros((LARGEST, LARGEST))
    system["matrix"][0] = triangle[np.tril_indices(LARGEST)] = random.normal(size=TRIANGLE)
    system["vector"][0] = system["again"][0] = vector = random.normal(size=LARGEST)
    multiply_six(system.ctypes.data)
    assert system["vector"][0] == pytest.approx(triangle @ vector, rel=1e-12, abs=1e-12)
    assert system["again"][0] == pytest.approx(triangle.T @ vector, rel=1e-12, abs=1e-12)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, LARGEST), st.integers(0, 2**32 - 1), st.floats(1e-3, 1e3))
def test_rows_are_inverted_at_once_as_one_after_the_other(size, seed, scale):
    random = np.random.default_rng(seed)
    root = random.normal(size=(size, size))
    matrix = scale * (root @ root.T + 0.1 * np.eye(size))
    system = np.zeros(1, SYSTEM)
    system["matrix"][0] = np.nan  # what lies beyond the size is not read
    triangle = size * (size + 1) // 2
    system["matrix"][0][:triangle] = matrix[np.tril_indices(size)]
    invert_rows(system.ctypes.data, size)
    expected = np.linalg.inv(np.linalg.cholesky(matrix))[np.tril_indices(size)]
    assert system["matrix"][0][:triangle] == pytest.approx(expected, rel=1e-7, abs=1e-9 / scale**0.5)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from((3, 6)), st.integers(0, 2**32 - 1), st.floats(-9.0, 0.0))
def test_a_nearly_singular_matrix_is_inverted_as_well_as_its_condition_allows(size, seed, exponent):
    random = np.random.default_rng(seed)
    axes, _ = np.linalg.qr(random.normal(size=(size, size)))
    least = 10.0**exponent
    values = np.geomspace(1.0, least, size)
    matrix = (axes * values) @ axes.T
    system = np.zeros(1, SYSTEM)
    system["matrix"][0][: size * (size + 1) // 2] = matrix[np.tril_indices(size)]
    invert_rows(system.ctypes.data, size)
    lower = np.zeros((size, size))
    lower[np.tril_indices(size)] = system["matrix"][0][: size * (size + 1) // 2]
    assert np.linalg.norm(lower @ matrix @ lower.T - np.eye(size)) < 1e-13 / least
