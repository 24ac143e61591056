"""Costs of areas. Prints with `-s`; the limits hold on a busy machine too."""

import time

import numpy as np
import pytest
from small_world import TICK, SmallWorld

from scree.core.world import World

pytestmark = pytest.mark.alone
COUNT = 8000


def floating_balls() -> SmallWorld:
    """Balls that rest awake, 2 m apart."""
    scene = SmallWorld.__new__(SmallWorld)
    scene.world = World(threads=1, bodies=1 << 14, body_shapes=1 << 14, shapes=64)
    scene.system = scene.world.create_system(gravity=(0.0, 0.0, 0.0), is_sleeping_allowed=0)
    ball = scene.sphere(0.3)
    for k in range(COUNT):
        scene.add(ball, (2.0 * (k % 20) - 20.0, 2.0 * (k // 20 % 20) - 20.0, 2.0 * (k // 400) - 20.0))
    return scene


def add_area(scene: SmallWorld, half_extents, position=(0.0, 0.0, 0.0)) -> int:
    area = scene.world.area.create()
    scene.world.area.add_shape(area, scene.box(*half_extents))
    scene.world.area.set_monitoring(area, bodies=True)
    scene.world.area.set_transform(area, (1, 0, 0, 0, 1, 0, 0, 0, 1, *position))
    scene.world.area.set_system(area, scene.system)
    return area


def step_time(scene: SmallWorld) -> float:
    """Least processor time of a step [s]."""
    system, times = scene.world.system(scene.system), []
    for _ in range(30):
        begin = time.thread_time()
        system.step(TICK)
        times.append(time.thread_time() - begin)
    return float(np.min(times))


def test_cost_of_areas():
    scene = floating_balls()
    nothing = step_time(scene)
    far = add_area(scene, (1, 1, 1), (500, 0, 0))
    idle = step_time(scene)
    scene.world.area.destroy(far)
    area = add_area(scene, (100, 100, 100))
    inside = step_time(scene)
    scene.world.area.set_param(area, "gravity_mode", "replace")
    scene.world.area.set_param(area, "gravity", 0.0)
    acting = step_time(scene)
    print(f"\na step of {COUNT} balls {1e3 * nothing:.2f} ms; with an area elsewhere {1e3 * idle:.2f} ms; all of them in one "
          f"area {1e3 * inside:.2f} ms; in one that acts {1e3 * acting:.2f} ms")  # fmt: skip
    assert idle - nothing < COUNT * 0.2e-6
    assert inside - nothing < COUNT * 1.0e-6
    assert acting - nothing < COUNT * 1.5e-6
