"""Pairs whose bodies are apart are not collided until they may have come near: the gap that they rest on is really there."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from small_world import TICK, UPRIGHT, SmallWorld, rotation_matrix

from scree.bodies.schema import BODY, KINEMATIC, RIGID, STATIC
from scree.collision.contact_points import relative_position
from scree.collision.passing import gap_between
from scree.collision.recycling import comes_nearer
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


def carried(body, place, time) -> np.ndarray:
    """Where a place on a body, from its centre of mass in world axes, is after some time at its present speeds [m]."""
    spin = body["angular_velocity"].astype(np.float64)
    angle = np.linalg.norm(spin) * time
    axis = spin / max(np.linalg.norm(spin), 1e-30)
    turn = rotation_matrix((*np.sin(0.5 * angle) * axis, np.cos(0.5 * angle)))
    return body["position"] + body["linear_velocity"].astype(np.float64) * time + turn @ place


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(-3.0, 1.0), st.booleans())
def test_no_two_places_come_nearer_than_is_foreseen(seed, speed, rides):
    """Places within the extents of two bodies, which fly freely, or turn together about the first one."""
    rng = np.random.default_rng(seed)
    a, b = random_body(rng, (0.0, 0.0, 0.0)), random_body(rng, rng.normal(size=3) * rng.uniform(0.5, 3.0))
    for body in (a, b):
        body["extent"], body["active_index"] = rng.uniform(0.1, 2.0), 0
        body["linear_velocity"] = 10.0**speed * rng.normal(size=3)
        body["angular_velocity"] = 10.0**speed * rng.normal(size=3)
    if rides:
        b["angular_velocity"] = a["angular_velocity"]
        b["linear_velocity"] = a["linear_velocity"] + np.cross(a["angular_velocity"], b["position"])
    delta = tuple(map(float, b["position"] - a["position"]))
    bound = comes_nearer(a, b, delta, TICK)
    on_a, on_b = (
        places / np.linalg.norm(places, axis=1)[:, None] * float(body["extent"])
        for places, body in ((rng.normal(size=(20, 3)), a), (rng.normal(size=(20, 3)), b))
    )
    for p, q in zip(on_a, on_b, strict=True):
        before = np.linalg.norm(a["position"] + p - b["position"] - q)
        assert before - np.linalg.norm(carried(a, p, TICK) - carried(b, q, TICK)) <= bound * (1.0 + 1e-6) + 1e-9
    if rides:  # seen from beside, the far ends of both would be the bound
        turned = TICK * np.linalg.norm(a["angular_velocity"].astype(np.float64))
        assert bound <= 0.6 * turned * (turned * np.linalg.norm(delta) + TICK * np.linalg.norm(b["linear_velocity"])) + 1e-6


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


def wall(middle, half, angle):
    """Bounds, rotation and place of a wall of a drum about z, as `distance_of_boxes` takes them."""
    return (*(-np.array(half)), *half), (0.0, 0.0, np.sin(0.5 * angle), np.cos(0.5 * angle)), np.array(middle)


def drum(world: SmallWorld, half_length: float = 4.0, count: int = 12) -> tuple[int, list]:
    """A kinematic drum of 4 m radius about z, of single walls: the body, and the walls in its frame."""
    body, walls = world.world.body.create(), []
    world.world.body.set_mode(body, KINEMATIC)
    for angle in 2.0 * np.pi * np.arange(count) / count:
        c, s = np.cos(angle), np.sin(angle)
        half = (0.25, 4.5 * np.tan(np.pi / count), half_length)
        walls.append(wall((4.25 * c, 4.25 * s, 0.0), half, angle))
        world.world.body.add_shape(body, world.box(*half), (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0, 4.25 * c, 4.25 * s, 0.0))
    world.move(body, (0.0, 0.0, 0.0))
    world.world.body.set_system(body, world.system)
    return body, walls


@pytest.mark.parametrize("spin", [0.0, 1.0, 5.0])
def test_what_waits_beside_the_walls_of_a_drum_is_as_far_from_each(spin):
    rng, world = np.random.default_rng(7), SmallWorld()
    turning, walls = drum(world)
    stick, seen = world.box(0.2, 0.4, 0.15), 0
    for k in range(40):
        body = world.add(stick, (k % 4 - 1.5, k // 16 - 1.0, 0.9 * (k // 4 % 4) - 1.3))
        world.turn(body, 3.0 * rng.normal(size=3))
    rows, index = world.world.bodies.rows, world.index(turning)
    for tick in range(30):
        c, s = np.cos(spin * tick * TICK), np.sin(spin * tick * TICK)
        world.move(turning, (0.0, 0.0, 0.0), (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0))
        world.step()
        for pair in pairs_apart(world):
            if index not in (pair["body_a"], pair["body_b"]) or rng.random() > 0.1:
                continue
            is_a = pair["body_a"] == index
            small = rows[pair["body_b" if is_a else "body_a"]]
            turn, own = (pair["pose_rotation_a"], pair["pose_rotation_b"])[:: 1 if is_a else -1]
            frame = rotation_matrix(turn)
            place = frame.T @ (pair["pose_position"].astype(np.float64) * (1.0 if is_a else -1.0))
            in_frame = (Rotation.from_quat(turn).inv() * Rotation.from_quat(own)).as_quat()
            for bounds, rotation, middle in sorted(walls, key=lambda wall: np.hypot(*(place - wall[2])[:2]))[:3]:
                distance = distance_of_boxes(bounds, rotation, small["local_bounds"], in_frame, place - middle)
                assert distance >= SPECULATIVE_DISTANCE - pair["limit"] - 1e-4
            seen += 1
    assert seen > 50
