"""Identities of users' own compiled code: their files, and the kernels, numbers and arrays that it names, wherever they are."""

import importlib
import sys

import pytest

from scree.runtime import code_identity

LIMITS = """
import numpy as np
from scree.runtime.kernel import kernel

TABLE = np.arange(3.0)
PAIR = (1, 2.5)

@kernel
def bound(x):
    return x if x < 1.0 else bound(x - 1.0)
"""
RULES = """
import math
import own_limits
from own_limits import bound, TABLE

LIMIT = 10.0
UNUSED = 1.0

def rule(x):
    inner = [bound(each) for each in (x, LIMIT)]
    return inner[0] + TABLE[0] + own_limits.PAIR[1] + math.pi
"""


@pytest.fixture
def rules(tmp_path, monkeypatch):
    """A module of a user that uses another one."""
    (tmp_path / "own_limits.py").write_text(LIMITS)
    (tmp_path / "own_rules.py").write_text(RULES)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("own_rules")
    for name in ("own_rules", "own_limits"):
        del sys.modules[name]


def stamp(rules) -> str:
    return code_identity.stamp(rules.rule)


def test_it_is_the_same_again(rules):
    assert stamp(rules) == stamp(rules) and len(stamp(rules)) > 64


@pytest.mark.parametrize("name", ["own_limits", "own_rules"])
def test_a_file_that_it_uses_counts(rules, tmp_path, name):
    before = stamp(rules)
    with open(tmp_path / f"{name}.py", "a") as file:
        file.write("# changed\n")
    assert stamp(rules) != before


def test_values_that_it_names_count_and_others_do_not(rules, monkeypatch):
    seen = {stamp(rules)}
    monkeypatch.setattr(rules, "UNUSED", 2.0)
    assert stamp(rules) in seen
    monkeypatch.setattr(rules, "LIMIT", 11.0)
    seen.add(stamp(rules))
    monkeypatch.setattr(rules.own_limits, "PAIR", (1, 3.5))
    seen.add(stamp(rules))
    rules.TABLE[1] = 7.0
    seen.add(stamp(rules))
    assert len(seen) == 4


def test_what_is_typed_in_has_no_identity():
    names: dict = {"__name__": "own"}
    exec("def rule(x):\n    return x", names)
    assert code_identity.stamp(names["rule"]) == "" and code_identity.own_identity(names["rule"], "int64(int64)") == ""


def test_it_does_not_depend_on_whether_the_module_is_the_program(rules):
    imported = code_identity.own_identity(rules.rule, "float64(float64)")
    rules.rule.__module__ = "__main__"
    assert code_identity.own_identity(rules.rule, "float64(float64)") == imported
    assert code_identity.own_identity(rules.rule, "float64(int64)") != imported
