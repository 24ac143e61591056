"""When shapes in motion first touch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.collision.body_sweeps import path_beside, place_of_body
from scree.collision.gaps import NO_FRACTION
from scree.collision.sweeps import SWEEP, largest_angle, reach_of, sweep_shapes
from scree.geometry.vector import multiply, rotate, rotate_inverse

from .bodies import IDENTITY, ORIGIN, Shapes


def sweep(shapes: Shapes, a: int, position, motion, b: int) -> float:
    """The part of its motion [m] that A may go before it meets B, which stands at the origin."""
    sweeps = np.zeros(2, SWEEP)
    for row in sweeps:
        row["rotation"] = row["end_rotation"] = row["local_rotation"] = IDENTITY
    sweeps[0]["motion"] = motion
    sweeps[1]["position"] = np.negative(position)
    for row, shape in zip(sweeps, (a, b), strict=True):
        row["reach"] = reach_of(shapes.rows[shape], ORIGIN)
    return sweep_shapes(sweeps, shapes.rows[a], shapes.rows[b], 1.0)


@pytest.mark.parametrize("two_sided", [False, True])
def test_a_ball_leaves_through_the_front_of_a_triangle(two_sided):
    """It flies upwards past the lower edge of a slope that rises to the left, with its middle on the upper side."""
    shapes = Shapes()
    ball = shapes.sphere(0.5)
    slope = shapes.mesh([(0.0, 0.0, -5.0), (0.0, 0.0, 5.0), (-5.0, 5.0, 0.0)], [(1, 0, 2)], two_sided)
    at = np.array((0.3, -0.25, 0.0))
    assert (sweep(shapes, ball, at, (0.0, 2.0, 0.0), slope) == NO_FRACTION) == (not two_sided)
    assert sweep(shapes, ball, at + (0.7, 1.7, 0.0), (-2.0, -2.0, 0.0), slope) < 0.8


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.0, 2.5), st.floats(0.0, 3.0), st.sampled_from([0.0, 0.4]))
def test_a_path_beside_a_body_that_turns_is_within_its_bounds(seed, angle, way, missing):
    """Against many places on the way, each put into the frame of the other body there."""
    rng = np.random.default_rng(seed)
    sweeps = np.zeros(2, SWEEP)
    for row in sweeps:
        start = rng.normal(size=4)
        start /= np.linalg.norm(start)
        axis = rng.normal(size=3)
        turn = (*(np.sin(angle / 2) * axis / np.linalg.norm(axis)), np.cos(angle / 2))
        row["position"], row["motion"] = rng.normal(size=3) * 5.0, rng.normal(size=3) * way
        row["rotation"], row["end_rotation"] = start, multiply(turn, start)
        row["angle"] = largest_angle(row["rotation"], row["end_rotation"])
    sweeps[1]["missing"] = missing
    low, high = path_beside(sweeps[0], sweeps[1])
    for fraction in np.linspace(0.0, 1.0, 41):
        position, rotation = place_of_body(sweeps[1], fraction)
        at = rotate_inverse(rotation, np.subtract(place_of_body(sweeps[0], fraction)[0], position))
        assert np.all(np.array(low) <= at) and np.all(at <= np.array(high))


def test_a_path_beside_what_it_rides_on_is_short():
    """20 m/s and 1 rad/s about a place 50 m away: in a step of a sixtieth its path there is a few millimetres long."""
    sweeps = np.zeros(2, SWEEP)
    turn = (0.0, np.sin(0.5 / 60), 0.0, np.cos(0.5 / 60))
    for row in sweeps:
        row["rotation"], row["end_rotation"] = IDENTITY, turn
        row["angle"] = largest_angle(IDENTITY, turn)
    sweeps[1]["motion"] = (20.0 / 60, 0.0, 0.0)
    sweeps[0]["position"] = (50.0, 0.0, 0.0)
    sweeps[0]["motion"] = np.add((20.0 / 60, 0.0, 0.0), np.subtract(rotate(turn, (50.0, 0.0, 0.0)), (50.0, 0.0, 0.0)))
    low, high = path_beside(sweeps[0], sweeps[1])
    assert np.linalg.norm(np.subtract(high, low)) < 0.15 * np.linalg.norm(sweeps[0]["motion"])
