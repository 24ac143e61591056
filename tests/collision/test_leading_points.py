"""The corners that are kept of the flat side of a body that slides or leans: as far that way as the whole side reaches."""

from itertools import combinations

import numpy as np
import pytest

from scree.collision.leaning import asks_for_corners
from scree.collision.reduce import BEYOND, LEAST_SLIDE, LEVEL, NEAR_SIDE, open_sides, reduce_points
from scree.collision.schema import MANIFOLD
from scree.geometry.clipping import POLYGON
from scree.runtime.kernel import entry_point
from scree.runtime.memory import address_of, view


@entry_point("int64(int64, int64, float64, float64, int64, float64, float64)")
def reduce_row(polygon, keep, slide_x, slide_y, has_load, load_x, load_y):
    load = (has_load != 0, load_x, load_y)
    return reduce_points(view(polygon, 1, POLYGON)[0], view(keep, 4, np.int64), slide_x, slide_y, load)


@entry_point("int64(int64, int64, int64)")
def open_sides_row(polygon, keep, count):
    return open_sides(view(polygon, 1, POLYGON)[0], view(keep, 4, np.int64), count)


def polygon_of(corners: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """A row of POLYGON."""
    polygon = np.zeros(1, POLYGON)
    polygon[0]["count"] = len(corners)
    polygon[0]["x"][: len(corners)], polygon[0]["y"][: len(corners)] = corners.T
    polygon[0]["z"][: len(corners)] = heights
    return polygon


def kept(corners: np.ndarray, heights: np.ndarray, slide: np.ndarray, load: np.ndarray | None = None) -> list[int]:
    """The corners chosen of a polygon, by their numbers."""
    polygon, keep = polygon_of(corners, heights), np.zeros(4, np.int64)
    given = (0, 0.0, 0.0) if load is None else (1, *map(float, load))
    return keep[: reduce_row(address_of(polygon), address_of(keep), *map(float, slide), *given)].tolist()


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


def sides_of(corners: np.ndarray, four: list[int]) -> list[tuple[int, float, float]]:
    """The sides of some corners of a polygon: the bit of each, how far these reach inside of it, and how far others beyond it."""
    found = []
    for bit, (i, j) in enumerate(combinations(range(4), 2)):
        if j >= len(four):
            continue
        start, end = corners[four[i]], corners[four[j]]
        inward = np.array((start[1] - end[1], end[0] - start[0])) / np.linalg.norm(end - start)
        depths = (corners[four] - start) @ inward
        if depths.max() < -depths.min():
            inward, depths = -inward, -depths
        if depths.min() > -1e-9 * depths.max():
            found.append((bit, depths.max(), -((corners - start) @ inward).min()))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_sides_beyond_which_corners_were_left_out_are_open(seed):
    corners = ring(np.random.default_rng(seed))
    level, none = np.zeros(len(corners)), np.zeros(2)
    four = kept(corners, level, none)
    polygon, keep = polygon_of(corners, level), np.array([*four, 0][:4])
    bits = open_sides_row(address_of(polygon), address_of(keep), len(four))
    sides = sides_of(corners, four)
    assert bits == sum(1 << bit for bit, depth, beyond in sides if beyond > BEYOND * depth)
    polygon["z"] += 1.0
    polygon[0]["z"][four] = 0.0
    assert open_sides_row(address_of(polygon), address_of(keep), len(four)) == 0, "corners high above do not carry"


@pytest.mark.parametrize("seed", range(40))
def test_what_leans_stands_as_far_out_as_the_whole_side_reaches(seed):
    """A load at nine tenths of the way to the edge: the corners kept hold it."""
    random = np.random.default_rng(200 + seed)
    corners, way = ring(random), random.normal(size=2)
    middle, level, none = corners.mean(axis=0), np.zeros(len(corners)), np.zeros(2)
    load = middle + 0.9 * reach(corners, middle, way) * way / np.linalg.norm(way)
    chosen = kept(corners, level, none, load)
    assert len(set(chosen)) == len(chosen) >= 3
    assert reach(corners[chosen], middle, way) > 0.9 * reach(corners, middle, way)


@pytest.mark.parametrize("count", [5, 8, 24, 60])
def test_a_load_over_the_middle_changes_nothing_and_one_at_a_corner_keeps_its_neighbours(count):
    angles = 2.0 * np.pi * np.arange(count) / count
    corners, level, none = np.stack([np.cos(angles), np.sin(angles)], axis=1), np.zeros(count), np.zeros(2)
    assert kept(corners, level, none, (0.5 - NEAR_SIDE) * corners[2]) == kept(corners, level, none)
    chosen = kept(corners, level, none, 0.97 * corners[2])
    beside = 1 if count < 40 else 2
    assert {2 - beside, 2, 2 + beside} <= set(chosen) and len(chosen) == 4


def test_what_leans_over_corners_that_do_not_touch_keeps_the_deepest():
    angles = 2.0 * np.pi * np.arange(8) / 8
    corners, none = np.stack([np.cos(angles), np.sin(angles)], axis=1), np.zeros(2)
    heights = 10.0 * LEVEL * (1.0 + corners[:, 0])
    assert kept(corners, heights, none, (0.95, 0.0)) == kept(corners, heights, none)
    assert 4 in kept(corners, heights, none, (-0.95, 0.0))


@entry_point("int64(int64)")
def asks_for_corners_row(manifold):
    return asks_for_corners(view(manifold, 1, MANIFOLD)[0])


def square_under(load_x: float, load_z: float, open_bits: int) -> np.ndarray:
    """A row of MANIFOLD: the corners of a square of 2 m in order, and impulses whose centre is the load."""
    row = np.zeros(1, MANIFOLD)
    row[0]["point_count"], row[0]["open_sides"], row[0]["normal"] = 4, open_bits, (0, 1, 0)
    row[0]["anchor"] = ((-1, 0, -1), (1, 0, -1), (1, 0, 1), (-1, 0, 1))
    for p, (x, _, z) in enumerate(row[0]["anchor"]):
        row[0]["normal_impulse"][p] = (1 + x * load_x) * (1 + z * load_z)
    return row


@pytest.mark.parametrize(("side", "way"), [(0, (0, -1)), (2, (-1, 0)), (3, (1, 0)), (5, (0, 1))])
def test_a_load_that_stays_near_an_open_side_asks_once(side, way):
    """The middle is 1 m from each side: a load asks at 0.2 m, and again as it comes nearer, in thirds of that."""

    def asks(row, distance):
        row["normal_impulse"] = square_under(*((1 - distance) * np.array(way)), 0)["normal_impulse"]
        return asks_for_corners_row(address_of(row)) != 0

    row = square_under(0, 0, 1 << side)
    distances = (1.0, 0.25, 0.19, 0.19, 0.15, 0.25, 0.19, 0.12, 0.08, 0.05, 0.05, 0.01, 0.15, 0.0)
    asked = [asks(row, distance) for distance in distances]
    assert asked == [False, False, True, False, False, False, False, True, False, True, False, False, False, False]
    closed = square_under(*((1 - 0.01) * np.array(way)), 0b111111 & ~(1 << side))
    assert asks_for_corners_row(address_of(closed)) == 0
    row["answered_sides"] = 0  # as after other points were found
    assert asks(row, 0.19)


def test_a_load_asks_for_each_open_side():
    """It comes near one side, and then near the corner between two."""
    row = square_under(-0.9, 0, 0b000101)
    assert asks_for_corners_row(address_of(row)) != 0 and asks_for_corners_row(address_of(row)) == 0
    row["normal_impulse"] = square_under(-0.9, -0.9, 0)["normal_impulse"]
    assert asks_for_corners_row(address_of(row)) != 0 and asks_for_corners_row(address_of(row)) == 0
    assert row[0]["answered_sides"] == 0b10_00_10
