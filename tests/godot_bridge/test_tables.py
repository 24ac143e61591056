"""Tables of the bridge: virtuals by StringName, things by id, kernels by address, calls by number."""

import ctypes

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.bodies.identity import make_id
from scree.bodies.schema import KIND_AREA, KIND_BODY
from scree.godot import virtual_modules, virtual_table
from scree.godot.call_names import CALLS
from scree.godot.classes import find_virtual, make_table
from scree.godot.server import IdTable
from scree.runtime.call import load_int64, store_int64
from scree.runtime.function_address import store_function_addresses
from scree.runtime.kernel import entry_point, kernel
from scree.runtime.memory import address_of

words = st.integers(1, 2**47).map(lambda word: word * 8)


def look_up(table: np.ndarray, key: int) -> int:
    name = np.array([key], np.int64)
    return find_virtual(address_of(table), address_of(name), 0)


@settings(deadline=None)  # the first example loads or compiles find_virtual
@given(st.dictionaries(words, st.integers(1, 2**60), max_size=60), words)
def test_find_virtual_is_a_dictionary(functions, other):
    table = make_table(functions)
    for key, function in functions.items():
        assert look_up(table, key) == function
    assert look_up(table, other) == functions.get(other, 0)


def test_an_empty_table_holds_nothing():
    assert look_up(np.zeros(9, np.int64), 4711 * 16) == 0


@kernel
def _add(a, b, out):
    store_int64(out, load_int64(a) + load_int64(b))


@kernel
def _multiply(a, b, out):
    store_int64(out, load_int64(a) * load_int64(b))


KERNELS = (_add, _multiply, _add)


@entry_point("void(int64)")
def _fill(table):
    store_function_addresses(table, KERNELS)


def test_kernels_by_address():
    table, numbers = np.zeros(3, np.int64), np.array([6, 7, 0], np.int64)
    _fill(address_of(table))
    answers = []
    for address in table.tolist():
        call = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3)(address)
        call(*(address_of(numbers[i:]) for i in range(3)))
        answers.append(int(numbers[2]))
    assert answers == [13, 42, 13]


def test_ids_of_things():
    table = IdTable(KIND_AREA, "area")
    first, second = table.add("first"), table.add("second")
    assert table.get(first) == "first" and table.get(second) == "second"
    assert table.remove(first) == "first"
    with pytest.raises(KeyError, match="there is no area .* it was freed"):
        table.get(first)
    third = table.add("third")
    assert third not in (first, second), "the place is used again, the id is not"
    with pytest.raises(KeyError, match="it was freed"):
        table.get(first)
    for wrong in (0, 12345, make_id(KIND_BODY, 1, 1)):
        with pytest.raises(KeyError, match="it is no area"):
            table.get(wrong)


def test_every_call_has_one_number():
    assert len(set(CALLS)) == len(CALLS)


def test_no_virtual_is_answered_twice():
    virtual_modules.import_all()
    for table in virtual_table.TABLES:
        hot = [name for group in table.hot_groups for name in group.names]
        assert len(hot) == len(set(hot))
        assert not set(hot) & set(table.cold_functions)
        assert set(table.partial) <= table.answered()
