"""New pairs, however many a body has at once: all are found, in an order that no thread decides."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "world"))

from small_world import TICK

from scree.collision.crowds import CROWD
from scree.collision.pair_finding import FOUND_AT_ONCE
from scree.shapes.schema import BOX, SPHERE
from scree.core.world import World

UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
ACROSS = (0.5**0.5, 0.0, 0.5**0.5, 0.0, 1.0, 0.0, -(0.5**0.5), 0.0, 0.5**0.5)


def world_of(places, threads: int, capacity: int, plate: bool = False, rods: bool = False):
    """Balls, or rods that lie across x and z, at these places."""
    world = World(threads=threads, bodies=capacity, body_shapes=2 * capacity, shapes=16)
    system = world.create_system(gravity=(0.0, 0.0, 0.0))
    ball, rod, box = world.shape.create(SPHERE), world.shape.create(BOX), world.shape.create(BOX)
    world.shapes.set_sphere(world.shape.index("", ball), 0.1)
    world.shapes.set_box(world.shape.index("", rod), (0.01, 0.01, 9.0))
    world.shapes.set_box(world.shape.index("", box), (50.0, 0.1, 50.0))
    for shape, place in [*((rod if rods else ball, place) for place in places), *([(box, (0.0, 0.15, 0.0))] if plate else [])]:
        body = world.body.create()
        world.body.add_shape(body, shape)
        world.body.set_transform(body, (*(ACROSS if shape == rod else UPRIGHT), *place))
        world.body.set_system(body, system)
    return world, system


def pairs_of(world, system) -> set:
    row = world.system(system).row
    pairs = world.system(system)._pools
    rows = next(pool.rows for pool in pairs if pool.name == "pairs")[: int(row["pairs"]["count"])]
    return {(int(pair["body_a"]), int(pair["body_b"])) for pair in rows if pair["body_a"] >= 0}


def expected_pairs(world) -> set:
    rows = world.bodies.rows[: world.bodies.count]
    low, high = rows["fat_bounds"][:, :3], rows["fat_bounds"][:, 3:]
    meet = ((low[:, None] <= high[None]) & (high[:, None] >= low[None])).all(2)
    return {(a, b) for a, b in np.argwhere(np.triu(meet, 1)).tolist()}


def test_a_body_with_more_candidates_than_fit_on_the_stack():
    count = 2 * FOUND_AT_ONCE
    places = [(k % 24 * 2.0 - 24.0, 0.0, k // 24 * 2.0 - 24.0) for k in range(count)]
    for threads in (1, 3):
        world, system = world_of(places, threads, 1 << 11, plate=True)
        world.step(system, 1e-6)
        assert pairs_of(world, system) == expected_pairs(world)
        assert len(pairs_of(world, system)) == count


def test_more_candidates_than_there_is_room_for():
    """240 rods side by side, whose bounds all overlap, in a world for 256 bodies: every pair is found once, with the same bits on
    any number of threads."""
    places = [(0.03 * k, 0.0, -0.03 * k) for k in range(240)]
    states = []
    for threads in (1, 2, 4):
        world, system = world_of(places, threads, 256, rods=True)
        world.step(system, 1e-6)
        assert len(pairs_of(world, system)) == 240 * 239 // 2 > 256 + 65536 // 4
        for _ in range(20):
            world.step(system, TICK)
        states.append(world.bodies.rows["position"][:240].tobytes())
    assert states[0] == states[1] == states[2]


def test_a_crowd_makes_few_pairs_and_looks_for_others_as_it_parts():
    """200 balls within 5 cm: not all of the 19,900 pairs, and the same bits on any number of threads. They look again in each
    step, each is on the list once, and when they have come apart the pairs are those whose bounds overlap."""
    places = np.random.default_rng(2).uniform(-0.05, 0.05, (200, 3))
    states = []
    for threads in (1, 2, 4):
        world, system = world_of(places, threads, 1 << 11)
        row = world.system(system).row
        world.step(system, 1e-6)
        assert 0.7 < len(pairs_of(world, system)) / (200 * CROWD / 2) < 1.4
        most = 0
        for _ in range(60):
            world.step(system, TICK)
            most = max(most, int(row["bodies"]["moved_count"]))
        assert most == 200
        for _ in range(600):
            world.step(system, TICK)
        world.step(system, 1e-6)
        assert pairs_of(world, system) >= expected_pairs(world)
        assert row["bodies"]["moved_count"] == 0
        states.append(world.bodies.rows["position"][:200].tobytes())
    assert states[0] == states[1] == states[2]


def test_what_lies_in_many_and_touches_none_is_no_crowd():
    """Bodies of two balls each, whose centres of mass are all at one place: a star."""
    world = World(threads=1, bodies=256, body_shapes=512, shapes=16)
    system = world.create_system(gravity=(0.0, 0.0, 0.0))
    ball = world.shape.create(SPHERE)
    world.shapes.set_sphere(world.shape.index("", ball), 0.1)
    directions = np.random.default_rng(3).normal(size=(100, 3))
    for direction in 2.0 * directions / np.linalg.norm(directions, axis=1)[:, None]:
        body = world.body.create()
        for side in (-1.0, 1.0):
            world.body.add_shape(body, ball, (*UPRIGHT, *(side * direction)))
        world.body.set_system(body, system)
    world.step(system, 1e-6)
    assert pairs_of(world, system) == expected_pairs(world)


def test_contacts_that_are_asked_for_are_all_found():
    """One of 60 balls at one place reports its contacts."""
    world, system = world_of([(0.0, 0.0, 0.0)] * 60, 1, 1 << 11)
    asking = int(world.bodies.rows["id"][17])
    world.body.set_max_contacts(asking, 100)
    world.step(system, 1e-6)
    pairs = pairs_of(world, system)
    assert sum(17 in pair for pair in pairs) == 59
    assert len(pairs) < 60 * 59 // 2
