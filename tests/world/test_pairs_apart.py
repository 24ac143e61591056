"""Pairs whose bodies are apart are not collided until they may have come near: the gap that they rest on is really there."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_world import TICK, UPRIGHT, SmallWorld, rotation_matrix

from scree.bodies.schema import BODY, KINEMATIC, RIGID, STATIC
from scree.collision.contact_points import relative_position
from scree.collision.passing import gap_between
from scree.collision.schema import SPECULATIVE_DISTANCE


def distance_of_boxes(bounds_a, rotation_a, bounds_b, rotation_b, delta) -> float:
    """How far two boxes are apart [m], by projections on one and the other in turns. `delta`: from A to B [m]."""
    turn_a, turn_b, point = rotation_matrix(rotation_a), rotation_matrix(rotation_b), np.asarray(delta, np.float64)
    for _ in range(400):
        on_a = turn_a @ np.clip(turn_a.T @ point, bounds_a[:3], bounds_a[3:])
        point = delta + turn_b @ np.clip(turn_b.T @ (on_a - delta), bounds_b[:3], bounds_b[3:])
    return float(np.linalg.norm(point - on_a))


def random_body(rng, at) -> np.ndarray:
    body = np.zeros(1, BODY)[0]
    rotation, middle, half = rng.normal(size=4), 0.1 * rng.normal(size=3), rng.uniform(0.05, 1.0, 3)
    body["rotation"], body["position"] = rotation / np.linalg.norm(rotation), at
    body["local_bounds"] = (*(middle - half), *(middle + half))
    return body


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_gap_is_no_more_than_the_distance(seed):
    rng = np.random.default_rng(seed)
    a, b = random_body(rng, (0.0, 0.0, 0.0)), random_body(rng, rng.normal(size=3) * rng.uniform(0.5, 3.0))
    delta = np.array(relative_position(a, b))
    distance = distance_of_boxes(a["local_bounds"], a["rotation"], b["local_bounds"], b["rotation"], delta)
    assert gap_between(a, b, tuple(delta)) <= distance + 1e-5


def test_the_gap_of_faces_is_exact_and_planes_have_none():
    rng = np.random.default_rng(1)
    a, b = random_body(rng, (0.0, 0.0, 0.0)), random_body(rng, (0.0, 3.0, 0.0))
    for body in (a, b):
        body["rotation"], body["local_bounds"] = (0.0, 0.0, 0.0, 1.0), (-0.5, -0.25, -0.5, 0.5, 0.25, 0.5)
    assert gap_between(a, b, (0.0, 3.0, 0.0)) == pytest.approx(2.5)
    assert gap_between(a, b, (0.0, 0.2, 0.0)) < 0.0
    b["local_bounds"] = (-1e30, -1e30, -1e30, 1e30, 1e30, 1e30)
    assert gap_between(a, b, (0.0, 3.0, 0.0)) == 0.0


def pairs_apart(world: SmallWorld) -> list:
    pairs = next(pool for pool in world.world.system(world.system)._pools if pool.name == "pairs").rows
    return [pair for pair in pairs[: int(world.row["pairs"]["count"])] if pair["body_a"] >= 0 and pair["limit"] < 0.0]


@pytest.mark.parametrize("speed", [1.0, 6.0, 25.0])
def test_what_waits_is_as_far_apart_as_is_noted(speed):
    """Sticks that are thrown about in a heap."""
    rng, world = np.random.default_rng(5), SmallWorld()
    world.add(world.box(20.0, 1.0, 20.0), (0.0, -1.0, 0.0), mode=STATIC)
    stick, seen = world.box(0.1, 0.4, 0.15), 0
    for k in range(40):
        body = world.add(stick, (0.7 * (k % 4), 0.5 + 0.9 * (k // 8), 0.7 * (k // 4 % 2)))
        world.throw(body, speed * rng.normal(size=3))
        world.turn(body, speed * rng.normal(size=3))
    rows = world.world.bodies.rows
    for _ in range(60):
        world.step()
        for pair in pairs_apart(world):
            a, b = rows[pair["body_a"]], rows[pair["body_b"]]
            distance = distance_of_boxes(
                a["local_bounds"], pair["pose_rotation_a"], b["local_bounds"], pair["pose_rotation_b"], pair["pose_position"]
            )
            assert distance >= SPECULATIVE_DISTANCE - pair["limit"] - 1e-4
            seen += 1
    assert seen > 500


@pytest.mark.parametrize("mode", [KINEMATIC, RIGID])
def test_a_long_gate_that_turns_does_not_pass_a_ball_at_its_end(mode):
    """The ball lies still, 30 m from the middle of the gate, which turns by 0.005 rad in a step: 0.15 m at the ball."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    gate, ball = world.add(world.box(32.0, 0.2, 0.2), mode=mode, mass=1e5), world.add(world.sphere(0.2), (30.0, 1.5, 0.0))
    for tick in range(1, 60):
        if mode == KINEMATIC:
            c, s = np.cos(0.005 * tick), np.sin(0.005 * tick)
            world.move(gate, (0.0, 0.0, 0.0), (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0))
        else:
            world.turn(gate, (0.0, 0.0, 0.3))
        world.step()
        place = rotation_matrix(world.body(gate)["rotation"]).T @ (world.position(ball) - world.position(gate))
        assert place[1] > 0.4 - 0.02
    assert world.velocity(ball)[1] > 5.0


@pytest.mark.parametrize("speed", [0.5, 3.0, 12.0])
@pytest.mark.parametrize("turns", [False, True])
def test_what_comes_near_is_collided_in_time(speed, turns):
    """A ball that waits beside a bar: the bar comes straight, or turns about its middle 3 m away. It never enters the ball."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    bar, ball = world.add(world.box(4.0, 0.1, 0.1), mode=KINEMATIC), world.add(world.sphere(0.2), (3.0, 0.7, 0.0))
    for tick in range(1, 90):
        way = speed * TICK * tick
        if turns:
            c, s = np.cos(way / 3.0), np.sin(way / 3.0)
            world.move(bar, (0.0, 0.0, 0.0), (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0))
        else:
            world.move(bar, (0.0, way, 0.0), UPRIGHT)
        world.step()
        place = rotation_matrix(world.body(bar)["rotation"]).T @ (world.position(ball) - world.position(bar))
        on_bar = np.clip(place, (-4.0, -0.1, -0.1), (4.0, 0.1, 0.1))
        assert np.linalg.norm(place - on_bar) > 0.2 - 0.05
    assert np.linalg.norm(world.velocity(ball)) > 0.5 * speed
