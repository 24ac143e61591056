"""Measure a step of six scenes of soft bodies: `python tests/soft_bodies/measure.py [threads ...]`.

Each number is a floor: the fastest of 90 steps [ms], as a busy machine can only add to it. The scenes and numbers of threads take
turns, so that a busy minute does not fall on one of them alone."""

import sys
import time

import numpy as np
from soft_world import SoftWorld, ball, grid

ROUNDS, STEPS = 9, 10
START = 40


def flags(threads: int) -> SoftWorld:
    """20 flags of 32 x 32 particles in calm air, each pinned along one side."""
    world = SoftWorld(threads=threads)
    for k in range(20):
        flag = world.soft(grid(32, 32, 1.0, 1.0, is_upright=True), (2.0 * k, 0.0, 0.0), mass=0.3, stiffness=500.0, bending=5.0)
        flag.set_setting("drag", 1.0)
        flag.pin(np.arange(32) * 32)
    return world


def tied(threads: int) -> SoftWorld:
    """These flags, all particles tethered to the nearest pin."""
    world = flags(threads)
    for flag in world.world.system(world.system).kept:
        flag.set_tethers(0.02)
    return world


def cloth(threads: int) -> SoftWorld:
    """A cloth of 100 x 100 particles that falls on a sphere."""
    world = SoftWorld(threads=threads)
    world.add(world.sphere(0.5), mode=0)
    world.soft(grid(100, 100, 2.0, 2.0), (0.0, 0.55, 0.0), mass=1.0, stiffness=500.0, bending=5.0)
    return world


def balls(threads: int) -> SoftWorld:
    """50 balls of 114 particles with pressure on a floor."""
    world = SoftWorld(threads=threads)
    world.floor()
    for k in range(50):
        soft = world.soft(ball(0.5, 8), (1.5 * (k % 10), 0.6, 1.5 * (k // 10)), mass=1.0, stiffness=300.0)
        soft.set_setting("pressure", 30.0)
    return world


def boxes(threads: int) -> SoftWorld:
    """500 boxes in five layers, without soft bodies: the part of `heap` that is not soft."""
    world, dice = SoftWorld(threads=threads), np.random.default_rng(1)
    world.floor()
    box = world.box(0.1, 0.1, 0.1)
    for k in range(500):
        x, z = (np.array((k % 100 // 10, k % 10)) - 4.5) * 0.22 + dice.uniform(-0.005, 0.005, 2)
        world.add(box, (x, 0.1 + 0.205 * (k // 100), z), mass=1.0)
    return world


def heap(threads: int) -> SoftWorld:
    """A cloth of 100 x 100 particles that falls on these boxes."""
    world = boxes(threads)
    world.soft(grid(100, 100, 3.0, 3.0), (0.0, 1.3, 0.0), mass=1.0, stiffness=500.0, bending=5.0)
    return world


def main() -> None:
    counts = [int(text) for text in sys.argv[1:]] or [1, 2]
    worlds = {(make.__name__, count): make(count) for make in (flags, tied, cloth, balls, boxes, heap) for count in counts}
    for world in worlds.values():
        world.step(START)
    floors = dict.fromkeys(worlds, np.inf)
    for _ in range(ROUNDS):
        for key, world in worlds.items():
            for _ in range(STEPS):
                begin = time.perf_counter()
                world.step(1)
                floors[key] = min(floors[key], (time.perf_counter() - begin) * 1e3)
    for (name, count), floor in floors.items():
        print(f"{name:6} {count} threads {floor:7.2f} ms a step")


if __name__ == "__main__":
    main()
