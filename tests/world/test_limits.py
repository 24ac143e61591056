"""Pools that are too small say so and name the setting; input beyond all measure stops one body and nothing else."""

import numpy as np
import pytest

from engine_core.runtime.memory import PoolFull
from engine_core.shapes.schema import SPHERE
from engine_core.world import World

IDENTITY = (1, 0, 0, 0, 1, 0, 0, 0, 1)


def ball_at(world, system, shape, position):
    body = world.create_body()
    world.body_add_shape(body, shape)
    world.body_set_transform(body, IDENTITY + tuple(position))
    world.body_set_system(body, system)
    return body


def test_too_few_pairs_is_an_error_that_names_the_setting():
    world = World(threads=1, pairs=64)
    system = world.create_system()
    shape = world.create_shape(SPHERE)
    world.shapes.set_sphere(world.shape_index("", shape), 0.5)
    for number in range(20):
        ball_at(world, system, shape, (0.01 * number, 0, 0))
    with pytest.raises(PoolFull, match="physics/scree_3d/limits/max_pairs"):
        world.step(system, 1 / 60)


def test_an_unknown_limit_is_refused():
    with pytest.raises(ValueError, match="World: there is no limit 'bananas'"):
        World(bananas=3)


def test_a_velocity_beyond_all_measure_stops_one_body_only():
    world = World(threads=1)
    system = world.create_system(gravity=(0, 0, 0))
    shape = world.create_shape(SPHERE)
    world.shapes.set_sphere(world.shape_index("", shape), 0.5)
    wild, calm = ball_at(world, system, shape, (0, 0, 0)), ball_at(world, system, shape, (0.9, 0, 0))
    rows = world.bodies.rows
    rows[world.body_index("", wild)]["linear_velocity"] = (3e38, 0, 0)
    for _ in range(5):
        world.step(system, 1 / 60)
    for body in (wild, calm):
        row = rows[world.body_index("", body)]
        assert np.isfinite(row["position"]).all() and np.isfinite(row["linear_velocity"]).all()


def test_the_table_of_pairs_grows_with_the_pairs():
    """A world with few pairs touches a few pages only; one with many finds every pair again after the table has grown."""
    world = World(threads=1, bodies=8192, pairs=1 << 16, contacts=1 << 14)
    system = world.create_system()
    ball = world.create_shape(SPHERE)
    world.shapes.set_sphere(world.shape_index("test", ball), 0.5)
    row = world.system(system).row
    before = int(row["pair_table_capacity"])
    for index in range(2000):  # six in one place: fifteen pairs each time
        body = world.create_body()
        world.body_add_shape(body, ball)
        world.body_set_transform(body, (1, 0, 0, 0, 1, 0, 0, 0, 1, 5.0 * (index // 6), 0.1 * (index % 6), 0.0))
        world.body_set_system(body, system)
    world.step(system, 1e-4)
    assert before <= 4096
    assert int(row["pair_table_capacity"]) >= 2 * int(row["pair_count"]) > before
    pairs = int(row["pair_count"])
    assert pairs == 333 * 15 + 1  # the last place holds two
    for _ in range(3):
        world.step(system, 1e-4)
    assert int(row["pair_count"]) == pairs, "a pair that is not found again is made twice"


def test_a_full_pool_of_joints_names_its_setting():
    world = World(threads=1, bodies=1 << 8, joints=4)
    body = world.create_body()
    joints = [world.create_joint("point", 0, body) for _ in range(4)]
    with pytest.raises(PoolFull, match="physics/scree_3d/limits/max_joints"):
        world.create_joint("point", 0, body)
    world.destroy_joint(joints[1])
    assert world.create_joint("point", 0, body) not in joints, "the freed id stays stale"
