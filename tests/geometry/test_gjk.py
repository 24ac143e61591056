"""The distance of convex cores where it is known in closed form."""

import math

import numpy as np
import pytest

from scree.geometry.gjk import BOX_CORE, CORE, SIMPLEX, TWO_DISCS_CORE, gjk_distance
from scree.runtime.kernel import kernel
from scree.runtime.memory import stack_array


@kernel
def distances_to_points(cores, points, out):
    """Distance of each of the `points` from cores[0]; cores[1] is a point."""
    simplex = stack_array(1, SIMPLEX)[0]
    for i in range(points.shape[0]):
        p = (points[i, 0], points[i, 1], points[i, 2])
        for k in range(3):
            cores[1].position[k] = points[i, k]
        overlap, v, _ = gjk_distance(cores[0], cores[1], simplex, (-p[0], -p[1], -p[2]))
        out[i] = 0.0 if overlap else math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


@pytest.mark.parametrize(
    ("half", "above", "below"), [(0.05, 1.0, 0.4), (1.0, 0.0, 0.6), (0.5, 0.2, 0.4), (0.01, 0.3, 0.9), (2.0, 0.05, 0.06)]
)
def test_points_beside_a_truncated_cone(half, above, below):
    """Lifted off the side by a known way. Some lie in the plane of an end: there the simplex is a sliver along the rim, and once
    the answer was the distance from the rim, up to six times too long."""
    random = np.random.default_rng(1)
    count = 60_000
    lift, turn, y = (
        10 ** random.uniform(-4, -0.5, count),
        random.uniform(0, 2 * math.pi, count),
        random.uniform(-half, half, count),
    )
    radius = below + (above - below) * (y + half) / (2 * half)
    across, up = np.array([2 * half, below - above]) / math.hypot(2 * half, below - above)
    points = np.stack([(radius + lift * across) * np.cos(turn), y + lift * up, (radius + lift * across) * np.sin(turn)], axis=1)
    cores = np.zeros(2, CORE)
    cores["rotation"] = np.eye(3)
    cores[0]["kind"], cores[0]["extents"] = TWO_DISCS_CORE, (half, above, below)
    cores[1]["kind"] = BOX_CORE
    found = np.empty(count)
    distances_to_points(cores, points, found)
    assert np.abs(found - lift).max() < 1e-8
