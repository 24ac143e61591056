"""Arc tangents without the system's library, against the system's."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from scree.geometry.angles import arctangent2, spin_of_turn, wrap_angle
from scree.runtime.kernel import entry_point

NUMBERS = st.floats(-1e6, 1e6, allow_subnormal=False)


@entry_point("float64(float64, float64)")
def angle_of(y, x):
    return arctangent2(y, x)


@entry_point("float64(float64)")
def wrapped(angle):
    return wrap_angle(angle)


@settings(deadline=None)
@given(NUMBERS, NUMBERS)
def test_the_angle_of_a_point(y, x):
    assert abs(angle_of(y, x) - math.atan2(y + 0.0, x + 0.0)) < 8 * 2.0**-52 or (y == 0.0 and x < 0.0)


def test_the_axes():
    for y, x, angle in ((0, 1, 0), (1, 0, 0.5), (0, -1, 1), (-1, 0, -0.5), (0, 0, 0), (1, 1, 0.25), (-1, -1, -0.75)):
        assert abs(angle_of(y, x) - angle * math.pi) < 1e-14


@settings(deadline=None)
@given(st.floats(-18.0, 18.0))
def test_a_wrapped_angle_is_the_same_angle(angle):
    near = wrapped(angle)
    assert -math.pi < near <= math.pi
    assert abs(math.remainder(near - angle, 2.0 * math.pi)) < 1e-12


@settings(deadline=None)
@given(st.tuples(*[st.floats(-1.0, 1.0)] * 3), st.sampled_from([1.0, -1.0]), st.sampled_from([1.0, 1 / 60]))
def test_a_spin_makes_its_turn_the_short_way_round(way, sign, seconds):
    """`sign`: a quaternion and its opposite are the same turn."""
    turn = sign * Rotation.from_rotvec(way).as_quat()
    assert np.array(spin_of_turn.py_func(tuple(turn.tolist()), seconds)) == pytest.approx(np.array(way) / seconds, abs=1e-6)
