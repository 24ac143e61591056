"""The frames of `joint_make_hinge_simple`, which no script can call: the angle is 0 as the bodies stand when it is made."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.godot.joint_frames import NO_TURN, basis_of, frame_like, frame_of_axis

PART = st.floats(-1.0, 1.0)
VECTOR = st.tuples(PART, PART, PART).filter(lambda v: np.linalg.norm(v) > 0.1)


def unit(v) -> np.ndarray:
    return np.asarray(v) / np.linalg.norm(v)


@settings(max_examples=100, deadline=None)
@given(st.tuples(PART, PART, PART, PART).filter(lambda q: np.linalg.norm(q) > 0.1), VECTOR)
def test_the_axes_agree_where_the_bodies_stand(rotation, axis):
    """One axis in the world, seen by two bodies of which one is turned: the frames are the same in the world."""
    turn = np.array(basis_of(unit(rotation))).reshape(3, 3)
    first = frame_of_axis((0, 0, 0), axis)
    second = frame_like(frame_of_axis((1, 2, 3), tuple(turn.T @ unit(axis))), tuple(turn.ravel()), first, NO_TURN)
    assert second[9:] == (1, 2, 3)
    assert turn @ np.array(second[:9]).reshape(3, 3) == pytest.approx(np.array(first[:9]).reshape(3, 3), abs=1e-6)


def test_axes_at_right_angles_begin_anywhere():
    first, second = frame_of_axis((0, 0, 0), (0, 0, 1)), frame_of_axis((0, 0, 0), (1, 0, 0))
    made = np.array(frame_like(second, NO_TURN, first, NO_TURN)[:9]).reshape(3, 3)
    assert made[:, 2].tolist() == [1, 0, 0] and np.linalg.det(made) == pytest.approx(1.0)
