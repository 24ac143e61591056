"""Friction acts against the way a body slides, whatever its shape: it runs straight and stops after v^2 / (2 mu g)."""

import math
from dataclasses import replace

import numpy as np
import pytest

import scree

G, SPEED, FRICTION = 9.81, 5.0, 0.3


def slide(half_extents, angle: float, delta_time: float = 1 / 60, yaw: float = 0.0):
    """A box and the unit vectors along its way and aside of it, after it has stopped."""
    space = scree.World().add_space(gravity=(0.0, -G, 0.0))
    space.settings = replace(space.settings, is_sleeping_allowed=False)
    material = scree.Material(friction=FRICTION)
    space.add_static(scree.Plane(), material=material)
    way = np.array([math.cos(angle), 0.0, math.sin(angle)])
    rotation = (0.0, math.sin(0.5 * yaw), 0.0, math.cos(0.5 * yaw))
    box = space.add_rigid(
        scree.Box(half_extents=half_extents), (0, half_extents[1], 0), rotation, velocity=SPEED * way, material=material
    )
    for _ in range(round(2.5 / delta_time)):
        space.step(delta_time)
    return box, way, np.array([-way[2], 0.0, way[0]])


@pytest.mark.parametrize("angle", [0.0, 0.46, 1.1])
@pytest.mark.parametrize("half_extents", [(0.5, 0.1, 0.2), (0.5, 0.1, 0.05), (0.12, 0.015, 0.08), (0.3, 0.1, 0.3)])
def test_a_sliding_box_runs_straight(half_extents, angle):
    box, way, aside = slide(half_extents, angle)
    assert box.position @ way == pytest.approx(SPEED**2 / (2.0 * FRICTION * G), rel=5e-3)
    assert abs(box.position @ aside) < 2e-3
    assert abs(2.0 * math.atan2(box.rotation[1], box.rotation[3])) < 2e-3 and np.linalg.norm(box.velocity) < 1e-3


def test_the_way_does_not_depend_on_the_axes():
    """The box and its way turned together."""
    box, way, aside = slide((0.5, 0.1, 0.05), 0.46 - 0.7, yaw=0.7)
    assert box.position @ way == pytest.approx(SPEED**2 / (2.0 * FRICTION * G), rel=5e-3) and abs(box.position @ aside) < 2e-3


def test_at_four_times_as_many_steps():
    box, way, aside = slide((0.5, 0.1, 0.05), 0.46, 1 / 240)
    assert box.position @ way == pytest.approx(SPEED**2 / (2.0 * FRICTION * G), rel=2e-3) and abs(box.position @ aside) < 2e-3
