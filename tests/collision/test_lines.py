"""Straight sides that lie beside each other touch in two points: cones on cones, cones on capsules."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scree.shapes.schema import TAPERED_CAPSULE, TAPERED_CYLINDER

from .bodies import Shapes, normalized

LIMIT = 0.02


def cone(shapes: Shapes, kind: int, half: float, above: float, below: float) -> int:
    row = shapes.pool.create(kind)
    (shapes.pool.set_tapered_capsule if kind == TAPERED_CAPSULE else shapes.pool.set_tapered_cylinder)(row, half, above, below)
    return row


def upward_side(kind: int, half: float, above: float, below: float) -> tuple[np.ndarray, np.ndarray]:
    """The ends of the straight side of a cone that looks along X, in its frame, in the plane of X and Y."""
    if kind == TAPERED_CYLINDER:
        return np.array([below, -half]), np.array([above, half])
    slope = 0.5 * (below - above) / half  # of the normal, along Y
    normal = np.array([np.sqrt(1.0 - slope * slope), slope])
    return below * normal + (0.0, -half), above * normal + (0.0, half)


def turn_of(kind, half, above, below) -> float:
    """The angle about Z by which a cone's side that looks along X comes to look along X and stand upright."""
    low, high = upward_side(kind, half, above, below)
    return float(np.arctan2(high[0] - low[0], high[1] - low[1]))


def about_z(angle: float) -> np.ndarray:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


SIZES = st.tuples(st.floats(0.2, 1.0), st.floats(0.05, 0.3), st.floats(0.05, 0.3))


@settings(max_examples=200, deadline=None)
@example(TAPERED_CAPSULE, (0.25, 0.25, 0.125), (0.25, 0.25, 0.125), 0.0, 0.0, False)
@example(TAPERED_CYLINDER, (0.5, 0.10035988312668828, 0.05), (0.5, 0.10035988312668828, 0.14183072553509288), -0.8359375, 0.0,
         True)  # fmt: skip
@given(
    st.sampled_from([TAPERED_CAPSULE, TAPERED_CYLINDER]), SIZES, SIZES, st.floats(-0.9, 0.9), st.floats(-0.01, 0.015),
    st.booleans(),
)  # fmt: skip
def test_cones_side_by_side(kind, size_a, size_b, shift, gap, is_swapped):
    """Side to side, one moved along the other: two points, at the ends of what lies beside each other, both as deep."""
    for half, above, below in (size_a, size_b):
        if abs(above - below) > half:
            return
    shapes = Shapes()
    a, b = cone(shapes, kind, *size_a), cone(shapes, kind, *size_b)
    # A's side looks along X and stands upright at x = 0; B the same, turned half about Y: looks along -X.
    places, turns, ends = [], [], []
    for size, is_turned in ((size_a, False), (size_b, True)):
        angle = turn_of(kind, *size)
        low, high = (about_z(angle) @ end for end in upward_side(kind, *size))
        move = np.array([-low[0], shift * size_a[0] if is_turned else 0.0])
        turn = np.array([0.0, 0.0, np.sin(0.5 * angle), np.cos(0.5 * angle)])
        if is_turned:  # half about Y, after: (x, y, z, w) of (0, 1, 0, 0) times the turn
            x, y, z, w = turn
            turn = np.array([z, w, -x, -y])
            move[0] = gap - move[0]
        places.append((move[0], move[1], 0.0))
        turns.append(normalized(turn))
        ends.append(sorted((low[1] + move[1], high[1] + move[1])))
    low, high = max(ends[0][0], ends[1][0]), min(ends[0][1], ends[1][1])
    smaller = min(size_a[0] + max(size_a[1:]), size_b[0] + max(size_b[1:]))
    if high - low < 0.2 * smaller:
        return
    if is_swapped:
        (manifold,), _ = shapes.collide(b, places[1], turns[1], a, places[0], turns[0], LIMIT)
        normal = -manifold.normal
    else:
        (manifold,), _ = shapes.collide(a, places[0], turns[0], b, places[1], turns[1], LIMIT)
        normal = manifold.normal
    np.testing.assert_allclose(normal, (1.0, 0.0, 0.0), atol=2e-3)
    assert len(manifold.points) == 2
    np.testing.assert_allclose(manifold.separations, gap, atol=1e-3 * max(*size_a, *size_b))
    np.testing.assert_allclose(sorted(manifold.points[:, 1]), (low, high), atol=0.02 * max(size_a[1:] + size_b[1:]))
    np.testing.assert_allclose(manifold.points[:, 0], 0.5 * gap, atol=5e-3)


def test_a_capsule_on_a_cone_touches_in_two_points_and_across_in_one():
    shapes = Shapes()
    size = (0.5, 0.2, 0.3)
    a, b = cone(shapes, TAPERED_CAPSULE, *size), shapes.capsule(0.1, 0.4)
    angle = turn_of(TAPERED_CAPSULE, *size)
    x = (about_z(angle) @ upward_side(TAPERED_CAPSULE, *size)[0])[0]
    turn = (0.0, 0.0, np.sin(0.5 * angle), np.cos(0.5 * angle))
    (beside,), _ = shapes.collide(a, (0.0, 0.0, 0.0), turn, b, (x + 0.1, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), LIMIT)
    assert len(beside.points) == 2 and np.ptp(beside.points[:, 1]) > 0.7
    assert beside.separations == pytest.approx([0.0, 0.0], abs=2e-3)
    (across,), _ = shapes.collide(a, (0.0, 0.0, 0.0), turn, b, (x + 0.1, 0.0, 0.0), normalized((1.0, 0.0, 0.0, 1.0)), LIMIT)
    assert len(across.points) == 1
