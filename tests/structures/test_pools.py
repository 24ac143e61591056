"""Pools: the lowest free row first, and pages given back from the middle."""

import ctypes
import random

import numpy as np
import pytest

from scree.runtime.c_memory import page_release_function
from scree.runtime.kernel import entry_point
from scree.runtime.memory import PAGE, address_of, view
from scree.structures.pools import give_row, set_up_pool, take_row
from scree.structures.schema import CLUSTER, LEAF, POOL


gives_pages_back = pytest.mark.skipif(
    not page_release_function() or PAGE != 4096, reason="pages cannot be given back, or are larger"
)


@entry_point("int64(int64)")
def take(pool):
    return take_row(view(pool, 1, POOL)[0])


@entry_point("void(int64, int64)")
def give(pool, row):
    give_row(view(pool, 1, POOL)[0], row)


class Rows:
    """A pool, and the set of rows in use."""

    def __init__(self, dtype, capacity: int):
        self.record = np.zeros(1, POOL)
        self.owners = set_up_pool(self.record[0], dtype, capacity)
        self.address = address_of(self.record)
        self.used = {0}

    def take(self) -> int:
        row = take(self.address)
        if row:
            self.used.add(row)
        return row

    def give(self, row: int) -> None:
        give(self.address, row)
        self.used.remove(row)

    def lowest_free(self) -> int:
        return next(i for i in range(len(self.used) + 1) if i not in self.used)


def resident(memory) -> int:
    """Pages of a mapping that the system backs with memory (Linux); not those of mappings beside it, which the system may have
    joined to it."""
    address, pages = np.frombuffer(memory, np.uint8).ctypes.data, -(-len(memory) // PAGE)
    flags = np.zeros(pages, np.uint8)
    mincore = ctypes.CDLL(None, use_errno=True).mincore
    if mincore(ctypes.c_void_p(address), ctypes.c_size_t(len(memory)), ctypes.c_void_p(flags.ctypes.data)):
        raise OSError(ctypes.get_errno(), "mincore")
    return int((flags & 1).sum())


def test_the_lowest_free_row_is_taken():
    rows, choice = Rows(LEAF, 10_000), random.Random(1)
    for _ in range(6000):
        if choice.random() < 0.6 or len(rows.used) == 1:
            expected = rows.lowest_free()
            assert rows.take() == expected
        else:
            rows.give(choice.choice([row for row in rows.used if row]))
    assert rows.record[0]["used"] == len(rows.used)


@pytest.mark.parametrize("capacity", [64, 128, 64 * 64, 64 * 64 + 128, 64 * 64 * 3])
def test_a_full_pool_says_so_and_takes_again(capacity):
    rows = Rows(CLUSTER, capacity)
    assert rows.record[0]["capacity"] == capacity
    assert [rows.take() for _ in range(capacity - 1)] == list(range(1, capacity))
    assert rows.take() == 0
    for row in (capacity - 1, 5):
        rows.give(row)
    assert [rows.take(), rows.take(), rows.take()] == [5, capacity - 1, 0]


@pytest.mark.needs("posix")  # mincore tells which pages have memory
@gives_pages_back
def test_pages_in_the_middle_are_given_back():
    rows = Rows(CLUSTER, 64 * 100)
    clusters = np.frombuffer(rows.owners[0], CLUSTER)
    for _ in range(64 * 100 - 1):
        clusters[rows.take()]["born"] = 7
    before = resident(rows.owners[0])
    for row in range(64 * 20, 64 * 80):
        rows.give(row)
    after = resident(rows.owners[0])
    assert before == 500 and after == 500 - 5 * 59  # the last of 60 groups keeps its pages
    assert (clusters["born"][64 * 80 : 64 * 100] == 7).all()
    assert rows.record[0]["pages_given"] == 5 * 59


def test_edits_in_turn_give_no_pages():
    rows = Rows(CLUSTER, 64 * 10)
    for _ in range(63):
        rows.take()
    for _ in range(100):
        rows.give(rows.take())
    assert rows.record[0]["pages_given"] == 0
