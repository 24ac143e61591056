"""Costs of bodies of many shapes, and of one static compound of as many parts: `python -m tests.world.bench_compounds`, from
the root of the project."""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from test_compounds import Rubble, seconds_of  # noqa: E402

from scree.bodies.schema import RIGID  # noqa: E402


def measured(count: int, is_compound: bool) -> str:
    """Boxes and balls at one density; 2,000 rays through the middle, 16 balls that lie there."""
    start = time.thread_time()
    scene = Rubble(True, count, side=20.0 * (count / 300) ** 0.5, is_compound=is_compound)
    made = time.thread_time() - start
    random = np.random.default_rng(6)
    origins = random.uniform(-4, 4, (2000, 3)) + (0, 8, 0)
    rays = seconds_of(lambda: scene.queries.cast_rays(scene.system, origins, origins - (0, 16, 0)), 9) / 2000
    ball = scene.sphere(0.3)
    for k in range(16):
        scene.add(ball, (k % 4 - 2.0, 6.0, k // 4 - 2.0), mode=RIGID)
    scene.step(60)
    step = seconds_of(lambda: scene.step(20), 9) / 20
    places = (np.eye(3).ravel().tolist() + [0.1 * k, 0.0, 0.0] for k in range(1000))
    change = seconds_of(lambda: scene.world.body.set_shape_transform(scene.bodies[0], 0, next(places)), 20)
    name = "parts" if is_compound else "shapes"
    figures = f"made in {made:6.2f} s, ray {rays * 1e6:5.2f} us, step {step * 1e6:5.0f} us, one moved {change * 1e6:5.0f} us"
    return f"{count:6} {name}: {figures}"


if __name__ == "__main__":
    for is_compound in (False, True):
        for count in (4, 100, 1000, 10000):
            print(measured(count, is_compound), flush=True)
