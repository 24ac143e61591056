"""Lists in the order of bodies: a stable sort by the upper bits of keys."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.runtime.body_order import BUCKETS, needs_order, put_in_order
from scree.runtime.kernel import entry_point
from scree.runtime.memory import address_of, view

INT32 = np.int32


@entry_point("void(int64, int64, int64, int64)")
def sort(members, keys, count, spare):
    put_in_order(view(members, count, INT32), view(keys, count, INT32), count, view(spare, 2 * count, INT32))


@entry_point("int64(int64, int64)")
def is_due(disorder, count):
    return np.int64(needs_order(disorder, count))


@settings(deadline=None)
@given(st.integers(0, 3000), st.sampled_from((1, 7, BUCKETS - 1, BUCKETS, 5000, 2**31 - 1)), st.integers(0, 99))
def test_a_stable_sort(count, highest, seed):
    random = np.random.default_rng(seed)
    keys = random.integers(0, highest, count, dtype=INT32, endpoint=True)
    members, spare = np.arange(count, dtype=INT32), np.empty(2 * count, INT32)
    shift = max(int(keys.max(initial=0)).bit_length() - 10, 0)
    order = np.argsort(keys >> shift, kind="stable")
    expected = members[order], keys[order]
    sort(address_of(members), address_of(keys), count, address_of(spare))
    np.testing.assert_array_equal(members, expected[0])
    np.testing.assert_array_equal(keys, expected[1])


def test_bodies_are_their_own_keys():
    members = np.random.default_rng(1).permutation(900).astype(INT32)
    spare = np.empty(1800, INT32)
    sort(address_of(members), address_of(members), 900, address_of(spare))
    np.testing.assert_array_equal(members, np.arange(900))


def test_when():
    """A short list is hardly ever worth it; a long one after an eighth of it has changed."""
    assert not is_due(0, 0) and not is_due(32, 0) and not is_due(1000, 8000)
    assert is_due(33, 0) and is_due(1100, 8000)
