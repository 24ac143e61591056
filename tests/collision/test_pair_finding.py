"""New pairs, however many a body has at once: all are found, in an order that no thread decides."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "world"))

from small_world import TICK

from scree.collision.pair_finding import FOUND_AT_ONCE
from scree.shapes.schema import BOX, SPHERE
from scree.core.world import World

UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def world_of(places, threads: int, capacity: int, plate: bool):
    world = World(threads=threads, bodies=capacity, body_shapes=2 * capacity, shapes=16)
    system = world.create_system(gravity=(0.0, 0.0, 0.0))
    ball, box = world.create_shape(SPHERE), world.create_shape(BOX)
    world.shapes.set_sphere(world.shape_index("", ball), 0.1)
    world.shapes.set_box(world.shape_index("", box), (50.0, 0.1, 50.0))
    for shape, place in [*((ball, place) for place in places), *([(box, (0.0, 0.15, 0.0))] if plate else [])]:
        body = world.create_body()
        world.body_add_shape(body, shape)
        world.body_set_transform(body, (*UPRIGHT, *place))
        world.body_set_system(body, system)
    return world, system


def pairs_of(world, system) -> set:
    row = world.system(system).row
    pairs = world.system(system)._pools
    rows = next(pool.rows for pool in pairs if pool.name == "pairs")[: int(row["pair_count"])]
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
    """140 balls, all in one place, in a world for 256 bodies: every pair is found once, with the same bits on any number of
    threads."""
    random = np.random.default_rng(2)
    places = random.uniform(-0.05, 0.05, (140, 3))
    states = []
    for threads in (1, 2, 4):
        world, system = world_of(places, threads, 256, plate=False)
        world.step(system, 1e-6)
        assert len(pairs_of(world, system)) == 140 * 139 // 2
        for _ in range(20):
            world.step(system, TICK)
        states.append(world.bodies.rows["position"][:140].tobytes())
    assert states[0] == states[1] == states[2]
