"""Many random and nasty pairs of convex shapes against the exact oracle.

`python -m tests.collision.oracle_run COUNT SEED` writes its figures as one line of JSON.
"""

import json
import sys
import time

import numpy as np

from scree.collision.distance import shape_distance
from scree.shapes.schema import BOX, HULL

from .bodies import IDENTITY, Shapes, normalized
from .oracle import signed_distance, surface_distance

LIMIT = 0.02


def nasty_library(rng) -> tuple[Shapes, list[int], np.ndarray]:
    """Shapes, their rows and their sizes [m]: balls, rods, boxes from plates to needles, hulls from flat to round, 1 cm to
    100 m."""
    shapes, rows, sizes = Shapes(), [], []
    for scale in (0.01, 0.1, 1.0, 1.0, 1.0, 10.0, 100.0):
        for _ in range(6):
            size = scale * 10 ** rng.uniform(-0.5, 0.0)
            thin = 10 ** rng.uniform(-3.0, 0.0, 3)
            points = rng.normal(size=(rng.integers(4, 20), 3))
            rough = np.round(points)
            rows += [
                shapes.sphere(size), shapes.capsule(size * rng.choice([1e-3, 0.1, 0.9]), size),
                shapes.box(size * thin), shapes.box((size, size, size)), shapes.hull(size * points * thin),
                shapes.hull(size * (rough if np.linalg.matrix_rank(rough) == 3 else points)),
            ]  # fmt: skip
            sizes += [scale] * 6
    return shapes, rows, np.array(sizes)


def pose(rng) -> tuple:
    """Any rotation; often one along the axes."""
    choice = rng.random()
    if choice < 0.2:
        return IDENTITY
    return normalized(rng.integers(-1, 2, 4) if choice < 0.4 else rng.normal(size=4))


def offset(rng, core_a, radius_a, core_b, radius_b, size: float) -> np.ndarray:
    """Where B stands from A: touching along a common or random axis, with like centres, in one another, or apart."""
    direction = rng.normal(size=3) if rng.random() < 0.6 else np.eye(3)[rng.integers(3)]
    direction /= np.linalg.norm(direction)
    reach = (core_a @ direction).max() - (core_b @ direction).min() + radius_a + radius_b
    gap = (0.0, 1e-9 * size, rng.uniform(-0.01, 0.02) * size, -rng.random() * reach, -reach, size)[rng.integers(6)]
    return direction * (reach + gap) + rng.normal(size=3) * size * (0.0, 0.0, 0.3)[rng.integers(3)]


def run(count: int, seed: int = 0) -> dict:
    """Figures: the worst error of the distance as a part of the size, how many are worse than 1e-4, the farthest that a point
    of a manifold of boxes or hulls of about a metre lies off either surface [m], and what failed."""
    rng = np.random.default_rng(seed)
    shapes, rows, sizes = nasty_library(rng)
    worst, off, bad, manifolds, failures, example = 0.0, 0.0, 0, 0, 0, None
    off_bad = 0
    begin = time.perf_counter()
    for number in range(count):
        i, j = rng.integers(len(rows)), rng.integers(len(rows))
        a, b, size = rows[i], rows[j], float(max(sizes[i], sizes[j]))
        qa, qb, origin = pose(rng), pose(rng), tuple(rng.normal(size=3) * size)
        core_a, radius_a = shapes.world_core(a, (0.0, 0.0, 0.0), qa)
        core_b, radius_b = shapes.world_core(b, (0.0, 0.0, 0.0), qb)
        away = offset(rng, core_a, radius_a, core_b, radius_b, size)
        other = tuple(np.asarray(origin) + away)
        truth = signed_distance(core_a, core_b + away) - radius_a - radius_b
        distance = shape_distance(shapes.rows, a, origin, qa, b, other, qb)[0]
        error = abs(distance - truth) / size
        if not np.isfinite(distance):
            failures += 1
            continue
        if error > worst:
            worst, example = error, (number, int(a), int(b), float(truth), float(distance))
        bad += error > 1e-4
        kinds = {int(shapes.rows[a]["kind"]), int(shapes.rows[b]["kind"])}
        if kinds <= {BOX, HULL} and sizes[i] == sizes[j] == 1.0 and truth < LIMIT * 0.97:
            found, _ = shapes.collide(a, origin, qa, b, other, qb, LIMIT)
            if not found:
                failures += 1
                continue
            manifolds += 1
            for point, separation in zip(found[0].points, found[0].separations, strict=True):
                half = 0.5 * separation * found[0].normal
                at_a = abs(surface_distance(core_a + origin, radius_a, point - half))
                at_b = abs(surface_distance(core_b + np.asarray(other), radius_b, point + half))
                off = max(off, at_a, at_b)
                off_bad += max(at_a, at_b) > 1e-3
    return {
        "pairs": count, "worst_error": worst, "worse_than_1e-4": int(bad), "worst_pair": example, "failures": failures,
        "manifolds": manifolds, "farthest_off_surface": off, "points_over_1_mm": int(off_bad),
        "seconds": time.perf_counter() - begin,
    }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(run(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)))
