"""Crowds by their parts, each against a NumPy twin: the direction in which bodies at one place separate, the choice of pairs, and
the test that keeps bodies awake while they are being pushed apart."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "world"))

from small_world import UPRIGHT, SmallWorld

from scree.bodies.overlap import DEEP_PART_OF_SIZE
from scree.bodies.records import system_at
from scree.bodies.schema import BODY, IN_AREAS, STATIC
from scree.bodies.system_schema import SYSTEM
from scree.collision.crowds import CROWD, NUDGE, is_left_to_others, separate_centers
from scree.collision.pair_finding import FOUND_AT_ONCE
from scree.collision.schema import MANIFOLD, PAIR
from scree.core.world import World
from scree.runtime.kernel import entry_point
from scree.runtime.memory import view
from scree.runtime.pair_table import hash_of
from scree.solver.islands import CREEP, LEAST_CREEP, is_parting
from scree.shapes.schema import BOX, SPHERE

RADIUS = 0.5


@entry_point("void(int64, int64, int64, int64, int64)")
def separate_entry(system, bodies, low, high, out):
    rows = view(bodies, max(low, high) + 1, BODY)
    pairs = view(out + 24, 1, PAIR)
    pairs[0].body_a, pairs[0].body_b = np.int32(low), np.int32(high)
    delta = separate_centers(system_at(system), pairs[0], rows[low], rows[high], (0.0, 0.0, 0.0))
    result = view(out, 3, np.float64)
    for axis in range(3):
        result[axis] = delta[axis]


@entry_point("int64(int64, int64, int64)")
def choice_entry(low, high, crowd):
    return np.int64(is_left_to_others(low, high, crowd))


@entry_point("int64(int64, int64)")
def hash_entry(low, high):
    return np.int64(hash_of(low, high))


@entry_point("int64(int64, int64, int64, int64, int64)")
def parting_entry(system, manifold, bodies, low, high):
    rows = view(bodies, max(low, high) + 1, BODY)
    return np.int64(is_parting(system_at(system), view(manifold, 1, MANIFOLD)[0], rows[low], rows[high]))


def two_balls(gravity, modes=(None, None)) -> tuple[SmallWorld, int, int]:
    small = SmallWorld(gravity=gravity)
    ball = small.sphere(RADIUS)
    return small, *(small.index(small.add(ball, mode=mode)) for mode in modes)


def system_address(small: SmallWorld) -> int:
    return small.world.systems.rows.ctypes.data + int(small.row["index"]) * SYSTEM.itemsize


def separated(small: SmallWorld, low: int, high: int) -> np.ndarray:
    out = np.zeros(3 + PAIR.itemsize // 8, np.float64)
    separate_entry(system_address(small), small.world.bodies.rows.ctypes.data, low, high, out.ctypes.data)
    return out[:3]


@pytest.mark.parametrize("gravity", [(0.0, -10.0, 0.0), (3.0, 4.0, -12.0), (0.0, 0.001, 0.0)])
def test_bodies_at_one_place_separate_across_gravity_in_all_directions(gravity):
    small = SmallWorld(gravity=gravity)
    ball = small.sphere(RADIUS)
    bodies = [small.index(small.add(ball)) for _ in range(40)]
    ways = np.array([separated(small, a, b) for a in bodies for b in bodies if a < b])
    assert np.abs(ways @ gravity).max() < 1e-9 * np.linalg.norm(gravity)
    assert np.linalg.norm(ways, axis=1).max() <= 2.0 * NUDGE * RADIUS
    assert np.linalg.norm(ways.mean(0)) < 0.1 * np.linalg.norm(ways, axis=1).mean()
    spread = np.linalg.svd(ways, compute_uv=False)
    assert spread[1] > 0.7 * spread[0]  # not along one line


@pytest.mark.parametrize("is_first_static", [False, True])
def test_a_body_separates_upwards_from_a_static_one(is_first_static):
    modes = (STATIC, None) if is_first_static else (None, STATIC)
    small, low, high = two_balls((0.0, -10.0, 0.0), modes)
    apart = separated(small, low, high)
    assert (apart[1] > 0.0) == is_first_static  # from the first body to the second
    assert abs(apart[1]) >= 0.99 * NUDGE * RADIUS


def test_the_gravity_of_areas_decides_where_up_is():
    for own in (None, (10.0, 0.0, 0.0)):
        small, low, high = two_balls((0.0, -10.0, 0.0), (STATIC, None))
        body = small.world.bodies.rows[high]
        if own is not None:
            body["gravity"], body["flags"] = own, body["flags"] | IN_AREAS
        apart = separated(small, low, high)
        up = np.array((0.0, 1.0, 0.0) if own is None else (-1.0, 0.0, 0.0))
        assert apart @ up >= 0.99 * NUDGE * RADIUS
        assert np.isclose(apart @ up, 512.0 / 512.0 * NUDGE * RADIUS, rtol=1e-6)


def test_without_gravity_bodies_separate_in_three_dimensions():
    small = SmallWorld(gravity=(0.0, 0.0, 0.0))
    ball = small.sphere(RADIUS)
    bodies = [small.index(small.add(ball)) for _ in range(40)]
    ways = np.array([separated(small, a, b) for a in bodies for b in bodies if a < b])
    spread = np.linalg.svd(ways, compute_uv=False)
    assert np.isfinite(ways).all()
    assert spread[2] > 0.7 * spread[0]


def test_a_crowd_keeps_its_share_of_pairs_and_the_same_ones_as_it_shrinks():
    numbers = range(300)
    kept = {}
    for crowd in (CROWD, 2 * CROWD, 10 * CROWD):
        kept[crowd] = {(a, b) for a in numbers for b in range(a) if not choice_entry(b, a, crowd)}
    every = 300 * 299 // 2
    assert len(kept[CROWD]) == every
    assert np.isclose(len(kept[2 * CROWD]), every / 2, rtol=0.05)
    assert np.isclose(len(kept[10 * CROWD]), every / 10, rtol=0.05)
    assert kept[10 * CROWD] < kept[2 * CROWD] < kept[CROWD]


def test_the_pairs_that_a_crowd_keeps_are_spread_over_the_table_of_pairs():
    kept = [(b, a) for a in range(400) for b in range(a) if not choice_entry(b, a, 20 * CROWD)]
    places = np.array([hash_entry(*pair) & 0xFFFF for pair in kept])
    counts = np.histogram(places, 16, (0, 0x10000))[0]
    assert counts.min() > 0.7 * len(kept) / 16
    assert counts.max() < 1.3 * len(kept) / 16


@pytest.mark.parametrize("capacity", [512, 1 << 11])
def test_a_crowd_that_touches_more_than_fits_on_the_stack(capacity):
    """60 balls within 5 cm, and 270 rods through all of them: the rods become pairs of every ball, of the balls a share does."""
    world = World(threads=2, bodies=capacity, body_shapes=2 * capacity, shapes=16)
    system = world.create_system(gravity=(0.0, 0.0, 0.0))
    ball, rod = world.shape.create(SPHERE), world.shape.create(BOX)
    world.shapes.set_sphere(world.shape.index("", ball), 0.1)
    world.shapes.set_box(world.shape.index("", rod), (0.01, 0.01, 9.0))
    places = np.random.default_rng(5).uniform(-0.02, 0.02, (60, 3))
    for shape, place in [*((ball, place) for place in places), *((rod, (0.0, 0.0, 0.0)) for _ in range(FOUND_AT_ONCE + 14))]:
        body = world.body.create()
        world.body.add_shape(body, shape)
        world.body.set_transform(body, (*UPRIGHT, *place))
        world.body.set_system(body, system)
    world.step(system, 1e-6)
    row = world.system(system).row
    pool = next(pool for pool in world.system(system)._pools if pool.name == "pairs").rows[: int(row["pairs"]["count"])]
    numbers = np.stack([pool["body_a"], pool["body_b"]], 1)[pool["body_a"] >= 0]
    is_ball = numbers < 60
    assert (is_ball[:, 0] & ~is_ball[:, 1]).sum() == 60 * (FOUND_AT_ONCE + 14)
    assert 0.7 < is_ball.all(1).sum() / (60 * 59 / 2 * CROWD / 59) < 1.4


@pytest.mark.parametrize("is_first_static", [False, True])
@pytest.mark.parametrize("depth", [0.5, 0.9, 1.1, 3.0])
@pytest.mark.parametrize("speed", [0.0, 0.5, 0.95, 1.05, 4.0])
@pytest.mark.parametrize("rest", [0.3, 0.9])
def test_deep_bodies_that_move_apart_do_not_sleep(is_first_static, depth, speed, rest):
    """`depth`, `speed`: in parts of their limits; `rest`: time of rest [s]. Bodies may sleep after half a second."""
    small, low, high = two_balls((0.0, -10.0, 0.0), (STATIC, None) if is_first_static else (None, None))
    small.row["settings"]["time_to_sleep"] = 0.5
    rows, normal = small.world.bodies.rows, np.array((0.0, 0.6, 0.8))
    slop = min(float(small.row["settings"]["penetration_slop"]), 0.0625 * RADIUS)
    manifold = np.zeros(1, MANIFOLD)
    manifold["normal"], manifold["point_count"] = normal, 1
    manifold["separation"][0, 0] = -slop - depth * DEEP_PART_OF_SIZE * RADIUS
    creep = max(CREEP * RADIUS, LEAST_CREEP)
    for side, index in enumerate((low, high)):
        share = (1.0 if side else 0.0) if is_first_static else (0.5 if side else -0.5)
        rows[index]["sleep_time"] = rest
        rows[index]["rest_way"] = share * speed * creep * rest * normal
    arguments = manifold.ctypes.data, rows.ctypes.data, low, high
    expected = rest >= 0.5 and depth > 1.0 and speed > 1.0
    assert bool(parting_entry(system_address(small), *arguments)) == expected
