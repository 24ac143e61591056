"""Built structures stand, and then sleep."""

import numpy as np
import built_scenes
import pytest
from small_world import SmallWorld

TICKS = 3000
DRIFT = 0.01  # [m]
TIME_TO_SLEEP = 120  # ticks

BUILT = {
    "stack of 10": lambda world: built_scenes.stack(world, 10),
    "stack of 20": lambda world: built_scenes.stack(world, 20),
    "pyramid of 20": lambda world: built_scenes.pyramid(world, 20),
    "card house of 3": lambda world: built_scenes.card_house(world, 3),
    "arch of 11": lambda world: built_scenes.arch(world, 11),
    "100 kg on 1 kg": built_scenes.heavy_on_light,
    "100 kg on four of 1 kg": lambda world: built_scenes.heavy_on_light(world, 4),
    "dice": lambda world: built_scenes.dice(world, 60),
}


def drift(world: SmallWorld, bodies: list[int], ticks: int = TICKS) -> float:
    """The farthest that any of them is, at any hundredth tick, from where it had settled [m]."""
    world.step(120)
    start = np.array([world.position(body) for body in bodies])
    farthest = 0.0
    for _ in range(ticks // 100):
        world.step(100)
        now = np.array([world.position(body) for body in bodies])
        farthest = max(farthest, float(np.linalg.norm(now - start, axis=1).max()))
    return farthest


@pytest.mark.parametrize("name", BUILT)
def test_it_stands_and_sleeps(name):
    world = SmallWorld()
    bodies = BUILT[name](world)
    assert drift(world, bodies) < DRIFT
    world.world.system_set_param(world.system, "is_sleeping_allowed", 1)
    world.step(TIME_TO_SLEEP)
    assert [body for body in bodies if world.is_awake(body)] == []
