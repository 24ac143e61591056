"""Processor time of moving 500 characters in a town from Python: `python tests/characters/bench_town.py`."""

import time

import numpy as np

import scree

COUNT, SPEED, TICK = 500, 3.0, 1.0 / 60.0


def ground(side: int = 120) -> scree.Mesh:
    """A flat mesh of `side` x `side` cells of 1 m about the origin."""
    across = np.arange(side + 1) - side / 2
    x, z = np.meshgrid(across, across, indexing="ij")
    corner = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).ravel()
    cells = [np.stack(three, axis=1) for three in (
        (corner + 1, corner + side + 1, corner), (corner + side + 2, corner + side + 1, corner + 1))]  # fmt: skip
    return scree.Mesh(vertices=np.stack((x, 0.0 * x, z), axis=-1).reshape(-1, 3), triangles=np.concatenate(cells))


def main() -> None:
    random, space = np.random.default_rng(1), scree.World(threads=1).add_space()
    space.add_static(ground())
    for k in range(576):
        space.add_static(scree.Box(half_extents=(1, 2, 1)), (5 * (k % 24) - 57.5, 2, 5 * (k // 24) - 57.5))
    capsule = scree.Capsule(radius=0.3, height=1.8)
    for k in range(COUNT):
        x, z = np.array([5 * (k % 22) - 55, 5 * (k // 22) - 55]) + random.uniform(-0.5, 0.5, 2)
        space.add_character(capsule, (x, 0.92, z))
    costs = []
    for tick in range(300):
        if tick % 60 == 0:
            angles = random.uniform(0, 2 * np.pi, COUNT)
            wanted = SPEED * np.stack((np.cos(angles), 0 * angles, np.sin(angles)), axis=1)
            places = space.characters.positions
            is_out = np.abs(places).max(axis=1) > 50.0
            wanted[is_out] = -SPEED * places[is_out] / np.linalg.norm(places[is_out], axis=1)[:, None]
        begin = time.thread_time()
        space.move_characters(wanted, TICK)
        costs.append(1e6 * (time.thread_time() - begin) / COUNT)
        space.step(TICK)
    print(f"{min(costs[60:]):.2f} us a character in the cheapest tick, {np.median(costs[60:]):.2f} at the median")
    assert space.characters.on_floor.mean() > 0.99


if __name__ == "__main__":
    main()
