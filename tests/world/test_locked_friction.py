"""Friction of bodies with locked axes, as games in 2.5 dimensions have them: it acts along every axis that is free."""

import itertools
import math

import numpy as np
import pytest
from public_words import TICK, block, empty, surface, turned

import scree

G = 10.0
SUBSETS = ["".join(axes) for count in range(4) for axes in itertools.combinations("xyz", count)]
FLAT_LOCK = ("z", "xy")
"""A body moves in the plane of x and y, and turns in it."""


def slider(linear, angular, velocity, shape=None, friction=0.5, angle=0.0, ground=None):
    """A body on a floor of its own friction, turned about Z by `angle`."""
    space = empty(gravity=(0.0, -G, 0.0))
    floor = ground(space) if ground else space.add_static(block(50, 1, 50), (0, -1, 0), material=surface(friction))
    body = space.add_rigid(
        shape or block(0.3, 0.3, 0.3), (0.0, 0.3, 0.0), mass=2.0, velocity=velocity, material=surface(friction), can_sleep=False
    )
    body.lock_axes(linear, angular)
    return space, body, floor


@pytest.mark.parametrize("axis, linear", (("x", ""), ("x", "z"), ("z", ""), ("z", "x")))
@pytest.mark.parametrize("angular", SUBSETS)
def test_a_locked_box_slides_as_far_as_a_free_one(linear, angular, axis):
    """v^2 / (2 mu g), whatever else is locked."""
    space, body, _ = slider(linear, angular, (2.0, 0.0, 0.0) if axis == "x" else (0.0, 0.0, 2.0))
    for _ in range(60):
        space.step(TICK)
    assert body.position["xyz".index(axis)] == pytest.approx(4.0 / (2.0 * 0.5 * G), abs=0.02)
    assert np.linalg.norm(body.velocity) < 1e-3


@pytest.mark.parametrize("rate", (20, 60, 240))
@pytest.mark.parametrize("angular", ("xy", "xyz"))
def test_a_locked_box_rests_on_a_slope(angular, rate):
    """On 20 degrees with friction 1."""
    tilt = math.radians(20.0)
    space = empty(gravity=(0.0, -G, 0.0))
    rotation = turned((0.0, 0.0, 1.0), tilt)
    space.add_static(block(50, 1, 50), (math.sin(tilt), -math.cos(tilt), 0.0), rotation, material=surface(1.0))
    start = (-0.3 * math.sin(tilt), 0.3 * math.cos(tilt), 0.0)
    body = space.add_rigid(block(0.3, 0.3, 0.3), start, rotation, material=surface(1.0), can_sleep=False)
    body.lock_axes("z", angular)
    for _ in range(2 * rate):
        space.step(1.0 / rate)
    assert np.linalg.norm(np.asarray(body.position) - start) < 0.005


@pytest.mark.parametrize("rate", (20, 60, 240))
def test_a_locked_ball_rolls(rate):
    """A ball that starts sliding at 2 m/s rolls with 5/7 of that."""
    space, body, _ = slider("z", "xy", (2.0, 0.0, 0.0), scree.Sphere(radius=0.3))
    for _ in range(rate):
        space.step(1.0 / rate)
    assert body.velocity[0] == pytest.approx(10.0 / 7.0, rel=0.005)
    assert -0.3 * body.angular_velocity[2] == pytest.approx(10.0 / 7.0, rel=0.005)


def belt(space):
    floor = space.add_static(block(50, 1, 50), (0, -1, 0), material=surface(0.5))
    floor.set_surface_velocity((2.0, 0.0, 0.0))
    return floor


@pytest.mark.parametrize("linear, angular", (("", ""), FLAT_LOCK, ("z", "xyz")))
def test_a_belt_carries_a_locked_box(linear, angular):
    space, body, _ = slider(linear, angular, (0.0, 0.0, 0.0), ground=belt)
    for _ in range(90):
        space.step(TICK)
    assert body.velocity == pytest.approx((2.0, 0.0, 0.0), abs=0.01)


@pytest.mark.parametrize("rate", (60, 240))
def test_two_locked_boxes_rub(rate):
    """A box that slides on a plank on ice: both go on with the common momentum."""
    space = empty(gravity=(0.0, -G, 0.0))
    space.add_static(block(50, 1, 50), (0, -1, 0), material=surface(0.0))
    plank = space.add_rigid(block(4, 0.1, 1), (0, 0.1, 0), mass=3.0, material=surface(0.5), can_sleep=False)
    box = space.add_rigid(
        block(0.3, 0.3, 0.3), (-1, 0.5, 0), mass=1.0, velocity=(2, 0, 0), material=surface(0.5), can_sleep=False
    )
    for body in (plank, box):
        body.lock_axes(*FLAT_LOCK)
    for _ in range(rate):
        space.step(1.0 / rate)
    assert box.velocity[0] == pytest.approx(plank.velocity[0], abs=0.01)
    assert box.velocity[0] + 3.0 * plank.velocity[0] == pytest.approx(2.0, abs=0.01)
