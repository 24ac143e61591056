"""Bodies that move slowly and accelerate steadily do not fall asleep on the way; what rests or only trembles does."""

import numpy as np
import pytest

import scree

TICK, GRAVITY = 1.0 / 60.0, 9.81


def space_with(gravity, friction: float | None = None) -> scree.Space:
    space = scree.World(threads=1).add_space(gravity=gravity)
    if friction is not None:
        space.add_static(scree.Plane(), material=scree.Material(friction=friction))
    return space


def run(space: scree.Space, seconds: float) -> None:
    for _ in range(round(60 * seconds)):
        space.step(TICK)


@pytest.mark.parametrize("gravity", [0.02, 0.05, 0.15])
def test_a_ball_falls_in_weak_gravity(gravity):
    """It slept after half a second, 6 mm down."""
    space = space_with((0, -gravity, 0))
    ball = space.add_rigid(scree.Sphere(radius=0.5), (0, 0, 0))
    run(space, 20.0)
    assert ball.position[1] == pytest.approx(-0.5 * gravity * 400.0, rel=2e-3)


def test_what_is_thrown_up_in_weak_gravity_comes_back():
    space = space_with((0, -0.05, 0))
    ball = space.add_rigid(scree.Sphere(radius=0.5), (0, 0, 0), velocity=(0, 0.05, 0))
    run(space, 10.0)
    assert ball.position[1] == pytest.approx(0.05 * 10.0 - 0.5 * 0.05 * 100.0, rel=2e-3)


@pytest.mark.parametrize("degrees", [0.5, 1.0])
@pytest.mark.parametrize("kind", ["ball", "box"])
def test_what_starts_down_a_gentle_slope_goes_on(kind, degrees):
    """A ball rolls with 5/7 of what a box without friction gets."""
    along, friction = GRAVITY * np.sin(np.radians(degrees)), 0.8 if kind == "ball" else 0.0
    space = space_with((along, -GRAVITY * np.cos(np.radians(degrees)), 0), friction)
    shape = scree.Sphere(radius=0.5) if kind == "ball" else scree.Box(half_extents=(0.5, 0.5, 0.5))
    body = space.add_rigid(shape, (0, 0.5, 0), material=scree.Material(friction=friction))
    run(space, 5.0)
    assert body.position[0] == pytest.approx((5.0 / 7.0 if kind == "ball" else 1.0) * along * 12.5, rel=0.01)


@pytest.mark.parametrize("degrees", [0.3, 0.5, 1.0, 2.0])
def test_a_box_out_of_balance_tips_over(degrees):
    space, tilt = space_with((0, -GRAVITY, 0), 1.0), np.radians(45.0 + degrees)
    box = space.add_rigid(
        scree.Box(half_extents=(0.5, 0.5, 0.5)), (0, np.sqrt(0.5) * np.cos(np.radians(degrees)), 0),
        rotation=(0, 0, np.sin(tilt / 2), np.cos(tilt / 2)), material=scree.Material(friction=1.0),
    )  # fmt: skip
    run(space, 8.0)
    assert box.position[1] == pytest.approx(0.5, abs=0.002)
    assert box.is_asleep


def test_a_box_that_friction_holds_on_a_slope_sleeps():
    slope = np.radians(10.0)
    space = space_with((GRAVITY * np.sin(slope), -GRAVITY * np.cos(slope), 0), 0.8)
    box = space.add_rigid(scree.Box(half_extents=(0.5, 0.5, 0.5)), (0, 0.5, 0), material=scree.Material(friction=0.8))
    run(space, 2.0)
    assert box.is_asleep and abs(box.position[0]) < 1e-3


def test_a_box_that_friction_stops_sleeps():
    """It becomes slower steadily, by friction: that does not keep it awake."""
    space = space_with((0, -GRAVITY, 0), 0.01)
    box = space.add_rigid(
        scree.Box(half_extents=(0.5, 0.5, 0.5)), (0, 0.5, 0), velocity=(0.2, 0, 0), material=scree.Material(friction=0.01)
    )
    run(space, 6.0)
    assert box.is_asleep


def test_a_heap_sleeps():
    space, random = space_with((0, -GRAVITY, 0), 0.6), np.random.default_rng(3)
    boxes = [
        space.add_rigid(scree.Box(half_extents=(0.3, 0.3, 0.3)), place)
        for place in random.uniform((-1.5, 0.5, -1.5), (1.5, 6.0, 1.5), (60, 3))
    ]
    run(space, 15.0)
    assert all(box.is_asleep for box in boxes)
