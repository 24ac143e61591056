"""The inverse of the 2 x 2 matrices of friction beside NumPy's pseudo-inverse, as locked axes need it."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.constraints.blocks import field, put
from scree.constraints.friction_inverse import LEAST_DETERMINANT, inverse_of_block
from scree.runtime.kernel import entry_point
from scree.runtime.memory import address_of


@entry_point("void(int64)")
def invert(block):
    """Replace three fields of eight floats, matrices (11, 22, 12), by those of their inverses."""
    b11, b22, b12 = inverse_of_block(field(block, 0), field(block, 1), field(block, 2))
    put(block, 0, b11)
    put(block, 1, b22)
    put(block, 2, b12)


def inverses(matrices: np.ndarray) -> np.ndarray:
    """The inverses of eight matrices (8, 2, 2)."""
    block = np.ascontiguousarray(matrices.reshape(8, 4)[:, [0, 3, 1]].T, np.float32)
    invert(address_of(block))
    b11, b22, b12 = block.astype(np.float64)
    return np.stack((np.stack((b11, b12), 1), np.stack((b12, b22), 1)), 1)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 1 << 30), st.lists(st.sampled_from((0.0, 1e-7, 1e-2, 0.3, 1.0)), min_size=8, max_size=8), st.floats(-6, 6))
def test_directions_that_cannot_move_get_no_mass_and_the_others_theirs(seed, slower, power):
    """Matrices with eigenvalues 1 and `slower`, turned by any angle, by rows also along the axes, and of any size."""
    rng = np.random.default_rng(seed)
    angles = rng.uniform(0.0, np.pi, 8) * rng.integers(0, 2, 8)
    turns = np.stack((np.stack((np.cos(angles), -np.sin(angles)), 1), np.stack((np.sin(angles), np.cos(angles)), 1)), 1)
    sizes = np.stack((np.ones(8), np.array(slower)), 1)
    matrices = (turns * sizes[:, None, :]) @ np.swapaxes(turns, 1, 2) * 10.0**power
    found = inverses(matrices)
    for matrix, inverse, least in zip(matrices, found, slower, strict=True):
        wanted = np.linalg.pinv(matrix, rcond=1e-4)
        np.testing.assert_allclose(inverse, wanted, atol=(1e-5 if least < 1e-3 else 2e-4 / least) * np.abs(wanted).max())


def test_what_has_no_mass_at_all_gets_none():
    assert not inverses(np.zeros((8, 2, 2))).any()
    assert 0.0 < LEAST_DETERMINANT < 0.01
