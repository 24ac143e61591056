"""Small positive systems against numpy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine_core.geometry.cholesky import factorize, solve_lower, solve_upper
from engine_core.runtime.kernel import entry_point
from engine_core.runtime.memory import view

LARGEST = 6
SYSTEM = np.dtype([("matrix", "f8", (LARGEST, LARGEST)), ("vector", "f8", LARGEST)], align=True)


@entry_point("void(int64, int64)")
def solve_small(address, size):
    system = view(address, 1, SYSTEM)[0]
    factorize(system.matrix, size)
    solve_lower(system.matrix, size, system.vector)
    solve_upper(system.matrix, size, system.vector)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, LARGEST), st.integers(0, 2**32 - 1), st.floats(1e-3, 1e3))
def test_solutions_are_those_of_numpy(size, seed, scale):
    random = np.random.default_rng(seed)
    root = random.normal(size=(size, size))
    matrix, vector = scale * (root @ root.T + 0.1 * np.eye(size)), random.normal(size=size)
    system = np.zeros(1, SYSTEM)
    system["matrix"][0] = np.nan  # what lies beyond the size, or above the diagonal, is not read
    system["matrix"][0][:size, :size] = np.where(np.tri(size, dtype=bool), matrix, np.nan)
    system["vector"][0][:size] = vector
    solve_small(system.ctypes.data, size)
    assert system["vector"][0][:size] == pytest.approx(np.linalg.solve(matrix, vector), rel=1e-7, abs=1e-9 / scale)
