"""Bodies that slide from one static box to the next where their top faces meet at an angle."""

import math

import numpy as np
import pytest
from public_words import block, empty, surface, turned


def slide(degrees, rate, way, half=0.1, below=0.0) -> tuple[float, float]:
    """A smooth box slides `way` [m] down a ramp onto a floor: its speed there over the formula, and how high it rises [m].
    `below`: how far the ramp goes on below the floor [m]."""
    space, angle, smooth = empty(), math.radians(degrees), surface(0.0)
    outward, up = np.array((math.sin(angle), math.cos(angle), 0)), np.array((-math.cos(angle), math.sin(angle), 0))
    turn = turned((0, 0, 1), -angle)
    space.add_static(block(20, 0.5, 3), (20, -0.5, 0), material=smooth)
    space.add_static(block(10 + below / 2, 0.5, 3), up * (10 - below / 2) - outward * 0.5, turn, material=smooth)
    box = space.add_rigid(block(half, half, half), up * way + outward * half, turn, mass=1.0, material=smooth, can_sleep=False)
    highest = 0.0
    for _ in range(8 * rate):
        space.step(1 / rate)
        if box.position[0] > half:
            highest = max(highest, box.position[1] - half)
        if box.position[0] > 3.0:
            break
    return box.velocity[0] / (math.sqrt(20 * math.sin(angle) * (way - half)) * math.cos(angle)), highest


@pytest.mark.parametrize("rate", [60, 240])
@pytest.mark.parametrize("degrees", [5, 10, 20, 30, 40])
@pytest.mark.parametrize("way", [3.9, 4.0, 4.05, 4.15])
def test_a_box_slides_from_a_ramp_onto_a_floor(way, degrees, rate):
    """The floor takes the part of the velocity across it, and no more (0.42 to 0.6 was left)."""
    part, highest = slide(degrees, rate, way)
    assert part == pytest.approx(1.0, abs=0.02) and highest < 0.05


@pytest.mark.parametrize("half", [0.05, 0.25, 0.5])
@pytest.mark.parametrize("below", [0.0, 0.3])
def test_boxes_of_all_sizes_slide_from_a_ramp(below, half):
    for way in (4.0, 4.05, 4.1):
        part, _ = slide(15, 60, way, half, below)
        assert 0.97 < part < 1.1  # the rear of a large box comes down after its front


@pytest.mark.parametrize("degrees", [10, 30])
def test_a_box_slides_from_a_floor_up_a_ramp(degrees):
    """It keeps the part of its velocity along the ramp."""
    for start in np.linspace(-2.0, -1.9, 5):
        space, angle, smooth = empty(), math.radians(degrees), surface(0.0)
        outward, up = np.array((-math.sin(angle), math.cos(angle), 0)), np.array((math.cos(angle), math.sin(angle), 0))
        space.add_static(block(20, 0.5, 3), (-20, -0.5, 0), material=smooth)
        space.add_static(block(10, 0.5, 3), up * 10 - outward * 0.5, turned((0, 0, 1), angle), material=smooth)
        box = space.add_rigid(
            block(0.1, 0.1, 0.1), (start, 0.1, 0), velocity=(6, 0, 0), mass=1.0, material=smooth, can_sleep=False
        )
        while box.position[0] < 0.5:
            space.step(1 / 60)
        energy = 0.5 * box.velocity @ box.velocity + 10 * (box.position[1] - 0.1 / math.cos(angle))
        assert energy == pytest.approx(18 * math.cos(angle) ** 2, rel=0.08)


@pytest.mark.parametrize("speed", [2.0, 8.0])
def test_a_wall_at_the_foot_of_a_ramp_stops_what_slides_down(speed):
    """Its lower edge lies in the plane of the ramp, but the wall is above it."""
    space, angle, smooth = empty(), math.radians(20), surface(0.0)
    outward, up = np.array((math.sin(angle), math.cos(angle), 0)), np.array((-math.cos(angle), math.sin(angle), 0))
    space.add_static(block(10, 0.5, 3), up * 10 - outward * 0.5, turned((0, 0, 1), -angle), material=smooth)
    space.add_static(block(0.5, 1.0, 3), (0.5, 1.0, 0), material=smooth)
    box = space.add_rigid(
        block(0.1, 0.1, 0.1), up * 2 + outward * 0.1, turned((0, 0, 1), -angle), velocity=-up * speed, mass=1.0, material=smooth
    )
    for _ in range(180):
        space.step(1 / 60)
        assert box.position[0] < 0.0
    assert np.abs(box.velocity).max() < 0.1


@pytest.mark.parametrize("speed", [2.0, 5.0])
def test_a_step_at_the_end_of_a_floor_stops_a_box(speed):
    """A step of 40 cm is no seam."""
    space, smooth = empty(), surface(0.0)
    space.add_static(block(5, 0.5, 3), (-5, -0.5, 0), material=smooth)
    space.add_static(block(5, 0.5, 3), (5, -0.1, 0), material=smooth)
    box = space.add_rigid(block(0.5, 0.5, 0.5), (-3, 0.5, 0), velocity=(speed, 0, 0), mass=1.0, material=smooth)
    for _ in range(180):
        space.step(1 / 60)
        assert box.position[0] < -0.49
