"""Bricks that move to lower rows: memory is given back, and nothing else changes. Against a plain model of the rows."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scree
from scree.runtime.kernel import entry_point
from scree.runtime.memory import PAGE, address_of, view
from scree.structures.compaction import LOOKS_AN_EDIT, MOVES_AN_EDIT, SPARE_GROUPS, SPARE_PART, SPARE_ROWS
from scree.structures.nodes import bricks_of, number_in, row_of
from scree.structures.publication import enter, leave
from scree.structures.schema import STRUCTURE
from scree.structures.structure import Structure, boxes, free_boxes
from tests.sizes import size

from .test_explored import Query
from .test_pools import gives_pages_back, resident
from .twin import check

GROUP = 256
RACE = size(2.0, 60.0)  # [s]

pytestmark = gives_pages_back


def random_boxes(random, count: int) -> np.ndarray:
    """Bricks of all sizes, of which the user's number tells which is which."""
    low = random.integers(0, 200, (count, 3))
    return boxes(low, low + random.choice([1, 1, 2, 3, 8, 40], (count, 1)), user_number=np.arange(count))


class Rows:
    """A plain model of the rows and numbers of bricks, and of the order in which they move. No query is under way."""

    def __init__(self):
        self.held: dict[int, int] = {}  # row by number
        self.waiting: set[int] = set()  # rows that the batch gives back when it is published
        self.end = 0  # no brick is in this row or above

    def used(self) -> set[int]:
        return {0} | self.waiting | set(self.held.values())

    def lowest_free(self, used) -> int:
        return next(row for row in range(1, len(used) + 2) if row not in used)

    def insert(self, count: int) -> list[int]:
        numbers, used = [], self.used()
        for _ in range(count):
            row = self.lowest_free(used)
            numbers.append(self.lowest_free(self.held))
            self.held[numbers[-1]] = row
            used.add(row)
            self.end = max(self.end, row + 1)
        return numbers

    def wanted(self) -> int:
        return len(self.held) + len(self.held) // SPARE_PART + SPARE_ROWS

    def remove(self, numbers) -> None:
        self.waiting = {self.held.pop(number) for number in numbers}
        left = MOVES_AN_EDIT * len(numbers)
        for _ in range(2):
            groups = len({row // GROUP for row in self.used()})
            if (groups - SPARE_GROUPS) * GROUP > self.wanted() and len(self.used()) <= self.wanted():
                left = self.compact(left, LOOKS_AN_EDIT * len(numbers))
            self.waiting = set()

    def compact(self, left: int, looks: int) -> int:
        number_in, used = {row: number for number, row in self.held.items()}, self.used()
        while left and looks and self.end > self.wanted():
            looks -= 1
            row = self.end - 1
            if row % 64 == 63 and not used.intersection(range(row - 63, row + 1)):
                self.end -= 64
                continue
            if row in number_in:
                to = self.lowest_free(used)
                if to > row:
                    break
                self.held[number_in[row]] = to
                used.add(to)
                self.waiting.add(row)
                left -= 1
            self.end = row
        return left


@settings(max_examples=int(size(15, in_full=200)), deadline=None)
@given(
    st.integers(0, 1000),
    st.lists(st.tuples(st.sampled_from(["insert", "remove", "in the order of building"]), st.floats(0.001, 0.9)), max_size=12),
)
def test_bricks_are_in_the_rows_of_the_model(seed, edits):
    random, model, structure = np.random.default_rng(seed), Rows(), Structure(1 << 14)
    rows = random_boxes(random, 1 << 12)
    held = dict(zip(structure.insert(rows[:2000]).tolist(), range(2000), strict=True))
    model.insert(2000)
    fresh = 2000
    for what, part in edits:
        if what == "insert":
            some = range(fresh, min(fresh + int(500 * part), len(rows)))
            fresh = some.stop
            numbers = structure.insert(rows[some]).tolist()
            assert numbers == model.insert(len(some))
            held |= dict(zip(numbers, some, strict=True))
        else:
            count = int(part * len(held))
            gone = random.permutation(sorted(held))[:count] if what == "remove" else np.array(sorted(held)[:count], int)
            structure.remove(gone)
            model.remove(gone.tolist())
            for number in gone.tolist():
                del held[number]
        numbers = structure.numbers().tolist()
        assert numbers == sorted(model.held)
        assert structure.rows_by_number[numbers].tolist() == [model.held[number] for number in numbers]
    check(structure, list(held), rows[list(held.values())])


def brick_pages(structure: Structure) -> int:
    """Pages that the rows of bricks use."""
    return resident(structure._memory[0])


@pytest.mark.needs("posix")  # as in test_pools.py
@pytest.mark.parametrize("batch", [1, 100, 9_000])
def test_nine_tenths_removed_at_random_give_their_pages_back(batch):
    random, structure = np.random.default_rng(batch), Structure(1 << 15)
    rows = random_boxes(random, 10_000)
    numbers = structure.insert(rows)
    before, order = brick_pages(structure), random.permutation(len(rows))
    for begin in range(0, 9_000, batch):
        structure.remove(numbers[order[begin : begin + batch]])
    kept = np.sort(order[9_000:])
    needed = 48 * (1_000 + 1_000 // SPARE_PART + SPARE_ROWS + (SPARE_GROUPS + 1) * GROUP) // PAGE + 1
    assert before > 115 and brick_pages(structure) <= needed
    assert structure.record[0]["batch"] == 2 + -(-9_000 // batch)  # saved states compare it
    check(structure, numbers[kept], rows[kept])


@pytest.mark.needs("posix")
def test_bricks_removed_in_the_order_of_building_do_not_move():
    """Their pages are given back as they are."""
    structure, rows = Structure(1 << 15), random_boxes(np.random.default_rng(1), 10_000)
    numbers = structure.insert(rows)
    places = structure.rows_by_number[numbers]
    for begin in range(0, 9_000, 100):
        structure.remove(numbers[begin : begin + 100])
    assert (structure.rows_by_number[numbers[9_000:]] == places[9_000:]).all()
    assert brick_pages(structure) <= 48 * (1_000 + 3 * GROUP) // PAGE + 1


def test_edits_in_turn_move_nothing():
    """A structure that keeps its size has its rows in use."""
    random, structure = np.random.default_rng(2), Structure(1 << 15)
    rows = random_boxes(random, 10_000)
    numbers = structure.insert(rows)
    for _ in range(20):
        chosen = random.choice(len(rows), 1_000, False)
        kept = np.setdiff1d(np.arange(len(rows)), chosen)
        before = structure.rows_by_number[numbers[kept]]
        structure.remove(numbers[chosen])
        assert (structure.rows_by_number[numbers[kept]] == before).all()
        numbers[chosen] = structure.insert(rows[chosen])


def test_a_brick_that_moves_keeps_what_it_is():
    """Also where it lies freely, or in a chain of equal bricks."""
    random, structure = np.random.default_rng(3), Structure(1 << 14)
    rows = random_boxes(random, 3_000)
    numbers = structure.insert(rows)
    turned, placements = free_boxes(random.uniform(0, 100, (50, 3)), [1.0, 2.0, 0.5], (0.5, 0.5, 0.5, 0.5), user_number=7)
    free = structure.insert(turned, placements)
    equal = structure.insert(boxes([[5, 5, 5]] * 30, [[6, 6, 6]] * 30))
    before = structure.rows_by_number[[*free, *equal]]
    assert (before > 3_000).all()
    structure.remove(numbers[random.permutation(3_000)[:2_950]])
    assert (structure.rows_by_number[[*free, *equal]] < 500).all()
    _, bricks, placed = (part[-80:-30] for part in structure.all_bricks())
    assert (bricks["user_number"] == 7).all() and (placed["center"] == placements["center"]).all()
    assert (placed["half_extents"] == placements["half_extents"]).all()
    found = structure.in_box([5, 5, 5], [6, 6, 6])["number"]
    assert set(equal) <= set(found)
    structure.remove(equal)
    structure.remove(free)
    assert len(structure) == 50


def test_a_query_under_way_sees_all_bricks_while_they_move():
    random, structure = np.random.default_rng(4), Structure(1 << 14)
    rows = random_boxes(random, 4_000)
    numbers, order = structure.insert(rows), random.permutation(4_000)
    queries = [(Query(structure), list(range(4_000)))]
    for begin in range(0, 3_800, 200):
        structure.remove(numbers[order[begin : begin + 200]])
        queries.append((Query(structure), np.sort(order[begin + 200 :]).tolist()))
        for query, _ in queries:
            query.fetch(20)
        if len(queries) > 3:
            query, seen = queries.pop(0)
            assert query.finish() == seen
    for query, seen in queries:
        assert query.finish() == seen
    structure.give_back()
    kept = np.sort(order[3_800:])
    check(structure, numbers[kept], rows[kept])
    assert structure.record[0]["brick_end"] <= 200 + 200 // SPARE_PART + SPARE_ROWS
    assert structure.record[0]["retired_count"].sum() == 0


def test_a_query_that_stays_does_not_make_bricks_move_for_nothing():
    """Rows of removed bricks that it may read are in use: no more come to them than one in eight of the bricks."""
    random, structure = np.random.default_rng(5), Structure(1 << 14)
    rows = random_boxes(random, 4_000)
    numbers, order = structure.insert(rows), random.permutation(4_000)
    query = Query(structure)
    for k in range(3_600):
        structure.remove(numbers[order[k : k + 1]])
    pool = structure.record[0]["bricks"]
    assert pool["used"] == 4_001
    assert query.finish() == list(range(4_000))
    structure.give_back()
    assert pool["used"] == 401 and structure.record[0]["brick_end"] <= 400 + 400 // SPARE_PART + SPARE_ROWS


@entry_point("int64(int64, int64, int64, int64)")
def find_by_numbers(structure, numbers_address, lows_address, count):
    """Look `count` bricks up by their numbers, whose low x is known. Returns how many were not where they should be."""
    s, wrong = view(structure, 1, STRUCTURE)[0], 0
    numbers, lows = view(numbers_address, count, np.int32), view(lows_address, count, np.float32)
    for i in range(count):
        head = enter(structure, i)
        row = row_of(s, np.int64(numbers[i]))
        if number_in(s, row) != numbers[i] or bricks_of(s)[row].low[0] != lows[i]:
            wrong += 1
        leave(structure, head, i)
    return wrong


def test_bricks_are_found_by_their_numbers_while_they_move():
    random, structure, guard = np.random.default_rng(6), Structure(1 << 16), threading.Lock()
    rows, stop, sought, wrong, moves = random_boxes(random, 4_000), threading.Event(), [], [0, 0], 0
    assert find_by_numbers.address

    def look() -> None:
        while not stop.is_set():
            with guard:
                for numbers, lows in sought:
                    wrong[0] += find_by_numbers(structure.address, address_of(numbers), address_of(lows), len(numbers))
                    wrong[1] += len(numbers)

    thread = threading.Thread(target=look)
    thread.start()
    threading.Timer(RACE, stop.set).start()
    while not stop.is_set():
        numbers, order = structure.insert(rows), random.permutation(4_000)
        kept = numbers[order[:200]]
        before = structure.rows_by_number[kept]
        with guard:
            sought.append((kept, rows["low"][order[:200], 0].copy()))
        for begin in range(200, 4_000, 100):
            structure.remove(numbers[order[begin : begin + 100]])
        moves += int((structure.rows_by_number[kept] != before).sum())
        with guard:
            sought.clear()
        structure.remove(kept)
    thread.join()
    print(f"{moves} bricks moved while {wrong[1]} were looked for: {wrong[0]} were not found")
    assert wrong[0] == 0 and wrong[1] > 1_000 and moves > 100


def floor_of_slabs() -> tuple[scree.Structure, np.ndarray]:
    """Four slabs behind 2,000 bricks that lie elsewhere; their numbers, the slabs last."""
    floor = scree.Structure(unit=0.25, surfaces=[scree.Material(friction=0.0), scree.Material(friction=1.0)])
    at = np.stack(np.meshgrid(np.arange(40), np.arange(50), indexing="ij"), axis=-1).reshape(-1, 2)
    low = np.column_stack((at[:, 0] - 200, np.zeros(len(at), int), at[:, 1]))
    rest = floor.insert(low, low + 1)
    slabs = np.array([(0, -4, 0), (40, -4, 0), (0, -4, 40), (40, -4, 40)])
    return floor, np.concatenate((rest, floor.insert(slabs, slabs + (40, 4, 40), surface=[0, 1, 0, 1])))


def test_rays_contacts_and_surfaces_know_bricks_that_moved_by_their_numbers():
    space = scree.World(threads=1).add_space(gravity=(0, -10, 0))
    floor, numbers = floor_of_slabs()
    ground, slabs = space.add_static(floor), numbers[-4:]
    middles = np.array([(5.0, 5.0), (15.0, 5.0), (5.0, 15.0), (15.0, 15.0)])
    boxes_on = [space.add_rigid(scree.Box(half_extents=(0.4, 0.4, 0.4)), (x, 0.4, z), can_sleep=False) for x, z in middles]
    for box in boxes_on:
        box.contact_events = "all"
    for _ in range(60):
        space.step(1 / 60)
    before = floor.bricks.rows_by_number[slabs]
    floor.remove(np.random.default_rng(7).permutation(numbers[:-4])[:1_950])
    assert (floor.bricks.rows_by_number[slabs] < before).all()
    for _ in range(10):
        space.step(1 / 60)
        events = space.contact_events()
        assert events.lasts.all() and set(np.maximum(events.rows["part_a"], events.rows["part_b"])) == set(slabs)
    for (x, z), slab, box in zip(middles, slabs, boxes_on, strict=True):
        hit = space.cast_ray((x + 2.0, 5.0, z), (x + 2.0, -5.0, z))
        assert hit.part == slab and hit.body == ground and box.position[1] == pytest.approx(0.4, abs=0.01)
        box.velocity = (3.0, 0.0, 0.0)
    for _ in range(60):
        space.step(1 / 60)
    speeds = [box.velocity[0] for box in boxes_on]
    assert speeds[0] == pytest.approx(3.0, abs=0.2) and speeds[2] == pytest.approx(3.0, abs=0.2)
    assert abs(speeds[1]) < 0.1 and abs(speeds[3]) < 0.1
    low, _ = floor.bounds_of(slabs)
    assert (low == np.array([(0, -4, 0), (40, -4, 0), (0, -4, 40), (40, -4, 40)])).all()
