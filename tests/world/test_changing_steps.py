"""Bodies at rest stay there when the length of steps, or the number of their sub-steps, changes from step to step."""

import math
from dataclasses import replace

import numpy as np
import pytest

import scree

G = 9.81
BOX = scree.Box(half_extents=(0.5, 0.5, 0.5))


def space_of(gravity=(0.0, -G, 0.0)):
    space = scree.World().add_space(gravity=gravity)
    space.settings = replace(space.settings, is_sleeping_allowed=False)
    return space


def run(space, lengths, count: int, counts=(4,)) -> float:
    """Steps of random lengths and numbers of sub-steps. Return how long they took together [s]."""
    random, time = np.random.default_rng(0), 0.0
    for _ in range(count):
        if len(counts) > 1:
            space.settings = replace(space.settings, substep_count=int(random.choice(counts)))
        delta_time = float(random.choice(lengths))
        time += delta_time
        space.step(delta_time)
    return time


@pytest.mark.parametrize("lengths", [(1 / 50, 1 / 60, 1 / 70), (1 / 30, 1 / 60), (1 / 20, 1 / 240)])
def test_a_box_that_friction_holds_on_a_slope(lengths):
    """tan 25 degrees is less than the friction of 0.5."""
    slope, material = math.radians(25.0), scree.Material(friction=0.5)
    space = space_of((G * math.sin(slope), -G * math.cos(slope), 0.0))
    space.add_static(scree.Plane(), material=material)
    box = space.add_rigid(BOX, (0, 0.5, 0), material=material)
    run(space, (1 / 60,), 120)
    before = box.position[0]
    run(space, lengths, 600)
    assert abs(box.position[0] - before) < 3e-3


@pytest.mark.parametrize("lengths, counts", [((1 / 30, 1 / 60), (4,)), ((1 / 60,), (2, 4))])
def test_a_stack(lengths, counts):
    space = space_of()
    space.add_static(scree.Plane())
    boxes = [space.add_rigid(BOX, (0, 0.5 + k, 0)) for k in range(4)]
    run(space, (1 / 60,), 180)
    run(space, lengths, 300, counts)
    for k, box in enumerate(boxes):
        assert np.linalg.norm(box.position - (0, 0.5 + k, 0)) < 0.01 and np.linalg.norm(box.velocity) < 0.2


@pytest.mark.parametrize("lengths, counts", [((1 / 20, 1 / 240), (4,)), ((1 / 60,), (1, 4, 16))])
def test_a_load_on_a_pulley_and_one_on_a_joint(lengths, counts):
    space = space_of()
    small = scree.Box(half_extents=(0.1, 0.1, 0.1))
    a, b, c = (space.add_rigid(small, (x, 0, 0), mass=1.0) for x in (-1.0, 1.0, 3.0))
    space.add_pulley(scree.Rope(wheel=(-1, 5, 0), to_wheel=(1, 5, 0)), a, b)
    space.add_joint(scree.Slider(axis=(0, 1, 0), motor=scree.Motor(velocity=0.0, max_force=1.5 * G)), c)
    run(space, lengths, 300, counts)
    assert abs(a.position[1] + b.position[1]) < 0.01 and abs(c.position[1]) < 1e-3
