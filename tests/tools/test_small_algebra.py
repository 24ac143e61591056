"""The stand-in for OpenBLAS in a released addon computes what NumPy computes with OpenBLAS."""

import re
import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.tools import places
from scree.tools.small_algebra import SOURCE

ROW_MAJOR, PLAIN, TURNED = 101, 111, 112
sizes = st.integers(1, 6)
seeds = st.integers(0, 2**32 - 1)


@pytest.fixture(scope="module")
def algebra(tmp_path_factory) -> ctypes.CDLL:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("no C compiler")
    library = tmp_path_factory.mktemp("algebra") / "algebra.so"
    options = ["-O2", "-ffp-contract=off", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
    done = subprocess.run([compiler, *options, SOURCE, "-o", library, "-lm"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(library))


def integer(value: int):
    return ctypes.byref(ctypes.c_int64(value))


def pointer(array: np.ndarray):
    return array.ctypes.data_as(ctypes.c_void_p)


@given(sizes, sizes, sizes, seeds, st.booleans(), st.booleans())
@settings(max_examples=200, deadline=None)
def test_products(algebra, rows, columns, inner, seed, turned_a, turned_b):
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(rows, inner)), random.normal(size=(inner, columns))
    given_a = np.ascontiguousarray(a.T if turned_a else a)
    given_b = np.ascontiguousarray(b.T if turned_b else b)
    c = np.full((rows, columns), np.nan)
    algebra.scipy_cblas_dgemm64_(
        ROW_MAJOR, TURNED if turned_a else PLAIN, TURNED if turned_b else PLAIN, ctypes.c_int64(rows), ctypes.c_int64(columns),
        ctypes.c_int64(inner), ctypes.c_double(1.0), pointer(given_a), ctypes.c_int64(given_a.shape[1]), pointer(given_b),
        ctypes.c_int64(given_b.shape[1]), ctypes.c_double(0.0), pointer(c), ctypes.c_int64(columns),
    )  # fmt: skip
    np.testing.assert_allclose(c, a @ b, rtol=1e-13, atol=1e-13)


@given(sizes, seeds)
@settings(max_examples=200, deadline=None)
def test_solving_and_determinants(algebra, size, seed):
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(size, size)), random.normal(size=(size, 2))
    factors, solved = a.copy("F"), b.copy("F")
    pivots, info = np.zeros(size, np.int64), np.zeros(1, np.int64)
    algebra.scipy_dgesv_64_(
        integer(size), integer(2), pointer(factors), integer(size), pointer(pivots), pointer(solved), integer(size), pointer(info)
    )
    assert info[0] == 0
    np.testing.assert_allclose(a @ solved, b, rtol=1e-8, atol=1e-8)
    sign = (-1.0) ** np.count_nonzero(pivots != np.arange(1, size + 1))
    np.testing.assert_allclose(sign * np.prod(np.diag(factors)), np.linalg.det(a), rtol=1e-9, atol=1e-12)


def test_a_singular_matrix_is_told(algebra):
    a, pivots, info = np.zeros((3, 3), order="F"), np.zeros(3, np.int64), np.zeros(1, np.int64)
    algebra.scipy_dgetrf_64_(integer(3), integer(3), pointer(a), integer(3), pointer(pivots), pointer(info))
    assert info[0] == 1


def decompose(algebra, a: np.ndarray, job: bytes):
    rows, columns = a.shape
    least = min(rows, columns)
    given_a, s = a.copy("F"), np.zeros(least)
    width, height = (rows, columns) if job == b"A" else (least, least)
    u, vt = np.zeros((rows, width), order="F"), np.zeros((height, columns), order="F")
    work, integers, info = np.zeros(8), np.zeros(8 * least, np.int64), np.zeros(1, np.int64)
    algebra.scipy_dgesdd_64_(
        job, integer(rows), integer(columns), pointer(given_a), integer(rows), pointer(s), pointer(u), integer(rows), pointer(vt),
        integer(height), pointer(work), integer(8), pointer(integers), pointer(info),
    )  # fmt: skip
    assert info[0] == 0
    return u, s, vt


@given(sizes, sizes, seeds, st.sampled_from([b"A", b"S"]), st.integers(0, 2))
@settings(max_examples=300, deadline=None)
def test_singular_values(algebra, rows, columns, seed, job, nulls):
    random = np.random.default_rng(seed)
    a = random.normal(size=(rows, columns))
    a[:, columns - min(nulls, columns) :] = 0.0  # matrices without full rank, too
    u, s, vt = decompose(algebra, a, job)
    least = min(rows, columns)
    np.testing.assert_allclose(s, np.linalg.svd(a, compute_uv=False), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(u[:, :least] * s @ vt[:least], a, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(u.T @ u, np.eye(u.shape[1]), atol=1e-12)
    np.testing.assert_allclose(vt @ vt.T, np.eye(vt.shape[0]), atol=1e-12)


@given(sizes, seeds, st.sampled_from([b"L", b"U"]))
@settings(max_examples=200, deadline=None)
def test_eigenvalues_of_symmetric_matrices(algebra, size, seed, half):
    random = np.random.default_rng(seed)
    a = random.normal(size=(size, size))
    a += a.T
    vectors, values = a.copy("F"), np.zeros(size)
    work, integers, info = np.zeros(2 * size * size + 1), np.zeros(1, np.int64), np.zeros(1, np.int64)
    algebra.scipy_dsyevd_64_(
        b"V", half, integer(size), pointer(vectors), integer(size), pointer(values), pointer(work), integer(len(work)),
        pointer(integers), integer(1), pointer(info),
    )  # fmt: skip
    assert info[0] == 0
    np.testing.assert_allclose(values, np.linalg.eigvalsh(a), rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(vectors * values @ vectors.T, a, rtol=1e-10, atol=1e-11)


@given(st.integers(1, 9), seeds)
@settings(max_examples=100, deadline=None)
def test_sums_of_products(algebra, size, seed):
    random = np.random.default_rng(seed)
    algebra.scipy_cblas_ddot64_.restype, algebra.scipy_cblas_sdot64_.restype = ctypes.c_double, ctypes.c_float
    x, y = random.normal(size=size), random.normal(size=size)
    step, count = ctypes.c_int64(1), ctypes.c_int64(size)
    found = algebra.scipy_cblas_ddot64_(count, pointer(x), step, pointer(y), step)
    np.testing.assert_allclose(found, x @ y, rtol=1e-13, atol=1e-13)
    x, y = x.astype(np.float32), y.astype(np.float32)
    found = algebra.scipy_cblas_sdot64_(count, pointer(x), step, pointer(y), step)
    np.testing.assert_allclose(found, x @ y, rtol=1e-5, atol=1e-6)


SERVED = {"det", "eigh", "inv", "norm", "solve", "svd"}
"""The functions of `numpy.linalg` that need no more than what is in `core/small_algebra.c`."""


def test_the_engine_asks_numpy_for_no_more_than_a_released_addon_has():
    """Any other function ends a released game: least squares did, as soft bodies were asked for their spin."""
    sources = sorted((places.checkout() / "engine_core").rglob("*.py"))
    asked = {
        (each.name, name) for each in sources for name in re.findall(r"\blinalg\.(\w+)\(", each.read_text(encoding="utf-8"))
    }  # fmt: skip
    assert {name for _, name in asked} <= SERVED, sorted(pair for pair in asked if pair[1] not in SERVED)
