"""How many box pairs a second the narrow phase collides on one thread, nothing recycled.

`python -m tests.collision.bench_boxes`: 15,000 pairs in random order, nearly all touching with two or more points.
"""

import time

import numpy as np

from scree.collision.schema import CONTACT_RESULT, MAX_RESULTS
from scree.collision.shapes import collide_shapes
from scree.geometry.vector import quaternion, vector3
from scree.runtime.kernel import entry_point
from scree.runtime.memory import stack_array, view, view2
from scree.shapes.schema import BOX, SHAPE


@entry_point("int64(int64, int64, int64, int64)")
def collide_all(shapes_address, poses_address, caches_address, count):
    """Collide `count` pairs; gives the number of those with two or more points. A pose: shape a, position, rotation,
    the same of b (16 doubles)."""
    shapes = view(shapes_address, 64, SHAPE)
    poses = view2(poses_address, count, 16, np.float64)
    caches = view(caches_address, count, np.int32)
    results = stack_array(MAX_RESULTS, CONTACT_RESULT)
    good = 0
    for i in range(count):
        pose = poses[i]
        found, cache = collide_shapes(
            shapes, np.int64(pose[0]), vector3(pose[1:4]), quaternion(pose[4:8]),
            np.int64(pose[8]), vector3(pose[9:12]), quaternion(pose[12:16]), 0.02, np.int64(caches[i]), results,
        )  # fmt: skip
        caches[i] = np.int32(cache)
        if found > 0 and results[0].point_count >= 2:
            good += 1
    return good


def random_quaternions(rng, count, spread):
    q = rng.normal(size=(count, 4)) * spread
    q[:, 3] = 1.0
    return q / np.linalg.norm(q, axis=1)[:, None]


def make_pairs(count: int, seed: int = 0):
    """Boxes of 0.5 to 1 m lying on each other, turned about Y and a little tilted, shuffled."""
    rng = np.random.default_rng(seed)
    shapes = np.zeros(64, SHAPE)
    shapes["kind"] = BOX
    shapes["half_extents"] = rng.uniform(0.25, 0.5, (64, 3))
    poses = np.zeros((count, 16))
    poses[:, 0], poses[:, 8] = rng.integers(0, 64, count), rng.integers(0, 64, count)
    a, b = shapes["half_extents"][poses[:, 0].astype(int)], shapes["half_extents"][poses[:, 8].astype(int)]
    turn = random_quaternions(rng, count, 0.01)
    turn[:, 1] = rng.uniform(-1, 1, count)
    poses[:, 4:8] = turn / np.linalg.norm(turn, axis=1)[:, None]
    poses[:, 12:16] = random_quaternions(rng, count, 0.01)
    poses[:, 1:4] = rng.uniform(-100, 100, (count, 3))
    poses[:, 9:12] = poses[:, 1:4] + rng.uniform(-0.2, 0.2, (count, 3))
    poses[:, 10] = poses[:, 2] + a[:, 1] + b[:, 1] - 0.004
    return shapes, poses[rng.permutation(count)]


def measure(count: int = 15_000, repeats: int = 20) -> dict:
    """Pairs a second: without and with last step's axes known."""
    shapes, poses = make_pairs(count)
    addresses = shapes.ctypes.data, poses.ctypes.data
    caches = np.zeros(count, np.int32)
    good = collide_all(*addresses, caches.ctypes.data, count)
    times = {"cold": [], "cached": []}
    for _ in range(repeats):
        for name in times:
            if name == "cold":
                caches[:] = 0
            start = time.thread_time()
            collide_all(*addresses, caches.ctypes.data, count)
            times[name].append(time.thread_time() - start)
    return {"touching": good / count, **{name: count / min(taken) for name, taken in times.items()}}


if __name__ == "__main__":
    print(measure())
