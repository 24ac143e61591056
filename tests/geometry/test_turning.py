"""Algebra of three dimensions beside NumPy's, which rounds otherwise from machine to machine."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.geometry.turning import dot, product, size_of, solved

seeds = st.integers(0, 1 << 30)


@given(seeds)
@settings(deadline=None)
def test_products_and_sizes(seed):
    rng = np.random.default_rng(seed)
    a, b, v, w = rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=3)
    np.testing.assert_allclose(product(a, b), a @ b, atol=1e-14)
    np.testing.assert_allclose(product(a, v), a @ v, atol=1e-14)
    np.testing.assert_allclose(dot(v, w), v @ w, atol=1e-14)
    np.testing.assert_allclose(size_of(v), np.linalg.norm(v), rtol=1e-15)


@given(seeds)
@settings(deadline=None)
def test_solved(seed):
    rng = np.random.default_rng(seed)
    matrix, vector = rng.normal(size=(3, 3)), rng.normal(size=3)
    if np.linalg.cond(matrix) < 1e6:
        np.testing.assert_allclose(matrix @ solved(matrix, vector), vector, atol=1e-8)


def test_products_have_the_bits_of_pythons_own_numbers():
    rng = np.random.default_rng(1)
    for _ in range(200):
        a, v = rng.normal(size=(3, 3)), rng.normal(size=3)
        said = [float(x) * float(v[0]) + float(y) * float(v[1]) + float(z) * float(v[2]) for x, y, z in a]
        assert product(a, v).tolist() == said
