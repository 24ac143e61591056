"""Joined bricks: the same matter in fewer boxes, and structures that meet with them as with all of their bricks."""

import gc
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scree
from scree.structures.joining import MOST_BRICKS, joined_rows, joined_structure
from scree.structures.schema import FREE_BOX
from scree.structures.structure import Structure, boxes, free_boxes

STEP = 1.0 / 60.0
UNIT = 0.25


def cells(low, high, material) -> dict:
    """The cells of boxes with how often each is covered, by material."""
    found: dict = {}
    for a, b, kind in zip(low.astype(int), high.astype(int), material.tolist(), strict=True):
        for x in range(a[0], b[0]):
            for y in range(a[1], b[1]):
                for z in range(a[2], b[2]):
                    found[x, y, z, kind] = found.get((x, y, z, kind), 0) + 1
    return found


def filled(*size: int) -> np.ndarray:
    return np.stack(np.meshgrid(*(np.arange(n) for n in size), indexing="ij"), axis=-1).reshape(-1, 3)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(*[st.integers(-4, 4)] * 3, *[st.integers(1, 3)] * 3, st.integers(0, 1)), min_size=1, max_size=60))
def test_joined_boxes_are_the_same_matter_and_no_two_can_be_joined(given_boxes):
    values = np.array(given_boxes)
    low, high = values[:, :3], values[:, :3] + values[:, 3:6]
    rows = joined_rows(boxes(low, high, material=values[:, 6]))
    assert len(rows) <= len(values)
    assert cells(rows["low"], rows["high"], rows["material"]) == cells(low, high, values[:, 6])
    for a in range(len(rows)):
        for b in range(len(rows)):
            for axis in range(3):
                others = [k for k in range(3) if k != axis]
                one, other = rows[a], rows[b]
                fits = one["material"] == other["material"] and one["high"][axis] == other["low"][axis]
                same = all(one[end][k] == other[end][k] for end in ("low", "high") for k in others)
                # A box with two that begin where it ends, which lie in each other, is joined to the first only.
                doubles = sum(bool((rows[end] == other[end]).all(axis=1).sum() > 1) for end in ("low", "high"))
                assert not (fits and same) or doubles


def test_what_is_built_of_cells_becomes_its_walls():
    block = filled(10, 5, 10)
    assert len(joined_rows(boxes(block, block + 1))) == 1
    shell = block[((block == 0) | (block == np.array([9, 4, 9]))).any(axis=1)]
    assert len(joined_rows(boxes(shell, shell + 1))) == 6


def test_a_structure_keeps_its_surface_materials_and_turned_boxes():
    structure, low = Structure(1000), filled(6, 2, 6)
    structure.insert(boxes(low, low + 1, material=(low[:, 0] > 2).astype(int), density=7, user_number=3))
    structure.insert(boxes(filled(6, 1, 6) + (0, 2, 0), filled(6, 1, 6) + (1, 3, 1), layers=0))
    structure.insert(*free_boxes([(3, 5, 3)], [(1, 0.5, 1)], [(0, 0, np.sin(0.2), np.cos(0.2))]))
    joined = joined_structure(structure)
    _, rows, placements = joined.all_bricks()
    assert sorted(rows["material"].tolist()) == [0, 0, 1] and (rows["kind"] == FREE_BOX).sum() == 1
    assert placements["center"][rows["kind"] == FREE_BOX].tolist() == [[3, 5, 3]]
    assert rows["high"][rows["kind"] != FREE_BOX][:, 1].max() == 2  # nothing meets what lies above


def test_what_is_not_worth_it_is_not_joined():
    structure = Structure(1000)
    low = filled(8, 8, 1)[(filled(8, 8, 1).sum(axis=1) % 2) == 0]
    structure.insert(boxes(low, low + 1))
    assert joined_structure(structure) is None and joined_structure(Structure(10)) is None
    assert MOST_BRICKS >= 1 << 12


def space_of(gravity: float = -10.0) -> scree.Space:
    return scree.World(threads=1, bodies=1 << 10, body_shapes=1 << 12, shapes=1 << 12).add_space(gravity=(0, gravity, 0))


def block_of(nx: int, ny: int, nz: int, **values) -> tuple[scree.Structure, np.ndarray, np.ndarray]:
    structure = scree.Structure(unit=UNIT, capacity=1 << 14, **values)
    low = filled(nx, ny, nz) - np.array([nx, ny, nz]) // 2
    return structure, structure.insert(low, low + 1), low


def joined_count(space: scree.Space, body: scree.Body) -> int:
    core = space.world.core
    _, _, at = core.body.instance("", body.id, 0)
    return int(core.shapes._blocks[int(core.instances.rows["shape"][at])].record["joined_count"])


def test_blocks_lie_on_each_other_and_sleep():
    space = space_of()
    space.add_static(scree.Plane())
    bodies = [space.add_rigid(block_of(6, 4, 6)[0], (0.05 * k, 0.55 + 1.1 * k, 0.03 * k), density=300.0) for k in range(6)]
    for _ in range(240):
        space.step(STEP)
    assert all(joined_count(space, body) == 1 for body in bodies) and all(body.is_asleep for body in bodies)
    for k, body in enumerate(bodies):
        assert body.position[1] == pytest.approx(0.5 + k, abs=0.01)


def test_a_contact_of_joined_bricks_names_the_bricks_that_are_there():
    space = space_of()
    floor, floor_numbers, floor_low = block_of(20, 2, 20)
    ground = space.add_static(floor)
    small, numbers, low = block_of(4, 4, 4)
    body = space.add_rigid(small, (1.6, 0.8, -1.3), density=500.0)
    body.contact_events = "all"
    for _ in range(30):
        space.step(STEP)
    assert joined_count(space, ground) == joined_count(space, body) == 1
    events = space.contact_events()
    assert len(events) and events.lasts.all()
    for row, points, count in zip(events.rows, events.points, events.point_counts, strict=True):
        is_first = row["body_a"] == body.id
        mine, other = int(row["part_a" if is_first else "part_b"]), int(row["part_b" if is_first else "part_a"])
        at, below = low[numbers == mine][0], floor_low[floor_numbers == other][0]
        assert at[1] == -2 and below[1] == 0
        gaps = [np.abs((below + 0.5) * UNIT - point).max() for point in points[:count]]
        own_gaps = [np.abs((at + 0.5) * UNIT + body.position - point).max() for point in points[:count]]
        assert min(gaps) <= 0.5 * UNIT + 0.03 and min(own_gaps) <= 0.5 * UNIT + 0.03


def test_an_edit_below_lets_a_joined_body_fall():
    space = space_of()
    floor, floor_numbers, floor_low = block_of(20, 2, 20)
    space.add_static(floor)
    small, _, _ = block_of(4, 4, 4)
    body = space.add_rigid(small, (0.1, 0.8, 0.1), density=500.0)
    for _ in range(120):
        space.step(STEP)
    assert body.is_asleep and body.position[1] == pytest.approx(0.75, abs=0.005)
    floor.remove(floor_numbers[(np.abs(floor_low[:, [0, 2]] + 0.5) < 4).all(axis=1)])
    for _ in range(60):
        space.step(STEP)
    assert body.position[1] < -1.0


def test_a_block_goes_into_the_hole_that_it_fits():
    """Joined bricks are exact: a block falls into a hole a bit wider than itself, and out of it nothing pushes it."""
    space = space_of()
    floor, floor_numbers, floor_low = block_of(20, 8, 20)
    space.add_static(floor)
    floor.remove(floor_numbers[(np.abs(floor_low[:, [0, 2]] + 0.5) < 3).all(axis=1) & (floor_low[:, 1] > -3)])
    small, _, _ = block_of(5, 5, 5)
    body = space.add_rigid(small, (-0.125, 1.6, -0.125), density=500.0)
    for _ in range(180):
        space.step(STEP)
    assert joined_count(space, body) == 1
    assert body.position[1] == pytest.approx(-0.5 + 0.5, abs=0.02)


def test_joined_bricks_stay_until_the_step_that_may_walk_over_them_ends():
    space, low = space_of(), filled(6, 2, 6)
    structure = scree.Structure(unit=UNIT)
    structure.insert(low, low + 1)
    body, core = space.add_static(structure), space.world.core
    for _ in range(3):
        space.step(STEP)
    freed = weakref.ref(next(iter(core.shapes._joined.values())))
    users = core.system(space._id).trees.trees.rows[1]["users"]
    users[0, 3, 0] += 1  # as long as a query stays, what a step may read stays too
    body.remove()
    core.retirement.reclaim()
    gc.collect()
    assert freed() is not None and not core.shapes._joined
    users[0, 3, 0] -= 1
    core.retirement.reclaim()
    gc.collect()
    assert freed() is None
