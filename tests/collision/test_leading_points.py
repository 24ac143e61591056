"""The corners that are kept of the flat side of a body that slides: as far ahead as the whole side reaches."""

import numpy as np
import pytest

from scree.collision.reduce import LEAST_SLIDE, LEVEL, reduce_points
from scree.geometry.clipping import POLYGON
from scree.runtime.kernel import entry_point
from scree.runtime.memory import address_of, view


@entry_point("int64(int64, int64, float64, float64)")
def reduce_row(polygon, keep, slide_x, slide_y):
    return reduce_points(view(polygon, 1, POLYGON)[0], view(keep, 4, np.int64), slide_x, slide_y)


def kept(corners: np.ndarray, heights: np.ndarray, slide: np.ndarray) -> list[int]:
    """The corners chosen of a polygon, by their numbers."""
    polygon, keep = np.zeros(1, POLYGON), np.zeros(4, np.int64)
    polygon[0]["count"] = len(corners)
    polygon[0]["x"][: len(corners)], polygon[0]["y"][: len(corners)] = corners.T
    polygon[0]["z"][: len(corners)] = heights
    return keep[: reduce_row(address_of(polygon), address_of(keep), *map(float, slide))].tolist()


def reach(corners: np.ndarray, middle: np.ndarray, slide: np.ndarray) -> float:
    """How far a convex polygon with these corners reaches from a place in a direction: its hull is met between two corners."""
    ahead = (corners - middle) @ slide / np.linalg.norm(slide)
    aside = (corners - middle) @ np.array((-slide[1], slide[0])) / np.linalg.norm(slide)
    pairs = [(i, j) for i in range(len(corners)) for j in range(len(corners)) if aside[i] <= 0.0 < aside[j]]
    return max(((ahead[i] * aside[j] - ahead[j] * aside[i]) / (aside[j] - aside[i]) for i, j in pairs), default=-np.inf)


def ring(random: np.random.Generator) -> np.ndarray:
    """Corners of a convex polygon, five to twelve."""
    angles = np.sort(random.uniform(0.0, 2.0 * np.pi, random.integers(5, 13)))
    return np.stack([np.cos(angles), random.uniform(0.3, 1.0) * np.sin(angles)], axis=1) * 10 ** random.uniform(-1, 1)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_kept_reaches_as_far_ahead_as_the_whole_side(seed):
    random = np.random.default_rng(seed)
    corners, slide = ring(random), random.normal(size=2) + 0.3
    heights = random.uniform(0.0, 0.9 * LEVEL, len(corners))
    chosen = kept(corners, heights, slide)
    assert len(set(chosen)) == len(chosen) >= 3
    middle = corners.mean(axis=0)
    assert reach(corners[chosen], middle, slide) == pytest.approx(reach(corners, middle, slide), rel=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_what_hardly_slides_or_is_tilted_keeps_its_deepest_corners(seed):
    random = np.random.default_rng(100 + seed)
    corners, way = ring(random), random.normal(size=2)
    way /= np.linalg.norm(way)
    level, tilted = np.zeros(len(corners)), random.uniform(0.0, 10.0 * LEVEL, len(corners))
    tilted[:2] = 0.0, 5.0 * LEVEL
    none = np.zeros(2)
    assert kept(corners, level, 0.9 * LEAST_SLIDE * way) == kept(corners, level, none)
    assert kept(corners, tilted, 5.0 * way) == kept(corners, tilted, none)
    assert tilted[kept(corners, tilted, 5.0 * way)].min() == 0.0
