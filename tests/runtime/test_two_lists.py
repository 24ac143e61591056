"""Rows in two lists at once, against lists of Python's."""

import numpy as np
import pytest

from scree.runtime.kernel import entry_point
from scree.runtime.memory import address_of, view
from scree.runtime.two_lists import link, unlink

ROW = np.dtype([("next", "i4", 2), ("previous", "i4", 2)])
ROWS, LISTS = 40, 5


@entry_point("int64(int64, int64, int64, int64)")
def put_in(rows, row, side, head):
    return np.int64(link(view(rows, ROWS, ROW), row, side, np.int32(head)))


@entry_point("int64(int64, int64, int64, int64)")
def take_out(rows, row, side, head):
    return np.int64(unlink(view(rows, ROWS, ROW), row, side, np.int32(head)))


def walked(rows, head: int) -> list[int]:
    """The elements of a list, front to back; each knows the one before it."""
    found, before = [], -1
    while head >= 0:
        assert rows[head >> 1]["previous"][head & 1] == before
        found.append(head)
        before, head = head, int(rows[head >> 1]["next"][head & 1])
    return found


@pytest.mark.parametrize("seed", range(3))
def test_rows_come_and_go_in_two_lists_each(seed):
    random = np.random.default_rng(seed)
    rows = np.zeros(ROWS, ROW)
    heads, expected, homes = [-1] * LISTS, [[] for _ in range(LISTS)], {}
    for _ in range(600):
        row = int(random.integers(ROWS))
        is_new = row not in homes
        of_sides = homes.setdefault(row, random.choice(LISTS, 2, replace=False).tolist())
        for side, home in enumerate(of_sides):
            key = row << 1 | side
            heads[home] = (put_in if is_new else take_out)(address_of(rows), row, side, heads[home])
            if is_new:
                expected[home].insert(0, key)
            else:
                expected[home].remove(key)
        if not is_new:
            del homes[row]
        assert [walked(rows, head) for head in heads] == expected
