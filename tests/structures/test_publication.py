"""Queries while another thread edits: each sees the structure before a batch or after it, and nobody waits."""

import threading

import numpy as np
import pytest

from scree.runtime.kernel import entry_point
from scree.runtime.memory import PoolFull, address_of, stack_array, view
from scree.structures.publication import enter, leave
from scree.structures.queries import CURSOR, begin_query, end_query, next_in_box, set_box
from scree.structures.schema import BRICK, STRUCTURE
from scree.structures.structure import ALL_LAYERS, Structure, boxes

from tests.sizes import size
from .random_edits import Editing
from .twin import Reader, check, elements_of, tree_of

SIDE = 12
RACE = size(2.0, 60.0)  # [s]


@entry_point("int64(int64)")
def begin_to_read(structure):
    return enter(structure, 0)


@entry_point("void(int64, int64)")
def end_reading(structure, head):
    leave(structure, head, 0)


@entry_point("int64(int64, int64, int64)")
def count_layers(structure, low_address, counts_address):
    """Bricks in a box by layer (0 to 3), and their number."""
    s, cursor = view(structure, 1, STRUCTURE)[0], stack_array(1, CURSOR)[0]
    box, counts = view(low_address, 6, np.float64), view(counts_address, 4, np.int64)
    bricks = view(s.bricks.rows, s.bricks.capacity, BRICK)
    begin_query(cursor, structure, np.int64(ALL_LAYERS))
    set_box(cursor, (box[0], box[1], box[2]), (box[3], box[4], box[5]))
    total = 0
    number = next_in_box(cursor, s, None)
    while number != 0:
        total += 1
        for layer in range(4):
            counts[layer] += bricks[number].layers >> layer & 1
        number = next_in_box(cursor, s, None)
    end_query(cursor, structure)
    return total


def test_a_query_under_way_keeps_its_state_of_the_structure():
    editing = Editing(5, steps=0)
    editing.insert(200)
    structure = editing.structure
    head = begin_to_read(structure.address)
    held, rows = editing.set()
    kept_head = structure.record[0]["head"]
    for _ in range(50):
        editing.batch()
    structure.record[0]["head"], newest = kept_head, structure.record[0]["head"]
    assert Reader(structure).tree() == tree_of(elements_of(rows, held))
    structure.record[0]["head"] = newest
    assert structure.record[0]["retired_count"].sum() > 100
    end_reading(structure.address, head)
    structure.give_back()
    assert structure.record[0]["retired_count"].sum() == 0
    check(structure, *editing.set())


def test_rows_are_given_back_while_short_queries_come_and_go():
    editing = Editing(6, steps=0)
    editing.insert(200)
    structure = editing.structure
    for _ in range(50):
        head = begin_to_read(structure.address)
        editing.batch()
        end_reading(structure.address, head)
    assert structure.record[0]["retired_count"].sum() < 3000
    assert int(structure.record[0]["head"]) >> 32 > 20


def fill_with_retired(structure: Structure, numbers, rows):
    """Replace all bricks until another batch would have to wait for queries."""
    while structure.record[0]["bricks"]["used"] + len(rows) <= structure.record[0]["bricks"]["capacity"]:
        numbers = structure.change(numbers, rows)
    return numbers


def test_an_edit_waits_for_a_query_that_holds_all_rows():
    structure = Structure(1 << 10)
    rows = boxes(np.arange(300)[:, None] * [1, 0, 0], np.arange(300)[:, None] * [1, 0, 0] + 1)
    numbers = structure.insert(rows)
    head = begin_to_read(structure.address)
    numbers = fill_with_retired(structure, numbers, rows)
    threading.Timer(0.1, end_reading, (structure.address, head)).start()
    numbers = structure.change(numbers, rows)
    structure.give_back()
    check(structure, numbers.tolist(), rows)


def test_an_edit_does_not_wait_for_ever(monkeypatch):
    structure = Structure(1 << 10)
    rows = boxes(np.arange(300)[:, None] * [1, 0, 0], np.arange(300)[:, None] * [1, 0, 0] + 1)
    numbers = structure.insert(rows)
    head = begin_to_read(structure.address)
    numbers = fill_with_retired(structure, numbers, rows)
    monkeypatch.setattr("scree.structures.structure.PATIENCE", 0.05)
    with pytest.raises(PoolFull, match="the first 0 of 300 edits"):
        structure.change(numbers, rows)
    end_reading(structure.address, head)
    numbers = structure.change(numbers, rows)
    structure.give_back()
    check(structure, numbers.tolist(), rows)


class Wall:
    """Bricks that are all in one layer. A batch replaces them all, in another layer: a query that sees two layers, or another
    number of bricks, saw a mixture of two states."""

    def __init__(self):
        self.random = np.random.default_rng(8)
        self.structure = Structure(1 << 14)
        self.numbers = self.structure.insert(self.rows(0))

    def rows(self, layer: int) -> np.ndarray:
        """Bricks anywhere, of any size, in one layer."""
        low = self.random.integers(0, 100, (SIDE**2, 3))
        return boxes(low, low + self.random.integers(1, 20, (SIDE**2, 3)), layers=1 << layer)


@pytest.mark.parametrize("readers", [1, 3])
def test_queries_see_all_of_a_batch_or_nothing_of_it(readers):
    wall, stop, faults, asked = Wall(), threading.Event(), [], [0]
    assert count_layers.address  # compiled before the clock runs

    def read():
        box, counts = np.array([-50.0] * 3 + [200.0] * 3), np.zeros(4, np.int64)
        while not stop.is_set():
            counts[:] = 0
            total = count_layers(wall.structure.address, address_of(box), address_of(counts))
            asked[0] += 1
            if total != SIDE**2 or max(counts) != SIDE**2:
                faults.append((total, counts.tolist()))
                return

    threads = [threading.Thread(target=read) for _ in range(readers)]
    for thread in threads:
        thread.start()
    batches = 0
    timer = threading.Timer(RACE, stop.set)
    timer.start()
    while not stop.is_set():
        batches += 1
        wall.numbers = wall.structure.change(wall.numbers, wall.rows(batches % 4))
    for thread in threads:
        thread.join()
    print(f"{asked[0]} queries of {readers} threads during {batches} batches: {len(faults)} saw a mixture")
    assert faults == [] and batches > 20 and asked[0] > 100
    wall.structure.give_back()
    assert wall.structure.record[0]["retired_count"].sum() == 0


def test_four_threads_edit_and_query_one_structure():
    """Two threads replace their own bricks, in turn in one of two layers; two others see each pair of layers in one state."""
    structure, stop, faults, asked = Structure(1 << 14), threading.Event(), [], [0]
    assert count_layers.address

    def edit(first: int):
        random, numbers = np.random.default_rng(first), []
        for batch in range(10_000_000):
            low = random.integers(0, 100, (SIDE**2, 3))
            rows = boxes(low, low + random.integers(1, 20, (SIDE**2, 3)), layers=1 << first + batch % 2)
            numbers = structure.change(numbers, rows) if batch else structure.insert(rows)
            started[first // 2].set()
            if stop.is_set():
                held[first] = (numbers, rows)
                return

    def read():
        box, counts = np.array([-50.0] * 3 + [200.0] * 3), np.zeros(4, np.int64)
        while not stop.is_set():
            counts[:] = 0
            count_layers(structure.address, address_of(box), address_of(counts))
            asked[0] += 1
            if sorted(counts[:2]) != [0, SIDE**2] or sorted(counts[2:]) != [0, SIDE**2]:
                faults.append(counts.tolist())
                return

    held, started = {}, [threading.Event(), threading.Event()]
    editors = [threading.Thread(target=edit, args=(first,)) for first in (0, 2)]
    readers = [threading.Thread(target=read) for _ in range(2)]
    for thread in editors:
        thread.start()
    for event in started:
        event.wait()
    for thread in readers:
        thread.start()
    stop.wait(RACE)
    stop.set()
    for thread in (*editors, *readers):
        thread.join()
    print(f"{asked[0]} queries of 2 threads beside 2 that edit: {len(faults)} saw a mixture")
    assert faults == [] and asked[0] > 100
    numbers, rows = np.concatenate([held[0][0], held[2][0]]), np.concatenate([held[0][1], held[2][1]])
    structure.give_back()
    check(structure, numbers.tolist(), rows)
