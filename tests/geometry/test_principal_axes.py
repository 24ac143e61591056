"""Principal axes against numpy's eigenvectors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.geometry.principal_axes import principal_axes
from scree.runtime.kernel import entry_point
from scree.runtime.memory import view


@entry_point("void(int64)")
def decompose(address):
    """Six doubles in, twelve out: values, then the axes as rows."""
    m = view(address, 18, np.float64)
    values, x, y, z = principal_axes((m[0], m[1], m[2], m[3], m[4], m[5]))
    for k in range(3):
        m[6 + k], m[9 + k], m[12 + k], m[15 + k] = values[k], x[k], y[k], z[k]


def axes_of(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    memory = np.zeros(18)
    memory[:6] = matrix[0, 0], matrix[1, 1], matrix[2, 2], matrix[0, 1], matrix[0, 2], matrix[1, 2]
    decompose(memory.ctypes.data)
    return memory[6:9], memory[9:].reshape(3, 3)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-1.0, 1.0), min_size=9, max_size=9), st.lists(st.floats(0.01, 100.0), min_size=3, max_size=3))
def test_the_axes_make_the_matrix_again(entries, values):
    turn, _ = np.linalg.qr(np.array(entries).reshape(3, 3) + 2.0 * np.eye(3))
    matrix = turn @ np.diag(values) @ turn.T
    found, axes = axes_of(matrix)
    assert sorted(found) == pytest.approx(sorted(values), rel=1e-4)
    assert axes.T @ np.diag(found) @ axes == pytest.approx(matrix, abs=1e-4 * max(values))
    assert axes @ axes.T == pytest.approx(np.eye(3), abs=1e-9)
    assert np.linalg.det(axes) == pytest.approx(1.0)


def test_a_cube_keeps_its_own_axes():
    matrix = np.eye(3) * 6.0
    matrix[0, 1] = matrix[1, 0] = 1e-9
    assert axes_of(matrix)[1].tolist() == np.eye(3).tolist()
