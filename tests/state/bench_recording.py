"""The cost of a recording: a step of 5,000 bodies with 50 of them pushed in each step, with a recording and without, in turn.

`python tests/state/bench_recording.py [rounds]` prints the least time of a step of each [ms], over the rounds."""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import scree

COUNT, PUSHED, STEPS = 5000, 50, 60


def make(path: Path | None) -> tuple[scree.Space, scree.Bodies, scree.Recording | None]:
    world = scree.World(threads=1)
    recording = None if path is None else scree.Recording(world, path)
    space = world.add_space()
    space.add_static(scree.Box(half_extents=(200, 1, 200)), (0, -1, 0))
    places = [(1.1 * (k % 25), 0.5 + 1.0 * (k // 625), 1.1 * (k // 25 % 25)) for k in range(COUNT)]
    bodies = space.add_rigid_many(scree.Box(half_extents=(0.5, 0.5, 0.5)), places, can_sleep=False)
    for _ in range(60):
        space.step(1 / 60)
    return space, bodies, recording


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        worlds = {"without": make(None), "with": make(path)}
        rng, times = np.random.default_rng(1), {name: [] for name in worlds}
        for _ in range(rounds * STEPS):
            which = rng.integers(0, COUNT, PUSHED)
            pushes = rng.normal(size=(PUSHED, 3)) * 0.01
            for name, (space, bodies, _) in worlds.items():
                some = scree.Bodies(space, bodies.ids[which])
                begin = time.perf_counter()
                some.apply_impulses(pushes)
                space.step(1 / 60)
                times[name].append(time.perf_counter() - begin)
        assert worlds["with"][0].hash() == worlds["without"][0].hash()
        worlds["with"][2].close()
        for name, taken in times.items():
            parts = np.array_split(np.array(taken) * 1e3, rounds)
            print(f"{name}: {np.mean([part.min() for part in parts]):.3f} ms, median {np.median(taken) * 1e3:.3f}")
        print(f"{path.stat().st_size / 1e3 / (rounds * STEPS):.2f} kB a step")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
