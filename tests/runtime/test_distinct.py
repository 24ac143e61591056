"""Distinct values, without what `numpy.unique` imports in the middle of a game."""

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import scree
from scree.runtime.distinct import distinct

ENGINE = Path(scree.__file__).parent


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32])
def test_values_and_rows_are_those_of_numpy(dtype):
    values = np.random.default_rng(5).integers(0, 9, (40, 2)).astype(dtype)
    np.testing.assert_array_equal(distinct(values), np.unique(values))
    np.testing.assert_array_equal(distinct(values, axis=0), np.unique(values, axis=0))
    assert len(distinct(values[:0, 0])) == 0 and distinct(values).dtype == dtype


def test_it_imports_nothing():
    """Where NumPy imports `numpy.ma` of itself, there is nothing to be seen."""
    program = (
        "import sys, numpy; from scree.runtime.distinct import distinct; before = set(sys.modules); "
        "distinct(numpy.array([3, 1, 3])); print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def is_plain_unique(node: ast.AST) -> bool:
    """Whether a node calls `np.unique` without a `return_` argument."""
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "unique"
    return is_call and not any((word.arg or "").startswith("return_") for word in node.keywords)


def test_the_engine_asks_numpy_for_nothing_that_imports():
    found = [
        f"{path.relative_to(ENGINE)}:{node.lineno}"
        for path in sorted(ENGINE.rglob("*.py")) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if is_plain_unique(node)
    ]  # fmt: skip
    assert found == []
