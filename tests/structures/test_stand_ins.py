"""Convex stand-ins: the smaller of two large structures meets the other as its hull."""

import numpy as np
import pytest

import scree
from scree.shapes import schema
from scree.shapes.structure_settings import cook_stand_in
from scree.structures.structure import Structure, boxes

STEP = 1.0 / 60.0
UNIT = 0.25


def space_of(gravity: float = -10.0) -> scree.Space:
    return scree.World(threads=1, bodies=1 << 10, body_shapes=1 << 12, shapes=1 << 12).add_space(gravity=(0, gravity, 0))


def filled(nx: int, ny: int, nz: int, **values) -> tuple[scree.Structure, np.ndarray, np.ndarray]:
    """A block of bricks of one unit about the origin, of two materials in turn, so that none are joined; their numbers and low
    corners."""
    structure = scree.Structure(unit=UNIT, capacity=1 << 15, surfaces=[scree.Material()] * 2, **values)
    low = np.stack(np.meshgrid(np.arange(nx), np.arange(ny), np.arange(nz), indexing="ij"), axis=-1).reshape(-1, 3)
    low = low - np.array([nx, ny, nz]) // 2
    return structure, structure.insert(low, low + 1, surface=low.sum(axis=1) % 2), low


def stand_in_of(space: scree.Space, body: scree.Body) -> int:
    """The row of the convex hull of the structure on a body; -1: none."""
    core = space.world.core
    _, _, at = core.body.instance("", body.id, 0)
    return int(core.shapes._blocks[int(core.instances.rows["shape"][at])].record["stand_in"])


def test_the_hull_of_a_block_has_its_eight_corners():
    low = np.stack(np.meshgrid(np.arange(9), np.arange(5), np.arange(7), indexing="ij"), axis=-1).reshape(-1, 3)
    structure = Structure(1000)
    structure.insert(boxes(low, low + 1))
    hull = cook_stand_in(structure, 0.5)
    assert hull.kind == schema.HULL and len(hull.block.arrays["vertices"]) == 8
    np.testing.assert_allclose(hull.fields["bounds"], (0, 0, 0, 4.5, 2.5, 3.5))


def test_the_hull_holds_nearly_all_bricks():
    random = np.random.default_rng(1)
    low = random.normal(scale=40.0, size=(3000, 3)).astype(int)
    high = low + random.integers(1, 9, low.shape)
    structure = Structure(5000)
    structure.insert(boxes(low, high))
    planes = cook_stand_in(structure, 1.0).block.arrays["planes"].astype(float)
    corners = np.concatenate((low, high)).astype(float)
    outside = (corners @ planes[:, :3].T - planes[:, 3]).max(axis=1)
    size = (high.max(axis=0) - low.min(axis=0)).max()
    assert outside.max() < size / 16


def test_the_smaller_of_two_large_ones_stands_as_its_hull():
    space = space_of()
    floor, _, _ = filled(60, 2, 60)
    block, numbers, low = filled(12, 12, 12)
    ground = space.add_static(floor)
    body = space.add_rigid(block, (0.3, 1.9, 0.2), density=500.0)
    body.contact_events = "all"
    for _ in range(120):
        space.step(STEP)
    assert stand_in_of(space, body) >= 0 and stand_in_of(space, ground) < 0
    assert body.position == pytest.approx((0.3, 1.75, 0.2), abs=0.01) and body.is_asleep
    block.remove(numbers[low[:, 1] < -3])
    for _ in range(180):
        space.step(STEP)
    assert body.position[1] == pytest.approx(1.0, abs=0.01)  # the new hull is three bricks shorter below


def test_small_ones_keep_their_detail():
    """A bowl of bricks holds a small block that a hull would keep out."""
    space = space_of()
    bowl, _, _ = filled(20, 1, 20)
    walls = np.stack(np.meshgrid(np.arange(-10, 10), np.arange(1, 6), np.arange(-10, 10), indexing="ij"), -1).reshape(-1, 3)
    walls = walls[np.abs(2 * walls[:, [0, 2]] + 1).max(axis=1) > 17]
    bowl.insert(walls, walls + 1)
    space.add_static(bowl)
    small, _, _ = filled(4, 4, 4)
    body = space.add_rigid(small, (0.1, 2.0, 0.1), density=500.0)
    for _ in range(120):
        space.step(STEP)
    assert body.position[1] == pytest.approx(0.75, abs=0.02) and stand_in_of(space, body) < 0


def test_what_is_not_wanted_is_not_made():
    space = space_of()
    block, _, _ = filled(12, 12, 12)
    space.add_static(scree.Plane())
    body = space.add_rigid(block, (0.0, 1.6, 0.0), density=500.0)
    for _ in range(60):
        space.step(STEP)
    assert stand_in_of(space, body) < 0 and body.position[1] == pytest.approx(1.5, abs=0.01)


def test_a_hull_is_given_back_with_its_structure():
    space = space_of(0.0)
    floor, block = filled(40, 2, 40)[0], filled(12, 12, 12)[0]
    space.add_static(floor)
    body = space.add_rigid(block, (0.0, 1.7, 0.0), density=500.0)
    for _ in range(3):
        space.step(STEP)
    core, row = space.world.core, stand_in_of(space, body)
    assert row >= 0 and row in core.shapes._blocks
    body.remove()
    space.step(STEP)
    core.shapes.collect()
    assert row not in core.shapes._blocks
