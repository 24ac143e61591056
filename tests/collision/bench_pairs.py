"""Pairs a second of the narrow phase on one thread, for every pair of convex kinds and for pairs that are recycled.

`python -m tests.collision.bench_pairs`: processor time of the thread, the least of some rounds. Shapes of about 1 m, turned at
random, overlapping by 4 mm; a recycled pair is one of 15,000 box pairs in random order, whose bodies have not moved.
"""

import sys
import time
from pathlib import Path

import numpy as np

from scree.bodies.schema import RIGID, STATIC
from scree.collision.contacts import collide
from scree.collision.distance import shape_distance
from scree.runtime.memory import address_of
from scree.shapes.pool import ShapePool
from scree.shapes.schema import (
    BOX, CAPSULE, CYLINDER, ELLIPSOID, HULL, KIND_NAMES, SPHERE, TAPERED_CAPSULE, TAPERED_CYLINDER,
)  # fmt: skip

from .bench_boxes import collide_all, random_quaternions

sys.path.insert(0, str(Path(__file__).parents[1] / "world"))
from many_boxes import BoxesWorld  # noqa: E402

KINDS = (SPHERE, CAPSULE, BOX, HULL, CYLINDER, TAPERED_CAPSULE, TAPERED_CYLINDER, ELLIPSOID)
POSES, ROUNDS = 500, 5
OVERLAP = 0.004
RECYCLED = 15000


def make_shapes() -> ShapePool:
    """One shape a kind, its row the kind."""
    pool = ShapePool(lambda index, sequence: index + 1, capacity=64)
    points = np.random.default_rng(2).normal(size=(16, 3))
    setters = {
        SPHERE: (pool.set_sphere, 0.5), CAPSULE: (pool.set_capsule, 0.3, 1.2), BOX: (pool.set_box, (0.5, 0.4, 0.6)),
        HULL: (pool.set_hull, 0.5 * points / np.linalg.norm(points, axis=1)[:, None]), CYLINDER: (pool.set_cylinder, 0.4, 1.0),
        TAPERED_CAPSULE: (pool.set_tapered_capsule, 0.4, 0.2, 0.35), TAPERED_CYLINDER: (pool.set_tapered_cylinder, 0.5, 0.3, 0.5),
        ELLIPSOID: (pool.set_ellipsoid, (0.5, 0.4, 0.6)),
    }  # fmt: skip
    pool.rows_of = {}
    for kind, (setter, *numbers) in setters.items():
        pool.rows_of[kind] = pool.create(kind)
        setter(pool.rows_of[kind], *numbers)
    return pool


def touching_poses(pool, a: int, b: int) -> np.ndarray:
    """Rows for `collide_all`: B is moved along a random line until it overlaps A by so much."""
    rng = np.random.default_rng(a * 100 + b)
    poses = np.zeros((POSES, 16))
    poses[:, 0], poses[:, 8] = a, b
    poses[:, 4:8], poses[:, 12:16] = random_quaternions(rng, POSES, 1.0), random_quaternions(rng, POSES, 1.0)
    way = rng.normal(size=(POSES, 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    for pose, line in zip(poses, way, strict=True):
        at = 3.0
        for _ in range(12):
            turn_a, turn_b, place = tuple(pose[4:8].tolist()), tuple(pose[12:16].tolist()), tuple((at * line).tolist())
            distance, _, _, normal = shape_distance(pool.rows, a, (0.0, 0.0, 0.0), turn_a, b, place, turn_b)
            at -= (distance + OVERLAP) / max(float(np.dot(normal, line)), 0.2)
        pose[9:12] = at * line
    return poses


def pairs_a_second(pool, a: int, b: int) -> tuple[float, float]:
    """(pairs a second, part of them with two or more points)."""
    poses, caches = touching_poses(pool, a, b), np.zeros(POSES, np.int32)
    least, good = 1e9, 0
    for _ in range(ROUNDS):
        start = time.thread_time()
        for _ in range(8):
            caches[:] = 0
            good = collide_all(pool.address, address_of(poses.ravel()), address_of(caches), POSES)
        least = min(least, time.thread_time() - start)
    return 8 * POSES / least, good / POSES


def recycled_pairs_a_second() -> float:
    """Box on box, 15,000 times; the list of pairs shuffled."""
    scene = BoxesWorld(0, others=1 << 16)
    scene.world.system_set_param(scene.system, "gravity", (0.0, 0.0, 0.0))
    shape, places = scene.box(0.5, 0.5, 0.5), np.random.default_rng(1).permutation(RECYCLED)
    for place in places.tolist():
        x, z = 3.0 * (place % 125), 3.0 * (place // 125)
        scene.add(shape, (x, 0.0, z), mode=STATIC)
        scene.add(shape, (x + 0.1, 0.999, z + 0.1), mode=RIGID)
    scene.step(2)
    row = scene.world.system(scene.system).row
    count = int(row["pairs"]["active_count"])
    pools = {pool.name: pool.rows for pool in scene.world.system(scene.system)._pools}
    active = pools["active pairs"]
    order = np.random.default_rng(2).permutation(count)
    active[:count] = active[:count][order]
    pools["lists of pairs"]["active_index"][active[:count]] = np.arange(count)
    address, least = scene.world.system(scene.system).address, 1e9
    for _ in range(60):
        row["pairs"]["changed_count"] = 0
        start = time.thread_time()
        collide(address, 0, count, 0)
        least = min(least, time.thread_time() - start)
    row["pairs"]["changed_count"] = 0
    assert count == RECYCLED
    return count / least


if __name__ == "__main__":
    print(f"recycled: {recycled_pairs_a_second() / 1e6:.1f} million pairs a second", flush=True)
    shapes = make_shapes()
    for i, a in enumerate(KINDS):
        for b in KINDS[i:]:
            rate, several = pairs_a_second(shapes, shapes.rows_of[a], shapes.rows_of[b])
            names = f"{KIND_NAMES[a]:>16} - {KIND_NAMES[b]:<16}"
            print(f"{names} {rate / 1e6:6.2f} million a second, {several:4.0%} of several points", flush=True)
