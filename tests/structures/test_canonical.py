"""The tree of the same set is the same, whatever its history: edited trees against the one that the rules give."""

import pytest

from .long_edits import run
from .random_edits import Editing
from .twin import check, split_nodes


@pytest.mark.parametrize("seed", range(8))
def test_after_each_random_edit_the_tree_is_the_one_of_the_rules(seed):
    editing = Editing(seed, steps=220)
    splits = 0
    for _ in range(editing.steps):
        editing.edit()
        splits += split_nodes(check(editing.structure, *editing.set()))
    assert splits > (20 if editing.is_wide else 100)


@pytest.mark.parametrize("seed", range(4))
def test_after_each_random_batch_the_tree_is_the_one_of_the_rules(seed):
    editing = Editing(100 + seed, steps=0)
    for _ in range(40):
        editing.batch()
        check(editing.structure, *editing.set())
    record = editing.structure.record[0]
    assert record["splits"] >= record["undone_splits"] > 3


@pytest.mark.parametrize("count", [9, 30, 100, 400])
@pytest.mark.parametrize("seed", range(3))
def test_a_tree_built_at_once_is_the_one_of_the_rules(seed, count):
    editing = Editing(200 + seed, steps=0)
    editing.insert(count)
    check(editing.structure, *editing.set())


def test_thousands_of_edits_give_the_tree_that_is_built_at_once():
    figures = run(4000, 4, lambda done, total, name: None)
    assert figures["trees"] == 400 and figures["undone"] > 40
