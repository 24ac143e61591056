"""Pieces that come apart: against a flood fill, with a budget, and as bodies that keep the motion of their matter."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scree
from scree.structures.breaking import PieceSearch
from scree.structures.structure import Structure, boxes
from tests.structures.momentum import momenta

STEP = 1.0 / 60.0


def hold_together(a_low, a_high, b_low, b_high) -> bool:
    """Whether two boxes overlap or touch in an area."""
    if (a_low > b_high).any() or (a_high < b_low).any():
        return False
    return int(((a_low == b_high) | (a_high == b_low)).sum()) <= 1


def components(low, high) -> list[set]:
    """The connected parts of a set of boxes, by looking at all pairs."""
    left, found = set(range(len(low))), []
    while left:
        part, waiting = set(), [left.pop()]
        while waiting:
            k = waiting.pop()
            part.add(k)
            near = {j for j in left if hold_together(low[k], high[k], low[j], high[j])}
            left -= near
            waiting += near
        found.append(part)
    return found


def searched_bar(length: int) -> tuple[Structure, np.ndarray, PieceSearch]:
    """A bar of cells, their numbers, and a search for pieces."""
    structure = Structure(1000)
    low = np.array([(x, 0, 0) for x in range(length)])
    numbers = structure.insert(boxes(low, low + 1))
    search = PieceSearch(structure)
    structure.searches.add(search)
    return structure, numbers, search


def test_a_bar_cut_in_the_middle():
    structure, numbers, search = searched_bar(101)
    structure.remove(numbers[[40]])
    (piece,) = search.find()
    assert piece.tolist() == numbers[:40].tolist() and search.is_over and search.find() == []
    structure.remove(numbers[[100]])
    assert search.find() == []


def test_corners_and_edges_do_not_hold():
    structure = Structure(1000)
    numbers = structure.insert(boxes([(0, 0, 0), (1, 1, 0), (0, 1, 0), (1, 0, 1)], [(1, 1, 1), (2, 2, 1), (1, 2, 1), (2, 1, 2)]))
    search = PieceSearch(structure)
    structure.searches.add(search)
    structure.remove(numbers[[2]])
    pieces = search.find()
    assert sorted(map(len, pieces)) == [1]


@settings(deadline=None, max_examples=60)
@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=24), st.integers(0, 5))
def test_what_has_no_anchor_comes_apart_whatever_its_size(removed, width):
    """A wall of 6 x 6 cells of which the first `width` columns stand on the ground, against a flood fill."""
    cells = np.array([(x, y, 0) for x in range(6) for y in range(6)])
    structure = Structure(1000)
    numbers = structure.insert(boxes(cells, cells + 1))
    search = PieceSearch(structure)
    structure.searches.add(search)
    search.anchors = np.array([(0.5, -1, 0, width + 0.5, 0, 1)], np.float32)
    is_gone = np.array([(x, y) in removed for x, y, _ in cells.tolist()])
    structure.remove(numbers[is_gone])
    kept, low = numbers[~is_gone], cells[~is_gone]
    parts = [sorted(part) for part in components(low, low + 1)]
    loose = [kept[part].tolist() for part in parts if not any(low[k][1] == 0 and low[k][0] <= width for k in part)]
    assert sorted(piece.tolist() for piece in search.find()) == sorted(loose)


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.tuples(*[st.integers(0, 7)] * 3, *[st.integers(1, 3)] * 3), min_size=2, max_size=80, unique=True),
    st.lists(st.integers(0, 1000), min_size=1, max_size=12),
    st.one_of(st.none(), st.integers(1, 5)),
)
def test_against_a_flood_fill(bricks, gone, budget):
    """The components of one former piece: the largest component is kept, since others cannot be known to have come apart."""
    bricks = np.array(bricks)
    low, high = bricks[:, :3], bricks[:, :3] + bricks[:, 3:]
    whole = max(components(low, high), key=len)
    low, high = low[sorted(whole)], high[sorted(whole)]
    structure = Structure(1000)
    numbers = structure.insert(boxes(low, high))
    search = PieceSearch(structure)
    structure.searches.add(search)
    removed = sorted({k % len(low) for k in gone})[: len(low) - 1]
    structure.remove(numbers[removed])
    pieces, calls = search.find(budget), 1
    while not search.is_over:
        pieces += search.find(budget)
        calls += 1
        assert calls < 1000
    kept = np.delete(np.arange(len(low)), removed)
    wanted = [{int(numbers[kept[k]]) for k in part} for part in components(low[kept], high[kept])]
    found = [set(piece.tolist()) for piece in pieces]
    assert len(found) == max(len(wanted) - 1, 0)
    for piece in found:
        assert piece in wanted
    if found:
        rest = [part for part in wanted if part not in found]
        assert len(rest) == 1


def test_an_edit_during_a_search_begins_it_anew():
    structure, numbers, search = searched_bar(201)
    structure.remove(numbers[[100]])
    assert search.find(20) == [] and not search.is_over
    structure.remove(numbers[[50]])
    assert sorted(map(len, search.find())) == [49, 50]


def test_a_spinning_bar_breaks_and_keeps_momentum():
    space = scree.World(threads=1).add_space(gravity=(0, 0, 0))
    bar = scree.Structure(unit=0.25, breaks=True)
    low = np.array([(x, y, z) for x in range(30) for y in range(2) for z in range(3)])
    numbers = bar.insert(low, low + 1, density=1 + low[:, 0] % 3, tag=np.arange(len(low)))
    body = space.add_rigid(bar, (1.0, 2.0, 3.0), (0.1, 0.2, 0.3, 0.927361849549570), density=40.0)
    body.angular_velocity = (0.4, 3.0, -0.5)
    body.velocity = (2.0, 0.0, 1.0)
    bar.remove(numbers[low[:, 0] == 10])
    assert body.mass == pytest.approx(40.0 * (low[:, 0] % 3 + 1)[low[:, 0] != 10].sum() / 64)  # it follows when it is asked for
    before = momenta([body])
    pieces = body.break_apart()
    assert len(pieces) == 1 and len(pieces[0].structure) == 60 and len(bar) == 30 * 6 - 6 - 60
    after = momenta([body, pieces[0].body])
    np.testing.assert_allclose(after[0], before[0], rtol=1e-5, atol=1e-5 * np.abs(before[0]).max())
    np.testing.assert_allclose(after[1], before[1], rtol=1e-5, atol=1e-5 * np.abs(before[1]).max())
    assert pieces[0].body.position == pytest.approx(body.position, abs=1e-6)
    assert set(pieces[0].numbers.tolist()) == set(numbers[low[:, 0] < 10].tolist())
    kept = pieces[0].structure.bricks.rows_of("", pieces[0].new_numbers)
    np.testing.assert_array_equal(kept["user_number"], np.arange(len(low))[np.searchsorted(numbers, pieces[0].numbers)])
    assert body.break_apart() == []


def test_a_hole_sawn_into_a_floor_lets_a_part_fall_in_the_same_tick():
    space = scree.World(threads=1).add_space(gravity=(0, -10, 0))
    floor = scree.Structure(unit=0.5, breaks=True)
    low = np.array([(x, 0, z) for x in range(20) for z in range(20)])
    numbers = floor.insert(low, low + 1)
    body = space.add_static(floor)
    away = np.abs(low[:, [0, 2]] - 10).max(axis=1)
    floor.remove(numbers[away == 4])
    (piece,) = body.break_apart(density=500.0)
    assert len(piece.structure) == 7 * 7 and piece.body.mass == pytest.approx(500.0 * 49 * 0.125)
    for _ in range(60):
        space.step(STEP)
    assert body.position == pytest.approx((0, 0, 0)) and piece.body.position[1] == pytest.approx(-5.0, abs=0.1)
    assert body.break_apart() == []


def test_a_board_that_falls_into_many_pieces_stays_in_its_budget():
    """2,000 bricks, of which each second is removed: no call looks at more than its budget."""
    structure = Structure(5000)
    low = np.array([(x, 0, z) for x in range(40) for z in range(50)])
    numbers = structure.insert(boxes(low, low + 1))
    search = PieceSearch(structure)
    structure.searches.add(search)
    structure.remove(numbers[(low[:, 0] + low[:, 2]) % 2 == 0])
    calls = []
    while not search.is_over:
        calls.append(search.find(100))
    searching = [len(pieces) for pieces in calls].index(100)
    assert searching == 9 and {len(pieces) for pieces in calls[9:-1]} == {100} and sum(map(len, calls)) == 999


def grid_of_blocks(count: tuple[int, int, int]):
    """Blocks of 5 x 5 x 2 bricks, and boxes that link each to its neighbours: low and high corners of both."""
    at = np.stack(np.meshgrid(*(np.arange(n) for n in count), indexing="ij"), axis=-1).reshape(-1, 3) * (6, 6, 3)
    cells = np.stack(np.meshgrid(np.arange(5), np.arange(5), np.arange(2), indexing="ij"), axis=-1).reshape(-1, 3)
    low = (at[:, None] + cells).reshape(-1, 3)
    links = []
    for axis, by in enumerate(((5, 2, 0), (2, 5, 0), (2, 2, 2))):
        begin = at[at[:, axis] < at[:, axis].max()] + by
        links.append(begin)
    return low, np.concatenate(links)


def test_a_grid_that_falls_into_a_thousand_pieces_stays_in_its_budget_tick_by_tick():
    """50,000 bricks: no tick looks at or moves more than its budget, or makes more bodies than it may; nothing is lost."""
    budget, most = 4000, 25
    space = scree.World(threads=1, bodies=1 << 11, body_shapes=1 << 12, shapes=1 << 13).add_space(gravity=(0, 0, 0))
    grid = scree.Structure(unit=0.1, breaks=True)
    low, links = grid_of_blocks((10, 10, 10))
    numbers = grid.insert(low, low + 1, tag=np.arange(len(low)))
    held = grid.insert(links, links + 1)
    body = space.add_rigid(grid, (1.0, 2.0, 3.0), (0.1, 0.2, 0.3, 0.927361849549570), density=40.0, can_sleep=False)
    body.angular_velocity = (0.02, 0.05, -0.03)
    body.velocity = (0.5, 0.0, 0.2)
    grid.remove(held)
    assert body.mass == pytest.approx(40.0 * 50.0)  # it follows when it is asked for
    before, bodies, tags, ticks = momenta([body]), [body], [], 0
    while not grid.search.is_over:
        pieces = body.break_apart(budget=budget, most=most)
        assert len(pieces) <= most and sum(len(piece.numbers) for piece in pieces) <= budget
        assert int(grid.search._search[0]["budget"]) >= 0
        bodies += [piece.body for piece in pieces]
        tags += [np.searchsorted(numbers, piece.numbers) for piece in pieces]
        space.step(STEP)
        ticks += 1
        assert ticks < 200
    assert len(bodies) == 1000 and len(grid) == 50 and len(np.unique(np.concatenate(tags))) == 50_000 - 50
    after = momenta(bodies)
    np.testing.assert_allclose(after[0], before[0], rtol=1e-5, atol=1e-5 * np.abs(before[0]).max())
    np.testing.assert_allclose(after[1], before[1], rtol=1e-5, atol=1e-5 * np.abs(before[1]).max())


def test_pieces_that_wait_are_looked_for_again_if_bricks_there_change():
    """One of a row of ten blocks that came apart is taken; then a box joins two that wait, and a brick of a third goes."""
    structure = Structure(1000)
    low = np.array([(4 * k + x, 0, 0) for k in range(10) for x in range(3)])
    links = np.array([(4 * k + 3, 0, 0) for k in range(9)])
    numbers, held = structure.insert(boxes(low, low + 1)), structure.insert(boxes(links, links + 1))
    search = PieceSearch(structure)
    structure.searches.add(search)
    structure.remove(held)
    (first,) = search.find(most=1)
    structure.take_out(first)
    taken = int(np.searchsorted(numbers, first[0])) // 3
    far = structure.insert_one((100, 0, 0), (101, 1, 1), 1, 0, 1, 0)
    assert len(search.find(most=1)) == 1
    search.put_back(1)
    left = [k for k in range(10) if k != taken]
    joined = next(k for k in left if k + 1 in left)
    structure.insert_one((4 * joined + 3, 0, 0), (4 * joined + 4, 1, 1), 1, 0, 1, 0)
    cut = next(k for k in left if k not in (joined, joined + 1))
    structure.remove_one(int(numbers[3 * cut + 1]))
    pieces = []
    while not search.is_over:
        pieces += search.find(most=2)
    sizes = sorted(map(len, pieces))
    assert len(pieces) == 8 and sizes[:2] == [1, 1] and set(sizes[2:]) <= {3, 7} and far not in np.concatenate(pieces)


def test_pieces_that_find_no_room_wait_on():
    space = scree.World(threads=1, bodies=3, body_shapes=8, shapes=32).add_space(gravity=(0, 0, 0))
    bar = scree.Structure(breaks=True)
    low = np.array([(x, 0, 0) for x in range(11)])
    numbers = bar.insert(low, low + 1)
    body = space.add_rigid(bar, density=1.0)
    bar.remove(numbers[1::2])
    with pytest.raises(scree.PoolFull):
        body.break_apart()
    assert len(bar) == 6 and len(body.break_apart(most=2)) == 2 and len(bar) == 4
    for wrong in (0, -1, 2.5):
        with pytest.raises(ValueError, match="break_apart: most must be"):
            body.break_apart(most=wrong)


def test_what_cannot_break_says_so():
    space = scree.World(threads=1).add_space()
    whole = scree.Structure()
    whole.insert([(0, 0, 0)], [(1, 1, 1)])
    with pytest.raises(ValueError, match="break_apart: .*breaks=True"):
        space.add_static(whole).break_apart()
    with pytest.raises(ValueError, match="break_apart: "):
        space.add_static(scree.Box(half_extents=(1, 1, 1))).break_apart()
    shared = scree.Structure(breaks=True)
    shared.insert([(0, 0, 0)], [(1, 1, 1)])
    bodies = [space.add_static(shared, (3.0 * k, 0, 0)) for k in range(2)]
    with pytest.raises(ValueError, match="break_apart: .*2 bodies"):
        bodies[0].break_apart()


def test_a_tower_stays_on_its_anchor_and_the_rest_falls():
    space = scree.World(threads=1, bodies=1 << 8, body_shapes=1 << 9, shapes=1 << 9).add_space(gravity=(0, -10, 0))
    tower = scree.Structure(breaks=True, anchors=[((-5, -1, -5), (5, 0, 5))])
    low = np.array([(0, y, 0) for y in range(10)])
    numbers = tower.insert(low, low + 1)
    body = space.add_static(tower)
    tower.remove(numbers[2])
    (piece,) = body.break_apart(density=100.0)
    assert piece.numbers.tolist() == numbers[3:].tolist() and tower.numbers.tolist() == numbers[:2].tolist()
    with pytest.raises(ValueError, match="anchor 0 must be two corners"):
        scree.Structure(breaks=True, anchors=[(1, 2, 3)])
